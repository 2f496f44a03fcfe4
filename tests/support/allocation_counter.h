// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// Counts heap allocations of the calling thread: operator new and the malloc family, C libraries included.
//
//   AllocationScope scope;
//   integrator.step();
//   EXPECT_EQ(scope.count(), 0);
//
// Exactly one source file of the test program defines TRAMMEL_DEFINE_ALLOCATION_COUNTER before including this header
// (in tests/budget: allocation_counter.cpp); without it the program does not link. Under a sanitizer its
// own hook counts instead.

namespace trammel::testing {

/// Allocations of this thread since it began.
long allocation_count();

class AllocationScope {
 public:
  AllocationScope() : at_start_(allocation_count()) {}
  long count() const { return allocation_count() - at_start_; }

 private:
  long at_start_;
};

}  // namespace trammel::testing

#ifdef TRAMMEL_DEFINE_ALLOCATION_COUNTER

#include <cerrno>
#include <cstdlib>

namespace trammel::testing::detail {
constinit thread_local long n_allocations = 0;
}
long trammel::testing::allocation_count() { return detail::n_allocations; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                                         void (*free_hook)(const volatile void*));
namespace trammel::testing::detail {
inline void count_allocation(const volatile void*, std::size_t) { ++n_allocations; }
inline void ignore_release(const volatile void*) {}
const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(&count_allocation, &ignore_release);
}  // namespace trammel::testing::detail

#else

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++trammel::testing::detail::n_allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++trammel::testing::detail::n_allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  ++trammel::testing::detail::n_allocations;
  return __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++trammel::testing::detail::n_allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  *block = memalign(alignment, size);
  return *block || size == 0 ? 0 : ENOMEM;
}
}  // extern "C"

#endif
#endif
