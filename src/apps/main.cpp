#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <system_error>

#include "commands.h"
#include "messages.h"
#include "trammel/base/text.h"
#include "trammel/io/library_exit.h"
#include "trammel/io/model_tables.h"

namespace {

using namespace trammel::apps;

const std::vector<std::string> command_names{"run",   "check",   "eigen",  "info",   "report", "plot",
                                             "sweep", "compare", "export", "verify", "repair", "schema"};

const char* const exit_codes =
    "Exit codes: 0 fine, 2 wrong input or command line, 3 the simulation failed, 4 a file cannot be read or written,\n"
    "130 stopped with Ctrl-C (results are kept).";

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

void add_settings(CLI::App& app, std::vector<std::string>& settings) {
  app.add_option("--set", settings,
                 "Change a value of the model: solver.h=1e-4, parameters.L=2, body.rod.mass=3; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
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

int parse_and_call(CLI::App& app, const std::vector<std::string>& words) {
  int code = success;
  const auto call = [&code](const std::filesystem::path& file, auto command) {
    code = report_errors(file, std::move(command));
  };

  RunCommand run_command;
  run_command.command_line = join_command_line(words);
  CLI::App* run_app = app.add_subcommand("run", "Simulate a model and write its results");
  run_app->add_option("model", run_command.model, "Model file")->required()->type_name("MODEL.toml");
  add_settings(*run_app, run_command.settings);
  run_app->add_option("-o,--out", run_command.out, "Results file; default: the model's name with .h5, in this folder")
      ->type_name("FILE.h5");
  run_app->add_flag("--report", run_command.report,
                    "Also write a page that shows the motion in a browser, beside the results");
  run_app->add_flag("-q,--quiet", run_command.quiet, "Print errors only");
  run_app
      ->add_option("--progress-interval", run_command.progress_interval,
                   "Seconds between progress lines when the output is not a terminal; 0: after each step")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  run_app->footer(
      fmt::format("Examples:\n"
                  "  trammel run slider_crank.toml\n"
                  "  trammel run slider_crank.toml --set solver.h=1e-4 parameters.L=0.3 --out fine.h5\n"
                  "Ctrl-C ends the run and keeps its results; a second one ends the program at once.\n{}",
                  exit_codes));
  run_app->callback([&] { call(run_command.model, [&] { return run(run_command); }); });

  CheckCommand check_command;
  CLI::App* check_app = app.add_subcommand(
      "check", "Read and assemble a model: degrees of freedom, redundant constraints, initial conditions");
  check_app->add_option("model", check_command.model, "Model file")->required()->type_name("MODEL.toml");
  add_settings(*check_app, check_command.settings);
  check_app->footer(
      fmt::format("Example:\n  trammel check four_bar.toml\n"
                  "Nothing is simulated. The exit code is 2 if `trammel run` would refuse the model.\n{}",
                  exit_codes));
  check_app->callback([&] { call(check_command.model, [&] { return check(check_command); }); });

  EigenCommand eigen_command;
  CLI::App* eigen_app =
      app.add_subcommand("eigen", "Frequencies and damping of small motions about an equilibrium or steady motion");
  eigen_app->add_option("model", eigen_command.model, "Model file")->required()->type_name("MODEL.toml");
  add_settings(*eigen_app, eigen_command.settings);
  eigen_app->add_flag("--from-start", eigen_command.from_start,
                      "About the initial conditions instead of the equilibrium");
  eigen_app->add_option("--modes", eigen_command.modes, "Show this many; default: all, and 10 beyond 300 coordinates")
      ->check(CLI::PositiveNumber);
  eigen_app->add_option("-o,--out", eigen_command.out, "Write all eigenvalues to this table")->type_name("FILE.csv");
  CLI::Option* folder =
      eigen_app
          ->add_option("--linearization", eigen_command.linearization,
                       "Write A, B, C, D of ẋ = A x + B u, y = C x + D u to this folder; y: the model's measures")
          ->type_name("DIR");
  eigen_app->add_option("--inputs", eigen_command.inputs, "Parameters of the model that are the inputs u")
      ->delimiter(',')
      ->needs(folder);
  eigen_app->footer(
      fmt::format("Examples:\n"
                  "  trammel eigen suspension.toml --modes 10\n"
                  "  trammel eigen suspension.toml --linearization matrices --inputs road,torque\n{}",
                  exit_codes));
  eigen_app->callback([&] { call(eigen_command.model, [&] { return eigen(eigen_command); }); });

  InfoCommand info_command;
  CLI::App* info_app =
      app.add_subcommand("info", "Say what a results file holds, also of a run that goes on or was killed");
  info_app->add_option("file", info_command.file, "Results file")->required()->type_name("FILE.h5");
  CLI::Option* channels = info_app->add_flag("--channels", info_command.channels, "List every channel, one per line");
  info_app->add_flag("--model", info_command.model, "Print the model file that was run")->excludes(channels);
  info_app->footer("Examples:\n  trammel info slider_crank.h5\n  trammel info slider_crank.h5 --channels");
  info_app->callback([&] { call(info_command.file, [&] { return info(info_command); }); });

  ExportCommand export_command;
  CLI::App* export_app = app.add_subcommand("export", "Write results for spreadsheets (CSV) or ParaView (VTK)");
  export_app->add_option("file", export_command.file, "Results file")->required()->type_name("FILE.h5");
  CLI::Option_group* formats = export_app->add_option_group("formats");
  formats->add_option("--csv", export_command.csv, "One table per quantity in this folder")->type_name("DIR");
  formats->add_option("--vtk", export_command.vtk, "results.pvd and its frames in this folder")->type_name("DIR");
  formats->require_option(1, 2);
  export_app->footer(
      "Examples:\n  trammel export slider_crank.h5 --csv tables\n  trammel export slider_crank.h5 --vtk scene");
  export_app->callback([&] { call(export_command.file, [&] { return export_results(export_command); }); });

  ReportCommand report_command;
  CLI::App* report_app = app.add_subcommand(
      "report", "Write a page that shows results in a browser: motion, plots, and how the solver fared");
  report_app->add_option("files", report_command.files, "Results; several are laid over each other")
      ->required()
      ->type_name("FILE.h5");
  report_app
      ->add_option("-o,--out", report_command.out,
                   "The page; default: the first file's name with .html, in this folder")
      ->type_name("FILE.html");
  report_app
      ->add_option("--channel", report_command.channels,
                   "A channel to carry with every frame even if the run is too long to carry all; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  report_app->add_option("--title", report_command.title, "Title of the page; default: that of the model");
  report_app->footer(
      fmt::format("Examples:\n"
                  "  trammel report slider_crank.h5\n"
                  "  trammel report coarse.h5 fine.h5 -o comparison.html\n"
                  "The page needs nothing else: open it from disk, mail it.\n{}",
                  exit_codes));
  report_app->callback([&] { call(report_command.files.front(), [&] { return report(report_command); }); });

  PlotCommand plot_command;
  std::vector<std::string> plot_words;
  CLI::App* plot_app = app.add_subcommand("plot", "Draw channels over time into an SVG or PNG file");
  plot_app->add_option("words", plot_words, "Results files, then channels; `trammel info --channels` lists them")
      ->required()
      ->type_name("FILE.h5 CHANNEL");
  plot_app->add_option("-o,--out", plot_command.out, "The picture, .svg or .png")->required()->type_name("FILE");
  plot_app->add_option("--title", plot_command.title, "Above the picture");
  plot_app->add_flag("--log", plot_command.log, "Logarithmic axis of values");
  plot_app->add_option("--width", plot_command.width, "Width in px")
      ->check(CLI::Range(200, 4000))
      ->capture_default_str();
  plot_app->add_option("--height", plot_command.height, "Height of a panel in px")
      ->check(CLI::Range(120, 4000))
      ->capture_default_str();
  plot_app->footer(
      fmt::format("Examples:\n"
                  "  trammel plot slider_crank.h5 stroke driving_torque -o crank.svg\n"
                  "  trammel plot coarse.h5 fine.h5 energy.drift --log -o drift.png\n"
                  "Channels of one unit share a panel.\n{}",
                  exit_codes));
  plot_app->callback([&] {
    sort_words(plot_words, plot_command);
    call(plot_command.files.front(), [&] { return plot(plot_command); });
  });

  SweepCommand sweep_command;
  CLI::App* sweep_app = app.add_subcommand("sweep", "Simulate a model for every combination of some settings");
  sweep_app->add_option("model", sweep_command.model, "Model file")->required()->type_name("MODEL.toml");
  sweep_app
      ->add_option("--set", sweep_command.settings,
                   "key=a:b:n (n values from a to b), key=v1,v2 or key=value; may be repeated")
      ->required()
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  sweep_app->add_option("-o,--out", sweep_command.out, "Folder of the results; default: MODEL_sweep")
      ->type_name("FOLDER");
  sweep_app->add_option("-j,--jobs", sweep_command.jobs, "Runs at a time; default: one for each core that we may use")
      ->check(CLI::PositiveNumber);
  sweep_app->add_option("--max-cases", sweep_command.max_cases, "Refuse more cases than this")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  sweep_app->add_flag("-q,--quiet", sweep_command.quiet, "Print errors only");
  sweep_app->footer(
      fmt::format("Example:\n"
                  "  trammel sweep slider_crank.toml --set parameters.r=0.05:0.2:7 solver.integrator=bdf,radau\n"
                  "Writes one results file per case and cases.csv. Called again it runs only what is not done yet.\n{}",
                  exit_codes));
  sweep_app->callback([&] { call(sweep_command.model, [&] { return sweep(sweep_command); }); });

  CompareCommand compare_command;
  CLI::App* compare_app = app.add_subcommand(
      "compare", "Run a model with several methods and tolerances: error against cost, and which to take");
  compare_app->add_option("model", compare_command.model, "Model file")->required()->type_name("MODEL.toml");
  compare_app
      ->add_option("--across", compare_command.across,
                   "What is varied: integrator, formulation, coordinates, linear_solver; with their values: "
                   "integrator=bdf|radau")
      ->delimiter(',')
      ->required()
      ->type_name("KEYS");
  add_settings(*compare_app, compare_command.settings);
  compare_app
      ->add_option("--tolerances", compare_command.tolerances, "Relative tolerances, default 1e-3,1e-4,1e-5,1e-6")
      ->delimiter(',')
      ->type_name("RTOLS");
  compare_app
      ->add_option("--error", compare_command.error,
                   "Wanted accuracy of positions [m]; default: 1e-4 of the extent of the motion")
      ->check(CLI::PositiveNumber);
  compare_app->add_option("--limit", compare_command.limit, "Longest time of one run [s]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  compare_app->add_option("-o,--out", compare_command.out, "Work-precision figure, .svg or .png")->type_name("FILE");
  compare_app->add_flag("-q,--quiet", compare_command.quiet, "No progress");
  compare_app->footer(
      fmt::format("Example:\n"
                  "  trammel compare four_bar.toml --across integrator,formulation -o four_bar.svg\n"
                  "Steps are error-controlled; errors are measured against Radau with rtol = 1e-10.\n{}",
                  exit_codes));
  compare_app->callback([&] { call(compare_command.model, [&] { return compare(compare_command); }); });

  VerifyCommand verify_command;
  CLI::App* verify_app = app.add_subcommand("verify", "Read all of a results file and name what is damaged");
  verify_app->add_option("file", verify_command.file, "Results file")->required()->type_name("FILE.h5");
  verify_app->footer(
      "Example:\n  trammel verify slider_crank.h5\n"
      "Compares every table and text with the checksum that the run recorded. Exit code 4: something is damaged.");
  verify_app->callback([&] { call(verify_command.file, [&] { return verify(verify_command); }); });

  RepairCommand repair_command;
  CLI::App* repair_app = app.add_subcommand("repair", "Make a clean copy of the results of a run that was killed");
  repair_app->add_option("file", repair_command.file, "Results file")->required()->type_name("FILE.h5");
  repair_app->add_option("-o,--out", repair_command.out, "The copy; default: FILE_repaired.h5 beside the file")
      ->type_name("FILE.h5");
  repair_app->footer("Example:\n  trammel repair killed.h5 -o clean.h5");
  repair_app->callback([&] { call(repair_command.file, [&] { return repair(repair_command); }); });

  SchemaCommand schema_command;
  CLI::App* schema_app = app.add_subcommand(
      "schema", "Print what may stand in a model file, for editors that check it while it is written");
  schema_app
      ->add_option("--format", schema_command.format,
                   "json: a JSON schema; markdown: one table of the documentation; python: the stub of class Model")
      ->check(CLI::IsMember({"json", "markdown", "python"}))
      ->capture_default_str();
  CLI::Option* table = schema_app->add_option("--table", schema_command.table,
                                              "Which one in Markdown: file, body, body.shape, solver, …");
  schema_app->add_option("--kind", schema_command.kind, "Only the keys of one kind that not every kind has")
      ->needs(table);
  schema_app->add_flag("--channels", schema_command.channels, "In Markdown: the channels of results instead of keys")
      ->excludes(table);
  schema_app->footer(
      "Examples:\n"
      "  trammel schema > trammel.schema.json\n"
      "  trammel schema --format markdown --table force --kind tyre\n"
      "With `#:schema trammel.schema.json` as its first line, editors with Taplo (Even Better TOML) explain and check "
      "a model.");
  schema_app->callback([&] { code = schema(schema_command, trammel::model_tables()); });

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
  app.set_version_flag("--version", std::string("trammel ") + TRAMMEL_VERSION);
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
    const auto known = std::find(command_names.begin(), command_names.end(), words[0]);
    if (known == command_names.end()) {
      complain("trammel: error: there is no command '{}'{}\n    Commands: {}\nTry `trammel --help`.\n", words[0],
               trammel::did_you_mean(words[0], command_names), trammel::join_quoted(command_names));
      return wrong_input;
    }
  }
  int code = success;
  try {
    code = parse_and_call(app, words);
  } catch (const std::system_error& error) {
    if (!note_output_error(error)) throw;  // else finish_output() says it
  }
  return finish_output(code, !words.empty() && words[0] == "run");
}
