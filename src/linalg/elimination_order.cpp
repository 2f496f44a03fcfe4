// SPDX-License-Identifier: Apache-2.0
#include "elimination_order.h"

#include <amd.h>
#include <camd.h>
#include <cholmod.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <new>

#include "trammel/base/error.h"

namespace trammel {

namespace {

/// The coordinates alone, renumbered: node i of `graph` is unknown[i].
struct CoordinateGraph {
  Graph graph;
  std::vector<int> unknown;
};

/// Edges between coordinates, and between all coordinates that share a multiplier.
CoordinateGraph make_coordinate_graph(const Graph& graph, std::span<const char> multiplier) {
  CoordinateGraph c;
  std::vector<int> node(graph.start.size(), -1);
  for (int i = 0; i < graph.n(); ++i)
    if (!multiplier[i]) {
      node[i] = static_cast<int>(c.unknown.size());
      c.unknown.push_back(i);
    }
  const int n = static_cast<int>(c.unknown.size());
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i)
    for (const int j : graph.neighbours(c.unknown[i]))
      if (!multiplier[j]) builder.add(node[j], i);
  std::vector<int> members, before;
  for (int m = 0; m < graph.n(); ++m) {
    if (!multiplier[m]) continue;
    members.clear();
    for (const int j : graph.neighbours(m))
      if (!multiplier[j]) members.push_back(node[j]);
    // The rows of one joint act on much the same coordinates: most repeat what the row before has said.
    if (std::includes(before.begin(), before.end(), members.begin(), members.end())) continue;
    for (const int i : members)
      for (const int j : members)
        if (i != j) builder.add(i, j);
    before = members;
  }
  Pattern pattern = builder.build();
  c.graph = {std::move(pattern.start), std::move(pattern.index)};
  return c;
}

/// Nodes with the same neighbours, each other included (the coordinates of a body), as one: a sixth of the nodes and a
/// thirty-sixth of the edges of bodies in space.
struct CompressedGraph {
  Graph graph;
  std::vector<std::vector<int>> members;
};

CompressedGraph compress(const Graph& graph) {
  CompressedGraph c;
  std::vector<int> group(static_cast<std::size_t>(graph.n()));
  std::map<std::vector<int>, int> known;
  std::vector<int> closed;
  for (int i = 0; i < graph.n(); ++i) {
    const std::span<const int> neighbours = graph.neighbours(i);
    closed.assign(neighbours.begin(), neighbours.end());
    closed.insert(std::lower_bound(closed.begin(), closed.end(), i), i);
    const auto [place, is_new] = known.try_emplace(closed, static_cast<int>(c.members.size()));
    if (is_new) c.members.emplace_back();
    group[i] = place->second;
    c.members[group[i]].push_back(i);
  }
  const int n = static_cast<int>(c.members.size());
  for (int g = 0; g < n; ++g) {
    closed.clear();
    for (const int j : graph.neighbours(c.members[g].front()))
      if (group[j] != g) closed.push_back(group[j]);
    std::sort(closed.begin(), closed.end());
    closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
    c.graph.index.insert(c.graph.index.end(), closed.begin(), closed.end());
    c.graph.start.push_back(static_cast<int>(c.graph.index.size()));
  }
  return c;
}

/// The orderings of SuiteSparse refuse a null pointer, which is what an empty vector may have.
const int* indices_of(const Graph& graph) {
  static constexpr int none = 0;
  return graph.index.empty() ? &none : graph.index.data();
}

void require_success(int status, const char* what) {
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED) throw Error(fmt::format("{} refused the pattern", what));
}

/// Coordinates in the given order, each multiplier directly after the last of its coordinates. Multipliers without any
/// coordinate stand at the end: their pivot vanishes and is named there.
std::vector<int> insert_multipliers(const Graph& graph, std::span<const char> multiplier,
                                    const std::vector<int>& coordinates) {
  std::vector<int> place(graph.start.size(), -1);
  for (std::size_t k = 0; k < coordinates.size(); ++k) place[coordinates[k]] = static_cast<int>(k);
  std::vector<std::vector<int>> after(coordinates.size() + 1);
  for (int m = 0; m < graph.n(); ++m) {
    if (!multiplier[m]) continue;
    int last = -1;
    for (const int j : graph.neighbours(m)) last = std::max(last, place[j]);
    after[last < 0 ? coordinates.size() : static_cast<std::size_t>(last)].push_back(m);
  }
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(graph.n()));
  for (std::size_t k = 0; k <= coordinates.size(); ++k) {
    if (k < coordinates.size()) order.push_back(coordinates[k]);
    order.insert(order.end(), after[k].begin(), after[k].end());
  }
  return order;
}

/// The nodes of one component level by level; the last level is where the next, better start is sought.
std::vector<int> breadth_first(const Graph& graph, int root, std::vector<int>& seen, int visit, int& depth) {
  std::vector<int> found{root};
  std::size_t level_end = 1;
  seen[root] = visit;
  depth = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (k == level_end) {
      level_end = found.size();
      ++depth;
    }
    const std::size_t first = found.size();
    for (const int j : graph.neighbours(found[k]))
      if (seen[j] != visit) {
        seen[j] = visit;
        found.push_back(j);
      }
    std::stable_sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                     [&](int a, int b) { return graph.neighbours(a).size() < graph.neighbours(b).size(); });
  }
  return found;
}

}  // namespace

