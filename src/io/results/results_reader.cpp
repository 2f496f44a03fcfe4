// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/results_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "file_lock.h"
#include "hdf5_support.h"
#include "results_checkpoint.h"
#include "results_layout.h"
#include "trammel/base/text.h"
#include "trammel/io/source_file.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/summary.h"

namespace trammel {

using hdf5::Handle;

struct ResultsReader::Impl {
  explicit Impl(std::filesystem::path file_path);

  void refuse(const std::string& reason) const { throw IoError("cannot read '" + path.string() + "': " + reason); }
  hid_t check(hid_t id, std::string_view doing) const { return hdf5::check(id, path, doing); }
  /// Nothing that the file announces is longer than this. If the system does not tell, require_reads() does.
  double most_bytes() const {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) status->error = error.value();
    return error ? 0.0 : static_cast<double>(size);
  }
  /// Parts that the system would not read are not taken for damaged or missing ones.
  void require_reads() const { hdf5::check(*status, path, "read"); }
  void open_file();
  void read_attributes();
  std::vector<RecordGroup> read_groups(const std::string& folder, std::vector<hdf5::OwnDataset>& datasets);
  std::string read_group(const std::string& at, const hdf5::OwnDataset& dataset, RecordGroup& group);
  std::string find_trouble(const hdf5::OwnDataset& opened) const;
  std::vector<double> read_times(const std::string& at, const std::vector<hdf5::OwnDataset>& datasets);
  void read_summary();
  void read_part(hid_t dataset, bool flat, std::array<hsize_t, 3> start, std::array<hsize_t, 3> count,
                 double* values) const;
  const ChannelIndex& index() {
    if (!index_) index_.emplace(schema);
    return *index_;
  }

  std::filesystem::path path;
  std::shared_ptr<hdf5::IoStatus> status;
  Handle file;
  ResultsState state = ResultsState::closed;
  RecordSchema schema;
  std::vector<hdf5::OwnDataset> frame_datasets, solver_datasets;
  std::vector<double> times, step_times;
  SummaryEntries summary;
  std::vector<DamagedPart> damaged;
  std::optional<ChannelIndex> index_;  // made when the first channel is asked for
};

std::string_view describe(ResultsState state) {
  switch (state) {
    case ResultsState::closed:
      return "closed";
    case ResultsState::running:
      return "being written by a running simulation";
    case ResultsState::interrupted:
      return "left behind by an interrupted run";
  }
  return "";
}

ResultsReader::Impl::Impl(std::filesystem::path file_path) : path(std::move(file_path)) {
  open_file();
  const std::vector<std::string> format = hdf5::read_attribute(file, "format");
  require_reads();
  if (format != std::vector{layout::format})
    refuse("it is an HDF5 file, but not a results file of Trammel (root attribute 'format' is not '" + layout::format +
           "')");
  if (const auto version = hdf5::read_attribute(file, "format_version"); version != std::vector{layout::format_version})
    refuse("its format version is " + join_quoted(version) + ", this program reads '" + layout::format_version + "'");
  read_attributes();
  schema.frames = read_groups("/frames", frame_datasets);
  schema.solver = read_groups("/solver", solver_datasets);
  times = read_times("/time", frame_datasets);
  step_times = read_times("/solver/time", solver_datasets);
  read_summary();
  require_reads();
}

void ResultsReader::Impl::open_file() {
  std::error_code error;
  const std::filesystem::file_status about = std::filesystem::status(path, error);
  if (about.type() == std::filesystem::file_type::not_found) refuse("no such file");
  if (about.type() == std::filesystem::file_type::none) refuse(error.message());
  if (std::filesystem::is_directory(about)) refuse("it is a directory");
  std::string head;
  if (const std::string trouble = read_beginning(path, layout::signature.size(), head); !trouble.empty())
    refuse(trouble);
  if (head.empty()) refuse("it is empty");
  if (head != layout::signature) refuse("it is not an HDF5 file");

  hdf5::Opened opened = hdf5::open_for_reading(path);
  hdf5::check(*opened.status, path, "read");
  if (!opened.file.valid()) refuse("it is damaged or truncated (" + opened.reason + ")");
  status = opened.status;
  file = std::move(opened.file);
  if (opened.swmr) state = ResultsState::interrupted;
  if (file_lock::is_held(path)) state = ResultsState::running;
}

