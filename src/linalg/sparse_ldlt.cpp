// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/sparse_ldlt.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "front_product.h"
#include "front_tree.h"
#include "small_kernels.h"
#include "trammel/base/crew.h"
#include "unpivoted_solver.h"

namespace trammel {

namespace {

using Front = FrontTree::Front;

/// Storage of a front (FrontTree): columns of L with the pivots on the diagonal in the panel of `L_`, and for
/// unsymmetric matrices the rows of D U as columns of the panel of `U_`, transposed, so that both are walked
/// contiguously. In the panel of U_ only the part below the diagonal is used.
template <class S>
class SparseLdlt final : public UnpivotedSolver<S> {
 public:
  explicit SparseLdlt(const UnpivotedOptions& options)
      : UnpivotedSolver<S>(options, "sparse_ldlt"), product_(choose_front_product(options.dense_kernel)) {}
  std::string_view name() const override { return "sparse_ldlt"; }
  std::string_view dense_kernel() const override { return has_large_ ? product_.name : ""; }

 protected:
  PredictedWork choose_order(const Pattern& pattern, const OrderingHint& hint) override {
    graph_ = make_graph(pattern);
    const std::vector<char> multiplier = find_multipliers(pattern, hint);
    chosen_ = FrontTree::make_tree(graph_, order_multipliers_local(graph_, multiplier), infinity);
    // A candidate replaces what was chosen if it keeps within `limit`.
    const auto consider = [&](std::vector<int> order, double limit) {
      FrontTree::Tree tree = FrontTree::make_tree(graph_, std::move(order), limit);
      if (tree.complete) chosen_ = std::move(tree);
    };
    if (std::find(multiplier.begin(), multiplier.end(), 1) != multiplier.end())
      consider(order_multipliers_last(graph_, multiplier), std::nextafter(chosen_.work, 0.0));
    // Of orders that cost much the same, the one along the machine: its fronts follow each other in memory.
    const double before = chosen_.work;
    consider(order_for_profile(graph_, multiplier), comparable * before);
    // Along a long machine one front waits for the other; from both ends there are two that do not, at the same cost.
    if (chosen_.work > long_work) consider(order_from_both_ends(graph_, multiplier), 1.01 * chosen_.work);
    if (chosen_.work > much_work) consider(order_by_dissection(graph_, multiplier), chosen_.work);
    return {2.0 * chosen_.nnz + static_cast<double>(graph_.n()), 2.0 * chosen_.work};
  }

  void complete_order(const Pattern& pattern, std::vector<int>& order) override {
    tree_ = FrontTree(graph_, std::exchange(chosen_, {}));
    graph_ = {};
    order = tree_.order();
    map_slots(pattern);
    L_.assign(tree_.panel_size(), S(0));
    U_.clear();
    for (const int parity : {0, 1}) update_[parity].assign(tree_.update_size(parity), S(0));
    inverse_pivot_.assign(order.size(), S(0));
    has_large_ = std::any_of(tree_.fronts().begin(), tree_.fronts().end(), is_large);
    make_scratch();
    sums_by_branch_ = static_cast<double>(tree_.nnz()) > shared_numbers;
  }

  int n_more_places() const override { return sums_by_branch_ ? static_cast<int>(tree_.outside().size()) : 0; }

  int eliminate(std::span<const S> values, bool symmetric, std::span<S> pivot) override {
    symmetric_ = symmetric;
    if (!symmetric && U_.empty()) U_.assign(L_.size(), S(0));
    return symmetric ? eliminate_fronts<true>(values, pivot) : eliminate_fronts<false>(values, pivot);
  }

  void substitute(std::span<S> x) override {
    forward<Diagonal::unit>(L_, x);
    if (symmetric_)
      backward<Diagonal::pivot_first>(L_, x);
    else
      backward<Diagonal::pivot>(U_, x);
  }

  void substitute_transposed(std::span<S> x) override {
    if (symmetric_) return substitute(x);
    forward<Diagonal::pivot>(U_, x);
    backward<Diagonal::unit>(L_, x);
  }

  long count_numbers(bool symmetric) const override {
    return (symmetric ? 1 : 2) * tree_.nnz() + static_cast<long>(tree_.order().size());
  }

