// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/joint/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"

namespace trammel {

namespace {

/// The rows whose multipliers enter forces or states.
class ReactionRows final : public Connectivity {
 public:
  std::set<int> rows;
  /// Forces along relative coordinates, by the rows that they read; of rows in `rows` as well.
  std::multimap<int, const FormulaGroup::Element*> along_coordinates;
  int pair(int, int) override { return -1; }
  int row(int, int) override { return -1; }
  int reaction(int, int row) override { return rows.insert(row), -1; }
  int state_force(int, int) override { return -1; }
  int state_rate(int, int) override { return -1; }
  int state_state(int, int) override { return -1; }
  int state_lam(int, int row) override { return rows.insert(row), -1; }
};

// `rows` without those that only forces along coordinates read.
ReactionRows find_reaction_rows(const AbsoluteSystem& system) {
  ReactionRows found;
  std::vector<int> slots;
  const State state = system.make_state();
  int mode = 0;
  for (const auto& group : system.groups()) {
    if (const auto* formulas = dynamic_cast<const FormulaGroup*>(group.get())) {
      for (int e = 0; e < formulas->size(); ++e)
        for (const int row : formulas->dependence(e).rows) {
          if (formulas->element(e).output == FormulaGroup::Output::coordinate)
            found.along_coordinates.emplace(row, &formulas->element(e));
          else
            found.rows.insert(row);
        }
    } else {
      group->connect(std::span(state.modes).subspan(mode, group->n_modes()), found, slots);
    }
    mode += group->n_modes();
  }
  return found;
}

bool is_same(const RelativeCoordinate& x, const RelativeCoordinate& y) {
  return x.type == y.type && x.a1 == y.a1 && x.a2 == y.a2 && x.a3 == y.a3 && x.b == y.b && x.s_a == y.s_a &&
         x.s_b == y.s_b;
}

std::vector<std::string_view> kinds_of_trees() {
  std::vector<std::string_view> names;
  for (const JointKind kind : standard_kinds().joints)
    if (kind->motion(JointSpec{.kind = kind}, false)) names.push_back(kind.name());
  return names;
}

struct Edge {
  int joint, a, b;  // bodies; −1: the ground
  int freedoms;
  bool wanted;  // loop = false
};

class TreeBuilder {
 public:
  TreeBuilder(const Model& model, const Assembly& full)
      : model_(model), full_(full), reactions_(find_reaction_rows(*full.system)) {}

  Topology run() {
    out_.eliminated.joints.assign(model_.joints.size(), 0);
    in_tree_ = out_.eliminated.joints;
    out_.eliminated.motions.assign(model_.motions.size(), 0);
    out_.driving.assign(model_.joints.size(), -1);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) body_[model_.bodies[i].name] = static_cast<int>(i);
    depth_.assign(model_.bodies.size(), -1);
    collect_edges();
    grow();
    while (out_.steps.size() < model_.bodies.size()) {
      add_free_body();
      grow();
    }
    for (const Edge& edge : edges_)
      if (edge.wanted && !in_tree_[edge.joint])
        report(edge.joint,
               "closes a loop of joints that all say loop = false: a tree has no loops; leave 'loop' out of one of "
               "them");
    eliminate_motions();
    return std::move(out_);
  }

 private:
  void report(int joint, const std::string& text) {
    const JointSpec& spec = model_.joints[joint];
    out_.issues.push_back({spec.source.at("loop"), fmt::format("joint '{}' {}", spec.name, text)});
  }
  int body(const std::string& name) const { return name.empty() || name == ground_name ? -1 : body_.at(name); }
  int depth(int body) const { return body < 0 ? 0 : depth_[body]; }
  bool is_reached(int body) const { return body < 0 || depth_[body] >= 0; }

  enum class Fed { nothing, own_coordinate, others };

