// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "trammel/simulation/record.h"

/// Plane machines of one freedom s whose places are known in closed form, on one branch, as functions of s: an
/// independent reference for motions through positions in which constraints lose rank. Nothing there is special in s.
///
///   (1)  Σ (m p′·p′ + J θ′²) s̈ + Σ (m p′·p″ + J θ′θ″) ṡ² = Σ m g·p′            motion
///   (2)  m (p̈ − g) = Σ F,   J θ̈ = Σ (r × F)_y                                    reactions, body by body
namespace trammel::one_freedom {

/// A function of s with its first two derivatives.
struct Jet {
  double v = 0.0, d = 0.0, dd = 0.0;
};

inline Jet constant(double v) { return {v, 0.0, 0.0}; }
inline Jet operator+(const Jet& a, const Jet& b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(const Jet& a, const Jet& b) { return {a.v - b.v, a.d - b.d, a.dd - b.dd}; }
inline Jet operator*(double f, const Jet& a) { return {f * a.v, f * a.d, f * a.dd}; }
/// f(a) from f, f′ and f″ at a.
inline Jet chain(const Jet& a, double f, double f1, double f2) { return {f, f1 * a.d, f2 * a.d * a.d + f1 * a.dd}; }
inline Jet sin(const Jet& a) { return chain(a, std::sin(a.v), std::cos(a.v), -std::sin(a.v)); }
inline Jet cos(const Jet& a) { return chain(a, std::cos(a.v), -std::sin(a.v), -std::cos(a.v)); }

/// x, z and the angle about y (from z to x).
using Place = std::array<Jet, 3>;
using Curve = std::function<Place(const Jet& s)>;

struct Part {
  std::string name;
  double mass = 1.0, inertia = 1.0 / 12.0;
  Curve place;
};

/// A joint at a place that depends on s: two components of force; `slides` along x: its z component and a moment.
struct Pin {
  std::string name;
  int a = -1, b = 0;  ///< parts; −1: ground. Reactions act on b.
  Curve place;
  bool slides = false;
  std::string kind = "revolute";  ///< of the machine turned in space; all others have kind revolute or prismatic
};

struct Machine {
  std::vector<Part> parts;
  std::vector<Pin> pins;
  Eigen::Vector2d gravity{0.0, -9.81};  ///< x, z
};

/// s and ṡ.
using Motion = Eigen::Vector2d;

inline double calc_acceleration(const Machine& m, const Motion& y) {
  const Jet s{y[0], 1.0, 0.0};
  double mass = 0.0, load = 0.0;
  for (const Part& part : m.parts) {
    const Place p = part.place(s);
    mass += part.mass * (p[0].d * p[0].d + p[1].d * p[1].d) + part.inertia * p[2].d * p[2].d;
    load += part.mass * (m.gravity[0] * p[0].d + m.gravity[1] * p[1].d) -
            y[1] * y[1] * (part.mass * (p[0].d * p[0].dd + p[1].d * p[1].dd) + part.inertia * p[2].d * p[2].dd);
  }
  return load / mass;
}

/// One long step of the midpoint rule, extrapolated to order 12 [Gragg, Bulirsch, Stoer].
template <class Rate>
Motion extrapolate(const Rate& rate, const Motion& y, double H) {
  constexpr int columns = 6;
  std::array<Motion, columns> table;
  for (int j = 0; j < columns; ++j) {
    const int n = 2 * (j + 1);
    const double h = H / n;
    Motion before = y, now = y + h * rate(y);
    for (int i = 1; i < n; ++i) {
      const Motion next = before + 2.0 * h * rate(now);
      before = now, now = next;
    }
    Motion column = 0.5 * (now + before + h * rate(now));
    for (int k = 1; k <= j; ++k) {
      const double ratio = static_cast<double>(j + 1) / (j + 1 - k);
      const Motion better = column + (column - table[k - 1]) / (ratio * ratio - 1.0);
      table[k - 1] = column, column = better;
    }
    table[j] = column;
  }
  return table[columns - 1];
}

/// The motion at all `times`, from s and ṡ at the first.
inline std::vector<Motion> calc_motion(const Machine& m, const Motion& start, const std::vector<double>& times) {
  constexpr double longest = 0.01;
  const auto rate = [&](const Motion& y) { return Motion(y[1], calc_acceleration(m, y)); };
  std::vector<Motion> motion{start};
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double span = times[i] - times[i - 1];
    const int n = std::max(1, static_cast<int>(std::ceil(span / longest)));
    Motion y = motion.back();
    for (int k = 0; k < n; ++k) y = extrapolate(rate, y, span / n);
    motion.push_back(y);
  }
  return motion;
}

/// (2): the force of each pin on its second part, x and z.
inline std::vector<Eigen::Vector2d> calc_reactions(const Machine& m, const Motion& y) {
  const Jet s{y[0], 1.0, 0.0};
  const double a = calc_acceleration(m, y);
  const Eigen::Index n = static_cast<Eigen::Index>(m.parts.size()), c = static_cast<Eigen::Index>(m.pins.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n, 2 * c);
  Eigen::VectorXd right(3 * n);
  const auto second = [&](const Jet& p) { return p.d * a + p.dd * y[1] * y[1]; };
  std::vector<Place> places;
  for (const Part& part : m.parts) places.push_back(part.place(s));
  for (Eigen::Index i = 0; i < n; ++i) {
    const Part& part = m.parts[i];
    right[3 * i] = part.mass * (second(places[i][0]) - m.gravity[0]);
    right[3 * i + 1] = part.mass * (second(places[i][1]) - m.gravity[1]);
    right[3 * i + 2] = part.inertia * second(places[i][2]);
  }
  for (Eigen::Index j = 0; j < c; ++j) {
    const Pin& pin = m.pins[j];
    const Place at = pin.place(s);
    for (const auto& [part, sign] : {std::pair{pin.a, -1.0}, {pin.b, 1.0}}) {
      if (part < 0) continue;
      const double x = at[0].v - places[part][0].v, z = at[1].v - places[part][1].v;
      A(3 * part + 1, 2 * j + 1) = sign;
      A(3 * part + 2, 2 * j + 1) = -sign * x;
      if (pin.slides) {
        A(3 * part + 2, 2 * j) = sign;  // a moment in the place of a force along x
      } else {
        A(3 * part, 2 * j) = sign;
        A(3 * part + 2, 2 * j) = sign * z;
      }
    }
  }
  const Eigen::VectorXd forces = A.colPivHouseholderQr().solve(right);
  std::vector<Eigen::Vector2d> reactions;
  for (Eigen::Index j = 0; j < c; ++j)
    reactions.emplace_back(m.pins[j].slides ? 0.0 : forces[2 * j], forces[2 * j + 1]);
  return reactions;
}

// ---- as a model ----------------------------------------------------------------------------------------------------

/// The machine in its plane, or with rigid bodies and joints of the pins' kinds in a plane that is turned by Q.
struct Drawn {
  bool spatial = false;
  Eigen::Matrix3d Q = Eigen::Matrix3d::Identity();
};

inline std::string write(const Eigen::Vector3d& x) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
}

