// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace trammel {

/// How many cores this process may use: those of its affinity (taskset), at most what its control group grants
/// (containers), at most SLURM_CPUS_PER_TASK of a job. At least 1.
int count_allowed_cores();

class Crew;

/// While it lives, what the thread that made it computes may be shared among up to `n_threads` threads, itself
/// included. Numbers do not depend on them, to the last bit; only large machines use them, and none is started before
/// there is work for it. Without one, nothing is shared: programs that embed the library decide. Threads that the
/// program starts itself have none until they make their own.
///
///   const ThreadScope threads(count_allowed_cores());
///   Simulation simulation(read_study("net.toml"));
///   simulation.run(results);
class ThreadScope {
 public:
  /// Throws InputError unless 1 ≤ n_threads ≤ 1024.
  explicit ThreadScope(int n_threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

  /// How many have been at work so far; 1: the calling one alone.
  int n_used() const;

 private:
  std::unique_ptr<Crew> crew_;
  Crew* before_;
};

}  // namespace trammel
