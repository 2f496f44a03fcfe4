// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/record_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/simulation/option.h"

namespace trammel {

namespace {

constexpr double bytes_per_number = 8.0;
// By default: results of more than this are made of fewer frames, unless they would be too few to show a motion.
constexpr double default_bytes = 250e6, fewest_frames = 50.0;
constexpr double largest_count = 9007199254740992.0;  // 2⁵³
constexpr double coarsest_time = 16.0;  // between neighbouring numbers near the end, 3 thousand million years away [s]

double row_bytes(int width) { return bytes_per_number * (width + 1.0); }  // with the time

}  // namespace

FrameRule choose_frames(const Settings& given, int frame_width) {
  FrameRule rule;
  const AnalysisKind kind = given.analysis.kind.value_or(AnalysisKind::dynamics);
  if (kind == AnalysisKind::statics || !given.analysis.end) return rule;
  rule.interval = output_interval(given);
  if (given.output.every_step == true) {
    rule.words = "one at the end of each step";
  } else if (given.output.interval) {
    rule.words = fmt::format("one every {:.6g} s", rule.interval);
  } else if (const double bytes = row_bytes(frame_width); bytes * frames_by_default <= default_bytes) {
    rule.words = fmt::format("one every {:.6g} s, {} by default", rule.interval, frames_by_default);
  } else {
    const double n = std::max(fewest_frames, std::floor(default_bytes / bytes));
    rule.interval = given.analysis.span() / n;
    rule.one_per_step = kind == AnalysisKind::dynamics;
    rule.words = fmt::format(
        "one every {:.6g} s{}: at most {} by default, of {:.2g} MB each; 'interval' or 'channels' in [output] "
        "record more or less",
        rule.interval, rule.one_per_step ? ", not more than steps" : "", n, bytes / 1e6);
  }
  return rule;
}

RecordSize estimate_size(const Settings& settings, const RecordSchema& schema) {
  RecordSize size;
  size.frame_bytes = row_bytes(schema.frame_width());
  size.step_bytes = row_bytes(schema.step_width());
  if (settings.analysis.kind == AnalysisKind::statics || !settings.analysis.end) return size;
  const double span = *settings.analysis.end - settings.analysis.start.value_or(0.0);
  if (settings.solver.h && settings.analysis.kind == AnalysisKind::dynamics) size.n_steps = span / *settings.solver.h;
  size.n_frames = settings.output.every_step == true ? size.n_steps : span / output_interval(settings);
  return size;
}

void require_moderate_size(const Settings& settings, const RecordSchema& schema) {
  const RecordSize size = estimate_size(settings, schema);
  const double most = settings.output.max_size.value_or(1e12);
  std::vector<Issue> issues;
  const double end = std::abs(settings.analysis.end.value_or(0.0)), apart = std::nextafter(end, HUGE_VAL) - end;
  if (settings.analysis.kind != AnalysisKind::statics && apart > coarsest_time)
    issues.push_back({"analysis", fmt::format("'end' is {} s; numbers of 16 digits are {:.2g} s apart there, too far "
                                              "for any motion to be followed",
                                              *settings.analysis.end, apart)});
  if (size.n_steps > largest_count)
    issues.push_back(
        {"solver", fmt::format("'h' = {} s makes {:.3g} steps, more than time can count: steps are lost in "
                               "rounding (t + h = t) long before 'end'",
                               *settings.solver.h, size.n_steps)});
  else if (size.bytes() > most)
    issues.push_back(
        {"output", fmt::format("the run would record up to {:.3g} frames of {:.3g} B and {:.3g} steps of {:.3g} B, "
                               "{:.3g} B in all, and 'max_size' is {:.3g} B; a larger 'interval'{} records less, a "
                               "larger 'max_size' allows it",
                               size.n_frames, size.frame_bytes, size.n_steps, size.step_bytes, size.bytes(), most,
                               size.n_steps > 0.0 ? " or 'h'" : "")});
  if (!issues.empty()) throw InputError(std::move(issues));
}

}  // namespace trammel
