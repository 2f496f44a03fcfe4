// SPDX-License-Identifier: Apache-2.0
#include "sweep_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <sstream>

#include "trammel/base/error.h"
#include "trammel/io/source_file.h"

namespace trammel::apps {

namespace {

/// Settings that change together: rows of values, one for each key.
struct Axis {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> rows;
};

enum class Law { uniform, log_uniform, normal };
struct Draw {
  std::string key;
  Law law;
  double a, b;
};

bool parse_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

struct Setting {
  std::string key, value;
};
Setting parse_setting(const std::string& text) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0)
    throw InputError(fmt::format("'{}' is not of the form key=a:b:n, key=v1,v2, key=uniform(a,b) or key=value", text));
  return {text.substr(0, equal), text.substr(equal + 1)};
}

// "uniform(a,b)" and its kin.
std::optional<Draw> parse_draw(const Setting& setting) {
  constexpr std::pair<const char*, Law> laws[] = {
      {"uniform", Law::uniform}, {"log_uniform", Law::log_uniform}, {"normal", Law::normal}};
  const std::string& text = setting.value;
  const std::size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return std::nullopt;
  for (const auto& [name, law] : laws) {
    if (text.substr(0, open) != name) continue;
    const std::vector<std::string> numbers = split(text.substr(open + 1, text.size() - open - 2), ',');
    Draw draw{setting.key, law, 0.0, 0.0};
    const bool two = numbers.size() == 2 && parse_number(numbers[0], draw.a) && parse_number(numbers[1], draw.b);
    const char* wanted =
        law == Law::normal ? "a mean and a standard deviation above 0" : "a smaller and a larger number";
    if (!two || !(law == Law::normal ? draw.b > 0.0 : draw.b > draw.a))
      throw InputError(fmt::format("'{}={}': {} takes {}", setting.key, text, name, wanted));
    if (law == Law::log_uniform && !(draw.a > 0.0))
      throw InputError(fmt::format("'{}={}': logarithms are of numbers above 0", setting.key, text));
    return draw;
  }
  return std::nullopt;
}

Axis parse_axis(const Setting& setting, double most) {
  Axis axis{{setting.key}, {}};
  const std::string& value = setting.value;
  const bool structured = !value.empty() && (value[0] == '[' || value[0] == '{' || value[0] == '"');
  const std::vector<std::string> range = split(value, ':');
  double from = 0.0, to = 0.0, n = 0.0;
  if (!structured && range.size() == 3 && parse_number(range[0], from) && parse_number(range[1], to) &&
      parse_number(range[2], n)) {
    if (n < 1.0 || n > most || n != std::round(n))
      throw InputError(
          fmt::format("'{}={}': the number of values is {}; it must be whole, from 1 to {:.0f} (--max-cases)",
                      setting.key, value, range[2], most));
    const int count = static_cast<int>(n);
    for (int i = 0; i < count; ++i)
      axis.rows.push_back({fmt::format("{:.12g}", count == 1 ? from : from + (to - from) * i / (count - 1))});
  } else if (!structured && value.find(',') != std::string::npos) {
    for (std::string& one : split(value, ',')) axis.rows.push_back({std::move(one)});
  } else {
    axis.rows = {{value}};
  }
  return axis;
}

// ---- lists ---------------------------------------------------------------------------------------------------------

// The fields of a line; "a ""b"", c" is one.
std::vector<std::string> split_csv(const std::string& line, const std::string& where) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  if (quoted) throw InputError(fmt::format("{}: a quote is not closed", where));
  for (std::string& field : fields) {
    const std::size_t first = field.find_first_not_of(" \t"), last = field.find_last_not_of(" \t");
    field = first == std::string::npos ? "" : field.substr(first, last - first + 1);
  }
  return fields;
}

Axis read_list(const std::filesystem::path& path) {
  std::string text;
  if (const std::string trouble = read_source(path, text); !trouble.empty())
    throw IoError(fmt::format("cannot read '{}': {}", path.string(), trouble));
  Axis axis;
  std::vector<std::string> troubles;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", path.string(), number);
    std::vector<std::string> fields = split_csv(line, where);
    if (axis.keys.empty()) {
      axis.keys = std::move(fields);
      for (const std::string& key : axis.keys)
        if (key.empty()) throw InputError(fmt::format("{}: the first line names a setting in every column", where));
    } else if (fields.size() != axis.keys.size()) {
      throw InputError(fmt::format("{}: {} values for {} settings", where, fields.size(), axis.keys.size()));
    } else {
      axis.rows.push_back(std::move(fields));
    }
  }
  if (axis.rows.empty()) throw InputError(fmt::format("{}: there is no case in it", path.string()));
  return axis;
}

// ---- samples -------------------------------------------------------------------------------------------------------

