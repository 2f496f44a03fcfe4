// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/base/text.h"
#include "trammel/io/csv.h"
#include "trammel/io/source_file.h"

namespace trammel {

namespace {

// A file with a wrong separator has one problem per line; nobody reads more than this.
constexpr std::size_t max_issues = 20;

struct Field {
  std::string text;
  std::size_t column = 1;  // of its first character, counted from 1
};

const std::string blanks = " \t\r";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<Field> split(const std::string& line, char separator) {
  std::vector<Field> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back().text += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      fields.push_back({"", i + 2});
    } else {
      fields.back().text += c;
    }
  }
  for (Field& field : fields) {
    const std::size_t lead = field.text.find_first_not_of(blanks);
    if (lead != std::string::npos) field.column += lead;
    field.text = trimmed(field.text);
  }
  return fields;
}

std::optional<double> number(std::string text, char separator) {
  if (separator == ';') std::replace(text.begin(), text.end(), ',', '.');
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.erase(0, 1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Underflow is a tiny number and overflow an infinity; from_chars calls both out of range, strtod tells them apart.
  if (error == std::errc::result_out_of_range) value = std::strtod(text.c_str(), nullptr);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  return value;
}

char find_separator(const std::string& line) {
  for (const char separator : {';', '\t'})
    if (line.find(separator) != std::string::npos) return separator;
  return ',';
}

class TableParser {
 public:
  explicit TableParser(const std::filesystem::path& path) : path_(path) {}

  Table parse(std::istream& stream) {
    std::string line;
    for (line_ = 1; std::getline(stream, line) && issues_.size() < max_issues; ++line_) {
      if (line_ == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
      const std::string content = trimmed(line);
      if (content.empty() || content[0] == '#') continue;
      if (table_.names.empty())
        first_line(line);
      else
        row(split(line, separator_));
    }
    if (issues_.empty() && table_.n_rows() == 0)
      issues_.push_back({path_.string(), "the table has no rows of numbers"});
    if (!issues_.empty()) throw InputError(issues_);
    return std::move(table_);
  }

 private:
  void problem(std::size_t column, std::string message) {
    issues_.push_back({fmt::format("{}:{}:{}", path_.string(), line_, column), std::move(message)});
  }

  // Names, unless some field is a number: then a field that is not one is a misprint and not a name.
  void first_line(const std::string& line) {
    separator_ = find_separator(line);
    const std::vector<Field> fields = split(line, separator_);
    table_.columns.resize(fields.size());
    const bool numbers = std::any_of(fields.begin(), fields.end(),
                                     [&](const Field& field) { return number(field.text, separator_).has_value(); });
    for (std::size_t i = 0; i < fields.size(); ++i) {
      table_.names.push_back(numbers ? fmt::format("column {}", i + 1) : fields[i].text);
      if (numbers) continue;
      if (fields[i].text.empty()) problem(fields[i].column, "a column has no name");
      if (std::count(table_.names.begin(), table_.names.end(), fields[i].text) > 1)
        problem(fields[i].column, "the column name '" + fields[i].text + "' is used twice");
    }
    if (numbers) row(fields);
  }

  void row(const std::vector<Field>& fields) {
    if (fields.size() != table_.names.size())
      return problem(fields.back().column,
                     fmt::format("{} fields, but the first line has {} (fields are separated by '{}')", fields.size(),
                                 table_.names.size(), separator_ == '\t' ? "tab" : std::string(1, separator_)));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::optional<double> value = number(fields[i].text, separator_);
      if (!value)
        problem(fields[i].column, "expected a number for '" + table_.names[i] + "', found '" + fields[i].text + "'");
      else if (!std::isfinite(*value))
        problem(fields[i].column, "'" + fields[i].text + "' is not a finite number");
      else
        table_.columns[i].push_back(*value);
    }
  }

  const std::filesystem::path& path_;
  Table table_;
  std::vector<Issue> issues_;
  std::size_t line_ = 0;
  char separator_ = ',';
};

}  // namespace

const std::vector<double>& Table::column(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& full = names[i];
    if (full == name || trimmed(full.substr(0, full.find('['))) == name) return columns[i];
  }
  throw InputError("the table has no column '" + std::string(name) + "' but " + join_quoted(names) +
                   did_you_mean(name, names));
}

Table read_table_csv(const std::filesystem::path& path) {
  const std::string quoted = "cannot read the table '" + path.string() + "': ";
  std::string text;
  if (const std::string trouble = read_source(path, text); !trouble.empty()) throw IoError(quoted + trouble);
  std::istringstream stream(std::move(text));
  return TableParser(path).parse(stream);
}

}  // namespace trammel
