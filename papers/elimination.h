// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

namespace trammel::papers {

/// A decimal number of five significant digits: the arithmetic of [bauchau2009 (35)]. Every result is cut or rounded to
/// five digits, as by a reader with a short calculator.
enum class Cut { truncate, round };

template <Cut cut>
class FiveDigits {
 public:
  FiveDigits(double value = 0.0) : value_(shorten(value)) {}
  double value() const { return value_; }

  friend FiveDigits operator+(FiveDigits a, FiveDigits b) { return {a.value_ + b.value_}; }
  friend FiveDigits operator-(FiveDigits a, FiveDigits b) { return {a.value_ - b.value_}; }
  friend FiveDigits operator*(FiveDigits a, FiveDigits b) { return {a.value_ * b.value_}; }
  friend FiveDigits operator/(FiveDigits a, FiveDigits b) { return {a.value_ / b.value_}; }

 private:
  static double shorten(double value) {
    if (value == 0.0 || !std::isfinite(value)) return value;
    constexpr int digits = 5;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - digits);
    const double units = value / unit;
    // 99999 may appear as 99998.99999999999: what is nearer than 1e-6 to a whole number is meant to be one.
    constexpr double noise = 1e-6;
    return (cut == Cut::round ? std::round(units) : std::trunc(units + std::copysign(noise, units))) * unit;
  }
  double value_;
};

inline double value_of(double x) { return x; }
template <Cut cut>
double value_of(FiveDigits<cut> x) {
  return x.value();
}

/// Gauss' elimination in short arithmetic, with full pivoting or with none: the product's solvers compute in double.
template <class S>
struct Elimination {
  std::vector<S> x;
  double smallest_pivot = 0.0;  ///< in absolute value; elimination stops at 0 and leaves x empty
};

template <class S>
Elimination<S> eliminate(std::vector<std::vector<S>> A, std::vector<S> b, bool pivot) {
  const std::size_t n = b.size();
  std::vector<std::size_t> column(n);
  for (std::size_t j = 0; j < n; ++j) column[j] = j;
  Elimination<S> result;
  result.smallest_pivot = HUGE_VAL;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row_best = k, column_best = k;
    for (std::size_t i = k; pivot && i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (std::abs(value_of(A[i][j])) > std::abs(value_of(A[row_best][column_best]))) row_best = i, column_best = j;
    std::swap(A[k], A[row_best]), std::swap(b[k], b[row_best]), std::swap(column[k], column[column_best]);
    for (std::vector<S>& row : A) std::swap(row[k], row[column_best]);
    result.smallest_pivot = std::min(result.smallest_pivot, std::abs(value_of(A[k][k])));
    if (value_of(A[k][k]) == 0.0) return result;
    for (std::size_t i = k + 1; i < n; ++i) {
      const S factor = A[i][k] / A[k][k];
      for (std::size_t j = k + 1; j < n; ++j) A[i][j] = A[i][j] - factor * A[k][j];
      b[i] = b[i] - factor * b[k];
    }
  }
  result.x.assign(n, S(0.0));
  for (std::size_t k = n; k-- > 0;) {
    S rest = b[k];
    for (std::size_t j = k + 1; j < n; ++j) rest = rest - A[k][j] * result.x[column[j]];
    result.x[column[k]] = rest / A[k][k];
  }
  return result;
}

}  // namespace trammel::papers
