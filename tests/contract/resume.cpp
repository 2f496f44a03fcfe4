// SPDX-License-Identifier: Apache-2.0
#include "support/resumed_runs.h"

// A selection of what tests/slow/resume.cpp asks of every formulation at twenty instants.

namespace trammel::test_contract_resume {
namespace {

using namespace resumed_runs;

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

class Resume : public ::testing::TestWithParam<std::string> {};

// With some methods what is found anew behind a checkpoint (accelerations of frames, errors of steps) differs in its
// last digits.
double rounding_of(const std::string& name) {
  for (const char* method : {"radau", "bdf", "energy_decaying", "newmark"})
    if (name.starts_with(method)) return 0.0;
  return 1e-6;
}

TEST_P(Resume, goes_on_bit_by_bit_or_but_for_rounding_with_every_integrator_in_both_coordinate_sets) {
  for (const Case& each : make_cases(GetParam(), false)) {
    SCOPED_TRACE(each.name);
    expect_same_bits(each.study, 2, 1, rounding_of(each.name));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Resume, ::testing::ValuesIn(machines()), name_of);

}  // namespace
}  // namespace trammel::test_contract_resume
