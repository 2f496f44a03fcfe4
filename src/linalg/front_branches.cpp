// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <queue>

#include "front_tree.h"

// Which parts of a tree of fronts are eliminated side by side, and where their update matrices lie.

namespace trammel {

namespace {

/// Below this cost, some three milliseconds of one core, a tree has no branches: threads would save less than what
/// waiting for each other takes.
constexpr double shared_cost = 5e6;
/// The number of threads that branches are made for: more make branches smaller and the trunk, which is eliminated by
/// one thread but for its large products, larger.
constexpr double n_expected = 8;
/// Branches that are not worth a thread's while are joined with their neighbours.
constexpr double least_part = 1.0 / 32;

/// A branch while branches are sought: the subtree of a front.
struct Subtree {
  double cost;
  int root;
  bool operator<(const Subtree& other) const {
    return cost != other.cost ? cost < other.cost : root < other.root;  // the same order on every machine
  }
};

}  // namespace

// From the roots on, the dearest subtree gives its root to the trunk and falls into its children, as long as that may
// help: of all these cuts the one that promises the shortest time is taken,
//
//   (1)  trunk + max(dearest branch, all branches / n_expected)
//
// A chain eliminated from both ends falls into two halves; a net, ordered by dissection, into many.
void FrontTree::find_branches() {
  branches_.clear();
  const std::size_t n = fronts_.size();
  std::vector<double> cost(n), subtree(n, 0.0);
  std::vector<int> begin(n);  // of the subtree of each front, which is begin … front
  double total = 0.0;
  for (std::size_t f = 0; f < n; ++f) {
    const Front& front = fronts_[f];
    cost[f] = calc_cost(front.width, front.below);
    subtree[f] += cost[f];
    total += cost[f];
    begin[f] = front.n_children > 0 ? begin[children_[front.first_child]] : static_cast<int>(f);
    if (front.parent >= 0) subtree[front.parent] += subtree[f];
  }
  all_.resize(n);
  std::iota(all_.begin(), all_.end(), 0);
  trunk_ = all_;
  if (total < shared_cost) return;

  std::vector<Subtree> roots;
  for (std::size_t f = 0; f < n; ++f)
    if (fronts_[f].parent < 0) roots.push_back({subtree[f], static_cast<int>(f)});
  const auto make_queue = [&] { return std::priority_queue<Subtree>(roots.begin(), roots.end()); };
  const auto fall = [&](std::priority_queue<Subtree>& queue) {
    const int root = queue.top().root;
    queue.pop();
    const Front& front = fronts_[root];
    for (int c = front.first_child; c < front.first_child + front.n_children; ++c)
      queue.push({subtree[children_[c]], children_[c]});
    return cost[root];
  };
  std::priority_queue<Subtree> queue = make_queue();
  long n_falls = 0;
  double trunk = 0.0, best = total;
  for (long k = 0; !queue.empty(); ++k) {
    const double time = trunk + std::max(queue.top().cost, (total - trunk) / n_expected);
    if (time < best) best = time, n_falls = k;
    if (queue.top().cost < least_part * total || trunk > best) break;
    trunk += fall(queue);
  }
  if (best > 0.8 * total) return;

  queue = make_queue();
  for (long k = 0; k < n_falls; ++k) fall(queue);
  std::vector<int> found;
  for (; !queue.empty(); queue.pop()) found.push_back(queue.top().root);
  std::sort(found.begin(), found.end());
  double cost_of_last = 0.0;
  for (const int root : found) {
    const bool joins = !branches_.empty() && branches_.back().last == begin[root] &&
                       cost_of_last + subtree[root] <= least_part * total;
    if (!joins) branches_.push_back({.first = begin[root]}), cost_of_last = 0.0;
    branches_.back().last = root + 1;
    cost_of_last += subtree[root];
  }
  trunk_.clear();
  int next = 0;
  for (const Branch& branch : branches_) {
    for (; next < branch.first; ++next) trunk_.push_back(next);
    next = branch.last;
  }
  for (; next < static_cast<int>(n); ++next) trunk_.push_back(next);
  find_outside_rows();
}

void FrontTree::find_outside_rows() {
  outside_.clear();
  branch_row_ = row_;
  const int n = static_cast<int>(order_.size());
  for (Branch& branch : branches_) {
    branch.rows = static_cast<int>(outside_.size());
    const int end = fronts_[branch.last - 1].first + fronts_[branch.last - 1].width;  // its steps end there
    for (int f = branch.first; f < branch.last; ++f) {
      const Front& front = fronts_[f];
      branch.largest_height = std::max(branch.largest_height, front.height());
      branch.largest_panel = std::max(branch.largest_panel,
                                      static_cast<std::size_t>(front.height()) * static_cast<std::size_t>(front.width));
      if (front.parent >= branch.last)  // what lies outside stays below its front up to the root
        outside_.insert(outside_.end(), row_.begin() + front.rows, row_.begin() + front.rows + front.below);
    }
    const auto own = outside_.begin() + branch.rows;
    std::sort(own, outside_.end());
    outside_.erase(std::unique(own, outside_.end()), outside_.end());
    branch.n_outside = static_cast<int>(outside_.size()) - branch.rows;
    for (int i = fronts_[branch.first].rows; i < fronts_[branch.last - 1].rows + fronts_[branch.last - 1].below; ++i)
      if (row_[i] >= end)
        branch_row_[i] =
            n + static_cast<int>(std::lower_bound(outside_.begin() + branch.rows, outside_.end(), row_[i]) -
                                 outside_.begin());
  }
}

// Two stacks for each branch, behind each other, and two for the trunk. When a front is reached, its children are what
// lies on top of the other stack: they are taken off after it. Roots of branches lie at the bottom of their own.
void FrontTree::place_updates() {
  std::size_t end[2] = {0, 0};
  const auto place_some = [&](std::span<const int> list, int first, int last) {
    std::size_t top[2] = {end[0], end[1]}, most[2] = {end[0], end[1]};
    const auto place_one = [&](Front& front) {
      std::size_t& own = top[front.parity];
      front.update = own;
      own += static_cast<std::size_t>(front.below) * static_cast<std::size_t>(front.below);
      most[front.parity] = std::max(most[front.parity], own);
      for (int c = front.first_child; c < front.first_child + front.n_children; ++c)
        if (fronts_[children_[c]].update >= end[1 - front.parity]) {  // the first one of the same stack
          top[1 - front.parity] = fronts_[children_[c]].update;
          break;
        }
    };
    for (const int f : list) place_one(fronts_[f]);
    for (int f = first; f < last; ++f) place_one(fronts_[f]);
    for (const int parity : {0, 1}) end[parity] = most[parity];
  };
  for (const Branch& branch : branches_) place_some({}, branch.first, branch.last);
  place_some(trunk_, 0, 0);
  for (const int parity : {0, 1}) update_size_[parity] = end[parity];
}

}  // namespace trammel
