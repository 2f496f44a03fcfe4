// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/model_reader.h"

#include <fmt/format.h>

#include <set>

#include "entities.h"
#include "expand.h"
#include "mirror.h"
#include "trammel/io/source_file.h"
#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"

namespace trammel {

namespace {

using detail::Expansion;
using detail::Fields;
using detail::Findings;
using detail::Instance;
using detail::Node;

void read_entities(const Expansion& expansion, const detail::ModelTables& tables, Findings& findings,
                   detail::ModelDraft& model, detail::Mirror& mirror) {
  // Which bodies get their mass from geometry must be known when they are read.
  Findings ignored = findings;  // what is wrong is found again below
  for (const Instance& instance : expansion.instances()) {
    if (instance.kind != "geometry") continue;
    Fields fields(ignored, *instance.node, *instance.scope, *instance.part, "geometry", tables.find("geometry"));
    const Node* body = fields.get("body");
    if (fields.has("density") && body != nullptr && body->kind == detail::NodeKind::string)
      model.heavy.try_emplace(fields.name_of(*body, "body"));
  }
  for (const auto& [table, read] : tables.entities()) {
    const detail::KeyIndex* keys = tables.find(table.name);
    for (const Instance& instance : expansion.instances()) {
      if (instance.kind != table.name) continue;
      const std::string what = instance.name.empty() ? table.name : fmt::format("{} '{}'", table.name, instance.name);
      Fields fields(findings, *instance.node, *instance.scope, *instance.part, what, keys);
      fields.ignore("name");
      const bool mirrored = instance.part->is_mirrored();
      if (mirrored) mirror.begin(table.name);
      read(fields, instance.name, model);
      if (mirrored) mirror.end(table.name, *instance.part);
    }
  }
}

void read_root(const Expansion& expansion, const detail::ModelTables& tables, Findings& findings, Study& study) {
  Fields fields(findings, expansion.root(), expansion.scope(), expansion.part(), "model", tables.find(""));
  study.model.title = fields.text("title", "");
  study.model.gravity = fields.vector("gravity", study.model.gravity);
  study.model.parameters = expansion.parameters();
  for (const std::string& key : tables.find("")->names()) fields.ignore(key);  // read by others, or below
  for (const std::string table : {"analysis", "solver", "output"}) {
    const Node* node = fields.get(table);
    if (node == nullptr) continue;
    if (node->kind != detail::NodeKind::table) {
      fields.report_type(*node, table, "a table [" + table + "]");
      continue;
    }
    Fields inner(findings, *node, expansion.scope(), expansion.part(), table, tables.find(table));
    detail::read_settings(inner, table, study);
  }
  fields.finish();
}

void give_masses(detail::ModelDraft& model) {
  for (BodySpec& body : model.bodies) {
    const auto it = model.heavy.find(body.name);
    if (it == model.heavy.end() || body.kind == BodyKind::particle || !(it->second.volume > 0.0)) continue;
    body.mass = it->second.volume;  // densities included
    body.center_of_mass = it->second.center;
    body.inertia = it->second.inertia;
  }
}

// A body that has [[geometry]] is drawn by it, another one by its shape; what beams are touched by stays.
void draw_solids(detail::ModelDraft& model) {
  std::set<std::string> drawn;
  for (const GeometrySpec& geometry : model.geometry) drawn.insert(geometry.body);
  for (GeometrySpec& solid : model.solids)
    if (drawn.count(solid.body) == 0 || !solid.group.empty()) model.geometry.push_back(std::move(solid));
}

}  // namespace

// The one that has checked the model when a study is made.
struct StudyReader {
  static CheckedStudy read(const std::string& text, const std::filesystem::path& name,
                           std::span<const std::string> settings, const Kinds& kinds);
};

CheckedStudy StudyReader::read(const std::string& text, const std::filesystem::path& name,
                               std::span<const std::string> settings, const Kinds& kinds) {
  const std::shared_ptr<const detail::ModelTables> tables = detail::find_model_tables(kinds);
  Findings findings;
  const SourceList sources;
  const Expansion expansion(findings, *tables, text, name, settings);
  Study study;
  study.text = text;
  read_root(expansion, *tables, findings, study);
  detail::ModelDraft draft{std::move(study.model), {}, {}, {}, expansion.is_complete()};
  draft.elements_left = expansion.max_elements();
  draft.joint_kinds = detail::kinds_of_joints(kinds);
  draft.force_kinds = detail::choices_of(kinds.forces);
  draft.measure_kinds = detail::choices_of(kinds.measures);
  draft.shape_kinds = detail::choices_of(kinds.shapes);
  draft.control_kinds = detail::choices_of(kinds.controls);
  detail::Mirror mirror(findings, draft);
  read_entities(expansion, *tables, findings, draft, mirror);
  give_masses(draft);
  mirror.apply();
  draw_solids(draft);
  const bool complete = draft.complete;
  study.phases = std::move(draft.phases);
  study.model = std::move(draft);
  if (complete) findings.add_consequences(issues(study.model));
  findings.add_consequences(issues(study));
  if (!findings.empty()) throw InputError(findings.in_order());
  study.files = record_sources(sources.files(), name.parent_path());
  return {std::move(study), CheckedStudy::Known()};
}

CheckedStudy read_checked_study_text(const std::string& text, const std::filesystem::path& name,
                                     std::span<const std::string> settings, const Kinds& kinds) {
  return StudyReader::read(text, name, settings, kinds);
}

CheckedStudy read_checked_study(const std::filesystem::path& file, std::span<const std::string> settings,
                                const Kinds& kinds) {
  std::string text;
  if (const std::string trouble = read_source(file, text); !trouble.empty())
    throw IoError(fmt::format("the model file '{}' cannot be read: {}", file.string(), trouble));
  return read_checked_study_text(text, file, settings, kinds);
}

Study read_study(const std::filesystem::path& file, std::span<const std::string> settings, const Kinds& kinds) {
  return read_checked_study(file, settings, kinds).take();
}

Study read_study_text(const std::string& text, const std::filesystem::path& name, std::span<const std::string> settings,
                      const Kinds& kinds) {
  return read_checked_study_text(text, name, settings, kinds).take();
}

}  // namespace trammel
