// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <iostream>

#include "apps/program.h"
#include "support/resumed_runs.h"
#include "trammel/io/recorded_run.h"

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

// All that is done before the machine moves again, for a machine of 1000 coordinates with more than 40 MB of results.
TEST(Resuming, starts_within_a_second) {
  const program::Folder folder;
  const std::string chain = (places::source_dir() / "examples/14_pendulum_chain/pendulum_chain.toml").string();
  const program::Outcome run = program::call(folder, {"run", chain, "--set", "parameters.N=1000", "analysis.end=6",
                                                      "output.interval=0.01", "--out", "run.h5"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GT(std::filesystem::file_size(folder / "run.h5"), 40e6);
  const std::clock_t start = std::clock();
  const RecordedRun recorded(folder / "run.h5");
  Simulation simulation(recorded.read_study(recorded.settings_until(6.1)));
  recorded.require_same(simulation);
  ResumedResults results(recorded);
  RecordSchema schema = recorded.reader().schema();
  schema.checkpoints = true;
  results.begin(schema);
  ASSERT_TRUE(recorded.checkpoint());
  results.checkpoint(recorded.checkpoint()->t, recorded.checkpoint()->memory);  // opens the file
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 1.0);
  std::cout << "resuming starts after " << seconds << " s of the processor\n";
}

INSTANTIATE_TEST_SUITE_P(Machines, Resume, ::testing::ValuesIn(machines()), name_of);

}  // namespace
}  // namespace trammel::test_slow_resume
