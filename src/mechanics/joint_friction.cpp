// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/model.h"

namespace trammel {

// The friction is written in the language of formulas: reactions have exact derivatives there, by positions and by
// multipliers.
void add_joint_friction(Model& model, const JointFrictionSpec& friction) {
  const FrictionLaw& law = friction.law;
  if (law.kind == FrictionLaw::Kind::none) return;
  bool turns = false;
  for (const JointSpec& joint : model.joints)
    if (joint.name == friction.joint) turns = joint.kind->coordinates.on_pin;
  const std::string joint = fmt::format("'{}'", friction.joint);
  const std::string v = turns ? fmt::format("({:.17g}*{}.angle_rate)", friction.radius, joint)
                              : fmt::format("{}.displacement_rate", joint);
  const std::string where = friction.source.entity;
  const std::string arm = turns ? fmt::format("{:.17g}*", friction.radius) : "";
  ForceSpec force;
  force.name = friction.name;
  force.source = friction.source;
  force.kind = ForceKind::joint_spring;
  force.joint = friction.joint;
  if (law.kind == FrictionLaw::Kind::coulomb) {
    force.law = {
        fmt::format("-{}{}.force*{:.17g}*{}/sqrt({}^2 + {:.17g})", arm, joint, law.mu_k, v, v, law.v_s * law.v_s),
        where};
    model.forces.push_back(std::move(force));
    return;
  }
  const std::string g = law.mu_s == law.mu_k ? fmt::format("{:.17g}", law.mu_k)
                                             : fmt::format("({:.17g} + {:.17g}*exp(-abs({}/{:.17g})^{:.17g}))",
                                                           law.mu_k, law.mu_s - law.mu_k, v, law.v_s, law.gamma);
  ControlSpec bristle;
  bristle.name = friction.name + " bristle";
  bristle.source = friction.source;
  bristle.states = {"z"};
  bristle.rates = {{fmt::format("{} - {:.17g}*abs({})*z/{}", v, law.sigma0, v, g), where}};
  bristle.algebraic = {false};
  bristle.initial = {0.0};
  const std::string z = fmt::format("'{}'.z", bristle.name);
  std::string ratio = fmt::format("{:.17g}*{}", law.sigma0, z);
  if (law.sigma1 != 0.0)
    ratio += fmt::format(" + {:.17g}*({} - {:.17g}*abs({})*{}/{})", law.sigma1, v, law.sigma0, v, z, g);
  if (law.sigma2 != 0.0) ratio += fmt::format(" + {:.17g}*{}", law.sigma2, v);
  force.law = {fmt::format("-{}{}.force*({})", arm, joint, ratio), where};
  model.controls.push_back(std::move(bristle));
  model.forces.push_back(std::move(force));
}

}  // namespace trammel
