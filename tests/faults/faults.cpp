// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <regex>

#include "places.h"
#include "stage.h"
#include "trammel/io/results_reader.h"

// The n-th allocation, write, lock or other call of the system fails, of every command that replaces something:
//
//   (1)  it ends with an exit code, never by a signal, and in time
//   (2)  what was there before is there, byte by byte, or the new in its place: whole if the exit code is 0, else
//        results with at least the frames that were reported as written; files that are not ours stay
//   (3)  stderr says what is the matter, in words of ours
//   (4)  what is left behind does not hinder the next call, and goes with it
//
// A sample of all n here; `./dev faults` takes every n up to 2000 and then every 97th.

namespace trammel::test_faults {
namespace {

const bool all_of_them = std::getenv("TRAMMEL_FAULTS") != nullptr;
constexpr std::uint64_t every_one_up_to = 2000, stride_behind = 97, sample_size = 10;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string describe(const std::vector<DamagedPart>& damaged) {
  return damaged.empty() ? "" : damaged.front().part + " is damaged: " + damaged.front().trouble;
}

/// A command among older files that it is about to replace.
class Command {
 public:
  virtual ~Command() = default;
  virtual void prepare(Stage& stage) = 0;  ///< before keep()
  virtual std::vector<std::string> words() const = 0;
  /// What is wrong with what the command left; empty: nothing. `replaced` are files that are not as they were.
  virtual std::string find_trouble(const Stage& stage, const Ended& ended,
                                   const std::vector<std::string>& replaced) const = 0;
  virtual bool may_succeed() const { return true; }
  virtual bool names_other_cause(const std::string&) const { return false; }  ///< without a fault it fails, too

 protected:
  static void need(bool fine, const Ended& ended, const std::string& doing) {
    if (!fine)
      throw std::runtime_error(doing + " failed: " + std::to_string(ended.code) + "\n" + ended.out + ended.err);
  }
  static void add_model(Stage& stage) {
    fs::copy_file(places::source_dir() / "tests/apps/models/pendulum.toml", stage / "m.toml");
  }
  static void make_results(Stage& stage, const std::string& name, const std::string& setting) {
    const Ended ended = stage.call({"run", "m.toml", "--quiet", "-o", name, "--set", "analysis.end=0.03", setting});
    need(ended.code == 0, ended, "preparing " + name);
  }
};

/// Frames that the program told to be safe.
std::int64_t frames_reported(const std::string& text) {
  std::int64_t most = 0;
  static const std::regex words("([0-9]+) frames written");
  for (std::sregex_iterator it(text.begin(), text.end(), words), end; it != end; ++it)
    most = std::max<std::int64_t>(most, std::stoll((*it)[1]));
  return most;
}

class Run : public Command {
 public:
  void prepare(Stage& stage) override {
    add_model(stage);
    make_results(stage, "m.h5", "body.rod.mass=5");
  }
  std::vector<std::string> words() const override {
    return {"run",
            "m.toml",
            "--progress-interval",
            "0",
            "--set",
            "analysis.end=0.03",
            "output.interval=0.003",
            "output.flush_every_frame=true"};
  }
  std::string find_trouble(const Stage& stage, const Ended& ended,
                           const std::vector<std::string>& replaced) const override {
    const std::int64_t reported = frames_reported(ended.err);
    if (replaced.empty()) return ended.code == 0 || reported > 0 ? "the new results are not there" : "";
    const ResultsReader reader(stage / "m.h5");
    if (reader.attribute("set").find("mass") != std::string::npos) return "the old results are there, but changed";
    if (reader.n_frames() < std::max<std::int64_t>(1, reported)) return "frames that were reported are missing";
    if (!reader.damaged().empty()) return describe(reader.damaged());
    if (ended.code != 0) return "";
    if (reader.n_frames() != 11 || reader.state() != ResultsState::closed ||
        text_of(reader.summary().at("completed")) != "true")
      return "the results are not whole";
    return describe(verify_results(stage / "m.h5"));
  }
};

/// The name of the results belongs to somebody else.
class ForeignTarget : public Run {
 public:
  void prepare(Stage& stage) override {
    add_model(stage);
    std::ofstream(stage / "m.h5", std::ios::binary) << "\x89HDF\r\n\x1a\nnot ours";
  }
  std::string find_trouble(const Stage&, const Ended& ended, const std::vector<std::string>& replaced) const override {
    if (!replaced.empty()) return "a file that is not ours was replaced";
    return ended.code == 0 ? "it was not refused" : "";
  }
  bool may_succeed() const override { return false; }
  bool names_other_cause(const std::string& text) const override {
    return text.find("not a results file") != std::string::npos;
  }
};

class Report : public Command {
 public:
  void prepare(Stage& stage) override {
    add_model(stage);
    make_results(stage, "m.h5", "body.rod.mass=2");
    const Ended whole = stage.call(words());
    need(whole.code == 0, whole, "the report");
    whole_ = read_text(stage / "m.html");
    std::vector<std::string> other = words();
    other.insert(other.end(), {"--title", "an older page"});
    const Ended older = stage.call(other);
    need(older.code == 0, older, "the older report");
  }
  std::vector<std::string> words() const override { return {"report", "m.h5"}; }
  std::string find_trouble(const Stage& stage, const Ended& ended,
                           const std::vector<std::string>& replaced) const override {
    if (replaced.empty()) return ended.code == 0 ? "the new page is not there" : "";
    return replaced == std::vector<std::string>{"m.html"} && read_text(stage / "m.html") == whole_
               ? ""
               : "the page is not whole";
  }

