// SPDX-License-Identifier: Apache-2.0
#include "kind_fields.h"

#include <fmt/format.h>

#include "mesh_file.h"
#include "trammel/io/source_file.h"

namespace trammel::detail {

namespace {

// World components follow the part when it is turned: f = R f', each row a formula.
void turn_components(const Part& part, std::array<Formula, 3>& components) {
  if (part.rotation == Eigen::Matrix3d::Identity()) return;
  const std::array<Formula, 3> drawn = components;
  for (int i = 0; i < 3; ++i) {
    std::string text;
    for (int j = 0; j < 3; ++j)
      text += fmt::format("{}({}) * ({})", j > 0 ? " + " : "", part.rotation(i, j),
                          drawn[static_cast<std::size_t>(j)].text);
    components[static_cast<std::size_t>(i)].text = text;
  }
}

}  // namespace

// ---- frames -----------------------------------------------------------------------------------------------------

const DrawnFrame* ModelKindFields::end(bool second) {
  if (!has_ends_) {
    has_ends_ = true;
    const Node* bodies = fields_.table().find("bodies");
    const auto find = [&](const Node* node) -> std::optional<DrawnFrame> {
      const Part& part = fields_.part();
      if (node == nullptr || node->kind != NodeKind::string || part.frames == nullptr) return std::nullopt;
      return part.frames->find(part, fields_.text_of(*node, "bodies"));
    };
    if (bodies != nullptr && bodies->kind == NodeKind::array && !bodies->items.empty()) {
      if (bodies->items.size() == 2) ends_[0] = find(&bodies->items[0]);
      ends_[1] = find(&bodies->items.back());
    } else if (bodies == nullptr) {
      ends_[0] = find(fields_.table().find("body_a"));
      ends_[1] = find(fields_.table().find(is_given("body_b") ? "body_b" : "body"));
    }
  }
  const std::optional<DrawnFrame>& frame = ends_[second ? 1 : 0];
  return frame ? &*frame : nullptr;
}

// Which frame says what `key` would say. Two frames have two points; one frame is where both bodies are held.
const DrawnFrame* ModelKindFields::stands_for(std::string_view key) {
  if (!fields_.knows(key) || is_given(key)) return nullptr;
  const DrawnFrame *a = end(false), *b = end(true);
  const DrawnFrame* any = a != nullptr ? a : b;
  if (any == nullptr) return nullptr;
  const bool pair = fields_.knows("point_a"), single = fields_.knows("point");
  if (pair && (key == "point" || key == "point_a" || key == "point_b")) {
    if (is_given("point")) return nullptr;
    const bool both = a != nullptr && b != nullptr;
    const bool given = is_given("point_a") || is_given("point_b");
    if (key == "point") return both || given ? nullptr : any;
    return both || given || !single ? (key == "point_a" ? a : b) : nullptr;
  }
  if (key == "point") return is_given("point_b") && b == any ? nullptr : any;
  if (key == "point_b" && a != nullptr && b != nullptr)
    return fields_.requires_key(key) || a->position != b->position || is_given("point") ? b : nullptr;
  if ((key == "axis" && !holds_planar_body()) || (key == "axis_x" && !is_given("axis"))) return any;
  return key == "axis_b" && fields_.requires_key(key) ? b : nullptr;
}

// Whose hinges turn about the normal, whatever frames say.
bool ModelKindFields::holds_planar_body() const {
  const auto is_planar = [&](const Node* node) {
    if (node == nullptr || node->kind != NodeKind::string) return false;
    const BodySpec* body = find_body(find_body_name(fields_, *node, "bodies"));
    return body != nullptr && body->kind == BodyKind::planar;
  };
  const Node* bodies = fields_.table().find("bodies");
  if (bodies != nullptr)
    return std::any_of(bodies->items.begin(), bodies->items.end(), [&](const Node& item) { return is_planar(&item); });
  return is_planar(fields_.table().find("body_a")) || is_planar(fields_.table().find("body_b"));
}

std::optional<DrawnFrame> ModelKindFields::frame_at(std::string_view key) {
  const Node* node = fields_.table().find(key);
  const Part& part = fields_.part();
  if (node == nullptr || node->kind != NodeKind::string || part.frames == nullptr) return std::nullopt;
  return part.frames->find(part, fields_.text_of(*node, key));
}

std::optional<PointSpec> ModelKindFields::point(std::string_view key) {
  const DrawnFrame* frame = stands_for(key);
  if (frame == nullptr) return read_point(fields_, key);
  fields_.ignore(key);
  const Part& part = fields_.part();
  return PointSpec{"", part.position + part.rotation * part.point_from_world(frame->position)};
}

std::optional<AxisSpec> ModelKindFields::axis(std::string_view key) {
  const DrawnFrame* frame = stands_for(key);
  if (frame == nullptr) return read_axis(fields_, key);
  fields_.ignore(key);
  const Part& part = fields_.part();
  return AxisSpec{"", part.rotation * part.direction_from_world(frame->axes.col(key == "axis_x" ? 0 : 2))};
}

void ModelKindFields::bodies(std::string& body_a, std::string& body_b, bool required) {
  const bool said = is_given("bodies") || is_given("body_a") || is_given("body_b");
  const auto a = frame_at("point_a"), b = frame_at("point_b");
  if (!said && b) {  // points on bodies: it need not be said which
    for (const char* key : {"bodies", "body_a", "body_b"}) fields_.ignore(key);
    body_a = a ? a->body : body_a;
    body_b = b->body;
    return;
  }
  if (!said && a) body_a = a->body;
  read_bodies(fields_, body_a, body_b, required);
}

std::string ModelKindFields::name(std::string_view key, const std::string& fallback) {
  const Node* node = fields_.get(key);
  if (node == nullptr && key == "body")  // of a point that is a frame
    if (const auto frame = frame_at("point"); frame && fallback.empty()) return frame->body;
  return node == nullptr ? fallback : find_body_name(fields_, *node, key);
}

// ---- values -----------------------------------------------------------------------------------------------------

std::string ModelKindFields::word(std::string_view key, const std::string& fallback) {
  Choices<std::string> choices;
  for (const Word& word : fields_.words_of(key)) choices.push_back({word.name, word.name});
  return fields_.choice(key, choices, fallback);
}

std::vector<std::string> ModelKindFields::names(std::string_view key, std::size_t n, const std::string& wanted) {
  const Node* node = fields_.get(key);
  if (node == nullptr) return {};
  if (node->kind != NodeKind::array || node->items.size() != n) {
    fields_.report_type(*node, key, wanted);
    return {};
  }
  std::vector<std::string> list;
  for (const Node& item : node->items) list.push_back(fields_.name_of(item, key));
  return list;
}

std::string ModelKindFields::file(std::string_view key) {
  const Node* node = fields_.get(key);
  if (node == nullptr) return "";
  const std::string named = fields_.text_of(*node, key);
  if (named.empty()) return "";
  const std::filesystem::path path = std::filesystem::absolute(fields_.part().folder / named);
  std::string bytes;
  const std::string trouble = read_source(path, bytes, SourceUse::code);
  if (trouble.empty()) return path.string();
  fields_.report(*node, fmt::format("'{}' cannot be read: {}", path.string(), trouble));
  return "";
}

std::map<std::string, double> ModelKindFields::named_numbers(std::string_view key) {
  std::map<std::string, double> numbers;
  const Node* node = fields_.get(key);
  if (node == nullptr) return numbers;
  if (node->kind != NodeKind::table) fields_.report_type(*node, key, "a table of numbers, { name = number, … }");
  for (const Entry& entry : node->entries) numbers[entry.key] = fields_.number_of(entry.value, entry.key, 0.0);
  return numbers;
}

std::array<Formula, 3> ModelKindFields::components(std::string_view key, bool in_body_axes) {
  std::array<Formula, 3> list{Formula{zero_formula, ""}, {zero_formula, ""}, {zero_formula, ""}};
  const Node* node = fields_.get(key);
  if (node == nullptr) return list;
  if (node->kind != NodeKind::array || node->items.size() != 3) {
    fields_.report(*node, fmt::format("'{}' must be a list of three, [x, y, z], each a number or a formula in "
                                      "quotes, not {}",
                                      key, describe(*node)));
    return list;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const Node& item = node->items[i];
    list[i] = fields_.formula_of(item, key);
    if (fields_.part().parent != nullptr && !has_good_syntax(fields_, item, key, list[i].text))
      list[i].text = zero_formula;
  }
  if (!in_body_axes) turn_components(fields_.part(), list);
  return list;
}

// n numbers are the diagonal, n rows the whole matrix.
Eigen::MatrixXd ModelKindFields::square(std::string_view key, int n) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  const Node* node = fields_.get(key);
  if (node == nullptr) return matrix;
  const bool rows = node->kind == NodeKind::array && !node->items.empty() && node->items[0].kind == NodeKind::array;
  if (rows) return fields_.matrix_of(*node, key, n).value_or(matrix);
  const std::vector<double> diagonal = fields_.list_of(*node, key);
  if (node->kind != NodeKind::array) return matrix;
  if (static_cast<int>(diagonal.size()) != n) {
    fields_.report(
        *node, fmt::format("'{}' has {} numbers; it must be the {} of the diagonal, or the {} rows of the matrix", key,
                           diagonal.size(), n, n));
    return matrix;
  }
  for (int i = 0; i < n; ++i) matrix(i, i) = diagonal[static_cast<std::size_t>(i)];
  return matrix;
}

