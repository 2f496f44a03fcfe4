// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "peers.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// P5: a cantilever of 1 m, 10 × 10 mm, E = 1e10, ν = 0.3, ρ = 1000, with a tip force of 20 N that rises as sin² over
// 0.2 s. IDA solves dedicated planar code (two-node elements with one integration point and consistent mass, analytic
// sparse Jacobian, KLU, orders 1 and 2: higher ones are not stable for vibrations); Trammel spatial elements of a model
// file.

namespace trammel::peers {

namespace {

constexpr double force_0 = 20.0, ramp = 0.2;
double tip_force(double t) {
  const double s = t >= ramp ? 1.0 : std::sin(0.5 * std::numbers::pi * t / ramp);
  return force_0 * s * s;
}

// Tip at 0.1, 0.2, …, 1 s: extrapolated in mesh and step by an independent planar code; levels differ by 4e-7.
constexpr double reference[10][2] = {{0.9548851106, 0.2691211282}, {0.7771329338, 0.5710962852},
                                     {0.7409878542, 0.6092967432}, {0.8836830915, 0.4221159377},
                                     {0.7482209657, 0.6020527423}, {0.7692224359, 0.5799049003},
                                     {0.8811090145, 0.4266148957}, {0.7233800709, 0.6262436296},
                                     {0.7988925395, 0.5456311744}, {0.8715292610, 0.4428351478}};

double error_of(const std::vector<std::array<double, 2>>& tip) {
  if (tip.size() != 10) return std::numeric_limits<double>::quiet_NaN();
  double worst = 0.0;
  for (std::size_t k = 0; k < 10; ++k)
    worst = std::max(worst, std::hypot(tip[k][0] - reference[k][0], tip[k][1] - reference[k][1]));
  return worst;
}

/// Planar Reissner elements: displacements and angle of nodes 1 … n, and their rates.
struct PlanarBeam {
  int n;
  double h;
  std::vector<sunindextype> columns, rows;
  std::vector<int> slot_q, slot_v, slot_mass, slot_stiffness;
  struct Mass {
    int i, j;
    double value;
  };
  std::vector<Mass> mass;
  std::vector<double> scratch;

  explicit PlanarBeam(int elements) : n(elements), h(1.0 / elements), scratch(static_cast<std::size_t>(3 * elements)) {
    const double rho = 1000.0, A = 1e-4, I = 1e-8 / 12.0;
    const double m[3] = {rho * A * h / 6.0, rho * A * h / 6.0, rho * I * h / 6.0};
    for (int e = 0; e < n; ++e)
      for (int c = 0; c < 3; ++c) {
        const int a = 3 * e - 3 + c, b = 3 * e + c;
        mass.push_back({b, b, 2.0 * m[c]});
        if (e == 0) continue;
        mass.push_back({a, a, 2.0 * m[c]}), mass.push_back({a, b, m[c]}), mass.push_back({b, a, m[c]});
      }
    build_pattern();
  }
  int nq() const { return 3 * n; }

  template <class Add>
  void internal(const double* q, double* f, bool tangent, Add&& add) const {
    const double A = 1e-4, EA = 1e10 * A, GA = 1e10 / 2.6 * A * 5.0 / 6.0, EI = 1e10 * 1e-8 / 12.0;
    std::fill(f, f + nq(), 0.0);
    for (int e = 0; e < n; ++e) {
      const double x1 = e ? q[3 * e - 3] : 0, y1 = e ? q[3 * e - 2] : 0, t1 = e ? q[3 * e - 1] : 0;
      const double x2 = q[3 * e], y2 = q[3 * e + 1], t2 = q[3 * e + 2];
      const double X = 1 + (x2 - x1) / h, Y = (y2 - y1) / h, th = 0.5 * (t1 + t2), k = (t2 - t1) / h;
      const double c = std::cos(th), s = std::sin(th), g1 = c * X + s * Y - 1, g2 = -s * X + c * Y;
      const double N = EA * g1, Q = GA * g2, M = EI * k;
      const double b1[3] = {c, s, g2}, b2[3] = {-s, c, -(1 + g1)};
      double w[3];
      for (int i = 0; i < 3; ++i) w[i] = N * b1[i] + Q * b2[i];
      const double fe[6] = {-w[0], -w[1], 0.5 * h * w[2] - M, w[0], w[1], 0.5 * h * w[2] + M};
      const int base = 3 * e - 3;
      for (int i = e ? 0 : 3; i < 6; ++i) f[base + i] += fe[i];
      if (!tangent) continue;
      double H[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) H[i][j] = EA * b1[i] * b1[j] + GA * b2[i] * b2[j];
      const double hx = -N * s - Q * c, hy = N * c - Q * s;
      H[0][2] += hx, H[2][0] += hx, H[1][2] += hy, H[2][1] += hy, H[2][2] -= N * (1 + g1) + Q * g2;
      const double D[3][6] = {{-1 / h, 0, 0, 1 / h, 0, 0}, {0, -1 / h, 0, 0, 1 / h, 0}, {0, 0, .5, 0, 0, .5}};
      for (int i = e ? 0 : 3; i < 6; ++i)
        for (int j = e ? 0 : 3; j < 6; ++j) {
          double sum = 0;
          for (int u = 0; u < 3; ++u)
            for (int v = 0; v < 3; ++v) sum += D[u][i] * H[u][v] * D[v][j];
          const double bending = i % 3 == 2 && j % 3 == 2 ? (i == j ? EI / h : -EI / h) : 0.0;
          add(base + i, base + j, sum * h + bending);
        }
    }
  }

