// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <iostream>
#include <thread>

#include "apps/program.h"
#include "support/resumed_runs.h"
#include "support/same_results.h"

/// Runs of the program that are killed and resumed.
namespace trammel::killed_runs {

struct Tally {
  int cases = 0, killed = 0, resumed = 0;  ///< resumed: from a checkpoint, and not from the start
};

/// Kills n runs of a machine at random instants between their beginning and their end, resumes each in its file, and
/// compares that with the results of a run that nobody disturbed.
inline void expect_same_after_kills(const std::string& machine, const resumed_runs::Case& each, int n, unsigned seed,
                                    Tally& tally) {
  SCOPED_TRACE(machine + ", " + each.name);
  using Clock = std::chrono::steady_clock;
  const program::Folder folder;
  std::string file = resumed_runs::file_of(machine).string();
  if (machine == "events") file = folder.write("events.toml", test_contract_integrators::machine);
  const auto run_to = [&](const std::string& name) {
    std::vector<std::string> words{"run", file, "--out", name, "--progress-interval", "0", "--set"};
    for (const auto& list : {resumed_runs::settings_of(machine), each.settings})
      words.insert(words.end(), list.begin(), list.end());
    words.insert(words.end(), {"output.checkpoint_steps=5", "output.flush_every_frame=true"});
    return words;
  };
  const auto start = Clock::now();
  const program::Outcome whole = program::call(folder, run_to("whole.h5"));
  ASSERT_TRUE(whole.code == 0 || whole.code == 3) << whole.code << whole.err;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ++tally.cases;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> delay(0.0, seconds);
  for (int i = 0; i < n; ++i) {
    SCOPED_TRACE(i);
    program::Child child(folder, run_to("run.h5"));
    std::thread killer([&child, after = std::chrono::duration<double>(delay(random))] {
      std::this_thread::sleep_for(after);
      child.send(SIGKILL);
    });
    while (child.read_more()) {
    }
    killer.join();
    const bool killed = child.end() == -SIGKILL;
    tally.killed += killed;
    if (!std::filesystem::exists(folder / "run.h5")) continue;  // before its first frame
    bool had_ended = false;
    if (killed) {
      const program::Outcome resumed = program::call(folder, {"run", "--resume", "run.h5"});
      had_ended = resumed.err.find("has ended") != resumed.err.npos;
      ASSERT_TRUE(resumed.code == whole.code || had_ended) << resumed.code << resumed.err;
      tally.resumed += (resumed.out + resumed.err).find("Resumed at t = ") != std::string::npos;
    }
    same_results::expect_same_results(folder / "run.h5", folder / "whole.h5", had_ended);
    if (::testing::Test::HasFailure()) return;
    std::filesystem::remove(folder / "run.h5");
  }
}

}  // namespace trammel::killed_runs
