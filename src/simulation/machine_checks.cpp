// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/machine_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/methods/integrator_descriptor.h"
#include "trammel/simulation/option.h"

namespace trammel {

namespace {

constexpr double shortest_arm = 1e-6;  // [m] relative to 1 + where the particle is: drawings are rounded

}  // namespace

void check_track_lengths(const Study& study, const Assembly& assembly) {
  std::vector<Issue> found;
  const double start = *study.analysis.start;
  const bool stands = study.analysis.kind == AnalysisKind::statics && *study.analysis.time_steps == 0;
  const double end = stands ? start : *study.analysis.end;
  InputBuffer inputs;
  for (std::size_t i = 0; i < assembly.joints.size(); ++i) {
    const Assembly::Joint& joint = assembly.joints[i];
    if (!joint.track) continue;
    const JointSpec& spec = study.model.joints[i];
    constexpr int samples = 1000;
    for (int k = 0; k <= samples; ++k) {
      const double t = start + (end - start) * k / samples;
      assembly.system->calc_inputs(t, inputs);
      const double s = spec.on_track.station + inputs.u[joint.travel];
      if (s >= joint.track->from() && s <= joint.track->to()) continue;
      found.push_back({spec.source.at("travel"),
                       fmt::format("joint '{}' leaves its track '{}' at t = {:.4g} s: it is at {:.4g} m there, and the "
                                   "track reaches from {} m to {} m; lengthen the track, or end the run earlier",
                                   spec.name, spec.on_track.track, t, s, joint.track->from(), joint.track->to())});
      break;
    }
  }
  if (!found.empty()) throw InputError(std::move(found));
}

void check_singular_start(const Assembly& full, const LastingRedundancy& redundancy) {
  if (!redundancy.at_rest && redundancy.impossible_row < 0) return;
  const int row = redundancy.impossible_row >= 0 ? redundancy.impossible_row : redundancy.here.dependent.back().row;
  const std::string name = full.system->describe_row(row);
  if (redundancy.at_rest)
    throw InputError(
        fmt::format("the machine is drawn in a singular position and does not move out of it: {} depends on other rows "
                    "there, but not "
                    "beside it, several motions begin there and nothing tells which one is meant\n    what to do  : "
                    "draw it a little "
                    "beside the position, or give velocities that lead out of it",
                    name));
  throw InputError(fmt::format(
      "the machine is drawn in a singular position with a velocity that no motion has there: {} would be "
      "violated at once\n    usual cause : velocities given for some bodies only; give those of all, or draw "
      "the machine a little beside the position",
      name));
}

void check_dropped_rows(const Model& model, const Assembly& full, const std::vector<int>& dropped,
                        const MotionVariables& x, const State& state, Workspace& workspace) {
  if (dropped.empty()) return;
  const int n_rows = full.system->n_rows();
  Eigen::VectorXd phi_dot(n_rows), bias(n_rows);
  const Eigen::VectorXd no_lam = Eigen::VectorXd::Zero(n_rows);
  InputBuffer inputs;
  full.system->calc_inputs(x.t, inputs);
  const MotionPoint p{x.t, inputs.view(), x.q, x.v, x.a, x.z, x.zp, no_lam};
  if (const Status status = full.system->velocity_level(p, state, phi_dot, bias, workspace); !status.ok())
    throw InputError(fmt::format("The constraints cannot be evaluated at the start: {}.", describe(status.cause)));
  const double scale = tolerance_scale(model);
  const Index3 every_row(*full.system);
  double speed = 0.0;  // [1/s]
  for (Eigen::Index i = 0; i < x.v.size(); ++i)
    speed = std::max(speed, std::abs(x.v[i]) / (every_row.layout().kinds()[i] == Kind::position ? scale : 1.0));
  for (const int row : dropped)
    if (const bool in_metres = full.system->describe_row(row).find("[m]") != std::string::npos;
        std::abs(phi_dot[row]) > 1e-8 * (1.0 + speed) * (in_metres ? scale : 1.0))
      throw InputError(
          fmt::format("{} contradicts the rows that imply it: its rate stays {:.3g}, so it cannot be left "
                      "out\n    usual cause : a motion that drives a joint which other joints hold",
                      full.system->describe_row(row), phi_dot[row]));
}

void note_arms_of_particles(const Model& model, const Assembly& full, std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < full.joints.size(); ++i) {
    const Assembly::Joint& joint = full.joints[i];
    for (const bool first : {true, false}) {
      const FrameMap& map = full.system->frame_map(first ? joint.frame_a : joint.frame_b);
      const double arm = (first ? joint.s_a : joint.s_b).norm();
      if ((first ? joint.frame_a : joint.frame_b) == 0 || map.kind != FrameMap::Kind::particle) continue;
      const double place = full.drawn.q.segment<3>(map.offset).norm();
      if (arm <= shortest_arm * (1.0 + place)) continue;
      notes.push_back(fmt::format(
          "joint '{}' holds particle '{}' {:.4g} m beside its place: a particle does not turn, so that this is an arm "
          "that keeps its direction, and no moment about the particle balances it; draw the joint's point where the "
          "particle is, or make it a rigid body",
          model.joints[i].name, map.name, arm));
    }
  }
}

