// SPDX-License-Identifier: Apache-2.0
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "peers.h"

// SUNDIALS IDA. The planar models are dedicated code, as an expert would write it for IDA:
//
//   q′ = v − Gᵀμ,   M v′ = f − Gᵀλ,   0 = G v,   0 = g(q)
//
// with analytic sparse Jacobian and KLU (COLAMD). Multipliers have an infinite tolerance, which was found fastest.

namespace trammel::peers {

namespace {

constexpr double ignored = 1e10;  // absolute tolerance of what no test should see
constexpr int max_steps = 500000;

void check(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string("IDA: ") + what + " failed");
}

struct Hinge {
  int a, b;  // b = −1: the ground, at (bx, by)
  double ax, ay, bx, by;
};

struct Bodies {
  static constexpr double m = 1.0, J = 1.0 / 12.0, g = 9.81;
  int n = 0;
  std::vector<double> q0, v0;
  std::vector<Hinge> hinges;

  int nq() const { return 3 * n; }
  int nc() const { return 2 * static_cast<int>(hinges.size()); }
  int size() const { return 2 * nq() + 2 * nc(); }
  int add(std::initializer_list<double> q, std::initializer_list<double> v) {
    q0.insert(q0.end(), q);
    v0.insert(v0.end(), v);
    return n++;
  }
};

Bodies make_chain(int n) {
  Bodies p;
  for (int i = 0; i < n; ++i) {
    p.add({i + 0.5, 0, 0}, {0, 0, 0});
    if (i == 0)
      p.hinges.push_back({0, -1, -0.5, 0, 0, 0});
    else
      p.hinges.push_back({i - 1, i, 0.5, 0, -0.5, 0});
  }
  return p;
}

Bodies make_four_bar(int n) {
  Bodies p;
  for (int i = 0; i <= n; ++i) {  // verticals; their axis is the body's y
    p.add({static_cast<double>(i), 0.5, 0}, {0.5, 0, -1});
    p.hinges.push_back({i, -1, 0, -0.5, static_cast<double>(i), 0});
  }
  for (int i = 0; i < n; ++i) {
    const int h = p.add({i + 0.5, 1, 0}, {1, 0, 0});
    p.hinges.push_back({h, i, -0.5, 0, 0, 0.5});
    p.hinges.push_back({h, i + 1, 0.5, 0, 0, 0.5});
  }
  return p;
}

class Ggl {
 public:
  explicit Ggl(const Bodies& bodies) : p(bodies), cs(bodies.n), sn(bodies.n) { make_pattern(); }

  void residual(const double* y, const double* yp, double* r) {
    const int nq = p.nq(), nc = p.nc();
    const double *q = y, *v = y + nq, *lam = y + 2 * nq, *mu = lam + nc, *vp = yp + nq;
    double *r1 = r, *r2 = r + nq, *r3 = r + 2 * nq, *r4 = r3 + nc;
    update_angles(q);
    for (int i = 0; i < nq; ++i) r1[i] = yp[i] - v[i];
    for (int i = 0; i < p.n; ++i) {
      r2[3 * i] = Bodies::m * vp[3 * i];
      r2[3 * i + 1] = Bodies::m * (vp[3 * i + 1] + Bodies::g);
      r2[3 * i + 2] = Bodies::J * vp[3 * i + 2];
    }
    for (std::size_t k = 0; k < p.hinges.size(); ++k) {
      const Hinge& j = p.hinges[k];
      r3[2 * k] = r3[2 * k + 1] = 0;
      r4[2 * k] = j.b < 0 ? -j.bx : 0;
      r4[2 * k + 1] = j.b < 0 ? -j.by : 0;
    }
    each_side([&](int k, int b, double s, double ax, double ay) {
      const double px = cs[b] * ax - sn[b] * ay, py = sn[b] * ax + cs[b] * ay;
      r4[2 * k] += s * (q[3 * b] + px);
      r4[2 * k + 1] += s * (q[3 * b + 1] + py);
      r3[2 * k] += s * (v[3 * b] - py * v[3 * b + 2]);
      r3[2 * k + 1] += s * (v[3 * b + 1] + px * v[3 * b + 2]);
      r1[3 * b] += s * mu[2 * k];
      r1[3 * b + 1] += s * mu[2 * k + 1];
      r1[3 * b + 2] += s * (-py * mu[2 * k] + px * mu[2 * k + 1]);
      r2[3 * b] += s * lam[2 * k];
      r2[3 * b + 1] += s * lam[2 * k + 1];
      r2[3 * b + 2] += s * (-py * lam[2 * k] + px * lam[2 * k + 1]);
    });
  }

