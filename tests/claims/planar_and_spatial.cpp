// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// What is described in a plane and in space is the same machine.
namespace trammel::test_planar_and_spatial {
namespace {

// An arm on a soft hinge, held by a planar bushing (3×3) or by a spatial one (6×6) with the same entries; the spatial
// arm is kept in its plane by a planar joint. Newton leaves newton_tol/h in the velocities, summed over 1 s.
TEST(PlanarAndSpatial, a_planar_bushing_is_the_bushing_in_the_plane) {
  const auto model = [](bool planar) {
    const std::string body =
        planar ? "kind = \"planar\"\nnormal = \"-y\"\ninertia = 0.1\n" : "inertia = [0.3, 0.1, 0.3]\n";
    // Bushing axes as drawn: x along x, y along z, z along −y, the normal.
    const std::string bushing =
        planar ? "kind = \"planar_bushing\"\nK = [[900, 50, 0], [50, 700, 4], [0, 4, 20]]\nC = [3, 2, 0.1]\n"
               : "kind = \"bushing\"\naxis = \"-y\"\nK = [[900, 50, 0, 0, 0, 0], [50, 700, 0, 0, 0, 4], [0, 0, 0, 0, "
                 "0, 0],"
                 " [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 4, 0, 0, 0, 20]]\nC = [3, 2, 0, 0, 0, 0.1]\n";
    const std::string plane = planar
                                  ? ""
                                  : "[[joint]]\nname = \"plane\"\nkind = \"planar\"\nbodies = [\"ground\", \"arm\"]\n"
                                    "point = [0, 0, 0]\naxis = \"y\"\n";
    return "[[body]]\nname = \"arm\"\nmass = 2\nposition = [0.5, 0, 0]\n" + body + plane +
           "[[force]]\nname = \"hinge\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\n" + bushing +
           "[analysis]\nend = 1\n[solver]\nh = 1e-3\n";
  };
  const Recorded planar = run_text(model(true)), spatial = run_text(model(false));
  constexpr double same = 50.0 * 1e-12 / 1e-3;
  EXPECT_LT((planar.last("arm.position") - spatial.last("arm.position")).norm(), same);
  EXPECT_LT((planar.last("arm.angular_velocity") - spatial.last("arm.angular_velocity")).norm(), same / 1e-2);
  EXPECT_GT((planar.last("arm.position") - Eigen::Vector3d(0.5, 0, 0)).norm(), 0.01);
  EXPECT_NEAR(planar.last_value("potential"), spatial.last_value("potential"), 1e-6);
}

// A slider crank of planar bodies and the one of spatial bodies in example 03, driven alike: same effort of the drive,
// same reaction of the guide in the plane.
TEST(PlanarAndSpatial, a_planar_slider_crank_needs_the_same_torque) {
  const std::string planar = R"toml(
[parameters]
r = 0.15
l = 0.45
speed = "2*pi*2"
tau = 0.2
mc = "7800*r*0.02*0.04"
mr = "7800*pi*0.01^2*l"
ms = "7800*0.08*0.05*0.05"
[[body]]
name = "crank"
kind = "planar"
normal = "-y"
mass = "mc"
inertia = "mc*(r^2 + 0.04^2)/12"
position = ["r/2", 0, 0]
[[body]]
name = "rod"
kind = "planar"
normal = "-y"
mass = "mr"
inertia = "mr*(3*0.01^2 + l^2)/12"
position = ["r + l/2", 0, 0]
[[body]]
name = "slider"
kind = "planar"
normal = "-y"
mass = "ms"
inertia = "ms*(0.08^2 + 0.05^2)/12"
position = ["r + l", 0, 0]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
[[joint]]
name = "crank_pin"
kind = "revolute"
bodies = ["crank", "rod"]
point = ["r", 0, 0]
[[joint]]
name = "wrist_pin"
kind = "revolute"
bodies = ["slider", "rod"]
point = ["r + l", 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
point = ["r + l", 0, 0]
axis = "x"
[[motion]]
name = "drive"
joint = "bearing"
function = "speed*(t - tau*tanh(t/tau))"
[analysis]
kind = "inverse_dynamics"
end = 1
)toml";
  const Recorded flat = run_text(planar);
  const Recorded solid =
      run_example("03_slider_crank/slider_crank.toml", {"analysis.kind=inverse_dynamics", "analysis.end=1"});
  EXPECT_LT((flat.values("drive.effort") - solid.values("drive.effort")).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((flat.values("crank_pin.reaction_force") - solid.values("crank_pin.reaction_force")).cwiseAbs().maxCoeff(),
            1e-7);
  EXPECT_LT((flat.values("guide.reaction_force") - solid.values("guide.reaction_force")).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((flat.values("rod.acceleration") - solid.values("rod.acceleration")).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_GT(flat.values("drive.effort").cwiseAbs().maxCoeff(), 1.0);
}

// A particle on a massless rod, and a rigid body with a spherical joint and almost no inertia of its own about it.
TEST(PlanarAndSpatial, a_particle_moves_as_the_rigid_body_that_it_stands_for) {
  const Recorded particle = run_text(R"toml(
[[body]]
name = "bob"
kind = "particle"
mass = 2
position = [0.6, 0, -0.8]
velocity = [0, 1.5, 0]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "bob"]
point = [0, 0, 0]
point_b = [0.6, 0, -0.8]
[analysis]
end = 1
[solver]
h = 1e-3
)toml");
  // The same with the inertia of the point at its distance from the pivot and the centre of mass in the point: a rigid
  // rod that turns with the line of sight. ω = r × v/r² has no component along the rod.
  const Recorded rod = run_text(R"toml(
[[body]]
name = "bob"
mass = 2
inertia = [1e-9, 1e-9, 1e-9]
position = [0.6, 0, -0.8]
velocity = [0, 1.5, 0]
angular_velocity = [1.2, 0, 0.9]
[[joint]]
name = "rod"
kind = "spherical"
bodies = ["ground", "bob"]
point = [0, 0, 0]
[analysis]
end = 1
[solver]
h = 1e-3
)toml");
  // Two discretisations of the same motion, each of second order: (ω h)² ~ 1e-5 at most.
  EXPECT_LT((particle.last("bob.position") - rod.last("bob.position")).norm(), 1e-5);
  EXPECT_LT((particle.last("rod.reaction_force") - rod.last("rod.reaction_force")).norm(), 1e-3);
}

}  // namespace
}  // namespace trammel::test_planar_and_spatial
