// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

/// Sort-and-sweep: which of many boxes overlap.
namespace trammel::detail {

struct ContactBox {
  double low[3], high[3];
  int geometry;
  int column;
};

inline bool overlap(const ContactBox& a, const ContactBox& b) {
  return a.low[1] <= b.high[1] && b.low[1] <= a.high[1] && a.low[2] <= b.high[2] && b.low[2] <= a.high[2];
}

/// Boxes stand in columns along axis 0, a grid over axes 1 and 2 whose cells are as wide as the widest box, so that
/// what a box overlaps begins in its own column or in one of the eight around it.
struct ContactColumns {
  int n[2] = {1, 1};
  std::vector<int> start;  // of each column among the sorted boxes, and their end

  void sort(std::vector<ContactBox>& boxes) {
    double least[2], width[2] = {0.0, 0.0};
    for (int k = 0; k < 2; ++k) {
      double most = -std::numeric_limits<double>::infinity();
      least[k] = -most;
      for (const ContactBox& box : boxes) {
        least[k] = std::min(least[k], box.low[k + 1]), most = std::max(most, box.low[k + 1]);
        width[k] = std::max(width[k], box.high[k + 1] - box.low[k + 1]);
      }
      // Not more columns than a plane of that many boxes has: memory stays of the order of the boxes.
      const double finest = (most - least[k]) / std::max(1.0, std::sqrt(static_cast<double>(boxes.size())));
      width[k] = std::max(width[k], finest);
      n[k] = boxes.empty() || !(width[k] > 0.0) ? 1 : 1 + static_cast<int>((most - least[k]) / width[k]);
    }
    for (ContactBox& box : boxes) {
      int at[2];
      for (int k = 0; k < 2; ++k)
        at[k] = width[k] > 0.0 ? std::min(n[k] - 1, static_cast<int>((box.low[k + 1] - least[k]) / width[k])) : 0;
      box.column = at[0] * n[1] + at[1];
    }
    std::sort(boxes.begin(), boxes.end(), [](const ContactBox& a, const ContactBox& b) {
      if (a.column != b.column) return a.column < b.column;
      return a.low[0] < b.low[0] || (a.low[0] == b.low[0] && a.geometry < b.geometry);
    });
    const std::size_t side = 2 + static_cast<std::size_t>(std::sqrt(static_cast<double>(boxes.size())));
    start.reserve(side * side + 1);  // whatever they do later
    start.assign(static_cast<std::size_t>(n[0] * n[1]) + 1, 0);
    for (const ContactBox& box : boxes) ++start[box.column + 1];
    for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  }
};

/// Sort-and-sweep in columns: boxes sorted by their low ends along the axis on which they are spread most; each is
/// compared with those of its column and of the neighbours that begin before it ends. The boxes are reordered.
template <class Visit>
void visit_overlaps(std::vector<ContactBox>& boxes, const Visit& visit) {
  double sum[3] = {0.0, 0.0, 0.0}, squares[3] = {0.0, 0.0, 0.0};  // of low + high
  for (const ContactBox& box : boxes)
    for (int k = 0; k < 3; ++k) {
      const double twice = box.low[k] + box.high[k];
      sum[k] += twice, squares[k] += twice * twice;
    }
  int axis = 0;
  const double n = static_cast<double>(std::max<std::size_t>(1, boxes.size()));
  const auto spread = [&](int k) { return squares[k] - sum[k] * sum[k] / n; };
  for (int k = 1; k < 3; ++k)
    if (spread(k) > spread(axis)) axis = k;
  if (axis != 0)
    for (ContactBox& box : boxes) std::swap(box.low[0], box.low[axis]), std::swap(box.high[0], box.high[axis]);
  static thread_local ContactColumns columns;  // scratch
  columns.sort(boxes);
  const auto compare = [&](const ContactBox& a, const ContactBox& b) {
    if (overlap(a, b)) visit(a.geometry, b.geometry);
  };
  // Each of the boxes `from` with those of `to` that begin within it; `first`: what begins together counts as well.
  const auto sweep = [&](int from, int to, bool first) {
    int begin = columns.start[to];
    const int end = columns.start[to + 1];
    for (int i = columns.start[from]; i < columns.start[from + 1]; ++i) {
      const ContactBox& a = boxes[i];
      while (begin < end && (first ? boxes[begin].low[0] < a.low[0] : boxes[begin].low[0] <= a.low[0])) ++begin;
      for (int j = begin; j < end && boxes[j].low[0] <= a.high[0]; ++j) compare(a, boxes[j]);
    }
  };
  for (int r = 0; r < columns.n[0]; ++r)
    for (int c = 0; c < columns.n[1]; ++c) {
      const int own = r * columns.n[1] + c;
      for (int i = columns.start[own]; i < columns.start[own + 1]; ++i)
        for (int j = i + 1; j < columns.start[own + 1] && boxes[j].low[0] <= boxes[i].high[0]; ++j)
          compare(boxes[i], boxes[j]);
      for (const auto& [dr, dc] : {std::pair(0, 1), std::pair(1, -1), std::pair(1, 0), std::pair(1, 1)}) {
        if (r + dr >= columns.n[0] || c + dc < 0 || c + dc >= columns.n[1]) continue;
        const int other = (r + dr) * columns.n[1] + c + dc;
        sweep(own, other, true);
        sweep(other, own, false);
      }
    }
}

}  // namespace trammel::detail
