// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/live_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../results/file_lock.h"
#include "packed_data.h"
#include "page_text.h"
#include "report_run.h"
#include "trammel/base/json.h"
#include "trammel/base/processor_time.h"
#include "trammel/io/report.h"
#include "trammel/mechanics/kinds/pictures.h"

namespace trammel {

namespace {

constexpr std::int64_t most_numbers = 400000;  // of frames, and of steps, in one answer
constexpr double much_longer = 1.5;            // than what a page shows of the steps

const char* word(ResultsState state) {
  switch (state) {
    case ResultsState::closed:
      return "closed";
    case ResultsState::running:
      return "running";
    case ResultsState::interrupted:
      return "interrupted";
  }
  return "";
}

void put_data(JsonWriter& json, const detail::PageData& data) {
  json.key("data").begin_array();
  for (const std::string& array : data.arrays()) json.text(base64(array));
  json.end_array();
}

// Rows first … first + count of every group of frames or steps, column after column; and their times.
void put_rows(JsonWriter& json, detail::PageData& data, const ResultsReader& reader, bool solver, std::int64_t first,
              std::int64_t count) {
  const std::vector<double>& times = solver ? reader.step_times() : reader.times();
  json.key("times");
  data.put<double>(json, std::span(times).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
  json.key("groups").begin_array();
  const std::vector<RecordGroup>& groups = solver ? reader.schema().solver : reader.schema().frames;
  std::vector<double> rows, columns;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto width = static_cast<std::size_t>(groups[g].width()), n = static_cast<std::size_t>(count);
    rows.resize(width * n);
    columns.resize(width * n);
    reader.read_rows(solver, static_cast<int>(g), first, count, rows);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < width; ++c) columns[c * n + i] = rows[i * width + c];
    data.put<double>(json, columns);
  }
  json.end_array();
}

std::int64_t fitting(std::int64_t rows, int width) {
  return std::min(rows, std::max<std::int64_t>(1, most_numbers / std::max(1, width)));
}

// The rows that were asked for are of the same run: it has them, and the last one was then.
bool continues(const ResultsReader& reader, std::int64_t frames, std::int64_t steps, double last_time) {
  if (frames < 0 || steps < 0 || frames > reader.n_frames() || steps > reader.n_steps()) return false;
  return frames == 0 || reader.times()[static_cast<std::size_t>(frames) - 1] == last_time;
}

}  // namespace

LiveReport::LiveReport(std::filesystem::path results) : results_(std::move(results)), next_(Clock::now()) {
  require_report_page();
}

std::string LiveReport::page() const {
  JsonWriter json;
  json.begin_object().key("file").text(results_.filename().string()).end_object();
  std::string page;
  detail::put_page(
      results_.stem().string(), [&](std::string_view text) { page += text; },
      [&] { page += "<script type=\"application/json\" id=\"live\">" + json.str() + "</script>\n"; });
  return page;
}

double LiveReport::seconds_left() const {
  const double left = std::chrono::duration<double>(next_ - Clock::now()).count();
  // A run that has ended, or was killed, computes no more.
  const bool counts = run_seconds && kept_state_ == ResultsState::running && file_lock::is_held(results_);
  return std::max({0.0, left, counts ? next_run_ - run_seconds() : 0.0});
}

std::string LiveReport::waiting(double seconds) const {
  JsonWriter json;
  json.begin_object().key("wait").number(seconds);
  if (!begun) json.key("waiting").boolean(true);
  return json.end_object().str();
}

std::string LiveReport::trouble(const std::string& words) const {
  JsonWriter json;
  json.begin_object().key("trouble").text(words).key("wait").number(std::max(1.0, interval_));
  return json.end_object().str();
}

// Whoever writes the file is the run, unless somebody said which process that is. One that is gone may have been
// followed by another, which goes on with the file.
void LiveReport::find_run() {
  if (run_seconds && writer_ == 0) return;
  if (const pid_t writer = file_lock::find_process(results_); writer != writer_) {
    writer_ = writer;
    run_seconds = processor_seconds_of(writer);
  }
}

// Does what reads the file, and finds when it may be read again.
std::string LiveReport::charge(const std::function<std::string()>& work) {
  const double before = processor_seconds();
  std::string answer;
  std::error_code error;
  if (!std::filesystem::exists(results_, error)) {
    answer = trouble(fmt::format("'{}' is not there any more", results_.filename().string()));
  } else {
    try {
      ++readings_;
      answer = work();
    } catch (const IoError& failure) {
      answer = trouble(failure.what());
    }
  }
  if (kept_state_ == ResultsState::running) find_run();
  // Who read early pays for what was left to wait as well.
  const double owed = seconds_left() + (processor_seconds() - before) / share;
  interval_ = std::max(least_interval, owed);
  next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_));
  if (run_seconds) next_run_ = run_seconds() + owed;
  return answer;
}

std::string LiveReport::report() {
  if (!begun) return waiting(least_interval);
  if (seconds_left() > 0.0 && !kept_.empty() && !stale_) return kept_;  // the rows behind it are asked for next
  std::string made = charge([&] {
    const ResultsReader reader(results_);
    JsonWriter json;
    detail::PageData data;
    json.begin_object().key("state").text(word(reader.state())).key("wait").number(least_interval);
    json.key("report").begin_object().key("format").number(1).key("title").text(detail::page_title({}, reader));
    put_pictures(json.key("pictures"), standard_kinds());
    json.key("runs").begin_array();
    kept_state_ = reader.state();
    const ReportOptions options;
    detail::RunWriter(reader, options, 1, json, data).write();
    json.end_array().end_object();
    json.key("whole").boolean(detail::fits_whole(reader));
    put_data(json, data);
    return json.end_object().str();
  });
  stale_ = made.find("\"trouble\"") == 1;
  if (!stale_) kept_ = made;
  return made;
}

std::string LiveReport::rows(std::int64_t frames, std::int64_t steps, double last_time) {
  if (!begun) return waiting(least_interval);
  if (const double left = seconds_left(); left > 0.0) return waiting(left);
  return charge([&] {
    const ResultsReader reader(results_);
    JsonWriter json;
    detail::PageData data;
    json.begin_object().key("state").text(word(reader.state()));
    // Of very many steps a page carries stretches: they are told anew now and then, and frames come all the same.
    const bool story = detail::fits_whole_story(reader);
    const std::int64_t more_frames = reader.n_frames() - frames, more_steps = story ? reader.n_steps() - steps : 0;
    const bool old_story = !story && static_cast<double>(reader.n_steps()) > much_longer * static_cast<double>(steps);
    const bool ended = reader.state() != ResultsState::running;
    const bool anew =
        !continues(reader, frames, steps, last_time) || (!detail::fits_whole(reader) && more_frames > 0) || old_story;
    stale_ = stale_ || anew || reader.state() != kept_state_;
    json.key("anew").boolean(anew);
    if (!anew) {
      put_rows(json, data, reader, false, frames, fitting(more_frames, reader.schema().frame_width()));
      json.key("solver").begin_object();
      put_rows(json, data, reader, true, steps, fitting(more_steps, reader.schema().step_width()));
      json.end_object();
    }
    // A run that has ended is looked at now and then: it may be resumed, or run again under this name.
    json.key("wait").number(ended && more_frames + more_steps == 0 ? 4.0 * least_interval : least_interval);
    put_data(json, data);
    return json.end_object().str();
  });
}

}  // namespace trammel
