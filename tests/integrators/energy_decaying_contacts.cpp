// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "energy_decaying_runs.h"
#include "trammel/dae/difference_jump.h"

// Contacts by a discrete gradient of what the surfaces store (slot_contact.h): the law of energy at any step, exact
// derivatives, and the motion that other methods find.

namespace trammel::test_energy_decaying_contacts {
namespace {

using trammel::testing::Follow;
using trammel::testing::read_machine;

std::string make_body(int number, const std::string& shape, std::mt19937& chance) {
  const auto within = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(chance);
  };
  return fmt::format(R"toml(
[[body]]
name = "b{0}"
mass = {1}
inertia = [{2}, {3}, 0.005]
position = [{4}, {5}, {6}]
velocity = [{7}, {8}, {9}]
angular_velocity = [{10}, {11}, {12}]
[[geometry]]
name = "g{0}"
body = "b{0}"
group = "things"
{13}
)toml",
                     number, within(0.3, 3.0), within(0.003, 0.006), within(0.003, 0.006), within(-0.3, 0.3),
                     within(-0.3, 0.3), 0.3 + 0.35 * number, within(-2.0, 2.0), within(-2.0, 2.0), within(-4.0, 1.0),
                     within(-8.0, 8.0), within(-8.0, 8.0), within(-8.0, 8.0), shape);
}

/// Bodies that fall onto a floor and onto each other; the law is drawn as well.
std::string make_drop(int n_bodies, std::mt19937& chance, double stiffness) {
  const auto one_of = [&](const std::vector<std::string>& list) {
    return list[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(chance)];
  };
  std::string text = "gravity = [0, 0, -9.81]\n";
  for (int i = 0; i < n_bodies; ++i)  // at most one with flat faces, between which no deepest point is offered
    text += make_body(i,
                      one_of({"kind = \"sphere\"\nradius = 0.1", "kind = \"capsule\"\nradius = 0.06\nlength = 0.2",
                              i == 0 ? "kind = \"box\"\nsize = [0.2, 0.15, 0.1]" : "kind = \"sphere\"\nradius = 0.08"}),
                      chance);
  text += "[[geometry]]\nname = \"floor\"\nkind = \"plane\"\n";
  const std::string law =
      fmt::format("stiffness = {}\n", stiffness) +
      one_of({"law = \"linear\"\ndamping = 0\n", "law = \"linear\"\ndamping = 50\n",
              "law = \"hunt_crossley\"\nexponent = 1.5\ndamping_factor = 0\n",
              "law = \"hunt_crossley\"\nexponent = 2.2\ndamping_factor = 1\n",
              "law = \"hunt_crossley\"\nexponent = 1.5\ndamping_factor = 20\n"}) +
      one_of({"", "friction = { kind = \"coulomb\", mu = 0.2 }\n", "friction = { kind = \"coulomb\", mu = 0.9 }\n"});
  text += "[[contact]]\nname = \"with the floor\"\nbetween = [\"floor\", \"things\"]\n" + law;
  if (n_bodies > 1) text += "[[contact]]\nname = \"among them\"\namong = \"things\"\n" + law;
  return text;
}

// Nothing is supplied, and what a step ends with the next one begins with: shapes that come from far within a step are
// met in it.
TEST(EnergyDecayingContacts, bodies_that_fall_never_gain_energy_whatever_the_step_and_the_stiffness) {
  std::mt19937 chance(7);
  for (int machine = 0; machine < 16; ++machine) {
    const double stiffness = std::pow(10.0, 3.0 + 5.0 * machine / 15.0);
    const double h = std::pow(10.0, std::uniform_real_distribution<double>(-3.5, -1.0)(chance));
    Follow run(read_machine(make_drop(1 + machine % 3, chance, stiffness), h, 80.0 * h));
    double energy = run.energy(), largest = std::abs(energy), dissipated = 0.0;
    for (int step = 0; step < 80; ++step) {
      run.step();
      if (HasFatalFailure()) return;
      const JumpLedger& ledger = *run.scheme().ledger();
      largest = std::max(largest, std::abs(ledger.energy));
      EXPECT_NEAR(ledger.energy_before, energy, 1e-12 * largest) << machine << ", step " << step;
      EXPECT_LE(ledger.energy, energy + 1e-12 * largest) << machine << ", step " << step;
      EXPECT_EQ(ledger.supplied, 0.0);
      dissipated += ledger.dissipated + ledger.kinetic_jump + ledger.strain_jump;
      energy = ledger.energy;
    }
    run.expect_law();
    EXPECT_GT(dissipated, 0.0) << machine;  // they did meet something
  }
}

