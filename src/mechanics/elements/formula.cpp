// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/formula.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {

namespace {

using Type = FormulaSignal::Type;
using Family = FormulaSeed::Family;

void insert(std::vector<int>& set, int value) {
  const auto it = std::lower_bound(set.begin(), set.end(), value);
  if (it == set.end() || *it != value) set.insert(it, value);
}

// What a formula sees, as plain numbers.
struct PlainContext {
  const KinematicState& k;
  const Frame<double>& frame(int f) const { return k.frames[f]; }
  double state(int z) const { return k.z[z]; }
  double row(int r) const { return k.lam[r]; }
};

// The same with one family of variables seeded.
struct SeededContext {
  const KinematicState& k;
  const FormulaSeed& seed;
  Frame<Dual<6>> frame(int f) const {
    if (f == seed.frame && seed.family == Family::position) return seed_position(k.frames[f]);
    if (f == seed.frame && seed.family == Family::velocity) return seed_velocity(k.frames[f]);
    return lift<Dual<6>>(k.frames[f]);
  }
  Dual<6> seeded(double value, int id, Family family) const {
    Dual<6> x(value);
    if (seed.family == family)
      for (std::size_t i = 0; i < seed.ids.size(); ++i)
        if (seed.ids[i] == id) x.d[i] = 1.0;
    return x;
  }
  Dual<6> state(int z) const { return seeded(k.z[z], z, Family::state); }
  Dual<6> row(int r) const { return seeded(k.lam[r], r, Family::row); }
};

// s, y, z, yaw, roll, pitch: R_T = Rz(ψ) Rx(φ) Ry(θ)
template <class S>
S calc_track_coordinate(const Track& track, const Frame<S>& f, int component) {
  using std::asin, std::atan2;
  const TrackSection<S> t = section_of(track, f.p);
  switch (component) {
    case 0:
      return t.s;
    case 1:
      return t.y;
    case 2:
      return t.z;
    default:
      break;
  }
  const Vec3<S> axle = t.to_track(Vec3<S>(f.R(0, 1), f.R(1, 1), f.R(2, 1)));
  if (component == 3) return atan2(S(-axle.x()), axle.y());
  if (component == 4) return asin(axle.z());
  return atan2(S(-f.R(2, 0)), f.R(2, 2));
}

template <class S>
S calc_wheel_value(const WheelRail& wheel, const Frame<S>& f, const S& lam, int component) {
  if (component == 0) return lam;
  const WheelContact<S> contact = calc_wheel_contact(wheel, f);
  if (component == 7) return contact.rolling_radius;
  const WheelCreep<S> creep = calc_wheel_creep(wheel, contact, f, lam);
  if (component == 8) return -(lam * contact.phi_y) - creep.forces.Fy * contact.n.z();
  const S values[] = {creep.N, creep.xi_x, creep.xi_y, creep.spin, creep.forces.Fx, creep.forces.Fy};
  return values[component - 1];
}

// φ, θ, ψ of Rz(ψ) Ry(θ) Rx(φ).
template <class S>
S calc_angle(const Mat3<S>& R, int component) {
  using std::asin, std::atan2;
  if (component == 0) return atan2(R(2, 1), R(2, 2));
  if (component == 1) return asin(S(-R(2, 0)));
  return atan2(R(1, 0), R(0, 0));
}

// Their rates, of the angular velocity w in the axes of the second.
template <class S>
S calc_angle_rate(const Mat3<S>& R, const Vec3<S>& w, int component) {
  using std::cos, std::sin;
  const S roll = calc_angle(R, 0), c = cos(roll), s = sin(roll);
  if (component == 1) return w.y() * c - w.z() * s;
  const S yaw_rate = (w.y() * s + w.z() * c) / cos(calc_angle(R, 1));
  return component == 2 ? yaw_rate : S(w.x() - yaw_rate * R(2, 0));
}

// Axes fixed in a frame, in the world.
template <class S>
Mat3<S> turned(const Frame<S>& f, const Eigen::Matrix3d& axes) {
  Mat3<S> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = f.R(i, 0) * axes(0, j) + f.R(i, 1) * axes(1, j) + f.R(i, 2) * axes(2, j);
  return R;
}

template <class S>
S calc_relative_angle(const FormulaSignal& x, const Frame<S>& a, const Frame<S>& b) {
  const Mat3<S> R_a = turned(a, x.axes[0]), R_b = turned(b, x.axes[1]);
  Mat3<S> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = R_a(0, i) * R_b(0, j) + R_a(1, i) * R_b(1, j) + R_a(2, i) * R_b(2, j);
  if (x.type == Type::angles) return calc_angle(R, x.index);
  const Vec3<S> w = rotate_back(R_b, Vec3<S>(rotate(b.R, b.w) - rotate(a.R, a.w)));
  return calc_angle_rate(R, w, x.index);
}

template <class S>
S calc_relative_motion(const FormulaSignal& x, const Frame<S>& a, const Frame<S>& b, const Frame<S>& third) {
  const Vec3<S> d = point_position(b, x.s[1]) - point_position(a, x.s[0]);
  if (x.type == Type::relative_position) return rotate_back(turned(third, x.axes[0]), d)[x.component];
  const Vec3<S> v = point_velocity(b, x.s[1]) - point_velocity(a, x.s[0]) - cross(rotate(a.R, a.w), d);
  return rotate_back(turned(third, x.axes[0]), v)[x.component];
}

}  // namespace

