// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/results_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "sample_run.h"
#include "trammel/io/results_reader.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/summary.h"

namespace trammel::test_results_file {
namespace {

using sample::Folder;
using sample::message_of;

// Every number of the sample run is known, so a shifted row, item or component shows.
void expect_sample(const ResultsReader& reader, const RecordSchema& schema, int n_frames, int n_steps) {
  ASSERT_EQ(reader.n_frames(), n_frames);
  ASSERT_EQ(reader.n_steps(), n_steps);
  for (int row = 0; row < n_frames; ++row) ASSERT_EQ(reader.times()[static_cast<std::size_t>(row)], sample::time(row));
  int offset = 0, stored = 0;
  for (const RecordGroup& group : schema.frames) {
    if (group.width() == 0) continue;
    std::vector<double> rows(static_cast<std::size_t>(n_frames * group.width()));
    reader.read_rows(false, stored++, 0, n_frames, rows);
    for (int row = 0; row < n_frames; ++row)
      for (int i = 0; i < group.width(); ++i)
        ASSERT_EQ(rows[static_cast<std::size_t>(row * group.width() + i)], sample::value(row, offset + i))
            << group.path << " row " << row << " number " << i;
    offset += group.width();
  }
  ASSERT_EQ(reader.schema().solver.size(), schema.solver.size());
  for (std::size_t g = 0; g < schema.solver.size(); ++g) {
    std::vector<double> rows(static_cast<std::size_t>(n_steps));
    reader.read_rows(true, static_cast<int>(g), 0, n_steps, rows);
    for (int row = 0; row < n_steps; ++row)
      ASSERT_EQ(rows[static_cast<std::size_t>(row)], sample::value(row, static_cast<int>(g)));
  }
}

TEST(ResultsFile, returns_every_number_name_unit_and_text_it_was_given) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  sample::write_rows(file, schema, 5000, 7000);
  const SummaryEntries summary{{"stop", "end time reached"},
                               {"report", std::string(1000, 'r')},
                               {"completed", true},
                               {"steps", 12L},
                               {"t", 0.1}};
  file.end(summary);
  EXPECT_EQ(file.frames_written(), 5000);
  EXPECT_EQ(file.steps_written(), 7000);

  const ResultsReader reader(folder / "run.h5");
  EXPECT_EQ(reader.state(), ResultsState::closed);
  expect_sample(reader, schema, 5000, 7000);
  EXPECT_EQ(reader.summary(), summary);
  EXPECT_EQ(reader.attribute("title"), "A sample");
  EXPECT_EQ(reader.attribute("model"), std::string(100000, 'm'));
  EXPECT_EQ(reader.attribute("format"), "trammel-results");
  EXPECT_FALSE(reader.attribute("trammel_version").empty());
  EXPECT_NE(message_of([&] { reader.attribute("titel"); }).find("did you mean 'title'?"), std::string::npos);
  ASSERT_EQ(reader.schema().frames.size(), 5u) << "the group without items is not stored";
  for (std::size_t g = 0; g < 5; ++g) {
    const RecordGroup &stored = reader.schema().frames[g], &given = schema.frames[g];
    EXPECT_EQ(stored.path, given.path);
    EXPECT_EQ(stored.names, given.names);
    EXPECT_EQ(stored.components, given.components);
    EXPECT_EQ(stored.unit, given.unit);
    EXPECT_EQ(stored.item_units, given.item_units);
    EXPECT_EQ(stored.description, given.description);
    EXPECT_EQ(stored.view, given.view);
  }
}

// Texts that look like numbers stay texts, numbers stay numbers, whole or not; names of later versions are texts.
TEST(ResultsFile, returns_what_is_said_of_a_run_with_its_types) {
  Summary said;
  said.completed = true;
  said.stop = "12";
  said.choice = "true";
  said.failure = "0.5";
  said.t = 3.0;
  said.steps = 123456789012345;
  said.rejected_contact = said.function_calls = said.split_choices = 7;
  said.rejections[1] = 2;
  said.remedies["lower order"] = 3;
  said.condition = 1e300;
  said.wall_time = 0.1;
  said.work = -1e-308;
  said.energy_drift = std::numeric_limits<double>::infinity();
  said.events = {"1"};
  said.notes = {"2.5"};
  said.alarms.resize(1);
  said.alarms[0].name = "3";
  said.alarms[0].text = "4";
  SummaryEntries summary = said.to_attributes();
  summary["of a later version"] = "17";

  const Folder folder;
  ResultsFile file(folder / "run.h5");
  file.begin(sample::schema());
  file.end(summary);
  EXPECT_EQ(ResultsReader(folder / "run.h5").summary(), summary);
  EXPECT_EQ(typed_entry("steps", "many"), SummaryValue("many"));
  EXPECT_EQ(typed_entry("t", ""), SummaryValue(""));
}

TEST(ResultsFile, reads_a_channel_by_path_by_dotted_name_and_by_component) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  {
    ResultsFile file(folder / "run.h5");
    file.begin(schema);
    sample::write_rows(file, schema, 10, 4);
    file.end({});
  }
  const ResultsReader reader(folder / "run.h5");
  const Series whole = reader.read("/bodies/body2/position");
  ASSERT_EQ(whole.values.rows(), 10);
  ASSERT_EQ(whole.values.cols(), 3);
  EXPECT_EQ(whole.unit, "m");
  EXPECT_EQ(whole.values(7, 1), sample::value(7, 2 * 3 + 1));
  const Series y = reader.read("body2.position.y");
  ASSERT_EQ(y.values.cols(), 1);
  EXPECT_EQ(y.components, std::vector<std::string>{"y"});
  EXPECT_EQ(y.values(7, 0), sample::value(7, 2 * 3 + 1));
  EXPECT_EQ(reader.read("energy.total").values(3, 0), sample::value(3, 30 + 1));
  EXPECT_EQ(reader.read("Öffnung").unit, "rad");
  EXPECT_EQ(reader.read("solver.iterations").values(3, 0), sample::value(3, 1));
  EXPECT_EQ(reader.read("/bodies/arm_left/position").values, reader.read("arm/left.position").values);
  EXPECT_NE(message_of([&] { reader.read("body2.positon.y"); }).find("did you mean 'body2.position.y'?"),
            std::string::npos);
}

