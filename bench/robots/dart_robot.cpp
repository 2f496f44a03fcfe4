// SPDX-License-Identifier: Apache-2.0
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/DegreeOfFreedom.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/utils/urdf/DartLoader.hpp>

#include "peer_robot.h"

// A robot as DART reads and moves it.

namespace {

using namespace dart::dynamics;

class DartRobot : public peer_robot::Robot {
 public:
  explicit DartRobot(SkeletonPtr skeleton) : robot_(std::move(skeleton)) {
    robot_->setGravity(Eigen::Vector3d(0, 0, -9.81));
    // Efforts of damping and friction are given as forces: DART would take them implicitly, with its step.
    for (std::size_t i = 0; i < robot_->getNumDofs(); ++i) {
      robot_->getDof(i)->setDampingCoefficient(0.0);
      robot_->getDof(i)->setSpringStiffness(0.0);
      robot_->getDof(i)->setCoulombFriction(0.0);
    }
  }

  void set_joint(const std::string& name, double q, double v, double force) override {
    DegreeOfFreedom* dof = robot_->getJoint(name)->getDof(0);
    dof->setPosition(q), dof->setVelocity(v), dof->setForce(force);
  }

  void set_free(const std::string& link, const Eigen::Isometry3d& pose, const Eigen::Vector3d& v,
                const Eigen::Vector3d& w) override {
    auto* joint = dynamic_cast<FreeJoint*>(robot_->getBodyNode(link)->getParentJoint());
    joint->setTransform(pose, Frame::World());
    joint->setLinearVelocity(v, Frame::World(), Frame::World());
    joint->setAngularVelocity(w, Frame::World(), Frame::World());
  }

  std::vector<peer_robot::Motion> move(const std::vector<peer_robot::Mimic>& rows) override {
    const long n = static_cast<long>(robot_->getNumDofs()), m = static_cast<long>(rows.size());
    if (rows.empty()) {
      robot_->computeForwardDynamics();
    } else {
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m, n);
      for (long i = 0; i < m; ++i) {
        const peer_robot::Mimic& row = rows[static_cast<std::size_t>(i)];
        A(i, index(row.joint)) = 1.0, A(i, index(row.other)) = -row.factor;
      }
      const Eigen::VectorXd f = robot_->getForces() - robot_->getCoriolisAndGravityForces();
      robot_->setAccelerations(peer_robot::solve_rows(robot_->getMassMatrix(), f, A));
    }
    std::vector<peer_robot::Motion> links;
    for (std::size_t i = 0; i < robot_->getNumBodyNodes(); ++i) {
      const BodyNode* body = robot_->getBodyNode(i);
      links.push_back({body->getName(), body->getWorldTransform(), body->getLinearVelocity(),
                       body->getAngularVelocity(), body->getLinearAcceleration(), body->getAngularAcceleration()});
    }
    return links;
  }

  void calc_forward() override {
    robot_->setPositions(robot_->getPositions());
    robot_->computeForwardDynamics();
  }

  void calc_derivatives() override {
    constexpr double delta = 1e-7;
    calc_forward();
    const Eigen::VectorXd q = robot_->getPositions(), v = robot_->getVelocities(), a = robot_->getAccelerations();
    const long n = a.size();
    derivatives_.resize(n, 3 * n);
    Eigen::VectorXd x;
    for (long i = 0; i < n; ++i) {
      (x = q)[i] += delta;
      robot_->setPositions(x);
      robot_->computeForwardDynamics();
      derivatives_.col(i) = (robot_->getAccelerations() - a) / delta;
    }
    robot_->setPositions(q);
    for (long i = 0; i < n; ++i) {
      (x = v)[i] += delta;
      robot_->setVelocities(x);
      robot_->computeForwardDynamics();
      derivatives_.col(n + i) = (robot_->getAccelerations() - a) / delta;
    }
    robot_->setVelocities(v);
    derivatives_.rightCols(n) = robot_->getInvMassMatrix();
  }

 private:
  long index(const std::string& joint) const {
    return static_cast<long>(robot_->getJoint(joint)->getDof(0)->getIndexInSkeleton());
  }

  SkeletonPtr robot_;
  Eigen::MatrixXd derivatives_;
};

}  // namespace

int main(int, char** argv) {
  constexpr double nothing = 1e-14;  // DART divides by masses: links without one get some that nobody sees
  const std::string file = argv[1];
  dart::utils::DartLoader::Options options;
  options.mDefaultRootJointType = std::string(argv[2]) == "floating" ? dart::utils::DartLoader::RootJointType::FLOATING
                                                                     : dart::utils::DartLoader::RootJointType::FIXED;
  options.mDefaultInertia = Inertia(nothing, Eigen::Vector3d::Zero(), nothing * Eigen::Matrix3d::Identity());
  dart::utils::DartLoader loader(options);
  const SkeletonPtr skeleton = loader.parseSkeleton("file://" + file);
  if (skeleton == nullptr) return 1;
  std::printf("mass %.17g\ndofs %zu\n", skeleton->getMass(), skeleton->getNumDofs());
  std::fflush(stdout);
  DartRobot robot(skeleton);
  peer_robot::serve(robot);
}
