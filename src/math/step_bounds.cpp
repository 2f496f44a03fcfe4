// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/step_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

void StepBounds::add(const Interval& interval) {
  if (interval.to > interval.from && interval.h > 0.0) intervals_.push_back(interval);
}

// Disjoint pieces with the smallest h of all that cover them; neighbours with the same h become one.
void StepBounds::finish() {
  std::vector<double> edges;
  for (const Interval& x : intervals_) edges.push_back(x.from), edges.push_back(x.to);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::sort(intervals_.begin(), intervals_.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
  std::vector<Interval> pieces, open;
  std::size_t next = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double a = edges[i], b = edges[i + 1];
    for (; next < intervals_.size() && intervals_[next].from <= a; ++next) open.push_back(intervals_[next]);
    std::erase_if(open, [&](const Interval& x) { return x.to <= a; });
    double h = std::numeric_limits<double>::infinity();
    for (const Interval& x : open) h = std::min(h, x.h);
    if (open.empty()) continue;
    if (!pieces.empty() && pieces.back().to == a && pieces.back().h == h)
      pieces.back().to = b;
    else
      pieces.push_back({a, b, h});
  }
  intervals_ = std::move(pieces);
}

double StepBounds::longest_step(double t) const {
  double longest = std::numeric_limits<double>::infinity();
  auto x = std::upper_bound(intervals_.begin(), intervals_.end(), t,
                            [](double at, const Interval& interval) { return at < interval.to; });
  for (; x != intervals_.end() && x->from - t < longest; ++x) longest = std::min(longest, std::max(x->from - t, x->h));
  return longest;
}

namespace {

// Of the length H of a cell: a method of order 5 then makes no more of a narrow pulse than of one that it meets by
// itself (measured at 200 instants: H/2 leaves up to 40 times the error, H/4 up to 18).
constexpr double bound_ratio = 0.2;
constexpr int min_level = 2;            // four cells: the cubic has its points
constexpr double surprise_ratio = 6.5;  // (3); a jump shows with 1/8 of its size in the cell before its own
constexpr int cells_before = 3;
constexpr double floor_ratio = 1e-6;      // of the largest r: smaller features of the same function are not sought
constexpr double rounding_ratio = 1e-12;  // of the largest |u|: what rounding may leave in a cubic
constexpr int span_level = 11;            // 2048 cells over the whole span
constexpr int max_level = 17;
constexpr int zoom_level = 6;  // of a window about a cell whose surprise is finer than the cell
constexpr int max_zooms = 3;   // windows within windows: each is ten times finer
constexpr int max_windows = 4000;
constexpr double own_share = 0.2, fading = 0.5;
constexpr int seed_level = 7;
constexpr double seed_shrink = 8.0, seed_finest = 1e-11;  // windows about a seed, the finest relative to the span

/// (1) … (3) on a window of 2^levels cells.
class Window {
 public:
  Window(const std::function<double(double)>& u, double start, double end, int levels)
      : start_(start), length_(end - start), levels_(levels) {
    const int n = 1 << levels;
    values_.resize(static_cast<std::size_t>(n) + 1);
    double last = 0.0;
    for (int i = 0; i <= n; ++i) {
      const double value = u(i == n ? end : start + length_ * i / n);
      if (std::isfinite(value)) last = value;  // outside a table: as if it went on
      values_[i] = last;
      largest_ = std::max(largest_, std::abs(last));
    }
    roughness_.resize(static_cast<std::size_t>(levels));
    for (int level = levels - 1; level >= min_level; --level) fill(level);
    for (const double r : roughness_[min_level]) roughest_ = std::max(roughest_, r);
  }

  double roughness(int level, int k) const { return roughness_[level][k]; }
  double roughest() const { return roughest_; }
  double largest() const { return largest_; }
  double cell(int level) const { return length_ / (1 << level); }
  double place(int level, int k) const { return start_ + cell(level) * k; }
  int levels() const { return levels_; }

  /// The limit that r(level, k) passes, or 0 if it surprises nobody.
  double surprise(int level, int k, double floor) const {
    if (k == 0) return 0.0;
    const std::vector<double>& r = roughness_[level];
    double before = floor;
    for (int i = std::max(0, k - cells_before); i < k; ++i) before = std::max(before, r[i]);
    return r[k] > surprise_ratio * before ? surprise_ratio * before : 0.0;
  }