  void jacobian(double c, const double* y, double* value) {
    const int nq = p.nq(), nc = p.nc();
    const double *v = y + nq, *lam = y + 2 * nq, *mu = lam + nc;
    update_angles(y);
    std::fill(value, value + rows.size(), 0.0);
    const int* s = slot.data();
    for (int i = 0; i < nq; ++i) {
      value[*s++] = c;
      value[*s++] = -1;
      value[*s++] = c * (i % 3 == 2 ? Bodies::J : Bodies::m);
    }
    const int* angle_slot = s;
    s += p.n;
    each_side([&](int k, int b, double sign, double ax, double ay) {
      const double px = cs[b] * ax - sn[b] * ay, py = sn[b] * ax + cs[b] * ay, w = v[3 * b + 2];
      for (int u = 0; u < 4; ++u) {
        value[*s++] += sign;
        value[*s++] += sign;
        value[*s++] -= sign * py;
        value[*s++] += sign * px;
      }
      value[*s++] -= sign * px * w;
      value[*s++] -= sign * py * w;
      value[slot[3 * (3 * b + 2)]] -= sign * (px * mu[2 * k] + py * mu[2 * k + 1]);
      value[angle_slot[b]] -= sign * (px * lam[2 * k] + py * lam[2 * k + 1]);
    });
  }

  /// Consistent v′ and λ.
  void start(std::vector<double>& y, std::vector<double>& yp, SUNContext context);

  const Bodies& p;
  std::vector<sunindextype> columns, rows;

 private:
  void update_angles(const double* q) {
    for (int i = 0; i < p.n; ++i) {
      cs[i] = std::cos(q[3 * i + 2]);
      sn[i] = std::sin(q[3 * i + 2]);
    }
  }
  template <class F>
  void each_side(F f) const {
    for (int k = 0; k < static_cast<int>(p.hinges.size()); ++k) {
      const Hinge& j = p.hinges[k];
      f(k, j.a, 1.0, j.ax, j.ay);
      if (j.b >= 0) f(k, j.b, -1.0, j.bx, j.by);
    }
  }
  template <class E>
  void each_entry(E e) const {
    const int nq = p.nq(), nc = p.nc(), V = nq, L = 2 * nq, M = L + nc;
    for (int i = 0; i < nq; ++i) e(i, i), e(i, V + i), e(V + i, V + i);
    for (int b = 0; b < p.n; ++b) e(V + 3 * b + 2, 3 * b + 2);
    each_side([&](int k, int b, double, double, double) {
      const int x = 3 * b, z = x + 1, t = x + 2, c = 2 * k, d = c + 1;
      for (const auto& [R, C] : {std::pair{0, M}, std::pair{V, L}})
        e(R + x, C + c), e(R + z, C + d), e(R + t, C + c), e(R + t, C + d);
      for (const auto& [R, C] : {std::pair{M, 0}, std::pair{L, V}})
        e(R + c, C + x), e(R + d, C + z), e(R + c, C + t), e(R + d, C + t);
      e(L + c, t), e(L + d, t);  // (G v)_q
    });
  }
  void make_pattern() {
    std::vector<std::vector<int>> column(p.size());
    each_entry([&](int r, int c) { column[c].push_back(r); });
    columns.assign(1, 0);
    for (auto& c : column) {
      std::sort(c.begin(), c.end());
      c.erase(std::unique(c.begin(), c.end()), c.end());
      rows.insert(rows.end(), c.begin(), c.end());
      columns.push_back(static_cast<sunindextype>(rows.size()));
    }
    each_entry([&](int r, int c) {
      const auto at = std::lower_bound(column[c].begin(), column[c].end(), r) - column[c].begin();
      slot.push_back(static_cast<int>(columns[c] + at));
    });
  }

