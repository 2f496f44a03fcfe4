// SPDX-License-Identifier: Apache-2.0
#include "compare_frames.h"
#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/option.h"

/// What is written at every instant is right: positions, velocities, accelerations, reactions and states of all frames,
/// of every integrator, in both sets of coordinates.
namespace trammel::test_frames {
namespace {

constexpr const char* integrators[] = {"generalized_alpha", "hht", "midpoint", "energy_decaying", "bdf", "radau",
                                       "runge_kutta"};

/// The study with these settings only, and a step that the tolerance chooses.
Study with_solver(Study study, const SetList& pairs, double end, double tol, int frames = 97) {
  study.analysis.end = end;
  study.output = {};
  study.output.interval = end / frames;
  const std::optional<RedundancyPolicy> redundant = study.solver.redundant;
  study.solver = {};
  study.solver.redundant = redundant;
  study.solver.integrator = parse_word<Integrator>(pairs[0]);
  if (pairs.size() > 1) study.solver.coordinates = parse_word<CoordinateSet>(pairs[1]);
  if (tol > 0.0) study.solver.rtol = study.solver.atol = tol;
  drop_foreign(study);
  return study;
}

/// Two arms with balls on a shaft that spins about z: by symmetry the bearing carries no moment across its axis.
std::string flyball_text(double speed, double slope) {
  const double c = std::cos(slope), s = std::sin(slope);
  std::string text = fmt::format(R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "shaft"
mass = 3
inertia = [0.1, 0.1, 0.02]
position = [0, 0, 0]
angular_velocity = [0, 0, {0}]
firm = ["velocity"]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "shaft"]
point = [0, 0, -0.3]
axis = "z"
)toml",
                                 speed);
  for (const int side : {1, -1})
    text += fmt::format(R"toml(
[[body]]
name = "arm_{0}"
mass = 1
inertia = [0.001, 0.02, 0.02]
position = [{1}, 0, {2}]
axis_angle = {{ axis = "y", angle = {5} }}
angular_velocity = [{6}, 0, {7}]
velocity = [0, {8}, 0]
[[joint]]
name = "hinge_{0}"
kind = "revolute"
bodies = ["shaft", "arm_{0}"]
point = [{3}, 0, 0.2]
axis = "y"
)toml",
                        side > 0 ? "a" : "b", side * (0.05 + 0.25 * c), 0.2 - 0.25 * s, side * 0.05, 0, side * slope,
                        -speed * std::sin(side * slope), speed * std::cos(slope), speed * side * (0.05 + 0.25 * c));
  return text + "[analysis]\nend = 1\n";
}

// Newton's rate, seen once with a new matrix, was taken for all later steps with it: what it left of λ was
// extrapolated, up to 31 times as large, and left again. λ grew by 4.5 per step, to 1e24 times the weight, with one
// iteration in every step and no error in the motion that any test looks at.
TEST(Frames, multipliers_of_bdf_stay_those_of_its_motion) {
  struct Case {
    const char* name;
    std::string text;
    const char* file;
    double end, tol;
  };
  const Case cases[] = {{"four-bar", {}, "models/spatial_four_bar.toml", 0.9, 1e-8},
                        {"flyballs", flyball_text(12.0, 0.9), "", 1.5, 1e-8},
                        {"flyballs, default", flyball_text(7.0, 1.1), "", 1.5, 0.0}};
  for (const Case& c : cases)
    for (const Formulation form : {Formulation::stabilized_index2, Formulation::index3})
      for (const int max_order : {2, 5}) {
        SCOPED_TRACE(fmt::format("{} {} max_order {}", c.name, word_of(form), max_order));
        Study study = with_solver(*c.file != 0 ? read_study(example(c.file)) : read_study_text(c.text, "model.toml"),
                                  {"bdf", "absolute"}, c.end, c.tol);
        study.solver.formulation = form;
        study.solver.bdf.max_order = max_order;
        Simulation simulation(study);
        AccelerationSolver exact(simulation.dae(), LinearSolverKind::automatic);
        const std::unique_ptr<Workspace> workspace = simulation.dae().make_workspace();
        MotionIntegrator& integrator = simulation.integrator();
        double worst = 0.0, at = 0.0;
        const double end = max_order == 2 ? c.end / 3.0 : c.end;  // small steps
        while (integrator.newest().t < end) {
          ASSERT_TRUE(integrator.advance(end, simulation.state()).status.ok());
          // first steps are so small that rounding is divided by h² in λ
          if (integrator.newest().t < 1e-3) continue;
          MotionVariables x = integrator.newest();
          ASSERT_TRUE(exact.solve(x, simulation.state(), *workspace).ok());
          const double error =
              (x.lam - integrator.newest().lam).lpNorm<Eigen::Infinity>() / (1.0 + x.lam.lpNorm<Eigen::Infinity>());
          if (error > worst) worst = error, at = x.t;
        }
        // λ is of index 3 (or 2) and in no error test: it errs by more than the tolerance, but does not grow.
        EXPECT_LT(worst, 0.05) << "at t = " << at;
      }
}

