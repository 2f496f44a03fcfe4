// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/time_function.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/math/time_part.h"

namespace trammel {

namespace {

constexpr std::size_t max_signals = 32;  // of one function of time

struct Polynomial final : TimeFunction::Kind {
  std::vector<double> c;
  explicit Polynomial(std::vector<double> coefficients) : c(std::move(coefficients)) { is_constant = c.size() < 2; }
  Taylor2<double> at(double t) const override {
    const Taylor2<double> x = Taylor2<double>::time(t);
    Taylor2<double> sum(0.0);
    for (std::size_t k = c.size(); k-- > 0;) sum = sum * x + c[k];
    return sum;
  }
};

struct Table final : TimeFunction::Kind {
  std::shared_ptr<const CubicSpline> spline;
  explicit Table(std::shared_ptr<const CubicSpline> table) : spline(std::move(table)) {
    if (spline->options().ends == SplineEnds::periodic) return;
    breakpoints.add(spline->front());
    breakpoints.add(spline->back());
  }
  Taylor2<double> at(double t) const override { return spline->evaluate(Taylor2<double>::time(t)); }
  void find_surprises(double start, double end, StepBounds& bounds) const override {
    std::vector<double> seeds;  // points that stand close; where all do, as many samples
    const std::span<const double> knots = spline->knots();
    for (std::size_t i = 1; i < knots.size(); ++i)
      if (knots[i] - knots[i - 1] < (end - start) / 2048.0) seeds.push_back(knots[i]);
    if (seeds.size() > 512) seeds.clear();
    trammel::find_surprises([this](double t) { return spline->evaluate(t); }, breakpoints, start, end, seeds,
                            static_cast<int>(2 * knots.size()), bounds);
  }
};

struct Formula final : TimeFunction::Kind {
  Expression formula;
  explicit Formula(const Expression& expression) : formula(expression) {
    for (const int variable : formula.variables())
      if (variable != 0) throw InputError(fmt::format("\"{}\" must be a function of the time t alone", formula.text()));
    breakpoints = formula.breakpoints(0);
    is_constant = formula.is_constant();
  }
  Taylor2<double> at(double t) const override {
    const Taylor2<double> time = Taylor2<double>::time(t);
    return formula.evaluate(std::span<const Taylor2<double>>(&time, 1));
  }
  void find_surprises(double start, double end, StepBounds& bounds) const override {
    for (const TimePart& part : TimePart::find(formula, 0)) trammel::find_surprises(part, start, end, bounds);
  }
};

struct FromOutside final : TimeFunction::Kind {
  std::shared_ptr<const InputSignals> signals;
  int number;
  FromOutside(std::shared_ptr<const InputSignals> from, int signal) : signals(std::move(from)), number(signal) {}
  Taylor2<double> at(double t) const override { return signals->at(number, t); }
};

struct FormulaOfSignals final : TimeFunction::Kind {
  Expression formula;
  std::shared_ptr<const InputSignals> signals;
  std::vector<int> variables;
  FormulaOfSignals(const Expression& expression, std::shared_ptr<const InputSignals> from, std::vector<int> numbers)
      : formula(expression), signals(std::move(from)), variables(std::move(numbers)) {
    breakpoints = formula.breakpoints(0);
  }
  Taylor2<double> at(double t) const override {
    std::array<Taylor2<double>, max_signals + 1> values;
    values[0] = Taylor2<double>::time(t);
    for (std::size_t k = 0; k < variables.size(); ++k) values[k + 1] = signals->at(variables[k], t);
    return formula.evaluate(std::span<const Taylor2<double>>(values.data(), variables.size() + 1));
  }
};

}  // namespace

TimeFunction::TimeFunction() : TimeFunction(constant(0.0)) {}

TimeFunction TimeFunction::constant(double value) { return polynomial({value}); }

TimeFunction TimeFunction::polynomial(std::vector<double> coefficients) {
  return TimeFunction(std::make_shared<Polynomial>(std::move(coefficients)));
}

TimeFunction TimeFunction::table(std::shared_ptr<const CubicSpline> spline) {
  return TimeFunction(std::make_shared<Table>(std::move(spline)));
}

TimeFunction TimeFunction::expression(const Expression& formula) {
  return TimeFunction(std::make_shared<Formula>(formula));
}

TimeFunction TimeFunction::expression(const Expression& formula, std::shared_ptr<const InputSignals> signals,
                                      std::vector<int> variables) {
  if (variables.empty()) return expression(formula);
  if (variables.size() > max_signals)
    throw InputError(fmt::format("\"{}\" uses more than {} inputs; split it", formula.text(), max_signals));
  return TimeFunction(std::make_shared<FormulaOfSignals>(formula, std::move(signals), std::move(variables)));
}

TimeFunction TimeFunction::signal(std::shared_ptr<const InputSignals> signals, int number) {
  return TimeFunction(std::make_shared<FromOutside>(std::move(signals), number));
}

TimeFunction TimeFunction::parse(std::string_view text) {
  return expression(Expression::parse(text, [](const std::vector<std::string>& path) -> ResolvedName {
    if (path.size() == 1 && path[0] == "t") return 0;
    return fmt::format("unknown name '{}'; only the time 't' is known here", fmt::join(path, "."));
  }));
}

TimeFunction::Value TimeFunction::evaluate(double t) const {
  const Taylor2<double> x = kind_->at(t);
  return {x.v, x.d, x.dd};
}

double TimeFunction::next_breakpoint(double t) const { return kind_->breakpoints.next(t); }

void TimeFunction::find_surprises(double start, double end, StepBounds& bounds) const {
  if (!kind_->is_constant) kind_->find_surprises(start, end, bounds);
}

bool TimeFunction::is_constant() const { return kind_->is_constant; }

}  // namespace trammel
