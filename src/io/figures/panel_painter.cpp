// SPDX-License-Identifier: Apache-2.0
#include "panel_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/io/text_file.h"

namespace trammel {

namespace {

// Free space around the data, as a part of the range.
constexpr double margin = 0.04;
// Average width of a character, as a part of the font size: enough to size legend boxes and label columns.
constexpr double character_width = 0.56;

constexpr double legend_gap = 8;  // [px]

double text_width(const std::string& text, double font_size) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return static_cast<double>(characters) * character_width * font_size;
}

const char* dash_pattern(Dash dash) {
  switch (dash) {
    case Dash::solid:
      return "";
    case Dash::dashed:
      return " stroke-dasharray=\"7 4\"";
    case Dash::dotted:
      return " stroke-dasharray=\"1.5 3.5\"";
    case Dash::dash_dot:
      return " stroke-dasharray=\"8 3 2 3\"";
  }
  return "";
}

std::string stroke(const CurveStyle& style) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{:.4g}\"{}", escape_xml(style.color), style.width,
                     dash_pattern(style.dash));
}

}  // namespace

bool PanelPainter::Scale::shows(double value) const { return std::isfinite(value) && (!log || value > 0.0); }

double PanelPainter::Scale::pixel(double value) const {
  const double part = log ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
  // Far outside the panel the exact place does not matter, but huge numbers upset viewers.
  return a + std::clamp(part, -20.0, 20.0) * (b - a);
}

PanelPainter::PanelPainter(const Panel& panel, const PanelFrame& frame) : panel_(panel), frame_(frame) {
  choose_range(x_, panel_.x_, true);
  choose_range(y_, panel_.y_, false);
  top_ = frame.y + (panel_.title_.empty() ? 14 : 32);
  bottom_ = frame.y + frame.height - (panel_.x_.label.empty() ? 28 : 46);
  double label_width = 0.0;
  for (const Tick& tick : y_ticks()) label_width = std::max(label_width, text_width(tick.label + tick.exponent, 12));
  left_ = frame.x + 14 + (panel_.y_.label.empty() ? 4 : 20) + label_width;
  right_ = frame.x + frame.width - 18;
  if (panel_.equal_ && !x_.log && !y_.log) equalize();
  x_.a = left_;
  x_.b = right_;
  y_.a = bottom_;
  y_.b = top_;
}