// Against the explicit pair at 1e-12, which has its own dense output and accelerations, over all frames and channels.
// Limits: what global errors of order 2 at rtol = 1e-8 make of velocities and forces, 1e-4 of their peak.
TEST(Frames, agree_with_the_motion_in_every_channel_of_every_integrator) {
  struct Machine {
    const char* file;
    double end;
  };
  for (const Machine& machine :
       {Machine{"03_slider_crank/slider_crank.toml", 0.5}, Machine{"models/spatial_four_bar.toml", 0.3},
        Machine{"04_four_bar/four_bar.toml", 0.2}}) {
    const Study drawn = read_study(example(machine.file));
    const Recorded reference = run(with_solver(drawn, {"runge_kutta", "absolute"}, machine.end, 1e-12));
    for (const char* integrator : integrators)
      for (const char* coordinates : {"absolute", "joint"}) {
        if (std::string(integrator) == "energy_decaying" && std::string(coordinates) == "joint") continue;
        SCOPED_TRACE(fmt::format("{} {} {}", machine.file, integrator, coordinates));
        const Recorded recorded = run(with_solver(drawn, {integrator, coordinates}, machine.end, 1e-8));
        const FrameDifference worst = largest_difference(compare_frames(recorded, reference));
        EXPECT_LT(worst.relative(), 1e-4) << worst;
      }
  }
}

// A driven machine shows no error at the ends of steps of any length, and Radau's were 3e-2 s: in between it was off by
// 1.6e-3 m, and by the same at any tolerance. All frames, from 1e-4 to 1e-9: at least 0.8 decades per decade.
TEST(Frames, between_the_ends_errors_of_radau_fall_with_the_tolerance) {
  const std::string control =
      "\n[[control]]\nname = \"o\"\nkind = \"ode\"\nstates = [\"x\", \"u\"]\nrates = [\"u\", \"-900*x\"]\n"
      "initial = [1, 0]\n";
  const Study driven = read_study(example("03_slider_crank/slider_crank.toml"));
  const Study free = read_study_text(flyball_text(9.0, 1.0) + control, "model.toml");
  for (const Study* drawn : {&driven, &free})
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", drawn->model.title, coordinates));
      const Recorded reference = run(with_solver(*drawn, {"runge_kutta", coordinates}, 0.5, 1e-12));
      const auto error = [&](double tol) {
        return largest_difference(compare_frames(run(with_solver(*drawn, {"radau", coordinates}, 0.5, tol)), reference))
            .relative();
      };
      const double loose = error(1e-4), tight = error(1e-9);
      EXPECT_GT(std::log10(loose / tight), 0.8 * 5.0) << loose << " " << tight;
      EXPECT_LT(tight, 1e-8);
    }
}

