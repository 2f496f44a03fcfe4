// SPDX-License-Identifier: Apache-2.0
#include "packed_data.h"

#include <zlib.h>

#include <bit>

#include "trammel/base/error.h"

namespace trammel {

static_assert(std::endian::native == std::endian::little, "pages hold little-endian numbers");

std::string pack_bytes(const void* numbers, std::size_t count, std::size_t width) {
  const auto* bytes = static_cast<const unsigned char*>(numbers);
  std::vector<unsigned char> planes(count * width);
  for (std::size_t k = 0; k < width; ++k)
    for (std::size_t i = 0; i < count; ++i) planes[k * count + i] = bytes[i * width + k];
  uLongf size = compressBound(planes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, planes.data(), planes.size(), 6) != Z_OK)
    throw Error("numbers of a report cannot be compressed");
  packed.resize(size);
  return packed;
}

void difference_columns(std::span<std::uint16_t> numbers, std::size_t length) {
  for (std::size_t first = 0; first < numbers.size(); first += length)
    for (std::size_t i = first + length - 1; i > first; --i)
      numbers[i] = static_cast<std::uint16_t>(numbers[i] - numbers[i - 1]);
}

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0u;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t triple = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int k = 0; k < 4; ++k)
      text += i + static_cast<std::size_t>(k) <= bytes.size() ? digits[triple >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

}  // namespace trammel