  // What reads the reactions of a joint. Own: forces along its freedoms, so that rows and coordinates together span the
  // wrenches.
  Fed find_fed(const Assembly::Joint& joint, std::optional<Mobility> mobility) const {
    const bool bears =
        mobility == Mobility::revolute || mobility == Mobility::prismatic || mobility == Mobility::cylindrical;
    Fed fed = Fed::nothing;
    for (const FormulaSignal::Part& part : joint.parts)
      for (int r = 0; r < part.group->rows_per_element(); ++r) {
        const int row = part.group->first_row(part.element) + r;
        if (reactions_.rows.count(row)) return Fed::others;
        for (auto [it, end] = reactions_.along_coordinates.equal_range(row); it != end; ++it) {
          const FormulaGroup::Element& e = *it->second;
          const bool angle = joint.angle && is_same(e.x, *joint.angle);
          const bool displacement = joint.displacement && is_same(e.x, *joint.displacement);
          if (!bears || e.frame[0] != joint.frame_a || e.frame[1] != joint.frame_b || !(angle || displacement))
            return Fed::others;
          fed = Fed::own_coordinate;
        }
      }
    return fed;
  }

  void collect_edges() {
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      const JointSpec& spec = model_.joints[i];
      const int joint = static_cast<int>(i);
      const std::optional<Mobility> mobility = tree_mobility(spec, full_.joints[i]);
      const bool holds = mobility && keeps_planes(full_.joints[i]);
      const bool wanted = spec.loop && !*spec.loop;
      if (wanted && !holds)
        report(joint, fmt::format("cannot be part of the tree (loop = false): only {} joints between rigid bodies, or "
                                  "between planar ones, become coordinates",
                                  fmt::join(kinds_of_trees(), ", ")));
      const bool feeds = holds && find_fed(full_.joints[i], mobility) == Fed::others;
      if (wanted && feeds)
        report(joint,
               "cannot be part of the tree (loop = false): a force that is not along its coordinate, or a state, "
               "depends on its reaction, and without rows a reaction is known only after the accelerations");
      const int a = body(spec.body_a), b = body(spec.body_b);
      if (!holds || feeds || a == b) continue;
      if (spec.loop && *spec.loop)
        closed_.push_back({joint, a, b, 0, false});
      else
        edges_.push_back({joint, a, b, freedoms(*mobility), wanted});
    }
  }

  // A planar body must keep its plane: it may only hang on the ground or on another planar body.
  bool keeps_planes(const Assembly::Joint& joint) const {
    const auto kind = [&](int frame) { return full_.system->frame_map(frame).kind; };
    const bool any = kind(joint.frame_a) == FrameMap::Kind::planar || kind(joint.frame_b) == FrameMap::Kind::planar;
    const bool particle =
        kind(joint.frame_a) == FrameMap::Kind::particle || kind(joint.frame_b) == FrameMap::Kind::particle;
    return !particle && (!any || joint.planar);
  }

  void add_step(const Topology::Step& step) {
    out_.steps.push_back(step);
    depth_[step.body] = step.joint < 0 ? 1 : depth(step.inner) + 1;
    if (step.joint < 0) return;
    in_tree_[step.joint] = 1;
    const Assembly::Joint& joint = full_.joints[step.joint];
    if (find_fed(joint, tree_mobility(model_.joints[step.joint], joint)) == Fed::own_coordinate)
      out_.bearings.push_back(step.joint);
    else
      out_.eliminated.joints[step.joint] = 1;
  }