// The range of all drawable data with a margin; a single value or none gets a range of its own size around it.
void PanelPainter::choose_range(Scale& scale, const Panel::Axis& axis, bool is_x) const {
  scale.log = axis.log;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto include = [&](double value) {
    if (!scale.shows(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Panel::Curve& curve : panel_.curves_)
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const bool other = is_x ? std::isfinite(curve.y[i]) && (!panel_.y_.log || curve.y[i] > 0.0)
                              : std::isfinite(curve.x[i]) && (!panel_.x_.log || curve.x[i] > 0.0);
      if (other) include(is_x ? curve.x[i] : curve.y[i]);
    }
  for (const auto& [value, style] : is_x ? panel_.verticals_ : panel_.horizontals_) include(value);
  for (const Panel::Note& note : panel_.notes_) include(is_x ? note.x : note.y);
  if (axis.fixed && axis.log && axis.from <= 0.0)
    throw InputError(fmt::format("the range {} to {} of a logarithmic axis must be positive", axis.from, axis.to));
  if (axis.fixed) {
    low = axis.from;
    high = axis.to;
  } else if (!(low <= high)) {
    low = axis.log ? 1.0 : 0.0;
    high = axis.log ? 10.0 : 1.0;
  } else if (axis.log) {
    const double factor = high > low ? std::pow(high / low, margin) : 3.0;
    low = std::max(low / factor, std::numeric_limits<double>::min());
    high = std::min(high * factor, std::numeric_limits<double>::max());
  } else {
    // Less than this part of the values is rounding, not shape: the data count as constant.
    const double size = std::max(std::abs(low), std::abs(high));
    const double pad = high - low > 1e-13 * size ? margin * (high - low) : (size > 0.0 ? 0.1 * size : 1.0);
    low -= pad;
    high += pad;
  }
  // A range that is not representable (1e308 wide, or of denormal numbers) falls back to something drawable.
  if (!std::isfinite(high - low) || !(high > low)) {
    low = axis.log ? 1.0 : -1.0;
    high = axis.log ? 10.0 : 1.0;
  }
  scale.from = low;
  scale.to = high;
}

void PanelPainter::equalize() {
  const double x_unit = (x_.to - x_.from) / (right_ - left_), y_unit = (y_.to - y_.from) / (bottom_ - top_);
  Scale& scale = x_unit < y_unit ? x_ : y_;
  const double factor = std::max(x_unit, y_unit) / std::min(x_unit, y_unit);
  const double middle = 0.5 * (scale.from + scale.to), half = 0.5 * (scale.to - scale.from) * factor;
  if (!std::isfinite(middle + half)) return;
  scale.from = middle - half;
  scale.to = middle + half;
}

std::vector<Tick> PanelPainter::x_ticks() const {
  const int wanted = std::max(2, static_cast<int>((right_ - left_) / 70));
  return x_.log ? log_ticks(x_.from, x_.to, wanted) : linear_ticks(x_.from, x_.to, wanted);
}

std::vector<Tick> PanelPainter::y_ticks() const {
  const int wanted = std::max(2, static_cast<int>((bottom_ - top_) / 40));
  return y_.log ? log_ticks(y_.from, y_.to, wanted) : linear_ticks(y_.from, y_.to, wanted);
}

std::string PanelPainter::paint() {
  svg_ += fmt::format("<g id=\"panel{}\">\n", frame_.number);
  paint_axes();
  paint_curves();
  paint_legend();
  svg_ += "</g>\n";
  return std::move(svg_);
}

void PanelPainter::paint_axes() {
  const auto out = std::back_inserter(svg_);
  const auto label = [](const Tick& tick) {
    return tick.exponent.empty()
               ? escape_xml(tick.label)
               : fmt::format("{}<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", tick.label, tick.exponent);
  };
  const auto grid = [&](Pixel from, Pixel to, bool major) {
    if (panel_.grid_)
      fmt::format_to(out, "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"/>\n", from.x,
                     from.y, to.x, to.y, major ? "#dddddd" : "#f1f1f1");
  };
  for (const Tick& tick : x_ticks()) {
    const double at = x_.pixel(tick.at);
    grid({at, top_}, {at, bottom_}, tick.major);
    fmt::format_to(out, "<line x1=\"{0:.2f}\" y1=\"{1:.2f}\" x2=\"{0:.2f}\" y2=\"{2:.2f}\" stroke=\"#222222\"/>\n", at,
                   bottom_, bottom_ - (tick.major ? 5 : 3));
    if (!tick.label.empty())
      fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", at, bottom_ + 17,
                     label(tick));
  }
  for (const Tick& tick : y_ticks()) {
    const double at = y_.pixel(tick.at);
    grid({left_, at}, {right_, at}, tick.major);
    fmt::format_to(out, "<line x1=\"{1:.2f}\" y1=\"{0:.2f}\" x2=\"{2:.2f}\" y2=\"{0:.2f}\" stroke=\"#222222\"/>\n", at,
                   left_, left_ + (tick.major ? 5 : 3));
    if (!tick.label.empty())
      fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", left_ - 6, at + 4,
                     label(tick));
  }
  fmt::format_to(
      out, "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" stroke=\"#222222\"/>\n",
      left_, top_, right_ - left_, bottom_ - top_);
  const double middle_x = 0.5 * (left_ + right_), middle_y = 0.5 * (top_ + bottom_);
  if (!panel_.title_.empty())
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n", middle_x,
                   top_ - 10, escape_xml(panel_.title_));
  if (!panel_.x_.label.empty())
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\" font-size=\"13\">{}</text>\n", middle_x,
                   bottom_ + 36, escape_xml(panel_.x_.label));
  if (!panel_.y_.label.empty())
    fmt::format_to(out,
                   "<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" text-anchor=\"middle\" "
                   "font-size=\"13\">{}</text>\n",
                   frame_.x + 18, middle_y, escape_xml(panel_.y_.label));
}

