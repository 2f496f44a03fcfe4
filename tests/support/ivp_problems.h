// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "trammel/dae/dae_system.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/math/dual.h"

// Initial value problems written as a user would write them against DaeSystem, with exact Jacobians by dual numbers.

namespace trammel::testing {

/// F(t, y, y′) from a template `equations(t, y, yp, F)`; planes by sweeps of dual numbers.
template <class Equations>
class TemplateDae : public DaeSystem {
 public:
  TemplateDae(Equations equations, std::vector<Kind> kinds)
      : equations_(std::move(equations)), layout_(numbered_layout(std::move(kinds))) {}

  const Layout& layout() const override { return layout_; }
  const Equations& equations() const { return equations_; }

  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    equations_(p.t, p.y.data(), p.yp.data(), F.data());
    return Status::success();
  }
  struct Scratch : Workspace {
    std::vector<Dual<dual_width>> y, yp, F;
  };
  std::unique_ptr<Workspace> make_workspace() const override {
    auto scratch = std::make_unique<Scratch>();
    for (auto* x : {&scratch->y, &scratch->yp, &scratch->F}) x->resize(static_cast<std::size_t>(layout_.n()));
    return scratch;
  }
  Status linearize(const Point& p, const State&, Planes& planes, Workspace& workspace) const override {
    auto& [y, yp, F] = static_cast<Scratch&>(workspace);
    const int n = layout_.n();
    for (int plane = 0; plane < 2; ++plane)
      for (int first = 0; first < n; first += dual_width) {
        for (int i = 0; i < n; ++i) y[i] = p.y[i], yp[i] = p.yp[i];
        const int m = std::min(dual_width, n - first);
        for (int j = 0; j < m; ++j) (plane == 0 ? y : yp)[first + j].d[j] = 1.0;
        equations_(Dual<dual_width>(p.t), y.data(), yp.data(), F.data());
        for (int j = 0; j < m; ++j)
          for (int i = 0; i < n; ++i) planes.values[plane][(first + j) * n + i] = F[i].d[j];
      }
    return Status::success();
  }

 private:
  Equations equations_;
  Layout layout_;
};
template <class Equations>
TemplateDae(Equations, std::vector<Kind>) -> TemplateDae<Equations>;

// ---- mechanisms
// ------------------------------------------------------------------------------------------------------

enum class Form { index3, index2, index1, stabilized_index2, stabilized_index1 };

/// M(p) v′ + Gᵀλ = f(t, p, v), Φ(t, p) = 0 in one of five forms.
///
/// Unknowns (p, v, λ) and, in the stabilized forms, μ; in the stabilized index-1 form these are ψ, χ with λ = ψ′, μ =
/// χ′. Rows (kinematic, motion, constraint) with the constraint on positions, velocities or accelerations, and (…,
/// velocities, positions) in the stabilized forms.
template <class M>
struct MechanismEquations {
  static constexpr int np = M::np, nc = M::nc;
  M mechanism;
  Form form;

  bool stabilized() const { return form == Form::stabilized_index2 || form == Form::stabilized_index1; }
  int n() const { return 2 * np + (stabilized() ? 2 : 1) * nc; }

  std::vector<Kind> kinds() const {
    std::vector<Kind> kinds(n(), form == Form::stabilized_index1 ? Kind::multiplier_rate : Kind::multiplier);
    std::fill(kinds.begin(), kinds.begin() + np, Kind::position);
    std::fill(kinds.begin() + np, kinds.begin() + 2 * np, Kind::velocity);
    return kinds;
  }

  /// G v + Φ_t
  template <class S>
  void velocity_level(const S& t, const S* p, const S* v, S* out) const {
    std::array<std::array<S, np>, nc> G;
    std::array<S, nc> rate;
    mechanism.jacobian(t, p, G);
    mechanism.time_derivative(t, p, rate);
    for (int k = 0; k < nc; ++k) {
      out[k] = rate[k];
      for (int i = 0; i < np; ++i) out[k] += G[k][i] * v[i];
    }
  }