// The views hold no numbers: h5py must find those of the wide dataset, in a closed file and without our reader.
TEST(ResultsFile, shows_each_item_as_a_view_in_h5py) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  sample::write_rows(file, schema, 3000, 2);
  file.end({{"stop", "end time reached"}});
  const std::string output = sample::python(folder, R"(
import h5py, sys
f = h5py.File(')" + (folder / "run.h5").string() + R"(', 'r')
assert (f['/bodies/arm_left/position'][:] == f['/frames/position'][:, 1, :]).all()
assert f['/bodies/body2/velocity'].shape == (3000, 3)
assert f['/bodies/body2/velocity'][2999, 2] == 2999 + (21 + 8) / 1048576
assert f['/energy/total'].shape == (3000,)
assert (f['/energy/total'][:] == f['/frames/energy'][:, 1, 0]).all()
assert f['/names/position'].asstr()[1] == 'arm/left'
assert f['/names/measure'].asstr()[1] == 'Öffnung'
assert f['/measures/Öffnung'].attrs['unit'].decode() == 'rad'
assert f['/time'].attrs['unit'].decode() == 's'
assert [c.decode() for c in f['/frames/position'].attrs['components']] == ['x', 'y', 'z']
assert f['/model'][()].decode() == 'm' * 100000
assert f.attrs['title'].decode() == 'A sample'
assert dict(f['/summary'].asstr()[:]) == {'stop': 'end time reached'}
print('fine')
)");
  EXPECT_EQ(output, "fine\n");
}

TEST(ResultsFile, counts_as_written_only_what_a_reader_can_see) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  ResultsFileOptions patient;
  patient.flush_seconds = 1e9;
  ResultsFile file(folder / "run.h5", patient);
  file.begin(schema);
  sample::write_rows(file, schema, 5, 0);
  EXPECT_EQ(file.frames_received(), 5);
  EXPECT_EQ(file.frames_written(), 0);
  file.flush();
  EXPECT_EQ(file.frames_written(), 5);
  const std::string seen = sample::python(
      folder, "import h5py\nprint(len(h5py.File('" + (folder / "run.h5").string() + "', 'r', swmr=True)['/time']))\n");
  EXPECT_EQ(seen, "5\n");
  const ResultsReader here(folder / "run.h5");  // also in the process that writes
  EXPECT_EQ(here.state(), ResultsState::running);
  EXPECT_EQ(here.n_frames(), 5);
}

TEST(ResultsFile, flushes_each_frame_on_request) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  ResultsFileOptions options;
  options.flush_every_frame = true;
  ResultsFile file(folder / "run.h5", options);
  file.begin(schema);
  for (int row = 0; row < 3; ++row) {
    file.frame(sample::time(row), sample::values(row, schema.frame_width()));
    EXPECT_EQ(file.frames_written(), row + 1);
  }
}

TEST(ResultsFile, saves_gathered_rows_when_it_is_destroyed_without_an_end) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  {
    ResultsFile file(folder / "run.h5");
    file.begin(schema);
    sample::write_rows(file, schema, 12, 3);
  }
  const ResultsReader reader(folder / "run.h5");
  EXPECT_EQ(reader.state(), ResultsState::closed);
  EXPECT_TRUE(reader.summary().empty());
  expect_sample(reader, schema, 12, 3);
}