Eigen::Vector3d ModelKindFields::sizes(std::string_view key, std::string_view each) {
  const Eigen::Vector3d ones = Eigen::Vector3d::Ones();
  const Node* node = fields_.get(key);
  if (node == nullptr) return ones;
  const Eigen::Vector3d found = fields_.vector_of(*node, key, ones);
  if (found.minCoeff() > 0.0) return found;
  fields_.report(*node, fmt::format("'{}' is {} but every {} must be > 0", key, describe(*node), each));
  return ones;
}

std::vector<Eigen::Vector2d> ModelKindFields::corners(std::string_view key) {
  std::vector<Eigen::Vector2d> list;
  const Node* node = fields_.get(key);
  if (node == nullptr) return list;
  if (node->kind != NodeKind::array) {
    fields_.report_type(*node, key, "a list of corners [x, y]");
    return list;
  }
  for (const Node& item : node->items) {
    const std::vector<double> corner = fields_.list_of(item, key);
    if (corner.size() == 2)
      list.emplace_back(corner[0], corner[1]);
    else
      fields_.report(item,
                     fmt::format("a corner of '{}' is a list of {} numbers; it must be [x, y]", key, corner.size()));
  }
  if (node->items.size() < 3)
    fields_.report(*node, fmt::format("'{}' has {} corners; it needs at least 3", key, node->items.size()));
  return list;
}

