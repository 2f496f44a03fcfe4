// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <type_traits>

#include "commands.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRAMMEL_RESERVE 1
#endif

namespace trammel::apps {

namespace {

void print_words(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    text.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
  }
}

// An exception that nobody can take any more.
[[noreturn]] void end_at_once() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    complain_of_memory();
    _exit(failed_run);
  } catch (const std::exception& error) {
    print_words("trammel: unexpected error: ");
    print_words(error.what());
    print_words("\n    This is a defect of the program; please report it.\n");
    _exit(unexpected);
  } catch (...) {
  }
  print_words("trammel: unexpected end\n    This is a defect of the program; please report it.\n");
  _exit(unexpected);
}

// Before every other initializer of the program: those may already find no memory.
struct TakeTerminate {
  TakeTerminate() { std::set_terminate(end_at_once); }
} const take_terminate __attribute__((init_priority(101)));

}  // namespace

void complain_of_memory() {
  print_words("trammel: error: the memory of this machine (or what is allowed of it, `ulimit -v`) is exhausted\n");
}

#ifdef TRAMMEL_RESERVE

namespace {

/// Blocks one behind the other, each with its size before it. When all are given back it begins anew; the last one can
/// be given back and grow in place.
class Reserve {
 public:
  void* take(std::size_t size, std::size_t alignment) {
    if (size > largest) return nullptr;
    size = std::max<std::size_t>(size, 1);
    alignment = std::max(alignment, alignof(std::max_align_t));
    const Locked locked(*this);
    const std::size_t at = (used_ + sizeof(Head) + alignment - 1) / alignment * alignment;
    if (at + size > sizeof bytes_) return nullptr;
    Head& head = head_of(bytes_ + at);
    head = {size, used_};
    used_ = at + size;
    ++blocks_;
    return bytes_ + at;
  }

  bool owns(const void* block) const {
    return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(bytes_) < sizeof bytes_;
  }
  static std::size_t size_of(void* block) { return head_of(block).size; }

  void give_back(void* block) {
    const Locked locked(*this);
    const Head& head = head_of(block);
    if (static_cast<unsigned char*>(block) + head.size == bytes_ + used_) used_ = head.used_before;
    if (--blocks_ == 0) used_ = 0;
  }

  bool half_used() const { return used_ > sizeof bytes_ / 2; }

 private:
  static constexpr std::size_t largest = 1 << 20;
  struct Head {
    std::size_t size, used_before;
  };
  static Head& head_of(void* block) { return *(static_cast<Head*>(block) - 1); }

  class Locked {
   public:
    explicit Locked(Reserve& reserve) : reserve_(reserve) {
      while (reserve_.lock_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Locked() { reserve_.lock_.clear(std::memory_order_release); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

   private:
    Reserve& reserve_;
  };

  std::atomic_flag lock_;
  std::size_t used_ = 0, blocks_ = 0;
  alignas(4096) unsigned char bytes_[8 << 20]{};
};

constinit Reserve reserve;

/// libc's own, found when first asked for. While they are looked up there is the reserve.
struct Libc {
  void* (*malloc)(std::size_t) = nullptr;
  void* (*calloc)(std::size_t, std::size_t) = nullptr;
  void* (*realloc)(void*, std::size_t) = nullptr;
  void* (*memalign)(std::size_t, std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
  bool asked = false;
};
constinit Libc libc;

bool find_libc() {
  if (libc.free != nullptr) return true;
  if (libc.asked) return false;
  libc.asked = true;
  const auto find = [](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(RTLD_NEXT, name));
  };
  find(libc.malloc, "malloc");
  find(libc.calloc, "calloc");
  find(libc.realloc, "realloc");
  find(libc.memalign, "memalign");
  find(libc.free, "free");
  return true;
}

std::atomic<bool> refused = false;

void* allocate(std::size_t size) { return find_libc() ? libc.malloc(size) : nullptr; }
void* allocate(std::size_t size, std::size_t alignment) {
  return find_libc() ? libc.memalign(alignment, size) : nullptr;
}

}  // namespace

void require_memory() {
  if (reserve.half_used()) throw std::bad_alloc();
}

bool memory_was_refused() { return refused; }

#else

void require_memory() {}
bool memory_was_refused() { return false; }

#endif

}  // namespace trammel::apps

#ifdef TRAMMEL_RESERVE

namespace {

using trammel::apps::allocate;
using trammel::apps::libc;
using trammel::apps::reserve;

constexpr std::size_t usual_alignment = alignof(std::max_align_t);

void* or_reserve(void* block, std::size_t size, std::size_t alignment = usual_alignment) {
  return block != nullptr ? block : reserve.take(size, alignment);
}

// What C++ gets: nothing of the reserve.
void* noted(void* block) noexcept {
  if (block == nullptr) trammel::apps::refused = true;
  return block;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept { return or_reserve(allocate(size), size); }

void* calloc(std::size_t n, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(n, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* block = trammel::apps::find_libc() ? libc.calloc(n, size) : nullptr;
  if (block != nullptr) return block;
  block = reserve.take(bytes, usual_alignment);
  return block != nullptr ? std::memset(block, 0, bytes) : nullptr;
}

void free(void* block) noexcept {
  if (reserve.owns(block))
    reserve.give_back(block);
  else if (trammel::apps::find_libc())
    libc.free(block);
}

void* realloc(void* block, std::size_t size) noexcept {
  if (block == nullptr) return malloc(size);
  if (!reserve.owns(block)) {
    void* grown = libc.realloc(block, size);
    if (grown != nullptr || size == 0) return grown;
    void* moved = reserve.take(size, usual_alignment);
    if (moved == nullptr) return nullptr;
    const std::size_t before = malloc_usable_size(block);
    std::memcpy(moved, block, before < size ? before : size);
    libc.free(block);
    return moved;
  }
  void* moved = malloc(size);
  if (moved == nullptr) return nullptr;
  const std::size_t before = reserve.size_of(block);
  std::memcpy(moved, block, before < size ? before : size);
  reserve.give_back(block);
  return moved;
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return or_reserve(allocate(size, alignment), size, alignment);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** place, std::size_t alignment, std::size_t size) noexcept {
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *place = block;
  return 0;
}
}

void* operator new(std::size_t size) {
  if (void* block = noted(allocate(size > 0 ? size : 1))) return block;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return noted(allocate(size > 0 ? size : 1)); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return noted(allocate(size > 0 ? size : 1)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (void* block = noted(allocate(size > 0 ? size : 1, static_cast<std::size_t>(alignment)))) return block;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void operator delete(void* block) noexcept { free(block); }
void operator delete[](void* block) noexcept { free(block); }
void operator delete(void* block, std::size_t) noexcept { free(block); }
void operator delete[](void* block, std::size_t) noexcept { free(block); }
void operator delete(void* block, std::align_val_t) noexcept { free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { free(block); }

#endif