  template <class S>
  void operator()(const S& t, const S* y, const S* yp, S* F) const {
    const S *p = y, *v = y + np;
    const S* lam = (form == Form::stabilized_index1 ? yp : y) + 2 * np;
    const S* mu = lam + nc;
    std::array<std::array<S, np>, nc> G;
    std::array<S, np> inertia, force;
    mechanism.jacobian(t, p, G);
    mechanism.mass_times(p, yp + np, inertia);
    mechanism.force(t, p, v, force);
    for (int i = 0; i < np; ++i) {
      F[i] = yp[i] - v[i];
      F[np + i] = inertia[i] - force[i];
      for (int k = 0; k < nc; ++k) {
        F[np + i] += G[k][i] * lam[k];
        if (stabilized()) F[i] += G[k][i] * mu[k];
      }
    }
    S* rows = F + 2 * np;
    if (form == Form::index3) mechanism.constraint(t, p, rows);
    if (form == Form::index2 || stabilized()) velocity_level(t, p, v, rows);
    if (stabilized()) mechanism.constraint(t, p, rows + nc);
    if (form == Form::index1) acceleration_level(t, p, v, yp + np, rows);
  }

  /// The time derivative of velocity_level along (v, a).
  template <class S>
  void acceleration_level(const S& t, const S* p, const S* v, const S* a, S* out) const {
    using D = BasicDual<S, 1>;
    std::array<D, np> pd, vd;
    std::array<D, nc> rows;
    for (int i = 0; i < np; ++i) {
      pd[i] = D(p[i]), pd[i].d[0] = v[i];
      vd[i] = D(v[i]), vd[i].d[0] = a[i];
    }
    D td(t);
    td.d[0] = S(1.0);
    velocity_level(td, pd.data(), vd.data(), rows.data());
    for (int k = 0; k < nc; ++k) out[k] = rows[k].d[0];
  }

  /// Consistent y, y′ for given p and v: v′ and λ from the index-1 system, which is linear in both.
  void start(double t, const Eigen::VectorXd& p, const Eigen::VectorXd& v, Eigen::VectorXd& y,
             Eigen::VectorXd& yp) const {
    const int m = np + nc;
    const auto rows = [&](const Eigen::VectorXd& z) {
      Eigen::VectorXd r(m);
      std::array<std::array<double, np>, nc> G;
      std::array<double, np> inertia, force;
      mechanism.jacobian(t, p.data(), G);
      mechanism.mass_times(p.data(), z.data(), inertia);
      mechanism.force(t, p.data(), v.data(), force);
      for (int i = 0; i < np; ++i) {
        r[i] = inertia[i] - force[i];
        for (int k = 0; k < nc; ++k) r[i] += G[k][i] * z[np + k];
      }
      acceleration_level(t, p.data(), v.data(), z.data(), r.data() + np);
      return r;
    };
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(m), r0 = rows(zero);
    Eigen::MatrixXd A(m, m);
    for (int j = 0; j < m; ++j) A.col(j) = rows(Eigen::VectorXd::Unit(m, j)) - r0;
    const Eigen::VectorXd z = solve_square(A, -r0);
    y = Eigen::VectorXd::Zero(n());
    yp = Eigen::VectorXd::Zero(n());
    y.head(np) = p;
    y.segment(np, np) = v;
    yp.head(np) = v;
    yp.segment(np, np) = z.head(np);
    (form == Form::stabilized_index1 ? yp : y).segment(2 * np, nc) = z.tail(nc);
  }
};

template <class M>
class MechanismDae : public TemplateDae<MechanismEquations<M>> {
 public:
  explicit MechanismDae(Form form, M mechanism = {})
      : TemplateDae<MechanismEquations<M>>({mechanism, form}, MechanismEquations<M>{mechanism, form}.kinds()) {
    this->equations().start(0.0, mechanism.p0(), mechanism.v0(), y0, yp0);
  }
  void calc_indices(std::span<int> index) const override {
    const Form form = this->equations().form;
    if (form == Form::index1 || form == Form::stabilized_index1) return;
    if (form == Form::index3) std::fill(index.begin() + M::np, index.begin() + 2 * M::np, 2);
    std::fill(index.begin() + 2 * M::np, index.end(), form == Form::index3 ? 3 : 2);
  }
  Eigen::VectorXd y0, yp0;
};

