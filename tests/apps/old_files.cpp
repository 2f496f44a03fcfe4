// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <random>
#include <thread>

#include "program.h"
#include "trammel/io/results_reader.h"

// What stood there before a command: older results, and files of others.

namespace trammel::test_old_files {
namespace {

using program::call;
using program::Child;
using program::Folder;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

// What is in a folder, working files included.
std::vector<std::string> names_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().filename() != "stdout.txt") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string make_foreign_hdf5(const Folder& folder, const std::string& name) {
  const std::string said = program::python(folder, "import h5py\nf = h5py.File(r'" + (folder / name).string() +
                                                       "', 'w')\nf['measured'] = list(range(1000))\nf.close()\n");
  EXPECT_EQ(said, "");
  return read_text(folder / name);
}

TEST(OldFiles, hdf5_of_others_is_never_overwritten_whoever_names_it) {
  const Folder folder;
  const std::string precious = make_foreign_hdf5(folder, "precious.h5");
  make_foreign_hdf5(folder, "pendulum.h5");
  folder.write("named.toml",
               read_text(pendulum) + "\n[output]\nfile = \"" + (folder / "precious.h5").string() + "\"\n");
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet", "--out", "good.h5"}).code, 0);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", pendulum, "--out", "precious.h5"},
           {"run", pendulum},
           {"run", pendulum, "--set", "output.file=" + (folder / "precious.h5").string()},
           {"repair", "good.h5", "--out", "precious.h5"}}) {
    const Outcome refused = call(folder, words);
    EXPECT_EQ(refused.code, 4) << words[0];
    EXPECT_SAYS(refused.err, "it exists and is not a results file, so it is not overwritten");
  }
  EXPECT_EQ(read_text(folder / "precious.h5"), precious);
  EXPECT_EQ(read_text(folder / "pendulum.h5").size(), precious.size());
}

TEST(OldFiles, a_model_given_as_output_of_any_command_stays) {
  const Folder folder;
  const std::string text = read_text(pendulum);
  for (const char* name : {"model.toml", "picture.svg", "picture.png", "page.html"}) folder.write(name, text);
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet", "--out", "good.h5"}).code, 0);
  std::filesystem::create_directories(folder / "tables");
  for (const char* name : {"tables/position.csv", "tables/cases.csv", "tables/A.csv", "tables/bodies.csv"})
    folder.write(name, text);
  const std::vector<std::string> before = names_in(folder);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", pendulum, "--out", "model.toml"},
           {"report", "good.h5", "--out", "model.toml"},
           {"report", "good.h5", "--out", "page.html"},
           {"report", "good.h5", "--out", "picture.svg"},
           {"eigen", pendulum, "--from-start", "--out", "model.toml"},
           {"eigen", pendulum, "--from-start", "--linearization", "tables"},
           {"plot", "good.h5", "height", "--out", "picture.svg"},
           {"plot", "good.h5", "height", "--out", "picture.png"},
           {"compare", pendulum, "--across", "integrator", "--out", "picture.svg"},
           {"sweep", pendulum, "--quiet", "--set", "body.rod.mass=1,2", "--out", "tables"},
           {"export", "good.h5", "--csv", "tables"},
           {"export", "good.h5", "--vtk", "tables"}}) {
    const Outcome refused = call(folder, words);
    EXPECT_EQ(refused.code, 4) << words[0] << refused.err;
    EXPECT_SAYS(refused.err, "so it is not overwritten");
  }
  for (const char* name : {"model.toml", "picture.svg", "picture.png", "page.html", "tables/position.csv",
                           "tables/cases.csv", "tables/A.csv", "tables/bodies.csv"})
    EXPECT_EQ(read_text(folder / name), text) << name;
  EXPECT_EQ(names_in(folder), before) << "nothing else is left behind";
}

