// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"
#include "trammel/integrators/radau.h"

// Work against precision of Radau and BDF on published problems: counts, the error of positions at the end, and the
// time of the fastest of nine runs, all in one table.

namespace trammel {
namespace {

using testing::Form;

struct Run {
  bool ok = false;
  long steps = 0, residuals = 0, linearizations = 0;
  Eigen::VectorXd y;
};

template <class Method, class Options>
Run integrate(const DaeSystem& dae, const Options& options, double t_end, const Eigen::VectorXd& y0,
              const Eigen::VectorXd& yp0) {
  Method method(dae, options, LinearSolverKind::dense);
  State state;
  const bool ok = method.start(0.0, y0, yp0, state).ok() && method.integrate(t_end, state).status.ok();
  const auto& c = method.counters();
  return {ok, c.steps, c.residuals, c.linearizations, method.y()};
}

/// Positions from `first` on are compared with the reference; velocities have `velocity_scale` × the absolute
/// tolerance.
template <class M>
void table(const char* name, Form form, double velocity_scale, int first) {
  const testing::MechanismDae<M> dae(form);
  const Eigen::VectorXd reference = M::reference();
  const int n = std::min<int>(M::np - first, static_cast<int>(reference.size()));
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10})
    for (const int stages : {0, 2, 3}) {
      Tolerances tolerances;
      tolerances.rtol = tol;
      tolerances.set(Kind::position, tol, tol);
      tolerances.set(Kind::velocity, tol, tol * velocity_scale);
      Run run;
      double best = 1e9;
      for (int repeat = 0; repeat < 9; ++repeat) {
        const auto clock = std::chrono::steady_clock::now();
        if (stages == 0) {
          BdfOptions options;
          options.tolerances = tolerances;
          options.corrector = Corrector::modified;
          run = integrate<Bdf>(dae, options, M::t_end, dae.y0, dae.yp0);
        } else {
          RadauOptions options;
          options.tolerances = tolerances;
          options.stages = stages;
          run = integrate<Radau>(dae, options, M::t_end, dae.y0, dae.yp0);
        }
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count());
      }
      const double error = (run.y.segment(first, n) - reference.head(n)).template lpNorm<Eigen::Infinity>();
      fmt::print("| {} | {:.0e} | {} | {} / {} / {} | {:.1e} | {:.1f} |{}\n", name, tol,
                 stages == 0 ? "bdf" : fmt::format("radau, {} stages", stages), run.steps, run.residuals,
                 run.linearizations, error, 1e3 * best, run.ok ? "" : " failed");
    }
}

}  // namespace
}  // namespace trammel

int main() {
  using namespace trammel;
  fmt::print("| problem | tol | method | steps / residuals / Jacobians | error | ms |\n|---|---|---|---|---|---|\n");
  table<testing::Andrews>("Andrews", Form::stabilized_index2, 1e3, 0);
  table<testing::FlexibleSliderCrank>("slider crank", Form::index2, 1.0, 1);
}
