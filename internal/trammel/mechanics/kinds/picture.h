// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace trammel {

class JsonWriter;

/// What the report shows of a joint or a force, as data: the page knows shapes and places, and no kinds.
struct Picture {
  enum class Shape {
    cylinder,  ///< radius 1 about z, length 1
    sphere,    ///< radius 1
    box,       ///< edges of 1
    torus,     ///< radius 1 about z
    coil,      ///< a helix along z
    ring,      ///< the rim of a wheel about z, radius 1
  };
  enum class Place {
    point,    ///< on the second body's point, z along `along`
    between,  ///< from the first body's point to the second's
    ends,     ///< on both points
    rail,     ///< along the first body's axis, as far as the second body's point goes
    solid,    ///< a part of the second body, moving with it, at its point
  };
  enum class Along { axis_a, axis_b, normal, z };  ///< normal: of a planar second body, else axis_a; z: of the body
  enum class Unit {
    sign,     ///< the size of the joint's sign, which fits its bodies
    machine,  ///< the size of the whole machine
    radius,   ///< the joint's `radius`
  };
  struct Part {
    Shape shape = Shape::cylinder;
    std::array<double, 3> size = {1.0, 1.0, 1.0};
    Place place = Place::point;
    Along along = Along::axis_a;
    Unit unit = Unit::sign;
    std::string_view color = "#d5dae1";
    bool always = false;    ///< a part of the machine, shown also when the joints' signs are not
    double least = 0.0;     ///< of the machine's size: the unit is at least this
    double slimmest = 0.0;  ///< between: of the length, the radius is at most this; 0: any
    double turn = 0.0;      ///< solid: about z [rad]
    int tint = 0;           ///< solid: −1 darker, 1 lighter than its body
  };

  std::vector<Part> parts = {};
  bool reaches_a = true, reaches_b = true;  ///< bodies without a shape are drawn up to these points
  bool spans_a = true;                      ///< its point on the ground belongs to what the camera shows
  bool foot = false;                        ///< where the ground holds it, a foot is drawn
  bool on_floor = false;                    ///< its point on the ground lies on the floor
  bool force = true, moment = false;        ///< forces: which of the two its table of numbers shows
};

/// {"revolute": {…}, …}: an entry of an object for one kind.
void put_picture(JsonWriter& json, std::string_view kind, const Picture& picture);

}  // namespace trammel
