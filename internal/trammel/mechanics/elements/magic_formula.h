// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "trammel/mechanics/elements/vehicle_data.h"

namespace trammel {

/// What a tyre sees: load, slips and camber.
template <class S>
struct TyreSlip {
  S load;       ///< F_z > 0 [N]
  S kappa;      ///< κ = −V_sx/|V_x|
  S tan_alpha;  ///< V_y/|V_x|, > 0: it slides to the left
  S camber;     ///< sin γ, > 0: the axle points up to the left
  S direction;  ///< V_x/|V_x|, between −1 and 1 where it changes
  S speed;      ///< V_x [m/s]
};

template <class S>
struct TyreForces {
  S F_x, F_y, M_x, M_y, M_z;  ///< steady, on the wheel, in axes of the contact: x ahead, y to the left, z off the road
  S D_x, D_y;                 ///< largest forces by friction > 0
  S K_x, K_y;                 ///< slopes at zero slip > 0 [N per unit slip]
};

/// The Magic Formula for pure and combined slip without turn slip, equations 4.E9 to 4.E78 of [H. B. Pacejka, Tire and
/// Vehicle Dynamics, 3rd ed. 2012, section 4.3.2], all ζ = 1. Numbers behind lines are theirs.
///
/// Slip angles and forces have the signs of ISO 8855 and .tir files (PKY1 < 0): F_y = −|K_y| tan α for small slip.
/// Shifts of the curves need a tyre that rolls: all of them fade with `rolling` (1 at speed, 0 at rest), so that a tyre
/// at rest has no force of its own.
///
/// Without parameters R… of combined slip (`combined` false) both forces follow their curves at the joint slip ρ,
///
///   (1)  x = K_x κ/D_x,  y = K_y tan α/D_y,  ρ² = x² + y²;   F_x = D_x f_x(ρ) x/ρ,   F_y = D_y f_y(ρ) y/ρ
///
/// f(ρ) = sin(C atan(…)) of the pure curves. (F_x/D_x)² + (F_y/D_y)² ≤ 1, and pure slip is as before.
template <class S>
class MagicFormulaTyre {
 public:
  MagicFormulaTyre(const TyreSpec& spec, const TyreSlip<S>& slip, const S& rolling)
      : t(spec), p(spec.formula), s(slip), rolling_(rolling), Cx(p.PCX1 * p.LCX), Cy(p.PCY1 * p.LCY) {  // 11, 21
    Fz0 = p.LFZO * t.nominal_load;
    dfz = (s.load - Fz0) / Fz0;                                    // 4.E2a
    dpi = (t.pressure - t.nominal_pressure) / t.nominal_pressure;  // 4.E2b
    gamma = s.camber;
    abs_gamma = gamma < 0.0 ? S(-gamma) : gamma;
  }

  TyreForces<S> calc() {
    calc_longitudinal();
    leaning = calc_lateral(gamma);
    TyreForces<S> f;
    if (t.combined)
      weigh(f);
    else
      share(f);
    f.M_x = calc_overturning(f.F_y);
    f.M_y = calc_rolling_resistance(f.F_x);
    f.M_z = calc_aligning(f);
    f.D_x = Dx < 0.0 ? S(-Dx) : Dx;
    f.D_y = leaning.D < 0.0 ? S(-leaning.D) : leaning.D;
    f.K_x = Kx < 0.0 ? S(-Kx) : Kx;
    f.K_y = leaning.K < 0.0 ? S(-leaning.K) : leaning.K;
    return f;
  }

 private:
  static constexpr double epsilon = 1e-9;  // of what is divided by: 4.E16, 4.E26, 4.E39

  static S at_most_one(const S& E) { return E > 1.0 ? S(1.0) : E; }
  static double sign(const S& x) { return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0; }
  static S arc(const S& x, const S& E) {  // atan(x − E (x − atan x))
    using std::atan;
    return atan(S(x - E * (x - atan(x))));
  }
  static S away_from_zero(const S& x) { return x < 0.0 ? S(x - epsilon) : S(x + epsilon); }

