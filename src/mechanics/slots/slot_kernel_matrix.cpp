// SPDX-License-Identifier: Apache-2.0
#include "slot_measures.h"
#include "slot_quadratics.h"
#include "trammel/mechanics/slots/slot_kernel.h"

/// Exact derivatives of an element: of (1)–(4) of slot_element.h by the velocities of its frames, and of its rows.

namespace trammel {

using detail::calc_gradient, detail::n_quadratics;

// V: rates of the vectors by the unknowns of the frames; H: forces on the vectors to the rows of the frames.
void SlotKernel::update_chains(const SlotElement& e, Frames frames, Steps steps) {
  int n_columns = 0;
  for (const int f : e.frames) n_columns += 2 * frames[f].nv;
  const int n = e.n_vectors();
  V_j_.setZero(3 * n, n_columns), V_f_.setZero(3 * n, n_columns);
  H_j_.setZero(n_columns / 2, 3 * n), H_f_.setZero(n_columns / 2, 3 * n);
  const double* weight = e.weights.data();
  for (int k = 0; k < n; ++k) {
    int column = 0;
    for (const int f : e.frames) {
      const int nv = frames[f].nv;
      for (int s = 0; s < 4; ++s, ++weight) {
        if (*weight == 0.0 || nv == 0) continue;
        V_j_.block(3 * k, column, 3, 2 * nv) += *weight * steps[f].rate_j_u.middleRows<3>(3 * s);
        V_f_.block(3 * k, column, 3, 2 * nv) += *weight * steps[f].rate_f_u.middleRows<3>(3 * s);
        H_j_.block(column / 2, 3 * k, nv, 3) += *weight * steps[f].on_j.middleCols<3>(3 * s);
        H_f_.block(column / 2, 3 * k, nv, 3) += *weight * steps[f].on_f.middleCols<3>(3 * s);
      }
      column += 2 * nv;
    }
  }
}

// d(r_f, r_j, q_f)
void SlotKernel::update_rate_derivatives() {
  const double h = step_.h, bend = 0.5 * step_.curvature * h, quarter = 0.25 * h;
  const SlotElement& e = *e_;
  const Eigen::Index nq = std::ssize(e.quadratics);
  for (Eigen::Index q = 0; q < nq; ++q) {
    calc_gradient(e.quadratics[q], rate_j_, false, c_j_.col(q));
    calc_gradient(e.quadratics[q], rate_f_, false, c_f_.col(q));
    calc_gradient(e.quadratics[q], end_, true, b_end_.col(q));
  }
  dr_f_.noalias() = ((quarter + bend) * c_f_).transpose() * V_j_;
  dr_f_.noalias() += (b_f_ + quarter * c_f_).transpose() * V_f_;
  dr_j_.noalias() = (b_j_ + quarter * c_j_).transpose() * V_j_;
  dr_j_.noalias() += ((quarter - bend) * c_j_).transpose() * V_f_;
  dq_.noalias() = (0.5 * h * b_end_).transpose() * (V_j_ + V_f_);
}

// d(e_f, and its rates): the sums over measures
void SlotKernel::update_strain_derivatives() {
  const SlotElement& e = *e_;
  const Eigen::Index nf = e.n_functions(), nc = V_j_.cols();
  de_.setZero(nf, nc), der_j_.setZero(nf, nc), der_f_.setZero(nf, nc);
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const SlotElement::Measure& m = e.measures[i];
    const MeasureValues& x = measures_[i];
    if (m.type == MeasureType::quadratic) {
      de_.row(m.function) += m.factor * dq_.row(m.q[0]);
      der_f_.row(m.function) += m.factor * dr_f_.row(m.q[0]);
      der_j_.row(m.function) += m.factor * dr_j_.row(m.q[0]);
      continue;
    }
    for (int k = 0; k < n_quadratics(m); ++k) {
      const int q = m.q[k];
      const auto add = [&](const double* d, auto row) {
        row += m.factor * (d[3 * k] * dq_.row(q) + d[3 * k + 1] * dr_f_.row(q) + d[3 * k + 2] * dr_j_.row(q));
      };
      add(x.value_d, de_.row(m.function));
      add(x.rate_f_d, der_f_.row(m.function));
      add(x.rate_j_d, der_j_.row(m.function));
    }
  }
}

