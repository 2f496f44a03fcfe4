#include "trammel/math/time_function.h"

#include <fmt/format.h>

#include <utility>

#include "trammel/base/error.h"

namespace trammel {

namespace {

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

bool TimeFunction::is_constant() const { return kind_->is_constant; }

}  // namespace trammel
