// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/state_setter.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "trammel/simulation/coordinate_names.h"
#include "trammel/simulation/machine_length.h"

namespace trammel {

namespace {

constexpr std::string_view state_quantities[] = {"position",   "orientation", "velocity",     "angular_velocity",
                                                 "angle",      "angle_rate",  "displacement", "displacement_rate",
                                                 "coordinate", "state"};
// Beyond this part of a value, or beyond the tolerance of the run that it may come from, it is not what was asked for.
constexpr double asked_part = 1e-9;
// Loops are closed along a way of steps of this size, in rad or in lengths of the machine.
constexpr double longest_step = 0.2;

std::vector<FrameChannel> state_channels() {
  std::vector<FrameChannel> list;
  for (const FrameChannel& channel : frame_channels())
    if (std::find(std::begin(state_quantities), std::end(state_quantities), channel.quantity) !=
        std::end(state_quantities))
      list.push_back(channel);
  return list;
}

}  // namespace

// A row of the schema with what was asked for in its place.
struct StateSetter::Wanted {
  std::vector<double> row;
  std::vector<char> given;
  std::vector<double> before;

  bool has(int column, int n) const {
    return std::any_of(given.begin() + column, given.begin() + column + n, [](char g) { return g != 0; });
  }
};

StateSetter::StateSetter(const Machine& machine, Viewer& viewer)
    : machine_(machine),
      viewer_(viewer),
      channels_("/frames/", state_channels(), FrameSource{machine.model(), machine.full()}),
      schema_{channels_.groups(), {}, {}},
      index_(schema_) {}

std::span<const double> StateSetter::update(const MotionVariables& x, const State& state) {
  static const Ledger no_ledger;
  viewer_.forget_kink();
  const MotionPoint p{x.t, {}, x.q, x.v, x.a, x.z, x.zp, x.lam};
  const KinematicState k = viewer_.update_kinematics(x, state);
  return channels_.update({machine_.model(), machine_.full(), p, state, k, no_ledger, no_parts_});
}

StateSetter::Wanted StateSetter::read(const LiveSimulation::NamedValues& values, std::span<const double> now) const {
  Wanted wanted;
  wanted.row.assign(now.begin(), now.end());
  wanted.before = wanted.row;
  wanted.given.assign(now.size(), 0);
  std::vector<Issue> issues;
  for (const auto& [name, numbers] : values) {
    ChannelPlace place;
    try {
      place = index_.find(name);
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) issues.push_back({"state", issue.message});
      continue;
    }
    const auto at = static_cast<std::size_t>(place.column);
    if (static_cast<int>(numbers.size()) != place.n_columns) {
      issues.push_back({"state", fmt::format("'{}' has {} numbers, not {}", name, place.n_columns, numbers.size())});
      continue;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isfinite(numbers[i]))
        issues.push_back({"state", fmt::format("'{}' is {} and must be finite", name, numbers[i])});
      wanted.row[at + i] = numbers[i];
      wanted.given[at + i] = 1;
    }
  }
  const TablePlace turns = schema_.find_table("/frames/orientation");
  for (int i = 0; turns && i < turns.width / 4; ++i) {
    const int column = turns.column + 4 * i;
    if (!wanted.has(column, 4)) continue;
    Eigen::Map<Eigen::Vector4d> quaternion(wanted.row.data() + column);
    if (quaternion.norm() > 0.0)
      quaternion.normalize();
    else
      issues.push_back({"state", fmt::format("'{}.orientation' is zero and no quaternion",
                                             machine_.model().bodies[static_cast<std::size_t>(i)].name)});
  }
  if (!issues.empty()) throw InputError(std::move(issues));
  return wanted;
}

// The tree of the machine, or one that holds the joints whose coordinates are to change.
const JointSystem& StateSetter::find_tree(const Wanted& wanted) {
  std::vector<int> moved;
  const Assembly& full = machine_.full();
  for (const auto& [path, x] : {std::pair("/frames/angle", &Assembly::Joint::angle),
                                std::pair("/frames/displacement", &Assembly::Joint::displacement)}) {
    const TablePlace place = schema_.find_table(path);
    int column = place.column;
    for (std::size_t i = 0; place && i < full.joints.size(); ++i) {
      if (!(full.joints[i].*x)) continue;
      const auto c = static_cast<std::size_t>(column++);
      if (wanted.given[c] != 0 && wanted.row[c] != wanted.before[c]) moved.push_back(static_cast<int>(i));
    }
  }
  const auto holds = [&](const JointSystem& tree) {
    const std::vector<std::string> names = coordinate_names(tree);
    return std::all_of(moved.begin(), moved.end(), [&](int j) {
      const std::string& joint = machine_.model().joints[static_cast<std::size_t>(j)].name;
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& name) { return name.starts_with(joint + "."); });
    });
  };
  if (machine_.joint() != nullptr && holds(*machine_.joint())) return *machine_.joint();
  if (tree_ && holds(*tree_)) return *tree_;
  Model model = machine_.model();
  for (JointSpec& joint : model.joints) joint.loop.reset();
  for (const int j : moved) model.joints[static_cast<std::size_t>(j)].loop = false;
  if (!find_topology(model, full).issues.empty())  // they close a loop among themselves: what does not fit is said
    for (const int j : moved) model.joints[static_cast<std::size_t>(j)].loop.reset();
  tree_ = make_joint_system(model, full);
  return *tree_;
}