void FormulaDependence::add(const FormulaDependence& other) {
  for (int f : other.frames) insert(frames, f);
  for (int z : other.states) insert(states, z);
  for (int r : other.rows) insert(rows, r);
  on_velocity |= other.on_velocity;
}

int FormulaSet::add(Expression expression, std::vector<FormulaSignal> signals) {
  if (static_cast<int>(signals.size()) > max_signals)
    throw InputError("a formula uses more than " + std::to_string(max_signals) + " different quantities: \"" +
                     expression.text() + "\"; split it into measures");
  programs_.push_back({std::move(expression), std::move(signals)});
  return size() - 1;
}

template <class S, class Context>
S FormulaSet::run(int program, const Context& context) const {
  const Program& p = programs_[program];
  std::array<S, max_signals> values;
  for (int i : p.expression.variables()) values[i] = signal<S>(p.signals[i], context);
  return p.expression.template evaluate<S>(std::span<const S>(values.data(), p.signals.size()));
}

template <class S, class Context>
S FormulaSet::signal(const FormulaSignal& x, const Context& context) const {
  using std::sqrt;
  const int c = x.component;
  switch (x.type) {
    case Type::time:
      return S(context.k.in.u[0]);
    case Type::input:
      return S(context.k.in.u[static_cast<std::size_t>(x.index)]);
    case Type::position:
      return point_position(Frame<S>(context.frame(x.frame[0])), x.s[0])[c];
    case Type::velocity:
      return point_velocity(Frame<S>(context.frame(x.frame[0])), x.s[0])[c];
    case Type::angular_velocity:
      return context.frame(x.frame[0]).w[c];
    case Type::coordinate:
    case Type::coordinate_rate: {
      const Frame<S> f[2] = {context.frame(x.frame[0]), context.frame(x.frame[1])};
      if (x.type == Type::coordinate) return x.x.value(f, x.branch < 0 ? 0.0 : context.k.turns[x.branch]);
      FrameRow<S> g[2];
      x.x.gradient(f, g);
      return along(g[0], f[0]) + along(g[1], f[1]);
    }
    case Type::distance:
    case Type::distance_rate: {
      const Frame<S> a = context.frame(x.frame[0]), b = context.frame(x.frame[1]);
      const Vec3<S> d = point_position(b, x.s[1]) - point_position(a, x.s[0]);
      const S length = sqrt(dot(d, d));
      if (x.type == Type::distance) return length;
      return dot(d, Vec3<S>(point_velocity(b, x.s[1]) - point_velocity(a, x.s[0]))) / length;
    }
    case Type::reaction_force:
    case Type::reaction_moment:
    case Type::reaction_force_norm:
    case Type::reaction_moment_norm: {
      Wrench<S> sum = zero_wrench<S>();
      for (const FormulaSignal::Part& part : x.parts) {
        std::array<Frame<S>, 6> local;
        std::array<S, 6> lam;
        for (int i = 0; i < part.group->frames_per_element(); ++i)
          local[i] = context.frame(part.group->frame(part.element, i));
        for (int r = 0; r < part.group->rows_per_element(); ++r)
          lam[r] = context.row(part.group->first_row(part.element) + r);
        const Wrench<S> w = part.group->reaction(part.element, local.data(), lam.data(), part.local_frame);
        sum.force += w.force;
        sum.moment += w.moment;
      }
      const bool is_force = x.type == Type::reaction_force || x.type == Type::reaction_force_norm;
      Vec3<S> vector = sum.force;
      if (!is_force) {  // from the frame's origin to the joint's point, world axes
        const Frame<S> b = context.frame(x.frame[1]);
        vector = rotate(b.R, sum.moment) - cross(rotate(b.R, x.s[1]), sum.force);
      }
      if (x.type == Type::reaction_force || x.type == Type::reaction_moment) return vector[c];
      // The norm has no derivative at 0; forces this small (1 nN) do not matter to any law.
      const S squared = dot(vector, vector);
      return value_of(squared) <= 1e-18 ? S(0.0) : S(sqrt(squared));  // NaN stays NaN
    }
    case Type::effort:
      return -context.row(x.index);
    case Type::state:
      return context.state(x.index);
    case Type::program:
      return run<S>(x.index, context);
    case Type::track_coordinate:
      return calc_track_coordinate(*x.track, Frame<S>(context.frame(x.frame[0])), c);
    case Type::wheel_value: {
      const WheelRailGroup::Element& e = x.wheels->element(x.index);
      return calc_wheel_value(e.wheel, Frame<S>(context.frame(e.frame)), S(context.row(e.row)), c);
    }
    case Type::world_spin: {
      const Frame<S> f = context.frame(x.frame[0]);
      return rotate(f.R, f.w)[c];
    }
    case Type::angles:
    case Type::angle_rates:
      return calc_relative_angle(x, Frame<S>(context.frame(x.frame[0])), Frame<S>(context.frame(x.frame[1])));
    case Type::relative_position:
    case Type::relative_velocity:
      return calc_relative_motion(x, Frame<S>(context.frame(x.frame[0])), Frame<S>(context.frame(x.frame[1])),
                                  Frame<S>(context.frame(x.third)));
    case Type::recorded:
      return S(context.k.recorded.empty() ? std::nan("") : context.k.recorded[x.index]);
  }
  return S(0.0);
}

