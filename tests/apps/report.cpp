// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "program.h"
#include "trammel/io/results_reader.h"

// `trammel report` and `trammel plot`, on results that the program itself made.

namespace trammel::test_report {
namespace {

using program::call;
using program::Folder;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

TEST(ReportCommand, writes_a_page_beside_the_results_of_a_run) {
  const Folder folder;
  const Outcome run = call(folder, {"run", pendulum, "--report", "-o", "swing.h5"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_SAYS(run.out, "Report: swing.html");
  EXPECT_SAYS(read_text(folder / "swing.html"), "<title>Pendulum</title>");
}

TEST(ReportCommand, says_what_it_wrote_and_takes_several_runs) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "-q", "-o", "a.h5"}).code, 0);
  ASSERT_EQ(call(folder, {"run", pendulum, "-q", "-o", "b.h5", "--set", "solver.h=2e-3"}).code, 0);
  const Outcome out = call(folder, {"report", "a.h5", "b.h5", "--title", "Two <steps>"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_SAYS(out.out, "Report: a.html (");
  EXPECT_SAYS(out.out, "a.h5: 51 frames, 500 steps\n");
  EXPECT_SAYS(out.out, "b.h5: 51 frames, 250 steps\n");
  EXPECT_SAYS(read_text(folder / "a.html"), "<title>Two &lt;steps&gt;</title>");
}

TEST(ReportCommand, refuses_what_is_no_results_file_in_plain_words) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "-q"}).code, 0);
  const Outcome missing = call(folder, {"report", "pendulm.h5"});
  EXPECT_EQ(missing.code, 4);
  EXPECT_SAYS(missing.err, "there is no file 'pendulm.h5'; did you mean 'pendulum.h5'?");
  folder.write("text.h5", "not HDF5");
  const Outcome foreign = call(folder, {"report", "text.h5"});
  EXPECT_EQ(foreign.code, 4);
  EXPECT_SAYS(foreign.err, "it is not an HDF5 file");
  const Outcome channel = call(folder, {"report", "pendulum.h5", "--channel", "rod.positon"});
  EXPECT_EQ(channel.code, 2);
  EXPECT_SAYS(channel.err, "did you mean 'rod.position'?");
}

TEST(PlotCommand, draws_channels_of_one_unit_into_one_panel) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "-q"}).code, 0);
  const Outcome out = call(folder, {"plot", "pendulum.h5", "rod.position.x", "rod.position.z", "hinge.angle", "-o",
                                    "p.svg", "--title", "Swing"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out, "p.svg\n");
  const std::string svg = read_text(folder / "p.svg");
  EXPECT_SAYS(svg, ">Swing<");
  EXPECT_SAYS(svg, ">rod.position.x<");
  EXPECT_SAYS(svg, ">hinge.angle [rad]<");
  EXPECT_SAYS(svg, "height=\"672\"");  // two panels of 320 px below a heading of 32

  ASSERT_EQ(call(folder, {"plot", "pendulum.h5", "rod.position", "-o", "p.png"}).code, 0);
  const std::string png = read_text(folder / "p.png");
  EXPECT_EQ(png.substr(1, 3), "PNG");
  // Width and height, big-endian from byte 16: twice 720 x 320.
  EXPECT_EQ(png.substr(16, 8), std::string("\x00\x00\x05\xa0\x00\x00\x02\x80", 8));
}

TEST(PlotCommand, refuses_unknown_channels_with_the_nearest_and_other_formats) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "-q"}).code, 0);
  const Outcome both = call(folder, {"plot", "pendulum.h5", "rod.positon", "energi.total", "-o", "p.svg"});
  EXPECT_EQ(both.code, 2);
  EXPECT_SAYS(both.err, "did you mean 'rod.position'?");
  EXPECT_SAYS(both.err, "did you mean 'energy.total'?");
  EXPECT_FALSE(std::filesystem::exists(folder / "p.svg"));
  const Outcome format = call(folder, {"plot", "pendulum.h5", "rod.position", "-o", "p.gif"});
  EXPECT_EQ(format.code, 2);
  EXPECT_SAYS(format.err, "it must end with .svg or .png");
  EXPECT_SAYS(call(folder, {"plot", "pendulum.h5", "-o", "p.svg"}).err, "no channel is named");
}

