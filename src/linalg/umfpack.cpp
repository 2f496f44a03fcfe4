// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/umfpack.h"

#include <fmt/format.h>
#include <umfpack.h>

#include <array>
#include <cmath>
#include <complex>
#include <new>

#include "trammel/base/error.h"

namespace trammel {

namespace {

using UmfpackControl = std::array<double, UMFPACK_CONTROL>;
using UmfpackInfo = std::array<double, UMFPACK_INFO>;

/// UMFPACK's C functions for one scalar type; complex numbers are passed with both parts side by side.
template <class S>
struct Umfpack;

template <>
struct Umfpack<double> {
  static constexpr int solve_room = 1;  // numbers of room per unknown
  static void set_defaults(UmfpackControl& control) { umfpack_di_defaults(control.data()); }
  static int analyze(int n, const int* p, const int* i, void** symbolic, const UmfpackControl& c, UmfpackInfo& info) {
    return umfpack_di_symbolic(n, n, p, i, nullptr, symbolic, c.data(), info.data());
  }
  static int factor(const int* p, const int* i, const double* x, void* symbolic, void** numeric,
                    const UmfpackControl& c, UmfpackInfo& info) {
    return umfpack_di_numeric(p, i, x, symbolic, numeric, c.data(), info.data());
  }
  static int solve(int system, const int* p, const int* i, const double* a, double* x, const double* b, void* numeric,
                   const UmfpackControl& c, UmfpackInfo& info, int* room, double* numbers) {
    return umfpack_di_wsolve(system, p, i, a, x, b, numeric, c.data(), info.data(), room, numbers);
  }
  static int get_pivots(void* numeric, int* row, int* col, double* diagonal) {
    int no_reciprocals = 0;
    return umfpack_di_get_numeric(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, row, col, diagonal,
                                  &no_reciprocals, nullptr, numeric);
  }
  static void free_symbolic(void** symbolic) { umfpack_di_free_symbolic(symbolic); }
  static void free_numeric(void** numeric) { umfpack_di_free_numeric(numeric); }
};

template <>
struct Umfpack<std::complex<double>> {
  using Complex = std::complex<double>;
  static constexpr int solve_room = 4;
  static double* raw(Complex* x) { return reinterpret_cast<double*>(x); }
  static const double* raw(const Complex* x) { return reinterpret_cast<const double*>(x); }
  static void set_defaults(UmfpackControl& control) { umfpack_zi_defaults(control.data()); }
  static int analyze(int n, const int* p, const int* i, void** symbolic, const UmfpackControl& c, UmfpackInfo& info) {
    return umfpack_zi_symbolic(n, n, p, i, nullptr, nullptr, symbolic, c.data(), info.data());
  }
  static int factor(const int* p, const int* i, const Complex* x, void* symbolic, void** numeric,
                    const UmfpackControl& c, UmfpackInfo& info) {
    return umfpack_zi_numeric(p, i, raw(x), nullptr, symbolic, numeric, c.data(), info.data());
  }
  static int solve(int system, const int* p, const int* i, const Complex* a, Complex* x, const Complex* b,
                   void* numeric, const UmfpackControl& c, UmfpackInfo& info, int* room, double* numbers) {
    return umfpack_zi_wsolve(system, p, i, raw(a), nullptr, raw(x), nullptr, raw(b), nullptr, numeric, c.data(),
                             info.data(), room, numbers);
  }
  static int get_pivots(void* numeric, int* row, int* col, Complex* diagonal) {
    int no_reciprocals = 0;
    return umfpack_zi_get_numeric(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, row, col,
                                  raw(diagonal), nullptr, &no_reciprocals, nullptr, numeric);
  }
  static void free_symbolic(void** symbolic) { umfpack_zi_free_symbolic(symbolic); }
  static void free_numeric(void** numeric) { umfpack_zi_free_numeric(numeric); }
};

template <class S>
class UmfpackSolver final : public LinearSolver<S> {
 public:
  explicit UmfpackSolver(const UmfpackOptions& options) {
    if (!(options.pivot_tol > 0 && options.pivot_tol <= 1))
      throw InputError(fmt::format("umfpack: pivot_tol = {} must lie in 0 < pivot_tol ≤ 1", options.pivot_tol));
    Umfpack<S>::set_defaults(control_);
    control_[UMFPACK_PIVOT_TOLERANCE] = control_[UMFPACK_SYM_PIVOT_TOLERANCE] = options.pivot_tol;
    control_[UMFPACK_SCALE] = UMFPACK_SCALE_NONE;  // scaling belongs to the formulation
    control_[UMFPACK_IRSTEP] = 0;
  }
  ~UmfpackSolver() override { drop(); }

