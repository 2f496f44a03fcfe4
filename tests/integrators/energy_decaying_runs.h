// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "places.h"
#include "trammel/integrators/energy_decaying.h"
#include "trammel/io/model_reader.h"
#include "trammel/mechanics/slots/slot_system.h"
#include "trammel/simulation/simulation.h"

namespace trammel::testing {

inline std::string replace_once(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::invalid_argument("no '" + from + "' in the model text");
  return text.replace(at, from.size(), to);
}

/// A machine moved by the energy-decaying scheme with a fixed step.
inline Study read_machine(const std::string& text, double h, double end, std::vector<std::string> settings = {}) {
  Study study = read_study_text(text, "model.toml", settings);
  study.solver.integrator = Integrator::energy_decaying;
  study.solver.h = h;
  study.analysis.end = end;
  return study;
}

inline Study read_example(const std::string& file, double h, double end) {
  Study study = read_study(places::source_dir().string() + "/examples/" + file, {});
  const std::optional<RedundancyPolicy> redundant = study.solver.redundant;
  study.solver = {};
  study.solver.redundant = redundant;
  study.solver.integrator = Integrator::energy_decaying;
  if (h > 0.0) study.solver.h = h;
  study.analysis.end = end;
  return study;
}

/// Takes steps and watches the law: E_f ≤ E_0 + supplied, and the ledger closed, in every one of them.
class Follow {
 public:
  explicit Follow(const Study& study)
      : end_(study.analysis.end.value_or(default_end)), simulation_(study), model_(study.model) {
    scheme_ = dynamic_cast<EnergyDecaying*>(&simulation_.integrator());
    if (!scheme_) throw std::invalid_argument("not the energy-decaying scheme");
  }

  Simulation& simulation() { return simulation_; }
  EnergyDecaying& scheme() { return *scheme_; }
  const MotionVariables& newest() const { return simulation_const().newest(); }
  int steps() const { return steps_; }
  int iterations() const { return iterations_; }
  int rejected() const { return rejected_; }
  double supplied() const { return supplied_; }
  double increase() const { return increase_; }
  double defect() const { return defect_; }

  void step() {
    const StepReport report = scheme_->advance(end_, simulation_.state());
    ASSERT_TRUE(report.status.ok()) << describe(report.status.cause) << " at t = " << scheme_->newest().t << ": "
                                    << scheme_->layout().describe_row(report.worst_row);
    const JumpLedger& ledger = *scheme_->ledger();
    ++steps_;
    iterations_ += report.iterations;
    rejected_ += report.rejected_newton;
    supplied_ += ledger.supplied;
    largest_ = std::max({largest_, std::abs(ledger.energy), std::abs(ledger.energy_before), 1.0});
    increase_ = std::max(increase_, ledger.energy - ledger.energy_before - ledger.supplied);
    defect_ = std::max(defect_, std::abs(ledger.defect()));
    EXPECT_GE(ledger.kinetic_jump, 0.0);
    EXPECT_GE(ledger.strain_jump, -1e-15 * largest_);
    EXPECT_GE(ledger.dissipated, -1e-15 * largest_);
  }
  void to_the_end() {
    while (scheme_->newest().t < end_ && !::testing::Test::HasFatalFailure()) step();
  }
  /// To be asked after the run.
  void expect_law() const {
    EXPECT_LE(increase_, 1e-12 * largest_);
    EXPECT_LE(defect_, 1e-11 * largest_);
  }

