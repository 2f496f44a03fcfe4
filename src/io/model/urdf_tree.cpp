// SPDX-License-Identifier: Apache-2.0
#include "urdf_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

using LinkIndex = std::unordered_map<std::string, int>;

int find_link(const LinkIndex& index, const UrdfJoint& joint, const std::string& name, int line, const UrdfRobot& robot,
              UrdfReport& report) {
  const auto it = index.find(name);
  if (it != index.end()) return it->second;
  if (name.empty()) return -1;  // said already
  std::vector<std::string> names;
  for (const UrdfLink& link : robot.links)
    if (names.size() < 1000) names.push_back(link.name);
  report.refuse(line, fmt::format("joint '{}': there is no link '{}'{}", joint.name, name, did_you_mean(name, names)));
  return -1;
}

void connect_links(const UrdfRobot& robot, UrdfTree& tree, UrdfReport& report) {
  LinkIndex index;
  for (std::size_t i = 0; i < robot.links.size(); ++i) index.try_emplace(robot.links[i].name, static_cast<int>(i));
  tree.joint_to.assign(robot.links.size(), -1);
  tree.children.resize(robot.links.size());
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const UrdfJoint& joint = robot.joints[k];
    const int parent = find_link(index, joint, joint.parent, joint.parent_line, robot, report);
    const int child = find_link(index, joint, joint.child, joint.child_line, robot, report);
    tree.parent.push_back(parent), tree.child.push_back(child);
    if (parent < 0 || child < 0) continue;
    if (parent == child) {
      report.refuse(joint.child_line,
                    fmt::format("joint '{}' connects the link '{}' to itself", joint.name, joint.child));
      continue;
    }
    int& above = tree.joint_to[static_cast<std::size_t>(child)];
    if (above >= 0) {
      const UrdfJoint& first = robot.joints[static_cast<std::size_t>(above)];
      report.refuse(joint.child_line,
                    fmt::format("joint '{}': the link '{}' has a parent already, by the joint '{}' in line {}; URDF "
                                "describes trees (a loop is closed by a [[joint]] in the model that includes it)",
                                joint.name, joint.child, first.name, first.line));
      continue;
    }
    above = static_cast<int>(k);
    tree.children[static_cast<std::size_t>(parent)].push_back(static_cast<int>(k));
  }
}

// Links in the order from the root; those that are not reached lie on circles, each told once.
void find_order(const UrdfRobot& robot, UrdfTree& tree, UrdfReport& report) {
  const std::size_t n = robot.links.size();
  std::vector<char> seen(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.joint_to[i] >= 0) continue;
    if (tree.root < 0)
      tree.root = static_cast<int>(i);
    else
      report.refuse(robot.links[i].line,
                    fmt::format("link '{}' has no parent, and neither has '{}': a robot has one root; connect them by "
                                "a joint (fixed or floating)",
                                robot.links[i].name, robot.links[static_cast<std::size_t>(tree.root)].name));
    tree.order.push_back(static_cast<int>(i));
    seen[i] = 1;
  }
  for (std::size_t at = 0; at < tree.order.size(); ++at)
    for (const int joint : tree.children[static_cast<std::size_t>(tree.order[at])]) {
      const int child = tree.child[static_cast<std::size_t>(joint)];
      tree.order.push_back(child);
      seen[static_cast<std::size_t>(child)] = 1;
    }
  for (std::size_t i = 0; i < n; ++i) {
    if (seen[i] != 0) continue;
    // Up from here there is a circle; what hangs below it is not told again.
    std::vector<std::size_t> way;
    std::size_t link = i;
    while (seen[link] == 0) {
      seen[link] = 2;
      way.push_back(link);
      link = static_cast<std::size_t>(tree.parent[static_cast<std::size_t>(tree.joint_to[link])]);
    }
    const auto first = std::find(way.begin(), way.end(), link);
    if (first == way.end()) continue;
    std::string circle;
    for (auto it = first; it != way.end() && circle.size() < 200; ++it)
      circle += "'" + robot.links[*it].name + "' below ";
    report.refuse(robot.links[link].line,
                  fmt::format("links form a circle: {}'{}'; URDF describes trees", circle, robot.links[link].name));
  }
}

void find_poses(const UrdfRobot& robot, UrdfTree& tree) {
  tree.pose.assign(robot.links.size(), Eigen::Isometry3d::Identity());
  for (const int link : tree.order) {
    const int joint = tree.joint_to[static_cast<std::size_t>(link)];
    if (joint < 0) continue;
    const int parent = tree.parent[static_cast<std::size_t>(joint)];
    tree.pose[static_cast<std::size_t>(link)] =
        tree.pose[static_cast<std::size_t>(parent)] * robot.joints[static_cast<std::size_t>(joint)].pose;
  }
}

// A massless link is a part of its parent, or else of a child, whichever a fixed joint ties it to and has a body.
class MasslessLinks {
 public:
  MasslessLinks(const UrdfRobot& robot, bool floating, UrdfTree& tree, UrdfReport& report)
      : robot_(robot), floating_(floating), tree_(tree), report_(report) {}

