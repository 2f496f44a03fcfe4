// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "mutate.h"
#include "places.h"
#include "scratch.h"
#include "trammel/io/model_tables.h"

namespace trammel::fuzz {

namespace {

const std::vector<std::string> laws{
    "t",      "sin(t)",      "1/0",    "L",           "2*pi", "if(t < 0.001, 1, 0)", "sqrt(-1)", "hinge.angle",
    "rod.vx", "rod.z*rod.z", "abs(t)", "mod(t, 0)",   "x",    "step(t, 0, 0, 0, 1)", "1e308*10", "min(t, 1)",
    "-rod.x", "exp(1000*t)", "0",      "force.value", "i",    "table(curve, t)",     "",         "tan(t*1e6)"};
const std::vector<std::string> directions{"\"x\"", "\"-y\"", "\"z\"", "[0, 0, 0]", "[1, 1, 0]", "[1e-200, 0, 0]"};

// A model as lines; a table is a heading and the lines up to the next one.
struct Lines {
  std::vector<std::string> lines;

  explicit Lines(const std::string& text) {
    std::size_t from = 0;
    while (from < text.size()) {
      const std::size_t to = std::min(text.find('\n', from), text.size());
      lines.push_back(text.substr(from, to - from));
      from = to + 1;
    }
  }

  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }

  static bool is_heading(const std::string& line) { return !line.empty() && line[0] == '['; }
  static bool has_value(const std::string& line) {
    return !line.empty() && line[0] != '#' && line[0] != '[' && line.find('=') != line.npos;
  }

  std::size_t size() const { return lines.size(); }

  /// A line that fulfils a condition, at random; size(): there is none.
  template <class Condition>
  std::size_t find(Random& random, const Condition& condition) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < size(); ++i)
      if (condition(lines[i])) found.push_back(i);
    return found.empty() ? size() : random.pick(found);
  }

  std::size_t end_of_table(std::size_t heading) const {
    std::size_t end = heading + 1;
    while (end < size() && !is_heading(lines[end])) ++end;
    return end;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all{"ground"};
    for (const std::string& line : lines)
      if (line.rfind("name = \"", 0) == 0) all.push_back(line.substr(8, line.find('"', 8) - 8));
    return all;
  }
};

std::string key_of(const std::string& line) {
  const std::string key = line.substr(0, line.find('='));
  return key.substr(0, key.find_last_not_of(' ') + 1);
}

std::string number(Random& random) {
  if (random.one_in(4)) return "\"" + random.pick(laws) + "\"";
  return random.pick(hard_numbers());
}

std::string list(std::size_t n, const auto& item) {
  std::string text = "[";
  for (std::size_t i = 0; i < n; ++i) text += (i > 0 ? ", " : "") + item();
  return text + "]";
}

std::string value_of(const Key& key, const std::vector<std::string>& names, Random& random, int depth = 0) {
  const auto quoted_name = [&] { return "\"" + random.pick(names) + "\""; };
  const auto a_number = [&] { return number(random); };
  const std::size_t n = random.one_in(3) ? random.below(6) : 3;
  switch (key.type) {
    case KeyType::number:
      return number(random);
    case KeyType::integer:
      return random.one_in(2) ? std::to_string(random.below(5)) : number(random);
    case KeyType::boolean:
      return random.one_in(2) ? "true" : "false";
    case KeyType::word:
      if (!key.words.empty()) return "\"" + random.pick(key.words).name + "\"";
      return quoted_name();
    case KeyType::text:
      if (key.name == "file") return random.one_in(2) ? "\"mesh.obj\"" : "\"table.csv\"";
      return quoted_name();
    case KeyType::name:
      return quoted_name();
    case KeyType::names:
      return list(random.below(3) + 1, quoted_name);
    case KeyType::numbers:
    case KeyType::vector:
      return list(n, a_number);
    case KeyType::matrix:
      if (random.one_in(2)) return number(random);
      return random.one_in(2) ? list(n, a_number) : list(n, [&] { return list(n, a_number); });
    case KeyType::point:
      if (random.one_in(2)) return list(n, a_number);
      return fmt::format("{{ body = {}, at = {} }}", quoted_name(), list(3, a_number));
    case KeyType::direction:
      if (random.one_in(2)) return random.pick(directions);
      return fmt::format("{{ body = {}, direction = {} }}", quoted_name(), random.pick(directions));
    case KeyType::formula:
      return "\"" + random.pick(laws) + "\"";
    case KeyType::formulas:
      return list(random.below(4), [&] { return "\"" + random.pick(laws) + "\""; });
    case KeyType::table: {
      std::string text;
      std::set<std::string> given;
      for (const Key& inner : key.inner)
        if (depth < 3 && (inner.required || random.one_in(3)) && given.insert(inner.name).second)
          text += (text.empty() ? " " : ", ") + inner.name + " = " + value_of(inner, names, random, depth + 1);
      return "{" + text + " }";
    }
    case KeyType::table_list: {
      Key one = key;
      one.type = KeyType::table;
      return depth < 3 ? list(random.below(3), [&] { return value_of(one, names, random, depth + 1); }) : "[]";
    }
    case KeyType::any:
      break;
  }
  return random.one_in(2) ? number(random) : list(n, a_number);
}

const KeyTable* table_of(const std::string& heading) {
  const std::size_t from = heading.find_first_not_of('['), to = heading.find(']');
  if (from == heading.npos || to == heading.npos || to < from) return nullptr;
  std::string name = heading.substr(from, to - from);
  name = name.substr(name.rfind('.') + 1);
  for (const KeyTable& table : model_tables())
    if (table.name == name) return &table;
  return nullptr;
}

