// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "trammel/math/rotations.h"
#include "trammel/mechanics/joint/joint_tree.h"

// The explicit formalism: articulated bodies [Featherstone]. Twists are (ω, v) and wrenches (n, f) in the axes of a
// link at its origin. Three sweeps:
//
//   (1) outward:  V = X V_P + s v
//   (2) inward:   IA = I + Σ_children X*(IA − U D⁻¹ Uᵀ)X,   p = V ×* I V − w + Σ X*(p + Ia c + U D⁻¹ u)
//                 U = IA s,  D = sᵀU,  u = τ − sᵀp,  c = V × s v (+ the joint's own bias)
//   (3) outward:  a′ = X a_P + c,   v̇ = D⁻¹(u − Uᵀa′),   a = a′ + s v̇;   the ground accelerates with −g
//
// Nearly all joints of large machines are revolute: for them s = e_z, so U is a column of IA, the last row of Ia is
// zero, and X is a product of turns about z and x.

namespace trammel {

using detail::ArticulatedBody, detail::GeneralPass, detail::Pass;

namespace {

using V3 = Vec3<double>;
using Twist = Vec6<double>;

// x ← turn x in the plane of components (i, j): (c xᵢ − s xⱼ, s xᵢ + c xⱼ).
inline void turn(double c, double s, double& xi, double& xj) {
  const double i = xi, j = xj;
  xi = c * i - s * j;
  xj = s * i + c * j;
}

// R S Rᵀ for a turn about z (about x: other entries in the same order).
inline void turn_symmetric(double c, double s, double& ii, double& ij, double& jj, double& ik, double& jk) {
  const double cc = c * c, ss = s * s, cs = c * s, mixed = 2.0 * cs * ij, difference = ii - jj;
  const double new_ii = cc * ii - mixed + ss * jj, new_jj = ss * ii + mixed + cc * jj;
  ij = cs * difference + (cc - ss) * ij;
  ii = new_ii, jj = new_jj;
  turn(c, s, ik, jk);
}

inline void turn_z(double c, double s, ArticulatedBody& b) {
  turn_symmetric(c, s, b.A[0], b.A[1], b.A[3], b.A[2], b.A[4]);
  turn_symmetric(c, s, b.C[0], b.C[1], b.C[3], b.C[2], b.C[4]);
  for (int k = 0; k < 3; ++k) turn(c, s, b.B[k], b.B[3 + k]);
  for (int k = 0; k < 9; k += 3) turn(c, s, b.B[k], b.B[k + 1]);
  turn(c, s, b.n[0], b.n[1]);
  turn(c, s, b.f[0], b.f[1]);
}

inline void turn_x(double c, double s, ArticulatedBody& b) {
  turn_symmetric(c, s, b.A[3], b.A[4], b.A[5], b.A[1], b.A[2]);
  turn_symmetric(c, s, b.C[3], b.C[4], b.C[5], b.C[1], b.C[2]);
  for (int k = 0; k < 3; ++k) turn(c, s, b.B[3 + k], b.B[6 + k]);
  for (int k = 0; k < 9; k += 3) turn(c, s, b.B[k + 1], b.B[k + 2]);
  turn(c, s, b.n[1], b.n[2]);
  turn(c, s, b.f[1], b.f[2]);
}

// The same wrenches about an origin from which the old one stands at r:
//   B′ = B + r̂ C,   A′ = A + r̂ Bᵀ − B′ r̂,   n′ = n + r × f
inline void shift(const double* r, ArticulatedBody& b) {
  const double x = r[0], y = r[1], z = r[2];
  const double *C = b.C, *B = b.B;
  const double E[9] = {B[0] + y * C[2] - z * C[1], B[1] + y * C[4] - z * C[3], B[2] + y * C[5] - z * C[4],
                       B[3] + z * C[0] - x * C[2], B[4] + z * C[1] - x * C[4], B[5] + z * C[2] - x * C[5],
                       B[6] + x * C[1] - y * C[0], B[7] + x * C[3] - y * C[1], B[8] + x * C[4] - y * C[2]};
  b.A[0] += y * B[2] - z * B[1] - (E[1] * z - E[2] * y);
  b.A[1] += y * B[5] - z * B[4] - (E[2] * x - E[0] * z);
  b.A[2] += y * B[8] - z * B[7] - (E[0] * y - E[1] * x);
  b.A[3] += z * B[3] - x * B[5] - (E[5] * x - E[3] * z);
  b.A[4] += z * B[6] - x * B[8] - (E[3] * y - E[4] * x);
  b.A[5] += x * B[7] - y * B[6] - (E[6] * y - E[7] * x);
  for (int k = 0; k < 9; ++k) b.B[k] = E[k];
  b.n[0] += y * b.f[2] - z * b.f[1];
  b.n[1] += z * b.f[0] - x * b.f[2];
  b.n[2] += x * b.f[1] - y * b.f[0];
}

inline void add(const ArticulatedBody& from, ArticulatedBody& to) {
  for (int k = 0; k < 6; ++k) to.A[k] += from.A[k];
  for (int k = 0; k < 9; ++k) to.B[k] += from.B[k];
  for (int k = 0; k < 6; ++k) to.C[k] += from.C[k];
  for (int k = 0; k < 3; ++k) to.n[k] += from.n[k], to.f[k] += from.f[k];
}

// The link by itself: its inertia, and V ×* I V.
template <class Body>
inline void begin(const Body& body, const double* V, ArticulatedBody& b) {
  const double m = body.m, cx = body.mc[0], cy = body.mc[1], cz = body.mc[2];
  for (int k = 0; k < 6; ++k) b.A[k] = body.I[k];
  b.B[0] = 0.0, b.B[1] = -cz, b.B[2] = cy, b.B[3] = cz, b.B[4] = 0.0, b.B[5] = -cx, b.B[6] = -cy, b.B[7] = cx;
  b.B[8] = 0.0;
  b.C[0] = m, b.C[1] = 0.0, b.C[2] = 0.0, b.C[3] = m, b.C[4] = 0.0, b.C[5] = m;
  const double wx = V[0], wy = V[1], wz = V[2], vx = V[3], vy = V[4], vz = V[5];
  const double* I = body.I;
  // momentum l = m v + ω × m c, moment of momentum h = I ω + m c × v
  const double lx = m * vx + (wy * cz - wz * cy), ly = m * vy + (wz * cx - wx * cz), lz = m * vz + (wx * cy - wy * cx);
  const double hx = I[0] * wx + I[1] * wy + I[2] * wz + (cy * vz - cz * vy);
  const double hy = I[1] * wx + I[3] * wy + I[4] * wz + (cz * vx - cx * vz);
  const double hz = I[2] * wx + I[4] * wy + I[5] * wz + (cx * vy - cy * vx);
  b.n[0] = (wy * hz - wz * hy) + (vy * lz - vz * ly);
  b.n[1] = (wz * hx - wx * hz) + (vz * lx - vx * lz);
  b.n[2] = (wx * hy - wy * hx) + (vx * ly - vy * lx);
  b.f[0] = wy * lz - wz * ly;
  b.f[1] = wz * lx - wx * lz;
  b.f[2] = wx * ly - wy * lx;
}

// ---- joints of any kind --------------------------------------------------------------------------------------------

Mat6<double> to_matrix(const ArticulatedBody& b) {
  Mat6<double> I;
  static constexpr int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      I(i, j) = b.A[at[i][j]];
      I(3 + i, 3 + j) = b.C[at[i][j]];
      I(i, 3 + j) = I(3 + j, i) = b.B[3 * i + j];
    }
  return I;
}

Twist twist_of(const double* V) { return Eigen::Map<const Twist>(V); }

// Twist x of the parent, seen in the link's axes at the link's origin.
Twist to_link(const GeneralPass& g, const Twist& x) {
  const V3 w = x.head<3>(), v = x.tail<3>() + cross(w, g.r);
  Twist y;
  y << rotate_back(g.R, w), rotate_back(g.R, v);
  return y;
}

Twist cross_motion(const Twist& a, const Twist& b) {
  const V3 wa = a.head<3>(), va = a.tail<3>(), wb = b.head<3>(), vb = b.tail<3>();
  Twist c;
  c << cross(wa, wb), V3(cross(wa, vb) + cross(va, wb));
  return c;
}

// Position, freedoms S in axes of the link, own motion S v and its bias S̊ v (for driven joints with S ü).
Twist relative_motion(const JointTree::Link& link, const Mat3<double>& R_PB, const double* q, const double* v,
                      double acceleration, std::span<const Chart> charts, GeneralPass& g) {
  Mat3<double> R = Mat3<double>::Identity();
  V3 t = V3::Zero();
  g.S.setZero();
  Twist own_bias = Twist::Zero();
  const auto turn_about_z = [](double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    Mat3<double> Rz;
    Rz << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
    return Rz;
  };
  // Velocities in axes of B, which the link sees turn: their bias is −ω × (Rᵀ ṫ).
  const auto slide_in_base = [&](const V3& omega, int n) {
    V3 seen = V3::Zero();
    for (int k = 0; k < n; ++k) {
      g.S.block<3, 1>(3, k) = R.row(k).transpose();
      seen += R.row(k).transpose() * v[k];
    }
    own_bias.tail<3>() -= cross(omega, seen);
  };
  switch (link.mobility) {
    case Mobility::fixed:
      break;
    case Mobility::revolute:
      R = turn_about_z(q[0]);
      g.S(2, 0) = 1.0;
      break;
    case Mobility::prismatic:
      t.z() = link.zero + q[0];
      g.S(5, 0) = 1.0;
      break;
    case Mobility::screw:
      R = turn_about_z(q[0]);
      t.z() = link.zero + link.lead * q[0];
      g.S(2, 0) = 1.0, g.S(5, 0) = link.lead;
      break;
    case Mobility::cylindrical:
      R = turn_about_z(q[0]);
      t.z() = link.zero + q[1];
      g.S(2, 0) = 1.0, g.S(5, 1) = 1.0;
      break;
    case Mobility::universal: {
      Mat3<double> C;
      C << 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;
      const Mat3<double> outer = C * turn_about_z(q[1]);
      R = turn_about_z(q[0]) * outer;
      const V3 first = outer.row(2).transpose();  // the first axis as the link sees it
      g.S.block<3, 1>(0, 0) = first;
      g.S(2, 1) = 1.0;
      own_bias.head<3>() = -cross(V3(V3::UnitZ() * v[1]), V3(first * v[0]));
      break;
    }
    case Mobility::planar:
      R = turn_about_z(q[2]);
      t << q[0], q[1], 0.0;
      slide_in_base(V3::UnitZ() * v[2], 2);
      g.S(2, 2) = 1.0;
      break;
    case Mobility::spherical:
      R = charts[link.chart].R_ref * exp_so3(V3(q[0], q[1], q[2]));
      g.S.topLeftCorner<3, 3>().setIdentity();
      break;
    case Mobility::translation:
      t << q[0], q[1], q[2];
      slide_in_base(V3::Zero(), 3);
      break;
    case Mobility::free:
      R = charts[link.chart].R_ref * exp_so3(V3(q[3], q[4], q[5]));
      t << q[0], q[1], q[2];
      slide_in_base(V3(v[3], v[4], v[5]), 3);
      g.S.block<3, 3>(0, 3).setIdentity();
      break;
    case Mobility::track:
    case Mobility::guided:
      break;  // pass_on_track
  }
  g.R.noalias() = R_PB * R;
  g.r.noalias() = R_PB * t;
  Twist own = Twist::Zero();
  for (int k = 0; k < freedoms(link.mobility); ++k) own += g.S.col(k) * v[k];
  if (link.input >= 0) own_bias += g.S.col(0) * acceleration;
  g.bias = own_bias;
  return own;
}

// A link on a track, from its motion at v̇ = 0: freedoms, twist and spatial acceleration (α, a − ω × v) in its own axes.
Twist pass_on_track(const JointTree::Link& link, const JointTree::Motion& m, const JointTree::Freedom* s,
                    GeneralPass& g) {
  g.R = m.R, g.r = m.p;
  for (int k = 0; k < link.nv; ++k) g.S.col(k) << rotate_back(m.R, s[k].sigma), rotate_back(m.R, s[k].nu);
  g.bias << rotate_back(m.R, m.alpha), rotate_back(m.R, V3(m.a - cross(m.w, m.v)));
  Twist V;
  V << rotate_back(m.R, m.w), rotate_back(m.R, m.v);
  return V;
}

// X = D⁻¹ from D = L Lᵀ, column by column. Loops of known length: Eigen's templates for these six sizes take the
// compiler eight seconds and run no faster.
template <int N>
bool invert_definite(const double* D, double* X) {
  double L[N][N];
  for (int j = 0; j < N; ++j) {
    double pivot = D[j * N + j];
    for (int k = 0; k < j; ++k) pivot -= L[j][k] * L[j][k];
    if (!(pivot > 0.0)) return false;
    L[j][j] = std::sqrt(pivot);
    for (int i = j + 1; i < N; ++i) {
      double x = D[j * N + i];
      for (int k = 0; k < j; ++k) x -= L[i][k] * L[j][k];
      L[i][j] = x / L[j][j];
    }
  }
  for (int column = 0; column < N; ++column) {
    double* x = X + N * column;
    for (int i = 0; i < N; ++i) {
      double sum = i == column ? 1.0 : 0.0;
      for (int k = 0; k < i; ++k) sum -= L[i][k] * x[k];
      x[i] = sum / L[i][i];
    }
    for (int i = N - 1; i >= 0; --i) {
      double sum = x[i];
      for (int k = i + 1; k < N; ++k) sum -= L[k][i] * x[k];
      x[i] = sum / L[i][i];
    }
  }
  return true;
}

template <int N>
bool eliminate(const Mat6<double>& IA, const Twist& p, GeneralPass& g, Mat6<double>& Ia) {
  if constexpr (N == 0) {
    Ia = IA;
  } else {
    const Eigen::Matrix<double, 6, N> S = g.S.leftCols<N>();
    const Eigen::Matrix<double, 6, N> U = IA * S;
    const Eigen::Matrix<double, N, N> D = S.transpose() * U;
    Eigen::Matrix<double, N, N> D_inverse;
    if (!invert_definite<N>(D.data(), D_inverse.data())) return false;
    g.U.leftCols<N>() = U;
    g.D_inverse.topLeftCorner<N, N>() = D_inverse;
    g.u.head<N>() = -(S.transpose() * p);
    Ia.noalias() = IA - U * D_inverse * U.transpose();
  }
  return true;
}

// Inward through any joint: b becomes what the parent feels, in the parent's axes at its origin. `tau` may be null.
bool eliminate(int n, const double* tau, GeneralPass& g, ArticulatedBody& b) {
  const Mat6<double> IA = to_matrix(b);
  Twist p;
  p << b.n[0], b.n[1], b.n[2], b.f[0], b.f[1], b.f[2];
  Mat6<double> Ia;
  bool regular = true;
  switch (n) {
    case 0:
      regular = eliminate<0>(IA, p, g, Ia);
      break;
    case 1:
      regular = eliminate<1>(IA, p, g, Ia);
      break;
    case 2:
      regular = eliminate<2>(IA, p, g, Ia);
      break;
    case 3:
      regular = eliminate<3>(IA, p, g, Ia);
      break;
    case 5:
      regular = eliminate<5>(IA, p, g, Ia);
      break;
    default:
      regular = eliminate<6>(IA, p, g, Ia);
      break;
  }
  if (!regular) return false;
  for (int k = 0; k < n && tau != nullptr; ++k) g.u[k] += tau[k];
  p += Ia * g.bias;
  for (int k = 0; k < n; ++k) p += g.U.col(k) * g.D_inverse.row(k).head(n).dot(g.u.head(n));
  const Mat3<double> A = g.R * Ia.topLeftCorner<3, 3>() * g.R.transpose();
  const Mat3<double> B = g.R * Ia.topRightCorner<3, 3>() * g.R.transpose();
  const Mat3<double> C = g.R * Ia.bottomRightCorner<3, 3>() * g.R.transpose();
  const V3 moment = g.R * p.head<3>(), force = g.R * p.tail<3>();
  static constexpr int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k) b.A[k] = A(row[k], column[k]), b.C[k] = C(row[k], column[k]);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) b.B[3 * i + j] = B(i, j);
    b.n[i] = moment[i], b.f[i] = force[i];
  }
  shift(g.r.data(), b);
  return true;
}

}  // namespace