TEST(ResultsFile, overwrites_results_but_neither_other_files_nor_a_running_simulation) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  for (const int n : {9, 2}) {
    ResultsFile file(folder / "run.h5");
    file.begin(schema);
    sample::write_rows(file, schema, n, 0);
    EXPECT_NE(message_of([&] { ResultsFile(folder / "run.h5").begin(schema); }).find("a running simulation is writing"),
              std::string::npos);
    file.end({});
  }
  EXPECT_EQ(ResultsReader(folder / "run.h5").n_frames(), 2);

  std::ofstream(folder / "model.toml") << "title = 'precious'\n";
  EXPECT_NE(message_of([&] { ResultsFile(folder / "model.toml").begin(schema); }).find("not a results file"),
            std::string::npos);
  EXPECT_EQ(sample::read_text(folder / "model.toml"), "title = 'precious'\n");
}

TEST(ResultsFile, says_which_path_cannot_be_written_and_why) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  std::filesystem::create_directory(folder / "folder.h5");
  const std::string directory = message_of([&] { ResultsFile(folder / "folder.h5").begin(schema); });
  EXPECT_NE(directory.find("folder.h5': it is a directory"), std::string::npos) << directory;
  const std::string missing = message_of([&] { ResultsFile(folder / "no/run.h5").begin(schema); });
  EXPECT_NE(missing.find("no/run.h5': No such file or directory"), std::string::npos) << missing;
}

struct Failure {
  int written = 0;  // frames reported as written before it
  std::string message;
};

// A full disk is imitated by a limit on the file size (EFBIG instead of ENOSPC) that is lifted when it strikes, in a
// child process. The child must fail with our error, print nothing and exit normally.
Failure write_with_limited_space(const Folder& folder, rlim_t bytes) {
  const RecordSchema schema = sample::schema();
  const std::filesystem::path report = folder / "report.txt", noise = folder / "noise.txt";
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen(noise.c_str(), "w", stderr)) _exit(9);
    signal(SIGXFSZ, [](int) {
      const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_FSIZE, &none);
    });
    const rlimit limit{bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::int64_t written = 0;
    const std::string message = message_of([&] {
      ResultsFileOptions options;
      options.flush_every_frame = true;
      ResultsFile file(folder / "run.h5", options);
      file.begin(schema);
      for (int row = 0; row < 100000; ++row) {
        file.frame(sample::time(row), sample::values(row, schema.frame_width()));
        written = file.frames_written();
      }
    });
    std::ofstream(report) << written << '\n' << message << '\n';
    std::exit(0);  // runs HDF5's own cleanup too
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sample::read_text(noise), "");
  std::ifstream lines(report);
  Failure failure;
  lines >> failure.written >> std::ws;
  std::getline(lines, failure.message);
  return failure;
}

TEST(ResultsFile, reports_a_full_disk_and_keeps_what_was_written_before) {
  const Folder folder;
  const Failure failure = write_with_limited_space(folder, 2 << 20);
  EXPECT_NE(failure.message.find("run.h5': File too large"), std::string::npos) << failure.message;
  EXPECT_GT(failure.written, 100);
  const ResultsReader reader(folder / "run.h5");
  EXPECT_EQ(reader.state(), ResultsState::interrupted);
  ASSERT_GE(reader.n_frames(), failure.written);
  const Series z = reader.read("body2.velocity.z");
  for (int row = 0; row < failure.written; ++row) ASSERT_EQ(z.values(row, 0), sample::value(row, 21 + 8));
}

TEST(ResultsFile, leaves_nothing_behind_when_the_disk_is_full_at_the_start) {
  const Folder folder;
  const Failure failure = write_with_limited_space(folder, 4096);
  EXPECT_NE(failure.message.find("run.h5': File too large"), std::string::npos) << failure.message;
  EXPECT_FALSE(std::filesystem::exists(folder / "run.h5"));
}

