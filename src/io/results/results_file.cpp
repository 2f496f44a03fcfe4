// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/results_file.h"

#include <chrono>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "hdf5_support.h"
#include "results_checkpoint.h"
#include "results_layout.h"
#include "results_tables.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/source_file.h"

namespace trammel {

using Clock = std::chrono::steady_clock;

namespace {

// Bytes that were stored as they are: of more, a packed copy is made at the end.
constexpr double worth_a_copy = 8e6;

// A file that HDF5 cannot open any more is ours if our mark, which stands near its beginning, is still there.
std::string find_our_mark(const std::filesystem::path& path, bool& ours) {
  std::string head;
  const std::string trouble = read_beginning(path, 1 << 16, head);
  ours = head.starts_with(layout::signature) && head.find(layout::format) != std::string::npos;
  return trouble;
}

std::string find_owner_of_results(const std::filesystem::path& path, bool& ours) {
  const hdf5::Quiet quiet;
  const hdf5::Opened opened = hdf5::open_for_reading(path);
  if (opened.file.valid()) ours = hdf5::read_attribute(opened.file, "format") == std::vector{layout::format};
  if (opened.status->error != 0) return std::system_category().message(opened.status->error);
  return opened.file.valid() ? "" : find_our_mark(path, ours);
}

}  // namespace

OutputKind results_kind() { return {"a results file", "write results to", find_owner_of_results, false}; }

struct ResultsFile::Writer {
  /// Goes on behind a checkpoint of other results of this name.
  struct Beginning {
    const ResultsReader& before;
    const ResultsCheckpoint& checkpoint;
  };

  Writer(const std::filesystem::path& path, const ResultsFileOptions& options, const RecordSchema& schema,
         std::optional<Beginning> from = {});
  void cut_back(const Beginning& from, const std::filesystem::path& path);

  // Nobody reads what has no name yet.
  bool is_due(double seconds) const {
    return !replaces_at_end && std::chrono::duration<double>(Clock::now() - flushed).count() >= seconds;
  }

  void write(const std::filesystem::path& path, bool of_frames, bool of_steps, bool last) {
    const hdf5::Quiet quiet;
    open = false;  // stays so if writing throws: a half-written block must not be followed by another
    try {
      if (of_frames) frames.write(path, *status, sums, last);
      if (of_steps) steps.write(path, *status, sums, last);
      checkpoints.write(frames.written(), steps.written(), path);
      // From now on it is worth more than nothing.
      if (frames.written() > 0 && !replaces_at_end) output->take_name();
    } catch (const IoError&) {
      status->abandoned = true;
      throw;
    }
    open = true;
  }

