// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "coordinate_changes.h"
#include "joint_workspace.h"
#include "trammel/math/rotations.h"

// Derivatives of the residual formalism by joint coordinates.
//
// With the changes of frames (coordinate_changes.h) and the wrenches (f, n) that follow, r_k = Σ σ_k·n + ν_k·f over the
// frames outside k, and r_k changes as well because
//
//   (1) the wrench of a frame moves with it:                n += σ × n + ν(p) × f
//   (2) freedoms outside j move with it:                    r_k += (s_j × s_k)·(sum of wrenches outside k)
//   (3) the way σ along a track changes with itself:        r_σ += κ′ Z·(sum of wrenches)

namespace trammel {

using detail::add_travel_change, detail::add_travel_rate_change, detail::calc_position_change,
    detail::calc_velocity_change, detail::Change, detail::field, detail::FrameView;
using detail::Bearing, detail::BearingMemory, detail::JointPlanes, detail::JointWorkspace;

namespace {

using V3 = Vec3<double>;

std::uint64_t key(int i, int j) { return (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint32_t>(j); }

}  // namespace

// ---- patterns ------------------------------------------------------------------------------------------------------

class JointPlanes::Builder final : public Connectivity {
 public:
  Builder(const JointSystem& system, std::span<const int> active, JointPlanes& planes)
      : system_(system), active_(active), planes_(planes) {
    const JointTree& tree = system.tree();
    for (int i = 0; i < tree.size(); ++i) {
      const JointTree::Link& link = tree.link(i);
      moves_.push_back(link.nv > 0 || (link.parent >= 0 && moves_[static_cast<std::size_t>(link.parent)]));
    }
  }

  int pair(int i, int j) override {
    const int a = link(i), b = link(j);
    if (a < 0 || b < 0) return -1;
    const int slot = find(pair_, planes_.pairs, a, b);
    if (has_rows_) mark(planes_.pairs[static_cast<std::size_t>(slot)]);
    return slot;
  }
  int row(int row, int frame) override {
    if (active_[row] < 0 || link(frame) < 0) return -1;
    const int slot = find(row_, planes_.rows, active_[row], link(frame));
    mark(planes_.rows[static_cast<std::size_t>(slot)]);
    return slot;
  }
  void begin(const ElementGroup& group) {
    has_rows_ = dynamic_cast<const ConstraintElements*>(&group) != nullptr;
    ignores_travel_ = group.ignores_travel();
  }
  // Rows of bearings stand behind those of the system.
  int reaction(int frame, int row) override {
    const int column = system_.tree_row(row) >= 0 ? system_.nc() + system_.tree_row(row) : active_[row];
    return column >= 0 && link(frame) >= 0 ? find(reaction_, planes_.reactions, link(frame), column) : -1;
  }
  int state_force(int frame, int z) override {
    return link(frame) >= 0 ? find(state_force_, planes_.state_forces, link(frame), z) : -1;
  }
  int state_rate(int z, int frame) override {
    return link(frame) >= 0 ? find(state_rate_, planes_.state_rates, z, link(frame)) : -1;
  }
  int state_state(int z, int other) override { return find(state_state_, planes_.state_states, z, other); }
  int state_lam(int z, int row) override {
    return active_[row] >= 0 ? find(state_lam_, planes_.state_lams, z, active_[row]) : -1;
  }

 private:
  using Index = std::unordered_map<std::uint64_t, int>;
  // An entry ignores travel as long as everything in it does.
  void mark(Entry& entry) const {
    entry.feels_travel = (entry.of_rows && entry.feels_travel) || !ignores_travel_;
    entry.of_rows = true;
  }
  // What no coordinate moves is the ground to derivatives.
  int link(int frame) const {
    const int i = system_.link_of(frame);
    return i >= 0 && moves_[static_cast<std::size_t>(i)] ? i : -1;
  }
  static int find(Index& index, std::vector<Entry>& entries, int i, int j) {
    const auto [it, is_new] = index.try_emplace(key(i, j), static_cast<int>(entries.size()));
    if (is_new) entries.push_back({i, j});
    return it->second;
  }

