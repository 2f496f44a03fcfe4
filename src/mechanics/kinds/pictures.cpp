// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/pictures.h"

#include <algorithm>

#include "trammel/base/json.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"

namespace trammel {

void put_pictures(JsonWriter& json, const Kinds& kinds) {
  json.begin_object().key("joints").begin_object();
  for (const JointKind kind : kinds.joints) put_picture(json, kind.name(), kind->picture());
  json.end_object().key("forces").begin_object();
  for (const ForceKind kind : kinds.forces) put_picture(json, kind.name(), kind->picture());
  json.end_object().end_object();
}

Kinds find_own_kinds(const Model& model) {
  const auto collect = [](const auto& specs, const auto& standard, auto& own) {
    for (const auto& spec : specs)
      if (std::find(standard.begin(), standard.end(), spec.kind) == standard.end() &&
          std::find(own.begin(), own.end(), spec.kind) == own.end())
        own.push_back(spec.kind);
  };
  Kinds own;
  collect(model.joints, standard_kinds().joints, own.joints);
  collect(model.forces, standard_kinds().forces, own.forces);
  return own;
}

}  // namespace trammel
