// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trammel/base/text.h"
#include "trammel/mechanics/contact_model.h"
#include "trammel/mechanics/elements/contact_surface.h"
#include "trammel/mechanics/kinds/shape_descriptor.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

std::string name_of(const GeometrySpec& geometry) {
  return geometry.name.empty() ? fmt::format("the shape of body '{}'", geometry.body)
                               : fmt::format("geometry '{}'", geometry.name);
}

// Why two shapes are not offered to a law.
std::string find_reason(const ContactShape& a, const ContactShape& b, const NormalLaw& law) {
  if (a.kind == ContactShape::Kind::plane && b.kind == ContactShape::Kind::plane) return "planes have no ends";
  if (!a.core().takes_points() || !b.core().takes_points()) return "nothing but spheres runs in a groove";
  if (law.kind == NormalLaw::Kind::foundation)
    return "neither has points at which a foundation could press: boxes, cylinders, cones, capsules, hulls, smooth "
           "extrusions and closed meshes have, and spheres need none";
  if (!a.convex() && !b.convex())
    return "neither is convex, so that where they are deepest in each other is not one place: law = \"foundation\" "
           "presses at points all over a surface";
  return "where flat parts lie on each other the deepest point is not one and would jump: law = \"foundation\" presses "
         "at points all over a surface";
}

void check_friction(ModelChecks& checks, std::string_view kind, const ContactSpec& spec, const FrictionLaw& f) {
  if (f.kind == FrictionLaw::Kind::none) return;
  const auto at_least_zero = [&](const char* key, double value) {
    if (!(value >= 0.0)) checks.report(kind, spec, "friction", fmt::format("'{}' is {} but must be ≥ 0", key, value));
  };
  const auto positive = [&](const char* key, double value) {
    if (!(value > 0.0)) checks.report(kind, spec, "friction", fmt::format("'{}' is {} but must be > 0", key, value));
  };
  positive("mu_k", f.mu_k), positive("v_s", f.v_s);
  at_least_zero("rolling_arm", f.rolling_arm), at_least_zero("torsion_radius", f.torsion_radius);
  positive("w_s", f.w_s);
  if (f.kind == FrictionLaw::Kind::coulomb) return;
  if (!(f.mu_s >= f.mu_k))
    checks.report(kind, spec, "friction", fmt::format("'mu_s' is {} but must be at least 'mu_k' = {}", f.mu_s, f.mu_k));
  positive("gamma", f.gamma), positive("sigma0", f.sigma0);
  at_least_zero("sigma1", f.sigma1), at_least_zero("sigma2", f.sigma2);
}

void check_law(ModelChecks& checks, const ContactSpec& spec) {
  const NormalLaw& n = spec.law.normal;
  if (!(n.modulus >= 0.0))
    checks.report("contact", spec, "modulus", fmt::format("'modulus' is {} N/m² but must be > 0", n.modulus));
  else if (n.modulus == 0.0 && !(n.stiffness > 0.0))
    checks.report("contact", spec, "stiffness",
                  fmt::format("'stiffness' is {} N/m but must be > 0: surfaces push each other apart", n.stiffness));
  if (!(n.damping >= 0.0))
    checks.report("contact", spec, "damping", fmt::format("the damping is {} but must be ≥ 0", n.damping));
  if (!(n.bounce >= 0.0 && n.speed > 0.0))
    checks.report("contact", spec, "restitution",
                  fmt::format("the least speed of an impact is {} m/s but must be > 0", n.speed));
  if (!(n.exponent >= 1.0))
    checks.report("contact", spec, "exponent", fmt::format("'exponent' is {} but must be ≥ 1", n.exponent));
  if (spec.capacity && *spec.capacity < 1)
    checks.report("contact", spec, "capacity", fmt::format("'capacity' is {} but must be at least 1", *spec.capacity));
  check_friction(checks, "contact", spec, spec.law.friction);
}

// Sizes that a surface must have before anything can touch it; true if it has.
bool check_shape(ModelChecks& checks, const ContactSpec& spec, const GeometrySpec& geometry) {
  const Shape& s = geometry.shape;
  const auto wrong = [&](const std::string& message) {
    checks.report("contact", spec, "between", fmt::format("{}: {}", name_of(geometry), message));
    return false;
  };
  if (const std::string message = s.kind->check_surface(s); !message.empty()) return wrong(message);
  if (make_contact_shape(s, Eigen::Vector3d::Zero())) return true;
  std::vector<std::string_view> touched;
  for (const GeometryKind& kind : standard_shapes)
    if (!kind->touched.empty()) touched.push_back(kind->touched);
  return wrong(fmt::format("this kind is only drawn and cannot be touched; {} can", fmt::join(touched, ", ")));
}