void StateSetter::put_bodies(const Wanted& wanted, std::vector<Frame<double>>& frames) const {
  const auto column = [&](const char* path) { return schema_.find_table(path).column; };
  const int p = column("/frames/position"), r = column("/frames/orientation"), v = column("/frames/velocity"),
            w = column("/frames/angular_velocity");
  const Assembly& full = machine_.full();
  for (int i = 0; i < static_cast<int>(full.body_frame.size()); ++i) {
    Frame<double>& frame = frames[static_cast<std::size_t>(full.body_frame[static_cast<std::size_t>(i)])];
    const Eigen::Vector3d& com = full.center_of_mass[static_cast<std::size_t>(i)];
    const auto vector = [&](int first) { return Eigen::Vector3d(wanted.row.data() + first + 3 * i); };
    const bool moves = wanted.has(p + 3 * i, 3) || wanted.has(r + 4 * i, 4);
    if (wanted.has(r + 4 * i, 4)) {
      const double* q = wanted.row.data() + r + 4 * i;
      frame.R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    }
    if (moves) frame.p = vector(p) + frame.R * com;
    if (!moves && !wanted.has(v + 3 * i, 3) && !wanted.has(w + 3 * i, 3)) continue;
    frame.w = vector(w);
    frame.v = vector(v) + frame.R * frame.w.cross(com);
  }
}

// Coordinates of a tree that are named, with the values that they are to have.
struct StateSetter::TreeValues {
  std::vector<char> firm_q, firm_v;
  Eigen::VectorXd q, v;
};

// Along the way from where it is, so that loops stay closed in the branch in which they are.
void StateSetter::close_loops(const JointSystem& tree, const TreeValues& wanted, double scale, MotionVariables& y,
                              State& state, std::vector<std::string>& corrections) {
  const Index3 index3(tree);
  const std::unique_ptr<Workspace> workspace = index3.make_workspace();
  const Eigen::VectorXd from = y.q;
  double way = 0.0;
  for (int i = 0; i < tree.nv(); ++i)
    if (wanted.firm_q[i])
      way = std::max(way, std::abs(wanted.q[i] - from[i]) / (tree.kinds_q()[i] == Kind::position ? scale : 1.0));
  // Named coordinates are held by a large weight only: put back and projected again they stay to rounding.
  constexpr int settling = 2;
  const int n = tree.nc() > 0 ? std::max(1, static_cast<int>(std::ceil(way / longest_step))) : 1;
  InitialReport report;
  for (int k = 1; k <= n + settling; ++k) {
    const double part = static_cast<double>(k) / n;
    for (int i = 0; i < tree.nv(); ++i)
      if (wanted.firm_q[i]) y.q[i] = k >= n ? wanted.q[i] : from[i] + part * (wanted.q[i] - from[i]);
    if (tree.nc() == 0) continue;
    InitialFailure failure = project_positions(index3, wanted.firm_q, y, state, *workspace, report);
    if (failure.failed()) {
      corrections.emplace_back("the named coordinates do not fit together; all of them were moved to close the loops");
      failure = project_positions(index3, {}, y, state, *workspace, report);
    }
    if (failure.failed()) throw InputError("The state cannot be taken up. " + failure.message);
  }
  InitialFailure failure;
  for (int k = 0; k <= settling && !failure.failed(); ++k) {
    for (int i = 0; i < tree.nv(); ++i)
      if (wanted.firm_v[i]) y.v[i] = wanted.v[i];
    failure = project_velocities(index3, wanted.firm_v, y, state, *workspace, report);
  }
  if (failure.failed()) failure = project_velocities(index3, {}, y, state, *workspace, report);
  if (failure.failed()) throw InputError("The velocities cannot be taken up. " + failure.message);
}

StateSetter::Placed StateSetter::place(const MotionVariables& x, const State& state,
                                       const LiveSimulation::NamedValues& values, double t,
                                       AccelerationSolver& solver) {
  const Wanted wanted = read(values, update(x, state));
  const JointSystem& tree = find_tree(wanted);
  const bool own_tree = &tree == machine_.joint();
  MotionVariables at = x;
  at.t = t;
  const KinematicState k = viewer_.update_kinematics(viewer_.show(at, state));
  std::vector<Frame<double>> frames(k.frames.begin(), k.frames.end());
  put_bodies(wanted, frames);
  const TreeValues named = name_coordinates(wanted, tree, frames);

  Placed placed;
  MotionVariables y;
  State tree_state = own_tree ? state : tree.machine().state;
  tree_state.branches = state.branches;
  for (Branch& branch : tree_state.branches) branch.t = t;
  tree.set_from_frames(frames, t, y, tree_state);
  y.z = x.z, y.zp = x.zp;
  if (const TablePlace place = schema_.find_table("/frames/state")) {
    auto column = static_cast<std::size_t>(place.column);
    for (const std::vector<int>& states : machine_.full().control_states)
      for (const int z : states) y.z[z] = wanted.row[column++];
  }
  close_loops(tree, named, tolerance_scale(machine_.model()), y, tree_state, placed.corrections);
  if (own_tree) {
    placed.x = y;
    placed.state = tree_state;
  } else {
    leave_tree(tree, y, tree_state, state, placed);
  }
  placed.x.t = t;
  placed.x.z = y.z, placed.x.zp = y.zp;
  placed.x.lam.setZero(machine_.index3().nc());
  viewer_.centre_charts(placed.x, placed.state);
  if (const Status status = viewer_.calc_accelerations(solver, placed.x, placed.state); !status.ok())
    throw InputError(fmt::format("No accelerations exist in the state that was set: {}.", describe(status.cause)));
  compare(wanted, update(placed.x, placed.state), placed.corrections);
  return placed;
}

