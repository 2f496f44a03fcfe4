// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/picture.h"

#include "trammel/base/json.h"

namespace trammel {

namespace {

const char* word(Picture::Shape shape) {
  using enum Picture::Shape;
  switch (shape) {
    case cylinder:
      return "cylinder";
    case sphere:
      return "sphere";
    case box:
      return "box";
    case torus:
      return "torus";
    case coil:
      return "coil";
    case ring:
      return "ring";
  }
  return "";
}
const char* word(Picture::Place place) {
  using enum Picture::Place;
  switch (place) {
    case point:
      return "point";
    case between:
      return "between";
    case ends:
      return "ends";
    case rail:
      return "rail";
    case solid:
      return "solid";
  }
  return "";
}
const char* word(Picture::Along along) {
  using enum Picture::Along;
  switch (along) {
    case axis_a:
      return "axis_a";
    case axis_b:
      return "axis_b";
    case normal:
      return "normal";
    case z:
      return "z";
  }
  return "";
}
const char* word(Picture::Unit unit) {
  using enum Picture::Unit;
  switch (unit) {
    case sign:
      return "sign";
    case machine:
      return "machine";
    case radius:
      return "radius";
  }
  return "";
}

void put_part(JsonWriter& json, const Picture::Part& part) {
  json.begin_object().key("shape").text(word(part.shape)).key("size").numbers(part.size);
  json.key("place").text(word(part.place)).key("along").text(word(part.along)).key("unit").text(word(part.unit));
  json.key("color").text(part.color).key("always").boolean(part.always).key("least").number(part.least);
  json.key("slimmest").number(part.slimmest).key("turn").number(part.turn).key("tint").number(part.tint);
  json.end_object();
}

}  // namespace

void put_picture(JsonWriter& json, std::string_view kind, const Picture& picture) {
  json.key(kind).begin_object().key("parts").begin_array();
  for (const Picture::Part& part : picture.parts) put_part(json, part);
  json.end_array();
  json.key("reaches_a").boolean(picture.reaches_a).key("reaches_b").boolean(picture.reaches_b);
  json.key("spans_a").boolean(picture.spans_a).key("foot").boolean(picture.foot);
  json.key("on_floor").boolean(picture.on_floor);
  json.key("force").boolean(picture.force).key("moment").boolean(picture.moment).end_object();
}

}  // namespace trammel
