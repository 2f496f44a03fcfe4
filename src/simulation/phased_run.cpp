// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/phased_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "trammel/dae/memory_of_motion.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/stretches.h"

namespace trammel {

namespace {

int find_event(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.events.size(); ++i)
    if (model.events[i].name == name) return static_cast<int>(i);
  return -1;
}

void add_new(std::vector<std::string>& notes, const std::vector<std::string>& more, const std::string& before) {
  for (const std::string& note : more)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(before + note);
}

// "hht, then radau"
void add_word(std::string& words, const std::string& word) {
  if (words.empty())
    words = word;
  else if (!words.ends_with(word))
    words += ", then " + word;
}

}  // namespace

// What the phases of a run say together: counts add up, extremes are those of all, the end is that of the last.
class SumOfPhases {
 public:
  void add(const Phase& phase, double from, Summary part) {
    const bool first = sum_.phases.empty();
    sum_.phases.push_back(
        fmt::format("'{}', t = {:.6g} … {:.6g} s: {} on {}, {} steps (h = {:.3g} … {:.3g} s), {} "
                    "iterations",
                    phase.name, from, part.t, part.integrator, part.formulation, part.steps, part.h_min, part.h_max,
                    part.iterations));
    if (first) {
      std::vector<std::string> phases = std::move(sum_.phases);
      sum_ = std::move(part);
      sum_.phases = std::move(phases);
      return;
    }
    add_counts(part);
    add_extremes(part);
    add_words(phase, part);
  }

  Summary& summary() { return sum_; }
  void remember(Memory& memory) { memory.keep(sum_); }

 private:
  void add_counts(const Summary& part) {
    for (long Summary::*count :
         {&Summary::steps, &Summary::rejected_error, &Summary::rejected_newton, &Summary::iterations,
          &Summary::linearizations, &Summary::factorizations, &Summary::rejected_contact, &Summary::function_calls,
          &Summary::corrector_calls, &Summary::updates, &Summary::pattern_updates, &Summary::split_choices,
          &Summary::split_changes, &Summary::handed_over})
      sum_.*count += part.*count;
    for (std::size_t i = 0; i < sum_.rejections.size(); ++i) sum_.rejections[i] += part.rejections[i];
    for (const auto& [name, count] : part.remedies) sum_.remedies[name] += count;
  }

  void add_extremes(const Summary& part) {
    const bool moved = part.steps > 0;
    sum_.h_min = moved ? std::min(sum_.h_min, part.h_min) : sum_.h_min;
    for (double Summary::*largest : {&Summary::h_max, &Summary::energy_drift, &Summary::position_drift,
                                     &Summary::velocity_drift, &Summary::condition_max, &Summary::split_condition_max,
                                     &Summary::predicted_numbers, &Summary::predicted_operations})
      sum_.*largest = std::max(sum_.*largest, part.*largest);
    for (double Summary::*last : {&Summary::t, &Summary::work, &Summary::method_energy, &Summary::scaling_m,
                                  &Summary::scaling_d, &Summary::scaling_k, &Summary::scaling_s, &Summary::scaling_rho,
                                  &Summary::condition, &Summary::split_condition})
      sum_.*last = part.*last;
    sum_.groups = std::max(sum_.groups, part.groups);
  }

  void add_words(const Phase& phase, const Summary& part) {
    sum_.completed = part.completed;
    sum_.stop = part.stop;
    sum_.failure = part.failure;
    add_word(sum_.integrator, part.integrator);
    add_word(sum_.formulation, part.formulation);
    add_word(sum_.linear_solver, part.linear_solver);
    if (!part.choice.empty()) add_word(sum_.choice, part.choice);
    if (sum_.dense_kernel.empty()) sum_.dense_kernel = part.dense_kernel;
    sum_.events.insert(sum_.events.end(), part.events.begin(), part.events.end());
    sum_.method_changes.insert(sum_.method_changes.end(), part.method_changes.begin(), part.method_changes.end());
    sum_.alarms.insert(sum_.alarms.end(), part.alarms.begin(), part.alarms.end());
    add_new(sum_.notes, part.notes, fmt::format("phase '{}': ", phase.name));
  }

  Summary sum_;
};

