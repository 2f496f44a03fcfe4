// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trammel/simulation/dynamics.h"
#include "trammel/simulation/phases.h"

namespace trammel {

/// A run in phases: one machine, moved by one method after the other, into one record.
///
/// Each phase has a Rig of its own, with the settings that hold in it, and is a run of Dynamics from where the one
/// before ended. Coordinates and left-out rows are those of the first, so that variables and State go over as they are.
/// Energies and work are counted from the start of the run; doubts about numbers (Alarm) are judged in each phase by
/// the settings of that phase.
class PhasedRun {
 public:
  /// Makes the rigs of all phases behind the first one. Throws InputError for everything that is wrong with them.
  PhasedRun(const CheckedStudy& given, const Customize& customize, Rig& first);

  /// The settings that take effect in all phases: each phase has its own whole.
  const Settings& settings() const { return settings_; }
  /// What is recorded of steps: everything that is recorded in some phase, NaN elsewhere.
  const std::vector<RecordGroup>& step_groups() const { return groups_; }
  const std::vector<std::unique_ptr<Rig>>& later_rigs() const { return later_; }

  /// `memory`: of a run that goes on (its phase, what the phases before it said, and Dynamics' own); empty: none.
  Summary run(RecordSink& sink, const ProgressCallback& progress, std::vector<KinkWatch::Change>& contact_changes,
              std::span<const std::byte> memory);

 private:
  class Steps;
  struct Before;
  Rig& rig(std::size_t phase) { return phase == 0 ? first_ : *later_[phase - 1]; }
  RunPart part_of(std::size_t phase) const;
  void join_groups();
  bool begin_phase(std::size_t phase, const RunPartEnd& end, Summary& so_far);
  void note_unreached(std::size_t phase, const std::string& why, Summary& summary) const;

  Rig& first_;
  std::vector<std::unique_ptr<Rig>> later_;
  std::vector<Phase> phases_;
  Settings settings_;
  std::vector<RecordGroup> groups_;
  std::vector<std::vector<int>> columns_;  // of each phase's numbers of a step among all of them
};

/// The settings of the first phase, with which a machine is made ready; those given, if there are no phases.
CheckedStudy study_of_first_phase(CheckedStudy given);

}  // namespace trammel
