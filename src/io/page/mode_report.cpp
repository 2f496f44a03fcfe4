// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "page_text.h"
#include "report_run.h"
#include "trammel/base/version.h"
#include "trammel/io/output_kinds.h"
#include "trammel/mechanics/kinds/pictures.h"

namespace trammel {

namespace {

void put_modes(JsonWriter& json, detail::PageData& data, const ModeReport& report) {
  json.key("modes").begin_object().key("about").text(report.about).key("notes").texts(report.notes);
  json.key("position");
  data.put<float>(json, report.position);
  json.key("orientation");
  data.put<float>(json, report.orientation);
  json.key("list").begin_array();
  for (const ModeReport::Mode& mode : report.modes) {
    json.begin_object().key("mode").number(mode.number).key("frequency").number(mode.frequency);
    json.key("damping").number(mode.damping).key("real").number(mode.real).key("imaginary").number(mode.imaginary);
    json.key("shape");
    data.put<float>(json, mode.shape);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

// A run without frames, whose motion the page makes of the modes.
void write_mode_report(const ModeReport& report, const std::filesystem::path& page) {
  require_report_page();
  OutputFile::check(page, page_kind());
  JsonWriter json;
  detail::PageData data;
  const std::vector<double> nothing;
  json.begin_object().key("format").number(1).key("title").text(report.title);
  put_pictures(json.key("pictures"), standard_kinds());
  json.key("runs").begin_array().begin_object();
  json.key("file").text(report.model_file).key("label").text(report.model_file).key("state").text("");
  json.key("title").text(report.title).key("model_file").text(report.model_file).key("created").text("");
  json.key("command").text("").key("settings").text(report.settings).key("model").text(report.model);
  json.key("scene").text(report.scene).key("trammel_version").text(version());
  json.key("summary").begin_object().end_object().key("n_frames").number(0).key("n_steps").number(0);
  json.key("times");
  data.put<double>(json, nothing);
  json.key("stride").number(1).key("groups").begin_array().begin_object();
  json.key("quantity").text("position").key("pattern").text("{name}.position").key("names").texts(report.bodies);
  const std::string components[] = {"x", "y", "z"};
  json.key("components").texts(components).key("unit").text("m").key("description").text("");
  json.end_object().end_array().key("complete").begin_array().end_array();
  json.key("solver").begin_object().key("stretch").number(1).key("times");
  data.put<double>(json, nothing);
  json.key("groups").begin_array().end_array().end_object();
  put_modes(json, data, report);
  json.end_object().end_array().end_object();
  detail::write_page(page, report.title, "report", json.str(), data.arrays());
}

void write_sweep_report(const SweepReport& report, const std::filesystem::path& page) {
  require_report_page();
  OutputFile::check(page, page_kind());
  JsonWriter json;
  json.begin_object().key("title").text(report.title).key("model_file").text(report.model_file);
  json.key("columns").texts(report.columns).key("n_settings").number(report.n_settings).key("cases").begin_array();
  for (const SweepReport::Case& one : report.cases) {
    json.begin_object().key("cells").texts(one.cells).key("results").text(one.results.string());
    json.key("page").text(one.page.string()).key("ended").boolean(one.ended).end_object();
  }
  json.end_array().end_object();
  detail::write_page(page, report.title, "sweep", json.str());
}

}  // namespace trammel
