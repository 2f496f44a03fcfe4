// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/replay.h"

#include <fmt/format.h>

#include "commands.h"
#include "messages.h"

namespace trammel::apps {

int replay(const ReplayCommand& command) {
  require_file(command.file);
  if (!command.capsule.empty()) write_capsule(command.file, command.capsule);
  ReplayReport report = replay_failure(command.file);
  print_now(report.failure + "\n");
  print_now(
      report.repeated
          ? fmt::format("Repeated bit by bit from t = {:.6g} s: {} steps and {} frames are the same, and the end.\n",
                        report.from, report.n_steps, report.n_frames)
          : fmt::format("It is not repeated: {}.\n", report.difference));
  if (!command.only) {
    print_now("Tried from the last frame before it; what gets past it has a +:\n");
    try_cures(command.file, report, [](const Cure& cure) {
      print_now(fmt::format("  {} {:<44} {}\n", cure.helped ? "+" : " ", cure.settings, cure.outcome));
    });
  }
  return report.repeated ? success : failed_run;
}

}  // namespace trammel::apps
