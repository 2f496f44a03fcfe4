// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "support/at_once.h"
#include "trammel/base/crew.h"
#include "trammel/base/error.h"
#include "trammel/base/shared_parts.h"

namespace trammel::test_threads {
namespace {

// Rounds of few items follow each other faster than threads wake: one that comes late must not take part in the next
// round with the work of the last.
TEST(Crew, calls_every_item_of_every_round_once) {
  const ThreadScope scope(4);
  for (int round = 0; round < 20000; ++round) {
    const int n = 1 + round % 7;
    std::array<std::atomic<int>, 7> calls{};
    Crew::mine()->for_each(n, [&](int i) { calls[static_cast<std::size_t>(i)].fetch_add(1); });
    for (int i = 0; i < 7; ++i) ASSERT_EQ(calls[static_cast<std::size_t>(i)], i < n ? 1 : 0) << round;
  }
  EXPECT_EQ(scope.n_used(), 4);
}

TEST(Crew, lets_several_threads_work_at_the_same_moment) {
  const ThreadScope scope(2);
  std::atomic<int> inside = 0;
  Crew::mine()->for_each(2, [&](int) {
    ++inside;
    while (inside < 2) std::this_thread::yield();  // for ever, if one waited for the other
  });
  EXPECT_EQ(inside, 2);
}

TEST(Crew, covers_a_range_without_gaps_and_overlaps) {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadScope scope(threads);
    for (const long n : {0L, 1L, 99L, 200L, 1000L, 12345L}) {
      std::vector<int> calls(static_cast<std::size_t>(n), 0);
      share(n, 100, [&](long first, long last) {
        for (long i = first; i < last; ++i) ++calls[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), n) << threads << " threads, " << n;
    }
  }
}

TEST(Crew, is_not_called_by_its_own_items) {
  const ThreadScope scope(3);
  std::atomic<int> sum = 0;
  share_items(5, [&](int) {
    EXPECT_EQ(Crew::mine(), nullptr);
    share_items(7, [&](int i) { sum += i; });
  });
  EXPECT_EQ(sum, 5 * 21);
  EXPECT_NE(Crew::mine(), nullptr) << "afterwards it is there again";
}

// Sums of numbers of very different size: every change of their order would be seen.
TEST(SharedParts, have_the_same_sums_for_any_number_of_threads) {
  constexpr int n_items = 5000, n_places = 4000;
  struct Item {
    int places[2];
    double value;
  };
  std::mt19937 engine(11);
  std::uniform_int_distribution<int> near(0, 30);
  std::uniform_real_distribution<double> size(-20.0, 20.0);
  std::vector<Item> items;
  for (int i = 0; i < n_items; ++i) {
    const int at = i * (n_places - 40) / n_items;
    items.push_back({{at + near(engine), at + near(engine)}, std::exp(size(engine))});
  }
  const SharedParts parts(n_items, 100, n_places, [&](int i, const SharedParts::Visit& visit) {
    for (const int place : items[static_cast<std::size_t>(i)].places) visit(place);
  });
  ASSERT_TRUE(parts.divided());
  const auto sum = [&](int threads) {
    const ThreadScope scope(threads);
    std::vector<double> sums(n_places, 0.0);
    std::vector<int> calls(n_items, 0);
    parts.share([&](int first, int last) {
      for (int i = first; i < last; ++i) {
        const Item& item = items[static_cast<std::size_t>(i)];
        ++calls[static_cast<std::size_t>(i)];
        for (const int place : item.places) sums[static_cast<std::size_t>(place)] += item.value;
      }
    });
    EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), n_items) << "each item once";
    return sums;
  };
  const std::vector<double> alone = sum(1);
  for (int repetition = 0; repetition < 20; ++repetition)
    for (const int threads : {2, 4}) EXPECT_TRUE(sum(threads) == alone) << threads << " threads";
  std::vector<double> exact(n_places, 0.0);
  for (const Item& item : items)
    for (const int place : item.places) exact[static_cast<std::size_t>(place)] += item.value;
  for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(alone[k], exact[k], 1e-14 * exact[k]);
}

