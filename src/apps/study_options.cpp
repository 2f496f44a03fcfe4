// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command_options.h"

// The options of commands that make many runs.

namespace trammel::apps {

void add_sweep(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<SweepCommand>();
  CLI::App* sub = app.add_subcommand("sweep", "Simulate a model for every combination of some settings");
  sub->add_option("model", command->model, "Model file; with --case, --collect and --slurm: the folder of a plan")
      ->required()
      ->type_name("MODEL.toml");
  CaseChoice& choice = command->choice;
  sub->add_option(
         "--set", choice.settings,
         "key=a:b:n (n values from a to b), key=v1,v2 or key=value; drawn: key=uniform(a,b), log_uniform(a,b), "
         "normal(m,s); may be repeated")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  sub->add_option("--list", choice.list, "Cases of a file: keys in its first line, a case in every other")
      ->type_name("FILE.csv");
  sub->add_option("--samples", choice.samples, "How often what is drawn is drawn")->check(CLI::PositiveNumber);
  sub->add_option("--seed", choice.seed, "Of what is drawn: the same numbers everywhere")->capture_default_str();
  sub->add_flag("--independent{false}", choice.latin, "Draw samples independently; else by Latin hypercube");
  CLI::Option* out = sub->add_option("-o,--out", command->out, "Folder of the results; default: MODEL_sweep");
  out->type_name("FOLDER");
  sub->add_option("--plan", command->plan, "Write the cases into this folder and run none")
      ->type_name("FOLDER")
      ->excludes(out);
  CLI::Option* some = sub->add_option("--case", command->cases, "Run these cases of a plan")->type_name("K[-L]");
  CLI::Option* collect = sub->add_flag("--collect", command->collect, "Gather what the cases of a plan left");
  SlurmTask& slurm = command->slurm;
  CLI::Option* task = sub->add_option("--slurm", slurm.task, "Submit a plan to Slurm, tell how far it is, cancel it")
                          ->check(CLI::IsMember({"submit", "status", "cancel"}))
                          ->excludes(some)
                          ->excludes(collect);
  sub->add_option("--cases-per-job", slurm.cases_per_job, "Cases that one job runs")
      ->check(CLI::PositiveNumber)
      ->needs(task);
  sub->add_option("--time", slurm.time, "Longest time of a job; it goes on in another one")->needs(task);
  sub->add_option("--jobs-at-a-time", slurm.jobs_at_a_time, "Jobs that run at a time")
      ->check(CLI::PositiveNumber)
      ->needs(task);
  sub->add_option("--sbatch", slurm.options, "Options that are handed on to sbatch; may be repeated")
      ->needs(task)
      ->allow_extra_args(false);
  some->excludes(collect);
  sub->add_option("-j,--jobs", command->jobs, "Runs at a time; default: one for each core that we may use")
      ->check(CLI::PositiveNumber);
  sub->add_option("--max-cases", choice.max_cases, "Refuse more cases than this")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  sub->add_flag("--report", command->report,
                "Write cases.html into the folder: the table, any column over another, and a page of each case");
  sub->add_flag("-q,--quiet", command->quiet, "Print errors only");
  add_json(*sub, *command);
  sub->footer(
      fmt::format("Example:\n"
                  "  trammel sweep slider_crank.toml --set parameters.r=0.05:0.2:7 solver.integrator=bdf,radau\n"
                  "  trammel sweep car.toml --set parameters.k=uniform(1e4,2e4) --samples 200 --plan study\n"
                  "  trammel sweep --case 1-50 study        in any process that sees the folder\n"
                  "  trammel sweep --collect study\n"
                  "Writes one results file per case and cases.csv. Called again it runs only what is not done yet.\n{}",
                  exit_codes));
  sub->callback([command, &call] {
    const bool of_plan = !command->cases.empty() || command->collect || !command->slurm.task.empty();
    const bool has_cases = !command->choice.settings.empty() || !command->choice.list.empty();
    if (!of_plan && !has_cases) throw CLI::RequiredError("--set or --list");
    if (of_plan && (has_cases || !command->out.empty() || !command->plan.empty() || command->choice.samples > 0))
      throw CLI::ValidationError(
          "the plan of a folder says what its cases are: --set, --list, --samples, --out and "
          "--plan belong to a model");
    call(
        command->model, [command] { return sweep(*command); }, command->json.get());
  });
}

void add_compare(CLI::App& app, const Call& call) {
  const auto command = std::make_shared<CompareCommand>();
  CLI::App* sub = app.add_subcommand(
      "compare", "Run a model with several methods and tolerances: error against cost, and which to take");
  sub->add_option("model", command->model, "Model file")->required()->type_name("MODEL.toml");
  sub->add_option("--across", command->across,
                  "What is varied: integrator, formulation, coordinates, linear_solver; with their values: "
                  "integrator=bdf|radau. Default: what the program would choose, and the methods that it chooses from")
      ->delimiter(',')
      ->type_name("KEYS");
  add_settings(*sub, command->settings);
  sub->add_option("--tolerances", command->tolerances, "Relative tolerances, default 1e-3,1e-4,1e-5,1e-6")
      ->delimiter(',')
      ->type_name("RTOLS");
  sub->add_option("--error", command->error,
                  "Wanted accuracy of positions [m]; default: 1e-4 of the extent of the motion")
      ->check(CLI::PositiveNumber);
  sub->add_option("--limit", command->limit, "Longest time of one run [s]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sub->add_option(
         "--give-up", command->give_up,
         "Methods that take this many times as long as what the program chooses, at the same tolerance, are given "
         "up; default: never")
      ->check(CLI::PositiveNumber);
  sub->add_option("-o,--out", command->out, "Work-precision figure, .svg or .png")->type_name("FILE");
  sub->add_option("--table", command->table, "The table as a file, .csv or .json")->type_name("FILE");
  sub->add_flag("-q,--quiet", command->quiet, "No progress");
  add_json(*sub, *command);
  sub->footer(fmt::format(
      "Example:\n"
      "  trammel compare four_bar.toml\n"
      "  trammel compare four_bar.toml --across integrator,formulation -o four_bar.svg\n"
      "Steps are error-controlled; errors are measured against Radau with rtol = 1e-10, which another method "
      "checks. Times are those of the processor.\n{}",
      exit_codes));
  sub->callback([command, &call] {
    call(
        command->model, [command] { return compare(*command); }, command->json.get());
  });
}

}  // namespace trammel::apps
