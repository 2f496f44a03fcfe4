// SPDX-License-Identifier: Apache-2.0
// Compiled with -mavx2 -mfma where the compiler makes code for x86 (CMakeLists.txt), alone and without precompiled
// headers (front_product.h says why).
#include "front_product.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

namespace trammel {

namespace {

namespace tiles {

using Lanes = __m256d;
using LanesInMemory = double __attribute__((vector_size(32), aligned(8), may_alias));
inline __attribute__((always_inline)) Lanes multiply_add(Lanes x, Lanes y, Lanes sum) {
  return _mm256_fmadd_pd(x, y, sum);
}

}  // namespace tiles

}  // namespace

}  // namespace trammel

#define TRAMMEL_LANES 4
#define TRAMMEL_TILE 3
#define TRAMMEL_COLUMNS 4
#include "front_product_tiles.h"

namespace trammel {

const FrontProduct* avx2_front_product() {
  static constexpr FrontProduct product{"avx2", tiles::scratch_numbers, tiles::subtract_real, tiles::subtract_complex};
  return &product;
}

}  // namespace trammel

#else

namespace trammel {

const FrontProduct* avx2_front_product() { return nullptr; }

}  // namespace trammel

#endif
