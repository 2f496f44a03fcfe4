// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/results_file.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "hdf5_support.h"
#include "results_checkpoint.h"
#include "results_layout.h"
#include "results_tables.h"
#include "row_queue.h"
#include "trammel/base/crew.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/source_file.h"

namespace trammel {

using Clock = std::chrono::steady_clock;

namespace {

// Bytes that were stored as they are: of more, a packed copy is made at the end.
constexpr double worth_a_copy = 8e6;

// Numbers of a frame that are worth a thread: packing and writing them takes some milliseconds.
constexpr int worth_a_thread = 32768;

bool has_safe_library() {
  hbool_t safe = false;
  return H5is_library_threadsafe(&safe) >= 0 && safe;
}

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

// Once there is a queue all but what it receives for itself belongs to its thread.
struct ResultsFile::Writer {
  /// Goes on behind a checkpoint of other results of this name.
  struct Beginning {
    const ResultsReader& before;
    const ResultsCheckpoint& checkpoint;
  };

  Writer(const std::filesystem::path& where, const ResultsFileOptions& how, const RecordSchema& schema,
         std::optional<Beginning> from = {});
  void cut_back(const Beginning& from);
  void begin_queue(const RecordSchema& schema);
  /// All that was received is written, and the calling thread may write.
  void end_queue() {
    if (queue) queue->wait();
    queue.reset();
  }

  void require_open() const {
    if (!open) throw Error("the results file '" + path.string() + "' is not open");
  }
  // Nobody reads what has no name yet.
  bool is_due() const {
    return !options.replace_at_end &&
           std::chrono::duration<double>(Clock::now() - flushed).count() >= options.flush_seconds;
  }
  void frame(double t, std::span<const double> values);
  void step(double t, std::span<const double> values);
  void flush() {
    write(true, true, false);
    flushed = Clock::now();
  }
  void write(bool of_frames, bool of_steps, bool last);
  void end(const SummaryEntries& entries);

  const std::filesystem::path path;
  const ResultsFileOptions options;
  std::unique_ptr<OutputFile> output;  // before the file: it goes, and with it the lock, after the file is closed
  std::shared_ptr<hdf5::IoStatus> status = std::make_shared<hdf5::IoStatus>();
  hdf5::Handle file;
  RowTable frames, steps;
  ChunkSums sums;
  CheckpointPlaces checkpoints;
  hdf5::Handle summary, checksum_table;
  Checksums checksums;  // of texts
  std::atomic<std::int64_t> frames_written = 0, steps_written = 0;
  Clock::time_point flushed = Clock::now();
  bool open = true;  // false after end() or after a failure: nothing more is written

