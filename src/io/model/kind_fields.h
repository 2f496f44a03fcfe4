// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entities.h"
#include "frames.h"
#include "trammel/mechanics/kinds/fields.h"

namespace trammel::detail {

/// A table of a model file for the kinds of what it describes. `source` is that of the thing that is read, `name` how
/// others call it (empty: they do not).
class ModelKindFields final : public KindFields {
 public:
  ModelKindFields(Fields& fields, const ModelDraft& model, std::string name, Source& source)
      : fields_(fields), model_(model), name_(std::move(name)), source_(source) {}

  bool has(std::string_view key) override {
    if (stands_for(key) == nullptr) return fields_.knows(key) && fields_.has(key);
    fields_.ignore(key);
    return true;
  }
  bool knows(std::string_view key) const override { return fields_.knows(key); }
  double number(std::string_view key, double fallback) override { return fields_.number(key, fallback); }
  std::optional<double> optional_number(std::string_view key) override { return fields_.optional_number(key); }
  bool boolean(std::string_view key, bool fallback) override { return fields_.boolean(key, fallback); }
  std::string name(std::string_view key, const std::string& fallback) override;
  std::string word(std::string_view key, const std::string& fallback) override;
  std::string text(std::string_view key, const std::string& fallback) override { return fields_.text(key, fallback); }
  std::string file(std::string_view key) override;
  std::map<std::string, double> named_numbers(std::string_view key) override;
  std::vector<std::string> names(std::string_view key, std::size_t n, const std::string& wanted) override;
  std::array<Formula, 3> components(std::string_view key, bool in_body_axes) override;
  Eigen::MatrixXd square(std::string_view key, int n) override;
  Formula formula(std::string_view key) override { return fields_.formula(key); }
  std::optional<PointSpec> point(std::string_view key) override;
  std::optional<AxisSpec> axis(std::string_view key) override;
  Eigen::Vector3d sizes(std::string_view key, std::string_view each) override;
  Eigen::Matrix3d axes(std::string_view key) override { return read_shape_axis(fields_, key); }
  std::vector<Eigen::Vector2d> corners(std::string_view key) override;
  std::vector<std::vector<double>> rows(std::string_view key, std::size_t n, std::size_t least,
                                        std::string_view each) override;
  void mesh(std::string_view key, Shape& shape) override;
  Formula whole_formula(std::string_view key) override;
  std::vector<std::string> texts(std::string_view key, const std::string& wanted) override;
  bool fits(std::string_view key, std::size_t n, const std::string& others) override;
  Formula formula_item(std::string_view key, std::size_t i) override;
  double number_item(std::string_view key, std::size_t i) override;
  bool boolean_item(std::string_view key, std::size_t i, const std::string& wanted) override;
  void bodies(std::string& body_a, std::string& body_b, bool required) override;
  std::string one_of(const std::vector<std::string>& keys) override;
  void said_at(const std::string& field, std::string_view key, int item) override;
  void report(const std::string& message) override { fields_.report(message); }
  void report_at(std::string_view key, const std::string& message) override;
  void require(std::string_view key) override { fields_.require(key); }
  void refuse(std::string_view key, std::string_view why) override { fields_.refuse(key, why); }
  void give_up() override { fields_.findings().add_broken(name_, source_); }
  const BodySpec* find_body(const std::string& body) const override;
  bool may_miss_bodies() const override { return !model_.complete; }

 private:
  bool is_given(std::string_view key) { return fields_.table().find(key) != nullptr; }
  // Frames in place of bodies say where a thing sits, and along which axes.
  const DrawnFrame* end(bool second);
  std::optional<DrawnFrame> frame_at(std::string_view key);
  const DrawnFrame* stands_for(std::string_view key);
  bool holds_planar_body() const;

  Fields& fields_;
  const ModelDraft& model_;
  std::string name_;
  Source& source_;
  bool has_ends_ = false;
  std::optional<DrawnFrame> ends_[2];
};

}  // namespace trammel::detail
