// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "trammel/math/rotations.h"

namespace trammel {
namespace {

using V3 = Eigen::Vector3d;
using M3 = Eigen::Matrix3d;

/// A curved, twisted, pre-stressed element with a full section matrix, its sections off the frames: nothing is zero
/// that could hide a wrong term. Strains are of order 0.3 and rotations of order 1: far from the drawn shape.
struct Bent {
  BeamElement b;
  Frame<double> f[BeamElement::max_nodes];
  std::mt19937 generator{7};
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};

  V3 random_vector(double size) { return size * V3(uniform(generator), uniform(generator), uniform(generator)); }

  Bent(int nodes, bool offset, double damping = 0.0) {
    b.nodes = nodes;
    b.damping = damping;
    Eigen::Matrix<double, 6, 6> A;
    for (int i = 0; i < 36; ++i) A.data()[i] = uniform(generator);
    b.C = A * A.transpose() + 2.0 * BeamElement::Matrix6::Identity();
    for (int i = 0; i < 6; ++i) b.n0[i] = uniform(generator);
    V3 x[4];
    M3 axes[4];
    for (int a = 0; a < nodes; ++a) {
      const double xi = lobatto_points(nodes)[a];
      x[a] = V3(0.6 * xi, 0.1 * xi * xi, 0.05 * xi);
      axes[a] = exp_so3(V3(0.3 * xi, -0.1, 0.2 * xi));
    }
    b.draw({x, static_cast<std::size_t>(nodes)}, {axes, static_cast<std::size_t>(nodes)});
    for (int a = 0; a < nodes; ++a) {
      b.s[a] = offset ? random_vector(0.2) : V3::Zero();
      b.Q[a] = offset ? exp_so3(random_vector(1.0)) : M3::Identity();
      f[a].R = axes[a] * exp_so3(random_vector(0.5)) * b.Q[a].transpose();
      f[a].p = x[a] + random_vector(0.2) - f[a].R * b.s[a];
      f[a].v = random_vector(1.0);
      f[a].w = random_vector(1.0);
    }
    b.offset = offset;
  }

  // The wrenches with the frame `moved` seeded.
  template <class Seed>
  void sweep(int moved, Seed&& seed, Wrench<Dual<6>>* w) const {
    Frame<Dual<6>> lifted[BeamElement::max_nodes];
    for (int a = 0; a < b.nodes; ++a) lifted[a] = a == moved ? seed(f[a]) : lift<Dual<6>>(f[a]);
    beam_force(b, lifted, w);
  }
};

const std::vector<std::pair<int, bool>> shapes{{2, false}, {3, false}, {4, false}, {2, true}, {3, true}, {4, true}};

/// Virtual work: wrench·(δp, δβ) = −δU.
TEST(BeamElement, ForcesAreTheNegativeGradientOfTheStrainEnergy) {
  for (const auto& [nodes, offset] : shapes) {
    const Bent bent(nodes, offset);
    Wrench<double> w[4];
    beam_force(bent.b, bent.f, w);
    for (int j = 0; j < nodes; ++j) {
      Frame<Dual<6>> lifted[4];
      for (int a = 0; a < nodes; ++a) lifted[a] = a == j ? seed_position(bent.f[a]) : lift<Dual<6>>(bent.f[a]);
      const Dual<6> U = beam_energy(bent.b, lifted);
      ASSERT_GT(U.v, 0.05);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(w[j].force[i], -U.d[i], 1e-12) << nodes << " nodes, node " << j;
        EXPECT_NEAR(w[j].moment[i], -U.d[3 + i], 1e-12) << nodes << " nodes, node " << j;
      }
    }
  }
}