void PanelPainter::paint_curves() {
  const auto out = std::back_inserter(svg_);
  fmt::format_to(
      out,
      "<clipPath id=\"area{}\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/></clipPath>\n"
      "<g clip-path=\"url(#area{})\" fill=\"none\">\n",
      frame_.number, left_, top_, right_ - left_, bottom_ - top_, frame_.number);
  for (const auto& [y, style] : panel_.horizontals_)
    if (y_.shows(y)) segment({left_, y_.pixel(y)}, {right_, y_.pixel(y)}, style);
  for (const auto& [x, style] : panel_.verticals_)
    if (x_.shows(x)) segment({x_.pixel(x), top_}, {x_.pixel(x), bottom_}, style);
  for (const Panel::Curve& curve : panel_.curves_) paint_line(curve);
  svg_ += "</g>\n";
  // Markers may overlap the frame, so they are not clipped; those outside the range are left out.
  for (const Panel::Curve& curve : panel_.curves_) paint_markers(curve);
  for (const Panel::Note& note : panel_.notes_)
    if (x_.shows(note.x) && y_.shows(note.y))
      fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", x_.pixel(note.x), y_.pixel(note.y),
                     escape_xml(note.words));
}

// One path per curve; a point that cannot be shown lifts the pen. Points that fall on the same pixel column between its
// first, lowest, highest and last one are not seen: dropping them keeps files of long runs small.
void PanelPainter::paint_line(const Panel::Curve& curve) {
  if (curve.style.width <= 0.0) return;
  std::string path;
  const auto out = std::back_inserter(path);
  bool down = false;
  std::vector<Pixel> column;
  const auto draw = [&](Pixel at) {
    fmt::format_to(out, "{}{:.2f} {:.2f}", down ? "L" : "M", at.x, at.y);
    down = true;
  };
  const auto draw_column = [&] {
    if (column.size() <= 4) {
      for (const Pixel at : column) draw(at);
    } else {
      const auto by_y = [](Pixel one, Pixel two) { return one.y < two.y; };
      auto [low, high] = std::minmax_element(column.begin(), column.end(), by_y);
      if (high < low) std::swap(low, high);
      for (const Pixel at : {column.front(), *low, *high, column.back()}) draw(at);
    }
    column.clear();
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!x_.shows(curve.x[i]) || !y_.shows(curve.y[i])) {
      draw_column();
      down = false;
      continue;
    }
    const Pixel at{x_.pixel(curve.x[i]), y_.pixel(curve.y[i])};
    if (!column.empty() && std::floor(2 * at.x) != std::floor(2 * column.front().x)) draw_column();
    column.push_back(at);
  }
  draw_column();
  if (path.empty()) return;
  fmt::format_to(std::back_inserter(svg_), "<path d=\"{}\" {} stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
                 path, stroke(curve.style));
}

void PanelPainter::paint_markers(const Panel::Curve& curve) {
  if (curve.style.marker == Marker::none) return;
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (x_.shows(curve.x[i]) && y_.shows(curve.y[i])) {
      const Pixel at{x_.pixel(curve.x[i]), y_.pixel(curve.y[i])};
      const double slack = 0.5;
      if (at.x >= left_ - slack && at.x <= right_ + slack && at.y >= top_ - slack && at.y <= bottom_ + slack)
        paint_marker(at, curve.style);
    }
}

