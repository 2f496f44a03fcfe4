// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "places.h"
#include "trammel/io/model_reader.h"
#include "trammel/mechanics/kinds/library_force.h"
#include "trammel/simulation/simulation.h"

// A law in a shared library that a model names is a force like any other: the same motion as by a formula, exact
// derivatives where the library gives them, its potential in the ledger; and what is wrong with it is named.

namespace trammel::test_force_library {
namespace {

std::string library(const std::string& name) { return (places::program().parent_path() / name).string(); }

const std::string fine = "rtol = 1e-8\natol = 1e-10\n";

// A ball thrown through the air, held by a band to the ground; `rest` are its forces.
Study ball(const std::string& rest, const std::string& settings = fine) {
  return read_study_text(
      "gravity = [0, 0, -9.81]\n"
      "[[body]]\nname = \"ball\"\nmass = 0.5\ninertia = [0.01, 0.02, 0.03]\n"
      "velocity = [3, 1, 0]\nangular_velocity = [0, 2, 1]\n"
      "[analysis]\nend = 1\n[solver]\n" +
          settings + rest,
      "model.toml");
}

std::string force(const std::string& law, const std::string& keys) {
  return "[[force]]\nname = \"own\"\nkind = \"library\"\nlibrary = \"" + library("force_laws.so") + "\"\nlaw = \"" +
         law + "\"\nbodies = [\"ground\", \"ball\"]\n" + keys;
}

Eigen::MatrixXd end_of(const Study& study, Summary* summary = nullptr) {
  MemoryRecord record;
  const Summary ended = Simulation(study).run(record);
  EXPECT_TRUE(ended.completed) << ended.failure;
  if (summary != nullptr) *summary = ended;
  return record.read("ball.position").values.bottomRows(1);
}

constexpr double motion_tol = 1e-6;  // [m]: a hundred times rtol of a motion of a metre

TEST(ForceLibrary, moves_as_a_formula_of_the_same_law_does) {
  const Eigen::MatrixXd own = end_of(ball(force("drag", "parameters = { c = 0.3 }\n")));
  const std::string v = "sqrt(ball.vx^2 + ball.vy^2 + ball.vz^2)";
  const Eigen::MatrixXd formula =
      end_of(ball("[[force]]\nname = \"f\"\nkind = \"force\"\nbody = \"ball\"\nforce = [\"-0.3*" + v +
                  "*ball.vx\", \"-0.3*" + v + "*ball.vy\", \"-0.3*" + v + "*ball.vz\"]\n"));
  EXPECT_LT((own - formula).norm(), motion_tol);
  const Eigen::MatrixXd none = end_of(ball(""));
  EXPECT_GT((own - none).norm(), 0.1);
}

TEST(ForceLibrary, acts_at_points_in_every_set_of_coordinates_and_keeps_its_energy) {
  const std::string band = force("band",
                                 "point_a = [0, 0, 1]\npoint_b = { body = \"ball\", at = [0.1, 0, 0.05] }\n"
                                 "parameters = { k = \"10*4\", L = 0.6 }\n");
  Summary summary;
  const Eigen::MatrixXd absolute = end_of(ball(band), &summary);
  EXPECT_LT((absolute - end_of(ball(band, fine + "coordinates = \"joint\"\n"))).norm(), motion_tol);
  // The energy-decaying scheme takes it as a load; second order at this step.
  EXPECT_LT((absolute - end_of(ball(band, "integrator = \"energy_decaying\"\nh = 5e-4\n"))).norm(), 1e-3);
  EXPECT_LT(summary.energy_drift, 1e-5);
}

void expect_derivatives_of_differences(const LibraryForce& own) {
  ASSERT_TRUE(own.has_derivatives());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&] { return Vec3<double>(unit(random), unit(random), unit(random)); };
  Frame<double> f[2];
  for (Frame<double>& frame : f) frame = {exp_so3(vector()), vector(), vector(), vector()};
  constexpr double step = 1e-6, difference_tol = 1e-7;  // step² and rounding / step
  for (int j = 0; j < 2; ++j)
    for (const bool by_velocity : {false, true}) {
      Frame<Dual<6>> lifted[2] = {lift<Dual<6>>(f[0]), lift<Dual<6>>(f[1])};
      lifted[j] = by_velocity ? seed_velocity(f[j]) : seed_position(f[j]);
      Wrench<Dual<6>> w[2];
      own.force_with_derivatives(0.0, lifted, w);
      for (int k = 0; k < 6; ++k) {
        Wrench<double> side[2][2];
        for (int s = 0; s < 2; ++s) {
          Frame<double> moved[2] = {f[0], f[1]};
          const Vec3<double> e = (s == 0 ? step : -step) * Vec3<double>::Unit(k % 3);
          if (by_velocity)
            (k < 3 ? moved[j].v : moved[j].w) += e;
          else if (k < 3)
            moved[j].p += e;
          else
            moved[j].R = moved[j].R * exp_so3(e);
          own.force(0.0, moved, side[s]);
        }
        for (int i = 0; i < 2; ++i)
          for (int r = 0; r < 3; ++r) {
            EXPECT_NEAR(w[i].force[r].d[k], (side[0][i].force[r] - side[1][i].force[r]) / (2 * step), difference_tol);
            EXPECT_NEAR(w[i].moment[r].d[k], (side[0][i].moment[r] - side[1][i].moment[r]) / (2 * step),
                        difference_tol);
          }
      }
    }
}

const std::array<Eigen::Vector3d, 2> points{Eigen::Vector3d(0.1, -0.2, 0.3), Eigen::Vector3d(-0.4, 0.2, 0.1)};

TEST(ForceLibrary, has_derivatives_at_points_that_are_those_of_differences) {
  const LibraryLaw law = load_law(library("force_laws.so"), "drag");
  const auto trouble = std::make_shared<LibraryTrouble>();
  expect_derivatives_of_differences(LibraryForce(law, {1, 2}, points, {0.7}, trouble));
  EXPECT_EQ(trouble->reason(), "");
}

// A law with a handedness: F = a × (p_b − p_a) + b p_b on b, the opposite on a; moments D w.
constexpr double hand[3] = {0.3, -0.7, 1.1}, pull[3] = {0.2, 0.5, -0.4},
                 turn[3][3] = {{1, 2, 3}, {-4, 5, 6}, {7, -8, 9}};
int handed_force(const trammel_force_input* in, trammel_force_wrench* out) {
  double d[3];
  for (int i = 0; i < 3; ++i) d[i] = in->frames[1].p[i] - in->frames[0].p[i];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[1].force[i] = hand[j] * d[k] - hand[k] * d[j] + pull[i] * in->frames[1].p[i];
    out[0].force[i] = -out[1].force[i];
    for (int b = 0; b < 2; ++b) {
      out[b].moment[i] = 0.0;
      for (int m = 0; m < 3; ++m) out[b].moment[i] += turn[i][m] * in->frames[b].w[m];
    }
  }
  return 0;
}
int handed_derivatives(const trammel_force_input*, double* out) {
  Eigen::Map<Eigen::Matrix<double, 12, 24, Eigen::RowMajor>> J(out);
  J.setZero();
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (const int b : {0, 1}) {
      const double sign = b == 1 ? 1.0 : -1.0;
      J(6 * b + i, 12 + k) = sign * hand[j], J(6 * b + i, 12 + j) = -sign * hand[k];
      J(6 * b + i, k) = -sign * hand[j], J(6 * b + i, j) = sign * hand[k];
      J(6 * b + i, 12 + i) += sign * pull[i];
      for (int m = 0; m < 3; ++m) J(6 * b + 3 + i, 12 * b + 9 + m) = turn[i][m];
    }
  }
  return 0;
}

