// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "messages.h"
#include "trammel/io/text_file.h"
#include "trammel/io/urdf.h"

namespace trammel::apps {

namespace {

const char* word_of(UrdfFate fate) {
  return fate == UrdfFate::taken ? "taken" : fate == UrdfFate::changed ? "changed" : "left_out";
}

std::string answer_of(const UrdfImport& robot, const ImportCommand& command) {
  JsonWriter json;
  json.begin_object().key("model").text(command.out.string()).key("bodies").number(robot.n_bodies);
  json.key("joints").number(robot.n_joints).key("frames").number(robot.n_frames).key("mass").number(robot.mass);
  json.key("elements").begin_array();
  for (const UrdfNote& note : robot.notes)
    json.begin_object()
        .key("fate")
        .text(word_of(note.fate))
        .key("line")
        .number(note.line)
        .key("element")
        .text(note.element)
        .key("message")
        .text(note.text)
        .end_object();
  return json.end_array().end_object().str();
}

// A file that somebody wrote or changed at its top is not replaced.
OutputKind imported_kind() { return text_kind("a model file that was imported", {std::string(imported_mark)}); }

}  // namespace

int import_robot(const ImportCommand& command) {
  require_file(command.file);
  if (!command.out.empty()) OutputFile::check(command.out, imported_kind());
  const UrdfImport robot =
      import_urdf(command.file, {command.base == "floating", command.packages}, command.out.parent_path());
  if (!command.out.empty()) {
    TextFile file(command.out, imported_kind());
    file.write(robot.toml);
    file.close();
  }
  if (command.json != nullptr)
    command.json->result = answer_of(robot, command);
  else if (!command.quiet)
    print_now(robot.report(command.file.filename().string()) +
              (command.out.empty() ? "" : fmt::format("Model: {}\n", command.out.string())));
  return success;
}

}  // namespace trammel::apps
