#include "trammel/mechanics/slots/slot_element.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel {

using Law = SlotElement::Law;
using Type = SlotElement::Measure::Type;

// ---- building ------------------------------------------------------------------------------------------------------

int SlotElement::local(int frame) {
  const auto it = std::find(frames.begin(), frames.end(), frame);
  if (it != frames.end()) return static_cast<int>(it - frames.begin());
  frames.push_back(frame);
  return n_frames() - 1;
}

int SlotElement::add_vector() {
  const int k = n_vectors();
  weights.resize(weights.size() + 4 * frames.size(), 0.0);
  return k;
}

void SlotElement::add_point(int vector, int frame, const Eigen::Vector3d& s, double factor) {
  weight(vector, frame, 0) += factor;
  add_direction(vector, frame, s, factor);
}

void SlotElement::add_direction(int vector, int frame, const Eigen::Vector3d& n, double factor) {
  for (int i = 0; i < 3; ++i) weight(vector, frame, 1 + i) += factor * n[i];
}

int SlotElement::add_product(int k, int l, double factor) {
  quadratics.push_back({{{k, l, factor}}, {}, 0.0});
  return static_cast<int>(quadratics.size()) - 1;
}

int SlotElement::add_linear(int k, const Eigen::Vector3d& direction) {
  quadratics.push_back({{}, {{k, direction}}, 0.0});
  return static_cast<int>(quadratics.size()) - 1;
}

int SlotElement::add_function(double constant_value, int multiplier_number, int input_number) {
  constant.push_back(constant_value);
  multiplier.push_back(multiplier_number);
  input.push_back(input_number);
  return n_functions() - 1;
}

void SlotElement::add_measure(int function, Measure::Type type, int q0, int q1, double factor) {
  Measure m;
  m.type = type, m.function = function, m.factor = factor;
  m.q[0] = q0, m.q[1] = q1;
  measures.push_back(m);
}

// ---- quadratics and measures ---------------------------------------------------------------------------------------

