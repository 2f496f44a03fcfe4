#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <complex>
#include <numbers>

#include "run_model.h"
#include "trammel/mechanics/make_beam.h"

/// Geometrically exact beams in motion: frequencies, centrifugal stiffening, free flight, the flexible pendulum.
namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

/// √ of the eigenvalues of K by M at the drawn, stressless position; both symmetric there, and M is positive definite.
/// (The first-order form loses 1e-4 of the lowest frequencies to rounding beside shear waves of 1e6 rad/s.)
std::vector<double> frequencies(const std::string& text, const Settings& settings = {}) {
  Simulation simulation(read_study_text(text, "model.toml", settings));
  const SecondOrderDae& dae = simulation.dae();
  const std::unique_ptr<Workspace> workspace = dae.make_workspace();
  InputBuffer inputs;
  dae.calc_inputs(0.0, inputs);
  MotionPlanes planes;
  EXPECT_TRUE(
      dae.linearize(simulation.initial().point(inputs.view()), simulation.state(), PlaneSet::all, planes, *workspace)
          .ok());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(dae.nv(), dae.nv()), K = M;
  for (int j = 0; j < dae.nv(); ++j)
    for (int k = planes.motion.start[j]; k < planes.motion.start[j + 1]; ++k)
      M(planes.motion.index[k], j) = planes.M[k], K(planes.motion.index[k], j) = planes.K[k];
  EXPECT_LT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-9 * K.cwiseAbs().maxCoeff());
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(0.5 * (K + K.transpose()), M);
  std::vector<double> omega;
  for (const double square : modes.eigenvalues())
    if (square > 1.0) omega.push_back(std::sqrt(square));
  return omega;
}

const std::string strip = R"toml(
gravity = [0, 0, 0]
[parameters]
order = 3
n = 4
[[beam]]
name = "strip"
points = [[0, 0, 0], [1, 0, 0]]
elements = "n"
order = "order"
section = { kind = "rectangle", width = 0.004, height = 0.008 }
material = { young = 70e9, poisson = 0.3, density = 2700 }
)toml";
constexpr double wave = 5091.750772173155;  // √(E/ρ) [m/s]

/// ω = (kL)² √(EI/ρA)/L², I/A = t²/12; shear and rotary inertia lower it by about (t kL/L)²: below 0.1 %.
TEST(BeamDynamics, cantilevers_vibrate_with_the_frequencies_of_theory) {
  const std::vector<double> omega = frequencies(strip + "start_body = \"ground\"\n");
  const double thin = 0.004 / std::sqrt(12.0) * wave, tall = 2.0 * thin;
  EXPECT_NEAR(omega[0] / (1.875104069 * 1.875104069 * thin), 1.0, 1e-3);
  EXPECT_NEAR(omega[1] / (1.875104069 * 1.875104069 * tall), 1.0, 1e-3);
  EXPECT_NEAR(omega[2] / (4.694091133 * 4.694091133 * thin), 1.0, 1e-3);
}

TEST(BeamDynamics, free_beams_vibrate_with_the_frequencies_of_theory) {
  const std::vector<double> omega = frequencies(strip);
  const double thin = 0.004 / std::sqrt(12.0) * wave;
  EXPECT_NEAR(omega[0] / (4.730040745 * 4.730040745 * thin), 1.0, 1e-3);
  EXPECT_NEAR(omega[1] / (4.730040745 * 4.730040745 * 2.0 * thin), 1.0, 1.5e-3);  // thicker: shear takes 0.1 %
  EXPECT_NEAR(omega[2] / (7.853204624 * 7.853204624 * thin), 1.0, 1.5e-3);
}

/// Masses at Gauss–Lobatto points do not spoil the order: frequencies converge with h², h⁴, h⁶.
TEST(BeamDynamics, frequencies_converge_with_twice_the_order_of_the_elements) {
  const auto first = [](int order, int n) {
    const std::string thick = replace_once(strip, "width = 0.004, height = 0.008", "width = 0.03, height = 0.05");
    return frequencies(thick + "start_body = \"ground\"\n",
                       {fmt::format("parameters.order={}", order), fmt::format("parameters.n={}", n)})[0];
  };
  const double exact = first(3, 12);
  const int coarse[] = {0, 6, 3, 2};
  for (const int order : {1, 2, 3}) {
    const double p = observed_order(std::abs(first(order, coarse[order]) - exact),
                                    std::abs(first(order, 2 * coarse[order]) - exact));
    EXPECT_NEAR(p, 2.0 * order, 0.3) << order;
  }
}

