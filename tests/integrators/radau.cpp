// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/radau.h"
#include "trammel/math/chart.h"

// Radau IIA on DaeSystem: coefficients, orders, published problems, stiffness, memory.

namespace trammel::test_radau {
namespace {

using testing::Form;
using testing::MechanismDae;
using testing::TemplateDae;

// ---- coefficients --------------------------------------------------------------------------------------------------

// The defining conditions Σ_j A_ij c_j^(k−1) = c_i^k/k, k = 1 … s, multiplied by A⁻¹: Σ_j A⁻¹_ij c_j^k/k = c_i^(k−1).
// Rounding: ten units of the largest term.
TEST(RadauTableau, satisfies_the_collocation_conditions) {
  for (int s = 1; s <= 3; ++s) {
    const RadauTableau t(s);
    for (int i = 0; i < s; ++i)
      for (int k = 1; k <= s; ++k) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) sum += t.A_inverse()(i, j) * std::pow(t.c(j), k) / k;
        EXPECT_NEAR(sum, std::pow(t.c(i), k - 1), 2e-14) << s << " stages, row " << i << ", degree " << k;
      }
  }
}

// Quadrature on the stages is exact for degrees up to 2s − 2.
TEST(RadauTableau, has_the_weights_of_quadrature) {
  for (int s = 1; s <= 3; ++s) {
    const RadauTableau t(s);
    for (int k = 0; k <= 2 * s - 2; ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < t.b().size(); ++i) sum += t.b()[i] * std::pow(t.c()[i], k);
      EXPECT_NEAR(sum, 1.0 / (k + 1), 1e-15) << s << " stages, degree " << k;
    }
  }
}

// Left and right eigenvectors of A⁻¹, ℓᵀ A⁻¹ = γ ℓᵀ, A⁻¹ r = γ r, ℓᵀ r = 1, and the same of the complex pair.
TEST(RadauTableau, has_left_and_right_eigenvectors) {
  using Complex = std::complex<double>;
  for (int s = 1; s <= 3; ++s) {
    const RadauTableau t(s);
    Complex product = 0.0, mixed = 0.0;
    double real_product = 0.0;
    for (int i = 0; i < s; ++i) {
      double left = 0.0, right = 0.0;
      Complex left_complex = 0.0, right_complex = 0.0;
      for (int j = 0; j < s; ++j) {
        left += t.left(j) * t.A_inverse()(j, i);
        right += t.A_inverse()(i, j) * t.right(j);
        left_complex += t.left_complex(j) * t.A_inverse()(j, i);
        right_complex += t.A_inverse()(i, j) * t.right_complex(j);
      }
      EXPECT_NEAR(left, t.gamma() * t.left(i), 1e-13) << s;
      EXPECT_NEAR(right, t.gamma() * t.right(i), 1e-13) << s;
      EXPECT_NEAR(std::abs(left_complex - t.mu() * t.left_complex(i)), 0.0, 1e-13) << s;
      EXPECT_NEAR(std::abs(right_complex - t.mu() * t.right_complex(i)), 0.0, 1e-13) << s;
      real_product += t.left(i) * t.right(i);
      product += t.left_complex(i) * t.right_complex(i);
      mixed += t.left(i) * t.right_complex(i);
    }
    if (t.has_real()) {
      EXPECT_NEAR(real_product, 1.0, 1e-14);
    }
    if (t.has_complex()) {
      EXPECT_NEAR(std::abs(product - 1.0), 0.0, 1e-14);
    }
    EXPECT_NEAR(std::abs(mixed), 0.0, 1e-14);
  }
}

// RADAU5's constants [Hairer & Wanner II, IV.8]; the eigenvectors must put A⁻¹ together again.
TEST(RadauTableau, has_the_eigenvalues_and_eigenvectors_of_the_inverse) {
  EXPECT_NEAR(RadauTableau(3).gamma(), 3.6378342527444957, 1e-13);
  EXPECT_NEAR(RadauTableau(3).mu().real(), 2.6810828736277521, 1e-13);
  EXPECT_NEAR(RadauTableau(3).mu().imag(), 3.0504301992474105, 1e-13);
  EXPECT_NEAR(std::abs(RadauTableau(2).mu() - std::complex<double>(2.0, std::sqrt(2.0))), 0.0, 1e-14);
  for (int s = 1; s <= 3; ++s) {
    const RadauTableau t(s);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) {
        const double real = t.has_real() ? t.gamma() * t.right(i) * t.left(j) : 0.0;
        const std::complex<double> pair = t.mu() * t.right_complex(i) * t.left_complex(j);
        EXPECT_NEAR(t.A_inverse()(i, j), real + 2.0 * pair.real(), 1e-13) << s;
      }
  }
}

