// SPDX-License-Identifier: Apache-2.0
#include "results_tables.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "results_layout.h"

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
                    const std::vector<RecordGroup>& groups) {
  RowTable table;
  table.capacity_ = rows_per_block(groups);
  const auto open = [&](const std::string& at) {
    RowTable::Column column;
    column.at = at;
    column.dataset = hdf5::dataset(hdf5::check(H5Dopen2(file, at.c_str(), H5P_DEFAULT), path, "open '" + at + "' in"));
    const hdf5::Handle space = hdf5::dataspace(H5Dget_space(column.dataset));
    column.extent.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, column.extent.data(), nullptr);
    for (std::size_t axis = 1; axis < column.extent.size(); ++axis) column.width *= column.extent[axis];
    column.chunk.resize(column.extent.size());
    const hdf5::Handle how = hdf5::properties(H5Dget_create_plist(column.dataset));
    H5Pget_chunk(how, static_cast<int>(column.chunk.size()), column.chunk.data());
    column.block.resize(table.capacity_ * column.width);
    return column;
  };
  table.time_ = open(time_path);
  std::fill(table.time_.block.begin(), table.time_.block.end(), std::numeric_limits<double>::quiet_NaN());
  for (const RecordGroup& group : groups)
    if (group.width() > 0) {
      table.columns_.push_back(open(group.path));
      table.width_ += table.columns_.back().width;
    }
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
                           const std::filesystem::path& path) {
  const std::size_t bytes = numbers.size_bytes();
  const void* stored = numbers.data();
  std::size_t n_stored = bytes;
  std::uint32_t filters = no_filters;
  if (pack) {
    shuffled_.resize(bytes);
    uLongf n_packed = compressBound(bytes);
    packed_.resize(n_packed);
    shuffle(numbers, shuffled_.data());
    const bool done = compress2(packed_.data(), &n_packed, shuffled_.data(), bytes, deflate_level) == Z_OK;
    if (done && static_cast<double>(n_packed) < worth_packing * static_cast<double>(bytes))
      stored = packed_.data(), n_stored = n_packed, filters = all_filters;
  }
  hdf5::check(H5Dwrite_chunk(column.dataset, H5P_DEFAULT, filters, at.data(), n_stored, stored), path, "write rows to");
}

void RowTable::write_column(Column& column, bool pack, const std::filesystem::path& path) {
  const auto first = static_cast<hsize_t>(written_) - stored_;  // row of the block
  column.extent[0] = first + filled_;
  hdf5::check(H5Dset_extent(column.dataset, column.extent.data()), path, "extend");
  const std::size_t items = column.extent.size() < 2 ? 1 : column.extent[1];
  const std::size_t in_chunk = column.chunk.size() < 2 ? 1 : column.chunk[1], n = column.width / items;
  if (in_chunk == items) {
    write_chunk(column, column.block, {first, 0, 0}, pack, path);
  } else {
    part_.assign(capacity_ * in_chunk * n, 0.0);
    for (std::size_t item = 0; item < items; item += in_chunk) {
      const std::size_t kept = std::min(in_chunk, items - item);
      for (std::size_t row = 0; row < filled_; ++row)
        std::copy_n(column.block.data() + row * column.width + item * n, kept * n, part_.data() + row * in_chunk * n);
      write_chunk(column, part_, {first, item, 0}, pack, path);
    }
  }
  hdf5::check(H5Dflush(column.dataset), path, "write rows to");
  column.checksum.add(column.block.data() + stored_ * column.width,
                      (filled_ - stored_) * column.width * sizeof(double));
}

void RowTable::add_checksums(Checksums& to) const {
  to[time_.at] = time_.checksum.to_text();
  for (const Column& column : columns_) to[column.at] = column.checksum.to_text();
}

void Checksum::add(const void* bytes, std::size_t n) {
  value_ = crc32_z(value_, static_cast<const unsigned char*>(bytes), n);
  n_ += n;
}

std::string Checksum::to_text() const { return fmt::format("crc32 {:08x} of {} bytes", value_, n_); }

void RowTable::write(const std::filesystem::path& path, const hdf5::IoStatus& status, bool last) {
  if (filled_ == stored_) return;
  const bool pack = stored_ == 0 && (full() || last);
  if (!pack && stored_ == 0) unpacked_bytes_ += static_cast<double>(capacity_ * width_ * sizeof(double));
  for (Column& column : columns_) write_column(column, pack, path);
  write_column(time_, false, path);
  hdf5::check(status, path, "write rows to");
  written_ += static_cast<std::int64_t>(filled_ - stored_);
  stored_ = filled_;
  if (!full()) return;
  filled_ = stored_ = 0;
  for (Column& column : columns_) std::fill(column.block.begin(), column.block.end(), 0.0);
  std::fill(time_.block.begin(), time_.block.end(), std::numeric_limits<double>::quiet_NaN());
}

void RowTable::close() {
  columns_.clear();
  time_ = {};
}

Checksum write_summary(hid_t dataset, const std::filesystem::path& path,
                       const std::map<std::string, std::string>& summary) {
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
  if (cells.empty()) return checksum;
  const std::vector<hsize_t> extent{cells.size() / 2, 2};
  const hdf5::Handle type = hdf5::text_type(layout::summary_cell);
  hdf5::check(H5Dset_extent(dataset, extent.data()), path, "extend the summary of");
  const std::vector<char> packed = hdf5::pack_texts(cells, layout::summary_cell);
  hdf5::check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), path, "write the summary of");
  hdf5::check(H5Dflush(dataset), path, "write the summary of");
  checksum.add(packed.data(), packed.size());
  return checksum;
}

}  // namespace trammel
