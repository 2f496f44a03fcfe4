// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "bauchau2009.h"

// [bauchau2009 sections 6 and 8]: scaled equations under other integrators, and what preconditioning gives.

namespace trammel::papers::bauchau2009 {

namespace {

const Settings swinging{"parameters.g=9.81", "parameters.theta=1", "parameters.omega=0.5"};

Case plain_pendulum(double h, const Settings& method) {
  Case c{problem_1, swinging, h};
  c.settings.insert(c.settings.end(), method.begin(), method.end());
  return c;
}

struct Scheme {
  std::string name;
  Settings settings;
  double h;               ///< where orders are observed
  const char* condition;  ///< acceptance values
  const char* orders;
};

const std::string index3 = "solver.formulation=index3", tight = "solver.newton_tol=1e-14";
const std::string with_rho = "solver.scaling={kind=\"physical\", m_ave=1, d_ave=0, k_ave=0, rho=1}";
const std::vector<Scheme> schemes{
    {"midpoint", {"solver.integrator=midpoint", tight}, 0.01, "10.91", "2/2/1"},
    {"energy_decaying",
     {"solver.integrator=energy_decaying", "solver.scaling={kind=\"none\"}"},
     0.01,
     "3.115",
     "2/2/2"},
    {"generalized_alpha(0.6)",
     {"solver.integrator=generalized_alpha", "solver.rho_inf=0.6", tight},
     0.005,
     "16.3",
     "2/2/2"},
    {"hht(0.1)", {"solver.integrator=hht", "solver.alpha=-0.1", tight}, 0.005, "16.7", "2/2/2"},
    {"bdf2",
     {"solver.integrator=bdf", index3, "solver.fields=two", "solver.max_order=2", "solver.newton_stop=none",
      "solver.max_iterations=4", "solver.jacobian_pattern=T", with_rho},
     0.0025,
     "11.7",
     "2/2/2"},
    {"radau2", {"solver.integrator=radau", "solver.stages=2", index3, with_rho}, 0.01, "–", "3/2/1"},
    {"radau3", {"solver.integrator=radau", "solver.stages=3", index3, with_rho}, 0.03125, "–", "5/3/2"}};

double method_condition(const Place& place, const Scheme& scheme, double h) {
  const std::unique_ptr<Simulation> simulation = make_simulation(place, plain_pendulum(h, scheme.settings));
  take_steps(*simulation, 3);
  return simulation->integrator().calc_condition();
}

struct Orders {
  double q, v, lam, lam_mean;
};

/// From |x_h − x_{h/2}| / |x_{h/2} − x_{h/4}| = 2ᵖ at t = 1 s.
Orders measure_orders(const Place& place, const Scheme& scheme) {
  const double end = 1.0;
  Eigen::VectorXd q[3], v[3], lam[3], mean[3];
  for (int k = 0; k < 3; ++k) {
    const double h = scheme.h / (1 << k);
    const std::unique_ptr<Simulation> simulation = make_simulation(place, plain_pendulum(h, scheme.settings));
    take_steps(*simulation, static_cast<int>(std::lround(end / h)));
    const MotionVariables& x = simulation->integrator().newest();
    q[k] = x.q, v[k] = x.v, lam[k] = x.lam;
    take_steps(*simulation, 1);
    mean[k] = 0.5 * (lam[k] + simulation->integrator().newest().lam);
  }
  const auto order = [](const Eigen::VectorXd* x) { return std::log2((x[0] - x[1]).norm() / (x[1] - x[2]).norm()); };
  return {order(q), order(v), order(lam), order(mean)};
}

}  // namespace

std::string write_schemes(const Place& place) {
  CsvFile csv(place.folder / "schemes.csv", {"scheme", "h", "condition", "order_q", "order_v", "order_lambda"});
  std::vector<double> steps{1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  if (place.quick) steps = {1e-2, 1e-6};
  std::string lines;
  for (const Scheme& scheme : schemes) {
    const Orders orders = measure_orders(place, scheme);
    std::vector<double> conditions;
    for (const double h : steps) {
      const double condition = method_condition(place, scheme, h);
      conditions.push_back(condition);
      csv.row({scheme.name, cell(h), cell(condition), cell(orders.q), cell(orders.v), cell(orders.lam)});
    }
    const std::string mean =
        scheme.name == "midpoint" ? fmt::format(" (mean of neighbours {:.2f})", orders.lam_mean) : "";
    lines +=
        fmt::format("| {} | {:.4g} | {} | {:.4f} | {:.2f}/{:.2f}/{:.2f}{} | {} |\n", scheme.name, conditions.back(),
                    scheme.condition, slope(steps, conditions), orders.q, orders.v, orders.lam, mean, scheme.orders);
  }
  csv.save();
  return fmt::format(R"(## Section 8: other integrators

Plain pendulum, m = l = 1, g = 9.81, θ₀ = 1, θ̇₀ = 0.5, s = m, ρ = 1. The paper claims independence of h and prints no numbers;
*expected* are the acceptance values of a prototype. All are of the matrices that the method factors: Radau's real and complex block, the
larger number; BDF2: two fields.

| scheme | condition | expected | exponent of h | orders q/v/λ | expected |
|---|---|---|---|---|---|
{})",
                     lines);
}

std::string write_equivalence(const Place& place) {
  CsvFile csv(place.folder / "equivalence.csv", {"problem", "h", "rho", "difference"});
  double largest = 0.0;
  std::vector<double> steps{1e-1, 1e-2, 1e-3, 1e-4, 1e-5};
  if (place.quick) steps = {1e-2, 1e-4};
  const double m = 2.0, k = 10.0;
  for (const int problem : {1, 2})
    for (const int rho : {0, 1})
      for (const double h : steps) {
        const double s = m + (problem == 2 ? k * h * h : 0.0);
        Case scaled{problem == 1 ? problem_1 : problem_2, {fmt::format("parameters.m={}", m)}, h}, plain = scaled;
        const Settings physical_settings = physical(m, problem == 2 ? k : 0.0, rho);
        scaled.settings.insert(scaled.settings.end(), physical_settings.begin(), physical_settings.end());
        plain.settings.push_back(fmt::format("solver.scaling={{kind=\"none\", rho={}}}", rho * s / (h * h)));
        const std::unique_ptr<Simulation> a = make_simulation(place, scaled), b = make_simulation(place, plain);
        take_steps(*a, 1), take_steps(*b, 1);
        const Eigen::MatrixXd J_hat = calc_matrix(*a);
        const Eigen::Index n = J_hat.rows(), nv = a->dae().nv();
        Eigen::VectorXd L = Eigen::VectorXd::Constant(n, h * h), R = Eigen::VectorXd::Ones(n);
        L.tail(n - nv).setConstant(s);
        R.tail(n - nv).setConstant(s / (h * h));
        const Eigen::MatrixXd J_bar = L.asDiagonal() * calc_matrix(*b) * R.asDiagonal();
        const double difference = (J_bar - J_hat).cwiseAbs().maxCoeff() / J_hat.cwiseAbs().maxCoeff();
        largest = std::max(largest, difference);
        csv.row({problem == 1 ? "I" : "II", cell(h), cell(rho), cell(difference)});
      }
  csv.save();
  return fmt::format(R"(## Section 6: scaling and preconditioning give the same matrix

L J R with L = diag(h², s), R = diag(1, s/h²) and the penalty ρ s/h² from the onset against Ĵ of the scaled equations,
largest difference relative to the largest entry, problems I and II, ρ = 0 and 1, all h: {:.2g}.
)",
                     largest);
}

}  // namespace trammel::papers::bauchau2009
