// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ticks.h"
#include "trammel/io/figure.h"

namespace trammel {

/// Where a panel stands in its figure [px]; `number` makes its identifiers unique in the file.
struct PanelFrame {
  double x, y, width, height;
  int number;
};

/// Draws one panel: decides ranges and marks, maps data to pixels, and writes SVG.
class PanelPainter {
 public:
  PanelPainter(const Panel& panel, const PanelFrame& frame);
  std::string paint();

 private:
  // An axis with its final range, mapped to pixels a … b (b < a for y).
  struct Scale {
    bool log = false;
    double from = 0.0, to = 1.0;
    double a = 0.0, b = 1.0;
    bool shows(double value) const;  // finite, and positive on a log axis
    double pixel(double value) const;
  };
  struct Pixel {
    double x, y;
  };

  void choose_range(Scale& scale, const Panel::Axis& axis, bool is_x) const;
  void equalize();
  std::vector<Tick> x_ticks() const;
  std::vector<Tick> y_ticks() const;
  void paint_axes();
  void paint_curves();
  void paint_line(const Panel::Curve& curve);
  void paint_markers(const Panel::Curve& curve);
  void paint_marker(Pixel at, const CurveStyle& style);
  void paint_legend();
  Pixel legend_place(double width, double height) const;
  void segment(Pixel from, Pixel to, const CurveStyle& style);

  const Panel& panel_;
  PanelFrame frame_;
  Scale x_, y_;
  double left_, right_, top_, bottom_;  // the plot area
  std::string svg_;
};

}  // namespace trammel