/// x² + y² = 1, m = g = 1 in the form (q·q − 1)/2 (λ is twice that of x² + y² − 1).
struct PlainPendulum {
  static constexpr int np = 2, nc = 1;
  static constexpr double t_end = 1.0;

  template <class S>
  void mass_times(const S*, const S* a, std::array<S, 2>& r) const {
    r = {a[0], a[1]};
  }
  template <class S>
  void force(const S&, const S*, const S*, std::array<S, 2>& f) const {
    f = {S(0.0), S(-1.0)};
  }
  template <class S>
  void constraint(const S&, const S* p, S* g) const {
    g[0] = 0.5 * (p[0] * p[0] + p[1] * p[1] - 1.0);
  }
  template <class S>
  void jacobian(const S&, const S* p, std::array<std::array<S, 2>, 1>& G) const {
    G[0] = {p[0], p[1]};
  }
  template <class S>
  void time_derivative(const S&, const S*, std::array<S, 1>& rate) const {
    rate = {S(0.0)};
  }
  Eigen::VectorXd p0() const { return Eigen::Vector2d(1.0, 0.0); }
  Eigen::VectorXd v0() const { return Eigen::Vector2d(0.0, 1.0); }
  /// (x, y, u, v, λ) at t = 1.
  static Eigen::VectorXd reference() {
    return Eigen::Vector<double, 5>(0.8673486406004393, 0.4977010504796729, -0.0337480180609545, 0.0588130114652500,
                                    -0.4931031514390188);
  }
};

/// Andrews' squeezing mechanism in its seven relative angles.
struct Andrews {
  static constexpr int np = 7, nc = 6;
  static constexpr double t_end = 0.03;
  static constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
  static constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                          I7 = 1.912e-5;
  static constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530,
                          l0 = .07785, mom = .033;
  static constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874,
                          sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449,
                          zf = .02, zt = .04, fa = .01421;
  static constexpr double E = e - ea, F = zf - fa;

