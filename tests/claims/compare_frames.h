// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>

#include "run_model.h"

namespace trammel {

/// The largest difference of one quantity between two runs, over all frames, items and components.
struct FrameDifference {
  std::string quantity, item;
  double t = 0.0, error = 0.0;
  double scale = 0.0;  ///< the largest value of the reference among quantities of the same sort
  double relative() const { return error / scale; }
};

/// Quantities of the same sort share one scale: what vanishes by symmetry is known relative to the others.
inline std::string sort_of(const std::string& quantity) {
  static const std::map<std::string, std::string> sorts{{"angular_velocity", "velocity"},
                                                        {"point_velocity", "velocity"},
                                                        {"angle_rate", "velocity"},
                                                        {"displacement_rate", "velocity"},
                                                        {"angular_acceleration", "acceleration"},
                                                        {"reaction_moment", "reaction_force"},
                                                        {"effort", "reaction_force"},
                                                        {"orientation", "position"},
                                                        {"point", "position"},
                                                        {"displacement", "position"}};
  const auto found = sorts.find(quantity);
  return found == sorts.end() ? quantity : found->second;
}

/// Compares every table of frames but the records of errors themselves (work, drift) and forces of contact, which are
/// other numbers for other steps. Both runs recorded the same instants. Instants in `without` are not looked at.
inline std::vector<FrameDifference> compare_frames(
    const Recorded& run, const Recorded& reference,
    const std::function<bool(double)>& without = [](double) { return false; }) {
  std::vector<FrameDifference> found;
  EXPECT_EQ(run.times().size(), reference.times().size());
  if (run.times().size() != reference.times().size()) return found;
  const RecordSchema& schema = run.record.schema();
  std::map<std::string, double> scales;
  for (const RecordGroup& group : schema.frames) {
    const std::string quantity = group.quantity();
    if (quantity == "energy" || quantity == "constraint_drift" || group.names.empty()) continue;
    const TablePlace a = schema.find_table(group.path), b = reference.record.schema().find_table(group.path);
    EXPECT_EQ(a.width, b.width) << group.path;
    if (a.width != b.width) continue;
    FrameDifference largest{quantity, {}, 0.0, 0.0, 0.0};
    double& scale = scales[sort_of(quantity)];
    const int n = group.n_components();
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      if (without(run.times()[i])) continue;
      EXPECT_NEAR(run.times()[i], reference.times()[i], 1e-9);
      const auto x = run.record.frame_values(static_cast<int>(i)).subspan(a.column, a.width);
      const auto y = reference.record.frame_values(static_cast<int>(i)).subspan(b.column, b.width);
      for (int item = 0; item < group.n_items(); ++item) {
        double plain = 0.0, turned = 0.0;  // quaternions of both signs are the same rotation
        for (int k = item * n; k < (item + 1) * n; ++k) {
          plain = std::max(plain, std::isfinite(x[k]) ? std::abs(x[k] - y[k]) : 1e300);
          turned = std::max(turned, std::isfinite(x[k]) ? std::abs(x[k] + y[k]) : 1e300);
          scale = std::max(scale, std::abs(y[k]));
        }
        const double error = quantity == "orientation" ? std::min(plain, turned) : plain;
        if (error > largest.error)
          largest.error = error, largest.t = run.times()[i], largest.item = group.names[static_cast<std::size_t>(item)];
      }
    }
    found.push_back(largest);
  }
  for (FrameDifference& d : found) d.scale = scales[sort_of(d.quantity)] + 1e-9;
  return found;
}

/// Of all quantities, or of those of one sort ("velocity", "reaction_force").
inline FrameDifference largest_difference(const std::vector<FrameDifference>& all, const std::string& sort = {}) {
  FrameDifference largest{"nothing", {}, 0.0, 0.0, 1.0};
  for (const FrameDifference& d : all)
    if ((sort.empty() || sort_of(d.quantity) == sort) && d.relative() > largest.relative()) largest = d;
  return largest;
}

inline std::ostream& operator<<(std::ostream& out, const FrameDifference& d) {
  return out << fmt::format("{} of '{}' at t = {:.6g}: {:.3g} of {:.3g}", d.quantity, d.item, d.t, d.error, d.scale);
}

}  // namespace trammel
