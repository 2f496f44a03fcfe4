// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Parallelograms drawn in their flat position, where one of their rows depends on the others for this instant.
namespace trammel::test_drawn_flat {
namespace {

/// Two cranks of length r, a apart, on a coupler of length a, φ from upright with the rate w; the right crank is
/// `heavier` times as heavy.
struct Parallelogram {
  double r = 1.0, a = 1.0, w = -2.0, heavier = 1.0;
};

constexpr double flat = 1.57079632679489661923, gravity = 9.81;

std::string draw(const Parallelogram& p, double end) {
  std::string text = fmt::format("gravity = [0, 0, {:.17g}]\n", -gravity);
  const auto body = [&](const std::string& name, double mass, double x, double vz, double rate) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nkind = \"planar\"\nnormal = \"y\"\nmass = {:.17g}\ninertia = {:.17g}\n"
        "position = [{:.17g}, 0, 0]\nvelocity = [0, 0, {:.17g}]\nangular_velocity = {:.17g}\n",
        name, mass, 0.1 * mass * p.r * p.r, x, vz, rate);
  };
  const auto joint = [&](const std::string& name, const std::string& a, const std::string& b, double x) {
    text += fmt::format(
        "[[joint]]\nname = \"{}\"\nkind = \"revolute\"\nbodies = [\"{}\", \"{}\"]\npoint = [{:.17g}, 0, 0]\n", name, a,
        b, x);
  };
  body("left", 1.0, 0.5 * p.r, -0.5 * p.w * p.r, p.w), body("right", p.heavier, p.a + 0.5 * p.r, -0.5 * p.w * p.r, p.w);
  body("coupler", 1.5, p.r + 0.5 * p.a, -p.w * p.r, 0.0);
  joint("foot_left", "ground", "left", 0.0), joint("foot_right", "ground", "right", p.a);
  joint("top_left", "left", "coupler", p.r), joint("top_right", "right", "coupler", p.a + p.r);
  return text + fmt::format("[analysis]\nend = {:.17g}\n[output]\ninterval = {:.17g}\n", end, end / 50);
}

/// φ″ = g r (m/2 + m_c)/J sin φ with m of both cranks, J = 0.35 m r² + m_c r², by Runge's and Kutta's method.
double swing(const Parallelogram& p, double t) {
  const double m = 1.0 + p.heavier, mc = 1.5;
  const double k = gravity * (0.5 * m + mc) / (p.r * (0.35 * m + mc));
  constexpr int n = 2000;
  double phi = flat, w = p.w;
  const double h = t / n;
  for (int i = 0; i < n; ++i) {
    const double k1 = w, l1 = k * std::sin(phi), k2 = w + 0.5 * h * l1, l2 = k * std::sin(phi + 0.5 * h * k1);
    const double k3 = w + 0.5 * h * l2, l3 = k * std::sin(phi + 0.5 * h * k2), k4 = w + h * l3,
                 l4 = k * std::sin(phi + h * k3);
    phi += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), w += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
  }
  return phi;
}

class DrawnFlat : public ::testing::TestWithParam<const char*> {};

TEST_P(DrawnFlat, a_parallelogram_stays_one_or_the_run_stops_by_name) {
  const Parallelogram machines[] = {{}, {.r = 0.3, .a = 1.1, .w = 4.0}, {.r = 2.0, .a = 0.7, .w = 1.5, .heavier = 3.0}};
  for (const Parallelogram& p : machines)
    for (const char* redundant : {"drop", "minimum_norm"})
      for (const char* coordinates : {"absolute", "joint"}) {
        if (std::string(GetParam()) == "energy_decaying" && std::string(coordinates) == "joint") continue;
        SCOPED_TRACE(fmt::format("r {} a {} {} {}", p.r, p.a, redundant, coordinates));
        const double end = 0.8 * std::sqrt(p.r);
        MemoryRecord record;
        Simulation simulation(read_study_text(
            draw(p, end), "model.toml",
            SetList{fmt::format("solver.integrator={}", GetParam()), fmt::format("solver.redundant={}", redundant),
                    fmt::format("solver.coordinates={}", coordinates)}));
        const Summary summary = simulation.run(record);
        if (!summary.completed) {
          ADD_FAILURE() << summary.to_text() << summary.failure;
          continue;
        }
        // Newmark's own damping, of first order whatever the tolerance, takes 1e-3 of the energy, and is told.
        const bool damps = std::string(GetParam()) == "newmark";
        EXPECT_TRUE(damps || summary.alarms.empty()) << summary.to_text();
        const double off = (damps ? 1e-2 : 2e-3) * p.r;
        const Series at = record.read("coupler.position");
        for (std::size_t i = 0; i < at.time.size(); ++i) {
          const double phi = swing(p, at.time[i]);
          const Eigen::Index row = static_cast<Eigen::Index>(i);
          ASSERT_NEAR(at.values(row, 0), p.r * std::sin(phi) + 0.5 * p.a, off) << at.time[i];
          ASSERT_NEAR(at.values(row, 2), p.r * std::cos(phi), off) << at.time[i];
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Integrators, DrawnFlat,
                         ::testing::Values("generalized_alpha", "hht", "newmark", "midpoint", "energy_decaying", "bdf",
                                           "radau", "runge_kutta"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace trammel::test_drawn_flat
