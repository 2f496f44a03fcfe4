#pragma once

#include <vector>

#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/simulation/record.h"

namespace trammel {

/// Energies and drift at an instant, kept by the simulation.
struct Ledger {
  double kinetic = 0.0, potential = 0.0;
  double work = 0.0;      ///< done on the machine since the start by everything that is not a potential
  double start = 0.0;     ///< kinetic + potential at the start
  double position = 0.0;  ///< largest |Φ| at the last accepted step [m, rad]
  double velocity = 0.0;  ///< largest |Φ̇| there [m/s, rad/s]
  double load = 0.0;      ///< statics: the part that is there
  double drift() const { return kinetic + potential - start - work; }
};

/// Turns a point of the motion into the numbers that a results file holds: motions of bodies, joint coordinates,
/// reactions, applied forces, drives, states, measures, energies, under the names of the model.
class Recorder {
 public:
  /// `statics`: the part of the load is a channel as well.
  Recorder(const Model& model, const Assembly& assembly, bool statics = false);

  std::vector<RecordGroup> groups() const { return groups_; }
  /// `lam` of the point holds all rows. The returned numbers are valid until the next call.
  std::span<const double> update_frame(const MotionPoint& p, const State& state, const Ledger& ledger);
  /// g_i = measure − level of each event.
  void calc_events(const MotionPoint& p, const State& state, Vec g);

 private:
  double* put_contacts(KinematicState k, const State& state, double* next) const;

  const Model& model_;
  const Assembly& assembly_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<std::size_t> event_measure_;  // the measure of each event
  std::vector<RecordGroup> groups_;
  std::vector<double> values_;
  bool statics_ = false;
  std::ptrdiff_t n_forces_ = 0;           // that act at points
  std::vector<Wrench<double>> wrenches_;  // of frames, zero between uses
};

}  // namespace trammel