  void calc_longitudinal() {
    using std::exp;
    SHx = (p.PHX1 + p.PHX2 * dfz) * p.LHX * rolling_;                                // 17
    kx = s.kappa + SHx;                                                              // 10
    Dx = s.load * (p.PDX1 + p.PDX2 * dfz) * (1.0 + dpi * (p.PPX3 + p.PPX4 * dpi)) *  // 12, 13
         (1.0 - p.PDX3 * gamma * gamma) * p.LMUX;
    Ex = at_most_one((p.PEX1 + dfz * (p.PEX2 + p.PEX3 * dfz)) * ((1.0 - p.PEX4 * sign(kx)) * p.LEX));             // 14
    Kx = s.load * (p.PKX1 + p.PKX2 * dfz) * exp(p.PKX3 * dfz) * ((1.0 + dpi * (p.PPX1 + p.PPX2 * dpi)) * p.LKX);  // 15
    Bx = Kx / away_from_zero(Cx * Dx);                                                                            // 16
    SVx = s.load * (p.PVX1 + p.PVX2 * dfz) * (p.LVX * p.LMUX) * rolling_;                                         // 18
  }

  struct Lateral {
    S SH, SV, a, D, E, K, B;
  };
  Lateral calc_lateral(const S& lean) const {
    using std::atan, std::sin;
    const S load = s.load / Fz0, upright = lean < 0.0 ? S(-lean) : lean;
    Lateral y;
    y.K = p.PKY1 * Fz0 * (1.0 + p.PPY1 * dpi) * (1.0 - p.PKY3 * upright) *  // 25
          sin(p.PKY4 * atan(load / ((p.PKY2 + p.PKY5 * lean * lean) * (1.0 + p.PPY2 * dpi)))) * p.LKY;
    const S Kyg = s.load * (p.PKY6 + p.PKY7 * dfz) * ((1.0 + p.PPY5 * dpi) * p.LKYC);  // 30
    const S SVyg = s.load * (p.PVY3 + p.PVY4 * dfz) * lean * (p.LKYC * p.LMUY);        // 28
    // 27; of version 5.2 its own shift in place of that of K_yγ
    const S leans = p.PHY3 != 0.0 ? S(p.PHY3 * lean * p.LKYC) : S((Kyg * lean - SVyg) / away_from_zero(y.K));
    y.SH = ((p.PHY1 + p.PHY2 * dfz) * p.LHY + leans) * rolling_;
    y.SV = (s.load * (p.PVY1 + p.PVY2 * dfz) * (p.LVY * p.LMUY) + SVyg) * rolling_;   // 29
    y.a = s.tan_alpha + y.SH;                                                         // 20
    y.D = s.load * (p.PDY1 + p.PDY2 * dfz) * (1.0 + dpi * (p.PPY3 + p.PPY4 * dpi)) *  // 22, 23
          (1.0 - p.PDY3 * lean * lean) * p.LMUY;
    y.E = at_most_one((p.PEY1 + p.PEY2 * dfz) *  // 24
                      (1.0 + p.PEY5 * lean * lean - (p.PEY3 + p.PEY4 * lean) * sign(y.a)) * p.LEY);
    y.B = y.K / away_from_zero(Cy * y.D);  // 26
    return y;
  }
  bool feels_camber() const {
    for (const double x : {p.PKY3, p.PKY5, p.PKY6, p.PKY7, p.PVY3, p.PVY4, p.PHY3, p.PDY3, p.PEY4, p.PEY5, p.RBY4})
      if (x != 0.0) return true;
    return false;
  }

