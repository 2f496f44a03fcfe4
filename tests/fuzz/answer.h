// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trammel/base/error.h"

namespace trammel::fuzz {

/// Words of the language that the program is written in, which no person shall read; "" if there are none. Those that
/// the input itself holds are the person's own, also those that quotation marks stood in.
inline std::string find_foreign_words(std::string_view said, std::string_view input) {
  std::string unquoted(input);
  std::erase(unquoted, '"');
  for (const std::string_view word :
       {"std::", "bad_alloc", "basic_string", "vector::", "map::at", "_M_", "length_error", "out_of_range",
        "Eigen::", "stod", "stoi", "Assertion", "terminate called", "defect of the program", "filesystem error",
        "regex_error", "bad_variant_access", "bad_optional_access", "bad_function_call"})
    if (said.find(word) != std::string_view::npos && unquoted.find(word) == std::string::npos)
      return fmt::format("'{}' reaches a person: {}", word, said.substr(0, 2000));
  return "";
}

/// Calls `work`, which returns what it says to a person, and takes errors as the program does (apps/messages.cpp).
template <class Work>
std::string answer(std::string_view input, const Work& work) {
  std::string said;
  try {
    said = work();
  } catch (const Error& error) {
    said = error.what();
    if (said.empty()) return "an error without words";
  } catch (const std::length_error&) {
  } catch (const std::bad_alloc&) {  // both are answered in words of our own
  } catch (const std::exception& error) {
    return fmt::format("unexpected error: {}", error.what());
  }
  return find_foreign_words(said, input);
}

}  // namespace trammel::fuzz