/// Numbers of a seed that are the same with every library: only the generator is standard.
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}
  double uniform() { return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53; }  // within (0, 1)
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

 private:
  std::mt19937_64 generator_;
};

/// x with Φ(x) = p: by Newton's method on the logarithm of the smaller tail, which is concave, from below its maximum.
double normal_quantile(double p) {
  const double tail = std::min(p, 1.0 - p), target = std::log(tail);
  double x = -std::sqrt(std::max(0.0, -2.0 * (target + std::log(2.0))));  // Φ(x) ≤ e^(−x²/2)/2: x is not above the root
  for (int i = 0; i < 60; ++i) {
    const double below = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    const double change = (target - std::log(below)) * below / density;
    x += change;
    if (std::abs(change) <= 1e-15 * (1.0 + std::abs(x))) break;
  }
  return p < 0.5 ? x : -x;
}

double value_of(const Draw& draw, double p) {
  switch (draw.law) {
    case Law::uniform:
      return draw.a + (draw.b - draw.a) * p;
    case Law::log_uniform:
      return draw.a * std::pow(draw.b / draw.a, p);
    case Law::normal:
      return draw.a + draw.b * normal_quantile(p);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Axis make_samples(const std::vector<Draw>& draws, const CaseChoice& choice) {
  const std::size_t n = static_cast<std::size_t>(choice.samples);
  Axis axis;
  axis.rows.resize(n);
  Random random(choice.seed);
  std::vector<std::size_t> part(n);
  for (const Draw& draw : draws) {
    axis.keys.push_back(draw.key);
    for (std::size_t i = 0; i < n; ++i) part[i] = i;
    for (std::size_t i = n; choice.latin && i > 1; --i) std::swap(part[i - 1], part[random.below(i)]);
    for (std::size_t i = 0; i < n; ++i) {
      const double u = random.uniform();
      const double p = choice.latin ? (static_cast<double>(part[i]) + u) / static_cast<double>(n) : u;
      axis.rows[i].push_back(fmt::format("{:.17g}", value_of(draw, p)));
    }
  }
  return axis;
}

// 10¹² cases fit on a command line, but nowhere else.
void require_few(const std::vector<Axis>& axes, double most) {
  double n = 1.0;
  std::string product;
  for (const Axis& axis : axes) {
    n *= static_cast<double>(axis.rows.size());
    if (axis.rows.size() > 1)
      product += fmt::format("{}{} ({})", product.empty() ? "" : " x ", axis.rows.size(), fmt::join(axis.keys, ", "));
  }
  if (n > most)
    throw InputError(fmt::format("these are {:.6g} cases: {}; at most {:.6g} are run unless --max-cases says otherwise",
                                 n, product, most));
}

void require_different_keys(const std::vector<Axis>& axes) {
  std::vector<std::string> keys;
  for (const Axis& axis : axes) keys.insert(keys.end(), axis.keys.begin(), axis.keys.end());
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) throw InputError(fmt::format("'{}' is given twice", *twice));
}

}  // namespace

CaseList make_case_list(const CaseChoice& choice) {
  std::vector<Axis> axes;
  std::vector<Draw> draws;
  for (const std::string& text : choice.settings) {
    const Setting setting = parse_setting(text);
    if (std::optional<Draw> draw = parse_draw(setting))
      draws.push_back(*draw);
    else
      axes.push_back(parse_axis(setting, choice.max_cases));
  }
  if (!choice.list.empty()) axes.push_back(read_list(choice.list));
  if (!draws.empty() && choice.samples < 1)
    throw InputError(fmt::format("'{}' is drawn: --samples says how often", draws.front().key));
  if (draws.empty() && choice.samples > 0)
    throw InputError("--samples belongs to settings that are drawn: key=uniform(a,b), log_uniform(a,b), normal(m,s)");
  if (choice.samples > choice.max_cases)
    throw InputError(fmt::format("these are {} samples; at most {:.6g} cases are run unless --max-cases says otherwise",
                                 choice.samples, choice.max_cases));
  if (!draws.empty()) axes.push_back(make_samples(draws, choice));
  require_different_keys(axes);
  require_few(axes, choice.max_cases);

  CaseList list;
  list.values.resize(1);
  for (const Axis& axis : axes) {
    list.keys.insert(list.keys.end(), axis.keys.begin(), axis.keys.end());
    std::vector<std::vector<std::string>> next;
    next.reserve(list.values.size() * axis.rows.size());
    for (const std::vector<std::string>& before : list.values)
      for (const std::vector<std::string>& row : axis.rows) {
        next.push_back(before);
        next.back().insert(next.back().end(), row.begin(), row.end());
      }
    list.values = std::move(next);
  }
  return list;
}

}  // namespace trammel::apps
