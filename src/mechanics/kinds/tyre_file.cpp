// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/tyre_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "trammel/base/text.h"

namespace trammel {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<double> number_of(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Older files write other names for the same numbers.
const std::map<std::string, std::string, std::less<>> other_names{
    {"Q_RE0", "QREO"}, {"LGAY", "LKYC"}, {"LGAZ", "LKZC"}};

const std::set<std::string, std::less<>> describing_sections{"MDI_HEADER",
                                                             "MODEL",
                                                             "DIMENSION",
                                                             "SHAPE",
                                                             "INERTIA",
                                                             "LONG_SLIP_RANGE",
                                                             "SLIP_ANGLE_RANGE",
                                                             "INCLINATION_ANGLE_RANGE",
                                                             "VERTICAL_FORCE_RANGE",
                                                             "INFLATION_PRESSURE_RANGE"};

const std::map<std::string, std::string, std::less<>> si_units{{"LENGTH", "METER"},  {"FORCE", "NEWTON"},
                                                               {"ANGLE", "RADIANS"}, {"MASS", "KG"},
                                                               {"TIME", "SECOND"},   {"PRESSURE", "PASCAL"}};

class Reader {
 public:
  explicit Reader(TyreFile& file) : file_(file) {
#define TRAMMEL_PARAMETER(name, value) parameters_[#name] = &file.tyre.formula.name;
    TRAMMEL_MAGIC_FORMULA(TRAMMEL_PARAMETER)
#undef TRAMMEL_PARAMETER
    TyreSpec& tyre = file.tyre;
    parameters_["UNLOADED_RADIUS"] = &tyre.free_radius;
    parameters_["FNOMIN"] = &tyre.nominal_load;
    parameters_["LONGVL"] = &tyre.reference_speed;
    parameters_["INFLPRES"] = &tyre.pressure;
    parameters_["IP"] = &tyre.pressure;
    parameters_["NOMPRES"] = &tyre.nominal_pressure;
    parameters_["IP_NOM"] = &tyre.nominal_pressure;
    parameters_["VERTICAL_STIFFNESS"] = &file.stiffness;
    parameters_["VERTICAL_DAMPING"] = &file.damping;
    parameters_["LONGITUDINAL_STIFFNESS"] = &tyre.longitudinal_stiffness;
    parameters_["LATERAL_STIFFNESS"] = &tyre.lateral_stiffness;
  }

  void read(std::string_view text) {
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = text.find('\n');
      read_line(line, text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    finish();
  }

 private:
  void report(int line, const std::string& message) {
    file_.problems.push_back(fmt::format("line {}: {}", line, message));
  }

  void read_line(int line, std::string_view text) {
    text = trim(text.substr(0, text.find_first_of("$!")));
    if (text.empty() || text.front() == '{') return;
    if (text.front() == '[') {
      section_ = upper(trim(text.substr(1, text.find(']') - 1)));
      return;
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      if (section_ != "SHAPE") report(line, fmt::format("'{}' is neither a section nor KEY = value", text));
      return;
    }
    std::string key = upper(trim(text.substr(0, equals)));
    if (const auto it = other_names.find(key); it != other_names.end()) key = it->second;
    read_value(line, key, trim(text.substr(equals + 1)));
  }

  void read_value(int line, const std::string& key, std::string_view text) {
    const bool quoted = text.size() > 1 && (text.front() == '\'' || text.front() == '"');
    if (section_ == "UNITS") {
      const auto unit = si_units.find(key);
      const std::string given = upper(quoted ? text.substr(1, text.size() - 2) : text);
      if (unit != si_units.end() && given != unit->second && !(key == "ANGLE" && given == "RADIAN"))
        report(line, fmt::format("{} is in '{}'; write the file in SI ('{}')", key, text, unit->second));
      return;
    }
    if (key == "TYRESIDE" && quoted) return;
    const auto known = parameters_.find(key);
    const std::optional<double> value = number_of(text);
    if (known != parameters_.end()) {
      if (!value) return report(line, fmt::format("{} is '{}', which is no number", key, text));
      *known->second = *value;
      given_.insert(key);
      return;
    }
    if (quoted || describing_sections.count(section_) > 0) return;
    const double idle = !key.empty() && key.front() == 'L' ? 1.0 : 0.0;
    if (value && *value == idle) return;
    std::vector<std::string> names;
    for (const auto& [name, place] : parameters_) names.push_back(name);
    report(line, fmt::format("{} = {} is not built{}", key, text, did_you_mean(key, names)));
  }

  void finish() {
    TyreFile& f = file_;
    for (const char* needed : {"UNLOADED_RADIUS", "FNOMIN", "VERTICAL_STIFFNESS"})
      if (given_.count(needed) == 0) f.problems.push_back(fmt::format("{} is missing", needed));
    for (const auto& [name, place] :
         {std::pair{"UNLOADED_RADIUS", f.tyre.free_radius}, std::pair{"FNOMIN", f.tyre.nominal_load},
          std::pair{"VERTICAL_STIFFNESS", f.stiffness}})
      if (given_.count(name) > 0 && !(place > 0.0))
        f.problems.push_back(fmt::format("{} = {} but must be > 0", name, place));
    f.tyre.combined = given_.count("RBX1") > 0 || given_.count("RBY1") > 0;
    const MagicFormula& p = f.tyre.formula;
    if (p.PTX1 <= 0.0 && f.tyre.longitudinal_stiffness <= 0.0)
      f.tyre.longitudinal_relaxation = 0.5 * f.tyre.free_radius;
    if (p.PTY1 <= 0.0 && f.tyre.lateral_stiffness <= 0.0) f.tyre.lateral_relaxation = f.tyre.free_radius;
  }

  TyreFile& file_;
  std::map<std::string, double*, std::less<>> parameters_;
  std::set<std::string, std::less<>> given_;
  std::string section_;
};

}  // namespace

TyreFile read_tyre_file(std::string_view text) {
  TyreFile file;
  Reader(file).read(text);
  return file;
}

}  // namespace trammel
