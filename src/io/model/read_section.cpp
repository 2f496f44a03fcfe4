// SPDX-License-Identifier: Apache-2.0
#include "read_section.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

enum class SectionKind { rectangle, circle, tube, given };
const Choices<SectionKind> section_kinds{
    {"rectangle", SectionKind::rectangle, "shear factor 5/6, torsion by the exact series"},
    {"circle", SectionKind::circle, "shear factor of Cowper"},
    {"tube", SectionKind::tube, "shear factor of Cowper"},
    {"given", SectionKind::given, "by its stiffnesses"}};

BeamMaterial read_material(Fields& outer) {
  BeamMaterial material{1.0, 0.3, 1.0};
  const Node* node = outer.require("material");
  std::optional<Fields> fields = node == nullptr ? std::nullopt : outer.inner(*node, "material");
  if (!fields) return material;
  material.young = fields->number("young", 1.0);
  material.density = fields->number("density", 1.0);
  std::string which;
  if (const Node* shear = fields->one_of({"poisson", "shear"}, &which)) {
    const double value = fields->number_of(*shear, which, 0.3);
    material.poisson = which == "poisson" ? value : material.young / (2.0 * value) - 1.0;
    if (!(material.poisson > -1.0 && material.poisson <= 0.5)) {
      fields->report(*shear, fmt::format("'{}' = {} means Poisson's ratio {:.4g}, but it must be > -1 and ≤ 0.5", which,
                                         value, material.poisson));
      material.poisson = 0.3;
    }
  }
  fields->finish();
  return material;
}

// Six numbers on the diagonal, or a whole matrix.
Eigen::Matrix<double, 6, 6> read_stiffness(const Fields& fields, const Node& node) {
  Eigen::Matrix<double, 6, 6> K = Eigen::Matrix<double, 6, 6>::Identity();
  if (node.kind == NodeKind::array && !node.items.empty() && node.items[0].kind != NodeKind::array) {
    const std::vector<double> diagonal = fields.list_of(node, "stiffness");
    if (diagonal.size() == 6)
      K.diagonal() = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(diagonal.data());
    else
      fields.report(node, fmt::format("'stiffness' has {} numbers; it must be [EA, GA2, GA3, GJ, EI2, EI3] or a 6 x 6 "
                                      "matrix",
                                      diagonal.size()));
    return K;
  }
  if (const auto matrix = fields.matrix_of(node, "stiffness", 6)) K = *matrix;
  return K;
}

BeamSection read_given(Fields& fields) {
  BeamSection section;
  section.stiffness.setIdentity(), section.inertia.setIdentity();
  if (const Node* node = fields.get("stiffness")) section.stiffness = read_stiffness(fields, *node);
  section.mass = fields.number("mass", 1.0);
  if (const Node* node = fields.get("inertia")) {
    if (node->kind == NodeKind::array && !node->items.empty() && node->items[0].kind == NodeKind::array) {
      if (const auto matrix = fields.matrix_of(*node, "inertia", 3)) section.inertia = *matrix;
    } else {
      section.inertia = fields.vector_of(*node, "inertia", Eigen::Vector3d::Ones()).asDiagonal();
    }
  }
  section.center_of_mass = fields.vector("center_of_mass", Eigen::Vector3d::Zero());
  section.width = fields.number("width", 0.0), section.height = fields.number("height", 0.0);
  section.radius = fields.number("radius", 0.0);
  return section;
}

}  // namespace

