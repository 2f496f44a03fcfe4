// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

/// The candidate that needs the fewest edits (insert, delete, replace, swap of neighbours; case ignored) to become
/// `name`, or an empty string when nothing is near enough to be a plausible misspelling (more than max(1, n/3) edits;
/// for a single letter, any).
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// "; did you mean 'elbow'?" or "" when nothing is near: ready to be appended to a message.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// "'revolut'; did you mean 'revolute'? Allowed: 'spherical', …": of a word that is none of those allowed.
std::string not_allowed(std::string_view word, std::span<const std::string> allowed);

/// "'a', 'b' and 'c'" (an empty list gives "nothing").
std::string join_quoted(std::span<const std::string> names);

/// "*.position.x", "rod.*": `*` stands for any characters, `?` for one.
bool matches_pattern(std::string_view name, std::string_view pattern);
/// Whether a word has a `*` or `?`.
bool is_pattern(std::string_view word);

}  // namespace trammel
