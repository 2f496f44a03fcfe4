// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/run_watch.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "trammel/math/rotations.h"
#include "trammel/mechanics/elements/force_group.h"

namespace trammel {

namespace {

constexpr double noticeable_jump = 1e-6;  // of the moment that half a turn makes

}  // namespace

RunWatch::RunWatch(const Model& model, const Assembly& assembly, const std::vector<RecordGroup>& groups) {
  int column = 0;
  for (const RecordGroup& group : groups) {
    const int n = group.n_components();
    if (group.quantity() == "measure" || group.quantity() == "point")
      for (std::size_t i = 0; i < group.names.size(); ++i)
        for (int c = 0; c < n; ++c)
          measures_.push_back({n > 1 ? fmt::format("{}.{}", group.names[i], group.components[c]) : group.names[i],
                               column + static_cast<int>(i) * n + c});
    column += static_cast<int>(group.names.size()) * n;
  }
  for (std::size_t i = 0; i < assembly.forces.size(); ++i) {
    const auto* group = dynamic_cast<const ForceGroup<Bushing>*>(assembly.forces[i].group.get());
    if (group == nullptr || group->size() != 1) continue;
    const auto& element = group->element(0);
    if (element.params.K.rightCols<3>().isZero()) continue;  // no angle matters
    bushings_.push_back({model.forces[i].name, {element.frame[0], element.frame[1]}, element.params});
  }
}

void RunWatch::note_frame(double t, std::span<const double> values) {
  for (Measure& measure : measures_)
    if (!std::isfinite(values[measure.column]) && measure.frames++ == 0) measure.first = t;
}

void RunWatch::note_step(const KinematicState& k, double t) {
  for (Watched& b : bushings_) {
    if (b.passed) continue;
    const Eigen::Matrix3d R =
        (k.frames[b.frame[0]].R * b.params.Q_a).transpose() * (k.frames[b.frame[1]].R * b.params.Q_b);
    b.phi = log_near<double>(R, b.phi);
    if (b.phi.norm() < std::numbers::pi) continue;
    const Eigen::Vector3d shortest = b.phi * (1.0 - 2.0 * std::numbers::pi / b.phi.norm());
    const auto columns = b.params.K.rightCols<3>();
    b.jump = (columns * (b.phi - shortest)).lpNorm<Eigen::Infinity>();
    b.passed = b.jump > noticeable_jump * std::numbers::pi * columns.lpNorm<Eigen::Infinity>();
    b.t = t;
  }
}

void RunWatch::sum_up(std::vector<std::string>& notes) const {
  for (const Measure& measure : measures_)
    if (measure.frames > 0)
      notes.push_back(fmt::format(
          "measure '{}' is no finite number in {} frames, first at t = {:.6g} s: a formula that is not defined there, "
          "or reactions in an analysis that has none",
          measure.name, measure.frames, measure.first));
  for (const Watched& b : bushings_)
    if (b.passed)
      notes.push_back(fmt::format(
          "bushing '{}' passed half a turn before t = {:.6g} s: it measures by the shortest rotation, so that its load "
          "jumped by {:.4g} there; results after that instant are not those of an elastic bushing",
          b.name, b.t, b.jump));
}

}  // namespace trammel