  void build_pattern() {
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < nq(); ++i) entries.emplace_back(i, i), entries.emplace_back(i, nq() + i);
    for (const Mass& m : mass) entries.emplace_back(nq() + m.i, nq() + m.j);
    const std::vector<double> q(static_cast<std::size_t>(nq()), 0.0);
    internal(q.data(), scratch.data(), true, [&](int i, int j, double) { entries.emplace_back(nq() + i, j); });
    std::vector<std::vector<int>> column(static_cast<std::size_t>(2 * nq()));
    for (const auto& [i, j] : entries) column[static_cast<std::size_t>(j)].push_back(i);
    columns.push_back(0);
    for (std::vector<int>& c : column) {
      std::sort(c.begin(), c.end());
      c.erase(std::unique(c.begin(), c.end()), c.end());
      rows.insert(rows.end(), c.begin(), c.end());
      columns.push_back(static_cast<sunindextype>(rows.size()));
    }
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto [i, j] = entries[k];
      const std::vector<int>& c = column[static_cast<std::size_t>(j)];
      const int slot = static_cast<int>(columns[static_cast<std::size_t>(j)] +
                                        (std::lower_bound(c.begin(), c.end(), i) - c.begin()));
      if (k < static_cast<std::size_t>(2 * nq()))
        (k % 2 == 0 ? slot_q : slot_v).push_back(slot);
      else
        (k < static_cast<std::size_t>(2 * nq()) + mass.size() ? slot_mass : slot_stiffness).push_back(slot);
    }
  }
};

int beam_residual(realtype t, N_Vector y_, N_Vector yp_, N_Vector r_, void* user) {
  const PlanarBeam& beam = *static_cast<PlanarBeam*>(user);
  const int nq = beam.nq();
  const double *y = N_VGetArrayPointer(y_), *yp = N_VGetArrayPointer(yp_);
  double* r = N_VGetArrayPointer(r_);
  beam.internal(y, r + nq, false, [](int, int, double) {});
  for (int i = 0; i < nq; ++i) r[i] = yp[i] - y[nq + i];
  for (const PlanarBeam::Mass& m : beam.mass) r[nq + m.i] += m.value * yp[nq + m.j];
  r[2 * nq - 2] -= tip_force(t);
  return 0;
}

int beam_jacobian(realtype, realtype c, N_Vector y, N_Vector, N_Vector, SUNMatrix A, void* user, N_Vector, N_Vector,
                  N_Vector) {
  PlanarBeam& beam = *static_cast<PlanarBeam*>(user);
  std::copy(beam.columns.begin(), beam.columns.end(), SUNSparseMatrix_IndexPointers(A));
  std::copy(beam.rows.begin(), beam.rows.end(), SUNSparseMatrix_IndexValues(A));
  double* value = SUNSparseMatrix_Data(A);
  std::fill(value, value + beam.rows.size(), 0.0);
  for (const int slot : beam.slot_q) value[slot] = c;
  for (const int slot : beam.slot_v) value[slot] = -1.0;
  for (std::size_t k = 0; k < beam.mass.size(); ++k) value[beam.slot_mass[k]] += c * beam.mass[k].value;
  std::size_t k = 0;
  beam.internal(N_VGetArrayPointer(y), beam.scratch.data(), true,
                [&](int, int, double x) { value[beam.slot_stiffness[k++]] += x; });
  return 0;
}

}  // namespace