  /// The part of the cell in which r passes the limit, as far as halves of it tell.
  StepBounds::Interval cause(int level, int k, double limit) const {
    int first = k, last = k, first_level = level, last_level = level;
    const auto rough = [&](int l, int i) { return l < levels_ && roughness_[l][i] > limit; };
    for (; rough(first_level + 1, 2 * first) || rough(first_level + 1, 2 * first + 1); ++first_level)
      first = rough(first_level + 1, 2 * first) ? 2 * first : 2 * first + 1;
    for (; rough(last_level + 1, 2 * last) || rough(last_level + 1, 2 * last + 1); ++last_level)
      last = rough(last_level + 1, 2 * last + 1) ? 2 * last + 1 : 2 * last;
    return {place(first_level, first), place(last_level, last + 1), bound_ratio * cell(level)};
  }

 private:
  void fill(int level) {
    const int n = 1 << level, stride = 1 << (levels_ - level);
    std::vector<double>& r = roughness_[level];
    r.resize(static_cast<std::size_t>(n));
    const auto at = [&](int node) { return values_[static_cast<std::size_t>(node) * stride]; };
    for (int k = 0; k < n; ++k) {
      const double middle = values_[static_cast<std::size_t>(k) * stride + stride / 2];
      double p = 0.0;
      if (k == 0)
        p = (5.0 * at(0) + 15.0 * at(1) - 5.0 * at(2) + at(3)) / 16.0;
      else if (k == n - 1)
        p = (5.0 * at(n) + 15.0 * at(n - 1) - 5.0 * at(n - 2) + at(n - 3)) / 16.0;
      else
        p = (9.0 * (at(k) + at(k + 1)) - at(k - 1) - at(k + 2)) / 16.0;
      r[k] = std::abs(middle - p);
      if (level + 1 < levels_) r[k] = std::max({r[k], roughness_[level + 1][2 * k], roughness_[level + 1][2 * k + 1]});
    }
  }

  double start_, length_;
  int levels_;
  std::vector<double> values_;
  std::vector<std::vector<double>> roughness_;  // r by level
  double roughest_ = 0.0, largest_ = 0.0;
};

class Examination {
 public:
  Examination(const std::function<double(double)>& u, double start, double end, StepBounds& bounds)
      : u_(u), start_(start), end_(end), bounds_(bounds) {}

  void examine(int levels, std::span<const double> seeds) {
    const Window whole(u_, start_, end_, levels);
    raise_floor(whole);
    std::vector<Window> about_seeds;
    const double first = 8.0 * whole.cell(levels);
    for (const double seed : seeds)
      for (double w = first, rough = 0.0; w > seed_finest * (end_ - start_); w /= seed_shrink) {
        Window window(u_, std::max(start_, seed - w), std::min(end_, seed + w), seed_level);
        const bool fades = window.roughest() < fading * rough;  // it was wider than this: a kink, or seen already
        rough = std::max(rough, window.roughest());
        if (fades) break;
        raise_floor(window);
        about_seeds.push_back(std::move(window));
      }
    look(whole, 0);
    for (const Window& window : about_seeds) look(window, max_zooms, own_share * window.roughest());
  }

 private:
  void raise_floor(const Window& window) {
    floor_ = std::max({floor_, floor_ratio * window.roughest(), rounding_ratio * window.largest()});
  }

  /// Of windows within the span only what makes a good part of their roughness: a kink fades with the length of cells
  /// and needs no short ones, a pulse does not until cells are as short as it is.
  void look(const Window& window, int depth, double least = 0.0) {
    for (int level = min_level; level < window.levels(); ++level)
      for (int k = 1; k < 1 << level; ++k) {
        const double limit = window.surprise(level, k, floor_);
        if (limit == 0.0 || window.roughness(level, k) < least) continue;
        bounds_.add(window.cause(level, k, limit));
        if (level + 1 < window.levels() || depth >= max_zooms || windows_ >= max_windows) continue;
        if (depth > 0 && window.roughness(level, k) < fading * window.roughest()) continue;  // it fades: a kink
        ++windows_;
        const double margin = window.cell(level);
        const Window closer(u_, std::max(start_, window.place(level, k) - margin),
                            std::min(end_, window.place(level, k + 1) + margin), zoom_level);
        raise_floor(closer);
        look(closer, depth + 1, own_share * closer.roughest());
      }
  }

  const std::function<double(double)>& u_;
  double start_, end_;
  StepBounds& bounds_;
  double floor_ = 0.0;
  int windows_ = 0;
};

}  // namespace

void find_surprises(const std::function<double(double)>& u, double start, double end, std::span<const double> seeds,
                    int min_samples, StepBounds& bounds) {
  int levels = span_level;
  while (levels < max_level && (1 << levels) < min_samples) ++levels;
  Examination(u, start, end, bounds).examine(levels, seeds);
}

}  // namespace trammel
