// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "places.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

/// Every example and model × every integrator × both coordinate sets with a variable step, rtol = atol = 1e-8, in all
/// recorded frames and all channels against a tight run of another method and another form of the equations.
///
/// An example runs from its start to where generalized-α in absolute coordinates has taken so many steps that their
/// number times that of velocities is `work_of_cut`, within limits, or to its end. Cells that need `most_work` times as
/// many steps are compared as far as they came, and called cut. Chains and nets have fewer links (`settings_of`). Where
/// velocities of the part that is looked at stay below 1e4 tolerances, 1e-4 of a peak is less than the tolerance asks
/// for: nothing is expected there.
///
/// Errors are relative to the peak of a sort of channel over all frames and items: what vanishes by symmetry is known
/// relative to the others, and reactions of a machine that is carried by its springs (a carriage on a straight track)
/// relative to a hundredth part of these. Peaks of reactions and springs are those of the whole analysis, by a run with
/// the file's own method and step: a machine that begins at rest shows in its first instants next to nothing of them.
/// What the error is of the peaks of the part that is looked at is printed beside it. Redundant rows share their forces
/// with the smallest norm, so that reactions are unique.
namespace trammel::test_slow_reactions {
namespace {

namespace fs = std::filesystem;

constexpr double tolerance = 1e-8, reference_tol = 1e-11;
constexpr double reaction_limit = 1e-4, part_of_springs = 1e-2;
constexpr int n_frames = 100;
constexpr long work_of_cut = 30'000, least_steps = 200, most_steps = 1500;
constexpr long most_work = 40, most_work_of_reference = 10;
constexpr long most_steps_of_whole = 200'000;

// ---- channels ------------------------------------------------------------------------------------------------------

/// Sorts of channels; a quantity is compared with the peak of its own sort.
const std::map<std::string, std::string>& sorts() {
  static const std::map<std::string, std::string> known{{"position", "position"},
                                                        {"orientation", "position"},
                                                        {"point", "position"},
                                                        {"displacement", "position"},
                                                        {"angle", "position"},
                                                        {"coordinate", "position"},
                                                        {"velocity", "velocity"},
                                                        {"point_velocity", "velocity"},
                                                        {"displacement_rate", "velocity"},
                                                        {"angular_velocity", "velocity"},
                                                        {"angle_rate", "velocity"},
                                                        {"reaction_force", "reaction"},
                                                        {"reaction_moment", "reaction"},
                                                        {"effort", "reaction"},
                                                        {"state", "state"},
                                                        {"energy", "energy"},
                                                        {"applied_force", "applied"},
                                                        {"applied_moment", "applied"},
                                                        {"applied_effort", "applied"}};
  return known;
}

struct Difference {
  std::string item;
  double t = 0.0, error = 0.0, peak = 0.0;
  double relative() const { return peak > 0.0 ? error / peak : 0.0; }
};

using Differences = std::map<std::string, Difference>;  // by sort

/// Frames next to a change of contact: impacts are left out.
std::vector<bool> find_impacts(const MemoryRecord& record) {
  const std::size_t n = record.times().size();
  std::vector<bool> impact(n, false);
  const TablePlace place = record.schema().find_table("/frames/touching");
  if (!place) return impact;
  for (std::size_t i = 1; i < n; ++i) {
    const auto a = record.frame_values(static_cast<int>(i - 1)).subspan(place.column, place.width);
    const auto b = record.frame_values(static_cast<int>(i)).subspan(place.column, place.width);
    if (!std::equal(a.begin(), a.end(), b.begin())) impact[i - 1] = impact[i] = true;
  }
  return impact;
}

Differences compare(const MemoryRecord& run, const MemoryRecord& reference) {
  Differences found;
  const std::vector<bool> impact = find_impacts(reference);
  for (const RecordGroup& group : reference.schema().frames) {
    const auto sort = sorts().find(group.quantity());
    if (sort == sorts().end() || group.names.empty()) continue;
    const TablePlace a = run.schema().find_table(group.path), b = reference.schema().find_table(group.path);
    EXPECT_EQ(a.width, b.width) << group.path;
    if (a.width != b.width) continue;
    Difference& d = found[sort->second];
    const int n = group.n_components();
    std::size_t j = 0;
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      const double t = run.times()[i], same = 1e-9 * (1.0 + std::abs(t));
      while (j < reference.times().size() && reference.times()[j] < t - same) ++j;
      if (j == reference.times().size() || reference.times()[j] > t + same || impact[j]) continue;
      const auto x = run.frame_values(static_cast<int>(i)).subspan(a.column, a.width);
      const auto y = reference.frame_values(static_cast<int>(j)).subspan(b.column, b.width);
      for (int item = 0; item < group.n_items(); ++item) {
        // Work and drift are records of errors, not of the motion.
        const std::string& name = group.names[static_cast<std::size_t>(item)];
        if (sort->second == "energy" && (name == "drift" || name == "work")) continue;
        double plain = 0.0, turned = 0.0;  // quaternions of both signs are the same rotation
        for (int k = item * n; k < (item + 1) * n; ++k) {
          plain = std::max(plain, std::isfinite(x[k]) ? std::abs(x[k] - y[k]) : 1e300);
          turned = std::max(turned, std::isfinite(x[k]) ? std::abs(x[k] + y[k]) : 1e300);
          d.peak = std::max(d.peak, std::abs(y[k]));
        }
        const double error = group.quantity() == "orientation" ? std::min(plain, turned) : plain;
        if (error > d.error) d.error = error, d.t = t, d.item = name + "." + group.quantity();
      }
    }
  }
  if (found.contains("reaction") && found.contains("applied"))
    found["reaction"].peak = std::max(found["reaction"].peak, part_of_springs * found["applied"].peak);
  return found;
}

/// The largest reaction, or that part of the largest force of a spring.
double find_peak(const MemoryRecord& record) {
  const Differences beside_itself = compare(record, record);
  const auto at = beside_itself.find("reaction");
  return at == beside_itself.end() ? 0.0 : at->second.peak;
}

// ---- runs ----------------------------------------------------------------------------------------------------------

struct Ran {
  Summary summary;
  MemoryRecord record;
  bool cut = false;
};

long calc_steps(const Model& model) {
  const long velocities = 6 * static_cast<long>(model.bodies.size());  // nodes of beams are among them
  return std::clamp(work_of_cut / std::max(velocities, 1L), least_steps, most_steps);
}

/// To `end`, or as many steps as a machine of this size is given, times `work`. The analysis is as long as it is: what
/// methods take from its length stays.
std::optional<Ran> run(const Study& study, double end, long work) {
  try {
    Ran ran;
    Simulation simulation(study);
    const long steps = work * calc_steps(study.model);
    ran.summary = simulation.run(ran.record, [&](const Progress& p) {
      ran.cut = p.t < end && p.steps >= steps;
      return p.t < end && !ran.cut;
    });
    return ran;
  } catch (const InputError&) {
    return std::nullopt;  // this form does not exist for this machine
  }
}

double calc_end(const Study& study) { return study.analysis.start.value_or(default_start) + study.analysis.span(); }

Study study_of(const Study& given, Integrator integrator, CoordinateSet coordinates, double tol, double end) {
  Study study = given;
  const bool redundant = given.solver.redundant.has_value();
  study.solver = {};  // the file's own method and step
  if (redundant) study.solver.redundant = RedundancyPolicy::minimum_norm;
  study.solver.integrator = integrator;
  study.solver.coordinates = coordinates;
  study.solver.rtol = study.solver.atol = tol;
  study.output = {};
  study.output.interval = (end - given.analysis.start.value_or(default_start)) / n_frames;
  drop_foreign(study);
  return study;
}

struct Machine {
  bool moves = false;
  Study study;
  double end = 0.0;
  double peak = 0.0;  ///< of reactions, in the whole analysis
  std::map<Integrator, Ran> references;
  double uncertainty = 0.0;  ///< of reactions: the difference between two references