// Coordinates of the tree that are named; massless ones are frames as well.
StateSetter::TreeValues StateSetter::name_coordinates(const Wanted& wanted, const JointSystem& tree,
                                                      std::vector<Frame<double>>& frames) const {
  const std::vector<std::string> names = coordinate_names(tree);
  TreeValues named{std::vector<char>(names.size(), 0), std::vector<char>(names.size(), 0),
                   Eigen::VectorXd::Zero(tree.nv()), Eigen::VectorXd::Zero(tree.nv())};
  const auto take = [&](const std::string& name, std::size_t column, bool rate) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end() || wanted.given[column] == 0) return;
    const auto i = it - names.begin();
    (rate ? named.firm_v : named.firm_q)[static_cast<std::size_t>(i)] = 1;
    (rate ? named.v : named.q)[i] = wanted.row[column];
  };
  std::size_t column = 0;
  for (const RecordGroup& group : schema_.frames) {
    const std::string quantity = group.quantity();
    const bool rate = quantity.ends_with("_rate");
    const std::string word = rate ? quantity.substr(0, quantity.size() - 5) : quantity;
    for (std::size_t i = 0; i < group.names.size(); ++i) {
      if (word == "angle" || word == "displacement") take(group.names[i] + "." + word, column, rate);
      if (word == "coordinate") {
        take(group.names[i], column, false), take(group.names[i], column + 1, true);
        Frame<double>& frame = frames[static_cast<std::size_t>(machine_.full().coordinate_frame[i])];
        frame.p.x() = wanted.row[column], frame.v.x() = wanted.row[column + 1];
      }
      column += static_cast<std::size_t>(group.n_components());
    }
  }
  return named;
}

// From another tree into the machine's own coordinates.
void StateSetter::leave_tree(const JointSystem& tree, MotionVariables& y, State& tree_state, const State& state,
                             Placed& placed) const {
  const std::unique_ptr<Workspace> workspace = tree.make_workspace();
  InputBuffer inputs;
  tree.calc_inputs(y.t, inputs);
  const Eigen::VectorXd q = y.q;
  const MotionPoint p{y.t, inputs.view(), q, y.v, y.a, y.z, y.zp, y.lam};
  tree.accepted(p, 0.0, y.q, tree_state, *workspace);  // counts turns
  placed.state = state;
  placed.state.branches = tree_state.branches;
  if (const JointSystem* joint = machine_.joint()) {
    const KinematicState moved = tree.update_kinematics(y.point(inputs.view()), tree_state, *workspace);
    joint->set_from_frames(moved.frames, y.t, placed.x, placed.state);
    return;
  }
  tree.to_absolute(y.point(inputs.view()), tree_state, machine_.full(), placed.x, placed.state, *workspace);
  placed.state.modes = state.modes;
  placed.state.version = state.version;
}

// What was asked for beside what fits the joints.
void StateSetter::compare(const Wanted& wanted, std::span<const double> row,
                          std::vector<std::string>& corrections) const {
  const double part = std::max(asked_part, machine_.study().solver.rtol.value_or(0.0));
  std::size_t column = 0;
  for (const RecordGroup& group : schema_.frames)
    for (int i = 0; i < group.n_items(); ++i) {
      const auto n = static_cast<std::size_t>(group.n_components());
      double sign = 1.0;  // q and −q are the same orientation
      if (group.quantity() == "orientation") {
        double same = 0.0;
        for (std::size_t c = 0; c < n; ++c) same += row[column + c] * wanted.row[column + c];
        sign = same < 0.0 ? -1.0 : 1.0;
      }
      for (std::size_t c = 0; c < n; ++c, ++column) {
        if (wanted.given[column] == 0) continue;
        const double asked = wanted.row[column], is = sign * row[column];
        if (std::abs(asked - is) <= part * (1.0 + std::abs(asked))) continue;
        const std::string name = channel_name(group, i) + (n > 1 ? "." + group.components[c] : std::string());
        corrections.push_back(fmt::format("{}: {:.10g} was asked for, {:.10g} fits the joints", name, asked, is));
      }
    }
}

}  // namespace trammel
