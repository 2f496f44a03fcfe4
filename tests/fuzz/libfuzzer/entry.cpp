// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/scratch.h"
#include "fuzz/targets.h"

// What libFuzzer calls. The program's first word is the name of a target; `--seeds FOLDER` behind it writes the seeds
// there and ends, everything else is libFuzzer's.

using namespace trammel::fuzz;

namespace {

const Target* target = nullptr;

// Stated in docs/robustness.md. What stands behind the name of the target has the last word.
constexpr int longest_seconds = 30, most_megabytes = 2048;

[[noreturn]] void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int count = 0;
  for (const std::string& seed : target->seeds())
    std::ofstream(folder / ("seed_" + std::to_string(++count)), std::ios::binary) << seed;
  std::exit(0);
}

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t longest);

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static std::vector<std::string> words(*argv, *argv + *argc);
  target = words.size() < 2 ? nullptr : find_target(words[1]);
  if (target == nullptr) {
    for (const Target& each : targets()) std::printf("%-12s%s\n", each.name.c_str(), each.what.c_str());
    std::exit(words.size() < 2 ? 0 : 2);
  }
  if (words.size() == 4 && words[2] == "--seeds") write_seeds(words[3]);
  // Entropic scheduling would cost two thirds of the time: models touch tens of thousands of features.
  words[1] = "-max_len=" + std::to_string(target->longest);
  words.insert(words.begin() + 1, {"-timeout=" + std::to_string(longest_seconds),
                                   "-rss_limit_mb=" + std::to_string(most_megabytes), "-len_control=0", "-entropic=0"});
  static std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  *argc = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  *argv = pointers.data();
  scratch();
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string broken = target->run({reinterpret_cast<const char*>(data), size});
  if (broken.empty()) return 0;
  std::fprintf(stderr, "broken claim: %s\n", broken.c_str());
  std::abort();
}

// Ours knows what the bytes mean, libFuzzer's what the program compares them with.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t longest, unsigned seed) {
  Random random(seed);
  if (random.one_in(4)) return LLVMFuzzerMutate(data, size, longest);
  std::string bytes = target->mutate({reinterpret_cast<const char*>(data), size}, random);
  if (bytes.size() > longest) bytes.resize(longest);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
}
