// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/threads.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "trammel/base/crew.h"
#include "trammel/base/error.h"

namespace trammel {

namespace {

/// A thread that waits looks this often before it sleeps, some 20 µs: rounds of one evaluation follow each other faster
/// than a sleeping thread wakes.
constexpr int looks_before_sleep = 1000;

void pause_a_little() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `word` is no longer `old`.
template <class T>
void wait_for_change(const std::atomic<T>& word, T old) {
  for (int look = 0; look < looks_before_sleep; ++look) {
    if (word.load(std::memory_order_acquire) != old) return;
    pause_a_little();
  }
  word.wait(old, std::memory_order_acquire);
}

constexpr int any_number = 1 << 20;  // no limit

int count_by_affinity() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than 1024 of them
}

/// "QUOTA PERIOD" in microseconds, "max" for no limit: version 2 in one file, version 1 in two.
int count_by_control_group() {
  std::string quota;
  double period = 0.0;
  if (std::ifstream file("/sys/fs/cgroup/cpu.max"); !(file >> quota >> period)) {
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  }
  double granted = 0.0;
  const auto [end, error] = std::from_chars(quota.data(), quota.data() + quota.size(), granted);
  if (error != std::errc() || !(granted > 0.0) || !(period > 0.0)) return any_number;
  return static_cast<int>(std::ceil(granted / period));
}

int count_by_job() {
  const char* word = std::getenv("SLURM_CPUS_PER_TASK");
  int n = 0;
  const std::string_view text = word != nullptr ? word : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && n > 0 ? n : any_number;
}

}  // namespace

int count_allowed_cores() {
  return std::max(1, std::min({count_by_affinity(), count_by_control_group(), count_by_job()}));
}

ThreadScope::ThreadScope(int n_threads) : before_(Crew::mine_) {
  if (n_threads < 1 || n_threads > 1024)
    throw InputError(fmt::format("{} threads cannot be used: the number must lie in 1 … 1024", n_threads));
  if (n_threads > 1) crew_ = std::make_unique<Crew>(n_threads);
  Crew::mine_ = crew_.get();
}

ThreadScope::~ThreadScope() { Crew::mine_ = before_; }

int ThreadScope::n_used() const { return crew_ && crew_->started() ? crew_->size() : 1; }

thread_local constinit Crew* Crew::mine_ = nullptr;

Crew::~Crew() {
  ends_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  others_.clear();  // joined while everything they look at is still there
}

// Signals are for the threads of the program. Where the system grants fewer threads than were asked for, those that
// there are do all the work.
void Crew::start() {
  others_.reserve(static_cast<std::size_t>(n_threads_ - 1));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (int k = 1; k < n_threads_; ++k) others_.emplace_back([this] { live(); });
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Crew::live() {
  std::uint32_t seen = 0;
  for (;;) {
    wait_for_change(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (ends_.load(std::memory_order_relaxed)) return;
    take_items(seen);
  }
}

// An item of this round, while there is one. Of a round that has ended no item can be taken any more: then what is read
// here of the next one is not used.
void Crew::take_items(std::uint32_t round) {
  std::uint64_t next = next_.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(next >> 32) == round) {
    const Call call = call_.load(std::memory_order_relaxed);
    const void* const context = context_.load(std::memory_order_relaxed);
    const std::uint32_t n = n_items_.load(std::memory_order_relaxed), item = static_cast<std::uint32_t>(next);
    if (item >= n) break;
    if (!next_.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) continue;
    call(context, static_cast<int>(item));
    if (n_done_.fetch_add(1, std::memory_order_acq_rel) + 1 == n) n_done_.notify_one();
    next = next_.load(std::memory_order_acquire);
  }
}

void Crew::run(int n, Call call, const void* context) {
  Crew* const mine = std::exchange(mine_, nullptr);
  if (others_.empty()) start();
  const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
  call_.store(call, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  n_items_.store(static_cast<std::uint32_t>(n), std::memory_order_relaxed);
  n_done_.store(0, std::memory_order_relaxed);
  next_.store(static_cast<std::uint64_t>(round) << 32, std::memory_order_release);
  round_.store(round, std::memory_order_release);
  round_.notify_all();
  take_items(round);
  for (std::uint32_t done; (done = n_done_.load(std::memory_order_acquire)) != static_cast<std::uint32_t>(n);)
    wait_for_change(n_done_, done);
  mine_ = mine;
}

}  // namespace trammel
