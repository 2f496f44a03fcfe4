// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/spline.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/base/error.h"

namespace trammel {

namespace {

constexpr std::size_t max_listed_problems = 20;  // a file read with the wrong column would list thousands

void check(std::span<const double> x, std::span<const double> y, const SplineOptions& options) {
  std::vector<Issue> issues;
  const auto add = [&](std::string message) {
    if (issues.size() < max_listed_problems) issues.push_back({"table", std::move(message)});
  };
  if (x.size() != y.size()) add(fmt::format("{} abscissae but {} values: a table needs pairs", x.size(), y.size()));
  if (x.size() < 2) add(fmt::format("has {} point(s); a spline needs at least 2", x.size()));
  const std::size_t n = std::min(x.size(), y.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
      add(fmt::format("row {}: ({}, {}) is not finite", i + 1, x[i], y[i]));
    else if (i > 0 && x[i] <= x[i - 1])
      add(fmt::format("row {}: abscissa {} does not increase (row {} has {}); sort the table and remove double rows",
                      i + 1, x[i], i, x[i - 1]));
  }
  if (options.ends == SplineEnds::periodic && n >= 2 && y[0] != y[n - 1])
    add(fmt::format("row {}: a periodic table must end with its first value {}, not {}", n, y[0], y[n - 1]));
  if (!issues.empty()) throw InputError(std::move(issues));
}

/// lower[i] x[i−1] + diagonal[i] x[i] + upper[i] x[i+1] = rhs[i], diagonally dominant; the solution replaces rhs.
void solve_tridiagonal(std::span<const double> lower, std::vector<double> diagonal, std::span<const double> upper,
                       std::span<double> rhs) {
  const std::size_t n = diagonal.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = lower[i] / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    rhs[i] -= factor * rhs[i - 1];
  }
  rhs[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) rhs[i] = (rhs[i] - upper[i] * rhs[i + 1]) / diagonal[i];
}

/// The curvatures m₀ … m_{n−1} of (2) for ends that are not periodic; h and chords have n − 1 entries.
std::vector<double> open_curvatures(std::span<const double> h, std::span<const double> chord, SplineEnds ends) {
  const std::size_t n = h.size() + 1;
  std::vector<double> m(n, 0.0);
  if (n == 2) return m;
  const bool knot_free = ends == SplineEnds::not_a_knot;
  if (n == 3 && knot_free) {  // both conditions coincide: a parabola
    std::fill(m.begin(), m.end(), 2.0 * (chord[1] - chord[0]) / (h[0] + h[1]));
    return m;
  }
  const std::size_t interior = n - 2;
  std::vector<double> lower(interior), diagonal(interior), upper(interior), rhs(interior);
  for (std::size_t k = 0; k < interior; ++k) {
    lower[k] = h[k];
    diagonal[k] = 2.0 * (h[k] + h[k + 1]);
    upper[k] = h[k + 1];
    rhs[k] = 6.0 * (chord[k + 1] - chord[k]);
  }
  if (knot_free) {
    // m₀ = m₁ + (m₁ − m₂) h₀/h₁ put into row 1, and the mirror image into the last row.
    const double h0 = h[0], h1 = h[1], g0 = h[n - 2], g1 = h[n - 3];
    diagonal.front() += h0 * (1.0 + h0 / h1);
    upper.front() -= h0 * h0 / h1;
    diagonal.back() += g0 * (1.0 + g0 / g1);
    lower.back() -= g0 * g0 / g1;
  }
  solve_tridiagonal(lower, diagonal, upper, rhs);
  std::copy(rhs.begin(), rhs.end(), m.begin() + 1);
  if (knot_free) {
    m[0] = m[1] + (m[1] - m[2]) * h[0] / h[1];
    m[n - 1] = m[n - 2] + (m[n - 2] - m[n - 3]) * h[n - 2] / h[n - 3];
  }
  return m;
}

/// The curvatures of a periodic spline: (2) for every point, indices modulo n − 1, by Sherman–Morrison.
std::vector<double> periodic_curvatures(std::span<const double> h, std::span<const double> chord) {
  const std::size_t k = h.size();  // unknowns m₀ … m_{k−1}, m_k = m₀
  std::vector<double> m(k + 1, 0.0);
  if (k == 1) return m;
  std::vector<double> lower(k), diagonal(k), upper(k), rhs(k);
  for (std::size_t i = 0; i < k; ++i) {
    const double before = h[(i + k - 1) % k];
    lower[i] = before;
    diagonal[i] = 2.0 * (before + h[i]);
    upper[i] = h[i];
    rhs[i] = 6.0 * (chord[i] - chord[(i + k - 1) % k]);
  }
  if (k == 2) {  // both neighbours are the same point
    const double a = diagonal[0], b = lower[0] + upper[0];
    const double determinant = a * a - b * b;
    m[0] = (a * rhs[0] - b * rhs[1]) / determinant;
    m[1] = (a * rhs[1] - b * rhs[0]) / determinant;
  } else {
    // A = B + w zᵀ with w = (γ, 0, …, upper_k), z = (1, 0, …, lower₀/γ); γ = −diagonal₀ keeps B dominant.
    const double gamma = -diagonal[0], corner_low = upper[k - 1], corner_high = lower[0];
    diagonal[0] -= gamma;
    diagonal[k - 1] -= corner_low * corner_high / gamma;
    std::vector<double> w(k, 0.0);
    w[0] = gamma;
    w[k - 1] = corner_low;
    solve_tridiagonal(lower, diagonal, upper, rhs);
    solve_tridiagonal(lower, diagonal, upper, w);
    const double factor = (rhs[0] + rhs[k - 1] * corner_high / gamma) / (1.0 + w[0] + w[k - 1] * corner_high / gamma);
    for (std::size_t i = 0; i < k; ++i) m[i] = rhs[i] - factor * w[i];
  }
  m[k] = m[0];
  return m;
}

}  // namespace

CubicSpline::CubicSpline(std::span<const double> x, std::span<const double> y, const SplineOptions& options)
    : options_(options) {
  check(x, y, options);
  const std::size_t n = x.size();
  knots_.assign(x.begin(), x.end());
  std::vector<double> h(n - 1), chord(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = x[i + 1] - x[i];
    chord[i] = (y[i + 1] - y[i]) / h[i];
  }
  const std::vector<double> m =
      options.ends == SplineEnds::periodic ? periodic_curvatures(h, chord) : open_curvatures(h, chord, options.ends);
  cubics_.resize(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i)
    cubics_[i] = {y[i], chord[i] - h[i] * (2.0 * m[i] + m[i + 1]) / 6.0, 0.5 * m[i], (m[i + 1] - m[i]) / (6.0 * h[i])};
  end_value_ = y[n - 1];
  end_slope_ = chord[n - 2] + h[n - 2] * (m[n - 2] + 2.0 * m[n - 1]) / 6.0;
}

std::size_t CubicSpline::segment_of(double x) const {
  const auto after = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, x);
  return static_cast<std::size_t>(after - knots_.begin()) - 1;
}

}  // namespace trammel
