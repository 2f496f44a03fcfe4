// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "machines.h"

// Models that must fail: each failure names the part of the model that a person has to look at, and what was computed
// before it is kept.

namespace trammel::testing {
namespace {

const std::string rod = R"toml(
[[body]]
name = "rod"
mass = 2
inertia = [0.01, 0.2, 0.2]
position = [0.5, 0, 0]
)toml";
const std::string hinge = R"toml(
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
)toml";
const std::string two_seconds = "\n[analysis]\nend = 2\n[output]\ninterval = 0.01\n[solver]\n";

// A slider crank in a plane: crank 1 m, rod 2 m, slider driven along x.
const std::string slider_crank = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "crank"
kind = "planar"
mass = 1
inertia = 0.1
position = [0, 0.5, 0]
[[body]]
name = "coupler"
kind = "planar"
mass = 1
inertia = 0.3
position = ["sqrt(3)/2", 0.5, 0]
[[body]]
name = "slider"
kind = "planar"
mass = 1
inertia = 0.1
position = ["sqrt(3)", 0, 0]
[[joint]]
name = "A"
kind = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
[[joint]]
name = "B"
kind = "revolute"
bodies = ["crank", "coupler"]
point = [0, 1, 0]
[[joint]]
name = "C"
kind = "revolute"
bodies = ["coupler", "slider"]
point = ["sqrt(3)", 0, 0]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "slider"]
point = ["sqrt(3)", 0, 0]
axis = "x"
)toml";

struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> words;  ///< all of them stand in the report
  double fails_after = 0.0;        ///< the run gets at least so far …
  double fails_before = 0.0;       ///< … and not beyond; 0: refused before any step
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Hostile : public ::testing::TestWithParam<Case> {};

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "no '" << word << "' in\n" << text;
}

