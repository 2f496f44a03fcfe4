// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/sparse_lu.h"

#include <fmt/format.h>
#include <klu.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/linalg/predicted_work.h"

namespace trammel {

namespace {

/// KLU's C functions for one scalar type. KLU never writes through the pointers to A.
template <class S>
struct Klu;

template <>
struct Klu<double> {
  static klu_numeric* factor(int* p, int* i, double* x, klu_symbolic* s, klu_common* c) {
    return klu_factor(p, i, x, s, c);
  }
  static int refactor(int* p, int* i, double* x, klu_symbolic* s, klu_numeric* f, klu_common* c) {
    return klu_refactor(p, i, x, s, f, c);
  }
  static int rgrowth(int* p, int* i, double* x, klu_symbolic* s, klu_numeric* f, klu_common* c) {
    return klu_rgrowth(p, i, x, s, f, c);
  }
  static void solve(klu_symbolic* s, klu_numeric* f, int n, double* b, klu_common* c) { klu_solve(s, f, n, 1, b, c); }
  static void tsolve(klu_symbolic* s, klu_numeric* f, int n, double* b, klu_common* c) { klu_tsolve(s, f, n, 1, b, c); }
  static void free_numeric(klu_numeric** f, klu_common* c) { klu_free_numeric(f, c); }
};

template <>
struct Klu<std::complex<double>> {
  using Complex = std::complex<double>;
  static double* raw(Complex* x) { return reinterpret_cast<double*>(x); }
  static klu_numeric* factor(int* p, int* i, Complex* x, klu_symbolic* s, klu_common* c) {
    return klu_z_factor(p, i, raw(x), s, c);
  }
  static int refactor(int* p, int* i, Complex* x, klu_symbolic* s, klu_numeric* f, klu_common* c) {
    return klu_z_refactor(p, i, raw(x), s, f, c);
  }
  static int rgrowth(int* p, int* i, Complex* x, klu_symbolic* s, klu_numeric* f, klu_common* c) {
    return klu_z_rgrowth(p, i, raw(x), s, f, c);
  }
  static void solve(klu_symbolic* s, klu_numeric* f, int n, Complex* b, klu_common* c) {
    klu_z_solve(s, f, n, 1, raw(b), c);
  }
  static void tsolve(klu_symbolic* s, klu_numeric* f, int n, Complex* b, klu_common* c) {
    constexpr int conjugate = 0;
    klu_z_tsolve(s, f, n, 1, raw(b), conjugate, c);
  }
  static void free_numeric(klu_numeric** f, klu_common* c) { klu_z_free_numeric(f, c); }
};

/// One ordering and its factors, owned together: KLU wants its Common for freeing.
template <class S>
class Factors {
 public:
  Factors() = default;
  explicit Factors(klu_common& common) : common_(&common) {}
  Factors(Factors&& other) noexcept { swap(other); }
  Factors& operator=(Factors&& other) noexcept {
    Factors moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Factors() {
    if (numeric) Klu<S>::free_numeric(&numeric, common_);
    if (symbolic) klu_free_symbolic(&symbolic, common_);
  }
  void drop_numeric() {
    if (numeric) Klu<S>::free_numeric(&numeric, common_);
  }
  long nnz() const { return static_cast<long>(numeric->lnz) + numeric->unz + numeric->nzoff; }

  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

 private:
  void swap(Factors& other) noexcept {
    std::swap(symbolic, other.symbolic);
    std::swap(numeric, other.numeric);
    std::swap(common_, other.common_);
  }
  klu_common* common_ = nullptr;
};

constexpr int ordering_amd = 0, ordering_colamd = 1;
// Scaling belongs to the formulation. Indices are checked where pivots are chosen; looking through them again takes a
// tenth of what a refactorization of some thirty unknowns does.
constexpr int no_scaling = 0, no_scaling_no_check = -1;

template <class S>
class SparseLu final : public LinearSolver<S>, public WorkPrediction {
 public:
  explicit SparseLu(const SparseLuOptions& options) : options_(options) {
    if (!(options.pivot_tol > 0 && options.pivot_tol <= 1))
      throw InputError(fmt::format("sparse_lu: pivot_tol = {} must lie in 0 < pivot_tol ≤ 1", options.pivot_tol));
    if (!(options.growth_drop >= 0 && options.growth_drop < 1))
      throw InputError(fmt::format("sparse_lu: growth_drop = {} must lie in 0 ≤ growth_drop < 1", options.growth_drop));
    klu_defaults(&common_);
    common_.scale = no_scaling;
    common_.tol = options.pivot_tol;
    common_.btf = 1;
    common_.halt_if_singular = 1;
  }

