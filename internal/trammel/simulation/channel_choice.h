// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trammel/simulation/record.h"

namespace trammel {

/// The channels of a run that are kept: those that the words of `channels` in [output] name.
///
/// A word is a channel as everywhere ("rod.position", "/bodies/rod/position", "height"), or a pattern with `*` and `?`
/// of their dotted names ("rod.*"). Components of a channel stay together. Channels of steps ("solver.…") are kept
/// whole, unless a word names some of them.
struct ChannelChoice {
  RecordSchema schema;             ///< what is kept; attributes `channels` and `left_out` say what was asked and missed
  std::vector<int> frames, steps;  ///< the kept numbers of a row, by their columns in the whole one
  std::string note;                ///< one line for a person; empty: everything is kept
};

/// Throws InputError, one issue at `place` for each word that names nothing.
ChannelChoice choose_channels(const RecordSchema& all, std::span<const std::string> words, const std::string& place);

/// How many numbers of a frame are kept; words that name nothing keep none. Absent words keep everything.
int count_kept_numbers(const RecordSchema& all, const std::optional<std::vector<std::string>>& words);

/// Passes the kept numbers of rows on to another sink, which has seen the kept schema.
class ChosenChannelsSink final : public RecordSink {
 public:
  ChosenChannelsSink(RecordSink& sink, const ChannelChoice& choice);

  void begin(const RecordSchema& schema) override { sink_.begin(schema); }
  void frame(double t, std::span<const double> values) override {
    sink_.frame(t, pick(values, choice_.frames, frame_));
  }
  void step(double t, std::span<const double> values) override { sink_.step(t, pick(values, choice_.steps, step_)); }
  void checkpoint(double t, std::span<const std::byte> memory) override { sink_.checkpoint(t, memory); }
  void end(const SummaryEntries& summary) override { sink_.end(summary); }

 private:
  static std::span<const double> pick(std::span<const double> values, const std::vector<int>& columns,
                                      std::vector<double>& row);

  RecordSink& sink_;
  const ChannelChoice& choice_;
  std::vector<double> frame_, step_;
};

}  // namespace trammel
