// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sample_run.h"
#include "trammel/io/results_file.h"

// kill −9 can end a write between two pages of memory. What HDF5 rewrites while a run goes on (the headers of datasets
// with their checksums) must therefore lie within one page. This has no other symptom than a file that cannot be opened
// after one of some hundred kills.

namespace trammel::test_torn_headers {
namespace {

constexpr std::size_t page = 4096;

// Bytes of a version 2 object header "OHDR" with its checksum (HDF5 file format, IV.A.1.b).
std::size_t header_size(const std::string& file, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(file[at + i])); };
  const std::size_t flags = byte(5), n = std::size_t{1} << (flags & 3u);
  const std::size_t size_at = 6 + ((flags & 0x20u) ? 16 : 0) + ((flags & 0x10u) ? 4 : 0);
  std::size_t size = 0;
  for (std::size_t i = 0; i < n; ++i) size |= byte(size_at + i) << (8 * i);
  return size_at + n + size + 4;
}

// Headers of datasets that grow, and all blocks of their indices (extensible arrays), begin with a page and end in it.
TEST(ResultsFile, has_no_growing_block_that_crosses_a_page) {
  const sample::Folder folder;
  const RecordSchema schema = sample::schema(300);
  ResultsFile results(folder / "run.h5");
  results.begin(schema);
  sample::write_rows(results, schema, 3000, 3000);
  results.end({});
  const std::string file = sample::read_text(folder / "run.h5");
  std::size_t n_headers = 0, n_blocks = 0;
  for (std::size_t at = 0; (at = file.find("OHDR", at)) != std::string::npos; at += 4) {
    if (at % page != 0) continue;
    EXPECT_LE(header_size(file, at), page) << "header at " << at;
    ++n_headers;
  }
  for (const char* block : {"EAHD", "EAIB", "EASB", "EADB"})
    for (std::size_t at = 0; (at = file.find(block, at)) != std::string::npos; at += 4, ++n_blocks)
      EXPECT_EQ(at % page, 0u) << block << " at " << at;
  const std::size_t n_growing = schema.frames.size() + schema.solver.size() + 3;  // the times, and the summary
  EXPECT_GE(n_headers, n_growing);
  EXPECT_GE(n_blocks, 2 * n_growing);
}

}  // namespace
}  // namespace trammel::test_torn_headers
