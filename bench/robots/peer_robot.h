// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <Eigen/Geometry>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

/// A robot as another program moves it, for bench/robots/compare.py. Reads a state line by line:
///
///   joint NAME q q̇ damping friction            free LINK p (3) R (9, by rows) v (3) ω (3), world axes
///   mimic NAME OTHER factor                     go
///
/// and answers with p, R, v, ω, acceleration and angular acceleration of each link, and with what one forward dynamics
/// and its derivatives cost.
namespace peer_robot {

struct Mimic {
  std::string joint, other;
  double factor;
};

struct Motion {  // of a link, world axes
  std::string name;
  Eigen::Isometry3d pose;
  Eigen::Vector3d v, w, a, alpha;
};

class Robot {
 public:
  virtual ~Robot() = default;
  virtual void set_joint(const std::string& name, double q, double v, double force) = 0;
  virtual void set_free(const std::string& link, const Eigen::Isometry3d& pose, const Eigen::Vector3d& v,
                        const Eigen::Vector3d& w) = 0;
  virtual std::vector<Motion> move(const std::vector<Mimic>& rows) = 0;
  /// Accelerations of the tree, of which nothing is known from before.
  virtual void calc_forward() = 0;
  /// By positions and velocities with one-sided differences, by forces with the inverse of the mass matrix: the ways
  /// that the program offers.
  virtual void calc_derivatives() = 0;
};

inline Eigen::VectorXd solve_rows(const Eigen::MatrixXd& M, const Eigen::VectorXd& f, const Eigen::MatrixXd& A) {
  const long n = M.rows(), m = A.rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = M, K.bottomLeftCorner(m, n) = A, K.topRightCorner(n, m) = A.transpose();
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n + m);
  right.head(n) = f;
  return K.fullPivLu().solve(right).head(n);
}

inline Eigen::Vector3d read_vector(std::istream& words) {
  Eigen::Vector3d x;
  words >> x[0] >> x[1] >> x[2];
  return x;
}

inline Eigen::Matrix3d read_matrix(std::istream& words) {
  Eigen::Matrix3d R;
  for (int i = 0; i < 9; ++i) words >> R(i / 3, i % 3);
  return R;
}

inline void put(const Eigen::Ref<const Eigen::MatrixXd>& numbers) {
  for (long i = 0; i < numbers.rows(); ++i)
    for (long j = 0; j < numbers.cols(); ++j) std::printf(" %.17g", numbers(i, j));
}

/// Seconds of the processor of one call.
template <class Function>
double measure(int repetitions, const Function& call) {
  const std::clock_t begun = std::clock();
  for (int k = 0; k < repetitions; ++k) call();
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC / repetitions;
}

inline void answer(Robot& robot, const std::vector<Mimic>& rows) {
  for (const Motion& link : robot.move(rows)) {
    std::printf("link %s", link.name.c_str());
    put(link.pose.translation());
    put(link.pose.linear());
    for (const auto* x : {&link.v, &link.w, &link.a, &link.alpha}) put(*x);
    std::printf("\n");
  }
  const double forward = measure(5000, [&] { robot.calc_forward(); });
  const double derivatives = measure(200, [&] { robot.calc_derivatives(); });
  std::printf("time %.9g %.9g\ndone\n", forward, derivatives);
  std::fflush(stdout);
}

inline void serve(Robot& robot) {
  std::vector<Mimic> rows;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word, name;
    words >> word >> name;
    if (word == "go") {
      answer(robot, rows);
      rows.clear();
    } else if (word == "joint") {
      double q, v, damping, friction;
      words >> q >> v >> damping >> friction;
      robot.set_joint(name, q, v, -damping * v - friction * std::tanh(v / 0.01));
    } else if (word == "mimic") {
      std::string other;
      double factor;
      words >> other >> factor;
      rows.push_back({name, other, factor});
    } else if (word == "free") {
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.translation() = read_vector(words);
      pose.linear() = read_matrix(words);
      const Eigen::Vector3d v = read_vector(words), w = read_vector(words);
      robot.set_free(name, pose, v, w);
    }
  }
}

}  // namespace peer_robot
