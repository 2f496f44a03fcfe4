// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "integrator_cells.h"
#include "support/at_once.h"
#include "trammel/dae/iteration_operator.h"
#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/simulation/methods/method_parts.h"

// What every formulation must do, with each of its iterations and in both sets of coordinates, at random points off the
// constraint manifold: on it every wrong factor is right. A new one is found here by its word and needs no line.

namespace trammel::test_contract_formulations {
namespace {

// Two rows on velocities and one on positions.
const std::string rolling = R"toml(
[[body]]
name = "disc"
mass = 2
inertia = [0.1, 0.2, 0.1]
position = [0.3, 0, 0.5]
[[joint]]
name = "floor"
kind = "rolling_disc"
bodies = ["ground", "disc"]
point = [0, 0, 0]
axis = "z"
axis_b = "y"
radius = 0.5
[[control]]
name = "filter"
kind = "filter"
input = "disc.vx"
time_constant = 0.1
[[force]]
name = "wind"
kind = "force"
body = "disc"
force = ["-0.3*disc.vx^2 + filter", "sin(t)*disc.y", 0]
)toml";

struct Cell {
  Formulation formulation;
  std::optional<SplitIteration> iteration;
  CoordinateSet coordinates;
  const std::string* text;
  std::string name;
};

std::ostream& operator<<(std::ostream& out, const Cell& cell) { return out << cell.name; }

std::vector<Cell> make_cells() {
  std::vector<Cell> cells;
  for (const auto& word : words_of<Formulation>()) {
    std::vector<std::optional<SplitIteration>> iterations(word.value->iterations.begin(), word.value->iterations.end());
    if (iterations.empty()) iterations.emplace_back();
    for (const auto& iteration : iterations)
      for (const auto& coordinates : words_of<CoordinateSet>())
        for (const auto& [text, name] : {std::pair{&test_contract_integrators::machine, "loop"}, {&rolling, "disc"}})
          cells.push_back(
              {word.value, iteration, coordinates.value, text,
               word.name + "_" + (iteration ? word_of(*iteration) + "_" : "") + coordinates.name + "_" + name});
  }
  return cells;
}

class FormulationContract : public ::testing::TestWithParam<Cell> {
 protected:
  void SetUp() override {
    const Model model = read_study_text(*GetParam().text, "model.toml").model;
    assembly_ = assemble(model);
    system_ = assembly_.system.get();
    x_ = assembly_.drawn, state_ = assembly_.state;
    if (GetParam().coordinates == CoordinateSet::joint) {
      joint_ = make_joint_system(model, assembly_);
      system_ = joint_.get();
      state_ = joint_->machine().state;
      state_.charts.assign(joint_->chart_offsets().size(), {});
      x_.resize(joint_->nv(), joint_->nz(), joint_->nc());
      x_.z = assembly_.drawn.z;
    }
    drawn_ = x_;
    SolverOptions options;
    options.split.iteration = GetParam().iteration;
    options.split.independent.emplace();
    FirstOrderForm::Options form;
    form.form = GetParam().formulation->form;
    form.baumgarte_alpha = 3.0, form.baumgarte_beta = 4.0;
    form_ = GetParam().formulation->make(*system_, form, options);
    workspace_ = form_->make_workspace();
    n_ = form_->layout().n();
    move_to(1);
  }

  /// Off the constraints, charts off their centre, q̇ ≠ v, μ ≠ 0.
  void move_to(unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> any(-0.2, 0.2);
    x_ = drawn_;
    x_.t = 0.3;
    for (Eigen::VectorXd* v : {&x_.q, &x_.v, &x_.a, &x_.z, &x_.zp, &x_.lam})
      for (double& number : *v) number += any(engine);
    system_->calc_inputs(x_.t, inputs_);
    y_.resize(n_), yp_.resize(n_);
    form_->pack(x_, y_, yp_);
    for (Eigen::Index i = 0; i < system_->nv(); ++i) yp_[i] += any(engine);
    if (form_->stabilized())
      for (Eigen::Index r = 0; r < system_->nc(); ++r)
        (GetParam().formulation->form.rates ? yp_ : y_)[form_->mu0() + r] = any(engine);
  }

  Point point() const { return {x_.t, inputs_.view(), y_, yp_}; }
  Eigen::VectorXd residual(const Eigen::VectorXd& y, const Eigen::VectorXd& yp) {
    Eigen::VectorXd F(n_);
    EXPECT_TRUE(form_->residual({x_.t, inputs_.view(), y, yp}, state_, F, *workspace_).ok());
    return F;
  }

  Assembly assembly_;
  std::unique_ptr<JointSystem> joint_;
  const MechanicalSystem* system_ = nullptr;
  MotionVariables x_, drawn_;
  State state_;
  InputBuffer inputs_;
  std::unique_ptr<FirstOrderForm> form_;
  std::unique_ptr<Workspace> workspace_;
  int n_ = 0;
  Eigen::VectorXd y_, yp_;
};

// Newton's correction δ from the planes makes dF/dε(y + εδ, y′ + αεδ) = −F at ε = 0: they are the derivatives of the
// residual, whatever rows and columns the matrix has. Φ̈ is taken without its derivatives by position, beside α² G.
TEST_P(FormulationContract, planes_are_the_derivatives_of_the_residual) {
  const bool leaves_out = GetParam().formulation->form.level == ConstraintForm::Level::accelerations;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    move_to(seed);
    std::vector<double> defects;
    for (const double alpha : {50.0, 500.0}) {
      MatrixOperator matrix(*form_, LinearSolverKind::dense);
      ASSERT_TRUE(
          matrix.setup(point(), state_, Coefficients{1.0, alpha}, 1.0 / alpha, Refresh::linearize, *workspace_).ok());
      const Eigen::VectorXd F = residual(y_, yp_);
      Eigen::VectorXd delta = F;
      ASSERT_TRUE(matrix.solve(point(), state_, delta, *workspace_).ok());
      const double eps = 1e-5 / (1.0 + delta.head(2 * system_->nv()).lpNorm<Eigen::Infinity>());
      const Eigen::VectorXd plus = residual(y_ + eps * delta, yp_ + alpha * eps * delta),
                            minus = residual(y_ - eps * delta, yp_ - alpha * eps * delta);
      const Eigen::VectorXd defect = (plus - minus) / (2.0 * eps) + F;
      Eigen::Index row = 0;
      defects.push_back(defect.cwiseAbs().maxCoeff(&row) / F.lpNorm<Eigen::Infinity>());
      if (!leaves_out) {
        EXPECT_LT(defects.back(), 1e-5) << form_->layout().describe_row(static_cast<int>(row)) << ", α = " << alpha;
      }
    }
    if (leaves_out) {
      EXPECT_LT(defects[1], 0.2 * defects[0] + 1e-6);
    }
  }
}

