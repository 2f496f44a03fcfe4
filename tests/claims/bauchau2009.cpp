// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>

#include "run_model.h"
#include "trammel/dae/iterative_effort.h"
#include "trammel/integrators/one_step.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/linalg/skyline_ldlt.h"

// What [bauchau2009] claims for scaling and the augmented term, on its problems I and II as model files. Condition
// numbers of other integrators are in tests/integrators/one_step.cpp, orders in tests/contract/integrators.cpp.

namespace trammel::test_bauchau2009 {
namespace {

const std::string problem_1 = "models/pendulum_rod.toml", problem_2 = "models/pendulum_rod_spring.toml";

const MotionOperator& newton_operator(Simulation& simulation) {
  return dynamic_cast<const OneStep&>(simulation.integrator()).newton_operator();
}

/// A few steps from the start; the iteration matrix of the last one.
std::unique_ptr<Simulation> moved(const std::string& model, double h, const SetList& settings, int n_steps = 3) {
  SetList all{set("solver.h", h)};
  all.insert(all.end(), settings.begin(), settings.end());
  auto simulation = std::make_unique<Simulation>(read_study(example(model), all));
  for (int i = 0; i < n_steps; ++i)
    EXPECT_TRUE(simulation->integrator().advance(1e3, simulation->state()).status.ok()) << "h = " << h;
  return simulation;
}

Eigen::MatrixXd matrix_of(Simulation& simulation) {
  const MotionOperator& newton = newton_operator(simulation);
  const Pattern& pattern = newton.pattern();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) A(pattern.index[k], j) = newton.matrix()[k];
  return A;
}

std::string none(double rho = 0.0) { return fmt::format("solver.scaling={{kind=\"none\", rho={}}}", rho); }
std::string physical(double m_r, double k_r, double rho) {
  return fmt::format("solver.scaling={{kind=\"physical\", m_ave={}, d_ave=0, k_ave={}, rho={}}}", m_r, k_r, rho);
}

double condition(const std::string& model, double h, const SetList& settings) {
  return moved(model, h, settings)->integrator().calc_condition();
}

constexpr double k = 10.0;  // [N m/rad] of problem II

double unscaled_condition(double h, double m) { return condition(problem_2, h, {set("parameters.m", m), none()}); }
double scaled_condition(double h, double m, double rho) {
  return condition(problem_2, h, {set("parameters.m", m), physical(m, k, rho)});
}

// Across the rod J = [2m/h², 2; 2, 0]: σ_max = 2m/h², σ_min = 2h²/m, so that κ = m²/h⁴, and 1e8 at m = 1, h = 0.01.
TEST(Bauchau2009, unscaled_condition_numbers_grow_as_h_to_minus_4_and_m_squared) {
  const double reference = unscaled_condition(1e-2, 1.0);
  EXPECT_NEAR(reference, 1e8, 0.02 * 1e8);
  EXPECT_NEAR(std::log10(unscaled_condition(1e-3, 1.0) / reference), 4.0, 0.02);
  EXPECT_NEAR(std::log10(unscaled_condition(1e-2, 1e2) / reference) / 2.0, 2.0, 0.02);
}

TEST(Bauchau2009, scaled_condition_numbers_of_the_midpoint_rule_depend_neither_on_h_nor_on_m) {
  EXPECT_NEAR(scaled_condition(1e-5, 1.0, 0.0), 4.70, 0.01 * 4.70);
  EXPECT_NEAR(scaled_condition(1e-5, 1.0, 1.0), 10.91, 0.01 * 10.91);
  double smallest = HUGE_VAL, largest = 0.0;
  const auto include = [&](double value) { smallest = std::min(smallest, value), largest = std::max(largest, value); };
  for (const double h : {1e-1, 1e-2, 1e-3, 1e-5}) include(scaled_condition(h, 1.0, 1.0));
  for (const double m : {1e-2, 1e-1, 1e2, 1e4}) include(scaled_condition(1e-2, m, 1.0));
  EXPECT_LT(largest / smallest, 1.1);
  EXPECT_GT(largest / smallest, 1.0 + 1e-6);  // it is not one and the same matrix
}

// M = diag(m, m, m, 0) and K = diag(0, 0, 0, k) in (x, y, z, φ): the means count what is not there, the norms do not.
TEST(Bauchau2009, references_are_mean_diagonals_or_infinity_norms) {
  const double m = 2.0, h = 1e-2;
  const auto summary_with = [&](const std::string& scaling) {
    return run_example(problem_2, {set("parameters.m", m), set("solver.h", h), set("analysis.end", 3 * h),
                                   "solver.record_condition=true", "solver.scaling={kind=\"physical\"" + scaling + "}"})
        .summary;
  };
  const Summary mean = summary_with(""), norm = summary_with(", reference=\"infinity_norm\"");
  EXPECT_DOUBLE_EQ(mean.scaling_m, 0.75 * m);
  EXPECT_DOUBLE_EQ(mean.scaling_k, 0.25 * k);
  EXPECT_DOUBLE_EQ(mean.scaling_s, 0.75 * m + 0.25 * k * h * h);
  EXPECT_DOUBLE_EQ(norm.scaling_m, m);
  EXPECT_DOUBLE_EQ(norm.scaling_k, k);
  EXPECT_DOUBLE_EQ(norm.scaling_s, m + k * h * h);
  // The default weight of the augmented term is 1, and with m_r = m the condition number is that of the midpoint rule
  // above.
  EXPECT_EQ(mean.scaling_rho, 1.0);
  EXPECT_NEAR(norm.condition, 10.91, 0.02 * 10.91);
  const Summary two_field =
      run_example(problem_2, {set("parameters.m", m), set("solver.h", h), set("analysis.end", 3 * h),
                              "solver.integrator=bdf", "solver.formulation=index3", "solver.fields=two",
                              "solver.scaling={kind=\"physical\", reference=\"infinity_norm\"}"})
          .summary;
  EXPECT_DOUBLE_EQ(two_field.scaling_m, m);
  EXPECT_DOUBLE_EQ(two_field.scaling_k, k);
  EXPECT_EQ(two_field.scaling_rho, 1.0);
}

TEST(Bauchau2009, wrong_references_and_weights_are_refused_with_the_nearest_name) {
  const auto refusal = [](const SetList& settings) {
    try {
      static_cast<void>(Simulation(read_study(example(problem_2), settings)));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal({"solver.scaling={reference=\"infinity_form\"}"}).find("infinity_norm"), std::string::npos);
  EXPECT_NE(refusal({"solver.scaling={kind=\"none\", reference=\"infinity_norm\"}"}).find("physical"),
            std::string::npos);
  EXPECT_NE(refusal({"solver.integrator=bdf", "solver.scaling={rho=-1}"}).find("'rho'"), std::string::npos);
  EXPECT_EQ(refusal({"solver.integrator=bdf", "solver.scaling={rho=1}"}), "");
}

// s = 1 repairs the dependence on h and not that on the mass.
TEST(Bauchau2009, a_scaling_without_the_mass_leaves_the_dependence_on_the_mass) {
  const auto with_unit_s = [](double h, double m) {
    return condition(problem_2, h, {set("parameters.m", m), physical(1.0, 0.0, 1.0)});
  };
  EXPECT_NEAR(with_unit_s(1e-5, 1.0) / with_unit_s(1e-3, 1.0), 1.0, 1e-3);
  EXPECT_GT(with_unit_s(1e-2, 1e4) / with_unit_s(1e-2, 1.0), 1e6);
}

// Section 6: L J R = Ĵ with L = diag(h², s), R = diag(1, s/h²), the penalty ρ s/h² in the unscaled equations.
TEST(Bauchau2009, preconditioning_and_scaling_give_the_same_matrix) {
  const double m = 2.0;
  for (const std::string& model : {problem_1, problem_2})
    for (const double rho : {0.0, 1.0})
      for (const double h : {1e-1, 1e-3, 1e-5}) {
        const double k_r = model == problem_2 ? k : 0.0, s = m + k_r * h * h;
        const auto scaled = moved(model, h, {set("parameters.m", m), physical(m, k_r, rho)}, 1);
        const auto plain = moved(model, h, {set("parameters.m", m), none(rho * s / (h * h))}, 1);
        const Eigen::MatrixXd J_hat = matrix_of(*scaled);
        const Eigen::Index n = J_hat.rows(), nc = scaled->dae().nc();
        Eigen::VectorXd L = Eigen::VectorXd::Constant(n, h * h), R = Eigen::VectorXd::Ones(n);
        L.tail(nc).setConstant(s);
        R.tail(nc).setConstant(s / (h * h));
        const Eigen::MatrixXd J_bar = L.asDiagonal() * matrix_of(*plain) * R.asDiagonal();
        EXPECT_LT((J_bar - J_hat).cwiseAbs().maxCoeff(), 1e-14 * J_hat.cwiseAbs().maxCoeff()) << model << " " << h;
      }
}

// (A1): J⁻¹ = [h² X₁₁, X₂₁; X₁₂, h⁻² X₂₂] for J = [J₁₁/h², J₁₂; J₂₁, 0]. As printed, with X₁₂ and X₂₁ in each other's
// places, the shapes do not even fit.
TEST(Bauchau2009, the_inverse_of_the_appendix_holds_with_its_off_diagonal_blocks_exchanged) {
  for (const std::string& model : {problem_1, problem_2}) {
    const double h = 1e-2;
    const auto simulation = moved(model, h, {none()});
    const Eigen::MatrixXd J = matrix_of(*simulation);
    const Eigen::Index nv = simulation->dae().nv(), nc = simulation->dae().nc();
    const Eigen::MatrixXd J11 = h * h * J.topLeftCorner(nv, nv), J12 = J.topRightCorner(nv, nc);
    const Eigen::MatrixXd J21 = J.bottomLeftCorner(nc, nv),
                          inverse = solve_square(J11, Eigen::MatrixXd::Identity(nv, nv));
    const Eigen::MatrixXd A = solve_square(J21 * inverse * J12, Eigen::MatrixXd::Identity(nc, nc)),
                          X12 = A * J21 * inverse, X21 = inverse * J12 * A;
    Eigen::MatrixXd X(nv + nc, nv + nc);
    X << h * h * inverse * (Eigen::MatrixXd::Identity(nv, nv) - J12 * A * J21 * inverse), X21, X12, -A / (h * h);
    EXPECT_LT((X * J - Eigen::MatrixXd::Identity(nv + nc, nv + nc)).norm(), 1e-9) << model;
  }
}

// (36): without a spring, at rest, φ has neither mass nor stiffness, and elimination meets a zero.
TEST(Bauchau2009, without_the_augmented_term_the_first_step_of_skyline_ldlt_fails_and_names_the_angle) {
  const auto first_step = [](double rho, double stiffness, double h) {
    const SetList settings{
        set("parameters.k", stiffness),      "parameters.omega=0",   set("solver.h", h), set("analysis.end", h),
        "solver.linear_solver=skyline_ldlt", physical(1.0, 0.0, rho)};
    Simulation simulation(read_study(example(problem_2), settings));
    MemoryRecord record;
    return simulation.run(record);
  };
  const Summary failed = first_step(0.0, 0.0, 1e-2);
  EXPECT_FALSE(failed.completed);
  EXPECT_EQ(failed.steps, 0);
  EXPECT_NE(failed.failure.find("a pivot vanished"), std::string::npos) << failed.failure;
  EXPECT_NE(failed.failure.find("coordinate 'phi'"), std::string::npos) << failed.failure;
  EXPECT_FALSE(first_step(0.0, k, 1e-8).completed);  // h²k/2 is no pivot either
  for (const double h : {1e-2, 1e-5, 1e-8})
    for (const double stiffness : {0.0, k}) EXPECT_TRUE(first_step(1.0, stiffness, h).completed) << h;
}

// Section 7 with h²k restored: errors of elimination without row exchanges, its own safeguards switched off.
TEST(Bauchau2009, without_row_exchanges_accuracy_needs_the_augmented_term) {
  const auto relative_error = [](double h, double rho) {
    const auto simulation = moved(problem_2, h, {"parameters.omega=0", physical(1.0, k, rho)}, 1);
    const MotionOperator& newton = newton_operator(*simulation);
    const Eigen::MatrixXd J = matrix_of(*simulation);
    OrderingHint hint;
    hint.roles.assign(static_cast<std::size_t>(simulation->dae().nv()), UnknownRole::coordinate);
    hint.roles.resize(static_cast<std::size_t>(J.rows()), UnknownRole::multiplier);
    const auto solver = make_skyline_ldlt<double>({.pivot_tol = 0.0, .refine_above = 1.0, .max_refinements = 0});
    EXPECT_TRUE(solver->analyze(newton.pattern(), hint).ok());
    EXPECT_TRUE(solver->factor(newton.matrix()).ok());
    Eigen::VectorXd x(J.rows());
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = 1.0 / (1.7 + static_cast<double>(i));
    Eigen::VectorXd b = (J.cast<long double>() * x.cast<long double>()).cast<double>();
    EXPECT_TRUE(solver->solve(Eigen::Ref<Eigen::VectorXd>(b)).ok());
    return (b - x).lpNorm<Eigen::Infinity>() / x.lpNorm<Eigen::Infinity>();
  };
  for (const double h : {1e-1, 1e-2, 1e-4, 1e-6, 1e-8}) EXPECT_LT(relative_error(h, 1.0), 1e-14) << h;
  EXPECT_LT(relative_error(1e-1, 0.0), 1e-13);
  EXPECT_GT(relative_error(1e-8, 0.0), 1e-4);  // 1e-16/h²k, as luck will have it
}

// Scaling is the only preconditioner here: what is left depends on the machine and not on the step. Unscaled, the count
// is smallest near h = 0.1, where M/h² and G are of one size, and from there on grows to the number of unknowns, where
// nothing was gained before the space was exhausted (with the constraint preconditioner one or two iterations suffice,
// scaled or not). At rest and without gravity, so that large steps can be taken.
TEST(Bauchau2009, iterations_of_gmres_do_not_depend_on_the_step_when_scaled_and_grow_below_a_tenth_when_not) {
  double n = 0.0;
  const auto iterations = [&](double h, const char* scaling) {
    const SetList settings{"parameters.N=20", "gravity=[0,0,0]", "analysis.end=10",
                           fmt::format("solver.scaling={{kind=\"{}\", rho=0}}", scaling)};
    const auto simulation = moved("models/chain.toml", h, settings, 1);
    n = newton_operator(*simulation).pattern().n_cols;
    return static_cast<double>(count_gmres_iterations(newton_operator(*simulation), 1e-8));
  };
  const double scaled = iterations(1.0, "physical");
  for (const double h : {0.1, 1e-2, 1e-5}) EXPECT_NEAR(iterations(h, "physical") / scaled, 1.0, 0.05) << h;
  EXPECT_LT(scaled, 0.9 * n);
  EXPECT_LT(iterations(0.1, "none"), 0.75 * n);
  EXPECT_LT(iterations(0.1, "none"), 0.9 * iterations(1e-2, "none"));
  for (const double h : {1e-3, 1e-5}) EXPECT_GE(iterations(h, "none"), n) << h;
}

// The massless angle carries the spring's moment to the bob: m ℓ² φ̈ + k φ = 0, φ̇(0) = 1. Without gravity nothing else
// acts, so that the solution is a sine.
TEST(RodAngle, with_a_spring_makes_the_bob_swing_with_its_frequency) {
  const Recorded rod = run_example(problem_2, {"solver.integrator=generalized_alpha", "solver.h=1e-3"});
  const double phi = rod.last("phi.coordinate")[0], exact = std::sin(std::sqrt(k)) / std::sqrt(k);
  EXPECT_NEAR(phi, exact, 1e-5);
  const Eigen::Vector3d bob = rod.last("bob.position");
  EXPECT_NEAR(std::atan2(bob.x(), -bob.z()), 0.3 + phi, 1e-10);
}

// ‖d‖² = ℓ² and ‖d‖ = ℓ are the same rod: the same motion and reaction.
TEST(SquaredDistance, moves_as_a_distance_does) {
  const SetList swinging{"parameters.g=9.81", "solver.integrator=generalized_alpha", "solver.h=1e-3",
                         "solver.newton_tol=1e-13"};
  const auto run_with = [&](const char* squared) {
    std::string text = read_study(example(problem_1)).text;
    return run_text(replace_once(text, "squared = true", squared), swinging);
  };
  const Recorded a = run_with("squared = true"), b = run_with("squared = false");
  EXPECT_LT((a.last("bob.position") - b.last("bob.position")).norm(), 1e-9);
  EXPECT_LT((a.last("rod.reaction_force") - b.last("rod.reaction_force")).norm(), 1e-6);
}

}  // namespace
}  // namespace trammel::test_bauchau2009
