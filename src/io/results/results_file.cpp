#include "trammel/io/results_file.h"

#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "file_lock.h"
#include "hdf5_support.h"
#include "results_layout.h"
#include "results_tables.h"

namespace trammel {

using Clock = std::chrono::steady_clock;

struct ResultsFile::Writer {
  Writer(const std::filesystem::path& path, const ResultsFileOptions& options, const RecordSchema& schema)
      : lock(std::make_unique<FileLock>(path)) {
    try {
      create_results(path, schema, options.max_views, file);
      frames = open_table(file, path, "/time", schema.frames);
      steps = open_table(file, path, "/solver/time", schema.solver);
      summary = hdf5::dataset(hdf5::check(H5Dopen2(file, "/summary", H5P_DEFAULT), path, "open the summary of"));
      // From here on no object is created: readers, and the file after a kill, see every flushed row.
      hdf5::check(H5Fstart_swmr_write(file), path, "start writing");
    } catch (const IoError&) {
      hdf5::abandon(file);
      std::error_code ignored;
      if (lock->created()) std::filesystem::remove(path, ignored);
      throw;
    }
  }

  std::unique_ptr<FileLock> lock;
  hdf5::Handle file;
  RowTable frames, steps;
  hdf5::Handle summary;
  std::int64_t frames_received = 0;
  Clock::time_point flushed = Clock::now();
  bool open = true;  // false after end() or after a failure: nothing more is written
};

std::vector<Issue> ResultsFileOptions::issues() const {
  std::vector<Issue> issues;
  if (!(flush_seconds >= 0.0)) issues.push_back({"flush_seconds", "must not be negative"});
  if (max_views < 0) issues.push_back({"max_views", "must not be negative"});
  return issues;
}

ResultsFile::ResultsFile(std::filesystem::path path, ResultsFileOptions options)
    : path_(std::move(path)), options_(options) {
  if (std::vector<Issue> issues = options_.issues(); !issues.empty()) throw InputError(std::move(issues));
}

ResultsFile::~ResultsFile() {
  if (!writer_) return;
  try {
    flush();
  } catch (const Error&) {  // a destructor cannot report; frames_written() told what is safe
  }
  const hdf5::Quiet quiet;
  writer_.reset();
}

void ResultsFile::begin(const RecordSchema& schema) {
  if (writer_) throw Error("begin() of the results file '" + path_.string() + "' was called twice");
  if (std::vector<Issue> issues = schema.issues(); !issues.empty()) throw InputError(std::move(issues));
  const hdf5::Quiet quiet;
  writer_ = std::make_unique<Writer>(path_, options_, schema);
}

void ResultsFile::frame(double t, std::span<const double> values) {
  if (!writer_ || !writer_->open) throw Error("the results file '" + path_.string() + "' is not open");
  writer_->frames.append(t, values);
  ++writer_->frames_received;
  const bool due = std::chrono::duration<double>(Clock::now() - writer_->flushed).count() >= options_.flush_seconds;
  if (options_.flush_every_frame || writer_->frames.full() || due) flush();
}

void ResultsFile::step(double t, std::span<const double> values) {
  if (!writer_ || !writer_->open) throw Error("the results file '" + path_.string() + "' is not open");
  writer_->steps.append(t, values);
  const bool due = std::chrono::duration<double>(Clock::now() - writer_->flushed).count() >= options_.flush_seconds;
  if (writer_->steps.full() || due) flush();
}

void ResultsFile::flush() {
  if (!writer_ || !writer_->open) return;
  const hdf5::Quiet quiet;
  writer_->open = false;  // stays so if writing throws: a half-written block must not be followed by another
  try {
    writer_->frames.write(path_);
    writer_->steps.write(path_);
  } catch (const IoError&) {
    hdf5::abandon(writer_->file);
    throw;
  }
  writer_->open = true;
  writer_->flushed = Clock::now();
}

void ResultsFile::end(const std::map<std::string, std::string>& summary) {
  if (!writer_ || !writer_->open) throw Error("the results file '" + path_.string() + "' is not open");
  flush();
  const hdf5::Quiet quiet;
  writer_->open = false;
  try {
    write_summary(writer_->summary, path_, summary);
  } catch (const IoError&) {
    hdf5::abandon(writer_->file);
    throw;
  }
  writer_->summary.reset();
  writer_->frames.close();
  writer_->steps.close();
  hdf5::check(writer_->file.reset(), path_, "close");
  writer_->lock.reset();
}

std::int64_t ResultsFile::frames_received() const { return writer_ ? writer_->frames_received : 0; }
std::int64_t ResultsFile::frames_written() const { return writer_ ? writer_->frames.written() : 0; }
std::int64_t ResultsFile::steps_written() const { return writer_ ? writer_->steps.written() : 0; }

}  // namespace trammel
