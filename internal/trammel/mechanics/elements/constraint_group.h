// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "trammel/mechanics/elements/group.h"
#include "trammel/mechanics/elements/row_accelerations.h"

namespace trammel {

/// Whether derivatives of a kind's rows can be differentiated again. Sections of tracks are implicit functions, which
/// know their first derivatives alone.
struct OnTrack;
template <class K>
inline constexpr bool differentiable_twice = true;
template <>
inline constexpr bool differentiable_twice<OnTrack> = false;

/// All elements of one constraint kind (see constraints.h for what a kind is).
template <class K>
class ConstraintGroup final : public ConstraintElements, public RowAccelerations {
 public:
  struct Element {
    typename K::Params params;
    std::array<int, K::n_frames> frame;
    std::array<int, K::n_turns> branch;
    std::array<int, K::n_rows> input;  ///< index of the function of time subtracted from the row; −1: none
    int row = 0;                       ///< first of its rows
  };

  void add(const Element& element) { elements_.push_back(element); }
  const Element& element(int e) const { return elements_[e]; }

  std::string_view kind() const override { return K::name; }
  int size() const override { return static_cast<int>(elements_.size()); }
  bool divisible() const override { return true; }
  void visit_frames(int e, const std::function<void(int)>& visit) const override {
    for (const int frame : elements_[e].frame) visit(frame);
  }
  bool holonomic() const override { return K::holonomic; }
  int rows_per_element() const override { return K::n_rows; }
  int frames_per_element() const override { return K::n_frames; }
  int frame(int e, int local) const override { return elements_[e].frame[local]; }
  int first_row(int e) const override { return elements_[e].row; }

  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_constraints(const KinematicState&, std::span<double>, std::span<Wrench<double>>) const override;
  void add_stabilized_constraints(const KinematicState&, std::span<const double> mu, std::span<double> phi,
                                  std::span<double> phi_dot, std::span<Wrench<double>> wrench,
                                  std::span<Wrench<double>> mu_wrench) const override;
  void calc_velocity_level(const KinematicState&, std::span<double>, std::span<double>) const override;
  void calc_rates(const KinematicState&, std::span<double>, std::span<double>) const override;
  bool calc_row_accelerations(const KinematicState&, int element, std::span<const FrameChanges> changes,
                              std::span<Dual<6>> phi_ddot) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double power(const KinematicState&) const override;
  Wrench<double> reaction(int e, const Frame<double>* local, const double* lam, int local_frame) const override;
  Wrench<Dual<6>> reaction(int e, const Frame<Dual<6>>* local, const Dual<6>* lam, int local_frame) const override;

 private:
  template <class S>
  Wrench<S> calc_reaction(int e, const Frame<S>* local, const S* lam, int local_frame) const;

  std::vector<Element> elements_;
};

}  // namespace trammel