/// The centrifugal pull stiffens a beam that turns about its root. With Ω = 4 times √(EI/ρA)/L² the first flapping
/// frequency is 5.5850 of that instead of 3.5160 (Wright et al., 1982).
TEST(BeamDynamics, rotation_stiffens_a_beam) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[parameters]
Omega = 4
[[beam]]
name = "blade"
points = [[0, 0, 0], [1, 0, 0]]
elements = 3
section = { kind = "given", stiffness = [1e6, 1e6, 1e6, 1, 1, 1], mass = 1, inertia = [2e-6, 1e-6, 1e-6] }
angular_velocity_world = [0, 0, "Omega"]
[[joint]]
name = "hub"
kind = "revolute"
bodies = ["ground", "blade_0"]
point = [0, 0, 0]
axis = "z"
[[motion]]
name = "drive"
joint = "hub"
function = "Omega * t"
[[force]]
name = "flick"
kind = "force"
body = "blade_9"
force = [0, 0, "if(t < 0.5, 1e-4*sin(pi*t/0.5)^2, 0)"]
[[measure]]
name = "flap"
expression = "blade_9.z"
[analysis]
end = 8
[solver]
integrator = "generalized_alpha"
h = 2e-3
newton_tol = 1e-10
[output]
interval = 2e-3
)toml";
  const Recorded turning = run_text(text);
  const Eigen::MatrixXd flap = turning.values("flap");
  std::vector<double> up;
  for (int i = 1; i < flap.rows(); ++i) {
    const double t0 = turning.times()[static_cast<std::size_t>(i - 1)],
                 t1 = turning.times()[static_cast<std::size_t>(i)];
    if (t0 > 0.6 && t1 > t0 && flap(i - 1, 0) < 0.0 && flap(i, 0) >= 0.0)
      up.push_back(t0 + (t1 - t0) * flap(i - 1, 0) / (flap(i - 1, 0) - flap(i, 0)));
  }
  ASSERT_GE(up.size(), 5u);
  const double omega = 2.0 * pi * static_cast<double>(up.size() - 1) / (up.back() - up.front());
  EXPECT_NEAR(omega, 5.5850, 0.005 * 5.585);
}

/// Spin-up [benchmarks 7]: after 15 s the beam turns with 6 rad/s and is longer by L (tan(kL)/kL − 1) = 5.14e-4.
TEST(BeamDynamics, spin_up_ends_in_a_stretched_steady_rotation) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[[beam]]
name = "arm"
points = [[0, 0, 0], [10, 0, 0]]
elements = 3
section = { kind = "given", stiffness = [2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4], mass = 1.2, inertia = [1.2e-3, 6e-4, 6e-4] }
[[joint]]
name = "hub"
kind = "revolute"
bodies = ["ground", "arm_0"]
point = [0, 0, 0]
axis = "z"
[[motion]]
name = "drive"
joint = "hub"
function = "if(t < 15, 0.4*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)"
[[measure]]
name = "length"
kind = "distance"
point_a = [0, 0, 0]
point_b = { body = "arm_9", at = [0, 0, 0] }
[analysis]
end = 30
[solver]
integrator = "generalized_alpha"
rho_inf = 0.6
h = 0.02
newton_tol = 1e-9
[output]
interval = 0.1
)toml";
  const Recorded spun = run_text(text);
  const Eigen::VectorXd length = spun.values("length").col(0);
  EXPECT_LT(length.head(120).minCoeff(), 10.0 - 1e-3);  // it lags behind and bends while it gains speed
  double mean = 0.0;
  int n = 0;
  for (int i = 0; i < length.size(); ++i)
    if (spun.times()[static_cast<std::size_t>(i)] > 20.0) mean += length[i], ++n;
  EXPECT_NEAR(mean / n - 10.0, 5.14e-4, 0.03 * 5.14e-4);
}