// ---- making ready --------------------------------------------------------------------------------------------------

// The axes of a revolute link may be turned about its own axis at will. With R_PB = Rz(α) Rx(β) Rz(γ) the angle γ is
// added to q, and turning the parent's axes by α makes α = 0 for one of its children: the first.
void JointTree::prepare_fast() {
  const std::size_t n = links_.size();
  fast_.assign(n, {});
  R_fast_.assign(n, Eigen::Matrix3d::Identity());
  R_base_.assign(n, Eigen::Matrix3d::Identity());
  p_fast_.assign(n, Eigen::Vector3d::Zero());
  n_general_ = n_stores_ = 0;
  std::vector<double> turned(n, 0.0);  // of the axes against those of the link
  const auto rotation_z = [](double angle) {
    return Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  };
  struct Angles {
    double alpha, beta, gamma;
  };
  const auto angles_of = [](const Eigen::Matrix3d& R) -> Angles {
    const double sine = std::hypot(R(0, 2), R(1, 2));  // |sin β|; z of B is (sin α sin β, −cos α sin β, cos β)
    if (sine < 1e-14) return {0.0, R(2, 2) > 0.0 ? 0.0 : std::numbers::pi, std::atan2(R(1, 0), R(0, 0))};
    double alpha = std::atan2(R(0, 2), -R(1, 2)), beta = std::atan2(sine, R(2, 2));
    if (std::cos(alpha) < -1e-9) alpha += alpha > 0.0 ? -std::numbers::pi : std::numbers::pi, beta = -beta;
    const Eigen::Matrix3d inclined =
        (Eigen::AngleAxisd(alpha, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(beta, Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    const Eigen::Matrix3d rest = inclined.transpose() * R;
    return {alpha, beta, std::atan2(rest(1, 0), rest(0, 0))};
  };
  std::vector<char> settled(n, 0);
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    const bool revolute = link.mobility == Mobility::revolute && link.input < 0;
    const int parent = link.parent;
    if (revolute && parent >= 0 && !settled[parent] && fast_[parent].revolute)
      turned[parent] = angles_of(link.R_PB).alpha;
    if (parent >= 0) settled[parent] = 1;
    fast_[i].revolute = revolute;
  }
  std::vector<char> has_children_elsewhere(n, 0);
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    Fast& fast = fast_[i];
    fast.parent = link.parent;
    fast.offset = link.offset;
    const Eigen::Matrix3d to_parent =
        link.parent >= 0 ? rotation_z(-turned[link.parent]) : Eigen::Matrix3d::Identity().eval();
    Eigen::Map<Eigen::Vector3d>(fast.r) = to_parent * link.p_PB;
    R_base_[i] = to_parent * link.R_PB;
    if (fast.revolute) {
      const Angles angles = angles_of(R_base_[i]);
      fast.inclined = std::abs(std::sin(angles.beta)) > 1e-15 || std::cos(angles.beta) < 0.0;
      fast.turned = std::abs(std::sin(angles.alpha)) > 1e-15 || std::cos(angles.alpha) < 0.0;
      if (fast.inclined) fast.cb = std::cos(angles.beta), fast.sb = std::sin(angles.beta);
      if (fast.turned) fast.ca = std::cos(angles.alpha), fast.sa = std::sin(angles.alpha);
      fast.angle = angles.gamma + turned[i];
    } else {
      fast.general = n_general_++;
    }
    const Eigen::Matrix3d axes = rotation_z(-turned[i]);
    R_fast_[i] = axes * link.R_LF;
    p_fast_[i] = axes * link.p_LF;
    const Eigen::Vector3d c = p_fast_[i];
    const Eigen::Matrix3d I = R_fast_[i] * link.inertia * R_fast_[i].transpose() +
                              link.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
    fast.m = link.mass;
    Eigen::Map<Eigen::Vector3d>(fast.mc) = link.mass * c;
    static constexpr int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) fast.I[k] = I(row[k], column[k]);
    // A child right behind its parent hands its sum over directly; others leave it in the parent's store.
    if (link.parent >= 0 && link.parent != i - 1) has_children_elsewhere[link.parent] = 1;
  }
  for (int i = 0; i < size(); ++i)
    if (has_children_elsewhere[i]) fast_[i].store = n_stores_++;
  std::vector<char> filled(n, 0);
  for (int i = size() - 1; i >= 0; --i) {
    const int parent = fast_[i].parent;
    if (parent < 0 || parent == i - 1) continue;
    fast_[i].is_first_stored = !filled[parent];
    filled[parent] = 1;
  }
}

