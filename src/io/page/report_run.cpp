// SPDX-License-Identifier: Apache-2.0
#include "report_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "packed_data.h"
#include "trammel/io/summary_json.h"
#include "trammel/simulation/channels.h"

namespace trammel::detail {

namespace {

constexpr std::int64_t block_numbers = 1 << 20;            // read at a time
constexpr std::int64_t exact_animation = 600000;           // numbers below which an animation is carried as it is
constexpr std::int64_t most_animation_numbers = 30000000;  // that a browser unpacks, of 2 bytes each
constexpr std::int64_t most_solver_numbers = 600000;
constexpr std::int64_t fewest_thinned_rows = 200;  // a plot with fewer points would mislead: rather none
constexpr std::size_t most_default_channels = 20;
constexpr std::uint16_t not_finite_code = 65535, largest_code = 65534;

int find_group(const RecordSchema& schema, std::string_view quantity) {
  return schema.find_table(fmt::format("/frames/{}", quantity)).group;
}

std::vector<int> all_columns(const RecordGroup& group) {
  std::vector<int> columns(static_cast<std::size_t>(group.width()));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

// "{name}.position": how the channels of a group are called.
std::string name_pattern(const RecordGroup& group) {
  if (group.n_items() == 1) return channel_name(group, 0);
  RecordGroup any = group;
  any.names = {"{name}", "{other}"};
  return channel_name(any, 0);
}

// One quantity of the animation: columns of numbers over the shown frames.
struct Track {
  const char* name;
  int group;
  std::vector<float> values;  // column after column
};

// A quaternion and its negative are the same rotation; neighbours in time shall be neighbours in number.
void make_continuous(std::vector<float>& q, std::int64_t frames) {
  const auto n = static_cast<std::size_t>(frames);
  for (std::size_t body = 0; body * 4 * n < q.size(); ++body) {
    float* const w = q.data() + body * 4 * n;
    for (std::size_t i = 1; i < n; ++i) {
      float product = 0.0f;
      for (std::size_t k = 0; k < 4; ++k) product += w[k * n + i] * w[k * n + i - 1];
      if (product < 0.0f)
        for (std::size_t k = 0; k < 4; ++k) w[k * n + i] = -w[k * n + i];
    }
  }
}

// Columns in 32 bits. Where a column moves little beside its size, its first value is taken off before it is rounded:
// a plot of what moves would show the steps of 32 bits otherwise.
struct Shifted {
  std::vector<float> values;
  std::vector<double> offsets;  // of each column, to be added
  bool any = false;             // is any of them not zero?
};

Shifted shift(const std::vector<double>& values, std::int64_t rows) {
  constexpr double small = 0.5;  // of a column's size: errors stay below 2⁻²³ of what a plot of it spans
  const auto n = static_cast<std::size_t>(rows);
  Shifted out;
  out.values.reserve(values.size());
  for (std::size_t first = 0; first < values.size(); first += n) {
    double low = std::numeric_limits<double>::infinity(), high = -low, offset = 0.0;
    for (std::size_t i = first; i < first + n; ++i)
      if (std::isfinite(values[i])) low = std::min(low, values[i]), high = std::max(high, values[i]);
    if (low < high && high - low < small * std::max(std::abs(low), std::abs(high)))
      offset = std::isfinite(values[first]) ? values[first] : low;
    out.offsets.push_back(offset);
    out.any = out.any || offset != 0.0;
    for (std::size_t i = first; i < first + n; ++i) out.values.push_back(static_cast<float>(values[i] - offset));
  }
  return out;
}

struct Quantised {
  std::vector<float> low, high;  // of each column
  std::vector<std::uint16_t> codes;
};

// x ≈ low + (high − low) code/65534: each column in its own range.
Quantised quantise(const std::vector<float>& values, std::int64_t frames) {
  const auto n = static_cast<std::size_t>(frames);
  Quantised q;
  q.codes.resize(values.size());
  for (std::size_t first = 0; first < values.size(); first += n) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (std::size_t i = first; i < first + n; ++i)
      if (std::isfinite(values[i])) low = std::min(low, values[i]), high = std::max(high, values[i]);
    if (!(low <= high)) low = high = 0.0f;
    const double range = double{high} - low;
    for (std::size_t i = first; i < first + n; ++i) {
      const double part = range > 0.0 ? (values[i] - low) / range : 0.0;
      q.codes[i] =
          std::isfinite(values[i]) ? static_cast<std::uint16_t>(std::lround(part * largest_code)) : not_finite_code;
    }
    q.low.push_back(low), q.high.push_back(high);
  }
  difference_columns(q.codes, n);
  return q;
}

}  // namespace

void PageData::put_packed(JsonWriter& json, std::string packed, const char* type, std::size_t count) {
  json.begin_object().key("data").number(static_cast<double>(arrays_.size())).key("type").text(type);
  json.key("count").number(static_cast<double>(count)).end_object();
  arrays_.push_back(std::move(packed));
}

template <>
void PageData::put(JsonWriter& json, std::span<const float> numbers) {
  put_packed(json, pack(numbers), "f32", numbers.size());
}

template <>
void PageData::put(JsonWriter& json, std::span<const double> numbers) {
  put_packed(json, pack(numbers), "f64", numbers.size());
}

bool fits_whole(const ResultsReader& reader) {
  const RecordSchema& schema = reader.schema();
  std::int64_t moving = 0;
  for (const char* quantity : {"position", "orientation", "reaction_force", "applied_force"})
    if (const int group = find_group(schema, quantity); group >= 0)
      moving += schema.frames[static_cast<std::size_t>(group)].width();
  return reader.n_frames() * schema.frame_width() <= ReportOptions().max_channel_numbers &&
         reader.n_frames() * moving <= exact_animation;
}

bool fits_whole_story(const ResultsReader& reader) {
  return reader.n_steps() * std::max(1, reader.schema().step_width()) <= most_solver_numbers;
}

RunWriter::RunWriter(const ResultsReader& reader, const ReportOptions& options, int n_runs, JsonWriter& json,
                     PageData& data)
    : reader_(reader), options_(options), n_runs_(n_runs), json_(json), data_(data) {}

ReportContents RunWriter::write() {
  contents_.n_frames = reader_.n_frames();
  contents_.n_steps = reader_.n_steps();
  json_.begin_object();
  write_description();
  write_channels();
  write_animation();
  write_solver();
  if (bad_row_ >= 0) {
    json_.key("not_finite").begin_object().key("channel").text(bad_channel_);
    json_.key("time").number(reader_.times()[static_cast<std::size_t>(bad_row_)]).end_object();
  }
  json_.end_object();
  return contents_;
}

void RunWriter::write_description() {
  json_.key("file").text(reader_.path().filename().string());
  json_.key("label").text(reader_.path().stem().string());
  json_.key("state").text(reader_.state() == ResultsState::closed ? "" : describe(reader_.state()));
  for (const char* key :
       {"title", "model_file", "created", "command", "settings", "model", "scene", "trammel_version"}) {
    const auto it = reader_.schema().attributes.find(key);
    json_.key(key).text(it == reader_.schema().attributes.end() ? "" : it->second);
  }
  json_.key("summary");
  put_entries(json_, reader_.summary());
  json_.key("n_frames").number(static_cast<double>(contents_.n_frames));
  json_.key("n_steps").number(static_cast<double>(contents_.n_steps));
  json_.key("times");
  data_.put<double>(json_, reader_.times());
}

// Column after column: the chosen columns of a group at the chosen rows.
template <class Number>
std::vector<Number> RunWriter::read_columns(bool solver, int group, const Thinning& rows,
                                            const std::vector<int>& columns) {
  const RecordGroup& what = solver ? reader_.schema().solver[static_cast<std::size_t>(group)]
                                   : reader_.schema().frames[static_cast<std::size_t>(group)];
  const std::int64_t width = what.width(), count = rows.count();
  std::vector<Number> values(columns.size() * static_cast<std::size_t>(count));
  std::vector<double> block;
  const std::int64_t most = std::max<std::int64_t>(1, block_numbers / width);
  std::int64_t i = 0;
  while (i < count) {
    const std::int64_t first = rows.row(i), last = std::min(rows.n, first + most);
    block.resize(static_cast<std::size_t>((last - first) * width));
    reader_.read_rows(solver, group, first, last - first, block);
    for (; i < count && rows.row(i) < last; ++i) {
      const double* const row = block.data() + (rows.row(i) - first) * width;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double x = row[columns[c]];
        if (!solver && !std::isfinite(x)) note_non_finite(what, columns[c], rows.row(i));
        values[c * static_cast<std::size_t>(count) + static_cast<std::size_t>(i)] = static_cast<Number>(x);
      }
    }
  }
  return values;
}

