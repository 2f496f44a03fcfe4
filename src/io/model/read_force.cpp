// SPDX-License-Identifier: Apache-2.0
#include "kind_fields.h"
#include "trammel/mechanics/kinds/force_descriptor.h"

namespace trammel::detail {

namespace {

void read_force(Fields& fields, const std::string& name, ModelDraft& model) {
  ForceSpec force;
  force.name = name;
  force.source = fields.source();
  if (!fields.kind(model.force_kinds, force.kind)) {
    fields.findings().add_broken(name, force.source);
    model.forces.push_back(std::move(force));
    return;
  }
  ModelKindFields own(fields, model, "", force.source);
  force.kind->read(own, force);
  for (const RoadSpec& road : model.roads)
    if (road.name == force.body_a) force.vehicle.road = road.name, force.body_a = road.body;
  fields.finish();
  if (force.body_b.empty() && force.joint.empty()) fields.findings().add_broken("", force.source);
  model.forces.push_back(std::move(force));
}

}  // namespace

EntityKind force_kind(const Kinds& kinds) {
  return {{.name = "force",
           .is_list = true,
           .meaning = "A force, a torque, a spring, a stop or a tyre.",
           .keys = together(
               {{name_key(),
                 {.name = "kind", .type = KeyType::word, .required = true, .words = words(choices_of(kinds.forces))}},
                keys_of(kinds.forces)})},
          read_force};
}

}  // namespace trammel::detail
