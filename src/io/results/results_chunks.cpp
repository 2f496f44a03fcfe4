// SPDX-License-Identifier: Apache-2.0
#include "results_chunks.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "results_layout.h"
#include "results_tables.h"

namespace trammel {

namespace {

static_assert(sizeof(ChunkSum) == 2 * sizeof(std::uint32_t));

// One page of the file (results_create.cpp).
constexpr std::size_t sums_bytes = 4096;

hsize_t product(const std::vector<hsize_t>& of) {
  hsize_t all = 1;
  for (const hsize_t each : of) all *= each;
  return all;
}

}  // namespace

ChunkSums::Counts ChunkSums::count_chunks(const RecordSchema& schema) {
  Counts counts;
  for (const bool solver : {false, true}) {
    const std::vector<RecordGroup>& groups = solver ? schema.solver : schema.frames;
    const std::size_t rows = rows_per_block(groups);
    for (const RecordGroup& group : groups) {
      if (group.width() == 0) continue;
      const std::size_t items = static_cast<std::size_t>(group.n_items()), each = items_per_chunk(group, rows);
      counts.emplace_back(group.path, layout::is_flat(group) ? 1 : (items + each - 1) / each);
    }
    counts.emplace_back(layout::times[solver], 1);
  }
  return counts;
}

void ChunkSums::create(hid_t file, const RecordSchema& schema, const std::filesystem::path& path) {
  std::vector<std::string> words;
  hsize_t n = 0;
  for (const auto& [at, count] : count_chunks(schema)) {
    words.push_back(fmt::format("{} {}", at, count));
    n += count;
  }
  const hsize_t rows = std::max<hsize_t>(1, sums_bytes / (n * sizeof(ChunkSum)));
  const hsize_t extent[3] = {0, n, 2}, limit[3] = {H5S_UNLIMITED, n, 2}, chunk[3] = {rows, n, 2};
  const hdf5::Handle how = hdf5::properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(how, 3, chunk);
  const hdf5::Handle space = hdf5::dataspace(H5Screate_simple(3, extent, limit));
  const hdf5::Handle made = hdf5::dataset(hdf5::check(
      H5Dcreate2(file, layout::chunk_checksums.c_str(), H5T_NATIVE_UINT32, space, H5P_DEFAULT, how, H5P_DEFAULT), path,
      "create the checksums of"));
  hdf5::write_attribute(made, "description",
                        "of each block of rows and each chunk: bytes, and CRC-32 of so many of its first bytes as they "
                        "are stored");
  hdf5::write_attribute(made, "chunks", words);
}

void ChunkSums::open(hid_t file, const std::filesystem::path& path) {
  table_ = hdf5::dataset(
      hdf5::check(H5Dopen2(file, layout::chunk_checksums.c_str(), H5P_DEFAULT), path, "open the checksums of"));
  const hdf5::Handle space = hdf5::dataspace(H5Dget_space(table_));
  H5Sget_simple_extent_dims(space, extent_, nullptr);
}

void ChunkSums::write_blocks(hsize_t first_block, hsize_t n_blocks, hsize_t first, hsize_t n, const ChunkSum* sums,
                             const std::filesystem::path& path) {
  const hsize_t start[3] = {first_block, first, 0}, count[3] = {n_blocks, n, 2};
  const hdf5::Handle space = hdf5::dataspace(H5Dget_space(table_));
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const hdf5::Handle memory = hdf5::dataspace(H5Screate_simple(3, count, nullptr));
  hdf5::check(H5Dwrite(table_, H5T_NATIVE_UINT32, memory, space, H5P_DEFAULT, sums), path, "write checksums to");
  hdf5::check(H5Dflush(table_), path, "write checksums to");
}

void ChunkSums::write(std::int64_t block, std::size_t first, std::span<const ChunkSum> sums,
                      const std::filesystem::path& path) {
  const auto at = static_cast<hsize_t>(block);
  if (at >= extent_[0]) {
    extent_[0] = at + 1;
    hdf5::check(H5Dset_extent(table_, extent_), path, "extend the checksums of");
  }
  write_blocks(at, 1, first, sums.size(), sums.data(), path);
}

RecordedSums ChunkSums::cut(std::int64_t frame_blocks, std::int64_t step_blocks, std::size_t n_of_frames,
                            const std::filesystem::path& path) {
  RecordedSums kept;
  kept.exist = true, kept.n_chunks = extent_[1];
  kept.sums.resize(extent_[0] * extent_[1]);
  hdf5::check(H5Dread(table_, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, kept.sums.data()), path,
              "read the checksums of");
  extent_[0] = std::min<hsize_t>(extent_[0], static_cast<hsize_t>(std::max(frame_blocks, step_blocks)));
  hdf5::check(H5Dset_extent(table_, extent_), path, "cut the checksums of");
  kept.sums.resize(extent_[0] * extent_[1]);
  for (hsize_t block = 0; block < extent_[0]; ++block)
    for (hsize_t i = 0; i < extent_[1]; ++i)
      if (static_cast<std::int64_t>(block) >= (i < n_of_frames ? frame_blocks : step_blocks))
        kept.sums[block * extent_[1] + i] = {};
  if (extent_[0] > 0) write_blocks(0, extent_[0], 0, extent_[1], kept.sums.data(), path);
  return kept;
}

ChunkSum RecordedSums::find(std::size_t block, std::size_t chunk) const {
  const std::size_t i = block * n_chunks + chunk;
  return chunk < n_chunks && i < sums.size() ? sums[i] : ChunkSum{};
}

RecordedSums read_chunk_sums(hid_t file, double most) {
  RecordedSums read;
  if (H5Lexists(file, layout::chunk_checksums.c_str(), H5P_DEFAULT) <= 0) return read;
  read.exist = true;
  const hdf5::OwnDataset opened = hdf5::open_own_dataset(file, layout::chunk_checksums);
  if (!opened.dataset.valid()) {
    read.trouble = opened.trouble;
    return read;
  }
  std::size_t n = 0;
  for (const std::string& words : hdf5::read_attribute(opened.dataset, "chunks")) {
    const std::size_t space = words.rfind(' ');
    const std::size_t count = space == words.npos ? 0 : std::strtoul(words.c_str() + space, nullptr, 10);
    read.places[words.substr(0, space)] = {n, count};
    n += count;
  }
  const bool fits = opened.extent.size() == 3 && opened.extent[1] == n && opened.extent[2] == 2 && n > 0 &&
                    hdf5::announced_bytes(opened, sizeof(std::uint32_t)) <= most;
  if (!fits) {
    read.trouble = "they are not of these tables";
    return read;
  }
  read.n_chunks = n;
  read.sums.resize(opened.extent[0] * n);
  if (!read.sums.empty() &&
      H5Dread(opened.dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.sums.data()) < 0)
    read.trouble = "they cannot be read (" + hdf5::error_reason() + ")";
  return read;
}

std::string find_damaged_chunk(const hdf5::OwnDataset& table, const RecordedSums& recorded, RecordedSums::Place place,
                               std::int64_t rows, bool complete, double most) {
  const hdf5::Handle how = hdf5::properties(H5Dget_create_plist(table.dataset));
  const std::size_t rank = table.extent.size();
  std::vector<hsize_t> chunk(rank);
  if (rank == 0 || rank > 3 || H5Pget_layout(how) != H5D_CHUNKED ||
      H5Pget_chunk(how, static_cast<int>(rank), chunk.data()) != static_cast<int>(rank))
    return "it is not stored in blocks of rows";
  const hsize_t whole = product(chunk) * sizeof(double), row = whole / chunk[0];
  std::vector<unsigned char> bytes;
  for (hsize_t first = 0; first < static_cast<hsize_t>(rows); first += chunk[0])
    for (std::size_t i = 0; i < place.n; ++i) {
      const hsize_t last = std::min<hsize_t>(first + chunk[0], static_cast<hsize_t>(rows));
      const std::string where = fmt::format(" (rows {} to {})", first, last - 1);
      const ChunkSum sum = recorded.find(first / chunk[0], place.first + i);
      if (sum.bytes == 0 && !complete) continue;
      const std::array<hsize_t, 3> at{first, rank > 1 ? i * chunk[1] : 0, 0};
      hsize_t size = 0;
      std::uint32_t filters = 0;
      if (H5Dget_chunk_storage_size(table.dataset, at.data(), &size) < 0 || static_cast<double>(size) > most ||
          size < sum.bytes)
        return "its numbers are lost" + where;
      // What is packed counts whole, the rest as far as it has rows.
      if (complete && sum.bytes < (size == whole ? row * (last - first) : size))
        return "there is no checksum of its numbers" + where;
      bytes.resize(size);
      if (size > 0 && H5Dread_chunk(table.dataset, H5P_DEFAULT, at.data(), &filters, bytes.data()) < 0)
        return "its numbers cannot be read" + where + ": " + hdf5::error_reason();
      if (crc32_z(0, bytes.data(), sum.bytes) != sum.crc) return "its numbers are not those that were written" + where;
    }
  return "";
}

}  // namespace trammel