  std::string_view name() const override { return "umfpack"; }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint&) override {
    drop();
    start_ = pattern.start;
    index_ = pattern.index;
    const std::size_t n = static_cast<std::size_t>(pattern.n_cols);
    for (std::vector<int>* x : {&row_, &col_, &room_}) x->assign(n, 0);
    for (std::vector<S>* x : {&diagonal_, &right_side_}) x->assign(n, S(0));
    abs_pivot_.assign(n, 0.0);
    numbers_.assign(n * Umfpack<S>::solve_room, 0.0);
    if (n == 0) return Status::success();
    const int status = Umfpack<S>::analyze(pattern.n_cols, start_.data(), index_.data(), &symbolic_, control_, info_);
    if (status != UMFPACK_OK) fail("analyze", status);
    return Status::success();
  }

  Status do_factor(std::span<const S> values) override {
    if (this->n() == 0) return Status::success();
    values_.assign(values.begin(), values.end());
    if (numeric_) Umfpack<S>::free_numeric(&numeric_);
    const int status =
        Umfpack<S>::factor(start_.data(), index_.data(), values_.data(), symbolic_, &numeric_, control_, info_);
    if (status != UMFPACK_OK && status != UMFPACK_WARNING_singular_matrix) fail("factor", status);
    if (const int got = Umfpack<S>::get_pivots(numeric_, row_.data(), col_.data(), diagonal_.data()); got != UMFPACK_OK)
      fail("factor", got);
    this->set_nnz_factors(static_cast<long>(info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ]) - this->n());
    for (std::size_t k = 0; k < abs_pivot_.size(); ++k) {
      abs_pivot_[k] = std::abs(diagonal_[k]);
      if (!(abs_pivot_[k] > 0.0)) return this->report_zero_pivot(col_[k]);
    }
    return this->judge_pivots(values, abs_pivot_, row_, col_);
  }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    kept = false;
    return do_factor(values);
  }

  Status do_solve(std::span<S> b) override { return solve_system(UMFPACK_A, b); }
  Status do_solve_transposed(std::span<S> b) override { return solve_system(UMFPACK_Aat, b); }  // not conjugated

 private:
  Status solve_system(int system, std::span<S> b) {
    if (this->n() == 0) return Status::success();
    std::copy(b.begin(), b.end(), right_side_.begin());
    const int status = Umfpack<S>::solve(system, start_.data(), index_.data(), values_.data(), b.data(),
                                         right_side_.data(), numeric_, control_, info_, room_.data(), numbers_.data());
    if (status != UMFPACK_OK) fail("solve", status);
    return Status::success();
  }

  void drop() {
    if (numeric_) Umfpack<S>::free_numeric(&numeric_);
    if (symbolic_) Umfpack<S>::free_symbolic(&symbolic_);
  }

  [[noreturn]] void fail(std::string_view where, int status) {
    if (status == UMFPACK_ERROR_out_of_memory) throw std::bad_alloc();
    throw Error(fmt::format("umfpack: {} failed for {} unknowns and {} entries (status {})", where, this->n(),
                            index_.size(), status));
  }

  UmfpackControl control_{};
  UmfpackInfo info_{};
  void *symbolic_ = nullptr, *numeric_ = nullptr;
  std::vector<int> start_, index_, row_, col_, room_;
  std::vector<S> values_, diagonal_, right_side_;
  std::vector<double> abs_pivot_, numbers_;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_umfpack(const UmfpackOptions& options) {
  return std::make_unique<UmfpackSolver<S>>(options);
}

template std::unique_ptr<LinearSolver<double>> make_umfpack(const UmfpackOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_umfpack(const UmfpackOptions&);

}  // namespace trammel