void ResultsReader::Impl::read_attributes() {
  hsize_t start = 0;
  std::vector<std::string> keys;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    } catch (const std::bad_alloc&) {
      return hdf5::no_memory_for_list;
    }
    return 0;
  };
  const herr_t listed = H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_NATIVE, &start, collect, &keys);
  if (listed == hdf5::no_memory_for_list) throw std::bad_alloc();
  if (listed < 0) damaged.push_back({"attributes", "the list is damaged (" + hdf5::error_reason() + ")"});
  for (const std::string& key : keys)
    if (const auto texts = hdf5::read_attribute(file, key); texts.size() == 1) schema.attributes[key] = texts[0];
  // Long texts are scalar datasets in the root. What else lies there is not ours and left alone.
  for (const hdf5::LinkName& link : hdf5::list_links(file, "/")) {
    H5O_info_t info;
    if (!hdf5::is_in_file(file, "/" + link.name) ||
        H5Oget_info_by_name2(file, ("/" + link.name).c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0 ||
        info.type != H5O_TYPE_DATASET)
      continue;
    const hdf5::OwnDataset found = hdf5::open_own_dataset(file, "/" + link.name);
    if (!found.dataset.valid() || !found.extent.empty()) continue;
    const Handle type = hdf5::datatype(H5Dget_type(found.dataset));
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) continue;
    try {
      if (const auto texts = hdf5::read_texts(found, most_bytes(), path); texts.size() == 1)
        schema.attributes[link.name] = texts[0];
    } catch (const IoError& error) {
      damaged.push_back({"/" + link.name, error.what()});
    }
  }
}

// Numbers of 8 bytes, not more of them than the file is long.
std::string ResultsReader::Impl::find_trouble(const hdf5::OwnDataset& opened) const {
  if (!opened.dataset.valid()) return opened.trouble;
  const Handle type = hdf5::datatype(H5Dget_type(opened.dataset));
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != sizeof(double)) return "it does not hold numbers";
  if (!(hdf5::announced_bytes(opened, sizeof(double)) <= most_bytes())) return "it announces more than the file holds";
  return "";
}

