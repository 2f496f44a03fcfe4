// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/contact_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "trammel/mechanics/kinds/shape_descriptor.h"

namespace trammel {

std::vector<int> find_contact_geometry(const Model& model, const std::string& name) {
  std::vector<int> found;
  const auto collect = [&](auto fits) {
    if (found.empty())
      for (std::size_t i = 0; i < model.geometry.size(); ++i)
        if (fits(model.geometry[i])) found.push_back(static_cast<int>(i));
  };
  if (name.empty()) return found;
  collect([&](const GeometrySpec& g) { return g.name == name; });
  collect([&](const GeometrySpec& g) { return g.group == name; });
  collect([&](const GeometrySpec& g) { return g.body == name; });
  return found;
}

void hold_friction(Model& model) {
  for (ContactSpec& contact : model.contacts)
    if (contact.law.friction.kind == FrictionLaw::Kind::coulomb) contact.law.friction.kind = FrictionLaw::Kind::held;
}

std::optional<ContactShape> make_contact_shape(const Shape& shape, const Eigen::Vector3d& origin) {
  std::optional<ContactShape> c = shape.kind->surface(shape);
  if (!c) return c;
  c->center = shape.position - origin;
  c->Q = shape.orientation;
  return c;
}

namespace {

// As many places as can be touched at once: all there are, or some per shape if those are more.
int default_capacity(const ContactGroup& group) {
  const int n = static_cast<int>(group.geometry().size());
  constexpr int many = 400, per_shape = 12, least = 64;
  const int enough = least + per_shape * n;
  if (n > many) return enough;
  int possible = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) possible += group.n_places(i, j);
  return std::min(possible, enough);
}

}  // namespace

std::unique_ptr<ContactGroup> make_contact_group(const Model& model, const FindContactFrame& find_frame) {
  if (model.contacts.empty()) return nullptr;
  // The kind of a piece of geometry: which contacts have it on their side a, and which on side b.
  const int n_laws = static_cast<int>(model.contacts.size());
  std::vector<std::set<std::pair<int, bool>>> sides(model.geometry.size());
  std::vector<ContactGroup::Law> laws;
  for (int c = 0; c < n_laws; ++c) {
    const ContactSpec& spec = model.contacts[c];
    laws.push_back({spec.law, spec.locate, spec.name, spec.by_pair});
    const std::vector<std::string>& others = spec.b.empty() ? spec.a : spec.b;
    for (const std::string& name : spec.a)
      for (const int i : find_contact_geometry(model, name)) sides[i].insert({c, false});
    for (const std::string& name : others)
      for (const int i : find_contact_geometry(model, name)) sides[i].insert({c, true});
  }
  std::map<std::set<std::pair<int, bool>>, int> kinds;
  std::vector<ContactGroup::Geometry> geometry;
  for (std::size_t i = 0; i < model.geometry.size(); ++i) {
    if (sides[i].empty()) continue;
    const GeometrySpec& spec = model.geometry[i];
    const ContactFrame at = find_frame(spec.body);
    const std::optional<ContactShape> shape = make_contact_shape(spec.shape, at.origin);
    if (!shape) continue;
    const int kind = kinds.try_emplace(sides[i], static_cast<int>(kinds.size())).first->second;
    geometry.push_back({*shape, at.frame, kind, spec.name.empty() ? spec.body : spec.name, spec.surface_velocity});
  }
  const int n_kinds = static_cast<int>(kinds.size());
  std::vector<int> law_of(static_cast<std::size_t>(n_kinds) * n_kinds, -1);
  for (const auto& [own, i] : kinds)
    for (const auto& [other, j] : kinds)
      for (int c = 0; c < n_laws && law_of[i * n_kinds + j] < 0; ++c)
        if ((own.count({c, false}) && other.count({c, true})) || (own.count({c, true}) && other.count({c, false})))
          law_of[i * n_kinds + j] = c;
  int capacity = 0;
  bool given = true;
  for (const ContactSpec& spec : model.contacts) {
    given &= spec.capacity.has_value();
    capacity += spec.capacity.value_or(0);
  }
  if (!given) capacity = std::max(capacity, default_capacity({geometry, laws, law_of, n_kinds, 0}));
  return std::make_unique<ContactGroup>(std::move(geometry), std::move(laws), std::move(law_of), n_kinds, capacity);
}

}  // namespace trammel