inline std::string write_model(const Machine& m, const Motion& y, const Drawn& drawn) {
  const Jet s{y[0], 1.0, 0.0};
  const Eigen::Matrix3d& Q = drawn.Q;
  std::string text = "gravity = " + write(Q * Eigen::Vector3d(m.gravity[0], 0.0, m.gravity[1])) + "\n";
  for (const Part& part : m.parts) {
    const Place p = part.place(s);
    text += fmt::format("[[body]]\nname = \"{}\"\nmass = {:.17g}\nposition = {}\nvelocity = {}\n", part.name, part.mass,
                        write(Q * Eigen::Vector3d(p[0].v, 0.0, p[1].v)),
                        write(y[1] * (Q * Eigen::Vector3d(p[0].d, 0.0, p[1].d))));
    if (drawn.spatial) {
      // The body's axes are those of the plane at the angle 0, turned about its normal.
      const Eigen::AngleAxisd turn(Q * Eigen::AngleAxisd(p[2].v, Eigen::Vector3d::UnitY()));
      text += fmt::format("inertia = [{0:.17g}, {1:.17g}, {0:.17g}]\naxis_angle = {{ axis = {2}, angle = {3:.17g} }}\n",
                          0.7 * part.inertia, part.inertia, write(turn.axis()), turn.angle());
      text += "angular_velocity = " + write(Eigen::Vector3d(0.0, p[2].d * y[1], 0.0)) + "\n";
    } else {
      text += fmt::format(
          "kind = \"planar\"\nnormal = \"y\"\ninertia = {:.17g}\nangular_velocity = {:.17g}\n"
          "axis_angle = {{ axis = \"y\", angle = {:.17g} }}\n",
          part.inertia, p[2].d * y[1], p[2].v);
    }
  }
  const auto name = [&](int part) { return part < 0 ? std::string("ground") : m.parts[part].name; };
  for (const Pin& pin : m.pins) {
    const Place at = pin.place(s);
    text += fmt::format("[[joint]]\nname = \"{}\"\nkind = \"{}\"\nbodies = [\"{}\", \"{}\"]\npoint = {}\n", pin.name,
                        pin.slides      ? "prismatic"
                        : drawn.spatial ? pin.kind
                                        : "revolute",
                        name(pin.a), name(pin.b), write(Q * Eigen::Vector3d(at[0].v, 0.0, at[1].v)));
    if (pin.slides)
      text += "axis = " + write(Q * Eigen::Vector3d::UnitX()) + "\n";
    else if (drawn.spatial && pin.kind != "spherical")
      text += "axis = " + write(Q * Eigen::Vector3d::UnitY()) + "\n";
  }
  return text;
}

