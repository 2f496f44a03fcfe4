// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "run_model.h"
#include "trammel/simulation/option.h"

/// Tolerances that nobody gave are those of the machine: the same machine, made smaller, moves as well as the large
/// one.

namespace trammel {

namespace {

const std::vector<std::string> all_integrators{"generalized_alpha", "hht", "newmark", "midpoint",
                                               "energy_decaying",   "bdf", "radau",   "runge_kutta"};

/// A double pendulum of a rigid rod and a particle on a massless rod, of length s; time is scaled by √s, so that
/// motions are similar: q/s is a function of t/√s alone.
std::string pendulum(double s) {
  const double span = 2.0 * std::sqrt(s);
  return fmt::format(R"toml(
[[body]]
name = "rod"
mass = {m}
inertia = [{J}, {J}, {J}]
position = [{half}, 0, 0]
[[body]]
name = "bob"
kind = "particle"
mass = {m}
position = [{s}, 0, {minus_half}]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "string"
kind = "distance"
bodies = ["rod", "bob"]
point = [{s}, 0, 0]
point_b = [{s}, 0, {minus_half}]
[analysis]
end = {span}
[output]
interval = {interval}
)toml",
                     fmt::arg("m", 2.0 * s * s * s), fmt::arg("J", 0.1 * s * s * s * s * s), fmt::arg("half", 0.5 * s),
                     fmt::arg("minus_half", -0.5 * s), fmt::arg("s", s), fmt::arg("span", span),
                     fmt::arg("interval", span / 40.0));
}

// Positions of both over all frames, in lengths s.
Eigen::MatrixXd shape(double s, const SetList& settings) {
  const Recorded run = run_text(pendulum(s), settings);
  Eigen::MatrixXd x(run.times().size(), 6);
  x << run.values("rod.position"), run.values("bob.position");
  return x / s;
}

}  // namespace

TEST(SmallMachines, move_as_large_ones_do_with_default_tolerances) {
  const Eigen::MatrixXd exact = shape(1.0, {"solver.integrator=runge_kutta", "solver.rtol=1e-11", "solver.atol=1e-11"});
  for (const std::string& integrator : all_integrators)
    for (const std::string coordinates : {"absolute", "joint"}) {
      if (integrator == "energy_decaying" && coordinates == "joint") continue;
      const SetList list = integrator == "energy_decaying"
                               ? SetList{"solver.integrator=" + integrator}
                               : SetList{"solver.integrator=" + integrator, "solver.coordinates=" + coordinates};
      const double ordinary = (shape(1.0, list) - exact).cwiseAbs().maxCoeff();
      for (const double s : {1e-6, 3e-3, 1e3}) {
        SCOPED_TRACE(fmt::format("{} {} {}", integrator, coordinates, s));
        EXPECT_LT((shape(s, list) - exact).cwiseAbs().maxCoeff(), 10.0 * ordinary);
      }
    }
}

TEST(SmallMachines, show_their_tolerances_and_obey_given_ones) {
  const auto atol = [](const std::string& text, const SetList& list = {}) {
    const Study study = read_study_text(text, "model.toml", list);
    const Resolved resolved = resolve(study, study.model);
    EXPECT_TRUE(resolved.issues.empty());
    return resolved.settings.solver;
  };
  EXPECT_EQ(*atol(pendulum(1.0)).atol, 1e-7);
  EXPECT_FALSE(atol(pendulum(1.0)).tolerances.rotation_tol);
  EXPECT_EQ(*atol(pendulum(0.1)).atol, 1e-7);
  EXPECT_NEAR(*atol(pendulum(1e-6)).atol, 1e-12, 1e-20);  // 1.1e-6 m
  EXPECT_EQ(*atol(pendulum(1e-6)).tolerances.rotation_tol, 1e-7);
  EXPECT_EQ(*atol(pendulum(1e-6), {"solver.atol=1e-7"}).atol, 1e-7);
  EXPECT_FALSE(atol(pendulum(1e-6), {"solver.atol=1e-7"}).tolerances.rotation_tol);
  // The origin is no part of a machine.
  const std::string flying =
      "[[body]]\nname = \"a\"\nmass = 1e-9\ninertia = [1e-21, 1e-21, 1e-21]\nposition = [50, 0, 0]\n"
      "[analysis]\nend = 1\n";
  EXPECT_NEAR(*atol(flying).atol, 1e-12, 1e-20);
}

}  // namespace trammel
