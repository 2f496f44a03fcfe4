// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "entities.h"
#include "trammel/io/csv.h"
#include "trammel/mechanics/elements/road_surface.h"

namespace trammel::detail {

namespace {

const Choices<RoadKind> kinds{{"plane", RoadKind::plane, "slopes alone"},
                              {"table", RoadKind::table, "heights in lists or a CSV file"},
                              {"bump", RoadKind::bump, "a raised cosine"},
                              {"sine_sweep", RoadKind::sweep, "waves whose length changes"},
                              {"random", RoadKind::random, "a profile of an ISO 8608 class"}};

// Two columns x, z; or a grid: the first line has the y behind its first field, each further one an x and its heights.
void read_csv(Fields& fields, const Node& node, RoadSpec& road) {
  const std::filesystem::path path = fields.part().folder / fields.text_of(node, "file");
  try {
    const Table data = read_table_csv(path);
    if (data.columns.size() == 2) {
      road.x = data.columns[0], road.z = data.columns[1];
      return;
    }
    if (data.columns.size() < 3) {
      fields.report(node, "the file has one column; it needs x and z, or a grid");
    } else {
      const std::size_t n = data.columns[0].size();
      for (std::size_t j = 1; j < data.columns.size(); ++j) {
        const std::string& head = data.names.size() > j ? data.names[j] : std::string();
        char* end = nullptr;
        road.y.push_back(std::strtod(head.c_str(), &end));
        if (head.empty() || *end != 0)
          fields.report(node, fmt::format("column {} of the grid is headed '{}', which is no y", j + 1, head));
      }
      road.x = data.columns[0];
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 1; j < data.columns.size(); ++j) road.z.push_back(data.columns[j][i]);
      return;
    }
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues())
      fields.findings().add(issue.where, fmt::format("{}: {}", fields.what(), issue.message));
  } catch (const IoError&) {
    fields.report(node, fmt::format("the file '{}' cannot be read", path.string()));
  }
  fields.findings().add_broken(road.name, road.source);
}

void read_heights(Fields& fields, RoadSpec& road) {
  std::string which;
  const Node* node = fields.one_of({"file", "x"}, &which);
  if (node == nullptr) {
    fields.report("its heights are missing: give 'file' (a CSV file) or the lists 'x' and 'z'");
    fields.findings().add_broken(road.name, road.source);
    fields.ignore("y"), fields.ignore("z");
    return;
  }
  if (which == "file") {
    for (const char* key : {"y", "z"}) fields.refuse(key, "beside a 'file'");
    return read_csv(fields, *node, road);
  }
  road.x = fields.list_of(*node, "x");
  if (const Node* y = fields.get("y")) road.y = fields.list_of(*y, "y");
  if (const Node* z = fields.require("z"))
    road.z = fields.list_of(*z, "z");
  else
    fields.findings().add_broken(road.name, road.source);
}

void read_random(Fields& fields, RoadSpec& road) {
  std::string which;
  const Node* node = fields.one_of({"class", "roughness"}, &which);
  if (node == nullptr) {
    fields.report("how rough it is is missing: give its 'class' (\"A\" to \"H\") or 'roughness'");
  } else if (which == "class") {
    const std::string letter = fields.text("class", "A");
    if (letter.size() != 1 || letter[0] < 'A' || letter[0] > 'H')
      fields.report(*node, fmt::format("'class' is '{}'; ISO 8608 has \"A\" to \"H\"", letter));
    else
      road.roughness = roughness_of_class(letter[0]);
  } else {
    road.roughness = fields.number("roughness", 1.0);
  }
  road.waviness = fields.number("waviness", road.waviness);
  road.length = fields.number("length", 500.0);
  road.first_wavelength = fields.number("first_wavelength", 90.0);
  road.last_wavelength = fields.number("last_wavelength", 0.35);
  road.seed = static_cast<std::uint64_t>(fields.integer("seed", 1));
}

