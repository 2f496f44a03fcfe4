// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/method_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/formulations/explicit_form.h"
#include "trammel/simulation/machine_length.h"

namespace trammel {

namespace {

// ---- how fast the fastest small motion is --------------------------------------------------------------------------

// Coordinates: beyond, an explicit method would solve a large system in every stage, and Radau a complex one.
constexpr int largest_looked_at = 1000;

struct Fastest {
  std::optional<double> rate = {};  // |σ| [1/s]; absent: no numbers there
  bool damped = false;              // it decays rather than oscillates
};

// Power iteration on J², J = ∂f/∂y by differences: a pair ±iω of J is a double −ω² of J², so that quotients of norms do
// not oscillate. A quotient that has settled to some percent is enough for a choice.
Fastest find_fastest(const ExplicitForm& form, const MotionVariables& x, const State& state, double length) {
  constexpr int most = 15;
  constexpr double settled = 0.03, difference = 1e-7, clearly = 0.7;
  const Eigen::Index n = form.layout().n();
  const std::unique_ptr<Workspace> workspace = form.make_workspace();
  Eigen::VectorXd y(n), f(n), f_beside(n), unit = Eigen::VectorXd::Ones(n), u(n), ju(n), jju(n);
  form.pack(x, y);
  for (Eigen::Index i = 0; i < n; ++i)
    if (form.layout().kinds()[i] == Kind::position) unit[i] = length;
  if (!form.rates(x.t, y, state, f, *workspace).ok()) return {};
  const auto apply = [&](const Eigen::VectorXd& to, Eigen::VectorXd& out) {
    const double size = to.norm();
    if (!(size > 0.0)) return false;
    const Eigen::VectorXd beside = y + (difference / size) * to.cwiseProduct(unit);
    if (!form.rates(x.t, beside, state, f_beside, *workspace).ok()) return false;
    out = (size / difference) * (f_beside - f).cwiseQuotient(unit);
    return out.allFinite();
  };
  unsigned seed = 1;
  for (Eigen::Index i = 0; i < n; ++i) {  // in no direction in particular, and always the same
    seed = 1664525u * seed + 1013904223u;
    u[i] = seed / 4294967296.0 - 0.5;
  }
  Fastest fastest;
  for (int k = 0; k < most; ++k) {
    if (!apply(u, ju)) break;
    if (ju.isZero(0.0)) return {.rate = 0.0};  // free flight: J² = 0
    if (!apply(ju, jju)) break;
    if (jju.isZero(0.0)) return {.rate = 0.0};
    const double before = fastest.rate.value_or(0.0), now = std::sqrt(jju.norm() / u.norm());
    fastest.rate = now;
    u = jju / jju.norm();
    if (std::abs(now - before) <= settled * now) break;
  }
  if (apply(u, ju) && ju.norm() > 0.0) fastest.damped = u.dot(ju) < -clearly * u.norm() * ju.norm();
  return fastest;
}

}  // namespace

MachineFacts find_facts(const ChoiceStart& start) {
  const Model& model = start.study.model;
  MachineFacts facts;
  facts.unknowns = start.absolute.nv();
  facts.freedoms = facts.unknowns - start.rank;
  facts.span = start.study.analysis.span();
  facts.rtol = start.study.solver.rtol.value_or(0.0);
  facts.has_tree = start.tree != nullptr;
  facts.turns = !start.absolute.chart_offsets().empty();
  facts.reads_reactions = start.reads_reactions;
  // Rows of given speeds stand as they are in the axes of joints; those of what rolls turn with it.
  const std::span<const char> holonomic = start.absolute.holonomic();
  const auto rates = std::count(holonomic.begin(), holonomic.end(), 0);
  const auto given = std::count_if(model.motions.begin(), model.motions.end(),
                                   [](const MotionSpec& motion) { return motion.velocity.given(); }) +
                     std::count_if(model.couplers.begin(), model.couplers.end(),
                                   [](const CouplerSpec& coupler) { return coupler.velocity_level; });
  facts.rolls = rates > given;
  if (start.tree != nullptr) {
    facts.tree_freedoms = start.tree->nv();
    facts.loop_rows = start.tree->nc();
    facts.massless = !start.tree->explicit_refusal().empty();
  }
  if (facts.massless || (start.moved.nc() > 0 && start.moved.nv() > largest_looked_at)) return facts;
  const ExplicitForm form(start.moved);
  const Fastest fastest = find_fastest(form, start.x, start.state, tolerance_scale(model));
  facts.rate = fastest.rate, facts.damped = fastest.damped;
  return facts;
}

// docs/choice.md has the reasons and the measurements.
MethodRanking rank_methods(const MachineFacts& f) {
  constexpr Integrator runge_kutta = Integrator::runge_kutta, radau = Integrator::radau, bdf = Integrator::bdf;
  constexpr CoordinateSet absolute = CoordinateSet::absolute;
  constexpr int few = 60;  // coordinates whose full matrices cost no more than sparse ones
  // Steps of the explicit pair that stability may ask for before Radau is tried first: a trial costs as much as a
  // hundred of them. What decays hardly ever matters for as long as it has to be resolved.
  const double affordable_steps = f.damped ? 300.0 : 1000.0;
  // With loops every stage solves for multipliers, at the cost of an iteration of Radau, which takes fewer than the
  // pair of order 5 has stages; the pair of order 8 serves tolerances below this.
  constexpr double order_8_below = 1e-7;
  // What rolls turns by large angles, and its rows with it: Newton with the matrix of a step's beginning would hold
  // Radau's steps at loose tolerances.
  // Where forces follow reactions every stage makes a matrix as well.
  const bool explicit_pays = !f.reads_reactions && (f.is_tree() || f.rolls || f.rtol < order_8_below);
  const bool reduces = f.has_tree && f.tree_freedoms < f.unknowns;
  const CoordinateSet fewest = reduces || (f.is_tree() && !f.is_free()) ? CoordinateSet::joint : absolute;
  // Radau makes matrices, and those of joint coordinates cost several times as much by the unknown: derivatives go
  // through the frames of all bodies before it. In the absolute coordinates of bodies that turn in space Newton's steps
  // are held by every wheel that spins.
  constexpr double clearly_fewer = 0.3;
  const int rank = f.unknowns - f.freedoms;
  // Where forces follow reactions, every derivative in joint coordinates goes through the reactions of the tree too.
  const bool pays =
      reduces && !f.reads_reactions && f.tree_freedoms + f.loop_rows <= clearly_fewer * (f.unknowns + rank);
  const bool crowded = f.turns || f.unknowns > few;
  const CoordinateSet of_radau = pays || (crowded && f.tree_freedoms <= few) ? fewest : absolute;
  const bool stiff = f.stability_rate() * f.span > affordable_steps;
  const auto count = [](int n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  std::string why = f.is_tree()
                        ? fmt::format("tree of {}", count(f.freedoms, "freedom"))
                        : fmt::format("{}, {} in loops", count(f.freedoms, "freedom"), count(f.loop_rows, "row"));
  if (f.freedoms > 0 && f.rate && !stiff && explicit_pays)
    return {{{runge_kutta, fewest}, {radau, fewest}, {radau, absolute}}, why + ", not stiff"};
  if (stiff)
    why +=
        fmt::format(", stiff (the fastest small motion {} with {:.2g}/s)", f.damped ? "decays" : "oscillates", *f.rate);
  else if (f.freedoms == 0)
    why += ", driven";
  else if (f.massless)
    why += ", freedoms without inertia";
  else if (f.rate)
    why += ", for which every explicit stage would solve";
  const bool large = f.tree_freedoms > few || (!reduces && f.unknowns > few);
  // What oscillates undamped and is not resolved BDF above order 2 lets grow, and at order 2 follows in small steps.
  const bool rings = stiff && !f.damped && f.unknowns <= largest_looked_at;
  if (large && !rings) return {{{bdf, absolute}, {radau, absolute}}, why};
  return {{{radau, of_radau}, {radau, absolute}}, why};
}

std::string describe_method(const Method& method) {
  const std::string name = method.integrator == Integrator::runge_kutta ? "explicit pair" : word_of(method.integrator);
  return fmt::format("{} in {} coordinates", name, word_of(method.coordinates));
}

}  // namespace trammel
