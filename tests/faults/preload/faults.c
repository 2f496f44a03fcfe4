// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program (LD_PRELOAD), lets the n-th call of one kind fail, as a machine without memory, a full disk
// or a file system that gives up would do it. Environment:
//
//   TRAMMEL_FAULT_KIND   memory, write, lock, system (every other call of the system), interrupted, short
//   TRAMMEL_FAULT_AT     n, from 1; 0: nothing fails, calls are only counted
//   TRAMMEL_FAULT_LASTS  1: all calls after it fail, too
//   TRAMMEL_FAULT_NOTES  a file of the size of `struct notes` that receives counts and what failed
//
// Programs that this one starts are not meant: the variables are removed at the beginning. What is printed to stderr
// never fails, so that messages can be judged. Calls that libc makes inside itself cannot be reached this way; those of
// its streams are, by their public functions.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "notes.h"

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static struct notes unshared, *notes = &unshared;
static uint64_t counts[n_kinds], at;
static int kind = -1, lasts, ready, forked;

static void* next(const char* name) {
  void* function = dlsym(RTLD_NEXT, name);
  if (function == NULL) abort();
  return function;
}

// Libraries are initialized before: what they do then is not the program's, and does not count.
__attribute__((constructor)) static void start(void) {
  const char* text = getenv("TRAMMEL_FAULT_KIND");
  const char* file = getenv("TRAMMEL_FAULT_NOTES");
  if (text == NULL || file == NULL) return;
  for (int i = 0; i < n_kinds; ++i)
    if (strcmp(text, kind_names[i]) == 0) kind = i;
  if (getenv("TRAMMEL_FAULT_AT") != NULL) at = strtoull(getenv("TRAMMEL_FAULT_AT"), NULL, 10);
  if (getenv("TRAMMEL_FAULT_LASTS") != NULL) lasts = getenv("TRAMMEL_FAULT_LASTS")[0] == '1';
  const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
  void* place = (void*)syscall(SYS_mmap, NULL, sizeof(struct notes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (place != MAP_FAILED) notes = place;
  syscall(SYS_close, descriptor);
  for (const char* name = "KIND\0AT\0LASTS\0NOTES\0"; *name != '\0'; name += strlen(name) + 1) {
    char whole[32] = "TRAMMEL_FAULT_";
    unsetenv(strcat(whole, name));
  }
  unsetenv("LD_PRELOAD");
  ready = 1;
}

static int fails_with(int this_kind, const char* name, int error) {
  if (!ready) return 0;
  const uint64_t n = ++counts[this_kind];
  if (!forked) notes->counts[this_kind] = n;
  if (this_kind != kind || at == 0 || n < at || (n > at && !lasts)) return 0;
  if (notes->fired++ == 0) strncpy(notes->name, name, sizeof notes->name - 1);
  notes->errors |= UINT64_C(1) << error;
  errno = error;
  return 1;
}

static int no_memory(const char* name) { return fails_with(kind_memory, name, ENOMEM); }
static int interruptible(const char* name) { return fails_with(kind_interrupted, name, EINTR); }
static int system_fails(const char* name, int error) { return fails_with(kind_system, name, error); }

// ---- memory

void* malloc(size_t size) { return no_memory("malloc") ? NULL : __libc_malloc(size); }

void* calloc(size_t n, size_t size) { return no_memory("calloc") ? NULL : __libc_calloc(n, size); }

void* realloc(void* old, size_t size) { return no_memory("realloc") ? NULL : __libc_realloc(old, size); }

void* memalign(size_t alignment, size_t size) {
  return no_memory("memalign") ? NULL : __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** place, size_t alignment, size_t size) {
  void* made = memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *place = made;
  return 0;
}

// ---- writing

static int no_room(int descriptor, const char* name) {
  if (descriptor == STDERR_FILENO) return 0;
  if (interruptible(name)) return 1;
  return fails_with(kind_write, name, ENOSPC);
}

static size_t taken(size_t size, const char* name) {
  return size > 1 && fails_with(kind_short, name, 0) ? size / 2 : size;
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (no_room(descriptor, "write")) return -1;
  return syscall(SYS_write, descriptor, bytes, taken(size, "write"));
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t place) {
  if (no_room(descriptor, "pwrite")) return -1;
  return syscall(SYS_pwrite64, descriptor, bytes, taken(size, "pwrite"), place);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t place) {
  return pwrite(descriptor, bytes, size, place);
}

ssize_t writev(int descriptor, const struct iovec* parts, int n) {
  if (no_room(descriptor, "writev")) return -1;
  return syscall(SYS_writev, descriptor, parts, n);
}

static int stream_fails(FILE* stream, const char* name) {
  if (stream == NULL || stream == stderr || !fails_with(kind_write, name, ENOSPC)) return 0;
  stream->_flags |= _IO_ERR_SEEN;
  return 1;
}

size_t fwrite(const void* bytes, size_t size, size_t n, FILE* stream) {
  static size_t (*real)(const void*, size_t, size_t, FILE*);
  if (real == NULL) real = next("fwrite");
  return stream_fails(stream, "fwrite") ? 0 : real(bytes, size, n, stream);
}

int fputs(const char* text, FILE* stream) {
  static int (*real)(const char*, FILE*);
  if (real == NULL) real = next("fputs");
  return stream_fails(stream, "fputs") ? EOF : real(text, stream);
}

int fflush(FILE* stream) {
  static int (*real)(FILE*);
  if (real == NULL) real = next("fflush");
  return stream_fails(stream, "fflush") ? EOF : real(stream);
}

// ---- locks

int flock(int descriptor, int operation) {
  if (fails_with(kind_lock, "flock", ENOLCK)) return -1;
  return (int)syscall(SYS_flock, descriptor, operation);
}

static int control(int descriptor, int command, void* argument) {
  const int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK ||
                    command == F_OFD_SETLKW || command == F_OFD_GETLK;
  if (locks ? fails_with(kind_lock, "fcntl", ENOLCK) : system_fails("fcntl", EMFILE)) return -1;
  return (int)syscall(SYS_fcntl, descriptor, command, argument);
}

int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return control(descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return control(descriptor, command, argument);
}

// ---- everything else

static int open_at(int folder, const char* path, int how, mode_t mode, const char* name) {
  if (interruptible(name) || system_fails(name, EMFILE)) return -1;
  return (int)syscall(SYS_openat, folder, path, how, mode);
}

#define OPEN(NAME)                                                       \
  int NAME(const char* path, int how, ...) {                             \
    va_list list;                                                        \
    va_start(list, how);                                                 \
    const mode_t mode = (how & O_CREAT) != 0 ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                        \
    return open_at(AT_FDCWD, path, how, mode, #NAME);                    \
  }
OPEN(open)
OPEN(open64)

int openat(int folder, const char* path, int how, ...) {
  va_list list;
  va_start(list, how);
  const mode_t mode = (how & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_at(folder, path, how, mode, "openat");
}

#define FOPEN(NAME)                                              \
  FILE* NAME(const char* path, const char* how) {                \
    static FILE* (*real)(const char*, const char*);              \
    if (real == NULL) real = next(#NAME);                        \
    return system_fails(#NAME, EMFILE) ? NULL : real(path, how); \
  }
FOPEN(fopen)
FOPEN(fopen64)

DIR* opendir(const char* path) {
  static DIR* (*real)(const char*);
  if (real == NULL) real = next("opendir");
  return system_fails("opendir", EMFILE) ? NULL : real(path);
}

ssize_t read(int descriptor, void* bytes, size_t size) {
  if (interruptible("read") || system_fails("read", EIO)) return -1;
  return syscall(SYS_read, descriptor, bytes, taken(size, "read"));
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t place) {
  if (interruptible("pread") || system_fails("pread", EIO)) return -1;
  return syscall(SYS_pread64, descriptor, bytes, taken(size, "pread"), place);
}
ssize_t pread64(int descriptor, void* bytes, size_t size, off64_t place) {
  return pread(descriptor, bytes, size, place);
}

size_t fread(void* bytes, size_t size, size_t n, FILE* stream) {
  static size_t (*real)(void*, size_t, size_t, FILE*);
  if (real == NULL) real = next("fread");
  if (!system_fails("fread", EIO)) return real(bytes, size, n, stream);
  stream->_flags |= _IO_ERR_SEEN;
  return 0;
}

// A descriptor is gone whatever close says.
int close(int descriptor) {
  const int result = (int)syscall(SYS_close, descriptor);
  if (result == 0 && (interruptible("close") || system_fails("close", EIO))) return -1;
  return result;
}

pid_t fork(void) {
  static pid_t (*real)(void);
  if (real == NULL) real = next("fork");
  if (system_fails("fork", EAGAIN)) return -1;
  const pid_t process = real();
  if (process == 0) forked = 1;
  return process;
}

pid_t waitpid(pid_t process, int* status, int how) {
  if (interruptible("waitpid") || system_fails("waitpid", ECHILD)) return -1;
  return (pid_t)syscall(SYS_wait4, process, status, how, NULL);
}

int sigwaitinfo(const sigset_t* signals, siginfo_t* about) {
  static int (*real)(const sigset_t*, siginfo_t*);
  if (real == NULL) real = next("sigwaitinfo");
  if (interruptible("sigwaitinfo") || system_fails("sigwaitinfo", EAGAIN)) return -1;
  return real(signals, about);
}

// Those that are passed on to libc as they are.
#define PASS(RETURN, NAME, ERROR, FAILED, FORMAL, ACTUAL)     \
  RETURN NAME FORMAL {                                        \
    static RETURN(*real) FORMAL;                              \
    if (real == NULL) real = next(#NAME);                     \
    return system_fails(#NAME, ERROR) ? FAILED : real ACTUAL; \
  }
PASS(int, stat, EIO, -1, (const char* path, struct stat* about), (path, about))
PASS(int, stat64, EIO, -1, (const char* path, struct stat64* about), (path, about))
PASS(int, lstat, EIO, -1, (const char* path, struct stat* about), (path, about))
PASS(int, lstat64, EIO, -1, (const char* path, struct stat64* about), (path, about))
PASS(int, fstat, EIO, -1, (int descriptor, struct stat* about), (descriptor, about))
PASS(int, fstat64, EIO, -1, (int descriptor, struct stat64* about), (descriptor, about))
PASS(int, access, EIO, -1, (const char* path, int how), (path, how))
PASS(int, rename, EIO, -1, (const char* from, const char* to), (from, to))
PASS(int, unlink, EIO, -1, (const char* path), (path))
PASS(int, remove, EIO, -1, (const char* path), (path))
PASS(int, ftruncate, EIO, -1, (int descriptor, off_t size), (descriptor, size))
PASS(int, ftruncate64, EIO, -1, (int descriptor, off64_t size), (descriptor, size))
PASS(int, fsync, EIO, -1, (int descriptor), (descriptor))
PASS(int, fdatasync, EIO, -1, (int descriptor), (descriptor))
PASS(int, mkdir, ENOSPC, -1, (const char* path, mode_t mode), (path, mode))
PASS(int, fchmod, EPERM, -1, (int descriptor, mode_t mode), (descriptor, mode))
PASS(off_t, lseek, EIO, -1, (int descriptor, off_t place, int from), (descriptor, place, from))
PASS(off64_t, lseek64, EIO, -1, (int descriptor, off64_t place, int from), (descriptor, place, from))
PASS(ssize_t, readlink, EIO, -1, (const char* path, char* text, size_t size), (path, text, size))
PASS(char*, realpath, EIO, NULL, (const char* path, char* place), (path, place))
PASS(char*, getcwd, EACCES, NULL, (char* place, size_t size), (place, size))
PASS(int, execv, ENOENT, -1, (const char* path, char* const* words), (path, words))
PASS(int, sigaction, EINVAL, -1, (int number, const struct sigaction* new, struct sigaction* old), (number, new, old))
PASS(int, sigprocmask, EINVAL, -1, (int how, const sigset_t* new, sigset_t* old), (how, new, old))
PASS(int, setpgid, EPERM, -1, (pid_t process, pid_t group), (process, group))
PASS(int, sched_getaffinity, EINVAL, -1, (pid_t process, size_t size, cpu_set_t* cores), (process, size, cores))
PASS(void*, mmap, ENOMEM, MAP_FAILED, (void* place, size_t size, int how, int flags, int descriptor, off_t at_byte),
     (place, size, how, flags, descriptor, at_byte))