std::vector<std::vector<double>> ModelKindFields::rows(std::string_view key, std::size_t n, std::size_t least,
                                                       std::string_view each) {
  std::vector<std::vector<double>> list;
  const Node* node = fields_.get(key);
  if (node == nullptr) return list;
  if (node->kind != NodeKind::array) {
    fields_.report_type(*node, key, fmt::format("a list of {}", each));
    return list;
  }
  for (const Node& item : node->items) {
    std::vector<double> row = fields_.list_of(item, key);
    if (n == 0) n = row.size();
    if (row.size() == n)
      list.push_back(std::move(row));
    else
      fields_.report(item,
                     fmt::format("in '{}' one of the {} has {} numbers; it must have {}", key, each, row.size(), n));
  }
  if (node->items.size() < least)
    fields_.report(*node, fmt::format("'{}' has {} {}; it needs at least {}", key, node->items.size(), each, least));
  return list;
}

void ModelKindFields::mesh(std::string_view key, Shape& shape) {
  const Node* node = fields_.get(key);
  if (node == nullptr) return;
  try {
    shape = read_mesh(fields_.part().folder / fields_.text_of(*node, key));
  } catch (const IoError& error) {
    fields_.report(*node, error.what());
  }
}

Formula ModelKindFields::whole_formula(std::string_view key) {
  const Node* node = fields_.get(key);
  if (node == nullptr) return {zero_formula, ""};
  Formula formula = fields_.formula_of(*node, key);
  if (!has_good_syntax(fields_, *node, key, formula.text)) formula.text = zero_formula;
  return formula;
}

std::vector<std::string> ModelKindFields::texts(std::string_view key, const std::string& wanted) {
  const Node* node = fields_.get(key);
  if (node == nullptr) return {};
  if (node->kind != NodeKind::array || node->items.empty()) {
    fields_.report_type(*node, key, wanted);
    return {};
  }
  std::vector<std::string> list;
  for (const Node& item : node->items) list.push_back(fields_.text_of(item, key));
  return list;
}

bool ModelKindFields::fits(std::string_view key, std::size_t n, const std::string& others) {
  const Node* node = fields_.get(key);
  if (node == nullptr) return false;
  if (node->kind == NodeKind::array && node->items.size() == n) return true;
  const std::string found = node->kind == NodeKind::array ? fmt::format("of {}", node->items.size()) : describe(*node);
  fields_.report(*node,
                 fmt::format("'{}' must be a list of {}, one for each of the '{}', not {}", key, n, others, found));
  return false;
}

Formula ModelKindFields::formula_item(std::string_view key, std::size_t i) {
  return fields_.formula_of(fields_.get(key)->items[i], key);
}

double ModelKindFields::number_item(std::string_view key, std::size_t i) {
  return fields_.number_of(fields_.get(key)->items[i], key, 0.0);
}

bool ModelKindFields::boolean_item(std::string_view key, std::size_t i, const std::string& wanted) {
  const Node& item = fields_.get(key)->items[i];
  if (item.kind != NodeKind::boolean) fields_.report_type(item, key, wanted);
  return item.boolean;
}

std::string ModelKindFields::one_of(const std::vector<std::string>& keys) {
  std::string which;
  fields_.one_of(keys, &which);
  return which.empty() && stands_for(keys[0]) != nullptr ? keys[0] : which;
}

void ModelKindFields::said_at(const std::string& field, std::string_view key, int item) {
  const Node* node = fields_.get(key);
  if (node == nullptr) return;
  const Node& place = item < 0 ? *node : node->items[static_cast<std::size_t>(item)];
  source_.fields[field] = fields_.findings().where(place.place);
}

void ModelKindFields::report_at(std::string_view key, const std::string& message) {
  if (const Node* node = fields_.get(key)) fields_.report(*node, message);
}

const BodySpec* ModelKindFields::find_body(const std::string& body) const {
  const auto it = model_.body_index.find(body);
  return it == model_.body_index.end() ? nullptr : &model_.bodies[it->second];
}

}  // namespace trammel::detail
