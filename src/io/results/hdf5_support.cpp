#include "hdf5_support.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "trammel/base/error.h"

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
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::string error_reason() {
  std::string reason;
  // Upward: the innermost, most specific entry comes first. The file driver wraps errno's text as
  // "..., error message = 'No space left on device', ...".
  const auto visit = [](unsigned, const H5E_error2_t* entry, void* data) -> herr_t {
    auto& text = *static_cast<std::string*>(data);
    const std::string description = entry->desc ? entry->desc : "";
    const std::string mark = "error message = '";
    if (const std::size_t at = description.find(mark); at != std::string::npos) {
      const std::size_t start = at + mark.size();
      text = description.substr(start, description.find('\'', start) - start);
      return 1;
    }
    if (text.empty()) text = description;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &reason);
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

hid_t check(hid_t id, const std::filesystem::path& path, std::string_view doing) {
  if (id >= 0) return id;
  throw IoError("cannot " + std::string(doing) + " '" + path.string() + "': " + error_reason());
}

void check(const WriteStatus& status, const std::filesystem::path& path, std::string_view doing) {
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
  // A reader that finds a piece half written tries again after 1, 2, 4 … ns. The default of 100 attempts would wait for
  // years when the writer is dead; 28 are a quarter of a second.
  H5Pset_metadata_read_attempts(access, 28);
  return access;
}

Opened open_for_reading(const std::filesystem::path& path) {
  const Handle access = file_access();
  Opened opened;
  opened.file = file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
  if (opened.file.valid()) return opened;
  opened.reason = error_reason();
  // Another part of this program (h5py in a script) may have it open with the library's own settings.
  opened.file = file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (opened.file.valid()) return opened;
  opened.file = file(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access));
  opened.swmr = true;
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
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle found = attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Handle type = datatype(H5Aget_type(found));
  const Handle space = dataspace(H5Aget_space(found));
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  if (n < 0 || !fixed_text(type)) return {};
  const std::size_t length = H5Tget_size(type);
  std::vector<char> cells(static_cast<std::size_t>(n) * length + 1);
  if (H5Aread(found, type, cells.data()) < 0) return {};
  return unpack_texts(cells, static_cast<std::size_t>(n), length);
}

std::vector<std::string> read_texts(hid_t dataset, const std::filesystem::path& path) {
  const Handle type = datatype(check(H5Dget_type(dataset), path, "read the text type of"));
  const Handle space = dataspace(check(H5Dget_space(dataset), path, "read the text size of"));
  if (!fixed_text(type)) throw IoError("cannot read '" + path.string() + "': a text dataset has another type");
  const auto n = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space), path, "read the text size of"));
  const std::size_t length = H5Tget_size(type);
  std::vector<char> cells(n * length + 1);
  check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()), path, "read text in");
  return unpack_texts(cells, n, length);
}

}  // namespace trammel::hdf5