namespace {

CheckedStudy with_settings(const CheckedStudy& given, Settings settings) {
  CheckedStudy study = given;
  study.settings() = std::move(settings);
  return study;
}

}  // namespace

// What a phase begins with: the phases before it.
struct PhasedRun::Before {
  std::size_t phase = 0;
  SumOfPhases sum;
  std::optional<RunPartEnd> end;
  std::vector<KinkWatch::Change> changes;

  void remember(Memory& memory) {
    memory.section("PhasedRun");
    bool has_end = end.has_value();
    memory.keep(phase, sum, changes, has_end);
    if (memory.gives()) has_end ? static_cast<void>(end.emplace()) : end.reset();
    if (has_end) memory.keep(end->x, end->state, end->ledger);
  }
};

// Puts the numbers of one phase's steps into rows of all phases' numbers, and what went before into checkpoints.
class PhasedRun::Steps final : public RecordSink {
 public:
  Steps(RecordSink& sink, std::size_t width, Before& before) : sink_(sink), before_(before), row_(width) {}
  void enter(const std::vector<int>& columns) {
    columns_ = &columns;
    std::fill(row_.begin(), row_.end(), std::numeric_limits<double>::quiet_NaN());
  }
  void begin(const RecordSchema& schema) override { sink_.begin(schema); }
  void frame(double t, std::span<const double> values) override { sink_.frame(t, values); }
  void step(double t, std::span<const double> values) override {
    for (std::size_t i = 0; i < values.size(); ++i) row_[static_cast<std::size_t>((*columns_)[i])] = values[i];
    sink_.step(t, row_);
  }
  void checkpoint(double t, std::span<const std::byte> memory) override {
    Memory whole;
    std::vector<std::byte> of_phase(memory.begin(), memory.end());
    whole.keep(before_, of_phase);
    sink_.checkpoint(t, whole.bytes());
  }
  void end(const SummaryEntries& summary) override { sink_.end(summary); }

 private:
  RecordSink& sink_;
  Before& before_;
  const std::vector<int>* columns_ = nullptr;
  std::vector<double> row_;
};

CheckedStudy study_of_first_phase(CheckedStudy given) {
  if (!has_phases(given.settings())) return given;
  if (std::vector<Issue> issues = find_phase_issues(given.settings(), given.model()); !issues.empty())
    throw InputError(std::move(issues));
  given.settings() = settings_of_phase(given.settings(), list_phases(given.settings()).front());
  return given;
}

PhasedRun::PhasedRun(const CheckedStudy& given, const Customize& customize, Rig& first)
    : first_(first), phases_(list_phases(given.settings())) {
  const Settings& begun = first.machine.study();
  settings_ = begun;
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    if (i > 0) {
      Settings own = settings_of_phase(given.settings(), phases_[i]);
      own.solver.coordinates = begun.solver.coordinates;
      later_.push_back(std::make_unique<Rig>(with_settings(given, std::move(own)), customize, static_cast<int>(i) + 1));
    }
    settings_.phases.push_back(phases_[i]);
    settings_.phases.back().solver = rig(i).machine.study().solver;
    settings_.phases.back().extensions = rig(i).machine.study().extensions;
  }
  join_groups();
}

// Tables by their paths, items by their names.
void PhasedRun::join_groups() {
  for (std::size_t i = 0; i < phases_.size(); ++i)
    for (const RecordGroup& group : rig(i).steps.groups()) {
      const auto known =
          std::find_if(groups_.begin(), groups_.end(), [&](const RecordGroup& g) { return g.path == group.path; });
      if (known == groups_.end()) {
        groups_.push_back(group);
        continue;
      }
      for (const std::string& name : group.names)
        if (std::find(known->names.begin(), known->names.end(), name) == known->names.end())
          known->names.push_back(name);
    }
  const auto find_column = [&](const RecordGroup& group, const std::string& name) {
    int column = 0;
    for (const RecordGroup& known : groups_) {
      if (known.path == group.path)
        return column +
               known.n_components() *
                   static_cast<int>(std::find(known.names.begin(), known.names.end(), name) - known.names.begin());
      column += known.width();
    }
    return column;
  };
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    columns_.emplace_back();
    for (const RecordGroup& group : rig(i).steps.groups())
      for (const std::string& name : group.names)
        for (int c = 0; c < group.n_components(); ++c) columns_.back().push_back(find_column(group, name) + c);
  }
}

