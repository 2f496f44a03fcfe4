// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/slots/slot_kernel.h"

#include "slot_measures.h"
#include "slot_quadratics.h"

/// Values of an element, (1)–(4) of slot_element.h, in the order of its equations.

namespace trammel {

using detail::calc_gradient, detail::calc_measure, detail::calc_quadratic, detail::n_quadratics, detail::start_value;
using detail::MeasureResult;

void SlotKernel::begin(const SlotElement& e, Steps frames, std::span<const double> turns, SlotElementStep& start) {
  start.P_0.setZero(3, e.n_vectors());
  const double* weight = e.weights.data();
  for (int k = 0; k < e.n_vectors(); ++k)
    for (const int f : e.frames)
      for (int s = 0; s < 4; ++s) start.P_0.col(k) += *weight++ * frames[f].z_0.segment<3>(3 * s);
  start.q_0.resize(std::ssize(e.quadratics)), start.m_0.resize(std::ssize(e.measures));
  start.e_0.resize(e.n_functions());
  for (std::size_t q = 0; q < e.quadratics.size(); ++q) start.q_0[q] = calc_quadratic(e.quadratics[q], start.P_0);
  for (int i = 0; i < e.n_functions(); ++i) start.e_0[i] = e.constant[i];
  for (std::size_t m = 0; m < e.measures.size(); ++m) {
    start.m_0[m] = start_value(e.measures[m], start.q_0, turns);
    start.e_0[e.measures[m].function] += e.measures[m].factor * start.m_0[m];
  }
}

void SlotKernel::update(const SlotElement& e, const SlotElementStep& start, Steps frames, const Step& step,
                        const double* L_j, const double* L_f, bool derivatives) {
  e_ = &e, start_ = &start, step_ = step;
  gather_vectors(e, frames);
  update_quadratics();
  update_measures(derivatives);
  update_law(L_j, L_f, derivatives);
  update_impulses();
}

void SlotKernel::gather_vectors(const SlotElement& e, Steps frames) {
  const int n = e.n_vectors();
  rate_j_.setZero(3, n), rate_f_.setZero(3, n);
  const double* weight = e.weights.data();
  for (int k = 0; k < n; ++k)
    for (const int f : e.frames)
      for (int s = 0; s < 4; ++s, ++weight) {
        if (*weight == 0.0) continue;
        rate_j_.col(k) += *weight * frames[f].rate_j.segment<3>(3 * s);
        rate_f_.col(k) += *weight * frames[f].rate_f.segment<3>(3 * s);
      }
}

// (1), (2)
void SlotKernel::update_quadratics() {
  const double h = step_.h, bend = 0.5 * step_.curvature * h;
  const Eigen::Index nq = std::ssize(e_->quadratics), rows = 3 * e_->n_vectors();
  end_ = start_->P_0 + 0.5 * h * (rate_j_ + rate_f_);
  zeta_f_ = start_->P_0 + 0.25 * h * (rate_j_ + rate_f_);
  zeta_j_ = zeta_f_ - bend * rate_f_;
  zeta_f_ += bend * rate_j_;
  for (Gradients* b : {&b_j_, &b_f_, &b_end_, &c_j_, &c_f_}) b->resize(rows, nq);
  q_f_.resize(nq), r_j_.resize(nq), r_f_.resize(nq);
  const Eigen::Map<const Eigen::VectorXd> rate_j(rate_j_.data(), rows), rate_f(rate_f_.data(), rows);
  for (Eigen::Index q = 0; q < nq; ++q) {
    const SlotElement::Quadratic& form = e_->quadratics[q];
    calc_gradient(form, zeta_j_, true, b_j_.col(q));
    calc_gradient(form, zeta_f_, true, b_f_.col(q));
    r_j_[q] = b_j_.col(q).dot(rate_j);
    r_f_[q] = b_f_.col(q).dot(rate_f);
    q_f_[q] = calc_quadratic(form, end_);
  }
}

void SlotKernel::update_measures(bool derivatives) {
  const double bend = 0.5 * step_.curvature * step_.h;
  const int nf = e_->n_functions();
  measures_.resize(e_->measures.size());
  e_f_.resize(nf), er_j_.setZero(nf), er_f_.setZero(nf);
  for (int i = 0; i < nf; ++i) e_f_[i] = e_->constant[i];
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const SlotElement::Measure& m = e_->measures[i];
    MeasureValues& x = measures_[i];
    const int n = n_quadratics(m);
    double q_0[4] = {};
    for (int k = 0; k < n; ++k) q_0[k] = start_->q_0[m.q[k]];
    const auto take = [&](const auto& result) {
      x.value = value_of(result.value), x.rate_f = value_of(result.rate_f), x.rate_j = value_of(result.rate_j);
      for (int k = 0; k < n; ++k) x.w_f[k] = value_of(result.w_f[k]), x.w_j[k] = value_of(result.w_j[k]);
    };
    if (derivatives && m.type != MeasureType::quadratic) {
      // Variables (q_f, r_f, r_j) of each quadratic in turn, six per sweep.
      for (int first = 0; first < 3 * n; first += 6) {
        Dual<6> q[4], r_f[4], r_j[4];
        for (int k = 0; k < n; ++k) {
          q[k] = Dual<6>(q_f_[m.q[k]]), r_f[k] = Dual<6>(r_f_[m.q[k]]), r_j[k] = Dual<6>(r_j_[m.q[k]]);
          Dual<6>* own[3] = {&q[k], &r_f[k], &r_j[k]};
          for (int v = 0; v < 3; ++v)
            if (const int d = 3 * k + v - first; d >= 0 && d < 6) own[v]->d[d] = 1.0;
        }
        const MeasureResult<Dual<6>> result = calc_measure(m, q_0, start_->m_0[i], q, r_f, r_j, bend);
        take(result);
        for (int d = 0; d < 6 && first + d < 3 * n; ++d) {
          const int to = first + d;
          x.value_d[to] = result.value.d[d], x.rate_f_d[to] = result.rate_f.d[d], x.rate_j_d[to] = result.rate_j.d[d];
          for (int k = 0; k < n; ++k) x.w_f_d[k][to] = result.w_f[k].d[d], x.w_j_d[k][to] = result.w_j[k].d[d];
        }
      }
    } else {
      double q[4] = {}, r_f[4] = {}, r_j[4] = {};
      for (int k = 0; k < n; ++k) q[k] = q_f_[m.q[k]], r_f[k] = r_f_[m.q[k]], r_j[k] = r_j_[m.q[k]];
      take(calc_measure<double>(m, q_0, start_->m_0[i], q, r_f, r_j, bend));
    }
    e_f_[m.function] += m.factor * x.value;
    er_f_[m.function] += m.factor * x.rate_f;
    er_j_[m.function] += m.factor * x.rate_j;
  }
}

