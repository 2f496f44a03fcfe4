// SPDX-License-Identifier: Apache-2.0
#include "kind_fields.h"
#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"

namespace trammel::detail {

namespace {

enum class Direction { rising, falling, both };
const Choices<Direction> directions{
    {"rising", Direction::rising}, {"falling", Direction::falling}, {"both", Direction::both}};
enum class Action { record, stop };
const Choices<Action> actions{{"record", Action::record}, {"stop", Action::stop, "the run ends there"}};
const Choices<InputSpec::Between> betweens{
    {"held", InputSpec::Between::held, "from the instant at which it was set"},
    {"linear", InputSpec::Between::linear, "it arrives at the end of the next step, on a straight line"}};
void read_control(Fields& fields, const std::string& name, ModelDraft& model) {
  ControlSpec control;
  control.name = name;
  control.source = fields.source();
  ControlKind kind = standard_controls[0];
  if (!fields.kind(model.control_kinds, kind)) {
    fields.findings().add_broken(name, control.source);
    model.controls.push_back(std::move(control));
    return;
  }
  ModelKindFields own(fields, model, name, control.source);
  kind->read(own, control);
  fields.finish();
  model.controls.push_back(std::move(control));
}

void read_measure(Fields& fields, const std::string& name, ModelDraft& model) {
  MeasureSpec measure;
  measure.name = name;
  measure.source = fields.source();
  if (!fields.kind(model.measure_kinds, measure.kind)) {
    fields.findings().add_broken(name, measure.source);
    model.measures.push_back(std::move(measure));
    return;
  }
  ModelKindFields own(fields, model, name, measure.source);
  measure.kind->read(own, measure);
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

void read_input(Fields& fields, const std::string& name, ModelDraft& model) {
  InputSpec input;
  input.name = name;
  input.source = fields.source();
  input.value = fields.number("value", 0.0);
  input.between = fields.choice("between", betweens, InputSpec::Between::held);
  input.unit = fields.text("unit", "");
  fields.finish();
  model.inputs.push_back(std::move(input));
}

}  // namespace

EntityKind control_kind(const Kinds& kinds) {
  return {{.name = "control",
           .is_list = true,
           .meaning = "Internal states with equations of their own; the control's name is its output in formulas.",
           .keys = together(
               {{name_key(),
                 {.name = "kind", .type = KeyType::word, .required = true, .words = words(choices_of(kinds.controls))}},
                keys_of(kinds.controls)})},
          read_control};
}

EntityKind measure_kind(const Kinds& kinds) {
  return {{.name = "measure",
           .is_list = true,
           .meaning = "A named value: an output channel, which other formulas can use.",
           .keys = together(
               {{name_key(),
                 {.name = "kind",
                  .type = KeyType::word,
                  .fallback = std::string(MeasureSpec{}.kind.name()),
                  .words = words(choices_of(kinds.measures))}},
                keys_of(kinds.measures),
                {{.name = "unit", .type = KeyType::text, .fallback = "\"\"", .meaning = "a text for the results"}}})},
          read_measure};
}

EntityKind input_kind() {
  return {{.name = "input",
           .is_list = true,
           .meaning = "A number that is set from outside while the machine moves; formulas use it by its name.",
           .keys = {name_key(),
                    {.name = "value", .fallback = "0", .meaning = "at the start, and of a run that nobody drives"},
                    {.name = "between",
                     .type = KeyType::word,
                     .fallback = "held",
                     .meaning = "what it is between the instants at which it is set",
                     .words = words(betweens)},
                    {.name = "unit", .type = KeyType::text, .fallback = "\"\"", .meaning = "a text for the results"}}},
          read_input};
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