RunPart PhasedRun::part_of(std::size_t phase) const {
  RunPart part;
  part.start = *settings_.analysis.start;
  part.end = phases_[phase].until;
  part.until = phases_[phase].event.empty() ? -1 : find_event(first_.machine.model(), phases_[phase].event);
  part.goes_on = phase + 1 < phases_.size();
  return part;
}

void PhasedRun::note_unreached(std::size_t phase, const std::string& why, Summary& summary) const {
  Alarm alarm{.name = "phase never reached",
              .t = summary.t,
              .element = {},
              .value = summary.t,
              .limit = *settings_.analysis.end,
              .text = {}};
  alarm.element = fmt::format("phase '{}'", phases_[phase].name);
  alarm.text = why + "; its settings took no effect";
  summary.alarms.push_back(std::move(alarm));
  if (settings_.output.alarms != AlarmPolicy::error || !summary.failure.empty()) return;
  summary.failure = summary.alarms.back().to_text();
  summary.stop += "; failed by an alarm: " + summary.alarms.back().name;
  summary.completed = false;
}

// False: no motion begins where the phase before it ended.
bool PhasedRun::begin_phase(std::size_t phase, const RunPartEnd& end, Summary& so_far) {
  Rig& own = rig(phase);
  const Status status = own.motion.go_on_at(end.x, end.state, own.machine, own.viewer);
  if (status.ok()) return true;
  so_far.completed = false;
  so_far.stop = fmt::format("failed at t = {:.6g} s: {}", end.x.t, describe(status.cause));
  so_far.failure = fmt::format("No motion begins at t = {:.6g} s with the settings of phase '{}': {}.", end.x.t,
                               phases_[phase].name, describe(status.cause));
  return false;
}

Summary PhasedRun::run(RecordSink& sink, const ProgressCallback& progress,
                       std::vector<KinkWatch::Change>& contact_changes, std::span<const std::byte> memory) {
  int width = 0;
  for (const RecordGroup& group : groups_) width += group.width();
  Before before;
  std::vector<std::byte> of_phase;
  if (!memory.empty()) {
    Memory given(memory);
    given.keep(before, of_phase);
    given.finish();
  }
  Steps rows(sink, static_cast<std::size_t>(width), before);
  Summary& so_far = before.sum.summary();
  const double start = *settings_.analysis.start, last = *settings_.analysis.end;
  for (std::size_t& i = before.phase; i < phases_.size(); ++i) {
    RunPart part = part_of(i);
    if (before.end && part.end && *part.end <= before.end->x.t) {
      note_unreached(i, fmt::format("its end, t = {:.6g} s, had passed when the phase before it ended", *part.end),
                     so_far);
      continue;
    }
    if (before.end) {
      part.before = before.end->ledger;
      if (!begin_phase(i, *before.end, so_far)) break;
    }
    rows.enter(columns_[i]);
    const double from = rig(i).motion.x.t;
    const ProgressCallback all = [&, steps = so_far.steps](Progress at) {
      at.start = start, at.end = last, at.steps += steps;
      return progress(at);
    };
    std::vector<KinkWatch::Change> changes;
    const auto begin = [&] {
      if (before.end) static_cast<void>(begin_phase(i, *before.end, so_far));  // it did before
    };
    RunEnd end = run_by_stretches(rig(i), rows, progress ? all : progress, changes, part, of_phase, begin);
    before.sum.add(phases_[i], from, std::move(end.summary));
    of_phase.clear();
    before.changes.insert(before.changes.end(), changes.begin(), changes.end());
    if (!end.next || !so_far.failure.empty()) {
      if (so_far.completed && so_far.t >= last && part.goes_on)
        note_unreached(
            i + 1,
            fmt::format("the event '{}', which ends phase '{}', did not happen", phases_[i].event, phases_[i].name),
            so_far);
      break;
    }
    before.end = std::move(end.next);
  }
  contact_changes = std::move(before.changes);
  return std::move(so_far);
}

}  // namespace trammel
