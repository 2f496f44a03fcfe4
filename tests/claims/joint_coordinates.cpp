// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numbers>
#include <random>

#include "run_model.h"
#include "support/chain.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/option.h"

// The same machine in absolute and in joint coordinates: the same motion, the same reactions, under the same names.

namespace trammel::test_joint_coordinates {
namespace {

struct Machine {
  const char* file;
  double end;  ///< [s] errors of 1e-12 per step must not have grown to the limits
  SetList settings{};
};

// Every rigid example without redundant rows.
const Machine machines[] = {{"01_pendulum/pendulum.toml", 1.0},
                            {"02_double_pendulum/double_pendulum.toml", 0.5},
                            {"03_slider_crank/slider_crank.toml", 0.5},
                            {"04_four_bar/four_bar.toml", 0.25},
                            {"05_heavy_top/heavy_top.toml", 0.1},
                            {"06_squeezing_mechanism/squeezing_mechanism.toml", 0.01},
                            {"07_stiff_slider_crank/stiff_slider_crank.toml", 0.1},
                            {"08_rolling_disc/rolling_disc.toml", 0.5},
                            {"models/chain.toml", 0.2, {"parameters.N=10"}},
                            {"models/governor.toml", 0.3},
                            {"models/sleigh.toml", 0.5},
                            {"models/turntable.toml", 0.3},
                            {"models/wheel.toml", 0.5}};

constexpr double motion_tol = 1e-8, reaction_tol = 1e-6;  // relative to the largest of the channel

Study study_of(const Machine& machine, const std::string& coordinates, const std::string& integrator, double tol) {
  Study study = read_study(example(machine.file), machine.settings);
  SolverOptions solver;
  solver.coordinates = parse_word<CoordinateSet>(coordinates);
  solver.integrator = parse_word<Integrator>(integrator);
  solver.rtol = solver.atol = tol;
  solver.redundant = study.solver.redundant;
  solver.hmax = machine.end / 500;  // a driven machine has no error that would limit its steps, and rates follow them
  study.solver = solver;
  study.analysis.end = machine.end;
  study.output = {};
  study.output.interval = machine.end;  // between steps dense output has an error of its own
  return study;
}

// Every channel of the machine, one by one, relative to the largest value of its quantity.
void expect_same(const Recorded& joint, const Recorded& absolute, double motion, double reaction) {
  for (const RecordGroup& group : absolute.record.schema().frames) {
    if (group.path == "/frames/energy" || group.path == "/frames/constraint_drift") continue;
    const bool force = group.path.find("reaction") != std::string::npos ||
                       group.path.find("effort") != std::string::npos ||
                       group.path.find("accel") != std::string::npos || group.path == "/frames/measure";
    double worst = 0.0, scale = 1.0;
    std::string name;
    for (int item = 0; item < group.n_items(); ++item) {
      const std::string channel = group.view.empty() ? group.path : view_path(group, item);
      const Eigen::MatrixXd a = absolute.values(channel), b = joint.values(channel);
      ASSERT_EQ(a.rows(), b.rows());
      scale = std::max(scale, a.cwiseAbs().maxCoeff());
      const bool quaternion = group.path == "/frames/orientation";
      for (Eigen::Index row = 0; row < a.rows(); ++row) {
        const double sign = quaternion && a.row(row).dot(b.row(row)) < 0.0 ? -1.0 : 1.0;
        const double difference = (a.row(row) - sign * b.row(row)).cwiseAbs().maxCoeff();
        if (difference > worst) worst = difference, name = channel;
      }
    }
    EXPECT_LE(worst, (force ? reaction : motion) * scale) << name;
  }
}

TEST(JointCoordinates, agree_with_absolute_ones_in_motion_and_reactions) {
  for (const Machine& machine : machines) {
    SCOPED_TRACE(machine.file);
    const Recorded absolute = run(study_of(machine, "absolute", "radau", 1e-12));
    const Recorded joint = run(study_of(machine, "joint", "radau", 1e-12));
    expect_same(joint, absolute, motion_tol, reaction_tol);
    EXPECT_LE(joint.summary.nv, absolute.summary.nv);
  }
}

// Every joint of a tree, some seen from their outer side or against the ground, and drives that become coordinates.
const std::string every_kind = R"toml(
[[repeat]]
start = 1
count = 9
[[repeat.body]]
name = "b{i}"
mass = "1 + 0.1*i"
inertia = [0.5, 0.7, 0.6, 0.05, -0.02, 0.03]
center_of_mass = [0.1, -0.05, 0.02]
position = ["0.3*i", "0.1*i", "-0.2*i"]
axis_angle = {axis = [1, 2, 3], angle = "0.3*i"}
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["b1", "ground"]
point = [0, 0, 0]
axis = [1, 0.2, 0.5]
[[joint]]
name = "telescope"
kind = "prismatic"
bodies = ["b2", "b1"]
axis = [0, 0.3, 1]
[[motion]]
name = "extend"
joint = "telescope"
function = "0.2*sin(3*t)"
[[joint]]
name = "spindle"
kind = "screw"
bodies = ["b2", "b3"]
point = [0.8, 0.2, -0.5]
axis = [1, 0, 1]
pitch = 0.4
[[motion]]
name = "turn"
joint = "spindle"
coordinate = "angle"
function = "t^2"
[[joint]]
name = "cardan"
kind = "universal"
bodies = ["b4", "b3"]
point = [1, 0.3, -0.7]
axis = "x"
axis_b = "y"
[[joint]]
name = "table"
kind = "planar"
bodies = ["b5", "b1"]
point = [1.2, 0.4, -0.9]
axis = "z"
[[joint]]
name = "ball"
kind = "spherical"
bodies = ["b6", "b5"]
point = [1.5, 0.5, -1]
[[joint]]
name = "sleeve"
kind = "cylindrical"
bodies = ["b7", "b1"]
point = [0.5, 0.5, 0]
axis = [0, 1, 1]
[[joint]]
name = "weld"
kind = "fixed"
bodies = ["b8", "b7"]
[[joint]]
name = "motor"
kind = "revolute"
bodies = ["b8", "b9"]
point = [2, 1, -1]
axis = [0, 1, 0.3]
[[motion]]
name = "spin"
joint = "motor"
function = "2*t"
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["b4", "b9"]
point_a = [1.5, 0.3, -1]
point_b = [2.5, 1, -1.5]
stiffness = 30
damping = 2
[[force]]
name = "brake"
kind = "joint_spring"
joint = "shoulder"
stiffness = 5
damping = 1
[analysis]
end = 0.3
[output]
interval = 0.3
)toml";

TEST(JointCoordinates, keep_signs_and_efforts_of_every_joint_seen_from_either_side) {
  const std::string solver = "[solver]\nintegrator = \"radau\"\nrtol = 1e-12\natol = 1e-12\nhmax = 1e-3\n";
  const Recorded absolute = run_text(every_kind + solver);
  const Recorded joint = run_text(every_kind + solver + "coordinates = \"joint\"\n");
  expect_same(joint, absolute, motion_tol, reaction_tol);
  EXPECT_EQ(joint.summary.nc, 0);
  EXPECT_EQ(joint.summary.nv, 1 + 2 + 3 + 3 + 2);  // hinge, cardan, table, ball, sleeve
}

// Redundant rows: the motion is the same, and reactions are those of smallest norm, whatever rows each set of
// coordinates left out.
TEST(JointCoordinates, share_the_reactions_of_redundant_rows_like_absolute_ones) {
  const Machine redundant[] = {{"models/spatial_four_bar.toml", 0.3}, {"models/bricard.toml", 0.5}};
  for (const Machine& machine : redundant) {
    SCOPED_TRACE(machine.file);
    Study absolute = study_of(machine, "absolute", "radau", 1e-12), joint = study_of(machine, "joint", "radau", 1e-12);
    absolute.solver.redundant = joint.solver.redundant = RedundancyPolicy::minimum_norm;
    expect_same(run(joint), run(absolute), motion_tol, reaction_tol);
  }
}

TEST(JointCoordinates, serve_every_integrator) {
  const Machine machine{"02_double_pendulum/double_pendulum.toml", 0.5};
  const Recorded exact = run(study_of(machine, "joint", "radau", 1e-12));
  for (const char* integrator : {"bdf", "runge_kutta", "generalized_alpha", "hht", "newmark", "midpoint"}) {
    SCOPED_TRACE(integrator);
    Study study = study_of(machine, "joint", integrator, 1e-8);
    const bool second_order = std::string(integrator) != "bdf" && std::string(integrator) != "runge_kutta";
    if (second_order) study.solver.h = 1e-4;
    drop_foreign(study);  // tolerances beside a fixed step
    // Newmark with γ = 0.6 is of first order.
    expect_same(run(study), exact, std::string(integrator) == "newmark" ? 1e-3 : 1e-5, 1e-3);
  }
}

// Trees by articulated bodies, loops and absolute coordinates by the index-1 system and projection.
TEST(RungeKutta, moves_trees_loops_and_absolute_coordinates_alike) {
  for (const Machine& machine : machines) {
    if (std::string(machine.file).find("stiff") != std::string::npos) continue;  // for an explicit method
    SCOPED_TRACE(machine.file);
    const Recorded exact = run(study_of(machine, "absolute", "radau", 1e-12));
    for (const char* coordinates : {"joint", "absolute"}) {
      SCOPED_TRACE(coordinates);
      const Recorded explicit_run = run(study_of(machine, coordinates, "runge_kutta", 1e-11));
      expect_same(explicit_run, exact, motion_tol, reaction_tol);
      EXPECT_LE(explicit_run.summary.position_drift, 1e-11);
      EXPECT_LE(explicit_run.summary.velocity_drift, 1e-10);
    }
  }
}

// A chain swinging from a driven suspension [arnold2004 section 4.2.1]: relative angles of a serial tree, against
// absolute angles integrated to 14 digits by three methods. Masses are small balls with an inertia of 1e-9 kg m².
std::string pendulum_chain(double omega) {
  return fmt::format(R"toml(
[parameters]
N = 16
omega = {:.17g}
[[body]]
name = "m_0"
mass = 1
inertia = [1, 1, 1]
velocity = ["0.3*omega", 0, "0.2*omega"]
[[joint]]
name = "slide_x"
kind = "prismatic"
bodies = ["ground", "m_0"]
axis = [0.3, 0, 0.2]
[[motion]]
name = "suspension"
joint = "slide_x"
function = "sqrt(0.13)*sin(omega*t)"
[[repeat]]
start = 1
count = "N"
[[repeat.body]]
name = "m_{{i}}"
mass = 1
inertia = [1e-9, 1e-9, 1e-9]
position = [0, 0, "-i"]
velocity = ["0.3*omega", 0, "0.2*omega"]
[[repeat.joint]]
name = "pin_{{i}}"
kind = "revolute"
bodies = ["m_{{i-1}}", "m_{{i}}"]
point = [0, 0, "1 - i"]
axis = [0, -1, 0]
[analysis]
end = 200
[output]
interval = 10
[solver]
coordinates = "joint"
integrator = "runge_kutta"
rtol = 1e-12
atol = 1e-12
)toml",
                     omega);
}