// "M x y L x y …" of the longest path: the curve.
std::vector<std::pair<double, double>> curve_of(const std::string& svg) {
  static const std::regex path("<path d=\"([^\"]*)\""), point(R"([ML](-?[\d.]+)[ ,](-?[\d.]+))");
  std::vector<std::pair<double, double>> longest;
  for (std::sregex_iterator it(svg.begin(), svg.end(), path), none; it != none; ++it) {
    const std::string steps = (*it)[1];
    std::vector<std::pair<double, double>> points;
    for (std::sregex_iterator at(steps.begin(), steps.end(), point); at != none; ++at)
      points.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
    if (points.size() > longest.size()) longest = points;
  }
  return longest;
}

TEST(PlotCommand, draws_one_channel_over_another) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "-q"}).code, 0);
  const Outcome out = call(folder, {"plot", "pendulum.h5", "rod.position.z", "--over", "rod.position.x"});
  EXPECT_EQ(out.code, 0) << out.err;
  const std::string svg = read_text(folder / "pendulum.svg");
  EXPECT_SAYS(svg, ">rod.position.x [m]<");
  EXPECT_SAYS(svg, ">rod.position.z [m]<");
  EXPECT_EQ(svg.find("time [s]"), std::string::npos);
  // x² + z² = (L/2)²: between the axes of the picture x ↦ a x + b and z ↦ c z + d the points lie where the file says.
  const ResultsReader results(folder / "pendulum.h5");
  const Eigen::VectorXd x = results.read("rod.position.x").values, z = results.read("rod.position.z").values;
  const auto curve = curve_of(svg);
  ASSERT_GE(curve.size(), 20u);
  const auto [x0, y0] = curve.front();
  const auto [x1, y1] = curve.back();
  const Eigen::Index n = x.size() - 1;
  const double a = (x1 - x0) / (x[n] - x[0]), c = (y1 - y0) / (z[n] - z[0]);
  const double L = 1.0, pixel = 0.02;  // coordinates are written with two decimals
  for (const auto& [px, py] : curve) {
    const double at_x = x[0] + (px - x0) / a, at_z = z[0] + (py - y0) / c;
    EXPECT_NEAR(at_x * at_x + at_z * at_z, L * L / 4, L * pixel * (1 / std::abs(a) + 1 / std::abs(c)));
  }

  const Outcome wide = call(folder, {"plot", "pendulum.h5", "rod.position.z", "--over", "rod.position"});
  EXPECT_EQ(wide.code, 2);
  EXPECT_SAYS(wide.err, "--over 'rod.position' has 3 components; name one of them, such as rod.position.x");
  const Outcome other = call(folder, {"plot", "pendulum.h5", "solver.h", "--over", "rod.position.x"});
  EXPECT_EQ(other.code, 2);
  EXPECT_SAYS(other.err, "'solver.h' is not recorded at the times of 'rod.position.x'");
  const Outcome unknown = call(folder, {"plot", "pendulum.h5", "rod.position.z", "--over", "rod.positon.x"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_SAYS(unknown.err, "did you mean 'rod.position.x'?");
}

TEST(PlotCommand, takes_wildcards_for_every_channel_that_they_fit) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "-q"}).code, 0);
  ASSERT_EQ(call(folder, {"plot", "pendulum.h5", "rod.pos*", "hin?e.angle", "rod.position"}).code, 0);
  const std::string svg = read_text(folder / "pendulum.svg");
  for (const char* label : {">rod.position.x<", ">rod.position.y<", ">rod.position.z<", ">hinge.angle [rad]<"})
    EXPECT_SAYS(svg, label);
  EXPECT_EQ(svg.find(">rod.velocity"), std::string::npos);
  EXPECT_EQ(svg.find(">rod.position.x<", svg.find(">rod.position.x<") + 1),
            std::string::npos);  // named twice, drawn once
  const Outcome none = call(folder, {"plot", "pendulum.h5", "rob.*", "-o", "none.svg"});
  EXPECT_EQ(none.code, 2);
  EXPECT_SAYS(none.err, "no channel matches 'rob.*'; `trammel info --channels` lists those of a file");
  EXPECT_FALSE(std::filesystem::exists(folder / "none.svg"));
}

TEST(PlotCommand, writes_to_a_file_named_after_the_results_unless_another_is_named) {
  const Folder folder;
  std::filesystem::create_directory(folder / "runs");
  ASSERT_EQ(call(folder, {"run", pendulum, "-q", "-o", "runs/a.h5"}).code, 0);
  ASSERT_EQ(call(folder, {"run", pendulum, "-q", "-o", "runs/b.h5"}).code, 0);
  const Outcome out = call(folder, {"plot", "runs/a.h5", "runs/b.h5", "height"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out, "a.svg\n");  // of the first, in the current folder
  EXPECT_SAYS(read_text(folder / "a.svg"), ">height (b)<");
}

}  // namespace
}  // namespace trammel::test_report
