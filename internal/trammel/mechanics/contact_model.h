// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/mechanics/model.h"

namespace trammel {

/// The geometry that a contact means by a name: the [[geometry]] of that name, else all of that group, else all of that
/// body. Indices into model.geometry; empty: nothing has this name.
std::vector<int> find_contact_geometry(const Model& model, const std::string& name);

/// Where equilibria are sought, friction that is regularised in velocities would hold nothing: what holds takes its
/// place.
void hold_friction(Model& model);

/// What contacts see of a shape whose body has its frame at `origin` (body axes); nothing: this kind is only drawn.
std::optional<ContactShape> make_contact_shape(const Shape& shape, const Eigen::Vector3d& origin);

/// The frame of a body, and that frame's origin in the body's axes.
struct ContactFrame {
  int frame = 0;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};
using FindContactFrame = std::function<ContactFrame(const std::string& body)>;

/// All contacts of the model as one group of elements; the model must have no issues. Null if it has no contacts.
std::unique_ptr<ContactGroup> make_contact_group(const Model& model, const FindContactFrame& find_frame);

}  // namespace trammel
