// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/csv.h"

#include <gtest/gtest.h>

#include "sample_run.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

namespace trammel::test_csv {
namespace {

using sample::Folder;
using sample::message_of;

Table read(const Folder& folder, const std::string& text) {
  std::ofstream(folder / "table.csv", std::ios::binary) << text;
  return read_table_csv(folder / "table.csv");
}

std::string refusal(const Folder& folder, const std::string& text) {
  return message_of([&] { read(folder, text); });
}

TEST(TableCsv, reads_names_numbers_comments_and_foreign_line_ends) {
  const Folder folder;
  const Table table =
      read(folder, "\xEF\xBB\xBF# a motion\r\ntime [s], \"angle, left\"\r\n0,1e-3\r\n\r\n 0.5 ,+2\r\n1,-3");
  EXPECT_EQ(table.names, (std::vector<std::string>{"time [s]", "angle, left"}));
  EXPECT_EQ(table.column("time"), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(table.column("angle, left"), (std::vector<double>{1e-3, 2, -3}));
  EXPECT_NE(message_of([&] { table.column("tme [s]"); }).find("did you mean 'time [s]'?"), std::string::npos);
}

TEST(TableCsv, reads_a_table_without_names_and_with_decimal_commas) {
  const Folder folder;
  const Table table = read(folder, "0;0,5\n1;1,25\n");
  EXPECT_EQ(table.names, (std::vector<std::string>{"column 1", "column 2"}));
  EXPECT_EQ(table.columns[1], (std::vector<double>{0.5, 1.25}));
  EXPECT_EQ(read(folder, "a\tb\n1\t2\n").column("b"), std::vector<double>{2});
}

TEST(TableCsv, lists_every_problem_with_line_and_column) {
  const Folder folder;
  const std::string path = (folder / "table.csv").string();
  const std::string message = refusal(folder, "time,angle\n0,1\n1,  wrong\n2\n3,inf\n4,1e999\n");
  EXPECT_NE(message.find(path + ":3:5: expected a number for 'angle', found 'wrong'"), std::string::npos) << message;
  EXPECT_NE(message.find(path + ":4:1: 1 fields, but the first line has 2"), std::string::npos) << message;
  EXPECT_NE(message.find(path + ":5:3: 'inf' is not a finite number"), std::string::npos) << message;
  EXPECT_NE(message.find(path + ":6:3: '1e999' is not a finite number"), std::string::npos) << message;
  EXPECT_NE(refusal(folder, "0,1x\n").find(":1:3: expected a number"), std::string::npos);
  EXPECT_NE(refusal(folder, "a,a\n0,1\n").find("'a' is used twice"), std::string::npos);
  EXPECT_NE(refusal(folder, "time,angle\n").find("no rows"), std::string::npos);
  EXPECT_NE(refusal(folder, "").find("no rows"), std::string::npos);
}

TEST(TableCsv, says_why_a_file_cannot_be_opened) {
  const Folder folder;
  EXPECT_NE(message_of([&] { read_table_csv(folder / "none.csv"); }).find("No such file"), std::string::npos);
  EXPECT_NE(message_of([&] { read_table_csv(folder / ""); }).find("it is a directory"), std::string::npos);
}

TEST(ExportCsv, can_be_read_back_bit_for_bit) {
  const Folder folder;
  RecordSchema schema = sample::schema();
  schema.frames[0].names[0] = "rod, \"long\"";
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  std::vector<double> values = sample::values(0, schema.frame_width());
  for (int row = 0; row < 50; ++row) {
    for (double& value : values) value = value * 1.0000001 / 3.0 - 1e-7 * row;  // all digits in use
    file.frame(row / 3.0, values);
    file.step(row / 7.0, std::vector<double>{1e-300 / 3, 4.0});
  }
  file.end({});

  const ResultsReader reader(folder / "run.h5");
  const auto written = export_csv(reader, folder / "csv");
  EXPECT_EQ(written.size(), 6u);
  const Table position = read_table_csv(folder / "csv/position.csv");
  ASSERT_EQ(position.names.size(), 10u);
  EXPECT_EQ(position.names[0], "time [s]");
  EXPECT_EQ(position.names[2], "rod, \"long\".y [m]");
  EXPECT_EQ(position.columns[0], reader.times());
  for (int row = 0; row < 50; ++row)
    ASSERT_EQ(position.columns[9][static_cast<std::size_t>(row)], reader.read("body2.position.z").values(row, 0));
  const Table measure = read_table_csv(folder / "csv/measure.csv");
  EXPECT_EQ(measure.names, (std::vector<std::string>{"time [s]", "gap [m]", "Öffnung [rad]"}));
  const Table solver = read_table_csv(folder / "csv/solver.csv");
  EXPECT_EQ(solver.names, (std::vector<std::string>{"time [s]", "h [s]", "iterations"}));
  EXPECT_EQ(solver.column("h")[3], 1e-300 / 3);
}

TEST(ExportCsv, says_which_folder_cannot_be_made) {
  const Folder folder;
  ResultsFile file(folder / "run.h5");
  file.begin(sample::schema());
  file.end({});
  const ResultsReader reader(folder / "run.h5");
  EXPECT_NE(message_of([&] { export_csv(reader, folder / "run.h5"); }).find("cannot make the folder"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel::test_csv