  template <class S>
  void mass_times(const S* q, const S* a, std::array<S, 7>& r) const {
    using std::cos, std::sin;
    const S c = cos(q[1]), sp = sin(q[3]), so = sin(q[5]);
    const S M11 = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * c + da * da) + I1 + I2;
    const S M21 = m2 * (da * da - da * rr * c) + I2;
    const double M22 = m2 * da * da + I2, M33 = m3 * (sa * sa + sb * sb) + I3, M44 = m4 * E * E + I4;
    const S M54 = m4 * (E * E + zt * E * sp) + I4;
    const S M55 = m4 * (zt * zt + 2 * zt * E * sp + E * E) + m5 * (ta * ta + tb * tb) + I4 + I5;
    const double M66 = m6 * F * F + I6;
    const S M76 = m6 * (F * F - u * F * so) + I6;
    const S M77 = m6 * (F * F - 2 * u * F * so + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    r[0] = M11 * a[0] + M21 * a[1];
    r[1] = M21 * a[0] + M22 * a[1];
    r[2] = M33 * a[2];
    r[3] = M44 * a[3] + M54 * a[4];
    r[4] = M54 * a[3] + M55 * a[4];
    r[5] = M66 * a[5] + M76 * a[6];
    r[6] = M76 * a[5] + M77 * a[6];
  }
  template <class S>
  void force(const S&, const S* q, const S* v, std::array<S, 7>& f) const {
    using std::cos, std::sin, std::sqrt;
    const S cg = cos(q[2]), sg = sin(q[2]);
    const S dx = sd * cg + sc * sg + xb - xc, dy = sd * sg - sc * cg + yb - yc;
    const S L = sqrt(dx * dx + dy * dy), k = -c0 * (L - l0) / L, Fx = k * dx, Fy = k * dy;
    f[0] = mom - m2 * da * rr * v[1] * (v[1] + 2.0 * v[0]) * sin(q[1]);
    f[1] = m2 * da * rr * v[0] * v[0] * sin(q[1]);
    f[2] = Fx * (sc * cg - sd * sg) + Fy * (sd * cg + sc * sg);
    f[3] = m4 * zt * E * v[4] * v[4] * cos(q[3]);
    f[4] = -m4 * zt * E * v[3] * (v[3] + 2.0 * v[4]) * cos(q[3]);
    f[5] = -m6 * u * F * v[6] * v[6] * cos(q[5]);
    f[6] = m6 * u * F * v[5] * (v[5] + 2.0 * v[6]) * cos(q[5]);
  }
  template <class S>
  void constraint(const S&, const S* q, S* g) const {
    using std::cos, std::sin;
    const S bt = q[0] + q[1], pd = q[3] + q[4], oe = q[5] + q[6];
    const S X = rr * cos(q[0]) - d * cos(bt), Y = rr * sin(q[0]) - d * sin(bt);
    g[0] = X - ss * sin(q[2]) - xb;
    g[1] = Y + ss * cos(q[2]) - yb;
    g[2] = X - e * sin(pd) - zt * cos(q[4]) - xa;
    g[3] = Y + e * cos(pd) - zt * sin(q[4]) - ya;
    g[4] = X - zf * cos(oe) - u * sin(q[6]) - xa;
    g[5] = Y - zf * sin(oe) + u * cos(q[6]) - ya;
  }
  template <class S>
  void jacobian(const S&, const S* q, std::array<std::array<S, 7>, 6>& G) const {
    using std::cos, std::sin;
    for (auto& row : G) row.fill(S(0.0));
    const S bt = q[0] + q[1], pd = q[3] + q[4], oe = q[5] + q[6];
    for (int k = 0; k < 3; ++k) {
      G[2 * k][0] = -rr * sin(q[0]) + d * sin(bt), G[2 * k][1] = d * sin(bt);
      G[2 * k + 1][0] = rr * cos(q[0]) - d * cos(bt), G[2 * k + 1][1] = -d * cos(bt);
    }
    G[0][2] = -ss * cos(q[2]);
    G[1][2] = -ss * sin(q[2]);
    G[2][3] = -e * cos(pd), G[2][4] = -e * cos(pd) + zt * sin(q[4]);
    G[3][3] = -e * sin(pd), G[3][4] = -e * sin(pd) - zt * cos(q[4]);
    G[4][5] = zf * sin(oe), G[4][6] = zf * sin(oe) - u * cos(q[6]);
    G[5][5] = -zf * cos(oe), G[5][6] = -zf * cos(oe) - u * sin(q[6]);
  }
  template <class S>
  void time_derivative(const S&, const S*, std::array<S, 6>& rate) const {
    rate.fill(S(0.0));
  }
  Eigen::VectorXd p0() const {
    return Eigen::Vector<double, 7>(-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
                                    0.487364979543842550, -0.222668390165885885, 1.23054744454982119);
  }
  Eigen::VectorXd v0() const { return Eigen::VectorXd::Zero(7); }
  /// Angles at t = 0.03.
  static Eigen::VectorXd reference() {
    return Eigen::Vector<double, 7>(15.810771195153707, -15.756371058411839, 0.040822240119645805, -0.53473011634207959,
                                    0.52440996587995407, 0.53473011634207959, 1.0480807410419379);
  }
};

/// Car axis on a bumpy road; λ here has the opposite sign of the published one.
struct CarAxis {
  static constexpr int np = 4, nc = 2;
  static constexpr double t_end = 3.0;
  static constexpr double L = 1, L0 = .5, eps = .01, mass = 10, r = .1, w = 10, g = 1, k = mass * eps * eps / 2;

