#include "kind_fields.h"

namespace trammel::detail {

const BodySpec* ModelKindFields::find_body(const std::string& body) const {
  const auto it = model_.body_index.find(body);
  return it == model_.body_index.end() ? nullptr : &model_.bodies[it->second];
}

}  // namespace trammel::detail
