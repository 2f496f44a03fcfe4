// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The doors through which bytes of others come in. Each target is a function of bytes; three drivers call it:
/// libFuzzer with sanitizers (`./dev fuzz`), a fixed number of mutations in `./dev test`, and the inputs that once
/// broke something (corpus/).
namespace trammel::fuzz {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : engine_() % n; }  ///< 0 … n − 1; 0 for n = 0
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  const auto& pick(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937 engine_;
};

struct Target {
  std::string name;
  std::string what;     ///< one line for a person
  std::size_t longest;  ///< [B] inputs are not longer
  int test_inputs;      ///< how many `./dev test` makes
  /// What the program does with such bytes. The claim that they broke, empty: none. Beside that they may not crash,
  /// hang, or make a sanitizer speak.
  std::string (*run)(std::string_view bytes);
  std::vector<std::string> (*seeds)();
  std::string (*mutate)(const std::string& bytes, Random& random);
};

const std::vector<Target>& targets();
const Target* find_target(std::string_view name);

/// Models that the target `motion` has moved so far in this process, and all that it has been given.
struct MotionCount {
  long moved = 0, all = 0;
};
MotionCount count_motions();

Target model_target();
Target motion_target();
Target expression_target();
Target results_target();
Target mesh_target();
Target table_target();
Target urdf_target();

}  // namespace trammel::fuzz
