#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "support/ivp_problems.h"

// What every peer is asked to do. One line of results per run; see bench/README.md.

namespace trammel::peers {

/// The seconds are CPU time of the thread without setting the problem up; NaN in `error`: the run failed.
struct Run {
  std::string peer;
  double tol = 0.0, seconds = 0.0, error = 0.0;
  long steps = 0, residuals = 0, jacobians = 0, error_failures = 0, convergence_failures = 0;
};

double cpu_time();

/// The falling chain and the N-four-bar as IDA and Trammel see them: planar bodies and hinges in absolute coordinates.
struct Planar {
  enum class Kind { chain, four_bar } kind;
  int n;
  double t_end() const { return kind == Kind::chain ? 2.0 : 10.0; }
  /// Error of the centres of mass of all bodies (chain, at 2 s) or of the first tip (four-bars, at 10 s). Bodies are
  /// in the order of the models, three numbers each: x, y and the angle from the start.
  double error(const std::vector<double>& q) const;
};

/// Andrews' squeezing mechanism, stabilized index 2, with a Jacobian by one sweep of 14 dual numbers.
class AndrewsDae : public testing::MechanismDae<testing::Andrews> {
 public:
  AndrewsDae() : MechanismDae(testing::Form::stabilized_index2) {}
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override;
};

Run run_ida(const Planar& problem, double tol);
Run run_trammel(const Planar& problem, double tol);
Run run_simbody(const Planar& problem, double tol);
bool has_simbody();

/// IDA on any system: dense matrix, algebraic unknowns suppressed in the error test and out of Newton's norm, order
/// ≤ 5.
struct IdaProblem {
  const DaeSystem& system;
  const Eigen::VectorXd &y0, &yp0;
  double t_end, tol, velocity_scale = 1.0;  ///< atol of velocities = tol · velocity_scale
  double h0 = 0.0;                          ///< 0: chosen by IDA
};
struct IdaStep {
  double h;
  int order;
};
Run run_ida(const IdaProblem& problem, Eigen::VectorXd& y, int n_recorded = 0, std::vector<IdaStep>* steps = nullptr);

}  // namespace trammel::peers
