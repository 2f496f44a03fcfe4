// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "compare_frames.h"
#include "trammel/simulation/option.h"

/// A file that names no method gets one that suits its machine, says which and why, and is right.
namespace trammel::test_method_choice {
namespace {

const std::string pendulum = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "rod"
mass = 2
inertia = [0.01, 0.2, 0.2]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[analysis]
end = 2
)toml";

/// A mass on rails against a damper.
std::string sledge(const std::string& law, double end) {
  return fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "sledge"
mass = 1
inertia = [1, 1, 1]
velocity = [1, 0, 0]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "sledge"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "push"
kind = "force"
body = "sledge"
force = ["{}", 0, 0]
[analysis]
end = {}
)toml",
                     law, end);
}

struct Chosen {
  std::string integrator, coordinates, why;
};
Chosen choose(const std::string& text, const SetList& settings = {}) {
  const Simulation simulation(read_study_text(text, "model.toml", settings));
  const SolverOptions& o = simulation.settings().solver;
  return {word_of(*o.integrator), word_of(*o.coordinates), simulation.choice()};
}

TEST(MethodChoice, is_explicit_where_nothing_is_stiff_and_says_why) {
  const Chosen c = choose(pendulum);
  EXPECT_EQ(c.integrator, "runge_kutta");
  EXPECT_EQ(c.coordinates, "joint");
  EXPECT_EQ(c.why, "tree of 1 freedom, not stiff: explicit pair in joint coordinates");
  const CheckReport report = check(read_study_text(pendulum, "model.toml", {}));
  EXPECT_EQ(report.choice, c.why);
  EXPECT_NE(report.to_text().find("method: " + c.why), std::string::npos);
  EXPECT_NE(report.settings.find("integrator = \"runge_kutta\""), std::string::npos) << report.settings;
}

TEST(MethodChoice, is_implicit_where_motions_are_faster_than_the_run_can_afford) {
  const Chosen damped = choose(sledge("-1e6*sledge.vx", 1.0));
  EXPECT_EQ(damped.integrator, "radau");
  EXPECT_NE(damped.why.find("decays with 1e+06/s"), std::string::npos) << damped.why;
  const Chosen swings = choose(sledge("-1e10*sledge.x", 1.0));
  EXPECT_EQ(swings.integrator, "radau");
  EXPECT_NE(swings.why.find("oscillates with 1e+05/s"), std::string::npos) << swings.why;
  EXPECT_EQ(choose(sledge("-1e4*sledge.x", 1.0)).integrator, "runge_kutta");
}

// Nothing pulls back: no small motion has a rate, and none is unknown.
TEST(MethodChoice, is_explicit_for_what_flies_or_turns_freely) {
  EXPECT_EQ(choose(sledge("0", 1.0)).integrator, "runge_kutta");
  EXPECT_EQ(choose(sledge("2*t", 1.0)).integrator, "runge_kutta");
}

TEST(MethodChoice, obeys_what_is_named_and_lets_keys_narrow_it) {
  EXPECT_EQ(choose(pendulum, {"solver.integrator=bdf"}).integrator, "bdf");
  EXPECT_EQ(choose(pendulum, {"solver.integrator=bdf"}).coordinates, "absolute");
  EXPECT_EQ(choose(pendulum, {"solver.integrator=bdf"}).why, "");
  EXPECT_EQ(choose(pendulum, {"solver.integrator=bdf", "solver.coordinates=auto"}).coordinates, "joint");
  EXPECT_EQ(choose(pendulum, {"solver.coordinates=absolute"}).coordinates, "absolute");
  EXPECT_EQ(choose(pendulum, {"solver.stages=2"}).integrator, "radau");
  EXPECT_EQ(choose(pendulum, {"solver.preset=dassl"}).integrator, "bdf");
  EXPECT_EQ(choose(pendulum, {"solver.rho_inf=0.8"}).integrator, "generalized_alpha");
  EXPECT_EQ(choose(pendulum, {"solver.h=1e-3"}).integrator, "generalized_alpha");
  EXPECT_EQ(choose(pendulum, {"solver.h=1e-3"}).coordinates, "absolute");
  const Chosen same = choose(pendulum, {"solver.integrator=auto", "solver.formulation=auto", "solver.coordinates=auto",
                                        "solver.linear_solver=auto"});
  EXPECT_EQ(same.integrator, "runge_kutta");
  // Keys of two methods exclude each other, whatever is chosen.
  EXPECT_THROW(choose(pendulum, {"solver.stages=2", "solver.max_order=3"}), InputError);
}

