// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "trammel/io/results_file.h"

namespace trammel {

/// Rows and checkpoints on their way to a thread that writes them while the run goes on, in the order in which they
/// were handed over: what is written, and when it is flushed, is what it would be without that thread.
///
/// What writing throws is thrown by the next call, and by all that follow; rows behind it are dropped.
class RowQueue {
 public:
  /// What is done with each of them; called by the thread.
  struct Receiver {
    std::function<void(double, std::span<const double>)> frame, step;
    std::function<void(ResultsCheckpoint)> checkpoint;
  };
  /// Null where the system grants no thread.
  static std::unique_ptr<RowQueue> make(Receiver receiver);
  ~RowQueue();  ///< what waits is written; errors are lost
  RowQueue(const RowQueue&) = delete;
  RowQueue& operator=(const RowQueue&) = delete;

  /// Return at once unless much is waiting.
  void frame(double t, std::span<const double> values) { add(Kind::frame, t, values); }
  void step(double t, std::span<const double> values) { add(Kind::step, t, values); }
  void checkpoint(ResultsCheckpoint checkpoint);
  void wait();  ///< until everything is written

 private:
  enum class Kind { frame, step, checkpoint };
  struct Row {
    Kind kind = Kind::frame;
    double t = 0.0;
    std::vector<double> values;
    ResultsCheckpoint checkpoint;
    std::size_t bytes() const { return values.size() * sizeof(double) + checkpoint.memory.size(); }
  };

  explicit RowQueue(Receiver receiver) : receiver_(std::move(receiver)) {}
  void start();
  void add(Kind kind, double t, std::span<const double> values);
  void push(Row row);
  Row take_old_row(Kind kind);
  void live();
  void deliver(Row& row);
  void rethrow() const;

  Receiver receiver_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::deque<Row> rows_;
  std::vector<Row> old_rows_;  // their memory is used again
  std::size_t bytes_ = 0;      // of rows that wait, and of the one that is being written
  bool busy_ = false, ends_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace trammel
