#include <fmt/format.h>

#include "entities.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

enum class ControlKind { filter, pid, ode };
const Choices<ControlKind> control_kinds{
    {"filter", ControlKind::filter}, {"pid", ControlKind::pid}, {"ode", ControlKind::ode}};

enum class Direction { rising, falling, both };
const Choices<Direction> directions{
    {"rising", Direction::rising}, {"falling", Direction::falling}, {"both", Direction::both}};
enum class Action { record, stop };
const Choices<Action> actions{{"record", Action::record}, {"stop", Action::stop}};
const Choices<MeasureKind> measure_kinds{
    {"expression", MeasureKind::expression}, {"distance", MeasureKind::distance}, {"point", MeasureKind::point}};

double positive_time(Fields& fields, const std::string& key, const std::string& meaning) {
  const double value = fields.required_number(key, meaning, 1.0);
  if (value > 0.0) return value;
  fields.report(*fields.get(key), fmt::format("'{}' is {} s but must be > 0", key, value));
  return 1.0;
}

// The input becomes a part of larger formulas: it must be a whole formula itself.
Formula read_input(Fields& fields, const std::string& meaning) {
  const Node* node = fields.require("input", meaning);
  if (node == nullptr) return {zero_formula, ""};
  Formula input = fields.formula_of(*node, "input");
  if (!has_good_syntax(fields, *node, "input", input.text)) input.text = zero_formula;
  return input;
}

/// T ẏ = x − y: y follows the input x with the time constant T.
void read_filter(Fields& fields, ControlSpec& control) {
  const Formula x = read_input(fields, "the formula that is filtered");
  const double T = positive_time(fields, "time_constant", "of the filter [s]");
  control.states = {"filtered"};
  control.rates = {{fmt::format("(({}) - filtered)/({})", x.text, T), x.where}};
  control.algebraic = {false};
  control.initial = {fields.number("initial", 0.0)};
}

/// u = kp e + ki ∫e dt + kd (e − f)/T,   T ḟ = e − f: the derivative of e, smoothed over the time T.
void read_pid(Fields& fields, ControlSpec& control) {
  const Formula e = read_input(fields, "the error, a formula such as \"target - hinge.angle\"");
  const double kp = fields.number("kp", 0.0);
  const double ki = fields.number("ki", 0.0);
  const double kd = fields.number("kd", 0.0);
  control.states = {"integral"};
  control.rates = {e};
  control.algebraic = {false};
  control.initial = {fields.number("initial", 0.0)};
  std::string output = fmt::format("({})*({}) + ({})*integral", kp, e.text, ki);
  const Node* filter = fields.get("derivative_time");
  if (kd != 0.0 || filter != nullptr) {
    const double T = positive_time(fields, "derivative_time", "over which the derivative of the input is smoothed [s]");
    control.states.push_back("filtered");
    control.rates.push_back({fmt::format("(({}) - filtered)/({})", e.text, T), e.where});
    control.algebraic.push_back(false);
    control.initial.push_back(fields.number("derivative_initial", 0.0));
    output += fmt::format(" + ({})*(({}) - filtered)/({})", kd, e.text, T);
  }
  control.output = {output, e.where};
}

void read_ode(Fields& fields, ControlSpec& control) {
  const Node* states = fields.require("states", "the names of the states, such as [\"x\", \"v\"]");
  const Node* rates = fields.require("rates", "one formula for each state: its derivative by time");
  const Node* initial = fields.get("initial");
  const Node* algebraic = fields.get("algebraic");
  control.output = fields.formula("output");
  if (states == nullptr || rates == nullptr) return fields.findings().add_broken(control.name, control.source);
  if (states->kind != NodeKind::array || states->items.empty()) {
    fields.report_type(*states, "states", "a list of at least one name");
    return fields.findings().add_broken(control.name, control.source);
  }
  const std::size_t n = states->items.size();
  for (const Node& item : states->items) control.states.push_back(fields.text_of(item, "states"));
  const auto fits = [&](const Node& node, const std::string& key) {
    if (node.kind == NodeKind::array && node.items.size() == n) return true;
    fields.report(node,
                  fmt::format("'{}' must be a list of {}, one for each of the 'states', not {}", key, n,
                              node.kind == NodeKind::array ? fmt::format("of {}", node.items.size()) : describe(node)));
    return false;
  };
  control.rates.assign(n, {zero_formula, ""});
  control.initial.assign(n, 0.0);
  control.algebraic.assign(n, false);
  if (fits(*rates, "rates"))
    for (std::size_t i = 0; i < n; ++i) control.rates[i] = fields.formula_of(rates->items[i], "rates");
  if (initial != nullptr && fits(*initial, "initial"))
    for (std::size_t i = 0; i < n; ++i) control.initial[i] = fields.number_of(initial->items[i], "initial", 0.0);
  if (algebraic != nullptr && fits(*algebraic, "algebraic"))
    for (std::size_t i = 0; i < n; ++i) {
      const Node& item = algebraic->items[i];
      if (item.kind != NodeKind::boolean) fields.report_type(item, "algebraic", "true or false for each state");
      control.algebraic[i] = item.boolean;
    }
}

}  // namespace

