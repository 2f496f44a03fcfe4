#include <numbers>

#include "claims/run_model.h"
#include "trammel/simulation/bdf_motion.h"

// [arnold2004]: the corrector iteration in joint coordinates. Limits are those of the paper's tables and of the models'
// specifications.

namespace trammel {
namespace {

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}
Settings way(const std::string& formalism, const std::string& jacobian, const std::string& update) {
  Settings settings{"solver.preset=\"dassl\"", "solver.max_order=5", "solver.formalism=\"" + formalism + "\"",
                    "solver.jacobian=\"" + jacobian + "\"", "solver.jacobian_update=\"" + update + "\""};
  if (jacobian == "sparse_differences") settings.push_back("solver.jacobian_sparsity=\"estimated\"");
  return settings;
}

// ---- linear machines and machines that change
// ------------------------------------------------------------------------

/// Masses on a line, springs and dampers between neighbours; the last is pushed.
std::string masses(const std::string& more = "") {
  return R"toml(
gravity = [0, 0, 0]
[parameters]
n = 5
[[repeat]]
count = "n"
[[repeat.body]]
name = "mass_{i}"
mass = "1 + i"
inertia = [1, 1, 1]
position = ["i", 0, 0]
[[repeat.joint]]
name = "slide_{i}"
kind = "prismatic"
bodies = ["ground", "mass_{i}"]
axis = "x"
[[repeat.force]]
name = "damper_{i}"
kind = "joint_spring"
joint = "slide_{i}"
stiffness = 10
damping = 0.4
[[repeat]]
count = "n - 1"
[[repeat.force]]
name = "spring_{i}"
kind = "spring_damper"
point_a = { body = "mass_{i}", at = [0, 0, 0] }
point_b = { body = "mass_{i+1}", at = [0, 0, 0] }
stiffness = 300
damping = 1
[[force]]
name = "push"
kind = "force"
body = "mass_4"
force = ["20*sin(3*t)", 0, 0]
)toml" + more +
         R"toml(
[analysis]
end = 10
[solver]
integrator = "bdf"
coordinates = "joint"
rtol = 1e-6
atol = 1e-8
)toml";
}

// F_y of a linear machine is the same for ever, and a new step size costs a combination (24), (25).
TEST(Arnold2004, linear_machines_need_one_difference_jacobian_with_partitioned_updates) {
  for (const char* formalism : {"residual", "explicit"})
    for (const char* jacobian : {"dense_differences", "sparse_differences"}) {
      const Recorded full = run_text(masses(), way(formalism, jacobian, "full"));
      const Recorded partitioned = run_text(masses(), way(formalism, jacobian, "partitioned"));
      EXPECT_GE(full.summary.linearizations, 10) << formalism;
      EXPECT_EQ(partitioned.summary.linearizations, 1) << formalism << ", " << jacobian;
      EXPECT_GE(partitioned.summary.updates, 10);
      // Without constraints: ten columns, F itself and one column each.
      const long per_jacobian = partitioned.summary.function_calls - partitioned.summary.corrector_calls;
      EXPECT_EQ(per_jacobian, 11) << formalism << ", " << jacobian;
      for (int i = 0; i < 5; ++i)
        EXPECT_NEAR(partitioned.last_value(fmt::format("slide_{}.displacement", i)),
                    full.last_value(fmt::format("slide_{}.displacement", i)), 1e-4);
    }
}

// A stop between masses that are no neighbours: nothing couples them until it is reached.
const std::string stop = R"toml(
[[force]]
name = "stop"
kind = "bump_stop"
bodies = ["mass_0", "mass_4"]
point_a = { body = "mass_0", at = [0, 0, 0] }
point_b = { body = "mass_4", at = [0, 0, 0] }
axis = "x"
upper = 4.05
stiffness = 1e5
damping = 200
)toml";

TEST(Arnold2004, a_stop_that_is_inactive_at_first_enlarges_the_estimated_pattern_and_the_run_goes_on) {
  const Recorded exact = run_text(masses(stop), way("residual", "exact", "full"));
  const Recorded estimated = run_text(masses(stop), way("residual", "sparse_differences", "partitioned"));
  EXPECT_GT((exact.values("mass_4.position") - exact.values("mass_0.position")).col(0).maxCoeff(), 4.05);
  EXPECT_GE(estimated.summary.pattern_updates, 1);
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(estimated.last_value(fmt::format("slide_{}.displacement", i)),
                exact.last_value(fmt::format("slide_{}.displacement", i)), 2e-3);
}

// ---- the chain of pendulums
// ------------------------------------------------------------------------------------------

const std::string chain_file = "14_pendulum_chain/pendulum_chain.toml";
const double readings[] = {0.05, 2.0 * std::numbers::pi * 0.05};

/// Angles of the first and the last rod against the vertical, at the end.
Eigen::Vector2d rods(const Recorded& run, int n) {
  double angle = 0.0, first = 0.0;
  for (int i = 1; i <= n; ++i) {
    angle += run.last_value(fmt::format("pin_{}.angle", i));
    if (i == 1) first = angle;
  }
  return {first, angle};
}

struct ChainReference {
  int n;
  double first[2], last[2];  ///< at 200 s for both readings of the frequency
};
const ChainReference chain_references[] = {{12, {-4.02463627e-5, 3.80109525e-4}, {-3.89405695e-5, 7.51888383e-4}},
                                           {14, {-4.20063823e-5, -9.2429591e-5}, {-4.06228075e-5, 2.64319956e-4}},
                                           {16, {-4.11558119e-5, 1.37429095e-4}, {-4.24564827e-5, -1.66530726e-4}}};

TEST(Arnold2004, the_extended_update_needs_a_third_of_the_jacobians_of_the_chain_and_keeps_its_motion) {
  for (const ChainReference& reference : chain_references)
    for (int r = 0; r < 2; ++r) {
      const Settings chain{fmt::format("parameters.N={}", reference.n), set("parameters.omega", readings[r]),
                           "output.interval=200"};
      const Recorded full = run_example(chain_file, with(chain, way("explicit", "dense_differences", "full")));
      const Recorded extended = run_example(chain_file, with(chain, way("explicit", "dense_differences", "extended")));
      EXPECT_LE(static_cast<double>(extended.summary.linearizations),
                0.35 * static_cast<double>(full.summary.linearizations))
          << "N = " << reference.n << ", omega = " << readings[r];
      for (const Recorded* run : {&full, &extended}) {
        const Eigen::Vector2d angles = rods(*run, reference.n);
        EXPECT_NEAR(angles[0], reference.first[r], 5e-5) << "N = " << reference.n;
        EXPECT_NEAR(angles[1], reference.last[r], 5e-5) << "N = " << reference.n;
      }
      RecordProperty(fmt::format("n{}_omega{}", reference.n, r),
                     fmt::format("{} of {}", extended.summary.linearizations, full.summary.linearizations));
    }
}

TEST(Arnold2004, the_chain_reaches_its_reference_at_tight_tolerances) {
  for (int r = 0; r < 2; ++r) {
    const Recorded run = run_example(chain_file, with({set("parameters.omega", readings[r]), "output.interval=200",
                                                       "solver.rtol=1e-11", "solver.atol=1e-11"},
                                                      way("explicit", "exact", "partitioned")));
    const Eigen::Vector2d angles = rods(run, 16);
    EXPECT_NEAR(angles[0], chain_references[2].first[r], 1e-8);
    EXPECT_NEAR(angles[1], chain_references[2].last[r], 1e-8);
  }
}

}  // namespace
}  // namespace trammel
