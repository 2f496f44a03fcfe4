// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "targets.h"

namespace trammel::fuzz {

/// Numbers at which programs stumble, as texts: zeros, ends of ranges, what no double holds.
const std::vector<std::string>& hard_numbers();

/// A few changes of bytes, words and numbers: removed, repeated, exchanged with `words` or parts of `others`.
std::string mutate_text(std::string text, Random& random, const std::vector<std::string>& words,
                        const std::vector<std::string>& others);

/// A few changes of bytes in place, as damage does them; rarely a cut end.
std::string mutate_bytes(const std::string& whole, Random& random);

/// A few changes that keep a model a model: values, keys by their descriptions, kinds, names, whole tables; those of
/// other models.
std::string mutate_model(const std::string& text, Random& random);

/// Valid models: the examples, and some that use what no example does.
const std::vector<std::string>& valid_models();

}  // namespace trammel::fuzz
