// SPDX-License-Identifier: Apache-2.0
// A program of its own that simulates with Trammel: a machine in C++, a force law of its own, a run, results.
//
// A ball of radius r falls from rest through air, whose drag is F = −½ ϱ c_d π r² |v| v. From m v̇ = m g − k v² follows
//
//   (1)  v(t) = v∞ tanh(g t / v∞),   v∞ = √(m g / k),   k = ½ ϱ c_d π r²
#include <cmath>
#include <cstdio>
#include <numbers>

#include "trammel/mechanics/elements/custom_force.h"
#include "trammel/trammel.h"

namespace {

/// The law, once for forces (S = double) and once for their derivatives (S = Dual<6>).
struct Drag {
  double k = 0.0;  ///< [kg/m]

  template <class S>
  void operator()(double /*t*/, const trammel::Frame<S>* f, trammel::Wrench<S>* w) const {
    using std::sqrt;
    const S speed = sqrt(trammel::dot(f[0].v, f[0].v) + 1e-18);  // differentiable at rest
    w[0] = {trammel::Vec3<S>(f[0].v * (-k * speed)), trammel::Vec3<S>::Zero()};
  }
};

}  // namespace

int main() {
  constexpr double m = 0.145, r = 0.037;  // [kg], [m]: a baseball
  constexpr double g = 9.81, end = 5.0, k = 0.5 * 1.2 * 0.4 * std::numbers::pi * r * r;

  trammel::Study study;
  study.model.title = "A ball with drag";
  study.model.gravity = {0.0, 0.0, -g};
  study.model.add_body({.name = "ball", .kind = trammel::BodyKind::particle, .mass = m});
  study.analysis.end = end;

  // Called for every realisation of the model; body_frame[i] is the frame of its i-th body.
  trammel::Simulation simulation(study, [](trammel::Assembly& assembly) {
    auto group = std::make_unique<trammel::CustomForceGroup>();
    group->add(std::make_unique<trammel::TemplatedForce<Drag>>(std::vector<int>{assembly.body_frame[0]}, Drag{k}));
    assembly.system->add_group(std::move(group));
  });

  try {
    trammel::ResultsFile file("own_machine.h5");
    const trammel::Summary summary = simulation.run(file);
    std::fputs(summary.to_text().c_str(), stdout);
    if (!summary.completed) return 3;
  } catch (const trammel::Error& error) {  // what is wrong with the model, or with the file
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }

  const trammel::ResultsReader results("own_machine.h5");
  const trammel::Series speed = results.read("ball.velocity.z");
  const double v = -speed.values(speed.values.rows() - 1, 0);
  const double v_inf = std::sqrt(m * g / k), exact = v_inf * std::tanh(g * end / v_inf);  // (1)
  std::printf("speed after %g s: %.6f m/s, exactly %.6f m/s; Trammel %s\n", end, v, exact, trammel::version());
  return std::abs(v - exact) < 1e-3 * exact ? 0 : 1;
}
