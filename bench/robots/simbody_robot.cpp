// SPDX-License-Identifier: Apache-2.0
#include <Simbody.h>

#include <map>

#include "peer_robot.h"

// A robot as Simbody moves it, which reads no URDF: its tree is told line by line, parents first,
//
//   link NAME PARENT KIND p (3) R (9) axis (3) mass centre (3) inertia (9)          tree
//
// with the frame of the joint in the parent and the inertia about the centre in axes of the link.

namespace {

using SimTK::MobilizedBody, SimTK::Rotation, SimTK::Transform, SimTK::UnitVec3, SimTK::Vec3;

Vec3 to(const Eigen::Vector3d& x) { return Vec3(x[0], x[1], x[2]); }
Eigen::Vector3d from(const Vec3& x) { return Eigen::Vector3d(x[0], x[1], x[2]); }

Rotation to_rotation(const Eigen::Matrix3d& R) {
  SimTK::Mat33 m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = R(i, j);
  return Rotation(m, true);
}

class SimbodyRobot : public peer_robot::Robot {
 public:
  SimbodyRobot() {
    matter_.setShowDefaultGeometry(false);
    bodies_.emplace("world", matter_.Ground());
    for (std::string line; std::getline(std::cin, line) && line != "tree";) add(line);
    state_ = system_.realizeTopology();
    matter_.setUseEulerAngles(state_, false);
    system_.realizeModel(state_);
    system_.realize(state_, SimTK::Stage::Position);
    std::printf("mass %.17g\ndofs %d\n", matter_.calcSystemMass(state_), state_.getNU());
    std::fflush(stdout);
  }

  void set_joint(const std::string& name, double q, double v, double force) override {
    const MobilizedBody& body = bodies_.at(joints_.at(name));
    body.setOneQ(state_, 0, q), body.setOneU(state_, 0, v);
    efforts_.setOneMobilityForce(state_, body, SimTK::MobilizerUIndex(0), force);
  }

  void set_free(const std::string& link, const Eigen::Isometry3d& pose, const Eigen::Vector3d& v,
                const Eigen::Vector3d& w) override {
    const MobilizedBody& body = bodies_.at(link);
    const MobilizedBody& parent = body.getParentMobilizedBody();
    system_.realize(state_, SimTK::Stage::Velocity);
    const Transform X_GF = parent.getBodyTransform(state_) * body.getInboardFrame(state_);
    const Transform X_GB(to_rotation(pose.linear()), to(pose.translation()));
    body.setQToFitTransform(state_, ~X_GF * X_GB * body.getOutboardFrame(state_));
    system_.realize(state_, SimTK::Stage::Velocity);
    const SimTK::SpatialVec up = parent.getBodyVelocity(state_);
    const Vec3 r = X_GB.p() - parent.getBodyOriginLocation(state_);
    const Vec3 spin = to(w) - up[0], speed = to(v) - up[1] - up[0] % r;
    body.setUToFitVelocity(state_, SimTK::SpatialVec(~X_GF.R() * spin, ~X_GF.R() * speed));
  }

  std::vector<peer_robot::Motion> move(const std::vector<peer_robot::Mimic>& rows) override {
    system_.realize(state_, SimTK::Stage::Acceleration);
    SimTK::Vector udot = state_.getUDot();
    if (!rows.empty()) udot = solve(rows);
    SimTK::Vector_<SimTK::SpatialVec> A;
    matter_.calcBodyAccelerationFromUDot(state_, udot, A);
    std::vector<peer_robot::Motion> links;
    for (const auto& [name, body] : bodies_) {
      if (name == "world") continue;
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      const Transform& X = body.getBodyTransform(state_);
      pose.translation() = from(X.p());
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) pose.linear()(i, j) = X.R()[i][j];
      const SimTK::SpatialVec& V = body.getBodyVelocity(state_);
      const SimTK::SpatialVec& a = A[body.getMobilizedBodyIndex()];
      links.push_back({name, pose, from(V[1]), from(V[0]), from(a[1]), from(a[0])});
    }
    return links;
  }

