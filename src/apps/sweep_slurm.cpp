// SPDX-License-Identifier: Apache-2.0
#include "sweep_slurm.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "messages.h"
#include "trammel/io/output_file.h"
#include "trammel/io/source_file.h"
#include "trammel/io/text_file.h"

namespace trammel::apps {

namespace {

constexpr int warning_seconds = 60;  // before its time is over a job is told to end: enough to write checkpoints

struct Told {
  int code = 0;
  std::string text;
};

/// What a command of Slurm says. It is found by PATH and called without a shell.
Told ask(std::vector<std::string> words) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) throw IoError(fmt::format("cannot call '{}': {}", words.front(), std::strerror(errno)));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  constexpr int not_there = 127;
  const pid_t process = fork();
  if (process == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]), close(pipe_ends[1]);
    execvp(arguments[0], arguments.data());
    _exit(not_there);
  }
  close(pipe_ends[1]);
  Told told;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; process > 0 && (n = read(pipe_ends[0], buffer.data(), buffer.size())) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0) told.text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(pipe_ends[0]);
  if (process < 0) throw IoError(fmt::format("cannot call '{}': {}", words.front(), std::strerror(errno)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  told.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  while (!told.text.empty() && told.text.back() == '\n') told.text.pop_back();
  if (told.code == not_there)
    throw IoError(
        fmt::format("Slurm is not here: '{}' is not found; `trammel sweep --case 1-N FOLDER` runs cases without "
                    "it",
                    words.front()));
  return told;
}

[[noreturn]] void refuse(const std::string& who, const Told& told) {
  throw IoError(fmt::format("{} does not do it (exit code {}): {}", who, told.code, told.text));
}

std::filesystem::path job_file(const std::filesystem::path& folder) { return folder / "slurm_job.txt"; }
OutputKind job_kind() { return text_kind("the number of a job", {"job "}); }

/// The number of the array that was submitted; empty: none.
std::string find_job(const std::filesystem::path& folder) {
  std::string text;
  if (!read_source(job_file(folder), text).empty() || !text.starts_with("job ")) return "";
  return text.substr(4, text.find('\n') - 4);
}

/// One word for a shell, whatever is in it.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The script of each job. The signal before the end of its time reaches the shell, which hands it on and waits; the
/// job is put back into the queue then, and goes on from checkpoints. A busy controller may drop the connection while
/// it is asked for that (SIGPIPE): it is asked again.
std::string make_script(const SweepCommand& command, std::size_t n_cases) {
  const std::string folder = quoted(std::filesystem::weakly_canonical(command.model).string());
  const std::string program = quoted(std::filesystem::read_symlink("/proc/self/exe").string());
  return fmt::format(R"(#!/bin/sh
first=$((SLURM_ARRAY_TASK_ID * {0} + 1))
last=$((first + {0} - 1))
[ "$last" -gt {1} ] && last={1}
{2} sweep --jobs "${{SLURM_CPUS_PER_TASK:-1}}" --case "$first-$last" {3} &
runs=$!
told=
trap 'told=yes; kill -TERM "$runs"' TERM
wait "$runs"; code=$?
while kill -0 "$runs" 2>/dev/null; do wait "$runs"; code=$?; done
[ -n "$told" ] || exit "$code"
trap '' PIPE TERM
for attempt in 1 2 3 4 5; do
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}" && break
  sleep 2
done
exit "$code"
)",
                     command.slurm.cases_per_job, n_cases, program, folder);
}

int submit(const SweepCommand& command, std::size_t n_cases) {
  const std::filesystem::path& folder = command.model;
  static_cast<void>(ask({"sbatch", "--version"}));  // is it there?
  const std::string before = find_job(folder);
  if (!before.empty()) {
    const Told still = ask({"squeue", "--noheader", "--jobs", before});
    if (still.code == 0 && !still.text.empty())
      throw InputError(
          fmt::format("job {} of this plan is still there: `trammel sweep --slurm status {}` tells how far it "
                      "is",
                      before, folder.string()));
  }
  const std::size_t per_job = static_cast<std::size_t>(command.slurm.cases_per_job);
  const std::size_t n_jobs = (n_cases + per_job - 1) / per_job;
  const std::filesystem::path here = std::filesystem::weakly_canonical(folder), script = here / "slurm_job.sh";
  TextFile file(script, text_kind("a script of a sweep of Trammel", {"#!/bin/sh\nfirst="}));
  file.write(make_script(command, n_cases));
  file.close();
  std::string array = fmt::format("--array=0-{}", n_jobs - 1);
  if (command.slurm.jobs_at_a_time > 0) array += fmt::format("%{}", command.slurm.jobs_at_a_time);
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--requeue",
                                 array,
                                 "--open-mode=append",
                                 fmt::format("--signal=B:TERM@{}", warning_seconds),
                                 "--job-name=" + here.filename().string(),
                                 "--output=" + (here / "slurm_%a.txt").string()};
  if (!command.slurm.time.empty()) words.push_back("--time=" + command.slurm.time);
  words.insert(words.end(), command.slurm.options.begin(), command.slurm.options.end());
  words.push_back(script.string());
  const Told told = ask(words);
  if (told.code != 0) refuse("sbatch", told);
  const std::string job = told.text.substr(told.text.rfind('\n') + 1);  // behind what it may have warned of
  TextFile number(job_file(folder), job_kind());
  number.write(fmt::format("job {}\n", job.substr(0, job.find(';'))));
  number.close();
  if (!command.quiet) fmt::print("job {}: {} cases in {} jobs\n", job, n_cases, n_jobs);
  return success;
}

}  // namespace

int use_slurm(const SweepCommand& command, std::size_t n_cases) {
  if (command.slurm.task == "submit") return submit(command, n_cases);
  const std::string job = find_job(command.model);
  if (job.empty())
    throw InputError(
        fmt::format("nothing of the plan in '{0}' was submitted: `trammel sweep --slurm submit {0}` does it",
                    command.model.string()));
  const bool cancels = command.slurm.task == "cancel";
  const Told told = cancels ? ask({"scancel", job})
                            : ask({"squeue", "--array", "--jobs", job, "--format", "%.18i %.9P %.10T %.10M %.20R"});
  const bool is_over = told.text.find("Invalid job id") != std::string::npos;  // forgotten by the scheduler
  if (told.code != 0 && !is_over) refuse(cancels ? "scancel" : "squeue", told);
  if (is_over || told.text.find('\n') == std::string::npos)
    fmt::print("job {} {}; `trammel sweep --collect {}` gathers what it left\n", job,
               cancels ? "is cancelled" : "is at its end", command.model.string());
  else
    fmt::print("{}\n", told.text);
  return success;
}

}  // namespace trammel::apps