void read_control(Fields& fields, const std::string& name, ModelDraft& model) {
  ControlSpec control;
  control.name = name;
  control.source = fields.source();
  bool good = fields.require("kind", "one of 'filter', 'pid' and 'ode'") != nullptr;
  const ControlKind kind = fields.choice("kind", control_kinds, ControlKind::ode, &good);
  if (!good) {
    fields.findings().add_broken(name, control.source);
    model.controls.push_back(std::move(control));
    return;
  }
  fields.specify(fields.get("kind")->text);
  if (kind == ControlKind::filter) read_filter(fields, control);
  if (kind == ControlKind::pid) read_pid(fields, control);
  if (kind == ControlKind::ode) read_ode(fields, control);
  fields.finish();
  model.controls.push_back(std::move(control));
}

void read_measure(Fields& fields, const std::string& name, ModelDraft& model) {
  MeasureSpec measure;
  measure.name = name;
  measure.source = fields.source();
  bool good = true;
  measure.kind = fields.choice("kind", measure_kinds, MeasureKind::expression, &good);
  if (!good) {
    fields.findings().add_broken(name, measure.source);
    model.measures.push_back(std::move(measure));
    return;
  }
  if (const Node* kind = fields.get("kind")) fields.specify(kind->text);
  if (measure.kind == MeasureKind::expression) {
    if (fields.require("expression", "a formula in quotes") != nullptr)
      measure.expression = fields.formula("expression");
    if (!measure.expression.given()) measure.expression.text = zero_formula;
  } else if (measure.kind == MeasureKind::distance) {
    const Node* a = fields.require("point_a", "the first point, [x, y, z] or { body = \"name\", at = [x, y, z] }");
    const Node* b = fields.require("point_b", "the second point, [x, y, z] or { body = \"name\", at = [x, y, z] }");
    if (a != nullptr) measure.point_a = read_point(fields, *a, "point_a");
    if (b != nullptr) measure.point_b = read_point(fields, *b, "point_b");
    if (!measure.point_a.body.empty()) measure.body_a = measure.point_a.body;
    if (!measure.point_b.body.empty()) measure.body_b = measure.point_b.body;
    read_bodies(fields, measure.body_a, measure.body_b, false);
  } else {
    const Node* point =
        fields.require("point", "[x, y, z] in the world with 'body', or { body = \"name\", at = [x, y, z] }");
    if (point != nullptr) measure.point_a = read_point(fields, *point, "point");
    measure.body_a = fields.name("body", measure.point_a.body);
    if (point != nullptr) measure.source.fields["point_a"] = fields.findings().where(point->place);
    if (const Node* body = fields.get("body")) measure.source.fields["body_a"] = fields.findings().where(body->place);
    if (measure.body_a.empty()) {
      if (point != nullptr) fields.report("the key 'body' is missing: the body on which the point is fixed");
      measure.body_a = ground_name;
    }
  }
  measure.unit = fields.text("unit", "");
  fields.finish();
  model.measures.push_back(std::move(measure));
}

void read_event(Fields& fields, const std::string& name, ModelDraft& model) {
  EventSpec event;
  event.name = name;
  event.source = fields.source();
  if (fields.require("measure", "the name of an expression or a distance") != nullptr)
    event.measure = fields.name("measure", "");
  else
    fields.findings().add_broken(name, event.source);
  event.level = fields.number("level", 0.0);
  const Direction direction = fields.choice("direction", directions, Direction::both);
  event.rising = direction != Direction::falling;
  event.falling = direction != Direction::rising;
  event.stops = fields.choice("action", actions, Action::record) == Action::stop;
  fields.finish();
  model.events.push_back(std::move(event));
}

}  // namespace trammel::detail
