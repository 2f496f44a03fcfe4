// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/slots/slot_frame.h"

#include <cmath>

namespace trammel {

namespace {

// cay w − I = (ŵ + ŵ²/2)/(1 + |w|²/4)
template <class S>
Mat3<S> cayley(const Vec3<S>& w) {
  const S scale = 1.0 / (1.0 + 0.25 * dot(w, w));
  Mat3<S> R = hat<S>(w) * scale + hat_squared<S>(w) * S(0.5 * scale);
  for (int i = 0; i < 3; ++i) R(i, i) = R(i, i) + 1.0;
  return R;
}

template <class S>
Mat3<S> cross_columns(const Vec3<S>& w, const Mat3<S>& A) {
  Mat3<S> B;
  for (int i = 0; i < 3; ++i) B.col(i) = cross<S>(w, A.col(i));
  return B;
}

}  // namespace

template <class S>
SpinStep<S> calc_spin(const Eigen::Matrix3d& R_0, const Eigen::Matrix3d& J, const Eigen::Vector3d& Omega_0,
                      const Vec3<S>& Omega_j, const Vec3<S>& Omega_f, double h, double curvature) {
  using std::sqrt;
  SpinStep<S> x;
  const Mat3<S> R = R_0.template cast<S>(), inertia = J.template cast<S>();
  const Vec3<S> turn = (Omega_j + Omega_f) * S(0.5 * h);  // Θ
  x.R_f = R * cayley(turn);
  const S half = 1.0 / (1.0 + sqrt(1.0 + 0.25 * dot(turn, turn)));
  const Mat3<S> R_m = R * cayley(Vec3<S>(turn * half));

  // (2): s = b + c [δ × b + c δ × (δ × b)]/(1 + c²|δ|²)
  const double c = 0.25 * curvature * h;
  const Vec3<S> delta = rotate(R_m, Vec3<S>(Omega_j - Omega_f)), b = rotate(R_m, turn) * S(1.0 / h);
  const Vec3<S> across = cross(delta, b);
  const Vec3<S> s = b + (across + cross(delta, across) * S(c)) * S(c / (1.0 + c * c * dot(delta, delta)));
  x.w_j = s + delta * S(0.5);
  x.w_f = s - delta * S(0.5);

  const Mat3<S> d_m = (R + x.R_f) * S(0.5);
  x.lever_f = d_m + cross_columns(x.w_j, d_m) * S(2.0 * c);
  x.lever_j = d_m - cross_columns(x.w_f, d_m) * S(2.0 * c);
  x.rate_f = cross_columns(x.w_f, x.lever_f);
  x.rate_j = cross_columns(x.w_j, x.lever_j);

  const Vec3<S> before = lift<S>(R_0 * (J * Omega_0)), start = lift<S>(Omega_0);
  x.dL = rotate(x.R_f, Vec3<S>(inertia * Omega_f)) - before;
  x.D = rotate(R_m, Vec3<S>(inertia * (Omega_j - start))) + cross(x.dL, s) * S(2.0 * c);
  return x;
}

template SpinStep<double> calc_spin(const Eigen::Matrix3d&, const Eigen::Matrix3d&, const Eigen::Vector3d&,
                                    const Vec3<double>&, const Vec3<double>&, double, double);
template SpinStep<Dual<6>> calc_spin(const Eigen::Matrix3d&, const Eigen::Matrix3d&, const Eigen::Vector3d&,
                                     const Vec3<Dual<6>>&, const Vec3<Dual<6>>&, double, double);

namespace {

double value(double x) { return x; }
double value(const Dual<6>& x) { return x.v; }

template <class S>
void take_values(const SpinStep<S>& spin, SlotFrameStep& x, Eigen::Matrix3d& lever_j, Eigen::Matrix3d& lever_f) {
  for (int i = 0; i < 3; ++i) {
    x.w_j[i] = value(spin.w_j[i]), x.w_f[i] = value(spin.w_f[i]);
    x.dL[i] = value(spin.dL[i]), x.D[i] = value(spin.D[i]);
    for (int k = 0; k < 3; ++k) {
      x.at_f.R(i, k) = value(spin.R_f(i, k));
      lever_j(i, k) = value(spin.lever_j(i, k)), lever_f(i, k) = value(spin.lever_f(i, k));
      x.rate_j[3 + 3 * k + i] = value(spin.rate_j(i, k)), x.rate_f[3 + 3 * k + i] = value(spin.rate_f(i, k));
    }
  }
}

// ∂/∂(u_j, u_f) from the derivatives by (Ω_j, Ω_f), Ω = S_w u.
template <class Row>
void chain(const Dual<6>& x, const SlotFrame::Map& S_w, Row&& row) {
  const Eigen::Index nv = S_w.cols();
  for (Eigen::Index c = 0; c < nv; ++c) {
    row[c] = x.d[0] * S_w(0, c) + x.d[1] * S_w(1, c) + x.d[2] * S_w(2, c);
    row[nv + c] = x.d[3] * S_w(0, c) + x.d[4] * S_w(1, c) + x.d[5] * S_w(2, c);
  }
}

void take_derivatives(const SlotFrame& frame, const SpinStep<Dual<6>>& spin, SlotFrameStep& x) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) {
      const int row = 3 + 3 * k + i;
      chain(spin.rate_j(i, k), frame.S_w, x.rate_j_u.row(row));
      chain(spin.rate_f(i, k), frame.S_w, x.rate_f_u.row(row));
      chain(spin.lever_j(i, k), frame.S_w, x.lever_j_u.row(row));
      chain(spin.lever_f(i, k), frame.S_w, x.lever_f_u.row(row));
    }
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 12> dL(3, 2 * frame.nv), D(3, 2 * frame.nv);
  for (int i = 0; i < 3; ++i) {
    chain(spin.dL[i], frame.S_w, dL.row(i));
    chain(spin.D[i], frame.S_w, D.row(i));
    chain(spin.w_j[i], frame.S_w, x.w_j_u.row(i));
    chain(spin.w_f[i], frame.S_w, x.w_f_u.row(i));
  }
  x.dL_u.noalias() = x.S_row.transpose() * dL;
  x.D_u.noalias() = x.S_row.transpose() * D;
}

}  // namespace

