// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "trammel/linalg/predicted_work.h"

namespace trammel {

namespace {

// Of steps by the cause of their rejection, and of what helped.
constexpr std::string_view rejected_mark = "rejected: ", helped_mark = "helped by: ";

// All names that a summary may have but those with a number or a mark, each with a value of its type.
const SummaryEntries& every_entry() {
  static const SummaryEntries all = [] {
    Summary summary;
    summary.choice = summary.failure = "said";
    summary.rejected_contact = summary.function_calls = summary.split_choices = 1;
    summary.condition = 1.0;
    return summary.to_attributes();
  }();
  return all;
}

template <class Number>
SummaryValue number_or_text(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end) return text;
  return value;
}

}  // namespace

std::string Alarm::to_text() const {
  return fmt::format("{} at t = {:.6g} s{}: {}", name, t, element.empty() ? "" : ", " + element, text);
}

void Summary::describe_solver(const LinearSolver<double>& solver) {
  linear_solver = solver.name();
  dense_kernel = dense_kernel_of(solver);
  const PredictedWork predicted = predicted_work_of(solver);
  predicted_numbers = predicted.numbers, predicted_operations = predicted.operations;
}

std::string Summary::to_text() const {
  std::string text = fmt::format("Summary\n");
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("    {:<16}: {}\n", name, value);
  };
  line("stopped", stop);
  for (const Alarm& alarm : alarms) line("ALARM", alarm.to_text());
  line("machine", fmt::format("{} coordinates, {} constraint rows, {} states; {} degrees of freedom", nv, nc, nz,
                              degrees_of_freedom));
  line("method", fmt::format("{} on {}, {}", integrator, formulation, linear_solver));
  for (const std::string& phase : phases) line("phase", phase);
  if (!choice.empty()) line("chosen", choice);
  if (predicted_operations > 0.0)
    line("linear solver", fmt::format("{}; of factors {:.3g} numbers and {:.3g} operations predicted{}", linear_solver,
                                      predicted_numbers, predicted_operations,
                                      dense_kernel.empty() ? "" : fmt::format(", {} products", dense_kernel)));
  if (statics) {
    line("load", fmt::format("{:.4g} of the whole, {} load steps, {} iterations", t, steps, iterations));
    line("energy", fmt::format("{:.6g} J", energy_start));
    line("constraints", fmt::format("largest violation {:.3g}", position_drift));
    line("wall time", fmt::format("{:.3g} s{}", wall_time, threads > 1 ? fmt::format(" on {} threads", threads) : ""));
    for (const std::string& note : notes) line("note", note);
    return text;
  }
  if (!frames.empty()) line("frames", frames);
  line("steps", fmt::format("{} (h = {:.3g} … {:.3g} s), rejected {} (error test {}, Newton {})", steps, h_min, h_max,
                            rejected_error + rejected_newton, rejected_error, rejected_newton));
  if (rejected_contact > 0)
    line("contact",
         fmt::format("{} steps taken again to end where a force begins, ends or has a kink", rejected_contact));
  std::string reasons, help;
  for (std::size_t i = 0; i < rejections.size(); ++i)
    if (rejections[i] > 0)
      reasons +=
          fmt::format("{}{} ({} steps)", reasons.empty() ? "" : "; ", describe(static_cast<Cause>(i)), rejections[i]);
  for (const auto& [name, count] : remedies)
    help += fmt::format("{}{} ({} times)", help.empty() ? "" : "; ", name, count);
  if (!reasons.empty()) line("rejected because", reasons);
  if (!help.empty()) line("helped by", help);
  line("iterations", fmt::format("{} ({:.2f} per step)", iterations,
                                 steps > 0 ? static_cast<double>(iterations) / static_cast<double>(steps) : 0.0));
  line(
      "factorizations",
      fmt::format("{}, linearizations {}{}", factorizations, linearizations,
                  handed_over == 0 ? ""
                                   : fmt::format("; {} matrices did not suit '{}' and were factored with row exchanges "
                                                 "(scaling.rho = 1 gives pivots to coordinates without mass)",
                                                 handed_over, linear_solver)));
  if (function_calls > corrector_calls)
    line("differences", fmt::format("{} residuals of {} for Jacobians{}{}", function_calls - corrector_calls,
                                    function_calls, groups > 0 ? fmt::format(", {} groups of columns", groups) : "",
                                    pattern_updates > 0 ? fmt::format(", {} pattern updates", pattern_updates) : ""));
  if (scaling_s > 0.0)
    line("scaling",
         fmt::format("s = {:.4g} (m_r = {:.4g} kg, d_r = {:.4g} N s/m, k_r = {:.4g} N/m){}", scaling_s, scaling_m,
                     scaling_d, scaling_k, scaling_rho > 0.0 ? fmt::format(", rho = {:.4g}", scaling_rho) : ""));
  if (condition > 0.0)
    line("condition", fmt::format("{:.3g} in the last step, largest {:.3g}", condition, condition_max));
  if (split_choices > 0)
    line("split", fmt::format("‖(GY)⁻¹GX‖ = {:.3g} at last, largest {:.3g}; chosen {} times, changed {} times",
                              split_condition, split_condition_max, split_choices, split_changes));
  line("energy", fmt::format("{:.6g} J at the start, work of forces and motions {:.6g} J", energy_start, work));
  line("method's energy",
       fmt::format("{} {:.3g} J by itself, largest drift {:.3g} J", method_energy > 0.0 ? "added" : "dissipated",
                   std::abs(method_energy), energy_drift));
  line("constraints",
       fmt::format("largest violation {:.3g} (position), {:.3g} (velocity)", position_drift, velocity_drift));
  line("wall time", fmt::format("{:.3g} s{}", wall_time, threads > 1 ? fmt::format(" on {} threads", threads) : ""));
  constexpr std::size_t shown = 10;
  for (std::size_t i = 0; i < std::min(events.size(), shown); ++i) line("event", events[i]);
  if (events.size() > shown) line("events", fmt::format("and {} more", events.size() - shown));
  for (const std::string& note : notes) line("note", note);
  return text;
}