  const JointSystem& system_;
  std::span<const int> active_;
  JointPlanes& planes_;
  std::vector<bool> moves_;  // by link
  Index pair_, row_, reaction_, state_force_, state_rate_, state_state_, state_lam_;
  bool has_rows_ = false, ignores_travel_ = false;
};

void JointPlanes::rebuild(const JointSystem& system, const State& state, std::span<const int> active) {
  version_ = state.version;
  active_rows.assign(active.begin(), active.end());
  for (auto* entries : {&pairs, &rows, &reactions, &state_forces, &state_rates, &state_states, &state_lams})
    entries->clear();
  const AbsoluteSystem& machine = *system.machine().system;
  slots_.assign(machine.groups().size(), {});
  Builder builder(system, active, *this);
  for (int z = 0; z < system.nz(); ++z) builder.state_state(z, z);
  int mode = 0;
  for (std::size_t g = 0; g < machine.groups().size(); ++g) {
    const ElementGroup& group = *machine.groups()[g];
    builder.begin(group);
    group.connect(std::span(state.modes).subspan(mode, group.n_modes()), builder, slots_[g]);
    mode += group.n_modes();
  }
  const JointTree& tree = system.tree();
  pairs_by_column.assign(tree.size(), {});
  for (std::size_t k = 0; k < pairs.size(); ++k) pairs_by_column[pairs[k].j].push_back(static_cast<int>(k));

  // A body couples all coordinates between it and the ground; an element those of both its bodies.
  const int nv = system.nv(), nz = system.nz(), nc = system.nc();
  PatternBuilder motion(nv, nv), constraint(nc, nv), reaction(nv, nc), state_force(nv, nz), state_rate(nz, nv),
      state_state(nz, nz), state_lam(nz, nc);
  for (int i = 0; i < tree.size(); ++i)  // M: every coordinate with those inside it
    for (int j = tree.link(i).offset; j < tree.link(i).offset + tree.link(i).nv; ++j)
      tree.along_path(i, [&](int k) { motion.add(k, j), motion.add(j, k); });
  const auto add_paths = [&](int a, int b) {
    tree.along_path(a, [&](int k) { tree.along_path(b, [&](int j) { motion.add(k, j), motion.add(j, k); }); });
  };
  for (const Entry& e : pairs)
    if (e.i != e.j) add_paths(e.i, e.j);
  // Rows that ignore travel do not feel σ and θ of a track joint, and neither does their curvature.
  const auto along_felt = [&](int i, bool feels_travel, auto&& visit) {
    const JointTree::Link& link = tree.link(i);
    const int last = link.offset + link.nv - 1;
    tree.along_path(i, [&](int k) {
      if (feels_travel || !link.track || !(k == last || tree.is_travel(i, k))) visit(k);
    });
  };
  PatternBuilder curvature(nv, nv);
  for (const Entry& e : pairs) {
    if (!e.of_rows) continue;
    along_felt(e.i, e.feels_travel, [&](int k) {
      along_felt(e.j, e.feels_travel, [&](int j) { curvature.add(k, j), curvature.add(j, k); });
    });
  }
  for (const Entry& e : rows) along_felt(e.j, e.feels_travel, [&](int k) { constraint.add(e.i, k); });
  for (const Entry& e : reactions)
    if (e.j < nc) tree.along_path(e.i, [&](int k) { reaction.add(k, e.j); });
  for (const Bearing& bearing : system.bearings()) {  // feels what rows do outside it
    const JointTree::Link& own = tree.link(bearing.link);
    for (const Entry& e : rows)
      for (int k = own.offset; k < own.offset + own.nv && bearing.link <= e.j && e.j < own.end; ++k)
        reaction.add(k, e.i);
  }
  for (const Entry& e : state_forces) tree.along_path(e.i, [&](int k) { state_force.add(k, e.j); });
  for (const Entry& e : state_rates) tree.along_path(e.j, [&](int k) { state_rate.add(e.i, k); });
  for (const Entry& e : state_states) state_state.add(e.i, e.j);
  for (const Entry& e : state_lams) state_lam.add(e.i, e.j);
  const std::uint64_t v = version_ + 1;
  patterns_ = {motion.build(v),     constraint.build(v),  reaction.build(v),  state_force.build(v),
               state_rate.build(v), state_state.build(v), state_lam.build(v), v,
               curvature.build(v)};

  for (auto* plane : {&frame_.M, &frame_.D, &frame_.K, &frame_.K_lam}) plane->resize(pairs.size());
  for (auto* plane : {&frame_.G, &frame_.Gv_q}) plane->resize(rows.size());
  frame_.f_lam.resize(reactions.size());
  frame_.f_z.resize(state_forces.size());
  for (auto* plane : {&frame_.g_q, &frame_.g_v}) plane->resize(state_rates.size());
  frame_.g_z.resize(state_states.size());
  frame_.g_lam.resize(state_lams.size());
}

void JointPlanes::clear() {
  for (auto* plane : {&frame_.M, &frame_.D, &frame_.K, &frame_.K_lam}) plane->clear();
  for (auto* plane : {&frame_.G, &frame_.Gv_q, &frame_.f_lam, &frame_.f_z, &frame_.g_q, &frame_.g_v})
    for (Row6& row : *plane) row.setZero();
  for (auto* plane : {&frame_.g_z, &frame_.g_lam}) std::fill(plane->begin(), plane->end(), 0.0);
}

// ---- linearize -----------------------------------------------------------------------------------------------------

namespace {

/// The sweeps of one linearization.
class Sweeps {
 public:
  Sweeps(const JointTree& tree, const JointPlanes& elements, JointWorkspace& ws)
      : tree_(tree), elements_(elements), ws_(ws) {}