std::vector<RecordGroup> ResultsReader::Impl::read_groups(const std::string& folder,
                                                          std::vector<hdf5::OwnDataset>& datasets) {
  std::vector<RecordGroup> groups;
  if (!hdf5::is_in_file(file, folder)) {
    damaged.push_back({folder, "it is missing, or a link that leads elsewhere"});
    return groups;
  }
  for (const hdf5::LinkName& link : hdf5::list_links(file, folder)) {
    if (link.name == "time") continue;
    const std::string at = folder + "/" + link.name;
    hdf5::OwnDataset opened = hdf5::open_own_dataset(file, at);
    // All of ours have a description; what somebody else put here is not ours.
    if (opened.dataset.valid() && H5Aexists(opened.dataset, "description") <= 0) continue;
    RecordGroup group;
    std::string trouble = find_trouble(opened);
    if (trouble.empty()) trouble = read_group(at, opened, group);
    if (!trouble.empty()) {
      damaged.push_back({at, trouble});
      continue;
    }
    datasets.push_back(std::move(opened));
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string ResultsReader::Impl::read_group(const std::string& at, const hdf5::OwnDataset& opened, RecordGroup& group) {
  const hid_t dataset = opened.dataset;
  const auto text = [&](const char* key) {
    const std::vector<std::string> texts = hdf5::read_attribute(dataset, key);
    return texts.empty() ? std::string() : texts[0];
  };
  group.path = at;
  group.unit = text("unit");
  group.description = text("description");
  group.view = text("view");
  group.components = hdf5::read_attribute(dataset, "components");
  if (opened.extent.size() == 1) {
    group.names = {group.quantity()};
    return layout::is_flat(group) ? "" : "it has no items";
  }
  try {
    group.names =
        hdf5::read_texts(hdf5::open_own_dataset(file, layout::side_path("/names", group)), most_bytes(), path);
    if (const std::string units = layout::side_path("/units", group); hdf5::is_in_file(file, units))
      group.item_units = hdf5::read_texts(hdf5::open_own_dataset(file, units), most_bytes(), path);
  } catch (const IoError& error) {
    return std::string("its names cannot be read: ") + error.what();
  }
  if (opened.extent.size() != 3 || opened.extent[1] != static_cast<hsize_t>(group.n_items()) ||
      opened.extent[2] != static_cast<hsize_t>(group.n_components()) ||
      (!group.item_units.empty() && group.item_units.size() != group.names.size()))
    return "it does not have as many items and components as it has names for";
  return "";
}

std::vector<double> ResultsReader::Impl::read_times(const std::string& at,
                                                    const std::vector<hdf5::OwnDataset>& datasets) {
  const hdf5::OwnDataset time = hdf5::open_own_dataset(file, at);
  const std::string trouble = find_trouble(time);
  require_reads();
  if (!trouble.empty()) refuse("'" + at + "': " + trouble);
  if (time.extent.size() != 1) refuse("'" + at + "' is not a list of times");
  hsize_t rows = time.extent[0];
  for (const hdf5::OwnDataset& opened : datasets) rows = std::min(rows, opened.extent[0]);
  std::vector<double> values(rows);
  if (rows > 0) read_part(time.dataset, true, {0, 0, 0}, {rows, 1, 1}, values.data());
  // A time that was announced but never written has the fill value NaN.
  while (!values.empty() && std::isnan(values.back())) values.pop_back();
  return values;
}

void ResultsReader::Impl::read_summary() {
  std::vector<std::string> cells;
  try {
    cells = hdf5::read_texts(hdf5::open_own_dataset(file, "/summary"), most_bytes(), path);
  } catch (const IoError& error) {
    damaged.push_back({"/summary", error.what()});
  }
  std::map<std::string, std::string> texts;
  std::string key;
  for (std::size_t i = 0; i + 1 < cells.size(); i += 2) {
    if (!cells[i].empty()) key = cells[i];
    texts[key] += cells[i + 1];
  }
  for (const auto& [name, text] : texts) summary[name] = typed_entry(name, text);
}

void ResultsReader::Impl::read_part(hid_t dataset, bool flat, std::array<hsize_t, 3> start,
                                    std::array<hsize_t, 3> count, double* values) const {
  const Handle memory = hdf5::dataspace(H5Screate_simple(flat ? 1 : 3, count.data(), nullptr));
  const Handle rows = hdf5::dataspace(check(H5Dget_space(dataset), "read rows of"));
  check(H5Sselect_hyperslab(rows, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "read rows of");
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, rows, H5P_DEFAULT, values), "read rows of");
}

ResultsReader::ResultsReader(std::filesystem::path path) {
  const hdf5::Quiet quiet;
  impl_ = std::make_unique<Impl>(std::move(path));
}
ResultsReader::~ResultsReader() = default;
ResultsReader::ResultsReader(ResultsReader&&) noexcept = default;
ResultsReader& ResultsReader::operator=(ResultsReader&&) noexcept = default;

const std::filesystem::path& ResultsReader::path() const { return impl_->path; }
ResultsState ResultsReader::state() const { return impl_->state; }
const RecordSchema& ResultsReader::schema() const { return impl_->schema; }
const SummaryEntries& ResultsReader::summary() const { return impl_->summary; }
const std::vector<DamagedPart>& ResultsReader::damaged() const { return impl_->damaged; }
std::int64_t ResultsReader::n_frames() const { return std::ssize(impl_->times); }
std::int64_t ResultsReader::n_steps() const { return std::ssize(impl_->step_times); }
const std::vector<double>& ResultsReader::times() const { return impl_->times; }
const std::vector<double>& ResultsReader::step_times() const { return impl_->step_times; }
std::vector<std::string> ResultsReader::channels() const { return impl_->index().names(); }

const std::string& ResultsReader::attribute(const std::string& key) const {
  const auto found = impl_->schema.attributes.find(key);
  if (found != impl_->schema.attributes.end()) return found->second;
  std::vector<std::string> keys;
  for (const auto& [known, text] : impl_->schema.attributes) keys.push_back(known);
  throw InputError("'" + impl_->path.string() + "' has no attribute '" + key + "'" + did_you_mean(key, keys));
}

Series ResultsReader::read(std::string_view channel) const {
  const hdf5::Quiet quiet;
  const ChannelPlace place = impl_->index().find(channel);
  const auto g = static_cast<std::size_t>(place.group);
  const RecordGroup& group = place.solver ? impl_->schema.solver[g] : impl_->schema.frames[g];
  const Handle& dataset = (place.solver ? impl_->solver_datasets[g] : impl_->frame_datasets[g]).dataset;

  Series series{std::string(channel),
                group.components,
                group.unit_of(place.item),
                place.solver ? impl_->step_times : impl_->times,
                {}};
  if (place.component >= 0) series.components = {group.components[static_cast<std::size_t>(place.component)]};
  const hsize_t rows = series.time.size();
  const hsize_t columns = place.component < 0 ? static_cast<hsize_t>(group.n_components()) : 1;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values(rows, columns);
  const auto component = static_cast<hsize_t>(std::max(place.component, 0));
  if (rows > 0)
    impl_->read_part(dataset, layout::is_flat(group), {0, static_cast<hsize_t>(place.item), component},
                     {rows, 1, columns}, values.data());
  series.values = values;
  return series;
}

std::optional<ResultsCheckpoint> ResultsReader::read_checkpoint(std::string& trouble) const {
  const hdf5::Quiet quiet;
  std::optional<ResultsCheckpoint> found =
      trammel::read_checkpoint(impl_->file, n_frames(), n_steps(), impl_->most_bytes(), trouble);
  impl_->require_reads();
  return found;
}

std::vector<RecordedFile> ResultsReader::read_files() const {
  const hdf5::Quiet quiet;
  std::vector<RecordedFile> files;
  for (int i = 0;; ++i) {
    const std::string at = layout::files + "/" + std::to_string(i);
    if (!hdf5::is_in_file(impl_->file, at)) break;
    const hdf5::OwnDataset opened = hdf5::open_own_dataset(impl_->file, at);
    const std::vector<char> cells = hdf5::read_cells(opened, impl_->most_bytes(), impl_->path);
    const std::vector<std::string> name = hdf5::read_attribute(opened.dataset, "name");
    const std::vector<std::string> size = hdf5::read_attribute(opened.dataset, "size");
    if (name.size() != 1 || size.size() != 1) impl_->refuse("'" + at + "' has lost its name");
    files.push_back({name[0], {cells.begin(), cells.end()}});
    if (size[0] == "0") files.back().bytes.clear();  // a cell has at least one byte
  }
  impl_->require_reads();
  return files;
}

void ResultsReader::read_rows(bool solver, int group, std::int64_t first, std::int64_t count,
                              std::span<double> values) const {
  const hdf5::Quiet quiet;
  const auto g = static_cast<std::size_t>(group);
  const RecordGroup& what = solver ? impl_->schema.solver.at(g) : impl_->schema.frames.at(g);
  if (first < 0 || count < 0 || first + count > (solver ? n_steps() : n_frames()) ||
      std::ssize(values) != count * what.width())
    throw Error("rows of '" + what.path + "' in '" + path().string() + "' are asked for that do not exist");
  if (count == 0) return;
  impl_->read_part(
      (solver ? impl_->solver_datasets : impl_->frame_datasets)[g].dataset, layout::is_flat(what),
      {static_cast<hsize_t>(first), 0, 0},
      {static_cast<hsize_t>(count), static_cast<hsize_t>(what.n_items()), static_cast<hsize_t>(what.n_components())},
      values.data());
}

}  // namespace trammel
