// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/memory.h"

#include "trammel/base/error.h"

namespace trammel {

namespace {

[[noreturn]] void refuse_memory(const std::string& why) {
  throw Error("the memory of another run does not fit this one: " + why);
}

}  // namespace

void Memory::section(std::string_view name) {
  std::string found(name);
  pass(found);
  if (found != name) refuse_memory("where '" + std::string(name) + "' is expected it has '" + found + "'");
}

void Memory::finish() const {
  if (!given_.empty()) refuse_memory(std::to_string(given_.size()) + " bytes of it are left over");
}

void Memory::pass_size(std::size_t& size, std::size_t bytes_each) {
  pass_bytes(&size, sizeof(size));
  if (gives_ && bytes_each > 0 && size > given_.size() / bytes_each) refuse_memory("it ends too soon");
}

void Memory::pass_bytes(void* bytes, std::size_t n) {
  if (n == 0) return;
  if (!gives_) {
    const auto* from = static_cast<const std::byte*>(bytes);
    taken_.insert(taken_.end(), from, from + n);
    return;
  }
  if (n > given_.size()) refuse_memory("it ends too soon");
  std::memcpy(bytes, given_.data(), n);
  given_ = given_.subspan(n);
}

}  // namespace trammel