 private:
  std::string whole_;
};

class Repair : public Command {
 public:
  void prepare(Stage& stage) override {
    add_model(stage);
    make_results(stage, "clean.h5", "body.rod.mass=7");
    // Results of a run that a full disk has ended.
    const std::vector<std::string> run{
        "run", "m.toml", "-o", "m.h5", "--quiet", "--set", "analysis.end=0.03", "output.flush_every_frame=true"};
    const Ended counted = stage.call(run);
    fs::remove(stage / "m.h5");
    const Ended ended = stage.call(run, {kind_write, true, counted.faults.counts[kind_write] * 9 / 10});
    need(ended.code == 4, ended, "interrupting a run");
    n_frames_ = ResultsReader(stage / "m.h5").n_frames();
    need(n_frames_ > 0, ended, "recording a frame");
  }
  std::vector<std::string> words() const override { return {"repair", "m.h5", "-o", "clean.h5"}; }
  std::string find_trouble(const Stage& stage, const Ended& ended,
                           const std::vector<std::string>& replaced) const override {
    if (replaced.empty()) return ended.code == 0 ? "the copy is not there" : "";
    if (replaced != std::vector<std::string>{"clean.h5"}) return "what was to be repaired has changed";
    const ResultsReader reader(stage / "clean.h5");
    if (ended.code == 0 && (reader.n_frames() != n_frames_ || reader.state() != ResultsState::closed))
      return "the copy is not whole";
    if (reader.n_frames() < 1) return "the copy is empty";
    return describe(ended.code == 0 ? verify_results(stage / "clean.h5") : reader.damaged());
  }

