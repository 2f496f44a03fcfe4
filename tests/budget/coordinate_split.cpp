#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "places.h"
#include "support/allocation_counter.h"
#include "trammel/formulations/coordinate_split.h"
#include "trammel/formulations/first_order_scaling.h"
#include "trammel/formulations/index3.h"
#include "trammel/integrators/bdf.h"
#include "trammel/io/model_reader.h"
#include "trammel/mechanics/absolute/assemble.h"

// What a coordinate split costs beside the stabilized form, on a chain of pendulums with stiff bushings.

namespace trammel {
namespace {

Assembly make_chain(int n) {
  const std::vector<std::string> settings{fmt::format("parameters.N={}", n)};
  return assemble(read_study(places::source_dir() / "examples/models/bushing_chain.toml", settings).model);
}

std::unique_ptr<FirstOrderForm> make_form(const AbsoluteSystem& system, bool split) {
  if (!split) return std::make_unique<FirstOrderForm>(system, FirstOrderForm::Options{});
  return std::make_unique<CoordinateSplitForm>(system, CoordinateSplitForm::Options{});
}

/// One Newton iteration, residual and solution, at the start of the chain.
class Iteration {
 public:
  Iteration(const Assembly& chain, bool split)
      : chain_(chain),
        form_(make_form(*chain.system, split)),
        scaling_(*form_, *chain.system, {}),
        workspace_(form_->make_workspace()),
        operator_(*form_, LinearSolverKind::automatic, &scaling_) {
    for (Eigen::VectorXd* x : {&y_, &yp_, &x_}) x->setZero(form_->layout().n());
    form_->pack(chain.drawn, y_, yp_);
    chain.system->calc_inputs(0.0, inputs_);
    const double h = 1e-2;
    EXPECT_TRUE(operator_.setup(point(), chain.state, {1.0, 1.5 / h}, h, Refresh::linearize, *workspace_).ok());
  }
  double seconds() {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(form_->residual(point(), chain_.state, x_, *workspace_).ok());
    EXPECT_TRUE(operator_.solve(point(), chain_.state, x_, *workspace_).ok());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  Point point() const { return {0.0, inputs_.view(), y_, yp_}; }

  const Assembly& chain_;
  std::unique_ptr<FirstOrderForm> form_;
  FirstOrderScaling scaling_;
  std::unique_ptr<Workspace> workspace_;
  MatrixOperator operator_;
  InputBuffer inputs_;
  Eigen::VectorXd y_, yp_, x_;
};

// The shortest of many, taken in turns: what else the machine does makes them longer, never shorter.
TEST(CoordinateSplitBudget, an_iteration_of_cm_costs_at_most_1_2_of_the_stabilized_form) {
  const Assembly chain = make_chain(200);
  Iteration stabilized(chain, false), split(chain, true);
  double of_stabilized = 1.0, of_split = 1.0;
  for (int i = 0; i < 400; ++i) {
    of_stabilized = std::min(of_stabilized, stabilized.seconds());
    of_split = std::min(of_split, split.seconds());
  }
  RecordProperty("ratio", fmt::format("{:.3f}", of_split / of_stabilized));
  EXPECT_LE(of_split, 1.2 * of_stabilized);
}

TEST(CoordinateSplitBudget, memory_is_linear_in_the_number_of_links) {
  const auto numbers = [](int n) {
    const Assembly chain = make_chain(n);
    const CoordinateSplitForm form(*chain.system, {});
    const std::unique_ptr<Workspace> workspace = form.make_workspace();
    Eigen::VectorXd y(form.layout().n()), yp(form.layout().n()), F(form.layout().n());
    form.pack(chain.drawn, y, yp);
    InputBuffer inputs;
    chain.system->calc_inputs(0.0, inputs);
    EXPECT_TRUE(form.residual({0.0, inputs.view(), y, yp}, chain.state, F, *workspace).ok());
    return static_cast<double>(form.motion_split(*workspace).lu().nnz());
  };
  const double small = numbers(100), large = numbers(400);
  EXPECT_LE(large, 4.4 * small);
  EXPECT_LE(large, 400 * 40);
}

TEST(CoordinateSplitBudget, nothing_allocates_after_the_second_accepted_step) {
  const Assembly chain = make_chain(3);
  for (const auto iteration : {CoordinateSplitForm::Iteration::cs, CoordinateSplitForm::Iteration::cm}) {
    CoordinateSplitForm::Options options;
    options.iteration = iteration;
    const CoordinateSplitForm form(*chain.system, options);
    BdfOptions bdf_options;
    bdf_options.max_order = 2;
    bdf_options.tolerances.rtol = bdf_options.tolerances.atol = 1e-5;
    Bdf bdf(form, bdf_options, LinearSolverKind::dense);
    Eigen::VectorXd y(form.layout().n()), yp(form.layout().n());
    form.pack(chain.drawn, y, yp);
    State state = chain.state;
    const std::unique_ptr<Workspace> workspace = form.make_workspace();
    ASSERT_TRUE(form.make_consistent(0.0, state, y, yp, *workspace).ok());
    ASSERT_TRUE(bdf.start(0.0, y, yp, state).ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(bdf.advance(1.0, state).status.ok());
    const testing::AllocationScope scope;
    bool ok = true;
    for (int i = 0; i < 200; ++i) ok = ok && bdf.advance(1.0, state).status.ok();
    EXPECT_EQ(scope.count(), 0);
    EXPECT_TRUE(ok);
  }
}

}  // namespace
}  // namespace trammel
