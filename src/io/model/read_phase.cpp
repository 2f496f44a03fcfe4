// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "entities.h"
#include "parameters.h"
#include "trammel/base/text.h"
#include "trammel/simulation/option.h"

namespace trammel::detail {

namespace {

// A time, or the name of an event.
void read_until(Fields& fields, const ModelDraft& model, Phase& phase) {
  const Node* node = fields.get("until");
  if (node == nullptr) return;
  if (node->kind != NodeKind::string) {
    phase.until = fields.optional_number("until");
    return;
  }
  std::vector<std::string> events;
  for (const EventSpec& event : model.events) events.push_back(event.name);
  const std::string name = fields.name_of(*node, "until");
  const bool is_event = std::find(events.begin(), events.end(), name) != events.end();
  const bool is_parameter = fields.scope().find(node->text) != nullptr;
  if (is_event && is_parameter)
    fields.report(*node, fmt::format("'until' is '{}', which is an event and a parameter; rename one", name));
  else if (is_event)
    phase.event = name;
  else if (is_identifier(node->text) && !is_parameter)
    fields.report(*node, fmt::format("'until' is '{}', neither a time nor the name of an event{} Events: {}", name,
                                     did_you_mean(name, events), events.empty() ? "none" : join_quoted(events)));
  else
    phase.until = fields.optional_number("until");
}

void read_phase(Fields& fields, const std::string& name, ModelDraft& model) {
  Phase phase;
  phase.name = name;
  phase.source = fields.source();
  if (fields.part().parent != nullptr)
    fields.report("phases belong to the file that is run, not to a part of a machine");
  read_until(fields, model, phase);
  if (const Node* node = fields.get("solver")) {
    if (std::optional<Fields> inner = fields.inner(*node, "solver")) {
      Settings own;
      read_settings(*inner, "solver", own);
      phase.solver = std::move(own.solver);
      phase.extensions = std::move(own.extensions);
    }
  }
  fields.finish();
  model.phases.push_back(std::move(phase));
}

std::vector<Key> solver_keys() {
  for (KeyTable& table : option_key_tables())
    if (table.name == "solver") return std::move(table.keys);
  return {};
}

}  // namespace

EntityKind phase_kind() {
  return {{.name = "phase",
           .is_list = true,
           .meaning = "A stretch of a run with settings of its own.",
           .keys = {{.name = "name",
                     .type = KeyType::text,
                     .fallback = "its number",
                     .meaning = "by which the results, messages and `--set` refer to it"},
                    {.name = "until",
                     .unit = "s",
                     .fallback = "the end of the analysis",
                     .meaning = "when it ends, or the name of an `[[event]]` that ends it where it happens first"},
                    {.name = "solver",
                     .type = KeyType::table,
                     .meaning = "keys of [`[solver]`](#solver), which replace what stands there",
                     .inner = solver_keys()}}},
          read_phase};
}

}  // namespace trammel::detail
