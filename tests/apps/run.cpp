// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <regex>

#include "program.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/results_reader.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/settings_text.h"

// `trammel run`: what it writes, what it prints, how it ends.

namespace trammel::test_run {
namespace {

using program::call;
using program::Child;
using program::contains;
using program::Folder;
using program::lines_of;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

TEST(Run, writes_results_into_the_current_folder_and_prints_a_summary) {
  const Folder folder;
  const Outcome run = call(folder, {"run", pendulum});
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* words :
       {"Summary\n", "reached the end, t = 0.5 s", "500 (h = 0.001 … 0.001 s)", "1 degrees of freedom", "rejected 0",
        "factorizations", "drift", "wall time", "Results: pendulum.h5 (51 frames)"})
    EXPECT_SAYS(run.out, words);

  const ResultsReader results(folder / "pendulum.h5");
  EXPECT_EQ(results.state(), ResultsState::closed);
  EXPECT_EQ(results.n_frames(), 51);
  EXPECT_EQ(results.n_steps(), 500);
  EXPECT_DOUBLE_EQ(results.times().back(), 0.5);
  EXPECT_EQ(text_of(results.summary().at("completed")), "true");
  EXPECT_EQ(results.attribute("title"), "Pendulum");
  EXPECT_EQ(results.attribute("model"), read_text(pendulum));
  EXPECT_EQ(results.attribute("model_file"), "pendulum.toml");
  EXPECT_EQ(results.attribute("command"), "trammel run " + pendulum);
  EXPECT_TRUE(std::regex_match(results.attribute("created"), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  EXPECT_SAYS(results.attribute("settings"), "h = 0.001\n");

  // A rod let go from the horizontal: ω² = 3 g sin φ / L, so the fall is governed by its height alone.
  const Series height = results.read("height"), rate = results.read("hinge.angle_rate");
  const double z = height.values(50, 0), w = rate.values(50, 0);
  EXPECT_LT(z, -0.3);
  EXPECT_NEAR(w * w, 3.0 * 9.81 * (-2.0 * z), 2e-3 * w * w);  // the inertia is that of a thin rod, h² errors remain
}

TEST(Run, twice_overwrites_and_repeats_every_number) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "--out", "first.h5"}).code, 0);
  ASSERT_EQ(call(folder, {"run", pendulum}).code, 0);
  ASSERT_EQ(call(folder, {"run", pendulum}).code, 0);
  const ResultsReader first(folder / "first.h5"), again(folder / "pendulum.h5");
  ASSERT_EQ(first.times(), again.times());
  for (const char* channel : {"rod.position", "rod.orientation", "hinge.reaction_force", "energy.total"})
    EXPECT_EQ(first.read(channel).values, again.read(channel).values) << channel;
}

TEST(Run, takes_settings_from_the_command_line) {
  const Folder folder;
  const Outcome run =
      call(folder, {"run", "--set", "analysis.end=0.1", "output.interval=0.05", pendulum, "--set", "body.rod.mass=5"});
  EXPECT_EQ(run.code, 0) << run.err;
  const ResultsReader results(folder / "pendulum.h5");
  EXPECT_EQ(results.n_frames(), 3);
  EXPECT_SAYS(results.attribute("command"), "body.rod.mass=5");
  // At the start the rod hangs on its hinge with the share 1/4 of its weight, whatever the inertia's exact value:
  // R = m g − m (L/2) ω̇, ω̇ = m g L/2 / (I + m L²/4), with m = 5 and I as written for m = 2.
  const double m = 5.0, g = 9.81, I = 2.0 / 12.0;
  const double expected = m * g - m * 0.5 * (m * g * 0.5 / (I + m * 0.25));
  EXPECT_NEAR(results.read("hinge.reaction_force.z").values(0, 0), expected, 1e-8 * m * g);
}

