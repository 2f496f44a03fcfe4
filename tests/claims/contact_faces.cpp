// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "run_model.h"

// Faces that lie on each other: stacks, inclines, cylinders that stand and roll, meshes, a thrust bearing.

namespace trammel::test_contact_faces {
namespace {

constexpr double g = 9.81;

// Cubes of 0.1 m and 1 kg on top of each other, on a plane that leans by tan α = slope against gravity.
std::string stack(int n, double slope, double mu, const std::string& friction = "coulomb", double stiffness = 1e9) {
  const double alpha = std::atan(slope);
  std::string text = fmt::format("gravity = [{:.17g}, 0, {:.17g}]\n", g * std::sin(alpha), -g * std::cos(alpha));
  std::string names = "\"floor\"";
  for (int i = 0; i < n; ++i) {
    text += fmt::format(
        "[[body]]\nname = \"cube{0}\"\nposition = [0, 0, {1:.17g}]\n"
        "shape = {{ kind = \"box\", size = [0.1, 0.1, 0.1], density = 1000 }}\n",
        i, 0.05 + 0.1 * i);
    names += fmt::format(", \"cube{}\"", i);
  }
  return text + fmt::format(
                    "[[geometry]]\nname = \"floor\"\nkind = \"plane\"\n"
                    "[[contact]]\nname = \"faces\"\namong = [{}]\nlaw = \"foundation\"\nstiffness = {}\n"
                    "damping_factor = 20\nfriction = {{ kind = \"{}\", mu = {} }}\n",
                    names, stiffness, friction, mu);
}

double height_of(const Recorded& run, const std::string& body) { return run.last("/bodies/" + body + "/position")[2]; }

// The lowest face carries n m g = K A (a − ε/2) with ε = 1e-6 of half an edge: the i-th cube sinks by the sum below it.
TEST(ContactFaces, a_stack_of_cubes_stands_where_its_weight_puts_it) {
  const int n = 4;
  const Recorded run = run_text(stack(n, 0.0, 0.5), {"analysis.end=3"});
  double sunk = 0.0;
  for (int i = 0; i < n; ++i) {
    sunk += (n - i) * g / (1e9 * 0.01) + 0.5 * 0.05e-6;
    const Eigen::VectorXd p = run.last(fmt::format("/bodies/cube{}/position", i));
    EXPECT_NEAR(p[2], 0.05 + 0.1 * i - sunk, 1e-7) << i;
    EXPECT_LT(std::hypot(p[0], p[1]), 1e-7) << i;
  }
  EXPECT_NEAR(run.last_value("/contacts/faces/normal_force"), g * (1 + 2 + 3 + 4), 0.01);
}

// Above tan α = μ it slides with g (sin α − μ cos α), all cubes together, whatever holds the others.
TEST(ContactFaces, a_cube_slides_on_an_incline_beyond_its_friction) {
  const double slope = 0.35, mu = 0.3, alpha = std::atan(slope);
  const double gained = g * (std::sin(alpha) - mu * std::cos(alpha)) * 0.25;  // in the second half
  for (const char* coordinates : {"absolute", "joint"}) {
    const Recorded run =
        run_text(stack(1, slope, mu), {"analysis.end=0.5", std::string("solver.coordinates=") + coordinates});
    const Eigen::MatrixXd v = run.values("/bodies/cube0/velocity");
    EXPECT_NEAR(v(v.rows() - 1, 0) - v(v.rows() / 2, 0), gained, 1e-3 * gained) << coordinates;
    EXPECT_NEAR(height_of(run, "cube0"), 0.05, 1e-5);
  }
}

// A stack of n cubes with much friction topples where its centre of mass is beyond its edge: tan α > 1/n, and somewhat
// earlier on layers that yield, 0.307 for these three.
TEST(ContactFaces, a_stack_topples_where_its_weight_leaves_its_foot) {
  const Recorded stands = run_text(stack(3, 0.27, 0.8, "lugre"), {"analysis.end=0.6"});
  EXPECT_NEAR(height_of(stands, "cube2"), 0.25, 5e-4);
  const Recorded falls = run_text(stack(3, 0.36, 0.8, "lugre"), {"analysis.end=0.6"});
  EXPECT_LT(height_of(falls, "cube2"), 0.24);
}

// Where ten rigid cubes on layers of the stiffness K [N/m³] have no equilibrium any more. The layer below cube i
// carries N with the eccentricity e of all that is above it, which leans by the turns θ of the layers below:
//
//   θ = 12 N e/(K b⁴) for e ≤ b/6,  2 N/(K b c²) with the width c = 3 (b/2 − e) that still presses beyond it
//
// Turns are put in until they stay (they only grow, to the smallest solution) or e reaches the edge.
double limit_of_stack(int n, double stiffness) {
  const double b = 0.1;
  const auto stands = [&](double slope) {
    std::vector<double> turn(n, 0.0);
    for (int k = 0; k < 5000; ++k) {
      std::vector<double> lean(n, 0.0), next(n, 0.0);
      for (int i = 0; i < n; ++i) lean[i] = turn[i] + (i > 0 ? lean[i - 1] : 0.0);
      double change = 0.0;
      for (int i = 0; i < n; ++i) {
        double e = 0.0, x = 0.0;
        for (int j = i; j < n; ++j) {
          e += slope * (j - i + 0.5) * b + x + 0.5 * b * lean[j];
          x += b * lean[j];
        }
        e /= n - i;
        if (e >= 0.5 * b) return false;
        const double N = (n - i) * g * std::cos(std::atan(slope)), c = 3.0 * (0.5 * b - e);
        next[i] = e <= b / 6.0 ? 12.0 * N * e / (stiffness * std::pow(b, 4)) : 2.0 * N / (stiffness * b * c * c);
        change = std::max(change, std::abs(next[i] - turn[i]));
      }
      turn = next;
      if (change < 1e-13) break;
    }
    return true;
  };
  double low = 0.0, high = 1.0 / n;
  for (int k = 0; k < 20; ++k) (stands(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
  return low;
}

// In statics the stack stands up to this limit and no further, within 2.5 %: a face has 9 rows of points, of which the
// outer one is 1 % inside the edge. As layers get stiffer the limit goes to 1/10.
TEST(ContactFaces, ten_cubes_have_an_equilibrium_up_to_where_their_layers_let_them_topple) {
  const double limits[] = {limit_of_stack(10, 1e9), limit_of_stack(10, 1e10), limit_of_stack(10, 1e11)};
  EXPECT_LT(limits[0], limits[1]);
  EXPECT_NEAR(limits[2], 0.1, 0.04 * 0.1);
  EXPECT_NEAR(limit_of_stack(10, 1e13), 0.1, 0.01 * 0.1);
  for (int k = 0; k < 3; ++k)
    for (const bool stands : {true, false}) {
      const double slope = (stands ? 0.975 : 1.025) * limits[k];
      SCOPED_TRACE(fmt::format("{}, slope {}", k, slope));
      const SetList settings{"analysis.kind=statics",
                             std::string("solver.coordinates=") + (k == 1 ? "joint" : "absolute")};
      const std::string text = stack(10, slope, 0.8, "coulomb", std::pow(10.0, 9 + k));
      Simulation simulation(read_study_text(text, "model.toml", settings));
      MemoryRecord record;
      const Summary summary = simulation.run(record);
      EXPECT_EQ(summary.completed, stands) << summary.stop;
      if (!stands) continue;
      const Eigen::MatrixXd top = record.read("cube9.position").values;
      EXPECT_GT(top(top.rows() - 1, 0), 0.0);
      EXPECT_NEAR(top(top.rows() - 1, 2), 0.95, 1e-3);
    }
}

// Drawn exactly touching, so that the load comes at once, they rock upright and come to rest.
TEST(ContactFaces, ten_cubes_stand_for_ten_seconds) {
  const Recorded run = run_text(stack(10, 0.0, 0.5), {"analysis.end=10"});
  const double begun = 1.0;
  for (int i = 0; i < 10; ++i) {
    const Eigen::MatrixXd p = run.values(fmt::format("cube{}.position", i));
    for (Eigen::Index row = 0; row < p.rows(); ++row) {
      ASSERT_LT(std::hypot(p(row, 0), p(row, 1)), 1e-5) << i;
      if (run.times()[row] > begun) {
        ASSERT_NEAR(p(row, 2), p(p.rows() - 1, 2), 1e-5) << i;
      }
    }
  }
}

// Ten of them, drawn exactly touching, so that the load comes at once and they rock by twice what they would lean:
// below half of 1/10 bristles hold them, above 1/10 they fall. With less friction than the slope all slide, their
// centre of mass by g (sin α − μ cos α), each with a part of the rocking.
TEST(ContactFaces, ten_cubes_stand_topple_or_slide) {
  const Recorded stands = run_text(stack(10, 0.04, 0.8, "lugre"), {"analysis.end=0.4"});
  EXPECT_LT(std::abs(stands.last("/bodies/cube9/position")[0]), 2e-3);
  const Recorded falls = run_text(stack(10, 0.15, 0.8, "lugre"), {"analysis.end=0.5"});
  // A column of 1 m about its lower edge, I = m h²/3: φ̈ = 3/2 g (sin α − cos α/10)/h, more as it leans.
  const double alpha = std::atan(0.15), turn = 1.5 * g * (std::sin(alpha) - 0.1 * std::cos(alpha)) * 0.125;
  EXPECT_GT(falls.last("/bodies/cube9/position")[0], 0.8 * turn);
  const double slope = 0.06, mu = 0.02, beta = std::atan(slope);
  const Recorded slides = run_text(stack(10, slope, mu), {"analysis.end=0.5"});
  const double gained = g * (std::sin(beta) - mu * std::cos(beta)) * 0.25;  // in the second half
  double mean = 0.0;
  for (int i = 0; i < 10; ++i) {
    const Eigen::MatrixXd v = slides.values(fmt::format("/bodies/cube{}/velocity", i));
    const double gain = v(v.rows() - 1, 0) - v(v.rows() / 2, 0);
    mean += 0.1 * gain;
    EXPECT_NEAR(gain, gained, 0.15 * gained) << i;
    EXPECT_NEAR(height_of(slides, fmt::format("cube{}", i)), 0.05 + 0.1 * i, 2e-4) << i;
  }
  EXPECT_NEAR(mean, gained, 5e-3 * gained);
}

// A crate that slides and turns on a floor, pressed as its weight needs, by its shape and as the mesh of twelve
// triangles: all frames until a fifth of its speed is left, to 1e-3 of how it began, and where it comes to rest.
// Friction has the direction of each point's velocity, and points of both are not the same: by the rule about the
// centre of the turn, 2e-7 … 9.5e-4 of twelve starts.
void expect_mesh_like_box(const Eigen::Vector3d& start) {
  constexpr double tol = 1e-3;
  const std::string model = R"(
[[body]]
name = "crate"
position = [0, 0, 0.0499950695]
velocity = [VX, VY, 0]
angular_velocity = [0, 0, WZ]
shape = { kind = "box", size = [0.4, 0.3, 0.1], density = 500 }
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "on"
between = ["crate", "floor"]
law = "foundation"
stiffness = 1e8
damping_factor = 5
friction = { mu = 0.3 }
[analysis]
end = 0.4
)";
  std::string text = model;
  for (int i = 0; i < 3; ++i) text = replace_once(text, std::array{"VX", "VY", "WZ"}[i], fmt::format("{}", start[i]));
  Study study = read_study_text(text, "model.toml");
  const Recorded box = run(study);
  for (GeometrySpec& geometry : study.model.geometry) {
    Shape& shape = geometry.shape;
    if (!(shape.kind == GeometryKind::box)) continue;
    const Eigen::Vector3d half = 0.5 * shape.size;
    shape.kind = GeometryKind::mesh;
    for (int corner = 0; corner < 8; ++corner)
      shape.vertices.push_back(Eigen::Vector3d(corner & 1 ? half[0] : -half[0], corner & 2 ? half[1] : -half[1],
                                               corner & 4 ? half[2] : -half[2])
                                   .cast<float>());
    shape.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  }
  const Recorded mesh = run(study);
  const auto difference = [&](const std::string& channel) {
    return Eigen::MatrixXd(mesh.values("crate." + channel) - box.values("crate." + channel));
  };
  const Eigen::MatrixXd v = box.values("crate.velocity"), w = box.values("crate.angular_velocity");
  const Eigen::MatrixXd dp = difference("position"), dv = difference("velocity"), dw = difference("angular_velocity");
  const double speed = std::hypot(start[0], start[1]) + 0.25 * std::abs(start[2]), spin = 4.0 * speed;
  int sliding = 0;
  for (Eigen::Index row = 0; row < v.rows(); ++row) {
    EXPECT_LT(dp.row(row).norm(), 1e-3 * 0.4);
    if (v.row(row).norm() + 0.25 * std::abs(w(row, 2)) < 0.2 * speed) break;  // it stops, and rocks a little
    ++sliding;
    EXPECT_LT(dv.row(row).head(2).norm(), tol * speed) << box.times()[row];
    EXPECT_LT(std::abs(dw(row, 2)), tol * spin) << box.times()[row];
  }
  EXPECT_GT(sliding, 100);
}

// Also where the centre of the turn wanders through the face, past one point after the other.
TEST(ContactFaces, the_mesh_of_a_box_moves_as_the_box) {
  for (const Eigen::Vector3d& start :
       {Eigen::Vector3d(1.0, 0.2, 3.0), Eigen::Vector3d(0.0, 0.0, 5.0), Eigen::Vector3d(0.3, 0.3, -4.0),
        Eigen::Vector3d(1.0, 0.0, 6.0), Eigen::Vector3d(0.5, 0.5, 5.0)}) {
    SCOPED_TRACE(::testing::Message() << start.transpose());
    expect_mesh_like_box(start);
  }
}

const std::string cylinder = R"(
gravity = [0, 0, -9.81]
[parameters]
tilt = 0
speed = 0
z = 0.1
[[body]]
name = "drum"
position = [0, 0, "z"]
orientation = { axis_angle = { axis = "x", angle = "tilt" } }
velocity = ["speed", 0, 0]
shape = { kind = "cylinder", radius = 0.05, length = 0.2, density = 1000 }
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "foot"
between = ["drum", "floor"]
law = "foundation"
stiffness = 1e9
damping_factor = 20
friction = { kind = "coulomb", mu = 0.4 }
[analysis]
end = 0.5
)";

TEST(ContactFaces, a_cylinder_stands_on_its_flat_end) {
  const Recorded run = run_text(cylinder);
  const double m = 1000.0 * std::numbers::pi * 0.05 * 0.05 * 0.2, area = std::numbers::pi * 0.05 * 0.05;
  EXPECT_NEAR(height_of(run, "drum"), 0.1 - m * g / (1e9 * area) - 0.5 * 0.05e-6, 1e-8);
  EXPECT_NEAR(run.last_value("/contacts/foot/normal_force"), m * g, 1e-4 * m * g);
}

// On its side it slides first and then rolls with 2/3 of its speed; it sinks by (m g/(4/3 K L √(2R)))^(2/3).
TEST(ContactFaces, a_cylinder_rolls_on_its_side) {
  const double m = 1000.0 * std::numbers::pi * 0.05 * 0.05 * 0.2;
  const Recorded run = run_text(cylinder, {set("parameters.tilt", std::numbers::pi / 2.0), "parameters.speed=0.6",
                                           "parameters.z=0.05", "analysis.end=0.6"});
  const double sunk = std::pow(m * g / (4.0 / 3.0 * 1e9 * 0.2 * std::sqrt(0.1)), 2.0 / 3.0);
  EXPECT_NEAR(height_of(run, "drum"), 0.05 - sunk, 1e-3 * sunk + 1e-9);
  EXPECT_NEAR(run.last("/bodies/drum/velocity")[0], 0.4, 2e-3);
}

// Balls between two plates, the upper one pressed by F: it comes nearer by 2 (F/(n k))^(2/3), k = 4/3 E √R.
TEST(ContactFaces, a_thrust_bearing_yields_as_hertz_says) {
  const int n = 8;
  const double E = 1.1e11, R = 0.005, F = 2000.0;
  std::string text = fmt::format(R"(
gravity = [0, 0, 0]
[[body]]
name = "plate"
mass = 0.5
inertia = [1e-3, 1e-3, 2e-3]
position = [0, 0, {0}]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "plate"]
point = [0, 0, 0]
axis = "z"
[[force]]
name = "preload"
kind = "force"
body = "plate"
point = [0, 0, {0}]
force = [0, 0, {1}]
[[geometry]]
name = "above"
body = "plate"
kind = "plane"
axis = [0, 0, -1]
[[geometry]]
name = "below"
kind = "plane"
[analysis]
kind = "statics"
)",
                                 2.0 * R, -F);
  for (int i = 0; i < n; ++i) {
    const double phi = 2.0 * std::numbers::pi * i / n, x = 0.03 * std::cos(phi), y = 0.03 * std::sin(phi);
    text += fmt::format(
        "[[body]]\nname = \"ball{0}\"\nposition = [{1:.17g}, {2:.17g}, {3}]\n"
        "shape = {{ kind = \"sphere\", radius = {3}, density = 7800 }}\n"
        "[[joint]]\nname = \"cage{0}\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"ball{0}\"]\n"
        "point = [{1:.17g}, {2:.17g}, {3}]\naxis = \"z\"\n"
        "[[contact]]\nname = \"race{0}\"\nbetween = [\"ball{0}\", [\"above\", \"below\"]]\nlaw = \"hertz\"\nmodulus = "
        "{4}\n",
        i, x, y, R, E);
  }
  const Recorded run = run_text(text);
  const double k = 4.0 / 3.0 * E * std::sqrt(R), nearer = 2.0 * std::pow(F / n / k, 2.0 / 3.0);
  EXPECT_NEAR(2.0 * R - height_of(run, "plate"), nearer, 1e-3 * nearer);
}

TEST(ContactFaces, pairs_that_a_law_does_not_offer_are_refused_by_name) {
  std::string text = stack(2, 0.0, 0.5);
  text = replace_once(text, "law = \"foundation\"\nstiffness = 1000000000\ndamping_factor = 20", "stiffness = 1e6");
  try {
    read_study_text(text, "model.toml", {});
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no contact is offered between box and box by this law"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace trammel::test_contact_faces
