// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/report.h"

#include <cmath>
#include <limits>

#include "sample_run.h"
#include "trammel/io/results_file.h"

// The page of a report: what it carries of a run, how large it becomes, and what it refuses. That its numbers are those
// of the results, and that it works, is seen in a browser (web/tests).

namespace trammel::test_report {
namespace {

using sample::Folder;
using sample::message_of;
using sample::read_text;

constexpr std::size_t page_without_data = 1000000;  // [bytes] at most

// A run whose values are noise: the worst case for compression.
void write_noise(const std::filesystem::path& path, int n_bodies, int n_frames, int n_steps) {
  ResultsFile file(path, {.flush_seconds = 1e9, .max_views = 0});
  const RecordSchema schema = sample::schema(n_bodies);
  file.begin(schema);
  std::uint64_t state = 12345;
  const auto noise = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  std::vector<double> values(static_cast<std::size_t>(schema.frame_width()));
  for (int i = 0; i < n_frames; ++i) {
    for (double& x : values) x = noise();
    file.frame(i, values);
  }
  values.resize(static_cast<std::size_t>(schema.step_width()));
  for (int i = 0; i < n_steps; ++i) {
    for (double& x : values) x = noise();
    file.step(i, values);
  }
  file.end({});
}

void write_sample(const std::filesystem::path& path, int n_frames, int n_steps) {
  ResultsFile file(path);
  file.begin(sample::schema());
  sample::write_rows(file, sample::schema(), n_frames, n_steps);
  file.end({{"stop", "reached the end"}});
}

std::vector<ReportContents> report(const std::filesystem::path& results, const std::filesystem::path& page,
                                   const ReportOptions& options = {}) {
  return write_report({&results, 1}, page, options);
}

TEST(Report, carries_a_usual_run_whole) {
  const Folder folder;
  write_sample(folder / "run.h5", 100, 300);
  const ReportContents run = report(folder / "run.h5", folder / "run.html").at(0);
  EXPECT_EQ(run.n_frames, 100);
  EXPECT_EQ(run.n_steps, 300);
  EXPECT_EQ(run.animation_stride, 1);
  EXPECT_FALSE(run.quantised);
  EXPECT_EQ(run.n_complete, sample::schema().frame_width());
  EXPECT_EQ(run.n_complete, run.n_channels);
  const std::string page = read_text(folder / "run.html");
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_NE(page.find("<title>A sample</title>"), std::string::npos);
  EXPECT_EQ(page.find("{{title}}"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
}

// Budgets hold for noise, of which nothing can be compressed away: at most a quarter more than the animation's bytes in
// base64 (4/3), the channels' numbers of 4 bytes, and 20 channels with every frame.
TEST(Report, stays_within_its_budget_and_keeps_chosen_channels_complete) {
  const Folder folder;
  constexpr int n_bodies = 200, n_frames = 1500;
  write_noise(folder / "run.h5", n_bodies, n_frames, 10);
  ReportOptions options;
  options.max_animation_bytes = 400000;
  options.max_channel_numbers = 100000;
  const ReportContents usual = report(folder / "run.h5", folder / "run.html", options).at(0);
  EXPECT_TRUE(usual.quantised);
  EXPECT_GT(usual.animation_stride, 1);
  EXPECT_EQ(usual.n_complete, 20);
  EXPECT_EQ(usual.n_thinned, 0) << "fewer than 200 rows of each channel would fit";
  const double most = 4.0 / 3.0 * (400000 + 4.0 * (100000 + 20 * n_frames) + 8.0 * n_frames);
  EXPECT_LT(std::filesystem::file_size(folder / "run.html"), page_without_data + static_cast<std::size_t>(most));

  options.channels = {"body7.velocity", "energy.total"};
  EXPECT_EQ(report(folder / "run.h5", folder / "run.html", options).at(0).n_complete, 4);
  options.max_channel_numbers = 800000;
  const ReportContents thinned = report(folder / "run.h5", folder / "run.html", options).at(0);
  EXPECT_EQ(thinned.n_complete, 4);
  EXPECT_EQ(thinned.n_thinned, thinned.n_channels - 4);
}

TEST(Report, names_and_titles_cannot_break_the_page) {
  const Folder folder;
  RecordSchema schema = sample::schema();
  const std::string nasty = "</script><script>alert(1)</script>";
  schema.attributes["title"] = nasty;
  schema.frames[0].names[2] = schema.frames[1].names[2] = schema.frames[2].names[2] = nasty;
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  sample::write_rows(file, schema, 3, 3);
  file.end({});
  report(folder / "run.h5", folder / "run.html");
  const std::string page = read_text(folder / "run.html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>\\u003cscript>alert(1)"), std::string::npos);
}

TEST(Report, shows_runs_without_frames_and_with_values_that_are_not_finite) {
  const Folder folder;
  write_sample(folder / "empty.h5", 0, 0);
  EXPECT_EQ(report(folder / "empty.h5", folder / "empty.html").at(0).n_frames, 0);

  ResultsFile file(folder / "nan.h5");
  file.begin(sample::schema());
  for (int row = 0; row < 5; ++row) {
    std::vector<double> values = sample::values(row, sample::schema().frame_width());
    if (row >= 3) values[1] = std::numeric_limits<double>::quiet_NaN();
    if (row >= 2) values[3] = std::numeric_limits<double>::infinity();
    file.frame(sample::time(row), values);
  }
  file.end({});
  report(folder / "nan.h5", folder / "nan.html");
  // The first in time, not the first in the table.
  EXPECT_NE(read_text(folder / "nan.html").find(R"("not_finite":{"channel":"arm/left.position.x","time":0.25})"),
            std::string::npos);
}

TEST(Report, refuses_what_it_cannot_show) {
  const Folder folder;
  write_sample(folder / "run.h5", 3, 3);
  const std::filesystem::path page = folder / "run.html";
  const auto refusal = [&](const std::filesystem::path& results, const ReportOptions& options = {}) {
    return message_of([&] { report(results, page, options); });
  };
  EXPECT_NE(refusal(folder / "run.h5", {.channels = {"energy.totl"}}).find("did you mean 'energy.total'?"),
            std::string::npos);
  std::ofstream(folder / "text.h5") << "no HDF5 at all";
  EXPECT_NE(refusal(folder / "text.h5").find("it is not an HDF5 file"), std::string::npos);
  std::filesystem::copy_file(folder / "run.h5", folder / "cut.h5");
  std::filesystem::resize_file(folder / "cut.h5", std::filesystem::file_size(folder / "run.h5") / 2);
  EXPECT_NE(refusal(folder / "cut.h5").find("damaged or truncated"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(page)) << "nothing may be written when anything is refused";
  EXPECT_NE(message_of([&] { report(folder / "run.h5", folder / "run.h5"); }).find("would overwrite the results"),
            std::string::npos);
  EXPECT_NE(message_of([&] { write_report({}, page); }).find("at least one results file"), std::string::npos);
  EXPECT_NE(message_of([&] { report(folder / "run.h5", folder / "nowhere/run.html"); }).find("nowhere/run.html"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel::test_report