 private:
  static constexpr double comparable = 1.25;
  /// Σ below² beyond which a dissection, some milliseconds for thousands of bodies, is worth trying: a tenth of a
  /// second of elimination.
  static constexpr double much_work = 1e8;
  /// Σ below² beyond which an order is worth trying that two threads can follow at once (FrontTree::Branch).
  static constexpr double long_work = 3e6;

  /// Tiles of a product pay from some thousand operations on; the fronts of chains are smaller.
  static bool is_large(const Front& front) { return front.width >= few_columns && front.height() >= 48; }
  static constexpr int few_columns = 8;

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// What an elimination needs besides the factors: one for the trunk of the tree and one for each branch.
  struct Scratch {
    std::vector<S> LD, gathered;  // the largest panel and column
    std::vector<double> product;
  };
  /// Products of this many operations, a fifth of a millisecond, and sums of as many numbers are worth sharing; into
  /// this many pieces.
  static constexpr double shared_product = 1e6;
  static constexpr int n_pieces = 8;
  /// Numbers of L beyond which a forward substitution, a millisecond, is shared by sums of each branch (FrontTree).
  static constexpr double shared_numbers = 1e6;

  void make_scratch() {
    const std::span<const FrontTree::Branch> branches = tree_.branches();
    const std::size_t n = branches.empty() ? 1 : 1 + std::max<std::size_t>(branches.size(), n_pieces - 1);
    scratch_.assign(n, {});
    scratch_[0].LD.assign(tree_.largest_panel(), S(0));
    scratch_[0].gathered.assign(static_cast<std::size_t>(tree_.largest_height()), S(0));
    for (std::size_t b = 0; b < branches.size(); ++b) {
      scratch_[b + 1].LD.assign(branches[b].largest_panel, S(0));
      scratch_[b + 1].gathered.assign(static_cast<std::size_t>(branches[b].largest_height), S(0));
    }
    for (Scratch& scratch : scratch_) scratch.product.assign(has_large_ ? product_.scratch : 0, 0.0);
    vanished_.assign(branches.size(), -1);
  }

  /// Where a slot of the matrix goes: into the panel of L (diagonal included) or of U.
  struct Entry {
    int slot;
    std::size_t to;
  };

  void map_slots(const Pattern& pattern) {
    const std::span<const Front> fronts = tree_.fronts();
    const std::vector<int>& position = tree_.position();
    std::vector<int> front_of(position.size());
    for (std::size_t f = 0; f < fronts.size(); ++f)
      std::fill_n(front_of.begin() + fronts[f].first, fronts[f].width, static_cast<int>(f));
    const auto row_in = [&](const Front& front, int step) {
      if (step < front.first + front.width) return step - front.first;
      const auto begin = tree_.row().begin() + front.rows;
      return front.width + static_cast<int>(std::lower_bound(begin, begin + front.below, step) - begin);
    };
    std::vector<std::vector<Entry>> lower(fronts.size()), upper(fronts.size());
    for (int j = 0; j < pattern.n_cols; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
        const int row = position[pattern.index[k]], col = position[j];
        const int f = front_of[std::min(row, col)];
        const std::size_t column = static_cast<std::size_t>(std::min(row, col) - fronts[f].first);
        const std::size_t to = fronts[f].panel + column * static_cast<std::size_t>(fronts[f].height()) +
                               static_cast<std::size_t>(row_in(fronts[f], std::max(row, col)));
        (row >= col ? lower : upper)[f].push_back({k, to});
      }
    const auto join = [](const std::vector<std::vector<Entry>>& lists, std::vector<Entry>& all,
                         std::vector<int>& start) {
      all.clear();
      start.assign(1, 0);
      for (const std::vector<Entry>& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
        start.push_back(static_cast<int>(all.size()));
      }
    };
    join(lower, lower_, lower_start_);
    join(upper, upper_, upper_start_);
  }

  template <bool symmetric>
  int eliminate_fronts(std::span<const S> values, std::span<S> pivot) {
    const std::span<const FrontTree::Branch> branches = tree_.branches();
    share_items(static_cast<int>(branches.size()), [&](int b) {
      vanished_[b] = eliminate_some<symmetric>(values, tree_.fronts_of(branches[b]), pivot, scratch_[b + 1]);
    });
    for (const int step : vanished_)
      if (step >= 0) return step;
    return eliminate_some<symmetric>(values, tree_.trunk(), pivot, scratch_[0]);
  }

