// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Numbers as they travel in a page: bytes of equal weight side by side (they compress to half), deflate, base64.
namespace trammel {

/// Bytes of a little-endian array of numbers of `width` bytes, transposed (all first bytes, all second bytes, …) and
/// compressed as a zlib stream.
std::string pack_bytes(const void* numbers, std::size_t count, std::size_t width);

template <class Number>
std::string pack(std::span<const Number> numbers) {
  return pack_bytes(numbers.data(), numbers.size(), sizeof(Number));
}

/// Differences to the element before, modulo 2¹⁶, in each column of `length` numbers: smooth motion becomes small.
void difference_columns(std::span<std::uint16_t> numbers, std::size_t length);

std::string base64(std::string_view bytes);

}  // namespace trammel