TEST(JointCoordinates, reproduce_the_chain_of_pendulums_with_a_moving_suspension) {
  struct Reading {
    double omega;
    double first[2], last[2];  ///< angles of the first and the last rod at 10 s and 200 s
  };
  const Reading readings[] = {
      {0.05, {3.60283793e-5, -4.11558119e-5}, {3.64655909e-5, -4.24564827e-5}},
      {2 * std::numbers::pi * 0.05, {-1.999661205e-4, 1.37429095e-4}, {-1.259493331e-4, -1.66530726e-4}}};
  for (const Reading& r : readings) {
    const Recorded chain = run_text(pendulum_chain(r.omega));
    Eigen::VectorXd angle = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(chain.times().size()));
    const Eigen::Index at[2] = {1, angle.size() - 1};
    for (int i = 1; i <= 16; ++i) {
      angle += chain.values(fmt::format("pin_{}.angle", i)).col(0);
      for (int k = 0; k < 2; ++k)
        if (i == 1 || i == 16) {
          EXPECT_NEAR(angle[at[k]], i == 1 ? r.first[k] : r.last[k], 1e-8) << "rod " << i;
        }
    }
    EXPECT_EQ(chain.summary.nv, 16);  // the suspension is driven: it has no coordinate
    EXPECT_EQ(chain.summary.nc, 0);
    EXPECT_EQ(chain.summary.linear_solver, "none");
  }
}

