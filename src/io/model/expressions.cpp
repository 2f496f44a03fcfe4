// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "entities.h"
#include "frames.h"
#include "trammel/base/text.h"
#include "trammel/math/expression.h"
#include "values.h"

namespace trammel::detail {

namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string at_column(const ExpressionError& error) {
  return fmt::format("{} (column {} of the formula)", error.message(), error.column());
}

// The end of the number that begins at `i`: digits, point, exponent.
std::size_t end_of_number(const std::string& text, std::size_t i) {
  while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    if (j < text.size() && is_digit(text[j])) {
      i = j;
      while (i < text.size() && is_digit(text[i])) ++i;
    }
  }
  return i;
}

// The end of the unit behind a number that ends at `i`, `i` without one: words, their powers, "/" and "*" without
// blanks. The parser of formulas says what a unit is; here it only must not be taken for a name.
std::size_t end_of_unit(const std::string& text, std::size_t i) {
  const std::size_t begin = i;
  for (;;) {
    std::size_t word = i;
    if (i != begin && i < text.size() && (text[i] == '/' || text[i] == '*')) ++word;
    if (word == i)
      while (word < text.size() && text[word] == ' ') ++word;
    std::size_t end = word;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    if (end == word || !parse_unit(text.substr(word, end - word))) return i;
    const std::size_t next = std::min(text.find_first_not_of(' ', end), text.size());
    if (next < text.size() && (text[next] == '(' || text[next] == '.')) return i;
    i = end;
    if (i < text.size() && text[i] == '^') {
      std::size_t digits = i + 1;
      if (digits < text.size() && text[digits] == '-') ++digits;
      i = end_of_number(text, digits);
    }
  }
}

}  // namespace

Evaluated evaluate(const std::string& text, const ConstantLookup& lookup, const std::vector<std::string>& names,
                   const Part* part) {
  const QuantityResolver resolver = [&](const std::vector<std::string>& path) -> std::variant<Quantity, std::string> {
    const int component = path.size() > 1 && path.back().size() == 1 ? path.back()[0] - 'x' : -1;
    if (const std::optional<Quantity> value = lookup(path[0])) {
      if (path.size() == 1) return *value;
      if (!value->is_vector) return fmt::format("'{}' is a number and has no '{}'", path[0], path[1]);
      if (path.size() == 2 && component >= 0 && component < 3) return value->component(component);
      return fmt::format("the vector '{}' has no '{}'; it has 'x', 'y' and 'z'", path[0], path[1]);
    }
    if (part != nullptr && part->frames != nullptr) {
      std::string name;
      for (const std::string& word : path) {
        if (const auto place = part->frames->find(*part, name + (name.empty() ? "" : ".") + word); place) {
          const Quantity point = Quantity::point(part->point_from_world(place->position));
          if (&word == &path.back()) return point;
          if (&word == &path.back() - 1 && component >= 0 && component < 3) return point.component(component);
        }
        name += (name.empty() ? "" : ".") + word;
      }
    }
    const std::vector<std::string> frames =
        part != nullptr && part->frames != nullptr ? part->frames->names() : std::vector<std::string>{};
    if (!frames.empty()) {
      std::vector<std::string> all = names;
      all.insert(all.end(), frames.begin(), frames.end());
      std::string whole = path[0];
      for (std::size_t i = 1; i < path.size(); ++i) whole += "." + path[i];
      if (const std::string nearest = did_you_mean(whole, all); !nearest.empty())
        return fmt::format("'{}' is neither a parameter nor a frame{}", whole, nearest);
      if (did_you_mean(path[0], names).empty())
        return fmt::format("'{}' is neither a parameter nor a frame, nor an index of a repeat", whole);
    }
    const std::string near = did_you_mean(path[0], names);
    if (path.size() == 1)
      return fmt::format("'{}' is not a parameter{}", path[0],
                         near.empty() ? "; a number may use only parameters and indices of repeats" : near);
    return fmt::format("'{}.{}' is not known here; a number may use only parameters and indices of repeats", path[0],
                       path[1]);
  };
  try {
    return {evaluate_constant(text, resolver, part == nullptr || part->units.empty()), ""};
  } catch (const ExpressionError& error) {
    return {{}, at_column(error)};
  }
}

Evaluated evaluate(const std::string& text, const Scope& scope, const Part* part) {
  const ConstantLookup lookup = [&](const std::string& name) {
    const Quantity* value = scope.find(name);
    return value == nullptr ? std::nullopt : std::optional(*value);
  };
  const Evaluated result = evaluate(text, lookup, {}, part);
  return result.error.empty() ? result : evaluate(text, lookup, scope.names(), part);  // names only when needed
}