  void merge() {
    const std::size_t n = robot_.links.size();
    tree_.body.assign(n, unknown);
    for (std::size_t i = 0; i < n; ++i)
      if (robot_.links[i].has_inertia) tree_.body[i] = static_cast<int>(i);
    const std::size_t root = static_cast<std::size_t>(tree_.root);
    if (tree_.body[root] == unknown && !floating_) tree_.body[root] = ground;
    // Upwards: a child that is fixed carries its parent; downwards: what is left is carried by its parent.
    for (auto it = tree_.order.rbegin(); it != tree_.order.rend(); ++it) {
      const std::size_t link = static_cast<std::size_t>(*it);
      if (tree_.body[link] == unknown && !fixed_above(link)) tree_.body[link] = fixed_below(link);
    }
    for (const int at : tree_.order) {
      const std::size_t link = static_cast<std::size_t>(at);
      if (tree_.body[link] == unknown && fixed_above(link)) {
        const int parent = tree_.body[static_cast<std::size_t>(parent_of(link))];
        tree_.body[link] = parent;
      }
      if (tree_.body[link] == unknown && !fixed_above(link)) refuse(link);
    }
    note_merged();
  }

 private:
  static constexpr int ground = -1, unknown = -2;

  int parent_of(std::size_t link) const { return tree_.parent[static_cast<std::size_t>(tree_.joint_to[link])]; }
  bool fixed_above(std::size_t link) const {
    const int joint = tree_.joint_to[link];
    return joint >= 0 && robot_.joints[static_cast<std::size_t>(joint)].type == "fixed";
  }
  // The first body that fixed joints below tie to it, through further massless links too.
  int fixed_below(std::size_t link) const {
    std::vector<std::size_t> open{link};
    for (std::size_t at = 0; at < open.size(); ++at)
      for (const int joint : tree_.children[open[at]]) {
        if (robot_.joints[static_cast<std::size_t>(joint)].type != "fixed") continue;
        const std::size_t child = static_cast<std::size_t>(tree_.child[static_cast<std::size_t>(joint)]);
        if (robot_.links[child].has_inertia) return static_cast<int>(child);
        open.push_back(child);
      }
    return unknown;
  }
  void refuse(std::size_t link) {
    const UrdfLink& at = robot_.links[link];
    const int joint = tree_.joint_to[link];
    report_.refuse(at.line,
                   joint < 0
                       ? fmt::format("link '{}', the root, is floating and has no mass: give it an <inertial>, fix "
                                     "it to a link with mass, or import with a fixed base",
                                     at.name)
                       : fmt::format("link '{}' moves (joint '{}', {}) and has no mass: give it an <inertial>, or fix "
                                     "it to a link that has one",
                                     at.name, robot_.joints[static_cast<std::size_t>(joint)].name,
                                     robot_.joints[static_cast<std::size_t>(joint)].type));
  }
  void note_merged() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const int body = tree_.body[i];
      if (body == static_cast<int>(i) || body == unknown) continue;
      const std::string& name = robot_.links[i].name;
      report_.note(UrdfFate::changed, robot_.links[i].line, "link",
                   body == ground
                       ? fmt::format("'{}' has no mass and is fixed: it is a frame of the ground", name)
                       : fmt::format("'{}' has no mass: merged with '{}', to which it is fixed; it is a frame "
                                     "of that body",
                                     name, robot_.links[static_cast<std::size_t>(body)].name));
    }
  }

  const UrdfRobot& robot_;
  bool floating_;
  UrdfTree& tree_;
  UrdfReport& report_;
};

}  // namespace

UrdfTree make_urdf_tree(const UrdfRobot& robot, bool floating, UrdfReport& report) {
  UrdfTree tree;
  connect_links(robot, tree, report);
  find_order(robot, tree, report);
  report.throw_refused();
  find_poses(robot, tree);
  MasslessLinks(robot, floating, tree, report).merge();
  return tree;
}

std::vector<double> calc_moved_inertias(const UrdfRobot& robot, const UrdfTree& tree) {
  // Sums over subtrees in axes of the root: mass, m c, and inertia about the root's origin.
  struct Sum {
    double mass = 0.0;
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  };
  std::vector<Sum> sums(robot.links.size());
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const UrdfLink& link = robot.links[i];
    if (!link.has_inertia) continue;
    const Eigen::Matrix3d R = tree.pose[i].linear();
    const Eigen::Vector3d c = tree.pose[i] * link.center;
    sums[i] = {link.mass, link.mass * c,
               R * link.inertia * R.transpose() +
                   link.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose())};
  }
  std::vector<double> moved(robot.joints.size(), 0.0);
  for (auto it = tree.order.rbegin(); it != tree.order.rend(); ++it) {
    const std::size_t link = static_cast<std::size_t>(*it);
    const int at = tree.joint_to[link];
    if (at < 0) continue;
    const UrdfJoint& joint = robot.joints[static_cast<std::size_t>(at)];
    const Sum& sum = sums[link];
    const Eigen::Vector3d n = (tree.pose[link].linear() * joint.axis).normalized(), p = tree.pose[link].translation();
    // About the axis through p along n: nᵀ J n − 2 nᵀ[(m c · p) 1 − …] n + m (|p|² − (n·p)²).
    const double about = n.dot(sum.inertia * n) - 2.0 * (sum.moment.dot(p) - n.dot(sum.moment) * n.dot(p)) +
                         sum.mass * (p.squaredNorm() - n.dot(p) * n.dot(p));
    moved[static_cast<std::size_t>(at)] = joint.turns() ? about : sum.mass;
    Sum& above = sums[static_cast<std::size_t>(tree.parent[static_cast<std::size_t>(at)])];
    above.mass += sum.mass, above.moment += sum.moment, above.inertia += sum.inertia;
  }
  return moved;
}

}  // namespace trammel::detail
