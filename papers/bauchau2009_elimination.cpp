#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bauchau2009.h"
#include "elimination.h"
#include "trammel/simulation/record.h"

// [bauchau2009 section 7]: elimination without row exchanges, (31), (35) and (36).

namespace trammel::papers::bauchau2009 {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Problem II at rest: λ = 0, the instant of (36).
Case at_rest(double h, double rho, double k) {
  Case c{problem_2, physical(1.0, k, rho), h};
  c.settings.push_back("parameters.omega=0");
  c.settings.push_back(fmt::format("parameters.k={}", k));
  return c;
}

struct Row {
  double h, rho, error, pivot;
};

/// Ĵ x = b with a known x, in the order (q, φ, λ̂) of (36), in double and without row exchanges. b is the product in
/// long double, rounded once.
Row measure(const Place& place, double h, double rho, double k) {
  const std::unique_ptr<Simulation> simulation = make_simulation(place, at_rest(h, rho, k));
  take_steps(*simulation, 1);
  const Eigen::MatrixXd J = calc_matrix(*simulation);
  const std::size_t n = static_cast<std::size_t>(J.rows());
  std::vector<std::vector<double>> A(n, std::vector<double>(n));
  std::vector<double> b(n), x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1.0 / (1.7 + static_cast<double>(i));  // no short binary fractions
  for (std::size_t i = 0; i < n; ++i) {
    long double sum = 0.0L;
    for (std::size_t j = 0; j < n; ++j) {
      A[i][j] = J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      sum += static_cast<long double>(A[i][j]) * static_cast<long double>(x[j]);
    }
    b[i] = static_cast<double>(sum);
  }
  const Elimination<double> found = eliminate(A, b, false);
  if (found.x.empty()) return {h, rho, missing, 0.0};
  double error = 0.0;
  for (std::size_t i = 0; i < n; ++i) error = std::max(error, std::abs(found.x[i] - x[i]));
  return {h, rho, error / x[0], found.smallest_pivot};
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
      const Row r = measure(place, h, rho, stiffness);
      csv.row({cell(r.h), cell(r.rho), cell(r.error), cell(r.pivot)});
      error[rho].push_back(r.error);
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
  const Row exact = measure(place, 0.01, 1.0, 0.0);
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

Problem II at rest. (36) drops h²k; with it the matrix without the augmented term has a pivot h²k/2 in row φ and loses
accuracy like h⁻², although its condition number is 4.7:

| h | ρ = 0: relative error | ρ = 1: relative error |
|---|---|---|
{}
With k = 0, literally (36), ρ = 1 solves to {:.2g}, and with ρ = 0 the first step of `skyline_ldlt` ends with

```text
{}
```

`skyline_ldlt` refines solutions and refuses pivots below 1e-10 before accuracy is lost; `no_pivot_skyline.csv` has what its
first step says.

![Errors without pivoting](no_pivot.svg)
)",
      lines, exact.error, message);
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
