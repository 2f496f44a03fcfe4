#include "text_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "trammel/base/error.h"

namespace trammel {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw IoError("cannot write '" + path.string() + "': " + std::system_category().message(error));
}

}  // namespace

TextFile::TextFile(std::filesystem::path path) : path_(std::move(path)) {
  errno = 0;
  stream_.open(path_, std::ios::binary | std::ios::trunc);
  if (!stream_) fail(path_, errno);
}

void TextFile::write(std::string_view text) {
  errno = 0;
  stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream_) fail(path_, errno);
}

void TextFile::close() {
  errno = 0;
  stream_.close();
  if (!stream_) fail(path_, errno);
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
