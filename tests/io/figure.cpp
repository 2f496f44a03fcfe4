// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "sample_run.h"

namespace trammel::test_figure {
namespace {

using sample::Folder;
using sample::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// Every number in a drawing attribute is finite.
void expect_drawable(const std::string& svg) {
  EXPECT_FALSE(std::regex_search(svg, std::regex("[\"ML ,(-](nan|inf)"))) << svg;
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

std::string path_of(const std::string& svg) {
  const std::size_t start = svg.find("<path d=\"") + 9;
  return svg.substr(start, svg.find('"', start) - start);
}

TEST(Figure, is_well_formed_and_shows_panels_labels_and_curves) {
  const Folder folder;
  std::vector<double> t, y, error;
  for (int i = 0; i <= 50; ++i) {
    t.push_back(0.02 * i);
    y.push_back(std::sin(6 * t.back()));
    error.push_back(1e-3 * std::pow(10.0, -0.1 * i));
  }
  Figure figure("Crank <fast> & \"slow\"");
  figure.panel()
      .title("angle")
      .x_label("time [s]")
      .y_label("φ [rad]")
      .line(t, y, {.label = "a < b", .dash = Dash::dashed})
      .line(t, t, {.label = "c", .marker = Marker::diamond})
      .horizontal(0.5, {.label = "limit", .color = "#000000"})
      .vertical(0.3)
      .text(0.1, 0.9, "note & note");
  figure.panel().log_x().log_y().legend(Corner::bottom_left).scatter(error, error, {.marker = Marker::cross});
  figure.panel().equal_scale().grid(false).line(y, t);
  figure.save(folder / "figure.svg");
  const std::string svg = sample::read_text(folder / "figure.svg");
  expect_drawable(svg);
  EXPECT_EQ(svg, figure.svg());
  EXPECT_NE(svg.find("Crank &lt;fast&gt; &amp; &quot;slow&quot;"), std::string::npos);
  EXPECT_NE(svg.find(">φ [rad]</text>"), std::string::npos);
  EXPECT_NE(svg.find(">a &lt; b</text>"), std::string::npos);
  EXPECT_NE(svg.find(">note &amp; note</text>"), std::string::npos);
  EXPECT_EQ(count(svg, "<g id=\"panel"), 3);
  EXPECT_EQ(count(svg, "stroke-linejoin"), 3) << "the scatter has no line";
  const std::string output = sample::python(folder, "import xml.etree.ElementTree as xml\nroot = xml.parse('" +
                                                        (folder / "figure.svg").string() +
                                                        "').getroot()\nprint(root.tag, root.get('width'))\n");
  EXPECT_EQ(output, "{http://www.w3.org/2000/svg}svg 960\n");
}

// The line goes from the left to the right end of the data, a larger value stands higher (smaller pixel number).
TEST(Figure, maps_data_to_pixels_linearly_and_upwards) {
  Figure figure;
  const std::vector<double> x{0, 1, 4}, y{0, 10, 40};
  figure.panel().x_range(0, 4).y_range(0, 40).line(x, y);
  double px[3], py[3];
  ASSERT_EQ(std::sscanf(path_of(figure.svg()).c_str(), "M%lf %lfL%lf %lfL%lf %lf", &px[0], &py[0], &px[1], &py[1],
                        &px[2], &py[2]),
            6);
  constexpr double rounding = 0.011;  // two decimals are written
  EXPECT_NEAR(px[1] - px[0], 0.25 * (px[2] - px[0]), rounding);
  EXPECT_NEAR(py[0] - py[1], 0.25 * (py[0] - py[2]), rounding);
  EXPECT_GT(px[2], px[0]);
  EXPECT_LT(py[2], py[0]);
}

TEST(Figure, maps_equal_ratios_to_equal_lengths_on_log_axes) {
  Figure figure;
  const std::vector<double> x{1e-3, 1e-2, 1e0};
  figure.panel().log_x().log_y().line(x, x);
  double px[3], py[3];
  ASSERT_EQ(std::sscanf(path_of(figure.svg()).c_str(), "M%lf %lfL%lf %lfL%lf %lf", &px[0], &py[0], &px[1], &py[1],
                        &px[2], &py[2]),
            6);
  EXPECT_NEAR(px[1] - px[0], (px[2] - px[0]) / 3, 0.011);
  EXPECT_NE(figure.svg().find(">10<tspan dy=\"-5\" font-size=\"9\">-2</tspan>"), std::string::npos);
}

TEST(Figure, interrupts_a_line_at_points_that_cannot_be_shown) {
  Figure figure;
  const std::vector<double> x{0, 1, 2, 3, 4, 5}, y{1, 2, nan, 3, 4, infinity};
  figure.panel().line(x, y);
  EXPECT_EQ(count(path_of(figure.svg()), "M"), 2);
  expect_drawable(figure.svg());
  Figure log;
  const std::vector<double> signs{1, 2, -1, 3, 0, 5};
  log.panel().log_y().line(x, signs);
  EXPECT_EQ(count(path_of(log.svg()), "M"), 3);
  expect_drawable(log.svg());
}

TEST(Figure, draws_something_sensible_for_degenerate_data) {
  const std::vector<std::vector<double>> cases{
      {}, {3.0}, {0.0}, {5, 5, 5}, {nan, nan}, {-1e308, 1e308}, {1e-320, 2e-320}, {1.0, 1.0 + 1e-15}, {infinity}};
  for (const std::vector<double>& values : cases)
    for (const bool log : {false, true}) {
      Figure figure;
      figure.panel().log_x(log).log_y(log).line(values, values, {.label = "curve", .marker = Marker::circle});
      expect_drawable(figure.svg());
    }
  expect_drawable(Figure().svg());
  Figure empty;
  empty.panel().log_x().equal_scale();
  expect_drawable(empty.svg());
}

// A long run must not make a long file, and a spike of one sample must stay visible.
TEST(Figure, thins_long_curves_without_losing_extremes) {
  std::vector<double> x(200000), y(200000, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  y[123456] = 1.0;
  Figure figure;
  figure.panel().y_range(0, 1).line(x, y);
  const std::string path = path_of(figure.svg());
  EXPECT_LT(path.size(), 100000u);
  EXPECT_NE(path.find(" 14.00"), std::string::npos) << "the top of the panel is reached";
}

TEST(Figure, puts_the_legend_where_it_hides_least) {
  std::vector<double> x, falling, rising;
  for (int i = 0; i <= 100; ++i) {
    x.push_back(i);
    falling.push_back(100 - i);
    rising.push_back(i);
  }
  const auto legend_x = [&](const std::vector<double>& y, Corner corner) {
    Figure figure;
    figure.panel().legend(corner).line(x, y, {.label = "curve"});
    const std::string svg = figure.svg();
    double at = 0.0;
    const std::size_t box = svg.rfind("<rect x=\"");
    EXPECT_EQ(std::sscanf(svg.c_str() + box, "<rect x=\"%lf", &at), 1);
    return at;
  };
  EXPECT_GT(legend_x(falling, Corner::emptiest), 240) << "on the right, the curve starts at the top left";
  EXPECT_LT(legend_x(rising, Corner::emptiest), 240) << "on the left, the curve ends at the top right";
  EXPECT_LT(legend_x(falling, Corner::bottom_left), 240);
}

TEST(Figure, refuses_curves_and_ranges_that_make_no_sense) {
  Figure figure;
  const std::vector<double> two{1, 2}, three{1, 2, 3};
  EXPECT_NE(message_of([&] {
              figure.panel().line(two, three, {.label = "odd"});
            }).find("curve 'odd' has 2 x values and 3 y values"),
            std::string::npos);
  EXPECT_NE(message_of([&] { figure.panel().x_range(2, 1); }).find("ascending"), std::string::npos);
  EXPECT_NE(message_of([&] { figure.panel_size(10, 10); }).find("too small"), std::string::npos);
  figure.panel().log_y().y_range(-1, 1);
  EXPECT_NE(message_of([&] { (void)figure.svg(); }).find("must be positive"), std::string::npos);
  Figure fine;
  EXPECT_NE(message_of([&] { fine.save("/nonexistent/figure.svg"); }).find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace trammel::test_figure
