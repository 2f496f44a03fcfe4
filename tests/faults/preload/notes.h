// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// What the preloaded library tells whoever started the program, through a file that both have in memory.
enum { kind_memory, kind_write, kind_lock, kind_system, kind_interrupted, kind_short, n_kinds };
static const char* const kind_names[] = {"memory", "write", "lock", "system", "interrupted", "short"};

struct notes {
  uint64_t counts[n_kinds]; /* calls of each kind */
  uint64_t fired;           /* of them made to fail */
  uint64_t errors;          /* what errno said: bit e for errno e */
  char name[32];            /* the first of these */
};
