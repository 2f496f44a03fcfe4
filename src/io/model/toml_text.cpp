// SPDX-License-Identifier: Apache-2.0
#include "toml_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel::detail {

Node& TableBuilder::add(const std::string& key, NodeKind kind) {
  Node value;
  value.kind = kind;
  value.place = place_;
  return node_.entries.emplace_back(Entry{key, place_, std::move(value)}).value;
}

TableBuilder& TableBuilder::number(const std::string& key, double value) {
  add(key, NodeKind::real).number = value;
  return *this;
}

TableBuilder& TableBuilder::text(const std::string& key, const std::string& value) {
  add(key, NodeKind::string).text = value;
  return *this;
}

TableBuilder& TableBuilder::texts(const std::string& key, const std::vector<std::string>& values) {
  Node& list = add(key, NodeKind::array);
  for (const std::string& value : values) {
    Node& item = list.items.emplace_back();
    item.kind = NodeKind::string, item.place = place_, item.text = value;
  }
  return *this;
}

TableBuilder& TableBuilder::numbers(const std::string& key, std::initializer_list<double> values) {
  Node& list = add(key, NodeKind::array);
  for (const double value : values) {
    Node& item = list.items.emplace_back();
    item.kind = NodeKind::real, item.place = place_, item.number = value;
  }
  return *this;
}

TableBuilder& TableBuilder::pose(const Eigen::Isometry3d& pose) {
  if (!pose.translation().isZero(0.0)) vector("position", pose.translation());
  const Eigen::Matrix3d R = pose.linear();
  if (R == Eigen::Matrix3d::Identity()) return *this;
  Node& rows = add("rotation", NodeKind::array);
  for (int i = 0; i < 3; ++i) {
    Node& row = rows.items.emplace_back();
    row.kind = NodeKind::array, row.place = place_;
    for (int j = 0; j < 3; ++j) {
      Node& item = row.items.emplace_back();
      item.kind = NodeKind::real, item.place = place_, item.number = R(i, j);
    }
  }
  return *this;
}

TableBuilder& TableBuilder::table(const std::string& key, TableBuilder value) {
  add(key, NodeKind::table) = value.take();
  return *this;
}

TableBuilder& TableBuilder::item(const std::string& key, TableBuilder value) {
  auto it =
      std::find_if(node_.entries.begin(), node_.entries.end(), [&](const Entry& entry) { return entry.key == key; });
  if (it == node_.entries.end()) {
    add(key, NodeKind::array);
    it = node_.entries.end() - 1;
  }
  it->value.items.push_back(value.take());
  return *this;
}

namespace {

std::string quoted_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (static_cast<unsigned char>(c) < ' ' || c == 127)
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted + "\"";
}

// The shortest digits that are read as the same number; a real number stays one.
std::string digits(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == text.npos) text += ".0";
  return text;
}

void put_value(const Node& node, std::string& text) {
  switch (node.kind) {
    case NodeKind::boolean:
      text += node.boolean ? "true" : "false";
      break;
    case NodeKind::integer:
      text += fmt::format("{:.0f}", node.number);
      break;
    case NodeKind::real:
      text += digits(node.number);
      break;
    case NodeKind::array:
      text += "[";
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (i > 0) text += ", ";
        put_value(node.items[i], text);
      }
      text += "]";
      break;
    default:
      text += quoted_text(node.text);
  }
}

void put_entries(const Node& table, std::string& text) {
  for (const Entry& entry : table.entries) {
    text += entry.key + " = ";
    put_value(entry.value, text);
    text += "\n";
  }
}

bool is_tables(const Node& node) {
  return node.kind == NodeKind::table ||
         (node.kind == NodeKind::array && !node.items.empty() && node.items[0].kind == NodeKind::table);
}

}  // namespace

std::string toml_text(const Node& root) {
  std::string text;
  for (const Entry& entry : root.entries) {
    if (is_tables(entry.value)) continue;
    text += entry.key + " = ";
    put_value(entry.value, text);
    text += "\n";
  }
  for (const Entry& entry : root.entries) {
    if (entry.value.kind == NodeKind::table) {
      text += "\n[" + entry.key + "]\n";
      put_entries(entry.value, text);
    } else if (is_tables(entry.value)) {
      for (const Node& item : entry.value.items) {
        text += "\n[[" + entry.key + "]]\n";
        put_entries(item, text);
      }
    }
  }
  return text;
}

}  // namespace trammel::detail