  template <class S>
  static void road(const S& t, S& xb, S& yb) {
    using std::sin, std::sqrt;
    yb = r * sin(w * t);
    xb = sqrt(L * L - yb * yb);
  }
  template <class S>
  void mass_times(const S*, const S* a, std::array<S, 4>& out) const {
    for (int i = 0; i < 4; ++i) out[i] = k * a[i];
  }
  template <class S>
  void force(const S& t, const S* p, const S*, std::array<S, 4>& f) const {
    using std::sqrt;
    S xb, yb;
    road(t, xb, yb);
    const S dx = p[2] - xb, dy = p[3] - yb;
    const S Ll = sqrt(p[0] * p[0] + p[1] * p[1]), Lr = sqrt(dx * dx + dy * dy);
    f[0] = (L0 - Ll) * p[0] / Ll;
    f[1] = (L0 - Ll) * p[1] / Ll - k * g;
    f[2] = (L0 - Lr) * dx / Lr;
    f[3] = (L0 - Lr) * dy / Lr - k * g;
  }
  template <class S>
  void constraint(const S& t, const S* p, S* out) const {
    S xb, yb;
    road(t, xb, yb);
    const S dx = p[0] - p[2], dy = p[1] - p[3];
    out[0] = p[0] * xb + p[1] * yb;
    out[1] = dx * dx + dy * dy - L * L;
  }
  template <class S>
  void jacobian(const S& t, const S* p, std::array<std::array<S, 4>, 2>& G) const {
    S xb, yb;
    road(t, xb, yb);
    const S dx = 2.0 * (p[0] - p[2]), dy = 2.0 * (p[1] - p[3]);
    G[0] = {xb, yb, S(0.0), S(0.0)};
    G[1] = {dx, dy, -dx, -dy};
  }
  template <class S>
  void time_derivative(const S& t, const S* p, std::array<S, 2>& rate) const {
    using std::cos;
    S xb, yb;
    road(t, xb, yb);
    const S yb_rate = r * w * cos(w * t), xb_rate = -yb * yb_rate / xb;
    rate = {p[0] * xb_rate + p[1] * yb_rate, S(0.0)};
  }
  Eigen::VectorXd p0() const { return Eigen::Vector4d(0, .5, 1, .5); }
  Eigen::VectorXd v0() const { return Eigen::Vector4d(-.5, 0, -.5, 0); }
  /// Positions at t = 3.
  static Eigen::VectorXd reference() {
    return Eigen::Vector4d(4.934557842752409e-2, 4.969894602300081e-1, 1.041742524885426, 3.739110272653658e-1);
  }
};

/// Slider crank with a flexible connecting rod, driven at 150 rad/s.
struct FlexibleSliderCrank {
  static constexpr int np = 7, nc = 3;
  static constexpr double t_end = 0.1;
  static constexpr double M2 = .151104, M3 = .075552, L1 = .15, L2 = .30, J1 = .002727, J2 = .0045339259, E = 2e11,
                          b = .008, h = .008, rho = 7870, Omega = 150, pi = 3.1415927;
  static constexpr double fm = rho * b * h * L2, fk = E * b * h / L2, fb = b * h * L2;
  Eigen::Matrix4d MQ = Eigen::Matrix4d::Zero(), KQ = MQ, BQ = MQ;
  Eigen::Vector4d c1 = fb * Eigen::Vector4d(0, 0, 2. / 3, 1. / 6), c2 = fb * Eigen::Vector4d(2 / pi, 0, 0, 0),
                  c12 = L2 * fb * Eigen::Vector4d(0, 0, 1. / 3, 1. / 6),
                  c21 = L2 * fb * Eigen::Vector4d(1 / pi, -1 / (2 * pi), 0, 0);

