// SPDX-License-Identifier: Apache-2.0
#include "json_answer.h"

#include "trammel/base/version.h"

namespace trammel::apps {

namespace {

void put_numbers(JsonWriter& json, std::initializer_list<std::pair<const char*, double>> numbers) {
  for (const auto& [key, value] : numbers) json.key(key).number(value);
}

void put_counts(JsonWriter& json, const Summary& summary) {
  const std::pair<const char*, long> counts[] = {{"steps", summary.steps},
                                                 {"rejected_error", summary.rejected_error},
                                                 {"rejected_newton", summary.rejected_newton},
                                                 {"rejected_contact", summary.rejected_contact},
                                                 {"iterations", summary.iterations},
                                                 {"linearizations", summary.linearizations},
                                                 {"factorizations", summary.factorizations},
                                                 {"function_calls", summary.function_calls}};
  for (const auto& [key, count] : counts) json.key(key).number(static_cast<double>(count));
  json.key("rejections").begin_object();
  for (std::size_t i = 0; i < summary.rejections.size(); ++i)
    if (summary.rejections[i] > 0)
      json.key(describe(static_cast<Cause>(i))).number(static_cast<double>(summary.rejections[i]));
  json.end_object().key("remedies").begin_object();
  for (const auto& [name, count] : summary.remedies) json.key(name).number(static_cast<double>(count));
  json.end_object();
}

}  // namespace

std::string JsonAnswer::text(int exit_code) const {
  JsonWriter json;
  json.begin_object().key("format").number(format).key("trammel").text(version()).key("command").text(command);
  json.key("exit_code").number(exit_code).key("errors").begin_array();
  for (const Issue& error : errors)
    json.begin_object().key("where").text(error.where).key("message").text(error.message).end_object();
  json.end_array().key("result").raw(result.empty() ? "null" : result).end_object();
  return json.str() + "\n";
}

void put_summary(JsonWriter& json, const Summary& summary) {
  json.begin_object().key("completed").boolean(summary.completed);
  const std::pair<const char*, const std::string*> texts[] = {{"stop", &summary.stop},
                                                              {"failure", &summary.failure},
                                                              {"integrator", &summary.integrator},
                                                              {"formulation", &summary.formulation},
                                                              {"choice", &summary.choice},
                                                              {"linear_solver", &summary.linear_solver},
                                                              {"dense_kernel", &summary.dense_kernel}};
  for (const auto& [key, text] : texts) json.key(key).text(*text);
  put_counts(json, summary);
  put_numbers(json, {{"t", summary.t},
                     {"predicted_numbers", summary.predicted_numbers},
                     {"predicted_operations", summary.predicted_operations},
                     {"h_min", summary.h_min},
                     {"h_max", summary.h_max},
                     {"wall_time", summary.wall_time},
                     {"threads", static_cast<double>(summary.threads)},
                     {"energy_start", summary.energy_start},
                     {"energy_drift", summary.energy_drift},
                     {"method_energy", summary.method_energy},
                     {"work", summary.work},
                     {"position_drift", summary.position_drift},
                     {"velocity_drift", summary.velocity_drift}});
  for (const auto& [key, count] :
       {std::pair("nv", summary.nv), std::pair("nc", summary.nc), std::pair("nz", summary.nz),
        std::pair("degrees_of_freedom", summary.degrees_of_freedom)})
    json.key(key).number(count);
  json.key("events").texts(summary.events).key("notes").texts(summary.notes).key("alarms").begin_array();
  for (const Alarm& alarm : summary.alarms) {
    json.begin_object().key("name").text(alarm.name).key("element").text(alarm.element).key("text").text(alarm.text);
    put_numbers(json, {{"t", alarm.t}, {"value", alarm.value}, {"limit", alarm.limit}});
    json.end_object();
  }
  json.end_array().end_object();
}

void put_check(JsonWriter& json, const CheckReport& report) {
  json.begin_object();
  for (const auto& [key, count] :
       {std::pair("bodies", report.bodies), std::pair("nv", report.nv), std::pair("nz", report.nz),
        std::pair("rows", report.rows), std::pair("rank", report.rank),
        std::pair("degrees_of_freedom", report.degrees_of_freedom)})
    json.key(key).number(count);
  json.key("redundant").texts(report.redundant).key("remarks").texts(report.remarks);
  json.key("choice")
      .text(report.choice)
      .key("settings")
      .text(report.settings)
      .key("failure")
      .text(report.failure)
      .end_object();
}

}  // namespace trammel::apps