  /// The step whose pivot vanished, or −1. In one place for branches and trunk, so that all it calls is inlined.
  template <bool symmetric>
  [[gnu::noinline]] int eliminate_some(std::span<const S> values, std::span<const int> which, std::span<S> pivot,
                                       Scratch& scratch) {
    const std::span<const Front> fronts = tree_.fronts();
    for (const int f : which) {
      const Front& front = fronts[f];
      assemble<symmetric>(values, static_cast<std::size_t>(f));
      for (int c = front.first_child; c < front.first_child + front.n_children; ++c)
        extend_add<symmetric>(fronts[tree_.children()[c]], front);
      const bool large = is_large(front);
      const int zero = large ? factor_columns<symmetric>(front, 0, front.width, pivot, scratch)
                             : factor_panel<symmetric>(front, 0, front.width, pivot, scratch);
      if (zero >= 0) return front.first + zero;
      if (large)
        update_large_rest<symmetric>(front, scratch);
      else
        update_rest<symmetric>(front, scratch);
    }
    return -1;
  }

  template <bool symmetric>
  void assemble(std::span<const S> values, std::size_t f) {
    const Front& front = tree_.fronts()[f];
    const std::size_t size = static_cast<std::size_t>(front.height()) * static_cast<std::size_t>(front.width);
    std::fill_n(L_.data() + front.panel, size, S(0));
    for (int e = lower_start_[f]; e < lower_start_[f + 1]; ++e) L_[lower_[e].to] = values[lower_[e].slot];
    if constexpr (!symmetric) {
      std::fill_n(U_.data() + front.panel, size, S(0));
      for (int e = upper_start_[f]; e < upper_start_[f + 1]; ++e) U_[upper_[e].to] = values[upper_[e].slot];
    }
    const long below = front.below;
    S* const update = update_[front.parity].data() + front.update;
    share(below, least_columns, [&](long first, long last) {
      std::fill_n(update + first * below, static_cast<std::size_t>((last - first) * below), S(0));
    });
  }
  /// Columns of a front that are added or cleared at once: the fronts of chains have fewer.
  static constexpr long least_columns = 128;

  /// Adds the update matrix of a child, whose rows are some of the rows of the parent, in ascending order.
  template <bool symmetric>
  void extend_add(const Front& child, const Front& parent) {
    share(child.below, least_columns, [&](long first, long last) {
      extend_add_columns<symmetric>(child, parent, static_cast<int>(first), static_cast<int>(last));
    });
  }

  template <bool symmetric>
  void extend_add_columns(const Front& child, const Front& parent, int first, int last) {
    const int n = child.below, inside = child.n_in_parent_pivots;
    const int* to = tree_.row_in_parent().data() + child.rows;
    const S* from = update_[child.parity].data() + child.update + static_cast<long>(first) * n;
    const long height = parent.height();
    S* L = L_.data() + parent.panel;
    S* update = update_[parent.parity].data() + parent.update;
    for (int j = first; j < last; ++j, from += n) {
      if (j < inside) {
        S* column = L + to[j] * height;
        for (int i = j; i < n; ++i) column[to[i]] += from[i];
      } else {
        S* column = update + (to[j] - parent.width) * static_cast<long>(parent.below) - parent.width;
        for (int i = symmetric ? j : inside; i < n; ++i) column[to[i]] += from[i];
      }
      if constexpr (!symmetric) {
        S* row = U_.data() + parent.panel + to[j];
        for (int i = 0; i < std::min(j, inside); ++i) row[to[i] * height] += from[i];
      }
    }
  }