// ---- the sweeps ----------------------------------------------------------------------------------------------------

Status JointTree::accelerate(ConstVec q, ConstVec v, std::span<const Chart> charts, const Inputs& in,
                             std::span<const Frame<double>> frames, std::span<const Wrench<double>> wrenches, Vec a,
                             Memory& memory, std::span<const double> tau) const {
  static constexpr double resting[6] = {0, 0, 0, 0, 0, 0};
  const int n = size();
  Pass* const passes = memory.pass.data();
  // (1)
  for (int i = 0; i < n; ++i) {
    const Fast& fast = fast_[i];
    Pass& pass = passes[i];
    const double* P = fast.parent >= 0 ? passes[fast.parent].V : resting;
    if (!fast.revolute) {
      const Link& link = links_[i];
      GeneralPass& g = memory.general[fast.general];
      if (link.track) {
        update_track_motion(i, q.data(), v.data(), in, memory);
        update_track_accelerations(i, v.data(), nullptr, in, memory);
        Eigen::Map<Twist>(pass.V) = pass_on_track(link, memory.motion[i], memory.freedom.data() + link.offset, g);
        continue;
      }
      const bool driven = link.input >= 0;
      const Twist own = relative_motion(link, R_base_[i], driven ? &in.u[link.input] : q.data() + fast.offset,
                                        driven ? &in.ud[link.input] : v.data() + fast.offset,
                                        driven ? in.udd[link.input] : 0.0, charts, g);
      g.r += Eigen::Map<const V3>(fast.r);
      const Twist V = to_link(g, twist_of(P)) + own;
      g.bias += cross_motion(V, own);
      Eigen::Map<Twist>(pass.V) = V;
      continue;
    }
    const double angle = q[fast.offset] + fast.angle;
    const double c = std::cos(angle), s = std::sin(angle);
    const double* r = fast.r;
    double wx = P[0], wy = P[1], wz = P[2];
    double vx = P[3] + wy * r[2] - wz * r[1], vy = P[4] + wz * r[0] - wx * r[2], vz = P[5] + wx * r[1] - wy * r[0];
    if (fast.turned) turn(fast.ca, -fast.sa, wx, wy), turn(fast.ca, -fast.sa, vx, vy);
    if (fast.inclined) turn(fast.cb, -fast.sb, wy, wz), turn(fast.cb, -fast.sb, vy, vz);
    pass.c = c, pass.s = s;
    pass.V[0] = c * wx + s * wy, pass.V[1] = c * wy - s * wx, pass.V[2] = wz + v[fast.offset];
    pass.V[3] = c * vx + s * vy, pass.V[4] = c * vy - s * vx, pass.V[5] = vz;
  }
  // (2)
  ArticulatedBody b{}, carried{};
  bool carries = false;
  for (int i = n - 1; i >= 0; --i) {
    const Fast& fast = fast_[i];
    Pass& pass = passes[i];
    begin(fast, pass.V, b);
    if (!wrenches.empty()) {
      const V3 force = R_fast_[i] * rotate_back(frames[i].R, wrenches[i].force);
      const V3 moment = R_fast_[i] * wrenches[i].moment + cross(p_fast_[i], force);
      for (int k = 0; k < 3; ++k) b.n[k] -= moment[k], b.f[k] -= force[k];
    }
    if (carries) add(carried, b);
    if (fast.store >= 0) add(memory.stored[fast.store], b);
    if (fast.revolute) {
      const double D = b.A[5];
      if (!(D > 0.0)) return Status::recoverable(Cause::singular_matrix, fast.offset);
      const double D_inverse = 1.0 / D, load = tau.empty() ? 0.0 : tau[fast.offset], u = load - b.n[2],
                   rate = v[fast.offset];
      double* const U = pass.U;
      U[0] = b.A[2], U[1] = b.A[4], U[2] = D, U[3] = b.B[6], U[4] = b.B[7], U[5] = b.B[8];
      pass.D_inverse = D_inverse, pass.u = u;
      if (fast.parent < 0) {
        carries = false;
        continue;
      }
      // Ia = IA − U D⁻¹ Uᵀ: the last row of A and B vanishes.
      const double k0 = U[0] * D_inverse, k1 = U[1] * D_inverse, k3 = U[3] * D_inverse, k4 = U[4] * D_inverse,
                   k5 = U[5] * D_inverse;
      b.A[0] -= U[0] * k0, b.A[1] -= U[0] * k1, b.A[3] -= U[1] * k1;
      b.A[2] = b.A[4] = b.A[5] = 0.0;
      b.B[0] -= U[0] * k3, b.B[1] -= U[0] * k4, b.B[2] -= U[0] * k5;
      b.B[3] -= U[1] * k3, b.B[4] -= U[1] * k4, b.B[5] -= U[1] * k5;
      b.B[6] = b.B[7] = b.B[8] = 0.0;
      b.C[0] -= U[3] * k3, b.C[1] -= U[3] * k4, b.C[2] -= U[3] * k5;
      b.C[3] -= U[4] * k4, b.C[4] -= U[4] * k5, b.C[5] -= U[5] * k5;
      // p + Ia c + U D⁻¹ u with c = V × e_z v
      const double c0 = pass.V[1] * rate, c1 = -pass.V[0] * rate, c3 = pass.V[4] * rate, c4 = -pass.V[3] * rate;
      b.n[0] += b.A[0] * c0 + b.A[1] * c1 + b.B[0] * c3 + b.B[1] * c4 + k0 * u;
      b.n[1] += b.A[1] * c0 + b.A[3] * c1 + b.B[3] * c3 + b.B[4] * c4 + k1 * u;
      b.n[2] = load;  // n + U D⁻¹ u along the axis
      b.f[0] += b.B[0] * c0 + b.B[3] * c1 + b.C[0] * c3 + b.C[1] * c4 + k3 * u;
      b.f[1] += b.B[1] * c0 + b.B[4] * c1 + b.C[1] * c3 + b.C[3] * c4 + k4 * u;
      b.f[2] += b.B[2] * c0 + b.B[5] * c1 + b.C[2] * c3 + b.C[4] * c4 + k5 * u;
      turn_z(pass.c, pass.s, b);
      if (fast.inclined) turn_x(fast.cb, fast.sb, b);
      if (fast.turned) turn_z(fast.ca, fast.sa, b);
      shift(fast.r, b);
    } else {
      GeneralPass& g = memory.general[fast.general];
      if (!eliminate(links_[i].nv, tau.empty() ? nullptr : tau.data() + fast.offset, g, b))
        return Status::recoverable(Cause::singular_matrix, fast.offset);
    }
    carries = fast.parent == i - 1 && fast.parent >= 0;
    if (carries)
      carried = b;
    else if (fast.parent >= 0 && fast.is_first_stored)
      memory.stored[fast_[fast.parent].store] = b;
    else if (fast.parent >= 0)
      add(b, memory.stored[fast_[fast.parent].store]);
  }
  // (3): V becomes the acceleration
  const double ground[6] = {0, 0, 0, -gravity_.x(), -gravity_.y(), -gravity_.z()};
  for (int i = 0; i < n; ++i) {
    const Fast& fast = fast_[i];
    Pass& pass = passes[i];
    const double* P = fast.parent >= 0 ? passes[fast.parent].V : ground;
    if (!fast.revolute) {
      GeneralPass& g = memory.general[fast.general];
      Twist acceleration = to_link(g, twist_of(P)) + g.bias;
      const int nf = links_[i].nv;
      Twist rest = Twist::Zero();
      for (int k = 0; k < nf; ++k) rest[k] = g.u[k] - g.U.col(k).dot(acceleration);
      for (int k = 0; k < nf; ++k) {
        const double rate = g.D_inverse.row(k).head(nf).dot(rest.head(nf));
        a[fast.offset + k] = rate;
        acceleration += g.S.col(k) * rate;
      }
      Eigen::Map<Twist>(pass.V) = acceleration;
      continue;
    }
    const double* r = fast.r;
    const double c = pass.c, s = pass.s, rate = v[fast.offset];
    double wx = P[0], wy = P[1], wz = P[2];
    double vx = P[3] + wy * r[2] - wz * r[1], vy = P[4] + wz * r[0] - wx * r[2], vz = P[5] + wx * r[1] - wy * r[0];
    if (fast.turned) turn(fast.ca, -fast.sa, wx, wy), turn(fast.ca, -fast.sa, vx, vy);
    if (fast.inclined) turn(fast.cb, -fast.sb, wy, wz), turn(fast.cb, -fast.sb, vy, vz);
    double* const V = pass.V;
    const double* U = pass.U;
    const double a0 = c * wx + s * wy + V[1] * rate, a1 = c * wy - s * wx - V[0] * rate;
    const double a3 = c * vx + s * vy + V[4] * rate, a4 = c * vy - s * vx - V[3] * rate;
    const double result =
        (pass.u - (U[0] * a0 + U[1] * a1 + U[2] * wz + U[3] * a3 + U[4] * a4 + U[5] * vz)) * pass.D_inverse;
    a[fast.offset] = result;
    V[0] = a0, V[1] = a1, V[2] = wz + result, V[3] = a3, V[4] = a4, V[5] = vz;
  }
  return Status::success();
}

}  // namespace trammel