TEST(ResultsFile, refuses_a_wrong_schema_with_every_problem) {
  const Folder folder;
  RecordSchema schema = sample::schema();
  schema.frames[0].path = "/elsewhere/position";
  schema.frames[1].names[0] = schema.frames[1].names[2];
  schema.frames[2].view = "/bodies/velocity";
  const std::string message = message_of([&] { ResultsFile(folder / "run.h5").begin(schema); });
  EXPECT_NE(message.find("the path must be '/frames/'"), std::string::npos) << message;
  EXPECT_NE(message.find("the name 'body2' is used twice"), std::string::npos) << message;
  EXPECT_NE(message.find("'{name}'"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(folder / "run.h5"));
}

TEST(ResultsFile, refuses_a_row_of_the_wrong_width) {
  const Folder folder;
  ResultsFile file(folder / "run.h5");
  file.begin(sample::schema());
  EXPECT_NE(message_of([&] { file.frame(0.0, std::vector<double>(3)); }).find("3 values"), std::string::npos);
}

// Above the limit a group has no views, but every channel can still be read.
TEST(ResultsFile, limits_the_number_of_views_but_not_what_can_be_read) {
  const Folder folder;
  const RecordSchema schema = sample::schema(50);
  ResultsFileOptions options;
  options.max_views = 60;
  ResultsFile file(folder / "run.h5", options);
  file.begin(schema);
  sample::write_rows(file, schema, 3, 0);
  file.end({});
  EXPECT_EQ(sample::python(folder, "import h5py\nf = h5py.File('" + (folder / "run.h5").string() +
                                       "', 'r')\nprint('position' in f['bodies/body7'], 'velocity' in "
                                       "f['bodies/body7'], 'total' in f['energy'])\n"),
            "True False True\n");
  EXPECT_EQ(ResultsReader(folder / "run.h5").read("body7.velocity.z").values(2, 0),
            sample::value(2, 50 * 7 + 7 * 3 + 2));
}

TEST(ResultsReader, refuses_foreign_empty_and_truncated_files_in_plain_words) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  const auto refusal = [&](const std::string& name) {
    return message_of([&] { ResultsReader reader(folder / name); });
  };
  EXPECT_NE(refusal("missing.h5").find("no such file"), std::string::npos);
  std::ofstream(folder / "empty.h5");
  EXPECT_NE(refusal("empty.h5").find("it is empty"), std::string::npos);
  std::ofstream(folder / "text.h5") << "time,x\n0,1\n";
  EXPECT_NE(refusal("text.h5").find("not an HDF5 file"), std::string::npos);
  sample::python(folder, "import h5py\nf = h5py.File('" + (folder / "foreign.h5").string() + "', 'w')\nf['a'] = 1\n");
  EXPECT_NE(refusal("foreign.h5").find("not a results file of Trammel"), std::string::npos);
  EXPECT_NE(refusal("").find("it is a directory"), std::string::npos);

  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  sample::write_rows(file, schema, 2000, 10);
  file.end({});
  const auto size = std::filesystem::file_size(folder / "run.h5");
  for (const double part : {0.9, 0.5, 0.1, 0.01, 0.0001}) {
    std::filesystem::copy_file(folder / "run.h5", folder / "cut.h5", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut.h5", static_cast<std::uintmax_t>(part * static_cast<double>(size)));
    EXPECT_NE(refusal("cut.h5").find("damaged or truncated"), std::string::npos) << part << " " << refusal("cut.h5");
  }
}

// Numbers are those of before, whoever unpacks them; what is smooth takes less room than its bytes.
TEST(ResultsFile, is_packed_and_loses_nothing) {
  const Folder folder;
  const RecordSchema schema = sample::schema(300);
  const auto write = [&](const std::string& name, double flush_seconds, int n) {
    ResultsFileOptions options;
    options.flush_seconds = flush_seconds;
    ResultsFile file(folder / name, options);
    file.begin(schema);
    sample::write_rows(file, schema, n, n);
    file.end({{"stop", "end time reached"}});
    EXPECT_EQ(file.frames_written(), n);
  };
  const int n = 700;
  write("fast.h5", 1e9, n);
  write("slow.h5", 0.0, n);  // each row by itself: a packed copy at the end
  const double bytes = 8.0 * n * schema.frame_width();
  ASSERT_GT(bytes, 8e6);
  for (const char* name : {"fast.h5", "slow.h5"}) {
    EXPECT_LT(static_cast<double>(std::filesystem::file_size(folder / name)), 0.5 * bytes) << name;
    EXPECT_TRUE(verify_results(folder / name).empty()) << name;
    const ResultsReader reader(folder / name);
    EXPECT_EQ(reader.state(), ResultsState::closed);
    EXPECT_EQ(text_of(reader.summary().at("stop")), "end time reached");
    EXPECT_EQ(reader.schema().attributes.at("model"), schema.attributes.at("model"));
    ASSERT_EQ(reader.n_frames(), n);
    ASSERT_EQ(reader.n_steps(), n);
    for (const int body : {0, 149, 299}) {
      const Series read = reader.read(channel_name(schema.frames[2], body));
      for (int row = 0; row < n; ++row)
        for (int k = 0; k < 3; ++k)
          ASSERT_EQ(read.values(row, k), sample::value(row, 7 * 300 + 3 * body + k)) << name << row;
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 2) << "nothing else is left";
}

}  // namespace
}  // namespace trammel::test_results_file
