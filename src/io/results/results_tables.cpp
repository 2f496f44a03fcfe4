// SPDX-License-Identifier: Apache-2.0
#include "results_tables.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "results_layout.h"
#include "trammel/io/results_reader.h"

namespace trammel {

namespace {

// Rows of a block: some megabytes that wait in memory, so that chunks of narrow quantities are worth packing. At most
// 1024, so that the chunks of a short run are small.
constexpr std::size_t block_bytes = 4 * 1024 * 1024;
constexpr std::size_t most_block_rows = 1024;
// A chunk that is larger is cut along its items, so that reading one item stays affordable.
constexpr std::size_t chunk_bytes = 256 * 1024;
// Effort of deflate: more takes several times as long for some percent.
constexpr int deflate_level = 1;
// What shrinks by less is stored as it is.
constexpr double worth_packing = 0.9;
// Both filters of a chunk are passed over: H5Pset_shuffle and H5Pset_deflate, in this order.
constexpr std::uint32_t no_filters = 3, all_filters = 0;

// Byte k of all numbers, then byte k + 1: what HDF5's filter does. Exponents and leading digits are neighbours then.
void shuffle(std::span<const double> numbers, unsigned char* to) {
  const auto* from = reinterpret_cast<const unsigned char*>(numbers.data());
  const std::size_t n = numbers.size();
  for (std::size_t k = 0; k < sizeof(double); ++k)
    for (std::size_t i = 0; i < n; ++i) to[k * n + i] = from[i * sizeof(double) + k];
}

}  // namespace

std::size_t rows_per_block(const std::vector<RecordGroup>& groups) {
  std::size_t width = 1;  // the time
  for (const RecordGroup& group : groups) width += static_cast<std::size_t>(group.width());
  return std::clamp<std::size_t>(block_bytes / (sizeof(double) * width), 1, most_block_rows);
}

std::size_t items_per_chunk(const RecordGroup& group, std::size_t rows) {
  const auto items = static_cast<std::size_t>(group.n_items());
  const std::size_t bytes = rows * static_cast<std::size_t>(group.width()) * sizeof(double);
  const std::size_t pieces = (bytes + chunk_bytes - 1) / chunk_bytes;
  return pieces <= 1 ? items : std::max<std::size_t>(1, (items + pieces - 1) / pieces);
}

RowTable open_table(hid_t file, const std::filesystem::path& path, const std::string& time_path,
                    const std::vector<RecordGroup>& groups, std::size_t first_sum) {
  RowTable table;
  table.capacity_ = rows_per_block(groups);
  table.first_sum_ = first_sum;
  std::size_t n_chunks = 0;
  const auto open = [&](const std::string& at) {
    RowTable::Column column;
    column.dataset = hdf5::dataset(hdf5::check(H5Dopen2(file, at.c_str(), H5P_DEFAULT), path, "open '" + at + "' in"));
    const hdf5::Handle space = hdf5::dataspace(H5Dget_space(column.dataset));
    column.extent.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, column.extent.data(), nullptr);
    for (std::size_t axis = 1; axis < column.extent.size(); ++axis) column.width *= column.extent[axis];
    column.chunk.resize(column.extent.size());
    const hdf5::Handle how = hdf5::properties(H5Dget_create_plist(column.dataset));
    H5Pget_chunk(how, static_cast<int>(column.chunk.size()), column.chunk.data());
    if (column.chunk[0] != table.capacity_)
      throw IoError("cannot write rows to '" + path.string() + "': '" + at + "' has other blocks of rows");
    if (column.chunk.size() > 1) column.n_chunks = (column.extent[1] + column.chunk[1] - 1) / column.chunk[1];
    column.block.resize(table.capacity_ * column.width);
    n_chunks += column.n_chunks;
    return column;
  };
  table.time_ = open(time_path);
  std::fill(table.time_.block.begin(), table.time_.block.end(), std::numeric_limits<double>::quiet_NaN());
  for (const RecordGroup& group : groups)
    if (group.width() > 0) {
      table.columns_.push_back(open(group.path));
      table.width_ += table.columns_.back().width;
    }
  table.sums_.resize(n_chunks);
  return table;
}

