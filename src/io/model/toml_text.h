// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <initializer_list>
#include <string>
#include <utility>

#include "tree.h"

namespace trammel::detail {

/// Makes the tree of a model file as parsing a text would.
class TableBuilder {
 public:
  explicit TableBuilder(const Place& place) : place_(place) { node_.place = place; }

  /// Where what follows stands.
  TableBuilder& at(int line) {
    place_.line = line;
    return *this;
  }
  TableBuilder& number(const std::string& key, double value);
  TableBuilder& text(const std::string& key, const std::string& value);
  TableBuilder& texts(const std::string& key, const std::vector<std::string>& values);
  TableBuilder& numbers(const std::string& key, std::initializer_list<double> values);
  TableBuilder& vector(const std::string& key, const Eigen::Vector3d& value) {
    return numbers(key, {value.x(), value.y(), value.z()});
  }
  /// `position` and `rotation`, each if it is not the default.
  TableBuilder& pose(const Eigen::Isometry3d& pose);
  TableBuilder& table(const std::string& key, TableBuilder value);
  /// One more table [[key]].
  TableBuilder& item(const std::string& key, TableBuilder value);

  Node take() { return std::move(node_); }

 private:
  Node& add(const std::string& key, NodeKind kind);

  Place place_;
  Node node_;
};

/// A tree as TOML: reading the text gives the same values, bit by bit.
std::string toml_text(const Node& root);

}  // namespace trammel::detail