  // Prim: the best edge that leads from what is reached to what is not.
  void grow() {
    const auto better = [&](const Edge& x, int depth_x, const Edge& y, int depth_y) {
      if (x.wanted != y.wanted) return x.wanted;
      if (x.freedoms != y.freedoms) return x.freedoms < y.freedoms;
      return depth_x != depth_y ? depth_x < depth_y : x.joint < y.joint;
    };
    struct Candidate {
      int edge, depth;
    };
    const auto worse = [&](const Candidate& x, const Candidate& y) {
      return better(edges_[y.edge], y.depth, edges_[x.edge], x.depth);
    };
    if (incident_.empty()) {
      incident_.resize(model_.bodies.size() + 1);
      for (std::size_t e = 0; e < edges_.size(); ++e) {
        incident_[edges_[e].a + 1].push_back(static_cast<int>(e));
        incident_[edges_[e].b + 1].push_back(static_cast<int>(e));
      }
    }
    std::vector<Candidate> heap;
    const auto offer = [&](int from) {
      for (int e : incident_[from + 1]) {
        heap.push_back({e, depth(from)});
        std::push_heap(heap.begin(), heap.end(), worse);
      }
    };
    for (int b = -1; b < static_cast<int>(model_.bodies.size()); ++b)
      if (is_reached(b) && !offered_.count(b)) offered_.insert(b), offer(b);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), worse);
      const Edge& edge = edges_[heap.back().edge];
      heap.pop_back();
      if (is_reached(edge.a) == is_reached(edge.b)) continue;
      const bool reversed = !is_reached(edge.a);
      const int next = reversed ? edge.a : edge.b;
      add_step({next, edge.joint, reversed ? edge.b : edge.a, reversed});
      offered_.insert(next);
      offer(next);
    }
  }

  // What is left is held by rows only. The heaviest body of it carries the others.
  void add_free_body() {
    int heaviest = -1;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (depth_[i] < 0 && (heaviest < 0 || model_.bodies[i].mass > model_.bodies[heaviest].mass))
        heaviest = static_cast<int>(i);
    for (const Edge& edge : closed_) {
      if (is_reached(edge.a) == is_reached(edge.b)) continue;
      const int hanging = is_reached(edge.a) ? edge.b : edge.a;
      report(edge.joint, fmt::format("leaves the body '{}' without connection to the ground: every joint that could "
                                     "carry it says loop = true; leave 'loop' out of one of them",
                                     model_.bodies[hanging].name));
    }
    add_step({heaviest, -1, -1, false});
  }

  bool is_read(int row) const { return reactions_.rows.count(row) > 0 || reactions_.along_coordinates.count(row) > 0; }

  void eliminate_motions() {
    int nv = static_cast<int>(model_.coordinates.size());
    for (const Topology::Step& step : out_.steps) {
      const FrameMap& map = full_.system->frame_map(full_.body_frame[step.body]);
      nv += step.joint < 0 ? map.nv : freedoms(*tree_mobility(model_.joints[step.joint], full_.joints[step.joint]));
    }
    for (std::size_t m = 0; m < model_.motions.size(); ++m) {
      const MotionSpec& motion = model_.motions[m];
      for (std::size_t j = 0; j < model_.joints.size(); ++j) {
        const JointSpec& spec = model_.joints[j];
        if (spec.name != motion.joint || !out_.eliminated.joints[j] || out_.driving[j] >= 0) continue;
        const std::optional<Mobility> mobility = tree_mobility(spec, full_.joints[j]);
        const bool by_angle = motion.coordinate != JointCoordinate::displacement;
        const bool only = mobility == Mobility::revolute || mobility == Mobility::prismatic ||
                          (mobility == Mobility::screw && by_angle);
        // One coordinate must remain: integrators move something.
        if (!only || motion.velocity.given() || is_read(full_.motion_row[m]) || nv == 1) continue;
        out_.eliminated.motions[m] = 1;
        out_.driving[j] = static_cast<int>(m);
        --nv;
      }
    }
  }

  const Model& model_;
  const Assembly& full_;
  const ReactionRows reactions_;
  std::vector<char> in_tree_;  // joints
  Topology out_;
  std::map<std::string, int> body_;
  std::vector<int> depth_;  // by body; −1: not reached
  std::vector<Edge> edges_, closed_;
  std::vector<std::vector<int>> incident_;  // edges by body + 1
  std::set<int> offered_;
};

}  // namespace

std::optional<Mobility> tree_mobility(const JointSpec& joint, const Assembly::Joint& assembled) {
  const std::optional<TreeMotion> motion = joint.kind->motion(joint, assembled.planar);
  return motion ? std::optional(motion->mobility) : std::nullopt;
}

Topology find_topology(const Model& model, const Assembly& full) { return TreeBuilder(model, full).run(); }

}  // namespace trammel