void RowTable::append(double t, std::span<const double> values) {
  if (values.size() != width_)
    throw Error(fmt::format("a recorded row has {} values, the schema says {}", values.size(), width_));
  time_.block[filled_] = t;
  const double* from = values.data();
  for (Column& column : columns_) {
    std::copy_n(from, column.width, column.block.data() + filled_ * column.width);
    from += column.width;
  }
  ++filled_;
}

void RowTable::write_chunk(const Column& column, std::span<const double> numbers, std::array<hsize_t, 3> at, bool pack,
                           ChunkSum& sum, const std::filesystem::path& path) {
  const std::size_t bytes = numbers.size_bytes();
  const auto* stored = reinterpret_cast<const unsigned char*>(numbers.data());
  std::size_t n_stored = bytes, n_summed = bytes / capacity_ * filled_;
  std::uint32_t filters = no_filters;
  if (pack) {
    shuffled_.resize(bytes);
    uLongf n_packed = compressBound(bytes);
    packed_.resize(n_packed);
    shuffle(numbers, shuffled_.data());
    const bool done = compress2(packed_.data(), &n_packed, shuffled_.data(), bytes, deflate_level) == Z_OK;
    if (done && static_cast<double>(n_packed) < worth_packing * static_cast<double>(bytes))
      stored = packed_.data(), n_stored = n_summed = n_packed, filters = all_filters;
  }
  hdf5::check(H5Dwrite_chunk(column.dataset, H5P_DEFAULT, filters, at.data(), n_stored, stored), path, "write rows to");
  sum.crc = static_cast<std::uint32_t>(crc32_z(sum.crc, stored + sum.bytes, n_summed - sum.bytes));
  sum.bytes = static_cast<std::uint32_t>(n_summed);
}

void RowTable::write_column(Column& column, bool pack, ChunkSum* sums, const std::filesystem::path& path) {
  const auto first = static_cast<hsize_t>(written_) - stored_;  // row of the block
  column.extent[0] = first + filled_;
  hdf5::check(H5Dset_extent(column.dataset, column.extent.data()), path, "extend");
  const std::size_t items = column.extent.size() < 2 ? 1 : column.extent[1];
  const std::size_t in_chunk = column.chunk.size() < 2 ? 1 : column.chunk[1], n = column.width / items;
  if (in_chunk == items) {
    write_chunk(column, column.block, {first, 0, 0}, pack, *sums, path);
  } else {
    part_.assign(capacity_ * in_chunk * n, 0.0);
    for (std::size_t item = 0; item < items; item += in_chunk) {
      const std::size_t kept = std::min(in_chunk, items - item);
      for (std::size_t row = 0; row < filled_; ++row)
        std::copy_n(column.block.data() + row * column.width + item * n, kept * n, part_.data() + row * in_chunk * n);
      write_chunk(column, part_, {first, item, 0}, pack, *sums++, path);
    }
  }
  hdf5::check(H5Dflush(column.dataset), path, "write rows to");
}

void Checksum::add(const void* bytes, std::size_t n) {
  value_ = crc32_z(value_, static_cast<const unsigned char*>(bytes), n);
  n_ += n;
}

std::string Checksum::to_text() const { return fmt::format("crc32 {:08x} of {} bytes", value_, n_); }