 private:
  std::int64_t n_frames_ = 0;
};

class Sweep : public Command {
 public:
  void prepare(Stage& stage) override {
    add_model(stage);
    std::vector<std::string> other = words();
    other.back() = "body.rod.mass=3,4";
    const Ended older = stage.call(other);
    need(older.code == 0, older, "the older sweep");
  }
  std::vector<std::string> words() const override {
    return {"sweep", "m.toml", "--jobs", "2", "--set", "analysis.end=0.002", "body.rod.mass=1,2"};
  }
  std::string find_trouble(const Stage& stage, const Ended& ended,
                           const std::vector<std::string>& replaced) const override {
    for (const std::string& name : replaced)
      if (name.ends_with(".h5") && ResultsReader(stage / name).n_frames() < 1) return name + " is empty";
    const bool has_table = std::count(replaced.begin(), replaced.end(), "m_sweep/cases.csv") > 0;
    if (!has_table) return ended.code == 0 ? "the new table is not there" : "";
    std::istringstream table(read_text(stage / "m_sweep/cases.csv"));
    std::string head, first, second, more;
    std::getline(table, head), std::getline(table, first), std::getline(table, second), std::getline(table, more);
    if (!first.starts_with("1,0.002,1,") || !second.starts_with("2,0.002,2,") || !more.empty())
      return "the table is not whole: " + table.str();
    const auto reached_end = [](const std::string& line) { return line.find("reached") != std::string::npos; };
    if (ended.code == 0 && !(reached_end(first) && reached_end(second))) return "the table says: " + table.str();
    return "";
  }
};

std::unique_ptr<Command> make_command(const std::string& name) {
  if (name == "run") return std::make_unique<Run>();
  if (name == "foreign") return std::make_unique<ForeignTarget>();
  if (name == "report") return std::make_unique<Report>();
  if (name == "repair") return std::make_unique<Repair>();
  return std::make_unique<Sweep>();
}

std::string find_trouble_in_words(const Ended& ended) {
  for (const char* foreign : {"std::", "bad_alloc", "terminate", "defect", "HDF5", "basic_string", "what()", "vector"})
    if (ended.err.find(foreign) != std::string::npos) return std::string("'") + foreign + "' in a message";
  if (ended.code == 0) return "";
  if (ended.faults.fired == 0) return "";
  std::string causes;
  for (int error = 1; error < 64; ++error) {
    if ((ended.faults.errors >> error & 1) == 0) continue;
    const std::string cause = error == ENOMEM ? "memory" : std::strerror(error);
    if (ended.err.find(cause) != std::string::npos) return "";
    causes += " " + cause;
  }
  return "the message does not name the cause:" + causes;
}

/// All n, or a sample: the first ones, the last one, and some between.
std::vector<std::uint64_t> choose(std::uint64_t total) {
  std::vector<std::uint64_t> chosen;
  if (all_of_them) {
    for (std::uint64_t n = 1; n <= total; n += n < every_one_up_to ? 1 : stride_behind) chosen.push_back(n);
  } else {
    const std::uint64_t stride = std::max<std::uint64_t>(1, total / sample_size);
    for (std::uint64_t n = 1; n <= total; n += stride) chosen.push_back(n);
  }
  if (total > 0 && chosen.back() != total) chosen.push_back(total);
  return chosen;
}

struct Scene {
  std::string command;
  int kind;
  bool lasts;
};

void PrintTo(const Scene& scene, std::ostream* out) {
  *out << scene.command << '_' << kind_names[scene.kind] << (scene.lasts ? "_lasting" : "");
}

class Faults : public testing::TestWithParam<Scene> {};

TEST_P(Faults, leave_old_data_or_new_and_are_told) {
  const Scene& scene = GetParam();
  const std::unique_ptr<Command> command = make_command(scene.command);
  Stage stage;
  command->prepare(stage);
  stage.keep();
  const Ended fine = stage.call(command->words());
  ASSERT_EQ(fine.code == 0, command->may_succeed()) << fine.err;
  const std::uint64_t total = fine.faults.counts[scene.kind];
  const std::vector<std::uint64_t> chosen = choose(total);
  std::map<int, int> codes;
  int n_wrong = 0, n_left = 0;
  for (const std::uint64_t n : chosen) {
    stage.restore();
    const Ended ended = stage.call(command->words(), {scene.kind, scene.lasts, n});
    ++codes[ended.code];
    std::string trouble;
    const auto expect = [&](bool holds, const std::string& words) {
      if (!holds) trouble += "\n    " + words;
    };
    expect(!ended.hung, "it did not end");
    expect(ended.code >= 0, "it was killed by signal " + std::to_string(-ended.code));
    expect(ended.code <= 0 || ended.code == 3 || ended.code == 4, "exit code " + std::to_string(ended.code));
    if (scene.kind == kind_memory && command->may_succeed()) expect(ended.code != 4, "exit code 4 for memory");
    std::vector<std::string> replaced;
    for (const auto& [name, bytes] : stage.kept())
      if (!stage.is_kept(name)) replaced.push_back(name);
    std::string found = std::count(replaced.begin(), replaced.end(), "m.toml") > 0 ? "the model has changed" : "";
    try {
      if (found.empty()) found = command->find_trouble(stage, ended, replaced);
    } catch (const std::exception& error) {
      found = error.what();
    }
    expect(found.empty(), found);
    found = find_trouble_in_words(ended);
    expect(found.empty() || command->names_other_cause(ended.err), found);
    if (!stage.new_names().empty()) {
      ++n_left;
      const std::string left = stage.new_names().front();
      const Ended next = stage.call(command->words());
      expect((next.code == 0) == command->may_succeed(), left + " hinders the next call: " + next.err);
      if (command->may_succeed()) expect(stage.new_names().empty(), left + " stays for ever");
    }
    if (trouble.empty()) continue;
    constexpr int most_told = 40;
    if (++n_wrong <= most_told)
      ADD_FAILURE() << "call " << n << " of " << total << " (" << ended.faults.name << ")" << trouble
                    << "\n    exit code " << ended.code << ", stderr:\n"
                    << ended.err.substr(ended.err.size() > 600 ? ended.err.size() - 600 : 0);
  }
  std::string text = testing::PrintToString(scene) + ": " + std::to_string(chosen.size()) + " of " +
                     std::to_string(total) + " calls made to fail; exit codes";
  for (const auto& [code, n] : codes) text += " " + std::to_string(code) + ": " + std::to_string(n);
  if (n_left > 0) text += "; left something behind: " + std::to_string(n_left);
  if (all_of_them) std::cout << text << "; wrong: " << n_wrong << std::endl;
  RecordProperty("figures", text);
}

std::vector<Scene> all_scenes() {
  std::vector<Scene> scenes;
  for (const char* command : {"run", "foreign", "report", "repair", "sweep"})
    for (int kind = 0; kind < n_kinds; ++kind)
      for (const bool lasts : {false, true})
        if (!lasts || (kind != kind_interrupted && kind != kind_short)) scenes.push_back({command, kind, lasts});
  return scenes;
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(all_scenes()),
                         [](const auto& scene) { return testing::PrintToString(scene.param); });

}  // namespace
}  // namespace trammel::test_faults
