// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "answer.h"
#include "mutate.h"
#include "scratch.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/model_tables.h"
#include "trammel/simulation/simulation.h"

// Model files: their text alone, and ten steps of what it describes.

namespace trammel::fuzz {

namespace {

// Sizes are a person's affair: a model may ask for as much as it likes. Here it may not ask for more than milliseconds.
const std::vector<std::string> small{"max_elements=200"};
constexpr std::size_t most_bodies = 40, most_parts = 400;
constexpr long steps_taken = 10;
constexpr int most_load_steps = 3, most_iterations = 100;
constexpr double most_frames = 1e4;
constexpr double longest_track = 1e4;  // [m]

std::string run_model(std::string_view text) {
  return answer(text, [&] {
    const Study study = read_study_text(std::string(text), scratch() / "model.toml", small);
    std::string said;
    for (const Issue& issue : issues(study)) said += issue.message + "\n";
    return said;
  });
}

bool is_small(const Model& model) {
  const std::size_t parts = model.joints.size() + model.forces.size() + model.contacts.size() + model.couplers.size() +
                            model.measures.size() + model.geometry.size() + model.wheels.size();
  return model.bodies.size() <= most_bodies && parts <= most_parts &&
         std::all_of(model.tracks.begin(), model.tracks.end(),
                     [](const TrackSpec& track) { return track.to - track.from <= longest_track; });
}

class Frames : public RecordSink {
 public:
  void begin(const RecordSchema&) override {}
  void frame(double, std::span<const double>) override { ++n_; }
  void step(double, std::span<const double>) override {}
  void end(const SummaryEntries& summary) override {
    for (const auto& [key, value] : summary) said += key + ": " + text_of(value) + "\n";
  }
  double n() const { return n_; }
  std::string said;

 private:
  double n_ = 0.0;
};

MotionCount motions;

std::string run_motion(std::string_view text) {
  ++motions.all;
  return answer(text, [&]() -> std::string {
    Study study = read_study_text(std::string(text), scratch() / "model.toml", small);
    if (!is_small(study.model)) return "";
    if (study.analysis.load_steps) study.analysis.load_steps = std::min(*study.analysis.load_steps, most_load_steps);
    if (study.analysis.time_steps) study.analysis.time_steps = std::min(*study.analysis.time_steps, most_load_steps);
    if (study.solver.max_iterations)
      study.solver.max_iterations = std::min(*study.solver.max_iterations, most_iterations);
    Simulation simulation(study);
    Frames frames;
    const Summary summary = simulation.run(
        frames, [&](const Progress& progress) { return progress.steps < steps_taken && frames.n() < most_frames; });
    if (summary.steps > 0) ++motions.moved;
    return frames.said + summary.to_text() + summary.failure;
  });
}

const std::vector<std::string>& model_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all{"[[",
                                 "]]",
                                 "[",
                                 "]",
                                 "{",
                                 "}",
                                 "\"",
                                 "'",
                                 "\"\"\"",
                                 "\n",
                                 " = ",
                                 ",",
                                 ".",
                                 "#",
                                 "\\u0000",
                                 "1979-05-27",
                                 "0x7f",
                                 "[[repeat]]\ncount = 3\n[[repeat.body]]\n",
                                 "[[include]]\nfile = \"part.toml\"\n",
                                 "prefix = \"p.\"\n"};
    for (const KeyTable& table : model_tables()) {
      all.push_back(table.is_list ? "[[" + table.name + "]]\n" : "[" + table.name + "]\n");
      for (const Key& key : table.keys) all.push_back(key.name + " = ");
    }
    return all;
  }();
  return words;
}

std::vector<std::string> model_seeds() { return valid_models(); }

std::string mutate_either(const std::string& text, Random& random) {
  return random.one_in(2) ? mutate_model(text, random) : mutate_text(text, random, model_words(), valid_models());
}

}  // namespace

MotionCount count_motions() { return motions; }

Target model_target() {
  return {"model", "the text of a model file", 8192, 8000, run_model, model_seeds, mutate_either};
}

Target motion_target() {
  return {"motion", "valid models, changed, and ten steps of them", 8192, 1000, run_motion, model_seeds, mutate_model};
}

}  // namespace trammel::fuzz
