#pragma once

#include "entities.h"
#include "trammel/mechanics/kinds/fields.h"

namespace trammel::detail {

/// A table of a model file for the kinds of joints and forces. `source` is that of the thing that is read.
class ModelKindFields final : public KindFields {
 public:
  ModelKindFields(Fields& fields, const ModelDraft& model, const std::string& name, Source& source)
      : fields_(fields), model_(model), name_(name), source_(source) {}

  bool has(std::string_view key) override { return fields_.knows(key) && fields_.has(key); }
  bool knows(std::string_view key) const override { return fields_.knows(key); }
  double number(std::string_view key, double fallback) override { return fields_.number(key, fallback); }
  std::optional<double> optional_number(std::string_view key) override { return fields_.optional_number(key); }
  bool boolean(std::string_view key, bool fallback) override { return fields_.boolean(key, fallback); }
  std::string name(std::string_view key, const std::string& fallback) override { return fields_.name(key, fallback); }
  Formula formula(std::string_view key) override { return fields_.formula(key); }
  std::optional<PointSpec> point(std::string_view key) override { return read_point(fields_, key); }
  std::optional<AxisSpec> axis(std::string_view key) override { return read_axis(fields_, key); }
  void require(std::string_view key) override { fields_.require(key); }
  void refuse(std::string_view key, std::string_view why) override { fields_.refuse(key, why); }
  void give_up() override { fields_.findings().add_broken(name_, source_); }
  const BodySpec* find_body(const std::string& body) const override;
  bool may_miss_bodies() const override { return !model_.complete; }

 private:
  Fields& fields_;
  const ModelDraft& model_;
  const std::string& name_;
  Source& source_;
};

}  // namespace trammel::detail
