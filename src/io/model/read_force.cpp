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
  fields.finish();
  if (force.body_b.empty() && force.joint.empty()) fields.findings().add_broken("", force.source);
  model.forces.push_back(std::move(force));
}

std::vector<Key> force_keys(const Kinds& kinds) {
  std::vector<KindKeys> own;
  for (const ForceKind kind : kinds.forces) own.push_back({kind->name, kind->keys()});
  return together(
      {{name_key(), {.name = "kind", .type = KeyType::word, .required = true, .words = words(kinds_of_forces(kinds))}},
       keys_of_kinds(own)});
}

}  // namespace

Choices<ForceKind> kinds_of_forces(const Kinds& kinds) {
  Choices<ForceKind> list;
  for (const ForceKind kind : kinds.forces) list.push_back({std::string(kind->name), kind, std::string(kind->meaning)});
  return list;
}

EntityKind force_kind(const Kinds& kinds) {
  return {{.name = "force",
           .is_list = true,
           .meaning = "A force, a torque, a spring, a stop or a tyre.",
           .keys = force_keys(kinds)},
          read_force};
}

}  // namespace trammel::detail
