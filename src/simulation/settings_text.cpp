#include "trammel/simulation/settings_text.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel {

namespace {

const char* word(AnalysisKind kind) {
  switch (kind) {
    case AnalysisKind::kinematics:
      return "kinematics";
    case AnalysisKind::inverse_dynamics:
      return "inverse_dynamics";
    case AnalysisKind::statics:
      return "statics";
    default:
      return "dynamics";
  }
}

const char* word(RedundancyPolicy policy) {
  switch (policy) {
    case RedundancyPolicy::drop:
      return "drop";
    case RedundancyPolicy::minimum_norm:
      return "minimum_norm";
    default:
      return "error";
  }
}

const char* word(ScalingKind kind) {
  switch (kind) {
    case ScalingKind::none:
      return "none";
    case ScalingKind::left:
      return "left";
    case ScalingKind::left_right:
      return "left_right";
    case ScalingKind::left_right_velocity:
      return "left_right_velocity";
    case ScalingKind::constraints:
      return "constraints";
    default:
      return "physical";
  }
}

// Strings of TOML: quotes, backslashes and control characters are escaped.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

class Lines {
 public:
  void table(const char* name) { text_ += fmt::format("{}[{}]\n", text_.empty() ? "" : "\n", name); }
  void number(const char* key, double value) {
    if (std::isfinite(value)) text_ += fmt::format("{} = {}\n", key, value);
  }
  void number(const char* key, const std::optional<double>& value) {
    if (value) number(key, *value);
  }
  void integer(const char* key, int value) { text_ += fmt::format("{} = {}\n", key, value); }
  void name(const char* key, const std::string& value) { text_ += fmt::format("{} = {}\n", key, quoted(value)); }
  void names(const char* key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + quoted(value);
    text_ += fmt::format("{} = [{}]\n", key, list);
  }
  void flag(const char* key, bool value) { text_ += fmt::format("{} = {}\n", key, value); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string settings_text(const Study& study) {
  Lines lines;
  lines.table("analysis");
  lines.name("kind", word(study.analysis.kind));
  lines.number("start", study.analysis.start);
  lines.number("end", study.analysis.end);
  if (study.analysis.kind == AnalysisKind::statics) {
    lines.integer("load_steps", study.analysis.load_steps);
    if (study.analysis.load_steps > 0) lines.flag("arc_length", study.analysis.arc_length);
    if (!study.analysis.steady.empty()) lines.names("steady", study.analysis.steady);
  }

  const SolverOptions& solver = study.solver;
  const bool is_explicit = solver.integrator == "runge_kutta", jumps = solver.integrator == "energy_decaying";
  const bool is_bdf = solver.integrator == "bdf", is_radau = solver.integrator == "radau";
  lines.table("solver");
  lines.name("integrator", solver.integrator);
  if (!is_explicit && !jumps) lines.name("formulation", formulation_of(solver));
  lines.name("coordinates", solver.coordinates);
  if (!is_explicit) lines.name("linear_solver", solver.linear_solver);
  lines.number("h", solver.h);
  if (!solver.h) {
    lines.number("h0", solver.h0);
    lines.number("hmin", solver.hmin);
    lines.number("hmax", solver.hmax);
    lines.number("rtol", solver.rtol);
    lines.number("atol", solver.atol);
  }
  if (solver.integrator == "generalized_alpha") lines.number("rho_inf", solver.rho_inf);
  if (solver.integrator == "hht") lines.number("alpha", solver.alpha);
  if (solver.integrator == "newmark") lines.number("gamma", solver.gamma);
  if (is_radau) lines.integer("stages", solver.stages);
  if (is_bdf || is_radau || is_explicit) {
    lines.number("position_tol", solver.bdf.position_tol);
    lines.number("rotation_tol", solver.bdf.rotation_tol);
    lines.number("velocity_tol", solver.bdf.velocity_tol);
    lines.number("multiplier_tol", solver.bdf.multiplier_tol);
    lines.number("internal_tol", solver.bdf.internal_tol);
  }
  if (is_bdf) {
    const BdfSettings& bdf = solver.bdf;
    const auto optional_name = [&](const char* key, const std::string& value) {
      if (!value.empty()) lines.name(key, value);
    };
    optional_name("preset", bdf.preset);
    if (bdf.max_order) lines.integer("max_order", *bdf.max_order);
    lines.number("newton_constant", bdf.newton_constant);
    optional_name("unknown", bdf.unknown);
    optional_name("corrector", bdf.corrector);
    lines.name("fields", bdf.fields);
    lines.name("newton_stop", bdf.newton_stop);
    lines.name("newton_start", bdf.newton_start);
    optional_name("jacobian_pattern", bdf.jacobian_pattern);
    optional_name("jacobian_update", bdf.jacobian_update);
    lines.name("jacobian", bdf.jacobian);
    if (bdf.jacobian == "sparse_differences") lines.name("jacobian_sparsity", bdf.jacobian_sparsity);
    lines.name("formalism", bdf.formalism);
    if (solver.source.fields.count("max_iterations")) lines.integer("max_iterations", solver.max_iterations);
    lines.flag("record_corrections", solver.record_corrections);
    if (bdf.stability_detection) lines.flag("stability_detection", *bdf.stability_detection);
    const std::string formulation = formulation_of(solver);
    if (formulation == "coordinate_split" || formulation == "stabilized_index2") {
      lines.name("iteration", iteration_of(solver));
      if (iteration_of(solver) == "cm") lines.name("cm_mode", solver.split.cm_mode);
    }
    lines.names("independent", solver.split.independent);
    optional_name("error_set", solver.split.error_set);
    optional_name("corrector_set", solver.split.corrector_set);
    lines.names("untested", solver.split.untested);
    if (formulation == "index1") {
      lines.number("baumgarte_alpha", solver.baumgarte_alpha);
      lines.number("baumgarte_beta", solver.baumgarte_beta);
    }
  } else if (!is_explicit) {
    lines.number("newton_tol", solver.newton_tol);
    lines.integer("max_iterations", solver.max_iterations);
    if (!is_radau && !jumps) {
      lines.name("newton_test", solver.newton_test);
      lines.name("newton_stop", solver.bdf.newton_stop);
      lines.flag("record_corrections", solver.record_corrections);
    }
  }
  lines.name("redundant", word(solver.redundant));
  lines.flag("strict", solver.strict);
  if (!is_explicit) lines.flag("record_condition", solver.record_condition);

  const ScalingOptions& scaling = solver.scaling;
  if (!is_explicit && !jumps) {
    lines.table("solver.scaling");
    lines.name("kind", word(scaling.kind));
    if (scaling.kind == ScalingKind::physical) {
      lines.number("m_ave", scaling.m_ave);
      lines.number("d_ave", scaling.d_ave);
      lines.number("k_ave", scaling.k_ave);
      lines.name("reference", scaling.reference);
    }
    lines.number("l_ref", scaling.l_ref);
    lines.number("rho", augmented_weight(solver));
  }

  lines.table("output");
  if (study.output.every_step)
    lines.flag("every_step", true);
  else
    lines.number("interval", study.output.interval.value_or((study.analysis.end - study.analysis.start) / 500.0));
  if (!study.output.file.empty()) lines.name("file", study.output.file);
  lines.flag("flush_every_frame", study.output.flush_every_frame);
  return lines.text();
}

}  // namespace trammel
