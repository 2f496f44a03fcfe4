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

/// What a run says of itself, but for how long it took.
inline std::map<std::string, std::string> words_of_run(const Summary& summary) {
  std::map<std::string, std::string> words = texts_of(summary.to_attributes());
  words.erase("wall_time");
  return words;
}

/// Within this part of their largest numbers tables of runs agree that differ in rounding alone.
inline bool nearly_same(std::span<const double> a, std::span<const double> b, double part) {
  double most = 1.0;
  for (const double x : a)
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isfinite(a[i]) != std::isfinite(b[i]) || std::abs(a[i] - b[i]) > part * most) return false;
  return true;
}

/// The first thing in which a run that goes on from a checkpoint differs from the whole one; empty: in nothing.
/// `rounding`: what numbers may differ by, as a part of the largest beside them; 0: in no bit.
inline std::string find_difference(const Record& whole, const Summary& summary, const Kept& from, const Record& resumed,
                                   const Summary& of_resumed, double rounding) {
  const auto compare = [&](const std::vector<double>& all, std::size_t before, const std::vector<double>& rest,
                           const auto& row, const std::vector<RecordGroup>& groups, const char* what) -> std::string {
    if (rest.size() + before != all.size())
      return fmt::format("{} {} behind the checkpoint instead of {}", rest.size(), what, all.size() - before);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (std::abs(all[before + i] - rest[i]) > rounding)
        return fmt::format("{} {} at t = {:.17g} s", what, before + i, all[before + i]);
      std::size_t column = 0;
      for (const RecordGroup& group : groups) {
        const auto width = static_cast<std::size_t>(group.width());
        const auto a = row(whole, before + i).subspan(column, width), b = row(resumed, i).subspan(column, width);
        if (!same_bits(a, b) && !(rounding > 0.0 && nearly_same(a, b, rounding)))
          return fmt::format("{} of {} {} at t = {:.17g} s", group.path, what, before + i, rest[i]);
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
  if (!found.empty() || rounding > 0.0) return found;
  const auto expected = words_of_run(summary), words = words_of_run(of_resumed);
  for (const auto& [key, value] : expected)
    if (!words.count(key) || words.at(key) != value)
      return fmt::format("summary, {}: '{}' instead of '{}'", key, words.count(key) ? words.at(key) : "", value);
  return expected.size() == words.size() ? "" : "the summary says more";
}

/// Goes on from n random checkpoints of a run with one behind every few steps.
inline void expect_same_bits(Study study, int n, unsigned seed, double rounding = 0.0) {
  study.output.checkpoint_steps = 3;
  Record whole;
  const Summary summary = Simulation(study).run(whole);
  // From the end nothing goes on.
  if (!whole.checkpoints.empty() && whole.checkpoints.back().t >= summary.t) whole.checkpoints.pop_back();
  ASSERT_FALSE(whole.checkpoints.empty()) << summary.stop << summary.failure;
  std::mt19937 random(seed);
  for (int i = 0; i < n; ++i) {
    const Kept& from = whole.checkpoints[random() % whole.checkpoints.size()];
    Record resumed;
    const Summary again = Simulation(study).resume(resumed, from.memory);
    const std::string difference = find_difference(whole, summary, from, resumed, again, rounding);
    EXPECT_TRUE(difference.empty()) << difference << "; resumed at t = " << from.t << " s, behind step " << from.steps;
    if (!difference.empty()) return;
  }
}

/// tests/matrix/NAME.toml; "events": the machine of the integrators' contract, which has one, a filter and a kink.
inline std::vector<std::string> machines() {
  return {"contact", "beams", "controls", "events",       "friction",
          "tracks",  "loops", "massless", "nonholonomic", "redundant"};
}

inline Study read_machine(const std::string& name) {
  if (name == "events") return read_study_text(test_contract_integrators::machine, "machine.toml", {});
  return read_study(places::source_dir() / "tests/matrix" / (name + ".toml"),
                    std::vector<std::string>{"analysis.end=0.3"});
}

/// Every combination of a machine with integrators and coordinates (and all formulations, if asked for) that is not
/// refused.
struct Case {
  std::string name;
  Study study;
};

inline std::vector<Case> make_cases(const std::string& machine, bool all_forms) {
  std::vector<Case> cases;
  const Study drawn = read_machine(machine);
  const auto add = [&](Study study, std::string name) {
    if (!resolve(study, study.model).issues.empty()) return;
    try {
      Simulation{study};  // some are refused where the machine is made
    } catch (const InputError&) {
      return;
    }
    cases.push_back({std::move(name), std::move(study)});
  };
  for (const auto& coordinates : words_of<CoordinateSet>()) {
    Study study = drawn;
    study.solver.coordinates = coordinates.value;
    add(study, "auto, " + coordinates.name);
    for (const auto& integrator : words_of<Integrator>()) {
      study.solver.integrator = integrator.value;
      add(study, integrator.name + ", " + coordinates.name);
      if (!all_forms) continue;
      for (const auto& formulation : words_of<Formulation>()) {
        Study formed = study;
        formed.solver.formulation = formulation.value;
        add(formed, integrator.name + ", " + formulation.name + ", " + coordinates.name);
      }
    }
  }
  return cases;
}

}  // namespace trammel::resumed_runs