  FrameView view(int i) const {
    return {ws_.link_frames[i], ws_.tree.motion[i].w, ws_.tree.motion[i].alpha, ws_.acceleration[i]};
  }
  V3 distance(int link, int i) const { return ws_.link_frames[i].p - ws_.tree.motion[link].p; }

  // The wrenches of the residual on each frame, about the link's origin, and their sums over subtrees: motion without
  // multipliers, and Gᵀλ.
  void begin(std::span<const Wrench<double>> applied, std::span<const Wrench<double>> reactions) {
    const std::size_t n = static_cast<std::size_t>(tree_.size());
    for (auto* x : {&ws_.force, &ws_.moment, &ws_.lam_force, &ws_.lam_moment, &ws_.arm, &ws_.acceleration,
                    &ws_.sub_force, &ws_.sub_moment, &ws_.sub_lam_force, &ws_.sub_lam_moment, &ws_.d_force,
                    &ws_.d_moment, &ws_.d_lam_force, &ws_.d_lam_moment})
      x->resize(n);
    for (int i = 0; i < tree_.size(); ++i) {
      const JointTree::Link& link = tree_.link(i);
      const JointTree::Motion& m = ws_.tree.motion[i];
      const Frame<double>& f = ws_.link_frames[i];
      const auto [v_dot, w_dot] = tree_.calc_frame_acceleration(i, ws_.tree);
      ws_.acceleration[i] = v_dot;
      ws_.arm[i] = f.p - m.p;
      ws_.force[i] = link.mass * (v_dot - tree_.gravity()) - applied[link.tag].force;
      ws_.moment[i] =
          rotate(f.R, V3(link.inertia * w_dot + cross(f.w, V3(link.inertia * f.w)) - applied[link.tag].moment));
      ws_.lam_force[i] = -reactions[link.tag].force;
      ws_.lam_moment[i] = -rotate(f.R, reactions[link.tag].moment);
      ws_.sub_force[i] = ws_.force[i], ws_.sub_moment[i] = ws_.moment[i] + cross(ws_.arm[i], ws_.force[i]);
      ws_.sub_lam_force[i] = ws_.lam_force[i];
      ws_.sub_lam_moment[i] = ws_.lam_moment[i] + cross(ws_.arm[i], ws_.lam_force[i]);
    }
    for (int i = tree_.size() - 1; i >= 0; --i) {
      const int parent = tree_.link(i).parent;
      if (parent < 0) continue;
      const V3 d = ws_.tree.motion[i].p - ws_.tree.motion[parent].p;
      ws_.sub_force[parent] += ws_.sub_force[i];
      ws_.sub_moment[parent] += ws_.sub_moment[i] + cross(d, ws_.sub_force[i]);
      ws_.sub_lam_force[parent] += ws_.sub_lam_force[i];
      ws_.sub_lam_moment[parent] += ws_.sub_lam_moment[i] + cross(d, ws_.sub_lam_force[i]);
    }
  }