// In a mirrored part a law does what it would do on the other side of the mirror.
TEST(ForceLibrary, is_reflected_with_its_derivatives) {
  static const trammel_force_law handed{"handed", nullptr, handed_force, handed_derivatives, nullptr};
  static const trammel_force_library_content content{TRAMMEL_FORCE_INTERFACE, 1, &handed, nullptr};
  const LibraryLaw law{&handed, &content, {}};
  const auto trouble = std::make_shared<LibraryTrouble>();
  const Eigen::Vector3d n = Eigen::Vector3d(1, 2, -1).normalized();
  LawMirror mirror{true, Eigen::Matrix3d::Identity() - 2.0 * n * n.transpose(), 0.6 * n, {}};
  mirror.B = {Eigen::Matrix3d(Eigen::Vector3d(1, -1, 1).asDiagonal()), mirror.H};
  const LibraryForce image(law, {1, 2}, points, {}, trouble, mirror);
  expect_derivatives_of_differences(image);
  const LibraryForce drawn(law, {1, 2}, {mirror.B[0] * points[0], mirror.B[1] * points[1]}, {}, trouble);
  expect_derivatives_of_differences(drawn);
  std::mt19937 random(6);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&] { return Vec3<double>(unit(random), unit(random), unit(random)); };
  Frame<double> f[2], seen[2];
  for (int i = 0; i < 2; ++i) {
    const Eigen::Matrix3d& B = mirror.B[static_cast<std::size_t>(i)];
    f[i] = {exp_so3(vector()), vector(), vector(), vector()};
    seen[i] = {mirror.H * f[i].R * B, mirror.x0 + mirror.H * f[i].p, mirror.H * f[i].v, -B * f[i].w};
  }
  Wrench<double> w[2], answer[2];
  image.force(0.0, f, w);
  drawn.force(0.0, seen, answer);
  for (int i = 0; i < 2; ++i) {
    EXPECT_LT((w[i].force - mirror.H * answer[i].force).norm(), 1e-14);
    EXPECT_LT((w[i].moment + mirror.B[static_cast<std::size_t>(i)] * answer[i].moment).norm(), 1e-14);
  }
}

