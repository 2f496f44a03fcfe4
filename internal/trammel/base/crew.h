// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace trammel {

/// The threads of one ThreadScope. They sleep until the thread that owns the scope has items to share, and take them
/// one by one together with it.
///
/// *The same bits for any number of threads*: who takes an item, and when, is left to chance; so an item writes to
/// places of its own only, and reads nothing that another one writes. Sums over items are formed afterwards, in their
/// order, by the caller. Whoever splits work therefore shows that no number depends on where it was split, or splits by
/// the machine alone.
///
/// An item must not throw and does not allocate. Items that share work again do it alone: a crew is not called by
/// itself.
class Crew {
 public:
  explicit Crew(int n_threads) : n_threads_(n_threads) {}
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return n_threads_; }
  bool started() const { return !others_.empty(); }

  /// work(i) for i = 0 … n − 1; returns when all are done.
  template <class Work>
  void for_each(int n, const Work& work) {
    run(
        n, [](const void* context, int i) noexcept { (*static_cast<const Work*>(context))(i); }, &work);
  }

  /// That of the calling thread; null: it has none, or is already at work on an item.
  static Crew* mine() { return mine_; }

 private:
  friend class ThreadScope;
  using Call = void (*)(const void*, int) noexcept;

  void run(int n, Call call, const void* context);
  void start();
  void live();
  void take_items(std::uint32_t round);

  static thread_local constinit Crew* mine_;

  const int n_threads_;
  std::vector<std::jthread> others_;
  // A round is one call of run(). The number of the round and of its next item are one word: whoever takes an item
  // knows by it that the round still goes on, so that nobody waits for a thread that sleeps.
  std::atomic<std::uint64_t> next_{0};
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> context_{nullptr};
  std::atomic<std::uint32_t> n_items_{0}, n_done_{0}, round_{0};
  std::atomic<bool> ends_{false};
};

/// work(first, last) over pieces of 0 … n − 1, shared among the threads of the caller; at once where there is nobody to
/// share with or n is smaller than two pieces of `least`. Nothing may depend on where the pieces end.
template <class Work>
void share(long n, long least, const Work& work) {
  Crew* const crew = n >= 2 * least ? Crew::mine() : nullptr;
  if (crew == nullptr) return work(0L, n);
  const long pieces = std::min(n / least, 4L * crew->size());  // of different cost: who is done first takes the next
  crew->for_each(static_cast<int>(pieces), [&](int i) { work(n * i / pieces, n * (i + 1) / pieces); });
}

/// work(i) for i = 0 … n − 1, shared among the threads of the caller.
template <class Work>
void share_items(int n, const Work& work) {
  Crew* const crew = n > 1 ? Crew::mine() : nullptr;
  if (crew != nullptr) return crew->for_each(n, work);
  for (int i = 0; i < n; ++i) work(i);
}

}  // namespace trammel