void RowTable::write(const std::filesystem::path& path, const hdf5::IoStatus& status, ChunkSums& sums, bool last) {
  if (filled_ == stored_) return;
  const bool pack = stored_ == 0 && (full() || last);
  if (!pack && stored_ == 0) unpacked_bytes_ += static_cast<double>(capacity_ * width_ * sizeof(double));
  ChunkSum* sum = sums_.data();
  for (Column& column : columns_) {
    write_column(column, pack, sum, path);
    sum += column.n_chunks;
  }
  write_column(time_, false, sum, path);
  sums.write(n_whole_blocks(written_), first_sum_, sums_, path);
  hdf5::check(status, path, "write rows to");
  written_ += static_cast<std::int64_t>(filled_ - stored_);
  stored_ = filled_;
  if (!full()) return;
  filled_ = stored_ = 0;
  std::fill(sums_.begin(), sums_.end(), ChunkSum{});
  for (Column& column : columns_) std::fill(column.block.begin(), column.block.end(), 0.0);
  std::fill(time_.block.begin(), time_.block.end(), std::numeric_limits<double>::quiet_NaN());
}

void RowTable::go_on(const ResultsReader& before, bool solver, std::int64_t rows, const RecordedSums& recorded,
                     const std::filesystem::path& path) {
  written_ = n_whole_blocks(rows) * static_cast<std::int64_t>(capacity_);
  filled_ = static_cast<std::size_t>(rows - written_);
  const auto cut = [&](Column& column) {
    column.extent[0] = static_cast<hsize_t>(written_);
    hdf5::check(H5Dset_extent(column.dataset, column.extent.data()), path, "cut");
  };
  for (std::size_t g = 0, c = 0; c < columns_.size(); ++g) {
    const RecordGroup& group = (solver ? before.schema().solver : before.schema().frames).at(g);
    if (group.width() == 0) continue;
    Column& column = columns_[c++];
    cut(column);
    before.read_rows(solver, static_cast<int>(g), written_, rows - written_,
                     std::span(column.block).first(filled_ * column.width));
  }
  cut(time_);
  // A block of which nothing is packed was written in parts.
  for (std::int64_t block = 0; block < n_whole_blocks(rows); ++block) {
    bool packed = false;
    std::size_t i = first_sum_;
    for (const Column& column : columns_) {
      std::size_t bytes = sizeof(double);
      for (const hsize_t n : column.chunk) bytes *= n;
      for (std::size_t k = 0; k < column.n_chunks; ++k)
        packed = packed || recorded.find(static_cast<std::size_t>(block), i++).bytes < bytes;
    }
    if (!packed) unpacked_bytes_ += static_cast<double>(capacity_ * width_ * sizeof(double));
  }
  const std::vector<double>& times = solver ? before.step_times() : before.times();
  std::copy_n(times.begin() + written_, filled_, time_.block.begin());
}

void RowTable::close() {
  columns_.clear();
  time_ = {};
}

Checksum write_summary(hid_t dataset, const std::filesystem::path& path,
                       const std::map<std::string, std::string>& summary, std::size_t first) {
  std::vector<std::string> cells;
  for (const auto& [key, value] : summary) {
    cells.push_back(key.substr(0, layout::summary_cell));
    cells.push_back(value.substr(0, layout::summary_cell));
    for (std::size_t at = layout::summary_cell; at < value.size(); at += layout::summary_cell) {
      cells.emplace_back();
      cells.push_back(value.substr(at, layout::summary_cell));
    }
  }
  Checksum checksum;
  const hsize_t start[2] = {first, 0}, count[2] = {cells.size() / 2, 2}, extent[2] = {first + count[0], 2};
  hdf5::check(H5Dset_extent(dataset, extent), path, "extend the summary of");
  if (cells.empty()) return checksum;
  const hdf5::Handle type = hdf5::text_type(layout::summary_cell);
  const hdf5::Handle lines = hdf5::dataspace(H5Dget_space(dataset));
  H5Sselect_hyperslab(lines, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const hdf5::Handle memory = hdf5::dataspace(H5Screate_simple(2, count, nullptr));
  const std::vector<char> packed = hdf5::pack_texts(cells, layout::summary_cell);
  hdf5::check(H5Dwrite(dataset, type, memory, lines, H5P_DEFAULT, packed.data()), path, "write the summary of");
  hdf5::check(H5Dflush(dataset), path, "write the summary of");
  checksum.add(packed.data(), packed.size());
  return checksum;
}

}  // namespace trammel