// The matrix of a step against differences of its residual, with shapes in contact that turn and slide.
TEST(EnergyDecayingContacts, derivatives_are_exact) {
  std::mt19937 chance(3);
  int touching = 0;
  for (int machine = 0; machine < 12; ++machine) {
    const double h = 2e-3;
    Simulation simulation(read_machine(make_drop(1 + machine % 3, chance, 1e9), h, 1.0));
    bool meets = false;  // at the end of a step in which something was touched
    for (int step = 0; step < 400 && !meets; ++step) {
      ASSERT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
      meets = simulation.integrator().ledger()->strain_jump > 0.0;
    }
    ASSERT_TRUE(meets) << machine;
    simulation.integrator().commit(simulation.state());
    const AbsoluteSystem& system = *simulation.assembly().system;
    const SlotSystem exact(system);
    const DifferenceJump differences(std::make_unique<SlotSystem>(system), {});
    const MotionVariables& from = simulation.integrator().newest();
    Eigen::VectorXd memory(exact.n_memory()), y(exact.n());
    std::vector<std::vector<double>> values;
    for (const JumpSystem* jump :
         {static_cast<const JumpSystem*>(&exact), static_cast<const JumpSystem*>(&differences)}) {
      const std::unique_ptr<Workspace> ws = jump->make_workspace();
      jump->calc_memory(from, simulation.state(), memory, *ws);
      ASSERT_TRUE(jump->begin(from, memory, simulation.state(), *ws).ok());
      jump->resize(h, 1.0, from.t + h, *ws);
      jump->guess(y, *ws);
      for (Eigen::Index i = 0; i < y.size(); ++i)
        y[i] += 0.01 * std::sin(1.0 + static_cast<double>(i));  // away from where it started
      values.emplace_back(jump->pattern(*ws).index.size());
      ASSERT_TRUE(jump->linearize(y, values.back(), *ws).ok());
    }
    ASSERT_EQ(values[0].size(), values[1].size());
    double size = 0.0, error = 0.0;
    for (std::size_t k = 0; k < values[0].size(); ++k) {
      size = std::max(size, std::abs(values[0][k]));
      error = std::max(error, std::abs(values[0][k] - values[1][k]));
    }
    EXPECT_LE(error, 3e-6 * size) << machine;
    touching += size > 10.0;  // masses are below 3 kg: what is more is a contact's
  }
  EXPECT_GE(touching, 2);
}

// A ball slides down a ball, both free to turn, without losing touch: order two beside Radau at a tight tolerance.
TEST(EnergyDecayingContacts, curved_surfaces_are_followed_to_second_order) {
  const std::string machine = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0.05, 0, 0.5]
velocity = [0.3, 0.1, 0]
[[geometry]]
name = "skin"
body = "ball"
kind = "sphere"
radius = 0.1
[[geometry]]
name = "hill"
kind = "sphere"
radius = 0.4
[[contact]]
name = "touch"
between = ["skin", "hill"]
law = "hunt_crossley"
stiffness = 2e3
exponent = 1.0
damping_factor = 2
friction = { kind = "coulomb", mu = 0.3, v_s = 0.05 }
)toml";
  const auto place = [&](const std::string& integrator, double h) {
    std::vector<std::string> settings{"analysis.end=0.2", "solver.integrator=" + integrator};
    if (h > 0.0)
      settings.push_back(fmt::format("solver.h={}", h));
    else
      settings.insert(settings.end(), {"solver.rtol=1e-10", "solver.atol=1e-12"});
    Simulation simulation(read_study_text(machine, "model.toml", settings));
    MemoryRecord record;
    EXPECT_TRUE(simulation.run(record).completed);
    return Eigen::VectorXd(simulation.integrator().newest().q.head(3));
  };
  const Eigen::VectorXd exact = place("radau", 0.0);
  const double coarse = (place("energy_decaying", 2e-3) - exact).norm();
  const double fine = (place("energy_decaying", 1e-3) - exact).norm();
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse / fine, 3.4);
}

}  // namespace
}  // namespace trammel::test_energy_decaying_contacts