TEST(Run, records_settings_that_read_back_the_same) {
  const Folder folder;
  const std::string text = read_text(pendulum), head = text.substr(0, text.find("[analysis]"));
  for (const std::vector<std::string>& set :
       {std::vector<std::string>{},
        {"solver.integrator=hht", "solver.alpha=-0.2", "output.file=a \"b\".h5"},
        {"solver.scaling=none", "solver.redundant=drop", "solver.strict=true", "analysis.kind=inverse_dynamics"},
        {"solver.integrator=newmark", "solver.gamma=0.6"},
        {"solver.integrator=midpoint"},
        {"solver.integrator=energy_decaying"},
        {"solver.integrator=radau", "solver.stages=2", "solver.velocity_tol=1e-3"},
        {"solver.integrator=radau", "solver.formulation=index3"},
        {"solver.integrator=bdf", "solver.formulation=index1", "solver.position_tol=1e-6"},
        {"solver.integrator=bdf", "solver.formulation=index3", "solver.fields=two"},
        {"solver.integrator=bdf", "solver.formulation=coordinate_split", "solver.max_order=3"},
        {"solver.integrator=bdf", "solver.coordinates=joint", "solver.formalism=explicit",
         "solver.jacobian=sparse_differences"},
        {"solver.integrator=runge_kutta", "solver.rotation_tol=1e-4"}}) {
    const Study study = read_study_text(text, "pendulum.toml", set);
    const std::string settings = settings_text(resolve(study, study.model).settings);
    const Study again = read_study_text(head + settings, "again.toml");
    EXPECT_EQ(settings_text(again), settings);
    EXPECT_EQ(settings_text(resolve(again, again.model).settings), settings);
  }
}

TEST(Run, writes_where_it_is_told) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "--set", "output.file=mine.h5"}).code, 0);
  EXPECT_EQ(ResultsReader(folder / "mine.h5").n_frames(), 51);
  const Outcome run = call(folder, {"run", pendulum, "--set", "output.file=theirs.h5", "--out", "given.h5"});
  EXPECT_SAYS(run.out, "Results: given.h5");
  EXPECT_TRUE(std::filesystem::exists(folder / "given.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder / "theirs.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder / "pendulum.h5"));
}

TEST(Run, is_silent_when_quiet) {
  const Folder folder;
  const Outcome run = call(folder, {"run", pendulum, "--quiet", "--progress-interval", "0"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(ResultsReader(folder / "pendulum.h5").n_frames(), 51);
  EXPECT_NE(call(folder, {"run", model_path("breaks_at_0.2.toml"), "--quiet"}).err, "");
}

TEST(Run, tells_its_progress_in_plain_lines_when_nobody_watches) {
  const Folder folder;
  const Outcome run = call(folder, {"run", pendulum, "--progress-interval", "0"});
  const std::vector<std::string> lines = lines_of(run.err);
  ASSERT_EQ(lines.size(), 500u);  // a line per step
  EXPECT_SAYS(lines[250], " s left");
  const std::regex form(
      R"(t = [0-9.e-]+ s of 0\.5 s \(([0-9]+) %\), h = 1\.0e-03 s, ([0-9]+) frames written(, [0-9]+ s left)?)");
  int percent = 0, frames = 0;
  for (const std::string& line : lines) {
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, form)) << line;
    EXPECT_GE(std::stoi(match[1]), percent);
    EXPECT_GE(std::stoi(match[2]), frames);
    percent = std::stoi(match[1]), frames = std::stoi(match[2]);
  }
  EXPECT_EQ(percent, 100);
  EXPECT_LE(frames, 51);
  // By default there is time to read: a run of a few milliseconds says nothing before its summary.
  EXPECT_EQ(call(folder, {"run", pendulum, "--progress-interval", "100"}).err, "");
}

TEST(Run, goes_on_when_nobody_reads_its_progress_any_more) {
  const Folder folder;
  Child child(folder, {"run", pendulum, "--progress-interval", "0"});
  child.stop_reading();
  EXPECT_EQ(child.end(), 0);
  EXPECT_SAYS(read_text(folder / "stdout.txt"), "reached the end");
  EXPECT_EQ(ResultsReader(folder / "pendulum.h5").n_frames(), 51);
}

