// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/text_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "trammel/base/error.h"

namespace trammel {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw IoError("cannot write '" + path.string() + "': " + std::system_category().message(error));
}

constexpr std::size_t block_bytes = 1 << 16;

}  // namespace

TextFile::TextFile(const std::filesystem::path& path, OutputKind kind) : path_(path), file_(path, std::move(kind)) {}

void TextFile::write(std::string_view text) {
  waiting_.append(text);
  if (waiting_.size() >= block_bytes) flush();
}

void TextFile::flush() {
  for (std::size_t at = 0; at < waiting_.size();) {
    const ssize_t n = ::write(file_.descriptor(), waiting_.data() + at, waiting_.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, errno);
    at += static_cast<std::size_t>(n);
  }
  waiting_.clear();
}

void TextFile::close() {
  flush();
  file_.take_name();
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw IoError("cannot make the folder '" + folder.string() +
                  "': " + (error ? error.message() : std::string("a file of that name exists")));
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return escaped;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",;\t\"\n\r") == std::string::npos && text.rfind('#', 0) != 0) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace trammel
