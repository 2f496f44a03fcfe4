// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

#include "command_options.h"
#include "commands.h"
#include "completion.h"
#include "loopback_server.h"
#include "messages.h"
#include "stop_signal.h"
#include "trammel/base/text.h"
#include "trammel/base/version.h"
#include "trammel/io/library_exit.h"
#include "trammel/io/model_tables.h"
#include "trammel/simulation/run_ranks.h"

namespace {

using namespace trammel::apps;

bool is_setting(const std::string& word) { return !word.empty() && word[0] != '-' && word.find('=') != word.npos; }

/// `--set a=1 b=2` means `--set a=1 --set b=2`; said here so that a model's name behind the settings stays a name.
std::vector<std::string> spread_settings(const std::vector<std::string>& words) {
  std::vector<std::string> spread;
  bool after_setting = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (after_setting && is_setting(words[i])) spread.push_back("--set");
    after_setting = (after_setting && is_setting(words[i])) || (i > 0 && words[i - 1] == "--set");
    spread.push_back(words[i]);
  }
  return spread;
}

/// Results come first and end with .h5 (or exist as files); the first word is results whatever it is called.
void sort_words(const std::vector<std::string>& words, PlotCommand& command) {
  for (const std::string& word : words) {
    const std::filesystem::path path(word);
    std::error_code ignored;
    const bool results = command.channels.empty() && (command.files.empty() || path.extension() == ".h5" ||
                                                      std::filesystem::is_regular_file(path, ignored));
    if (results)
      command.files.push_back(path);
    else
      command.channels.push_back(word);
  }
}

CLI::Option* add_port(CLI::App& app, int& port) {
  return app.add_option("--port", port, "Port of the loopback address; 0: any that is free")
      ->type_name("NUMBER")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
}

void add_run(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<RunCommand>();
  command->command_line = call.command_line;
  CLI::App* sub = app.add_subcommand("run", "Simulate a model and write its results");
  sub->add_option("model", command->model, "Model file; beside --resume: refuse if it is not the one that was run")
      ->type_name("MODEL.toml");
  add_settings(*sub, command->settings);
  sub->add_option("-o,--out", command->out, "Results file; default: the model's name with .h5, in this folder")
      ->type_name("FILE.h5");
  CLI::Option* resume =
      sub->add_option("--resume", command->resume, "Go on with the run of these results, in the same file")
          ->type_name("FILE.h5")
          ->excludes("--set")
          ->excludes("--out");
  sub->add_option("--end", command->end, "A later end for it")->type_name("SECONDS")->needs(resume);
  CLI::Option* from = sub->add_option("--from", command->from,
                                      "Begin where the machine of these results was, found by the names of the model")
                          ->type_name("FILE.h5")
                          ->excludes(resume);
  CLI::Option* at = sub->add_option("--at", command->at, "When that was: the frame nearest to this instant")
                        ->type_name("SECONDS")
                        ->needs(from);
  from->needs(at);
  sub->add_option("--steps-of", command->steps_of,
                  "Repeat the steps, orders, iterations and matrices of these results: differences of such runs are "
                  "smooth")
      ->type_name("FILE.h5")
      ->excludes(resume);
  sub->add_flag("--report", command->report,
                "Also write a page that shows the motion in a browser, beside the results");
  command->port = LoopbackServer::usual_port;
  CLI::Option* live = sub->add_flag(
      "--live", command->live, "Serve that page to browsers of this machine while the run goes on, and until Ctrl-C");
  add_port(*sub, command->port)->needs(live);
  sub->add_option("--threads", command->threads,
                  "Threads that a large machine may use, with the same numbers for each; 0: one for each core")
      ->type_name("NUMBER")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  sub->add_flag("-q,--quiet", command->quiet, "Print errors only");
  sub->add_option("--progress-interval", command->progress_interval,
                  "Seconds between progress lines when the output is not a terminal; 0: after each step")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_json(*sub, *command);
  live->excludes("--json");
  sub->footer(
      fmt::format("Examples:\n"
                  "  trammel run slider_crank.toml\n"
                  "  trammel run slider_crank.toml --live              see it move while it is computed\n"
                  "  trammel run slider_crank.toml --set solver.h=1e-4 parameters.L=0.3 --out fine.h5\n"
                  "  trammel run --resume slider_crank.h5              go on with a run that was stopped or killed\n"
                  "  trammel run --resume slider_crank.h5 --end 20     or that shall go on to a later end\n"
                  "Ctrl-C ends the run and keeps its results; a second one ends the program at once. SIGUSR1 writes\n"
                  "what waits to be written.\n{}",
                  exit_codes));
  sub->callback([command, &call] {
    if (command->model.empty() && command->resume.empty()) throw CLI::RequiredError("model");
    call(
        command->resume.empty() ? command->model : command->resume, [command] { return run(*command); },
        command->json.get());
  });
}

