// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "mutate.h"
#include "places.h"
#include "scratch.h"
#include "targets.h"

// Bytes of others, in the ordinary build: the seeds, what once broke something, and as many mutations as some seconds
// allow. The same functions run under libFuzzer and sanitizers with `./dev fuzz` (docs/robustness.md).

namespace trammel::fuzz {

std::ostream& operator<<(std::ostream& out, const Target& target) { return out << target.name; }

namespace {

std::vector<std::filesystem::path> kept_inputs(const std::string& target) {
  const std::filesystem::path folder = places::source_dir() / "tests/fuzz/corpus" / target;
  std::vector<std::filesystem::path> files;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string shown(const std::string& bytes) { return bytes.size() < 3000 ? bytes : bytes.substr(0, 3000) + " …"; }

class Fuzz : public ::testing::TestWithParam<Target> {};

TEST_P(Fuzz, seeds_and_kept_inputs_break_no_claim) {
  const Target& target = GetParam();
  const std::vector<std::string> seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) {
    EXPECT_LE(seed.size(), target.longest);
    EXPECT_EQ(target.run(seed), "") << shown(seed);
  }
  for (const std::filesystem::path& file : kept_inputs(target.name))
    EXPECT_EQ(target.run(read_bytes(file)), "") << file;
}

// A fixed number of inputs from a fixed seed; every tenth goes on from the one before.
TEST_P(Fuzz, mutated_inputs_break_no_claim) {
  const Target& target = GetParam();
  const std::vector<std::string> seeds = target.seeds();
  Random random(20261117);
  std::string input;
  for (int i = 0; i < target.test_inputs; ++i) {
    input = target.mutate(random.one_in(10) && i > 0 ? input : random.pick(seeds), random);
    if (input.size() > target.longest) input.resize(target.longest);
    ASSERT_EQ(target.run(input), "") << "input " << i << ":\n" << shown(input);
  }
}

// Else the target above would be a second reader of texts.
TEST(Motion, is_what_many_mutated_models_come_to) {
  const Target& motion = *find_target("motion");
  Random random(1);
  const MotionCount before = count_motions();
  for (int i = 0; i < 100; ++i) {
    const std::string input = motion.mutate(random.pick(motion.seeds()), random);
    EXPECT_EQ(motion.run(input), "") << shown(input);
  }
  EXPECT_EQ(count_motions().all - before.all, 100);
  EXPECT_GE(count_motions().moved - before.moved, 15);
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, ::testing::ValuesIn(targets()),
                         [](const ::testing::TestParamInfo<Target>& about) { return about.param.name; });

}  // namespace
}  // namespace trammel::fuzz