// ---- friction in joints of the tree --------------------------------------------------------------------------------

// Bodies on random joints, each on an earlier one or on the ground, most joints with friction; a rod closes a loop of
// every second machine.
std::string machine_with_friction(unsigned seed) {
  std::mt19937 engine(seed);
  const auto any = [&](double from, double to) { return std::uniform_real_distribution<double>(from, to)(engine); };
  const auto one_of = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); };
  const int n = 2 + one_of(4);
  std::string text = "gravity = [0.5, 0.3, -9.81]\n";
  for (int i = 1; i <= n; ++i)
    text += fmt::format(
        "[[body]]\nname = \"b{0}\"\nmass = {1}\ninertia = [{2}, {3}, {2}]\nposition = [{0}, {4}, {5}]\n"
        "velocity = [0, {4}, 0.3]\n",
        i, any(0.5, 3.0), any(0.1, 0.3), any(0.1, 0.2), any(-1, 1), any(-1, 1));
  for (int i = 1; i <= n; ++i) {
    const int inner = one_of(i);
    const std::string on = inner == 0 ? "ground" : fmt::format("b{}", inner), own = fmt::format("b{}", i);
    const bool turned = one_of(2) == 1;
    static constexpr const char* kinds[] = {"revolute", "revolute", "prismatic", "prismatic", "spherical"};
    const std::string kind = kinds[one_of(5)];
    text +=
        fmt::format("[[joint]]\nname = \"j{}\"\nkind = \"{}\"\nbodies = [\"{}\", \"{}\"]\npoint = [{}, {}, {}]\n", i,
                    kind, turned ? own : on, turned ? on : own, i - any(0.2, 0.8), any(-0.5, 0.5), any(-0.5, 0.5));
    if (kind != "spherical") text += fmt::format("axis = [{}, {}, {}]\n", any(-1, 1), any(-1, 1), any(0.3, 1));
    if (kind == "spherical" || one_of(4) == 0) continue;
    text += fmt::format("[[friction]]\nname = \"f{0}\"\njoint = \"j{0}\"\nmu = {1}\nv_s = 0.2\n", i, any(0.1, 0.7));
    if (kind == "revolute") text += fmt::format("radius = {}\n", any(0.02, 0.2));
    if (one_of(2) == 1) text += fmt::format("kind = \"lugre\"\nsigma0 = {}\nsigma1 = 2\nsigma2 = 0.1\n", any(10, 100));
  }
  if (seed % 2 == 0)
    text +=
        fmt::format(
            "[[joint]]\nname = \"rod\"\nkind = \"distance\"\nbodies = [\"ground\", \"b{}\"]\npoint = [0, 2, 3]\n", n) +
        fmt::format("point_b = [{}, 0, 0]\n", n);
  return text + "[analysis]\nend = 0.2\n[output]\ninterval = 0.05\n";
}

