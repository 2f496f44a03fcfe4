// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trammel/math/vectors.h"

/// Orientations as people write them, turned into rotation matrices, and the checks their input needs.
namespace trammel {

/// How far R is from a proper rotation: ‖RᵀR − I‖ (Frobenius), and at least 2 when det R ≤ 0 (a reflection).
double rotation_defect(const Mat3<double>& R);

/// The rotation nearest to R in the Frobenius norm (the orthogonal factor of its polar decomposition). Needs det R > 0:
/// throws InputError for a singular matrix or a reflection.
Mat3<double> nearest_rotation(const Mat3<double>& R);

/// Quaternion (w, x, y, z), normalised here. InputError when it is zero or not finite.
Mat3<double> rotation_from_quaternion(const Vec4<double>& wxyz);

/// Turn by `angle` [rad] about `axis`, normalised here. InputError when the axis is zero or not finite.
Mat3<double> rotation_from_axis_angle(const Vec3<double>& axis, double angle);

/// Successive turns by the three angles [rad] about the axes named by `sequence`: "zxz", "xyz", … Lower case: axes that
/// move with the body (intrinsic), R = R₁(α) R₂(β) R₃(γ). Upper case ("XYZ"): axes fixed in space (extrinsic),
/// R = R₃(γ) R₂(β) R₁(α). Neighbours must differ. InputError otherwise.
Mat3<double> rotation_from_euler(std::string_view sequence, const Vec3<double>& angles);

/// The angles [rad] for which rotation_from_euler gives R: the middle one in [0, π] for sequences like "zxz" and in
/// [−π/2, π/2] for sequences like "xyz"; where only a sum or difference of the others is defined, the last turn is 0.
Vec3<double> euler_from_rotation(std::string_view sequence, const Mat3<double>& R);

/// The shortest turn that carries direction `from` into direction `to` (both normalised here); for opposite
/// directions half a turn about some normal.
Mat3<double> rotation_between(const Vec3<double>& from, const Vec3<double>& to);

/// A right-handed frame whose z axis is `axis` (normalised here); x and y depend on the axis only, continuously except
/// at axis = −z.
Mat3<double> frame_from_z_axis(const Vec3<double>& axis);

}  // namespace trammel
