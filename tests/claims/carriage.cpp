// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <numbers>

#include "run_model.h"
#include "trammel/dae/differences.h"
#include "trammel/dae/linearization.h"
#include "trammel/formulations/first_order.h"
#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/simulation/bdf_motion.h"

// The railway carriage of [arnold2004 section 4.1]: structure, equilibria, eigenvalues and the line change, against the
// figures of a prototype of the same equations.

namespace trammel::test_carriage {
namespace {

const std::string crossover = "12_carriage/carriage.toml", cones = "12_carriage/carriage_cone.toml",
                  smooth = "12_carriage/smooth_cone.toml";

// Steady running on straight track: all positions, the wheelsets' spins and the wheel loads are unknown.
class Steady {
 public:
  explicit Steady(const std::string& file, const SetList& settings = {})
      : study_(read_study(example(file), settings)), simulation_(study_) {
    EquilibriumOptions options;
    for (int w = 1; w <= 4; ++w)
      for (const int i : simulation_.find_coordinates({fmt::format("on_wheelset_{}.pitch", w)}))
        options.steady.push_back(i);
    report_ = simulation_.find_equilibrium(options);
  }
  const EquilibriumReport& report() const { return report_; }
  Simulation& simulation() { return simulation_; }
  const MotionVariables& x() const { return simulation_.initial(); }
  const JointSystem& joint() const { return *simulation_.joint_system(); }

  double spin(int wheelset) const {
    return x().v[simulation_.find_coordinates({fmt::format("on_wheelset_{}.pitch", wheelset)})[0]];
  }
  WheelCreep<double> creep(int wheel) {
    const WheelRailGroup::Element& e = simulation_.assembly().wheels->element(wheel);
    const Frame<double> f = simulation_.calc_frames(x(), simulation_.state())[static_cast<std::size_t>(e.frame)];
    return calc_wheel_creep(e.wheel, calc_wheel_contact(e.wheel, f), f, x().lam[wheel]);
  }

 private:
  Study study_;
  Simulation simulation_;
  EquilibriumReport report_;
};

// Unknowns and groups are those that [arnold2004] prints; entries are of other wheels than its own, whose
// data are not printed.
TEST(Carriage, has_the_dimensions_and_groups_of_the_paper_and_more_entries) {
  for (const std::string& file : {crossover, cones}) {
    const Study study = read_study(example(file));
    Simulation simulation(study);
    const JointSystem& system = *simulation.joint_system();
    EXPECT_EQ(system.nv(), 41);
    EXPECT_EQ(system.nc(), 8);
    const FirstOrderForm form(system, {});
    EXPECT_EQ(form.layout().n(), 98);
    const Pattern pattern = form.make_pattern(simulation.state());
    std::vector<int> start, columns;
    make_column_groups(pattern, start, columns);
    EXPECT_GE(start.size() - 1, 42u);
    EXPECT_LE(start.size() - 1, 46u);
    EXPECT_GE(pattern.nnz(), 1450);
    EXPECT_LE(pattern.nnz(), 1650);
    RecordProperty("groups", static_cast<int>(start.size() - 1));
    RecordProperty("non_zeros", static_cast<int>(pattern.nnz()));
    // The car body is not coupled with the wheelsets.
    for (int c = 0; c < 5; ++c)
      for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) {
        const int row = pattern.index[k] % 41;
        EXPECT_TRUE(row < 11 || (row >= 23 && row < 29)) << row;
      }
  }
}

struct Balance {
  const char* file;
  std::vector<std::string> settings;
  double load, load_tol, lateral, lateral_tol, spin, spin_tol;
};

TEST(Carriage, runs_steadily_with_the_loads_of_the_prototype) {
  const Balance balances[] = {
      {"12_carriage/carriage_cone.toml", {"parameters.lam=0.05"}, 54508.0, 0.3, 2123.8, 0.3, -3.7e-6, 2e-7},
      {"12_carriage/carriage_cone.toml", {}, 54415.0, 1.0, 0.0, 0.0, 0.0, 0.0},
      {"12_carriage/carriage.toml", {}, 54501.5, 0.5, 1388.5, 0.5, 3.3e-4, 1e-5}};
  for (const Balance& b : balances) {
    SCOPED_TRACE(b.file);
    Steady steady(b.file, b.settings);
    ASSERT_TRUE(steady.report().status.ok()) << steady.simulation().explain_equilibrium(steady.report());
    EXPECT_LT(steady.report().unbalanced, 1e-4);
    if (b.lateral > 0.0) {
      EXPECT_LT(steady.x().q.lpNorm<Eigen::Infinity>(), 6e-7);
    }
    for (int w = 0; w < 8; ++w) {
      EXPECT_NEAR(steady.x().lam[w], b.load, b.load_tol) << w;
      if (b.lateral == 0.0) continue;
      EXPECT_NEAR(steady.creep(w).forces.Fy, (w % 2 == 0 ? 1.0 : -1.0) * b.lateral, b.lateral_tol) << w;
    }
    if (b.spin == 0.0) continue;
    for (int w = 1; w <= 4; ++w) EXPECT_NEAR(steady.spin(w), b.spin, b.spin_tol) << w;
  }
}

// Without creep forces every wheel carries an eighth of the weight.
TEST(Carriage, wheels_carry_an_eighth_of_the_weight) {
  const Study study = read_study(example(crossover));
  double mass = 0.0;
  for (const BodySpec& body : study.model.bodies) mass += body.mass;
  EXPECT_DOUBLE_EQ(mass, 44482.0);
  EXPECT_NEAR(mass * 9.81 / 8.0, study.model.wheels[0].load, 0.01);
}

// Damped frequencies [Hz] and damping ratios of oscillations, and the real eigenvalues [1/s].
struct Modes {
  std::vector<std::pair<double, double>> oscillations;
  std::vector<double> real;
  int zeros = 0;

