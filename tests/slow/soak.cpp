// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "places.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/results_file.h"
#include "trammel/simulation/simulation.h"

/// Ten million steps: what a machine needs in memory after the first hundred thousand it needs at the end. All
/// integrators share them, with fixed and controlled steps, in both sets of coordinates, with blows, and with results
/// that are written.
namespace trammel::test_slow_soak {
namespace {

namespace fs = std::filesystem;

// Steps after which nothing may grow. HDF5 keeps the last MB of each table, of 8 B per step if it is narrow: it is full
// after 131 072 steps.
constexpr long settled = 200'000;

// malloc gives 32 bytes at least: something lost every 20th step would be 1.3 MB in the shortest part below.
constexpr long allowed_growth = 1 << 20;  // [B]

long resident_bytes() {
  std::ifstream file("/proc/self/statm");
  long total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

struct Nowhere : RecordSink {
  void begin(const RecordSchema&) override {}
  void frame(double, std::span<const double>) override {}
  void step(double, std::span<const double>) override {}
  void end(const SummaryEntries&) override {}
};

// Falls on a floor without loss, again and again.
const std::string ball = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
mass = 2
inertia = [0.008, 0.008, 0.008]
position = [0, 0, 0.15]
angular_velocity = [0, 3, 0]
[[geometry]]
name = "surface"
body = "ball"
kind = "sphere"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "blow"
between = ["surface", "floor"]
law = "linear"
stiffness = 1e5
friction = { kind = "coulomb", mu = 0.3 }
[analysis]
end = 1e6
[output]
interval = 10
)";

struct Part {
  std::string model;  // an example, or the ball
  long steps;
  std::vector<std::string> settings;
  bool to_file = false;
};

const std::vector<std::string> fixed{"solver=", "solver.h=1e-3"}, controlled{"solver=", "solver.rtol=1e-6"};

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

std::vector<Part> parts() {
  const std::string crank = "03_slider_crank/slider_crank.toml", pendulum = "02_double_pendulum/double_pendulum.toml";
  return {
      {crank, 1'500'000, with(fixed, {"solver.integrator=generalized_alpha"})},
      {crank, 1'000'000, with(fixed, {"solver.integrator=hht"}), true},
      {crank, 1'000'000, with(fixed, {"solver.integrator=midpoint", "solver.coordinates=joint"})},
      {pendulum, 1'000'000, with(fixed, {"solver.integrator=newmark"})},
      {pendulum, 1'000'000, with(fixed, {"solver.integrator=energy_decaying"})},
      {pendulum, 1'000'000, with(controlled, {"solver.integrator=bdf"})},
      {pendulum, 1'000'000, with(controlled, {"solver.integrator=radau", "solver.coordinates=joint"}), true},
      {pendulum, 1'500'000, with(controlled, {"solver.integrator=runge_kutta", "solver.coordinates=joint"})},
      {"", 1'000'000, with(controlled, {"solver.integrator=generalized_alpha"})},
  };
}

class Soak : public ::testing::TestWithParam<Part> {};

TEST_P(Soak, keeps_memory_flat) {
  const Part& part = GetParam();
  std::vector<std::string> settings = part.settings;
  settings.insert(settings.end(), {"analysis.end=1e6", "output.interval=10"});
  const Study study = part.model.empty() ? read_study_text(ball, "ball.toml", settings)
                                         : read_study(places::source_dir() / "examples" / part.model, settings);
  const fs::path path = fs::temp_directory_path() / ("trammel_soak_" + std::to_string(getpid()) + ".h5");
  Nowhere nowhere;
  std::unique_ptr<ResultsFile> file;
  if (part.to_file) file = std::make_unique<ResultsFile>(path);
  Simulation simulation(study);
  long steps = 0, after_start = 0, most = 0;
  const Summary summary =
      simulation.run(part.to_file ? static_cast<RecordSink&>(*file) : nowhere, [&](const Progress& progress) {
        steps = progress.steps;
        if (steps == settled) after_start = resident_bytes();
        if (steps > settled && steps % 10'000 == 0) most = std::max(most, resident_bytes());
        return steps < part.steps;
      });
  EXPECT_TRUE(summary.failure.empty()) << summary.failure;
  EXPECT_GE(steps, part.steps);
  EXPECT_LE(most - after_start, allowed_growth);
  const std::string figures = fmt::format(
      "{} {}{}: {} steps to t = {:.6g} s, {:.1f} MB after {}, at most {:+.2f} MB later",
      part.model.empty() ? "ball" : part.model, part.settings[2], part.to_file ? ", to a file" : "", steps, summary.t,
      static_cast<double>(after_start) / 1e6, settled, static_cast<double>(most - after_start) / 1e6);
  std::cout << figures << std::endl;
  RecordProperty("figures", figures);
  file.reset();
  fs::remove(path);
}

TEST(SoakParts, are_ten_million_steps) {
  long total = 0;
  for (const Part& part : parts()) total += part.steps;
  EXPECT_EQ(total, 10'000'000);
}

INSTANTIATE_TEST_SUITE_P(All, Soak, ::testing::ValuesIn(parts()));

}  // namespace
}  // namespace trammel::test_slow_soak
