// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "run_model.h"

/// Motions whose velocity jumps: an impulse, after which the machine moves as mechanics says.
namespace trammel::test_velocity_jumps {
namespace {

const char* const integrators[] = {"generalized_alpha", "hht", "newmark", "midpoint",
                                   "energy_decaying",   "bdf", "radau",   "runge_kutta"};

constexpr double g = 9.81, m = 1.0, length = 1.0, J = 0.2, end = 2.5;

/// A cart that is driven at V from t₁ to t₂ and stands before and after; a bob hangs on it.
struct Drive {
  double t1 = 0.7, t2 = 1.9, V = 1.0;
  double place(double t) const { return V * (std::clamp(t, t1, t2) - t1); }
};

std::string cart(const Drive& d) {
  return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "cart"
mass = 2
inertia = [1, 1, 1]
position = [0, 0, 0]
[[body]]
name = "bob"
mass = 1
inertia = [0.1, 0.2, 0.1]
position = [0, 0, -1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = "x"
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["cart", "bob"]
point = [0, 0, 0]
axis = "y"
[[motion]]
name = "drive"
joint = "rail"
function = "ramp(t, {0}, 0, {1}, {2})"
[analysis]
end = {3}
[output]
interval = 0.05
)toml",
                     d.t1, d.t2, d.V * (d.t2 - d.t1), end);
}

// In the frame of the cart, which is inertial between the jumps: (J + m l²) θ̈ = −m g l sin θ. The generalized momentum
// (J + m l²) θ̇ − m l cos θ Ẋ does not jump. Classical Runge–Kutta, 10⁵ steps: twelve digits.
std::vector<double> angles(const Drive& d, const std::vector<double>& times) {
  const double inertia = J + m * length * length;
  double t = 0.0, angle = 0.0, rate = 0.0;
  std::vector<double> found;
  const auto go = [&](double to) {
    const int n = std::max(1, static_cast<int>(std::ceil((to - t) * 4e4)));
    const double h = (to - t) / n;
    const auto acceleration = [&](double x) { return -m * g * length / inertia * std::sin(x); };
    for (int i = 0; i < n; ++i) {
      const double k1 = acceleration(angle), k2 = acceleration(angle + 0.5 * h * rate);
      const double k3 = acceleration(angle + 0.5 * h * rate + 0.25 * h * h * k1);
      const double k4 = acceleration(angle + h * rate + 0.5 * h * h * k2);
      angle += h * rate + h * h / 6.0 * (k1 + k2 + k3);
      rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    t = to;
  };
  bool moving = false, over = false;
  for (const double at : times) {
    if (!moving && at >= d.t1) go(d.t1), rate += m * length * std::cos(angle) * d.V / inertia, moving = true;
    if (!over && at >= d.t2) go(d.t2), rate -= m * length * std::cos(angle) * d.V / inertia, over = true;
    if (at > t) go(at);
    found.push_back(angle);
  }
  return found;
}

TEST(VelocityJumps, are_impulses_after_which_the_machine_swings_as_it_must) {
  std::mt19937 random(10);
  std::uniform_real_distribution<double> early(0.2, 1.0), late(1.2, 2.2), speed(-2.0, 2.0);
  for (const char* integrator : integrators)
    for (const char* coordinates : {"absolute", "joint"}) {
      if (std::string(integrator) == "energy_decaying" && std::string(coordinates) == "joint") continue;
      const Drive d{early(random), late(random), speed(random)};
      SCOPED_TRACE(fmt::format("{} {} {} {} {}", integrator, coordinates, d.t1, d.t2, d.V));
      const Recorded recorded = run_text(
          cart(d), {fmt::format("solver.integrator=\"{}\"", integrator),
                    fmt::format("solver.coordinates=\"{}\"", coordinates), "solver.rtol=1e-7", "solver.atol=1e-7"});
      const std::vector<double> reference = angles(d, recorded.times());
      const Eigen::VectorXd angle = recorded.values("hinge.angle"), place = recorded.values("rail.displacement");
      double worst = 0.0, off = 0.0;
      for (std::size_t i = 0; i < reference.size(); ++i) {
        worst = std::max(worst, std::abs(angle[static_cast<Eigen::Index>(i)] - reference[i]));
        off = std::max(off, std::abs(place[static_cast<Eigen::Index>(i)] - d.place(recorded.times()[i])));
      }
      // 10⁻⁷ in each of some hundred steps, which grow in the swing; newmark damps and has order 1.
      EXPECT_LT(worst, std::string(integrator) == "newmark" ? 2e-3 : 2e-4);
      EXPECT_LT(off, 1e-6);
      EXPECT_LT(recorded.summary.energy_drift, 1e-2);  // work by the trapezoidal rule over steps of 0.1 s
      EXPECT_LT(recorded.summary.velocity_drift, 1e-3);
      EXPECT_NE(recorded.summary.to_text().find("motion 'drive'"), std::string::npos);
    }
}

// The same drive by its speed, of a motion or of a coupler of rates.
TEST(VelocityJumps, of_drives_by_speed_are_impulses_as_well) {
  const Drive d{0.6, 1.7, 1.3};
  const std::string speed = fmt::format("\"if(t < {}, 0, if(t < {}, {}, 0))\"", d.t1, d.t2, d.V),
                    place = fmt::format("function = \"ramp(t, {0}, 0, {1}, {2})\"", d.t1, d.t2, d.V * (d.t2 - d.t1));
  const std::string by_motion = replace_once(cart(d), place, "velocity = " + speed);
  const std::string by_coupler = replace_once(
      cart(d), "[[motion]]\nname = \"drive\"\njoint = \"rail\"\n" + place,
      "[[coupler]]\nname = \"drive\"\nkind = \"speed_coupler\"\njoints = [\"rail\"]\nfactors = [1]\nvalue = " + speed);
  for (const char* integrator : integrators)
    for (const char* coordinates : {"absolute", "joint"}) {
      if (std::string(integrator) == "energy_decaying") continue;  // holds no rows on velocities
      for (const auto& model : {by_motion, by_coupler}) {
        SCOPED_TRACE(fmt::format("{} {} {}", integrator, coordinates,
                                 model.find("coupler") == std::string::npos ? "motion" : "coupler"));
        const Recorded recorded = run_text(
            model, {fmt::format("solver.integrator=\"{}\"", integrator),
                    fmt::format("solver.coordinates=\"{}\"", coordinates), "solver.rtol=1e-7", "solver.atol=1e-7"});
        const std::vector<double> reference = angles(d, recorded.times());
        const Eigen::VectorXd angle = recorded.values("hinge.angle"), at = recorded.values("rail.displacement");
        double worst = 0.0, off = 0.0;
        for (std::size_t i = 0; i < reference.size(); ++i) {
          worst = std::max(worst, std::abs(angle[static_cast<Eigen::Index>(i)] - reference[i]));
          off = std::max(off, std::abs(at[static_cast<Eigen::Index>(i)] - d.place(recorded.times()[i])));
        }
        EXPECT_LT(worst, std::string(integrator) == "newmark" ? 2e-3 : 2e-4);  // as above
        EXPECT_LT(off, 1e-5);  // the place is integrated: ten steps' tolerances and more
      }
    }
}

// A stop that is never reached is watched for in every step, and changes nothing: the work behind the jump begins with
// the power of the velocities there.
TEST(VelocityJumps, bring_in_the_same_work_where_a_far_stop_is_watched_for) {
  const std::string stop = R"toml(
[[force]]
name = "stop"
kind = "joint_limit"
joint = "hinge"
lower = -300
upper = 300
stiffness = 1e3
)toml";
  for (const char* integrator : {"generalized_alpha", "midpoint", "bdf"})
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", integrator, coordinates));
      const SetList settings{fmt::format("solver.integrator=\"{}\"", integrator),
                             fmt::format("solver.coordinates=\"{}\"", coordinates)};
      const Recorded without = run_text(cart({}), settings), with = run_text(cart({}) + stop, settings);
      EXPECT_EQ(with.summary.steps, without.summary.steps);
      EXPECT_NEAR(with.summary.work, without.summary.work, 1e-9);
    }
}

// With default tolerances and steps as long as the method likes.
TEST(VelocityJumps, are_met_by_the_explicit_pair_with_default_settings) {
  const Recorded recorded =
      run_text(cart({1.0, 2.0, 1.0}), {"solver.integrator=\"runge_kutta\"", "solver.coordinates=\"absolute\""});
  const Eigen::VectorXd place = recorded.values("rail.displacement");
  for (std::size_t i = 0; i < recorded.times().size(); ++i)
    EXPECT_NEAR(place[static_cast<Eigen::Index>(i)], std::clamp(recorded.times()[i] - 1.0, 0.0, 1.0), 1e-6);
  EXPECT_LT(recorded.summary.position_drift, 1e-9);
}

}  // namespace
}  // namespace trammel::test_velocity_jumps
