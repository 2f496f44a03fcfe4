// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "beam_kernel.h"

namespace trammel {

std::span<const double> lobatto_points(int nodes) {
  static const double two[] = {-1.0, 1.0}, three[] = {-1.0, 0.0, 1.0};
  static const double inner = 1.0 / std::sqrt(5.0);
  static const double four[] = {-1.0, -inner, inner, 1.0};
  return nodes == 2 ? std::span<const double>(two) : nodes == 3 ? std::span<const double>(three) : four;
}

std::span<const double> lobatto_weights(int nodes) {
  static const double two[] = {1.0, 1.0}, three[] = {1.0 / 3, 4.0 / 3, 1.0 / 3},
                      four[] = {1.0 / 6, 5.0 / 6, 5.0 / 6, 1.0 / 6};
  return nodes == 2 ? std::span<const double>(two) : nodes == 3 ? std::span<const double>(three) : four;
}

std::span<const double> gauss_points(int points) {
  static const double a = 1.0 / std::sqrt(3.0), b = std::sqrt(0.6);
  static const double one[] = {0.0}, two[] = {-a, a}, three[] = {-b, 0.0, b};
  return points == 1 ? std::span<const double>(one) : points == 2 ? std::span<const double>(two) : three;
}

namespace {

std::span<const double> gauss_weights(int points) {
  static const double one[] = {2.0}, two[] = {1.0, 1.0}, three[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  return points == 1 ? std::span<const double>(one) : points == 2 ? std::span<const double>(two) : three;
}

}  // namespace

// Lagrange's polynomials on the Lobatto points.
double shape_function(int nodes, int a, double xi) {
  const std::span<const double> at = lobatto_points(nodes);
  double N = 1.0;
  for (int b = 0; b < nodes; ++b)
    if (b != a) N *= (xi - at[b]) / (at[a] - at[b]);
  return N;
}

double shape_slope(int nodes, int a, double xi) {
  const std::span<const double> at = lobatto_points(nodes);
  double sum = 0.0;
  for (int c = 0; c < nodes; ++c) {
    if (c == a) continue;
    double term = 1.0 / (at[a] - at[c]);
    for (int b = 0; b < nodes; ++b)
      if (b != a && b != c) term *= (xi - at[b]) / (at[a] - at[b]);
    sum += term;
  }
  return sum;
}

const detail::ShapeTable& detail::shape_table(int nodes) {
  struct Tables {
    ShapeTable N[BeamElement::max_nodes + 1] = {};
    Tables() {
      for (int n = 2; n <= BeamElement::max_nodes; ++n)
        for (int g = 0; g < n - 1; ++g)
          for (int a = 0; a < n; ++a) N[n][g][a] = shape_function(n, a, gauss_points(n - 1)[g]);
    }
  };
  static const Tables tables;
  return tables.N[nodes];
}

double detail::half_turn_slope(double s) {
  // d/dv (tan √v/√v), v = s/16; τ = ¼ tan √v/√v
  static constexpr double series[] = {1.0 / 3,         4.0 / 15,           51.0 / 315,           248.0 / 2835,
                                      6910.0 / 155925, 131064.0 / 6081075, 6506983.0 / 638512875};
  const double v = s / 16.0;
  if (v < 0.01) return horner(series, v) / 32.0;
  const double u = std::sqrt(v), cosine = std::cos(u);
  return (u / (cosine * cosine) - std::tan(u)) / (2.0 * u * v) / 32.0;
}

void BeamElement::draw(std::span<const Eigen::Vector3d> x, std::span<const Eigen::Matrix3d> axes) {
  const std::span<const double> at = gauss_points(points()), w = gauss_weights(points());
  for (int g = 0; g < points(); ++g) {
    Eigen::Vector3d tangent = Eigen::Vector3d::Zero();
    for (int a = 0; a < nodes; ++a) tangent += shape_slope(nodes, a, at[g]) * x[a];
    const double length_per_xi = tangent.norm();
    weight[g] = w[g] * length_per_xi;
    for (int a = 0; a < nodes; ++a) dN[g][a] = shape_slope(nodes, a, at[g]) / length_per_xi;
    drawn[g].setZero();
  }
  // The strains of the drawn sections themselves: frames that are the sections.
  BeamElement sections = *this;
  sections.offset = false;
  Frame<double> f[max_nodes];
  for (int a = 0; a < nodes; ++a) f[a] = {axes[a], x[a], Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  SectionState states[max_points];
  calc_sections(sections, f, states);
  for (int g = 0; g < points(); ++g) drawn[g] = states[g].strain;
}

}  // namespace trammel
