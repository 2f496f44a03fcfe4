// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trammel {

/// What a file of one kind looks like, so that nothing else is replaced by a new one.
struct OutputKind {
  std::string what;             ///< "a results file"
  std::string doing = "write";  ///< "cannot <doing> '<path>': …"
  /// Whether a file that is not empty is one; returns why that cannot be told, empty: it could.
  std::function<std::string(const std::filesystem::path&, bool& ours)> find_owner;
  bool to_devices = true;  ///< also to /dev/stdout, pipes, …
};

/// Text files of ours begin with one of these lines and hold `mark` in their first 4096 bytes.
OutputKind text_kind(std::string what, std::vector<std::string> beginnings, std::string mark = "");

/// A file being made beside the one that it will replace: the one way in which the program writes a file.
///
///   (1)  made as `.<name>.trammel-part` in the same folder and locked: two programs do not make the same file
///   (2)  written by its owner, who checks every write
///   (3)  take_name() renames it, which is one indivisible operation
///
/// Whatever ends the program, and whenever: the name stands for the old file or for the new one, each whole. Who has
/// the old file open goes on reading it. Without (3) the file is removed again; that of a killed program stays until
/// the next attempt removes it. A name that exists and is not ours (OutputKind) is refused, as is one that a running
/// simulation writes. Links are followed: what they point to is replaced. Devices and pipes are written in place.
class OutputFile {
 public:
  /// Throws IoError: a directory, no permission, not ours, held by a running simulation.
  OutputFile(std::filesystem::path path, OutputKind kind);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& working() const { return working_; }  ///< where it is until it has its name
  int descriptor() const { return descriptor_; }
  bool has_name() const { return has_name_; }
  bool replaces() const;  ///< there is an older file of this name, and it is not empty

  void take_name();  ///< throws IoError; the second call does nothing

  /// The refusals of the constructor, without making anything: for those who want to know before they work.
  static void check(const std::filesystem::path& path, const OutputKind& kind);

 private:
  void open_working();

  std::filesystem::path path_, target_, working_;  // as given; links followed; beside it
  OutputKind kind_;
  int descriptor_ = -1;
  bool has_name_ = false;
};

}  // namespace trammel
