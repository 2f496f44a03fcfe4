// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/types.h"

namespace trammel {

std::vector<double> State::to_numbers() const {
  std::vector<double> numbers{static_cast<double>(charts.size()), static_cast<double>(branches.size()),
                              static_cast<double>(modes.size()), static_cast<double>(version)};
  for (const Chart& chart : charts) {
    numbers.insert(numbers.end(), chart.R_ref.data(), chart.R_ref.data() + 9);
    numbers.insert(numbers.end(), chart.theta.data(), chart.theta.data() + 3);
  }
  for (const Branch& branch : branches)
    numbers.insert(numbers.end(), {branch.t, branch.angle, branch.rate, branch.planar_turns});
  numbers.insert(numbers.end(), modes.begin(), modes.end());
  return numbers;
}

State State::from_numbers(std::span<const double> numbers) {
  State state;
  state.charts.resize(static_cast<std::size_t>(numbers[0]));
  state.branches.resize(static_cast<std::size_t>(numbers[1]));
  state.modes.resize(static_cast<std::size_t>(numbers[2]));
  state.version = static_cast<std::uint64_t>(numbers[3]);
  const double* next = numbers.data() + 4;
  for (Chart& chart : state.charts) {
    std::copy(next, next + 9, chart.R_ref.data());
    std::copy(next + 9, next + 12, chart.theta.data());
    next += 12;
  }
  for (Branch& branch : state.branches) {
    branch = {next[0], next[1], next[2], next[3]};
    next += 4;
  }
  for (int& mode : state.modes) mode = static_cast<int>(*next++);
  return state;
}

}  // namespace trammel
