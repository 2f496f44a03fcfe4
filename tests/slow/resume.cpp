// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "support/resumed_runs.h"

/// Runs that go on from twenty random checkpoints, with every integrator, formulation and coordinate set that is not
/// refused, on machines with one feature each: every number of every row is that of the run that was never stopped.
namespace trammel::test_slow_resume {
namespace {

using namespace resumed_runs;

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

class Resume : public ::testing::TestWithParam<std::string> {};

TEST_P(Resume, goes_on_bit_by_bit_at_twenty_random_instants) {
  const std::vector<Case> cases = make_cases(GetParam(), true);
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    expect_same_bits(each.study, 20, 7);
  }
  std::cout << GetParam() << ": " << cases.size() << " combinations, 20 instants each\n";
}

INSTANTIATE_TEST_SUITE_P(Machines, Resume, ::testing::ValuesIn(machines()), name_of);

}  // namespace
}  // namespace trammel::test_slow_resume
