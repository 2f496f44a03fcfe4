// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <system_error>

#include "commands.h"
#include "messages.h"
#include "trammel/io/report.h"

namespace trammel::apps {

namespace {

std::string megabytes(const std::filesystem::path& file) {
  std::error_code ignored;
  return fmt::format("{:.1f} MB", static_cast<double>(std::filesystem::file_size(file, ignored)) / 1e6);
}

// What a reader of the page should know about its numbers; nothing when it carries all of them.
std::string describe_losses(const ReportContents& run) {
  std::string text;
  if (run.n_frames == 0) text += "; no frames were recorded";
  if (run.animation_stride > 1) text += fmt::format("; animation with every {}th frame", run.animation_stride);
  if (run.quantised) text += "; animation rounded to 16 bits";
  const int left_out = run.n_channels - run.n_complete - run.n_thinned;
  if (run.n_complete < run.n_channels) text += fmt::format("; {} channels complete", run.n_complete);
  if (run.n_thinned > 0) text += fmt::format(", {} thinned", run.n_thinned);
  if (left_out > 0) text += fmt::format(", {} left out (--channel NAME takes one in)", left_out);
  return text;
}

}  // namespace

int report(const ReportCommand& command) {
  for (const std::filesystem::path& file : command.files) require_file(file);
  std::filesystem::path out = command.out;
  if (out.empty()) out = command.files.front().stem().concat(".html");
  ReportOptions options;
  options.channels = command.channels;
  options.title = command.title;
  const std::vector<ReportContents> runs = write_report(command.files, out, options);
  fmt::print("Report: {} ({})\n", out.string(), megabytes(out));
  for (std::size_t i = 0; i < runs.size(); ++i)
    fmt::print("    {}: {} frames, {} steps{}\n", command.files[i].string(), runs[i].n_frames, runs[i].n_steps,
               describe_losses(runs[i]));
  return success;
}

}  // namespace trammel::apps
