#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuzz/scratch.h"
#include "fuzz/targets.h"

// What libFuzzer calls. One program per target; TRAMMEL_FUZZ_TARGET is its name.

using namespace trammel::fuzz;

namespace {

const Target& target = *find_target(TRAMMEL_FUZZ_TARGET);

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t longest);

// What HDF5 does not give back of a damaged file is not ours.
const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

// `--seeds FOLDER` writes the seeds and ends.
int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || std::strcmp((*argv)[1], "--seeds") != 0) {
    scratch();
    return 0;
  }
  const std::filesystem::path folder = (*argv)[2];
  std::filesystem::create_directories(folder);
  int count = 0;
  for (const std::string& seed : target.seeds())
    std::ofstream(folder / ("seed_" + std::to_string(++count)), std::ios::binary) << seed;
  std::exit(0);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string broken = target.run({reinterpret_cast<const char*>(data), size});
  if (broken.empty()) return 0;
  std::fprintf(stderr, "broken claim: %s\n", broken.c_str());
  std::abort();
}

// Ours knows what the bytes mean, libFuzzer's what the program compares them with.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t longest, unsigned seed) {
  Random random(seed);
  if (random.one_in(4)) return LLVMFuzzerMutate(data, size, longest);
  std::string bytes = target.mutate({reinterpret_cast<const char*>(data), size}, random);
  if (bytes.size() > longest) bytes.resize(longest);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
}