// Pieces of a beam join each other: pressures along its length add up, forces of single places would be there twice.
void check_beams(ModelChecks& checks, const ContactSpec& spec, const std::vector<int>& a, const std::vector<int>& b) {
  const auto of_beam = [&](int i) {
    const auto is_it = [&](const Beam& beam) { return beam.name == checks.model.geometry[i].group; };
    return std::any_of(checks.model.beams.begin(), checks.model.beams.end(), is_it);
  };
  const auto beam = std::find_if(a.begin(), a.end(), of_beam);
  if (beam == a.end()) return;
  const std::string& name = checks.model.geometry[*beam].group;
  if (spec.law.normal.kind != NormalLaw::Kind::foundation)
    return checks.report("contact", spec, "between",
                         fmt::format("beam '{}' is touched all along: law = \"foundation\" adds up pressures along it; "
                                     "forces at single places would be there twice where its pieces join",
                                     name));
  if (spec.b.empty())
    return checks.report(
        "contact", spec, "between",
        fmt::format("the pieces of beam '{}' join each other: name it in 'between', not in 'among'", name));
  for (const int j : b)
    if (checks.model.geometry[j].shape.kind == GeometryKind::sphere)
      return checks.report("contact", spec, "between",
                           fmt::format("{} meets beam '{}' in one place, which has no length along which pressures add "
                                       "up: make it an ellipsoid, a capsule or a mesh",
                                       name_of(checks.model.geometry[j]), name));
}

// Balls must be rounder than the grooves in which they run.
void check_fit(ModelChecks& checks, const ContactSpec& spec, const std::vector<int>& a, const std::vector<int>& b) {
  for (const int i : a) {
    const GeometrySpec& groove = checks.model.geometry[i];
    if (!(groove.shape.kind == GeometryKind::groove)) continue;
    for (const int j : b) {
      const GeometrySpec& other = checks.model.geometry[j];
      if (!(other.shape.kind == GeometryKind::sphere) || groove.body == other.body ||
          other.shape.radius < groove.shape.radius)
        continue;
      return checks.report("contact", spec, "between",
                           fmt::format("{} does not fit into {}, whose radius is {} m: it must be rounder",
                                       name_of(other), name_of(groove), groove.shape.radius));
    }
  }
}

// Every name means some geometry, every pair of kinds is offered, and some pair belongs to two bodies.
void check_sides(ModelChecks& checks, const ContactSpec& spec) {
  const Model& model = checks.model;
  bool good = true;
  const auto collect = [&](const std::vector<std::string>& names) {
    std::vector<int> all;
    for (const std::string& name : names) {
      const std::vector<int> found = find_contact_geometry(model, name);
      if (found.empty()) {
        std::vector<std::string> known;
        for (const GeometrySpec& g : model.geometry)
          for (const std::string& other : {g.name, g.group, g.body})
            if (!other.empty() && std::find(known.begin(), known.end(), other) == known.end()) known.push_back(other);
        checks.report("contact", spec, "between",
                      fmt::format("there is no geometry, group of geometry or body with a shape called '{}'{}", name,
                                  did_you_mean(name, known)));
        good = false;
      }
      for (const int i : found) good = check_shape(checks, spec, model.geometry[i]) && good;
      all.insert(all.end(), found.begin(), found.end());
    }
    return all;
  };
  if (spec.a.empty())
    return checks.report("contact", spec, "between", "it is not said what touches: 'between' = [\"a\", \"b\"]");
  const std::vector<int> a = collect(spec.a), b = spec.b.empty() ? a : collect(spec.b);
  if (!good) return;
  // Kinds are few, geometry may be much: of each kind on either side two examples on different bodies, so that a pair
  // of one kind is among them if there is one.
  const auto examples = [&](const std::vector<int>& all) {
    std::vector<int> found;
    for (const int i : all) {
      const GeometrySpec& g = model.geometry[i];
      int same = 0;
      for (const int j : found)
        if (model.geometry[j].shape.kind == g.shape.kind) same += model.geometry[j].body == g.body ? 2 : 1;
      if (same < 2) found.push_back(i);
    }
    return found;
  };
  std::vector<std::pair<std::string_view, std::string_view>> refused;
  bool sharp = false;
  bool two_bodies = false;
  for (const int i : a) {
    for (const int j : b) two_bodies |= model.geometry[i].body != model.geometry[j].body;
    if (two_bodies) break;
  }
  if (!two_bodies)
    return checks.report(
        "contact", spec, "between",
        fmt::format("all of it belongs to body '{}': a body cannot touch itself", model.geometry[a.front()].body));
  check_fit(checks, spec, a, b);
  check_beams(checks, spec, a, b);
  if (!spec.b.empty()) check_fit(checks, spec, b, a), check_beams(checks, spec, b, a);
  for (const int i : examples(a))
    for (const int j : examples(b)) {
      const ContactShape first = *make_contact_shape(model.geometry[i].shape, Eigen::Vector3d::Zero());
      const ContactShape second = *make_contact_shape(model.geometry[j].shape, Eigen::Vector3d::Zero());
      if (model.geometry[i].body == model.geometry[j].body) continue;
      const std::pair pair = std::minmax({first.word(), second.word()});
      const ContactGroup two({{first, 1, 0, ""}, {second, 2, 1, ""}}, {{spec.law, true, ""}}, {-1, 0, 0, -1}, 2, 0);
      if (two.n_places(0, 1) == 0 && std::find(refused.begin(), refused.end(), pair) == refused.end()) {
        refused.push_back(pair);
        checks.report("contact", spec, "between",
                      fmt::format("no contact is offered between {} and {} by this law: {}", pair.first, pair.second,
                                  find_reason(first, second, spec.law.normal)));
      }
      if (!sharp && spec.law.normal.modulus > 0.0 &&
          !(1.0 / first.curvature_radius() + 1.0 / second.curvature_radius() <= 1e300)) {
        sharp = true;
        checks.report("contact", spec, "modulus",
                      "'modulus' needs rounded surfaces; a sharp edge has no radius: give its shape a 'rounding', or "
                      "the contact a 'stiffness'");
      }
    }
}

