// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "bauchau2009.h"
#include "elimination.h"
#include "trammel/dae/unpivoted_accuracy.h"
#include "trammel/simulation/record.h"

// [bauchau2009 section 7]: elimination without row exchanges, (31), (35) and (36).

namespace trammel::papers::bauchau2009 {

namespace {

/// Problem II at rest: λ = 0, the instant of (36).
Case at_rest(double h, double rho, double k) {
  Case c{problem_2, physical(1.0, k, rho), h};
  c.settings.push_back("parameters.omega=0");
  c.settings.push_back(fmt::format("parameters.k={}", k));
  return c;
}

UnpivotedAccuracy measure(const Place& place, double h, double rho, double k) {
  const std::unique_ptr<Simulation> simulation = make_simulation(place, at_rest(h, rho, k));
  take_steps(*simulation, 1);
  return measure_unpivoted_accuracy(newton_operator(*simulation));
}

/// What a user of `skyline_ldlt` sees in the first step.
struct Verdict {
  double pivot;
  std::string failure;
};

Verdict ask_skyline(const Place& place, double h, double rho, double k) {
  Case c = at_rest(h, rho, k);
  c.settings.push_back("solver.linear_solver=skyline_ldlt");
  c.settings.push_back(fmt::format("analysis.end={}", h));
  const std::unique_ptr<Simulation> simulation = make_simulation(place, c);
  MemoryRecord record;
  const Summary summary = simulation->run(record);
  return {simulation->integrator().smallest_pivot().relative, summary.completed ? "" : summary.failure};
}

template <class S>
std::vector<double> solve_35(bool pivot) {
  const double h = 0.001;
  const std::vector<std::vector<S>> J{{1.0, 0.0, 0.0}, {0.0, h * h, 1.0}, {0.0, 1.0, 0.0}};
  std::vector<double> x;
  for (const S& value : eliminate<S>(J, {1.0, 1.0, 1.0}, pivot).x) x.push_back(value_of(value));
  return x;
}

}  // namespace

std::string write_no_pivot(const Place& place) {
  const double stiffness = 10.0;
  std::vector<double> steps;
  for (int i = 1; i <= 8; i += place.quick ? 7 : 1) steps.push_back(std::pow(10.0, -i));
  CsvFile csv(place.folder / "no_pivot.csv", {"h", "rho", "relative_error", "smallest_pivot"});
  CsvFile skyline(place.folder / "no_pivot_skyline.csv", {"h", "rho", "stiffness", "first_step", "smallest_pivot"});
  std::vector<double> error[2];
  std::string lines, message;
  for (const int rho : {0, 1})
    for (const double h : steps) {
      const UnpivotedAccuracy a = measure(place, h, rho, stiffness);
      csv.row({cell(h), cell(rho), cell(a.relative_error), cell(a.smallest_pivot)});
      error[rho].push_back(a.relative_error);
      for (const double k : {stiffness, 0.0}) {
        const Verdict v = ask_skyline(place, h, rho, k);
        skyline.row({cell(h), cell(rho), cell(k), v.failure.empty() ? "solved" : "refused", cell(v.pivot)});
        if (rho == 0 && k == 0.0 && message.empty()) message = v.failure;
      }
    }
  csv.save();
  skyline.save();
  for (std::size_t i = 0; i < steps.size(); ++i)
    lines += fmt::format("| {:g} | {:.2g} | {:.2g} |\n", steps[i], error[0][i], error[1][i]);
  const UnpivotedAccuracy exact = measure(place, 0.01, 1.0, 0.0);
  Figure figure("Elimination without row exchanges, problem II at rest");
  figure.panel()
      .x_label("h [s]")
      .y_label("relative error")
      .log_x()
      .log_y()
      .line(steps, error[0], {.label = "ρ = 0", .marker = Marker::triangle})
      .line(steps, error[1], {.label = "ρ = 1", .marker = Marker::circle});
  figure.save(place.folder / "no_pivot.svg");
  return fmt::format(
      R"(## Section 7: elimination without row exchanges

Problem II at rest, `skyline_ldlt` with its safeguards (threshold of pivots, refinement) switched off. (36) drops h²k; with
it the matrix without the augmented term has a pivot h²k/2 in row φ and loses accuracy like h⁻², although its condition
number is 4.7:

| h | ρ = 0: relative error | ρ = 1: relative error |
|---|---|---|
{}
With k = 0, literally (36), ρ = 1 solves to {:.2g}, and with ρ = 0 the first step of `skyline_ldlt` ends with

```text
{}
```

With its safeguards `skyline_ldlt` measures what it has lost and refines: with h²k > 0 the first step is as accurate at ρ = 0 as at
ρ = 1 until the pivot falls below 1e-10 and is refused. `no_pivot_skyline.csv` has what its first step says.

![Errors without pivoting](no_pivot.svg)
)",
      lines, exact.relative_error, message);
}

std::string write_example_35(const Place& place) {
  CsvFile csv(place.folder / "example35.csv", {"arithmetic", "pivoting", "x1", "x2", "x3"});
  std::string lines;
  const auto add = [&](const char* arithmetic, bool pivot, const std::vector<double>& x, const char* printed) {
    csv.row({arithmetic, pivot ? "full" : "none", cell(x[0]), cell(x[1]), cell(x[2])});
    lines += fmt::format("| {} | {} | {:g} {:g} {:.6g} | {} |\n", arithmetic, pivot ? "full" : "none", x[0], x[1], x[2],
                         printed);
  };
  for (const bool pivot : {true, false}) {
    const char* printed = pivot ? "1 1 0.99999" : "1 10 0.99999";
    add("double", pivot, solve_35<double>(pivot), "1 1 0.999999 (exact)");
    add("truncated", pivot, solve_35<FiveDigits<Cut::truncate>>(pivot), printed);
    add("rounded", pivot, solve_35<FiveDigits<Cut::round>>(pivot), "");
  }
  csv.save();
  return fmt::format(R"(## Example (35), h = 0.001, in double and in five decimal digits

| arithmetic | pivoting | x₁ x₂ x₃ | paper |
|---|---|---|---|
{}
The printed x₂ = 10 needs arithmetic that cuts digits off; rounding gives 0. Both are wrong by far.
)",
                     lines);
}

}  // namespace trammel::papers::bauchau2009
