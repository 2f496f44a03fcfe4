// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "json_answer.h"
#include "sweep_axes.h"
#include "trammel/base/keys.h"

/// The commands of the program `trammel`. Each returns the exit code of the process; errors are thrown and become
/// messages and exit codes in one place (report_errors in messages.h).
namespace trammel::apps {

/// What a script can rely on.
enum ExitCode : int {
  success = 0,
  unexpected = 1,   ///< a defect of the program
  wrong_input = 2,  ///< model, option or command line
  failed_run = 3,   ///< the simulation stopped before its end
  io_trouble = 4,   ///< a file cannot be read or written
  // A run that was asked to stop ends with 128 + number of the signal: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
};

struct RunCommand {
  std::filesystem::path model;
  std::vector<std::string> settings;  ///< "solver.h=1e-4"
  std::filesystem::path out;          ///< empty: output.file of the model, else <model>.h5 in the current folder
  std::filesystem::path resume;       ///< results of a run that is to go on, in place of a new one; empty: none
  std::optional<double> end;          ///< [s] a later end for it
  std::filesystem::path from;         ///< results in whose motion the run begins; empty: as drawn
  std::optional<double> at;           ///< [s] where
  std::filesystem::path steps_of;     ///< results whose steps are repeated; empty: the method chooses
  bool quiet = false;
  bool report = false;                    ///< also a page for the browser, beside the results
  bool live = false;                      ///< the page, served while the run goes on
  int port = 0;                           ///< of it
  int threads = 0;                        ///< that large machines may use; 0: one for each core
  double progress_interval = 2.0;         ///< [s] between progress lines when the output is not a terminal
  std::string command_line;               ///< kept in the results
  std::shared_ptr<JsonAnswer> json = {};  ///< for a script; null: words for a person
};
int run(const RunCommand& command);

struct CheckCommand {
  std::filesystem::path model;
  std::vector<std::string> settings;
  std::shared_ptr<JsonAnswer> json = {};  ///< for a script; null: words for a person
};
int check(const CheckCommand& command);

struct ImportCommand {
  std::filesystem::path file;
  std::filesystem::path out;                    ///< model file; empty: only the report
  std::vector<std::filesystem::path> packages;  ///< folders of `package://`
  std::string base = "fixed";                   ///< fixed | floating
  bool quiet = false;
  std::shared_ptr<JsonAnswer> json = {};  ///< for a script; null: words for a person
};
/// A robot's URDF file as a model file, and what became of its elements.
int import_robot(const ImportCommand& command);

struct EigenCommand {
  std::filesystem::path model;
  std::vector<std::string> settings;
  bool from_start = false;  ///< linearize where the machine starts instead of at its equilibrium
  int modes = 0;            ///< shown; 0: all of small machines
  std::filesystem::path out;
  std::filesystem::path linearization;    ///< folder for A, B, C, D; empty: not asked for
  std::vector<std::string> inputs;        ///< parameters
  bool report = false;                    ///< a page with the modes in motion, <model>_modes.html
  std::shared_ptr<JsonAnswer> json = {};  ///< for a script; null: words for a person
};
int eigen(const EigenCommand& command);

struct InfoCommand {
  std::filesystem::path file;
  bool channels = false;                  ///< every channel on its own line and nothing else
  bool model = false;                     ///< the text of the model and nothing else
  std::shared_ptr<JsonAnswer> json = {};  ///< for a script; null: words for a person
};
int info(const InfoCommand& command);

struct ExportCommand {
  std::filesystem::path file;
  std::filesystem::path csv, vtk;  ///< folders; empty: not asked for
};
int export_results(const ExportCommand& command);

struct ReplayCommand {
  std::filesystem::path file;
  bool only = false;              ///< the failure alone, no cures
  std::filesystem::path capsule;  ///< where a file to be sent is written; empty: nowhere
};
/// Repeats the failure of a run, and tries what gets past it. Exit code 3 if it is not repeated.
int replay(const ReplayCommand& command);

struct VerifyCommand {
  std::filesystem::path file;
};
/// Exit code 4 if anything in the file is damaged.
int verify(const VerifyCommand& command);

struct RepairCommand {
  std::filesystem::path file;
  std::filesystem::path out;  ///< empty: <file>_repaired.h5 beside the file
};
int repair(const RepairCommand& command);

struct ReportCommand {
  std::vector<std::filesystem::path> files;  ///< several are laid over each other
  std::filesystem::path out;                 ///< empty: the first file's name with .html, in this folder
  std::vector<std::string> channels;         ///< carried complete, however long the run
  std::string title;
};
int report(const ReportCommand& command);

struct WatchCommand {
  std::filesystem::path file;
  int port = 0;  ///< 0: any that is free
};
/// Serves the page of results on the loopback address until Ctrl-C; of a run that goes on it shows what is new.
int watch(const WatchCommand& command);

struct PlotCommand {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> channels;
  std::filesystem::path out;  ///< .svg or .png; empty: the first file's name with .svg, in this folder
  std::string over;           ///< a channel in place of time; empty: time
  std::string title;
  bool log = false;               ///< logarithmic values
  int width = 720, height = 320;  ///< of one panel [px]
};
int plot(const PlotCommand& command);

/// A planned sweep as jobs of Slurm.
struct SlurmTask {
  std::string task;                  ///< submit | status | cancel; empty: nothing of it
  int cases_per_job = 1;             ///< of the array
  std::string time;                  ///< longest time of a job, as sbatch takes it; empty: the partition's
  int jobs_at_a_time = 0;            ///< 0: as many as the cluster runs
  std::vector<std::string> options;  ///< handed on to sbatch
};

struct SweepCommand {
  std::filesystem::path model;  ///< or, for what is planned, the folder of the plan
  CaseChoice choice;
  std::filesystem::path out;   ///< folder; empty: <model>_sweep
  std::filesystem::path plan;  ///< folder of a plan to be written; empty: run here and now
  std::string cases;           ///< "K" or "K-L" of a plan to be run; empty: none
  bool collect = false;        ///< gather what a plan's cases left
  SlurmTask slurm;
  int jobs = 0;  ///< at a time; 0: as many as there are cores for us
  bool quiet = false;
  bool report = false;                    ///< a page of the sweep, and one of each case
  std::shared_ptr<JsonAnswer> json = {};  ///< for a script; null: words for a person
};
int sweep(const SweepCommand& command);

struct CompareCommand {
  std::filesystem::path model;
  std::vector<std::string> settings;
  /// "integrator", "formulation=index3|stabilized_index2", …; none: what the program chooses, and what it chooses from
  std::vector<std::string> across;
  std::vector<double> tolerances{1e-3, 1e-4, 1e-5, 1e-6};
  double error = 0.0;           ///< wanted [m]; 0: 1e-4 of the extent of the motion
  double limit = 60.0;          ///< [s] of one run, of the processor
  double give_up = 0.0;         ///< times the cost of what the program chooses; 0: never
  std::filesystem::path out;    ///< figure; empty: none
  std::filesystem::path table;  ///< .csv or .json; empty: none
  bool quiet = false;
  std::shared_ptr<JsonAnswer> json = {};  ///< for a script; null: words for a person
};
int compare(const CompareCommand& command);

struct SchemaCommand {
  std::string format = "json";  ///< json | markdown | python
  std::string table, kind;      ///< markdown: "body", "body.shape"; a kind of it
  bool channels = false;        ///< markdown: the channels of results instead
};
/// Prints what stands in the tables of a model file.
int schema(const SchemaCommand& command, std::span<const KeyTable> tables);

}  // namespace trammel::apps
