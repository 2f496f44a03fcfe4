// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trammel/simulation/record.h"

namespace trammel {

/// What a file is to the model: code (a shared library) is loaded from where it is, and never from results.
enum class SourceUse { data, code };

/// A file that a model was made of.
struct SourceFile {
  std::filesystem::path path;
  std::string digest;  ///< sha256() of what was read
  SourceUse use = SourceUse::data;
  std::string bytes{};  ///< what was read; of code: nothing
};

/// Reads a whole file that a model is made of: itself, an included part, a table, a mesh. Returns why it cannot be
/// read; empty: it was. A file on a disk may have any size. What is not a file (a pipe, `/dev/zero`) may never end: 64
/// MB are read of it, more is refused.
std::string read_source(const std::filesystem::path& path, std::string& text, SourceUse use = SourceUse::data);

/// Whether read_source() has such a file of data.
bool source_exists(const std::filesystem::path& path);

/// The first bytes of a file, at most `size` of them. Returns why it cannot be read; empty: it was.
std::string read_beginning(const std::filesystem::path& path, std::size_t size, std::string& bytes);

/// While it lives, read_source() finds these files of data in this thread, whatever the disk has: names are relative to
/// `folder`.
class RecordedSources {
 public:
  RecordedSources(const std::filesystem::path& folder, const std::vector<RecordedFile>& files);
  ~RecordedSources();
  RecordedSources(const RecordedSources&) = delete;
  RecordedSources& operator=(const RecordedSources&) = delete;

 private:
  friend std::string read_source(const std::filesystem::path& path, std::string& text, SourceUse use);
  friend bool source_exists(const std::filesystem::path& path);
  std::map<std::filesystem::path, const std::string*> files_;
  RecordedSources* outer_;
};

/// Notes every file that read_source() reads in this thread while it lives.
class SourceList {
 public:
  SourceList();
  ~SourceList();
  SourceList(const SourceList&) = delete;
  SourceList& operator=(const SourceList&) = delete;
  const std::vector<SourceFile>& files() const { return files_; }  ///< each once, in the order of reading

 private:
  friend std::string read_source(const std::filesystem::path& path, std::string& text, SourceUse use);
  std::vector<SourceFile> files_;
  SourceList* outer_;
};

/// While it lives, it takes what reading models in this thread changed or left out of files in other languages, a line
/// for each file.
class ReadingNotes {
 public:
  ReadingNotes();
  ~ReadingNotes();
  ReadingNotes(const ReadingNotes&) = delete;
  ReadingNotes& operator=(const ReadingNotes&) = delete;
  const std::vector<std::string>& lines() const { return lines_; }
  static void add(const std::string& line);  ///< to all that live

 private:
  std::vector<std::string> lines_;
  ReadingNotes* outer_;
};

/// As results keep them: data alone, names relative to `folder`.
std::vector<RecordedFile> record_sources(const std::vector<SourceFile>& files, const std::filesystem::path& folder);

/// "<digest>  <path>" line by line, as `sha256sum` writes them, paths relative to `folder`: the same wherever it is
/// called from.
std::string describe_sources(const std::vector<SourceFile>& files, const std::filesystem::path& folder);

}  // namespace trammel
