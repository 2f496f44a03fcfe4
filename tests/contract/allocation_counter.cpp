// SPDX-License-Identifier: Apache-2.0
#define TRAMMEL_DEFINE_ALLOCATION_COUNTER
#include "support/allocation_counter.h"
