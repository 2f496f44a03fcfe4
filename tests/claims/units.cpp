// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// The same machine in other units, lengths times s, masses times m, times times τ, is the same machine: it has the
/// same freedoms, is assembled or refused alike, and every method takes the steps that it takes at 1 m.

namespace trammel::test_units {
namespace {

struct Units {
  double s, m, tau;
};

/// A four-bar linkage of rigid bodies, three rows too many, that falls against a spring; with `short_of` its crank is
/// held by two rods, one of them so many parts of its length too short.
std::string four_bar(const Units& u, double short_of = 0.0) {
  const auto at = [&](double x, double y, double z) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", u.s * x, u.s * y, u.s * z);
  };
  const double J = u.m * u.s * u.s;
  std::string text = fmt::format("gravity = {}\n", at(0.0, 0.0, -9.81 / (u.tau * u.tau)));
  const auto body = [&](const char* name, double x, double z) {
    text +=
        fmt::format("[[body]]\nname = \"{}\"\nmass = {:.17g}\ninertia = [{:.17g}, {:.17g}, {:.17g}]\nposition = {}\n",
                    name, u.m, 0.01 * J, 0.012 * J, 0.013 * J, at(x, 0.0, z));
  };
  const auto hinge = [&](const char* name, const char* a, const char* b, double x, double z) {
    text += fmt::format(
        "[[joint]]\nname = \"{}\"\nkind = \"revolute\"\nbodies = [\"{}\", \"{}\"]\npoint = {}\naxis = \"y\"\n", name, a,
        b, at(x, 0.0, z));
  };
  body("crank", 0.0, 0.1), body("coupler", 0.25, 0.275), body("rocker", 0.475, 0.175);
  hinge("a", "ground", "crank", 0.0, 0.0), hinge("b", "crank", "coupler", 0.0, 0.2);
  hinge("c", "coupler", "rocker", 0.5, 0.35), hinge("d", "ground", "rocker", 0.45, 0.0);
  text += fmt::format(
      "[[force]]\nname = \"spring\"\nkind = \"joint_spring\"\njoint = \"d\"\nstiffness = {:.17g}\ndamping = {:.17g}\n",
      2.0 * J / (u.tau * u.tau), 0.02 * J / u.tau);
  if (short_of > 0.0)  // the crank is held upright by a rod, and by another one that would let it be so nearly
    for (const double length : {1.0, 1.0 - short_of})
      text += fmt::format(
          "[[joint]]\nname = \"rod_{0}\"\nkind = \"distance\"\nbodies = [\"ground\", \"crank\"]\npoint = {1}\npoint_b "
          "= "
          "{2}\nlength = {3:.17g}\n",
          length == 1.0 ? 0 : 1, at(-0.3, 0.0, 0.2), at(0.0, 0.0, 0.2), 0.3 * length * u.s);
  return text + fmt::format("[analysis]\nend = {:.17g}\n[output]\ninterval = {:.17g}\n[solver]\nredundant = \"drop\"\n",
                            0.6 * u.tau, 0.02 * u.tau);
}

const Units metre{1.0, 1.0, 1.0};
const std::vector<Units> others{{1e-6, 1e-18, 1e-3}, {1e-6, 1.0, 1.0}, {1e3, 1e9, 30.0}};
const std::vector<std::string> integrators{"generalized_alpha", "hht", "newmark", "midpoint",
                                           "energy_decaying",   "bdf", "radau",   "runge_kutta"};

Eigen::MatrixXd shape(const Recorded& run, const Units& u) {
  Eigen::MatrixXd x(run.times().size(), 9);
  x << run.values("crank.position"), run.values("coupler.position"), run.values("rocker.position");
  return x / u.s;
}

}  // namespace

