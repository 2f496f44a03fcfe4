// SPDX-License-Identifier: Apache-2.0
#include "bauchau2009.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "trammel/base/error.h"
#include "trammel/integrators/one_step.h"
#include "trammel/io/model_reader.h"

// [bauchau2009] sections 2 to 9: what scaling and the augmented term do to the iteration matrix.

namespace trammel::papers {

namespace bauchau2009 {

const Settings unscaled{"solver.scaling={kind=\"none\"}"};
const std::string problem_1 = "pendulum_rod.toml", problem_2 = "pendulum_rod_spring.toml";

Settings physical(double m_r, double k_r, double rho) {
  return {fmt::format("solver.scaling={{kind=\"physical\", m_ave={}, d_ave=0, k_ave={}, rho={}}}", m_r, k_r, rho)};
}

std::unique_ptr<Simulation> make_simulation(const Place& place, const Case& c) {
  Settings settings{fmt::format("solver.h={}", c.h)};
  settings.insert(settings.end(), c.settings.begin(), c.settings.end());
  return std::make_unique<Simulation>(read_study(place.models / "models" / c.model, settings));
}

void take_steps(Simulation& simulation, int n) {
  constexpr double never = 1e3;  // [s] beyond every run here
  for (int i = 0; i < n; ++i)
    if (const StepReport report = simulation.integrator().advance(never, simulation.state()); !report.status.ok())
      throw SimulationError(fmt::format("step {} failed: {}", i + 1, describe(report.status.cause)));
}

const MotionOperator& newton_operator(Simulation& simulation) {
  return dynamic_cast<const OneStep&>(simulation.integrator()).newton_operator();
}

Eigen::MatrixXd calc_matrix(Simulation& simulation) {
  const MotionOperator& newton = newton_operator(simulation);
  const Pattern& pattern = newton.pattern();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) A(pattern.index[k], j) = newton.matrix()[k];
  return A;
}

double calc_condition(const Eigen::MatrixXd& A, Norm norm) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Matrix wide = A.cast<long double>(), inverse = wide.partialPivLu().inverse();
  const auto size = [&](const Matrix& B) {
    return norm == Norm::two ? Eigen::JacobiSVD<Matrix>(B).singularValues()[0]
                             : B.cwiseAbs().rowwise().sum().maxCoeff();
  };
  return static_cast<double>(size(wide) * size(inverse));
}

}  // namespace bauchau2009

void write_bauchau2009(const Place& place) {
  using namespace bauchau2009;
  std::string text = R"(# bauchau2009: physical scaling, the augmented term and elimination without row exchanges

Problem I is `examples/models/pendulum_rod.toml`, problem II `examples/models/pendulum_rod_spring.toml`; matrices are those
that Newton's iteration of the product factors. Every number is in the CSV files.
)";
  for (const auto part : {write_tables, write_schemes, write_equivalence, write_no_pivot, write_example_35,
                          write_iterative, write_rho_star, write_thin_beam})
    text += "\n" + part(place);
  save_text(place.folder / "README.md", text);
}

}  // namespace trammel::papers
