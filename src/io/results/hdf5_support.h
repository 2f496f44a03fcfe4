// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "checked_driver.h"

/// The little we need around HDF5's C interface: handles that close themselves, silence, reasons, strings.
namespace trammel::hdf5 {

/// Owns an HDF5 identifier.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = H5I_INVALID_HID; }
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }
  herr_t reset();  ///< closes now; negative when HDF5 failed to
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Keeps HDF5 from printing its error stack, and from loading filters of others (code!), while it lives; restores what
/// the host program had set.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
  unsigned plugins_ = 0;
  bool had_plugins_ = false;
};

/// Why the last HDF5 call failed: the operating system's words if there are any, else HDF5's most specific ones. Throws
/// std::bad_alloc if it was memory that HDF5 did not get.
std::string error_reason();

/// Throws IoError "cannot <doing> '<path>': <reason>" when id (or a status) is negative, else returns it.
hid_t check(hid_t id, const std::filesystem::path& path, std::string_view doing);

/// The same when a call of the system did not succeed, of which HDF5 may not have heard.
void check(const IoStatus& status, const std::filesystem::path& path, std::string_view doing);

Handle dataset(hid_t id);
Handle datatype(hid_t id);
Handle dataspace(hid_t id);
Handle group(hid_t id);
Handle attribute(hid_t id);
Handle properties(hid_t id);
Handle file(hid_t id);

/// HDF5's own locks are off: they fail on file systems without flock and are not held in SWMR mode anyway. Our own
/// lock (file_lock.h) tells a running simulation from a dead one.
Handle file_access();

/// A file opened for reading, in single-writer-multiple-reader mode where it must be: its writer is at work or died.
struct Opened {
  std::shared_ptr<IoStatus> status = std::make_shared<IoStatus>();  ///< what the system says of reading it
  Handle file;                                                      ///< not valid: it cannot be opened
  bool swmr = false;
  std::string reason;  ///< why not
};
Opened open_for_reading(const std::filesystem::path& path);

/// A fixed-length, null-padded UTF-8 type. Fixed, because variable-length strings live in a heap that SWMR does not
/// protect.
Handle text_type(std::size_t length);

void write_attribute(hid_t object, const std::string& name, const std::string& text);
void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts);

/// A text attribute (scalar or array) as strings; empty when there is none, or one of another type or of absurd size.
std::vector<std::string> read_attribute(hid_t object, const std::string& name);

/// A dataset of a file that may come from anybody; not valid: `trouble` says why. Only what lies in the file itself is
/// opened: every link on the way is a hard one, the numbers are stored here (not in other files, not in a view), and
/// filters are those that HDF5 brings along.
struct OwnDataset {
  Handle dataset;
  std::vector<hsize_t> extent;
  double packing = 1.0;  ///< bytes announced per byte stored, at most
  std::string trouble;
};
OwnDataset open_own_dataset(hid_t file, const std::string& at);

/// Only hard links lead from the root to it.
bool is_in_file(hid_t file, const std::string& at);

/// Bytes that the file must have for what the extent announces.
double announced_bytes(const OwnDataset& opened, std::size_t bytes_each);

/// All strings of a fixed-length text dataset, in row-major order, if they are not longer than `most` bytes; throws
/// IoError.
std::vector<std::string> read_texts(const OwnDataset& opened, double most, const std::filesystem::path& path);

/// Their cells as they are stored, for checksums.
std::vector<char> read_cells(const OwnDataset& opened, double most, const std::filesystem::path& path);

/// What functions that collect lists return to HDF5 when they find no memory: nothing is thrown through it.
constexpr herr_t no_memory_for_list = 77;

/// Names of the links of a group with the order in which they were made (−1: not kept). Met as they are stored and
/// sorted here: what HDF5 sorts itself, damaged, takes the program with it.
struct LinkName {
  std::string name;
  std::int64_t order = -1;
};
std::vector<LinkName> list_links(hid_t file, const std::string& folder);

/// Strings packed into null-padded cells of equal length.
std::vector<char> pack_texts(const std::vector<std::string>& texts, std::size_t length);

/// Length of the longest text, at least 1.
std::size_t longest(const std::vector<std::string>& texts);

}  // namespace trammel::hdf5
