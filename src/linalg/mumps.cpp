// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/mumps.h"

#include "trammel/base/error.h"

#if !TRAMMEL_HAS_MUMPS

namespace trammel {

std::string find_mumps_obstacle() {
  return "this build of trammel has no MUMPS; configure it with -DTRAMMEL_MUMPS=ON (Debian: libmumps-dev)";
}

template <class S>
std::unique_ptr<LinearSolver<S>> make_mumps() {
  throw InputError(find_mumps_obstacle());
}

void take_part_in_mumps(const ranks::Words&) {}

template std::unique_ptr<LinearSolver<double>> make_mumps();
template std::unique_ptr<LinearSolver<std::complex<double>>> make_mumps();

}  // namespace trammel

#else

#include <dmumps_c.h>
#include <fmt/format.h>
#include <zmumps_c.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <new>

#include "aligned_rows.h"
#include "elimination_order.h"
#include "magnitude.h"
#include "trammel/linalg/predicted_work.h"
#include "trammel/linalg/ranks.h"

namespace trammel {

using detail::magnitude;

namespace {

/// Differences of this many rounding errors are no asymmetry, as in the solvers without row exchanges.
constexpr double symmetry_rounding = 16 * std::numeric_limits<double>::epsilon();

/// What MUMPS calls jobs.
enum class MumpsJob : int { begin = -1, end = -2, analyze = 1, factor = 2, solve = 3 };

/// MUMPS' structure and function for one scalar type.
template <class S>
struct Mumps;
template <>
struct Mumps<double> {
  using Data = DMUMPS_STRUC_C;
  static void call(Data& data) { dmumps_c(&data); }
  static double* raw(double* x) { return x; }
};
template <>
struct Mumps<std::complex<double>> {
  using Data = ZMUMPS_STRUC_C;
  static void call(Data& data) { zmumps_c(&data); }
  static ZMUMPS_COMPLEX* raw(std::complex<double>* x) { return reinterpret_cast<ZMUMPS_COMPLEX*>(x); }
};

/// The parameters by the numbers that MUMPS' manual gives them.
template <class Data>
MUMPS_INT& control(Data& data, int number) {
  return data.icntl[number - 1];
}

/// One job on this rank.
template <class S>
void perform(typename Mumps<S>::Data& data, MumpsJob job, bool symmetric) {
  if (job == MumpsJob::begin) {
    data = {};
    data.par = 1;  // rank 0 works, too
    data.sym = symmetric ? 2 : 0;
    data.comm_fortran = ranks::fortran_communicator();
  }
  data.job = static_cast<int>(job);
  Mumps<S>::call(data);
  if (job == MumpsJob::begin)
    for (int number = 1; number <= 4; ++number) control(data, number) = 0;  // it says nothing
}

template <class S>
void take_part(const ranks::Words& words) {
  static std::map<int, typename Mumps<S>::Data> problems;  // of this rank, by the number that rank 0 gave them
  const MumpsJob job{words[2]};
  perform<S>(problems[words[1]], job, words[3] != 0);
  if (job == MumpsJob::end) problems.erase(words[1]);
}

/// A matrix that all ranks know by a number.
template <class S>
class MumpsProblem {
 public:
  explicit MumpsProblem(bool symmetric) : number_(++last_number), symmetric_(symmetric) { run(MumpsJob::begin); }
  ~MumpsProblem() { run(MumpsJob::end); }
  MumpsProblem(const MumpsProblem&) = delete;
  MumpsProblem& operator=(const MumpsProblem&) = delete;

  void run(MumpsJob job) {
    const ranks::Together together(
        {ranks::mumps, {std::is_same_v<S, double> ? 0 : 1, number_, static_cast<int>(job), symmetric_ ? 1 : 0, 0}});
    perform<S>(data, job, symmetric_);
  }
  int error() const { return data.infog[0]; }
  bool symmetric() const { return symmetric_; }

  typename Mumps<S>::Data data{};