double FormulaSet::evaluate(int program, const KinematicState& state) const {
  return run<double>(program, PlainContext{state});
}

Dual<6> FormulaSet::evaluate(int program, const KinematicState& state, const FormulaSeed& seed) const {
  return run<Dual<6>>(program, SeededContext{state, seed});
}

double FormulaSet::evaluate(const FormulaSignal& x, const KinematicState& state) const {
  return signal<double>(x, PlainContext{state});
}

bool FormulaSet::reads_time() const {
  return std::any_of(programs_.begin(), programs_.end(), [](const Program& p) {
    const std::vector<int>& variables = p.expression.variables();
    return std::any_of(variables.begin(), variables.end(),
                       [&](int i) { return p.signals[static_cast<std::size_t>(i)].type == FormulaSignal::Type::time; });
  });
}

FormulaDependence FormulaSet::calc_dependence(int program) const {
  FormulaDependence d;
  const Program& p = programs_[program];
  for (int i : p.expression.variables()) {
    const FormulaSignal& x = p.signals[i];
    switch (x.type) {
      case Type::time:
      case Type::input:
        break;
      case Type::velocity:
      case Type::angular_velocity:
        d.on_velocity = true;
        [[fallthrough]];
      case Type::position:
        insert(d.frames, x.frame[0]);
        break;
      case Type::coordinate_rate:
      case Type::distance_rate:
        d.on_velocity = true;
        [[fallthrough]];
      case Type::coordinate:
      case Type::distance:
        insert(d.frames, x.frame[0]);
        insert(d.frames, x.frame[1]);
        break;
      case Type::reaction_force:
      case Type::reaction_moment:
      case Type::reaction_force_norm:
      case Type::reaction_moment_norm:
        for (const FormulaSignal::Part& part : x.parts) {
          for (int i2 = 0; i2 < part.group->frames_per_element(); ++i2)
            insert(d.frames, part.group->frame(part.element, i2));
          for (int r = 0; r < part.group->rows_per_element(); ++r)
            insert(d.rows, part.group->first_row(part.element) + r);
        }
        break;
      case Type::effort:
        insert(d.rows, x.index);
        break;
      case Type::state:
        insert(d.states, x.index);
        break;
      case Type::program:
        d.add(calc_dependence(x.index));
        break;
      case Type::track_coordinate:
        insert(d.frames, x.frame[0]);
        break;
      case Type::wheel_value:
        d.on_velocity = true;
        insert(d.frames, x.frame[0]);
        insert(d.rows, x.wheels->element(x.index).row);
        break;
      case Type::relative_velocity:
      case Type::angle_rates:
        d.on_velocity = true;
        [[fallthrough]];
      case Type::relative_position:
      case Type::angles:
        for (const int f : {x.frame[0], x.frame[1], x.third}) insert(d.frames, f);
        break;
      case Type::world_spin:
        d.on_velocity = true;
        insert(d.frames, x.frame[0]);
        break;
      case Type::recorded:
        break;
    }
  }
  return d;
}

