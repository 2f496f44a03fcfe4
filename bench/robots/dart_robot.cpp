// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <ctime>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/DegreeOfFreedom.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <iostream>
#include <map>
#include <sstream>

// A robot as DART reads and moves it, for bench/robots/compare.py. Reads a state line by line:
//
//   joint NAME q q̇ damping friction            free LINK p (3) R (9, by rows) v (3) ω (3), world axes
//   mimic NAME OTHER factor                     go
//
// and answers with `mass`, `joints N`, and for each link its p, R, v, ω, acceleration and angular acceleration.

namespace {

using namespace dart::dynamics;

// Efforts of damping and friction as forces: DART would take them implicitly, with its step.
struct Row {
  std::size_t joint, other;
  double factor;
};

Eigen::VectorXd accelerations(const SkeletonPtr& robot, const std::vector<Row>& rows) {
  if (rows.empty()) {
    robot->computeForwardDynamics();
    return robot->getAccelerations();
  }
  const long n = static_cast<long>(robot->getNumDofs()), m = static_cast<long>(rows.size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(n + m);
  K.topLeftCorner(n, n) = robot->getMassMatrix();
  f.head(n) = robot->getForces() - robot->getCoriolisAndGravityForces();
  for (long i = 0; i < m; ++i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    K(n + i, static_cast<long>(row.joint)) = K(static_cast<long>(row.joint), n + i) = 1.0;
    K(n + i, static_cast<long>(row.other)) = K(static_cast<long>(row.other), n + i) = -row.factor;
  }
  return K.fullPivLu().solve(f).head(n);
}

void put(const Eigen::Ref<const Eigen::MatrixXd>& numbers) {
  for (long i = 0; i < numbers.rows(); ++i)
    for (long j = 0; j < numbers.cols(); ++j) std::printf(" %.17g", numbers(i, j));
}

void answer(const SkeletonPtr& robot, const std::vector<Row>& rows) {
  robot->setAccelerations(accelerations(robot, rows));
  for (std::size_t i = 0; i < robot->getNumBodyNodes(); ++i) {
    const BodyNode* body = robot->getBodyNode(i);
    std::printf("link %s", body->getName().c_str());
    put(Eigen::MatrixXd(body->getWorldTransform().translation()));
    put(Eigen::MatrixXd(body->getWorldTransform().linear()));
    put(body->getLinearVelocity());
    put(body->getAngularVelocity());
    put(body->getLinearAcceleration());
    put(body->getAngularAcceleration());
    std::printf("\n");
  }
  constexpr int repetitions = 20000;
  const std::clock_t begun = std::clock();
  for (int k = 0; k < repetitions; ++k) {
    robot->setPositions(robot->getPositions());  // nothing is known of it from before
    robot->computeForwardDynamics();
  }
  const double taken = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;  // of the processor
  std::printf("time %.9g\ndone\n", taken / repetitions);
  std::fflush(stdout);
}

}  // namespace

int main(int, char** argv) {
  constexpr double nothing = 1e-14;  // DART divides by masses: links without one get some that nobody sees
  const std::string file = argv[1];
  dart::utils::DartLoader::Options options;
  options.mDefaultRootJointType = std::string(argv[2]) == "floating" ? dart::utils::DartLoader::RootJointType::FLOATING
                                                                     : dart::utils::DartLoader::RootJointType::FIXED;
  options.mDefaultInertia = Inertia(nothing, Eigen::Vector3d::Zero(), nothing * Eigen::Matrix3d::Identity());
  dart::utils::DartLoader loader(options);
  const SkeletonPtr robot = loader.parseSkeleton("file://" + file);
  if (robot == nullptr) return 1;
  robot->setGravity(Eigen::Vector3d(0, 0, -9.81));
  for (std::size_t i = 0; i < robot->getNumDofs(); ++i) {
    robot->getDof(i)->setDampingCoefficient(0.0);
    robot->getDof(i)->setSpringStiffness(0.0);
    robot->getDof(i)->setCoulombFriction(0.0);
  }
  std::printf("mass %.17g\njoints %zu\ndofs %zu\n", robot->getMass(), robot->getNumJoints(), robot->getNumDofs());
  std::fflush(stdout);
  std::vector<Row> rows;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word, name, other;
    words >> word >> name;
    if (word == "go") {
      answer(robot, rows);
      rows.clear();
    } else if (word == "joint") {
      double q, v, damping, friction;
      words >> q >> v >> damping >> friction;
      DegreeOfFreedom* dof = robot->getJoint(name)->getDof(0);
      dof->setPosition(q), dof->setVelocity(v);
      dof->setForce(-damping * v - friction * std::tanh(v / 0.01));
    } else if (word == "mimic") {
      double factor;
      words >> other >> factor;
      rows.push_back({robot->getJoint(name)->getDof(0)->getIndexInSkeleton(),
                      robot->getJoint(other)->getDof(0)->getIndexInSkeleton(), factor});
    } else if (word == "free") {
      Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
      Eigen::Vector3d v, w;
      for (int i = 0; i < 3; ++i) words >> T.translation()[i];
      for (int i = 0; i < 9; ++i) words >> T.linear()(i / 3, i % 3);
      for (int i = 0; i < 3; ++i) words >> v[i];
      for (int i = 0; i < 3; ++i) words >> w[i];
      auto* joint = dynamic_cast<FreeJoint*>(robot->getBodyNode(name)->getParentJoint());
      joint->setTransform(T, Frame::World());
      joint->setLinearVelocity(v, Frame::World(), Frame::World());
      joint->setAngularVelocity(w, Frame::World(), Frame::World());
    }
  }
}
