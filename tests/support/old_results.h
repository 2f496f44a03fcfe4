// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "places.h"

/// Results that earlier versions wrote and every later one shall read (tests/io/data/README.md).
namespace trammel::old_results {

/// Unpacks tests/io/data/`name`.gz as `to`. The bytes are those that the old program wrote: packed because a results
/// file reserves room in large pieces, 0.8 MB of which 10 kB say something.
inline void unpack(const std::string& name, const std::filesystem::path& to) {
  const std::filesystem::path packed = places::source_dir() / "tests/io/data" / (name + ".gz");
  gzFile in = gzopen(packed.c_str(), "rb");
  ASSERT_NE(in, nullptr) << packed;
  std::ofstream out(to, std::ios::binary);
  std::array<char, 65536> block;
  int n = 0;
  while ((n = gzread(in, block.data(), block.size())) > 0) out.write(block.data(), n);
  EXPECT_EQ(n, 0) << packed << " is damaged";
  gzclose(in);
}

}  // namespace trammel::old_results
