// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/stretches.h"

#include <utility>

namespace trammel {

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
