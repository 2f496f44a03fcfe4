// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trammel/base/status.h"
#include "trammel/linalg/linear_solver.h"
#include "trammel/simulation/record.h"

namespace trammel {

class Memory;

/// What makes the numbers of a run doubtful, by its own checks.
struct Alarm {
  std::string name;     ///< of the check: "energy from nothing"
  double t = 0.0;       ///< when it was seen first [s]
  std::string element;  ///< where, by the user's names; empty: nowhere in particular
  double value = 0.0, limit = 0.0;
  std::string text;  ///< value and limit with their units, what it means and what to do

  std::string to_text() const;
  void remember(Memory& memory);
};

/// How a run ended and what it cost.
struct Summary {
  bool completed = false;
  std::string stop;     ///< why it stopped, one line
  std::string failure;  ///< the whole failure report; empty when completed
  std::string integrator, formulation, linear_solver;
  std::string dense_kernel;  ///< the products of its large dense blocks; empty: it has none
  /// Of its factors, from the pattern alone; 0: not predicted.
  double predicted_numbers = 0.0, predicted_operations = 0.0;
  std::string choice;  ///< why this method, where the program chose it
  std::string frames;  ///< when frames were recorded
  double t = 0.0;      ///< where it stopped [s]; statics: the part of the load
  bool statics = false;
  long steps = 0, rejected_error = 0, rejected_newton = 0, iterations = 0, linearizations = 0, factorizations = 0;
  long rejected_contact = 0;  ///< steps taken again: contact began or ended within them, or a force had a kink
  std::array<long, n_causes> rejections{};            ///< steps with rejected attempts, by the Cause of the last
  std::map<std::string, long, std::less<>> remedies;  ///< restarts, lower orders …: how often
  /// Of bdf: residuals in all and without those of difference Jacobians, matrices made of derivatives at hand,
  /// estimated patterns enlarged, groups of columns; `linearizations` are the Jacobians.
  long function_calls = 0, corrector_calls = 0, updates = 0, pattern_updates = 0;
  int groups = 0;
  /// Matrices that did not suit the linear solver that was named and were factored with row exchanges.
  long handed_over = 0;
  double h_min = 0.0, h_max = 0.0;
  double wall_time = 0.0;                                     ///< [s]
  int threads = 1;                                            ///< that were at work
  double energy_start = 0.0, energy_drift = 0.0, work = 0.0;  ///< [J]; drift: largest
  double method_energy = 0.0;  ///< [J] what the method itself added (> 0) or dissipated (< 0): the drift at the end
  double position_drift = 0.0, velocity_drift = 0.0;  ///< largest |Φ|, |Φ̇| at accepted steps
  double scaling_m = 0.0, scaling_d = 0.0, scaling_k = 0.0, scaling_s = 0.0;
  double scaling_rho = 0.0;                                 ///< weight of the augmented term; 0: none
  double condition = 0.0, condition_max = 0.0;              ///< of the last step, largest; 0: not recorded
  double split_condition = 0.0, split_condition_max = 0.0;  ///< ‖(GY)⁻¹GX‖ of the last step, largest; 0: no split
  long split_choices = 0, split_changes = 0;                ///< of the independent coordinates
  int nv = 0, nc = 0, nz = 0, degrees_of_freedom = 0;
  std::vector<std::string> phases;  ///< of a run in phases: what each was and cost
  /// "t = 0.25 s: radau": where a run that chose its method went over to another one.
  std::vector<std::string> method_changes;
  std::vector<std::string> events;  ///< name, time and direction of each
  std::vector<std::string> notes;   ///< corrected initial values, dropped rows, …
  std::vector<Alarm> alarms;        ///< what makes its numbers doubtful

  /// Name, prediction and products of the solver that steps used.
  void describe_solver(const LinearSolver<double>& solver);
  std::string to_text() const;
  SummaryEntries to_attributes() const;  ///< for records
  void remember(Memory& memory);
};

/// What a text of a results file says of a run, with the type that it has in Summary::to_attributes: names that are
/// not known there, and texts that are not of that type, stay texts.
SummaryValue typed_entry(const std::string& name, const std::string& text);

}  // namespace trammel
