// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "mutate.h"

namespace trammel::fuzz {

const std::vector<std::string>& hard_numbers() {
  static const std::vector<std::string> numbers{"0",          "-0.0",
                                                "1",          "-1",
                                                "2",          "3",
                                                "0.5",        "1e-3",
                                                "1e3",        "1e-9",
                                                "1e9",        "1e-16",
                                                "1e16",       "1e-300",
                                                "1e300",      "-1e300",
                                                "5e-324",     "1e-320",
                                                "nan",        "inf",
                                                "-inf",       "2147483647",
                                                "2147483648", "-2147483648",
                                                "4294967296", "9007199254740993",
                                                "1e308",      "1e18",
                                                "3.14159",    "1e-6",
                                                "7",          "100",
                                                "-0.1",       "9223372036854775807",
                                                "1e5",        "0.9999999999999999",
                                                "-3",         "1.7976931348623157e308"};
  return numbers;
}

namespace {

bool in_number(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; }

// The number at or behind a place; {n, n}: there is none.
std::pair<std::size_t, std::size_t> find_number(const std::string& text, std::size_t from) {
  while (from < text.size() && !in_number(text[from])) ++from;
  std::size_t to = from;
  while (to < text.size() && in_number(text[to])) ++to;
  return {from, to};
}

void change(std::string& text, Random& random, const std::vector<std::string>& words,
            const std::vector<std::string>& others) {
  const std::size_t at = random.below(text.size() + 1);
  const std::size_t length = std::min(text.size() - at, 1 + random.below(random.one_in(4) ? 64 : 6));
  switch (random.below(9)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(random.below(text.size() + 1), text.substr(at, length));
      break;
    case 3:
    case 4:
      if (!words.empty()) text.insert(at, random.pick(words));
      break;
    case 5:
      if (!words.empty()) text.replace(at, length, random.pick(words));
      break;
    case 6:
    case 7: {
      const auto [from, to] = find_number(text, at);
      text.replace(from, to - from, random.pick(hard_numbers()));
      break;
    }
    default:
      if (!others.empty()) {
        const std::string& other = random.pick(others);
        const std::size_t start = random.below(other.size());
        text.replace(at, length, other.substr(start, 1 + random.below(48)));
      }
  }
}

}  // namespace

std::string mutate_text(std::string text, Random& random, const std::vector<std::string>& words,
                        const std::vector<std::string>& others) {
  for (std::size_t n = 1 + random.below(4); n > 0; --n) change(text, random, words, others);
  return text;
}

std::string mutate_bytes(const std::string& whole, Random& random) {
  std::string bytes = whole;
  if (random.one_in(20)) bytes.resize(random.below(bytes.size() + 1));
  for (std::size_t n = 1 + random.below(8); n > 0 && !bytes.empty(); --n) {
    const std::size_t at = random.below(bytes.size());
    const std::size_t length = std::min(bytes.size() - at, random.below(64));
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(6)) {
      case 0:
        std::fill_n(from, length, random.one_in(2) ? '\0' : '\xff');
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes[at] = static_cast<char>(bytes[at] + (random.one_in(2) ? 1 : -1));
        break;
      case 3: {
        const std::string moved = bytes.substr(random.below(bytes.size()), length);
        bytes.replace(at, std::min(moved.size(), bytes.size() - at), moved, 0,
                      std::min(moved.size(), bytes.size() - at));
        break;
      }
      default:
        bytes[at] = static_cast<char>(random.below(256));
    }
  }
  return bytes;
}

}  // namespace trammel::fuzz