SummaryEntries Summary::to_attributes() const {
  SummaryEntries a;
  a["completed"] = completed;
  a["stop"] = stop;
  if (!choice.empty()) a["choice"] = choice;
  if (!frames.empty()) a["frames"] = frames;
  if (!failure.empty()) a["failure"] = failure;
  a["integrator"] = integrator;
  a["formulation"] = formulation;
  a["linear_solver"] = linear_solver;
  if (!dense_kernel.empty()) a["dense_kernel"] = dense_kernel;
  const auto number = [&](const std::string& name, auto value) {
    if constexpr (std::is_integral_v<decltype(value)>)
      a[name] = static_cast<long>(value);
    else
      a[name] = value;
  };
  if (predicted_operations > 0.0)
    number("predicted_numbers", predicted_numbers), number("predicted_operations", predicted_operations);
  number("t", t);
  number("steps", steps), number("rejected_error", rejected_error), number("rejected_newton", rejected_newton);
  if (rejected_contact > 0) number("rejected_contact", rejected_contact);
  number("iterations", iterations), number("linearizations", linearizations), number("factorizations", factorizations);
  if (function_calls > 0) {
    number("function_calls", function_calls), number("corrector_calls", corrector_calls), number("updates", updates);
    number("pattern_updates", pattern_updates), number("groups", groups);
  }
  if (handed_over > 0) number("handed_over", handed_over);
  if (threads > 1) number("threads", threads);
  number("h_min", h_min), number("h_max", h_max), number("wall_time", wall_time);
  number("energy_start", energy_start), number("energy_drift", energy_drift), number("work", work);
  number("method_energy", method_energy);
  number("position_drift", position_drift), number("velocity_drift", velocity_drift);
  if (condition > 0.0) number("condition", condition), number("condition_max", condition_max);
  if (split_choices > 0) {
    number("split_condition", split_condition), number("split_condition_max", split_condition_max);
    number("split_choices", split_choices), number("split_changes", split_changes);
  }
  number("nv", nv), number("nc", nc), number("nz", nz), number("degrees_of_freedom", degrees_of_freedom);
  for (std::size_t i = 0; i < rejections.size(); ++i)
    if (rejections[i] > 0) a[fmt::format("{}{}", rejected_mark, describe(static_cast<Cause>(i)))] = rejections[i];
  for (const auto& [name, count] : remedies) a[fmt::format("{}{}", helped_mark, name)] = count;
  for (std::size_t i = 0; i < phases.size(); ++i) a[fmt::format("phase_{}", i + 1)] = phases[i];
  for (std::size_t i = 0; i < method_changes.size(); ++i) a[fmt::format("method_change_{}", i + 1)] = method_changes[i];
  for (std::size_t i = 0; i < events.size(); ++i) a[fmt::format("event_{}", i + 1)] = events[i];
  for (std::size_t i = 0; i < alarms.size(); ++i) a[fmt::format("alarm_{}", i + 1)] = alarms[i].to_text();
  for (std::size_t i = 0; i < notes.size(); ++i) a[fmt::format("note_{}", i + 1)] = notes[i];
  return a;
}

SummaryValue typed_entry(const std::string& name, const std::string& text) {
  if (name.starts_with(rejected_mark) || name.starts_with(helped_mark)) return number_or_text<long>(text);
  const auto known = every_entry().find(name);
  if (known == every_entry().end()) return text;
  if (std::holds_alternative<bool>(known->second) && (text == "true" || text == "false")) return text == "true";
  if (std::holds_alternative<long>(known->second)) return number_or_text<long>(text);
  if (std::holds_alternative<double>(known->second)) return number_or_text<double>(text);
  return text;
}

}  // namespace trammel
