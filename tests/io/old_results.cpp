// SPDX-License-Identifier: Apache-2.0
#include "support/old_results.h"

#include "sample_run.h"
#include "trammel/io/csv.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/report.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/vtk.h"
#include "trammel/simulation/simulation.h"

// What an earlier version wrote stays readable: schema, numbers, settings, summary, tables, scene, report. Expected
// values are literals and not computed, since they are those of the old file for good.

namespace trammel {
namespace {

using sample::Folder;

struct Version01 : ::testing::Test {
  Folder folder;
  std::filesystem::path path = folder / "results_0_1.h5";
  void SetUp() override { old_results::unpack("results_0_1.h5", path); }
};

TEST_F(Version01, has_its_schema) {
  const ResultsReader results(path);
  EXPECT_EQ(results.state(), ResultsState::closed);
  const RecordSchema& schema = results.schema();
  std::string tables;
  for (const std::vector<RecordGroup>* groups : {&schema.frames, &schema.solver})
    for (const RecordGroup& group : *groups)
      tables += group.path + " [" + std::to_string(group.n_items()) + ", " + std::to_string(group.n_components()) +
                "] " + group.unit + "\n";
  EXPECT_EQ(tables,
            "/frames/position [1, 3] m\n/frames/orientation [1, 4] \n/frames/velocity [1, 3] m/s\n"
            "/frames/angular_velocity [1, 3] rad/s\n/frames/acceleration [1, 3] m/s^2\n"
            "/frames/angular_acceleration [1, 3] rad/s^2\n/frames/reaction_force [1, 3] N\n"
            "/frames/reaction_moment [1, 3] N m\n/frames/angle [1, 1] rad\n/frames/angle_rate [1, 1] rad/s\n"
            "/frames/measure [1, 1] \n/frames/energy [5, 1] J\n"
            "/frames/constraint_drift [2, 1] m, rad and per second\n/solver/h [1, 1] s\n/solver/order [1, 1] \n"
            "/solver/iterations [1, 1] \n/solver/linearizations [1, 1] \n/solver/factorizations [1, 1] \n"
            "/solver/rejected_error [1, 1] \n/solver/rejected_newton [1, 1] \n/solver/error [1, 1] \n"
            "/solver/failure [1, 1] \n");
  const RecordGroup& measure = schema.frames[static_cast<std::size_t>(schema.find_table("/frames/measure").group)];
  EXPECT_EQ(measure.names, std::vector<std::string>{"height"});
  EXPECT_EQ(measure.unit_of(0), "m");
  EXPECT_EQ(measure.view, "/measures/{name}");
}

TEST_F(Version01, has_its_numbers) {
  const ResultsReader results(path);
  ASSERT_EQ(results.n_frames(), 5);
  for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(results.times()[static_cast<std::size_t>(i)], 0.125 * i);
  EXPECT_EQ(results.n_steps(), 20);
  const Series height = results.read("height"), z = results.read("/bodies/rod/position/z");
  EXPECT_EQ(height.unit, "m");
  EXPECT_EQ(height.values, z.values);
  EXPECT_EQ(z.values(4, 0), -0.49823068097681056);
  EXPECT_EQ(results.read("rod.position").components, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(results.read("hinge.angle").values(4, 0), 1.654947702436524);
  EXPECT_EQ(results.read("energy.total").values(4, 0), -0.05571144029071817);
  EXPECT_EQ(results.read("solver.iterations").values.sum(), 151.0);
}

TEST_F(Version01, says_how_it_was_made_and_how_it_ended) {
  const ResultsReader results(path);
  const std::map<std::string, std::string>& attributes = results.schema().attributes;
  EXPECT_EQ(attributes.at("title"), "Pendulum");
  EXPECT_EQ(attributes.at("trammel_version"), "0.1.0");
  EXPECT_EQ(attributes.at("model_file"), "pendulum.toml");
  EXPECT_NE(attributes.at("settings").find("h = 0.025\n"), std::string::npos);
  EXPECT_NE(attributes.at("scene").find("\"hinge\""), std::string::npos);
  EXPECT_EQ(text_of(results.summary().at("stop")), "reached the end, t = 0.5 s");
  EXPECT_EQ(results.summary().at("steps"), SummaryValue(20L));
}

// The model that it carries is understood and moves as it did: 1e-9 leaves room for other libraries, not for another
// meaning of a key.
TEST_F(Version01, can_be_run_again) {
  const ResultsReader results(path);
  const std::vector<std::string> settings{"output.interval=0.125", "solver.h=0.025"};
  Simulation simulation(read_study_text(results.schema().attributes.at("model"), "pendulum.toml", settings));
  MemoryRecord again;
  ASSERT_TRUE(simulation.run(again).completed);
  const Eigen::MatrixXd was = results.read("rod.position").values, is = again.read("rod.position").values;
  ASSERT_EQ(is.rows(), was.rows());
  EXPECT_LT((is - was).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(Version01, is_exported_and_shown) {
  const ResultsReader results(path);
  const std::vector<std::filesystem::path> tables = export_csv(results, folder / "tables");
  EXPECT_EQ(tables.size(), 14u);
  const Table position = read_table_csv(folder / "tables/position.csv");
  EXPECT_EQ(position.column("rod.z").back(), results.read("rod.position.z").values(4, 0));
  EXPECT_TRUE(std::filesystem::exists(export_vtk(results, folder / "scene")));
  const std::vector<ReportContents> contents = write_report(std::vector{path}, folder / "page.html");
  EXPECT_EQ(contents[0].n_frames, 5);
  EXPECT_EQ(contents[0].n_channels, results.schema().frame_width());
}

}  // namespace
}  // namespace trammel
