// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "results_checkpoint.h"
#include "results_layout.h"
#include "results_tables.h"
#include "trammel/base/error.h"
#include "trammel/io/output_file.h"

namespace trammel {

namespace {

using hdf5::Handle;

constexpr std::size_t copied_at_once = 16 * 1024 * 1024;

class Descriptor {
 public:
  explicit Descriptor(int id) : id_(id) {}
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return id_; }

 private:
  int id_;
};

// By the system, which on some file systems shares the blocks instead of copying them; else by ourselves.
bool copy_by_system(int from, int to) {
  for (bool begun = false;; begun = true) {
    const ssize_t n = copy_file_range(from, nullptr, to, nullptr, copied_at_once, 0);
    if (n == 0 && begun) return true;
    if (n <= 0 && !begun) return false;
    if (n < 0) throw std::system_error(errno, std::system_category());
  }
}

void copy_by_hand(int from, int to) {
  std::vector<char> bytes(copied_at_once);
  off_t at = 0;
  for (;;) {
    const ssize_t n = pread(from, bytes.data(), bytes.size(), at);
    if (n < 0 && errno != EINTR) throw std::system_error(errno, std::system_category());
    if (n == 0) return;
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = pwrite(to, bytes.data() + done, static_cast<std::size_t>(n - done), at + done);
      if (written < 0 && errno != EINTR) throw std::system_error(errno, std::system_category());
      if (written > 0) done += written;
    }
    if (n > 0) at += n;
  }
}

void copy_bytes(const std::filesystem::path& path, int to) {
  try {
    const Descriptor from(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (from < 0) throw std::system_error(errno, std::system_category());
    if (!copy_by_system(from, to)) copy_by_hand(from, to);
  } catch (const std::system_error& error) {
    throw IoError("cannot copy '" + path.string() + "': " + error.code().message());
  }
}

// What HDF5's h5clear does to a file whose writer died: it is marked as being written, and its superblock does not know
// how long it has become. Both are properties without functions of their own. It is closed again: whoever opens a file
// in this way does not mark it as being written.
void clear_marks_of_writer(const std::filesystem::path& copy, hdf5::IoStatus& status,
                           const std::filesystem::path& path) {
  const Handle access = hdf5::checked_access(status);
  const hbool_t yes = true;
  for (const char* property : {"clear_status_flags", "skip_eof_check"})
    if (H5Pexist(access, property) > 0)
      H5Pset(access, property, &yes);
    else
      H5Pinsert2(access, property, sizeof(yes), const_cast<hbool_t*>(&yes), nullptr, nullptr, nullptr, nullptr, nullptr,
                 nullptr);
  Handle file = hdf5::file(hdf5::check(H5Fopen(copy.c_str(), H5F_ACC_RDWR, access), path, "go on with"));
  hdf5::check(H5Fincrement_filesize(file, 0), path, "go on with");
  hdf5::check(file.reset(), path, "go on with");
  hdf5::check(status, path, "go on with");
}

bool is_same(const std::optional<ResultsCheckpoint>& found, const ResultsCheckpoint& expected) {
  return found && found->n_frames == expected.n_frames && found->n_steps == expected.n_steps &&
         found->memory == expected.memory;
}

}  // namespace

void continue_results(const OutputFile& working, const ResultsReader& before, const ResultsCheckpoint& checkpoint,
                      const RecordSchema& schema, hdf5::IoStatus& status, Checksums& texts, Handle& file) {
  const std::filesystem::path& path = before.path();
  copy_bytes(path, working.descriptor());
  if (before.state() != ResultsState::closed) clear_marks_of_writer(working.working(), status, path);
  const Handle access = hdf5::checked_access(status);
  align_pages(access);
  file = hdf5::file(hdf5::check(H5Fopen(working.working().c_str(), H5F_ACC_RDWR, access), path, "go on with"));
  std::error_code error;
  const auto most = static_cast<double>(std::filesystem::file_size(working.working(), error));
  std::string trouble;
  if (error || !is_same(read_checkpoint(file, before.n_frames(), before.n_steps(), most, trouble), checkpoint))
    throw IoError("cannot go on with '" + path.string() + "': it has been changed since it was read");
  texts = read_text_sums(file, most, path);
  texts.erase("/summary");
  std::vector<std::string> changed;
  for (const auto& [key, text] : schema.attributes) {
    const auto known = before.schema().attributes.find(key);
    if (known == before.schema().attributes.end() || known->second != text) changed.push_back(key);
  }
  replace_texts(path, schema, changed, status, texts, file);
  hdf5::check(status, path, "go on with");
}

}  // namespace trammel