void SlotFrameStep::begin(const SlotFrame& frame, const Frame<double>& at) {
  start = at_j = at_f = at;
  z_0 << at.p, at.R.col(0), at.R.col(1), at.R.col(2);
  S_row = at.R * frame.S_w;
  const int nv = frame.nv;
  rate_j.setZero(), rate_f.setZero();
  for (Columns* columns : {&rate_j_u, &rate_f_u, &lever_j_u, &lever_f_u}) columns->setZero(12, 2 * nv);
  rate_j_u.block(0, 0, 3, nv) = frame.S_x;
  rate_f_u.block(0, nv, 3, nv) = frame.S_x;
  for (Block* block : {&dL_u, &D_u}) block->setZero(nv, 2 * nv);
  w_j_u.setZero(3, 2 * nv), w_f_u.setZero(3, 2 * nv);
  for (Rows* rows : {&on_j, &on_f}) {
    rows->setZero(nv, 12);
    rows->leftCols<3>() = frame.S_x.transpose();
  }
  w_j.setZero(), w_f.setZero(), dL.setZero(), D.setZero();
  force_j.setZero(), force_f.setZero();
}

void SlotFrameStep::update(const SlotFrame& frame, const double* u_j, const double* u_f, double h, double curvature,
                           bool derivatives) {
  const Eigen::Map<const Eigen::VectorXd> uj(u_j, frame.nv), uf(u_f, frame.nv);
  at_j.v.noalias() = frame.S_x * uj;
  at_f.v.noalias() = frame.S_x * uf;
  rate_j.head<3>() = at_j.v;
  rate_f.head<3>() = at_f.v;
  at_f.p = start.p + 0.5 * h * (at_j.v + at_f.v);
  force_j.setZero(), force_f.setZero();
  if (!frame.turns) return;
  at_j.w.noalias() = frame.S_w * uj;
  at_f.w.noalias() = frame.S_w * uf;
  Eigen::Matrix3d lever_j, lever_f;
  if (derivatives) {
    Vec3<Dual<6>> Omega_j, Omega_f;
    for (int i = 0; i < 3; ++i) {
      Omega_j[i] = Dual<6>::variable(at_j.w[i], i);
      Omega_f[i] = Dual<6>::variable(at_f.w[i], 3 + i);
    }
    const SpinStep<Dual<6>> spin = calc_spin(start.R, frame.inertia, start.w, Omega_j, Omega_f, h, curvature);
    take_values(spin, *this, lever_j, lever_f);
    take_derivatives(frame, spin, *this);
  } else {
    take_values(calc_spin<double>(start.R, frame.inertia, start.w, at_j.w, at_f.w, h, curvature), *this, lever_j,
                lever_f);
  }
  // S_rowᵀ (p_i × f_i) = (S_row × p_i)ᵀ f_i
  for (int i = 0; i < 3; ++i)
    for (Eigen::Index r = 0; r < frame.nv; ++r) {
      const Eigen::Vector3d axis = S_row.col(r);
      on_j.block<1, 3>(r, 3 + 3 * i) = axis.cross(lever_j.col(i)).transpose();
      on_f.block<1, 3>(r, 3 + 3 * i) = axis.cross(lever_f.col(i)).transpose();
    }
}

}  // namespace trammel
