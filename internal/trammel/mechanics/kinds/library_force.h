// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanics/elements/custom_force.h"
#include "trammel/mechanics/force_library.h"
#include "trammel/mechanics/model.h"

namespace trammel {

/// A law of a shared library, found by name. Libraries stay loaded to the end of the program.
struct LibraryLaw {
  const trammel_force_law* law = nullptr;
  const trammel_force_library_content* library = nullptr;
  std::vector<std::string> parameters = {};
};

/// Throws InputError with the reason: no such file, none of ours, of another interface, no such law. An empty `law`
/// means the only one.
LibraryLaw load_law(const std::string& file, const std::string& law);

/// A law that stands in a mirrored part. It sees its bodies reflected, and what it answers is reflected back: with the
/// reflection x ↦ x₀ + H x of the world and B of the axes of each body, det H = det B = −1,
///
///   p ↦ x₀ + H p,  R ↦ H R B,  v ↦ H v,  ω ↦ −B ω;   F ↦ H F,  m ↦ −B m
struct LawMirror {
  bool reflects = false;
  Eigen::Matrix3d H = Eigen::Matrix3d::Identity();
  Eigen::Vector3d x0 = Eigen::Vector3d::Zero();
  std::array<Eigen::Matrix3d, 2> B = {Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity()};
};

/// A law of a library on the points s of two frames. What it refuses or throws becomes a force that is no number, so
/// that steps are shortened as beside any law that is not defined somewhere; `trouble` keeps the reason.
///
///   (1)  p_P = p + R s,  v_P = v + R (ω × s);   moment about the origin = moment about P + s × Rᵀ F
class LibraryForce final : public CustomForce {
 public:
  LibraryForce(LibraryLaw law, std::array<int, 2> frames, std::array<Eigen::Vector3d, 2> points,
               std::vector<double> parameters, std::shared_ptr<LibraryTrouble> trouble, const LawMirror& mirror = {});

  std::span<const int> frames() const override { return frames_; }
  void force(double t, const Frame<double>* f, Wrench<double>* w) const override;
  bool has_derivatives() const override { return law_.law->derivatives != nullptr; }
  void force_with_derivatives(double t, const Frame<Dual<6>>* f, Wrench<Dual<6>>* w) const override;
  double potential(double t, const Frame<double>* f) const override;

 private:
  using Frames = std::array<trammel_force_frame, 2>;
  Frames at_points(const Frame<double>* f) const;
  template <class Function>
  bool call(double t, const Function& function) const;

  LibraryLaw law_;
  std::array<int, 2> frames_;
  std::array<Eigen::Vector3d, 2> s_;
  std::vector<double> parameters_;
  std::shared_ptr<LibraryTrouble> trouble_;
  LawMirror mirror_;
};

}  // namespace trammel
