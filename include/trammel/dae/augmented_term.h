// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// The augmented Lagrangian term [bauchau2009 section 5] of any iteration matrix J̄ with multipliers. A multiplier c
/// acts by the entries J̄_ic of its column in rows i of coordinates (motion, kinematics), and has a row r(c) that
/// determines it, the one in which it has its pivot (Φ of index 3; of the stabilized forms Φ̇ for λ and Φ for μ):
///
///   (1)  L J̄ δ = L r,   L = I + Σ_c w_c Ĉ_c e_r(c)ᵀ,   Ĉ_c: column c of J̄ without the rows of constraints
///
/// Ĉ has no entries in rows r(c), so L is the product of its terms in any order, and (1) has the solution of J̄ δ = r:
/// pivots and conditioning change, the iterates do not. Rows of coordinates get w Gᵀ·(rows of constraints), so that
/// coordinates which only constraints hold have a pivot.
class AugmentedTerm {
 public:
  /// The pattern of L J̄ from that of J̄, of which roles and rows of the hint say what is a multiplier and what
  /// determines it.
  Pattern analyze(const Pattern& plain, const OrderingHint& hint);

  /// values ← L J̄ on that pattern, from the values of J̄ on its own; `weight` has one w per unknown. `gains` receives
  /// w_c Ĉ_c, for the right-hand sides.
  template <class S>
  void make(std::span<const double> weight, const std::vector<S>& plain, std::vector<S>& values,
            std::vector<S>& gains) const {
    values.assign(n_entries_, S(0.0));
    for (std::size_t k = 0; k < plain.size(); ++k) values[place_[k]] = plain[k];
    gains.resize(reactions_.size());
    for (std::size_t k = 0; k < reactions_.size(); ++k)
      gains[k] = weight[reactions_[k].multiplier] * values[reactions_[k].slot];
    for (std::size_t k = 0; k < reactions_.size(); ++k)
      for (int p = reactions_[k].first_pair; p < reactions_[k].end_pair; ++p)
        values[pairs_[p].target] += gains[k] * values[pairs_[p].constraint];
  }
  /// x ← L x
  template <class S, class Vector>
  void multiply(const std::vector<S>& gains, Vector& x) const {
    for (std::size_t k = 0; k < reactions_.size(); ++k) x[reactions_[k].row] += gains[k] * x[reactions_[k].constraint];
  }
  /// x ← Lᵀ x
  template <class S, class Vector>
  void multiply_transposed(const std::vector<S>& gains, Vector& x) const {
    for (std::size_t k = 0; k < reactions_.size(); ++k) x[reactions_[k].constraint] += gains[k] * x[reactions_[k].row];
  }

 private:
  struct Reaction {
    int slot, row, multiplier, constraint;  // an entry of Ĉ: its slot, row i and column c; r(c)
    int first_pair, end_pair;
  };
  struct Pair {
    int target, constraint;  // slots: (i, j) and (r(c), j)
  };
  std::vector<Reaction> reactions_;
  std::vector<Pair> pairs_;
  std::vector<int> place_;  // of each entry of J̄
  std::size_t n_entries_ = 0;
};

}  // namespace trammel
