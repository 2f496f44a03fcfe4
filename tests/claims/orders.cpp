// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Observed orders. With x_h the result of step h, e = c hᵖ + …, the ratio |x_h − x_{h/2}|/|x_{h/2} − x_{h/4}| is 2ᵖ:
/// no reference solution is needed, and a method that converges to something wrong is caught by the benchmarks.
namespace trammel::test_orders {
namespace {

struct Orders {
  double q, v, lam;
};

Orders calc_orders(const std::string& file, const SetList& settings, double h, const std::string& body,
                   const std::string& joint) {
  Eigen::VectorXd q[3], v[3], lam[3];
  for (int k = 0; k < 3; ++k) {
    SetList all = settings;
    all.push_back(set("solver.h", h / (1 << k)));
    const Recorded run = run_example(file, all);
    q[k] = run.last(body + ".position");
    v[k] = run.last(body + ".velocity");
    lam[k] = run.last(joint + ".reaction_force");
  }
  const auto order = [](const Eigen::VectorXd* x) {
    return observed_order((x[0] - x[1]).norm(), (x[1] - x[2]).norm());
  };
  return {order(q), order(v), order(lam)};
}

void expect_orders(const Orders& orders, double p) {
  EXPECT_NEAR(orders.q, p, order_margin) << "q";
  EXPECT_NEAR(orders.v, p, order_margin) << "v";
  EXPECT_NEAR(orders.lam, p, order_margin) << "λ";
}

// The instants lie 100 steps and more after the start: the transient of λ is over (ρ∞ⁿ).
const SetList top{"analysis.end=0.3"};
const SetList four_bar{"analysis.end=0.5"};

TEST(Orders, generalized_alpha_is_of_order_2_in_q_v_and_lambda_on_a_heavy_top) {
  for (const char* rho : {"solver.rho_inf=0.0", "solver.rho_inf=0.5", "solver.rho_inf=0.8"}) {
    SCOPED_TRACE(rho);
    expect_orders(calc_orders("05_heavy_top/heavy_top.toml", {top[0], rho}, 5e-4, "top", "tip"), 2.0);
  }
}

TEST(Orders, generalized_alpha_is_of_order_2_in_q_v_and_lambda_on_a_spatial_four_bar) {
  for (const char* rho : {"solver.rho_inf=0.0", "solver.rho_inf=0.5", "solver.rho_inf=0.8"}) {
    SCOPED_TRACE(rho);
    expect_orders(calc_orders("models/spatial_four_bar.toml", {four_bar[0], rho}, 1.25e-3, "coupler", "ball"), 2.0);
  }
}

TEST(Orders, hht_is_of_order_2_in_q_v_and_lambda) {
  const std::string hht = "solver.integrator=hht";
  expect_orders(calc_orders("05_heavy_top/heavy_top.toml", {top[0], hht}, 5e-4, "top", "tip"), 2.0);
  expect_orders(calc_orders("models/spatial_four_bar.toml", {four_bar[0], hht}, 1.25e-3, "coupler", "ball"), 2.0);
}

TEST(Orders, newmark_with_gamma_0_6_is_of_order_1) {
  const SetList newmark{four_bar[0], "solver.integrator=newmark", "solver.gamma=0.6"};
  expect_orders(calc_orders("models/spatial_four_bar.toml", newmark, 1.25e-3, "coupler", "ball"), 1.0);
}

// The local error is kept at rtol |q| + atol, so that the global one falls with the tolerance (error per step: with
// h ~ tol^(1/3) as tol^(2/3)).
TEST(Orders, the_error_of_a_controlled_run_falls_with_the_tolerance) {
  const Eigen::Vector3d exact(0.942305435043757, 0.0, -0.334754338414001);
  double error[2];
  int k = 0;
  for (const double tol : {1e-6, 1e-9}) {
    Study study = read_study(example("01_pendulum/pendulum.toml"), SetList{"analysis.end=5"});
    study.solver.h.reset();
    study.solver.rtol = study.solver.atol = tol;
    error[k++] = (run(study).last("bob.position") - exact).norm();
  }
  const double expected = std::pow(1e-3, 2.0 / 3.0);
  EXPECT_LT(error[1], 4.0 * expected * error[0]);
  EXPECT_LT(error[1], 1e-4);
}

}  // namespace
}  // namespace trammel::test_orders