void put_key(Lines& model, Random& random) {
  const std::size_t heading = model.find(random, Lines::is_heading);
  if (heading == model.size()) return;
  const KeyTable* table = table_of(model.lines[heading]);
  if (table == nullptr || table->keys.empty()) return;
  const Key& key = random.pick(table->keys);
  const std::string line = key.name + " = " + value_of(key, model.names(), random);
  for (std::size_t i = heading + 1; i < model.end_of_table(heading); ++i)
    if (key_of(model.lines[i]) == key.name) {
      model.lines[i] = line;
      return;
    }
  model.lines.insert(model.lines.begin() + static_cast<std::ptrdiff_t>(heading) + 1, line);
}

// One of [analysis], [solver], [output].
void put_setting(Lines& model, Random& random) {
  const KeyTable* table = nullptr;
  for (const KeyTable& each : model_tables())
    if (each.name == "solver" || (each.name == "analysis" && random.one_in(4)) ||
        (each.name == "output" && random.one_in(6)))
      table = &each;
  if (table == nullptr) return;
  const std::string heading = "[" + table->name + "]";
  if (std::find(model.lines.begin(), model.lines.end(), heading) == model.lines.end()) model.lines.push_back(heading);
  const Key& key = random.pick(table->keys);
  const auto at = std::find(model.lines.begin(), model.lines.end(), heading) + 1;
  model.lines.insert(at, key.name + " = " + value_of(key, model.names(), random));
}

void change_number(std::string& line, Random& random) {
  const std::size_t from = line.find_first_of("0123456789", line.find('=') + random.below(12));
  if (from == line.npos) return;
  const std::size_t to = std::min(line.find_first_not_of("0123456789.eE", from), line.size());
  const std::string old = line.substr(from, to - from);
  const std::vector<std::string> near{"-" + old, old + "e-3", old + "e3", old + "e9", old + "1", "-" + old + "e-9"};
  line.replace(from, to - from, random.one_in(3) ? random.pick(hard_numbers()) : random.pick(near));
}

void change_text(std::string& line, const std::vector<std::string>& names, Random& random) {
  const std::size_t from = line.find('"');
  const std::size_t to = from == line.npos ? line.npos : line.find('"', from + 1);
  if (to != line.npos) line.replace(from + 1, to - from - 1, random.one_in(2) ? random.pick(names) : random.pick(laws));
}

// A table of this model or of another one, under a name of its own more often than not.
void add_table(Lines& model, Random& random) {
  const Lines from = random.one_in(2) ? model : Lines(random.pick(valid_models()));
  const std::size_t heading = from.find(random, Lines::is_heading);
  if (heading == from.size()) return;
  std::vector<std::string> copy(from.lines.begin() + static_cast<std::ptrdiff_t>(heading),
                                from.lines.begin() + static_cast<std::ptrdiff_t>(from.end_of_table(heading)));
  for (std::string& line : copy)
    if (line.rfind("name = \"", 0) == 0 && !random.one_in(4)) line = fmt::format("name = \"n{}\"", random.below(50));
  std::size_t at = model.find(random, Lines::is_heading);
  model.lines.insert(model.lines.begin() + static_cast<std::ptrdiff_t>(at), copy.begin(), copy.end());
}

void change(Lines& model, Random& random) {
  const auto iterator = [&](std::size_t i) { return model.lines.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t i = model.find(random, Lines::has_value);
  if (i == model.size()) return;
  std::string& line = model.lines[i];
  switch (random.below(12)) {
    case 0:
    case 1:
      return change_number(line, random);
    case 2:
    case 3:
      return put_key(model, random);
    case 4:
    case 5:
      return put_setting(model, random);
    case 6:
      return change_text(line, model.names(), random);
    case 7:
      model.lines.erase(iterator(i));
      return;
    case 8: {  // the value of another line
      const std::string& other = model.lines[model.find(random, Lines::has_value)];
      line = key_of(line) + " =" + other.substr(other.find('=') + 1);
      return;
    }
    case 9:
      return add_table(model, random);
    case 10: {
      const std::size_t heading = model.find(random, Lines::is_heading);
      if (heading < model.size()) model.lines.erase(iterator(heading), iterator(model.end_of_table(heading)));
      return;
    }
    default:
      line = mutate_text(line, random, laws, {});
  }
}

std::string without_comments(const std::string& text) {
  Lines kept("");
  for (std::string line : Lines(text).lines) {
    if (const std::size_t hash = line.find('#'); hash != line.npos && line.find_first_of("\"'", hash) == line.npos)
      line.erase(hash);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty()) kept.lines.push_back(line);
  }
  return kept.text();
}

}  // namespace

std::string mutate_model(const std::string& text, Random& random) {
  Lines model(text);
  const std::size_t most = random.one_in(2) ? 1 : 4;  // one change leaves many models valid
  for (std::size_t n = 1 + random.below(most); n > 0; --n) change(model, random);
  return model.text();
}

const std::vector<std::string>& valid_models() {
  static const std::vector<std::string> all = [] {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(places::source_dir() / "examples"))
      if (entry.path().extension() == ".toml" && entry.path().parent_path().filename() != "parts")
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // the order in which a disk lists them is nobody's
    std::vector<std::string> texts;
    for (const std::filesystem::path& file : files) {
      std::string model = without_comments(read_bytes(file));
      if (file.parent_path().filename() == "15_passenger_car") {  // its parts are beside those of the carriage
        const std::size_t at = model.find("parts/");
        if (at != model.npos) model.replace(at, 6, "car/");
      }
      texts.push_back(std::move(model));
    }
    return texts;
  }();
  return all;
}

}  // namespace trammel::fuzz
