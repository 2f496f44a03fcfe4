// SPDX-License-Identifier: Apache-2.0
#include "checked_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <tuple>
#include <vector>

#include "hdf5_support.h"

namespace trammel::hdf5 {

namespace {

struct DriverOptions {
  IoStatus* status;
};

struct CheckedFile {
  H5FD_t base{};  // first: HDF5 sees this
  int descriptor = -1;
  haddr_t allocated = 0, end = 0;
  dev_t device = 0;
  ino_t inode = 0;
  std::shared_ptr<IoStatus> status;
  struct Kept {
    haddr_t at;
    std::vector<unsigned char> bytes;
  };
  std::vector<Kept> kept;  // in the order of writing, since the first failure
};

CheckedFile& checked(H5FD_t* file) { return *reinterpret_cast<CheckedFile*>(file); }
const CheckedFile& checked(const H5FD_t* file) { return *reinterpret_cast<const CheckedFile*>(file); }

bool write_all(int descriptor, haddr_t at, std::size_t size, const unsigned char* bytes) {
  while (size > 0) {
    const ssize_t n = pwrite(descriptor, bytes, size, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      return false;
    }
    at += static_cast<haddr_t>(n), bytes += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

void note_failure(CheckedFile& file) {
  if (file.status->error == 0) file.status->error = errno;
  file.status->abandoned = true;
}

// In the words in which HDF5's own driver says it, so that error_reason() finds the system's.
void tell_hdf5(hid_t what, int error) {
  H5Epush2(H5E_DEFAULT, "checked_driver.cpp", __func__, __LINE__, H5E_ERR_CLS, H5E_IO, what,
           "errno = %d, error message = '%s'", error, std::strerror(error));
}

H5FD_t* open_checked(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* options = static_cast<const DriverOptions*>(H5Pget_driver_info(access));
  if (options == nullptr) return nullptr;
  int how = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_TRUNC) != 0) how |= O_TRUNC;
  if ((flags & H5F_ACC_CREAT) != 0) how |= O_CREAT;
  if ((flags & H5F_ACC_EXCL) != 0) how |= O_EXCL;
  const int descriptor = open(name, how | O_CLOEXEC, 0666);
  struct stat about {};
  if (descriptor < 0 || fstat(descriptor, &about) != 0) {
    options->status->error = errno;
    tell_hdf5(H5E_CANTOPENFILE, errno);
    if (descriptor >= 0) close(descriptor);
    return nullptr;
  }
  std::unique_ptr<CheckedFile> file(new (std::nothrow) CheckedFile);  // nothing is thrown through HDF5
  if (!file) {
    options->status->error = ENOMEM;
    close(descriptor);
    return nullptr;
  }
  file->descriptor = descriptor;
  file->end = static_cast<haddr_t>(about.st_size);
  file->device = about.st_dev;
  file->inode = about.st_ino;
  file->status = options->status->shared_from_this();
  return &file.release()->base;
}

herr_t close_checked(H5FD_t* base) {
  const std::unique_ptr<CheckedFile> file(&checked(base));
  if (close(file->descriptor) != 0) note_failure(*file);
  return 0;
}

int compare_checked(const H5FD_t* a, const H5FD_t* b) {
  const CheckedFile &f = checked(a), &g = checked(b);
  const auto key = [](const CheckedFile& file) { return std::tuple(file.device, file.inode); };
  return key(f) < key(g) ? -1 : key(g) < key(f) ? 1 : 0;
}

// Those of HDF5's own driver.
herr_t query_checked(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return checked(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  checked(file).allocated = end;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return checked(file).end; }

herr_t get_descriptor(H5FD_t* file, hid_t, void** handle) {
  *handle = &checked(file).descriptor;
  return 0;
}

herr_t read_checked(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* buffer) {
  CheckedFile& file = checked(base);
  auto* bytes = static_cast<unsigned char*>(buffer);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(file.descriptor, bytes + done, size - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && !file.status->abandoned) {
      if (file.status->error == 0) file.status->error = errno;
      tell_hdf5(H5E_READERROR, errno);
      return -1;
    }
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  std::memset(bytes + done, 0, size - done);  // behind the end of the file there are zeros
  for (const CheckedFile::Kept& kept : file.kept) {
    const haddr_t first = std::max(at, kept.at), last = std::min(at + size, kept.at + kept.bytes.size());
    if (first < last) std::memcpy(bytes + (first - at), kept.bytes.data() + (first - kept.at), last - first);
  }
  return 0;
}

herr_t write_checked(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* buffer) {
  CheckedFile& file = checked(base);
  const auto* bytes = static_cast<const unsigned char*>(buffer);
  if (!file.status->abandoned && !write_all(file.descriptor, at, size, bytes)) note_failure(file);
  if (file.status->abandoned) try {
      file.kept.push_back({at, {bytes, bytes + size}});
    } catch (const std::bad_alloc&) {  // HDF5 may read what was there before; nothing of it reaches the disk
    }
  file.end = std::max(file.end, at + size);
  return 0;
}

// HDF5 cuts a file to what it allocated, or stretches it.
herr_t truncate_checked(H5FD_t* base, hid_t, hbool_t) {
  CheckedFile& file = checked(base);
  if (file.end == file.allocated) return 0;
  if (!file.status->abandoned && ftruncate(file.descriptor, static_cast<off_t>(file.allocated)) != 0)
    note_failure(file);
  file.end = file.allocated;
  return 0;
}

// The lock is ours (file_lock.h). HDF5 marks a file as being written only where its driver has these functions.
herr_t no_lock(H5FD_t*, hbool_t) { return 0; }
herr_t no_unlock(H5FD_t*) { return 0; }

const H5FD_class_t driver_class = [] {
  H5FD_class_t driver{};
  driver.name = "trammel";
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(DriverOptions);
  driver.open = open_checked;
  driver.close = close_checked;
  driver.cmp = compare_checked;
  driver.query = query_checked;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_end;
  driver.get_handle = get_descriptor;
  driver.read = read_checked;
  driver.write = write_checked;
  driver.truncate = truncate_checked;
  driver.lock = no_lock;
  driver.unlock = no_unlock;
  const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
  return driver;
}();

// Registered once and for good: HDF5 releases a class with its last user, and calls it afterwards to close the file.
// It is gone only when somebody closes the library.
hid_t find_driver() {
  static hid_t driver = H5I_INVALID_HID;
  if (H5Iget_type(driver) != H5I_VFL) driver = H5FDregister(&driver_class);
  return driver;
}

}  // namespace

Handle checked_access(IoStatus& status) {
  Handle access = file_access();
  const DriverOptions options{&status};
  H5Pset_driver(access, find_driver(), &options);
  return access;
}

}  // namespace trammel::hdf5