  // Columns of D.
  void velocity_column(int link, int j, Eigen::VectorXd& column) {
    const JointTree::Freedom& s = ws_.tree.freedom[j];
    start();
    const V3 chi = detail::chart_turn(tree_, link, j, ws_.tree);
    Change c;
    for (int i = link; i < tree_.link(link).end; ++i) {
      calc_velocity_change(s, chi, distance(link, i), view(i), c);
      if (tree_.is_travel(link, j)) add_travel_rate_change(ws_.tree.travel[link], view(i), c);
      add_inertia(i, c);
      for (const int pair : elements_.pairs_by_column[i])
        add_element(elements_.pairs[pair].i, elements_.frames().D[pair] * c.twist, ws_.d_force, ws_.d_moment);
    }
    finish(ws_.d_force, ws_.d_moment, column);
  }

  // Columns of K and K_lam: (1), (2).
  void position_column(int link, int j, bool with_motion, bool with_lam, Eigen::VectorXd& column,
                       Eigen::VectorXd& lam_column) {
    const JointTree::Freedom& s = ws_.tree.freedom[j];
    start();
    Change c;
    const FramePlanes& planes = elements_.frames();
    for (int i = link; i < tree_.link(link).end; ++i) {
      const V3 d = distance(link, i), nu = field(s, d);
      calc_position_change(s, d, view(i), with_motion, c);
      if (tree_.is_travel(link, j)) add_travel_change(s, ws_.tree.travel[link], d, view(i), with_motion, c);
      if (with_motion) {
        add_inertia(i, c);
        ws_.d_moment[i] += cross(s.sigma, ws_.moment[i]) + cross(nu, ws_.force[i]);
      }
      if (with_lam) ws_.d_lam_moment[i] += cross(s.sigma, ws_.lam_moment[i]) + cross(nu, ws_.lam_force[i]);
      for (const int pair : elements_.pairs_by_column[i]) {
        const int row = elements_.pairs[pair].i;
        if (with_motion)
          add_element(row, planes.K[pair] * c.pose + planes.D[pair] * c.twist, ws_.d_force, ws_.d_moment);
        if (with_lam) add_element(row, planes.K_lam[pair] * c.pose, ws_.d_lam_force, ws_.d_lam_moment);
      }
    }
    if (with_motion) {
      finish(ws_.d_force, ws_.d_moment, column);
      add_moved_freedoms(link, j, ws_.sub_force, ws_.sub_moment, column);
    }
    if (with_lam) {
      finish(ws_.d_lam_force, ws_.d_lam_moment, lam_column);
      add_moved_freedoms(link, j, ws_.sub_lam_force, ws_.sub_lam_moment, lam_column);
    }
  }

 private:
  using Vectors = std::vector<V3>;

  void start() {
    for (Vectors* x : {&ws_.d_force, &ws_.d_moment, &ws_.d_lam_force, &ws_.d_lam_moment})
      std::fill(x->begin(), x->end(), V3::Zero());
  }

  void add_inertia(int i, const Change& c) {
    const JointTree::Link& link = tree_.link(i);
    const Frame<double>& f = ws_.link_frames[i];
    const V3 df = link.mass * c.rate.head<3>(), dw = c.twist.tail<3>();
    const V3 dn =
        link.inertia * c.rate.tail<3>() + cross(dw, V3(link.inertia * f.w)) + cross(f.w, V3(link.inertia * dw));
    ws_.d_force[i] += df;
    ws_.d_moment[i] += rotate(f.R, dn) + cross(ws_.arm[i], df);
  }

  void add_element(int i, const Vec6<double>& change, Vectors& force, Vectors& moment) {
    const V3 df = change.head<3>(), dn = change.tail<3>();
    force[i] += df;
    moment[i] += rotate(ws_.link_frames[i].R, dn) + cross(ws_.arm[i], df);
  }

