// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/stretches.h"

#include <utility>

#include "trammel/base/memory.h"

namespace trammel {

// What a checkpoint costs is a matrix more. A run that makes fewer than one in 33 steps, and may pay many steps for it
// (dense ones by differences), has its checkpoints three times as far apart.
bool Dynamics::is_checkpoint_due(long every) const {
  constexpr long steps_of_matrix = 33, patience = 3;
  if (summary_.steps < next_checkpoint_) return false;
  return summary_.linearizations == 0 || (summary_.linearizations - matrices_before_) * steps_of_matrix >= every ||
         summary_.steps >= next_checkpoint_ + (patience - 1) * every;
}

// A run goes on differently behind a checkpoint, by roundings (run_by_stretches): where they are depends on steps
// alone, never on a clock or on who stops it. At the end there is one for a run that is to go on to a later end.
void Dynamics::take_checkpoint_if_due() {
  const int every = study_.output.checkpoint_steps.value_or(0);
  if (every == 0 || live_ || stopped_by_event_ || motion_.is_passing()) return;
  if (t_ < end_ && !is_checkpoint_due(every)) return;
  next_checkpoint_ = summary_.steps + every, matrices_before_ = summary_.linearizations;
  Memory memory;
  remember(memory);
  memory_ = memory.take();
  hands_over_ = t_ < end_;
  sink_.checkpoint(t_, memory_);
}

RunEnd run_by_stretches(Rig& rig, RecordSink& sink, const ProgressCallback& progress,
                        std::vector<KinkWatch::Change>& contact_changes, const RunPart& part,
                        std::span<const std::byte> memory, const std::function<void()>& begin) {
  std::vector<std::byte> kept;
  for (;;) {
    Dynamics dynamics(rig, sink, progress, contact_changes, part);
    if (std::optional<Summary> summary = memory.empty() ? dynamics.run() : dynamics.resume(memory)) {
      RunEnd end{std::move(*summary), std::nullopt};
      if (dynamics.leaves_to_next()) end.next = dynamics.calc_end();
      return end;
    }
    kept = std::move(dynamics.memory());
    memory = kept;
    rig.renew();
    begin();
  }
}

}  // namespace trammel