BeamSection read_section(Fields& outer) {
  BeamSection fallback;
  fallback.stiffness.setIdentity(), fallback.inertia.setIdentity(), fallback.mass = 1.0;
  const Node* node = outer.get("section");
  std::optional<Fields> fields = node == nullptr ? std::nullopt : outer.inner(*node, "section");
  SectionKind kind = SectionKind::given;
  if (!fields || !fields->kind(section_kinds, kind)) {
    outer.ignore("material");
    return fallback;
  }
  if (kind == SectionKind::given) outer.refuse("material", "beside a section of given stiffnesses");
  const BeamMaterial material = kind == SectionKind::given ? BeamMaterial{} : read_material(outer);
  BeamSection section;
  switch (kind) {
    case SectionKind::rectangle: {
      const double width = fields->number("width", 1.0);
      section = rectangle_section(width, fields->number("height", 1.0), material);
      break;
    }
    case SectionKind::circle:
      section = circle_section(fields->number("radius", 1.0), material);
      break;
    case SectionKind::tube: {
      const double outer_radius = fields->number("radius", 1.0);
      double inner_radius = fields->number("inner_radius", 0.5 * outer_radius);
      if (inner_radius >= outer_radius) {
        fields->report(
            *fields->get("inner_radius"),
            fmt::format("'inner_radius' is {} but must be less than 'radius' = {}", inner_radius, outer_radius));
        inner_radius = 0.5 * outer_radius;
      }
      section = tube_section(outer_radius, inner_radius, material);
      break;
    }
    case SectionKind::given:
      section = read_given(*fields);
      break;
  }
  if (kind != SectionKind::given) {
    if (fields->has("shear_factor")) {
      const double k = fields->number("shear_factor", 1.0),
                   GA = section.stiffness(0, 0) / material.young * material.young / (2.0 * (1.0 + material.poisson));
      section.stiffness(1, 1) = section.stiffness(2, 2) = k * GA;
    }
    if (fields->has("torsion_constant"))
      section.stiffness(3, 3) =
          fields->number("torsion_constant", 1.0) * material.young / (2.0 * (1.0 + material.poisson));
  }
  fields->finish();
  return section;
}

std::vector<Key> section_keys() {
  const KindNames computed{"rectangle", "circle", "tube"}, given{"given"};
  return {{.name = "kind", .type = KeyType::word, .required = true, .words = words(section_kinds)},
          {.name = "width",
           .unit = "m",
           .required = true,
           .meaning = "the measure along e₂",
           .range = Range::above(0.0),
           .kinds = {"rectangle"}},
          {.name = "width",
           .unit = "m",
           .fallback = "0",
           .meaning = "what is drawn, along e₂",
           .range = Range::from(0.0),
           .kinds = given},
          {.name = "height",
           .unit = "m",
           .required = true,
           .meaning = "the measure along e₃",
           .range = Range::above(0.0),
           .kinds = {"rectangle"}},
          {.name = "height",
           .unit = "m",
           .fallback = "0",
           .meaning = "what is drawn, along e₃",
           .range = Range::from(0.0),
           .kinds = given},
          {.name = "radius",
           .unit = "m",
           .required = true,
           .meaning = "the outer radius",
           .range = Range::above(0.0),
           .kinds = {"circle", "tube"}},
          {.name = "radius",
           .unit = "m",
           .fallback = "0",
           .meaning = "of the circle that is drawn",
           .range = Range::from(0.0),
           .kinds = given},
          {.name = "inner_radius",
           .unit = "m",
           .required = true,
           .meaning = "less than `radius`",
           .range = Range::above(0.0),
           .kinds = {"tube"}},
          {.name = "shear_factor",
           .meaning = "in place of the computed one",
           .range = Range::above(0.0),
           .kinds = computed},
          {.name = "torsion_constant",
           .unit = "m⁴",
           .meaning = "in place of the computed one",
           .range = Range::above(0.0),
           .kinds = computed},
          {.name = "stiffness",
           .type = KeyType::matrix,
           .unit = "N, N m²",
           .required = true,
           .meaning = "`[EA, GA2, GA3, GJ, EI2, EI3]` or a 6 × 6 matrix",
           .kinds = given},
          {.name = "mass",
           .unit = "kg/m",
           .required = true,
           .meaning = "the mass per length",
           .range = Range::above(0.0),
           .kinds = given},
          {.name = "inertia",
           .type = KeyType::matrix,
           .unit = "kg m",
           .required = true,
           .meaning = "moments about e₁, e₂, e₃ per length, or a 3 × 3 matrix",
           .kinds = given},
          {.name = "center_of_mass",
           .type = KeyType::vector,
           .unit = "m",
           .fallback = "[0, 0, 0]",
           .meaning = "`[0, y, z]` in the section",
           .kinds = given}};
}

std::vector<Key> material_keys() {
  return {
      {.name = "young", .unit = "Pa", .required = true, .meaning = "Young's modulus", .range = Range::above(0.0)},
      {.name = "poisson",
       .fallback = "0.3",
       .meaning = "Poisson's ratio",
       .range = {.low = -1.0, .high = 0.5, .high_open = false}},
      {.name = "shear", .unit = "Pa", .meaning = "instead of `poisson`: the shear modulus", .range = Range::above(0.0)},
      {.name = "density", .unit = "kg/m³", .required = true, .meaning = "the density", .range = Range::above(0.0)}};
}

}  // namespace trammel::detail