// ---- what a run recorded, beside it --------------------------------------------------------------------------------

/// The largest errors of all frames and parts; reactions where `is_regular` says that they are those of a regular
/// position.
struct Errors {
  double position = 0.0, velocity = 0.0, rate = 0.0;  ///< rate: angular velocity
  double reaction = 0.0, largest_reaction = 0.0;
};

inline Errors compare(
    const MemoryRecord& record, const Machine& m, const Motion& start, const Drawn& drawn,
    const std::function<bool(double s)>& is_regular = [](double) { return true; }) {
  const std::vector<Motion> motion = calc_motion(m, start, record.times());
  Errors errors;
  for (const Part& part : m.parts) {
    const Eigen::MatrixXd p = record.read(part.name + ".position").values,
                          v = record.read(part.name + ".velocity").values,
                          w = record.read(part.name + ".angular_velocity").values;
    for (std::size_t i = 0; i < motion.size(); ++i) {
      const Eigen::Index row = static_cast<Eigen::Index>(i);
      const Place at = part.place({motion[i][0], 1.0, 0.0});
      const Eigen::Vector3d x = drawn.Q * Eigen::Vector3d(at[0].v, 0.0, at[1].v),
                            u = motion[i][1] * (drawn.Q * Eigen::Vector3d(at[0].d, 0.0, at[1].d)),
                            spin = motion[i][1] * at[2].d * Eigen::Vector3d::UnitY();
      const Eigen::Vector3d turning = w.cols() == 3 ? spin : Eigen::Vector3d(spin[1], 0.0, 0.0);
      errors.position = std::max(errors.position, (p.row(row).transpose() - x).norm());
      errors.velocity = std::max(errors.velocity, (v.row(row).transpose() - u).norm());
      for (Eigen::Index k = 0; k < w.cols(); ++k) errors.rate = std::max(errors.rate, std::abs(w(row, k) - turning[k]));
    }
  }
  std::vector<Eigen::MatrixXd> forces;
  for (const Pin& pin : m.pins) forces.push_back(record.read(pin.name + ".reaction_force").values);
  for (std::size_t i = 0; i < motion.size(); ++i) {
    if (!is_regular(motion[i][0])) continue;
    const std::vector<Eigen::Vector2d> reactions = calc_reactions(m, motion[i]);
    for (std::size_t j = 0; j < reactions.size(); ++j) {
      const Eigen::Vector3d f = drawn.Q * Eigen::Vector3d(reactions[j][0], 0.0, reactions[j][1]);
      errors.reaction = std::max(errors.reaction, (forces[j].row(static_cast<Eigen::Index>(i)).transpose() - f).norm());
      errors.largest_reaction = std::max(errors.largest_reaction, f.norm());
    }
  }
  return errors;
}

// ---- machines ------------------------------------------------------------------------------------------------------

/// A row of n parallelograms: cranks of length r, `a` apart, φ = s from upright; flat where cos φ = 0.
inline Machine make_parallelograms(int n, double r = 1.0, double a = 1.0) {
  Machine m;
  for (int i = 0; i <= n; ++i) {
    m.parts.push_back({.name = fmt::format("crank_{}", i), .place = [=](const Jet& s) -> Place {
                         return {constant(i * a) + 0.5 * r * sin(s), 0.5 * r * cos(s), s};
                       }});
    m.pins.push_back({.name = fmt::format("foot_{}", i), .a = -1, .b = i, .place = [=](const Jet&) -> Place {
                        return {constant(i * a), {}, {}};
                      }});
  }
  for (int i = 0; i < n; ++i) {
    m.parts.push_back({.name = fmt::format("coupler_{}", i), .place = [=](const Jet& s) -> Place {
                         return {constant((i + 0.5) * a) + r * sin(s), r * cos(s), {}};
                       }});
    for (int k = 0; k < 2; ++k)
      m.pins.push_back({.name = fmt::format("{}_{}", k ? "right" : "left", i),
                        .a = k ? n + 1 + i : i,
                        .b = k ? i + 1 : n + 1 + i,
                        .place = [=](const Jet& s) -> Place {
                          return {constant((i + k) * a) + r * sin(s), r * cos(s), {}};
                        }});
  }
  return m;
}

