// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "run_model.h"
#include "trammel/dae/linearization.h"

// Vehicles that stand, begin to move, lock their wheels, roll back and leave the road.

namespace trammel::test_tyres {
namespace {

const std::string car = "15_passenger_car/passenger_car.toml";
const SetList both_coordinates{"solver.coordinates=\"absolute\"", "solver.coordinates=\"joint\""};

SetList with(SetList list, const SetList& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

// At rest, brakes of 5 kN m/rad.
const SetList at_rest{"parameters.V=0", "parameters.brake=5e3", "parameters.amplitude=0"};

double total_load(const Recorded& run) {
  double sum = 0.0;
  for (const char* corner : {"front_left", "front_right", "rear_left", "rear_right"})
    sum += run.last("tyres." + std::string(corner) + "_tyre")[0];
  return sum;
}

// From the drawn position, for light and heavy cars: loads carry the weight, which is 4 · 42.5 kg + a rack more than
// the chassis, and on the level tyres hold nothing else. What friction has to hold is the same in both sets of
// coordinates: the smallest that is enough.
TEST(StandingCar, finds_its_rest_for_any_mass_and_on_a_slope) {
  const double g = 9.81, corners = 4 * (5 + 2.5 + 13 + 22) + 1e-3;
  std::mt19937 random(23);
  std::vector<double> masses{800.0, 1400.0, 3000.0};
  for (int i = 0; i < 3; ++i) masses.push_back(std::uniform_real_distribution<double>(800.0, 3000.0)(random));
  for (const double mass : masses)
    for (const double slope : {0.0, 0.2}) {
      Eigen::VectorXd friction[2];
      for (std::size_t c = 0; c < 2; ++c) {
        SCOPED_TRACE(fmt::format("{} {} kg, slope {}", both_coordinates[c], mass, slope));
        const Recorded run =
            run_example(car, with(at_rest, {both_coordinates[c], "analysis.kind=\"statics\"",
                                            set("parameters.mass", mass), set("parameters.slope", slope)}));
        const double weight = (mass + corners) * g, length = std::hypot(1.0, slope);
        EXPECT_NEAR(total_load(run), weight / length, 1e-6 * weight);
        double drive = 0.0;
        for (const char* corner : {"front_left", "front_right", "rear_left", "rear_right"}) {
          const Eigen::VectorXd tyre = run.last("tyres." + std::string(corner) + "_tyre");
          drive += tyre[4];
          friction[c].conservativeResize(friction[c].size() + 2);
          friction[c].tail(2) = tyre.segment(7, 2);
        }
        // Along each wheel's own axis: wheels of cars that sink far toe in, and hold a part across.
        EXPECT_NEAR(drive, weight * slope / length, 2e-3 * weight);
        EXPECT_LT(run.summary.iterations, 10);
        if (slope == 0.0) {
          EXPECT_LT(friction[c].lpNorm<Eigen::Infinity>(), 1e-5);
        }
      }
      EXPECT_LT((friction[0] - friction[1]).lpNorm<Eigen::Infinity>(), 2e-3) << mass << " " << slope;
    }
}

// A slope of 100 % is more than the braked tyres hold: they are named, and friction is.
TEST(StandingCar, names_the_tyres_that_slide) {
  for (const std::string& coordinates : both_coordinates) {
    Simulation run(read_study(example(car), with(at_rest, {coordinates, "parameters.slope=1"})));
    const EquilibriumReport report = run.find_equilibrium({});
    EXPECT_FALSE(report.status.ok());
    const std::string told = run.explain_equilibrium(report);
    EXPECT_NE(told.find("friction does not hold"), std::string::npos) << told;
    EXPECT_NE(told.find("tyre '"), std::string::npos) << told;
  }
}

// Without a brake nothing holds the car on a slope: it rolls, and so do its wheels. What is named is the load along the
// slope, all of which rolls: (m + Σ J/R²) a = m g sin.
TEST(StandingCar, names_what_rolls_away) {
  for (const std::string& coordinates : both_coordinates) {
    SCOPED_TRACE(coordinates);
    Simulation run(read_study(
        example(car), SetList{"parameters.V=0", "parameters.amplitude=0", coordinates, "parameters.slope=0.2"}));
    const EquilibriumReport report = run.find_equilibrium({});
    EXPECT_TRUE(report.unheld_only);
    const double weight = (1400.0 + 4 * (5 + 2.5 + 13 + 22) + 1e-3) * 9.81;
    EXPECT_NEAR(report.unheld_load, -weight * 0.2 / std::hypot(1.0, 0.2), 0.02 * weight);
    const std::string told = run.explain_equilibrium(report);
    EXPECT_NE(told.find("along body 'chassis', position x"), std::string::npos) << told;
  }
}

// Where statics ended nothing moves: 10 s within a micrometre, flat and on the slope.
TEST(StandingCar, stays_where_statics_ended) {
  for (const std::string& coordinates : both_coordinates)
    for (const double slope : {0.0, 0.2}) {
      SCOPED_TRACE(fmt::format("{}, slope {}", coordinates, slope));
      const Recorded run = run_example(
          car, with(at_rest, {coordinates, set("parameters.slope", slope), "analysis.end=10", "output.interval=1"}));
      const Eigen::MatrixXd p = run.values("chassis.position");
      for (Eigen::Index i = 1; i < p.rows(); ++i) EXPECT_LE((p.row(i) - p.row(0)).norm(), 1e-6);
    }
}

// Let down from where it is drawn on a road that rises by a fifth it settles, and then stands: a minute within 1 mm,
// the last half of it within a nanometre.
TEST(StandingCar, does_not_creep_on_a_slope) {
  for (const char* relaxation : {"parameters.relaxation=2e-4", "parameters.relaxation=0.3"}) {
    const Recorded run =
        run_example(car, with(at_rest, {"parameters.slope=0.2", relaxation, "analysis.start_from=\"drawn\"",
                                        "analysis.end=70", "output.interval=10"}));
    const Eigen::MatrixXd p = run.values("chassis.position");
    const Eigen::RowVectorXd end = p.row(p.rows() - 1);
    EXPECT_LE((end - p.row(1)).norm(), 1e-3);
    EXPECT_LE((end - p.row(4)).norm(), 1e-9);
  }
}

// Heave, pitch and roll at about 1.3 to 1.6 Hz, wheels at 14 Hz, as at speed; none grows.
TEST(StandingCar, has_its_modes) {
  Simulation simulation(read_study(example(car), with(at_rest, {"parameters.relaxation=0.3"})));
  ASSERT_TRUE(simulation.find_equilibrium({}).status.ok());
  const EigenModes modes = calc_modes(simulation.linearize(Eigen::MatrixXd()).motion);
  int bounces = 0, hops = 0;
  for (int i = modes.zeros; i < modes.values.size(); ++i) {
    EXPECT_LT(modes.values[i].real(), 1e-6 * (1.0 + std::abs(modes.values[i])));
    if (modes.values[i].imag() <= 0.0) continue;
    bounces += modes.frequency(i) > 1.1 && modes.frequency(i) < 1.9;  // 1.83 Hz with the brake on, 1.72 without
    hops += modes.frequency(i) > 13.0 && modes.frequency(i) < 16.0;
  }
  EXPECT_GE(bounces, 3);
  EXPECT_GE(hops, 4);
}

std::string shared_case(const std::string& name) {
  std::ifstream file(places::source_dir() / "tests" / "claims" / name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A wheel that spins on a stamp slows down by friction and then stands: at most three times the steps of one that
// rolls.
TEST(QuarterCar, costs_no_more_on_a_rig_than_three_times_as_much_as_rolling) {
  const Recorded rig = run_text(shared_case("quarter_car_on_rig.toml")),
                 rolling = run_text(shared_case("quarter_car_rolling.toml"));
  EXPECT_LE(rig.summary.steps, 3 * 2829);
  EXPECT_LE(rolling.summary.steps, 2829 * 5 / 4);
}

// ---- one wheel
// -------------------------------------------------------------------------------------------------------

std::string wheel(double speed, double spin, const std::string& more) {
  return fmt::format(R"toml(
[[body]]
name = "fork"
mass = 380
inertia = [50, 50, 50]
position = [0, 0, 0.33]
velocity = [{0}, 0, 0]
[[body]]
name = "wheel"
mass = 20
inertia = [0.6, 1.1, 0.6]
position = [0, 0, 0.33]
velocity = [{0}, 0, 0]
angular_velocity = [0, {1}, 0]
[[joint]]
name = "upright"
kind = "constant_orientation"
bodies = ["ground", "fork"]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["fork", "wheel"]
point = [0, 0, 0.33]
axis = "y"
[[force]]
name = "tyre"
kind = "tyre"
wheel = "wheel"
carrier = "fork"
stiffness = 2.8e5
damping = 3000
free_radius = 0.344
rolling_radius = 0.33
nominal_load = 3900
slip_stiffness = 22
longitudinal_friction = 1.1
longitudinal_shape = 1.5
cornering_slope = 20
cornering_load = 2
{2}
)toml",
                     speed, spin, more);
}

// Locked it slides with F = D sin(C atan(K/(C D))) of its load until it stands; then it stands. v²/(2 a) to the
// elastic way of the carcass, which springs back.
TEST(LockedWheel, slides_as_far_as_friction_lets_it_and_stands) {
  const Recorded run = run_text(wheel(10, 0, R"toml(
[[motion]]
name = "brake"
joint = "axle"
function = "0"
[analysis]
end = 3
[output]
interval = 0.5
)toml"),
                                {"analysis.start_from=\"equilibrium\""});
  const double mu = 1.1 * std::sin(1.5 * std::atan(22.0 / (1.5 * 1.1))), way = 100.0 / (2.0 * mu * 9.81);
  EXPECT_NEAR(run.last("fork.position")[0] - run.values("fork.position")(0, 0), way, 0.02 * way);
  EXPECT_LT(run.last("fork.velocity").norm(), 1e-3);  // 2.4e-4 are left of 10 m/s
}

// Rolling back from a push uphill: a free wheel keeps its energy, m v²/2 (1 + J/(m R²)), but for the slip.
TEST(FreeWheel, rolls_back_down_a_slope) {
  const Recorded run =
      run_text("[[road]]\nname = \"hill\"\nkind = \"plane\"\nslope = 0.1\n" +
                   wheel(3, 3 / 0.33, "road = \"hill\"\n[analysis]\nend = 8\n[output]\ninterval = 0.02\n"),
               {});
  const Eigen::MatrixXd p = run.values("fork.position"), v = run.values("fork.velocity");
  EXPECT_LT(v(v.rows() - 1, 0), -2.5);
  // Back where it began its speed is that of the start, turned round.
  for (Eigen::Index i = 50; i < p.rows(); ++i)
    if (p(i, 0) < p(20, 0)) {
      EXPECT_NEAR(v.row(i).norm(), v.row(20).norm(), 0.03 * 3.0);
      break;
    }
}

// Thrown over a bump at 15 m/s it flies, lands and rolls on: no force in the air, and its states begin anew.
TEST(FlyingWheel, has_no_force_in_the_air) {
  const Recorded run =
      run_text("[[road]]\nname = \"bump\"\nkind = \"bump\"\nstart = 5\nlength = 4\nheight = 0.3\n" +
                   wheel(15, 15 / 0.33, "road = \"bump\"\n[analysis]\nend = 2\n[output]\ninterval = 0.005\n"),
               {});
  const Eigen::MatrixXd tyre = run.values("tyres.tyre");
  int flying = 0;
  for (Eigen::Index i = 0; i < tyre.rows(); ++i)
    if (tyre(i, 0) == 0.0) {
      ++flying;
      EXPECT_EQ(tyre.row(i).segment(1, 6).norm(), 0.0);
    }
  EXPECT_GT(flying, 10);
}

}  // namespace
}  // namespace trammel::test_tyres
