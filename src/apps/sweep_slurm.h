// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "commands.h"

namespace trammel::apps {

/// Submits the cases of a plan as an array of jobs, tells how far they are, or cancels them. A job runs a few cases;
/// before its time is over Slurm tells it to end, its runs leave checkpoints, and it is put back into the queue and
/// goes on there. A job whose node is lost is put back as well. Named: no Slurm, nothing submitted, refusals of the
/// scheduler.
int use_slurm(const SweepCommand& command, std::size_t n_cases);

}  // namespace trammel::apps