// Kinks of drives: accelerations jump, and reactions with them. Inverse dynamics of the same machine has no integrator.
TEST(Frames, reactions_of_a_driven_machine_are_those_of_inverse_dynamics_at_default_tolerances) {
  Study drawn = read_study(example("03_slider_crank/slider_crank.toml"),
                           SetList{"motion.drive.function=step(t, 0.1, 0, 0.4, 2) + step(t, 0.3, 0, 0.7, -1.5)"});
  Study exact = with_solver(drawn, {"generalized_alpha", "absolute"}, 1.0, 0.0);
  exact.analysis.kind = AnalysisKind::inverse_dynamics;
  drop_foreign(exact);
  const Recorded reference = run(exact);
  for (const char* coordinates : {"absolute", "joint"}) {
    for (const char* integrator : integrators) {
      if (std::string(integrator) == "energy_decaying" && std::string(coordinates) == "joint") continue;
      SCOPED_TRACE(fmt::format("{} {}", integrator, coordinates));
      const Recorded recorded = run(with_solver(drawn, {integrator, coordinates}, 1.0, 0.0));
      const FrameDifference worst = largest_difference(compare_frames(recorded, reference));
      EXPECT_LT(worst.relative(), 1e-3) << worst;
    }
  }
}

// The violation beside a frame is the frame's: what the recorded positions themselves show.
TEST(Frames, violations_are_those_of_the_frame) {
  const Study drawn = read_study(example("03_slider_crank/slider_crank.toml"));
  for (const char* integrator : {"radau", "bdf", "generalized_alpha"}) {
    const Recorded recorded = run(with_solver(drawn, {integrator, "absolute"}, 0.5, 1e-6));
    const Eigen::MatrixXd slider = recorded.values("slider.position"), rod = recorded.values("rod.position"),
                          q = recorded.values("rod.orientation");
    const Eigen::VectorXd drift = recorded.values("constraint_drift.position");
    for (Eigen::Index i = 0; i < slider.rows(); ++i) {
      // the rod's axis from its quaternion; its end is the slider's centre
      const double w = q(i, 0), x = q(i, 1), y = q(i, 2), z = q(i, 3);
      const Eigen::Vector3d axis(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y));
      const double half = (rod.row(0) - slider.row(0)).norm();
      const double gap = (rod.row(i).transpose() + half * axis - slider.row(i).transpose()).cwiseAbs().maxCoeff();
      EXPECT_LE(gap, drift[i] + 1e-12) << integrator << " " << recorded.times()[static_cast<std::size_t>(i)];
      EXPECT_LT(drift[i], 1e-5);
    }
  }
}

// A soft drive turns a shaft through a stiff and light coupling: errors of the tolerance in its twist are torques of
// 1e3 N m, so that its accelerations are kept as the method has them.
TEST(Frames, accelerations_of_stiff_and_light_parts_are_not_noise) {
  const Study drawn = read_study_text(R"toml(
[[body]]
name = "rotor"
mass = 10
inertia = [1, 1, 1]
[[body]]
name = "flange"
mass = 1e-3
inertia = [1e-6, 1e-6, 1e-6]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "rotor"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "coupling"
kind = "revolute"
bodies = ["rotor", "flange"]
point = [0, 0, 0]
axis = "z"
[[force]]
name = "stiffness"
kind = "joint_spring"
joint = "coupling"
stiffness = 1e6
damping = 1
[[force]]
name = "motor"
kind = "torque"
body = "flange"
torque = [0, 0, "3*sin(2*t)"]
[analysis]
end = 2
)toml",
                                      "model.toml");
  for (const char* integrator : {"generalized_alpha", "bdf", "radau", "energy_decaying"}) {
    const Recorded recorded = run(with_solver(drawn, {integrator, "absolute"}, 2.0, 0.0));
    const Eigen::MatrixXd a = recorded.values("flange.angular_acceleration");
    for (std::size_t i = 10; i < recorded.times().size(); ++i)
      EXPECT_NEAR(a(static_cast<Eigen::Index>(i), 2), 3 * std::sin(2 * recorded.times()[i]), 0.1)
          << integrator << " " << recorded.times()[i];
  }
}

}  // namespace
}  // namespace trammel::test_frames