  explicit Modes(Steady& steady) {
    const SecondOrderDae& dae = steady.simulation().dae();
    const EigenModes modes =
        calc_modes(steady.simulation().linearize(Eigen::MatrixXd::Zero(dae.nv() + dae.nz(), 0)).motion);
    zeros = modes.zeros;
    for (int i = modes.zeros; i < modes.values.size(); ++i) {
      const std::complex<double> value = modes.values[i];
      if (std::abs(value.imag()) < 0.05 * std::abs(value))  // equal real ones may come as a pair beside each other
        real.push_back(value.real());
      else if (value.imag() > 0.0)
        oscillations.emplace_back(value.imag() / (2.0 * std::numbers::pi), modes.damping(i));
    }
  }
  int count(double frequency, double tol, double damping = -1.0) const {
    return static_cast<int>(std::count_if(oscillations.begin(), oscillations.end(), [&](const auto& mode) {
      return std::abs(mode.first - frequency) <= tol && (damping < 0.0 || std::abs(mode.second - damping) <= 0.006);
    }));
  }
  int count_real(double value, double tol) const {
    return static_cast<int>(
        std::count_if(real.begin(), real.end(), [&](double x) { return std::abs(x - value) <= tol; }));
  }
};

// Rounded figures of the prototype: half a unit of the last digit, and a little for the second bogie.
TEST(Carriage, has_the_modes_of_the_prototype) {
  Steady steady(smooth);
  const Modes modes(steady);
  EXPECT_EQ(modes.zeros, 4);  // turns of the wheelsets
  EXPECT_EQ(modes.count(0.52, 0.006, 0.24), 1) << "lower sway";
  EXPECT_EQ(modes.count(0.73, 0.006), 1) << "yaw";
  EXPECT_EQ(modes.count(0.97, 0.006), 1) << "Klingel's wave of one bogie";
  EXPECT_EQ(modes.count(1.03, 0.006), 1) << "of the other";
  EXPECT_EQ(modes.count(1.07, 0.006, 0.14), 1) << "bounce";
  EXPECT_EQ(modes.count(1.28, 0.006, 0.16), 1) << "pitch";
  EXPECT_EQ(modes.count(1.18, 0.006), 1) << "upper sway";
  for (const double bogie : {4.2, 7.2, 9.1, 11.5, 12.9}) EXPECT_EQ(modes.count(bogie, 0.07), 2) << bogie;
  EXPECT_GE(modes.count(35.0, 9.5), 6) << "wheelsets, 26 to 44 Hz";
  EXPECT_EQ(modes.count_real(-160.0, 0.5), 2);
  EXPECT_EQ(modes.count_real(-297.0, 1.0), 4);
  EXPECT_EQ(modes.count_real(-1511.0, 0.5), 4);
  for (const auto& [f, zeta] : modes.oscillations) EXPECT_GT(zeta, 0.0) << f;
  for (const double value : modes.real) EXPECT_LT(value, 0.0);
}

// Klingel's wave of a rigid bogie has the length 2π √(b₀ r₀/λ_e) √(1 + (c/b₀)²): the frequency grows with the speed.
TEST(Carriage, bogies_hunt_faster_with_speed) {
  Steady slow(cones, {"parameters.V=25", "analysis.end=1"}), fast(cones, {"parameters.V=60", "analysis.end=1"});
  EXPECT_EQ(Modes(slow).count(1.20, 0.006, 0.26), 1);
  EXPECT_GE(Modes(fast).count(2.89, 0.01), 1);
}

// The reference table: y of car and wheelsets [mm], roll of the car [mrad], loads of the first wheelset [N].
struct Row {
  double t, car, y[4], roll, left, right;
};
const Row reference[] = {{2, 2.91, {-5.096, -2.041, 0.011, 0.014}, 1.55, 52122, 54537},
                         {3, -13.31, {-5.094, -2.258, -5.066, -2.339}, 13.67, 46282, 59911},
                         {4, -5.00, {-5.090, -2.198, -5.061, -2.088}, 9.68, 48454, 57942},
                         {5, -25.60, {5.100, 2.079, -5.038, -2.094}, 1.50, 53399, 53290},
                         {6, 22.11, {5.102, 2.409, 5.064, 2.507}, -17.29, 61781, 44216},
                         {7, 0.61, {5.091, 2.141, 5.062, 2.024}, -8.65, 57460, 48969},
                         {8, 21.99, {-0.180, -0.021, 4.952, 2.099}, -3.58, 55913, 53066},
                         {10, 3.84, {-0.017, 0.018, -0.016, 0.017}, -1.03, 55047, 53952},
                         {15, -0.05, {0.0003, -0.0001, 0.0003, -0.0001}, 0.01, 54497, 54506}};

void expect_reference(const Recorded& recorded, double wheelset_tol, double car_tol, double roll_tol, double load_tol) {
  const auto at = [&](const std::string& channel, double t) {
    const auto it = std::lower_bound(recorded.times().begin(), recorded.times().end(), t - 1e-9);
    return recorded.values(channel)(it - recorded.times().begin(), 0);
  };
  for (const Row& row : reference) {
    SCOPED_TRACE(row.t);
    EXPECT_NEAR(1e3 * at("car_y", row.t), row.car, car_tol);
    for (int w = 1; w <= 4; ++w) EXPECT_NEAR(1e3 * at(fmt::format("y_{}", w), row.t), row.y[w - 1], wheelset_tol) << w;
    EXPECT_NEAR(1e3 * at("car_roll", row.t), row.roll, roll_tol);
    EXPECT_NEAR(at("load_left_1", row.t), row.left, load_tol);
    EXPECT_NEAR(at("load_right_1", row.t), row.right, load_tol);
  }
}

// A run at 1e-4 differs by up to 0.02 mm (wheelsets) and 0.5 mm (car); half a unit of the printed digits comes on top.
TEST(Carriage, changes_the_line_like_the_prototype) {
  expect_reference(run_example(crossover, {"output.interval=0.5"}), 0.0205, 0.505, 0.2, 100.0);
}

TEST(Carriage, meets_the_reference_at_small_tolerances) {
  const Recorded recorded = run_example(crossover, {"output.interval=0.02", "solver.rtol=1e-6", "solver.atol=1e-6"});
  expect_reference(recorded, 0.001, 0.008, 0.006, 20.0);
  const auto largest = [&](const std::string& channel) {
    double size = 0.0;
    for (int w = 1; w <= 4; ++w)
      size = std::max(size, recorded.values(fmt::format("{}_{}", channel, w)).cwiseAbs().maxCoeff());
    return size;
  };
  EXPECT_NEAR(largest("y"), 5.45e-3, 0.05e-3);
  EXPECT_LE(largest("yaw"), 2.3e-3);
  EXPECT_NEAR(std::max(largest("load_left"), largest("load_right")), 69.9e3, 0.1e3);
  double least = 1e9;
  for (int w = 1; w <= 4; ++w)
    for (const char* side : {"left", "right"})
      least = std::min(least, recorded.values(fmt::format("load_{}_{}", side, w)).minCoeff());
  EXPECT_NEAR(least, 39.5e3, 0.1e3);
  EXPECT_NEAR(largest("lateral_force"), 17.6e3, 0.1e3);
  EXPECT_NEAR(largest("creep"), 4.5e-3, 0.1e-3);
  // In the first arc the track pushes the whole train to the left: m V²/R, within the swing of the car.
  double sum = 0.0;
  int n = 0;
  for (std::size_t i = 0; i < recorded.times().size(); ++i) {
    if (recorded.times()[i] < 2.6 || recorded.times()[i] > 4.1) continue;
    for (int w = 1; w <= 4; ++w)
      sum += recorded.values(fmt::format("lateral_force_{}", w))(static_cast<Eigen::Index>(i), 0);
    ++n;
  }
  EXPECT_NEAR(sum / n, 44482.0 * 625.0 / 1200.0, 2.0e3);
}

// Cones run against their flange stops; loads as with profiles.
TEST(Carriage, cones_lean_on_their_stops) {
  const Recorded recorded = run_example(cones, {"output.interval=0.02", "solver.rtol=1e-5", "solver.atol=1e-5"});
  EXPECT_NEAR(recorded.values("y_1").cwiseAbs().maxCoeff(), 9.3e-3, 0.05e-3);
  double least = 1e9, most = 0.0;
  for (int w = 1; w <= 4; ++w)
    for (const char* side : {"left", "right"}) {
      const Eigen::MatrixXd load = recorded.values(fmt::format("load_{}_{}", side, w));
      least = std::min(least, load.minCoeff()), most = std::max(most, load.maxCoeff());
    }
  EXPECT_NEAR(least, 39.5e3, 0.2e3);
  EXPECT_NEAR(most, 70.0e3, 0.2e3);
}

// The same machine with 42 coordinates and 9 rows, entering a curve.
TEST(Carriage, is_the_same_in_absolute_coordinates) {
  for (const std::string& file : {cones, crossover}) {
    const auto in = [&](const std::string& coordinates) {
      return run_example(file, {"track.line.positions=[12, 40, 60, 90]", "analysis.end=0.4", "output.interval=0.4",
                                "solver.rtol=1e-9", "solver.atol=1e-9", "solver.coordinates=" + coordinates});
    };
    const Recorded joint = in("joint"), absolute = in("absolute");
    for (const char* channel : {"car_y", "car_roll", "y_1", "yaw_1", "y_2", "y_3"})
      EXPECT_NEAR(joint.last_value(channel), absolute.last_value(channel), 1e-8) << channel;
    for (const char* channel : {"load_left_1", "load_right_1"})
      EXPECT_NEAR(joint.last_value(channel), absolute.last_value(channel), 0.5) << channel;
    EXPECT_LT((joint.last("on_car.reaction_force") - absolute.last("on_car.reaction_force")).norm(), 0.1);
  }
}

// The stabilizing multipliers measure how much Newton and the error test leave to them [arnold2004 (7)].
TEST(Carriage, stabilizing_multipliers_stay_small) {
  const Study study = read_study(example(crossover));
  Simulation simulation(study);
  MotionIntegrator& integrator = simulation.integrator();
  std::vector<double> eta;
  while (integrator.newest().t < *study.analysis.end) {
    const StepReport step = integrator.advance(*study.analysis.end, simulation.state());
    ASSERT_TRUE(step.status.ok());
    eta.push_back(dynamic_cast<const BdfMotion&>(integrator).bdf().y().tail(8).lpNorm<Eigen::Infinity>());
  }
  const auto large = std::count_if(eta.begin(), eta.end(), [](double x) { return x > 10.0 * 1e-4; });
  EXPECT_LE(static_cast<double>(large), 0.01 * static_cast<double>(eta.size())) << eta.size();
}

// As in Table 1: DASSL's constants, order up to 5, multipliers in no test.
Summary cost_of(const std::string& formalism, const std::string& jacobian, const std::string& update) {
  const Study study =
      read_study(example(crossover),
                 SetList{"output.interval=15", "solver.preset=dassl", "solver.max_order=5", "solver.error_set=states",
                         "solver.corrector_set=states", "solver.formalism=" + formalism, "solver.jacobian=" + jacobian,
                         "solver.jacobian_update=" + update});
  return run(study).summary;
}

// [arnold2004 Table 1]: 4605 of 9739 function calls, 25 of 84 Jacobians. Calls are what such a run costs; the
// corrector's own are told apart, because a Jacobian kept for long must not be paid for in iterations.
TEST(Carriage, grouped_differences_and_partitioned_updates_halve_the_cost) {
  for (const char* formalism : {"explicit", "residual"}) {
    SCOPED_TRACE(formalism);
    const Summary dense = cost_of(formalism, "dense_differences", "full");
    const Summary partitioned = cost_of(formalism, "dense_differences", "partitioned");
    const Summary grouped = cost_of(formalism, "sparse_differences", "partitioned");
    const Summary exact = cost_of(formalism, "exact", "partitioned");
    EXPECT_LE(2 * grouped.function_calls, dense.function_calls);
    EXPECT_LE(2 * partitioned.linearizations, dense.linearizations);
    EXPECT_LT(grouped.function_calls, partitioned.function_calls);
    // Steps of these runs scatter by 5 % with rounding: 1.22 to 1.35 were seen with two orders of elimination.
    for (const Summary* kept : {&partitioned, &grouped, &exact})
      EXPECT_LE(static_cast<double>(kept->corrector_calls), 1.4 * static_cast<double>(dense.corrector_calls));
    // Derivatives that are known need no call at all.
    EXPECT_LE(exact.function_calls, exact.corrector_calls + exact.steps / 10);
  }
}

TEST(Carriage, a_track_that_ends_before_the_run_is_refused_by_name) {
  Study study = read_study(example(crossover), SetList{"track.line.to=300"});
  try {
    Simulation simulation(study);
    FAIL() << "the track is too short";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'on_car'"), std::string::npos) << text;
    EXPECT_NE(text.find("'line'"), std::string::npos) << text;
    EXPECT_NE(text.find("300 m"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace trammel::test_carriage