Graph make_graph(const Pattern& pattern) {
  const TransposedPattern transposed = make_transposed(pattern);
  Graph graph;
  graph.start.reserve(pattern.start.size());
  graph.index.reserve(pattern.index.size());
  for (int j = 0; j < pattern.n_cols; ++j) {
    const auto column = [j](const Pattern& p) {
      return std::pair(p.index.begin() + p.start[j], p.index.begin() + p.start[j + 1]);
    };
    const auto [a, a_end] = column(pattern);
    const auto [b, b_end] = column(transposed.pattern);
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(graph.index.size());
    std::set_union(a, a_end, b, b_end, std::back_inserter(graph.index));
    const auto self = std::lower_bound(graph.index.begin() + first, graph.index.end(), j);
    if (self != graph.index.end() && *self == j) graph.index.erase(self);
    graph.start.push_back(static_cast<int>(graph.index.size()));
  }
  return graph;
}

std::vector<char> find_multipliers(const Pattern& pattern, const OrderingHint& hint) {
  std::vector<char> multiplier(static_cast<std::size_t>(pattern.n_cols), 0);
  for (int i = 0; i < pattern.n_cols; ++i)
    multiplier[i] = hint.roles.empty() ? pattern.slot(i, i) < 0 : hint.roles[i] == UnknownRole::multiplier;
  return multiplier;
}

std::vector<int> order_multipliers_last(const Graph& graph, std::span<const char> multiplier) {
  std::vector<int> order(static_cast<std::size_t>(graph.n()));
  std::vector<int> group(multiplier.begin(), multiplier.end());
  if (order.empty()) return order;
  require_success(
      camd_order(graph.n(), graph.start.data(), indices_of(graph), order.data(), nullptr, nullptr, group.data()),
      "CAMD");
  return order;
}

std::vector<int> order_multipliers_local(const Graph& graph, std::span<const char> multiplier) {
  const CoordinateGraph c = make_coordinate_graph(graph, multiplier);
  std::vector<int> order(c.unknown.size());
  if (!order.empty())
    require_success(amd_order(c.graph.n(), c.graph.start.data(), indices_of(c.graph), order.data(), nullptr, nullptr),
                    "AMD");
  for (int& node : order) node = c.unknown[node];
  return insert_multipliers(graph, multiplier, order);
}

std::vector<int> order_by_dissection(const Graph& graph, std::span<const char> multiplier) {
  const CoordinateGraph c = make_coordinate_graph(graph, multiplier);
  CompressedGraph bodies = compress(c.graph);
  std::vector<int> order(bodies.members.size()), unknowns;
  if (!order.empty()) {
    // METIS draws numbers from rand(), which it seeds itself: calls one after the other give the same order each time.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    cholmod_sparse A{};
    A.nrow = A.ncol = order.size();
    A.nzmax = bodies.graph.index.size();
    A.p = bodies.graph.start.data();
    A.i = bodies.graph.index.empty() ? bodies.graph.start.data() : bodies.graph.index.data();
    A.stype = 1;  // the pattern is symmetric, and the upper triangle is read
    A.itype = CHOLMOD_INT, A.xtype = CHOLMOD_PATTERN, A.dtype = CHOLMOD_DOUBLE;
    A.sorted = A.packed = 1;
    const bool done = cholmod_metis(&A, nullptr, 0, 0, order.data(), &common);
    const int status = common.status;
    cholmod_finish(&common);
    if (status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (!done) throw Error(fmt::format("METIS refused the pattern ({})", status));
  }
  for (const int body : order)
    for (const int node : bodies.members[body]) unknowns.push_back(c.unknown[node]);
  return insert_multipliers(graph, multiplier, unknowns);
}

namespace {

/// Coordinates by reverse Cuthill–McKee.
std::vector<int> order_coordinates_along(const CoordinateGraph& c) {
  std::vector<int> seen(c.unknown.size(), 0);
  std::vector<int> order;
  int visit = 0;
  for (int root = 0; root < c.graph.n(); ++root) {
    if (seen[root] != 0) continue;  // part of a component that has its place
    // A start far from everything: walk to the farthest node until the depth stops growing
    // [A. George, J. W. H. Liu, ACM TOMS 5 (1979) 284–295].
    int depth = 0;
    std::vector<int> levels = breadth_first(c.graph, root, seen, ++visit, depth);
    for (bool deeper = true; deeper;) {
      int reached = 0;
      levels = breadth_first(c.graph, levels.back(), seen, ++visit, reached);
      deeper = reached > depth;
      depth = reached;
    }
    for (const int node : levels) order.push_back(c.unknown[node]);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<int> order_for_profile(const Graph& graph, std::span<const char> multiplier) {
  return insert_multipliers(graph, multiplier, order_coordinates_along(make_coordinate_graph(graph, multiplier)));
}

std::vector<int> order_from_both_ends(const Graph& graph, std::span<const char> multiplier) {
  std::vector<int> order = order_coordinates_along(make_coordinate_graph(graph, multiplier));
  std::reverse(order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2), order.end());
  return insert_multipliers(graph, multiplier, order);
}

}  // namespace trammel
