// SPDX-License-Identifier: Apache-2.0
#include "results_tables.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "results_layout.h"

namespace trammel {

namespace {

// Rows wait in memory until this much is there (or the flush time passed): many chunks of a narrow quantity.
constexpr std::size_t buffer_bytes = 1024 * 1024;
constexpr std::size_t max_buffer_rows = 4096;

}  // namespace

RowTable open_table(hid_t file, const std::filesystem::path& path, const std::string& time_path,
                    const std::vector<RecordGroup>& groups) {
  const auto open = [&](const std::string& at) {
    RowTable::Column column;
    column.at = at;
    column.dataset = hdf5::dataset(hdf5::check(H5Dopen2(file, at.c_str(), H5P_DEFAULT), path, "open '" + at + "' in"));
    const hdf5::Handle space = hdf5::dataspace(H5Dget_space(column.dataset));
    column.extent.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, column.extent.data(), nullptr);
    for (std::size_t axis = 1; axis < column.extent.size(); ++axis) column.width *= column.extent[axis];
    return column;
  };
  RowTable table;
  table.time_ = open(time_path);
  for (const RecordGroup& group : groups)
    if (group.width() > 0) {
      table.columns_.push_back(open(group.path));
      table.width_ += table.columns_.back().width;
    }
  table.capacity_ = std::clamp<std::size_t>(buffer_bytes / (8 * (table.width_ + 1)), 1, max_buffer_rows);
  table.time_.waiting.resize(table.capacity_);
  for (RowTable::Column& column : table.columns_) column.waiting.resize(table.capacity_ * column.width);
  return table;
}

void RowTable::append(double t, std::span<const double> values) {
  if (values.size() != width_)
    throw Error(fmt::format("a recorded row has {} values, the schema says {}", values.size(), width_));
  time_.waiting[waiting_] = t;
  const double* from = values.data();
  for (Column& column : columns_) {
    std::copy_n(from, column.width, column.waiting.data() + waiting_ * column.width);
    from += column.width;
  }
  ++waiting_;
}

void RowTable::write_column(Column& column, const std::filesystem::path& path) {
  std::vector<hsize_t> start(column.extent.size(), 0), count = column.extent;
  start[0] = static_cast<hsize_t>(written_);
  count[0] = waiting_;
  column.extent[0] = start[0] + count[0];
  hdf5::check(H5Dset_extent(column.dataset, column.extent.data()), path, "extend");
  const hdf5::Handle memory = hdf5::dataspace(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  const hdf5::Handle rows = hdf5::dataspace(H5Dget_space(column.dataset));
  H5Sselect_hyperslab(rows, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  hdf5::check(H5Dwrite(column.dataset, H5T_NATIVE_DOUBLE, memory, rows, H5P_DEFAULT, column.waiting.data()), path,
              "write rows to");
  hdf5::check(H5Dflush(column.dataset), path, "write rows to");
  column.checksum.add(column.waiting.data(), waiting_ * column.width * sizeof(double));
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

void RowTable::write(const std::filesystem::path& path, const hdf5::IoStatus& status) {
  if (waiting_ == 0) return;
  for (Column& column : columns_) write_column(column, path);
  write_column(time_, path);
  hdf5::check(status, path, "write rows to");
  written_ += static_cast<std::int64_t>(waiting_);
  waiting_ = 0;
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
