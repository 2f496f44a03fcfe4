// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/slots/slot_kernel.h"

/// What the law of an element makes of its strains and rates: impulses S, the rows of its unknowns, its part of the
/// energy. slot_element.h has the laws.

namespace trammel {

using Law = SlotElement::Law;

// ---- stops ---------------------------------------------------------------------------------------------------------

namespace {

double positive(double x) { return x > 0.0 ? x : 0.0; }

// Of one side, at a depth that is not negative.
double calc_side_potential(const SlotElement::Stop& stop, double depth) {
  return depth * depth * (0.5 * stop.stiffness + stop.quadratic / 3.0 * depth);
}

template <class S>
S calc_side_force(const SlotElement::Stop& stop, const S& depth) {
  return depth * (stop.stiffness + stop.quadratic * depth);
}

double calc_stop_potential(const SlotElement::Stop& stop, double x) {
  return calc_side_potential(stop, positive(x - stop.upper)) + calc_side_potential(stop, positive(stop.lower - x));
}

double calc_stop_force(const SlotElement::Stop& stop, double x) {
  return calc_side_force(stop, positive(x - stop.upper)) - calc_side_force(stop, positive(stop.lower - x));
}

// S_d and S* of one side: depths ⟨a⟩ at the end and ⟨b⟩ at ε_j.
template <class S>
void one_sided(const SlotElement::Stop& stop, const S& a, const S& b, S& S_d, S& S_star) {
  const double half = 0.5 * stop.stiffness, third = stop.quadratic / 3.0;
  const bool in_a = a > 0.0, in_b = b > 0.0;
  if (in_a && in_b)
    S_d = half * (a + b) + third * (a * a + a * b + b * b);
  else if (in_a)
    S_d = a * (half + third * a) * (a / (a - b));
  else if (in_b)
    S_d = b * (half + third * b) * (b / (b - a));
  else
    S_d = S(0.0);
  S_star = in_b ? calc_side_force(stop, b) : S(0.0);
}

// The part of a stop's push that is damping: c ẋ ramped in, and never more pull than the spring pushes.
template <class S>
S damped(const SlotElement::Stop& stop, const S& depth, const S& rate) {
  if (!(depth > 0.0)) return S(0.0);
  const S ramp = depth < stop.depth ? S(depth / stop.depth) : S(1.0);
  const S push = stop.damping * rate * ramp, least = -calc_side_force(stop, depth);
  return push > least ? push : least;
}

}  // namespace

void SlotKernel::update_stop(bool derivatives) {
  const SlotElement::Stop& stop = e_->stop;
  const double h = step_.h;
  const auto calc = [&](const auto& e_f, const auto& r_f, const auto& r_j, auto& S_j, auto& S_f, auto& D_j, auto& D_f) {
    using S = std::decay_t<decltype(e_f)>;
    const S eps = start_->e_0[0] - (h / 6.0) * (r_f - r_j);
    S above_d, above_star, below_d, below_star;
    one_sided<S>(stop, S(e_f - stop.upper), S(eps - stop.upper), above_d, above_star);
    one_sided<S>(stop, S(stop.lower - e_f), S(stop.lower - eps), below_d, below_star);
    const S S_d = above_d - below_d, S_star = above_star - below_star;
    D_f = 0.5 * h * (damped<S>(stop, S(e_f - stop.upper), r_f) - damped<S>(stop, S(stop.lower - e_f), S(-r_f)));
    D_j = 0.5 * h * (damped<S>(stop, S(eps - stop.upper), r_j) - damped<S>(stop, S(stop.lower - eps), S(-r_j)));
    S_f = (h / 6.0) * (4.0 * S_d - S_star) + D_f;
    S_j = (h / 6.0) * (2.0 * S_d + S_star) + D_j;
  };
  if (!derivatives) {
    calc(e_f_[0], er_f_[0], er_j_[0], S_j_[0], S_f_[0], Sd_j_[0], Sd_f_[0]);
    return;
  }
  Dual<6> S_j, S_f, D_j, D_f;
  calc(Dual<6>::variable(e_f_[0], 0), Dual<6>::variable(er_f_[0], 1), Dual<6>::variable(er_j_[0], 2), S_j, S_f, D_j,
       D_f);
  S_j_[0] = S_j.v, S_f_[0] = S_f.v, Sd_j_[0] = D_j.v, Sd_f_[0] = D_f.v;
  for (int d = 0; d < 3; ++d) stop_d_[0][d] = S_j.d[d], stop_d_[1][d] = S_f.d[d];
}

// ---- impulses ------------------------------------------------------------------------------------------------------

void SlotKernel::update_law(const double* L_j, const double* L_f, bool derivatives) {
  const int nf = e_->n_functions();
  for (Functions* x : {&S_j_, &S_f_, &Sd_j_, &Sd_f_}) x->setZero(nf);
  if (e_->law == Law::stop) {
    update_stop(derivatives);
  } else {
    for (int i = 0; i < nf; ++i) {
      if (e_->multiplier[i] < 0) continue;
      S_j_[i] = L_j[e_->multiplier[i]];
      S_f_[i] = L_f[e_->multiplier[i]];
    }
  }
  if (e_->law == Law::elastic) {
    const double h = step_.h;
    for (int i = 0; i < nf; ++i) {
      for (int j = 0; j < nf; ++j) {
        Sd_f_[i] += h / 6.0 * e_->C(i, j) * (er_j_[j] + 2.0 * er_f_[j]);
        Sd_j_[i] += h / 6.0 * e_->C(i, j) * (2.0 * er_j_[j] + er_f_[j]);
      }
      S_f_[i] += Sd_f_[i] + 0.5 * h * e_->preload[i];
      S_j_[i] += Sd_j_[i] + 0.5 * h * e_->preload[i];
    }
  }
}

// Of dampers and stops, by velocities; by the unknowns L it is the identity. False: there are none.
bool SlotKernel::update_law_derivatives() {
  const SlotElement& e = *e_;
  const double h = step_.h;
  dS_j_.setZero(e.n_functions(), V_j_.cols()), dS_f_.setZero(e.n_functions(), V_j_.cols());
  if (e.law == Law::elastic && !e.C.isZero(0.0)) {
    dS_f_.noalias() = (h / 6.0 * e.C) * (der_j_ + 2.0 * der_f_);
    dS_j_.noalias() = (h / 6.0 * e.C) * (2.0 * der_j_ + der_f_);
    return true;
  }
  if (e.law == Law::stop) {
    dS_j_ = stop_d_[0][0] * de_ + stop_d_[0][1] * der_f_ + stop_d_[0][2] * der_j_;
    dS_f_ = stop_d_[1][0] * de_ + stop_d_[1][1] * der_f_ + stop_d_[1][2] * der_j_;
    return true;
  }
  return false;
}

// ---- the rows of the unknowns --------------------------------------------------------------------------------------

void SlotKernel::calc_unknown_rows(double* pos, double* rate) const {
  const SlotElement& e = *e_;
  const double h = step_.h;
  for (int i = 0; i < e.n_functions(); ++i) {
    const int m = e.multiplier[i];
    if (m < 0) continue;
    const int u = e.input[i];
    switch (e.law) {
      case Law::constraint:
        pos[m] = 2.0 / h * (e_f_[i] - (u < 0 ? 0.0 : step_.u_f[u]));
        rate[m] = er_f_[i] - er_j_[i] - (u < 0 ? 0.0 : step_.ud_f[u] - step_.ud_0[u]);
        break;
      case Law::rate:
        pos[m] = er_f_[i] + er_j_[i] - (u < 0 ? 0.0 : 2.0 * step_.u_mean[u]);
        rate[m] = er_f_[i] - er_j_[i] - (u < 0 ? 0.0 : step_.u_f[u] - step_.u_0[u]);
        break;
      default: {
        double Ke_f = 0.0, Ke_0 = 0.0, Kr = 0.0;
        for (int j = 0; j < e.n_functions(); ++j) {
          Ke_f += e.K(i, j) * e_f_[j];
          Ke_0 += e.K(i, j) * start_->e_0[j];
          Kr += e.K(i, j) * (er_f_[j] - er_j_[j]);
        }
        const double L_f = S_f_[i] - Sd_f_[i] - 0.5 * h * e.preload[i];
        const double L_j = S_j_[i] - Sd_j_[i] - 0.5 * h * e.preload[i];
        const double scale = 1.0 / (e.K(i, i) + step_.mass / (h * h));
        pos[m] = scale * 2.0 / h * (Ke_f - (4.0 * L_f - 2.0 * L_j) / h);
        rate[m] = scale * (Kr + 6.0 / h * ((4.0 * L_j - 2.0 * L_f) / h - Ke_0));
      }
    }
  }
}

void SlotKernel::add_unknown_rows(int nc) {
  const SlotElement& e = *e_;
  const double h = step_.h;
  const int nf = e.n_functions();
  for (int i = 0; i < nf; ++i) {
    auto pos = matrix_.row(nc + i), rate = matrix_.row(nc + nf + i);
    if (e.law == Law::constraint) {
      pos.head(nc) = 2.0 / h * de_.row(i);
      rate.head(nc) = der_f_.row(i) - der_j_.row(i);
    } else if (e.law == Law::rate) {
      pos.head(nc) = der_f_.row(i) + der_j_.row(i);
      rate.head(nc) = der_f_.row(i) - der_j_.row(i);
    } else {
      const double scale = 1.0 / (e.K(i, i) + step_.mass / (h * h));
      for (int j = 0; j < nf; ++j) {
        if (e.K(i, j) == 0.0) continue;
        pos.head(nc) += scale * 2.0 / h * e.K(i, j) * de_.row(j);
        rate.head(nc) += scale * e.K(i, j) * (der_f_.row(j) - der_j_.row(j));
      }
      pos[nc + i] += scale * 4.0 / (h * h), pos[nc + nf + i] -= scale * 8.0 / (h * h);
      rate[nc + i] += scale * 24.0 / (h * h), rate[nc + nf + i] -= scale * 12.0 / (h * h);
    }
  }
}

// ---- energy --------------------------------------------------------------------------------------------------------

double SlotKernel::calc_potential(const SlotElement& e, const Eigen::Ref<const Eigen::VectorXd>& strain) {
  if (e.law == Law::elastic) {
    double V = e.preload.dot(strain);
    for (int i = 0; i < e.n_functions(); ++i)
      for (int j = 0; j < e.n_functions(); ++j) V += 0.5 * strain[i] * e.K(i, j) * strain[j];
    return V;
  }
  return e.law == Law::stop ? calc_stop_potential(e.stop, strain[0]) : 0.0;
}

double SlotKernel::calc_strain_jump() const {
  const SlotElement& e = *e_;
  const double h = step_.h;
  if (e.law == Law::stop) {
    // V_0 − V(ε) − V'(ε)(e_0 − ε) ≥ 0 of a convex V
    const double e_0 = start_->e_0[0], eps = e_0 - h / 6.0 * (er_f_[0] - er_j_[0]);
    return calc_stop_potential(e.stop, e_0) - calc_stop_potential(e.stop, eps) -
           calc_stop_force(e.stop, eps) * (e_0 - eps);
  }
  if (e.law != Law::elastic) return 0.0;
  double sum = 0.0;
  for (int i = 0; i < e.n_functions(); ++i)
    for (int j = 0; j < e.n_functions(); ++j) sum += (er_f_[i] - er_j_[i]) * e.K(i, j) * (er_f_[j] - er_j_[j]);
  return 0.5 * sum * h * h / 36.0;
}

double SlotKernel::calc_dissipated() const { return Sd_f_.dot(er_f_) + Sd_j_.dot(er_j_); }

double SlotKernel::calc_supplied() const {
  double work = 0.0;
  if (e_->law == Law::constraint || e_->law == Law::rate)
    for (int i = 0; i < e_->n_functions(); ++i)
      if (e_->input[i] >= 0) work -= S_f_[i] * er_f_[i] + S_j_[i] * er_j_[i];
  return work;
}

}  // namespace trammel
