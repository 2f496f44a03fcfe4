#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <thread>

#include "commands.h"
#include "messages.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/text_file.h"

extern char** environ;

namespace trammel::apps {

namespace {

/// A setting with all its values, as texts: "parameters.L" with "0.1", "0.2", …
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

bool parse_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

/// "key=a:b:n": n values from a to b; "key=v1,v2,v3": these; anything else is one value.
Axis parse_axis(const std::string& setting) {
  const std::size_t equal = setting.find('=');
  if (equal == std::string::npos || equal == 0)
    throw InputError(fmt::format("'{}' is not of the form key=a:b:n, key=v1,v2 or key=value", setting));
  Axis axis{setting.substr(0, equal), {}};
  const std::string value = setting.substr(equal + 1);
  const bool structured = !value.empty() && (value[0] == '[' || value[0] == '{' || value[0] == '"');
  const std::vector<std::string> range = split(value, ':');
  double from = 0.0, to = 0.0, n = 0.0;
  if (!structured && range.size() == 3 && parse_number(range[0], from) && parse_number(range[1], to) &&
      parse_number(range[2], n)) {
    if (n < 1.0 || n > 1e6 || n != std::round(n))
      throw InputError(fmt::format("'{}': the number of values is {}; it must be whole, from 1 on", setting, range[2]));
    const int count = static_cast<int>(n);
    for (int i = 0; i < count; ++i)
      axis.values.push_back(fmt::format("{:.12g}", count == 1 ? from : from + (to - from) * i / (count - 1)));
  } else if (!structured && value.find(',') != std::string::npos) {
    axis.values = split(value, ',');
  } else {
    axis.values = {value};
  }
  return axis;
}

struct Case {
  std::vector<std::string> settings;  // "key=value", in the order of the axes
  std::filesystem::path results;
  pid_t process = 0;
  int code = -1;                                // of the process; −1: not run
  bool stopped() const { return code >= 128; }  // by a signal, or by itself because of one
};

std::vector<Case> make_cases(const std::vector<Axis>& axes, const std::filesystem::path& folder) {
  std::vector<Case> cases(1);
  for (const Axis& axis : axes) {
    std::vector<Case> next;
    for (const Case& before : cases)
      for (const std::string& value : axis.values) {
        next.push_back(before);
        next.back().settings.push_back(axis.key + "=" + value);
      }
    cases = std::move(next);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].results = folder / fmt::format("case_{:04}.h5", i + 1);
  return cases;
}

std::vector<std::string> run_words(const SweepCommand& command, const Case& one) {
  std::vector<std::string> words{"run", command.model.string(), "--quiet", "--out", one.results.string()};
  for (const std::string& setting : one.settings) words.insert(words.end(), {"--set", setting});
  return words;
}

/// The results of this very case are there already: same model, same command, run to its end.
bool is_done(const SweepCommand& command, const Case& one, const std::string& model_text) {
  std::error_code ignored;
  if (!std::filesystem::exists(one.results, ignored)) return false;
  try {
    const ResultsReader reader(one.results);
    const auto& attributes = reader.schema().attributes;
    const auto is = [&](const char* key, const std::string& value) {
      const auto it = attributes.find(key);
      return it != attributes.end() && it->second == value;
    };
    const auto completed = reader.summary().find("completed");
    return reader.state() == ResultsState::closed && completed != reader.summary().end() &&
           completed->second == "true" && is("model", model_text) &&
           is("command", join_command_line(run_words(command, one)));
  } catch (const Error&) {
    return false;  // whatever it is, it is written anew
  }
}

pid_t start(const SweepCommand& command, const Case& one) {
  std::vector<std::string> words = run_words(command, one);
  words.insert(words.begin(), "trammel");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ);
  if (error != 0) throw IoError(fmt::format("cannot start another trammel: {}", std::strerror(error)));
  return process;
}

volatile sig_atomic_t interrupted = 0;
extern "C" void note_interrupt(int) { interrupted = 1; }

std::string describe_case(const Case& one) {
  std::string text;
  for (const std::string& setting : one.settings) text += (text.empty() ? "" : " ") + setting;
  return text;
}

/// Runs the cases that are not done, `jobs` at a time. A Ctrl-C reaches the runs as well; no further ones are started.
void run_cases(const SweepCommand& command, std::vector<Case>& cases, int jobs) {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  struct sigaction before {};
  sigaction(SIGINT, &action, &before);
  std::size_t next = 0, finished = 0, running = 0;
  while (next < cases.size() || running > 0) {
    while (next < cases.size() && running < static_cast<std::size_t>(jobs) && interrupted == 0) {
      Case& one = cases[next++];
      if (one.code == 0) continue;
      one.process = start(command, one);
      ++running;
    }
    if (running == 0) break;
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended < 0) continue;  // a signal woke us
    const auto one = std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.process == ended; });
    if (one == cases.end()) continue;
    one->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    --running, ++finished;
    if (!command.quiet)
      complain("[{}/{}] {}: {}\n", one - cases.begin() + 1, cases.size(), describe_case(*one),
               one->code == 0   ? "done"
               : one->stopped() ? "stopped"
                                : fmt::format("failed (exit code {})", one->code));
  }
  sigaction(SIGINT, &before, nullptr);
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
  return quoted + "\"";
}