// The polynomial of degree s through y_n and the stages reproduces θ^k, k ≤ s, and its rate.
TEST(RadauTableau, interpolates_polynomials_of_degree_s) {
  for (int s = 1; s <= 3; ++s) {
    const RadauTableau t(s);
    for (const double theta : {0.0, 0.3, 1.0, 1.7}) {
      const RadauTableau::Weights w = t.interpolate(theta);
      for (int k = 1; k <= s; ++k) {
        double value = 0.0, rate = 0.0;
        for (int i = 0; i < s; ++i) {
          value += w.value[i] * std::pow(t.c(i), k);
          rate += w.rate[i] * std::pow(t.c(i), k);
        }
        EXPECT_NEAR(value, std::pow(theta, k), 1e-13);
        EXPECT_NEAR(rate, k * std::pow(theta, k - 1), 1e-12);
      }
    }
  }
}

// ---- orders --------------------------------------------------------------------------------------------------------

RadauOptions fixed(int stages, double h) {
  RadauOptions options;
  options.stages = stages;
  options.fixed_h = h;
  options.newton_tol = 1e-13;
  return options;
}

Eigen::VectorXd solve(const DaeSystem& dae, const RadauOptions& options, double t_end, const Eigen::VectorXd& y,
                      const Eigen::VectorXd& yp) {
  Radau radau(dae, options, LinearSolverKind::dense);
  State state;
  EXPECT_TRUE(radau.start(0.0, y, yp, state).ok());
  const RadauStep last = radau.integrate(t_end, state);
  EXPECT_TRUE(last.status.ok()) << describe(last.status.cause);
  EXPECT_EQ(radau.t(), t_end);
  return radau.y();
}

// y₁′ = −y₁ y₂, y₂′ = y₁ written implicitly, with a term that is not linear in y′. From (1, 0) it is y₁ = sech²(t/√2) …
const auto smooth = TemplateDae(
    [](const auto& t, const auto* y, const auto* yp, auto* F) {
      F[0] = yp[0] + y[0] * y[1];
      F[1] = (yp[1] - y[0]) * (1.0 + 0.5 * yp[1] * yp[1]) + 0.0 * t;
    },
    {Kind::internal, Kind::internal});

TEST(RadauOrders, are_1_3_and_5_on_an_implicit_ode) {
  const Eigen::Vector2d y0(1.0, 0.0), yp0(0.0, 1.0);
  const Eigen::VectorXd exact = solve(smooth, fixed(3, 1.0 / 512.0), 1.0, y0, yp0);
  const double steps[] = {1.0 / 64.0, 1.0 / 16.0, 1.0 / 8.0};
  for (int s = 1; s <= 3; ++s) {
    const double h = steps[s - 1];
    const double coarse = (solve(smooth, fixed(s, h), 1.0, y0, yp0) - exact).norm();
    const double fine = (solve(smooth, fixed(s, h / 2.0), 1.0, y0, yp0) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2 * s - 1, 0.1) << s;
  }
}

// Index 3 [Hairer & Wanner II, VII.6; acceptance values]: q, v, λ of order 3, 2, 1 with two stages and 5, 3, 2 with
// three. Stabilized index 2: q and v of order 2s − 1.
TEST(RadauOrders, on_a_pendulum_are_those_of_the_theory) {
  struct Row {
    Form form;
    int stages;
    double q, v, lam, h;
  };
  const Row rows[] = {{Form::index3, 2, 3, 2, 1, 1.0 / 128},
                      {Form::index3, 3, 5, 3, 2, 1.0 / 16},
                      {Form::stabilized_index2, 2, 3, 3, 2, 1.0 / 64},
                      {Form::stabilized_index2, 3, 5, 5, 3, 1.0 / 20}};
  for (const Row& row : rows) {
    const MechanismDae<testing::PlainPendulum> dae(row.form);
    const MechanismDae<testing::PlainPendulum> precise(Form::stabilized_index2);
    const Eigen::VectorXd exact = solve(precise, fixed(3, 1.0 / 256.0), 1.0, precise.y0, precise.yp0);
    const Eigen::VectorXd coarse = solve(dae, fixed(row.stages, row.h), 1.0, dae.y0, dae.yp0);
    const Eigen::VectorXd fine = solve(dae, fixed(row.stages, row.h / 2.0), 1.0, dae.y0, dae.yp0);
    const auto order = [&](int first, int n) {
      return std::log2((coarse - exact.head(coarse.size())).segment(first, n).norm() /
                       (fine - exact.head(fine.size())).segment(first, n).norm());
    };
    EXPECT_NEAR(order(0, 2), row.q, 0.1) << row.stages;
    EXPECT_NEAR(order(2, 2), row.v, 0.1) << row.stages;
    // λ of three stages is 3.32, 3.17, 3.13 at h = 1/8, 1/20, 1/40, where q meets rounding.
    EXPECT_NEAR(order(4, 1), row.lam, row.lam == 3 ? 0.2 : 0.1) << row.stages;
  }
}