// The deepest overlap as drawn; a penalty force would throw the bodies apart.
void check_overlap(ModelChecks& checks) {
  const Model& model = checks.model;
  std::vector<Frame<double>> frames(model.bodies.size() + 1);
  frames[0].R.setIdentity();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodySpec& body = model.bodies[i];
    frames[i + 1].R = body.orientation;
    frames[i + 1].p = body.position;
  }
  for (Frame<double>& f : frames) f.v.setZero(), f.w.setZero();
  frames[0].p.setZero();
  const std::unique_ptr<ContactGroup> group = make_contact_group(model, [&](const std::string& name) {
    const BodySpec* body = checks.find_body(name);
    return ContactFrame{body == nullptr ? 0 : static_cast<int>(body - model.bodies.data()) + 1, {0.0, 0.0, 0.0}};
  });
  if (static_cast<int>(group->geometry().size()) > ContactGroup::max_geometry) {
    checks.report("contact", model.contacts.front(), "between",
                  fmt::format("contacts name {} pieces of geometry; {} are allowed", group->geometry().size(),
                              ContactGroup::max_geometry));
    return;
  }
  constexpr std::size_t most_pairs = 2000;  // each is recorded in every frame
  if (const std::size_t n = group->recorded_pairs().size(); n > most_pairs) {
    const ContactSpec& spec = model.contacts[static_cast<std::size_t>(group->recorded_pairs().front().law)];
    checks.report("contact", spec, "by_pair",
                  fmt::format("'by_pair' would record {} pairs; {} are allowed", n, most_pairs));
  }
  KinematicState state;
  state.frames = frames;
  const std::vector<int> nothing_listed(static_cast<std::size_t>(std::max(2, group->n_modes())), 0);
  const ContactGroup::Missed missed = group->find_missed(state, nothing_listed);
  if (!(missed.depth > 0.0)) return;
  constexpr double deep = 0.1;  // of the smaller shape: laws of elastic surfaces end well before
  const ContactGroup::Geometry &a = group->geometry()[missed.a], &b = group->geometry()[missed.b];
  const double limit = deep * std::min(a.shape.size(), b.shape.size());
  if (missed.depth <= limit) return;
  const ContactSpec& spec = model.contacts[static_cast<std::size_t>(group->law_between(missed.a, missed.b))];
  checks.report(
      "contact", spec, "between",
      fmt::format("'{}' and '{}' overlap by {:.3g} m as drawn, allowed {:.3g} m (a tenth of the smaller one): "
                  "move a body, or turn a plane's normal",
                  a.name, b.name, missed.depth, limit));
}

}  // namespace

void check_contacts(ModelChecks& checks) {
  const std::size_t before = checks.issues.size();
  for (const ContactSpec& spec : checks.model.contacts) {
    check_law(checks, spec);
    check_sides(checks, spec);
  }
  if (checks.issues.size() == before && !checks.model.contacts.empty()) check_overlap(checks);
}

}  // namespace trammel::detail
