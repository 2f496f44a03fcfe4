// SPDX-License-Identifier: Apache-2.0
#include "expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "entities.h"
#include "parameters.h"
#include "trammel/base/text.h"
#include "trammel/base/version.h"
#include "trammel/io/model_tables.h"
#include "trammel/io/source_file.h"

namespace trammel::detail {

namespace {

// body.'left rod'.mass -> {"body", "left rod", "mass"}; empty if it is not a dotted key.
std::vector<std::string> split_key(const std::string& key) {
  std::vector<std::string> path(1);
  char quote = 0;
  for (const char c : key) {
    if (quote != 0 && c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (quote == 0 && c == '.')
      path.emplace_back();
    else
      path.back() += c;
  }
  const bool empty = std::any_of(path.begin(), path.end(), [](const std::string& part) { return part.empty(); });
  return empty || quote != 0 ? std::vector<std::string>{} : path;
}

// Puts `value` at path[from …] below `table`; returns false where the path runs through something that is no table.
bool set_value(Node& table, const std::vector<std::string>& path, std::size_t from, const Node& value) {
  if (table.kind != NodeKind::table) return false;
  auto it = std::find_if(table.entries.begin(), table.entries.end(),
                         [&](const Entry& entry) { return entry.key == path[from]; });
  const bool last = from + 1 == path.size();
  if (it == table.entries.end()) {
    Node fresh;
    fresh.place = value.place;
    table.entries.push_back({path[from], value.place, last ? value : fresh});
    it = table.entries.end() - 1;
  } else if (last) {
    it->place = value.place;  // the setting is responsible for the value from now on
    it->value = value;
  }
  return last || set_value(it->value, path, from + 1, value);
}

// Removes what is at path[from …], if it is there; false as above.
bool remove_value(Node& table, const std::vector<std::string>& path, std::size_t from) {
  if (table.kind != NodeKind::table) return false;
  const auto it = std::find_if(table.entries.begin(), table.entries.end(),
                               [&](const Entry& entry) { return entry.key == path[from]; });
  if (it == table.entries.end()) return true;
  if (from + 1 < path.size()) return remove_value(it->value, path, from + 1);
  table.entries.erase(it);
  return true;
}

}  // namespace

// A file in another version of the language is not understood: nothing else is said about it.
void check_format(const Findings& findings, const Node& root) {
  constexpr int known = 1;
  const Node* node = root.find("format");
  if (node == nullptr || (node->kind == NodeKind::integer && node->number == known)) return;
  throw InputError({{findings.where(node->place),
                     fmt::format("'format' is {}, but trammel {} reads model files of format {} (which need not be "
                                 "said); a file of a higher format needs a newer program",
                                 describe(*node), version(), known)}});
}

Expansion::Expansion(Findings& findings, const ModelTables& tables, const std::string& text,
                     const std::filesystem::path& file, std::span<const std::string> settings)
    : findings_(findings), tables_(tables), frames_(findings, tables.find("frame"), tables.find("body")) {
  const int id = findings_.add_file(file.string());
  root_ = &trees_.emplace_back(parse_toml(text, file.string(), id));
  apply_settings(*root_, settings);
  check_format(findings_, *root_);
  Part& part = parts_.emplace_back();
  part.file = file.string();
  part.folder = file.parent_path();
  part.frames = &frames_;
  const Scope nothing;
  Scope& scope = scopes_.emplace_back();
  read_units(*root_, part);
  add_constants(*root_, {}, nothing, part, scope);
  for (const std::string& name : scope.names())
    if (const Quantity* value = scope.find(name); !value->is_vector) parameters_[name] = value->number();
  if (const Node* ports = root_->find("ports"); ports != nullptr && !ports->entries.empty())
    findings_.add(ports->entries[0].place,
                  fmt::format("model: this file has a port '{}' and is a part of a machine; it is run by a file that "
                              "includes it and says what the port is connected to",
                              ports->entries[0].key));
  Fields fields(findings_, *root_, scope, part, "model", tables_.find(""));
  most_elements_ = fields.integer("max_elements", static_cast<int>(most_elements_));
  expand(*root_, scope, part, "model");
  apply_entity_settings();
  check_ports();
}

void Expansion::apply_settings(Node& root, std::span<const std::string> settings) {
  for (const std::string& setting : settings) {
    const std::size_t equal = setting.find('=');
    const std::string key = setting.substr(0, equal);
    const int id = findings_.add_setting(key);
    const std::vector<std::string> path = split_key(key);
    if (path.size() > most_key_parts) {
      findings_.add(Place{id, 0, 0},
                    fmt::format("the key has {} parts; at most {} are read", path.size(), most_key_parts));
      continue;
    }
    if (equal == std::string::npos || path.empty()) {
      findings_.add(Place{id, 0, 0}, fmt::format("'{}' is not of the form key=value, such as solver.h=1e-4", setting));
      continue;
    }
    const std::string text = setting.substr(equal + 1);
    const Setting made{path, parse_setting(text, id), key, text.find_first_not_of(" \t") == std::string::npos};
    if (tables_.find_entity(path[0]) != nullptr) {
      entity_settings_.push_back(made);
      continue;
    }
    if (path[0] == "parameters" && path.size() == 2) {
      std::vector<std::string> names;
      if (const Node* table = root.find("parameters"))
        for (const Entry& entry : table->entries) names.push_back(entry.key);
      if (std::find(names.begin(), names.end(), path[1]) == names.end()) {
        const std::string near = did_you_mean(path[1], names);
        findings_.add(made.value.place, fmt::format("the model has no parameter '{}'{} It has {}", path[1],
                                                    near.empty() ? "." : near, join_quoted(names)));
        continue;
      }
    }
    apply(made, root, 0, tables_.find(""), "model");
  }
}

// Settings change values and remove them. A key that is set is judged by whoever reads it; one that is removed is never
// read, so that it must be one of the described `keys` (nullptr: any).
void Expansion::apply(const Setting& setting, Node& table, std::size_t from, const KeyIndex* keys,
                      const std::string& what) {
  for (std::size_t i = from; setting.removes && keys != nullptr && i < setting.path.size(); ++i) {
    const std::string& key = setting.path[i];
    const int at = keys->find(key);
    if (at < 0) {
      const std::vector<std::string> names = keys->names();
      const std::string near = did_you_mean(key, names);
      const std::string& owner = i > 0 && from == 0 ? setting.path[i - 1] : what;
      findings_.add(setting.value.place, fmt::format("{}: unknown key '{}'{} Allowed here: {}", owner, key,
                                                     near.empty() ? "." : near, join_quoted(names)));
      return;
    }
    keys = from == 0 && i == 0 ? tables_.find(key) : &keys->inside(at);
    if (keys != nullptr && keys->size() == 0) keys = nullptr;
  }
  const bool done =
      setting.removes ? remove_value(table, setting.path, from) : set_value(table, setting.path, from, setting.value);
  if (!done)
    findings_.add(setting.value.place, fmt::format("'{}' runs through a key that is not a table", setting.key));
}

void Expansion::apply_entity_settings() {
  for (const Setting& setting : entity_settings_) {
    const std::string& kind = setting.path[0];
    if (setting.path.size() < 3) {
      findings_.add(setting.value.place, fmt::format("'{0}' does not say which key of which {1}; write "
                                                     "{1}.NAME.KEY=value",
                                                     setting.key, kind));
      continue;
    }
    std::vector<std::string> names;
    Instance* found = nullptr;
    for (Instance& instance : instances_) {
      if (instance.kind != kind) continue;
      names.push_back(instance.name);
      if (instance.name == setting.path[1]) found = &instance;
    }
    if (found == nullptr && kind == "phase") {  // settings may give a run phases that its file does not have
      Node& fresh = trees_.emplace_back();
      fresh.place = setting.value.place;
      found = &instances_.emplace_back(Instance{kind, &fresh, &scopes_.front(), &parts_.front(), setting.path[1]});
    }
    if (found == nullptr) {
      findings_.add(setting.value.place,
                    fmt::format("there is no {} '{}'{}", kind, setting.path[1], did_you_mean(setting.path[1], names)));
      continue;
    }
    Node& copy = trees_.emplace_back(*found->node);
    if (setting.path[2] == "name")
      findings_.add(setting.value.place, "a name cannot be changed from the command line");
    else
      apply(setting, copy, 2, tables_.find(kind), fmt::format("{} '{}'", kind, found->name));
    if (!frames_.replace(kind, found->name, copy))
      findings_.add(setting.value.place,
                    fmt::format("the frame '{}' is connected to a part whose parameters follow from it, and these are "
                                "computed before; change it by a parameter",
                                found->name));
    found->node = &copy;
  }
}

void Expansion::expand(const Node& table, const Scope& scope, Part& part, const std::string& what) {
  struct Element {
    Place place;
    const std::string* key;
    const Node* node;
  };
  std::vector<Element> elements;
  register_frames(table, scope, part);
  for (const Entry& entry : table.entries) {
    if (tables_.find_entity(entry.key) == nullptr && entry.key != "repeat" && entry.key != "include") continue;
    const bool list = entry.value.kind == NodeKind::array;
    const bool tables = list && std::all_of(entry.value.items.begin(), entry.value.items.end(),
                                            [](const Node& item) { return item.kind == NodeKind::table; });
    if (!tables) {
      complete_ = false;
      findings_.add(entry.place, fmt::format("{}: '{}' must be a list of tables; begin each with [[{}]], in double "
                                             "brackets",
                                             what, entry.key, entry.key));
      continue;
    }
    for (const Node& item : entry.value.items) elements.push_back({item.place, &entry.key, &item});
  }
  std::stable_sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  for (const Element& element : elements) {
    if (*element.key == "repeat")
      repeat(*element.node, scope, part);
    else if (*element.key == "include")
      include(*element.node, scope, part);
    else
      add_entity(*element.key, *element.node, scope, part);
  }
}

// How many elements the tables inside make, at least: counts that depend on an index still to come are taken for 1.
double Expansion::estimate_elements(const Node& table, const Scope& scope) const {
  double n = 0.0;
  for (const Entry& entry : table.entries) {
    if (entry.value.kind != NodeKind::array) continue;
    for (const Node& item : entry.value.items) {
      if (item.kind != NodeKind::table) continue;
      if (entry.key != "repeat") {
        if (entry.key == "include" || tables_.find_entity(entry.key) != nullptr) n += 1.0;
        continue;
      }
      double count = 1.0;
      if (const Node* node = item.find("count")) {
        if (node->is_number()) count = node->number;
        if (node->kind == NodeKind::string)
          if (const Evaluated result = evaluate(node->text, scope); result.error.empty()) count = result.value.number();
      }
      n += std::max(1.0, count) * std::max(1.0, estimate_elements(item, scope));
    }
  }
  return n;
}

// Said before the work is done, and once: a slip in a count may ask for more than fits into any memory.
bool Expansion::allows(double more, const Fields& fields, const Node& node) {
  elements_ += more;
  if (elements_ <= most_elements_) return true;
  if (complete_)
    fields.report(node,
                  fmt::format("this makes {:.6g} elements or more, and at most {:.6g} are read; is a count wrong? "
                              "'max_elements' at the top of the file allows more",
                              elements_, most_elements_));
  complete_ = false;
  return false;
}

void Expansion::add_entity(const std::string& kind, const Node& node, const Scope& scope, Part& part) {
  Fields fields(findings_, node, scope, part, kind, tables_.find(kind));
  Instance instance{kind, &node, &scope, &part, ""};
  const Node* name = fields.get("name");
  if (name != nullptr) {
    const std::string text = fields.text_of(*name, "name");
    if (!text.empty()) {
      part.own_names.insert(text);
      if (kind == "beam") part.own_beams.insert(text);
      instance.name = part.prefix + text;
    } else if (name->kind == NodeKind::string && name->text.empty()) {
      fields.report(*name, "'name' is empty");
    }
  }
  if (kind == "phase" && name == nullptr)  // by its number
    instance.name = std::to_string(1 + std::count_if(instances_.begin(), instances_.end(),
                                                     [](const Instance& other) { return other.kind == "phase"; }));
  instances_.push_back(std::move(instance));
}

void Expansion::repeat(const Node& node, const Scope& scope, Part& part) {
  Fields fields(findings_, node, scope, part, "repeat", tables_.find("repeat"));
  const std::size_t before = findings_.size();
  const int count = fields.integer("count", 0);
  if (findings_.size() > before) complete_ = false;
  const int start = fields.integer("start", 0);
  std::string index = fields.text("index", "i");
  const Node* index_node = fields.get("index");
  const Node& index_place = index_node == nullptr ? node : *index_node;
  if (!is_identifier(index) || is_reserved(index)) {
    fields.report(index_place, fmt::format("'index' is '{}'; it must be a name of letters, digits and _ that does not "
                                           "begin with a digit",
                                           index));
    complete_ = false;
    return;
  }
  if (scope.find(index) != nullptr) {
    fields.report(index_place, fmt::format("the index '{0}' has the same name as a parameter or an outer index; choose "
                                           "another one with index = \"...\"",
                                           index));
    complete_ = false;
    return;
  }
  const Node* locals = fields.get("parameters");
  for (const std::string& table : tables_.lists()) fields.ignore(table);
  fields.finish();
  const Node* count_node = fields.get("count");
  const double inside = std::max(1.0, estimate_elements(node, scope)), before_it = elements_;
  if (!allows(count * inside, fields, count_node == nullptr ? node : *count_node)) return;
  elements_ = before_it;  // those inside count themselves
  for (int k = 0; k < count; ++k) {
    if (!allows(1.0, fields, node)) return;
    Scope* inner = &scopes_.emplace_back(&scope, true);
    inner->add(index, Quantity::bare(static_cast<double>(start) + k));
    if (locals != nullptr) {
      const std::map<std::string, Quantity> values = calc_parameters(findings_, *locals, {}, *inner, part);
      inner = &scopes_.emplace_back(inner, true);
      for (const auto& [name, value] : values) inner->add(name, value);
    }
    expand(node, *inner, part, "repeat");
  }
}

}  // namespace trammel::detail
