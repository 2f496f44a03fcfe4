// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include "places.h"
#include "support/at_once.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

// Programs that use the library have threads of their own (Python lets others go on while a machine runs): different
// simulations do not share anything that changes. That a machine and its equations can be shared is asked of every
// method by tests/contract/. `./dev test --sanitize=thread` looks for races in all of these.

namespace trammel::test_threads {
namespace {

namespace fs = std::filesystem;
using testing::at_once;

std::string example(const std::string& name) { return (places::source_dir() / "examples" / name).string(); }

/// Machines that use much of what is kept per thread or made at first use: closed loops, contacts, beams, wheels,
/// formulas, tables, in both sets of coordinates.
struct Machine {
  std::string model;
  std::vector<std::string> settings;
};

std::vector<Machine> machines() {
  std::vector<Machine> list;
  for (const WordOf<Integrator>& integrator : words_of<Integrator>())
    list.push_back({example("03_slider_crank/slider_crank.toml"),
                    {"analysis.end=0.02", "solver=", "solver.integrator=" + std::string(integrator.name)}});
  list.push_back({example("06_squeezing_mechanism/squeezing_mechanism.toml"), {"analysis.end=1e-4"}});
  list.push_back({example("13_cam/cam.toml"), {"analysis.end=0.02"}});
  list.push_back({example("11_thin_beam/thin_beam.toml"), {"analysis.end=1e-3"}});
  list.push_back({example("12_carriage/carriage.toml"), {"analysis.end=2e-3"}});
  list.push_back({example("04_four_bar/four_bar.toml"), {"analysis.end=0.02", "solver.coordinates=joint"}});
  return list;
}

/// Every number that a run records, frames and steps, in their order.
class Numbers : public RecordSink {
 public:
  void begin(const RecordSchema&) override {}
  void frame(double t, std::span<const double> values) override { add(t, values); }
  void step(double, std::span<const double>) override {}  // holds times of the clock
  void end(const SummaryEntries&) override {}
  bool operator==(const Numbers& other) const { return all_ == other.all_; }
  std::size_t size() const { return all_.size(); }

 private:
  void add(double t, std::span<const double> values) {
    all_.push_back(std::bit_cast<std::uint64_t>(t));
    for (const double value : values) all_.push_back(std::bit_cast<std::uint64_t>(value));
  }
  std::vector<std::uint64_t> all_;
};

Numbers run(const Machine& machine) {
  Numbers numbers;
  Simulation simulation(read_study(machine.model, machine.settings));
  static_cast<void>(simulation.run(numbers));
  return numbers;
}

// Threads come first: what is made at first use is then made by all of them at once.
TEST(Threads, run_machines_side_by_side_to_the_bits_that_they_have_alone) {
  const std::vector<Machine> all = machines();
  const int n = static_cast<int>(all.size());
  std::vector<Numbers> together(all.size());
  at_once(2 * n, [&](int i) {
    const Numbers numbers = run(all[static_cast<std::size_t>(i % n)]);
    if (i < n) together[static_cast<std::size_t>(i)] = numbers;
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Numbers alone = run(all[i]);
    EXPECT_GT(alone.size(), 100U) << all[i].model;
    EXPECT_TRUE(together[i] == alone) << all[i].model << " " << all[i].settings.back();
  }
}

TEST(Threads, write_and_read_results_side_by_side) {
  const fs::path folder = fs::temp_directory_path() / ("trammel_threads_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const Machine machine{example("03_slider_crank/slider_crank.toml"), {"analysis.end=0.05"}};
  std::array<std::int64_t, 6> frames{};
  std::array<bool, 6> damaged{};
  at_once(6, [&](int i) {
    const fs::path path = folder / (std::to_string(i) + ".h5");
    {
      ResultsFile file(path, {});
      Simulation simulation(read_study(machine.model, machine.settings));
      static_cast<void>(simulation.run(file));
    }
    const auto k = static_cast<std::size_t>(i);
    const ResultsReader reader(path);
    frames[k] = reader.n_frames();
    damaged[k] = !verify_results(path).empty() || reader.read("slider.position").values.hasNaN();
  });
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_GT(frames[i], 1) << i;
    EXPECT_EQ(frames[i], frames[0]) << i;
    EXPECT_FALSE(damaged[i]) << i;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace trammel::test_threads