// (4)
void SlotKernel::update_impulses() {
  sigma_j_.setZero(r_j_.size()), sigma_f_.setZero(r_j_.size());
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const SlotElement::Measure& m = e_->measures[i];
    for (int k = 0; k < n_quadratics(m); ++k) {
      sigma_f_[m.q[k]] += m.factor * S_f_[m.function] * measures_[i].w_f[k];
      sigma_j_[m.q[k]] += m.factor * S_j_[m.function] * measures_[i].w_j[k];
    }
  }
}

void SlotKernel::add_forces(Steps frames, double* pos, double* rate) const {
  const SlotElement& e = *e_;
  const Eigen::Index n = 3 * e.n_vectors();
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3 * SlotElement::max_vectors, 1> F_j(n), F_f(n);
  F_j.noalias() = b_j_ * sigma_j_;
  F_f.noalias() = b_f_ * sigma_f_;
  const double* weight = e.weights.data();
  for (int k = 0; k < e.n_vectors(); ++k)
    for (const int f : e.frames)
      for (int s = 0; s < 4; ++s, ++weight) {
        if (*weight == 0.0) continue;
        frames[f].force_j.segment<3>(3 * s) += *weight * F_j.segment<3>(3 * k);
        frames[f].force_f.segment<3>(3 * s) += *weight * F_f.segment<3>(3 * k);
      }
  if (e.has_unknowns()) calc_unknown_rows(pos, rate);
}

// ---- masses --------------------------------------------------------------------------------------------------------

void SlotKernel::add_mass(const SlotMass& mass, const Eigen::Vector3d& u_0, const Eigen::Vector3d& weight_impulse,
                          Steps frames, Eigen::Vector3d& u_j, Eigen::Vector3d& u_f) {
  gather_vectors(mass.shape, frames);
  u_j = rate_j_.col(0), u_f = rate_f_.col(0);
  // rows take twice the impulse: m (u_f − u_j), m (u_f + u_j − 2u_0); the weight's impulse h m g acts by halves
  const Eigen::Vector3d F_f = 0.5 * (mass.mass * (u_f - u_j) - weight_impulse);
  const Eigen::Vector3d F_j = 0.5 * (mass.mass * (u_f + u_j - 2.0 * u_0) - weight_impulse);
  const double* weight = mass.shape.weights.data();
  for (const int f : mass.shape.frames)
    for (int s = 0; s < 4; ++s, ++weight) {
      frames[f].force_j.segment<3>(3 * s) += *weight * F_j;
      frames[f].force_f.segment<3>(3 * s) += *weight * F_f;
    }
}

}  // namespace trammel