TEST_P(Hostile, failure_names_the_culprit_and_keeps_the_results) {
  const Case& c = GetParam();
  std::unique_ptr<Simulation> simulation;
  try {
    simulation = std::make_unique<Simulation>(study_of(c.text));
  } catch (const InputError& error) {
    EXPECT_EQ(c.fails_before, 0.0) << "refused: " << error.what();
    expect_words(error.what(), c.words);
    return;
  }
  ASSERT_GT(c.fails_before, 0.0) << "accepted";
  MemoryRecord record;
  const Summary summary = simulation->run(record);
  EXPECT_FALSE(summary.completed);
  EXPECT_FALSE(summary.failure.empty());
  expect_words(summary.failure, c.words);
  EXPECT_GE(summary.t, c.fails_after) << summary.failure;
  EXPECT_LE(summary.t, c.fails_before) << summary.failure;
  // Everything up to the last accepted step is there; positions are finite even when energies overflow.
  EXPECT_TRUE(record.ended());
  ASSERT_FALSE(record.times().empty());
  EXPECT_LE(record.times().back(), summary.t * (1 + 1e-12));
  EXPECT_GE(record.times().back(), summary.t - 0.0101);
  const TablePlace positions = record.schema().find_table("/frames/position");
  for (std::size_t row = 0; row < record.times().size(); ++row)
    for (const double number : record.frame_values(static_cast<int>(row)).subspan(positions.column, 3))
      ASSERT_TRUE(std::isfinite(number)) << row;
  if (!record.step_times().empty() && c.text.find("kinematics") == std::string::npos) {
    EXPECT_DOUBLE_EQ(record.step_times().back(), summary.t);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Hostile,
    ::testing::Values(
        Case{"root_of_a_negative_number",
             rod + hinge +
                 "[[force]]\nname = \"wind\"\nkind = \"force\"\nbody = \"rod\"\nforce = [\"sqrt(1.3 - t)\", 0, 0]" +
                 two_seconds,
             {"force 'wind'", "body 'rod'", "not", "formula"},
             1.2,
             1.3},
        Case{"division_by_zero_in_a_control",
             rod + hinge +
                 "[[control]]\nname = \"brain\"\nkind = \"ode\"\nstates = [\"x\"]\nrates = [\"log(0.7 - t)\"]" +
                 two_seconds + "h = 0.01",
             {"control 'brain'", "state 'x'", "formula"},
             0.6,
             0.7},
        Case{"table_left_by_its_argument",
             rod + hinge +
                 "[[table]]\nname = \"lift\"\nx = [0, 0.5, 1]\ny = [0, 0.2, 0.1]\nextrapolation = \"error\"\n"
                 "[[motion]]\nname = \"cam\"\njoint = \"hinge\"\ntable = \"lift\"" +
                 two_seconds + "h = 0.01",
             {"motion 'cam'", "table"},
             0.95,
             1.0001},
        Case{"redundant_joints",
             rod + hinge +
                 "[[joint]]\nname = \"second hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\n"
                 "point = [0, 1, 0]\naxis = \"y\"" +
                 two_seconds,
             {"redundant", "'second hinge'", "'hinge'", "minimum_norm"}},
        Case{"contradictory_motions",
             rod + hinge +
                 "[[motion]]\nname = \"up\"\njoint = \"hinge\"\nfunction = \"0.1*t\"\n"
                 "[[motion]]\nname = \"down\"\njoint = \"hinge\"\nfunction = \"-0.1*t\"" +
                 two_seconds,
             {"motion 'down'"}},
        Case{"lengths_that_cannot_close",
             rod + hinge +
                 "[[joint]]\nname = \"stay\"\nkind = \"distance\"\nbodies = [\"ground\", \"rod\"]\npoint = [5, 0, 0]\n"
                 "point_b = {body = \"rod\", at = [0.5, 0, 0]}\nlength = 1" +
                 two_seconds,
             {"cannot be assembled", "'stay'"}},
        Case{"motion_out_of_reach_at_the_start",
             slider_crank + "[[motion]]\nname = \"pull\"\njoint = \"rail\"\nfunction = \"3 + t\"" + two_seconds,
             {"cannot be assembled", "unreachable"}},
        // Crank and coupler stretched: x = 3 m, reached after 3 − √3 = 1.268 m.
        Case{"driven_beyond_its_reach",
             slider_crank + "[[motion]]\nname = \"pull\"\njoint = \"rail\"\nfunction = \"t\"" + two_seconds,
             {"singular"},
             1.2,
             1.27},
        Case{"driven_beyond_its_reach_with_fixed_steps",
             slider_crank + "[[motion]]\nname = \"pull\"\njoint = \"rail\"\nfunction = \"t\"" + two_seconds +
                 "h = 0.005",
             {"singular"},
             1.2,
             1.27},
        Case{"kinematics_beyond_its_reach",
             slider_crank + "[[motion]]\nname = \"pull\"\njoint = \"rail\"\nfunction = \"t\"\n[analysis]\nkind = "
                            "\"kinematics\"\nend "
                            "= 2\n[output]\ninterval = 0.01",
             {"motion 'pull'"},
             1.2,
             1.27},
        Case{"freedom_without_inertia",
             "[[body]]\nname = \"needle\"\nmass = 1\ninertia = [0, 1, 1]\nposition = [0.5, 0, 0]\n[[joint]]\nname = "
             "\"ball\"\nkind = \"spherical\"\nbodies = [\"ground\", \"needle\"]\npoint = [0, 0, 0]" +
                 two_seconds,
             {"'needle'", "moment"}},
        Case{"coordinate_that_nothing_holds",
             rod + hinge + "[[coordinate]]\nname = \"loose\"" + two_seconds,
             {"'loose'"}},
        Case{"motion_of_a_locked_joint",
             rod + hinge +
                 "[[joint]]\nname = \"lock\"\nkind = \"constant_orientation\"\nbodies = [\"ground\", \"rod\"]\n"
                 "[[motion]]\nname = \"turn\"\njoint = \"hinge\"\nfunction = \"0.2*t\"" +
                 two_seconds + "redundant = \"drop\"",
             {"motion 'turn'"}},
        Case{
            "firm_position_against_a_joint",
            "[[body]]\nname = \"rod\"\nmass = 2\ninertia = [0.01, 0.2, 0.2]\nposition = [0.5, 0, 0]\nfirm = "
            "[\"position\"]\n[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\npoint = "
            "[0, 0, 0]\npoint_b = {body = \"rod\", at = [-0.7, 0, 0]}\naxis = \"y\"" +
                two_seconds,
            {"firm position", "body 'rod'"}},
        Case{"fixed_step_too_large",
             rod + hinge +
                 "[[force]]\nname = \"kick\"\nkind = \"torque\"\nbody = \"rod\"\ntorque = [0, \"if(t > 0.55, "
                 "3e5*sin(60*rod.x), 0)\", 0]" +
                 two_seconds + "h = 0.05",
             {"'rod'", "fixed step", "solver.h"},
             0.5,
             1.9},
        Case{"force_law_with_a_jump",
             rod + hinge +
                 "[[force]]\nname = \"stick\"\nkind = \"torque\"\nbody = \"rod\"\ntorque = [0, "
                 "\"-100*sign(hinge.angle_rate)\", 0]" +
                 two_seconds + "hmin = 1e-3",
             {"jump"},
             0.0,
             1.9},
        Case{"bdf_root_of_a_negative_number",
             rod + hinge +
                 "[[force]]\nname = \"wind\"\nkind = \"force\"\nbody = \"rod\"\nforce = [\"sqrt(1.3 - t)\", 0, 0]" +
                 two_seconds + "integrator = \"bdf\"",
             {"force 'wind'", "body 'rod'", "not", "formula"},
             1.2,
             1.3},
        Case{"bdf_driven_beyond_its_reach",
             slider_crank + "[[motion]]\nname = \"pull\"\njoint = \"rail\"\nfunction = \"t\"" + two_seconds +
                 "integrator = \"bdf\"",
             {"singular"},
             1.2,
             1.27},
        Case{"bdf_stabilized_index1_driven_beyond_its_reach",
             slider_crank + "[[motion]]\nname = \"pull\"\njoint = \"rail\"\nfunction = \"t\"" + two_seconds +
                 "integrator = \"bdf\"\nformulation = \"stabilized_index1\"",
             {"singular"},
             1.2,
             1.27},
        Case{"bdf_tolerance_below_the_arithmetic",
             rod + hinge + two_seconds + "integrator = \"bdf\"\nrtol = 1e-17\natol = 1e-19",
             {"tolerance", "body 'rod'"},
             0.0,
             1.0},
        Case{"bdf_inconsistent_start_refused_when_strict",
             rod + hinge + "point_b = {body = \"rod\", at = [-0.6, 0, 0]}" + two_seconds +
                 "integrator = \"bdf\"\nstrict = true",
             {"strict", "'hinge'"}},
        Case{"explosion",
             rod + "[[force]]\nname = \"flee\"\nkind = \"force\"\nbody = \"rod\"\nforce = [\"1e7*rod.x\", 0, 0]" +
                 two_seconds + "h = 1e-3",
             {"body 'rod'", "infinity"},
             0.2,
             1.9}),
    [](const auto& hostile) { return hostile.param.name; });

// A failure report says what, when and what to do.
TEST(FailureReport, tells_time_step_place_and_advice) {
  Simulation simulation(study_of(
      rod + hinge + "[[force]]\nname = \"wind\"\nkind = \"force\"\nbody = \"rod\"\nforce = [\"sqrt(1 - t)\", 0, 0]" +
      two_seconds + "h = 0.1"));
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  expect_words(summary.failure, {"at t = 1 s", "h = 0.1 s", "fixed step", "usual cause"});
  expect_words(summary.stop, {"failed at t = 1 s"});
}

}  // namespace
}  // namespace trammel::testing