  FlexibleSliderCrank() {
    MQ(0, 0) = MQ(1, 1) = fm / 2;
    MQ(2, 2) = 8 * fm, MQ(2, 3) = MQ(3, 2) = fm, MQ(3, 3) = 2 * fm;
    const double pi4 = pi * pi * pi * pi;
    KQ(0, 0) = fk * pi4 / 24 * (h / L2) * (h / L2), KQ(1, 1) = fk * pi4 * 2 / 3 * (h / L2) * (h / L2);
    KQ(2, 2) = fk * 16 / 3, KQ(2, 3) = KQ(3, 2) = -fk * 8 / 3, KQ(3, 3) = fk * 7 / 3;
    BQ(0, 2) = -fb * 16 / (pi * pi * pi), BQ(0, 3) = fb * (8 / (pi * pi * pi) - 1 / pi), BQ(1, 3) = fb / (2 * pi);
    BQ(2, 0) = -BQ(0, 2), BQ(3, 0) = -BQ(0, 3), BQ(3, 1) = -BQ(1, 3);
  }
  template <class S>
  static S dot(const Eigen::Vector4d& c, const S* x) {
    return c[0] * x[0] + c[1] * x[1] + c[2] * x[2] + c[3] * x[3];
  }
  template <class S>
  static S row_dot(const Eigen::Matrix4d& A, int i, const S* x) {
    return A(i, 0) * x[0] + A(i, 1) * x[1] + A(i, 2) * x[2] + A(i, 3) * x[3];
  }
  template <class S>
  void mass_times(const S* p, const S* a, std::array<S, 7>& r) const {
    using std::cos, std::sin;
    const S s = sin(p[0] - p[1]), c = cos(p[0] - p[1]);
    const S *q = p + 3, *aq = a + 3;
    const S M12 = L1 * L2 * M2 * c * 0.5 + rho * L1 * (s * dot(c2, q) + c * dot(c1, q));
    S M22 = J2 + 2 * rho * dot(c12, q);
    for (int i = 0; i < 4; ++i) M22 += q[i] * row_dot(MQ, i, q);
    r[0] = (J1 + M2 * L1 * L1) * a[0] + M12 * a[1];
    r[1] = M12 * a[0] + M22 * a[1];
    r[2] = M3 * a[2];
    for (int i = 0; i < 4; ++i) {
      const S M1q = rho * L1 * (c * c2[i] - s * c1[i]);
      S M2q = S(rho * c21[i]);
      for (int j = 0; j < 4; ++j) M2q += rho * BQ(j, i) * q[j];
      r[0] += M1q * aq[i];
      r[1] += M2q * aq[i];
      r[3 + i] = M1q * a[0] + M2q * a[1] + row_dot(MQ, i, aq);
    }
  }
  template <class S>
  void force(const S&, const S* p, const S* v, std::array<S, 7>& f) const {
    using std::cos, std::sin;
    const S s = sin(p[0] - p[1]), c = cos(p[0] - p[1]), w1 = v[0], w2 = v[1];
    const S *q = p + 3, *qd = v + 3;
    S qMq(0.0), qBq(0.0);
    for (int i = 0; i < 4; ++i) {
      qMq += qd[i] * row_dot(MQ, i, q);
      qBq += qd[i] * row_dot(BQ, i, qd);
    }
    f[0] = -L1 * L2 * M2 * 0.5 * w2 * w2 * s + rho * L1 * w2 * w2 * (c * dot(c2, q) - s * dot(c1, q)) -
           2 * rho * L1 * w2 * (c * dot(c1, qd) + s * dot(c2, qd));
    f[1] = L1 * L2 * M2 * 0.5 * w1 * w1 * s + rho * L1 * w1 * w1 * (s * dot(c1, q) - c * dot(c2, q)) -
           2 * rho * w2 * dot(c12, qd) - 2.0 * w2 * qMq - rho * qBq;
    f[2] = S(0.0);
    for (int i = 0; i < 4; ++i)
      f[3 + i] = w2 * w2 * row_dot(MQ, i, q) +
                 rho * (w2 * w2 * c12[i] + L1 * w1 * w1 * (c * c1[i] + s * c2[i]) + 2.0 * w2 * row_dot(BQ, i, qd)) -
                 row_dot(KQ, i, q);
  }
  template <class S>
  void constraint(const S& t, const S* p, S* g) const {
    using std::cos, std::sin;
    g[0] = L1 * sin(p[0]) + (L2 + p[6]) * sin(p[1]);
    g[1] = p[2] - L1 * cos(p[0]) - (L2 + p[6]) * cos(p[1]);
    g[2] = p[0] - Omega * t;
  }
  template <class S>
  void jacobian(const S&, const S* p, std::array<std::array<S, 7>, 3>& G) const {
    using std::cos, std::sin;
    for (auto& row : G) row.fill(S(0.0));
    G[0][0] = L1 * cos(p[0]), G[0][1] = (L2 + p[6]) * cos(p[1]), G[0][6] = sin(p[1]);
    G[1][0] = L1 * sin(p[0]), G[1][1] = (L2 + p[6]) * sin(p[1]), G[1][2] = S(1.0), G[1][6] = -cos(p[1]);
    G[2][0] = S(1.0);
  }
  template <class S>
  void time_derivative(const S&, const S*, std::array<S, 3>& rate) const {
    rate = {S(0.0), S(0.0), S(-Omega)};
  }
  Eigen::VectorXd p0() const { return Eigen::Vector<double, 7>(0, 0, .450016933, 0, 0, .103339863e-4, .169327969e-4); }
  /// The published velocities violate their constraint by 1e-8: projected M-orthogonally.
  Eigen::VectorXd v0() const {
    const Eigen::VectorXd p = p0();
    Eigen::VectorXd v = Eigen::Vector<double, 7>(150, -74.9957670, -.268938672e-5, .444896105, .463434311e-2,
                                                 -.178591076e-5, -.268938672e-5);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(10, 10);
    std::array<std::array<double, 7>, 3> G;
    std::array<double, 3> rate;
    jacobian(0.0, p.data(), G);
    time_derivative(0.0, p.data(), rate);
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(10);
    for (int j = 0; j < 7; ++j) {
      std::array<double, 7> column;
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(7, j);
      mass_times(p.data(), unit.data(), column);
      for (int i = 0; i < 7; ++i) A(i, j) = column[i];
      for (int k = 0; k < 3; ++k) A(j, 7 + k) = A(7 + k, j) = G[k][j];
    }
    for (int k = 0; k < 3; ++k) {
      rhs[7 + k] = -rate[k];
      for (int j = 0; j < 7; ++j) rhs[7 + k] -= G[k][j] * v[j];
    }
    v += solve_square(A, rhs).topRows(7);
    return v;
  }
  /// (φ2, x3, q1 … q4) at t = 0.1.
  static Eigen::VectorXd reference() {
    return Eigen::Vector<double, 6>(-0.3311734988256299, 0.1697373328430721, 1.8931928997009e-4, 2.3757512499866e-5,
                                    -5.3238967707486e-6, -8.3633132788078e-6);
  }
};

