// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/source_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "trammel/base/sha256.h"

namespace trammel {

namespace {

thread_local SourceList* source_list = nullptr;
thread_local RecordedSources* recorded_sources = nullptr;
thread_local ReadingNotes* reading_notes = nullptr;

constexpr std::size_t read_block = 1 << 16;
constexpr std::size_t longest_stream = 64 << 20;

std::string system_reason() { return std::system_category().message(errno); }

std::filesystem::path whole_path(const std::filesystem::path& path) {
  std::error_code ignored;  // without a current folder the names stay as they are
  const std::filesystem::path found = std::filesystem::absolute(path.empty() ? "." : path, ignored);
  return (ignored ? path : found).lexically_normal();
}

std::string read_from_disk(const std::filesystem::path& path, std::string& text) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_reason();
  struct stat about {};
  std::string trouble;
  if (fstat(descriptor, &about) != 0) trouble = system_reason();
  if (trouble.empty() && S_ISDIR(about.st_mode)) trouble = "it is a directory";
  for (bool more = trouble.empty(); more;) {
    const std::size_t before = text.size();
    text.resize(before + std::max<std::size_t>(read_block, before / 2));
    const ssize_t n = read(descriptor, text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, n)));
    if (n < 0 && errno != EINTR) trouble = system_reason();
    if (!S_ISREG(about.st_mode) && text.size() > longest_stream)
      trouble = "it is not a file but a stream, and does not end within 64 MB";
    more = trouble.empty() && n != 0;
  }
  close(descriptor);
  return trouble;
}

}  // namespace

std::string read_source(const std::filesystem::path& path, std::string& text, SourceUse use) {
  text.clear();
  const std::string* recorded = nullptr;
  if (recorded_sources != nullptr && use == SourceUse::data) {
    const auto found = recorded_sources->files_.find(whole_path(path));
    if (found != recorded_sources->files_.end()) recorded = found->second;
  }
  if (recorded != nullptr)
    text = *recorded;
  else if (std::string trouble = read_from_disk(path, text); !trouble.empty())
    return trouble;
  for (SourceList* list = source_list; list != nullptr; list = list->outer_) {
    std::vector<SourceFile>& files = list->files_;
    if (std::none_of(files.begin(), files.end(), [&](const SourceFile& file) { return file.path == path; }))
      files.push_back({path, sha256(text), use, use == SourceUse::data ? text : std::string()});
  }
  return "";
}

bool source_exists(const std::filesystem::path& path) {
  if (recorded_sources != nullptr && recorded_sources->files_.count(whole_path(path)) > 0) return true;
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string read_beginning(const std::filesystem::path& path, std::size_t size, std::string& bytes) {
  bytes.clear();
  bytes.resize(size);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_reason();
  std::string trouble;
  std::size_t done = 0;
  while (done < size && trouble.empty()) {
    const ssize_t n = read(descriptor, bytes.data() + done, size - done);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) trouble = system_reason();
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  close(descriptor);
  bytes.resize(done);
  return trouble;
}

SourceList::SourceList() : outer_(source_list) { source_list = this; }
SourceList::~SourceList() { source_list = outer_; }

ReadingNotes::ReadingNotes() : outer_(reading_notes) { reading_notes = this; }
ReadingNotes::~ReadingNotes() { reading_notes = outer_; }
void ReadingNotes::add(const std::string& line) {
  for (ReadingNotes* notes = reading_notes; notes != nullptr; notes = notes->outer_) notes->lines_.push_back(line);
}

RecordedSources::RecordedSources(const std::filesystem::path& folder, const std::vector<RecordedFile>& files)
    : outer_(recorded_sources) {
  for (const RecordedFile& file : files) files_[whole_path(folder / file.name)] = &file.bytes;
  recorded_sources = this;
}
RecordedSources::~RecordedSources() { recorded_sources = outer_; }

std::vector<RecordedFile> record_sources(const std::vector<SourceFile>& files, const std::filesystem::path& folder) {
  const std::filesystem::path base = whole_path(folder);
  std::vector<RecordedFile> recorded;
  for (const SourceFile& file : files)
    if (file.use == SourceUse::data)
      recorded.push_back({whole_path(file.path).lexically_relative(base).string(), file.bytes});
  return recorded;
}

std::string describe_sources(const std::vector<SourceFile>& files, const std::filesystem::path& folder) {
  const std::filesystem::path base = whole_path(folder);
  std::string text;
  for (const SourceFile& file : files)
    text += file.digest + "  " + whole_path(file.path).lexically_relative(base).string() + "\n";
  return text;
}

}  // namespace trammel
