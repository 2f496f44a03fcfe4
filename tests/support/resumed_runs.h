// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "contract/integrator_cells.h"
#include "places.h"

/// Runs that go on from their checkpoints, beside the run that was never stopped: every number of every row, and what
/// the summary says.
namespace trammel::resumed_runs {

struct Kept {
  double t = 0.0;
  std::size_t frames = 0, steps = 0;  ///< rows before it
  std::vector<std::byte> memory;
};

/// Keeps all checkpoints.
class Record final : public MemoryRecord {
 public:
  void checkpoint(double t, std::span<const std::byte> memory) override {
    checkpoints.push_back({t, times().size(), step_times().size(), {memory.begin(), memory.end()}});
  }
  std::vector<Kept> checkpoints;
};

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// What a run says of itself, but for how long it took, and how many threads.
inline std::map<std::string, std::string> words_of_run(const Summary& summary) {
  std::map<std::string, std::string> words = texts_of(summary.to_attributes());
  words.erase("wall_time"), words.erase("threads");
  return words;
}

/// The first thing in which a run that goes on from a checkpoint differs from the whole one; empty: in nothing.
inline std::string find_difference(const Record& whole, const Summary& summary, const Kept& from, const Record& resumed,
                                   const Summary& of_resumed) {
  const auto compare = [&](const std::vector<double>& all, std::size_t before, const std::vector<double>& rest,
                           const auto& row, const std::vector<RecordGroup>& groups, const char* what) -> std::string {
    if (rest.size() + before != all.size())
      return fmt::format("{} {} behind the checkpoint instead of {}", rest.size(), what, all.size() - before);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (all[before + i] != rest[i]) return fmt::format("{} {} at t = {:.17g} s", what, before + i, all[before + i]);
      std::size_t column = 0;
      for (const RecordGroup& group : groups) {
        const auto width = static_cast<std::size_t>(group.width());
        const auto a = row(whole, before + i).subspan(column, width), b = row(resumed, i).subspan(column, width);
        if (!same_bits(a, b)) return fmt::format("{} of {} {} at t = {:.17g} s", group.path, what, before + i, rest[i]);
        column += width;
      }
    }
    return "";
  };
  const auto frame = [](const Record& record, std::size_t i) { return record.frame_values(static_cast<int>(i)); };
  const auto step = [](const Record& record, std::size_t i) { return record.step_values(static_cast<int>(i)); };
  std::string found =
      compare(whole.step_times(), from.steps, resumed.step_times(), step, whole.schema().solver, "step");
  if (found.empty())
    found = compare(whole.times(), from.frames, resumed.times(), frame, whole.schema().frames, "frame");
  if (!found.empty()) return found;
  const auto expected = words_of_run(summary), words = words_of_run(of_resumed);
  for (const auto& [key, value] : expected)
    if (!words.count(key) || words.at(key) != value)
      return fmt::format("summary, {}: '{}' instead of '{}'", key, words.count(key) ? words.at(key) : "", value);
  return expected.size() == words.size() ? "" : "the summary says more";
}

/// Goes on from n random checkpoints of a run with one behind every few steps, and from the one at its end, which
/// leaves nothing to do but to say the same.
inline void expect_same_bits(Study study, int n, unsigned seed) {
  study.output.checkpoint_steps = 3;
  Record whole;
  const Summary summary = Simulation(study).run(whole);
  const bool ended = !whole.checkpoints.empty() && whole.checkpoints.back().t >= summary.t;
  const std::size_t before_end = whole.checkpoints.size() - ended;
  ASSERT_GT(before_end, 0u) << summary.stop << summary.failure;
  std::mt19937 random(seed);
  for (int i = 0; i < n + ended; ++i) {
    const Kept& from = i < n ? whole.checkpoints[random() % before_end] : whole.checkpoints.back();
    Record resumed;
    const Summary again = Simulation(study).resume(resumed, from.memory);
    const std::string difference = find_difference(whole, summary, from, resumed, again);
    EXPECT_TRUE(difference.empty()) << difference << "; resumed at t = " << from.t << " s, behind step " << from.steps;
    if (!difference.empty()) return;
  }
}

/// With one feature each: tests/matrix/NAME.toml, tests/support/resumed/NAME.toml; "events": the machine of the
/// integrators' contract, which has one, a filter and a kink.
inline std::vector<std::string> machines() {
  return {"contact",      "beams",     "controls", "events",  "friction", "tracks",   "loops",    "massless",
          "nonholonomic", "redundant", "phases",   "sampled", "heap",     "exchange", "singular", "equilibrium"};
}

inline std::filesystem::path file_of(const std::string& name) {
  const std::filesystem::path own = places::source_dir() / "tests/support/resumed" / (name + ".toml");
  return std::filesystem::exists(own) ? own : places::source_dir() / "tests/matrix" / (name + ".toml");
}

/// Those of tests/matrix are shorter than what is asked of them here.
inline std::vector<std::string> settings_of(const std::string& name) {
  return file_of(name).parent_path().filename() == "matrix" ? std::vector<std::string>{"analysis.end=0.3"}
                                                            : std::vector<std::string>{};
}

inline Study read_machine(const std::string& name) {
  if (name == "events") return read_study_text(test_contract_integrators::machine, "machine.toml", {});
  return read_study(file_of(name), settings_of(name));
}

/// Every combination of a machine with integrators and coordinates (and all formulations, if asked for) that is not
/// refused.
struct Case {
  std::string name;
  Study study;
  std::vector<std::string> settings;  ///< the same for `--set`, beside settings_of()
};

inline std::vector<Case> make_cases(const std::string& machine, bool all_forms) {
  std::vector<Case> cases;
  const Study drawn = read_machine(machine);
  if (!drawn.phases.empty()) {  // which name their methods themselves
    cases.push_back({"as it is", drawn, {}});
    return cases;
  }
  const auto add = [&](Study study, std::string name, std::vector<std::string> settings) {
    if (!resolve(study, study.model).issues.empty()) return;
    try {
      Simulation{study};  // some are refused where the machine is made
    } catch (const InputError&) {
      return;
    }
    cases.push_back({std::move(name), std::move(study), std::move(settings)});
  };
  const auto key = [](const char* name, const std::string& word) {
    return fmt::format("solver.{}=\"{}\"", name, word);
  };
  for (const auto& coordinates : words_of<CoordinateSet>()) {
    Study study = drawn;
    study.solver.coordinates = coordinates.value;
    const std::string in_coordinates = key("coordinates", coordinates.name);
    add(study, "auto, " + coordinates.name, {in_coordinates});
    for (const auto& integrator : words_of<Integrator>()) {
      study.solver.integrator = integrator.value;
      const std::string by = key("integrator", integrator.name);
      add(study, integrator.name + ", " + coordinates.name, {in_coordinates, by});
      if (!all_forms) continue;
      for (const auto& formulation : words_of<Formulation>()) {
        Study formed = study;
        formed.solver.formulation = formulation.value;
        add(formed, integrator.name + ", " + formulation.name + ", " + coordinates.name,
            {in_coordinates, by, key("formulation", formulation.name)});
      }
    }
  }
  return cases;
}

}  // namespace trammel::resumed_runs
