// SPDX-License-Identifier: Apache-2.0
#include "slot_measures.h"

#include <cmath>
#include <numbers>

/// Functions of quadratics with discrete partial derivatives, (3) of slot_element.h: lengths, angles, discs, rotation
/// vectors.

namespace trammel::detail {

int n_quadratics(const SlotElement::Measure& m) {
  switch (m.type) {
    case MeasureType::angle:
      return 2;
    case MeasureType::rotation:
      return 4;
    default:
      return 1;
  }
}

// ---- rotation vectors ----------------------------------------------------------------------------------------------

namespace {

// G(s, τ) = atan2(√s, τ)/√s and its derivatives: the rotation vector is a G(a·a, τ) of a = vee R = sin θ n and
// τ = (tr R − 1)/2 = cos θ. Near a = 0 by the series of atan x/x, x² = s/τ².
template <class S>
struct AngleRatio {
  S G, G_s, G_ss, G_t, G_tt, G_st;
};

template <class S>
AngleRatio<S> calc_angle_ratio(const S& s, const S& tau) {
  using std::atan2, std::sqrt;
  constexpr double near = 1e-2;  // in x²: the first neglected term is 1e-18
  AngleRatio<S> r;
  const S n2 = s + tau * tau;
  r.G_t = -1.0 / n2;
  r.G_st = 1.0 / (n2 * n2);
  r.G_tt = 2.0 * tau * r.G_st;
  if (tau > 0.0 && s < near * (tau * tau)) {
    const S x = s / (tau * tau), t2 = 1.0 / (tau * tau);
    S sum(0.0), slope(0.0), bend(0.0);
    for (int k = 9; k >= 0; --k) {
      const double c = (k % 2 == 0 ? 1.0 : -1.0) / (2.0 * k + 1.0);
      sum = sum * x + c;
      if (k >= 1) slope = slope * x + c * k;
      if (k >= 2) bend = bend * x + c * k * (k - 1.0);
    }
    r.G = sum / tau;
    r.G_s = slope * t2 / tau;
    r.G_ss = bend * t2 * t2 / tau;
    return r;
  }
  const S rho = sqrt(s);
  r.G = atan2(rho, tau) / rho;
  r.G_s = (tau / n2 - r.G) / (2.0 * s);
  r.G_ss = -(tau * r.G_st + 3.0 * r.G_s) / (2.0 * s);
  return r;
}

template <class S>
S rotation_component(int i, const S* q) {
  return q[i] * calc_angle_ratio<S>(q[0] * q[0] + q[1] * q[1] + q[2] * q[2], q[3]).G;
}

// Discrete partials of a rotation vector's component: the gradient in the middle, corrected along dq so that Σ s dq is
// the difference (Gonzalez), and the second derivatives of the middle.
template <class S>
void calc_rotation_weights(int i, const double* q_0, double m_0, const S* q, const S& value, const S* r_f, const S* r_j,
                           double half_h, S* w_f, S* w_j) {
  S m[4], d[4], gradient[4];
  S d2(0.0);
  for (int k = 0; k < 4; ++k) {
    m[k] = 0.5 * (q_0[k] + q[k]);
    d[k] = q[k] - q_0[k];
    d2 = d2 + d[k] * d[k];
  }
  const AngleRatio<S> r = calc_angle_ratio<S>(m[0] * m[0] + m[1] * m[1] + m[2] * m[2], m[3]);
  S along(0.0);
  for (int k = 0; k < 4; ++k) {
    gradient[k] = k < 3 ? S(2.0 * m[i] * m[k] * r.G_s) : S(m[i] * r.G_t);
    if (k == i) gradient[k] = gradient[k] + r.G;
    along = along + gradient[k] * d[k];
  }
  // Below, the correction is smaller than rounding: it is of third order.
  constexpr double smallest = 1e-10;
  const S correction = d2 > smallest ? S((value - m_0 - along) / d2) : S(0.0);
  S H[4][4];
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < 3; ++l) {
      H[k][l] = 4.0 * m[i] * m[k] * m[l] * r.G_ss;
      if (k == i) H[k][l] = H[k][l] + 2.0 * r.G_s * m[l];
      if (l == i) H[k][l] = H[k][l] + 2.0 * r.G_s * m[k];
      if (k == l) H[k][l] = H[k][l] + 2.0 * r.G_s * m[i];
    }
    H[k][3] = 2.0 * m[i] * m[k] * r.G_st;
    if (k == i) H[k][3] = H[k][3] + r.G_t;
    H[3][k] = H[k][3];
  }
  H[3][3] = m[i] * r.G_tt;
  for (int k = 0; k < 4; ++k) {
    const S s = gradient[k] + correction * d[k];
    w_f[k] = w_j[k] = s;
    for (int l = 0; l < 4; ++l) {
      w_f[k] = w_f[k] + half_h * H[k][l] * r_j[l];
      w_j[k] = w_j[k] - half_h * H[k][l] * r_f[l];
    }
  }
}

}  // namespace

