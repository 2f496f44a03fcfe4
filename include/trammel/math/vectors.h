// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>  // cross()

namespace trammel {

template <class S>
using Vec2 = Eigen::Matrix<S, 2, 1>;
template <class S>
using Vec3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Vec4 = Eigen::Matrix<S, 4, 1>;
template <class S>
using Vec6 = Eigen::Matrix<S, 6, 1>;
template <class S>
using Mat2 = Eigen::Matrix<S, 2, 2>;
template <class S>
using Mat3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using Mat4 = Eigen::Matrix<S, 4, 4>;
template <class S>
using Mat6 = Eigen::Matrix<S, 6, 6>;

}  // namespace trammel