// ---- forces and rates ----------------------------------------------------------------------------------------------

void FormulaGroup::add(Element element) {
  Compiled compiled;
  for (int program : element.programs) compiled.dependence.add(formulas_.calc_dependence(program));
  if (element.output != Output::rates)
    for (int f : element.frame) insert(compiled.dependence.frames, f);
  compiled.element = std::move(element);
  elements_.push_back(std::move(compiled));
}

template <class S, class Frames, class Values>
void FormulaGroup::calc_wrench(const Element& e, const Frames& frame, const Values& value, Wrench<S>* w) const {
  using std::sqrt;
  const Frame<S> f[2] = {frame(e.frame[0]), frame(e.frame[1])};
  w[0] = w[1] = zero_wrench<S>();
  switch (e.output) {
    case Output::force:
    case Output::torque: {
      Vec3<S> given{value(e.programs[0]), value(e.programs[1]), value(e.programs[2])};
      const Vec3<S> world = e.in_body_axes ? rotate(f[1].R, given) : given;
      if (e.output == Output::torque) {
        w[1].moment = rotate_back(f[1].R, world);
        w[0].moment = -rotate_back(f[0].R, world);
        break;
      }
      const Vec3<S> arm_a = rotate_back(f[0].R, Vec3<S>(point_position(f[1], e.s_b) - f[0].p));
      w[1] = {world, cross(lift<S>(e.s_b), rotate_back(f[1].R, world))};
      w[0] = {-world, -cross(arm_a, rotate_back(f[0].R, world))};
      break;
    }
    case Output::line: {
      const Vec3<S> d = point_position(f[1], e.s_b) - point_position(f[0], e.s_a);
      const S per_length = value(e.programs[0]) / sqrt(dot(d, d));
      const Vec3<S> F = d * per_length;
      w[1] = {F, cross(lift<S>(e.s_b), rotate_back(f[1].R, F))};
      w[0] = {-F, -cross(lift<S>(e.s_a), rotate_back(f[0].R, F))};
      break;
    }
    case Output::coordinate: {
      FrameRow<S> g[2];
      e.x.gradient(f, g);
      const S Q = value(e.programs[0]);
      for (int i = 0; i < 2; ++i) w[i] = {g[i].force * Q, g[i].moment * Q};
      break;
    }
    case Output::rates:
      break;
  }
}