void check_joint_costs(const Study& study, const JointSystem& joint, std::vector<std::string>& notes) {
  constexpr int noticeable_size = 1000, largest_size = 5000;
  const int nv = joint.nv();
  const bool needs_matrix =
      method_of(study.solver).equations.no_matrix.empty() || !joint.explicit_refusal().empty() || joint.nc() > 0;
  if (!needs_matrix || nv < noticeable_size) return;
  double entries = 0.0;
  const JointTree& tree = joint.tree();
  for (int i = 0; i < tree.size(); ++i) {
    int depth = 0;
    tree.along_path(i, [&](int) { ++depth; });
    entries += 2.0 * tree.link(i).nv * depth;
  }
  const std::string text = fmt::format(
      "{} joint coordinates fill {:.2g} entries of each of M, D and K ({:.2g} GB in all), and a factorization takes up "
      "to {:.1g} operations; coordinates = \"absolute\" keeps everything sparse, and integrator = \"runge_kutta\" on "
      "a tree without loops needs no matrix",
      nv, entries, entries * 8.0 * 12.0 / 1e9, 2.0 / 3.0 * std::pow(2.0 * nv, 3.0));
  if (nv > largest_size) throw InputError({Issue{study.solver.source.at("coordinates"), text}});
  notes.push_back(text);
}

void note_joints_out_of_tree(const Model& model, const Assembly& full, std::vector<std::string>& notes) {
  // Joints of particles, and between planar and spatial bodies, are rows by their nature.
  const auto is_rigid = [&](int frame) {
    const FrameMap::Kind kind = full.system->frame_map(frame).kind;
    return kind == FrameMap::Kind::rigid || kind == FrameMap::Kind::ground;
  };
  std::string names;
  for (const Topology::Step& step : find_topology(model, full).steps) {
    if (step.joint >= 0) continue;
    const std::string& body = model.bodies[static_cast<std::size_t>(step.body)].name;
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const JointSpec& joint = model.joints[i];
      const Assembly::Joint& rows = full.joints[i];
      if (!rows.planar && !(is_rigid(rows.frame_a) && is_rigid(rows.frame_b))) continue;
      // The tree would have grown by it otherwise.
      if ((joint.body_a == body || joint.body_b == body) && !joint.loop && tree_mobility(joint, rows))
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", joint.name);
    }
  }
  if (names.empty()) return;
  notes.push_back(
      fmt::format("no part of the tree, but rows beside free bodies: {}. A force that is not along the joint's own "
                  "coordinate, or a control, depends on the reaction, and without rows a reaction is known only after "
                  "the accelerations",
                  names));
}

void note_settings(const Study& study, int n_rows, std::vector<std::string>& notes) {
  const SolverOptions& o = study.solver;
  const bool undamped = o.one_step.gamma == 0.5 || o.one_step.alpha == 0.0;
  if (undamped && n_rows > 0)
    notes.push_back(
        "the undamped trapezoidal rule is unstable with constraints: a velocity across them changes its sign in "
        "every "
        "step and accelerations and reactions grow without bound; give newmark a gamma > 1/2, hht an alpha < 0, or "
        "take 'midpoint' if nothing may be damped");
  if (const double scale = tolerance_scale(study.model); scale != 1.0 && o.atol && o.tolerances.rotation_tol)
    notes.push_back(
        fmt::format("tolerances of a machine of {:.2g} m: atol = {:.3g} m, rotation_tol = {:.3g} rad, rtol = {:.3g}",
                    machine_length(study.model), *o.atol, *o.tolerances.rotation_tol, o.rtol.value_or(0.0)));
  if (o.split.cm_mode == CmMode::frozen_jacobian)
    notes.push_back(
        "cm_mode = \"frozen_jacobian\" is not consistent: its error does not vanish with the tolerance, and it can "
        "gain "
        "energy; it is there to repeat tables of a paper");
}

}  // namespace trammel