OutputKind table_kind() { return text_kind("a table of a sweep of Trammel", {"case,", "case\n"}); }

/// One line per case: its settings, how it ended, what it cost, and end, smallest and largest value of each measure.
void write_table(const std::filesystem::path& path, const std::vector<Axis>& axes, const std::vector<Case>& cases) {
  const std::vector<std::string> costs{"stop", "steps", "iterations", "wall_time", "energy_drift", "position_drift"};
  std::string head = "case", body;
  for (const Axis& axis : axes) head += "," + csv_cell(axis.key);
  for (const std::string& cost : costs) head += "," + cost;
  bool measures_named = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    body += fmt::format("{}", i + 1);
    for (const std::string& setting : cases[i].settings) body += "," + csv_cell(setting.substr(setting.find('=') + 1));
    std::error_code ignored;
    if (cases[i].code < 0 || !std::filesystem::exists(cases[i].results, ignored)) {
      body += cases[i].code < 0 ? ",not run\n" : ",refused\n";
      continue;
    }
    const ResultsReader reader(cases[i].results);
    for (const std::string& cost : costs) {
      const auto it = reader.summary().find(cost);
      body += "," + (it == reader.summary().end() ? "" : csv_cell(it->second));
    }
    for (const RecordGroup& group : reader.schema().frames) {
      if (group.quantity() != "measure") continue;
      for (const std::string& name : group.names) {
        if (!measures_named) head += fmt::format(",{0} end,{0} min,{0} max", csv_cell(name));
        const Series series = reader.read("measures." + name);
        if (series.values.rows() > 0)
          body += fmt::format(",{},{},{}", series.values(series.values.rows() - 1, 0), series.values.minCoeff(),
                              series.values.maxCoeff());
      }
      measures_named = true;
    }
    body += "\n";
  }
  TextFile file(path, table_kind());
  file.write(head + "\n" + body);
  file.close();
}

}  // namespace

int sweep(const SweepCommand& command) {
  require_file(command.model);
  std::vector<Axis> axes;
  for (const std::string& setting : command.settings) axes.push_back(parse_axis(setting));
  const std::filesystem::path folder =
      command.out.empty() ? std::filesystem::path(command.model.stem().string() + "_sweep") : command.out;
  std::vector<Case> cases = make_cases(axes, folder);
  const Study study = read_study(command.model, cases.front().settings);  // refuses a wrong key before anything runs
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));

  const std::filesystem::path table = folder / "cases.csv";
  OutputFile::check(table, table_kind());

  std::size_t done = 0;
  for (Case& one : cases)
    if (is_done(command, one, study.text)) one.code = 0, ++done;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int jobs = command.jobs > 0 ? command.jobs : cores;
  if (!command.quiet)
    complain("{} cases{}, {} at a time\n", cases.size(), done > 0 ? fmt::format(", {} of them done before", done) : "",
             jobs);
  run_cases(command, cases, jobs);
  write_table(table, axes, cases);

  const auto n_failed =
      std::count_if(cases.begin(), cases.end(), [](const Case& one) { return one.code > 0 && !one.stopped(); });
  const auto n_open =
      std::count_if(cases.begin(), cases.end(), [](const Case& one) { return one.code < 0 || one.stopped(); });
  if (!command.quiet)
    fmt::print("{}: {} cases, {} failed{}\n", table.string(), cases.size(), n_failed,
               n_open > 0 ? fmt::format(", {} not run to the end (the same command goes on)", n_open) : "");
  if (interrupted != 0) return 128 + SIGINT;
  return n_failed > 0 ? failed_run : success;
}

}  // namespace trammel::apps