/// Linear and angular momentum about the origin, from the recorded bodies.
struct Momentum {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
};
Momentum momentum(const Recorded& run, const Model& model, int row) {
  Momentum sum;
  for (const BodySpec& body : model.bodies) {
    const auto at = [&](const std::string& what) {
      return Eigen::VectorXd(run.values(body.name + "." + what).row(row).transpose());
    };
    const Eigen::Vector3d p = at("position"), v = at("velocity"), w = at("angular_velocity");
    const Eigen::VectorXd q = at("orientation");
    const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    sum.linear += body.mass * v;
    sum.angular += body.mass * p.cross(v) + R * (body.inertia * w);
  }
  return sum;
}

/// Flying beam [benchmarks 7]: 8 N and 80 N m at one end for 2.5 s give it the momentum 20, which it keeps; spatial by
/// a second moment about the beam.
TEST(BeamDynamics, a_flying_beam_keeps_momentum_and_energy_as_each_integrator_promises) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[[beam]]
name = "rod"
points = [[6, 0, 0], [0, 8, 0]]
elements = 6
section = { kind = "given", stiffness = [1e4, 1e4, 1e4, 100, 100, 100], mass = 1, inertia = [20, 10, 10] }
[[force]]
name = "push"
kind = "force"
body = "rod_0"
force = ["if(t < 2.5, 8, 0)", 0, 0]
[[force]]
name = "turn"
kind = "torque"
body = "rod_0"
torque = [0, "if(t < 2.5, 20, 0)", "if(t < 2.5, -80, 0)"]
[analysis]
end = 6
[output]
interval = 0.5
)toml";
  const struct {
    Settings settings;
    double impulse, angular, energy;  // fixed steps see the end of the push half a step late
  } cases[] = {
      {{"solver.integrator=midpoint", "solver.h=0.02", "solver.newton_tol=1e-11"}, 0.1, 2e-3, 2e-3},
      {{"solver.integrator=generalized_alpha", "solver.h=0.01", "solver.newton_tol=1e-11"}, 0.05, 2e-3, 2e-3},
      {{"solver.integrator=radau", "solver.rtol=1e-7", "solver.atol=1e-8"}, 1e-6, 1e-6, 1e-6},
      {{"solver.integrator=bdf", "solver.rtol=1e-7", "solver.atol=1e-8"}, 1e-6, 1e-4, 1e-4},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.settings[0]);
    const Study study = read_study_text(text, "model.toml", c.settings);
    const Recorded flight = run(study);
    const Momentum start = momentum(flight, study.model, 6), end = momentum(flight, study.model, 12);  // 3 s and 6 s
    EXPECT_NEAR(start.linear.x(), 20.0, c.impulse);
    EXPECT_LT((end.linear - start.linear).norm(), 1e-6);
    EXPECT_GT(start.angular.norm(), 50.0);
    EXPECT_LT((end.angular - start.angular).norm(), c.angular * start.angular.norm());
    const Eigen::VectorXd energy = flight.values("energy.total").col(0);
    EXPECT_GT(energy[6], 100.0);
    EXPECT_LT(std::abs(energy[12] - energy[6]), c.energy * energy[6]);
  }
}

// ---- the flexible pendulum -----------------------------------------------------------------------------------------

/// Four cubic elements, hinged at one end and released from the horizontal.
const std::string pendulum = R"toml(
[[beam]]
name = "rope"
points = [[0, 0, 0], [1, 0, 0]]
elements = 4
section = { kind = "given", stiffness = [2e4, 1e4, 1e4, 2, 2, 2], mass = 1, inertia = [2e-4, 1e-4, 1e-4] }
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rope_0"]
point = [0, 0, 0]
axis = "y"
[analysis]
end = 0.1
[output]
interval = 0.1
)toml";

struct Method {
  const char *integrator, *formulation, *h;
};
void PrintTo(const Method& method, std::ostream* out) { *out << method.integrator << " " << method.formulation; }

// Everything that a hinged machine in absolute coordinates can run with; other pairs are refused by name for every
// machine (options_issues.cpp).
const Method methods[] = {
    {"generalized_alpha", "index3", "1e-3"},
    {"hht", "index3", "1e-3"},
    {"newmark", "index3", "1e-3"},
    {"midpoint", "index3", "1e-3"},
    {"radau", "index3", ""},
    {"radau", "stabilized_index2", ""},
    {"bdf", "index3", ""},
    {"bdf", "stabilized_index2", ""},
    {"bdf", "stabilized_index1", ""},
    {"bdf", "index2", ""},
    {"bdf", "index1", ""},
    {"bdf", "coordinate_split", ""},
};