  /// Each number is the same sum wherever the product is cut (front_product.h).
  void subtract_tiles(S* C, long ldc, long m, long n, const S* A, const S* B, long ld, long k, ProductPart part,
                      Scratch& scratch) {
    const auto subtract = [&](long row, long rows, long column, long columns, ProductPart which, Scratch& own) {
      const auto call = std::is_same_v<S, double> ? product_.subtract : product_.subtract_complex;
      call(reinterpret_cast<double*>(C + row + column * ldc), ldc, rows, columns,
           reinterpret_cast<const double*>(A + row), ld, reinterpret_cast<const double*>(B + column), ld, k, which,
           own.product.data());
    };
    const bool shared = &scratch == scratch_.data() && scratch_.size() > 1 && Crew::mine() != nullptr &&
                        static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > shared_product;
    if (!shared) return subtract(0, m, 0, n, part, scratch);
    // By rows, into equal areas, at whole tiles; of a lower part, the first n rows are a triangle.
    constexpr double tile = 24;
    const bool lower = part == ProductPart::lower;
    const double width = static_cast<double>(n), half = lower ? 0.5 * width : 0.0;
    const double triangle = half * width, area = width * static_cast<double>(m) - triangle;
    const auto cut = [&](int piece) {
      const double wanted = area * piece / n_pieces;
      const double row = wanted < triangle ? std::sqrt(2.0 * wanted) : wanted / width + half;
      return piece == n_pieces ? m : std::min(m, static_cast<long>(std::floor(row / tile) * tile));
    };
    share_items(n_pieces, [&](int piece) {
      const long first = cut(piece), rows = cut(piece + 1) - first;
      const long columns = lower ? std::min(n, first + rows) : n;
      if (rows > 0) subtract(first, rows, 0, columns, lower && first == 0 ? part : ProductPart::whole, scratch_[piece]);
    });
  }

  /// Columns first … last − 1 of a large front, from which those before have been subtracted: the left half, its
  /// product with itself subtracted from the right half, the right half. Nearly all operations are products.
  template <bool symmetric>
  int factor_columns(const Front& front, int first, int last, std::span<S> pivot, Scratch& scratch) {
    if (last - first <= few_columns) return factor_panel<symmetric>(front, first, last, pivot, scratch);
    const int half = first + ((last - first) / 2 + few_columns - 1) / few_columns * few_columns;
    if (const int zero = factor_columns<symmetric>(front, first, half, pivot, scratch); zero >= 0) return zero;
    const long ld = front.height(), rows = front.height() - half, from = first * ld + half, to = half * ld + half;
    S* L = L_.data() + front.panel;
    S* DU = upper_panel<symmetric>(front, scratch);
    subtract_tiles(L + to, ld, rows, last - half, L + from, DU + from, ld, half - first, ProductPart::lower, scratch);
    if constexpr (!symmetric)
      subtract_tiles(DU + to, ld, rows, last - half, DU + from, L + from, ld, half - first, ProductPart::lower,
                     scratch);
    return factor_columns<symmetric>(front, half, last, pivot, scratch);
  }

  /// A₂₂ −= L₂₁ (D U₁₂) in tiles.
  template <bool symmetric>
  void update_large_rest(const Front& front, Scratch& scratch) {
    const long n = front.below, w = front.width;
    if (n == 0) return;
    subtract_tiles(update_[front.parity].data() + front.update, n, n, n, L_.data() + front.panel + w,
                   upper_panel<symmetric>(front, scratch) + w, front.height(), w,
                   symmetric ? ProductPart::lower : ProductPart::whole, scratch);
  }

  /// Column by column, left-looking inside the columns first … last − 1: column k of L D and row k of D U, the pivot,
  /// column k of L.
  template <bool symmetric>
  int factor_panel(const Front& front, int first, int last, std::span<S> pivot, Scratch& scratch) {
    const long height = front.height();
    S* L = L_.data() + front.panel;
    S* DU = upper_panel<symmetric>(front, scratch);
    for (int k = first; k < last; ++k) {
      const int below = front.height() - k - 1;
      S* column = L + k * height + k;
      S* row = DU + k * height + k;
      const long before = first * height + k;
      subtract_product(column, below + 1, L + before, front.height(), DU + before, front.height(), k - first);
      const S d = *column;
      if (!(std::abs(d) > 0)) return k;
      if constexpr (symmetric)
        std::copy_n(column + 1, below, row + 1);
      else
        subtract_product(row + 1, below, DU + before + 1, front.height(), L + before, front.height(), k - first);
      const S inverse = S(1) / d;
      pivot[static_cast<std::size_t>(front.first + k)] = d;
      inverse_pivot_[static_cast<std::size_t>(front.first + k)] = inverse;
      for (int i = 1; i <= below; ++i) column[i] = product(column[i], inverse);
    }
    return -1;
  }

