// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "program.h"

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

}  // namespace
}  // namespace trammel::test_report