// dσ = Σ factor (dS w + S dw); false: σ does not depend on velocities
bool SlotKernel::update_impulse_derivatives(bool at_f, bool law_moves) {
  const SlotElement& e = *e_;
  const Functions& force = at_f ? S_f_ : S_j_;
  const Few& dS = at_f ? dS_f_ : dS_j_;
  bool sigma_moves = law_moves;
  dsigma_.setZero(std::ssize(e.quadratics), V_j_.cols());
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const SlotElement::Measure& m = e.measures[i];
    const MeasureValues& x = measures_[i];
    for (int k = 0; k < n_quadratics(m); ++k) {
      if (law_moves) dsigma_.row(m.q[k]) += m.factor * (at_f ? x.w_f[k] : x.w_j[k]) * dS.row(m.function);
      if (m.type == MeasureType::quadratic) continue;
      sigma_moves = true;
      const double* d = at_f ? x.w_f_d[k] : x.w_j_d[k];
      const double S = m.factor * force[m.function];
      for (int l = 0; l < n_quadratics(m); ++l)
        dsigma_.row(m.q[k]) +=
            S * (d[3 * l] * dq_.row(m.q[l]) + d[3 * l + 1] * dr_f_.row(m.q[l]) + d[3 * l + 2] * dr_j_.row(m.q[l]));
    }
  }
  return sigma_moves;
}

// dF_k = Σ σ c dP_l(ζ) + b dσ
void SlotKernel::update_force_derivatives(bool at_f, bool sigma_moves) {
  const double bend = 0.5 * step_.curvature * step_.h, quarter = 0.25 * step_.h;
  const SlotElement& e = *e_;
  const Quadratics& sigma = at_f ? sigma_f_ : sigma_j_;
  const double by_j = at_f ? quarter + bend : quarter, by_f = at_f ? quarter : quarter - bend;
  dF_.setZero(V_j_.rows(), V_j_.cols());
  for (Eigen::Index q = 0; q < std::ssize(e.quadratics); ++q)
    for (const SlotElement::Product& p : e.quadratics[q].products) {
      const double factor = sigma[q] * p.factor;
      if (factor == 0.0) continue;
      dF_.middleRows<3>(3 * p.k) += factor * (by_j * V_j_.middleRows<3>(3 * p.l) + by_f * V_f_.middleRows<3>(3 * p.l));
      dF_.middleRows<3>(3 * p.l) += factor * (by_j * V_j_.middleRows<3>(3 * p.k) + by_f * V_f_.middleRows<3>(3 * p.k));
    }
  if (sigma_moves) dF_.noalias() += (at_f ? b_f_ : b_j_) * dsigma_;
}

// Rows of the frames, (j, f) of each; the impulse enters twice.
void SlotKernel::add_frame_rows(Frames frames, bool at_f) {
  const SlotElement& e = *e_;
  const Eigen::Index nc = V_j_.cols(), nf = e.n_functions();
  const Gradients& b = at_f ? b_f_ : b_j_;
  const auto& H = at_f ? H_f_ : H_j_;
  int column = 0, row = 0;
  for (const int f : e.frames) {
    const int nv = frames[f].nv;
    if (nv > 0) {
      const int to = column + (at_f ? nv : 0);
      matrix_.block(to, 0, nv, nc).noalias() += 2.0 * H.middleRows(row, nv) * dF_;
      for (std::size_t i = 0; i < measures_.size() && e.has_unknowns(); ++i) {
        const SlotElement::Measure& m = e.measures[i];
        for (int k = 0; k < n_quadratics(m); ++k) {
          const double w = 2.0 * m.factor * (at_f ? measures_[i].w_f[k] : measures_[i].w_j[k]);
          matrix_.col(nc + (at_f ? nf : 0) + m.function).segment(to, nv).noalias() +=
              w * (H.middleRows(row, nv) * b.col(m.q[k]));
        }
      }
    }
    column += 2 * nv, row += nv;
  }
}

void SlotKernel::calc_matrix(Frames frames, Steps steps) {
  update_chains(*e_, frames, steps);
  update_rate_derivatives();
  update_strain_derivatives();
  const bool law_moves = update_law_derivatives();
  const int nc = static_cast<int>(V_j_.cols()), size = nc + (e_->has_unknowns() ? 2 * e_->n_functions() : 0);
  matrix_.setZero(size, size);
  for (const bool at_f : {false, true}) {
    const bool sigma_moves = update_impulse_derivatives(at_f, law_moves);
    update_force_derivatives(at_f, sigma_moves);
    add_frame_rows(frames, at_f);
  }
  if (e_->has_unknowns()) add_unknown_rows(nc);
}

// ---- masses --------------------------------------------------------------------------------------------------------

void SlotKernel::calc_mass_matrix(const SlotMass& mass, Frames frames, Steps steps) {
  update_chains(mass.shape, frames, steps);
  const int nc = static_cast<int>(V_j_.cols());
  matrix_.setZero(nc, nc);
  int column = 0, row = 0;
  for (const int f : mass.shape.frames) {
    const int nv = frames[f].nv;
    if (nv > 0) {
      matrix_.block(column, 0, nv, nc).noalias() = mass.mass * H_j_.middleRows(row, nv) * (V_f_ + V_j_);
      matrix_.block(column + nv, 0, nv, nc).noalias() = mass.mass * H_f_.middleRows(row, nv) * (V_f_ - V_j_);
    }
    column += 2 * nv, row += nv;
  }
}

}  // namespace trammel
