#include <fmt/format.h>

#include "entities.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

enum class ControlKind { filter, pid, ode };
const Choices<ControlKind> control_kinds{{"filter", ControlKind::filter, "follows its input with a delay"},
                                         {"pid", ControlKind::pid, "proportional, integral and derivative"},
                                         {"ode", ControlKind::ode, "equations of your own"}};

enum class Direction { rising, falling, both };
const Choices<Direction> directions{
    {"rising", Direction::rising}, {"falling", Direction::falling}, {"both", Direction::both}};
enum class Action { record, stop };
const Choices<Action> actions{{"record", Action::record}, {"stop", Action::stop, "the run ends there"}};
const Choices<MeasureKind> measure_kinds{{"expression", MeasureKind::expression, "a formula"},
                                         {"distance", MeasureKind::distance, "of two points"},
                                         {"point", MeasureKind::point, "where a point of a body is"}};

// The input becomes a part of larger formulas: it must be a whole formula itself.
Formula read_input(Fields& fields) {
  const Node* node = fields.get("input");
  if (node == nullptr) return {zero_formula, ""};
  Formula input = fields.formula_of(*node, "input");
  if (!has_good_syntax(fields, *node, "input", input.text)) input.text = zero_formula;
  return input;
}

/// T ẏ = x − y: y follows the input x with the time constant T.
void read_filter(Fields& fields, ControlSpec& control) {
  const Formula x = read_input(fields);
  const double T = fields.number("time_constant", 1.0);
  control.states = {"filtered"};
  control.rates = {{fmt::format("(({}) - filtered)/({})", x.text, T), x.where}};
  control.algebraic = {false};
  control.initial = {fields.number("initial", 0.0)};
}

/// u = kp e + ki ∫e dt + kd (e − f)/T,   T ḟ = e − f: the derivative of e, smoothed over the time T.
void read_pid(Fields& fields, ControlSpec& control) {
  const Formula e = read_input(fields);
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
    fields.require("derivative_time");
    const double T = fields.number("derivative_time", 1.0);
    control.states.push_back("filtered");
    control.rates.push_back({fmt::format("(({}) - filtered)/({})", e.text, T), e.where});
    control.algebraic.push_back(false);
    control.initial.push_back(fields.number("derivative_initial", 0.0));
    output += fmt::format(" + ({})*(({}) - filtered)/({})", kd, e.text, T);
  } else {
    fields.refuse("derivative_initial", "without 'kd'");
  }
  control.output = {output, e.where};
}

