// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "apps/program.h"
#include "support/limits.h"
#include "trammel/io/results_reader.h"

// Models as an unlucky or hostile person writes them, each with the answer that it deserves: the exit code, the words
// that name what is wrong, and the frames that must be left. They stand in *.cases beside this file:
//
//   model NAME           what follows, up to an empty line, is the model that the cases below change
//   case NAME            begins a case
//   put OLD -> NEW       a line of the model in place of another, or of none
//   add LINE             at its end; `add-after OLD | LINE` behind another one
//   text LINE            instead of the model; `bytes HEX` the same in bytes
//   chain|brackets|key|array N   a model that is N deep: parameters of parameters, a formula, a key, an array
//   file NAME TEXT, folder NAME  beside the model
//   set KEY=VALUE        `trammel run model.toml --set KEY=VALUE`
//   call WORDS           `trammel WORDS` instead; several are called one after the other, the last one counts
//   exit CODE, says WORDS, keeps FRAMES   the answer

namespace trammel::test_hostile {

struct Case {
  std::string name;
  std::vector<std::string> model;
  std::string bytes;
  bool is_bytes = false;
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> folders, settings, calls, says;
  int code = -1;
  std::size_t frames = 0;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::pair<std::string, std::string> split(const std::string& text, const std::string& at) {
  const std::size_t found = text.find(at);
  if (found == std::string::npos) return {text, ""};
  return {text.substr(0, found), text.substr(found + at.size())};
}

void change(Case& c, const std::string& word, const std::string& rest) {
  const auto line = [&](const std::string& text) {
    const auto it = std::find(c.model.begin(), c.model.end(), text);
    if (it == c.model.end()) throw std::runtime_error(c.name + ": the model has no line " + text);
    return it;
  };
  if (word == "put") {
    const auto [old, now] = split(rest, " ->");
    const auto at = line(old);
    if (now.empty())
      c.model.erase(at);
    else
      *at = now.substr(1);
  } else if (word == "add") {
    c.model.push_back(rest);
  } else if (word == "add-after") {
    const auto [old, now] = split(rest, " | ");
    c.model.insert(line(old) + 1, now);
  } else if (word == "text") {
    c.model = {rest};
  } else if (word == "bytes") {
    c.is_bytes = true;
    for (std::size_t i = 0; i + 1 < rest.size(); i += 2)
      c.bytes += static_cast<char>(std::stoi(rest.substr(i, 2), nullptr, 16));
  } else if (word == "chain") {
    c.model.front() = "[parameters]\np0 = 1";
    for (int i = 1; i < std::stoi(rest); ++i)
      c.model.front() += "\np" + std::to_string(i) + " = \"p" + std::to_string(i - 1) + " + 0\"";
  } else if (word == "brackets") {
    *line("mass = 2") = "mass = \"" + repeated("(", std::stoi(rest)) + "2" + repeated(")", std::stoi(rest)) + "\"";
  } else if (word == "key") {
    c.model.push_back("a" + repeated(".a", std::stoi(rest)) + " = 1");
  } else if (word == "array") {
    c.model.push_back("a = " + repeated("[", std::stoi(rest)) + repeated("]", std::stoi(rest)));
  } else {
    throw std::runtime_error(c.name + ": what is '" + word + "'?");
  }
}

std::vector<Case> read_cases(const std::string& name) {
  std::ifstream file(places::source_dir() / "tests/hostile" / (name + ".cases"));
  std::vector<std::string> model;
  std::vector<Case> cases;
  bool in_model = false;
  for (std::string line; std::getline(file, line);) {
    if (in_model && !line.empty()) {
      model.push_back(line);
      continue;
    }
    in_model = false;
    if (line.empty() || line[0] == '#') continue;
    auto [word, rest] = split(line, " ");
    if (word == "model") {
      in_model = true;
      model.clear();
      continue;
    }
    if (word == "case") {
      cases.emplace_back();
      cases.back().name = rest;
      cases.back().model = model;
      continue;
    }
    Case& c = cases.at(cases.size() - 1);
    if (word == "file") {
      const auto [path, text] = split(rest, " ");
      c.files.emplace_back(path, std::regex_replace(text, std::regex(R"(\\n)"), "\n"));
    } else if (word == "folder") {
      c.folders.push_back(rest);
    } else if (word == "set") {
      c.settings.push_back(rest);
    } else if (word == "call") {
      c.calls.push_back(rest);
    } else if (word == "exit") {
      c.code = std::stoi(rest);
    } else if (word == "says") {
      c.says.push_back(rest);
    } else if (word == "keeps") {
      c.frames = std::stoul(rest);
    } else {
      change(c, word, rest);
    }
  }
  return cases;
}

std::vector<std::string> words_of(const Case& c, std::size_t call) {
  std::vector<std::string> words;
  if (c.calls.empty()) {
    words = {"run", "model.toml"};
    for (const std::string& setting : c.settings) words.insert(words.end(), {"--set", setting});
    return words;
  }
  std::istringstream text(c.calls[call]);
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// A failure is repeated bit by bit where nothing is but its results, or the capsule that is made of them. Alarms that
// are failures end no run.
void expect_replay(const std::filesystem::path& results) {
  const program::Folder empty;
  std::filesystem::copy_file(results, empty / "capsule.h5");
  if (ResultsReader(results).summary().count("failure") == 0) return;
  const auto replay = [](const program::Folder& there, std::vector<std::string> more) {
    std::vector<std::string> words{"replay", "capsule.h5", "--only"};
    words.insert(words.end(), more.begin(), more.end());
    const program::Outcome replayed = program::call(there, words);
    EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
    EXPECT_NE(replayed.out.find("Repeated bit by bit"), std::string::npos) << replayed.out;
  };
  replay(empty, {"--capsule", "small.h5"});
  const program::Folder elsewhere;
  std::filesystem::rename(empty / "small.h5", elsewhere / "capsule.h5");
  replay(elsewhere, {});
}

}  // namespace

class Hostile : public ::testing::TestWithParam<Case> {};

TEST_P(Hostile, model_is_answered) {
  const Case& c = GetParam();
  const program::Folder folder;
  std::string text = c.bytes;
  if (!c.is_bytes)
    for (const std::string& line : c.model) text += line + "\n";
  folder.write("model.toml", text);
  for (const auto& [name, content] : c.files) folder.write(name, content);
  for (const std::string& name : c.folders) std::filesystem::create_directories(folder / name);
  // Nothing may hang or eat the machine: far more than any of these needs.
  const rlimit seconds{60, 60}, bytes{rlim_t{4} << 30, rlim_t{4} << 30};
  rlimit old_seconds, old_bytes;
  getrlimit(RLIMIT_CPU, &old_seconds), getrlimit(RLIMIT_AS, &old_bytes);
  setrlimit(RLIMIT_CPU, &seconds), test_support::limit_memory(bytes);
  program::Outcome outcome;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, c.calls.size()); ++i)
    outcome = program::call(folder, words_of(c, i));
  setrlimit(RLIMIT_CPU, &old_seconds), test_support::limit_memory(old_bytes);

  const std::string said = outcome.out + outcome.err;
  EXPECT_EQ(outcome.code, c.code) << said;
  for (const std::string& words : c.says) EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
  for (const char* words :
       {"std::", "bad_alloc", "terminate", "Eigen::", "what()", "Assertion", "defect of the program"})
    EXPECT_EQ(said.find(words), std::string::npos) << words << "\n" << said;
  const bool made = std::filesystem::exists(folder / "model.h5");
  EXPECT_FALSE(made && c.code == 2 && c.calls.empty()) << "nothing was to run";
  EXPECT_GE(made ? ResultsReader(folder / "model.h5").times().size() : 0, c.frames);
  if (made && outcome.code == 3) expect_replay(folder / "model.h5");
  for (const auto& [name, content] : c.files) EXPECT_EQ(program::read_text(folder / name), content) << "was changed";
  EXPECT_EQ(program::read_text(folder / "model.toml"), text) << "the model was changed";
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Input, Hostile, ::testing::ValuesIn(read_cases("input")), name_of);
INSTANTIATE_TEST_SUITE_P(Machines, Hostile, ::testing::ValuesIn(read_cases("machines")), name_of);

}  // namespace trammel::test_hostile
