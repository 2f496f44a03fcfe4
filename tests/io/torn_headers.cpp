#include <gtest/gtest.h>

#include "sample_run.h"
#include "trammel/io/results_file.h"

// kill −9 can end a write between two pages of memory. What HDF5 rewrites while a run goes on (the headers of datasets
// with their checksums) must therefore lie within one page. This has no other symptom than a file that cannot be opened
// after one of some hundred kills.

namespace trammel {
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

TEST(ResultsFile, has_no_header_that_crosses_a_page) {
  const sample::Folder folder;
  const RecordSchema schema = sample::schema(40);
  ResultsFile results(folder / "run.h5");
  results.begin(schema);
  sample::write_rows(results, schema, 50, 50);
  results.end({});
  const std::string file = sample::read_text(folder / "run.h5");
  int n_headers = 0;
  for (std::size_t at = 0; (at = file.find("OHDR", at)) != std::string::npos; at += 4, ++n_headers)
    EXPECT_EQ(at / page, (at + header_size(file, at) - 1) / page) << "header at " << at;
  EXPECT_GT(n_headers, 120);  // a view of each quantity of each body, and more
}

}  // namespace
}  // namespace trammel