void FormulaGroup::calc_wrench(const Element& e, const KinematicState& state, Wrench<double>* w) const {
  const PlainContext context{state};
  calc_wrench<double>(
      e, [&](int f) { return context.frame(f); }, [&](int program) { return formulas_.evaluate(program, state); }, w);
}

void FormulaGroup::calc_wrench(const Element& e, const KinematicState& state, const FormulaSeed& seed,
                               Wrench<Dual<6>>* w) const {
  const SeededContext context{state, seed};
  const bool turns = seed.family == Family::position && (seed.frame == e.frame[0] || seed.frame == e.frame[1]);
  if (e.output == Output::coordinate && !turns) {  // ∂x/∂twist does not change
    const PlainContext plain{state};
    const Frame<double> f[2] = {plain.frame(e.frame[0]), plain.frame(e.frame[1])};
    FrameRow<double> g[2];
    e.x.gradient(f, g);
    const Dual<6> Q = formulas_.evaluate(e.programs[0], state, seed);
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k) w[i].force[k] = g[i].force[k] * Q, w[i].moment[k] = g[i].moment[k] * Q;
    return;
  }
  calc_wrench<Dual<6>>(
      e, [&](int f) { return context.frame(f); }, [&](int program) { return formulas_.evaluate(program, state, seed); },
      w);
}

void FormulaGroup::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench,
                              std::span<double> rates) const {
  for (const Compiled& c : elements_) {
    const Element& e = c.element;
    if (e.output == Output::rates) {
      for (std::size_t i = 0; i < e.programs.size(); ++i) rates[e.states[i]] = formulas_.evaluate(e.programs[i], state);
      continue;
    }
    Wrench<double> w[2];
    calc_wrench(e, state, w);
    for (int i = 0; i < 2; ++i) trammel::add(wrench[e.frame[i]], w[i]);
  }
}

double FormulaGroup::power(const KinematicState& state) const {
  double power = 0.0;
  for (const Compiled& c : elements_) {
    if (c.element.output == Output::rates) continue;
    Wrench<double> w[2];
    calc_wrench(c.element, state, w);
    for (int i = 0; i < 2; ++i) power += power_of(w[i], state.frames[c.element.frame[i]]);
  }
  return power;
}

// Slots of a force: per own frame i: pairs (i, frame j), then (i, row), then (i, state).
// Slots of rates:   per own state z: (z, frame j), then (z, row), then (z, state).
void FormulaGroup::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (const Compiled& c : elements_) {
    const FormulaDependence& d = c.dependence;
    if (c.element.output == Output::rates) {
      for (int z : c.element.states) {
        for (int f : d.frames) slots.push_back(connectivity.state_rate(z, f));
        for (int r : d.rows) slots.push_back(connectivity.state_lam(z, r));
        for (int other : d.states) slots.push_back(connectivity.state_state(z, other));
      }
    } else {
      for (int i : c.element.frame) {
        for (int f : d.frames) slots.push_back(connectivity.pair(i, f));
        for (int r : d.rows) slots.push_back(connectivity.reaction(i, r));
        for (int z : d.states) slots.push_back(connectivity.state_force(i, z));
      }
    }
  }
}

