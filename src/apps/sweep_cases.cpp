#include "sweep_cases.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "messages.h"
#include "trammel/base/sha256.h"
#include "trammel/io/source_file.h"

namespace trammel::apps {

namespace {

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

}  // namespace

Axis parse_axis(const std::string& setting, double most) {
  const std::size_t equal = setting.find('=');
  if (equal == std::string::npos || equal == 0)
    throw InputError(fmt::format("'{}' is not of the form key=a:b:n, key=v1,v2 or key=value", setting));
  Axis axis{setting.substr(0, equal), {}};
  const std::string value = setting.substr(equal + 1);
  const bool structured = !value.empty() && (value[0] == '[' || value[0] == '{' || value[0] == '"');
  const std::vector<std::string> range = split(value, ':');
  double from = 0.0, to = 0.0, n = 0.0;
  if (!structured && range.size() == 3 && parse_number(range[0], from) && parse_number(range[1], to) &&
      parse_number(range[2], n)) {
    if (n < 1.0 || n > most || n != std::round(n))
      throw InputError(fmt::format("'{}': the number of values is {}; it must be whole, from 1 to {:.0f} (--max-cases)",
                                   setting, range[2], most));
    const int count = static_cast<int>(n);
    for (int i = 0; i < count; ++i)
      axis.values.push_back(fmt::format("{:.12g}", count == 1 ? from : from + (to - from) * i / (count - 1)));
  } else if (!structured && value.find(',') != std::string::npos) {
    axis.values = split(value, ',');
  } else {
    axis.values = {value};
  }
  return axis;
}

void require_few(const std::vector<Axis>& axes, double most) {
  double n = 1.0;
  std::string product;
  for (const Axis& axis : axes) {
    n *= static_cast<double>(axis.values.size());
    if (axis.values.size() > 1)
      product += fmt::format("{}{} ({})", product.empty() ? "" : " x ", axis.values.size(), axis.key);
  }
  if (n > most)
    throw InputError(fmt::format("these are {:.6g} cases: {}; at most {:.6g} are run unless --max-cases says otherwise",
                                 n, product, most));
}

std::vector<Case> make_cases(const std::vector<Axis>& axes, const std::filesystem::path& folder) {
  std::vector<Case> cases(1);
  for (const Axis& axis : axes) {
    std::vector<Case> next;
    for (const Case& before : cases)
      for (const std::string& value : axis.values) {
        next.push_back(before);
        next.back().settings.push_back(axis.key + "=" + value);
      }
    cases = std::move(next);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].results = folder / fmt::format("case_{:04}.h5", i + 1);
  return cases;
}

bool PresentSources::are(const std::string& recorded) {
  for (const std::string& line : split(recorded, '\n')) {
    const std::size_t gap = line.find("  ");
    if (gap == std::string::npos || digest(line.substr(gap + 2)) != line.substr(0, gap)) return false;
  }
  return !recorded.empty();
}

const std::string& PresentSources::digest(const std::string& name) {
  const auto [it, is_new] = digests_.try_emplace(name);
  if (!is_new) return it->second;
  std::string text;
  const std::string trouble = read_source(folder_ / name, text);
  std::error_code ignored;
  if (!trouble.empty() && std::filesystem::exists(folder_ / name, ignored)) {
    digests_.erase(it);
    throw IoError(fmt::format("cannot read '{}': {}", (folder_ / name).string(), trouble));
  }
  if (trouble.empty()) it->second = sha256(text);
  return it->second;
}

bool are_of(const ResultsReader& reader, const Case& one, const std::string& model, PresentSources& sources) {
  const auto& attributes = reader.schema().attributes;
  const auto given = attributes.find("set"), files = attributes.find("sources"), text = attributes.find("model");
  return given != attributes.end() && given->second == join_lines(one.settings) && text != attributes.end() &&
         text->second == model && files != attributes.end() && sources.are(files->second);
}

bool is_done(const Case& one, const std::string& model, PresentSources& sources) {
  std::error_code ignored;
  if (!std::filesystem::exists(one.results, ignored)) return false;
  try {
    const ResultsReader reader(one.results);
    const auto completed = reader.summary().find("completed");
    return reader.state() == ResultsState::closed && completed != reader.summary().end() &&
           completed->second == "true" && are_of(reader, one, model, sources);
  } catch (const Error&) {
    return false;  // whatever it is, it is written anew
  }
}

}  // namespace trammel::apps