std::string refusal(const std::string& rest) {
  try {
    Simulation simulation(ball(rest));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string library_force(const std::string& file, const std::string& keys = "") {
  return "[[force]]\nname = \"own\"\nkind = \"library\"\nbodies = [\"ball\"]\nlibrary = \"" + file + "\"\n" + keys;
}

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text << "\n does not say: " << words;
}

TEST(ForceLibrary, that_cannot_serve_is_refused_by_name_and_line) {
  expect_says(refusal(library_force("no_such.so")), "no_such.so");
  expect_says(refusal(library_force("no_such.so")), "model.toml:");
  expect_says(refusal(library_force(library("force_laws_other.so"))),
              "was made for interface 2 of force libraries, this program knows 1");
  expect_says(refusal(library_force(library("force_laws_none.so"))), "does not define trammel_force_library()");
  expect_says(refusal(library_force((places::source_dir() / "README.md").string())), "the library cannot be loaded");
  expect_says(refusal(library_force(library("force_laws.so"))), "'law' must say which: 'drag' and 'band'");
  expect_says(refusal(library_force(library("force_laws.so"), "law = \"darg\"\n")), "did you mean 'drag'?");
  expect_says(refusal(library_force(library("force_laws.so"), "law = \"drag\"\n")), "needs the parameter 'c'");
  expect_says(refusal(library_force(library("force_laws.so"), "law = \"drag\"\nparameters = { c = 1, d = 2 }\n")),
              "has no parameter 'd'");
}

TEST(ForceLibrary, that_fails_in_a_run_ends_it_with_the_reason_and_keeps_what_was_recorded) {
  const std::pair<const char*, const char*> laws[] = {{"refuses", "it says: the fuse has blown"},
                                                      {"throws_error", "it threw: the tank is empty"},
                                                      {"throws_number", "it threw something that is no std::exception"},
                                                      {"no_number", "its force is not a finite number"}};
  for (const auto& [law, reason] : laws) {
    MemoryRecord record;
    const Study study =
        ball(library_force(library("force_laws_faulty.so"), std::string("law = \"") + law + "\"\n"), "h = 0.01\n");
    const Summary summary = Simulation(study).run(record);
    EXPECT_FALSE(summary.completed);
    expect_says(summary.failure, std::string("force 'own' of '") + library("force_laws_faulty.so") + "': " + reason);
    EXPECT_NEAR(record.read("ball.position").time.back(), 0.19, 0.02);
  }
}

}  // namespace
}  // namespace trammel::test_force_library