TEST(OldFiles, of_our_own_are_replaced_by_every_command_again) {
  const Folder folder;
  for (int i = 0; i < 2; ++i)
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"run", pendulum, "--quiet", "--out", "good.h5"},
                                               {"repair", "good.h5"},
                                               {"report", "good.h5"},
                                               {"plot", "good.h5", "height", "--out", "p.svg"},
                                               {"plot", "good.h5", "height", "--out", "p.png"},
                                               {"export", "good.h5", "--csv", "tables"},
                                               {"export", "good.h5", "--vtk", "scene"},
                                               {"eigen", pendulum, "--from-start", "--out", "modes.csv"},
                                               {"eigen", pendulum, "--from-start", "--linearization", "matrices"}}) {
      const Outcome again = call(folder, words);
      EXPECT_EQ(again.code, 0) << words[0] << ": " << again.err;
    }
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"good.h5", "good.html", "good_repaired.h5", "matrices",
                                                        "modes.csv", "p.png", "p.svg", "scene", "tables"}));
}

// The kill comes while the program starts, makes its file, writes or closes it.
TEST(OldFiles, results_survive_a_kill_at_any_instant_of_the_run_that_replaces_them) {
  const Folder folder;
  const std::vector<std::string> words{"run", pendulum, "--quiet", "--out", "r.h5", "--set", "analysis.end=0.1"};
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet", "--out", "r.h5"}).code, 0);
  std::mt19937 random(20261117);
  std::uniform_int_distribution<int> delay(0, 40000);  // [µs]
  for (int i = 0; i < 60; ++i) {
    {
      const Child child(folder, words);
      std::this_thread::sleep_for(std::chrono::microseconds(delay(random)));
    }  // kill −9
    const ResultsReader reader(folder / "r.h5");
    EXPECT_GT(reader.n_frames(), 0) << "kill " << i;
    EXPECT_TRUE(reader.n_frames() == 51 || reader.times().back() <= 0.1 + 1e-9) << "kill " << i;
  }
  ASSERT_EQ(call(folder, words).code, 0);
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"r.h5"})) << "what killed runs left is removed";
}

TEST(OldFiles, are_read_on_by_who_has_them_open) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet"}).code, 0);
  const ResultsReader old(folder / "pendulum.h5");
  const Eigen::MatrixXd before = ResultsReader(folder / "pendulum.h5").read("rod.position").values;
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet", "--set", "output.interval=0.001", "body.rod.mass=9"}).code, 0);
  EXPECT_EQ(old.read("rod.position").values, before);
  EXPECT_EQ(ResultsReader(folder / "pendulum.h5").n_frames(), 501);
}

TEST(OldFiles, stay_when_the_run_that_would_replace_them_records_nothing) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet"}).code, 0);
  const std::string before = read_text(folder / "pendulum.h5");
  EXPECT_EQ(call(folder, {"run", pendulum, "--quiet", "--set", "body.rod.mass=-1"}).code, 2);
  EXPECT_EQ(read_text(folder / "pendulum.h5"), before);
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"pendulum.h5"}));
}

// Results may be kept elsewhere by a link, and be protected: both are respected.
TEST(OldFiles, keep_their_place_behind_a_link_and_their_permissions) {
  const Folder folder;
  std::filesystem::create_directories(folder / "elsewhere");
  std::filesystem::create_symlink("elsewhere/store.h5", folder / "pendulum.h5");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(call(folder, {"run", pendulum, "--quiet"}).code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "pendulum.h5"));
    ASSERT_TRUE(std::filesystem::is_regular_file(folder / "elsewhere/store.h5"));
    chmod((folder / "elsewhere/store.h5").c_str(), 0640);
  }
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet"}).code, 0);
  struct stat status {};
  ASSERT_EQ(stat((folder / "elsewhere/store.h5").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(OldFiles, tables_go_to_devices_and_pipes_and_results_do_not) {
  const Folder folder;
  const Outcome table = call(folder, {"eigen", pendulum, "--from-start", "--out", "/dev/stdout"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_SAYS(table.out, "mode,frequency_hz");
  const Outcome nowhere = call(folder, {"run", pendulum, "--out", "/dev/null"});
  EXPECT_EQ(nowhere.code, 4);
  EXPECT_SAYS(nowhere.err, "cannot write results to '/dev/null': it is a device or a pipe");
}

}  // namespace
}  // namespace trammel::test_old_files
