#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace trammel {

/// A text file being written; every failure is an IoError with path and reason.
class TextFile {
 public:
  explicit TextFile(std::filesystem::path path);
  void write(std::string_view text);
  void close();  ///< must be called: only then is it known that everything fitted on the disk

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

/// Makes a folder with its parents, or throws IoError.
void make_folder(const std::filesystem::path& folder);

/// &, <, > and quotes replaced by entities; control characters, which XML does not know, by spaces.
std::string escape_xml(std::string_view text);

/// A field of a CSV file, in quotes where it needs them.
std::string csv_field(const std::string& text);

}  // namespace trammel
