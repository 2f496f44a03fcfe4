// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/figure.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "panel_painter.h"
#include "png.h"
#include "trammel/base/error.h"

namespace trammel {

namespace {

// Okabe and Ito's palette without yellow, which is too light for lines on white.
constexpr std::array<const char*, 7> colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                            "#56b4e9", "#e69f00", "#000000"};

void check_range(double from, double to) {
  if (!(std::isfinite(from) && std::isfinite(to) && from < to))
    throw InputError(fmt::format("the range of an axis must be finite and ascending, not {} to {}", from, to));
}

}  // namespace

Panel& Panel::title(std::string text) { return title_ = std::move(text), *this; }
Panel& Panel::x_label(std::string text) { return x_.label = std::move(text), *this; }
Panel& Panel::y_label(std::string text) { return y_.label = std::move(text), *this; }
Panel& Panel::log_x(bool on) { return x_.log = on, *this; }
Panel& Panel::log_y(bool on) { return y_.log = on, *this; }
Panel& Panel::grid(bool on) { return grid_ = on, *this; }
Panel& Panel::legend(Corner at) { return legend_ = at, *this; }
Panel& Panel::equal_scale(bool on) { return equal_ = on, *this; }

Panel& Panel::x_range(double from, double to) {
  check_range(from, to);
  x_.fixed = true;
  x_.from = from;
  x_.to = to;
  return *this;
}

Panel& Panel::y_range(double from, double to) {
  check_range(from, to);
  y_.fixed = true;
  y_.from = from;
  y_.to = to;
  return *this;
}

Panel& Panel::add(std::span<const double> x, std::span<const double> y, CurveStyle style) {
  if (x.size() != y.size())
    throw InputError(fmt::format("curve '{}' has {} x values and {} y values", style.label, x.size(), y.size()));
  if (style.color.empty()) style.color = colors[next_color_++ % colors.size()];
  curves_.push_back({{x.begin(), x.end()}, {y.begin(), y.end()}, std::move(style)});
  return *this;
}

Panel& Panel::line(std::span<const double> x, std::span<const double> y, CurveStyle style) {
  return add(x, y, std::move(style));
}

Panel& Panel::scatter(std::span<const double> x, std::span<const double> y, CurveStyle style) {
  style.width = 0.0;
  if (style.marker == Marker::none) style.marker = Marker::circle;
  return add(x, y, std::move(style));
}

Panel& Panel::horizontal(double y, CurveStyle style) {
  horizontals_.emplace_back(y, std::move(style));
  return *this;
}

Panel& Panel::vertical(double x, CurveStyle style) {
  verticals_.emplace_back(x, std::move(style));
  return *this;
}

Panel& Panel::text(double x, double y, std::string words) {
  notes_.push_back({x, y, std::move(words)});
  return *this;
}

Panel& Figure::panel() { return panels_.emplace_back(); }

Figure& Figure::columns(int n) {
  if (n < 1) throw InputError(fmt::format("a figure needs at least one column of panels, not {}", n));
  columns_ = n;
  return *this;
}

Figure& Figure::panel_size(int width, int height) {
  if (width < 150 || height < 120)
    throw InputError(
        fmt::format("a panel of {} x {} px is too small for its labels; at least 150 x 120", width, height));
  width_ = width;
  height_ = height;
  return *this;
}

std::string Figure::svg() const {
  const int n = std::max<int>(1, static_cast<int>(panels_.size()));
  const int across = columns_ > 0 ? std::min(columns_, n) : std::min(2, n);
  const int down = (n + across - 1) / across;
  const int heading = title_.empty() ? 0 : 32;
  const int width = across * width_, height = down * height_ + heading;
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
      "height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" "
      "fill=\"#222222\">\n<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height, escape_xml(title_));
  if (heading > 0)
    svg += fmt::format("<text x=\"{}\" y=\"22\" text-anchor=\"middle\" font-size=\"16\">{}</text>\n", width / 2,
                       escape_xml(title_));
  for (int i = 0; i < std::ssize(panels_); ++i) {
    const int x = i % across * width_, y = i / across * height_ + heading;
    const PanelFrame frame{static_cast<double>(x), static_cast<double>(y), static_cast<double>(width_),
                           static_cast<double>(height_), i};
    svg += PanelPainter(panels_[static_cast<std::size_t>(i)], frame).paint();
  }
  return svg + "</svg>\n";
}

OutputKind picture_kind(const std::filesystem::path& path) {
  // cairo's pictures, with a chunk of ours (png.cpp); our own drawings have always begun like this.
  if (path.extension() == ".png") return text_kind("a picture of Trammel", {"\x89PNG"}, png_mark());
  return text_kind("a picture of Trammel", {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns="},
                   "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222222\">");
}

void Figure::save(const std::filesystem::path& path) const {
  if (path.extension() == ".png") {
    require_picture(path);
    return write_png(svg(), path);
  }
  TextFile file(path, picture_kind(path));
  file.write(svg());
  file.close();
}

void require_picture(const std::filesystem::path& path) {
  if (path.extension() != ".svg" && path.extension() != ".png")
    throw InputError(fmt::format("the picture's name is '{}'; it must end with .svg or .png", path.string()));
  OutputFile::check(path, picture_kind(path));
  if (path.extension() != ".png") return;
  if (const std::string obstacle = find_png_obstacle(); !obstacle.empty())
    throw InputError(fmt::format("cannot draw '{}': {}", path.string(), obstacle));
}

}  // namespace trammel