Run run_ida_beam(int elements, double tol) {
  PlanarBeam beam(elements);
  const int nq = beam.nq(), n = 2 * nq;
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(n, context), yp = N_VNew_Serial(n, context), atol = N_VNew_Serial(n, context);
  N_VConst(0.0, y), N_VConst(0.0, yp);
  for (int i = 0; i < n; ++i)  // displacements of 1 m, velocities of 10 m/s
    N_VGetArrayPointer(atol)[i] = i < nq ? tol : 10.0 * tol * (i % 3 == 2 ? 3 : 1);
  void* memory = IDACreate(context);
  SUNMatrix A = SUNSparseMatrix(n, n, static_cast<sunindextype>(beam.rows.size()), CSC_MAT, context);
  SUNLinearSolver solver = SUNLinSol_KLU(y, A, context);
  SUNLinSol_KLUSetOrdering(solver, 1);
  Run run{"IDA", tol};
  std::vector<std::array<double, 2>> tip;
  const double begin = cpu_time();
  int code = IDAInit(memory, beam_residual, 0.0, y, yp);
  code = std::min(code, IDASVtolerances(memory, tol, atol));
  code = std::min(code, IDASetUserData(memory, &beam));
  code = std::min(code, IDASetLinearSolver(memory, solver, A));
  code = std::min(code, IDASetJacFn(memory, beam_jacobian));
  code = std::min(code, IDASetMaxNumSteps(memory, 5000000));
  code = std::min(code, IDASetMaxOrd(memory, 2));
  for (int k = 1; k <= 10 && code >= 0; ++k) {
    double t = 0.0;
    IDASetStopTime(memory, k <= 2 ? ramp : 1.0);
    code = IDASolve(memory, 0.1 * k, &t, y, yp, IDA_NORMAL);
    const double* q = N_VGetArrayPointer(y);
    tip.push_back({1.0 + q[nq - 3], q[nq - 2]});
  }
  run.seconds = cpu_time() - begin;
  IDAGetNumSteps(memory, &run.steps), IDAGetNumResEvals(memory, &run.residuals);
  IDAGetNumJacEvals(memory, &run.jacobians), IDAGetNumErrTestFails(memory, &run.error_failures);
  IDAGetNumNonlinSolvConvFails(memory, &run.convergence_failures);
  run.error = code < 0 ? std::numeric_limits<double>::quiet_NaN() : error_of(tip);
  IDAFree(&memory), SUNLinSolFree(solver), SUNMatDestroy(A);
  N_VDestroy(y), N_VDestroy(yp), N_VDestroy(atol);
  SUNContext_Free(&context);
  return run;
}

Run run_trammel_beam(int elements, int order, const std::string& solver) {
  const std::string text = fmt::format(R"toml(
gravity = [0, 0, 0]
[[beam]]
name = "beam"
points = [[0, 0, 0], [1, 0, 0]]
elements = {}
order = {}
section = {{ kind = "rectangle", width = 0.01, height = 0.01 }}
material = {{ young = 1e10, poisson = 0.3, density = 1000 }}
start_body = "ground"
[[force]]
name = "tip"
kind = "force"
body = "beam_{}"
force = [0, "if(t < 0.2, 20*sin(pi*t/0.4)^2, 20)", 0]
[solver]
{}
)toml",
                                       elements, order, order * elements, solver);
  Simulation simulation(read_study_text(text, "beam.toml"));
  MotionIntegrator& integrator = simulation.integrator();
  Run run{"Trammel"};
  std::vector<std::array<double, 2>> tip;
  bool ok = true;
  const double begin = cpu_time();
  for (int k = 1; k <= 10 && ok; ++k) {
    const double target = 0.1 * k;
    while (ok && integrator.newest().t < target - 1e-9) {
      const StepReport report = integrator.advance(target, simulation.state());
      ok = report.status.ok();
      ++run.steps;
    }
    const Frame<double> end = simulation.calc_frames(integrator.newest(), simulation.state()).back();
    tip.push_back({end.p.x(), end.p.y()});
  }
  run.seconds = cpu_time() - begin;
  run.error = ok ? error_of(tip) : std::numeric_limits<double>::quiet_NaN();
  return run;
}

}  // namespace trammel::peers
