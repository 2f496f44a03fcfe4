// SPDX-License-Identifier: Apache-2.0
#include "hdf5_support.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <tuple>
#include <utility>

#include "file_lock.h"
#include "trammel/base/error.h"
#include "trammel/io/library_exit.h"

namespace trammel {

void skip_library_exit() { H5dont_atexit(); }

}  // namespace trammel

namespace trammel::hdf5 {

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

herr_t Handle::reset() {
  const herr_t status = valid() ? close_(id_) : 0;
  id_ = H5I_INVALID_HID;
  return status;
}

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  had_plugins_ = H5PLget_loading_state(&plugins_) >= 0;
  if (had_plugins_) H5PLset_loading_state(0);
}

Quiet::~Quiet() {
  if (had_plugins_) H5PLset_loading_state(plugins_);
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

namespace {

struct Reason {
  std::string text;
  bool memory = false;  // there was none, for HDF5 or for this
  bool found = false;   // the system's own words
};

// Innermost, most specific entries come first. File drivers wrap errno's text as
// "..., error message = 'No space left on device', ...".
herr_t take_reason(unsigned, const H5E_error2_t* entry, void* data) {
  Reason& reason = *static_cast<Reason*>(data);
  try {  // nothing is thrown through HDF5
    if (entry->maj_num == H5E_RESOURCE && entry->min_num == H5E_NOSPACE) reason.memory = true;
    const std::string description = entry->desc ? entry->desc : "";
    const std::string mark = "error message = '";
    if (const std::size_t at = description.find(mark); at != std::string::npos && !reason.found) {
      const std::size_t start = at + mark.size();
      reason.text = description.substr(start, description.find('\'', start) - start);
      reason.found = true;
    }
    if (reason.text.empty()) reason.text = description;
  } catch (const std::bad_alloc&) {
    reason.memory = true;
  }
  return 0;
}

}  // namespace

std::string error_reason() {
  Reason reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
  if (reason.memory && !reason.found) throw std::bad_alloc();
  return reason.text.empty() ? "HDF5 gives no reason" : reason.text;
}

hid_t check(hid_t id, const std::filesystem::path& path, std::string_view doing) {
  if (id >= 0) return id;
  throw IoError("cannot " + std::string(doing) + " '" + path.string() + "': " + error_reason());
}

void check(const IoStatus& status, const std::filesystem::path& path, std::string_view doing) {
  if (status.error == 0) return;
  throw IoError("cannot " + std::string(doing) + " '" + path.string() +
                "': " + std::system_category().message(status.error));
}

Handle dataset(hid_t id) { return {id, H5Dclose}; }
Handle datatype(hid_t id) { return {id, H5Tclose}; }
Handle dataspace(hid_t id) { return {id, H5Sclose}; }
Handle group(hid_t id) { return {id, H5Gclose}; }
Handle attribute(hid_t id) { return {id, H5Aclose}; }
Handle properties(hid_t id) { return {id, H5Pclose}; }
Handle file(hid_t id) { return {id, H5Fclose}; }

Handle file_access() {
  Handle access = properties(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_file_locking(access, false, true);
  return access;
}

namespace {

// Before it calls the driver HDF5 looks at the name itself, and does not say what the system said.
void note_refused_name(const std::string& reason, IoStatus& status) {
  if (status.error == 0 && reason.find("stat info") != std::string::npos) status.error = errno;
}

}  // namespace

Opened open_for_reading(const std::filesystem::path& path) {
  Opened opened;
  const Handle access = checked_access(*opened.status);
  // A reader that finds a piece half written tries again after 1, 2, 4 … ns. The default of 100 attempts would wait for
  // years; 28 are a quarter of a second. When nobody writes a damaged piece stays damaged.
  H5Pset_metadata_read_attempts(access, file_lock::is_held(path) ? 28 : 1);
  errno = 0;
  opened.file = file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
  if (opened.file.valid()) {
    // One that this process has open is opened as it is, whatever is asked for.
    unsigned intent = 0;
    opened.swmr = H5Fget_intent(opened.file, &intent) >= 0 && (intent & H5F_ACC_SWMR_READ) != 0;
    return opened;
  }
  opened.reason = error_reason();
  note_refused_name(opened.reason, *opened.status);
  if (opened.status->error != 0) return opened;
  opened.file = file(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access));
  opened.swmr = true;
  if (!opened.file.valid()) note_refused_name(error_reason(), *opened.status);
  return opened;
}

Handle text_type(std::size_t length) {
  Handle type = datatype(H5Tcopy(H5T_C_S1));
  H5Tset_size(type, std::max<std::size_t>(1, length));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  return length;
}

std::vector<char> pack_texts(const std::vector<std::string>& texts, std::size_t length) {
  std::vector<char> cells(std::max<std::size_t>(1, texts.size() * length), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::memcpy(cells.data() + i * length, texts[i].data(), std::min(length, texts[i].size()));
  return cells;
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const Handle type = text_type(text.size());
  const Handle space = dataspace(H5Screate(H5S_SCALAR));
  const Handle made = attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  if (!made.valid() || H5Awrite(made, type, pack_texts({text}, std::max<std::size_t>(1, text.size())).data()) < 0)
    throw IoError("cannot write attribute '" + name + "': " + error_reason());
}

void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts) {
  const std::size_t length = longest(texts);
  const Handle type = text_type(length);
  const hsize_t size = texts.size();
  const Handle space = dataspace(H5Screate_simple(1, &size, nullptr));
  const Handle made = attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  if (!made.valid() || H5Awrite(made, type, pack_texts(texts, length).data()) < 0)
    throw IoError("cannot write attribute '" + name + "': " + error_reason());
}

namespace {

std::vector<std::string> unpack_texts(const std::vector<char>& cells, std::size_t n, std::size_t length) {
  std::vector<std::string> texts(n);
  for (std::size_t i = 0; i < n; ++i) {
    const char* cell = cells.data() + i * length;
    texts[i].assign(cell, std::find(cell, cell + length, '\0'));
  }
  return texts;
}

bool fixed_text(hid_t type) { return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0; }

}  // namespace

std::vector<std::string> read_attribute(hid_t object, const std::string& name) {
  constexpr double longest_kept = 1e8;  // HDF5 keeps attributes up to 64 kB, and larger ones in a heap
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle found = attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Handle type = datatype(H5Aget_type(found));
  const Handle space = dataspace(H5Aget_space(found));
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  if (n < 0 || !fixed_text(type)) return {};
  const std::size_t length = H5Tget_size(type);
  if (!(static_cast<double>(n) * static_cast<double>(length) < longest_kept)) return {};
  std::vector<char> cells(static_cast<std::size_t>(n) * length + 1);
  if (H5Aread(found, type, cells.data()) < 0) return {};
  return unpack_texts(cells, static_cast<std::size_t>(n), length);
}

// Deflate packs a kilobyte of zeros into a byte, and no filter of HDF5 much more.
constexpr double most_packing = 1100.0;

bool is_in_file(hid_t file, const std::string& at) {
  for (std::size_t end = at.find('/', 1); !at.empty(); end = at.find('/', end + 1)) {
    const std::string part = at.substr(0, end);
    H5L_info_t info;
    if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0 || H5Lget_info(file, part.c_str(), &info, H5P_DEFAULT) < 0 ||
        info.type != H5L_TYPE_HARD)
      return false;
    if (end == std::string::npos) return true;
  }
  return false;
}