void read_ode(Fields& fields, ControlSpec& control) {
  const Node* states = fields.get("states");
  const Node* rates = fields.get("rates");
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

void read_control(Fields& fields, const std::string& name, ModelDraft& model) {
  ControlSpec control;
  control.name = name;
  control.source = fields.source();
  ControlKind kind = ControlKind::ode;
  if (!fields.kind(control_kinds, kind)) {
    fields.findings().add_broken(name, control.source);
    model.controls.push_back(std::move(control));
    return;
  }
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
  if (!fields.kind(measure_kinds, measure.kind)) {
    fields.findings().add_broken(name, measure.source);
    model.measures.push_back(std::move(measure));
    return;
  }
  if (measure.kind == MeasureKind::expression) {
    measure.expression = fields.formula("expression");
    if (!measure.expression.given()) measure.expression.text = zero_formula;
  } else if (measure.kind == MeasureKind::distance) {
    if (const auto a = read_point(fields, "point_a")) measure.point_a = *a;
    if (const auto b = read_point(fields, "point_b")) measure.point_b = *b;
    if (!measure.point_a.body.empty()) measure.body_a = measure.point_a.body;
    if (!measure.point_b.body.empty()) measure.body_b = measure.point_b.body;
    read_bodies(fields, measure.body_a, measure.body_b, false);
  } else {
    const Node* point = fields.get("point");
    if (point != nullptr) measure.point_a = read_point(fields, *point, "point");
    measure.body_a = fields.name("body", measure.point_a.body);
    if (point != nullptr) measure.source.fields["point_a"] = fields.findings().where(point->place);
    if (const Node* body = fields.get("body")) measure.source.fields["body_a"] = fields.findings().where(body->place);
    if (measure.body_a.empty()) {
      if (point != nullptr) fields.report_missing("body");
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
  if (fields.has("measure"))
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

std::vector<Key> control_keys() {
  const KindNames filter{"filter"}, pid{"pid"}, ode{"ode"};
  return {name_key(),
          {.name = "kind", .type = KeyType::word, .required = true, .words = words(control_kinds)},
          {.name = "input", .type = KeyType::formula, .required = true, .meaning = "what is filtered", .kinds = filter},
          {.name = "input",
           .type = KeyType::formula,
           .required = true,
           .meaning = "the error e, a formula such as `\"target - hinge.angle\"`",
           .kinds = pid},
          {.name = "time_constant",
           .unit = "s",
           .required = true,
           .meaning = "T of the filter",
           .range = Range::above(0.0),
           .kinds = filter},
          {.name = "kp", .fallback = "0", .meaning = "factor of the error", .kinds = pid},
          {.name = "ki", .unit = "1/s", .fallback = "0", .meaning = "factor of its integral", .kinds = pid},
          {.name = "kd", .unit = "s", .fallback = "0", .meaning = "factor of its derivative", .kinds = pid},
          {.name = "derivative_time",
           .unit = "s",
           .meaning = "T over which the derivative of the input is smoothed; needed with `kd`",
           .range = Range::above(0.0),
           .kinds = pid},
          {.name = "initial", .fallback = "0", .meaning = "output at the start", .kinds = filter},
          {.name = "initial", .fallback = "0", .meaning = "integral at the start", .kinds = pid},
          {.name = "initial",
           .type = KeyType::numbers,
           .fallback = "0",
           .meaning = "one number for each state",
           .kinds = ode},
          {.name = "derivative_initial", .fallback = "0", .meaning = "the smoothed error f at the start", .kinds = pid},
          {.name = "states",
           .type = KeyType::names,
           .required = true,
           .meaning = "the names of the states, such as `[\"x\", \"v\"]`",
           .kinds = ode},
          {.name = "rates",
           .type = KeyType::formulas,
           .required = true,
           .meaning = "one formula for each state: its derivative by time",
           .kinds = ode},
          {.name = "algebraic",
           .type = KeyType::any,
           .fallback = "false",
           .meaning = "true or false for each state; true: 0 = rate",
           .kinds = ode},
          {.name = "output",
           .type = KeyType::formula,
           .fallback = "the first state",
           .meaning = "the value of the control's name in formulas",
           .kinds = ode}};
}

std::vector<Key> measure_keys() {
  const KindNames expression{"expression"}, distance{"distance"}, point{"point"};
  return together(
      {{name_key(),
        {.name = "kind", .type = KeyType::word, .fallback = "expression", .words = words(measure_kinds)},
        {.name = "expression",
         .type = KeyType::formula,
         .required = true,
         .meaning = "a formula in quotes",
         .kinds = expression},
        {.name = "point_a",
         .type = KeyType::point,
         .unit = "m",
         .required = true,
         .meaning = "the first point",
         .kinds = distance},
        {.name = "point_b",
         .type = KeyType::point,
         .unit = "m",
         .required = true,
         .meaning = "the second point",
         .kinds = distance}},
       bodies_keys(distance),
       {{.name = "point",
         .type = KeyType::point,
         .unit = "m",
         .required = true,
         .meaning = "`{ body = \"name\", at = [x, y, z] }`, or `[x, y, z]` in the world with `body`",
         .kinds = point},
        {.name = "body", .type = KeyType::name, .meaning = "the body on which the point is fixed", .kinds = point},
        {.name = "unit", .type = KeyType::text, .fallback = "\"\"", .meaning = "a text for the results"}}});
}

}  // namespace

EntityKind control_kind() {
  return {{.name = "control",
           .is_list = true,
           .meaning = "Internal states with equations of their own; the control's name is its output in formulas.",
           .keys = control_keys()},
          read_control};
}

EntityKind measure_kind() {
  return {{.name = "measure",
           .is_list = true,
           .meaning = "A named value: an output channel, which other formulas can use.",
           .keys = measure_keys()},
          read_measure};
}

EntityKind event_kind() {
  return {{.name = "event",
           .is_list = true,
           .meaning = "A measure that passes a level: located within the step, recorded as a frame of its own.",
           .keys = {name_key(),
                    {.name = "measure",
                     .type = KeyType::name,
                     .required = true,
                     .meaning = "the name of a measure: an expression or a distance"},
                    {.name = "level", .fallback = "0", .meaning = "what it must pass, in the measure's unit"},
                    {.name = "direction",
                     .type = KeyType::word,
                     .fallback = "both",
                     .meaning = "which crossings count",
                     .words = words(directions)},
                    {.name = "action",
                     .type = KeyType::word,
                     .fallback = "record",
                     .meaning = "what happens there",
                     .words = words(actions)}}},
          read_event};
}

}  // namespace trammel::detail
