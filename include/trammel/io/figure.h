// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trammel {

enum class Dash { solid, dashed, dotted, dash_dot };
enum class Marker { none, circle, square, triangle, diamond, cross, plus };
enum class Corner { emptiest, top_right, top_left, bottom_right, bottom_left };

/// How one curve is drawn. An empty colour takes the next of a cycle that colour-blind readers can tell apart
/// (Okabe and Ito, 2008).
struct CurveStyle {
  std::string label{};  ///< in the legend; empty: not listed
  std::string color{};  ///< "#d55e00" or any SVG colour
  Dash dash = Dash::solid;
  double width = 1.6;  ///< of the line [px]; 0: markers only
  Marker marker = Marker::none;
  double marker_size = 6.0;  ///< [px]
};

/// One pair of axes with its curves. Every setter returns the panel, so that a plot reads as one sentence.
///
/// Points whose coordinates are not finite, or not positive on a logarithmic axis, are left out and interrupt the line.
class Panel {
 public:
  Panel& title(std::string text);
  Panel& x_label(std::string text);  ///< with its unit: "time [s]"
  Panel& y_label(std::string text);
  Panel& log_x(bool on = true);
  Panel& log_y(bool on = true);
  Panel& x_range(double from, double to);  ///< instead of the range of the data; from < to, positive on a log axis
  Panel& y_range(double from, double to);
  Panel& grid(bool on);                ///< on by default
  Panel& legend(Corner at);            ///< the emptiest corner by default; shown when a curve has a label
  Panel& equal_scale(bool on = true);  ///< a metre is as long along x as along y (paths in space; linear axes)

  /// Throws InputError when x and y differ in length.
  Panel& line(std::span<const double> x, std::span<const double> y, CurveStyle style = {});
  Panel& scatter(std::span<const double> x, std::span<const double> y, CurveStyle style = {});  ///< markers only
  Panel& horizontal(double y, CurveStyle style = {"", "#666666", Dash::dashed, 1.0});           ///< across the panel
  Panel& vertical(double x, CurveStyle style = {"", "#666666", Dash::dashed, 1.0});
  Panel& text(double x, double y, std::string words);  ///< starting at a point in data coordinates

 private:
  friend class PanelPainter;
  struct Curve {
    std::vector<double> x, y;
    CurveStyle style;
  };
  struct Note {
    double x, y;
    std::string words;
  };
  struct Axis {
    std::string label;
    bool log = false;
    bool fixed = false;  // range given by the user
    double from = 0.0, to = 1.0;
  };
  Panel& add(std::span<const double> x, std::span<const double> y, CurveStyle style);

  std::string title_;
  Axis x_, y_;
  bool grid_ = true, equal_ = false;
  Corner legend_ = Corner::emptiest;
  std::vector<Curve> curves_;
  std::vector<std::pair<double, CurveStyle>> horizontals_, verticals_;
  std::vector<Note> notes_;
  std::size_t next_color_ = 0;
};

/// A figure of one or several panels as a standalone SVG file, or painted into a PNG file.
///
///   Figure figure("Slider crank");
///   figure.panel().x_label("time [s]").y_label("angle [rad]").line(t, angle, {.label = "crank"});
///   figure.panel().log_x().log_y().scatter(h, error, {.label = "h² expected", .marker = Marker::square});
///   figure.save("slider_crank.svg");
class Figure {
 public:
  explicit Figure(std::string title = "") : title_(std::move(title)) {}

  Panel& panel();                             ///< adds a panel: rows are filled from left to right
  Figure& columns(int n);                     ///< panels per row; 2 when there is more than one, unless set
  Figure& panel_size(int width, int height);  ///< [px], labels included; 480 × 340 by default

  std::string svg() const;
  /// PNG (two px for each of the drawing) if the name ends with .png, else SVG; IoError when it cannot be written,
  /// InputError as of require_picture.
  void save(const std::filesystem::path& path) const;

 private:
  std::string title_;
  std::deque<Panel> panels_;  // references to panels stay valid
  int columns_ = 0, width_ = 480, height_ = 340;
};

/// Throws InputError if the name ends with neither .svg nor .png, or with .png in a build that writes none (CMake:
/// TRAMMEL_PNG = OFF). For commands that compute long before they draw.
void require_picture(const std::filesystem::path& path);

}  // namespace trammel
