// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/simulation/options.h"

namespace trammel {

/// The processes of one run, as `mpirun -n N trammel run …` starts them: rank 0 runs, the others take part in its
/// linear systems (linalg/ranks.h). Without mpirun there is one.
class RunRanks {
 public:
  RunRanks();   ///< joins the others
  ~RunRanks();  ///< rank 0: lets them end
  RunRanks(const RunRanks&) = delete;
  RunRanks& operator=(const RunRanks&) = delete;

  bool is_first() const { return rank_ == 0; }
  /// Of the others: takes part until rank 0 ends.
  void serve() const;

  static int count();
  /// Why the processes that were started cannot work together; empty: they can.
  static std::string find_obstacle();
  /// What is to be said of processes that will have nothing to do; empty: nothing.
  static std::string find_idle(const SolverOptions& solver);
  /// Whether all ranks are at work on one matrix. May be called in a signal's handler.
  static bool are_at_work();

 private:
  int rank_;
};

}  // namespace trammel
