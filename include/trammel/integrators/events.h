// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "trammel/dae/types.h"

namespace trammel {

class Memory;

enum class Crossing : std::uint8_t { rising, falling, both };

/// A zero of an event function on the dense output of a step.
struct EventHit {
  int id = -1;
  double t = 0.0;
  bool rising = false;
};

/// Finds the zeros of event functions within a step, in order of time.
///
/// The step is sampled at `n_samples` equal parts; a change of sign brackets a zero, and where |g| has a minimum
/// between samples of one sign the minimum is sought, so that two crossings within one part are found as well (a
/// grazing event). A function that is zero at the end of a step is reported there and not again when it leaves; one
/// that starts at zero is not reported; one that touches zero without crossing is reported only if an evaluation meets
/// zero exactly.
class EventFinder {
 public:
  using Values = std::function<void(double t, Vec g)>;
  static constexpr int n_samples = 4;

  /// One function for each.
  void configure(std::vector<Crossing> wanted);
  int n() const { return static_cast<int>(wanted_.size()); }
  /// The values at a start: zeros there are no events.
  void start(double t, const Values& values);
  /// All hits in (t0, t1], t0 being where start or the last call ended. The list is reused by the next call.
  const std::vector<EventHit>& find(double t1, const Values& values);
  void remember(Memory& memory);

 private:
  void search(int id, double ta, double ga, double tb, double gb, const Values& values);
  double minimum(int id, double ta, double tb, double sign, const Values& values, double& g_at);
  double value(int id, double t, const Values& values);
  void report(int id, double t, bool rising);

  std::vector<Crossing> wanted_;
  double t_ = 0.0;
  std::vector<int> side_;  // sign of each function at t_ (or before, if it is zero there)
  Eigen::MatrixXd samples_;
  Eigen::VectorXd scratch_;
  std::vector<EventHit> hits_;
};

}  // namespace trammel
