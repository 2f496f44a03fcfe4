// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "places.h"
#include "support/allocation_counter.h"
#include "trammel/formulations/coordinate_split.h"
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
