// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "heap.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// A heap by Trammel and by Bullet, side by side: ./dev bench peers contact [n …]

namespace trammel::heap {

double cpu_time() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

namespace {

// The floor has a contact of its own, with the same law, so that its load is a channel.
std::string model(int n) {
  std::string text = fmt::format("gravity = [0, 0, {}]\n", -gravity);
  const auto plane = [&](const char* name, const char* group, const char* axis, double x, double y) {
    text += fmt::format(
        "[[geometry]]\nname = \"{}\"\nkind = \"plane\"\naxis = \"{}\"\nposition = [{}, {}, 0]\ngroup = \"{}\"\n", name,
        axis, x, y, group);
  };
  plane("floor", "floors", "z", 0.0, 0.0);
  plane("wx0", "walls", "x", near_wall, 0.0), plane("wx1", "walls", "-x", far_wall(n), 0.0);
  plane("wy0", "walls", "y", 0.0, near_wall), plane("wy1", "walls", "-y", 0.0, far_wall(n));
  const std::vector<double> at = centres(n);
  for (std::size_t i = 0; i < at.size() / 3; ++i)
    text += fmt::format(
        "[[body]]\nname = \"b{0}\"\nposition = [{1:.17g}, {2:.17g}, {3:.17g}]\n[[geometry]]\nbody = \"b{0}\"\nkind = "
        "\"sphere\"\nradius = {4}\ndensity = {5}\ngroup = \"balls\"\n",
        i, at[3 * i], at[3 * i + 1], at[3 * i + 2], radius, density);
  const std::string law = fmt::format(
      "law = \"hunt_crossley\"\nstiffness = 1e5\nrestitution = {}\nimpact_speed = 1\nfriction = {{ kind = \"coulomb\", "
      "mu = {} }}\n",
      restitution, friction);
  text += "[[contact]]\nname = \"below\"\nbetween = [\"floor\", \"balls\"]\n" + law;
  text += "[[contact]]\nname = \"rest\"\namong = [\"balls\", \"walls\"]\n" + law;
  return text + fmt::format("[analysis]\nend = {}\n[output]\ninterval = {}\n", end, end / 500.0);
}

Result run_trammel(int n) {
  Simulation simulation(read_study_text(model(n), "heap.toml", {}));
  MemoryRecord record;
  Result result;
  const double begin = cpu_time();
  const Summary summary = simulation.run(record);
  result.seconds = cpu_time() - begin;
  if (!summary.completed) {
    fmt::print("Trammel stopped: {}\n{}\n", summary.stop, summary.failure);
    return result;
  }
  result.steps = summary.steps;
  const Eigen::VectorXd energy =
      record.read("energy.kinetic").values + record.read("energy.potential").values;  // one column each
  const Eigen::VectorXd load = record.read("below.normal_force").values;
  const std::vector<double>& t = record.times();
  double start = 0.0;  // above the floor, without what contacts store
  for (std::size_t i = 2; i < centres(n).size(); i += 3) start += mass() * gravity * centres(n)[i];
  int in_window = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (i > 0) result.energy_rise = std::max(result.energy_rise, (energy[i] - energy[i - 1]) / start);
    if (t[i] >= end - window) result.load += load[i], ++in_window;
  }
  result.load /= std::max(1, in_window);
  std::vector<double> at;
  for (int i = 0; i < n * n * n; ++i) {
    const Eigen::MatrixXd p = record.read(fmt::format("b{}.position", i)).values;
    for (int k = 0; k < 3; ++k) at.push_back(p(p.rows() - 1, k));
  }
  look(at, result);
  return result;
}

void print(const std::string& who, const Result& r, double weight) {
  fmt::print("| {} | {:.2f} | {} | {:.5f} | {:.4f} | {:.1f} | {:.3f} | {:.2e} | {:.1e} |\n", who, r.seconds, r.steps,
             r.mean_height, r.top, r.load, r.load / weight, r.overlap, r.energy_rise);
  std::fflush(stdout);
}

void compare(int n) {
  const double weight = n * n * n * mass() * gravity;
  fmt::print(
      "\n{} balls, weight {:.1f} N, {} s\n\n| | CPU [s] | steps | mean height [m] | top [m] | load of the floor [N] | "
      "of the weight | overlap [m] | energy rise |\n|---|---|---|---|---|---|---|---|---|\n",
      n * n * n, weight, end);
  print("Trammel, default settings", run_trammel(n), weight);
  for (const double h : {1e-3, 1e-4}) print(fmt::format("Bullet, h = {:g} s", h), run_bullet(n, h), weight);
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("\nlargest memory of the program: {:.0f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024.0);
}

}  // namespace
}  // namespace trammel::heap

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::max(1, std::atoi(argv[i])));
  if (sizes.empty()) sizes = {5, 10};
  for (const int n : sizes) trammel::heap::compare(n);
}