OwnDataset open_own_dataset(hid_t file, const std::string& at) {
  OwnDataset opened;
  const auto refuse = [&](const std::string& trouble) {
    opened.trouble = trouble;
    opened.dataset = {};
  };
  if (!is_in_file(file, at)) {
    refuse("it is missing, or a link that leads elsewhere");
    return opened;
  }
  opened.dataset = dataset(H5Dopen2(file, at.c_str(), H5P_DEFAULT));
  if (!opened.dataset.valid()) {
    refuse("it is damaged (" + error_reason() + ")");
    return opened;
  }
  const Handle how = properties(H5Dget_create_plist(opened.dataset));
  const Handle space = dataspace(H5Dget_space(opened.dataset));
  if (!how.valid() || !space.valid()) {
    refuse("it is damaged (" + error_reason() + ")");
    return opened;
  }
  const H5D_layout_t kind = H5Pget_layout(how);
  if ((kind != H5D_COMPACT && kind != H5D_CONTIGUOUS && kind != H5D_CHUNKED) || H5Pget_external_count(how) > 0) {
    refuse("its numbers are not in this file");
    return opened;
  }
  for (int i = 0; i < H5Pget_nfilters(how); ++i) {
    unsigned flags = 0, settings = 0;
    std::size_t n_values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(how, static_cast<unsigned>(i), &flags, &n_values, nullptr, 0, nullptr, &settings);
    if (filter < H5Z_FILTER_DEFLATE || filter > H5Z_FILTER_SCALEOFFSET) {
      refuse("it is packed by a filter that does not belong to HDF5");
      return opened;
    }
    if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32) opened.packing = most_packing;
  }
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > H5S_MAX_RANK) {
    refuse("its extent is damaged");
    return opened;
  }
  opened.extent.resize(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space, opened.extent.data(), nullptr);
  return opened;
}

