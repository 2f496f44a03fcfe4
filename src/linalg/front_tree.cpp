// SPDX-License-Identifier: Apache-2.0
#include "front_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trammel {

namespace {

/// Children before parents; of the children the one with the longest column comes last, because it is the one whose
/// pivots may join those of the parent.
std::vector<int> make_postorder(const std::vector<int>& parent, const std::vector<int>& weight) {
  const std::size_t n = parent.size();
  std::vector<int> heavy(n, -1), head(n + 1, -1), next(n, -1);
  for (std::size_t i = 0; i < n; ++i)
    if (const int p = parent[i]; p >= 0 && (heavy[p] < 0 || weight[i] >= weight[heavy[p]]))
      heavy[p] = static_cast<int>(i);
  for (std::size_t i = n; i-- > 0;) {
    const std::size_t p = parent[i] < 0 ? n : static_cast<std::size_t>(parent[i]);
    if (p < n && heavy[p] == static_cast<int>(i)) continue;
    next[i] = head[p];
    head[p] = static_cast<int>(i);
  }
  std::vector<int> order, stack;
  order.reserve(n);
  for (int root = head[n]; root >= 0; root = next[root]) {
    stack.push_back(root);
    while (!stack.empty()) {
      const int node = stack.back();
      if (const int child = head[node]; child >= 0) {
        head[node] = next[child];
        stack.push_back(child);
      } else if (heavy[node] >= 0) {
        stack.push_back(std::exchange(heavy[node], -1));
      } else {
        order.push_back(node);
        stack.pop_back();
      }
    }
  }
  return order;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<int>(k);
  return position;
}

}  // namespace

double FrontTree::calc_cost(double width, double below) {
  constexpr double fixed = 400, per_number = 2.0;
  const double height = width + below;
  // Σ_{k<w} (height − k)²
  const double work = width * height * height - height * width * width + width * width * width / 3;
  return fixed + per_number * height * height + work;
}

struct FrontTree::Draft {
  std::vector<int> pivots, below;  // steps of the tree
  int parent = -1;
  bool absorbed = false;
};

FrontTree::Tree FrontTree::make_tree(const Graph& graph, std::vector<int> order, double work_limit) {
  const int n = graph.n();
  Tree tree;
  const std::vector<int> position = inverse(order);
  tree.parent.assign(static_cast<std::size_t>(n), -1);
  std::vector<int> ancestor(static_cast<std::size_t>(n), -1);
  for (int k = 0; k < n; ++k)
    for (const int neighbour : graph.neighbours(order[k]))
      for (int i = position[neighbour]; i >= 0 && i < k;) {
        const int up = std::exchange(ancestor[i], k);
        if (up < 0) tree.parent[i] = k;
        i = up;
      }
  // Row k of L is the part of the tree between the entries of row k of A and k itself.
  tree.below.assign(static_cast<std::size_t>(n), 0);
  std::vector<int> seen(static_cast<std::size_t>(n), -1);
  for (int k = 0; k < n && tree.complete; ++k) {
    seen[k] = k;
    for (const int neighbour : graph.neighbours(order[k]))
      for (int i = position[neighbour]; i < k && seen[i] != k; i = tree.parent[i]) {
        seen[i] = k;
        tree.nnz += 1;
        tree.work += 2.0 * tree.below[i]++ + 1.0;  // (b + 1)² − b²
      }
    tree.complete = tree.work <= work_limit;
  }
  tree.order = std::move(order);
  return tree;
}

FrontTree::FrontTree(const Graph& graph, Tree tree) {
  const std::vector<int> post = make_postorder(tree.parent, tree.below);
  const std::vector<int> step = inverse(post);
  Tree sorted = tree;
  for (std::size_t k = 0; k < post.size(); ++k) {
    sorted.order[k] = tree.order[post[k]];
    sorted.below[k] = tree.below[post[k]];
    sorted.parent[k] = tree.parent[post[k]] < 0 ? -1 : step[tree.parent[post[k]]];
  }
  std::vector<Draft> drafts = make_drafts(graph, sorted);
  merge(drafts);
  number(drafts, sorted);
  place();
}

std::vector<FrontTree::Draft> FrontTree::make_drafts(const Graph& graph, const Tree& tree) const {
  const int n = graph.n();
  const std::vector<int> position = inverse(tree.order);
  std::vector<Draft> drafts;
  std::vector<int> front_of(static_cast<std::size_t>(n)), seen(static_cast<std::size_t>(n), -1);
  for (int k = 0; k < n; ++k) {
    const bool continues = k > 0 && tree.parent[k - 1] == k && tree.below[k - 1] == tree.below[k] + 1;
    if (!continues) drafts.emplace_back();
    drafts.back().pivots.push_back(k);
    front_of[k] = static_cast<int>(drafts.size()) - 1;
  }
  std::vector<std::vector<int>> children(drafts.size());
  for (std::size_t f = 0; f < drafts.size(); ++f) {
    Draft& draft = drafts[f];
    const int last = draft.pivots.back();
    const auto add = [&](int k) {
      if (k <= last || seen[k] == static_cast<int>(f)) return;
      seen[k] = static_cast<int>(f);
      draft.below.push_back(k);
    };
    for (const int k : draft.pivots)
      for (const int neighbour : graph.neighbours(tree.order[k])) add(position[neighbour]);
    for (const int child : children[f])
      for (const int k : drafts[child].below) add(k);
    if (tree.parent[last] >= 0) {
      draft.parent = front_of[tree.parent[last]];
      children[draft.parent].push_back(static_cast<int>(f));
    }
  }
  return drafts;
}