/// A crank and a rod of the same length r, the slider on the line through the crank's foot: 2 r cos φ along it, φ = s
/// from the line. Where cos φ = 0 it may also stay at the foot, with crank and rod turning as one.
inline Machine make_slider_crank(double r, double m_rod, double m_slider) {
  Machine m;
  const auto pin = [r](double along, double across) {
    return [=](const Jet& s) -> Place { return {along * r * cos(s), across * r * sin(s), {}}; };
  };
  m.parts = {{.name = "crank",
              .mass = 1.0,
              .inertia = r * r / 12.0,
              .place = [=](const Jet& s) -> Place {
                return {0.5 * r * cos(s), 0.5 * r * sin(s), -1.0 * s};
              }},
             {.name = "rod",
              .mass = m_rod,
              .inertia = m_rod * r * r / 12.0,
              .place = [=](const Jet& s) -> Place {
                return {1.5 * r * cos(s), 0.5 * r * sin(s), s};
              }},
             {.name = "slider", .mass = m_slider, .inertia = 0.01 * m_slider * r * r, .place = pin(2.0, 0.0)}};
  m.pins = {{.name = "foot", .a = -1, .b = 0, .place = pin(0.0, 0.0)},
            {.name = "elbow", .a = 0, .b = 1, .place = pin(1.0, 1.0)},
            {.name = "wrist", .a = 1, .b = 2, .place = pin(2.0, 0.0)},
            {.name = "guide", .a = -1, .b = 2, .place = pin(2.0, 0.0), .slides = true}};
  return m;
}

/// Two cranks of length r, feet `a` > r apart along x, on a coupler of length a, crossed. φ = s and ψ from the line of
/// the feet:
///
///   tan(ψ/2) = −κ tan(φ/2),   κ = (a + r)/(a − r),   dψ/dφ = −κ/(cos²(φ/2) + κ² sin²(φ/2))
///
/// flat at the multiples of π, where it may go on as a parallelogram.
inline Machine make_antiparallelogram(double r, double a, double m_coupler) {
  const double kappa = (a + r) / (a - r);
  const auto other = [kappa](const Jet& s) {
    const double c = std::cos(0.5 * s.v), n = std::sin(0.5 * s.v), D = c * c + kappa * kappa * n * n;
    const double turns = std::round(s.v / (2.0 * M_PI)), rest = 0.5 * s.v - M_PI * turns;
    const double psi = -2.0 * std::atan2(kappa * std::sin(rest), std::cos(rest)) - 2.0 * M_PI * turns;
    return chain(s, psi, -kappa / D, kappa * (kappa * kappa - 1.0) * c * n / (D * D));
  };
  const auto tip = [=](const Jet& angle, double foot, double part) -> Place {
    return {constant(foot) + part * r * cos(angle), part * r * sin(angle), -1.0 * angle};
  };
  Machine m;
  // The angle about y, from z to x, of what points along (cos α, sin α) in (x, z) changes as −α.
  m.parts = {
      {.name = "left", .mass = 1.0, .inertia = r * r / 12.0, .place = [=](const Jet& s) { return tip(s, 0.0, 0.5); }},
      {.name = "right",
       .mass = 2.0,
       .inertia = 2.0 * r * r / 12.0,
       .place = [=](const Jet& s) { return tip(other(s), a, 0.5); }},
      {.name = "coupler", .mass = m_coupler, .inertia = m_coupler * a * a / 12.0, .place = [=](const Jet& s) -> Place {
         const Jet psi = other(s);
         const Place b = tip(s, 0.0, 1.0), c = tip(psi, a, 1.0);
         const Jet x = c[0] - b[0], z = c[1] - b[1];
         // α = atan2(z, x): α̇ = (x ż − z ẋ)/a², α̈ = (x z̈ − z ẍ)/a² since x² + z² = a².
         const Jet alpha{std::atan2(z.v, x.v), (x.v * z.d - z.v * x.d) / (a * a), (x.v * z.dd - z.v * x.dd) / (a * a)};
         return {0.5 * (b[0] + c[0]), 0.5 * (b[1] + c[1]), -1.0 * alpha};
       }}};
  const auto foot = [](double x) { return [=](const Jet&) -> Place { return {constant(x), {}, {}}; }; };
  m.pins = {{.name = "foot_left", .a = -1, .b = 0, .place = foot(0.0)},
            {.name = "foot_right", .a = -1, .b = 1, .place = foot(a), .kind = "cylindrical"},
            {.name = "top_left", .a = 0, .b = 2, .place = [=](const Jet& s) { return tip(s, 0.0, 1.0); }},
            {.name = "top_right",
             .a = 2,
             .b = 1,
             .place = [=](const Jet& s) { return tip(other(s), a, 1.0); },
             .kind = "spherical"}};
  return m;
}

}  // namespace trammel::one_freedom