TEST(BeamElement, StiffnessWrittenByHandIsTheDerivativeOfTheForcesFarFromTheDrawnShape) {
  for (const auto& [nodes, offset] : shapes) {
    const Bent bent(nodes, offset);
    Block6 K[16];
    beam_stiffness(bent.b, bent.f, K);
    Wrench<Dual<6>> w[4];
    for (int j = 0; j < nodes; ++j) {
      bent.sweep(j, seed_position, w);
      for (int i = 0; i < nodes; ++i) {
        Block6 expected = Block6::Zero();
        subtract_derivative(w[i], expected);
        EXPECT_LT((K[i * nodes + j] - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff() + 1e-11)
            << nodes << " nodes, block " << i << " " << j << "\n"
            << K[i * nodes + j] << "\n\n"
            << expected;
      }
    }
  }
}

/// Rotations in one element beyond 1 rad use the closed forms of the coefficients, smaller ones their series.
TEST(BeamElement, StiffnessIsExactOnBothSidesOfTheSeries) {
  for (const double turn : {1e-9, 0.2, 0.9, 1.1, 2.0, 2.8}) {
    Bent bent(4, false);
    for (int a = 0; a < 4; ++a) bent.f[a].R = exp_so3(V3(0.5 * turn * lobatto_points(4)[a] * V3(2, -1, 2) / 3.0));
    Block6 K[16];
    beam_stiffness(bent.b, bent.f, K);
    Wrench<Dual<6>> w[4];
    for (int j = 0; j < 4; ++j) {
      bent.sweep(j, seed_position, w);
      for (int i = 0; i < 4; ++i) {
        Block6 expected = Block6::Zero();
        subtract_derivative(w[i], expected);
        EXPECT_LT((K[i * 4 + j] - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff()) << turn;
      }
    }
  }
}

/// Duals themselves against differences of the double kernel, velocities included.
TEST(BeamElement, DualsAgreeWithDifferencesOfTheDampedForces) {
  Bent bent(4, true, 0.3);
  constexpr double h = 1e-6;
  for (const bool by_velocity : {false, true}) {
    for (int j = 0; j < 4; ++j) {
      Wrench<Dual<6>> w[4];
      if (by_velocity)
        bent.sweep(j, seed_velocity, w);
      else
        bent.sweep(j, seed_position, w);
      for (int k = 0; k < 6; ++k) {
        Wrench<double> side[2][4];
        for (const int sign : {0, 1}) {
          Bent moved = bent;
          V3 step = V3::Zero();
          step[k % 3] = sign == 0 ? -h : h;
          Frame<double>& frame = moved.f[j];
          if (by_velocity)
            (k < 3 ? frame.v : frame.w) += step;
          else if (k < 3)
            frame.p += step;
          else
            frame.R = frame.R * exp_so3(step);
          beam_force(moved.b, moved.f, side[sign]);
        }
        for (int i = 0; i < 4; ++i)
          for (int r = 0; r < 3; ++r) {
            EXPECT_NEAR(w[i].force[r].d[k], (side[1][i].force[r] - side[0][i].force[r]) / (2 * h), 2e-7);
            EXPECT_NEAR(w[i].moment[r].d[k], (side[1][i].moment[r] - side[0][i].moment[r]) / (2 * h), 2e-7);
          }
      }
    }
  }
}

/// What damping takes out is ėᵀ(τC)ė ≥ 0, and a rigid motion costs nothing.
TEST(BeamElement, DampingTakesEnergyFromDeformationAndNoneFromARigidMotion) {
  Bent bent(4, true, 0.3);
  const auto power = [&] {
    Wrench<double> damped[4], elastic[4];
    BeamElement without = bent.b;
    without.damping = 0.0;
    beam_force(bent.b, bent.f, damped);
    beam_force(without, bent.f, elastic);
    double sum = 0.0;
    for (int a = 0; a < 4; ++a) sum += power_of(damped[a], bent.f[a]) - power_of(elastic[a], bent.f[a]);
    return sum;
  };
  EXPECT_LT(power(), -0.1);
  const V3 omega(1.0, -2.0, 0.5), v(3.0, 1.0, -1.0);
  for (Frame<double>& frame : bent.f) {
    frame.v = v + omega.cross(frame.p);
    frame.w = frame.R.transpose() * omega;
  }
  EXPECT_NEAR(power(), 0.0, 1e-12);
}

/// Strains of a rigidly moved drawn element vanish; (5) of elements/beam.h.
TEST(BeamElement, ARigidMotionProducesNoStrain) {
  for (const auto& [nodes, offset] : shapes) {
    Bent bent(nodes, offset);
    const M3 turn = exp_so3(V3(2.0, -1.0, 1.5));
    for (int a = 0; a < nodes; ++a) {
      const double xi = lobatto_points(nodes)[a];
      const V3 x(0.6 * xi, 0.1 * xi * xi, 0.05 * xi);
      bent.f[a].R = turn * exp_so3(V3(0.3 * xi, -0.1, 0.2 * xi)) * bent.b.Q[a].transpose();
      bent.f[a].p = V3(5.0, -7.0, 3.0) + turn * x - bent.f[a].R * bent.b.s[a];
    }
    SectionState sections[3];
    calc_sections(bent.b, bent.f, sections);
    for (int g = 0; g < nodes - 1; ++g) EXPECT_LT(sections[g].strain.norm(), 1e-14) << nodes;  // 1e-15: ε |x|/L
  }
}

/// Frame invariance: strains of a deformed element do not see a superposed rigid motion.
TEST(BeamElement, StrainsAreInvariantUnderASuperposedFiniteRotation) {
  for (const auto& [nodes, offset] : shapes) {
    Bent bent(nodes, offset);
    SectionState before[3], after[3];
    calc_sections(bent.b, bent.f, before);
    const M3 turn = exp_so3(V3(-1.0, 2.5, 0.7));
    for (int a = 0; a < nodes; ++a) {
      bent.f[a].p = V3(1.0, 2.0, 3.0) + turn * bent.f[a].p;
      bent.f[a].R = turn * bent.f[a].R;
    }
    calc_sections(bent.b, bent.f, after);
    for (int g = 0; g < nodes - 1; ++g) {
      ASSERT_GT(before[g].strain.norm(), 0.1);
      EXPECT_LT((before[g].strain - after[g].strain).norm(), 1e-14) << nodes;
    }
  }
}

/// The element does not know where its first node is: from the other end (e₁ and e₂ reversed) it stores the same
/// energy.
TEST(BeamElement, EnergyDoesNotDependOnTheDirectionOfNumbering) {
  for (const int nodes : {2, 3, 4}) {
    Bent bent(nodes, false);
    bent.b.n0.setZero();
    const Eigen::Matrix<double, 6, 1> stiffness = (Eigen::Matrix<double, 6, 1>() << 7, 3, 4, 2, 5, 6).finished();
    bent.b.C = stiffness.asDiagonal();
    Bent reversed = bent;
    const M3 half_turn = V3(-1.0, -1.0, 1.0).asDiagonal();
    V3 x[4];
    M3 axes[4];
    for (int a = 0; a < nodes; ++a) {
      const double xi = lobatto_points(nodes)[nodes - 1 - a];
      x[a] = V3(0.6 * xi, 0.1 * xi * xi, 0.05 * xi);
      axes[a] = exp_so3(V3(0.3 * xi, -0.1, 0.2 * xi)) * half_turn;
      reversed.f[a] = bent.f[nodes - 1 - a];
      reversed.f[a].R = reversed.f[a].R * half_turn;
    }
    reversed.b.draw({x, static_cast<std::size_t>(nodes)}, {axes, static_cast<std::size_t>(nodes)});
    EXPECT_NEAR(beam_energy(reversed.b, reversed.f), beam_energy(bent.b, bent.f), 1e-13) << nodes;
  }
}

/// Beyond half a turn between the ends the logarithm has another branch: no force is better than a wrong one.
TEST(BeamElement, RefusesToTurnByHalfATurnBetweenItsEnds) {
  for (const int nodes : {2, 3, 4}) {
    Bent bent(nodes, false);
    const auto turn_by = [&](double angle) {
      for (int a = 0; a < nodes; ++a) bent.f[a].R = exp_so3(V3(0.0, 0.0, 0.5 * angle * lobatto_points(nodes)[a]));
      Wrench<double> w[4];
      beam_force(bent.b, bent.f, w);
      return w[0].moment.allFinite();
    };
    EXPECT_TRUE(turn_by(3.1)) << nodes;
    EXPECT_FALSE(turn_by(3.14)) << nodes;
    EXPECT_FALSE(nodes > 2 && turn_by(3.3)) << nodes;
  }
}

}  // namespace
}  // namespace trammel
