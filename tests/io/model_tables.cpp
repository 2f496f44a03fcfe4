// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/model_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "model_text.h"

// The keys are described once, and the descriptions are true: what is described is read, and nothing else is.

namespace trammel {
namespace {

/// One table of one kind: "force" of kind "tyre", or a table inside, "beam" with its 'section' of kind "tube".
struct Place {
  const KeyTable* table = nullptr;
  const Key* inside = nullptr;
  std::string kind_key, kind;

  std::string what() const {
    return table->name + (inside == nullptr ? "" : "." + inside->name) + (kind.empty() ? "" : " (" + kind + ")");
  }
  std::vector<Key> keys() const {
    std::vector<Key> chosen;
    for (const Key& key : inside == nullptr ? table->keys : inside->inner)
      if (kind.empty() || key.belongs_to(kind)) chosen.push_back(key);
    return chosen;
  }
};

std::vector<std::string> kinds_of(std::span<const Key> keys, const std::string& kind_key) {
  for (const Key& key : keys)
    if (key.name == kind_key && key.type == KeyType::word) {
      std::vector<std::string> kinds;
      for (const Word& word : key.words) kinds.push_back(word.name);
      return kinds;
    }
  return {""};
}

/// A value of the right type, in range; keys whose type says too little have their own.
std::string value_of(const Key& key) {
  static const std::map<std::string, std::string> special{{"angular_velocity", "[0, 0, 1]"},  // planar
                                                          {"angular_velocity_world", "[0, 0, 1]"},
                                                          {"inertia", "[1, 1, 1]"},
                                                          {"rotation", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"},
                                                          {"quaternion", "[1, 0, 0, 0]"},
                                                          {"sequence", "\"zxz\""},
                                                          {"points", "[[0, 0, 0], [1, 0, 0]]"},
                                                          {"polygon", "[[0, 0], [1, 0], [0, 1]]"},
                                                          {"elements", "2"},
                                                          {"stations", "[0, 1]"},
                                                          {"pre_stress", "[0, 0, 0, 0, 0, 0]"},
                                                          {"curve", "[\"s\", 0, 0]"},
                                                          {"color", "\"#aabbcc\""},
                                                          {"firm", "[\"position\"]"},
                                                          {"kalker", "[4, 4, 2, 1]"},
                                                          {"between", "[\"a\", \"b\"]"},
                                                          {"among", "[\"a\"]"},
                                                          {"algebraic", "[false, false]"},
                                                          {"rates", "[0, 1]"},
                                                          {"updates", "[0, 1]"},
                                                          {"index", "\"k\""},
                                                          {"format", "1"},
                                                          {"parameters", "{}"},
                                                          {"x_column", "1"},
                                                          {"y_column", "2"},
                                                          {"size", "[1, 1, 1]"},
                                                          {"half_axes", "[1, 1, 1]"},
                                                          {"heights", "[[0, 1], [1, 0]]"},
                                                          {"restitution", "0.5"},
                                                          {"orientation", "{ quaternion = [1, 0, 0, 0] }"}};
  if (const auto it = special.find(key.name); it != special.end()) return it->second;
  const auto table = [&] {
    std::string text;
    for (const Key& inner : key.inner)
      if (inner.required && (inner.kinds.empty() || inner.belongs_to(key.inner[0].words[0].name)))
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", inner.name, value_of(inner));
    return "{ " + text + " }";
  };
  switch (key.type) {
    case KeyType::number:
    case KeyType::integer:
    case KeyType::formula:
      return key.range.is_bounded() && !key.range.holds(1.0) ? fmt::format("{}", key.range.low) : "1";
    case KeyType::boolean:
      return "true";
    case KeyType::word:
      return "\"" + key.words[0].name + "\"";
    case KeyType::text:
    case KeyType::name:
      return "\"a\"";
    case KeyType::names:
      return "[\"a\", \"b\"]";
    case KeyType::numbers:
      return "[0, 1]";
    case KeyType::vector:
    case KeyType::formulas:
    case KeyType::point:
      return "[0, 0, 1]";
    case KeyType::direction:
      return "\"z\"";
    case KeyType::matrix:
      return "[1, 1, 1, 1, 1, 1]";
    case KeyType::table:
      return table();
    case KeyType::table_list:
      return "[" + table() + "]";
    case KeyType::any:
      break;
  }
  ADD_FAILURE() << "no value for '" << key.name << "'";
  return "0";
}

std::string entry(const Place& place, const Key& key) {
  return fmt::format("{} = {}", key.name, key.name == place.kind_key ? "\"" + place.kind + "\"" : value_of(key));
}

/// The place with these of its keys, in a model; what surrounds a table inside is as it must be.
std::string text_with(const Place& place, const std::vector<Key>& keys) {
  std::string text = place.table->name.empty() ? "" : "[[" + place.table->name + "]]\n";
  if (place.inside == nullptr) {
    for (const Key& key : keys) text += entry(place, key) + "\n";
    return text;
  }
  const Key* by = place.table->find(place.table->kind_key);
  std::string kind;
  if (by != nullptr) kind = !by->fallback.empty() ? by->fallback : by->words[0].name;
  if (!place.inside->kinds.empty()) kind = place.inside->kinds[0];
  if (by != nullptr) text += fmt::format("{} = \"{}\"\n", by->name, kind);
  for (const Key& key : place.table->keys)
    if (key.required && key.name != place.inside->name && &key != by && (kind.empty() || key.belongs_to(kind)))
      text += key.name + " = " + value_of(key) + "\n";
  std::string inner;
  for (const Key& key : keys) inner += (inner.empty() ? "" : ", ") + entry(place, key);
  const bool list = place.inside->type == KeyType::table_list;
  return text + fmt::format("{} = {}{{ {} }}{}\n", place.inside->name, list ? "[" : "", inner, list ? "]" : "");
}

std::vector<std::string> messages(const std::string& text) {
  std::vector<std::string> found;
  try {
    read_study_text(text, "model.toml");
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues()) found.push_back(issue.message);
  } catch (const std::logic_error& error) {  // a defect of the reader: asked for and not described, or the other way
    ADD_FAILURE() << error.what() << "\n" << text;
  }
  return found;
}

bool says(const std::vector<std::string>& found, const std::string& words) {
  return std::any_of(found.begin(), found.end(),
                     [&](const std::string& message) { return message.find(words) != std::string::npos; });
}

std::string joined(const std::vector<std::string>& found) {
  std::string text;
  for (const std::string& message : found) text += "\n    " + message;
  return text;
}

std::vector<Place> places() {
  std::vector<Place> list;
  for (const KeyTable& table : entity_tables()) {
    for (const std::string& kind : kinds_of(table.keys, table.kind_key))
      list.push_back({&table, nullptr, table.kind_key, kind});
    std::set<std::string> seen;
    for (const Key& key : table.keys)
      if (!key.inner.empty() && seen.insert(key.name).second)
        for (const std::string& kind : kinds_of(key.inner, "kind")) list.push_back({&table, &key, "kind", kind});
  }
  return list;
}

void PrintTo(const Place& place, std::ostream* out) { *out << place.what(); }

class Described : public ::testing::TestWithParam<Place> {};

TEST_P(Described, keys_are_read_and_no_others) {
  const Place& place = GetParam();
  const std::vector<Key> keys = place.keys();
  const std::vector<std::string> all = messages(text_with(place, keys));
  EXPECT_FALSE(says(all, "unknown key")) << place.what() << joined(all);
  EXPECT_FALSE(says(all, "must be a")) << place.what() << ": a type is not what is described" << joined(all);
  for (const Key& key : keys) {
    // Alone, missing, and of another type: every way through the reader asks for every key.
    std::vector<Key> few;
    for (const Key& other : keys)
      if (other.name == key.name || other.name == place.kind_key) few.push_back(other);
    EXPECT_FALSE(says(messages(text_with(place, few)), "unknown key"))
        << place.what() << ": '" << key.name << "' alone";
    std::vector<Key> others = keys;
    std::erase_if(others, [&](const Key& other) { return other.name == key.name; });
    const std::vector<std::string> without = messages(text_with(place, others));
    if (key.required) {
      EXPECT_TRUE(says(without, fmt::format("key '{}' is missing", key.name))) << place.what() << joined(without);
    }
    if (key.name == place.kind_key) continue;
    for (const char* value : {"true", "1979-05-27", "[[[]]]", "{ nonsense = 1 }", "\"{\""}) {
      std::string text = text_with(place, keys);
      const std::string from = entry(place, key), to = fmt::format("{} = {}", key.name, value);
      messages(text.replace(text.find(from), from.size(), to));
    }
  }
}

TEST_P(Described, ranges_are_those_that_are_checked) {
  const Place& place = GetParam();
  const std::vector<Key> keys = place.keys();
  for (const Key& key : keys) {
    if (!key.range.is_bounded()) continue;
    const auto with = [&](double value) {
      std::string text = text_with(place, keys);
      const std::string from = entry(place, key);
      return messages(text.replace(text.find(from), from.size(), fmt::format("{} = {}", key.name, value)));
    };
    const std::string said = fmt::format("'{}' ", key.name);
    if (std::isfinite(key.range.low)) {
      EXPECT_TRUE(says(with(key.range.low - 1.0), said)) << place.what() << ": " << key.range.formula(key.name);
    }
    if (std::isfinite(key.range.high)) {
      EXPECT_TRUE(says(with(key.range.high + 1.0), said)) << place.what() << ": " << key.range.formula(key.name);
    }
    if (std::isfinite(key.range.low) && key.range.low_open) {
      EXPECT_TRUE(says(with(key.range.low), said)) << place.what() << ": " << key.range.formula(key.name);
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Place>& info) {
  std::string name = info.param.table->name.empty() ? "file" : info.param.table->name;
  if (info.param.inside != nullptr) name += "_" + info.param.inside->name;
  return name + (info.param.kind.empty() ? "" : "__" + info.param.kind);
}

INSTANTIATE_TEST_SUITE_P(Tables, Described, ::testing::ValuesIn(places()), name_of);

TEST(Descriptions, say_something_about_every_key) {
  const auto check = [](const auto& self, const std::string& where, std::span<const Key> keys) -> void {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Key& key = keys[i];
      const bool again = i > 0 && keys[i - 1].name == key.name;
      EXPECT_TRUE(again || seen.insert(key.name).second) << where << ": entries of '" << key.name << "' stand apart";
      EXPECT_TRUE(!key.meaning.empty() || !key.words.empty()) << where << ": '" << key.name << "' means nothing";
      // A table may have a word that stands for all of it.
      EXPECT_TRUE(!key.inner.empty() || (key.type == KeyType::word) == !key.words.empty())
          << where << ": '" << key.name << "'";
      EXPECT_FALSE(key.required && !key.fallback.empty()) << where << ": '" << key.name << "' has a default";
      self(self, where + "." + key.name, key.inner);
    }
  };
  for (const KeyTable& table : entity_tables()) check(check, table.name, table.keys);
}

TEST(Descriptions, of_one_kind_leave_the_others_out) {
  const std::vector<Key> keys = keys_of_kind(*find_keys(entity_tables(), "force"), "tyre");
  ASSERT_FALSE(keys.empty());
  for (const Key& key : keys) EXPECT_NE(key.name, "law");
  EXPECT_EQ(find_keys(entity_tables(), "body.shape")->front().name, "kind");
  EXPECT_EQ(find_keys(entity_tables(), "bodi"), nullptr);
  EXPECT_EQ(find_keys(entity_tables(), "body.mass"), nullptr);
}

}  // namespace
}  // namespace trammel
