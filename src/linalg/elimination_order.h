// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/pattern.h"

namespace trammel {

/// The undirected graph of A + Aᵀ: unknowns are nodes, an entry a_ij or a_ji with i ≠ j is an edge. What an elimination
/// on the diagonal sees of a matrix.
struct Graph {
  std::vector<int> start{0}, index;  ///< neighbours of node i: index[start[i]] … index[start[i + 1] − 1], ascending

  int n() const { return static_cast<int>(start.size()) - 1; }
  std::span<const int> neighbours(int i) const {
    return {index.data() + start[i], static_cast<std::size_t>(start[i + 1] - start[i])};
  }
};
Graph make_graph(const Pattern& pattern);

/// Which unknowns must wait for the others they are coupled to, because their own diagonal is zero: multipliers as the
/// hint names them; without a hint the unknowns whose diagonal entry is not part of the pattern.
std::vector<char> find_multipliers(const Pattern& pattern, const OrderingHint& hint);

/// All orders keep the rule that makes pivots on the diagonal safe. With H positive definite on the coordinates and a
/// constraint matrix G of full rank, every leading minor of
///
///   | H  Gᵀ |
///   | G  0  |
///
/// is regular once each multiplier stands behind the last of its coordinates: the leading block is then [H₁ G₁ᵀ; G₁ 0]
/// with *complete* rows of G. Element k of the result is the unknown that is eliminated k-th.
///
///   multipliers_last   all coordinates, then all multipliers: CAMD with two classes. The smaller factors where H is
///                      block diagonal and the coordinates can be eliminated body by body (a net without a penalty).
///   multipliers_local  AMD on the graph of the coordinates, where a multiplier couples all of its coordinates; each
///                      multiplier directly after the last of them. The smaller factors where H couples bodies: with
///                      the penalty ρ GᵀG "all last" fills the whole Schur complement (chain of 1000 links: 12.9
///                      million numbers against 0.18).
///   dissection         the coordinates by nested dissection (METIS): sets of bodies that cut the machine in two halves
///                      come last, and so on within the halves. The smaller factors where bodies are coupled in all
///                      directions: 8000 spheres in contact have 41 million numbers against 60 of AMD.
std::vector<int> order_multipliers_last(const Graph& graph, std::span<const char> multiplier);
std::vector<int> order_multipliers_local(const Graph& graph, std::span<const char> multiplier);
std::vector<int> order_by_dissection(const Graph& graph, std::span<const char> multiplier);

/// Reverse Cuthill–McKee on the same graph of coordinates, and each multiplier directly after the last of its
/// coordinates: a small profile instead of small fill.
std::vector<int> order_for_profile(const Graph& graph, std::span<const char> multiplier);
/// The same from both ends to the middle: two halves that have nothing to do with each other until they meet.
std::vector<int> order_from_both_ends(const Graph& graph, std::span<const char> multiplier);

}  // namespace trammel