  // (1).
  void share(TyreForces<S>& f) {
    const auto side = [&](const Lateral& y, S* ahead) {
      using std::sin, std::sqrt;
      const S u = Bx * Cx * kx, v = y.B * Cy * y.a, squared = u * u + v * v;
      constexpr double linear = 1e-16;
      S along_x = u, along_y = v;
      if (squared > linear) {
        const S rho = sqrt(squared);
        along_x = u / rho * sin(Cx * arc(rho / Cx, Ex));
        along_y = v / rho * sin(Cy * arc(rho / Cy, y.E));
      }
      if (ahead != nullptr) *ahead = Dx * along_x + SVx;
      return S(y.D * along_y + y.SV);
    };
    f.F_y = side(leaning, &f.F_x);
    F_y_aligning = feels_camber() ? side(calc_lateral(S(0.0)), nullptr) : f.F_y;
  }

  void weigh(TyreForces<S>& f) {
    using std::atan, std::cos, std::sin;
    const S Fx0 = Dx * sin(Cx * arc(Bx * kx, Ex)) + SVx;                                       // 9
    const auto weight = [](double C, const S& B, const S& E, const S& slip, const S& shift) {  // 51, 59
      return S(cos(C * arc(B * (slip + shift), E)) / cos(C * arc(B * shift, E)));
    };
    const S Bxa = (p.RBX1 + p.RBX3 * gamma * gamma) * cos(atan(p.RBX2 * s.kappa)) * p.LXAL;  // 54
    const S Exa = at_most_one(p.REX1 + p.REX2 * dfz);                                        // 56
    f.F_x = weight(p.RCX1, Bxa, Exa, s.tan_alpha, S(p.RHX1 * rolling_)) * Fx0;               // 50
    const auto side = [&](const Lateral& y, const S& lean) {
      const S Fy0 = y.D * sin(Cy * arc(y.B * y.a, y.E)) + y.SV;                                             // 19
      const S Byk = (p.RBY1 + p.RBY4 * lean * lean) * cos(atan(p.RBY2 * (s.tan_alpha - p.RBY3))) * p.LYKA;  // 62
      const S Eyk = at_most_one(p.REY1 + p.REY2 * dfz);                                                     // 64
      return S(weight(p.RCY1, Byk, Eyk, s.kappa, S((p.RHY1 + p.RHY2 * dfz) * rolling_)) * Fy0);             // 58
    };
    const S of_slip = side(leaning, gamma);
    F_y_aligning = feels_camber() ? side(calc_lateral(S(0.0)), S(0.0)) : of_slip;                          // 74
    const S DVy = leaning.D * (p.RVY1 + p.RVY2 * dfz + p.RVY3 * gamma) * cos(atan(p.RVY4 * s.tan_alpha));  // 67
    f.F_y = of_slip + DVy * sin(p.RVY5 * atan(p.RVY6 * s.kappa)) * (p.LVYKA * rolling_);                   // 66
  }

  S calc_overturning(const S& F_y) {
    using std::atan, std::cos, std::sin;
    const S load = s.load / t.nominal_load, side = F_y / t.nominal_load, squeezed = atan(p.QSX6 * load);
    return t.free_radius * s.load * p.LMX * rolling_ *  // 69
           (p.QSX1 * p.LVMX - p.QSX2 * gamma * (1.0 + p.PPMX1 * dpi) + p.QSX3 * side +
            p.QSX4 * cos(p.QSX5 * squeezed * squeezed) * sin(p.QSX7 * gamma + p.QSX8 * atan(p.QSX9 * side)) +
            p.QSX10 * atan(p.QSX11 * load) * gamma);
  }

