// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <thread>
#include <vector>

namespace trammel::testing {

/// Calls work(i) for i = 0 … n−1 in a thread each, all at the same moment.
template <class Work>
void at_once(int n, const Work& work) {
  std::barrier ready(n);
  std::vector<std::jthread> threads;
  for (int i = 0; i < n; ++i)
    threads.emplace_back([&, i] {
      ready.arrive_and_wait();
      work(i);
    });
}

}  // namespace trammel::testing