  std::string_view name() const override { return "sparse_lu"; }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint&) override {
    start_ = pattern.start;
    index_ = pattern.index;
    abs_pivot_.assign(static_cast<std::size_t>(pattern.n_cols), 0.0);
    ordering_chosen_ = false;
    if (pattern.n_cols == 0) return Status::success();
    chosen_ = analyzed(ordering_amd);
    this->predict({chosen_.symbolic->lnz + chosen_.symbolic->unz + chosen_.symbolic->nzoff,
                   std::max(0.0, chosen_.symbolic->est_flops)});
    other_ = analyzed(ordering_colamd);
    return Status::success();
  }

  Status do_factor(std::span<const S> values) override {
    if (this->n() == 0) return Status::success();
    if (const Status status = numeric_factor(chosen_, values); !status.ok()) return status;
    if (!ordering_chosen_) choose_ordering(values);
    this->set_nnz_factors(chosen_.nnz());
    growth_at_factor_ = calc_reciprocal_growth(values);
    return judge(values);
  }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    kept = true;
    if (this->n() == 0) return Status::success();
    S* x = const_cast<S*>(values.data());
    common_.scale = no_scaling_no_check;
    const bool done = Klu<S>::refactor(start_.data(), index_.data(), x, chosen_.symbolic, chosen_.numeric, &common_) &&
                      common_.status == KLU_OK;
    common_.scale = no_scaling;
    if (done && calc_reciprocal_growth(values) >= options_.growth_drop * growth_at_factor_)
      if (const Status status = judge(values); status.ok()) return status;
    // The old pivots lost accuracy or vanished: only a new choice of pivots can tell a bad order from a singular
    // matrix.
    kept = false;
    return do_factor(values);
  }

  Status do_solve(std::span<S> b) override {
    if (this->n() > 0) Klu<S>::solve(chosen_.symbolic, chosen_.numeric, this->n(), b.data(), &common_);
    return Status::success();
  }
  Status do_solve_transposed(std::span<S> b) override {
    if (this->n() > 0) Klu<S>::tsolve(chosen_.symbolic, chosen_.numeric, this->n(), b.data(), &common_);
    return Status::success();
  }

 private:
  Factors<S> analyzed(int ordering) {
    Factors<S> factors(common_);
    common_.ordering = ordering;
    factors.symbolic = klu_analyze(this->n(), start_.data(), index_.data(), &common_);
    if (!factors.symbolic) fail("analyze");
    return factors;
  }

  Status numeric_factor(Factors<S>& factors, std::span<const S> values) {
    factors.drop_numeric();
    S* x = const_cast<S*>(values.data());
    factors.numeric = Klu<S>::factor(start_.data(), index_.data(), x, factors.symbolic, &common_);
    if (common_.status == KLU_SINGULAR) {
      factors.drop_numeric();
      return this->report_zero_pivot(common_.singular_col);  // KLU has mapped it back to a column of A
    }
    if (!factors.numeric) fail("factor");
    return Status::success();
  }

  /// KLU's estimate of the fill ignores pivoting, so the two orderings compete with their real factors, once per
  /// pattern.
  void choose_ordering(std::span<const S> values) {
    if (numeric_factor(other_, values).ok() && other_.nnz() < chosen_.nnz()) std::swap(chosen_, other_);
    other_ = Factors<S>();
    ordering_chosen_ = true;
  }

  double calc_reciprocal_growth(std::span<const S> values) {
    S* x = const_cast<S*>(values.data());
    Klu<S>::rgrowth(start_.data(), index_.data(), x, chosen_.symbolic, chosen_.numeric, &common_);
    return common_.rgrowth;
  }

  Status judge(std::span<const S> values) {
    const S* diagonal = static_cast<const S*>(chosen_.numeric->Udiag);
    const std::size_t n = abs_pivot_.size();
    for (std::size_t k = 0; k < n; ++k) abs_pivot_[k] = std::abs(diagonal[k]);
    return this->judge_pivots(values, abs_pivot_, {chosen_.numeric->Pnum, n}, {chosen_.symbolic->Q, n});
  }

  [[noreturn]] void fail(std::string_view where) {
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    throw Error(fmt::format("sparse_lu: {} failed for {} unknowns and {} entries ({})", where, this->n(), index_.size(),
                            common_.status == KLU_TOO_LARGE ? "the factors exceed 32-bit indices" : "invalid pattern"));
  }

  SparseLuOptions options_;
  klu_common common_;
  std::vector<int> start_, index_;
  Factors<S> chosen_, other_;
  bool ordering_chosen_ = false;
  double growth_at_factor_ = 0;
  std::vector<double> abs_pivot_;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_sparse_lu(const SparseLuOptions& options) {
  return std::make_unique<SparseLu<S>>(options);
}

template std::unique_ptr<LinearSolver<double>> make_sparse_lu(const SparseLuOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_sparse_lu(const SparseLuOptions&);

}  // namespace trammel