 private:
  static inline std::atomic<int> last_number = 0;
  int number_;
  bool symmetric_;
};

/// Counts above 2³¹ are told in millions, as negative numbers.
double counted(MUMPS_INT n) { return n < 0 ? -1e6 * n : n; }

template <class S>
class MumpsSolver final : public LinearSolver<S>, public WorkPrediction {
 public:
  std::string_view name() const override { return "mumps"; }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    problem_.reset();
    was_unsymmetric_ = false;
    aligned_ = align_rows(pattern, hint.rows);
    position_.clear();
    if (!hint.roles.empty()) {
      const std::vector<int> order =
          order_by_dissection(make_graph(aligned_.pattern), find_multipliers(aligned_.pattern, hint));
      position_.resize(order.size());
      for (std::size_t k = 0; k < order.size(); ++k) position_[order[k]] = static_cast<int>(k) + 1;
    }
    right_side_.assign(static_cast<std::size_t>(pattern.n_cols), S(0));
    return Status::success();
  }

  Status do_factor(std::span<const S> values) override {
    if (this->n() == 0) return Status::success();
    const bool symmetric = !was_unsymmetric_ && is_symmetric(values);
    was_unsymmetric_ = !symmetric;
    if (!problem_ || problem_->symmetric() != symmetric) begin(symmetric);
    for (std::size_t k = 0; k < taken_.size(); ++k) a_[k] = values[taken_[k]];
    problem_->run(MumpsJob::factor);
    constexpr int too_little_room = -9, too_little_integer_room = -8, most_room = 1600;
    auto& data = problem_->data;
    while ((problem_->error() == too_little_room || problem_->error() == too_little_integer_room) &&
           control(data, 14) < most_room) {
      control(data, 14) *= 2;  // percent beyond what was predicted
      problem_->run(MumpsJob::factor);
    }
    constexpr int singular = -10;
    if (problem_->error() < 0 && problem_->error() != singular) fail("factor");
    this->set_nnz_factors(static_cast<long>(counted(data.infog[28])));
    if (problem_->error() == singular || data.infog[27] > 0) return this->report_zero_pivot(find_guilty());
    this->set_smallest_pivot({data.rinfog[18], data.rinfog[18], -1});
    return Status::success();
  }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    kept = false;
    return do_factor(values);
  }

  Status do_solve(std::span<S> b) override {
    if (aligned_.row_of.empty()) return solve_in_place(b, false);
    for (std::size_t j = 0; j < b.size(); ++j) right_side_[j] = b[aligned_.row_of[j]];
    const Status status = solve_in_place(right_side_, false);
    std::copy(right_side_.begin(), right_side_.end(), b.begin());
    return status;
  }
  Status do_solve_transposed(std::span<S> b) override {
    const Status status = solve_in_place(b, true);
    if (aligned_.row_of.empty()) return status;
    std::copy(b.begin(), b.end(), right_side_.begin());
    for (std::size_t j = 0; j < b.size(); ++j) b[aligned_.row_of[j]] = right_side_[j];
    return status;
  }

 private:
  bool is_symmetric(std::span<const S> values) const {
    const std::span<const double> peak = this->column_peaks();
    for (int j = 0; j < aligned_.pattern.n_cols; ++j)
      for (int k = aligned_.pattern.start[j]; k < aligned_.pattern.start[j + 1]; ++k) {
        const int i = aligned_.pattern.index[k], mirror = i == j ? k : aligned_.pattern.slot(j, i);
        const S other = mirror < 0 ? S(0) : values[aligned_.slot_of[mirror]];
        if (magnitude(values[aligned_.slot_of[k]] - other) > symmetry_rounding * std::min(peak[i], peak[j]))
          return false;
      }
    return true;
  }

