#include <fmt/format.h>

#include "entities.h"

namespace trammel::detail {

namespace {

const Choices<AnalysisKind> analysis_kinds{{"dynamics", AnalysisKind::dynamics},
                                           {"kinematics", AnalysisKind::kinematics},
                                           {"inverse_dynamics", AnalysisKind::inverse_dynamics},
                                           {"statics", AnalysisKind::statics}};
const Choices<RedundancyPolicy> redundancy_policies{{"error", RedundancyPolicy::error},
                                                    {"drop", RedundancyPolicy::drop},
                                                    {"minimum_norm", RedundancyPolicy::minimum_norm}};
const Choices<ScalingKind> scaling_kinds{{"none", ScalingKind::none},
                                         {"physical", ScalingKind::physical},
                                         {"left", ScalingKind::left},
                                         {"left_right", ScalingKind::left_right},
                                         {"left_right_velocity", ScalingKind::left_right_velocity},
                                         {"constraints", ScalingKind::constraints}};

void read_scaling(Fields& fields, SolverOptions& solver) {
  ScalingOptions& scaling = solver.scaling;
  solver.scaling_source = fields.source();
  scaling.kind = fields.choice("kind", scaling_kinds, scaling.kind);
  scaling.m_ave = fields.optional_number("m_ave");
  scaling.d_ave = fields.optional_number("d_ave");
  scaling.k_ave = fields.optional_number("k_ave");
  scaling.l_ref = fields.number("l_ref", scaling.l_ref);
  scaling.reference = fields.text("reference", scaling.reference);
  scaling.rho = fields.optional_number("rho");
  fields.finish();
}

void read_bdf(Fields& fields, BdfSettings& bdf) {
  bdf.preset = fields.text("preset", bdf.preset);
  if (fields.has("max_order")) bdf.max_order = fields.integer("max_order", 5);
  bdf.newton_constant = fields.optional_number("newton_constant");
  bdf.unknown = fields.text("unknown", bdf.unknown);
  bdf.corrector = fields.text("corrector", bdf.corrector);
  if (fields.has("stability_detection")) bdf.stability_detection = fields.boolean("stability_detection", true);
  bdf.fields = fields.text("fields", bdf.fields);
  bdf.newton_stop = fields.text("newton_stop", bdf.newton_stop);
  bdf.newton_start = fields.text("newton_start", bdf.newton_start);
  bdf.jacobian_pattern = fields.text("jacobian_pattern", bdf.jacobian_pattern);
  bdf.jacobian_update = fields.text("jacobian_update", bdf.jacobian_update);
  bdf.jacobian = fields.text("jacobian", bdf.jacobian);
  bdf.jacobian_sparsity = fields.text("jacobian_sparsity", bdf.jacobian_sparsity);
  bdf.formalism = fields.text("formalism", bdf.formalism);
  bdf.position_tol = fields.optional_number("position_tol");
  bdf.rotation_tol = fields.optional_number("rotation_tol");
  bdf.velocity_tol = fields.optional_number("velocity_tol");
  bdf.multiplier_tol = fields.optional_number("multiplier_tol");
  bdf.internal_tol = fields.optional_number("internal_tol");
}

/// A list of strings.
std::vector<std::string> read_words(Fields& fields, const char* key, const char* wanted) {
  std::vector<std::string> words;
  const Node* node = fields.get(key);
  if (node == nullptr) return words;
  if (node->kind != NodeKind::array) {
    fields.report_type(*node, key, wanted);
    return words;
  }
  for (const Node& item : node->items) {
    if (item.kind == NodeKind::string)
      words.push_back(item.text);
    else
      fields.report(item, fmt::format("'{}' contains {}; it must be {}", key, describe(item), wanted));
  }
  return words;
}

void read_split(Fields& fields, SplitSettings& split) {
  split.iteration = fields.text("iteration", split.iteration);
  split.cm_mode = fields.text("cm_mode", split.cm_mode);
  split.independent = read_words(fields, "independent", "a list of coordinates, as [\"bob.x\"]");
  split.error_set = fields.text("error_set", split.error_set);
  split.corrector_set = fields.text("corrector_set", split.corrector_set);
  split.untested = read_words(fields, "untested", "a list of coordinates, as [\"bob.angle\"]");
}

}  // namespace

void read_analysis(Fields& fields, AnalysisOptions& analysis) {
  analysis.source = fields.source();
  analysis.kind = fields.choice("kind", analysis_kinds, analysis.kind);
  analysis.start = fields.number("start", analysis.start);
  analysis.end = fields.number("end", analysis.end);
  analysis.load_steps = fields.integer("load_steps", analysis.load_steps);
  analysis.arc_length = fields.boolean("arc_length", analysis.arc_length);
  if (const Node* steady = fields.get("steady")) {
    if (steady->kind != NodeKind::array) fields.report_type(*steady, "steady", "a list of names");
    for (const Node& item : steady->items) analysis.steady.push_back(fields.name_of(item, "steady"));
  }
  fields.finish();
}

void read_solver(Fields& fields, SolverOptions& solver) {
  solver.source = fields.source();
  solver.integrator = fields.text("integrator", solver.integrator);
  solver.formulation = fields.text("formulation", solver.formulation);
  solver.coordinates = fields.text("coordinates", solver.coordinates);
  solver.linear_solver = fields.text("linear_solver", solver.linear_solver);
  solver.h = fields.optional_number("h");
  solver.h0 = fields.optional_number("h0");
  solver.hmin = fields.number("hmin", solver.hmin);
  solver.hmax = fields.number("hmax", solver.hmax);
  solver.rtol = fields.number("rtol", solver.rtol);
  solver.atol = fields.number("atol", solver.atol);
  solver.rho_inf = fields.number("rho_inf", solver.rho_inf);
  solver.alpha = fields.number("alpha", solver.alpha);
  solver.gamma = fields.number("gamma", solver.gamma);
  solver.stages = fields.integer("stages", solver.stages);
  solver.newton_tol = fields.number("newton_tol", solver.newton_tol);
  solver.newton_test = fields.text("newton_test", solver.newton_test);
  solver.max_iterations = fields.integer("max_iterations", solver.max_iterations);
  read_bdf(fields, solver.bdf);
  read_split(fields, solver.split);
  solver.baumgarte_alpha = fields.number("baumgarte_alpha", solver.baumgarte_alpha);
  solver.baumgarte_beta = fields.number("baumgarte_beta", solver.baumgarte_beta);
  solver.redundant = fields.choice("redundant", redundancy_policies, solver.redundant);
  solver.strict = fields.boolean("strict", solver.strict);
  solver.record_condition = fields.boolean("record_condition", solver.record_condition);
  solver.record_corrections = fields.boolean("record_corrections", solver.record_corrections);
  if (const Node* node = fields.get("scaling")) {
    if (node->kind == NodeKind::string) {  // scaling = "none": only the kind
      solver.scaling.kind = fields.choice("scaling", scaling_kinds, solver.scaling.kind);
    } else if (std::optional<Fields> inner = fields.inner(*node, "scaling")) {
      read_scaling(*inner, solver);
    }
  }
  fields.finish();
}

void read_output(Fields& fields, OutputOptions& output) {
  output.source = fields.source();
  output.interval = fields.optional_number("interval");
  output.every_step = fields.boolean("every_step", output.every_step);
  output.file = fields.text("file", output.file);
  output.flush_every_frame = fields.boolean("flush_every_frame", output.flush_every_frame);
  fields.finish();
}

}  // namespace trammel::detail
