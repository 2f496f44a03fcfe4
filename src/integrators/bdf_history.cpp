// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/bdf_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel {

// Calls f with the order as a compile-time constant: inner loops over differences unroll.
template <class F>
void BdfHistory::for_order(int k, F&& f) {
  switch (k) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 5:
      return f(std::integral_constant<int, 5>{});
    default:
      return f(std::integral_constant<int, 6>{});
  }
}

void BdfHistory::resize(int n) { rows_.assign(static_cast<std::size_t>(n), Row{}); }

void BdfHistory::start(double t, ConstVec y, ConstVec yp, double h) {
  t_ = t;
  for (int i = 0; i < n(); ++i) {
    rows_[i].phi.fill(0.0);
    rows_[i].phi[0] = y[i];
    rows_[i].phi[1] = h * yp[i];
  }
  psi_.fill(0.0);
  psi_[0] = h;
  k_ = 1;
  last_k_ = equal_steps_ = 0;
  last_h_ = 0.0;
  scaled_ = false;
}

void BdfHistory::start(std::span<const double> times, const Eigen::Ref<const Eigen::MatrixXd>& points) {
  const int k = static_cast<int>(times.size()) - 1;
  t_ = times[0];
  for (int i = 1; i <= k; ++i) psi_[i - 1] = times[0] - times[i];
  last_h_ = psi_[0];
  k_ = last_k_ = k;  // n_points() is then k + 1 or k + 2; only k + 1 are set
  equal_steps_ = 0;
  for (Row& row : rows_) row.phi.fill(0.0);
  std::vector<int> all(rows_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  set_points(all, points);
  scaled_ = false;
}

void BdfHistory::begin(double h, int k) {
  h_ = h;
  k_ = k;
  if (h != last_h_ || k != last_k_) equal_steps_ = 0;
  equal_steps_ = std::min(equal_steps_ + 1, last_k_ + 2);

  beta_[0] = 1.0;
  gamma_[0] = 0.0;
  sigma_[0] = 1.0;
  double alpha_before = 1.0;  // α_{i−1} = h/ψ_{i−1}
  double alpha_0 = -1.0;      // −Σ_{i≤k} α_i
  double distance = h;        // ψ_i of the new step = ψ_{i−1} of the old one + h
  for (int i = 1; i <= k; ++i) {
    const double old = psi_[i - 1];
    psi_[i - 1] = distance;
    beta_[i] = beta_[i - 1] * psi_[i - 1] / old;
    distance = old + h;
    const double alpha_i = h / distance;
    sigma_[i] = i * sigma_[i - 1] * alpha_i;
    gamma_[i] = gamma_[i - 1] + alpha_before / h;
    alpha_before = alpha_i;
    if (i < k) alpha_0 -= alpha_i;
  }
  psi_[k] = distance;
  double alpha_s = 0.0;
  for (int i = 1; i <= k; ++i) alpha_s -= 1.0 / i;
  alpha_ = -alpha_s / h;
  const double alpha_next = alpha_before;  // α_{k+1}
  c_k_ = std::max(std::abs(alpha_next + alpha_s - alpha_0), alpha_next);
  scaled_ = false;
}

double BdfHistory::predict(Vec y, Vec yp) {
  double sum = 0.0;
  const bool scale = !scaled_;
  for_order(k_, [&](auto order) {
    constexpr int k = order;
    const auto beta = beta_, gamma = gamma_;
    double square = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      if (scale)
        for (int j = 1; j <= k; ++j) row.phi[j] *= beta[j];
      double value = row.phi[0], rate = 0.0;
      for (int j = 1; j <= k; ++j) {
        value += row.phi[j];
        rate += gamma[j] * row.phi[j];
      }
      y[i] = value;
      yp[i] = rate;
      square += (value * row.factor) * (value * row.factor);
    }
    sum = square;
  });
  scaled_ = true;
  return std::sqrt(sum);
}

void BdfHistory::calc_change(Vec e) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = 0.0;
    for (int j = k_; j >= 1; --j) sum -= rows_[i].phi[j];
    e[i] = sum;
  }
}

void BdfHistory::undo() {
  if (scaled_)
    for (Row& row : rows_)
      for (int j = 1; j <= k_; ++j) row.phi[j] /= beta_[j];
  scaled_ = false;
  for (int i = 1; i <= k_; ++i) psi_[i - 1] = psi_[i] - h_;
}

