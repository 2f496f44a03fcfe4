// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/coordinate_split.h"
#include "places.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <numeric>

#include "trammel/dae/iteration_operator.h"
#include "trammel/integrators/bdf.h"
#include "trammel/io/model_reader.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/mechanics/absolute/assemble.h"

// The algebra of [yen1996] at points off the constraint manifold: on it every wrong factor is right.

namespace trammel {
namespace {

/// A machine at a point where nothing vanishes: positions, velocities and accelerations off the constraints.
struct Machine {
  Assembly assembly;
  const AbsoluteSystem* system = nullptr;
  std::unique_ptr<Workspace> workspace;
  MotionVariables x;
  InputBuffer inputs;
  MotionPlanes planes;

  explicit Machine(const std::string& file)
      : assembly(assemble(read_study(places::source_dir().string() + "/examples/" + file, settings(file)).model)),
        system(assembly.system.get()),
        workspace(system->make_workspace()),
        x(assembly.drawn) {
    const auto wave = [](int i, double phase) { return std::sin(1.7 * i + phase); };
    x.lam.setZero(system->nc());
    for (int i = 0; i < system->nv(); ++i) {
      x.q[i] += 0.05 * wave(i, 0.3);
      x.v[i] += wave(i, 1.1);
      x.a[i] += 2.0 * wave(i, 2.3);
    }
    system->calc_inputs(0.0, inputs);
  }
  // Matrices are compared as dense ones here: a hundred links of the thousand.
  static std::vector<std::string> settings(const std::string& file) {
    return file == "models/chain.toml" ? std::vector<std::string>{"parameters.N=100"} : std::vector<std::string>{};
  }
  void linearize(PlaneSet set) {
    ASSERT_TRUE(system->linearize(x.point(inputs.view()), assembly.state, set, planes, *workspace).ok());
  }
  std::vector<double> transposed_G() {
    linearize(PlaneSet::G);
    const TransposedPattern Gt = make_transposed(planes.constraint);
    std::vector<double> values(Gt.from.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = planes.G[Gt.from[k]];
    return values;
  }
  Eigen::MatrixXd dense(const Pattern& pattern, const std::vector<double>& values) const {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
    for (int c = 0; c < pattern.n_cols; ++c)
      for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) A(pattern.index[k], c) = values[k];
    return A;
  }
};

CoordinateSplit make_split(Machine& machine, std::span<const int> independent = {}) {
  CoordinateSplit split;
  const std::vector<double> Gt = machine.transposed_G();
  std::vector<int> rows(static_cast<std::size_t>(machine.system->nc()));
  std::iota(rows.begin(), rows.end(), 0);
  split.analyze(make_transposed(machine.planes.constraint).pattern, rows, independent);
  EXPECT_TRUE(split.choose(Gt).ok());
  return split;
}

/// P with one row per coordinate; rows of Y are zero.
Eigen::MatrixXd dense_P(const CoordinateSplit& split, int n) {
  Eigen::MatrixXd P = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd s = Eigen::VectorXd::Zero(n);
  for (int c = 0; c < n; ++c) {
    Eigen::VectorXd column = P.col(c);
    split.project(column, s);
    P.col(c) = column;
  }
  return P;
}

const char* const machines[] = {"09_stiff_spring/stiff_spring.toml",
                                "10_bushing/bushing.toml",
                                "04_four_bar/four_bar.toml",
                                "05_heavy_top/heavy_top.toml",
                                "06_squeezing_mechanism/squeezing_mechanism.toml",
                                "models/chain.toml"};

class Splits : public ::testing::TestWithParam<const char*> {};

TEST_P(Splits, annihilate_the_constraint_forces) {
  Machine machine(GetParam());
  const CoordinateSplit split = make_split(machine);
  const Eigen::MatrixXd G = machine.dense(machine.planes.constraint, machine.planes.G);
  const Eigen::MatrixXd P = dense_P(split, machine.system->nv());
  EXPECT_LE((P * G.transpose()).cwiseAbs().maxCoeff(), 1e-12);
  int n_independent = 0;
  for (int i = 0; i < machine.system->nv(); ++i) n_independent += split.is_independent(i) ? 1 : 0;
  EXPECT_EQ(n_independent, machine.system->nv() - machine.system->nc());
}

// s = −(GY)⁻ᵀYᵀr: r + Gᵀs is zero in rows of Y and P r in those of X.
TEST_P(Splits, give_the_multipliers_that_leave_the_projection) {
  Machine machine(GetParam());
  const CoordinateSplit split = make_split(machine);
  const int n = machine.system->nv();
  const Eigen::VectorXd r = machine.x.a;
  Eigen::VectorXd projected = r, s = Eigen::VectorXd::Zero(machine.system->nc());
  split.project(projected, s);
  const Eigen::MatrixXd G = machine.dense(machine.planes.constraint, machine.planes.G);
  const Eigen::VectorXd balanced = r + G.transpose() * s;
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(balanced[i], split.is_independent(i) ? projected[i] : 0.0, 1e-12 * (1.0 + s.norm())) << i;
}

// (2.20)–(2.22) with (I + QᵀQ)⁻¹, which (2.25) of the paper drops.
TEST_P(Splits, solve_2_19_by_2_20_to_2_22) {
  Machine machine(GetParam());
  const CoordinateSplit split = make_split(machine);
  const int n = machine.system->nv(), m = machine.system->nc();
  const std::vector<double> Gt = machine.transposed_G();
  const Eigen::VectorXd a = machine.x.v, b = Eigen::VectorXd::LinSpaced(m, 0.5, -1.0);
  const Eigen::VectorXd u = split.solve_tangent(a, b, Gt);
  const Eigen::MatrixXd P = dense_P(split, n), G = machine.dense(machine.planes.constraint, machine.planes.G);
  Eigen::MatrixXd A(n, n);
  Eigen::VectorXd right(n);
  int row = 0;
  for (int i = 0; i < n; ++i) {
    if (!split.is_independent(i)) continue;
    A.row(row) = P.row(i);
    right[row++] = a[i];
  }
  A.bottomRows(m) = G;
  right.tail(m) = b;
  const Eigen::VectorXd direct = solve_square(A, right);
  EXPECT_LE((u - direct).norm(), 1e-12 * (1.0 + direct.norm()));
}

INSTANTIATE_TEST_SUITE_P(Machines, Splits, ::testing::ValuesIn(machines));

// (2.9) by central differences of P(q) r at constant r and constant split, without charts: h² = 1e-10 and rounding/h.
class SplitDerivatives : public ::testing::TestWithParam<const char*> {};

TEST_P(SplitDerivatives, are_those_of_2_9) {
  Machine machine(GetParam());
  CoordinateSplit split = make_split(machine);
  const int n = machine.system->nv();
  const Eigen::VectorXd r = machine.x.a, q = machine.x.q;
  Eigen::VectorXd projected = r, s = Eigen::VectorXd::Zero(machine.system->nc());
  split.project(projected, s);
  machine.x.lam = s;
  machine.linearize(PlaneSet::K_lam);
  const Eigen::MatrixXd K = machine.dense(machine.planes.motion, machine.planes.K_lam);
  const Eigen::MatrixXd exact = dense_P(split, n) * K;
  ASSERT_GT(exact.norm(), 1e-3);
  const double h = 1e-5;
  const auto calc = [&](int j, double step) {
    machine.x.q = q;
    machine.x.q[j] += step;
    EXPECT_TRUE(split.update(machine.transposed_G()).ok());
    Eigen::VectorXd value = r;
    split.project(value, s);
    return value;
  };
  for (int j = 0; j < n; ++j) {
    const Eigen::VectorXd difference = (calc(j, h) - calc(j, -h)) / (2.0 * h);
    for (int i = 0; i < n; ++i)
      if (split.is_independent(i)) {
        EXPECT_NEAR(difference[i], exact(i, j), 1e-8 * (1.0 + exact.norm())) << i << " by " << j;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(PlanarMachines, SplitDerivatives,
                         ::testing::Values("09_stiff_spring/stiff_spring.toml", "10_bushing/bushing.toml",
                                           "06_squeezing_mechanism/squeezing_mechanism.toml"));

// ---- Newton's systems
// ------------------------------------------------------------------------------------------------

/// (2.14) formed and solved directly, against the solution on the matrix of the stabilized form.
struct Corrections {
  Eigen::VectorXd direct, sparse;
};

Corrections correct(const std::string& file, CoordinateSplitForm::Iteration iteration) {
  Machine machine(file);
  CoordinateSplitForm::Options options;
  options.iteration = iteration;
  options.cm_mode = CoordinateSplitForm::CmMode::matrix_only;
  const CoordinateSplitForm form(*machine.system, options);
  const int nv = machine.system->nv(), nc = machine.system->nc(), n = form.layout().n();
  Eigen::VectorXd y(n), yp(n), F(n);
  for (int r = 0; r < nc; ++r) machine.x.lam[r] = 3.0 * std::cos(r);
  form.pack(machine.x, y, yp);
  for (int i = 0; i < nv; ++i) yp[i] += 0.3 * std::cos(2.0 * i);  // q̇ ≠ v
  const Point p{0.0, machine.inputs.view(), y, yp};
  const std::unique_ptr<Workspace> workspace = form.make_workspace();
  MatrixOperator matrix(form, LinearSolverKind::dense);
  const Coefficients c{1.0, 150.0};
  EXPECT_TRUE(matrix.setup(p, machine.assembly.state, c, 0.01, Refresh::linearize, *workspace).ok());
  EXPECT_TRUE(form.residual(p, machine.assembly.state, F, *workspace).ok());

  const CoordinateSplit& split = form.motion_split(*workspace);
  const Eigen::MatrixXd P = dense_P(split, nv);
  const Planes& planes = matrix.planes();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t plane = 0; plane < planes.values.size(); ++plane)
    J += c.of(planes.roles[plane]) * machine.dense(planes.pattern, planes.values[plane]);
  const int n_qv = 2 * nv;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n_qv, n_qv);
  Eigen::VectorXd right(n_qv);
  int row = 0;
  for (const int block : {0, nv})
    for (int i = 0; i < nv; ++i) {
      if (!split.is_independent(i)) continue;
      A.row(row) = P.row(i) * J.block(block, 0, nv, n_qv);
      right[row++] = -F[block + i];
    }
  A.bottomRows(2 * nc) = J.block(form.lam0(), 0, 2 * nc, n_qv);
  right.tail(2 * nc) = -F.tail(2 * nc);
  Corrections result;
  result.direct = solve_square(A, right);
  Eigen::VectorXd delta = F;
  EXPECT_TRUE(matrix.solve(p, machine.assembly.state, delta, *workspace).ok());
  result.sparse = delta.head(n_qv);
  return result;
}

class NewtonSystems : public ::testing::TestWithParam<const char*> {};

// Both ways round differently by the condition of their matrices, up to 1e8 with unscaled rows.
TEST_P(NewtonSystems, are_those_of_2_14) {
  for (const auto iteration : {CoordinateSplitForm::Iteration::cs, CoordinateSplitForm::Iteration::cm}) {
    const Corrections found = correct(GetParam(), iteration);
    EXPECT_LE((found.sparse - found.direct).norm(), 1e-9 * found.direct.norm());
    EXPECT_GT(found.direct.norm(), 1e-6);
  }
  const Corrections cs = correct(GetParam(), CoordinateSplitForm::Iteration::cs),
                    cm = correct(GetParam(), CoordinateSplitForm::Iteration::cm);
  EXPECT_GT((cs.direct - cm.direct).norm(), 1e-6 * cs.direct.norm()) << "the term that CM leaves out is not there";
}

INSTANTIATE_TEST_SUITE_P(PlanarMachines, NewtonSystems,
                         ::testing::Values("09_stiff_spring/stiff_spring.toml", "10_bushing/bushing.toml",
                                           "06_squeezing_mechanism/squeezing_mechanism.toml"));

// ---- restarts ------------------------------------------------------------------------------------------------------

// The split is no part of the memory: it is chosen with the first matrix after a restart, in both.
TEST(RestartedSplits, continue_with_the_same_bits) {
  const Machine machine("04_four_bar/four_bar.toml");
  for (const auto iteration : {CoordinateSplitForm::Iteration::ggl_star, CoordinateSplitForm::Iteration::cs,
                               CoordinateSplitForm::Iteration::cm}) {
    CoordinateSplitForm::Options options;
    options.iteration = iteration;
    const CoordinateSplitForm form(*machine.system, options);
    BdfOptions settings;
    settings.tolerances.rtol = settings.tolerances.atol = 1e-5;
    const auto advance = [](Bdf& bdf, State& state, int n) {
      for (int i = 0; i < n; ++i) ASSERT_TRUE(bdf.advance(10.0, state).status.ok());
    };
    State state = machine.assembly.state;
    Eigen::VectorXd y(form.layout().n()), yp(form.layout().n());
    form.pack(machine.assembly.drawn, y, yp);
    ASSERT_TRUE(form.make_consistent(0.0, state, y, yp, *form.make_workspace()).ok());
    Bdf first(form, settings, LinearSolverKind::dense), second(form, settings, LinearSolverKind::dense);
    ASSERT_TRUE(first.start(0.0, y, yp, state).ok());
    advance(first, state, 40);
    first.commit(state);
    const std::vector<double> memory = first.save();
    State copy = State::from_numbers(state.to_numbers());
    second.restore(memory);
    advance(first, state, 40);
    advance(second, copy, 40);
    EXPECT_EQ(first.t(), second.t());
    EXPECT_TRUE(first.y() == second.y());
  }
}

}  // namespace
}  // namespace trammel
