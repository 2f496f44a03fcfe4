// SPDX-License-Identifier: Apache-2.0
#include "row_queue.h"

#include <signal.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace trammel {

namespace {

// Where more than this waits, whoever hands over waits as well: memory is for the machine.
constexpr std::size_t most_bytes = 64 * 1024 * 1024;
constexpr std::size_t most_old_rows = 8;

}  // namespace

std::unique_ptr<RowQueue> RowQueue::make(Receiver receiver) {
  std::unique_ptr<RowQueue> queue(new RowQueue(std::move(receiver)));
  queue->old_rows_.reserve(most_old_rows);
  try {
    queue->start();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return queue;
}

// Signals are for the threads of the program.
void RowQueue::start() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { live(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RowQueue::~RowQueue() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RowQueue::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

RowQueue::Row RowQueue::take_old_row(Kind kind) {
  const std::lock_guard lock(mutex_);
  const auto old = std::find_if(old_rows_.begin(), old_rows_.end(), [&](const Row& row) { return row.kind == kind; });
  if (old == old_rows_.end()) return {kind, 0.0, {}, {}};
  Row row = std::move(*old);
  *old = std::move(old_rows_.back());
  old_rows_.pop_back();
  return row;
}

void RowQueue::add(Kind kind, double t, std::span<const double> values) {
  Row row = take_old_row(kind);
  row.t = t;
  row.values.assign(values.begin(), values.end());
  push(std::move(row));
}

void RowQueue::checkpoint(ResultsCheckpoint checkpoint) { push({Kind::checkpoint, 0.0, {}, std::move(checkpoint)}); }

void RowQueue::push(Row row) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return bytes_ <= most_bytes || failure_; });
  rethrow();
  bytes_ += row.bytes();
  rows_.push_back(std::move(row));
  lock.unlock();
  changed_.notify_all();
}

void RowQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return (rows_.empty() && !busy_) || failure_; });
  rethrow();
}

void RowQueue::live() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !rows_.empty() || ends_; });
    if (rows_.empty()) return;
    Row row = std::move(rows_.front());
    rows_.pop_front();
    busy_ = true;
    const std::size_t bytes = row.bytes();
    const bool dropped = failure_ != nullptr;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (!dropped) deliver(row);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) failure_ = failure;
    busy_ = false;
    bytes_ -= bytes;
    if (row.kind != Kind::checkpoint && old_rows_.size() < most_old_rows) old_rows_.push_back(std::move(row));
    changed_.notify_all();
  }
}

void RowQueue::deliver(Row& row) {
  switch (row.kind) {
    case Kind::frame:
      return receiver_.frame(row.t, row.values);
    case Kind::step:
      return receiver_.step(row.t, row.values);
    case Kind::checkpoint:
      return receiver_.checkpoint(std::move(row.checkpoint));
  }
}

}  // namespace trammel