// The reaction is a function of accelerations, and the friction one of the reaction.
TEST(JointCoordinates, keep_joints_with_friction_in_the_tree_and_move_as_absolute_ones) {
  int n_pins = 0;
  for (unsigned seed = 1; seed <= 16; ++seed) {
    const std::string text = machine_with_friction(seed);
    SCOPED_TRACE(text);
    const auto solved = [&](const std::string& integrator, const std::string& coordinates, double tol) {
      return run_text(text + fmt::format("[solver]\nintegrator = \"{}\"\ncoordinates = \"{}\"\nrtol = {}\natol = {}\n",
                                         integrator, coordinates, tol, tol));
    };
    const Recorded absolute = solved("radau", "absolute", 1e-11), joint = solved("radau", "joint", 1e-11);
    expect_same(joint, absolute, 1e-7, 1e-5);
    EXPECT_EQ(joint.summary.nc, seed % 2 == 0 ? 1 : 0);
    for (const std::string& note : joint.summary.notes) EXPECT_FALSE(note.starts_with("no part of the tree")) << note;
    for (std::size_t at = text.find("[[friction]]"); at != std::string::npos; at = text.find("[[friction]]", at + 1))
      ++n_pins;
    if (seed > 6) continue;
    for (const char* integrator : {"runge_kutta", "bdf", "generalized_alpha", "hht", "midpoint"}) {
      SCOPED_TRACE(integrator);
      const bool second_order = integrator[0] == 'g' || integrator[0] == 'h' || integrator[0] == 'm';
      expect_same(solved(integrator, "joint", second_order ? 1e-7 : 1e-9), absolute, 1e-4, 5e-3);
    }
  }
  EXPECT_GE(n_pins, 16);
}

// A block in a guide that is pressed by its own drive: friction takes most of what accelerates it, and sweeps alone
// would not settle. mu = 0.9, the guide at 45° on a cart: closed form by Newton's law along and across the guide.
TEST(JointCoordinates, find_accelerations_where_friction_nearly_locks_a_joint) {
  const std::string text = R"toml(
[[body]]
name = "cart"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "block"
mass = 20
inertia = [1, 1, 1]
velocity = [0.7, 0, 0.7]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
axis = "x"
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["cart", "block"]
axis = [1, 0, 1]
[[friction]]
name = "rub"
joint = "guide"
mu = 0.9
v_s = 0.01
[[force]]
name = "push"
kind = "force"
body = "block"
force = ["60*cos(7*t)", 0, -30]
[analysis]
end = 0.3
[output]
interval = 0.03
)toml";
  const std::string solver = "[solver]\nrtol = 1e-10\natol = 1e-10\n";
  const Recorded absolute = run_text(text + solver + "integrator = \"radau\"\ncoordinates = \"absolute\"\n");
  for (const char* integrator : {"radau", "bdf", "runge_kutta"}) {
    SCOPED_TRACE(integrator);
    const Recorded joint =
        run_text(text + solver + fmt::format("integrator = \"{}\"\ncoordinates = \"joint\"\n", integrator));
    EXPECT_EQ(joint.summary.nc, 0);
    expect_same(joint, absolute, 1e-6, 1e-4);
  }
}

