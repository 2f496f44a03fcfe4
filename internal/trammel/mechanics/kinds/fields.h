// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/mechanics/model.h"

namespace trammel {

/// The table of a model file as a kind sees it. Every getter asks for a key that the kind describes, reports what is
/// wrong (also that a required key is missing), and then returns the fallback. The reader of model files implements it,
/// so that kinds know nothing of TOML; a key that is described and never asked for is a defect that the reader finds.
class KindFields {
 public:
  virtual ~KindFields() = default;

  virtual bool has(std::string_view key) = 0;          ///< it is there
  virtual bool knows(std::string_view key) const = 0;  ///< this kind has the key
  virtual double number(std::string_view key, double fallback) = 0;
  virtual std::optional<double> optional_number(std::string_view key) = 0;
  virtual bool boolean(std::string_view key, bool fallback) = 0;
  virtual std::string name(std::string_view key, const std::string& fallback) = 0;  ///< of a thing of the model
  virtual std::string word(std::string_view key, const std::string& fallback) = 0;  ///< one of the key's words
  virtual std::string text(std::string_view key, const std::string& fallback) = 0;
  /// A file, named relative to the folder of the model file; read, as all that a model is made of. Empty: it cannot be.
  virtual std::string file(std::string_view key) = 0;
  /// A table of numbers whose names the kind's keys do not know: `{ c = 0.3 }`.
  virtual std::map<std::string, double> named_numbers(std::string_view key) = 0;
  virtual std::vector<std::string> names(std::string_view key, std::size_t n,
                                         const std::string& wanted) = 0;  ///< n or none
  virtual Formula formula(std::string_view key) = 0;
  virtual Formula whole_formula(std::string_view key) = 0;  ///< that may become a part of a larger one
  /// Three formulas; world components (not in_body_axes) turn with their part.
  virtual std::array<Formula, 3> components(std::string_view key, bool in_body_axes) = 0;
  virtual Eigen::MatrixXd square(std::string_view key, int n) = 0;  ///< by its rows or its diagonal
  virtual std::optional<PointSpec> point(std::string_view key) = 0;
  virtual std::optional<AxisSpec> axis(std::string_view key) = 0;
  virtual Eigen::Vector3d sizes(std::string_view key, std::string_view each) = 0;  ///< three, every `each` > 0
  virtual Eigen::Matrix3d axes(std::string_view key) = 0;  ///< whose third is this direction, by default z
  virtual std::vector<Eigen::Vector2d> corners(std::string_view key) = 0;  ///< three at least
  /// Rows of n numbers (0: as many as the first has), `least` at least; `each` says what a row is.
  virtual std::vector<std::vector<double>> rows(std::string_view key, std::size_t n, std::size_t least,
                                                std::string_view each) = 0;
  virtual void mesh(std::string_view key, Shape& shape) = 0;  ///< of the file of this name

  // Lists: one text at least, or none with a message that says what is wanted; then, item by item, those that must have
  // one for each of n `others`.
  virtual std::vector<std::string> texts(std::string_view key, const std::string& wanted) = 0;
  virtual bool fits(std::string_view key, std::size_t n, const std::string& others) = 0;
  virtual Formula formula_item(std::string_view key, std::size_t i) = 0;
  virtual double number_item(std::string_view key, std::size_t i) = 0;
  virtual bool boolean_item(std::string_view key, std::size_t i, const std::string& wanted) = 0;

  /// `bodies`, or `body_a` (default: ground) and `body_b`.
  virtual void bodies(std::string& body_a, std::string& body_b, bool required = true) = 0;
  /// The only one of these keys that is there; several are refused; empty: none.
  virtual std::string one_of(const std::vector<std::string>& keys) = 0;
  /// The model's checks will speak of `field`: it is said at `key`, there at the given item of a list.
  virtual void said_at(const std::string& field, std::string_view key, int item = -1) = 0;

  virtual void report(const std::string& message) = 0;
  virtual void report_at(std::string_view key, const std::string& message) = 0;
  /// A key that is needed because of others, and one that has no effect because of others ("without a 'coordinate'").
  virtual void require(std::string_view key) = 0;
  virtual void refuse(std::string_view key, std::string_view why) = 0;
  /// What it describes could not be understood at all: what others would say about it is left out.
  virtual void give_up() = 0;

  /// A body that the file describes, nullptr: none of that name was read. `may_miss_bodies`: others may be described.
  virtual const BodySpec* find_body(const std::string& body) const = 0;
  virtual bool may_miss_bodies() const = 0;
};

}  // namespace trammel
