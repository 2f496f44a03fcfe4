// SPDX-License-Identifier: Apache-2.0
#include "../../src/linalg/front_product.h"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

#include "trammel/linalg/dense_kernel.h"

// The product of large fronts, C −= A Bᵀ, beside three plain loops.

namespace trammel::test_front_product {
namespace {

using Complex = std::complex<double>;

std::vector<const FrontProduct*> kernels() {
  std::vector<const FrontProduct*> all{&portable_front_product()};
  if (&choose_front_product(DenseKernel::automatic) != all.front())
    all.push_back(&choose_front_product(DenseKernel::automatic));
  return all;
}

template <class S>
std::vector<S> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<S> x(n);
  for (S& number : x) {
    if constexpr (std::is_same_v<S, double>)
      number = value(engine);
    else
      number = {value(engine), value(engine)};
  }
  return x;
}

template <class S>
void subtract(const FrontProduct& product, std::vector<S>& C, long ldc, long m, long n, const std::vector<S>& A,
              const std::vector<S>& B, long k, ProductPart part, std::vector<double>& scratch) {
  const auto call = std::is_same_v<S, double> ? product.subtract : product.subtract_complex;
  call(reinterpret_cast<double*>(C.data()), ldc, m, n, reinterpret_cast<const double*>(A.data()), m,
       reinterpret_cast<const double*>(B.data()), n, k, part, scratch.data());
}

// Sizes around tiles (4, 12), blocks (96, 512) and depths (256). |error| ≤ k ε Σ|a||b| ≤ k² ε with |a|, |b| ≤ √2.
template <class S>
void expect_products() {
  for (const FrontProduct* product : kernels()) {
    std::vector<double> scratch(product->scratch);
    for (const auto& [m, n, k] : {std::array<long, 3>{1, 1, 1},
                                  {4, 4, 8},
                                  {13, 5, 3},
                                  {12, 12, 300},
                                  {97, 101, 17},
                                  {200, 30, 129},
                                  {40, 530, 9}})
      for (const ProductPart part : {ProductPart::whole, ProductPart::lower}) {
        SCOPED_TRACE(fmt::format("{}: {} × {}, depth {}", product->name, m, n, k));
        const long ldc = m + 3;
        const std::vector<S> A = random_numbers<S>(static_cast<std::size_t>(m * k), 1),
                             B = random_numbers<S>(static_cast<std::size_t>(n * k), 2),
                             before = random_numbers<S>(static_cast<std::size_t>(ldc * n), 3);
        std::vector<S> C = before;
        subtract(*product, C, ldc, m, n, A, B, k, part, scratch);
        double error = 0.0, outside = 0.0;
        for (long j = 0; j < n; ++j) {
          for (long i = part == ProductPart::lower ? j : 0; i < m; ++i) {
            S sum(0);
            for (long p = 0; p < k; ++p) sum += A[i + p * m] * B[j + p * n];
            error = std::max(error, std::abs(before[i + j * ldc] - sum - C[i + j * ldc]));
          }
          for (long i = m; i < ldc; ++i) outside = std::max(outside, std::abs(C[i + j * ldc] - before[i + j * ldc]));
        }
        EXPECT_LT(error, 1e-15 * static_cast<double>(4 * k + 4));
        EXPECT_EQ(outside, 0.0) << "numbers below the block";
        std::vector<S> again = before;
        subtract(*product, again, ldc, m, n, A, B, k, part, scratch);
        if (part == ProductPart::whole) {
          EXPECT_EQ(again, C) << "the same bits";
        }
      }
  }
}

TEST(FrontProduct, real_products_are_those_of_plain_loops) { expect_products<double>(); }
TEST(FrontProduct, complex_products_are_those_of_plain_loops_and_not_conjugated) { expect_products<Complex>(); }

// Numbers whose sums are exact in any order, with one rounding or two: the kernels agree to the last bit.
TEST(FrontProduct, kernels_differ_in_rounding_only) {
  constexpr long n = 61, k = 300;
  std::mt19937 engine(5);
  std::vector<double> A(n * k), B(n * k);
  for (std::vector<double>* x : {&A, &B})
    for (double& number : *x) number = static_cast<double>(engine() % 64) - 32.0;
  std::vector<std::vector<double>> results;
  for (const FrontProduct* product : kernels()) {
    std::vector<double> scratch(product->scratch), C(n * n, 0.5);
    subtract(*product, C, n, n, n, A, B, k, ProductPart::whole, scratch);
    results.push_back(C);
  }
  for (const std::vector<double>& C : results) EXPECT_EQ(C, results.front());
}

}  // namespace
}  // namespace trammel::test_front_product