  const Ran* other_than(Integrator integrator) const {
    for (const auto& [made_by, ran] : references)
      if (made_by != integrator) return &ran;
    return nullptr;
  }
};

/// Radau in absolute, BDF in joint coordinates or either in the other set, if that is refused.
void find_references(Machine& machine) {
  for (const auto& [integrator, first] : {std::pair{Integrator::radau, CoordinateSet::absolute},
                                          {Integrator::runge_kutta, CoordinateSet::joint},
                                          {Integrator::bdf, CoordinateSet::joint}}) {
    if (machine.references.size() == 2) break;
    const CoordinateSet second = first == CoordinateSet::joint ? CoordinateSet::absolute : CoordinateSet::joint;
    for (const CoordinateSet coordinates : {first, second})
      for (const double tol : {reference_tol, 10.0 * reference_tol}) {
        if (machine.references.contains(integrator)) continue;
        std::optional<Ran> ran = run(study_of(machine.study, integrator, coordinates, tol, machine.end), machine.end,
                                     most_work_of_reference);
        if (ran && !ran->cut && ran->summary.failure.empty()) machine.references.emplace(integrator, std::move(*ran));
      }
  }
  if (machine.references.size() == 2) {
    const Differences d =
        compare(machine.references.begin()->second.record, std::next(machine.references.begin())->second.record);
    if (const auto at = d.find("reaction"); at != d.end()) machine.uncertainty = at->second.relative();
  }
}

/// By the file's own method and step, as far as that takes `most_steps_of_whole`.
double find_peak_of_whole(const Study& given) {
  Study study = given;
  if (study.solver.redundant) study.solver.redundant = RedundancyPolicy::minimum_norm;
  study.output = {};
  study.output.interval = study.analysis.span() / (10.0 * n_frames);
  MemoryRecord record;
  Simulation(study).run(record, [](const Progress& p) { return p.steps < most_steps_of_whole; });
  return find_peak(record);
}

/// Less of the same for machines whose size is a parameter.
std::vector<std::string> settings_of(const std::string& file) {
  if (file == "models/chain.toml" || file == "models/bushing_chain.toml") return {"parameters.N=10"};
  if (file == "models/net.toml") return {"parameters.M=4"};
  return {};
}

const Machine& machine_of(const std::string& file) {
  static std::map<std::string, Machine> known;
  if (const auto at = known.find(file); at != known.end()) return at->second;
  known.clear();
  Machine& machine = known[file];
  try {
    machine.study = read_study(places::source_dir() / "examples" / file, settings_of(file));
  } catch (const InputError&) {
    return machine;  // a part of other models
  }
  if (machine.study.analysis.kind.value_or(AnalysisKind::dynamics) != AnalysisKind::dynamics) return machine;
  machine.moves = true;
  machine.end = calc_end(machine.study);
  const std::optional<Ran> first =
      run(study_of(machine.study, Integrator::generalized_alpha, CoordinateSet::absolute, tolerance, machine.end),
          machine.end, 1);
  if (first && first->cut) machine.end = first->summary.t;
  find_references(machine);
  machine.peak = find_peak_of_whole(machine.study);
  std::cout << fmt::format("\n{} to {:.4g} s of {:.4g} s; references:", file, machine.end, calc_end(machine.study));
  for (const auto& [integrator, ran] : machine.references) std::cout << " " << word_of(integrator);
  std::cout << fmt::format(", whose reactions differ by {:.1e}\n", machine.uncertainty);
  std::cout << fmt::format("{:<18} {:<8} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "integrator", "set", "steps",
                           "position", "velocity", "reaction", "state", "energy", "of part");
  std::cout.flush();
  return machine;
}

std::vector<std::string> find_examples() {
  std::vector<std::string> found;
  const fs::path root = places::source_dir() / "examples";
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".toml" && entry.path().parent_path().filename() != "parts")
      found.push_back(fs::relative(entry.path(), root).string());
  std::sort(found.begin(), found.end());
  return found;
}