void RunWriter::note_non_finite(const RecordGroup& group, int column, std::int64_t row) {
  if (bad_row_ >= 0 && row >= bad_row_) return;
  const int n = group.n_components();
  bad_channel_ = channel_name(group, column / n);
  if (!group.components.empty()) bad_channel_ += "." + group.components[static_cast<std::size_t>(column % n)];
  bad_row_ = row;
}

void RunWriter::write_group(const RecordGroup& group) {
  json_.key("quantity").text(group.quantity()).key("pattern").text(name_pattern(group));
  json_.key("names").texts(group.names).key("components").texts(group.components);
  json_.key("unit").text(group.unit).key("description").text(group.description);
  if (!group.item_units.empty()) json_.key("units").texts(group.item_units);
}

// The columns (group, column) that are carried whole although the groups are thinned.
std::vector<std::pair<int, int>> RunWriter::complete_columns() const {
  std::vector<std::pair<int, int>> chosen;
  const RecordSchema& schema = reader_.schema();
  const auto add = [&](int group, int item, int component) {
    const int n = schema.frames[static_cast<std::size_t>(group)].n_components();
    for (int k = 0; k < n; ++k)
      if (component < 0 || component == k) chosen.emplace_back(group, item * n + k);
  };
  if (!options_.channels.empty()) {
    const ChannelIndex index(schema);
    for (const std::string& name : options_.channels) {
      const ChannelPlace place = index.find(name);
      if (!place.solver) add(place.group, place.item, place.component);
    }
  } else {
    for (const char* quantity :
         {"measure", "energy", "constraint_drift", "angle", "displacement", "effort", "point", "state", "coordinate",
          "applied_effort", "applied_force", "reaction_force", "position"}) {
      const int group = find_group(schema, quantity);
      for (int item = 0; group >= 0 && item < schema.frames[static_cast<std::size_t>(group)].n_items(); ++item)
        if (chosen.size() < most_default_channels) add(group, item, -1);
    }
    if (chosen.size() > most_default_channels) chosen.resize(most_default_channels);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

void RunWriter::write_channels() {
  const RecordSchema& schema = reader_.schema();
  const std::int64_t n = contents_.n_frames, width = schema.frame_width();
  const std::int64_t room = options_.max_channel_numbers / n_runs_;
  std::int64_t stride = 1;
  if (n * width > room) stride = (n * width + room - 1) / room;
  Thinning rows{n, stride};
  const bool carried = stride == 1 || rows.count() >= fewest_thinned_rows;
  contents_.n_channels = static_cast<int>(width);
  const std::vector<std::pair<int, int>> complete =
      stride > 1 ? complete_columns() : std::vector<std::pair<int, int>>{};
  if (stride == 1) {
    if (!options_.channels.empty()) complete_columns();  // refuses unknown names
    contents_.n_complete = contents_.n_channels;
  } else {
    contents_.n_complete = static_cast<int>(complete.size());
    contents_.n_thinned = carried ? contents_.n_channels - contents_.n_complete : 0;
  }

  json_.key("stride").number(static_cast<double>(stride)).key("groups").begin_array();
  for (std::size_t g = 0; g < schema.frames.size(); ++g) {
    json_.begin_object();
    write_group(schema.frames[g]);
    if (carried && n > 0) {
      const Shifted shifted =
          shift(read_columns<double>(false, static_cast<int>(g), rows, all_columns(schema.frames[g])), rows.count());
      json_.key("values");
      data_.put<float>(json_, shifted.values);
      if (shifted.any) {
        json_.key("offsets");
        data_.put<double>(json_, shifted.offsets);
      }
    }
    json_.end_object();
  }
  json_.end_array().key("complete").begin_array();
  for (const auto& [group, column] : complete) {
    const Shifted shifted = shift(read_columns<double>(false, group, {n, 1}, {column}), n);
    json_.begin_object().key("group").number(group).key("column").number(column).key("values");
    data_.put<float>(json_, shifted.values);
    if (shifted.any) json_.key("offset").number(shifted.offsets[0]);
    json_.end_object();
  }
  json_.end_array();
}

void RunWriter::write_animation() {
  const RecordSchema& schema = reader_.schema();
  const int position = find_group(schema, "position"), orientation = find_group(schema, "orientation");
  if (contents_.n_frames == 0 || position < 0 || orientation < 0) return;
  // What has a place must have a direction; of a choice of joints and forces nobody knows whose arrows they are.
  if (schema.frames[static_cast<std::size_t>(position)].names !=
      schema.frames[static_cast<std::size_t>(orientation)].names)
    return;
  std::vector<Track> tracks{{"position", position, {}}, {"orientation", orientation, {}}};
  for (const char* arrows : {"reaction_force", "applied_force"})
    if (const int group = find_group(schema, arrows); group >= 0 && is_whole(schema, arrows))
      tracks.push_back({arrows, group, {}});
  std::int64_t width = 0;
  for (const Track& track : tracks) width += schema.frames[static_cast<std::size_t>(track.group)].width();

  // Motion usually compresses well; what a browser has to unpack is limited first, then what the page has to carry.
  const std::int64_t room = options_.max_animation_bytes / n_runs_;
  contents_.quantised = contents_.n_frames * width > exact_animation / n_runs_;
  Thinning rows{contents_.n_frames, 1};
  if (contents_.quantised) rows.stride = 1 + contents_.n_frames * width / (most_animation_numbers / n_runs_);
  std::vector<std::vector<std::string>> packed;
  for (std::int64_t bytes = room + 1; bytes > room;) {
    packed.clear();
    bytes = 0;
    for (Track& track : tracks) {
      track.values = read_columns<float>(false, track.group, rows,
                                         all_columns(schema.frames[static_cast<std::size_t>(track.group)]));
      if (track.group == orientation) make_continuous(track.values, rows.count());
      if (contents_.quantised) {
        const Quantised q = quantise(track.values, rows.count());
        packed.push_back({pack<std::uint16_t>(q.codes), pack<float>(q.low), pack<float>(q.high)});
      } else {
        packed.push_back({pack<float>(track.values)});
      }
      bytes += static_cast<std::int64_t>(packed.back()[0].size());
    }
    if (!contents_.quantised || rows.count() <= 2) break;
    if (bytes > room) rows.stride = std::max(rows.stride + 1, rows.stride * bytes / room + 1);
  }
  contents_.animation_stride = static_cast<int>(rows.stride);

  json_.key("animation").begin_object().key("stride").number(static_cast<double>(rows.stride));
  json_.key("frames").number(static_cast<double>(rows.count())).key("quantised").boolean(contents_.quantised);
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const std::size_t columns = tracks[i].values.size() / static_cast<std::size_t>(rows.count());
    json_.key(tracks[i].name).begin_object().key("values");
    data_.put_packed(json_, std::move(packed[i][0]), contents_.quantised ? "u16" : "f32", tracks[i].values.size());
    if (contents_.quantised) {
      json_.key("low");
      data_.put_packed(json_, std::move(packed[i][1]), "f32", columns);
      json_.key("high");
      data_.put_packed(json_, std::move(packed[i][2]), "f32", columns);
    }
    json_.end_object();
  }
  json_.end_object();
}

// Of a long run, every stretch of steps is shown by two rows: the smallest and the largest of each quantity in it.
void RunWriter::write_solver() {
  const RecordSchema& schema = reader_.schema();
  const std::int64_t n = contents_.n_steps, width = std::max(1, schema.step_width());
  const std::int64_t room = most_solver_numbers / n_runs_;
  const std::int64_t stretch = n * width <= room ? 1 : (2 * n * width + room - 1) / room;
  std::vector<double> times;
  for (std::int64_t i = 0; i < n; i += stretch) {
    times.push_back(reader_.step_times()[static_cast<std::size_t>(i)]);
    if (stretch > 1) times.push_back(reader_.step_times()[static_cast<std::size_t>(std::min(i + stretch, n) - 1)]);
  }
  json_.key("solver").begin_object().key("stretch").number(static_cast<double>(stretch)).key("times");
  data_.put<double>(json_, times);
  json_.key("groups").begin_array();
  for (std::size_t g = 0; g < schema.solver.size(); ++g) {
    const RecordGroup& group = schema.solver[g];
    const std::vector<float> all = read_columns<float>(true, static_cast<int>(g), {n, 1}, all_columns(group));
    std::vector<float> values;
    values.reserve(times.size() * static_cast<std::size_t>(group.width()));
    for (std::size_t column = 0; stretch > 1 && column < static_cast<std::size_t>(group.width()); ++column) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(column) * n;
      for (std::int64_t i = 0; i < n; i += stretch) {
        const auto [low, high] = std::minmax_element(begin + i, begin + std::min(i + stretch, n));
        values.push_back(*low), values.push_back(*high);
      }
    }
    json_.begin_object();
    write_group(group);
    json_.key("values");
    data_.put<float>(json_, stretch > 1 ? values : all);
    json_.end_object();
  }
  json_.end_array().end_object();
}

}  // namespace trammel::detail
