// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/mechanics/elements/group.h"

namespace trammel {

/// A user's own force law: the one virtual door for elements that this library does not know.
///
/// It names the frames it touches (0 is the ground) and gives the wrench on each: force in world axes, moment about the
/// frame's origin (the centre of mass) in body axes. Frames are all it sees, never coordinates, so that it works in
/// every set of coordinates. It must not keep state between calls.
///
/// Derivatives for Newton's matrix: override `force_with_derivatives` and `has_derivatives` for exact ones (derive from
/// `TemplatedForce` to write the law once for both), or leave them out and the law is differenced locally, 24
/// evaluations per moving frame and matrix. The motion is the same; only Newton's speed depends on them.
class CustomForce {
 public:
  static constexpr int max_frames = 8;

  virtual ~CustomForce() = default;
  virtual std::span<const int> frames() const = 0;
  /// w[i] is the wrench on frames()[i]; f[i] is that frame. Every w[i] must be set.
  virtual void force(double t, const Frame<double>* f, Wrench<double>* w) const = 0;

  virtual bool has_derivatives() const { return false; }
  virtual void force_with_derivatives(double t, const Frame<Dual<6>>* f, Wrench<Dual<6>>* w) const;

  /// Stored energy [J] whose negative gradient is the conservative part of the force; 0: all of it counts as work.
  virtual double potential(double /*t*/, const Frame<double>* /*f*/) const { return 0.0; }
};

/// A law written once: `Law` has
///   template <class S> void operator()(double t, const Frame<S>* f, Wrench<S>* w) const;
template <class Law>
class TemplatedForce final : public CustomForce {
 public:
  TemplatedForce(std::vector<int> frames, Law law) : frames_(std::move(frames)), law_(std::move(law)) {}
  std::span<const int> frames() const override { return frames_; }
  void force(double t, const Frame<double>* f, Wrench<double>* w) const override { law_(t, f, w); }
  bool has_derivatives() const override { return true; }
  void force_with_derivatives(double t, const Frame<Dual<6>>* f, Wrench<Dual<6>>* w) const override { law_(t, f, w); }

 private:
  std::vector<int> frames_;
  Law law_;
};

/// The users' elements of a system, of any kinds.
class CustomForceGroup final : public ElementGroup {
 public:
  /// Throws InputError when the force touches no frame, more than max_frames, or one of them twice.
  void add(std::unique_ptr<const CustomForce> force);

  std::string_view kind() const override { return "custom force"; }
  bool has_own_clock() const override { return true; }
  int size() const override { return static_cast<int>(forces_.size()); }
  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double potential(const KinematicState&) const override;
  double power(const KinematicState&) const override;

 private:
  std::vector<std::unique_ptr<const CustomForce>> forces_;
};

}  // namespace trammel
