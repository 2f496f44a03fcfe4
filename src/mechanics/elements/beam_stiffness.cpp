// SPDX-License-Identifier: Apache-2.0
#include "beam_kernel.h"

namespace trammel {

using namespace detail;

namespace {

using M3 = Mat3<double>;
using V3 = Vec3<double>;
constexpr int max_nodes = BeamElement::max_nodes;

/// Second derivatives of mᵀO_k(θ) w with m fixed, a trilinear form with coefficients E(s). With A = m·θ, B = θ·w:
///
///   (11)  ∂²/∂θ²   = 2G I + 4G₂ θθᵀ + 2 (q θᵀ + θ qᵀ) + E_{k+1} (m wᵀ + w mᵀ)
///         ∂²/∂θ∂w = 2θ [E′_{k−1} m − E′_k m×θ + E′_{k+1} A θ]ᵀ + E_k m̂ + E_{k+1} (m θᵀ + A I)
///         G = E′_{k−1} m·w − E′_k θ·(w×m) + E′_{k+1} A B,  G₂ the same with E″,  q = −E′_k w×m + E′_{k+1} (B m + A w)
template <int k>
void add_second_derivatives(const double (&E)[n_series], const V3& theta, const V3& w, const V3& m, M3& by_theta_theta,
                            M3& by_theta_w) {
  const double A = m.dot(theta), B = theta.dot(w), mw = m.dot(w);
  const V3 wm = w.cross(m);
  const double P = theta.dot(wm);
  const double s0 = slope(E, k - 1), s1 = slope(E, k), s2 = slope(E, k + 1);
  const double G = s0 * mw - s1 * P + s2 * A * B;
  const double G2 = curvature(E, k - 1) * mw - curvature(E, k) * P + curvature(E, k + 1) * A * B;
  const V3 q = 2.0 * (s2 * (B * m + A * w) - s1 * wm) + 2.0 * G2 * theta;
  const V3 r = 2.0 * (s0 * m - s1 * m.cross(theta) + s2 * A * theta);
  const V3 em = E[k + 1] * m;
  by_theta_theta += q * theta.transpose() + theta * q.transpose() + em * w.transpose() + w * em.transpose();
  by_theta_theta.diagonal().array() += 2.0 * G;
  by_theta_w += theta * r.transpose() + em * theta.transpose() + E[k] * hat<double>(m);
  by_theta_w.diagonal().array() += E[k + 1] * A;
}

/// The Hessian of U by (y_a, Ψ_a), in blocks; yy and PP are symmetric as wholes.
struct LocalStiffness {
  M3 yy[max_nodes][max_nodes], yP[max_nodes][max_nodes], PP[max_nodes][max_nodes];
  V3 U_y[max_nodes], U_Psi[max_nodes];
};

void calc_local(const BeamElement& b, const BeamPlacement<double>& at, LocalStiffness& H) {
  const int n = b.nodes;
  const ShapeTable& N = shape_table(n);
  for (int a = 0; a < n; ++a) {
    H.U_y[a].setZero(), H.U_Psi[a].setZero();
    for (int c = 0; c < n; ++c) H.yy[a][c].setZero(), H.yP[a][c].setZero(), H.PP[a][c].setZero();
  }
  for (int g = 0; g < b.points(); ++g) {
    const SectionPlace<double> p = section_at(b, N, g, at.y, at.Psi);
    double E[n_series];
    calc_series(p.Psi.squaredNorm(), E);
    const M3 O1 = operator_matrix<1>(E, p.Psi), O2 = operator_matrix<2>(E, p.Psi);
    const M3 D1 = operator_slope<1>(E, p.Psi, p.y_s), D2 = operator_slope<2>(E, p.Psi, p.Psi_s);
    const double w = b.weight[g];
    const Vec6<double> r = w * (resultants(b, strain_at(b, g, O1, O2, p)) + b.n0);
    const V3 force = r.head<3>(), moment = r.tail<3>();

    // B = ∂e/∂(y′, Ψ, Ψ′) = | O1 D1 0  |   h = w Bᵀ C B and the curvature of the strains under the resultants
    //                       | 0  D2 O2 |
    const M3 C_ff = w * b.C.topLeftCorner<3, 3>(), C_fm = w * b.C.topRightCorner<3, 3>(),
             C_mm = w * b.C.bottomRightCorner<3, 3>();
    const M3 f_y = C_ff * O1, f_P = C_ff * D1 + C_fm * D2, f_s = C_fm * O2;  // rows of C B
    const M3 m_P = C_fm.transpose() * D1 + C_mm * D2, m_s = C_mm * O2;
    const M3 h_yy = O1.transpose() * f_y, h_ys = O1.transpose() * f_s, h_ss = O2.transpose() * m_s;
    M3 h_yP = O1.transpose() * f_P, h_PP = D1.transpose() * f_P + D2.transpose() * m_P;
    M3 h_Ps = D1.transpose() * f_s + D2.transpose() * m_s;
    M3 by_Py = M3::Zero();
    add_second_derivatives<1>(E, p.Psi, p.y_s, force, h_PP, by_Py);
    add_second_derivatives<2>(E, p.Psi, p.Psi_s, moment, h_PP, h_Ps);
    h_yP += by_Py.transpose();

    const V3 by_y = O1.transpose() * force, by_slope = O2.transpose() * moment;
    const V3 by_Psi = D1.transpose() * force + D2.transpose() * moment;
    for (int a = 0; a < n; ++a) {
      const double Na = N[g][a], da = b.dN[g][a];
      H.U_y[a] += da * by_y;
      H.U_Psi[a] += Na * by_Psi + da * by_slope;
      const M3 row_P = Na * h_PP + da * h_Ps.transpose(), row_s = Na * h_Ps + da * h_ss;
      for (int c = 0; c < n; ++c) {
        const double Nc = N[g][c], dc = b.dN[g][c];
        H.yP[a][c] += (da * Nc) * h_yP + (da * dc) * h_ys;
        if (c < a) continue;
        H.yy[a][c] += (da * dc) * h_yy;
        H.PP[a][c] += Nc * row_P + dc * row_s;
      }
    }
  }
  for (int a = 0; a < n; ++a)
    for (int c = 0; c < a; ++c) H.yy[a][c] = H.yy[c][a].transpose(), H.PP[a][c] = H.PP[c][a].transpose();
}

}  // namespace

/// Derivatives of (10) by (d_a = Λ_rᵀδx_a, δβ_a, δρ), H the Hessian by (y, Ψ), g_a = U_{Ψ_a}:
///
///   (12)  δF_a = Σ_b H_yy d_b + H_yΨ T_b δβ_b + (X_a − F̂_a) δρ        in axes of Λ_r, which turn by δρ
///         δM_a = T_aᵀ δg_a + ∂(T_aᵀg_a)/∂Ψ δΨ_a
///         δc   = Σ_a F̂_a δy_a − ŷ_a δF_a − T_a δg_a − ∂(T_a g_a)/∂Ψ δΨ_a
///
/// with X = H (ŷ, −Tᵀ). Then δρ = A_I δβ_I + A_J δβ_J is put in, and the rows of c go to I and J.
void beam_stiffness(const BeamElement& b, const Frame<double>* f, Block6* K) {
  const int n = b.nodes;
  BeamPlacement<double> at;
  place(b, f, at);
  LocalStiffness H;
  calc_local(b, at, H);

  M3 T[max_nodes], y_hat[max_nodes], F_hat[max_nodes];
  for (int a = 0; a < n; ++a) {
    T[a] = inverse_right_jacobian(at.Psi[a]);
    y_hat[a] = hat<double>(at.y[a]);
    F_hat[a] = hat<double>(H.U_y[a]);
  }
  M3 d_beta[max_nodes][max_nodes], beta_beta[max_nodes][max_nodes];  // d_d is H.yy, beta_d the transpose of d_beta
  M3 d_rho[max_nodes], beta_rho[max_nodes], c_d[max_nodes], c_beta[max_nodes], c_rho = M3::Zero();
  V3 c = V3::Zero();
  for (int a = 0; a < n; ++a) {
    M3 X_y = M3::Zero(), X_P = M3::Zero();
    for (int i = 0; i < n; ++i) {
      X_y += H.yy[a][i] * y_hat[i] - H.yP[a][i] * T[i].transpose();
      X_P += H.yP[i][a].transpose() * y_hat[i] - H.PP[a][i] * T[i].transpose();
      d_beta[a][i] = H.yP[a][i] * T[i];
      if (i >= a) beta_beta[a][i] = T[a].transpose() * (H.PP[a][i] * T[i]);
      if (i > a) beta_beta[i][a] = beta_beta[a][i].transpose();
    }
    const V3& g = H.U_Psi[a];
    const M3 back = -inverse_right_jacobian_derivative(V3(-at.Psi[a]), g);  // ∂(Tᵀg)/∂Ψ, Tᵀ(Ψ) = T(−Ψ)
    const M3 forth = inverse_right_jacobian_derivative(at.Psi[a], g);
    beta_beta[a][a] += back * T[a];
    d_rho[a] = X_y - F_hat[a];
    beta_rho[a] = T[a].transpose() * X_P - back * T[a].transpose();
    c_d[a] = X_y.transpose() + F_hat[a];
    c_beta[a] = (X_P.transpose() - forth) * T[a];
    c_rho += F_hat[a] * y_hat[a] + forth * T[a].transpose() - y_hat[a] * X_y - T[a] * X_P;
    c -= at.y[a].cross(H.U_y[a]) + T[a] * g;
  }
  M3 beta_d[max_nodes][max_nodes];
  for (int a = 0; a < n; ++a)
    for (int i = 0; i < n; ++i) beta_d[a][i] = d_beta[i][a].transpose();

  const auto fold_columns = [&](int node, const M3& A) {
    for (int a = 0; a < n; ++a) d_beta[a][node] += d_rho[a] * A, beta_beta[a][node] += beta_rho[a] * A;
    c_beta[node] += c_rho * A;
  };
  const auto fold_rows = [&](int node, const M3& A) {
    for (int a = 0; a < n; ++a)
      beta_d[node][a] += A.transpose() * c_d[a], beta_beta[node][a] += A.transpose() * c_beta[a];
  };
  if (at.I == at.J) {
    fold_columns(at.I, M3::Identity());
    fold_rows(at.I, M3::Identity());
  } else {
    const double s = at.phi.squaredNorm(), tau = half_turn_coefficient(s);
    const M3 skew = (0.5 * tau) * hat<double>(at.phi);
    const M3 A_J = 0.5 * M3::Identity() + skew, A_I = 0.5 * M3::Identity() - skew;
    fold_columns(at.I, A_I), fold_columns(at.J, A_J);
    fold_rows(at.I, A_I), fold_rows(at.J, A_J);
    const V3 turned = at.phi.cross(c);
    const M3 Y = 0.5 * (half_turn_slope(s) * turned * at.phi.transpose() - tau * hat<double>(c));  // ∂(A_Iᵀc)/∂φ
    const M3 T_phi = inverse_right_jacobian(at.phi);
    const M3 by_J = Y * T_phi, by_I = Y * T_phi.transpose();  // δφ = T δβ_J − Tᵀ δβ_I
    beta_beta[at.I][at.J] += by_J, beta_beta[at.I][at.I] -= by_I;
    beta_beta[at.J][at.J] -= by_J, beta_beta[at.J][at.I] += by_I;
  }

  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Block6& block = K[i * n + j];
      block.topLeftCorner<3, 3>() = at.Lambda_r * (H.yy[i][j] * at.Lambda_r.transpose());
      block.topRightCorner<3, 3>() = at.Lambda_r * d_beta[i][j];
      block.bottomLeftCorner<3, 3>() = beta_d[i][j] * at.Lambda_r.transpose();
      block.bottomRightCorner<3, 3>() = beta_beta[i][j];
    }
  if (!b.offset) return;
  // (1): δx = δp − R ŝ δβ, δβ of the section = Qᵀδβ; moments on the frame are Q M + s × Rᵀf.
  M3 arm[max_nodes];
  for (int a = 0; a < n; ++a) arm[a] = f[a].R * hat<double>(V3(b.s[a]));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Block6& block = K[i * n + j];
      block.rightCols<3>() = (block.rightCols<3>() * b.Q[j].transpose() - block.leftCols<3>() * arm[j]).eval();
      block.bottomRows<3>() = (b.Q[i] * block.bottomRows<3>() - arm[i].transpose() * block.topRows<3>()).eval();
      if (i == j)
        block.bottomRightCorner<3, 3>() +=
            hat<double>(V3(b.s[i])) * hat<double>(V3(f[i].R.transpose() * (at.Lambda_r * H.U_y[i])));
    }
}

}  // namespace trammel