TEST(MethodChoice, repeats_itself_bit_for_bit) {
  const std::string text = sledge("-10*sledge.vx - 200*sledge.x", 1.0);
  const Recorded a = run_text(text), b = run_text(text);
  EXPECT_EQ(a.summary.choice, b.summary.choice);
  const Eigen::MatrixXd x = a.values("sledge.position"), y = b.values("sledge.position");
  EXPECT_TRUE((x.array() == y.array()).all());
}

// v′ = −c(t) (v − sin t): c is 1 until half the time and 1e5 from then on, where v ≈ sin t − cos t/c.
TEST(MethodChoice, goes_over_to_radau_where_the_machine_becomes_stiff) {
  const Recorded stiff = run_text(sledge("-(1 + 1e5*step(t, 0.5, 0, 0.6, 1))*(sledge.vx - sin(t))", 10.0));
  EXPECT_EQ(stiff.summary.integrator, "runge_kutta, then radau") << stiff.summary.to_text();
  const auto said = [&](const std::string& words) {
    return std::any_of(stiff.summary.notes.begin(), stiff.summary.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(said("went over to radau at t = 0.5")) << stiff.summary.to_text();
  ASSERT_EQ(stiff.summary.method_changes.size(), 1u);
  EXPECT_TRUE(stiff.summary.method_changes[0].starts_with("t = 0.5") &&
              stiff.summary.method_changes[0].ends_with(" s: radau"))
      << stiff.summary.method_changes[0];
  EXPECT_LT(stiff.summary.steps, 2000);  // stability alone would take 3e5
  // What the estimate of a step may be at this tolerance where the motion is the goal (error_goal.h): between the ends
  // of long steps the damped velocity errs by about that, 6.8 tolerances.
  constexpr double most = 8.9e-5;
  const Eigen::MatrixXd v = stiff.values("sledge.velocity");
  for (std::size_t i = 0; i < stiff.times().size(); ++i) {
    const double t = stiff.times()[i];
    if (t < 0.7) continue;
    EXPECT_NEAR(v(static_cast<Eigen::Index>(i), 0), std::sin(t) - 1e-5 * std::cos(t), most) << t;
  }
}

// Where forces follow reactions each stage of the explicit pair would make a matrix and iterate; a speed that is given
// is a row without holonomy that turns with nothing, unlike those of what rolls.
TEST(MethodChoice, leaves_forces_that_follow_reactions_and_given_speeds_to_radau) {
  const std::string rubs = "[[friction]]\nname = \"rub\"\njoint = \"hinge\"\nmu = 0.2\nradius = 0.02\n";
  const std::string arm = R"toml(
[[body]]
name = "arm"
mass = 1
inertia = [0.01, 0.1, 0.1]
position = [1.5, 0, 0]
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["rod", "arm"]
point = [1, 0, 0]
axis = "y"
)toml";
  const Chosen driven = choose(pendulum + arm + "[[motion]]\nname = \"drive\"\njoint = \"hinge\"\nvelocity = \"3\"\n");
  EXPECT_EQ(choose(pendulum).integrator, "runge_kutta");
  EXPECT_EQ(choose(pendulum + rubs).integrator, "radau") << choose(pendulum + rubs).why;
  EXPECT_EQ(driven.integrator, "radau") << driven.why;
}

// The reference is Radau with 1e-11, and another method agrees with it. Reactions of Bricard's mechanism are not
// unique.
TEST(MethodChoice, gives_four_digits_by_default) {
  struct Case {
    const char* file;
    double end;
    Integrator other;
    bool reactions = true;
  };
  const Case cases[] = {{"06_squeezing_mechanism/squeezing_mechanism.toml", 0.03, Integrator::runge_kutta},
                        {"models/car_axis.toml", 3.0, Integrator::runge_kutta},
                        {"models/governor.toml", 2.0, Integrator::bdf},
                        {"05_heavy_top/heavy_top.toml", 1.0, Integrator::runge_kutta},
                        {"models/free_body.toml", 10.0, Integrator::runge_kutta},
                        {"models/bricard.toml", 2.0, Integrator::runge_kutta, false}};
  for (const Case& c : cases) {
    Study study = read_study(example(c.file), {});
    study.solver = {};
    study.analysis.end = c.end;
    study.output = {};
    study.output.interval = c.end / 100.0;
    if (!c.reactions) study.solver.redundant = RedundancyPolicy::minimum_norm;
    const Recorded by_default = run(study);
    Study tight = study;
    tight.solver.integrator = Integrator::radau;
    tight.solver.rtol = 1e-11, tight.solver.atol = 1e-12;
    const Recorded reference = run(tight);
    tight.solver.integrator = c.other;
    if (c.other == Integrator::bdf) tight.solver.rtol = 1e-10;
    const std::vector<FrameDifference> trust = compare_frames(run(tight), reference),
                                       found = compare_frames(by_default, reference);
    for (const auto& [sort, digits] :
         {std::pair{"position", 1e-4}, std::pair{"velocity", 1e-3}, std::pair{"reaction_force", 1e-3}}) {
      if (!c.reactions && sort == std::string("reaction_force")) continue;
      const FrameDifference error = largest_difference(found, sort), doubt = largest_difference(trust, sort);
      EXPECT_LT(error.relative(), digits) << c.file << ": " << error << "\n" << by_default.summary.to_text();
      EXPECT_LT(doubt.relative(), 0.1 * digits) << c.file << ", reference: " << doubt;
    }
  }
}

// x″ = −x for ten radians: the error is the tolerance, whatever that is, where steps by their estimate would leave a
// quarter of 1e-2 and a two-hundredth of 1e-9 (error_goal.h, (1)).
TEST(MethodChoice, holds_the_motion_by_the_tolerance) {
  for (const double tol : {1e-2, 1e-3, 1e-5, 1e-7, 1e-9}) {
    Study study = read_study_text(sledge("-sledge.x", 10.0), "model.toml", {});
    study.solver.integrator = Integrator::radau, study.solver.coordinates = CoordinateSet::joint;
    study.solver.rtol = study.solver.atol = tol;
    study.solver.radau.goal = ErrorGoal::motion;
    study.output.interval = 0.1;
    const Recorded motion = run(study);
    const Eigen::MatrixXd x = motion.values("sledge.position");
    double error = 0.0;
    for (std::size_t i = 0; i < motion.times().size(); ++i)
      error = std::max(error, std::abs(x(static_cast<Eigen::Index>(i), 0) - std::sin(motion.times()[i])));
    EXPECT_GT(error, 0.6 * tol) << motion.summary.to_text();
    EXPECT_LT(error, 1.4 * tol) << motion.summary.to_text();
  }
}

TEST(MethodChoice, asks_radau_for_the_motion_and_leaves_a_named_one_alone) {
  const auto goal = [](const std::string& text, const SetList& settings) {
    return Simulation(read_study_text(text, "model.toml", settings)).settings().solver.radau.goal;
  };
  const std::string stiff = sledge("-1e6*sledge.vx", 1.0);
  EXPECT_EQ(goal(stiff, {}), ErrorGoal::motion);
  EXPECT_EQ(goal(stiff, {"solver.integrator=radau"}), ErrorGoal::step);
  EXPECT_EQ(goal(stiff, {"solver.error_goal=step"}), ErrorGoal::step);
  EXPECT_EQ(goal(stiff, {"solver.stages=2"}), ErrorGoal::step);
  EXPECT_EQ(goal(pendulum, {}), std::nullopt);  // the explicit pair has no such key
  EXPECT_THROW(goal(stiff, {"solver.stages=2", "solver.error_goal=motion"}), InputError);
  EXPECT_THROW(goal(stiff, {"solver.integrator=radau", "solver.h=1e-3", "solver.error_goal=motion"}), InputError);
}

// The machine turns back where its rates vanish; that is no short way to anywhere, and no position is passed.
TEST(MethodChoice, passes_no_singular_position_that_is_none) {
  for (const double rtol : {1e-2, 1e-3}) {
    Study study = read_study(example("models/bricard.toml"), {});
    study.solver = {};
    study.solver.rtol = rtol, study.solver.atol = 1e-5;
    study.solver.redundant = RedundancyPolicy::drop;
    const Recorded turns = run(study);
    EXPECT_TRUE(turns.summary.completed);
    EXPECT_LT(turns.summary.h_max, 0.3) << turns.summary.to_text();  // steps over positions were 0.7 s long
  }
}

// Published: test set for initial value problems, car axis, t = 3.
TEST(MethodChoice, meets_the_published_car_axis) {
  const Recorded axis = run_example("models/car_axis.toml");
  EXPECT_NEAR(axis.last("left.position")[0], 0.04934557842755629, 1e-5);
  EXPECT_NEAR(axis.last("left.position")[1], 0.4969894602303324, 1e-5);
  EXPECT_NEAR(axis.last("right.position")[0], 1.041742524885400, 1e-5);
  EXPECT_NEAR(axis.last("right.position")[1], 0.3739110272652214, 1e-5);
}

}  // namespace
}  // namespace trammel::test_method_choice
