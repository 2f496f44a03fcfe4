// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/base/error.h"
#include "trammel/mechanics/elements/beam.h"
#include "trammel/mechanics/slots/slot_kernel.h"
#include "trammel/mechanics/slots/slot_system.h"

/// Beams with interpolated directors: at a Gauss point
///
///   (1) r′ = Σ N_a′ x_a,   t_i = Σ N_a Λ_a e_i,   t_i′ = Σ N_a′ Λ_a e_i
///   (2) Γ_i = t_i·r′,   κ_1 = ½ (t_2′·t_3 − t_3′·t_2), cyclic; both less their values as drawn
///
/// are six quadratic functions of slots that a rigid motion does not change. Sections are orthonormal at nodes only:
/// one point between two nodes that turn by φ gives sin φ/L in place of φ/L, cubic elements err by O(φ⁴) at their
/// points.

namespace trammel {

namespace {

SlotElement make_point(const BeamElement& b, int g) {
  SlotElement e;
  int local[BeamElement::max_nodes];
  for (int a = 0; a < b.nodes; ++a) local[a] = e.local(b.frame[a]);
  for (int k = 0; k < 7; ++k) e.add_vector();  // r′, t_1 … t_3, t_1′ … t_3′
  for (int a = 0; a < b.nodes; ++a) {
    const Eigen::Vector3d s = b.offset ? b.s[a] : Eigen::Vector3d::Zero();
    const Eigen::Matrix3d Q = b.offset ? b.Q[a] : Eigen::Matrix3d::Identity();
    const double slope = b.dN[g][a], value = shape_function(b.nodes, a, gauss_points(b.points())[g]);
    e.add_point(0, local[a], s, slope);
    for (int i = 0; i < 3; ++i) {
      e.add_direction(1 + i, local[a], Q.col(i), value);
      e.add_direction(4 + i, local[a], Q.col(i), slope);
    }
  }
  for (int i = 0; i < 3; ++i) e.add_product(1 + i, 0, 1.0);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    e.add_product(4 + j, 1 + k, 0.5);
    e.quadratics.back().products.push_back({4 + k, 1 + j, -0.5});
  }
  e.law = SlotElement::Law::elastic;
  e.K = b.weight[g] * b.C;
  e.C = b.damping * e.K;
  e.preload = b.weight[g] * b.n0;
  return e;
}

}  // namespace

bool SlotSystem::add_beams(const ElementGroup& group) {
  const auto* beams = dynamic_cast<const BeamGroup*>(&group);
  if (!beams) return false;
  if (drawn_.empty()) throw Error("beams need the drawn frames, where they are without strain");
  std::vector<SlotFrameStep> steps(frames_.size());
  for (std::size_t f = 0; f < frames_.size(); ++f) steps[f].begin(frames_[f], drawn_[f]);
  SlotElementStep start;
  for (int i = 0; i < beams->size(); ++i) {
    const BeamElement& b = beams->element(i);
    for (int g = 0; g < b.points(); ++g) {
      SlotElement e = make_point(b, g);
      for (int k = 0; k < 6; ++k) {
        e.add_function(0.0, new_stress(fmt::format("beam element {}, point {}, strain {}", i + 1, g + 1, k + 1)));
        e.add_measure(k, SlotElement::Measure::Type::quadratic, k);
      }
      SlotKernel::begin(e, steps, {}, start);
      for (int k = 0; k < 6; ++k) e.constant[k] = -start.e_0[k];
      elements_.push_back(std::move(e));
    }
  }
  return true;
}

}  // namespace trammel
