// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "elimination_order.h"

namespace trammel {

/// The symbolic part of a multifrontal factorization on the diagonal [I. S. Duff, J. K. Reid, ACM TOMS 9 (1983)
/// 302–325].
///
/// Consecutive pivots whose columns have the same rows below them form a *front*: a small dense matrix
///
///   | A₁₁ A₁₂ |     w pivots        A₁₁ = L₁₁ D U₁₁,   L₂₁ = A₂₁ (D U₁₁)⁻¹,   U₁₂ = (L₁₁ D)⁻¹ A₁₂
///   | A₂₁ A₂₂ |     b rows below    A₂₂ − L₂₁ D U₁₂ is added to the front of the parent
///
/// so that nearly all work is done on contiguous numbers without an index per number. Unknowns are renumbered into
/// *steps*, the order of elimination; the pivots of a front are consecutive steps and children come before parents.
class FrontTree {
 public:
  struct Front {
    int first = 0, width = 0;    ///< pivots: steps first … first + width − 1
    int rows = 0, below = 0;     ///< its rows below: row()[rows] … row()[rows + below − 1], ascending steps
    int n_in_parent_pivots = 0;  ///< how many of them are pivots of the parent; the others stand behind
    int parent = -1;
    int first_child = 0, n_children = 0;  ///< in children()
    std::size_t panel = 0;                ///< start of its (width + below) × width panel
    std::size_t update = 0;               ///< start of its below × below update matrix …
    int parity = 0;                       ///< … in one of two stacks: a parent never overwrites its children

    int height() const { return width + below; }
  };

  /// An order of elimination with its elimination tree; made to compare orders before fronts are formed.
  struct Tree {
    std::vector<int> order;   ///< unknown of each step
    std::vector<int> parent;  ///< step; −1: root
    std::vector<int> below;   ///< entries of L below the diagonal of each step
    double nnz = 0;           ///< of L without its diagonal
    double work = 0;          ///< Σ below²: multiplications of LDLᵀ, up to a factor 2
    bool complete = true;     ///< false: the count stopped at its limit
  };
  /// What a front costs, in units of one multiplication and subtraction: a fixed part for loops and calls, moving its
  /// numbers, and the elimination itself.
  static double calc_cost(double width, double below);
  /// Counts the fill of an order; gives up when the work exceeds `work_limit`. O(nnz of L).
  static Tree make_tree(const Graph& graph, std::vector<int> order, double work_limit);

  FrontTree() = default;
  FrontTree(const Graph& graph, Tree tree);

  /// Whole subtrees that are eliminated side by side, by whoever is free; what is in none of them, the *trunk*, comes
  /// after all of them. Found from the tree alone, whatever the number of threads; small trees have none.
  ///
  /// What a branch adds to the right-hand side of the trunk is summed in a place of its own, one number for each of its
  /// rows there, and these sums are added branch by branch: elimination and substitution give the same bits whoever
  /// does them.
  struct Branch {
    int first = 0, last = 0;      ///< fronts first … last − 1
    int rows = 0, n_outside = 0;  ///< outside()[rows] …: its rows in the trunk, ascending steps
    std::size_t largest_panel = 0;
    int largest_height = 0;
  };
  std::span<const Branch> branches() const { return branches_; }
  std::span<const int> trunk() const { return trunk_; }  ///< its fronts, children before parents; all: no branches
  std::span<const int> all() const { return all_; }
  /// The fronts of a branch, as a list like that of the trunk.
  std::span<const int> fronts_of(const Branch& branch) const {
    return std::span(all_).subspan(static_cast<std::size_t>(branch.first),
                                   static_cast<std::size_t>(branch.last - branch.first));
  }
  const std::vector<int>& outside() const { return outside_; }
  /// row(), but what lies outside of its branch counts from order().size() on, as in outside().
  const std::vector<int>& branch_row() const { return branches_.empty() ? row_ : branch_row_; }

  std::span<const Front> fronts() const { return fronts_; }
  const std::vector<int>& order() const { return order_; }        ///< unknown of each step
  const std::vector<int>& position() const { return position_; }  ///< step of each unknown
  const std::vector<int>& row() const { return row_; }
  /// For each element of row(): its row in the front of the parent.
  const std::vector<int>& row_in_parent() const { return row_in_parent_; }
  const std::vector<int>& children() const { return children_; }
  std::size_t panel_size() const { return panel_size_; }
  std::size_t largest_panel() const { return largest_panel_; }
  std::size_t update_size(int parity) const { return update_size_[parity]; }
  int largest_height() const { return largest_height_; }
  /// Numbers in L below its diagonal, explicit zeros of merged fronts included.
  long nnz() const { return nnz_; }

 private:
  struct Draft;  // a front while fronts are merged
  std::vector<Draft> make_drafts(const Graph& graph, const Tree& tree) const;
  static void merge(std::vector<Draft>& drafts);
  void number(std::vector<Draft>& drafts, const Tree& tree);
  void place();
  void find_branches();
  void find_outside_rows();
  void place_updates();

  std::vector<Front> fronts_;
  std::vector<Branch> branches_;
  std::vector<int> all_, trunk_, outside_, branch_row_;
  std::vector<int> order_, position_, row_, row_in_parent_, children_;
  std::size_t panel_size_ = 0, largest_panel_ = 0, update_size_[2] = {0, 0};
  int largest_height_ = 0;
  long nnz_ = 0;
};

}  // namespace trammel