  // Inward: column_k = σ_k·n + ν_k·f.
  void finish(Vectors& force, Vectors& moment, Eigen::VectorXd& column) {
    for (int i = tree_.size() - 1; i >= 0; --i) {
      const JointTree::Link& link = tree_.link(i);
      for (int k = link.offset; k < link.offset + link.nv; ++k)
        column[k] = dot(ws_.tree.freedom[k].sigma, moment[i]) + dot(ws_.tree.freedom[k].nu, force[i]);
      if (link.parent < 0) continue;
      force[link.parent] += force[i];
      moment[link.parent] += moment[i] + cross(V3(ws_.tree.motion[i].p - ws_.tree.motion[link.parent].p), force[i]);
    }
  }

  // (2): freedoms of outer links, later ones of the same joint, and all of the same chart.
  void add_moved_freedoms(int link, int j, const Vectors& force, const Vectors& moment, Eigen::VectorXd& column) {
    const JointTree::Freedom& s = ws_.tree.freedom[j];
    const auto add = [&](int i, int k) {
      const JointTree::Freedom& t = ws_.tree.freedom[k];
      const V3 nu = field(s, V3(ws_.tree.motion[i].p - ws_.tree.motion[link].p));
      column[k] +=
          dot(cross(s.sigma, t.sigma), moment[i]) + dot(V3(cross(s.sigma, t.nu) + cross(nu, t.sigma)), force[i]);
    };
    if (tree_.is_travel(link, j)) {  // (3)
      const JointTree::Travel& travel = ws_.tree.travel[link];
      const V3 turn = cross(V3(V3::UnitZ()), V3(ws_.tree.motion[link].p - travel.C));
      column[j] += travel.dkappa * (moment[link].z() + dot(turn, force[link]));
    }
    const JointTree::Link& own = tree_.link(link);
    const int end = own.offset + own.nv, chart = own.chart >= 0 ? end - 3 : end;
    for (int k = j >= chart ? chart : j + 1; k < end; ++k) add(link, k);
    for (int i = link + 1; i < own.end; ++i)
      for (int k = tree_.link(i).offset; k < tree_.link(i).offset + tree_.link(i).nv; ++k) add(i, k);
  }

  const JointTree& tree_;
  const JointPlanes& elements_;
  JointWorkspace& ws_;
};

}  // namespace

/// What the reactions of bearings add to rows of their coordinates: −∂f/∂λ times (4) of reactions.cpp.
class JointSystem::BearingPlanes {
 public:
  BearingPlanes(const JointSystem& system, JointWorkspace& ws) : system_(system), tree_(system.tree_), ws_(ws) {
    system_.prepare_bearings(ws_);
    const int nc = system_.nc();
    const std::vector<JointPlanes::Entry>& entries = ws_.planes.reactions;
    for (std::size_t e = 0; e < entries.size(); ++e)
      for (std::size_t i = 0; i < size(); ++i) {
        const Bearing& bearing = system_.bearings_[i];
        const int row = entries[e].j - nc - bearing.first, link = bearing.link;
        if (row < 0 || row >= bearing.n || entries[e].i != link) continue;
        const Row6& from = ws_.planes.frames().f_lam[e];
        const V3 force = from.head<3>().transpose(), moment = turned(link, from);
        for (int k = 0; k < tree_.link(link).nv; ++k) {
          const JointTree::Freedom& s = ws_.tree.freedom[tree_.link(link).offset + k];
          ws_.bearings[i].feeds(k, row) += dot(field(s, distance(link, link)), force) + dot(s.sigma, moment);
        }
      }
  }