using Cell = std::tuple<std::string, WordOf<Integrator>>;

class ReactionsOfExamples : public ::testing::TestWithParam<Cell> {};

TEST_P(ReactionsOfExamples, agree_between_all_methods) {
  const auto& [file, integrator] = GetParam();
  const Machine& machine = machine_of(file);
  if (!machine.moves) return;  // statics
  const Ran* reference = machine.other_than(integrator.value);
  for (const WordOf<CoordinateSet>& coordinates : words_of<CoordinateSet>()) {
    const std::optional<Ran> ran = run(
        study_of(machine.study, integrator.value, coordinates.value, tolerance, machine.end), machine.end, most_work);
    std::string line = fmt::format("{:<18} {:<8}", integrator.name, coordinates.name);
    if (!ran) {
      std::cout << line << " refused\n";
      continue;
    }
    line += fmt::format(" {:>7}", ran->summary.steps);
    if (reference == nullptr) {
      std::cout << line << " no reference\n";
      continue;
    }
    Differences d = compare(ran->record, reference->record);
    const double of_part = d["reaction"].relative();
    d["reaction"].peak = std::max(d["reaction"].peak, machine.peak);
    for (const char* sort : {"position", "velocity", "reaction", "state", "energy"})
      line += d.contains(sort) ? fmt::format(" {:>9.1e}", d[sort].relative()) : fmt::format(" {:>9}", "-");
    line += fmt::format(" {:>9.1e}", of_part);
    if (ran->cut) line += fmt::format(" cut at {:.3g} s", ran->summary.t);
    if (!ran->summary.failure.empty()) line += " FAILED: " + ran->summary.stop;
    const Difference& worst = d["reaction"];
    const bool moves = d["velocity"].peak > tolerance / reaction_limit;
    if (!moves) line += fmt::format(" (velocities below {:.1e})", d["velocity"].peak);
    if (moves && worst.relative() > reaction_limit) line += fmt::format(" MISS {} at {:.4g} s", worst.item, worst.t);
    std::cout << line << std::endl;
    EXPECT_EQ(ran->summary.failure, "");
    EXPECT_TRUE(!moves || worst.relative() < std::max(reaction_limit, 2.0 * machine.uncertainty)) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReactionsOfExamples,
                         ::testing::Combine(::testing::ValuesIn(find_examples()),
                                            ::testing::ValuesIn(words_of<Integrator>())),
                         [](const auto& cell) {
                           std::string name = std::get<0>(cell.param) + "_" + std::string(std::get<1>(cell.param).name);
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace trammel::test_slow_reactions
