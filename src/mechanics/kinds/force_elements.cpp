// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_elements.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel {

ForceElements::ForceElements(detail::Assembler& assembler, const ForceSpec& force, int index, Assembly::Force& alone)
    : assembler_(assembler),
      force_(force),
      index_(index),
      alone_(alone),
      a_(assembler.frame_of(force.body_a)),
      b_(assembler.frame_of(force.body_b)) {}

int ForceElements::add_state(const char* what) {
  const int z = assembler_.out_.system->add_state(fmt::format("{} of force '{}'", what, force_.name), false);
  alone_.states.push_back(z);
  return z;
}

std::shared_ptr<const RoadSurface> ForceElements::road(const std::string& name) const {
  return name.empty() ? nullptr : assembler_.roads_.at(name);
}

void ForceElements::add_formulas(FormulaGroup::Element element, std::span<const Formula> formulas) {
  FormulaScope scope;
  scope.force = index_;
  for (const Formula& formula : formulas)
    element.programs.push_back(assembler_.compile_acting(formula.given() ? formula : Formula{"0", ""}, scope));
  auto single = std::make_unique<FormulaGroup>(*assembler_.out_.formulas);
  single->add(element);
  alone_.group = std::move(single);
  assembler_.group<FormulaGroup>().add(std::move(element));
}

void ForceElements::add_own(const std::function<std::unique_ptr<const CustomForce>()>& make) {
  auto single = std::make_unique<CustomForceGroup>();
  single->add(make());
  alone_.group = std::move(single);
  assembler_.group<CustomForceGroup>([this] { return force_.kind->directors(force_); }).add(make());
}

void ForceElements::show_on(int frame, const Eigen::Vector3d& s, std::initializer_list<int> others) {
  alone_.frame_b = frame;
  alone_.s_b = s;
  std::copy(others.begin(), others.end(), alone_.others);
}

void ForceElements::show_between(int frame_a, int frame_b, std::initializer_list<int> others) {
  alone_.frame_a = frame_a, alone_.frame_b = frame_b;
  alone_.s_a = alone_.s_b = Eigen::Vector3d::Zero();
  std::copy(others.begin(), others.end(), alone_.others);
}

}  // namespace trammel