  // After the column of D of coordinate j.
  void add_velocity_column(int j, const Pattern& pattern, std::vector<double>& to) const {
    const Vec6<double> still = Vec6<double>::Zero();
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t link = static_cast<std::size_t>(system_.bearings_[i].link);
      add(i, ws_.d_force[link], ws_.d_moment[link], still, still, pattern, j, to);
    }
  }
  // After those of K and K_lam of coordinate j of a link.
  void add_position_column(int link, int j, const Pattern& pattern, std::vector<double>& to) const {
    const auto pose = [&](int of) {
      Vec6<double> change = Vec6<double>::Zero();
      if (of < link || of >= tree_.link(link).end) return change;
      const JointTree::Freedom& s = ws_.tree.freedom[j];
      change << field(s, distance(link, of)), rotate_back(ws_.link_frames[of].R, s.sigma);
      return change;
    };
    for (std::size_t i = 0; i < size(); ++i) {
      const Bearing& bearing = system_.bearings_[i];
      const std::size_t at = static_cast<std::size_t>(bearing.link);
      add(i, V3(ws_.d_force[at] + ws_.d_lam_force[at]), V3(ws_.d_moment[at] + ws_.d_lam_moment[at]),
          pose(bearing.link_a), pose(bearing.link_b), pattern, j, to);
    }
  }
  // After the composites: what a bearing carries of a unit acceleration of j, of all that is outside both.
  void add_rates(const Pattern& pattern, std::vector<double>& to) const {
    const Vec6<double> still = Vec6<double>::Zero();
    for (std::size_t i = 0; i < size(); ++i) {
      const int own = system_.bearings_[i].link;
      for (int link = 0; link < tree_.size(); ++link) {
        const bool carries = link >= own && link < tree_.link(own).end;
        if (!carries && !(own >= link && own < tree_.link(link).end)) continue;
        const int outer = carries ? link : own;
        const JointTree::Composite& c = ws_.tree.composite[static_cast<std::size_t>(outer)];
        const V3 to_outer = ws_.tree.motion[outer].p - ws_.tree.motion[link].p;
        const V3 to_own = ws_.tree.motion[outer].p - ws_.tree.motion[own].p;
        for (int j = tree_.link(link).offset; j < tree_.link(link).offset + tree_.link(link).nv; ++j) {
          const JointTree::Freedom& s = ws_.tree.freedom[j];
          const V3 nu = field(s, to_outer);
          const V3 f = c.m * nu + cross(s.sigma, c.mc);
          const V3 n = c.I * s.sigma + cross(c.mc, nu) + cross(to_own, f);
          add(i, f, n, still, still, pattern, j, to);
        }
      }
    }
  }
  // Columns of wrenches on frames, by link: of rows (f_lam), of states (f_z).
  void add_wrench(int link, const Row6& from, int column, const Pattern& pattern, std::vector<double>& to) const {
    const Vec6<double> still = Vec6<double>::Zero();
    for (std::size_t i = 0; i < size(); ++i) {
      const int own = system_.bearings_[i].link;
      if (link < own || link >= tree_.link(own).end) continue;
      const V3 force = from.head<3>().transpose();
      add(i, force, V3(turned(link, from) + cross(distance(own, link), force)), still, still, pattern, column, to);
    }
  }

 private:
  std::size_t size() const { return system_.bearings_.size(); }
  V3 distance(int link, int i) const { return ws_.link_frames[i].p - ws_.tree.motion[link].p; }
  V3 turned(int link, const Row6& from) const { return ws_.link_frames[link].R * V3(from.tail<3>().transpose()); }
  void add(std::size_t i, const V3& d_force, const V3& d_moment, const Vec6<double>& pose_a, const Vec6<double>& pose_b,
           const Pattern& pattern, int column, std::vector<double>& to) const {
    const JointTree::Link& link = tree_.link(system_.bearings_[i].link);
    const Vec6<double> change = system_.calc_bearing_change(i, d_force, d_moment, pose_a, pose_b, ws_);
    for (int k = 0; k < link.nv; ++k)
      if (const int slot = pattern.slot(link.offset + k, column); slot >= 0)
        to[slot] += ws_.bearings[i].feeds.row(k).dot(change);
  }

