// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "places.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

// Every model under examples/ with every integrator and preset, in both coordinate sets: what the results record as
// settings is read back in place of the file's own and runs the same bits, in every frame and every step.

namespace trammel::test_settings_of_examples {
namespace {

namespace fs = std::filesystem;

constexpr double part = 0.01;  // of each analysis: enough for hundreds of steps of every method

struct Bits {
  std::vector<double> values;
  std::string settings;
  friend bool operator==(const Bits& a, const Bits& b) {
    return a.values.size() == b.values.size() &&
           std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
  }
};

Bits run(const Study& study) {
  Simulation simulation(study);
  MemoryRecord record;
  static_cast<void>(simulation.run(record));  // a run that fails must fail alike
  Bits bits;
  for (int i = 0; i < std::ssize(record.times()); ++i) {
    const std::span<const double> row = record.frame_values(i);
    bits.values.insert(bits.values.end(), row.begin(), row.end());
  }
  for (int i = 0; i < std::ssize(record.step_times()); ++i) {
    const std::span<const double> row = record.step_values(i);
    bits.values.insert(bits.values.end(), row.begin(), row.end());
  }
  bits.settings = record.schema().attributes.at("settings");
  return bits;
}

// The settings of a results file in place of the study's own, as a user would paste them.
Study with_settings(const Study& study, const std::string& settings) {
  const Study read = read_study_text(settings, "settings.toml");
  Study made = study;
  static_cast<Settings&>(made) = read;
  return made;
}

TEST(SettingsOfExamples, read_back_from_results_run_the_same_bits) {
  int compared = 0, refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(places::source_dir() / "examples")) {
    if (entry.path().extension() != ".toml" || entry.path().parent_path().filename() == "parts") continue;
    Study study;
    try {
      study = read_study(entry.path());
    } catch (const InputError&) {
      continue;  // a part of other models
    }
    if (study.model.bodies.size() > 300) continue;  // long chains: their settings are those of short ones
    study.analysis.end = study.analysis.start.value_or(default_start) + part * study.analysis.span();
    study.output.interval.reset();
    for (const WordOf<Integrator>& integrator : words_of<Integrator>())
      for (const WordOf<CoordinateSet>& coordinates : words_of<CoordinateSet>()) {
        std::vector<std::optional<Preset>> presets{std::nullopt};
        if (integrator.value == Integrator::bdf)
          for (const WordOf<Preset>& preset : words_of<Preset>()) presets.emplace_back(preset.value);
        for (const std::optional<Preset>& preset : presets) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", entry.path().filename().string(), integrator.name, coordinates.name,
                                   preset ? word_of(*preset) : ""));
          Study chosen = study;
          chosen.solver.integrator = integrator.value;
          chosen.solver.coordinates = coordinates.value;
          chosen.solver.formulation.reset();
          chosen.solver.bdf.preset = preset;
          drop_foreign(chosen);
          try {
            const Bits first = run(chosen);
            const Bits again = run(with_settings(chosen, first.settings));
            EXPECT_TRUE(first == again) << first.settings;
            EXPECT_EQ(first.settings, again.settings);
            ++compared;
          } catch (const InputError&) {
            ++refused;  // pairs that exclude each other
          }
        }
      }
  }
  std::cout << compared << " runs repeated, " << refused << " combinations refused\n";
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace trammel::test_settings_of_examples
