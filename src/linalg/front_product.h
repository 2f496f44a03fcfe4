// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only declarations: front_product_avx2.cpp is compiled for a machine that others need not be, so that nothing it
// includes may leave functions behind that the linker could take for everybody's.

namespace trammel {

/// Which rows of a product are needed.
enum class ProductPart : bool { whole, lower };

/// The product that takes nearly all operations of a large elimination, on dense blocks stored by columns:
///
///   (1)  C −= A Bᵀ,    C: m × n,  A: m × k,  B: n × k;   `lower`: what lies on and below the diagonal of C suffices,
///                      what lies above it is left undefined
///
/// Blocks of A and B are copied into the order in which a small tile of C, held in registers, runs through them
/// [K. Goto, R. van de Geijn, ACM TOMS 34 (2008) article 12]. Each number of C is a sum over k in ascending order, in
/// pieces of `depth` whose sums are subtracted one after the other: the same on every run, with one kernel. Kernels
/// differ in rounding (multiplication and addition rounded once or twice), and only so.
///
/// Complex numbers, not conjugated, are real ones twice as deep: with columns (Re a, Im a) of A
///
///   (2)  Re(a b) = (Re a, Im a)·(Re b, −Im b),   Im(a b) = (Re a, Im a)·(Im b, Re b)
struct FrontProduct {
  const char* name;       ///< "portable", "avx2"
  unsigned long scratch;  ///< numbers of room that a call needs
  void (*subtract)(double* C, long ldc, long m, long n, const double* A, long lda, const double* B, long ldb, long k,
                   ProductPart part, double* scratch);
  /// Real and imaginary parts of a number side by side; sizes and strides count complex numbers.
  void (*subtract_complex)(double* C, long ldc, long m, long n, const double* A, long lda, const double* B, long ldb,
                           long k, ProductPart part, double* scratch);
};

/// For every machine, with the same bits on all of them.
const FrontProduct& portable_front_product();
/// Four numbers at once, multiplied and added with one rounding; null where it was not compiled. Whether the processor
/// has what it needs is the caller's question.
const FrontProduct* avx2_front_product();

enum class DenseKernel : unsigned char;
/// The fastest that this processor has, or the portable one.
const FrontProduct& choose_front_product(DenseKernel kernel);

}  // namespace trammel
