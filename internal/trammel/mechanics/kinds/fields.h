#pragma once

#include <optional>
#include <string>
#include <string_view>

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
  virtual Formula formula(std::string_view key) = 0;
  virtual std::optional<PointSpec> point(std::string_view key) = 0;
  virtual std::optional<AxisSpec> axis(std::string_view key) = 0;

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