double announced_bytes(const OwnDataset& opened, std::size_t bytes_each) {
  double bytes = static_cast<double>(bytes_each) / opened.packing;
  for (const hsize_t n : opened.extent) bytes *= static_cast<double>(n);
  return bytes;
}

std::vector<char> read_cells(const OwnDataset& opened, double most, const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& reason) {
    throw IoError("cannot read '" + path.string() + "': a text in it: " + reason);
  };
  if (!opened.dataset.valid()) refuse(opened.trouble);
  const Handle type = datatype(check(H5Dget_type(opened.dataset), path, "read the text type of"));
  if (!fixed_text(type)) refuse("it has another type");
  const std::size_t length = H5Tget_size(type);
  const double bytes = announced_bytes(opened, length);
  if (!(bytes <= most)) refuse("it announces more than the file holds");
  std::vector<char> cells(static_cast<std::size_t>(bytes * opened.packing) + 1);
  check(H5Dread(opened.dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()), path, "read text in");
  cells.pop_back();
  return cells;
}

std::vector<std::string> read_texts(const OwnDataset& opened, double most, const std::filesystem::path& path) {
  const std::vector<char> cells = read_cells(opened, most, path);
  const Handle type = datatype(H5Dget_type(opened.dataset));
  const std::size_t length = std::max<std::size_t>(1, H5Tget_size(type));
  return unpack_texts(cells, cells.size() / length, length);
}

std::vector<LinkName> list_links(hid_t file, const std::string& folder) {
  std::vector<LinkName> names;
  const Handle opened = group(H5Gopen2(file, folder.c_str(), H5P_DEFAULT));
  if (!opened.valid()) return names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t* info, void* data) -> herr_t {
    try {
      static_cast<std::vector<LinkName>*>(data)->push_back({name, info->corder_valid ? info->corder : -1});
    } catch (const std::bad_alloc&) {
      return no_memory_for_list;
    }
    return 0;
  };
  hsize_t start = 0;
  if (H5Literate(opened, H5_INDEX_NAME, H5_ITER_NATIVE, &start, collect, &names) == no_memory_for_list)
    throw std::bad_alloc();
  std::stable_sort(names.begin(), names.end(), [](const LinkName& a, const LinkName& b) {
    return std::tie(a.order, a.name) < std::tie(b.order, b.name);
  });
  return names;
}

}  // namespace trammel::hdf5
