// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trammel/base/error.h"

/// What a simulation records, as plain data: the seam between whoever produces numbers (simulation) and whoever keeps
/// them (the results file, the memory of a test). Neither knows the other.
namespace trammel {

/// One recorded quantity of many items of the same kind, kept as one wide table [row, item, component].
///
/// Thousands of bodies make a few wide groups, never thousands of groups: one dataset per body costs 31 ms per frame
/// where a wide one costs 0.08 ms (3000 bodies, measured).
struct RecordGroup {
  std::string path;                     ///< "/frames/position" or "/solver/iterations"; the last word is the quantity
  std::vector<std::string> names;       ///< one per item: body, joint, measure names; unique. Empty: nothing recorded
  std::vector<std::string> components;  ///< "x", "y", "z"; empty or one word: one number per item
  std::string unit;                     ///< "m"; empty: a pure number
  std::string description;              ///< one line for a person
  std::string view;  ///< where a person looks for one item: "/bodies/{name}/position"; empty: only the wide table
  std::vector<std::string> item_units{};  ///< empty, or one unit per item where they differ (measures); replaces `unit`

  /// One number per row, for example the step size: its only item bears the name of the quantity.
  static RecordGroup scalar(std::string path, std::string unit, std::string description);

  int n_items() const { return static_cast<int>(names.size()); }
  int n_components() const { return components.empty() ? 1 : static_cast<int>(components.size()); }
  int width() const { return n_items() * n_components(); }  ///< numbers per row
  std::string quantity() const;                             ///< the last word of `path`
  const std::string& unit_of(int item) const;
};

/// Where a table stands in a schema, and its numbers in a row of values.
struct TablePlace {
  bool solver = false;  ///< in schema.solver and the rows of steps, else in schema.frames and the rows of frames
  int group = -1;       ///< −1: there is no such table
  int column = 0;       ///< of its first number
  int width = 0;        ///< its numbers
  explicit operator bool() const { return group >= 0; }
};

/// A file that a model was made of, beside the model file itself.
struct RecordedFile {
  std::string name;   ///< relative to the folder of the model file
  std::string bytes;  ///< all of it
};

/// Everything a run will record, known before the first number is written (the results file depends on that).
struct RecordSchema {
  std::vector<RecordGroup> frames;                ///< one row per recorded time; paths below /frames/
  std::vector<RecordGroup> solver;                ///< one row per integrator step; paths below /solver/
  std::map<std::string, std::string> attributes;  ///< title, trammel_version, model (the text), settings, created ...
  std::vector<RecordedFile> files{};              ///< that the model includes or names
  bool checkpoints = false;                       ///< whether RecordSink::checkpoint() may be called

  int frame_width() const;  ///< numbers per frame, the time not counted
  int step_width() const;   ///< numbers per step, the time not counted

  /// A table by its path: "/frames/position", "/solver/h". Nobody relies on the order of tables.
  TablePlace find_table(std::string_view path) const;

  /// Everything wrong at once: paths outside their folder or used twice, names used twice, views without {name} ...
  std::vector<Issue> issues() const;
};

/// What is said of a run when it has ended, by name: numbers stay numbers until somebody writes them down.
using SummaryValue = std::variant<bool, long, double, std::string>;
using SummaryEntries = std::map<std::string, SummaryValue>;
/// "true", "12", "0.1", or the text itself.
std::string text_of(const SummaryValue& value);
std::map<std::string, std::string> texts_of(const SummaryEntries& summary);

/// Receives a run. Values come concatenated: group after group in schema order, in each group item after item, in
/// each item component after component. `frame` and `step` must not allocate after the first calls.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void begin(const RecordSchema& schema) = 0;
  virtual void frame(double t, std::span<const double> values) = 0;
  virtual void step(double t, std::span<const double> values) = 0;
  /// The run can go on from here, behind all rows so far, given this memory (Simulation::resume).
  virtual void checkpoint(double /*t*/, std::span<const std::byte> /*memory*/) {}
  /// The run ended (well or not); `summary` says how: why it stopped, steps, iterations, wall time ...
  virtual void end(const SummaryEntries& summary) = 0;
};

/// One channel over time: `values` has one row per time and one column per component.
struct Series {
  std::string name;  ///< "rod.position" or "rod.position.x"
  std::vector<std::string> components;
  std::string unit;
  std::vector<double> time;
  Eigen::MatrixXd values;
};

/// Keeps a run in memory, for tests, for users of the library and for checks that need no file.
class MemoryRecord : public RecordSink {
 public:
  /// Room for this many rows, so that recording them does not allocate.
  explicit MemoryRecord(int n_frames = 0, int n_steps = 0) : reserve_frames_(n_frames), reserve_steps_(n_steps) {}

  void begin(const RecordSchema& schema) override;
  void frame(double t, std::span<const double> values) override;
  void step(double t, std::span<const double> values) override;
  void end(const SummaryEntries& summary) override;

  const RecordSchema& schema() const { return schema_; }
  const SummaryEntries& summary() const { return summary_; }
  bool ended() const { return ended_; }
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& step_times() const { return step_times_; }
  std::span<const double> frame_values(int row) const;  ///< one frame, concatenated as it came
  std::span<const double> step_values(int row) const;

  /// A channel by name: "rod.position", "rod.position.x", "/bodies/rod/position", "solver.h"; see ChannelIndex.
  Series read(std::string_view name) const;

 private:
  int reserve_frames_, reserve_steps_;
  int frame_width_ = 0, step_width_ = 0;
  bool ended_ = false;
  RecordSchema schema_;
  std::vector<double> times_, step_times_, frames_, steps_;
  SummaryEntries summary_;
};

}  // namespace trammel