  S calc_rolling_resistance(const S& F_x) {
    using std::exp, std::log;
    const S load = s.load / t.nominal_load, v = s.speed / t.reference_speed, v2 = v * v;
    const S speed = v < 0.0 ? S(-v) : v;
    const S part = p.QSY1 + p.QSY2 * F_x / t.nominal_load + p.QSY3 * speed + p.QSY4 * v2 * v2 +  // 70
                   (p.QSY5 + p.QSY6 * load) * gamma * gamma;
    const S scale = p.QSY7 == 0.0 ? S(1.0) : S(exp(p.QSY7 * log(load)));
    return -s.load * t.free_radius * part * scale * (std::pow(t.pressure / t.nominal_pressure, p.QSY8) * p.LMY) *
           s.direction;
  }

  S calc_aligning(const TyreForces<S>& f) {
    using std::atan, std::cos, std::sqrt;
    const S cos_alpha = 1.0 / sqrt(1.0 + s.tan_alpha * s.tan_alpha);  // 6, with its sign in `direction`
    const S SHt = (p.QHZ1 + p.QHZ2 * dfz + (p.QHZ3 + p.QHZ4 * dfz) * gamma) * rolling_;  // 35
    const S at = s.tan_alpha + SHt;                                                      // 34
    const S ar = s.tan_alpha + leaning.SH + leaning.SV / away_from_zero(leaning.K);      // 37, 38
    const S stretched = Kx / away_from_zero(leaning.K) * s.kappa, squared = stretched * stretched;
    const auto joint = [&](const S& a) {  // 77, 78
      const S sum = a * a + squared;
      if (!(sum > 0.0)) return S(0.0);
      const S size = sqrt(sum);
      return a < 0.0 ? S(-size) : size;
    };
    const S a_t = joint(at), a_r = joint(ar);
    const S Bt = (p.QBZ1 + dfz * (p.QBZ2 + p.QBZ3 * dfz)) *  // 40
                 (1.0 + p.QBZ4 * gamma + p.QBZ5 * abs_gamma + p.QBZ6 * gamma * gamma) * (p.LKY / p.LMUY);
    const S Dt = s.load * (t.free_radius / Fz0) * (p.QDZ1 + p.QDZ2 * dfz) * (1.0 - p.PPZ1 * dpi) *  // 42, 43
                 (1.0 + p.QDZ3 * abs_gamma + p.QDZ4 * gamma * gamma) * p.LTR;
    const S Et =
        at_most_one((p.QEZ1 + dfz * (p.QEZ2 + p.QEZ3 * dfz)) *  // 44
                    (1.0 + (p.QEZ4 + p.QEZ5 * gamma) * (2.0 / 3.14159265358979323846) * atan(Bt * p.QCZ1 * a_t)));
    const S trail = Dt * cos(p.QCZ1 * arc(Bt * a_t, Et)) * cos_alpha * s.direction;  // 73
    const S Br = p.QBZ9 * p.LKY / p.LMUY + p.QBZ10 * leaning.B * Cy;                 // 45
    const S Dr =
        s.load * t.free_radius *  // 47
        ((p.QDZ6 + p.QDZ7 * dfz) * p.LRES +
         ((p.QDZ8 + p.QDZ9 * dfz) * (1.0 + p.PPZ2 * dpi) + (p.QDZ10 + p.QDZ11 * dfz) * abs_gamma) * gamma * p.LKZC) *
        cos_alpha * s.direction * p.LMUY * rolling_;
    const S residual = Dr * cos(atan(Br * a_r));  // 75
    const S arm = t.free_radius * (p.SSZ1 + p.SSZ2 * f.F_y / t.nominal_load + (p.SSZ3 + p.SSZ4 * dfz) * gamma) * p.LS;
    return -trail * F_y_aligning + residual + arm * f.F_x * rolling_;  // 71, 72, 76
  }

  const TyreSpec& t;
  const MagicFormula& p;
  const TyreSlip<S>& s;
  const S rolling_;
  double Fz0 = 1.0, dpi = 0.0, Cx, Cy;
  S dfz, gamma, abs_gamma;
  S SHx, kx, Dx, Ex, Kx, Bx, SVx;
  Lateral leaning;
  S F_y_aligning;
};

}  // namespace trammel
