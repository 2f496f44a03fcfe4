// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "trammel/io/output_file.h"

namespace trammel {

/// A text file being written, beside the one that it replaces (OutputFile); every failure is an IoError with path and
/// reason.
class TextFile {
 public:
  TextFile(const std::filesystem::path& path, OutputKind kind);
  void write(std::string_view text);
  void close();  ///< must be called: only then it is known that everything fitted on the disk, and has its name

 private:
  void flush();

  std::filesystem::path path_;
  OutputFile file_;
  std::string waiting_;
};

/// Makes a folder with its parents, or throws IoError.
void make_folder(const std::filesystem::path& folder);

/// &, <, > and quotes replaced by entities; control characters, which XML does not know, by spaces.
std::string escape_xml(std::string_view text);

/// A field of a CSV file, in quotes where it needs them.
std::string csv_field(const std::string& text);

}  // namespace trammel
