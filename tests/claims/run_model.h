// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "places.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

/// How a run ended and what it recorded.
struct Recorded {
  Summary summary;
  MemoryRecord record;

  /// All values of a channel, one row per time.
  Eigen::MatrixXd values(const std::string& channel) const { return record.read(channel).values; }
  Eigen::VectorXd last(const std::string& channel) const {
    const Eigen::MatrixXd all = values(channel);
    return all.row(all.rows() - 1).transpose();
  }
  double last_value(const std::string& channel) const { return last(channel)[0]; }
  const std::vector<double>& times() const { return record.times(); }
};

inline Recorded run(const Study& study) {
  Recorded run;
  try {
    Simulation simulation(study);
    run.summary = simulation.run(run.record);
  } catch (const InputError& error) {
    ADD_FAILURE() << error.what();
    throw;
  }
  EXPECT_TRUE(run.summary.completed) << run.summary.stop << "\n" << run.summary.failure;
  return run;
}

using SetList = std::vector<std::string>;

inline std::string example(const std::string& file) { return places::source_dir().string() + "/examples/" + file; }

/// An example by its path below examples/.
inline Recorded run_example(const std::string& file, const SetList& settings = {}) {
  return run(read_study(example(file), settings));
}

inline Recorded run_text(const std::string& text, const SetList& settings = {}) {
  return run(read_study_text(text, "model.toml", settings));
}

inline std::string replace_once(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::invalid_argument("no '" + from + "' in the model text");
  return text.replace(at, from.size(), to);
}

inline std::string set(const std::string& key, double value) { return fmt::format("{}={:.17g}", key, value); }

/// The observed order between two steps whose ratio is 2.
inline double observed_order(double error_large, double error_small) { return std::log2(error_large / error_small); }

/// Second order and not third: the error falls by 4, give or take the next term of its expansion, which is this much of
/// an order at the steps used here.
inline constexpr double order_margin = 0.25;

}  // namespace trammel
