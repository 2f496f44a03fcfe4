// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>
#include <complex>
#include <numbers>

#include "run_model.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/mechanics/make_beam.h"

/// Geometrically exact beams in motion: frequencies, centrifugal stiffening, free flight, the flexible pendulum.
namespace trammel::test_beams_dynamics {
namespace {

constexpr double pi = std::numbers::pi;

/// √ of the eigenvalues of K by M at the drawn, stressless position; both symmetric there, and M is positive definite.
/// (The first-order form loses 1e-4 of the lowest frequencies to rounding beside shear waves of 1e6 rad/s.)
std::vector<double> frequencies(const std::string& text, const SetList& settings = {}) {
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
  std::vector<double> omega;
  for (const std::complex<double> square : calc_eigenpairs(solve_square(M, 0.5 * (K + K.transpose()))).values)
    if (square.real() > 1.0) omega.push_back(std::sqrt(square.real()));
  std::sort(omega.begin(), omega.end());
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

/// Frequencies of a uniform Timoshenko beam of length 1, exactly: (w, ψ, Q, M)′ = A (w, ψ, Q, M) with
///
///   w′ = ψ + Q/GA,   ψ′ = M/EI,   Q′ = −ω² m w,   M′ = −Q − ω² i ψ
///
/// and T = exp A over the length. Free ends: what w, ψ at one end make of Q, M at the other vanishes; a cantilever:
/// what Q, M make of them. The first n zeros of that determinant, by bisection between samples.
std::vector<double> timoshenko(double EI, double GA, double m, double i, bool clamped, std::size_t n) {
  const auto determinant = [&](double omega) {
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    A(0, 1) = 1.0, A(0, 2) = 1.0 / GA, A(1, 3) = 1.0 / EI;
    A(2, 0) = -omega * omega * m, A(3, 1) = -omega * omega * i, A(3, 2) = -1.0;
    // The same in units in which all entries are of one size, then a series of the 64th part, squared six times.
    const Eigen::Vector4d unit(1.0, 10.0, 1000.0 * EI, 100.0 * EI);
    const Eigen::Matrix4d B = unit.cwiseInverse().asDiagonal() * A * unit.asDiagonal() / 64.0;
    Eigen::Matrix4d T = Eigen::Matrix4d::Identity(), term = T;
    for (int k = 1; k < 24; ++k) term = (term * B / k).eval(), T += term;
    for (int k = 0; k < 6; ++k) T = (T * T).eval();
    return T.block<2, 2>(2, clamped ? 2 : 0).determinant();
  };
  std::vector<double> found;
  const double part = 0.05 * std::sqrt(EI / m);
  for (double low = part; found.size() < n; low += part) {
    double a = low, b = low + part;
    const double at_a = determinant(a);
    if (at_a * determinant(b) > 0.0) continue;
    while (b - a > 1e-12 * b) (determinant(0.5 * (a + b)) * at_a > 0.0 ? a : b) = 0.5 * (a + b);
    found.push_back(0.5 * (a + b));
  }
  return found;
}

/// Bending in both planes, sorted; twisting and stretching begin far above.
std::vector<double> bending_frequencies(const BeamSection& section, bool clamped, std::size_t n) {
  const auto& C = section.stiffness;
  std::vector<double> both = timoshenko(C(5, 5), C(1, 1), section.mass, section.inertia(2, 2), clamped, n);
  const std::vector<double> other = timoshenko(C(4, 4), C(2, 2), section.mass, section.inertia(1, 1), clamped, n);
  both.insert(both.end(), other.begin(), other.end());
  std::sort(both.begin(), both.end());
  both.resize(n);
  return both;
}

/// Six modes each, to 0.1 %; the lowest is still that of Euler and Bernoulli, ω = (kL)² √(EI/ρA)/L².
TEST(BeamDynamics, beams_vibrate_with_the_frequencies_of_timoshenko) {
  const BeamSection section = rectangle_section(0.004, 0.008, {.young = 70e9, .poisson = 0.3, .density = 2700});
  for (const bool clamped : {true, false}) {
    const std::vector<double> omega =
        frequencies(clamped ? strip + "start_body = \"ground\"\n" : strip, {"parameters.n=8"});
    const std::vector<double> exact = bending_frequencies(section, clamped, 6);
    for (std::size_t i = 0; i < exact.size(); ++i)
      EXPECT_NEAR(omega[i] / exact[i], 1.0, 1e-3) << (clamped ? "cantilever, " : "free, ") << "mode " << i + 1;
    const double kL = clamped ? 1.875104069 : 4.730040745, thin = 0.004 / std::sqrt(12.0) * wave;
    EXPECT_NEAR(exact[0] / (kL * kL * thin), 1.0, 1e-3);
  }
}

/// Masses at Gauss–Lobatto points do not spoil the order: frequencies converge with h², h⁴, h⁶.
TEST(BeamDynamics, frequencies_converge_with_twice_the_order_of_the_elements) {
  const auto first = [](int order, int n) {
    const std::string thick = replace_once(strip, "width = 0.004, height = 0.008", "width = 0.03, height = 0.05");
    return frequencies(thick + "start_body = \"ground\"\n",
                       {fmt::format("parameters.order={}", order), fmt::format("parameters.n={}", n)})[0];
  };
  const double exact = first(3, 16);
  const int coarse[] = {0, 8, 4, 2};
  for (const int order : {1, 2, 3}) {
    const double p = observed_order(std::abs(first(order, coarse[order]) - exact),
                                    std::abs(first(order, 2 * coarse[order]) - exact));
    EXPECT_NEAR(p, 2.0 * order, 0.15) << order;
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
const std::string flying = R"toml(
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

struct Flight {
  double impulse, linear;  ///< momentum at 3 s less 20, and its change until 6 s
  double angular, energy;  ///< changes from 3 to 6 s, relative
};
Flight fly(const SetList& settings) {
  const Study study = read_study_text(flying, "model.toml", settings);
  const Recorded flight = run(study);
  const Momentum start = momentum(flight, study.model, 6), end = momentum(flight, study.model, 12);
  EXPECT_NEAR(start.angular.norm(), 232.7, 1.5);
  const Eigen::VectorXd energy = flight.values("energy.total").col(0);
  EXPECT_GT(energy[6], 380.0);
  return {start.linear.x() - 20.0, (end.linear - start.linear).norm(),
          (end.angular - start.angular).norm() / start.angular.norm(), std::abs(energy[12] / energy[6] - 1.0)};
}

/// Linear momentum is a linear invariant: kept to rounding. Angular momentum and energy are not kept, and what they
/// lose falls with h²; the damping of hht with a higher order still. The push ends at the end of a step: midpoint does
/// not look there and has its whole impulse, the others take half a step of 8 N more or less.
TEST(BeamDynamics, a_flying_beam_loses_angular_momentum_and_energy_by_the_square_of_fixed_steps) {
  constexpr double h = 0.0125;
  for (const std::string integrator : {"midpoint", "generalized_alpha", "hht"}) {
    SCOPED_TRACE(integrator);
    const auto with = [&](double step) {
      return fly({"solver.integrator=" + integrator, set("solver.h", step), "solver.newton_tol=1e-12"});
    };
    const Flight coarse = with(h), fine = with(h / 2);
    for (const Flight& flight : {coarse, fine}) EXPECT_LT(flight.linear, 1e-11);
    EXPECT_NEAR(std::abs(fine.impulse), integrator == "midpoint" ? 0.0 : 8.0 * h / 4.0, 1e-9);
    EXPECT_NEAR(observed_order(coarse.angular, fine.angular), 2.0, 0.1);
    const double energy_order = observed_order(coarse.energy, fine.energy);
    EXPECT_GT(energy_order, 1.85);
    EXPECT_LT(energy_order, integrator == "hht" ? 3.0 : 2.15);
    EXPECT_LT(fine.angular, 5e-5);
    EXPECT_LT(fine.energy, 1e-4);
  }
}

/// Steps that end at the end of the push: everything to the tolerance, and more.
TEST(BeamDynamics, a_flying_beam_keeps_momentum_and_energy_to_the_tolerance_of_controlled_steps) {
  const struct {
    const char* integrator;
    double impulse, linear, angular, energy;
  } cases[] = {{"radau", 1e-8, 1e-9, 1e-10, 1e-8}, {"bdf", 1e-6, 1e-6, 1e-7, 1e-6}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.integrator);
    const Flight flight =
        fly({fmt::format("solver.integrator={}", c.integrator), "solver.rtol=1e-7", "solver.atol=1e-7"});
    EXPECT_LT(std::abs(flight.impulse), c.impulse);
    EXPECT_LT(flight.linear, c.linear);
    EXPECT_LT(flight.angular, c.angular);
    EXPECT_LT(flight.energy, c.energy);
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

class FlexiblePendulum : public ::testing::TestWithParam<Method> {};

TEST_P(FlexiblePendulum, moves_alike_with_every_integrator_formulation_and_linear_solver) {
  const Method method = GetParam();
  static const Eigen::Vector3d expected =
      run_text(pendulum, {"solver.integrator=generalized_alpha", "solver.h=2e-4", "solver.newton_tol=1e-10"})
          .last("rope_12.position");
  for (const char* solver : {"auto", "dense", "sparse_lu", "umfpack", "sparse_ldlt", "skyline_ldlt", "gmres"}) {
    SCOPED_TRACE(fmt::format("{} {} {}", method.integrator, method.formulation, solver));
    SetList settings{fmt::format("solver.integrator={}", method.integrator),
                     fmt::format("solver.formulation={}", method.formulation),
                     fmt::format("solver.linear_solver={}", solver)};
    if (*method.h != '\0')
      settings.insert(settings.end(), {fmt::format("solver.h={}", method.h), "solver.newton_tol=1e-9"});
    else
      settings.insert(settings.end(), {"solver.rtol=1e-4", "solver.atol=1e-5"});
    const Recorded swing = run_text(pendulum, settings);
    EXPECT_LT((swing.last("rope_12.position") - expected).norm(), 2e-4);
  }
}
INSTANTIATE_TEST_SUITE_P(, FlexiblePendulum, ::testing::ValuesIn(methods),
                         [](const ::testing::TestParamInfo<Method>& method) {
                           return std::string(method.param.integrator) + "_" + method.param.formulation;
                         });

/// In joint coordinates the nodes are free links, and the elements act on their frames as everywhere.
TEST(BeamDynamics, joint_coordinates_move_beams_alike) {
  const SetList common{"solver.integrator=radau", "solver.rtol=1e-5", "solver.atol=1e-6", "analysis.end=0.05"};
  SetList joint = common;
  joint.push_back("solver.coordinates=joint");
  const Eigen::VectorXd a = run_text(pendulum, common).last("rope_12.position");
  const Eigen::VectorXd b = run_text(pendulum, joint).last("rope_12.position");
  EXPECT_LT((a - b).norm(), 1e-6);
}

/// Stiffness-proportional damping: ζ = τω/2 of the first mode of a (thick, short) cantilever.
TEST(BeamDynamics, stiffness_proportional_damping_has_its_decrement) {
  const std::string thick = replace_once(strip, "width = 0.004, height = 0.008", "width = 0.1, height = 0.2");
  Simulation simulation(
      read_study_text(thick + "start_body = \"ground\"\ndamping = 1e-5\n", "model.toml", SetList{"parameters.n=1"}));
  const EigenModes modes = calc_modes(simulation.linearize({}).motion);
  std::complex<double> first(0.0, 1e9);
  for (int i = 0; i < modes.values.size(); ++i)
    if (modes.values[i].imag() > 1.0 && modes.values[i].imag() < first.imag()) first = modes.values[i];
  const double expected = 1e-5 * std::abs(first) / 2.0;
  EXPECT_NEAR(-first.real() / std::abs(first), expected, 1e-4 * expected);
}

}  // namespace
}  // namespace trammel::test_beams_dynamics