namespace {

template <class Vectors>
double calc_quadratic(const SlotElement::Quadratic& q, const Vectors& P) {
  double value = q.constant;
  for (const auto& p : q.products) value += p.factor * P.col(p.k).dot(P.col(p.l));
  for (const auto& l : q.linear) value += l.direction.dot(P.col(l.k));
  return value;
}

// ∂q/∂P at P (with the linear part), or Q P (without).
template <class Vectors, class Column>
void calc_gradient(const SlotElement::Quadratic& q, const Vectors& P, bool with_linear, Column b) {
  b.setZero();
  for (const auto& p : q.products) {
    b.template segment<3>(3 * p.k) += p.factor * P.col(p.l);
    b.template segment<3>(3 * p.l) += p.factor * P.col(p.k);
  }
  if (with_linear)
    for (const auto& l : q.linear) b.template segment<3>(3 * l.k) += l.direction;
}

int n_quadratics(const SlotElement::Measure& m) {
  switch (m.type) {
    case Type::angle:
      return 2;
    case Type::rotation:
      return 4;
    default:
      return 1;
  }
}

template <class S>
struct MeasureResult {
  S value, rate_f, rate_j, w_f[4], w_j[4];
};

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

// (3) with the rates of its quadratics.
template <class S>
MeasureResult<S> calc_measure(const SlotElement::Measure& measure, const double* q_0, double m_0, const S* q,
                              const S* r_f, const S* r_j, double half_h) {
  using std::atan2, std::sqrt;
  MeasureResult<S> x;
  switch (measure.type) {
    case Type::quadratic:
      x.value = q[0];
      x.w_f[0] = x.w_j[0] = S(1.0);
      break;
    case Type::length: {
      // dl = dq/(l_0 + l_f),  l'' = −1/(4 l³)
      const S length = sqrt(q[0]), s = 1.0 / (m_0 + length), bend = s * s * s * (-2.0 * half_h);
      x.value = length;
      x.w_f[0] = s + bend * r_j[0];
      x.w_j[0] = s - bend * r_f[0];
      break;
    }
    case Type::disc: {
      // m = √(1 − q²):  dm = −dq (q_0 + q_f)/(m_0 + m_f),  m'' = −1/m³
      const S m = sqrt(1.0 - q[0] * q[0]), sum = m_0 + m, s = -(q_0[0] + q[0]) / sum;
      const S bend = -8.0 * half_h / (sum * sum * sum);
      x.value = m;
      x.w_f[0] = s + bend * r_j[0];
      x.w_j[0] = s - bend * r_f[0];
      break;
    }
    case Type::angle: {
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
    case Type::rotation:
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

double start_value(const SlotElement::Measure& m, const Eigen::VectorXd& q, std::span<const double> turns) {
  switch (m.type) {
    case Type::length:
      return std::sqrt(q[m.q[0]]);
    case Type::disc:
      return std::sqrt(1.0 - q[m.q[0]] * q[m.q[0]]);
    case Type::angle: {
      constexpr double turn = 2.0 * std::numbers::pi;
      const double x = std::atan2(q[m.q[1]], q[m.q[0]]) - m.zero;
      const double expected = m.branch < 0 ? 0.0 : turns[m.branch];
      return x + turn * std::round((expected - x) / turn);
    }
    case Type::rotation: {
      const double own[4] = {q[m.q[0]], q[m.q[1]], q[m.q[2]], q[m.q[3]]};
      return rotation_component(m.component, own);
    }
    case Type::quadratic:
      break;
  }
  return q[m.q[0]];
}

double positive(double x) { return x > 0.0 ? x : 0.0; }

double stop_potential(const SlotElement::Stop& stop, double x) {
  const double a = positive(x - stop.upper), b = positive(stop.lower - x);
  return 0.5 * stop.stiffness * (a * a + b * b);
}

// S_d and S* of one side: depths a at the end and b at ε_j, which are ⟨a_signed⟩, ⟨b_signed⟩.
template <class S>
void one_sided(double k, const S& a_signed, const S& b_signed, S& S_d, S& S_star) {
  const bool in_a = a_signed > 0.0, in_b = b_signed > 0.0;
  if (in_a && in_b)
    S_d = 0.5 * k * (a_signed + b_signed);
  else if (in_a)
    S_d = 0.5 * k * a_signed * (a_signed / (a_signed - b_signed));
  else if (in_b)
    S_d = 0.5 * k * b_signed * (b_signed / (b_signed - a_signed));
  else
    S_d = S(0.0);
  S_star = in_b ? S(k * b_signed) : S(0.0);
}

// The part of a stop's push that is damping: c ẋ ramped in, and never more pull than the spring pushes.
template <class S>
S damped(const SlotElement::Stop& stop, const S& depth, const S& rate) {
  if (!(depth > 0.0)) return S(0.0);
  const S ramp = depth < stop.depth ? S(depth / stop.depth) : S(1.0);
  const S push = stop.damping * rate * ramp, least = -stop.stiffness * depth;
  return push > least ? push : least;
}

}  // namespace

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

double SlotKernel::calc_potential(const SlotElement& e, const Eigen::Ref<const Eigen::VectorXd>& strain) {
  if (e.law == Law::elastic) {
    double V = e.preload.dot(strain);
    for (int i = 0; i < e.n_functions(); ++i)
      for (int j = 0; j < e.n_functions(); ++j) V += 0.5 * strain[i] * e.K(i, j) * strain[j];
    return V;
  }
  return e.law == Law::stop ? stop_potential(e.stop, strain[0]) : 0.0;
}

// ---- values --------------------------------------------------------------------------------------------------------

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
    if (derivatives && m.type != Type::quadratic) {
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
  // forces on quadratics
  sigma_j_.setZero(r_j_.size()), sigma_f_.setZero(r_j_.size());
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const SlotElement::Measure& m = e_->measures[i];
    for (int k = 0; k < n_quadratics(m); ++k) {
      sigma_f_[m.q[k]] += m.factor * S_f_[m.function] * measures_[i].w_f[k];
      sigma_j_[m.q[k]] += m.factor * S_j_[m.function] * measures_[i].w_j[k];
    }
  }
}

void SlotKernel::update_stop(bool derivatives) {
  const SlotElement::Stop& stop = e_->stop;
  const double h = step_.h;
  const auto calc = [&](const auto& e_f, const auto& r_f, const auto& r_j, auto& S_j, auto& S_f, auto& D_j, auto& D_f) {
    using S = std::decay_t<decltype(e_f)>;
    const S eps = start_->e_0[0] - (h / 6.0) * (r_f - r_j);
    S above_d, above_star, below_d, below_star;
    one_sided<S>(stop.stiffness, S(e_f - stop.upper), S(eps - stop.upper), above_d, above_star);
    one_sided<S>(stop.stiffness, S(stop.lower - e_f), S(stop.lower - eps), below_d, below_star);
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

void SlotKernel::update(const SlotElement& e, const SlotElementStep& start, Steps frames, const Step& step,
                        const double* L_j, const double* L_f, bool derivatives) {
  e_ = &e, start_ = &start, step_ = step;
  gather_vectors(e, frames);
  update_quadratics();
  update_measures(derivatives);
  update_law(L_j, L_f, derivatives);
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
  if (!e.has_unknowns()) return;
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

// ---- energy --------------------------------------------------------------------------------------------------------

double SlotKernel::calc_strain_jump() const {
  const SlotElement& e = *e_;
  const double h = step_.h;
  if (e.law == Law::stop) {
    // V_0 − V(ε) − V'(ε)(e_0 − ε) ≥ 0 of a convex V
    const double e_0 = start_->e_0[0], eps = e_0 - h / 6.0 * (er_f_[0] - er_j_[0]);
    const double slope = e.stop.stiffness * (positive(eps - e.stop.upper) - positive(e.stop.lower - eps));
    return stop_potential(e.stop, e_0) - stop_potential(e.stop, eps) - slope * (e_0 - eps);
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

// ---- derivatives ---------------------------------------------------------------------------------------------------

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

void SlotKernel::calc_matrix(Frames frames, Steps steps) {
  const SlotElement& e = *e_;
  update_chains(e, frames, steps);
  const double h = step_.h, bend = 0.5 * step_.curvature * h, quarter = 0.25 * h;
  const int nf = e.n_functions(), nu = e.has_unknowns() ? nf : 0, nc = static_cast<int>(V_j_.cols());
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

  de_.setZero(nf, nc), der_j_.setZero(nf, nc), der_f_.setZero(nf, nc);
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const SlotElement::Measure& m = e.measures[i];
    const MeasureValues& x = measures_[i];
    if (m.type == Type::quadratic) {
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

  // dS by velocities: dampers and stops; by the unknowns L it is the identity
  dS_j_.setZero(nf, nc), dS_f_.setZero(nf, nc);
  bool law_moves = false;
  if (e.law == Law::elastic && !e.C.isZero(0.0)) {
    law_moves = true;
    dS_f_.noalias() = (h / 6.0 * e.C) * (der_j_ + 2.0 * der_f_);
    dS_j_.noalias() = (h / 6.0 * e.C) * (2.0 * der_j_ + der_f_);
  } else if (e.law == Law::stop) {
    law_moves = true;
    dS_j_ = stop_d_[0][0] * de_ + stop_d_[0][1] * der_f_ + stop_d_[0][2] * der_j_;
    dS_f_ = stop_d_[1][0] * de_ + stop_d_[1][1] * der_f_ + stop_d_[1][2] * der_j_;
  }

  matrix_.setZero(nc + 2 * nu, nc + 2 * nu);
  for (const bool at_f : {false, true}) {
    const Gradients& b = at_f ? b_f_ : b_j_;
    const Quadratics& sigma = at_f ? sigma_f_ : sigma_j_;
    const Functions& force = at_f ? S_f_ : S_j_;
    const Few& dS = at_f ? dS_f_ : dS_j_;
    const auto& H = at_f ? H_f_ : H_j_;
    // dσ = Σ factor (dS w + S dw)
    bool sigma_moves = law_moves;
    dsigma_.setZero(nq, nc);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const SlotElement::Measure& m = e.measures[i];
      const MeasureValues& x = measures_[i];
      for (int k = 0; k < n_quadratics(m); ++k) {
        if (law_moves) dsigma_.row(m.q[k]) += m.factor * (at_f ? x.w_f[k] : x.w_j[k]) * dS.row(m.function);
        if (m.type == Type::quadratic) continue;
        sigma_moves = true;
        const double* d = at_f ? x.w_f_d[k] : x.w_j_d[k];
        const double S = m.factor * force[m.function];
        for (int l = 0; l < n_quadratics(m); ++l)
          dsigma_.row(m.q[k]) +=
              S * (d[3 * l] * dq_.row(m.q[l]) + d[3 * l + 1] * dr_f_.row(m.q[l]) + d[3 * l + 2] * dr_j_.row(m.q[l]));
      }
    }
    // dF_k = Σ σ c dP_l(ζ) + b dσ
    const double by_j = at_f ? quarter + bend : quarter, by_f = at_f ? quarter : quarter - bend;
    dF_.setZero(V_j_.rows(), nc);
    for (Eigen::Index q = 0; q < nq; ++q)
      for (const SlotElement::Product& p : e.quadratics[q].products) {
        const double factor = sigma[q] * p.factor;
        if (factor == 0.0) continue;
        dF_.middleRows<3>(3 * p.k) +=
            factor * (by_j * V_j_.middleRows<3>(3 * p.l) + by_f * V_f_.middleRows<3>(3 * p.l));
        dF_.middleRows<3>(3 * p.l) +=
            factor * (by_j * V_j_.middleRows<3>(3 * p.k) + by_f * V_f_.middleRows<3>(3 * p.k));
      }
    if (sigma_moves) dF_.noalias() += b * dsigma_;
    // rows of the frames: (j, f) of each; the impulse enters twice
    int column = 0, row = 0;
    for (const int f : e.frames) {
      const int nv = frames[f].nv;
      if (nv > 0) {
        const int to = column + (at_f ? nv : 0);
        matrix_.block(to, 0, nv, nc).noalias() += 2.0 * H.middleRows(row, nv) * dF_;
        for (std::size_t i = 0; i < measures_.size() && nu > 0; ++i) {
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
  if (nu > 0) add_unknown_rows(nc);
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