// Rods of a net, those along it before those across: each knot has rods of both kinds, far from each other in the list.
TEST(SharedParts, leave_nothing_of_a_net_to_one_thread) {
  constexpr int n = 60;
  std::vector<std::pair<int, int>> rods;
  for (int i = 0; i + 1 < n; ++i)
    for (int j = 0; j < n; ++j) rods.emplace_back(i * n + j, (i + 1) * n + j);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j + 1 < n; ++j) rods.emplace_back(i * n + j, i * n + j + 1);
  const int n_rods = static_cast<int>(rods.size());
  const SharedParts parts(n_rods, 1000, n * n, [&](int i, const SharedParts::Visit& visit) {
    visit(rods[static_cast<std::size_t>(i)].first), visit(rods[static_cast<std::size_t>(i)].second);
  });
  ASSERT_TRUE(parts.divided());
  const ThreadScope scope(2);
  std::atomic<int> n_shared = 0;
  parts.share([&](int first, int last) {
    EXPECT_EQ(Crew::mine(), nullptr) << "it is one of several";
    n_shared += last - first;
  });
  EXPECT_EQ(n_shared, n_rods);
}

// Nearly every item has a neighbour in another part.
TEST(SharedParts, are_not_made_of_items_in_no_order) {
  std::mt19937 engine(5);
  std::uniform_int_distribution<int> anywhere(0, 999);
  std::vector<std::pair<int, int>> items(5000);
  for (auto& [a, b] : items) a = anywhere(engine), b = anywhere(engine);
  const SharedParts parts(5000, 100, 1000, [&](int i, const SharedParts::Visit& visit) {
    const auto& [a, b] = items[static_cast<std::size_t>(i)];
    visit(a), visit(b);
  });
  EXPECT_FALSE(parts.divided());
}

TEST(ThreadScope, belongs_to_the_thread_that_made_it_and_ends_with_it) {
  EXPECT_EQ(Crew::mine(), nullptr);
  {
    const ThreadScope outer(2);
    Crew* const first = Crew::mine();
    std::jthread([] { EXPECT_EQ(Crew::mine(), nullptr); }).join();
    {
      const ThreadScope inner(1);
      EXPECT_EQ(Crew::mine(), nullptr) << "one thread has nobody to share with";
    }
    EXPECT_EQ(Crew::mine(), first);
  }
  EXPECT_EQ(Crew::mine(), nullptr);
}

TEST(ThreadScope, starts_no_thread_before_there_is_work) {
  const ThreadScope scope(2);
  share(100, 100, [](long, long) {});
  EXPECT_EQ(scope.n_used(), 1);
  share(200, 100, [](long, long) {});
  EXPECT_EQ(scope.n_used(), 2);
}

TEST(ThreadScope, serves_several_threads_at_once) {
  std::array<long, 4> sums{};
  testing::at_once(4, [&](int k) {
    const ThreadScope scope(2);
    std::array<long, 64> parts{};
    for (int round = 0; round < 200; ++round) share_items(64, [&](int i) { parts[static_cast<std::size_t>(i)] += i; });
    sums[static_cast<std::size_t>(k)] = std::accumulate(parts.begin(), parts.end(), 0L);
  });
  for (const long sum : sums) EXPECT_EQ(sum, 200L * 63 * 64 / 2);
}

TEST(ThreadScope, refuses_numbers_that_are_none) {
  for (const int n : {-1, 0, 1025}) EXPECT_THROW(ThreadScope scope(n), InputError) << n;
}

TEST(AllowedCores, are_those_of_the_affinity_and_of_the_job) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(count_allowed_cores(), 1);
  EXPECT_LE(count_allowed_cores(), CPU_COUNT(&before));
  const char* const given = std::getenv("SLURM_CPUS_PER_TASK");
  const std::string kept = given != nullptr ? given : "";
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  EXPECT_EQ(count_allowed_cores(), 1);
  setenv("SLURM_CPUS_PER_TASK", "none", 1);
  EXPECT_LE(count_allowed_cores(), CPU_COUNT(&before)) << "no number is no limit";
  given != nullptr ? setenv("SLURM_CPUS_PER_TASK", kept.c_str(), 1) : unsetenv("SLURM_CPUS_PER_TASK");

  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(count_allowed_cores(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace trammel::test_threads