  const JointSystem& system_;
  const JointTree& tree_;
  JointWorkspace& ws_;
};

Status JointSystem::linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                              Workspace& workspace) const {
  JointWorkspace& ws = static_cast<JointWorkspace&>(workspace);
  const AbsoluteSystem& machine = *machine_.system;
  if (ws.planes.version() != state.version) ws.planes.rebuild(*this, state, active_);
  ws.planes.prepare(planes);
  if (set == PlaneSet::none) return Status::success();
  KinematicState k = update_kinematics(p, state, ws);
  const bool bears =
      !bearings_.empty() && (contains(set, PlaneSet::K | PlaneSet::D | PlaneSet::f_lam | PlaneSet::internal) ||
                             (contains(set, PlaneSet::M) && !contains(set, PlaneSet::mass)));
  planes.linear_in_rates = bearings_.empty();
  if (bears)
    add_bearing_forces(p, state, k, ws);
  else
    tree_.update_accelerations(p.v, p.a, p.in, ws.tree);
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D);
  const bool wants_K_lam = contains(set, PlaneSet::K_lam), wants_Gv_q = contains(set, PlaneSet::Gv_q);

  // Twists depend on positions: K takes D along, Gv_q takes G, g_q takes g_v.
  PlaneSet asked = set;
  if (wants_K) asked = asked | PlaneSet::D;
  if (wants_Gv_q) asked = asked | PlaneSet::G;
  if (bears) asked = asked | PlaneSet::G | PlaneSet::f_lam | PlaneSet::K_lam;
  ws.planes.clear();
  // Rows of bearings do nothing along coordinates: their multipliers are read by forces alone.
  if (bears) ws.last_lam = ws.lam;
  const auto show_reactions = [&](const ElementGroup& group) {
    if (!bears) return;
    const bool reads = dynamic_cast<const ConstraintElements*>(&group) == nullptr;
    for (const Bearing& bearing : bearings_)
      for (int r = 0; r < bearing.n; ++r) ws.lam[bearing.row[r]] = reads ? ws.last_lam[bearing.row[r]] : 0.0;
  };
  FramePlanes& frame = ws.planes.frames();
  std::size_t mode = 0;
  for (std::size_t g = 0; g < machine.groups().size(); ++g) {
    k.modes = std::span(state.modes).subspan(mode, machine.groups()[g]->n_modes());
    mode += k.modes.size();
    show_reactions(*machine.groups()[g]);
    machine.groups()[g]->add_planes(k, asked, ws.planes.slots(g), frame);
  }

  Sweeps sweeps(tree_, ws.planes, ws);
  if (wants_K || wants_D || wants_K_lam || bears) {
    for (std::size_t f = 0; f < ws.wrench.size(); ++f) ws.wrench[f] = ws.mu_wrench[f] = zero_wrench<double>();
    mode = 0;
    for (const auto& group : machine.groups()) {
      k.modes = std::span(state.modes).subspan(mode, group->n_modes());
      mode += k.modes.size();
      show_reactions(*group);
      group->add_forces(k, ws.wrench, ws.rates);
      group->add_constraints(k, ws.phi, ws.mu_wrench);
    }
  } else {
    for (std::size_t f = 0; f < ws.wrench.size(); ++f) ws.wrench[f] = ws.mu_wrench[f] = zero_wrench<double>();
  }
  sweeps.begin(ws.wrench, ws.mu_wrench);
  std::optional<BearingPlanes> bearings;
  if (bears) bearings.emplace(*this, ws);
  ws.column.resize(nv()), ws.lam_column.resize(nv());
  const auto put_column = [&](int j, const Eigen::VectorXd& column, std::vector<double>& plane) {
    for (int slot = planes.motion.start[j]; slot < planes.motion.start[j + 1]; ++slot)
      plane[slot] = column[planes.motion.index[slot]];
  };
  for (int i = 0; i < tree_.size(); ++i)
    for (int j = tree_.link(i).offset; j < tree_.link(i).offset + tree_.link(i).nv; ++j) {
      if (wants_D) {
        sweeps.velocity_column(i, j, ws.column);
        put_column(j, ws.column, planes.D);
        if (bearings) bearings->add_velocity_column(j, planes.motion, planes.D);
      }
      if (wants_K || wants_K_lam) {
        sweeps.position_column(i, j, wants_K, wants_K_lam || bears, ws.column, ws.lam_column);
        if (wants_K) put_column(j, ws.column, planes.K);
        if (wants_K && bearings) bearings->add_position_column(i, j, planes.motion, planes.K);
        if (wants_K_lam) put_column(j, ws.lam_column, planes.K_lam);
      }
    }
  if (contains(set, PlaneSet::M)) {
    std::fill(planes.M.begin(), planes.M.end(), 0.0);
    tree_.calc_mass_matrix(ws.tree, [&](int row, int column, double value) {
      planes.M[planes.motion.slot(row, column)] = value;
      planes.M[planes.motion.slot(column, row)] = value;
    });
    if (bearings && !contains(set, PlaneSet::mass)) bearings->add_rates(planes.motion, planes.M);
  }

  // Rows and columns that belong to one frame: along the path to the ground.
  const auto along_path = [&](int link, auto&& visit) {
    for (int i = link; i >= 0; i = tree_.link(i).parent)
      for (int j = tree_.link(i).offset; j < tree_.link(i).offset + tree_.link(i).nv; ++j)
        visit(i, j, ws.tree.freedom[j], sweeps.distance(i, link));
  };
  const auto put_rows = [&](const std::vector<JointPlanes::Entry>& entries, const std::vector<Row6>& by_pose,
                            const std::vector<Row6>& by_twist, const Pattern& pattern, bool q_wanted,
                            std::vector<double>& by_q, bool v_wanted, std::vector<double>& by_v) {
    if (q_wanted) std::fill(by_q.begin(), by_q.end(), 0.0);
    if (v_wanted) std::fill(by_v.begin(), by_v.end(), 0.0);
    Change c;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const FrameView view = sweeps.view(entries[e].j);
      along_path(entries[e].j, [&](int link, int j, const JointTree::Freedom& s, const V3& d) {
        const int slot = pattern.slot(entries[e].i, j);
        if (slot < 0) return;  // a row that ignores travel
        if (q_wanted) {
          calc_position_change(s, d, view, false, c);
          if (tree_.is_travel(link, j)) add_travel_change(s, ws.tree.travel[link], d, view, false, c);
          by_q[slot] += by_pose[e].dot(c.pose) + by_twist[e].dot(c.twist);
        }
        if (!v_wanted) return;
        const V3 nu = field(s, d);
        by_v[slot] += by_twist[e].head<3>().dot(nu) + by_twist[e].tail<3>().dot(rotate_back(view.frame.R, s.sigma));
      });
    }
  };
  const auto put_columns = [&](const std::vector<JointPlanes::Entry>& entries, const std::vector<Row6>& from,
                               const Pattern& pattern, std::vector<double>& to) {
    std::fill(to.begin(), to.end(), 0.0);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      if (entries[e].j >= pattern.n_cols) continue;  // a row of a bearing
      const V3 force = from[e].head<3>().transpose(),
               moment = ws.link_frames[entries[e].i].R * V3(from[e].tail<3>().transpose());
      along_path(entries[e].i, [&](int, int j, const JointTree::Freedom& s, const V3& d) {
        to[pattern.slot(j, entries[e].j)] += dot(field(s, d), force) + dot(s.sigma, moment);
      });
    }
  };
  const auto put_numbers = [&](const std::vector<JointPlanes::Entry>& entries, const std::vector<double>& from,
                               const Pattern& pattern, std::vector<double>& to) {
    std::fill(to.begin(), to.end(), 0.0);
    for (std::size_t e = 0; e < entries.size(); ++e) to[pattern.slot(entries[e].i, entries[e].j)] += from[e];
  };
  if (contains(set, PlaneSet::G) || wants_Gv_q)
    put_rows(ws.planes.rows, frame.Gv_q, frame.G, planes.constraint, wants_Gv_q, planes.Gv_q,
             contains(set, PlaneSet::G), planes.G);
  if (contains(set, PlaneSet::f_lam)) {
    put_columns(ws.planes.reactions, frame.f_lam, planes.reaction, planes.f_lam);
    for (std::size_t e = 0; bearings && e < ws.planes.rows.size(); ++e)
      bearings->add_wrench(ws.planes.rows[e].j, frame.G[e], ws.planes.rows[e].i, planes.reaction, planes.f_lam);
  }
  if (contains(set, PlaneSet::internal)) {
    put_columns(ws.planes.state_forces, frame.f_z, planes.state_force, planes.f_z);
    for (std::size_t e = 0; bearings && e < ws.planes.state_forces.size(); ++e)
      bearings->add_wrench(ws.planes.state_forces[e].i, frame.f_z[e], ws.planes.state_forces[e].j, planes.state_force,
                           planes.f_z);
    put_rows(ws.planes.state_rates, frame.g_q, frame.g_v, planes.state_rate, true, planes.g_q, true, planes.g_v);
    put_numbers(ws.planes.state_states, frame.g_z, planes.state_state, planes.g_z);
    put_numbers(ws.planes.state_lams, frame.g_lam, planes.state_lam, planes.g_lam);
  }
  return Status::success();
}

}  // namespace trammel
