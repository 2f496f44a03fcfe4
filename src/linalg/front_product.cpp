// SPDX-License-Identifier: Apache-2.0
#include "front_product.h"

#include <cstdlib>
#include <string_view>

#include "trammel/linalg/dense_kernel.h"
#include "trammel/linalg/kernel_in_use.h"

namespace trammel {

namespace {

namespace tiles {

using Lanes = double __attribute__((vector_size(16)));
using LanesInMemory = double __attribute__((vector_size(16), aligned(8), may_alias));
inline __attribute__((always_inline)) Lanes multiply_add(Lanes x, Lanes y, Lanes sum) { return sum + x * y; }

}  // namespace tiles

}  // namespace

}  // namespace trammel

#define TRAMMEL_LANES 2
#define TRAMMEL_TILE 2
#define TRAMMEL_COLUMNS 4
#include "front_product_tiles.h"

namespace trammel {

const FrontProduct& portable_front_product() {
  static constexpr FrontProduct product{"portable", tiles::scratch_numbers, tiles::subtract_real,
                                        tiles::subtract_complex};
  return product;
}

const FrontProduct& choose_front_product(DenseKernel kernel) {
#if defined(__x86_64__)
  static const bool wants_portable = [] {
    const char* word = std::getenv("TRAMMEL_DENSE_KERNEL");
    return word && std::string_view(word) == "portable";
  }();
  const FrontProduct* avx2 = avx2_front_product();
  const bool serves = avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kernel == DenseKernel::automatic && serves && !wants_portable) return *avx2;
#endif
  static_cast<void>(kernel);
  return portable_front_product();
}

std::string_view kernel_in_use(DenseKernel kernel) { return choose_front_product(kernel).name; }

}  // namespace trammel