// ---- wrong use -----------------------------------------------------------------------------------------------------

const std::string two_links = R"toml(
[[body]]
name = "upper"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "lower"
mass = 1
inertia = [1, 1, 1]
position = [1, 0, 0]
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "upper"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["upper", "lower"]
point = [0.5, 0, 0]
axis = "y"
[solver]
coordinates = "joint"
)toml";

std::string refusal(const std::string& text) {
  try {
    const Simulation simulation(read_study_text(text, "model.toml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JointCoordinates, refuse_trees_that_cannot_be_by_name) {
  EXPECT_EQ(refusal(two_links), "");
  const std::string hanging =
      refusal(replace_once(two_links, "point = [0.5, 0, 0]", "point = [0.5, 0, 0]\nloop = true"));
  EXPECT_NE(hanging.find("joint 'elbow' leaves the body 'lower' without connection to the ground"), std::string::npos)
      << hanging;
  const std::string rod = R"toml([[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "lower"]
point = [1, 0, 1]
point_b = [1, 0, 0]
loop = false
[solver]
)toml";
  EXPECT_NE(refusal(replace_once(two_links, "[solver]\n", rod)).find("joint 'rod' cannot be part of the tree"),
            std::string::npos);
  const std::string closing = R"toml([[joint]]
name = "closing"
kind = "revolute"
bodies = ["ground", "lower"]
point = [1, 0, 0]
axis = "y"
loop = false
[solver]
)toml";
  std::string loop = replace_once(two_links, "[solver]\n", closing);
  loop = replace_once(loop, "point = [0, 0, 0]", "point = [0, 0, 0]\nloop = false");
  loop = replace_once(loop, "point = [0.5, 0, 0]", "point = [0.5, 0, 0]\nloop = false");
  const std::string closed = refusal(loop + "redundant = \"drop\"\n");
  EXPECT_NE(closed.find("closes a loop of joints that all say loop = false"), std::string::npos) << closed;
  const std::string newton = refusal(two_links + "integrator = \"runge_kutta\"\nnewton_tol = 1e-8\n");
  EXPECT_NE(newton.find("'newton_tol' belongs to implicit methods"), std::string::npos) << newton;
}

// A chain of 5001 hinges fills 25 million entries per plane: said and refused, unless nothing needs a matrix.
TEST(JointCoordinates, say_what_large_trees_cost_implicit_methods) {
  Study study = testing::chain(5001, true);
  study.solver.h.reset();
  study.solver.coordinates = CoordinateSet::joint;
  study.solver.integrator = Integrator::bdf;
  try {
    const Simulation simulation(study);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("5001 joint coordinates fill 2.5e+07 entries"), std::string::npos) << text;
    EXPECT_NE(text.find("coordinates = \"absolute\" keeps everything sparse"), std::string::npos) << text;
  }
  study.solver.integrator = Integrator::runge_kutta;
  Simulation simulation(study);
  EXPECT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
}

// An event on the dense output of the explicit pair: a pendulum of one hinge passes its lowest point where energy says.
TEST(RungeKutta, locates_events_on_its_dense_output) {
  const std::string pendulum = R"toml(
[[body]]
name = "rod"
mass = 1
inertia = [0.01, 0.08, 0.08]
position = [0.5, 0, 0]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[measure]]
name = "x"
expression = "rod.x"
[[event]]
name = "lowest"
measure = "x"
action = "stop"
[analysis]
end = 2
[solver]
coordinates = "joint"
integrator = "runge_kutta"
rtol = 1e-10
atol = 1e-10
)toml";
  const Recorded stopped = run_text(pendulum);
  const double J = 0.08 + 0.25, speed = std::sqrt(2.0 * 9.81 * 0.5 / J);
  EXPECT_NEAR(stopped.last_value("rod.position.x"), 0.0, 1e-9);
  EXPECT_NEAR(std::abs(stopped.last_value("pin.angle_rate")), speed, 1e-8);
  // Weight and centripetal force hang on the hinge.
  EXPECT_NEAR(stopped.last_value("pin.reaction_force.z"), 9.81 + 0.5 * speed * speed, 1e-7);
}

}  // namespace
}  // namespace trammel::test_joint_coordinates
