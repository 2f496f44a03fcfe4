// SPDX-License-Identifier: Apache-2.0
#include "support/killed_runs.h"

/// The program, killed at twenty random instants of its run and resumed, with every integrator in both coordinate sets
/// on machines with one feature each: the results file is that of a run that nobody disturbed, table by table and bit
/// by bit.
namespace trammel::test_slow_resume_killed {
namespace {

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

class Killed : public ::testing::TestWithParam<std::string> {};

TEST_P(Killed, at_twenty_random_instants_ends_with_the_results_of_an_undisturbed_run) {
  killed_runs::Tally tally;
  for (const resumed_runs::Case& each : resumed_runs::make_cases(GetParam(), false))
    killed_runs::expect_same_after_kills(GetParam(), each, 20, 11, tally);
  std::cout << GetParam() << ": " << tally.cases << " combinations, " << tally.killed << " kills, " << tally.resumed
            << " resumed from a checkpoint\n";
}

INSTANTIATE_TEST_SUITE_P(Machines, Killed, ::testing::ValuesIn(resumed_runs::machines()), name_of);

}  // namespace
}  // namespace trammel::test_slow_resume_killed