  std::int64_t frames_received = 0, steps_received = 0;
  std::unique_ptr<RowQueue> queue;
};

ResultsFile::Writer::Writer(const std::filesystem::path& where, const ResultsFileOptions& how,
                            const RecordSchema& schema, std::optional<Beginning> from)
    : path(where), options(how), output(std::make_unique<OutputFile>(path, results_kind())) {
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
    if (from) cut_back(*from);
    write_summary(checksum_table, path, checksums);
    // From here on no object is created: readers, and the file after a kill, see every flushed row.
    hdf5::check(H5Fstart_swmr_write(file), path, "start writing");
    hdf5::check(*status, path, "start writing");
    frames_written = frames.written(), steps_written = steps.written();
  } catch (const IoError&) {
    status->abandoned = true;
    hdf5::check(*status, path, "start writing");  // the system's reason rather than what HDF5 made of it
    throw;
  }
}

void ResultsFile::Writer::cut_back(const Beginning& from) {
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

// Who waits for each frame needs no thread that writes it meanwhile.
void ResultsFile::Writer::begin_queue(const RecordSchema& schema) {
  if (Crew::mine() == nullptr || schema.frame_width() < worth_a_thread || options.flush_every_frame) return;
  if (!has_safe_library()) return;
  queue = RowQueue::make({.frame = [this](double t, std::span<const double> values) { frame(t, values); },
                          .step = [this](double t, std::span<const double> values) { step(t, values); },
                          .checkpoint = [this](ResultsCheckpoint kept) { checkpoints.keep(std::move(kept)); }});
}

void ResultsFile::Writer::frame(double t, std::span<const double> values) {
  require_open();
  frames.append(t, values);
  if (options.flush_every_frame || is_due())
    flush();
  else if (frames.full())
    write(true, false, false);  // whole, before time makes it be written in parts
}

void ResultsFile::Writer::step(double t, std::span<const double> values) {
  require_open();
  steps.append(t, values);
  if (is_due())
    flush();
  else if (steps.full())
    write(false, true, false);
}

void ResultsFile::Writer::write(bool of_frames, bool of_steps, bool last) {
  const hdf5::Quiet quiet;
  open = false;  // stays so if writing throws: a half-written block must not be followed by another
  try {
    if (of_frames) frames.write(path, *status, sums, last);
    frames_written = frames.written();
    if (of_steps) steps.write(path, *status, sums, last);
    steps_written = steps.written();
    checkpoints.write(frames.written(), steps.written(), path);
    // From now on it is worth more than nothing.
    if (frames.written() > 0 && !options.replace_at_end) output->take_name();
  } catch (const IoError&) {
    status->abandoned = true;
    throw;
  }
  open = true;
}

void ResultsFile::Writer::end(const SummaryEntries& entries) {
  write(true, true, true);
  const hdf5::Quiet quiet;
  open = false;
  try {
    const Checksum checksum = write_summary(summary, path, texts_of(entries));
    write_summary(checksum_table, path, {{"/summary", checksum.to_text()}}, checksums.size());
    hdf5::check(*status, path, "write the summary of");
  } catch (const IoError&) {
    status->abandoned = true;
    throw;
  }
  summary.reset();
  checksum_table.reset();
  frames.close();
  steps.close();
  sums.close();
  checkpoints.close();
  hdf5::check(file.reset(), path, "close");
  hdf5::check(*status, path, "close");
  // A run without a frame is not worth the older results of its name.
  if (!output->replaces() || (options.replace_at_end && frames.written() > 0)) output->take_name();
  output.reset();
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

// A destructor cannot report; frames_written() told what is safe.
ResultsFile::~ResultsFile() {
  if (!writer_) return;
  writer_->queue.reset();
  try {
    flush();
  } catch (const std::exception&) {
  }
  const hdf5::Quiet quiet;
  writer_.reset();
}

ResultsFile::Writer& ResultsFile::writer() const {
  if (!writer_) throw Error("the results file '" + path_.string() + "' is not open");
  return *writer_;
}

void ResultsFile::begin(const RecordSchema& schema) {
  if (writer_) throw Error("begin() of the results file '" + path_.string() + "' was called twice");
  if (std::vector<Issue> issues = schema.issues(); !issues.empty()) throw InputError(std::move(issues));
  const hdf5::Quiet quiet;
  writer_ = std::make_unique<Writer>(path_, options_, schema);
  writer_->begin_queue(schema);
}

void ResultsFile::go_on(const RecordSchema& schema, const ResultsReader& before, const ResultsCheckpoint& checkpoint) {
  if (writer_) throw Error("go_on() of the results file '" + path_.string() + "' was called twice");
  if (std::vector<Issue> issues = schema.issues(); !issues.empty()) throw InputError(std::move(issues));
  const hdf5::Quiet quiet;
  writer_ = std::make_unique<Writer>(path_, options_, schema, Writer::Beginning{before, checkpoint});
  flush();
  writer_->begin_queue(schema);
}

void ResultsFile::frame(double t, std::span<const double> values) {
  Writer& to = writer();
  ++to.frames_received;
  if (to.queue) return to.queue->frame(t, values);
  to.frame(t, values);
}

void ResultsFile::step(double t, std::span<const double> values) {
  Writer& to = writer();
  ++to.steps_received;
  if (to.queue) return to.queue->step(t, values);
  to.step(t, values);
}

void ResultsFile::checkpoint(double t, std::span<const std::byte> memory) {
  const Writer& to = writer();
  keep_checkpoint({t, to.frames_received, to.steps_received, {memory.begin(), memory.end()}});
}

void ResultsFile::keep_checkpoint(ResultsCheckpoint checkpoint) {
  Writer& to = writer();
  if (to.queue) return to.queue->checkpoint(std::move(checkpoint));
  to.require_open();
  to.checkpoints.keep(std::move(checkpoint));
}

void ResultsFile::flush() {
  if (!writer_) return;
  if (writer_->queue) writer_->queue->wait();
  if (writer_->open) writer_->flush();
}

void ResultsFile::end(const SummaryEntries& summary) {
  writer().end_queue();
  writer().require_open();
  writer().end(summary);
  const auto completed = summary.find("completed");
  const bool may_go_on =
      completed != summary.end() && text_of(completed->second) == "false" && !summary.contains("failure");
  const double unpacked = writer().frames.unpacked_bytes() + writer().steps.unpacked_bytes();
  if (unpacked > worth_a_copy && !may_go_on) pack_results(path_);
}

std::int64_t ResultsFile::frames_received() const { return writer_ ? writer_->frames_received : 0; }
std::int64_t ResultsFile::frames_written() const { return writer_ ? writer_->frames_written.load() : 0; }
std::int64_t ResultsFile::steps_written() const { return writer_ ? writer_->steps_written.load() : 0; }

}  // namespace trammel