// Steps of one-step methods are the same but for a few; those of `bdf`, `radau` and `runge_kutta` depend on tolerances
// of velocities as well, which do not know the unit of time, and at 1 km on an absolute tolerance of 1e-7 m.
TEST(Units, do_not_matter_to_any_method) {
  constexpr double most_error = 10.0;
  const Eigen::MatrixXd exact = shape(
      run_text(four_bar(metre), {"solver.integrator=runge_kutta", "solver.rtol=1e-10", "solver.atol=1e-10"}), metre);
  for (const std::string& integrator : integrators)
    for (const std::string coordinates : {"absolute", "joint"}) {
      if (integrator == "energy_decaying" && coordinates == "joint") continue;
      SetList list{"solver.integrator=" + integrator};
      if (integrator != "energy_decaying") list.push_back("solver.coordinates=" + coordinates);
      const bool varies = integrator == "bdf" || integrator == "radau" || integrator == "runge_kutta";
      const double most_steps = varies ? 2.0 : 1.05;
      const Recorded ordinary = run_text(four_bar(metre), list);
      const double error = (shape(ordinary, metre) - exact).cwiseAbs().maxCoeff();
      for (const Units& u : others) {
        SCOPED_TRACE(fmt::format("{} {} {} m, {} kg, {} s", integrator, coordinates, u.s, u.m, u.tau));
        const Recorded run = run_text(four_bar(u), list);
        EXPECT_TRUE(run.summary.completed);
        EXPECT_TRUE(run.summary.alarms.empty());
        EXPECT_EQ(run.summary.degrees_of_freedom, 1);
        EXPECT_EQ(run.summary.nc, ordinary.summary.nc);
        const double steps = static_cast<double>(run.summary.steps) / static_cast<double>(ordinary.summary.steps);
        EXPECT_LT(std::max(steps, 1.0 / steps), most_steps) << run.summary.steps << " " << ordinary.summary.steps;
        EXPECT_LT((shape(run, u) - exact).cwiseAbs().maxCoeff(), most_error * error);
      }
    }
}

// Lengths that contradict each other by 1e-5 of them are a mistake, whatever the unit; by 1e-13 rounding.
TEST(Units, do_not_matter_to_what_is_assembled) {
  std::vector<Units> all = others;
  all.push_back(metre);
  for (const Units& u : all) {
    SCOPED_TRACE(fmt::format("{} m, {} kg, {} s", u.s, u.m, u.tau));
    EXPECT_THROW(Simulation(read_study_text(four_bar(u, 1e-5), "model.toml")), InputError);
    EXPECT_NO_THROW(Simulation(read_study_text(four_bar(u, 1e-13), "model.toml")));
  }
}

// A machine far from the origin moves as one that stands there: rtol is a part of what moves.
TEST(Units, do_not_depend_on_where_the_origin_is) {
  const auto at = [](double x) {
    return fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "mass"
kind = "particle"
mass = 1
position = [{}, 0, 0]
[[force]]
name = "spring"
kind = "spring_damper"
point_a = {{ body = "ground", at = [{}, 0, 0] }}
point_b = {{ body = "mass", at = [0, 0, 0] }}
stiffness = 10
free_length = 1
[analysis]
end = 5
[output]
interval = 0.1
)toml",
                       x + 1.2, x);
  };
  for (const std::string& integrator : integrators) {
    double near = 0.0;
    for (const double x : {0.0, 1e4}) {
      SCOPED_TRACE(fmt::format("{} {}", integrator, x));
      const Recorded run = run_text(at(x), {"solver.integrator=" + integrator});
      const Eigen::MatrixXd position = run.values("mass.position");
      double error = 0.0;
      for (std::size_t i = 0; i < run.times().size(); ++i)
        error = std::max(error, std::abs(position(static_cast<Eigen::Index>(i), 0) - x - 1.0 -
                                         0.2 * std::cos(std::sqrt(10.0) * run.times()[i])));
      if (x == 0.0)
        near = error;
      else
        EXPECT_LT(error, 3.0 * near + 1e-9);
    }
  }
}

}  // namespace trammel::test_units