  /// Kinetic and stored energy as the scheme has them.
  double energy() {
    if (steps_ > 0) return scheme_->ledger()->energy;
    InputBuffer inputs;
    simulation_.dae().calc_inputs(0.0, inputs);
    const AbsoluteSystem& system = *simulation_.assembly().system;
    const std::unique_ptr<Workspace> ws = system.make_workspace();
    const MechanicalSystem::Energy e =
        system.calc_energy(simulation_.initial().point(inputs.view()), simulation_.state(), *ws);
    return e.kinetic + e.potential;
  }
  Frame<double> frame(const std::string& body) {
    const auto frames = simulation_.calc_frames(scheme_->newest(), simulation_.state());
    const auto& bodies = model_.bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].name == body) return frames[simulation_.assembly().body_frame[i]];
    throw std::invalid_argument("no body " + body);
  }
  /// After commit(): coordinates in the charts that are now centred.
  Eigen::VectorXd committed_q() {
    Eigen::VectorXd q = scheme_->newest().q;
    for (const int offset : simulation_.assembly().system->chart_offsets()) q.segment<3>(offset).setZero();
    return q;
  }

 private:
  const EnergyDecaying& simulation_const() const { return *scheme_; }

  double end_;
  Simulation simulation_;
  Model model_;
  EnergyDecaying* scheme_ = nullptr;
  int steps_ = 0, iterations_ = 0, rejected_ = 0;
  double increase_ = 0.0, defect_ = 0.0, largest_ = 1.0, supplied_ = 0.0;
};

/// A rigid body on a revolute joint carries a second one on a slider, held by a spring to the ground.
inline const std::string spring_mechanism = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.3, 0.25]
position = [0.5, 0, 0]
[[body]]
name = "slide"
mass = 1
inertia = [0.05, 0.02, 0.04]
position = [1.2, 0.1, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "slider"
kind = "prismatic"
bodies = ["arm", "slide"]
point = [1.2, 0.1, 0]
axis = "x"
[[force]]
name = "spring"
kind = "spring_damper"
point_a = { body = "ground", at = [0, 0.3, 2] }
point_b = { body = "slide", at = [0, 0, 0.1] }
stiffness = 40
damping = 0.1
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)toml";

/// The same, turned by a motor.
inline const std::string driven_mechanism = spring_mechanism + R"toml(
[[motion]]
name = "motor"
joint = "hinge"
function = "0.8*sin(3*t)"
)toml";

