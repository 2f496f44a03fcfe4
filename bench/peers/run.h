// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

// What every peer is asked to do; see bench/README.md. Plain C++17: Simbody's headers know no later standard.

namespace trammel::peers {

/// The seconds are CPU time of the thread without setting the problem up; NaN in `error`: the run failed.
struct Run {
  std::string peer;
  double tol = 0.0, seconds = 0.0, error = 0.0;
  long steps = 0, residuals = 0, jacobians = 0, error_failures = 0, convergence_failures = 0;
};

double cpu_time();

/// The falling chain and the N-four-bar as IDA and Trammel see them: planar bodies and hinges in absolute coordinates.
struct Planar {
  enum class Kind { chain, four_bar } kind;
  int n;
  double t_end() const { return kind == Kind::chain ? 2.0 : 10.0; }
  /// Error of the centres of mass of all bodies (chain, at 2 s) or of the first tip (four-bars, at 10 s). Bodies are
  /// in the order of the models, three numbers each: x, y and the angle from the start.
  double error(const std::vector<double>& q) const;
};

Run run_ida(const Planar& problem, double tol);
Run run_trammel(const Planar& problem, double tol);
/// The chain in joint coordinates by the explicit pair.
Run run_trammel_explicit(const Planar& problem, double tol);
Run run_simbody(const Planar& problem, double tol);
bool has_simbody();

/// P5: the cantilever with a tip force, 1 s; the error is the largest distance of the tip at 0.1, 0.2, …, 1 s. IDA on a
/// dedicated planar code with two-node elements; Trammel with spatial elements of this order and these lines of
/// [solver].
Run run_ida_beam(int elements, double tol);
Run run_trammel_beam(int elements, int order, const std::string& solver);

/// One evaluation of forward dynamics: N hinged rods (1 m, 1 kg) as a chain with parallel axes, or as a binary tree
/// with axes that change from rod to rod. Angles and rates are random, and one of each moves between calls.
struct Forward {
  bool tree;
  int n;
  int calls() const { return n > 40 ? std::max(20, 40000 / n) : 2000; }
};
/// Seconds per call, the fastest of a few rounds.
double time_trammel(const Forward& problem);
double time_simbody(const Forward& problem);

}  // namespace trammel::peers