  std::vector<double> cs, sn;
  std::vector<int> slot;
};

void Ggl::start(std::vector<double>& y, std::vector<double>& yp, SUNContext context) {
  const int nq = p.nq(), nc = p.nc(), n = nq + nc;
  std::vector<std::vector<std::pair<int, double>>> column(n);
  std::vector<double> rhs(n, 0.0);
  update_angles(y.data());
  for (int i = 0; i < nq; ++i) column[i].push_back({i, i % 3 == 2 ? Bodies::J : Bodies::m});
  for (int i = 0; i < p.n; ++i) rhs[3 * i + 1] = -Bodies::m * Bodies::g;
  const double* v = y.data() + nq;
  each_side([&](int k, int b, double s, double ax, double ay) {
    const double px = cs[b] * ax - sn[b] * ay, py = sn[b] * ax + cs[b] * ay, w = v[3 * b + 2];
    const int c = nq + 2 * k, d = c + 1, x = 3 * b;
    const auto put = [&](int r, int to, double a) {
      column[to].push_back({r, a});
      column[r].push_back({to, a});
    };
    put(x, c, s), put(x + 1, d, s), put(x + 2, c, -s * py), put(x + 2, d, s * px);
    rhs[c] += s * px * w * w;
    rhs[d] += s * py * w * w;
  });
  sunindextype nnz = 0;
  for (auto& c : column) std::sort(c.begin(), c.end()), nnz += static_cast<sunindextype>(c.size());
  SUNMatrix A = SUNSparseMatrix(n, n, nnz, CSC_MAT, context);
  sunindextype k = 0;
  for (int c = 0; c < n; ++c) {
    SUNSparseMatrix_IndexPointers(A)[c] = k;
    for (const auto& [row, value] : column[c]) {
      SUNSparseMatrix_IndexValues(A)[k] = row;
      SUNSparseMatrix_Data(A)[k++] = value;
    }
  }
  SUNSparseMatrix_IndexPointers(A)[n] = k;
  N_Vector x = N_VNew_Serial(n, context), b = N_VMake_Serial(n, rhs.data(), context);
  SUNLinearSolver solver = SUNLinSol_KLU(x, A, context);
  SUNLinSolSetup(solver, A);
  SUNLinSolSolve(solver, A, x, b, 0);
  for (int i = 0; i < nq; ++i) yp[i] = v[i], yp[nq + i] = N_VGetArrayPointer(x)[i];
  for (int i = 0; i < nc; ++i) y[2 * nq + i] = N_VGetArrayPointer(x)[nq + i];
  SUNLinSolFree(solver);
  SUNMatDestroy(A);
  N_VDestroy(x);
  N_VDestroy(b);
}

/// IDA's memory with its vectors, freed together.
struct Session {
  SUNContext context = nullptr;
  void* memory = nullptr;
  N_Vector y, yp, id, atol;
  SUNMatrix A = nullptr;
  SUNLinearSolver solver = nullptr;

