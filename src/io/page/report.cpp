// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/report.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/text_file.h"

#include <fmt/format.h>

#include <deque>

#include "packed_data.h"
#include "page_text.h"
#include "report_run.h"
#include "trammel/mechanics/kinds/pictures.h"

// The page without its data, made from web/ when the program is built; empty in a build without.
extern "C" const char trammel_report_page[], trammel_report_page_end[];

namespace trammel {

namespace {

constexpr std::string_view title_mark = "{{title}}", data_mark = "<!--data-->";

std::string_view page_text() {
  return {trammel_report_page, static_cast<std::size_t>(trammel_report_page_end - trammel_report_page)};
}

}  // namespace

namespace detail {

std::string page_title(const ReportOptions& options, const ResultsReader& first) {
  if (!options.title.empty()) return options.title;
  const auto it = first.schema().attributes.find("title");
  return it == first.schema().attributes.end() || it->second.empty() ? first.path().stem().string() : it->second;
}

void put_page(const std::string& title, const std::function<void(std::string_view)>& put,
              const std::function<void()>& put_data) {
  const std::string_view text = page_text();
  const std::size_t title_at = text.find(title_mark), data_at = text.find(data_mark);
  if (title_at == text.npos || data_at == text.npos || data_at < title_at)
    throw Error("the page of reports was built without its marks");
  put(text.substr(0, title_at));
  put(escape_xml(title));
  put(text.substr(title_at + title_mark.size(), data_at - title_at - title_mark.size()));
  put_data();
  put(text.substr(data_at + data_mark.size()));
}

void write_page(const std::filesystem::path& page, const std::string& title, const char* id, const std::string& json,
                const std::vector<std::string>& arrays) {
  TextFile file(page, page_kind());
  put_page(
      title, [&](std::string_view text) { file.write(text); },
      [&] {
        file.write(fmt::format("<script type=\"application/json\" id=\"{}\">", id));
        file.write(json);
        file.write("</script>\n");
        for (std::size_t i = 0; i < arrays.size(); ++i) {
          file.write(fmt::format("<script type=\"text/plain\" id=\"data-{}\">", i));
          file.write(base64(arrays[i]));
          file.write("</script>\n");
        }
      });
  file.close();
}

}  // namespace detail

// All pages begin as web/page.html does.
OutputKind page_kind() {
  return text_kind("a page of Trammel", {"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"},
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
}

std::vector<Issue> ReportOptions::issues() const {
  std::vector<Issue> found;
  if (max_channel_numbers < 1) found.push_back({"max_channel_numbers", "must be > 0"});
  if (max_animation_bytes < 1) found.push_back({"max_animation_bytes", "must be > 0"});
  return found;
}

void require_report_page() {
  if (page_text().empty())
    throw InputError(
        "this build of trammel has no page for reports; configure it with -DTRAMMEL_PAGE=ON (needs node and "
        "npm) to get one");
}

std::vector<ReportContents> write_report(std::span<const std::filesystem::path> results,
                                         const std::filesystem::path& page, const ReportOptions& options) {
  require_report_page();
  if (results.empty()) throw InputError("a report needs at least one results file");
  if (std::vector<Issue> found = options.issues(); !found.empty()) throw InputError(std::move(found));
  std::deque<ResultsReader> readers;  // all are opened before anything is written
  for (const std::filesystem::path& path : results) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, page, ignored))
      throw InputError(fmt::format("the report would overwrite the results '{}'; choose another name", path.string()));
    readers.emplace_back(path);
  }
  OutputFile::check(page, page_kind());

  const std::string title = detail::page_title(options, readers.front());
  JsonWriter json;
  detail::PageData data;
  std::vector<ReportContents> contents;
  json.begin_object().key("format").number(1).key("title").text(title);
  put_pictures(json.key("pictures"), standard_kinds());
  json.key("runs").begin_array();
  for (const ResultsReader& reader : readers)
    contents.push_back(detail::RunWriter(reader, options, static_cast<int>(readers.size()), json, data).write());
  json.end_array().end_object();

  detail::write_page(page, title, "report", json.str(), data.arrays());
  return contents;
}

}  // namespace trammel
