// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/redundancy_cures.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "trammel/base/text.h"
#include "trammel/formulations/index3.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/simulation/initial_conditions.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

constexpr std::size_t most_joints = 12;  // that other kinds are tried for: each trial assembles the machine anew
constexpr int most_rows = 600;

// "joint 'd', row 3 [rad]" -> "d"; empty for rows of other things.
std::string joint_of(const std::string& constraint) {
  static const std::string head = "joint '";
  if (!constraint.starts_with(head)) return "";
  return constraint.substr(head.size(), constraint.find('\'', head.size()) - head.size());
}

Eigen::Vector3d drawn_axis(const Model& model, const JointSpec& joint) {
  for (const BodySpec& body : model.bodies)
    if (body.name == joint.axis.body) return (body.orientation * joint.axis.direction).stableNormalized();
  return joint.axis.direction.stableNormalized();
}

/// Freedoms and dependent rows of a machine as drawn.
struct Mobility {
  int freedoms = -1, redundant = -1;
};

Mobility calc_mobility(const Model& model) {
  if (!issues(model).empty()) return {};
  const Assembly assembly = assemble(model);
  const Index3 index3(*assembly.system);
  const std::unique_ptr<Workspace> workspace = index3.make_workspace();
  MotionVariables x = assembly.drawn;
  State state = assembly.state;
  InitialReport ignored;
  if (project_positions(index3, assembly.firm_q, x, state, *workspace, ignored).failed()) return {};
  const int n = static_cast<int>(find_redundancy(index3, x, state, *workspace).dependent.size());
  return {index3.nv() - (index3.nc() - n), n};
}

std::string list_of(const Eigen::Vector3d& x) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", x[0], x[1], x[2]); }

/// Hinges of the group in other kinds, so that the machine keeps its freedoms and loses its redundant rows: as lines to
/// paste. Empty: there is no such way, or the machine is too large to try.
std::vector<std::string> find_kinds(Model model, const std::vector<std::string>& group, int rows) {
  std::vector<std::string> lines;
  if (group.size() > most_joints || rows > most_rows) return lines;
  Mobility now = calc_mobility(model);
  for (auto name = group.rbegin(); name != group.rend() && now.redundant > 0; ++name) {
    const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const JointSpec& other) { return other.name == *name; });
    if (joint == model.joints.end() || joint->kind != JointKind::revolute) continue;
    const JointSpec before = *joint;
    const Eigen::Vector3d axis = drawn_axis(model, before);
    for (const bool spherical : {true, false}) {
      *joint = before;
      joint->kind = spherical ? JointKind::spherical : JointKind::universal;
      joint->coordinate.clear();
      joint->axis = {"", axis};
      const Eigen::Vector3d across = axis.unitOrthogonal();
      joint->axis_b = spherical ? std::optional<AxisSpec>() : AxisSpec{"", across};
      const Mobility then = calc_mobility(model);
      if (then.freedoms == now.freedoms && then.redundant == now.redundant - (spherical ? 2 : 1)) {
        now = then;
        lines.push_back(spherical ? fmt::format("joint '{}': kind = \"spherical\" (without 'axis')", *name)
                                  : fmt::format("joint '{}': kind = \"universal\", axis = {}, axis_b = {}", *name,
                                                list_of(axis), list_of(across)));
        break;
      }
      *joint = before;
    }
  }
  if (now.redundant != 0) lines.clear();
  return lines;
}

}  // namespace

std::string explain_redundancy(const RankReport& report, const AbsoluteSystem& system, const Model& model) {
  std::vector<std::string> group;
  const auto add = [&](int row) {
    const std::string name = joint_of(system.describe_constraint(row));
    if (!name.empty() && std::find(group.begin(), group.end(), name) == group.end()) group.push_back(name);
  };
  for (const DependentRow& row : report.dependent) {
    for (const DependentRow::Term& term : row.terms) add(term.row);
    add(row.row);
  }
  // Of several loops only the first few joints are named.
  const std::size_t n = report.dependent.size();
  const std::string often = n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n);
  std::string text;
  if (!group.empty()) {
    std::vector<Eigen::Vector3d> axes;
    for (const JointSpec& joint : model.joints)
      if (std::find(group.begin(), group.end(), joint.name) != group.end() && joint.kind == JointKind::revolute)
        axes.push_back(drawn_axis(model, joint));
    const bool parallel = axes.size() == group.size() && std::all_of(axes.begin(), axes.end(), [&](const auto& axis) {
                            return axis.cross(axes[0]).norm() < 1e-6;
                          });
    const std::vector<std::string> shown(group.begin(),
                                         group.begin() + static_cast<long>(std::min(group.size(), most_joints)));
    text = parallel ? fmt::format("{} parallel axes, those of {}, hold the loop {} too often", axes.size(),
                                  join_quoted(shown), often)
                    : fmt::format("{} together hold their bodies {} too often", join_quoted(shown), often);
    if (parallel) text += ": each hinge alone keeps its bodies in the plane";
    text += ".\n";
  }
  const std::vector<std::string> kinds = find_kinds(model, group, system.nc());
  if (!kinds.empty()) {
    text +=
        "either: other kinds of joints, with the same freedoms; reactions are then unique, and moments that a joint no "
        "longer takes are 0 there:\n";
    for (const std::string& line : kinds) text += "    " + line + "\n";
    text += "or";
  } else {
    text += "either remove the rows above, so that reactions are unique, or";
  }
  text +=
      ": keep the joints. Motion and sums of reactions are right; single ones are shared with the smallest norm, where "
      "a "
      "real machine shares them by its stiffness and play (with redundant = \"drop\" the rows above take "
      "nothing):\n    [solver]\n    redundant = \"minimum_norm\"";
  return text;
}

}  // namespace trammel