BdfHistory::Estimates BdfHistory::calc_estimates(ConstVec e) const {
  Estimates estimates;
  const bool raise = can_raise();
  for_order(k_, [&](auto order) {
    constexpr int k = order;
    // d_j = φ*_{j+1} + … + φ*_{k+1} + e is the difference of order j; below it, at j = k + 1, stands e itself.
    double sum_k = 0.0, sum_1 = 0.0, sum_2 = 0.0, sum_up = 0.0, sum_second = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (row.factor == 0.0) continue;  // in no test
      double d = e[i] * row.factor;
      sum_k += d * d;
      if constexpr (k < max_order) {
        const double up = d - row.phi[k + 1] * row.factor;
        sum_up += up * up;
      }
      if constexpr (k >= 2) {
        d += row.phi[k] * row.factor;
        sum_1 += d * d;
      }
      if constexpr (k >= 3) {
        if constexpr (k == 3) sum_second += d * d;
        d += row.phi[k - 1] * row.factor;
        sum_2 += d * d;
        if constexpr (k == 4) sum_second += d * d;
        if constexpr (k >= 5) {
          for (int j = k - 2; j >= 3; --j) d += row.phi[j] * row.factor;
          sum_second += d * d;
        }
      }
    }
    estimates.e = std::sqrt(sum_k);
    estimates.k = sigma_[k] * estimates.e;
    if (k >= 2) estimates.k_minus_1 = sigma_[k - 1] * std::sqrt(sum_1);
    if (k >= 3) estimates.k_minus_2 = sigma_[k - 2] * std::sqrt(sum_2);
    if (k >= 3) estimates.second = sigma_[2] * std::sqrt(sum_second);
    if (raise) estimates.k_plus_1 = std::sqrt(sum_up) / (k + 2);
  });
  return estimates;
}

void BdfHistory::accept(ConstVec e, double t_new) {
  for_order(k_, [&](auto order) {
    constexpr int k = order;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      if constexpr (k < max_order) row.phi[k + 1] = e[i];
      double sum = row.phi[k] += e[i];
      for (int j = k - 1; j >= 0; --j) sum = row.phi[j] += sum;
    }
  });
  t_ = t_new;
  last_h_ = h_;
  last_k_ = k_;
  scaled_ = false;
}

void BdfHistory::interpolate(double t, Vec y, Vec yp) const {
  // y(t) = Σ c_j φ_{j+1}, c_j = Π_{l<j} (t − t_{n−l})/ψ_{l+1}; y′ by the product rule.
  const int k = std::max(last_k_, 1);
  std::array<double, width> c{}, d{};
  c[0] = 1.0;
  const double s = t - t_;
  for (int j = 1; j <= k; ++j) {
    const double factor = (s + (j > 1 ? psi_[j - 2] : 0.0)) / psi_[j - 1];
    d[j] = d[j - 1] * factor + c[j - 1] / psi_[j - 1];
    c[j] = c[j - 1] * factor;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double value = rows_[i].phi[0], rate = 0.0;
    for (int j = 1; j <= k; ++j) {
      value += c[j] * rows_[i].phi[j];
      rate += d[j] * rows_[i].phi[j];
    }
    y[i] = value;
    yp[i] = rate;
  }
}

int BdfHistory::n_points() const {
  const int k = std::max(last_k_, 1);
  return last_k_ > 0 && k < max_order ? k + 2 : k + 1;
}

void BdfHistory::calc_points(std::span<const int> unknowns, Eigen::Ref<Eigen::MatrixXd> points) const {
  const int m = static_cast<int>(points.cols());
  for (int i = 0; i < m; ++i) {
    const double psi_i = i > 0 ? psi_[i - 1] : 0.0;
    std::array<double, width + 1> c{};
    c[0] = 1.0;
    for (int j = 1; j < m; ++j) c[j] = c[j - 1] * ((j > 1 ? psi_[j - 2] : 0.0) - psi_i) / psi_[j - 1];
    for (std::size_t u = 0; u < unknowns.size(); ++u) {
      double sum = 0.0;
      for (int j = 0; j < m; ++j) sum += c[j] * rows_[unknowns[u]].phi[j];
      points(static_cast<Eigen::Index>(u), i) = sum;
    }
  }
}

void BdfHistory::set_points(std::span<const int> unknowns, const Eigen::Ref<const Eigen::MatrixXd>& points) {
  const int m = static_cast<int>(points.cols());
  const auto psi = [&](int i) { return i > 0 ? psi_[i - 1] : 0.0; };
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    std::array<double, width + 1> D{};
    for (int i = 0; i < m; ++i) D[i] = points(static_cast<Eigen::Index>(u), i);
    Row& row = rows_[unknowns[u]];
    row.phi[0] = D[0];
    double product = 1.0;
    for (int j = 1; j < m; ++j) {
      for (int i = 0; i + j < m; ++i) D[i] = (D[i] - D[i + 1]) / (psi(i + j) - psi(i));
      product *= psi(j);
      row.phi[j] = product * D[0];
    }
  }
}

void BdfHistory::append(std::vector<double>& numbers) const {
  numbers.insert(numbers.end(), {t_, h_, last_h_, static_cast<double>(k_), static_cast<double>(last_k_),
                                 static_cast<double>(equal_steps_), alpha_, c_k_});
  numbers.insert(numbers.end(), psi_.begin(), psi_.end());
  for (const Row& row : rows_) {
    numbers.insert(numbers.end(), row.phi.begin(), row.phi.end());
    numbers.push_back(row.factor);
  }
}

const double* BdfHistory::read(const double* numbers) {
  for (double* x : {&t_, &h_, &last_h_}) *x = *numbers++;
  for (int* x : {&k_, &last_k_, &equal_steps_}) *x = static_cast<int>(*numbers++);
  for (double* x : {&alpha_, &c_k_}) *x = *numbers++;
  for (double& x : psi_) x = *numbers++;
  for (Row& row : rows_) {
    for (double& x : row.phi) x = *numbers++;
    row.factor = *numbers++;
  }
  scaled_ = false;
  return numbers;
}

}  // namespace trammel
