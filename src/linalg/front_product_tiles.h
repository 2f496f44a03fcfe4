// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops of front_product.h around one tile of registers. The including file defines before
//
//   TRAMMEL_LANES     numbers in a register
//   TRAMMEL_TILE      registers below each other and columns of a tile: 12 or 8 sums stay in registers, beside them
//   TRAMMEL_COLUMNS   a column of A and one number of B
//   trammel::(unnamed)::tiles: Lanes, LanesInMemory, multiply_add(x, y, sum) = sum + x y
//
// and includes nothing else that defines functions.

namespace trammel {

namespace {

namespace tiles {

constexpr long tile_rows = TRAMMEL_LANES * TRAMMEL_TILE, tile_columns = TRAMMEL_COLUMNS;
/// A block of A (rows × depth numbers, 200 kB) stays in the second-level cache, a strip of B (columns of a tile ×
/// depth, 8 kB) in the first, all of B (1 MB) in the third.
constexpr long block_depth = 256, block_rows = 96, block_columns = 512;
static_assert(block_rows % tile_rows == 0 && block_columns % tile_columns == 0 && block_depth % 2 == 0);

/// sums[c][r] = Σ_k a(r, k) b(c, k) of strips stored step by step.
inline __attribute__((always_inline)) void sum_tile(long depth, const double* __restrict a, const double* __restrict b,
                                                    double* __restrict sums) {
  Lanes sum[tile_columns][TRAMMEL_TILE] = {};
  for (long k = 0; k < depth; ++k, a += tile_rows, b += tile_columns) {
    Lanes x[TRAMMEL_TILE];
#pragma GCC unroll 8
    for (int r = 0; r < TRAMMEL_TILE; ++r) x[r] = *reinterpret_cast<const LanesInMemory*>(a + r * TRAMMEL_LANES);
#pragma GCC unroll 8
    for (int c = 0; c < tile_columns; ++c) {
      const Lanes y = Lanes{} + b[c];
#pragma GCC unroll 8
      for (int r = 0; r < TRAMMEL_TILE; ++r) sum[c][r] = multiply_add(x[r], y, sum[c][r]);
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < tile_columns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < TRAMMEL_TILE; ++r)
      *reinterpret_cast<LanesInMemory*>(sums + c * tile_rows + r * TRAMMEL_LANES) = sum[c][r];
}

inline long smaller(long a, long b) { return a < b ? a : b; }

/// Strips of `strip` rows of X (rows × k numbers, by columns), step by step; missing rows are zeros.
template <long strip>
void pack(double* __restrict to, const double* __restrict X, long ld, long rows, long k) {
  for (long i = 0; i < rows; i += strip) {
    const long n = smaller(strip, rows - i);
    for (long j = 0; j < k; ++j, to += strip) {
      const double* x = X + i + j * ld;
      if (n == strip) {
#pragma GCC unroll 12
        for (long r = 0; r < strip; ++r) to[r] = x[r];
      } else {
        for (long r = 0; r < strip; ++r) to[r] = r < n ? x[r] : 0.0;
      }
    }
  }
}

/// The same of complex numbers, two steps each: (first, second) = (Re, Im), (Re, −Im) or (Im, Re).
enum class Parts { real_imaginary, real_minus_imaginary, imaginary_real };
template <long strip, Parts parts>
void pack_complex(double* __restrict to, const double* __restrict X, long ld, long rows, long k) {
  for (long i = 0; i < rows; i += strip) {
    const long n = smaller(strip, rows - i);
    for (long j = 0; j < k; ++j, to += 2 * strip) {
      const double* x = X + 2 * (i + j * ld);
      for (long r = 0; r < strip; ++r) {
        const double re = r < n ? x[2 * r] : 0.0, im = r < n ? x[2 * r + 1] : 0.0;
        to[r] = parts == Parts::imaginary_real ? im : re;
        to[strip + r] = parts == Parts::imaginary_real ? re : parts == Parts::real_minus_imaginary ? -im : im;
      }
    }
  }
}

/// C −= the product of packed blocks, C beginning at row `row` and column `column` of the whole; `step`: distance of
/// neighbouring numbers of C (2: one of the parts of complex ones).
template <long step>
void subtract_packed(double* C, long ldc, long m, long n, long row, long column, const double* a, const double* b,
                     long depth, ProductPart part) {
  double sums[tile_rows * tile_columns];
  for (long j = 0; j < n; j += tile_columns) {
    const long columns = smaller(tile_columns, n - j);
    for (long i = 0; i < m; i += tile_rows) {
      const long rows = smaller(tile_rows, m - i);
      if (part == ProductPart::lower && row + i + rows <= column + j) continue;
      sum_tile(depth, a + i * depth, b + j * depth, sums);
      double* c = C + step * (i + j * ldc);
      if (step == 1 && rows == tile_rows && columns == tile_columns) {
#pragma GCC unroll 8
        for (long q = 0; q < tile_columns; ++q)
#pragma GCC unroll 8
          for (long r = 0; r < TRAMMEL_TILE; ++r) {
            LanesInMemory* to = reinterpret_cast<LanesInMemory*>(c + q * ldc + r * TRAMMEL_LANES);
            *to -= *reinterpret_cast<const LanesInMemory*>(sums + q * tile_rows + r * TRAMMEL_LANES);
          }
      } else {
        for (long q = 0; q < columns; ++q)
          for (long r = 0; r < rows; ++r) c[step * (r + q * ldc)] -= sums[q * tile_rows + r];
      }
    }
  }
}

void subtract_real(double* C, long ldc, long m, long n, const double* A, long lda, const double* B, long ldb, long k,
                   ProductPart part, double* scratch) {
  double *a = scratch, *b = scratch + block_rows * block_depth;
  for (long j = 0; j < n; j += block_columns)
    for (long p = 0; p < k; p += block_depth) {
      const long columns = smaller(block_columns, n - j), depth = smaller(block_depth, k - p);
      pack<tile_columns>(b, B + j + p * ldb, ldb, columns, depth);
      for (long i = 0; i < m; i += block_rows) {
        const long rows = smaller(block_rows, m - i);
        if (part == ProductPart::lower && i + rows <= j) continue;
        pack<tile_rows>(a, A + i + p * lda, lda, rows, depth);
        subtract_packed<1>(C + i + j * ldc, ldc, rows, columns, i, j, a, b, depth, part);
      }
    }
}

void subtract_complex(double* C, long ldc, long m, long n, const double* A, long lda, const double* B, long ldb, long k,
                      ProductPart part, double* scratch) {
  constexpr long complex_columns = block_columns / 2, complex_depth = block_depth / 2;
  double *a = scratch, *re = scratch + block_rows * block_depth, *im = re + complex_columns * block_depth;
  for (long j = 0; j < n; j += complex_columns)
    for (long p = 0; p < k; p += complex_depth) {
      const long columns = smaller(complex_columns, n - j), depth = smaller(complex_depth, k - p);
      pack_complex<tile_columns, Parts::real_minus_imaginary>(re, B + 2 * (j + p * ldb), ldb, columns, depth);
      pack_complex<tile_columns, Parts::imaginary_real>(im, B + 2 * (j + p * ldb), ldb, columns, depth);
      for (long i = 0; i < m; i += block_rows) {
        const long rows = smaller(block_rows, m - i);
        if (part == ProductPart::lower && i + rows <= j) continue;
        pack_complex<tile_rows, Parts::real_imaginary>(a, A + 2 * (i + p * lda), lda, rows, depth);
        double* c = C + 2 * (i + j * ldc);
        subtract_packed<2>(c, ldc, rows, columns, i, j, a, re, 2 * depth, part);
        subtract_packed<2>(c + 1, ldc, rows, columns, i, j, a, im, 2 * depth, part);
      }
    }
}

constexpr unsigned long scratch_numbers = (block_rows + block_columns) * block_depth;

}  // namespace tiles

}  // namespace

}  // namespace trammel

#undef TRAMMEL_LANES
#undef TRAMMEL_TILE
#undef TRAMMEL_COLUMNS
