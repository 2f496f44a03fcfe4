// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// What only changes how equations are solved changes no result; what changes the method changes it by its error.
namespace trammel::test_methods_agree {
namespace {

const std::string four_bar = "models/spatial_four_bar.toml";

// Newton stops at 1e-12 in each of 500 steps; scaling, augmentation and factorization change its rounding only.
TEST(MethodsAgree, scaling_augmentation_and_linear_solver_leave_the_motion_as_it_is) {
  constexpr double rounding_tol = 1e-8;
  const SetList common{"analysis.end=0.5"};
  const Recorded reference = run_example(four_bar, common);
  for (const SetList& variant :
       {SetList{"solver.scaling.kind=none"}, SetList{"solver.scaling.rho=1"}, SetList{"solver.linear_solver=dense"},
        SetList{"solver.linear_solver=sparse_lu", "solver.scaling.kind=physical", "solver.scaling.rho=0.5"}}) {
    SCOPED_TRACE(variant.back());
    SetList settings = common;
    settings.insert(settings.end(), variant.begin(), variant.end());
    const Recorded recorded = run_example(four_bar, settings);
    EXPECT_LT((recorded.last("coupler.position") - reference.last("coupler.position")).norm(), rounding_tol);
    EXPECT_LT((recorded.last("coupler.velocity") - reference.last("coupler.velocity")).norm(), 1e3 * rounding_tol);
  }
}

// Every method at a small step stands near the extrapolated limit.
TEST(MethodsAgree, all_integrators_tend_to_the_same_motion) {
  const auto end_of = [](SetList settings) {
    settings.emplace_back("analysis.end=0.5");
    return Eigen::Vector3d(run_example(four_bar, settings).last("coupler.position"));
  };
  const Eigen::Vector3d coarse = end_of({"solver.h=4e-4"}), fine = end_of({"solver.h=2e-4"});
  const Eigen::Vector3d limit = fine + (fine - coarse) / 3.0;
  EXPECT_LT((fine - limit).norm(), 1e-5);
  EXPECT_LT((end_of({"solver.h=2e-4", "solver.integrator=hht"}) - limit).norm(), 2e-5);
  EXPECT_LT((end_of({"solver.h=2e-4", "solver.rho_inf=0"}) - limit).norm(), 5e-5);
  // Newmark is of first order: extrapolated once.
  const SetList newmark{"solver.integrator=newmark", "solver.gamma=0.6"};
  const Eigen::Vector3d first = end_of({newmark[0], newmark[1], "solver.h=2e-4"});
  const Eigen::Vector3d second = end_of({newmark[0], newmark[1], "solver.h=1e-4"});
  EXPECT_LT((2.0 * second - first - limit).norm(), 1e-4);
  Study study = read_study(example(four_bar), SetList{"analysis.end=0.5"});
  study.solver.h.reset();
  study.solver.rtol = study.solver.atol = 1e-9;
  EXPECT_LT((Eigen::Vector3d(run(study).last("coupler.position")) - limit).norm(), 1e-4);
}

// Output times do not dictate the step: dense output between two steps is of the accuracy of the method.
TEST(MethodsAgree, dense_output_is_as_accurate_as_the_steps) {
  const Recorded steps =
      run_example("01_pendulum/pendulum.toml", {"analysis.end=1", "solver.h=1e-3", "output.interval=0.0105"});
  const Recorded exact =
      run_example("01_pendulum/pendulum.toml", {"analysis.end=1", "solver.h=5e-4", "output.interval=0.0105"});
  EXPECT_LT((steps.values("bob.position") - exact.values("bob.position")).cwiseAbs().maxCoeff(), 2e-5);
  EXPECT_LT((steps.values("bob.velocity") - exact.values("bob.velocity")).cwiseAbs().maxCoeff(), 1e-4);
}

}  // namespace
}  // namespace trammel::test_methods_agree