/// Every kind of element that the scheme knows, in machines that are as small as can be.
inline std::vector<std::pair<const char*, std::string>> machines() {
  const std::string two = R"toml(
gravity = [0.3, 0.2, -9.81]
[[body]]
name = "a"
mass = 2
inertia = [0.1, 0.3, 0.25]
position = [0.5, 0, 0]
angular_velocity = [0.3, 0.2, -0.4]
[[body]]
name = "b"
mass = 1
inertia = [0.05, 0.02, 0.04]
position = [1.2, 0.1, 0.2]
velocity = [0.1, 0.4, 0.2]
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)toml";
  const auto joint = [](const char* kind, const char* more) {
    return fmt::format(
        "[[joint]]\nname = \"j\"\nkind = \"{}\"\nbodies = [\"a\", \"b\"]\npoint = [0.8, 0.05, 0.1]\n{}\n", kind, more);
  };
  std::vector<std::pair<const char*, std::string>> all;
  for (const char* kind : {"spherical", "fixed"}) all.emplace_back(kind, two + joint(kind, ""));
  all.emplace_back("constant_orientation",
                   two + "[[joint]]\nname = \"j\"\nkind = \"constant_orientation\"\nbodies = [\"a\", \"b\"]\n");
  const char* oblique = "axis = [0.2, 0.3, 1]";
  for (const char* kind : {"revolute", "prismatic", "cylindrical", "planar", "point_on_line", "point_on_plane"})
    all.emplace_back(kind, two + joint(kind, oblique));
  all.emplace_back("universal", two + joint("universal", "axis = \"x\"\naxis_b = \"z\""));
  all.emplace_back("screw", two + joint("screw", "axis = [0.2, 0.3, 1]\npitch = 0.5"));
  all.emplace_back("distance", two + joint("distance", "point_b = [1.2, 0.1, 0.25]"));
  all.emplace_back("squared_distance", two + joint("distance", "point_b = [1.2, 0.1, 0.25]\nsquared = true"));
  all.emplace_back("rolling_sphere", two + R"toml(
[[joint]]
name = "j"
kind = "rolling_sphere"
bodies = ["ground", "b"]
point = [0, 0, -0.3]
axis = "z"
radius = 0.5
)toml");
  all.emplace_back("rolling_disc", two + R"toml(
[[joint]]
name = "j"
kind = "rolling_disc"
bodies = ["a", "b"]
point = [0, 0, -0.24]
axis = "z"
axis_b = [0, 1, 0.2]
radius = 0.44
)toml");
  all.emplace_back("knife_edge", two + R"toml(
[[joint]]
name = "j"
kind = "knife_edge"
bodies = ["a", "b"]
point = [1.2, 0.2, 0.2]
axis_b = "y"
)toml");
  all.emplace_back("springs", two + joint("cylindrical", oblique) + R"toml(
[[force]]
name = "s1"
kind = "spring_damper"
bodies = ["a", "b"]
point_a = [0.5, 0.1, 0.4]
point_b = [1.2, 0.2, 0.3]
stiffness = 30
damping = 2
preload = 3
free_length = 0.5
[[force]]
name = "s2"
kind = "joint_spring"
joint = "j"
coordinate = "angle"
stiffness = 5
damping = 0.3
free_value = 0.2
preload = 0.7
[[force]]
name = "s3"
kind = "torsion_spring"
bodies = ["ground", "b"]
axis = [1, 0.2, 0]
stiffness = 4
damping = 0.2
)toml");
  all.emplace_back("stops", two + joint("cylindrical", oblique) + R"toml(
[[force]]
name = "s1"
kind = "joint_limit"
joint = "j"
coordinate = "displacement"
upper = -0.02
lower = -0.5
stiffness = 30
damping = 2
[[force]]
name = "s2"
kind = "joint_limit"
joint = "j"
coordinate = "angle"
upper = 2
lower = 0.1
stiffness = 30
damping = 2
)toml");
  all.emplace_back("motions", two + joint("cylindrical", oblique) + R"toml(
[[motion]]
name = "turn"
joint = "j"
coordinate = "angle"
function = "0.4*t + sin(t)"
[[motion]]
name = "speed"
joint = "j"
coordinate = "displacement"
velocity = "0.3 + t"
)toml");
  all.emplace_back("couplers", two + joint("revolute", oblique) + R"toml(
[[joint]]
name = "k"
kind = "revolute"
bodies = ["ground", "a"]
point = [0, 0, 0]
axis = "y"
[[coupler]]
name = "gear"
terms = [{ joint = "j", factor = 1 }, { joint = "k", factor = 0.5 }]
)toml");
  all.emplace_back("bump_stops", two + R"toml(
[[force]]
name = "s1"
kind = "bump_stop"
bodies = ["a", "b"]
point_a = [0.5, 0.1, 0.4]
point_b = [1.2, 0.2, 0.3]
axis = [0.1, 0.2, 1]
upper = -0.12
lower = -0.3
stiffness = 30
quadratic = 200
damping = 2
)toml");
  all.emplace_back("anti_roll_bar", two + joint("cylindrical", oblique) + R"toml(
[[joint]]
name = "k"
kind = "cylindrical"
bodies = ["ground", "a"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "bar"
kind = "anti_roll_bar"
joints = ["j", "k"]
coordinate = "angle"
stiffness = 30
damping = 0.5
)toml");
  all.emplace_back("bushing", two + R"toml(
[[force]]
name = "f"
kind = "bushing"
bodies = ["a", "b"]
point = [0.9, 0.1, 0.1]
K = [30, 40, 50, 3, 4, 5]
C = [1, 2, 3, 0.1, 0.2, 0.3]
)toml");
  all.emplace_back("loads", two + joint("spherical", "") + R"toml(
[[force]]
name = "f1"
kind = "force"
body = "b"
point = { body = "b", at = [0.1, 0.2, 0.3] }
force = ["sin(a.vx)", "j.fz*0.1", "a.x*b.wy"]
in_body_axes = true
[[force]]
name = "f2"
kind = "bushing"
bodies = ["a", "b"]
point = [0.9, 0.1, 0.1]
K = [30, 40, 50, 3, 4, 5]
C = [1, 2, 3, 0.1, 0.2, 0.3]
angles = "printed"
[[control]]
name = "filter"
kind = "ode"
states = ["u", "w"]
rates = ["w", "-u - 0.3*w + a.vx + 0.1*j.fx"]
initial = [0.1, 0.2]
[[force]]
name = "f3"
kind = "torque"
body = "a"
torque = ["filter", 0.3, "filter.w"]
)toml");
  return all;
}

}  // namespace trammel::testing
