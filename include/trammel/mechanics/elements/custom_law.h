// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "trammel/mechanics/elements/group.h"
#include "trammel/mechanics/elements/relative_coordinate.h"

namespace trammel {

/// Springs with a user's law: a function of a length, angle or displacement x and its rate, evaluated for all elements
/// at once.
///
///   (1)  Q = law(t, x, ẋ)
///   (2)  on a line:        x = ‖d‖, d from the point of A to the point of B; force Q d/x on B, −Q d/x on A     [N]
///   (3)  on a coordinate:  wrench on each frame = Q ∂x/∂twist                                            [N], [N m]
///   (4)  δQ = Q_x δx + Q_ẋ δẋ,  Q_x and Q_ẋ by central differences of the law, everything else exact
///
/// Q > 0 pushes apart, or turns on: the sign of `law` in a model file. Four evaluations of the law per matrix, where a
/// law on frames needs 48: take `BatchForceGroup` only for what is no spring. All of Q counts as work. The law must not
/// keep state between calls.
class CustomLawGroup final : public ElementGroup {
 public:
  struct Element {
    bool line = false;
    int frame[2] = {0, 0};
    Eigen::Vector3d s_a = Eigen::Vector3d::Zero(), s_b = Eigen::Vector3d::Zero();  ///< line: points on A and B
    RelativeCoordinate x;                                                          ///< else
    int branch = -1;                                                               ///< of an angle
  };
  using Law =
      std::function<void(double t, std::span<const double> x, std::span<const double> rate, std::span<double> Q)>;

  explicit CustomLawGroup(Law law) : law_(std::move(law)) {}
  void add(const Element& element) { elements_.push_back(element); }

  std::string_view kind() const override { return "custom law"; }
  bool has_own_clock() const override { return true; }
  int size() const override { return static_cast<int>(elements_.size()); }
  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double power(const KinematicState&) const override;

 private:
  struct Values {
    std::vector<double> x, rate, Q;
  };
  Values evaluate(const KinematicState& state) const;

  Law law_;
  std::vector<Element> elements_;
};

}  // namespace trammel