// ---- error control -------------------------------------------------------------------------------------------------

template <class M>
double position_error(const Eigen::VectorXd& y) {
  const Eigen::VectorXd reference = M::reference();
  const int n = std::min<int>(M::np, static_cast<int>(reference.size()));
  return (y.head(n) - reference.head(n)).template lpNorm<Eigen::Infinity>();
}

TEST(RadauProblems, gain_digits_with_the_tolerance) {
  for (const int stages : {2, 3}) {
    const MechanismDae<testing::Andrews> dae(Form::stabilized_index2);
    double before = 1e3;
    for (const double tol : {1e-4, 1e-6, 1e-8}) {
      RadauOptions options;
      options.stages = stages;
      options.tolerances.rtol = tol;
      options.tolerances.set(Kind::position, tol, tol);
      options.tolerances.set(Kind::velocity, tol, 1e3 * tol);
      const double error = position_error<testing::Andrews>(solve(dae, options, 0.03, dae.y0, dae.yp0)) / 15.8;
      EXPECT_LT(error, 0.3 * before) << stages << " stages, " << tol;
      before = error;
    }
    EXPECT_LT(before, 1e-5) << stages;
  }
}

// y′ = −10⁶(y − cos t) − sin t: an L-stable method follows cos t with steps of the slow motion.
TEST(RadauStiffness, costs_no_steps) {
  const auto stiff = TemplateDae(
      [](const auto& t, const auto* y, const auto* yp, auto* F) {
        using std::cos, std::sin;
        F[0] = yp[0] + 1e6 * (y[0] - cos(t)) + sin(t);
      },
      {Kind::internal});
  RadauOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-6;
  Radau radau(stiff, options);
  State state;
  ASSERT_TRUE(radau.start(0.0, Eigen::VectorXd::Constant(1, 2.0), Eigen::VectorXd::Constant(1, -1e6), state).ok());
  ASSERT_TRUE(radau.integrate(10.0, state).status.ok());
  EXPECT_NEAR(radau.y()[0], std::cos(10.0), 1e-6);
  EXPECT_LT(radau.counters().steps, 150);
}

TEST(RadauOptions, name_what_is_wrong_all_at_once) {
  RadauOptions options;
  options.stages = 4;
  options.fixed_h = -1.0;
  options.newton_tol = 0.0;
  try {
    Radau radau(smooth, options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    for (const char* word : {"stages = 4", "fixed_h = -1", "newton_tol = 0"})
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word;
  }
}

// A residual that is not finite beyond x = 1: no step passes it, the row is named and the state kept.
TEST(RadauFailures, name_the_row_and_keep_the_last_good_state) {
  const auto cliff = TemplateDae(
      [](const auto&, const auto* y, const auto* yp, auto* F) {
        using std::sqrt;
        F[0] = yp[0] - 1.0;
        F[1] = yp[1] - sqrt(1.0 - y[0]);
      },
      {Kind::internal, Kind::internal});
  Radau radau(cliff, {});
  State state;
  ASSERT_TRUE(radau.start(0.0, Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(1.0, 1.0), state).ok());
  const RadauStep last = radau.integrate(2.0, state);
  EXPECT_FALSE(last.status.ok());
  EXPECT_EQ(last.status.cause, Cause::not_finite);
  EXPECT_EQ(last.status.row, 1);
  EXPECT_NEAR(radau.t(), 1.0, 1e-3);
  EXPECT_TRUE(radau.y().allFinite());
}

// ---- memory --------------------------------------------------------------------------------------------------------

TEST(RadauMemory, continues_bit_by_bit_after_save_and_restore) {
  const MechanismDae<testing::Andrews> dae(Form::stabilized_index2);
  for (const int stages : {1, 2, 3}) {
    RadauOptions options;
    options.stages = stages;
    options.tolerances.rtol = options.tolerances.atol = 1e-5;
    Radau first(dae, options), second(dae, options);
    State state;
    ASSERT_TRUE(first.start(0.0, dae.y0, dae.yp0, state).ok());
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(first.advance(0.03, state).status.ok());
    const std::vector<double> saved = first.save();
    State copy = State::from_numbers(state.to_numbers());
    second.restore(saved);
    for (int i = 0; i < 20; ++i) {
      const RadauStep a = first.advance(0.03, state), b = second.advance(0.03, copy);
      ASSERT_TRUE(a.status.ok());
      EXPECT_EQ(a.h, b.h);
      EXPECT_EQ(a.iterations, b.iterations);
      ASSERT_EQ(first.y(), second.y()) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace trammel::test_radau
