// SPDX-License-Identifier: Apache-2.0
#include "support/resumed_runs.h"

// A selection of what tests/slow/resume.cpp asks of every formulation at twenty instants.

namespace trammel::test_contract_resume {
namespace {

using namespace resumed_runs;

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

class Resume : public ::testing::TestWithParam<std::string> {};

TEST_P(Resume, goes_on_bit_by_bit_with_every_integrator_in_both_coordinate_sets) {
  for (const Case& each : make_cases(GetParam(), false)) {
    SCOPED_TRACE(each.name);
    expect_same_bits(each.study, 2, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Resume, ::testing::ValuesIn(machines()), name_of);

}  // namespace
}  // namespace trammel::test_contract_resume