void read_road(Fields& fields, const std::string& name, ModelDraft& model) {
  RoadSpec road;
  road.name = name;
  road.source = fields.source();
  if (!fields.kind(kinds, road.kind)) {
    fields.findings().add_broken(name, road.source);
    model.roads.push_back(std::move(road));
    return;
  }
  road.body = fields.name("body", ground_name);
  road.slope = fields.number("slope", 0.0), road.bank = fields.number("bank", 0.0);
  if (road.kind == RoadKind::table) read_heights(fields, road);
  if (road.kind == RoadKind::bump || road.kind == RoadKind::sweep) {
    road.start = fields.number("start", 0.0);
    road.length = fields.number("length", 1.0);
  }
  if (road.kind == RoadKind::bump) road.height = fields.number("height", 0.0);
  if (road.kind == RoadKind::sweep) {
    road.amplitude = fields.number("amplitude", 0.0);
    road.first_wavelength = fields.number("first_wavelength", 1.0);
    road.last_wavelength = fields.number("last_wavelength", 1.0);
  }
  if (road.kind == RoadKind::random) read_random(fields, road);
  fields.finish();
  model.roads.push_back(std::move(road));
}

Key length_key(std::string name, bool required, std::string fallback, std::string meaning, KindNames of) {
  return {.name = std::move(name),
          .unit = "m",
          .required = required,
          .fallback = std::move(fallback),
          .meaning = std::move(meaning),
          .range = Range::above(0.0),
          .kinds = std::move(of)};
}

std::vector<Key> road_keys() {
  const KindNames of_table{"table"}, of_bump{"bump"}, of_sweep{"sine_sweep"}, of_random{"random"},
      of_both{"bump", "sine_sweep"};
  return {name_key(),
          {.name = "kind", .type = KeyType::word, .required = true, .words = words(kinds)},
          {.name = "body",
           .type = KeyType::name,
           .fallback = "ground",
           .meaning = "the body that it belongs to; x, y and z are the world's as drawn"},
          {.name = "slope", .fallback = "0", .meaning = "rise per length along x, of every kind"},
          {.name = "bank", .fallback = "0", .meaning = "rise per length along y"},
          {.name = "file",
           .type = KeyType::text,
           .meaning = "a CSV file with the columns x and z, or a grid: y in its first line, x in its first column",
           .kinds = of_table},
          {.name = "x",
           .type = KeyType::numbers,
           .unit = "m",
           .meaning = "instead of `file`: where the heights belong to; must increase",
           .kinds = of_table},
          {.name = "y",
           .type = KeyType::numbers,
           .unit = "m",
           .fallback = "the same for all",
           .meaning = "the same across",
           .kinds = of_table},
          {.name = "z",
           .type = KeyType::numbers,
           .unit = "m",
           .meaning = "the heights: of the first x all y, then of the next",
           .kinds = of_table},
          {.name = "start", .unit = "m", .fallback = "0", .meaning = "x where it begins", .kinds = of_both},
          length_key("length", true, "", "how long it is", of_both),
          length_key("length", false, "500", "after which it repeats itself", of_random),
          {.name = "height", .unit = "m", .required = true, .meaning = "of its top; < 0: a hole", .kinds = of_bump},
          {.name = "amplitude",
           .unit = "m",
           .required = true,
           .meaning = "of its waves, half of their height",
           .kinds = of_sweep},
          length_key("first_wavelength", true, "", "at its beginning", of_sweep),
          length_key("first_wavelength", false, "90", "the longest", of_random),
          length_key("last_wavelength", true, "", "at its end; 1/wavelength changes linearly", of_sweep),
          length_key("last_wavelength", false, "0.35", "the shortest", of_random),
          {.name = "class",
           .type = KeyType::text,
           .meaning = "`\"A\"` (smooth) to `\"H\"`: the geometric mean of the class",
           .kinds = of_random},
          {.name = "roughness",
           .unit = "m^3",
           .meaning = "instead of `class`: power spectral density at 0.1 cycles per metre",
           .range = Range::above(0.0),
           .kinds = of_random},
          {.name = "waviness", .fallback = "2", .meaning = "w of the density's (n/n₀)^−w", .kinds = of_random},
          {.name = "seed",
           .type = KeyType::integer,
           .fallback = "1",
           .meaning = "of the phases: the same seed, the same road",
           .range = Range::from(0.0),
           .kinds = of_random}};
}

}  // namespace

EntityKind road_kind() {
  return {{.name = "road",
           .is_list = true,
           .meaning = "A road for tyres, by its height over x and y.",
           .keys = road_keys()},
          read_road};
}

}  // namespace trammel::detail
