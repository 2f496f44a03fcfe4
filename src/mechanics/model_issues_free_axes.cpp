// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "trammel/linalg/dense_decompositions.h"
#include "trammel/mechanics/kinds/joint_rows.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

// A body whose inertia vanishes about an axis e through its centre of mass C has motions without kinetic energy:
//
//   (1)  n:  ω = Σ xᵢ eᵢ,  v_C = 0            (e₁ for a thin rod, e₁…e₃ for a point mass drawn as a rigid body)
//
// The mass matrix is positive definite on the admissible motions only if G n ≠ 0 for every such n. All other bodies
// stand still in n, so that the rows of G at this body alone decide: if they leave one n free, the equations of motion
// are singular and the body is refused. (Combinations of several such bodies are found when the system is assembled.)

namespace {

using Rows = std::vector<Eigen::RowVector3d>;  // each row acts on ω (world), the body turning about its centre of mass

class BodyRows {
 public:
  BodyRows(const ModelChecks& checks, const BodySpec& body)
      : checks_(checks), body_(body), center_(body.position + body.orientation * body.center_of_mass) {}

  const Rows& rows() const { return rows_; }

  // The rows themselves, at the frames as drawn: the ground, the joint's two bodies.
  void add(const JointSpec& joint) {
    std::array<Placement, 3> places;
    const auto place = [&](const std::string& name, int frame) {
      const BodySpec* body = checks_.find_body(name);
      if (body == nullptr) return 0;
      places[static_cast<std::size_t>(frame)] = place_body(*body);
      return frame;
    };
    const int a = place(joint.body_a, 1), b = place(joint.body_b, 2);
    const DrawnJoint drawn = draw_joint(joint, joint.kind->needs.center_b, a, b, places,
                                        [&](const auto& spec) { return checks_.drawn(spec); });
    JointRows::HeldRows held{joint.body_a == body_.name ? a : b};
    JointRows rows(drawn, places, held);
    joint.kind->compose(rows, joint);
    rows_.insert(rows_.end(), held.rows.begin(), held.rows.end());
  }

  // A motion or a coupler holds the joint's coordinate as well.
  void add(const JointSpec& joint, JointCoordinate coordinate) {
    const Eigen::Vector3d u = checks_.drawn(joint.axis);
    if (coordinate == JointCoordinate::automatic) coordinate = only_coordinate(joint.kind);
    if (coordinate == JointCoordinate::angle) rows_.push_back(u.transpose());
    if (coordinate == JointCoordinate::displacement) rows_.push_back(row_of_velocity(checks_.drawn(joint.point), u));
  }

 private:
  // d·(ω × (p − C)) = ((p − C) × d)·ω
  Eigen::RowVector3d row_of_velocity(const Eigen::Vector3d& p, const Eigen::Vector3d& d) const {
    return (p - center_).cross(d).transpose();
  }

  const ModelChecks& checks_;
  const BodySpec& body_;
  Eigen::Vector3d center_;
  Rows rows_;
};

// World directions about which the body has no inertia, as columns.
Eigen::MatrixXd axes_without_inertia(const BodySpec& body) {
  constexpr double none = 1e-14;  // of the largest moment: below it, rounding
  if (body.kind == BodyKind::particle) return Eigen::MatrixXd(3, 0);
  if (body.kind == BodyKind::planar) {
    const Eigen::Vector3d n = body.plane_normal.stableNormalized();
    const Eigen::Vector3d n_body = body.orientation.transpose() * n;
    const double moment = n_body.dot(body.inertia * n_body);
    return moment > 0.0 ? Eigen::MatrixXd(3, 0) : Eigen::MatrixXd(n);
  }
  const PrincipalAxes principal = calc_principal_axes(body.inertia);
  const Eigen::Vector3d& moments = principal.values;
  int n = 0;
  while (n < 3 && moments[n] <= none * moments[2]) ++n;
  return body.orientation * principal.axes.leftCols(n);
}

}  // namespace

void check_free_axes(ModelChecks& checks) {
  if (!checks.joints_are_known) return;
  const Model& model = checks.model;
  std::unordered_map<std::string, BodyRows> suspects;
  std::unordered_map<std::string, Eigen::MatrixXd> axes;
  for (const BodySpec& body : model.bodies) {
    if (checks.faulty.count(body.name) > 0) continue;
    const Eigen::MatrixXd free = axes_without_inertia(body);
    if (free.cols() == 0) continue;
    suspects.try_emplace(body.name, checks, body);
    axes.try_emplace(body.name, free);
  }
  if (suspects.empty()) return;
  const auto for_bodies_of = [&](const JointSpec& joint, auto&& action) {
    for (const std::string& name : {joint.body_a, joint.body_b})
      if (const auto it = suspects.find(name); it != suspects.end()) {
        if (checks.faulty.count(joint.name) > 0)
          suspects.erase(it);  // nobody knows what the joint will hold
        else
          action(it->second);
      }
  };
  for (const JointSpec& joint : model.joints) for_bodies_of(joint, [&](BodyRows& rows) { rows.add(joint); });
  const auto hold = [&](const std::string& name, JointCoordinate coordinate) {
    if (const JointSpec* joint = checks.find_joint(name))
      for_bodies_of(*joint, [&](BodyRows& rows) { rows.add(*joint, coordinate); });
  };
  for (const MotionSpec& motion : model.motions) hold(motion.joint, motion.coordinate);
  for (const CouplerSpec& coupler : model.couplers)
    for (const CouplerTerm& term : coupler.terms) hold(term.name, term.coordinate);
  for (const JointSpec& joint : model.joints)
    if (!joint.coordinate.empty()) hold(joint.name, JointCoordinate::automatic);

  for (const BodySpec& body : model.bodies) {
    const auto it = suspects.find(body.name);
    if (it == suspects.end()) continue;
    const Eigen::MatrixXd& free = axes.at(body.name);
    Eigen::MatrixXd held =
        Eigen::MatrixXd::Zero(std::max<Eigen::Index>(3, Eigen::Index(it->second.rows().size())), free.cols());
    for (std::size_t i = 0; i < it->second.rows().size(); ++i)
      held.row(static_cast<Eigen::Index>(i)) = it->second.rows()[i] * free;
    if (!held.allFinite()) continue;  // drawn at an impossible place, which is reported elsewhere
    const RightSingularVectors svd = calc_right_singular_vectors(held);
    constexpr double rank_tol = 1e-9;  // lengths are of the order of metres
    if (svd.values.minCoeff() > rank_tol) continue;
    const Eigen::Vector3d world = free * svd.V.rightCols(1);
    const Eigen::Vector3d e = body.orientation.transpose() * world;
    checks.report(
        "body", body, body.source.fields.count("inertia") > 0 ? "inertia" : "shape",
        fmt::format("it has no moment of inertia about its axis [{:.3g}, {:.3g}, {:.3g}] (body axes, through the "
                    "centre of mass), and no joint keeps it from turning there, so that its motion is not "
                    "determined; give it a moment > 0, hold it with another joint, or make it a particle",
                    e.x() + 0.0, e.y() + 0.0, e.z() + 0.0));
  }
}

}  // namespace trammel::detail