  std::unique_ptr<OutputFile> output;  // first: it goes, and with it the lock, after the file is closed
  std::shared_ptr<hdf5::IoStatus> status = std::make_shared<hdf5::IoStatus>();
  hdf5::Handle file;
  RowTable frames, steps;
  ChunkSums sums;
  CheckpointPlaces checkpoints;
  hdf5::Handle summary, checksum_table;
  Checksums checksums;  // of texts
  bool replaces_at_end;
  std::int64_t frames_received = 0, steps_received = 0;
  Clock::time_point flushed = Clock::now();
  bool open = true;  // false after end() or after a failure: nothing more is written
};

ResultsFile::Writer::Writer(const std::filesystem::path& path, const ResultsFileOptions& options,
                            const RecordSchema& schema, std::optional<Beginning> from)
    : output(std::make_unique<OutputFile>(path, results_kind())), replaces_at_end(options.replace_at_end) {
  try {
    if (from)
      continue_results(*output, from->before, from->checkpoint, schema, *status, checksums, file);
    else
      create_results(output->working(), path, schema, options.max_views, *status, checksums, file);
    frames = open_table(file, path, layout::times[0], schema.frames, 0);
    steps = open_table(file, path, layout::times[1], schema.solver, frames.n_chunks());
    sums.open(file, path);
    if (schema.checkpoints) checkpoints.open(file, path);
    summary = hdf5::dataset(hdf5::check(H5Dopen2(file, "/summary", H5P_DEFAULT), path, "open the summary of"));
    checksum_table = hdf5::dataset(
        hdf5::check(H5Dopen2(file, layout::checksums.c_str(), H5P_DEFAULT), path, "open the checksums of"));
    if (from) cut_back(*from, path);
    write_summary(checksum_table, path, checksums);
    // From here on no object is created: readers, and the file after a kill, see every flushed row.
    hdf5::check(H5Fstart_swmr_write(file), path, "start writing");
    hdf5::check(*status, path, "start writing");
  } catch (const IoError&) {
    status->abandoned = true;
    hdf5::check(*status, path, "start writing");  // the system's reason rather than what HDF5 made of it
    throw;
  }
}

void ResultsFile::Writer::cut_back(const Beginning& from, const std::filesystem::path& path) {
  const ResultsCheckpoint& checkpoint = from.checkpoint;
  const RecordedSums recorded = sums.cut(frames.n_whole_blocks(checkpoint.n_frames),
                                         steps.n_whole_blocks(checkpoint.n_steps), frames.n_chunks(), path);
  frames.go_on(from.before, false, checkpoint.n_frames, recorded, path);
  steps.go_on(from.before, true, checkpoint.n_steps, recorded, path);
  frames_received = checkpoint.n_frames, steps_received = checkpoint.n_steps;
  write_summary(summary, path, {});
  checkpoints.cut(path);
  checkpoints.keep(checkpoint);
}

std::vector<Issue> ResultsFileOptions::issues() const {
  std::vector<Issue> issues;
  if (!(flush_seconds >= 0.0)) issues.push_back({"flush_seconds", "must not be negative"});
  if (max_views < 0) issues.push_back({"max_views", "must not be negative"});
  return issues;
}

ResultsFile::ResultsFile(std::filesystem::path path, ResultsFileOptions options)
    : path_(std::move(path)), options_(options) {
  if (std::vector<Issue> issues = options_.issues(); !issues.empty()) throw InputError(std::move(issues));
  OutputFile::check(path_, results_kind());
}

ResultsFile::~ResultsFile() {
  if (!writer_) return;
  try {
    flush();
  } catch (const std::exception&) {  // a destructor cannot report; frames_written() told what is safe
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
  const bool due = writer_->is_due(options_.flush_seconds);
  if (options_.flush_every_frame || due)
    flush();
  else if (writer_->frames.full())
    writer_->write(path_, true, false, false);  // whole, before time makes it be written in parts
}

void ResultsFile::step(double t, std::span<const double> values) {
  if (!writer_ || !writer_->open) throw Error("the results file '" + path_.string() + "' is not open");
  writer_->steps.append(t, values);
  ++writer_->steps_received;
  const bool due = writer_->is_due(options_.flush_seconds);
  if (due)
    flush();
  else if (writer_->steps.full())
    writer_->write(path_, false, true, false);
}

void ResultsFile::checkpoint(double t, std::span<const std::byte> memory) {
  if (!writer_ || !writer_->open) throw Error("the results file '" + path_.string() + "' is not open");
  writer_->checkpoints.keep({t, writer_->frames_received, writer_->steps_received, {memory.begin(), memory.end()}});
}

void ResultsFile::go_on(const RecordSchema& schema, const ResultsReader& before, const ResultsCheckpoint& checkpoint) {
  if (writer_) throw Error("go_on() of the results file '" + path_.string() + "' was called twice");
  if (std::vector<Issue> issues = schema.issues(); !issues.empty()) throw InputError(std::move(issues));
  const hdf5::Quiet quiet;
  writer_ = std::make_unique<Writer>(path_, options_, schema, Writer::Beginning{before, checkpoint});
  flush();
}

void ResultsFile::keep_checkpoint(ResultsCheckpoint checkpoint) { writer_->checkpoints.keep(std::move(checkpoint)); }

void ResultsFile::flush() {
  if (!writer_ || !writer_->open) return;
  writer_->write(path_, true, true, false);
  writer_->flushed = Clock::now();
}

void ResultsFile::end(const SummaryEntries& summary) {
  if (!writer_ || !writer_->open) throw Error("the results file '" + path_.string() + "' is not open");
  writer_->write(path_, true, true, true);
  const hdf5::Quiet quiet;
  writer_->open = false;
  try {
    const Checksum checksum = write_summary(writer_->summary, path_, texts_of(summary));
    write_summary(writer_->checksum_table, path_, {{"/summary", checksum.to_text()}}, writer_->checksums.size());
    hdf5::check(*writer_->status, path_, "write the summary of");
  } catch (const IoError&) {
    writer_->status->abandoned = true;
    throw;
  }
  writer_->summary.reset();
  writer_->checksum_table.reset();
  writer_->frames.close();
  writer_->steps.close();
  writer_->sums.close();
  writer_->checkpoints.close();
  hdf5::check(writer_->file.reset(), path_, "close");
  hdf5::check(*writer_->status, path_, "close");
  // A run without a frame is not worth the older results of its name.
  if (!writer_->output->replaces() || (writer_->replaces_at_end && writer_->frames.written() > 0))
    writer_->output->take_name();
  writer_->output.reset();
  if (writer_->frames.unpacked_bytes() + writer_->steps.unpacked_bytes() > worth_a_copy) pack_results(path_);
}

std::int64_t ResultsFile::frames_received() const { return writer_ ? writer_->frames_received : 0; }
std::int64_t ResultsFile::frames_written() const { return writer_ ? writer_->frames.written() : 0; }
std::int64_t ResultsFile::steps_written() const { return writer_ ? writer_->steps.written() : 0; }

}  // namespace trammel