// ---- ordinary problems
// -----------------------------------------------------------------------------------------------

/// y′ = −1000 (y − cos t), y(0) = 0: a transient, then y ≈ cos t.
struct StiffScalar {
  static constexpr double lambda = 1000.0;
  template <class S>
  void operator()(const S& t, const S* y, const S* yp, S* F) const {
    using std::cos;
    F[0] = yp[0] + lambda * (y[0] - cos(t));
  }
  static double exact(double t) {
    const double scale = 1.0 + lambda * lambda;
    return (lambda * lambda * std::cos(t) + lambda * std::sin(t) - lambda * lambda * std::exp(-lambda * t)) / scale;
  }
};

/// x″ + 2ζω x′ + ω² (x − s(t)) = 0: a stiff structure whose foundation moves by s; unknowns (x, v).
struct Oscillator {
  enum class Foundation { rests, ramp, swings };
  double omega = 1.0, zeta = 0.0;
  Foundation foundation = Foundation::rests;

  template <class S>
  void operator()(const S& t, const S* y, const S* yp, S* F) const {
    using std::sin;
    S s(0.0);
    if (foundation == Foundation::swings) s = sin(t);
    if (foundation == Foundation::ramp) s = value_of(t) < 1.0 ? S(0.5 - 0.5 * sin(M_PI * (t + 0.5))) : S(1.0);
    F[0] = yp[0] - y[1];
    F[1] = yp[1] + 2.0 * zeta * omega * y[1] + omega * omega * (y[0] - s);
  }
};

}  // namespace trammel::testing