void FormulaGroup::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> slots,
                              FramePlanes& planes) const {
  const int* slot = slots.data();
  for (const Compiled& c : elements_) {
    const Element& e = c.element;
    const FormulaDependence& d = c.dependence;
    const bool is_rates = e.output == Output::rates;
    const int n_own = is_rates ? static_cast<int>(e.states.size()) : 2;
    const int n_frames = static_cast<int>(d.frames.size()), n_rows = static_cast<int>(d.rows.size());
    const int stride = n_frames + n_rows + static_cast<int>(d.states.size());

    // One sweep: six derivatives of everything this element gives, handed to `put(own, wrench)` or `put(own, rate)`.
    const auto sweep = [&](const FormulaSeed& seed, const auto& put_wrench, const auto& put_rate) {
      if (is_rates) {
        for (int i = 0; i < n_own; ++i) put_rate(i, formulas_.evaluate(e.programs[i], state, seed));
      } else {
        Wrench<Dual<6>> w[2];
        calc_wrench(e, state, seed, w);
        for (int i = 0; i < n_own; ++i) put_wrench(i, w[i]);
      }
    };
    const auto minus_row = [](const Dual<6>& x, Row6& to) {
      for (int k = 0; k < 6; ++k) to[k] -= x.d[k];
    };

    const bool wants_q = is_rates ? contains(set, PlaneSet::internal) : contains(set, PlaneSet::K);
    const bool wants_v = (is_rates ? contains(set, PlaneSet::internal) : contains(set, PlaneSet::D)) && d.on_velocity;
    for (int j = 0; j < n_frames; ++j) {
      const auto at = [&](int own) { return slot[own * stride + j]; };
      bool has_columns = false;  // a frame that does not move has none
      for (int i = 0; i < n_own; ++i) has_columns = has_columns || at(i) >= 0;
      if (!has_columns) continue;
      if (wants_q)
        sweep(
            {Family::position, d.frames[j], {}},
            [&](int i, const Wrench<Dual<6>>& w) {
              if (at(i) >= 0) subtract_derivative(w, planes.K[at(i)]);
            },
            [&](int i, const Dual<6>& rate) {
              if (at(i) >= 0) minus_row(rate, planes.g_q[at(i)]);
            });
      if (wants_v)
        sweep(
            {Family::velocity, d.frames[j], {}},
            [&](int i, const Wrench<Dual<6>>& w) {
              if (at(i) >= 0) subtract_derivative(w, planes.D[at(i)]);
            },
            [&](int i, const Dual<6>& rate) {
              if (at(i) >= 0) minus_row(rate, planes.g_v[at(i)]);
            });
    }
    // Multipliers and states in bunches of six.
    const auto bunches = [&](const std::vector<int>& ids, Family family, int first, auto& wrench_plane,
                             auto& rate_plane) {
      for (std::size_t begin = 0; begin < ids.size(); begin += 6) {
        const std::size_t count = std::min<std::size_t>(6, ids.size() - begin);
        sweep(
            {family, -1, std::span(ids).subspan(begin, count)},
            [&](int i, const Wrench<Dual<6>>& w) {
              for (std::size_t k = 0; k < count; ++k) {
                const int target = slot[i * stride + first + static_cast<int>(begin + k)];
                if (target < 0) continue;
                for (int r = 0; r < 3; ++r) {
                  wrench_plane[target][r] -= w.force[r].d[k];
                  wrench_plane[target][3 + r] -= w.moment[r].d[k];
                }
              }
            },
            [&](int i, const Dual<6>& rate) {
              for (std::size_t k = 0; k < count; ++k) {
                const int target = slot[i * stride + first + static_cast<int>(begin + k)];
                if (target >= 0) rate_plane[target] -= rate.d[k];
              }
            });
      }
    };
    if (contains(set, is_rates ? PlaneSet::internal : PlaneSet::f_lam))
      bunches(d.rows, Family::row, n_frames, planes.f_lam, planes.g_lam);
    if (contains(set, PlaneSet::internal)) bunches(d.states, Family::state, n_frames + n_rows, planes.f_z, planes.g_z);
    slot += n_own * stride;
  }
}

}  // namespace trammel