void add_check(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<CheckCommand>();
  CLI::App* sub = app.add_subcommand(
      "check", "Read and assemble a model: degrees of freedom, redundant constraints, initial conditions");
  sub->add_option("model", command->model, "Model file")->required()->type_name("MODEL.toml");
  add_settings(*sub, command->settings);
  add_json(*sub, *command);
  sub->footer(
      fmt::format("Example:\n  trammel check four_bar.toml\n"
                  "Nothing is simulated. The exit code is 2 if `trammel run` would refuse the model.\n{}",
                  exit_codes));
  sub->callback([command, &call] {
    call(
        command->model, [command] { return check(*command); }, command->json.get());
  });
}

void add_import(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<ImportCommand>();
  CLI::App* sub = app.add_subcommand("import", "Turn a robot's URDF file into a model file, and say what was lost");
  sub->add_option("file", command->file, "URDF file")->required()->type_name("ROBOT.urdf");
  sub->add_option("-o,--out", command->out, "Model file; without it only the report is written")
      ->type_name("MODEL.toml");
  sub->add_option("--base", command->base, "What holds the root link")
      ->check(CLI::IsMember({"fixed", "floating"}))
      ->capture_default_str();
  sub->add_option("--packages", command->packages, "A folder in which package://NAME/… is searched; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  sub->add_flag("-q,--quiet", command->quiet, "Print errors only");
  add_json(*sub, *command);
  sub->footer(
      fmt::format("Examples:\n"
                  "  trammel import arm.urdf -o arm.toml\n"
                  "  trammel import walker.urdf --base floating --packages ~/robots -o walker.toml\n"
                  "A model may also include the URDF file itself: [[include]] file = \"arm.urdf\"\n{}",
                  exit_codes));
  sub->callback([command, &call] {
    call(
        command->file, [command] { return import_robot(*command); }, command->json.get());
  });
}

void add_eigen(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<EigenCommand>();
  CLI::App* sub =
      app.add_subcommand("eigen", "Frequencies and damping of small motions about an equilibrium or steady motion");
  sub->add_option("model", command->model, "Model file")->required()->type_name("MODEL.toml");
  add_settings(*sub, command->settings);
  sub->add_flag("--from-start", command->from_start, "About the initial conditions instead of the equilibrium");
  sub->add_option("--modes", command->modes, "Show this many; default: all, and 10 beyond 300 coordinates")
      ->check(CLI::PositiveNumber);
  sub->add_option("-o,--out", command->out, "Write all eigenvalues to this table")->type_name("FILE.csv");
  sub->add_flag("--report", command->report,
                "Write a page that shows the modes in motion: MODEL_modes.html, in this folder");
  CLI::Option* folder =
      sub->add_option("--linearization", command->linearization,
                      "Write A, B, C, D of ẋ = A x + B u, y = C x + D u to this folder; y: the model's measures")
          ->type_name("DIR");
  sub->add_option("--inputs", command->inputs, "Parameters of the model that are the inputs u")
      ->delimiter(',')
      ->needs(folder);
  add_json(*sub, *command);
  sub->footer(
      fmt::format("Examples:\n"
                  "  trammel eigen suspension.toml --modes 10 --report\n"
                  "  trammel eigen suspension.toml --linearization matrices --inputs road,torque\n{}",
                  exit_codes));
  sub->callback([command, &call] {
    call(
        command->model, [command] { return eigen(*command); }, command->json.get());
  });
}

void add_info(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<InfoCommand>();
  CLI::App* sub = app.add_subcommand("info", "Say what a results file holds, also of a run that goes on or was killed");
  sub->add_option("file", command->file, "Results file")->required()->type_name("FILE.h5");
  CLI::Option* channels = sub->add_flag("--channels", command->channels, "List every channel, one per line");
  sub->add_flag("--model", command->model, "Print the model file that was run")->excludes(channels);
  add_json(*sub, *command);
  sub->footer("Examples:\n  trammel info slider_crank.h5\n  trammel info slider_crank.h5 --channels");
  sub->callback([command, &call] {
    call(
        command->file, [command] { return info(*command); }, command->json.get());
  });
}

void add_export(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<ExportCommand>();
  CLI::App* sub = app.add_subcommand("export", "Write results for spreadsheets (CSV) or ParaView (VTK)");
  sub->add_option("file", command->file, "Results file")->required()->type_name("FILE.h5");
  CLI::Option_group* formats = sub->add_option_group("formats");
  formats->add_option("--csv", command->csv, "One table per quantity in this folder")->type_name("DIR");
  formats->add_option("--vtk", command->vtk, "results.pvd and its frames in this folder")->type_name("DIR");
  formats->require_option(1, 2);
  sub->footer("Examples:\n  trammel export slider_crank.h5 --csv tables\n  trammel export slider_crank.h5 --vtk scene");
  sub->callback([command, &call] { call(command->file, [command] { return export_results(*command); }); });
}

void add_report(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<ReportCommand>();
  CLI::App* sub = app.add_subcommand(
      "report", "Write a page that shows results in a browser: motion, plots, and how the solver fared");
  sub->add_option("files", command->files, "Results; several are laid over each other")
      ->required()
      ->type_name("FILE.h5");
  sub->add_option("-o,--out", command->out, "The page; default: the first file's name with .html, in this folder")
      ->type_name("FILE.html");
  sub->add_option("--channel", command->channels,
                  "A channel to carry with every frame even if the run is too long to carry all; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  sub->add_option("--title", command->title, "Title of the page; default: that of the model");
  sub->footer(
      fmt::format("Examples:\n"
                  "  trammel report slider_crank.h5\n"
                  "  trammel report coarse.h5 fine.h5 -o comparison.html\n"
                  "The page needs nothing else: open it from disk, mail it.\n{}",
                  exit_codes));
  sub->callback([command, &call] { call(command->files.front(), [command] { return report(*command); }); });
}

void add_watch(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<WatchCommand>();
  command->port = LoopbackServer::usual_port;
  CLI::App* sub = app.add_subcommand("watch", "Show results in a browser while the run that writes them goes on");
  sub->add_option("file", command->file, "Results file")->required()->type_name("FILE.h5");
  add_port(*sub, command->port);
  sub->footer(
      fmt::format("Example:\n  trammel watch slider_crank.h5\n"
                  "The page is that of `trammel report`. Only browsers of this machine reach it. Ctrl-C ends.\n{}",
                  exit_codes));
  sub->callback([command, &call] { call(command->file, [command] { return watch(*command); }); });
}

void add_plot(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<PlotCommand>();
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* sub =
      app.add_subcommand("plot", "Draw channels over time, or over another channel, into an SVG or PNG file");
  sub->add_option(
         "words", *words,
         "Results files, then channels (`trammel info --channels` lists them), with * and ? for any characters")
      ->required()
      ->type_name("FILE.h5 CHANNEL");
  sub->add_option("-o,--out", command->out,
                  "The picture, .svg or .png; default: the first file's name with .svg, in this folder")
      ->type_name("FILE");
  sub->add_option("--over", command->over, "A channel along the abscissa instead of time")->type_name("CHANNEL");
  sub->add_option("--title", command->title, "Above the picture");
  sub->add_flag("--log", command->log, "Logarithmic axis of values");
  sub->add_option("--width", command->width, "Width in px")->check(CLI::Range(200, 4000))->capture_default_str();
  sub->add_option("--height", command->height, "Height of a panel in px")
      ->check(CLI::Range(120, 4000))
      ->capture_default_str();
  sub->footer(
      fmt::format("Examples:\n"
                  "  trammel plot slider_crank.h5 stroke driving_torque -o crank.svg\n"
                  "  trammel plot slider_crank.h5 'rod.position.*'\n"
                  "  trammel plot slider_crank.h5 rod.position.z --over rod.position.x -o path.svg\n"
                  "  trammel plot coarse.h5 fine.h5 energy.drift --log -o drift.png\n"
                  "Channels of one unit share a panel.\n{}",
                  exit_codes));
  sub->callback([command, words, &call] {
    sort_words(*words, *command);
    call(command->files.front(), [command] { return plot(*command); });
  });
}

void add_replay(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<ReplayCommand>();
  CLI::App* sub = app.add_subcommand("replay", "Repeat the failure of a run, and try what gets past it");
  sub->add_option("file", command->file, "Results file of the run that failed")->required()->type_name("FILE.h5");
  sub->add_flag("--only", command->only, "Repeat it and try nothing");
  sub->add_option("--capsule", command->capsule, "Also write what this needs into a small file of its own, to be sent")
      ->type_name("FILE.h5");
  sub->footer(
      "Example:\n  trammel replay slider_crank.h5\n"
      "Nothing but the results file is needed. Exit code 3: the failure is not repeated.");
  sub->callback([command, &call] { call(command->file, [command] { return replay(*command); }); });
}

void add_verify(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<VerifyCommand>();
  CLI::App* sub = app.add_subcommand("verify", "Read all of a results file and name what is damaged");
  sub->add_option("file", command->file, "Results file")->required()->type_name("FILE.h5");
  sub->footer(
      "Example:\n  trammel verify slider_crank.h5\n"
      "Compares every table and text with the checksum that the run recorded. Exit code 4: something is damaged.");
  sub->callback([command, &call] { call(command->file, [command] { return verify(*command); }); });
}

void add_repair(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<RepairCommand>();
  CLI::App* sub = app.add_subcommand("repair", "Make a clean copy of the results of a run that was killed");
  sub->add_option("file", command->file, "Results file")->required()->type_name("FILE.h5");
  sub->add_option("-o,--out", command->out, "The copy; default: FILE_repaired.h5 beside the file")
      ->type_name("FILE.h5");
  sub->footer("Example:\n  trammel repair killed.h5 -o clean.h5");
  sub->callback([command, &call] { call(command->file, [command] { return repair(*command); }); });
}

void add_schema(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<SchemaCommand>();
  CLI::App* sub = app.add_subcommand(
      "schema", "Print what may stand in a model file, for editors that check it while it is written");
  sub->add_option("--format", command->format,
                  "json: a JSON schema; markdown: one table of the documentation; python: the stub of class Model")
      ->check(CLI::IsMember({"json", "markdown", "python"}))
      ->capture_default_str();
  CLI::Option* table =
      sub->add_option("--table", command->table, "Which one in Markdown: file, body, body.shape, solver, …");
  sub->add_option("--kind", command->kind, "Only the keys of one kind that not every kind has")->needs(table);
  sub->add_flag("--channels", command->channels, "In Markdown: the channels of results instead of keys")
      ->excludes(table);
  sub->footer(
      "Examples:\n"
      "  trammel schema > trammel.schema.json\n"
      "  trammel schema --format markdown --table force --kind tyre\n"
      "With `#:schema trammel.schema.json` as its first line, editors with Taplo (Even Better TOML) explain and check "
      "a model.");
  sub->callback([command, &call] { call.code = schema(*command, trammel::model_tables()); });
}

void add_completion(CLI::App& app, const Call& call) {
  const auto format = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("completion", "Print what completes commands in a shell, or the manual's page");
  sub->add_option("format", *format, "The shell; man: the page of the manual")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  sub->footer(
      "Examples:\n"
      "  source <(trammel completion bash)\n"
      "  trammel completion fish > ~/.config/fish/completions/trammel.fish\n"
      "  trammel completion man | man -l -");
  sub->callback([format, &app, &call] {
    print_now(shell_text(describe_commands(app), *format));
    call.code = success;
  });
}

/// Every command, in the order of --help.
constexpr struct {
  const char* name;
  void (*add)(CLI::App& app, const Call& call);
} commands[] = {
    {"run", add_run},       {"check", add_check},   {"import", add_import},   {"eigen", add_eigen},
    {"info", add_info},     {"export", add_export}, {"report", add_report},   {"watch", add_watch},
    {"plot", add_plot},     {"sweep", add_sweep},   {"compare", add_compare}, {"replay", add_replay},
    {"verify", add_verify}, {"repair", add_repair}, {"schema", add_schema},   {"completion", add_completion}};

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

int parse_and_call(CLI::App& app, const std::vector<std::string>& words) {
  int code = success;
  const Call call{join_command_line(words), code};
  for (const auto& command : commands) command.add(app, call);
  std::vector<std::string> reversed = spread_settings(words);  // the order in which CLI11 takes them
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? success : wrong_input;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (!open_missing_outputs()) return io_trouble;
  take_failed_writes_as_errors();
  trammel::skip_library_exit();
  const std::vector<std::string> words(argv + 1, argv + argc);
  CLI::App app("Trammel simulates constrained mechanical systems.", "trammel");
  app.set_version_flag("--version", std::string("trammel ") + trammel::version());
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* at, const CLI::Error& error) {
    return fmt::format("trammel: error: {}\nTry `{} --help`.\n", error.what(),
                       at->get_parent() ? "trammel " + at->get_name() : "trammel");
  });
  app.footer(
      fmt::format("Examples:\n"
                  "  trammel run slider_crank.toml        simulate, write slider_crank.h5\n"
                  "  trammel check slider_crank.toml      look at the model without simulating\n"
                  "  trammel info slider_crank.h5         what is in the results\n"
                  "  trammel report slider_crank.h5       see it move in a browser\n"
                  "Each command explains itself: trammel run --help\n{}",
                  exit_codes));
  if (!words.empty() && words[0][0] != '-') {
    const std::vector<std::string> names = command_names();
    if (std::find(names.begin(), names.end(), words[0]) == names.end()) {
      complain("trammel: error: there is no command '{}'{}\n    Commands: {}\nTry `trammel --help`.\n", words[0],
               trammel::did_you_mean(words[0], names), trammel::join_quoted(names));
      return wrong_input;
    }
  }
  const bool is_run = !words.empty() && words[0] == "run";
  std::optional<trammel::RunRanks> ranks;
  if (is_run) ranks.emplace();
  if (ranks && !ranks->is_first()) {
    ignore_stop_signals();  // rank 0 heeds them, and needs the others until it is at its end
    ranks->serve();
    return success;
  }
  int code = success;
  try {
    code = parse_and_call(app, words);
  } catch (const std::system_error& error) {
    if (!note_output_error(error)) throw;  // else finish_output() says it
  }
  return finish_output(code, is_run);
}
