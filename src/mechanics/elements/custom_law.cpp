// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/custom_law.h"

#include <cmath>

#include "local_differences.h"

namespace trammel {

namespace {

using Element = CustomLawGroup::Element;

// x, ẋ and the covectors ∂x/∂twist of both frames.
template <class S>
struct Coordinate {
  S x, rate;
  FrameRow<S> g[2];
};

template <class S>
Coordinate<S> calc_coordinate(const Element& e, const Frame<S>* f, double turns) {
  using std::sqrt;
  Coordinate<S> c;
  if (e.line) {
    const Vec3<S> d = point_position(f[1], e.s_b) - point_position(f[0], e.s_a);
    c.x = sqrt(dot(d, d));
    const Vec3<S> u = d * S(1.0 / c.x);
    c.g[1] = {u, cross(lift<S>(e.s_b), rotate_back(f[1].R, u))};
    c.g[0] = {-u, -cross(lift<S>(e.s_a), rotate_back(f[0].R, u))};
  } else {
    c.x = e.x.value(f, turns);
    e.x.gradient(f, c.g);
  }
  c.rate = along(c.g[0], f[0]) + along(c.g[1], f[1]);
  return c;
}

double turns_of(const Element& e, const KinematicState& state) { return e.branch < 0 ? 0.0 : state.turns[e.branch]; }

Coordinate<double> calc_coordinate(const Element& e, const KinematicState& state) {
  const Frame<double> f[2] = {state.frames[e.frame[0]], state.frames[e.frame[1]]};
  return calc_coordinate(e, f, turns_of(e, state));
}

}  // namespace

CustomLawGroup::Values CustomLawGroup::evaluate(const KinematicState& state) const {
  Values values;
  for (std::vector<double>* v : {&values.x, &values.rate, &values.Q}) v->resize(elements_.size());
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const Coordinate<double> c = calc_coordinate(elements_[e], state);
    values.x[e] = c.x;
    values.rate[e] = c.rate;
  }
  if (!elements_.empty()) law_(state.in.u[0], values.x, values.rate, values.Q);
  return values;
}

// Slots per element: the block of each ordered pair of its frames.
void CustomLawGroup::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (const Element& e : elements_)
    for (int i : e.frame)
      for (int j : e.frame) slots.push_back(connectivity.pair(i, j));
}

void CustomLawGroup::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench,
                                std::span<double>) const {
  const Values values = evaluate(state);
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const Coordinate<double> c = calc_coordinate(elements_[e], state);
    for (int i = 0; i < 2; ++i)
      trammel::add(wrench[elements_[e].frame[i]], {c.g[i].force * values.Q[e], c.g[i].moment * values.Q[e]});
  }
}

void CustomLawGroup::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> slots,
                                FramePlanes& planes) const {
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D);
  if ((!wants_K && !wants_D) || elements_.empty()) return;
  const Values at = evaluate(state);
  const std::size_t n = elements_.size();

  // (4): the law at x ± δ and at ẋ ± δ, all in one call.
  std::vector<double> x, rate, Q(4 * n), step(2 * n);
  for (int part = 0; part < 4; ++part)
    for (std::size_t e = 0; e < n; ++e) {
      const double by_x = differences::delta * std::fmax(1.0, std::abs(at.x[e]));
      const double by_rate = differences::delta * std::fmax(1.0, std::abs(at.rate[e]));
      step[e] = by_x, step[n + e] = by_rate;
      x.push_back(at.x[e] + (part == 0 ? by_x : part == 1 ? -by_x : 0.0));
      rate.push_back(at.rate[e] + (part == 2 ? by_rate : part == 3 ? -by_rate : 0.0));
    }
  law_(state.in.u[0], x, rate, Q);

  const int* slot = slots.data();
  for (std::size_t e = 0; e < n; ++e, slot += 4) {
    const Element& element = elements_[e];
    const double Q_x = (Q[e] - Q[n + e]) / (2 * step[e]), Q_rate = (Q[2 * n + e] - Q[3 * n + e]) / (2 * step[n + e]);
    Frame<double> f[2];
    Frame<Dual<6>> lifted[2];
    for (int i = 0; i < 2; ++i) f[i] = state.frames[element.frame[i]], lifted[i] = lift<Dual<6>>(f[i]);
    const auto add_columns = [&](int j, const Frame<Dual<6>>& seeded, BlockPlane& plane) {
      lifted[j] = seeded;
      const Coordinate<Dual<6>> c = calc_coordinate(element, lifted, turns_of(element, state));
      lifted[j] = lift<Dual<6>>(f[j]);
      Dual<6> force(at.Q[e]);
      for (int k = 0; k < 6; ++k) force.d[k] = Q_x * c.x.d[k] + Q_rate * c.rate.d[k];
      for (int i = 0; i < 2; ++i)
        if (slot[2 * i + j] >= 0)
          subtract_derivative({c.g[i].force * force, c.g[i].moment * force}, plane[slot[2 * i + j]]);
    };
    for (int j = 0; j < 2; ++j) {
      if (slot[3 * j] < 0) continue;  // a frame that does not move has no columns
      if (wants_K) add_columns(j, seed_position(f[j]), planes.K);
      if (wants_D) add_columns(j, seed_velocity(f[j]), planes.D);
    }
  }
}

double CustomLawGroup::power(const KinematicState& state) const {
  const Values values = evaluate(state);
  double power = 0.0;
  for (std::size_t e = 0; e < elements_.size(); ++e) power += values.Q[e] * values.rate[e];
  return power;
}

}  // namespace trammel