void PanelPainter::paint_marker(Pixel at, const CurveStyle& style) {
  const auto out = std::back_inserter(svg_);
  const double r = 0.5 * style.marker_size;
  const std::string fill = fmt::format("fill=\"{}\"", escape_xml(style.color));
  const std::string open = fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"", escape_xml(style.color));
  switch (style.marker) {
    case Marker::none:
      break;
    case Marker::circle:
      fmt::format_to(out, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" {}/>\n", at.x, at.y, r, fill);
      break;
    case Marker::square:
      fmt::format_to(out, "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>\n", at.x - r,
                     at.y - r, 2 * r, 2 * r, fill);
      break;
    case Marker::triangle:
      fmt::format_to(out, "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}L{:.2f} {:.2f}Z\" {}/>\n", at.x, at.y - 1.15 * r,
                     at.x + r, at.y + 0.8 * r, at.x - r, at.y + 0.8 * r, fill);
      break;
    case Marker::diamond:
      fmt::format_to(out, "<path d=\"M{0:.2f} {2:.2f}L{4:.2f} {1:.2f}L{0:.2f} {3:.2f}L{5:.2f} {1:.2f}Z\" {6}/>\n", at.x,
                     at.y, at.y - 1.2 * r, at.y + 1.2 * r, at.x + 1.2 * r, at.x - 1.2 * r, fill);
      break;
    case Marker::cross:
      fmt::format_to(out, "<path d=\"M{0:.2f} {2:.2f}L{1:.2f} {3:.2f}M{0:.2f} {3:.2f}L{1:.2f} {2:.2f}\" {4}/>\n",
                     at.x - r, at.x + r, at.y - r, at.y + r, open);
      break;
    case Marker::plus:
      fmt::format_to(out, "<path d=\"M{0:.2f} {5:.2f}L{1:.2f} {5:.2f}M{4:.2f} {2:.2f}L{4:.2f} {3:.2f}\" {6}/>\n",
                     at.x - r, at.x + r, at.y - r, at.y + r, at.x, at.y, open);
      break;
  }
}

void PanelPainter::segment(Pixel from, Pixel to, const CurveStyle& style) {
  fmt::format_to(std::back_inserter(svg_), "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n",
                 from.x, from.y, to.x, to.y, stroke(style));
}

// The corner that was asked for, or the one where the box covers the fewest points of curves.
PanelPainter::Pixel PanelPainter::legend_place(double width, double height) const {
  const double x_left = left_ + legend_gap, x_right = right_ - legend_gap - width;
  const double y_top = top_ + legend_gap, y_bottom = bottom_ - legend_gap - height;
  const std::array<std::pair<Corner, Pixel>, 4> places{{{Corner::top_right, {x_right, y_top}},
                                                        {Corner::top_left, {x_left, y_top}},
                                                        {Corner::bottom_right, {x_right, y_bottom}},
                                                        {Corner::bottom_left, {x_left, y_bottom}}}};
  Pixel best = places[0].second;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& [corner, place] : places) {
    if (corner == panel_.legend_) return place;
    std::size_t covered = 0;
    for (const Panel::Curve& curve : panel_.curves_)
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (!x_.shows(curve.x[i]) || !y_.shows(curve.y[i])) continue;
        const double x = x_.pixel(curve.x[i]) - place.x, y = y_.pixel(curve.y[i]) - place.y;
        if (x > -legend_gap && x < width + legend_gap && y > -legend_gap && y < height + legend_gap) ++covered;
      }
    if (covered < fewest) {
      fewest = covered;
      best = place;
    }
  }
  return best;
}

void PanelPainter::paint_legend() {
  std::vector<const CurveStyle*> entries;
  for (const Panel::Curve& curve : panel_.curves_)
    if (!curve.style.label.empty()) entries.push_back(&curve.style);
  for (const auto* lines : {&panel_.horizontals_, &panel_.verticals_})
    for (const auto& [value, style] : *lines)
      if (!style.label.empty()) entries.push_back(&style);
  if (entries.empty()) return;

  constexpr double line_height = 17, sample = 26, gap = legend_gap;
  double width = 0.0;
  for (const CurveStyle* style : entries) width = std::max(width, text_width(style->label, 12));
  width += sample + 3 * gap;
  const double height = line_height * static_cast<double>(entries.size()) + gap;
  const auto [x, y] = legend_place(width, height);
  const auto out = std::back_inserter(svg_);
  fmt::format_to(
      out,
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#ffffff\" fill-opacity=\"0.85\" "
      "stroke=\"#bbbbbb\"/>\n",
      x, y, width, height);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const CurveStyle& style = *entries[i];
    const double middle = y + gap / 2 + line_height * (static_cast<double>(i) + 0.5);
    if (style.width > 0.0) segment({x + gap, middle}, {x + gap + sample, middle}, style);
    paint_marker({x + gap + sample / 2, middle}, style);
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", x + 2 * gap + sample, middle + 4,
                   escape_xml(style.label));
  }
}

}  // namespace trammel
