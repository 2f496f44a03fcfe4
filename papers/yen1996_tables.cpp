// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/io/model_reader.h"
#include "yen1996.h"

namespace trammel::papers::yen1996 {

namespace {

/// The iterations of the paper, and where CM differs from it. `CM` is the paper's.
const char* const methods[] = {"GGL", "GGL*", "CS", "CM", "CM_frozen_step", "CM_matrix_only", "CM_frozen_jacobian"};

std::vector<std::string> counters(const Summary& s) {
  std::vector<std::string> cells;
  for (const long n : {s.steps, s.iterations, s.linearizations, s.rejected_error, s.rejected_newton})
    cells.push_back(fmt::format("{}", n));
  return cells;
}

struct Printed {
  const char* method;
  double tol, eps;
  const char* counters;
};

/// One table of the paper: every method at every case, beside the printed numbers.
struct Table {
  const char* number;
  const char* model;
  Tests tests;
  std::vector<std::pair<double, double>> cases;  ///< tol, eps
  std::vector<Printed> printed;
};

const Table tables[] = {
    {"51",
     mass,
     Tests::table51,
     {{1e-3, 1e-4}, {1e-3, 1e-5}, {1e-3, 1e-6}},
     {{"GGL", 1e-3, 1e-4, "446/1713/263/47/0"},
      {"GGL*", 1e-3, 1e-4, "478/1304/127/45/0"},
      {"CS", 1e-3, 1e-4, "381/1036/106/46/0"},
      {"CM", 1e-3, 1e-4, "373/963/96/38/0"},
      {"GGL", 1e-3, 1e-5, "431/1726/261/34/2"},
      {"GGL*", 1e-3, 1e-5, "500/1324/139/52/2"},
      {"CS", 1e-3, 1e-5, "447/1281/116/56/2"},
      {"CM", 1e-3, 1e-5, "456/1180/115/58/1"},
      {"GGL", 1e-3, 1e-6, "427/1693/275/41/8"},
      {"GGL*", 1e-3, 1e-6, "478/1247/123/44/4"},
      {"CS", 1e-3, 1e-6, "414/1139/119/38/5"},
      {"CM", 1e-3, 1e-6, "325/844/81/34/1"}}},
    {"52",
     spring,
     Tests::table52,
     {{1e-3, 1e-4}, {1e-3, 1e-5}, {1e-4, 1e-4}},
     {{"GGL", 1e-3, 1e-4, "109/383/56/13/0"},
      {"GGL*", 1e-3, 1e-4, "109/337/45/13/0"},
      {"CS", 1e-3, 1e-4, "150/474/58/20/0"},
      {"CM", 1e-3, 1e-4, "72/208/31/7/0"},
      {"GGL", 1e-3, 1e-5, "105/416/68/11/0"},
      {"GGL*", 1e-3, 1e-5, "105/387/47/12/0"},
      {"CS", 1e-3, 1e-5, "135/455/56/18/0"},
      {"CM", 1e-3, 1e-5, "66/205/32/4/0"},
      {"GGL", 1e-4, 1e-4, "822/2534/337/78/0"},
      {"GGL*", 1e-4, 1e-4, "818/2572/242/82/0"},
      {"CS", 1e-4, 1e-4, "943/2727/217/66/0"},
      {"CM", 1e-4, 1e-4, "193/577/56/14/0"}}},
    {"53",
     bushing,
     Tests::table53,
     {{1e-3, 1e-3}, {1e-4, 1e-3}, {1e-5, 1e-3}},
     {{"GGL", 1e-3, 1e-3, "59/141/46/0/12"},
      {"GGL*", 1e-3, 1e-3, "62/154/48/0/13"},
      {"CS", 1e-3, 1e-3, "62/156/48/0/13"},
      {"CM", 1e-3, 1e-3, "62/156/48/0/13"},
      {"GGL", 1e-4, 1e-3, "61/136/27/1/5"},
      {"GGL*", 1e-4, 1e-3, "77/193/65/1/16"},
      {"CS", 1e-4, 1e-3, "77/193/65/1/16"},
      {"CM", 1e-4, 1e-3, "77/193/65/1/16"},
      {"GGL", 1e-5, 1e-3, "108/259/77/1/21"},
      {"GGL*", 1e-5, 1e-3, "87/215/54/0/13"},
      {"CS", 1e-5, 1e-3, "87/215/54/0/13"},
      {"CM", 1e-5, 1e-3, "87/215/54/0/13"}}},
    {"54",
     bushing,
     Tests::table53,
     {{1e-4, 1e-6}},
     {{"GGL", 1e-4, 1e-6, "5267/10536/7899/0/2633"},
      {"GGL*", 1e-4, 1e-6, "2251/4900/3360/1/1120"},
      {"CS", 1e-4, 1e-6, "2252/4901/3361/1/1120"},
      {"CM", 1e-4, 1e-6, "20/40/7/0/0"}}},
};

/// Which coordinates are independent, and which of them the error test takes.
struct Split {
  const char* name;
  Settings settings;
  const char* error_set;
};

std::vector<Split> splits_of(const Table& table) {
  const Settings forced{"solver.independent=[\"second.x\"]"};
  if (table.tests != Tests::table53) return {{"pivoted", {}, "independent_positions"}};
  return {{"pivoted", {}, "independent"},
          {"pivoted", {}, "independent_positions"},
          {"second.x", forced, "independent_positions"}};
}

}  // namespace

Settings operator+(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Settings tolerance(double tol) { return {fmt::format("solver.rtol={}", tol), fmt::format("solver.atol={}", tol)}; }

Settings epsilon(double eps) { return {fmt::format("parameters.eps={}", eps)}; }

// GGL of table 5.1 and 5.2: error test on q, GGL* without multipliers in Newton's test. From table 5.3 on GGL takes (q,
// v) and GGL* predicts its multipliers by the pseudo-inverse. Multipliers of ‖d‖² − ℓ² are half of those of the paper's
// row: half the absolute tolerance makes the tests equal.
Method make_method(const std::string& name, Tests tests, double tol, const std::string& split_set) {
  const Settings stabilized{"solver.formulation=stabilized_index2"};
  if (name == "GGL") {
    const std::string set = tests == Tests::table53 ? "states" : "positions";
    return {stabilized + Settings{"solver.error_set=" + set, fmt::format("solver.multiplier_tol={}", tol / 2)}, set};
  }
  if (name == "GGL*" && tests != Tests::table53)
    return {stabilized + Settings{"solver.error_set=positions", "solver.corrector_set=states"}, "positions"};
  const Settings set{"solver.error_set=" + split_set};
  if (name == "GGL*") return {stabilized + set + Settings{"solver.iteration=ggl_star"}, split_set};
  if (name == "CS") return {set + Settings{"solver.iteration=cs"}, split_set};
  const std::string mode = name == "CM" ? "frozen_jacobian" : name.substr(3);
  return {set + Settings{"solver.cm_mode=" + mode}, split_set};
}

std::string write_table(const Place& place, int number) {
  const Table& table = tables[number - 1];
  CsvFile csv(place.folder / fmt::format("table{}.csv", table.number),
              {"method", "tol", "eps", "steps", "fevals", "jevals", "etfs", "ctfs", "split", "error_set"});
  std::string text =
      "| method | TOL | ε | split | error test | ours: steps/residuals/Jacobians/error/convergence failures | printed "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const auto& [tol, eps] : table.cases)
    for (const Split& split : splits_of(table))
      for (const std::string method : methods) {
        const bool forced = !split.settings.empty();
        if (method == "GGL" && (forced || std::string(split.error_set) != splits_of(table).front().error_set))
          continue;  // it has no split: once
        const Method m = make_method(method, table.tests, tol, split.error_set);
        const Settings settings = epsilon(eps) + tolerance(tol) + m.settings + split.settings;
        const Summary s = run(read_study(place.models / table.model, settings)).summary;
        const std::vector<std::string> c = counters(s);
        const bool splits = m.error_set.rfind("independent", 0) == 0;
        const std::string name_of_split = splits ? split.name : "none";
        csv.row({method, cell(tol), cell(eps), c[0], c[1], c[2], c[3], c[4], name_of_split, m.error_set});
        std::string printed;
        for (const Printed& p : table.printed)
          if (p.method == method && p.tol == tol && p.eps == eps) printed = p.counters;
        text += fmt::format("| {} | {:.0e} | {:.0e} | {} | {} | {} | {} |\n", method == "GGL*" ? "GGL\\*" : method, tol,
                            eps, name_of_split, m.error_set, fmt::join(c, "/"), printed);
      }
  csv.save();
  return text;
}

}  // namespace trammel::papers::yen1996
