// SPDX-License-Identifier: Apache-2.0
#include "sweep_plan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/base/version.h"
#include "trammel/io/source_file.h"
#include "trammel/io/text_file.h"

namespace trammel::apps {

namespace {

constexpr const char* title = "plan of a sweep of Trammel";

OutputKind plan_kind() { return text_kind("a plan of a sweep of Trammel", {title}); }

std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  if (!line.empty() && line.back() == '\t') fields.emplace_back();
  return fields;
}

// Moved with its folder a plan finds its model where it lies beside it.
std::string write_text(const SweepPlan& plan, const std::filesystem::path& folder) {
  const std::filesystem::path here = std::filesystem::weakly_canonical(folder);
  std::string text = fmt::format("{}\nversion\t{}\nmodel\t{}\n", title, version(),
                                 std::filesystem::weakly_canonical(plan.model).lexically_proximate(here).string());
  std::istringstream sources(plan.sources);
  for (std::string line; std::getline(sources, line);) text += "source\t" + line + "\n";
  text += fmt::format("cases\t{}\n", plan.cases.values.size());
  text += fmt::format("case\t{}\n", fmt::join(plan.cases.keys, "\t"));
  for (std::size_t i = 0; i < plan.cases.values.size(); ++i)
    text += fmt::format("{}\t{}\n", i + 1, fmt::join(plan.cases.values[i], "\t"));
  return text;
}

[[noreturn]] void refuse(const std::filesystem::path& file, int line, const std::string& what) {
  throw InputError(fmt::format("{}:{}: {}; write the plan anew (--plan)", file.string(), line, what));
}

}  // namespace

std::filesystem::path plan_file(const std::filesystem::path& folder) { return folder / "plan.txt"; }

void write_plan(const SweepPlan& plan, const std::filesystem::path& folder) {
  for (const auto& row : plan.cases.values)
    for (const std::string& value : row)
      if (value.find_first_of("\t\n") != std::string::npos)
        throw InputError(fmt::format("'{}': values of a plan are on one line, without tabs", value));
  make_folder(folder);
  const std::string text = write_text(plan, folder);
  std::string before;
  std::error_code ignored;
  if (std::filesystem::exists(plan_file(folder), ignored)) {
    if (const std::string trouble = read_source(plan_file(folder), before); !trouble.empty())
      throw IoError(fmt::format("cannot read '{}': {}", plan_file(folder).string(), trouble));
    if (before == text) return;
    if (before.starts_with(title))
      throw InputError(fmt::format(
          "there is another plan in '{}', and perhaps results of its cases; choose another folder, or remove it",
          folder.string()));
  }
  TextFile file(plan_file(folder), plan_kind());
  file.write(text);
  file.close();
}

SweepPlan read_plan(const std::filesystem::path& folder) {
  const std::filesystem::path path = plan_file(folder);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw IoError(
        fmt::format("'{}' is not the folder of a plan: it has no plan.txt; `trammel sweep MODEL.toml --set … "
                    "--plan {}` writes one",
                    folder.string(), folder.string()));
  std::string text;
  if (const std::string trouble = read_source(path, text); !trouble.empty())
    throw IoError(fmt::format("cannot read '{}': {}", path.string(), trouble));
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != title) refuse(path, 1, "this is no plan of a sweep");

  SweepPlan plan;
  int number = 1;
  std::size_t n_cases = 0;
  const auto fact = [&](const std::string& name) {
    const std::size_t tab = line.find('\t');
    if (line.substr(0, tab) != name || tab == std::string::npos)
      refuse(path, number, fmt::format("'{}' is expected", name));
    return line.substr(tab + 1);
  };
  const auto next = [&] { return ++number, static_cast<bool>(std::getline(lines, line)); };
  if (!next()) refuse(path, number, "the plan ends here");
  if (const std::string by = fact("version"); by != version())
    refuse(path, number, fmt::format("Trammel {} made this plan, and this is {}", by, version()));
  if (!next()) refuse(path, number, "the plan ends here");
  plan.model = std::filesystem::weakly_canonical(folder) / fact("model");
  while (next() && line.starts_with("source\t")) plan.sources += line.substr(7) + "\n";
  const std::string count = fact("cases");
  if (count.empty() || count.find_first_not_of("0123456789") != std::string::npos || count.size() > 12)
    refuse(path, number, "a number of cases is expected");
  n_cases = static_cast<std::size_t>(std::stoll(count));
  if (!next()) refuse(path, number, "the plan ends here");
  plan.cases.keys = split_tabs(fact("case"));
  for (std::size_t i = 0; i < n_cases; ++i) {
    if (!next()) refuse(path, number, fmt::format("the plan ends after {} of {} cases", i, n_cases));
    std::vector<std::string> fields = split_tabs(line);
    if (fields.size() != plan.cases.keys.size() + 1 || fields.front() != fmt::format("{}", i + 1))
      refuse(path, number, fmt::format("case {} is expected, with {} values", i + 1, plan.cases.keys.size()));
    plan.cases.values.emplace_back(std::make_move_iterator(fields.begin() + 1), std::make_move_iterator(fields.end()));
  }
  return plan;
}

CaseClaim::CaseClaim(const std::filesystem::path& folder, std::size_t number)
    : descriptor_(open(plan_file(folder).c_str(), O_RDWR | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw IoError(fmt::format("cannot open '{}': {}", plan_file(folder).string(), std::strerror(errno)));
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(number);
  byte.l_len = 1;
  is_ours_ = fcntl(descriptor_, F_OFD_SETLK, &byte) == 0 || (errno != EAGAIN && errno != EACCES);
}

CaseClaim::~CaseClaim() {
  if (descriptor_ >= 0) close(descriptor_);
}

CaseClaim::CaseClaim(CaseClaim&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), is_ours_(other.is_ours_) {}

}  // namespace trammel::apps