bool may_have_unit(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_letter(text[i])) {
      while (i + 1 < text.size() && (is_letter(text[i + 1]) || is_digit(text[i + 1]))) ++i;
    } else if (is_digit(text[i])) {
      i = end_of_number(text, i);
      while (i < text.size() && text[i] == ' ') ++i;
      if (i < text.size() && is_letter(text[i])) return true;
      --i;
    }
  }
  return false;
}

Evaluated interpolate(const std::string& text, const Scope& scope, std::string& result) {
  result.clear();
  std::size_t from = 0;
  for (;;) {
    const std::size_t open = text.find('{', from);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) return {{}, "the '{' has no '}'"};
    const Evaluated inside = evaluate(text.substr(open + 1, close - open - 1), scope);
    if (!inside.error.empty()) return {{}, fmt::format("in {}: {}", text.substr(open, close - open + 1), inside.error)};
    result.append(text, from, open - from);
    constexpr double largest_exact = 9e15;  // whole numbers below 2⁵³ are written as such
    const double value = inside.value.number();
    const bool whole = value == std::round(value) && std::abs(value) < largest_exact;
    result += whole ? fmt::format("{}", static_cast<long long>(value)) : fmt::format("{}", value);
    from = close + 1;
  }
  result.append(text, from, std::string::npos);
  return {};
}

std::string quoted_name(const std::string& name) {
  bool plain = !name.empty() && is_letter(name[0]);
  for (const char c : name) plain = plain && (is_letter(c) || is_digit(c));
  return plain ? name : "'" + name + "'";
}

std::string globalize(const std::string& formula, const Scope& scope, const Part& part) {
  if (!scope.has_locals() && part.parent == nullptr) return formula;
  std::string result;
  std::size_t i = 0;
  bool after_point = false;  // a component of a path: belongs to the name before it
  while (i < formula.size()) {
    const char c = formula[i];
    std::size_t end = i + 1;
    if (is_digit(c) || (c == '.' && end < formula.size() && is_digit(formula[end]))) {
      end = end_of_unit(formula, end_of_number(formula, i));
    } else if (is_letter(c) || c == '\'' || c == '"') {
      const bool quoted = !is_letter(c);
      if (quoted) {
        end = formula.find(c, i + 1);
        if (end == std::string::npos) return result + formula.substr(i);  // the parser will say it
        ++end;
      } else {
        while (end < formula.size() && (is_letter(formula[end]) || is_digit(formula[end]))) ++end;
      }
      const std::string name = quoted ? formula.substr(i + 1, end - i - 2) : formula.substr(i, end - i);
      const std::size_t next = formula.find_first_not_of(' ', end);
      const bool call = !quoted && next != std::string::npos && formula[next] == '(';
      const bool path = next != std::string::npos && formula[next] == '.';
      const Quantity* value = quoted || after_point || call ? nullptr : scope.find_local(name);
      if (value != nullptr && value->is_vector == path) {
        double number = value->number();
        if (path) {  // NAME.x
          const std::size_t letter = formula.find_first_not_of(' ', next + 1);
          const int component = letter == std::string::npos ? -1 : formula[letter] - 'x';
          const bool alone =
              letter + 1 >= formula.size() || !(is_letter(formula[letter + 1]) || is_digit(formula[letter + 1]));
          if (component < 0 || component > 2 || !alone) return result + formula.substr(i);  // the parser will say it
          number = value->value[component];
          end = letter + 1;
        }
        result += number < 0.0 ? fmt::format("({})", number) : fmt::format("{}", number);
        i = end;
        continue;
      }
      if (!after_point && !call && part.full_name(name) != name) {
        result += quoted_name(part.full_name(name));
        i = end;
        continue;
      }
    }
    result.append(formula, i, end - i);
    if (c != ' ') after_point = c == '.' && end == i + 1;
    i = end;
  }
  return result;
}

bool has_good_syntax(const Fields& fields, const Node& node, std::string_view key, const std::string& text) {
  // Any name may stand for something, and any table: only the grammar is judged.
  const NameResolver names = [](const std::vector<std::string>&) -> ResolvedName { return 0; };
  const TableResolver tables = [](const std::string&) -> ResolvedTable {
    static const std::vector<double> line{0.0, 1.0};
    return std::make_shared<const CubicSpline>(line, line);
  };
  try {
    Expression::parse(text, names, tables);
    return true;
  } catch (const ExpressionError& error) {
    fields.report(node, fmt::format("'{}': {}", key, at_column(error)));
    return false;
  }
}

}  // namespace trammel::detail