  /// A₂₂ −= L₂₁ (D U₁₂), two columns at a time; the lower triangle if symmetric.
  template <bool symmetric>
  void update_rest(const Front& front, Scratch& scratch) {
    const int height = front.height(), n = front.below, w = front.width;
    const S* L = L_.data() + front.panel + w;
    const S* DU = upper_panel<symmetric>(front, scratch) + w;
    S* update = update_[front.parity].data() + front.update;
    for (int j = 0; j < n; j += 2) {
      const int first = symmetric ? j : 0;
      S* column = update + static_cast<long>(j) * n + first;
      if (j + 1 < n)
        subtract_product_pair(column, n, n - first, L + first, height, DU + j, height, w);
      else
        subtract_product(column, n - first, L + first, height, DU + j, height, w);
    }
  }

  /// D U of the front, transposed; for symmetric matrices L D, needed only until the front is done.
  template <bool symmetric>
  S* upper_panel(const Front& front, Scratch& scratch) {
    return symmetric ? scratch.LD.data() : U_.data() + front.panel;
  }

  /// How the diagonal of a triangular factor enters a substitution.
  enum class Diagonal { unit, pivot, pivot_first };

  /// x ← P⁻¹x with the lower triangular P of the panels, whose diagonal is 1 or the pivots. Four columns at a time: a
  /// small triangle, then one pass over the rows below. Fronts are small (10 × 14 for a link of a planar chain), so
  /// that everything stands in one loop: calls and counters would cost as much as the numbers.
  template <Diagonal diagonal>
  void forward(const std::vector<S>& panels, std::span<S> x) {
    if (!sums_by_branch_) {
      forward_some<diagonal>(panels, x, tree_.all(), tree_.row(), scratch_[0]);
      return;
    }
    const std::span<const FrontTree::Branch> branches = tree_.branches();
    const std::vector<int>& outside = tree_.outside();
    const std::size_t n = tree_.order().size();
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(n), x.end(), S(0));
    share_items(static_cast<int>(branches.size()), [&](int b) {
      forward_some<diagonal>(panels, x, tree_.fronts_of(branches[b]), tree_.branch_row(), scratch_[b + 1]);
    });
    for (std::size_t i = 0; i < outside.size(); ++i) x[outside[i]] += x[n + i];
    forward_some<diagonal>(panels, x, tree_.trunk(), tree_.row(), scratch_[0]);
  }

  template <Diagonal diagonal>
  [[gnu::noinline]] void forward_some(const std::vector<S>& panels, std::span<S> x, std::span<const int> which,
                                      const std::vector<int>& rows, Scratch& scratch) {
    S* __restrict y = scratch.gathered.data();
    const std::span<const Front> fronts = tree_.fronts();
    for (const int f : which) {
      const Front& front = fronts[f];
      const int height = front.height(), w = front.width, below = front.below;
      const S* __restrict P = panels.data() + front.panel;
      const S* inverse = inverse_pivot_.data() + front.first;
      const int* row = rows.data() + front.rows;
      S* head = x.data() + front.first;
      for (int k = 0; k < w; ++k) y[k] = head[k];
      for (int i = 0; i < below; ++i) y[w + i] = x[row[i]];
      const auto scaled = [&](const S& value, int k) {
        return diagonal == Diagonal::pivot ? product(value, inverse[k]) : value;
      };
      int k = 0;
      for (; k + 4 <= w; k += 4, P += 4L * height) {
        const S *p0 = P + k, *p1 = p0 + height, *p2 = p1 + height;
        const S y0 = scaled(y[k], k), y1 = scaled(y[k + 1] - product(p0[1], y0), k + 1);
        const S y2 = scaled(y[k + 2] - product(p0[2], y0) - product(p1[2], y1), k + 2);
        const S y3 = scaled(y[k + 3] - product(p0[3], y0) - product(p1[3], y1) - product(p2[3], y2), k + 3);
        head[k] = y0, head[k + 1] = y1, head[k + 2] = y2, head[k + 3] = y3;
        subtract_columns(y + k + 4, height - k - 4, p0 + 4, height, y0, y1, y2, y3);
      }
      for (; k + 2 <= w; k += 2, P += 2L * height) {
        const S* p0 = P + k;
        const S y0 = scaled(y[k], k), y1 = scaled(y[k + 1] - product(p0[1], y0), k + 1);
        head[k] = y0, head[k + 1] = y1;
        subtract_columns(y + k + 2, height - k - 2, p0 + 2, height, y0, y1);
      }
      if (k < w) {
        const S y0 = head[k] = scaled(y[k], k);
        subtract_columns(y + k + 1, height - k - 1, P + k + 1, y0);
      }
      for (int i = 0; i < below; ++i) x[row[i]] = y[w + i];
    }
  }