  void calc_forward() override {
    state_.updQ();  // forgets what follows from positions
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  void calc_derivatives() override {
    constexpr double delta = 1e-7;
    calc_forward();
    const SimTK::Vector q = state_.getQ(), u = state_.getU(), a = state_.getUDot();
    const int n = u.size();
    derivatives_.resize(n, 2 * n);
    SimTK::Vector dq;
    for (int i = 0; i < n; ++i) {  // along each freedom: free links have four coordinates for three of them
      SimTK::Vector unit(n, 0.0);
      unit[i] = delta;
      matter_.multiplyByN(state_, false, unit, dq);
      state_.updQ() = q + dq;
      system_.realize(state_, SimTK::Stage::Acceleration);
      derivatives_(i) = (state_.getUDot() - a) / delta;
      state_.updQ() = q;
      system_.realize(state_, SimTK::Stage::Position);
    }
    for (int i = 0; i < n; ++i) {
      state_.updU() = u;
      state_.updU()[i] += delta;
      system_.realize(state_, SimTK::Stage::Acceleration);
      derivatives_(n + i) = (state_.getUDot() - a) / delta;
    }
    state_.updU() = u;
    system_.realize(state_, SimTK::Stage::Position);
    matter_.calcMInv(state_, inverse_);
  }

 private:
  void add(const std::string& line) {
    std::istringstream words(line);
    std::string word, name, parent, joint, kind;
    words >> word >> name >> parent >> joint >> kind;
    const Eigen::Vector3d p = peer_robot::read_vector(words);
    const Rotation R = to_rotation(peer_robot::read_matrix(words));
    const Eigen::Vector3d axis = peer_robot::read_vector(words);
    double mass;
    words >> mass;
    const Vec3 centre = to(peer_robot::read_vector(words));
    const Eigen::Matrix3d I = peer_robot::read_matrix(words);
    const SimTK::Inertia central(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    const SimTK::Inertia about_origin = mass > 0 ? central.shiftFromMassCenter(-centre, mass) : SimTK::Inertia(0);
    const SimTK::Body::Rigid body(SimTK::MassProperties(mass, centre, about_origin));
    const Transform at(R, to(p));
    const bool turns = kind == "revolute" || kind == "continuous";
    // Pins turn about z, sliders move along x: the same axis in both frames.
    const Rotation own(UnitVec3(to(axis)), SimTK::CoordinateAxis(turns || kind == "planar" ? 2 : 0));
    const Transform in_parent = at * Transform(own), in_body = Transform(own);
    MobilizedBody& up = matter_.updMobilizedBody(bodies_.at(parent).getMobilizedBodyIndex());
    MobilizedBody made;
    if (turns)
      made = MobilizedBody::Pin(up, in_parent, body, in_body);
    else if (kind == "prismatic")
      made = MobilizedBody::Slider(up, in_parent, body, in_body);
    else if (kind == "planar")
      made = MobilizedBody::Planar(up, in_parent, body, in_body);
    else if (kind == "floating")
      made = MobilizedBody::Free(up, at, body, Transform());
    else
      made = MobilizedBody::Weld(up, at, body, Transform());
    bodies_.emplace(name, made);
    joints_[joint] = name;
  }

  SimTK::Vector solve(const std::vector<peer_robot::Mimic>& rows) {
    SimTK::Matrix M;
    matter_.calcM(state_, M);
    SimTK::Vector f;
    // f − M·0: what accelerates, as it is without rows.
    matter_.multiplyByM(state_, state_.getUDot(), f);
    const long n = f.size(), m = static_cast<long>(rows.size());
    Eigen::MatrixXd mass(n, n), A = Eigen::MatrixXd::Zero(m, n);
    Eigen::VectorXd force(n);
    for (int i = 0; i < n; ++i) {
      force[i] = f[i];
      for (int j = 0; j < n; ++j) mass(i, j) = M(i, j);
    }
    for (long i = 0; i < m; ++i) {
      const peer_robot::Mimic& row = rows[static_cast<std::size_t>(i)];
      A(i, index(row.joint)) = 1.0, A(i, index(row.other)) = -row.factor;
    }
    const Eigen::VectorXd a = peer_robot::solve_rows(mass, force, A);
    return SimTK::Vector(static_cast<int>(n), a.data());
  }

  int index(const std::string& joint) const { return bodies_.at(joints_.at(joint)).getFirstUIndex(state_); }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  SimTK::Force::Gravity gravity_{forces_, matter_, Vec3(0, 0, -9.81)};
  SimTK::Force::DiscreteForces efforts_{forces_, matter_};
  std::map<std::string, MobilizedBody> bodies_;
  std::map<std::string, std::string> joints_;  // to the link that they carry
  SimTK::State state_;
  SimTK::Matrix derivatives_, inverse_;
};

}  // namespace

int main() {
  SimbodyRobot robot;
  peer_robot::serve(robot);
}