  explicit Session(int n) {
    SUNContext_Create(nullptr, &context);
    for (N_Vector* v : {&y, &yp, &id, &atol}) *v = N_VNew_Serial(n, context);
    memory = IDACreate(context);
  }
  ~Session() {
    IDAFree(&memory);
    if (solver) SUNLinSolFree(solver);
    if (A) SUNMatDestroy(A);
    for (N_Vector v : {y, yp, id, atol}) N_VDestroy(v);
    SUNContext_Free(&context);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start(IDAResFn residual, IDALsJacFn jacobian, void* user, double rtol, double t_end) {
    check(IDAInit(memory, residual, 0.0, y, yp), "IDAInit");
    check(IDASVtolerances(memory, rtol, atol), "IDASVtolerances");
    check(IDASetUserData(memory, user), "IDASetUserData");
    check(IDASetId(memory, id), "IDASetId");
    check(IDASetSuppressAlg(memory, SUNTRUE), "IDASetSuppressAlg");
    check(IDASetLinearSolver(memory, solver, A), "IDASetLinearSolver");
    check(IDASetJacFn(memory, jacobian), "IDASetJacFn");
    check(IDASetMaxNumSteps(memory, max_steps), "IDASetMaxNumSteps");
    check(IDASetMaxErrTestFails(memory, 20), "IDASetMaxErrTestFails");
    check(IDASetStopTime(memory, t_end), "IDASetStopTime");
  }
  void count(Run& run) const {
    IDAGetNumSteps(memory, &run.steps);
    IDAGetNumResEvals(memory, &run.residuals);
    IDAGetNumJacEvals(memory, &run.jacobians);
    IDAGetNumErrTestFails(memory, &run.error_failures);
    IDAGetNumNonlinSolvConvFails(memory, &run.convergence_failures);
  }
};

int planar_residual(realtype, N_Vector y, N_Vector yp, N_Vector r, void* user) {
  static_cast<Ggl*>(user)->residual(N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
  return 0;
}
int planar_jacobian(realtype, realtype c, N_Vector y, N_Vector, N_Vector, SUNMatrix A, void* user, N_Vector, N_Vector,
                    N_Vector) {
  Ggl& ggl = *static_cast<Ggl*>(user);
  std::copy(ggl.columns.begin(), ggl.columns.end(), SUNSparseMatrix_IndexPointers(A));
  std::copy(ggl.rows.begin(), ggl.rows.end(), SUNSparseMatrix_IndexValues(A));
  ggl.jacobian(c, N_VGetArrayPointer(y), SUNSparseMatrix_Data(A));
  return 0;
}

// Any DaeSystem.
struct User {
  const DaeSystem& system;
  State state;
  std::unique_ptr<Workspace> workspace;
  InputBuffer inputs;
  Planes planes;
  int n;
};
using Map = Eigen::Map<Eigen::VectorXd>;

int dae_residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void* user) {
  User& u = *static_cast<User*>(user);
  u.system.calc_inputs(t, u.inputs);
  const Map Y(N_VGetArrayPointer(y), u.n), YP(N_VGetArrayPointer(yp), u.n);
  Map R(N_VGetArrayPointer(r), u.n);
  return u.system.residual({t, u.inputs.view(), Y, YP}, u.state, R, *u.workspace).ok() ? 0 : 1;
}
int dae_jacobian(realtype t, realtype c, N_Vector y, N_Vector yp, N_Vector, SUNMatrix A, void* user, N_Vector, N_Vector,
                 N_Vector) {
  User& u = *static_cast<User*>(user);
  u.system.calc_inputs(t, u.inputs);
  const Map Y(N_VGetArrayPointer(y), u.n), YP(N_VGetArrayPointer(yp), u.n);
  if (!u.system.linearize({t, u.inputs.view(), Y, YP}, u.state, u.planes, *u.workspace).ok()) return 1;
  double* J = SUNDenseMatrix_Data(A);  // both by columns, dense
  for (std::size_t k = 0; k < u.planes.F_y().size(); ++k) J[k] = u.planes.F_y()[k] + c * u.planes.F_yp()[k];
  return 0;
}

}  // namespace

Run run_ida(const Planar& problem, double tol) {
  const Bodies bodies = problem.kind == Planar::Kind::chain ? make_chain(problem.n) : make_four_bar(problem.n);
  Ggl ggl(bodies);
  const int n = bodies.size(), nq = bodies.nq();
  Session ida(n);
  std::vector<double> y0(n, 0.0), yp0(n, 0.0);
  std::copy(bodies.q0.begin(), bodies.q0.end(), y0.begin());
  std::copy(bodies.v0.begin(), bodies.v0.end(), y0.begin() + nq);
  ggl.start(y0, yp0, ida.context);
  double* y = N_VGetArrayPointer(ida.y);
  std::copy(y0.begin(), y0.end(), y);
  std::copy(yp0.begin(), yp0.end(), N_VGetArrayPointer(ida.yp));
  for (int i = 0; i < n; ++i) {
    N_VGetArrayPointer(ida.id)[i] = i < 2 * nq ? 1.0 : 0.0;
    N_VGetArrayPointer(ida.atol)[i] = i < 2 * nq ? tol : ignored;
  }
  ida.A = SUNSparseMatrix(n, n, static_cast<sunindextype>(ggl.rows.size()), CSC_MAT, ida.context);
  ida.solver = SUNLinSol_KLU(ida.y, ida.A, ida.context);
  constexpr int colamd = 1;
  SUNLinSol_KLUSetOrdering(ida.solver, colamd);
  Run run{"IDA", tol};
  const double begin = cpu_time();
  ida.start(planar_residual, planar_jacobian, &ggl, tol, problem.t_end());
  double t = 0.0;
  const int code = IDASolve(ida.memory, problem.t_end(), &t, ida.y, ida.yp, IDA_NORMAL);
  run.seconds = cpu_time() - begin;
  ida.count(run);
  run.error = code < 0 ? std::numeric_limits<double>::quiet_NaN() : problem.error(std::vector<double>(y, y + nq));
  return run;
}

Run run_ida(const IdaProblem& problem, Eigen::VectorXd& y, int n_recorded, std::vector<IdaStep>* steps) {
  const std::span<const Kind> kinds = problem.system.layout().kinds();
  const int n = static_cast<int>(kinds.size());
  User user{problem.system, {}, problem.system.make_workspace(), {}, {}, n};
  problem.system.update_pattern(user.state, user.planes);
  Session ida(n);
  Map(N_VGetArrayPointer(ida.y), n) = problem.y0;
  Map(N_VGetArrayPointer(ida.yp), n) = problem.yp0;
  for (int i = 0; i < n; ++i) {
    const bool velocity = kinds[i] == Kind::velocity;
    const bool tested = velocity || kinds[i] == Kind::position || kinds[i] == Kind::internal;
    N_VGetArrayPointer(ida.id)[i] = tested ? 1.0 : 0.0;
    N_VGetArrayPointer(ida.atol)[i] = tested ? problem.tol * (velocity ? problem.velocity_scale : 1.0) : ignored;
  }
  ida.A = SUNDenseMatrix(n, n, ida.context);
  ida.solver = SUNLinSol_Dense(ida.y, ida.A, ida.context);
  Run run{"IDA", problem.tol};
  const double begin = cpu_time();
  ida.start(dae_residual, dae_jacobian, &user, problem.tol, problem.t_end);
  if (problem.h0 > 0.0) check(IDASetInitStep(ida.memory, problem.h0), "IDASetInitStep");
  double t = 0.0;
  int code = 0;
  for (int k = 0; k < n_recorded && code >= 0; ++k) {
    code = IDASolve(ida.memory, problem.t_end, &t, ida.y, ida.yp, IDA_ONE_STEP);
    IdaStep step{};
    IDAGetLastStep(ida.memory, &step.h);
    IDAGetLastOrder(ida.memory, &step.order);
    steps->push_back(step);
  }
  if (n_recorded == 0) code = IDASolve(ida.memory, problem.t_end, &t, ida.y, ida.yp, IDA_NORMAL);
  run.seconds = cpu_time() - begin;
  ida.count(run);
  run.error = code < 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  y = Map(N_VGetArrayPointer(ida.y), n);
  return run;
}

}  // namespace trammel::peers
