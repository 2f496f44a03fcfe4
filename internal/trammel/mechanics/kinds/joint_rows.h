// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanics/absolute/assembler.h"
#include "trammel/mechanics/kinds/drawn.h"

namespace trammel {

/// The rows of one joint, as its kind puts them together: either they become elements of a machine, or only what they
/// hold of one body is asked (HeldRows), before there is a machine.
class JointRows {
 public:
  /// Rows on the angular velocity ω [world axes] of a frame that turns about its centre of mass.
  struct HeldRows {
    int frame = 0;
    std::vector<Eigen::RowVector3d> rows = {};
  };

  JointRows(const DrawnJoint& drawn, std::span<const Placement> places, detail::Assembler& assembler,
            const JointSpec& spec, const std::string& owner, Assembly::Joint& joint);
  JointRows(const DrawnJoint& drawn, std::span<const Placement> places, HeldRows& held);

  // ---- as drawn, in the world ------------------------------------------------------------------------------------
  int a() const { return drawn_.a; }
  int b() const { return drawn_.b; }
  const Eigen::Vector3d& point() const { return drawn_.point; }      ///< on a
  const Eigen::Vector3d& point_b() const { return drawn_.point_b; }  ///< on b
  const Eigen::Vector3d& axis() const { return drawn_.axis; }        ///< unit vector
  const Eigen::Vector3d& axis_b() const { return drawn_.axis_b; }
  const Eigen::Vector3d& e1() const { return e1_; }  ///< with e₂ and the axis a right-handed triad
  const Eigen::Vector3d& e2() const { return e2_; }
  Eigen::Vector3d on_a(const Eigen::Vector3d& p_W) const { return places_[a()].local_point(p_W); }
  Eigen::Vector3d on_b(const Eigen::Vector3d& p_W) const { return places_[b()].local_point(p_W); }
  Eigen::Vector3d axis_in_a(const Eigen::Vector3d& n_W) const { return places_[a()].local_axis(n_W); }
  Eigen::Vector3d axis_in_b(const Eigen::Vector3d& n_W) const { return places_[b()].local_axis(n_W); }

  // ---- rows; in a plane only those that the plane does not give ----------------------------------------------------
  void coincide();          ///< the points of a and b
  void keep_axes();         ///< `axis` of a and `axis_b` of b stay parallel
  void keep_orientation();  ///< no relative rotation
  void stay_on_line();      ///< b's point, on the line through a's point along the axis
  void perpendicular(const Eigen::Vector3d& of_a, const Eigen::Vector3d& of_b);
  void offset(const Eigen::Vector3d& n, double height);  ///< b's point over the plane of a's point
  /// A kernel of constraints.h or of the kind's own; `frames` by their numbers, a() and b() among them.
  template <class K>
  void add(const typename K::Params& params, std::array<int, K::n_frames> frames, const std::string& unit);
  /// The frame of the [[coordinate]] that the joint carries, for kinds whose rows hold it (JointCoordinates::in_rows).
  int coordinate_frame(const std::string& coordinate) const;
  /// The relative motion along a track, with one row if it is guided.
  void follow_track(const JointSpec& joint);

  // ---- coordinates -------------------------------------------------------------------------------------------------
  void has_angle();         ///< of b about the axis, zero as drawn
  void has_displacement();  ///< of b's point along the axis, zero as drawn
  /// Those that [[coordinate]]s carry, if the joint names them, in the order of their names.
  void carries_angle(const JointSpec& joint);                                           ///< of b about the axis
  void carries_displacement(const JointSpec& joint, const Eigen::Vector3d& direction);  ///< of b's point, fixed in a
  void carries_crossed_angles(const JointSpec& joint);  ///< of b about `axis` of a, and about its own `axis_b`
  /// displacement + factor · angle = 0
  void couple(double factor);

 private:
  void carry(const JointSpec& joint, const RelativeCoordinate& x, int from, int to, int branch);
  template <class K>
  void hold(const typename K::Params& params, const std::array<int, K::n_frames>& frames);
  Directors directors() const;

  const DrawnJoint& drawn_;
  std::span<const Placement> places_;
  Eigen::Vector3d e1_, e2_;
  detail::Assembler* assembler_ = nullptr;
  const JointSpec* spec_ = nullptr;
  const std::string* owner_ = nullptr;
  Assembly::Joint* joint_ = nullptr;
  HeldRows* held_ = nullptr;
  int n_carried_ = 0;  // relative coordinates that were offered
};

/// The coordinates of b against a about and along an axis.
RelativeCoordinate make_angle(const DrawnJoint& j, std::span<const Placement> places);
RelativeCoordinate make_displacement(const DrawnJoint& j, std::span<const Placement> places);

template <class K>
void JointRows::add(const typename K::Params& params, std::array<int, K::n_frames> frames, const std::string& unit) {
  if (held_)
    hold<K>(params, frames);
  else
    assembler_->add_element(assembler_->template group<ConstraintGroup<K>>([this] { return directors(); }), *owner_,
                            params, frames, unit, joint_);
}

// With v_C = 0 a row G · (v, ω_body) of the frame is (R G_ω)·ω.
template <class K>
void JointRows::hold(const typename K::Params& params, const std::array<int, K::n_frames>& frames) {
  std::array<Frame<double>, K::n_frames> at;
  for (int i = 0; i < K::n_frames; ++i) {
    const Placement& place = places_[frames[i]];
    at[i] = {place.R, place.p, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  }
  std::array<FrameRow<double>, K::n_rows * K::n_frames> g;
  K::template rows<double>(params, at.data(), g.data());
  for (int r = 0; r < K::n_rows; ++r) {
    Eigen::Vector3d row = Eigen::Vector3d::Zero();
    for (int i = 0; i < K::n_frames; ++i)
      if (frames[i] == held_->frame) row += at[i].R * g[r * K::n_frames + i].moment;
    held_->rows.push_back(row.transpose());
  }
}

}  // namespace trammel