TEST(Run, that_fails_reports_why_and_keeps_what_it_has) {
  const Folder folder;
  const Outcome run = call(folder, {"run", model_path("breaks_at_0.2.toml")});
  EXPECT_EQ(run.code, 3);
  EXPECT_SAYS(run.err, "t = 0.2 s");
  EXPECT_SAYS(run.err, "block");
  EXPECT_SAYS(run.err, "usual cause");
  EXPECT_SAYS(run.err, "kept up to t = 0.2 s in breaks_at_0.2.h5");
  EXPECT_SAYS(run.out, "failed at t = 0.2 s");
  const ResultsReader results(folder / "breaks_at_0.2.h5");
  EXPECT_EQ(results.state(), ResultsState::closed);
  EXPECT_EQ(results.n_frames(), 21);
  EXPECT_EQ(text_of(results.summary().at("completed")), "false");
  EXPECT_SAYS(text_of(results.summary().at("failure")), "block");
}

// A law in a library that is missing, of another interface, refuses, throws or gives no number: named, the results up
// to there kept, and results of an earlier run kept where nothing ran.
TEST(Run, loses_nothing_to_a_law_in_a_library_that_goes_wrong) {
  const Folder folder;
  const std::filesystem::path built = places::program().parent_path();
  std::filesystem::copy_file(built / "force_laws_faulty.so", folder / "laws.so");
  const auto model = [&](const std::string& law) {
    folder.write("ball.toml",
                 "[[body]]\nname = \"ball\"\nkind = \"particle\"\nmass = 1\n[[force]]\nname = \"own\"\nkind = "
                 "\"library\"\nlibrary = \"laws.so\"\nlaw = \"" +
                     law +
                     "\"\nbodies = [\"ball\"]\n[analysis]\nend = 1\n[solver]\nh = 0.01\n[output]\ninterval = 0.01\n");
  };
  const std::pair<const char*, const char*> troubles[] = {{"refuses", "it says: the fuse has blown"},
                                                          {"throws_error", "it threw: the tank is empty"},
                                                          {"throws_number", "it threw something"},
                                                          {"no_number", "its force is not a finite number"}};
  for (const auto& [law, reason] : troubles) {
    model(law);
    const Outcome run = call(folder, {"run", "ball.toml", "-o", "ball.h5"});
    EXPECT_EQ(run.code, 3) << run.out;
    EXPECT_SAYS(run.err, "force 'own' of '");
    EXPECT_SAYS(run.err, reason);
    EXPECT_SAYS(run.err, "in ball.h5");
    const ResultsReader results(folder / "ball.h5");
    EXPECT_EQ(results.state(), ResultsState::closed);
    EXPECT_NEAR(results.times().back(), 0.19, 0.011);
  }
  const std::string kept = read_text(folder / "ball.h5");
  const auto refused = [&](const std::string& reason) {
    const Outcome run = call(folder, {"run", "ball.toml", "-o", "ball.h5"});
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_SAYS(run.err, "ball.toml:");
    EXPECT_SAYS(run.err, reason);
    EXPECT_EQ(read_text(folder / "ball.h5"), kept);
  };
  std::filesystem::copy_file(built / "force_laws_other.so", folder / "laws.so",
                             std::filesystem::copy_options::overwrite_existing);
  refused("was made for interface 2 of force libraries, this program knows 1");
  std::filesystem::remove(folder / "laws.so");
  refused("laws.so");
}

TEST(Run, stops_cleanly_on_request_with_its_results_kept) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const Folder folder;
    Child child(folder, {"run", pendulum, "--set", "analysis.end=1e6", "--progress-interval", "0"});
    ASSERT_TRUE(child.wait_for_text(" frames written"));
    child.send(signal);
    EXPECT_EQ(child.end(), code);
    const std::string out = read_text(folder / "stdout.txt");
    EXPECT_SAYS(out, "stopped on request at t = ");
    EXPECT_SAYS(out, "Results: pendulum.h5");
    const ResultsReader results(folder / "pendulum.h5");
    EXPECT_EQ(results.state(), ResultsState::closed);
    EXPECT_GE(results.n_frames(), 1);
    EXPECT_GE(results.n_steps(), 1);
    EXPECT_SAYS(text_of(results.summary().at("stop")), "on request");
  }
}

}  // namespace
}  // namespace trammel::test_run
