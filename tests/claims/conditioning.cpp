// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "run_model.h"

// What the step size does to the iteration matrix and to the rounding noise of Newton's iteration [bottasso2007,
// hastiff; constants measured with prototypes]. Few step sizes, few steps: the exponents show at once.

namespace trammel::test_conditioning {
namespace {

struct System {
  const char *fields, *scaling;
  double constant;  ///< condition = constant · h^exponent
  int exponent;
  std::array<int, 3> bounds;  ///< exponents of the row sums of |Â⁻¹| in u, v, λ; two fields have no v
};

const System systems[] = {
    {"three", "none", 3.375, -3, {-1, -2, -3}},         {"three", "left", 4.875, -2, {0, -1, -2}},
    {"three", "left_right", 3.250, -1, {0, -1, 0}},     {"three", "left_right_velocity", 7.768, 0, {0, 0, 0}},
    {"two", "none", 5.0625, -4, {-1, 0, -3}},           {"two", "left", 5.0625, -3, {0, 0, -2}},
    {"two", "left_right_velocity", 6.918, 0, {0, 0, 0}}};

constexpr double constant_margin = 0.02, slope_margin = 0.02, floor_slope_margin = 0.15;
constexpr double coarse = 1e-4, fine = 1e-8;

double slope(double at_coarse, double at_fine) { return std::log(at_coarse / at_fine) / std::log(coarse / fine); }

Study pendulum(const System& system, double h, int n_steps, double turn = 0.3) {
  Study study = read_study(example("models/pendulum_rest.toml"),
                           SetList{set("parameters.turn", turn), set("solver.h", h), set("analysis.end", n_steps * h),
                                   fmt::format("solver.fields=\"{}\"", system.fields),
                                   fmt::format("solver.scaling=\"{}\"", system.scaling)});
  return study;
}

class Conditioning : public ::testing::TestWithParam<System> {};

TEST_P(Conditioning, of_index_3_falls_with_the_power_of_h_that_its_scaling_leaves) {
  const System& system = GetParam();
  for (const double turn : {0.0, 0.3}) {
    std::vector<double> condition;
    for (const double h : {coarse, fine}) {
      condition.push_back(run(pendulum(system, h, 10, turn)).last_value("solver.condition"));
      EXPECT_NEAR(condition.back() / (system.constant * std::pow(h, system.exponent)), 1.0, constant_margin) << h;
    }
    EXPECT_NEAR(slope(condition[0], condition[1]), system.exponent, slope_margin);
  }
}

// (11), (18), (26), (30); (42), (46), (51)
TEST_P(Conditioning, bounds_of_rounding_have_the_exponents_of_the_inverse) {
  const System& system = GetParam();
  const Recorded at_coarse = run(pendulum(system, coarse, 10)), at_fine = run(pendulum(system, fine, 10));
  const std::array<std::string, 3> fields{"position", "velocity", "multiplier"};
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::string channel = "solver.inverse_bound." + fields[f];
    if (f == 1 && std::string(system.fields) == "two")
      EXPECT_EQ(at_fine.last_value(channel), 0.0);
    else
      EXPECT_NEAR(slope(at_coarse.last_value(channel), at_fine.last_value(channel)), system.bounds[f], slope_margin)
          << channel;
  }
}

/// The largest correction of iterations 5 to 8 without a stopping rule, over 100 steps: u, v, λ in scaled unknowns.
std::array<double, 3> floors(const System& system, double h) {
  Study study = pendulum(system, h, 100);
  study.solver.record_condition = false;
  study.solver.newton_stop = NewtonStop::none;
  study.solver.max_iterations = 8;
  const Recorded recorded = run(study);
  std::array<double, 3> largest{};
  for (int i = 5; i <= 8; ++i) {
    const Eigen::MatrixXd corrections = recorded.values(fmt::format("solver.correction.iteration_{}", i));
    for (int f = 0; f < 3; ++f) largest[f] = std::max(largest[f], corrections.col(f).maxCoeff());
  }
  return largest;
}

// Noise is not the bound: u ∝ h⁰, v ∝ h⁻¹, λ ∝ h⁻² for the unscaled and the left-scaled equations alike; in the scaled
// unknowns of left_right_velocity it does not depend on h.
TEST_P(Conditioning, noise_of_newtons_corrections_is_that_of_the_constraint) {
  const System& system = GetParam();
  const std::array<double, 3> at_coarse = floors(system, coarse), at_fine = floors(system, fine);
  const std::string scaling = system.scaling;
  const bool velocity_scaled = scaling == "left_right_velocity";
  const bool multiplier_scaled = velocity_scaled || scaling == "left_right";
  EXPECT_NEAR(slope(at_coarse[0], at_fine[0]), 0.0, floor_slope_margin);
  if (std::string(system.fields) == "three") {
    EXPECT_NEAR(slope(at_coarse[1], at_fine[1]), velocity_scaled ? 0.0 : -1.0, floor_slope_margin);
  }
  EXPECT_NEAR(slope(at_coarse[2], at_fine[2]), multiplier_scaled ? 0.0 : -2.0, floor_slope_margin);
  if (!velocity_scaled) return;
  for (const double size : at_fine) EXPECT_LE(size, 2e-15);
}

INSTANTIATE_TEST_SUITE_P(Bottasso2007, Conditioning, ::testing::ValuesIn(systems), [](const auto& system) {
  return fmt::format("{}_field_{}", system.param.fields, system.param.scaling);
});

// Powers of two are exact, so scaling changes nothing that a solver with partial pivoting computes; the same
// eliminations follow. Velocities and λ too.
TEST(Scaling, changes_no_bit_of_the_motion_when_h_is_a_power_of_two) {
  const double h = std::ldexp(1.0, -20);
  for (const std::string fields : {"three", "two"}) {
    std::vector<Recorded> runs;
    for (const char* scaling : {"none", "left", "left_right", "left_right_velocity"}) {
      if (fields == "two" && std::string(scaling) == "left_right") continue;
      Study study = pendulum({fields.c_str(), scaling, 0.0, 0, {}}, h, 200);
      study.solver.newton_stop = NewtonStop::none;
      study.solver.max_iterations = 4;
      study.solver.record_condition = false;
      runs.push_back(run(study));
    }
    for (const Recorded& other : runs)
      for (const char* channel : {"bob.position", "bob.velocity", "rod.reaction_force"})
        EXPECT_EQ(runs[0].values(channel), other.values(channel)) << fields << " fields, " << channel;
  }
}

// Rule (33): every step ends with a correction that did not decrease, after others that did.
TEST(Saturation, ends_a_step_with_the_first_correction_that_does_not_decrease) {
  const Recorded recorded = run(pendulum(systems[0], 1e-6, 50));
  const Eigen::MatrixXd iterations = recorded.values("solver.iterations");
  for (Eigen::Index step = 0; step < iterations.rows(); ++step) {
    const int n = static_cast<int>(iterations(step, 0));
    ASSERT_GE(n, 2);
    std::vector<double> norm;
    for (int i = 1; i <= n; ++i)
      norm.push_back(recorded.values(fmt::format("solver.correction.iteration_{}", i))(step, 3));
    for (int i = 1; i + 1 < n; ++i) EXPECT_LT(norm[i], norm[i - 1]);
    EXPECT_GE(norm[n - 1], 0.99 * norm[n - 2]);
  }
}

// The same of methods of one step and of stages: with (33) a step ends with the first correction that did not decrease,
// without a stop after as many as may be, of which the last are far below the first or some tens of roundings.
TEST(Saturation, ends_steps_of_every_implicit_method_where_corrections_stop_falling) {
  for (const char* integrator : {"generalized_alpha", "midpoint", "energy_decaying", "radau"})
    for (const char* stop : {"saturation", "none"}) {
      SCOPED_TRACE(fmt::format("{}, {}", integrator, stop));
      const bool stops = stop == std::string("saturation");
      const int most = stops ? 25 : 6;
      const Recorded recorded = run_example(
          "models/pendulum_rest.toml",
          {"parameters.turn=0.3", "analysis.end=0.02", "solver=", fmt::format("solver.integrator={}", integrator),
           "solver.h=1e-3", fmt::format("solver.newton_stop={}", stop), set("solver.max_iterations", most),
           "solver.record_corrections=true"});
      const Eigen::MatrixXd iterations = recorded.values("solver.iterations");
      ASSERT_EQ(iterations.rows(), 20);
      std::vector<Eigen::MatrixXd> sizes;
      for (int i = 1; i <= most; ++i)
        sizes.push_back(recorded.values(fmt::format("solver.correction.iteration_{}", i)));
      for (Eigen::Index step = 0; step < iterations.rows(); ++step) {
        const int n = static_cast<int>(iterations(step, 0));
        const auto norm = [&](int i) { return sizes[static_cast<std::size_t>(i)](step, 3); };
        ASSERT_GE(n, 2);
        ASSERT_LE(n, most);
        if (stops) {
          for (int i = 1; i + 1 < n; ++i) EXPECT_LT(norm(i), norm(i - 1));
          EXPECT_GE(norm(n - 1), 0.99 * norm(n - 2));
        } else {
          EXPECT_EQ(n, most);
          EXPECT_LT(norm(n - 1), std::max(1e-6 * norm(0), 1e-14));
        }
      }
    }
}

// (1.13), (1.19), (2.3): only the stabilized index-1 form with scaled constraints is independent of h.
TEST(Hastiff, condition_numbers_have_the_constants_that_were_measured) {
  const struct {
    const char *formulation, *unknown, *scaling;
    double constant;
    int exponent;
  } rows[] = {{"stabilized_index2", "y", "none", 2.25, -2},
              {"stabilized_index2", "yp", "none", 2.25, -2},
              {"stabilized_index2", "yp", "constraints", 6.375, -1},
              {"stabilized_index1", "yp", "none", 3.00, -1},
              {"stabilized_index1", "yp", "constraints", 5.788, 0}};
  for (const auto& row : rows)
    for (const double h : {1e-3, 1e-5, 1e-8}) {
      const Recorded recorded = run_example(
          "models/pendulum_swinging.toml",
          {fmt::format("solver.formulation=\"{}\"", row.formulation), fmt::format("solver.unknown=\"{}\"", row.unknown),
           fmt::format("solver.scaling=\"{}\"", row.scaling), set("parameters.h", h)});
      EXPECT_EQ(recorded.last_value("solver.order"), 2.0);
      EXPECT_NEAR(recorded.summary.condition / (row.constant * std::pow(h, row.exponent)), 1.0, 0.01)
          << row.formulation << " " << row.unknown << " " << row.scaling << " h = " << h;
    }
}

}  // namespace
}  // namespace trammel::test_conditioning