  /// x ← P⁻ᵀx; `pivot_first`: x ← P⁻ᵀD⁻¹x with unit P.
  template <Diagonal diagonal>
  void backward(const std::vector<S>& panels, std::span<S> x) {
    const std::span<const FrontTree::Branch> branches = tree_.branches();
    const std::span<const int> trunk = tree_.trunk();
    backward_some<diagonal>(panels, x, trunk, scratch_[0]);
    share_items(static_cast<int>(branches.size()),
                [&](int b) { backward_some<diagonal>(panels, x, tree_.fronts_of(branches[b]), scratch_[b + 1]); });
  }

  template <Diagonal diagonal>
  [[gnu::noinline]] void backward_some(const std::vector<S>& panels, std::span<S> x, std::span<const int> which,
                                       Scratch& scratch) {
    S* __restrict y = scratch.gathered.data();
    const std::span<const Front> fronts = tree_.fronts();
    for (std::size_t next = which.size(); next-- > 0;) {
      const Front& front = fronts[which[next]];
      const int height = front.height(), w = front.width, below = front.below;
      const S* inverse = inverse_pivot_.data() + front.first;
      const int* row = tree_.row().data() + front.rows;
      S* head = x.data() + front.first;
      for (int i = 0; i < below; ++i) y[w + i] = x[row[i]];
      const auto before = [&](int k) {
        return diagonal == Diagonal::pivot_first ? product(head[k], inverse[k]) : head[k];
      };
      const auto scaled = [&](const S& value, int k) {
        return diagonal == Diagonal::pivot ? product(value, inverse[k]) : value;
      };
      int k = w;
      while (k % 4 != 0) {  // what does not fill a block of four stands at the end
        const int n = k % 4 == 1 ? 1 : 2;
        k -= n;
        const S* P = panels.data() + front.panel + static_cast<long>(k) * height;
        if (n == 2) {
          const auto [s0, s1] = sum_columns<2>(P + k + 2, height, y + k + 2, height - k - 2);
          y[k + 1] = head[k + 1] = scaled(before(k + 1) - s1, k + 1);
          y[k] = head[k] = scaled(before(k) - s0 - product(P[k + 1], y[k + 1]), k);
        } else {
          S s0(0);
          for (int i = k + 1; i < height; ++i) s0 += product(P[i], y[i]);
          y[k] = head[k] = scaled(before(k) - s0, k);
        }
      }
      for (k -= 4; k >= 0; k -= 4) {
        const S* p0 = panels.data() + front.panel + static_cast<long>(k) * height;
        const S *p1 = p0 + height, *p2 = p1 + height;
        const auto [s0, s1, s2, s3] = sum_columns<4>(p0 + k + 4, height, y + k + 4, height - k - 4);
        const S y3 = scaled(before(k + 3) - s3, k + 3);
        const S y2 = scaled(before(k + 2) - s2 - product(p2[k + 3], y3), k + 2);
        const S y1 = scaled(before(k + 1) - s1 - product(p1[k + 2], y2) - product(p1[k + 3], y3), k + 1);
        const S y0 =
            scaled(before(k) - s0 - product(p0[k + 1], y1) - product(p0[k + 2], y2) - product(p0[k + 3], y3), k);
        y[k] = head[k] = y0, y[k + 1] = head[k + 1] = y1, y[k + 2] = head[k + 2] = y2, y[k + 3] = head[k + 3] = y3;
      }
    }
  }

  Graph graph_;             // until the analysis is complete,
  FrontTree::Tree chosen_;  // with the order that was chosen
  FrontTree tree_;
  std::vector<Entry> lower_, upper_;  // front by front
  std::vector<int> lower_start_, upper_start_;
  std::vector<S> L_, U_, update_[2], inverse_pivot_;
  const FrontProduct& product_;
  std::vector<Scratch> scratch_;  // of the trunk, and of each branch
  std::vector<int> vanished_;     // of each branch: the step without a pivot, −1: none
  bool symmetric_ = false, has_large_ = false, sums_by_branch_ = false;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_sparse_ldlt(const UnpivotedOptions& options) {
  return std::make_unique<SparseLdlt<S>>(options);
}

template std::unique_ptr<LinearSolver<double>> make_sparse_ldlt(const UnpivotedOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_sparse_ldlt(const UnpivotedOptions&);

}  // namespace trammel
