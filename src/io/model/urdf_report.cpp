// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "toml_text.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/source_file.h"
#include "urdf_tree.h"

/// What `trammel import` does with a URDF file, and what it tells of it.
namespace trammel {

namespace {

constexpr std::size_t most_lines = 12;    // of an element that is simply taken
constexpr std::size_t most_notes = 1000;  // of one fate; a file of megabytes may have as many elements

std::string taken_lines(const std::vector<UrdfNote>& notes) {
  std::map<std::string, std::vector<int>> lines;
  for (const UrdfNote& note : notes)
    if (note.fate == UrdfFate::taken) lines[note.element].push_back(note.line);
  std::string text;
  for (const auto& [element, at] : lines) {
    text += fmt::format("    {} × <{}>, line{}", at.size(), element, at.size() > 1 ? "s" : "");
    for (std::size_t i = 0; i < std::min(at.size(), most_lines); ++i)
      text += fmt::format("{} {}", i > 0 ? "," : "", at[i]);
    text += at.size() > most_lines ? ", …\n" : "\n";
  }
  return text;
}

std::string told_lines(const std::vector<UrdfNote>& notes, UrdfFate fate, const std::string& name) {
  std::vector<const UrdfNote*> told;
  for (const UrdfNote& note : notes)
    if (note.fate == fate) told.push_back(&note);
  std::stable_sort(told.begin(), told.end(), [](const UrdfNote* a, const UrdfNote* b) { return a->line < b->line; });
  std::string text;
  for (std::size_t i = 0; i < std::min(told.size(), most_notes); ++i)
    text += fmt::format("    {}:{}: <{}>: {}\n", name, told[i]->line, told[i]->element, told[i]->text);
  if (told.size() > most_notes) text += fmt::format("    and {} more\n", told.size() - most_notes);
  return text;
}

std::string comments(const std::string& text) {
  std::string all;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string line = text.substr(from, end - from);
    for (char& c : line)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    all += "# " + line + "\n";
    from = end + 1;
  }
  return all;
}

}  // namespace

std::string UrdfImport::report(const std::string& name) const {
  std::string text =
      fmt::format("{}: {} bodies, {} joints, {} frames; {:.6g} kg\n", name, n_bodies, n_joints, n_frames, mass);
  text += "taken\n" + taken_lines(notes);
  const std::string changed = told_lines(notes, UrdfFate::changed, name),
                    left = told_lines(notes, UrdfFate::left_out, name);
  text += changed.empty() ? "nothing is changed\n" : "changed\n" + changed;
  text += left.empty() ? "nothing is left out\n" : "left out\n" + left;
  return text;
}

UrdfImport import_urdf(const std::filesystem::path& file, const UrdfOptions& options,
                       const std::filesystem::path& folder) {
  if (const std::string obstacle = detail::find_xml_obstacle(); !obstacle.empty()) throw IoError(obstacle);
  if (!detail::is_urdf(file))
    throw InputError({{file.string(), "robots are read from URDF files, whose names end with .urdf"}});
  std::string text;
  if (const std::string trouble = read_source(file, text); !trouble.empty())
    throw IoError(fmt::format("the file '{}' cannot be read: {}", file.string(), trouble));
  detail::UrdfModel model = detail::read_urdf(text, file.string(), 0, file.parent_path(), options, folder);
  UrdfImport robot;
  robot.notes = std::move(model.notes);
  robot.n_bodies = model.n_bodies, robot.n_joints = model.n_joints, robot.n_frames = model.n_frames;
  robot.mass = model.mass;
  const std::string name = file.filename().string();
  robot.toml =
      fmt::format("{}{}\n", imported_mark, name) +
      comments(told_lines(robot.notes, UrdfFate::changed, name) + told_lines(robot.notes, UrdfFate::left_out, name)) +
      toml_text(model.tree);
  // Everything that the reader of models has to say about it, at the lines of the URDF file.
  detail::TableBuilder include({0, 1, 1});
  include.text("file", name).text("base", options.floating ? "floating" : "fixed");
  std::vector<std::string> folders;
  for (const std::filesystem::path& package : options.packages)
    folders.push_back(std::filesystem::absolute(package).lexically_normal().string());
  if (!folders.empty()) include.texts("packages", folders);
  const std::string outer = detail::toml_text(detail::TableBuilder({0, 1, 1}).item("include", include).take());
  read_checked_study_text(outer, file.parent_path() / "import of");
  return robot;
}

namespace detail {

bool is_urdf(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".urdf";
}

std::string describe_losses(const std::vector<UrdfNote>& notes, const std::string& file) {
  const auto count = [&](UrdfFate fate) {
    return std::count_if(notes.begin(), notes.end(), [&](const UrdfNote& note) { return note.fate == fate; });
  };
  const auto changed = count(UrdfFate::changed), left = count(UrdfFate::left_out);
  if (changed + left == 0) return "";
  return fmt::format("{}: {} changed and {} left out of the URDF file; `trammel import {}` lists them", file, changed,
                     left, file);
}

}  // namespace detail

}  // namespace trammel