// The one pair that does not run: index 3 of bdf and radau has no augmented term, and the preconditioner of gmres,
// which exchanges no rows, stops at a multiplier, by name. The same holds for rigid bodies.
bool excluded(const Method& method, const std::string& solver) {
  const std::string integrator = method.integrator, formulation = method.formulation;
  return solver == "gmres" && formulation == "index3" && (integrator == "bdf" || integrator == "radau");
}

class FlexiblePendulum : public testing::TestWithParam<Method> {};

TEST_P(FlexiblePendulum, moves_alike_with_every_integrator_formulation_and_linear_solver) {
  const Method method = GetParam();
  static const Eigen::Vector3d expected =
      run_text(pendulum, {"solver.integrator=generalized_alpha", "solver.h=2e-4", "solver.newton_tol=1e-10"})
          .last("rope_12.position");
  for (const char* solver : {"auto", "dense", "sparse_lu", "sparse_ldlt", "skyline_ldlt", "gmres"}) {
    SCOPED_TRACE(fmt::format("{} {} {}", method.integrator, method.formulation, solver));
    Settings settings{fmt::format("solver.integrator={}", method.integrator),
                      fmt::format("solver.formulation={}", method.formulation),
                      fmt::format("solver.linear_solver={}", solver)};
    if (*method.h != '\0')
      settings.insert(settings.end(), {fmt::format("solver.h={}", method.h), "solver.newton_tol=1e-9"});
    else
      settings.insert(settings.end(), {"solver.rtol=1e-4", "solver.atol=1e-5"});
    if (excluded(method, solver)) {
      MemoryRecord record;
      const Summary summary = Simulation(read_study_text(pendulum, "model.toml", settings)).run(record);
      EXPECT_FALSE(summary.completed);
      EXPECT_NE(summary.failure.find("multiplier of joint 'hinge'"), std::string::npos) << summary.failure;
      continue;
    }
    const Recorded swing = run_text(pendulum, settings);
    EXPECT_LT((swing.last("rope_12.position") - expected).norm(), 2e-4);
  }
}
INSTANTIATE_TEST_SUITE_P(, FlexiblePendulum, testing::ValuesIn(methods),
                         [](const testing::TestParamInfo<Method>& method) {
                           return std::string(method.param.integrator) + "_" + method.param.formulation;
                         });

/// In joint coordinates the nodes are free links, and the elements act on their frames as everywhere.
TEST(BeamDynamics, joint_coordinates_move_beams_alike) {
  const Settings common{"solver.integrator=radau", "solver.rtol=1e-5", "solver.atol=1e-6", "analysis.end=0.05"};
  Settings joint = common;
  joint.push_back("solver.coordinates=joint");
  const Eigen::VectorXd a = run_text(pendulum, common).last("rope_12.position");
  const Eigen::VectorXd b = run_text(pendulum, joint).last("rope_12.position");
  EXPECT_LT((a - b).norm(), 1e-6);
}

/// Stiffness-proportional damping: ζ = τω/2 of the first mode of a (thick, short) cantilever.
TEST(BeamDynamics, stiffness_proportional_damping_has_its_decrement) {
  const std::string thick = replace_once(strip, "width = 0.004, height = 0.008", "width = 0.1, height = 0.2");
  Simulation simulation(
      read_study_text(thick + "start_body = \"ground\"\ndamping = 1e-5\n", "model.toml", Settings{"parameters.n=1"}));
  const EigenModes modes = calc_modes(simulation.linearize({}).motion);
  std::complex<double> first(0.0, 1e9);
  for (int i = 0; i < modes.values.size(); ++i)
    if (modes.values[i].imag() > 1.0 && modes.values[i].imag() < first.imag()) first = modes.values[i];
  const double expected = 1e-5 * std::abs(first) / 2.0;
  EXPECT_NEAR(-first.real() / std::abs(first), expected, 1e-4 * expected);
}

}  // namespace
}  // namespace trammel