// ---- all measures --------------------------------------------------------------------------------------------------

// (3) with the rates of its quadratics.
template <class S>
MeasureResult<S> calc_measure(const SlotElement::Measure& measure, const double* q_0, double m_0, const S* q,
                              const S* r_f, const S* r_j, double half_h) {
  using std::atan2, std::sqrt;
  MeasureResult<S> x;
  switch (measure.type) {
    case MeasureType::quadratic:
      x.value = q[0];
      x.w_f[0] = x.w_j[0] = S(1.0);
      break;
    case MeasureType::length: {
      // dl = dq/(l_0 + l_f),  l'' = −1/(4 l³)
      const S length = sqrt(q[0]), s = 1.0 / (m_0 + length), bend = s * s * s * (-2.0 * half_h);
      x.value = length;
      x.w_f[0] = s + bend * r_j[0];
      x.w_j[0] = s - bend * r_f[0];
      break;
    }
    case MeasureType::disc: {
      // m = √(1 − q²):  dm = −dq (q_0 + q_f)/(m_0 + m_f),  m'' = −1/m³
      const S m = sqrt(1.0 - q[0] * q[0]), sum = m_0 + m, s = -(q_0[0] + q[0]) / sum;
      const S bend = -8.0 * half_h / (sum * sum * sum);
      x.value = m;
      x.w_f[0] = s + bend * r_j[0];
      x.w_j[0] = s - bend * r_f[0];
      break;
    }
    case MeasureType::angle: {
      // dφ = atan2(c, d) with c = X_0 Y − Y_0 X = X_m dY − Y_m dX: s = (−Y_m, X_m) dφ/c
      const S X_m = 0.5 * (q_0[0] + q[0]), Y_m = 0.5 * (q_0[1] + q[1]);
      const S c = q_0[0] * q[1] - q_0[1] * q[0], d = q_0[0] * q[0] + q_0[1] * q[1];
      const S turn = atan2(c, d);
      // dφ/c = (dφ/sin dφ)/ρ²; for small angles by the series of φ/sin φ
      const S rho2 = sqrt(c * c + d * d);
      const S t2 = turn * turn;
      const S ratio = t2 < 1e-6 ? S((1.0 + t2 / 6.0 + t2 * t2 * (7.0 / 360.0)) / rho2) : S(turn / c);
      const S s_X = -Y_m * ratio, s_Y = X_m * ratio;
      // ∂²φ: (2XY, Y² − X²; ., −2XY)/ρ⁴ of the middle; ρ² of the ends keeps it bounded up to half a turn
      const S scale = half_h / (rho2 * rho2);
      const S XX = 2.0 * X_m * Y_m * scale, XY = (Y_m * Y_m - X_m * X_m) * scale;
      x.value = m_0 + turn;
      x.w_f[0] = s_X + XX * r_j[0] + XY * r_j[1];
      x.w_f[1] = s_Y + XY * r_j[0] - XX * r_j[1];
      x.w_j[0] = s_X - XX * r_f[0] - XY * r_f[1];
      x.w_j[1] = s_Y - XY * r_f[0] + XX * r_f[1];
      break;
    }
    case MeasureType::rotation:
      x.value = rotation_component(measure.component, q);
      calc_rotation_weights(measure.component, q_0, m_0, q, x.value, r_f, r_j, half_h, x.w_f, x.w_j);
      break;
  }
  x.rate_f = x.w_f[0] * r_f[0];
  x.rate_j = x.w_j[0] * r_j[0];
  for (int k = 1; k < n_quadratics(measure); ++k) {
    x.rate_f = x.rate_f + x.w_f[k] * r_f[k];
    x.rate_j = x.rate_j + x.w_j[k] * r_j[k];
  }
  return x;
}

template MeasureResult<double> calc_measure(const SlotElement::Measure&, const double*, double, const double*,
                                            const double*, const double*, double);
template MeasureResult<Dual<6>> calc_measure(const SlotElement::Measure&, const double*, double, const Dual<6>*,
                                             const Dual<6>*, const Dual<6>*, double);

double start_value(const SlotElement::Measure& m, const Eigen::VectorXd& q, std::span<const double> turns) {
  switch (m.type) {
    case MeasureType::length:
      return std::sqrt(q[m.q[0]]);
    case MeasureType::disc:
      return std::sqrt(1.0 - q[m.q[0]] * q[m.q[0]]);
    case MeasureType::angle: {
      constexpr double turn = 2.0 * std::numbers::pi;
      const double x = std::atan2(q[m.q[1]], q[m.q[0]]) - m.zero;
      const double expected = m.branch < 0 ? 0.0 : turns[m.branch];
      return x + turn * std::round((expected - x) / turn);
    }
    case MeasureType::rotation: {
      const double own[4] = {q[m.q[0]], q[m.q[1]], q[m.q[2]], q[m.q[3]]};
      return rotation_component(m.component, own);
    }
    case MeasureType::quadratic:
      break;
  }
  return q[m.q[0]];
}

}  // namespace trammel::detail