// Φ, Φ̇ or Φ̈ + 2αΦ̇ + β²Φ, as the facts of the form say; of rows on velocities A v + a and its derivative.
TEST_P(FormulationContract, constraint_rows_are_those_of_its_level) {
  using Level = ConstraintForm::Level;
  const ConstraintForm& form = GetParam().formulation->form;
  const int nv = system_->nv(), nz = system_->nz(), nc = system_->nc();
  const std::unique_ptr<Workspace> own = system_->make_workspace();
  const MotionPoint at = x_.point(inputs_.view());
  Eigen::VectorXd motion(nv), internal(nz), phi(nc), phi_dot(nc), bias(nc), Ga(nc);
  ASSERT_TRUE(system_->residual(at, state_, motion, internal, phi, *own).ok());
  ASSERT_TRUE(system_->velocity_level(at, state_, phi_dot, bias, *own).ok());
  system_->calc_G_times(at, state_, x_.a, Ga, *own);
  const Eigen::VectorXd F = residual(y_, yp_);
  EXPECT_GT(phi.lpNorm<Eigen::Infinity>(), 1e-3);
  for (int r = 0; r < nc; ++r) {
    const bool holonomic = system_->holonomic()[r];
    const double stabilizing = 6.0 * phi_dot[r] + 16.0 * phi[r];
    const double expected = form.level == Level::velocities ? phi_dot[r]
                            : form.level == Level::accelerations
                                ? Ga[r] + bias[r] + (holonomic ? stabilizing : 3.0 * phi[r])
                                : (holonomic ? phi[r] : phi_dot[r]);
    EXPECT_NEAR(F[form_->lam0() + r], expected, 1e-12 * (1.0 + std::abs(expected))) << r;
    if (!form.stabilized) continue;
    const double mu = (form.rates ? yp_ : y_)[form_->mu0() + r];
    EXPECT_NEAR(F[form_->mu0() + r], holonomic ? phi_dot[r] : mu, 1e-12 * (1.0 + std::abs(phi_dot[r]))) << r;
  }
}

// Variables of the motion become unknowns and come back as they were; a State from its numbers is the same one.
TEST_P(FormulationContract, keeps_every_variable_bit_by_bit) {
  form_->pack(x_, y_, yp_);
  MotionVariables back = drawn_;
  form_->unpack(x_.t, y_, yp_, back);
  for (const auto member : {&MotionVariables::q, &MotionVariables::v, &MotionVariables::a, &MotionVariables::z,
                            &MotionVariables::zp, &MotionVariables::lam})
    EXPECT_EQ(back.*member, x_.*member);
  const Eigen::VectorXd before = residual(y_, yp_);
  state_ = State::from_numbers(state_.to_numbers());
  workspace_ = form_->make_workspace();
  EXPECT_EQ(residual(y_, yp_), before);
}

// From wherever: constraints and equations of motion then hold, μ vanishes.
TEST_P(FormulationContract, is_met_by_consistent_values) {
  y_.head(system_->nv()) = drawn_.q + 0.05 * (x_.q - drawn_.q);
  ASSERT_TRUE(form_->make_consistent(x_.t, state_, y_, yp_, *workspace_).ok());
  const Eigen::VectorXd F = residual(y_, yp_);
  Eigen::Index row = 0;
  EXPECT_LT(F.cwiseAbs().maxCoeff(&row), 1e-8) << form_->layout().describe_row(static_cast<int>(row));
}

// A system is const: scratch memory is that of who asks. `./dev test --sanitize=thread` looks for races here.
TEST_P(FormulationContract, two_threads_ask_one_system_and_get_the_same_bits) {
  std::array<Eigen::VectorXd, 2> found;
  std::array<std::vector<std::vector<double>>, 2> planes_found;
  testing::at_once(2, [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    const std::unique_ptr<Workspace> own = form_->make_workspace();
    const State state = state_;
    Planes planes;
    static_cast<void>(form_->update_pattern(state, planes));
    found[k].resize(n_);
    for (int repeat = 0; repeat < 10; ++repeat) {
      ASSERT_TRUE(form_->linearize(point(), state, planes, *own).ok());
      ASSERT_TRUE(form_->residual(point(), state, found[k], *own).ok());
    }
    planes_found[k] = planes.values;
  });
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(planes_found[0], planes_found[1]);
}

INSTANTIATE_TEST_SUITE_P(Every, FormulationContract, ::testing::ValuesIn(make_cells()),
                         [](const auto& cell) { return cell.param.name; });

}  // namespace
}  // namespace trammel::test_contract_formulations
