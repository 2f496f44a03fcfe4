// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "messages.h"

namespace trammel::apps {

namespace {

constexpr double redraws_per_second = 10.0;
constexpr int widest_bar = 40, narrowest_bar = 5;

double fraction_done(const Progress& p) {
  return p.end > p.start ? std::clamp((p.t - p.start) / (p.end - p.start), 0.0, 1.0) : 1.0;
}

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::chrono::steady_clock::duration duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::string describe_duration(double seconds) {
  // More than a year is no estimate any more.
  if (!(seconds < 3.15e7)) return "more than a year";
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

ProgressDisplay::Style ProgressDisplay::choose(bool quiet) {
  if (quiet) return Style::none;
  return isatty(STDERR_FILENO) != 0 ? Style::bar : Style::lines;
}

ProgressDisplay::ProgressDisplay(Style style, double interval)
    : style_(style), interval_(style == Style::bar ? 1.0 / redraws_per_second : interval), next_(Clock::now()) {
  // A bar appears at once, the first line after an interval.
  if (style == Style::lines) next_ += duration(interval_);
}

void ProgressDisplay::update(const Progress& progress, std::int64_t frames_written) {
  if (style_ == Style::none) return;
  const Clock::time_point now = Clock::now();
  if (first_fraction_ < 0.0) {
    first_time_ = now;
    first_fraction_ = fraction_done(progress);
  }
  if (now < next_) return;
  next_ = now + duration(interval_);
  const std::string left = estimate_left(progress, now);
  if (style_ == Style::bar) {
    draw_bar(progress, frames_written, left);
    drawn_ = true;
    return;
  }
  complain("t = {:.6g} s of {:.6g} s ({:.0f} %), h = {:.1e} s, {} frames written{}\n", progress.t, progress.end,
           std::floor(100.0 * fraction_done(progress)), progress.h, frames_written, left.empty() ? "" : ", " + left);
}

std::string ProgressDisplay::estimate_left(const Progress& progress, Clock::time_point now) const {
  const double done = fraction_done(progress), elapsed = std::chrono::duration<double>(now - first_time_).count();
  if (done <= first_fraction_) return "";
  return describe_duration(elapsed * (1.0 - done) / (done - first_fraction_)) + " left";
}

void ProgressDisplay::draw_bar(const Progress& p, std::int64_t frames_written, const std::string& left) const {
  const double done = fraction_done(p);
  const std::string text = fmt::format("{:3.0f} %  t = {:.4g} of {:.4g} s  h = {:.1e} s  {} frames  {}",
                                       std::floor(100.0 * done), p.t, p.end, p.h, frames_written, left);
  const int room = terminal_width() - static_cast<int>(text.size()) - 5;  // brackets, blanks, the last column
  std::string line;
  if (room >= narrowest_bar) {
    const int width = std::min(room, widest_bar), full = static_cast<int>(done * width);
    line = "[" + std::string(full, '#') + std::string(width - full, '.') + "] ";
  }
  line += text;
  const auto most = static_cast<std::size_t>(std::max(1, terminal_width() - 1));
  if (line.size() > most) line.resize(most);
  complain("\r{}\x1b[K", line);
}

void ProgressDisplay::clear() {
  if (!drawn_) return;
  drawn_ = false;
  complain("\r\x1b[K");
}

}  // namespace trammel::apps