  /// Hands the pattern over, the lower triangle of a symmetric one, and analyzes it.
  void begin(bool symmetric) {
    problem_.reset();  // its memory first
    problem_ = std::make_unique<MumpsProblem<S>>(symmetric);
    row_.clear(), col_.clear(), taken_.clear();
    for (int j = 0; j < aligned_.pattern.n_cols; ++j)
      for (int k = aligned_.pattern.start[j]; k < aligned_.pattern.start[j + 1]; ++k) {
        if (symmetric && aligned_.pattern.index[k] < j) continue;
        row_.push_back(aligned_.pattern.index[k] + 1);
        col_.push_back(j + 1);
        taken_.push_back(aligned_.slot_of[k]);
      }
    a_.assign(taken_.size(), S(0));
    auto& data = problem_->data;
    data.n = this->n();
    data.nnz = static_cast<MUMPS_INT8>(taken_.size());
    data.irn = row_.data(), data.jcn = col_.data(), data.a = Mumps<S>::raw(a_.data());
    data.nrhs = 1, data.lrhs = this->n();
    control(data, 6) = position_.empty() ? 7 : 0;  // rows for a diagonal without zeros, unless they have their order
    control(data, 7) = position_.empty() ? 7 : 1;  // who orders: MUMPS, or we
    data.perm_in = position_.empty() ? nullptr : position_.data();
    control(data, 8) = 7;    // equilibrate by rows and columns
    control(data, 13) = 1;   // no root by ScaLAPACK, which would not tell of vanished pivots
    control(data, 14) = 50;  // percent of room beyond what is predicted
    data.cntl[0] = 0.1;      // of the largest entry of its column a pivot has at least this part, as UMFPACK's here
    control(data, 24) = 1;   // vanished pivots are told,
    data.cntl[2] = LinearSolver<S>::singular_pivot;  // those below this times the norm, which is about 1
    if (data.n < 2) control(data, 8) = control(data, 6) = 0;
    problem_->run(MumpsJob::analyze);
    constexpr int singular_structure = -6;
    if (problem_->error() == singular_structure) {  // no such rows: the pivot will vanish, and tell whose it is
      control(data, 6) = 0;
      problem_->run(MumpsJob::analyze);
    }
    if (problem_->error() < 0) fail("analyze");
    this->predict({counted(data.infog[19]), data.rinfog[0]});
  }

  Status solve_in_place(std::span<S> b, bool transposed) {
    if (this->n() == 0) return Status::success();
    auto& data = problem_->data;
    data.rhs = Mumps<S>::raw(b.data());
    control(data, 9) = transposed ? 2 : 1;
    problem_->run(MumpsJob::solve);
    if (problem_->error() < 0) fail("solve");
    return Status::success();
  }

  /// The unknown with the largest part of a null vector.
  int find_guilty() {
    auto& data = problem_->data;
    if (problem_->error() < 0) return 0;
    data.rhs = Mumps<S>::raw(right_side_.data());
    control(data, 9) = 1;
    control(data, 25) = 1;  // the first null vector instead of a solution
    problem_->run(MumpsJob::solve);
    control(data, 25) = 0;
    if (problem_->error() < 0) fail("solve");
    const auto largest = std::max_element(right_side_.begin(), right_side_.end(),
                                          [](const S& a, const S& b) { return magnitude(a) < magnitude(b); });
    return static_cast<int>(largest - right_side_.begin());
  }

  [[noreturn]] void fail(std::string_view where) {
    constexpr int no_memory = -13;
    const int error = problem_->error(), more = problem_->data.infog[1];
    problem_.reset();
    if (error == no_memory) throw std::bad_alloc();
    throw Error(fmt::format("mumps: {} failed for {} unknowns and {} entries (INFOG(1) = {}, INFOG(2) = {})", where,
                            this->n(), aligned_.pattern.nnz(), error, more));
  }

  std::unique_ptr<MumpsProblem<S>> problem_;
  AlignedRows aligned_;
  std::vector<int> position_;           // of each unknown in the order of elimination, from 1; empty: MUMPS chooses
  std::vector<int> row_, col_, taken_;  // what MUMPS gets, from 1, and the matrix slot of its values
  std::vector<S> a_, right_side_;
  bool was_unsymmetric_ = false;
};

}  // namespace

std::string find_mumps_obstacle() { return {}; }

template <class S>
std::unique_ptr<LinearSolver<S>> make_mumps() {
  return std::make_unique<MumpsSolver<S>>();
}

void take_part_in_mumps(const ranks::Words& words) {
  if (words[0] == 0)
    take_part<double>(words);
  else
    take_part<std::complex<double>>(words);
}

template std::unique_ptr<LinearSolver<double>> make_mumps();
template std::unique_ptr<LinearSolver<std::complex<double>>> make_mumps();

}  // namespace trammel

#endif