// Two fronts are merged when that makes the sum of their costs smaller.
void FrontTree::merge(std::vector<Draft>& drafts) {
  std::vector<std::vector<int>> children(drafts.size());
  for (std::size_t f = 0; f < drafts.size(); ++f) {
    Draft& parent = drafts[f];
    // Children with long columns first: they lose least.
    std::vector<int> candidates = children[f];
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](int a, int b) { return drafts[a].below.size() > drafts[b].below.size(); });
    const double below = static_cast<double>(parent.below.size());
    std::vector<int> joined;
    double width = static_cast<double>(parent.pivots.size());
    for (const int c : candidates) {
      const double child_width = static_cast<double>(drafts[c].pivots.size());
      const double apart =
          calc_cost(child_width, static_cast<double>(drafts[c].below.size())) + calc_cost(width, below);
      if (calc_cost(width + child_width, below) > apart) continue;
      width += child_width;
      joined.push_back(c);
      drafts[c].absorbed = true;
    }
    std::vector<int> pivots;
    for (const int c : joined) {
      pivots.insert(pivots.end(), drafts[c].pivots.begin(), drafts[c].pivots.end());
      for (const int grandchild : children[c]) drafts[grandchild].parent = static_cast<int>(f);
    }
    parent.pivots.insert(parent.pivots.begin(), pivots.begin(), pivots.end());
    std::vector<int> remaining;
    for (const int c : children[f]) {
      if (!drafts[c].absorbed)
        remaining.push_back(c);
      else
        remaining.insert(remaining.end(), children[c].begin(), children[c].end());
    }
    children[f] = std::move(remaining);
    if (parent.parent >= 0) children[parent.parent].push_back(static_cast<int>(f));
  }
}

void FrontTree::number(std::vector<Draft>& drafts, const Tree& tree) {
  std::vector<int> kept, name(drafts.size(), -1);
  for (std::size_t f = 0; f < drafts.size(); ++f)
    if (!drafts[f].absorbed) {
      name[f] = static_cast<int>(kept.size());
      kept.push_back(static_cast<int>(f));
    }
  std::vector<int> parent, weight;
  for (const int f : kept) {
    parent.push_back(drafts[f].parent < 0 ? -1 : name[drafts[f].parent]);
    weight.push_back(static_cast<int>(drafts[f].below.size()));
  }
  const std::vector<int> post = make_postorder(parent, weight);
  const std::vector<int> new_name = inverse(post);
  std::vector<int> step(tree.order.size());
  order_.reserve(tree.order.size());
  for (const int old : post) {
    const Draft& draft = drafts[kept[old]];
    Front front;
    front.first = static_cast<int>(order_.size());
    front.width = static_cast<int>(draft.pivots.size());
    front.below = static_cast<int>(draft.below.size());
    front.parent = parent[old] < 0 ? -1 : new_name[parent[old]];
    for (const int k : draft.pivots) {
      step[k] = static_cast<int>(order_.size());
      order_.push_back(tree.order[k]);
    }
    fronts_.push_back(front);
  }
  position_ = inverse(order_);
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.rows = static_cast<int>(row_.size());
    for (const int k : drafts[kept[post[f]]].below) row_.push_back(step[k]);
    std::sort(row_.begin() + front.rows, row_.end());
  }
}

void FrontTree::place() {
  // Rows in the parent: pivots of the parent are consecutive steps, the others are found by walking both sorted lists.
  row_in_parent_.assign(row_.size(), -1);
  std::vector<int> n_children(fronts_.size(), 0);
  for (Front& front : fronts_) {
    if (front.parent < 0) continue;
    const Front& parent = fronts_[front.parent];
    ++fronts_[front.parent].n_children;
    int other = parent.rows;
    for (int i = front.rows; i < front.rows + front.below; ++i) {
      if (row_[i] < parent.first + parent.width) {
        row_in_parent_[i] = row_[i] - parent.first;
        ++front.n_in_parent_pivots;
        continue;
      }
      while (row_[other] != row_[i]) ++other;
      row_in_parent_[i] = parent.width + other - parent.rows;
    }
  }
  int n = 0;
  for (Front& front : fronts_) front.first_child = std::exchange(n, n + front.n_children);
  children_.resize(static_cast<std::size_t>(n));
  std::vector<int> filled(fronts_.size(), 0);
  for (std::size_t f = 0; f < fronts_.size(); ++f)
    if (const int p = fronts_[f].parent; p >= 0) children_[fronts_[p].first_child + filled[p]++] = static_cast<int>(f);

  // Parents stand behind their children, so depths are found from the back.
  for (std::size_t f = fronts_.size(); f-- > 0;)
    if (fronts_[f].parent >= 0) fronts_[f].parity = 1 - fronts_[fronts_[f].parent].parity;
  for (Front& front : fronts_) {
    front.panel = panel_size_;
    const std::size_t size = static_cast<std::size_t>(front.height()) * static_cast<std::size_t>(front.width);
    panel_size_ += size;
    largest_panel_ = std::max(largest_panel_, size);
    nnz_ += static_cast<long>(front.width) * (front.width - 1) / 2 + static_cast<long>(front.width) * front.below;
    largest_height_ = std::max(largest_height_, front.height());
  }
  find_branches();
  place_updates();
}

}  // namespace trammel
