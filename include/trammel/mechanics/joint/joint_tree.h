// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/dae/types.h"
#include "trammel/mechanics/elements/frame.h"
#include "trammel/mechanics/elements/track.h"

namespace trammel {

/// What a joint of the tree lets its outer link do, relative to its *base* B (axes fixed in the inner link):
///
///   R_BL   orientation of the link L in B,   t_B  its origin in B,   z the joint's axis, z of B
enum class Mobility : std::uint8_t {
  fixed,        ///< 0: R_BL = I, t = 0
  revolute,     ///< 1: R_BL = Rz(q)
  prismatic,    ///< 1: t = z q
  screw,        ///< 1: R_BL = Rz(q), t = z q pitch/2π
  cylindrical,  ///< 2: R_BL = Rz(q₁), t = z q₂
  universal,    ///< 2: R_BL = Rz(q₁) C Rz(q₂), C: (x, y, z) → (y, z, x): the second axis is normal to the first
  planar,       ///< 3: t = (q₁, q₂, 0), R_BL = Rz(q₃)
  spherical,    ///< 3: R_BL = R_ref exp θ̂, v = ω of L against B in axes of L
  translation,  ///< 3: t = q; the link keeps its orientation (particles)
  free,         ///< 6: t = q₁…₃, R_BL = R_ref exp θ̂; v = (ṫ in axes of B, ω in axes of L)
  track,        ///< 6: (σ, y, z, ψ, φ, θ) in the section of a track at s = station + u(t) + σ; B is the world
  guided,       ///< 5: the same without σ
};
int freedoms(Mobility mobility);
/// Where the three chart coordinates start among the joint's own, or −1.
int chart_coordinate(Mobility mobility);

namespace detail {

/// Articulated inertia and bias force of a link and what hangs on it, (n, f) = IA (α, a) + (n₀, f₀):
///
///   IA = | A  B |    A, C symmetric (xx, xy, xz, yy, yz, zz), B by rows
///        | Bᵀ C |
struct ArticulatedBody {
  double A[6], B[9], C[6], n[3], f[3];
};
/// What the inward sweep leaves for the outward one, of a revolute link: U = IA s, 1/D = 1/(sᵀU), u = τ − sᵀp.
struct Pass {
  double c, s, V[6], U[6], D_inverse, u;
};
/// The same of a joint with 0 to 6 freedoms; R, r lead from the link's axes to its parent's.
struct GeneralPass {
  Mat3<double> R;
  Vec3<double> r;
  Eigen::Matrix<double, 6, 6> S, U, D_inverse;  ///< the leading n columns (and rows) are used
  Vec6<double> bias, u;
};

}  // namespace detail

/// A tree of rigid links with joints of 0 to 6 freedoms, in joint coordinates: kinematics and the O(N) formalisms.
///
///   residual   Φ = M(q) a + h(q, v) − Σ Jᵀw   recursive Newton and Euler, in world axes at the links' origins
///   explicit   a = M⁻¹(Σ Jᵀw − h)             articulated bodies, in axes of the links          [arnold2004 (9), (10)]
///   M          composite bodies
///
/// w are wrenches on the links' *frames* (origin at the centre of mass, axes of the body), so that elements never see
/// a joint. Gravity belongs to h. Links are numbered in preorder: a parent comes before its children, the links of a
/// subtree are neighbours, and along a chain each link follows its parent, so that recursions pass their sums on in
/// registers. Nothing allocates after `finish` and `make_memory`.
///
/// A *driven* joint with one freedom follows an input: q = u, v = u̇, a = ü, and has no coordinate (rheonomic).
class JointTree {
 public:
  struct Link {
    Mobility mobility = Mobility::fixed;
    int parent = -1;                                     ///< link; −1: the ground
    Eigen::Matrix3d R_PB = Eigen::Matrix3d::Identity();  ///< base in the parent's link axes (ground: world)
    Eigen::Vector3d p_PB = Eigen::Vector3d::Zero();      ///< its origin there
    Eigen::Matrix3d R_LF = Eigen::Matrix3d::Identity();  ///< the body's frame in the link's axes
    Eigen::Vector3d p_LF = Eigen::Vector3d::Zero();      ///< its origin: the centre of mass
    double mass = 0.0;                                   ///< [kg]
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();   ///< about the centre of mass, axes of the body's frame
    double lead = 0.0;                                   ///< screw: pitch/2π [m/rad]
    double zero = 0.0;                                   ///< prismatic, cylindrical: t·z at displacement 0
    int input = -1;                                      ///< driven: the function of time; −1: free
    int tag = -1;                                        ///< the caller's own number
    std::shared_ptr<const Track> track;                  ///< track, guided: t = C(s) + y y_T + (height + z) z_T,
    double station = 0.0, height = 0.0;                  ///< R_BL = Rz(Θ + ψ) Rx(φ) Ry(θ + u/r)
    double turns = 0.0;                                  ///< 1/r of what rolls [1/m]; 0: does not turn with u
    int travel = -1;                                     ///< the input u
    // Filled in by finish():
    int nv = 0, offset = 0, chart = -1, end = 0;  ///< coordinates; links [number, end) are its subtree
  };

  /// The links in any order, parents by position in the list. Reorders them; `tag` tells who is who.
  void finish(std::vector<Link> links, const Eigen::Vector3d& gravity);

  int size() const { return static_cast<int>(links_.size()); }
  int nv() const { return nv_; }
  const Link& link(int i) const { return links_[i]; }
  std::span<const Link> links() const { return links_; }
  std::span<const int> chart_offsets() const { return chart_offsets_; }
  const Eigen::Vector3d& gravity() const { return gravity_; }

  /// A freedom in world axes at the origin of its link: the link's twist is Σ (σ, ν) v.
  struct Freedom {
    Vec3<double> sigma, nu;
    Vec3<double> w_before, v_before;      ///< twist of what carries the freedom, at the same point
    Vec3<double> alpha_before, a_before;  ///< its rate there; after update_accelerations
  };
  /// Motion of a link in world axes: orientation, origin, twist of the origin, and its rate.
  struct Motion {
    Mat3<double> R;
    Vec3<double> p, w, v, alpha, a;
  };
  /// Inertia of a subtree frozen in its position, about the origin of its first link, in world axes.
  struct Composite {
    double m;
    Vec3<double> mc;
    Mat3<double> I;
  };
  /// What changes a freedom along a track besides its being moved: κ′ and how fast it goes.
  struct Travel {
    Vec3<double> C;  ///< the point of the track, in the world
    double dkappa, ddkappa, s_dot, s_ddot;
  };
  struct Memory {
    std::vector<Motion> motion;               ///< of links
    std::vector<Freedom> freedom;             ///< by coordinate
    std::vector<Vec3<double>> force, moment;  ///< accumulated on links, moment about the link's origin
    std::vector<Freedom> driven;              ///< of driven links, and σ of guided ones
    std::vector<Travel> travel;               ///< of links on tracks
    std::vector<Composite> composite;
    // Of the explicit formalism:
    std::vector<detail::Pass> pass;               ///< by link
    std::vector<detail::GeneralPass> general;     ///< of links that are not revolute
    std::vector<detail::ArticulatedBody> stored;  ///< sums of branches
  };
  Memory make_memory() const;

  /// Whether coordinate k of link i is the way along a track: the freedom itself changes with it.
  bool is_travel(int i, int k) const { return links_[i].mobility == Mobility::track && k == links_[i].offset; }
  /// The input whose rate does work on link i through its drive; −1: none.
  int drive_of(int i) const { return links_[i].mobility == Mobility::guided ? links_[i].travel : links_[i].input; }

  /// Orientation, position, twist and freedoms of all links.
  void update_motion(ConstVec q, ConstVec v, std::span<const Chart> charts, const Inputs& in, Memory& memory) const;
  /// Rates of the twists for accelerations a; after update_motion.
  void update_accelerations(ConstVec v, ConstVec a, const Inputs& in, Memory& memory) const;
  /// The frame of the link's body; after update_motion.
  Frame<double> calc_frame(int i, const Memory& memory) const;
  /// v̇ of the frame in world axes and ω̇ in body axes; after update_accelerations.
  std::pair<Vec3<double>, Vec3<double>> calc_frame_acceleration(int i, const Memory& memory) const;

  /// q and v of link i on its track from its pose and twist; turns are those nearest to what it has rolled.
  void set_track_coordinates(int i, const Mat3<double>& R, const Vec3<double>& p, const Vec3<double>& w,
                             const Vec3<double>& v, const Inputs& in, Vec q, Vec rate) const;

  /// Residual formalism: r = M a + h − Σ Jᵀw; after update_accelerations. `wrenches` by link, force in the world and
  /// moment in body axes about the frame's origin. memory.force, memory.moment: what each joint transmits to its link.
  void calc_newton_euler(std::span<const Wrench<double>> wrenches, Vec r, Memory& memory) const;
  /// r = −Σ Jᵀw alone; after update_motion.
  void project(std::span<const Wrench<double>> wrenches, Vec r, Memory& memory) const;

  /// Explicit formalism. `frames` are the links' frames and `wrenches` what acts on them; both empty: gravity only, and
  /// then update_motion is not needed; `tau` are forces on the coordinates themselves, empty: none. Fails where a
  /// freedom has no inertia; Status::row is its coordinate.
  Status accelerate(ConstVec q, ConstVec v, std::span<const Chart> charts, const Inputs& in,
                    std::span<const Frame<double>> frames, std::span<const Wrench<double>> wrenches, Vec a,
                    Memory& memory, std::span<const double> tau = {}) const;

  /// M(k, j) for every pair of coordinates of which one is inside the other's path; `put(k, j, value)` is called for
  /// k ≤ j. After update_motion.
  template <class Put>
  void calc_mass_matrix(Memory& memory, Put&& put) const;

  /// The coordinates between the ground and link i, outermost link first.
  template <class Visit>
  void along_path(int i, Visit&& visit) const {
    for (; i >= 0; i = links_[i].parent)
      for (int k = links_[i].nv - 1; k >= 0; --k) visit(links_[i].offset + k);
  }

 private:
  /// What the explicit formalism knows of a link. Revolute links turn about z of axes that follow from the parent's by
  /// Rz(α) Rx(β) and are chosen so that α = 0 for the first child: a turn costs 4 multiplications per vector.
  struct Fast {
    double ca = 1.0, sa = 0.0, cb = 1.0, sb = 0.0, angle = 0.0;    ///< R = Rz(α) Rx(β) Rz(q + angle)
    double r[3] = {0, 0, 0};                                       ///< p_PB in the parent's axes
    double m = 0.0, mc[3] = {0, 0, 0}, I[6] = {0, 0, 0, 0, 0, 0};  ///< mass, first and second moments about the origin
    int parent = -1, offset = 0, general = -1, store = -1;
    bool revolute = false, turned = false, inclined = false, is_first_stored = false;
  };
  /// The six freedoms of a link on a track, σ first.
  void find_track_freedoms(int i, Memory& memory, Freedom* (&s)[6]) const;
  void update_track_motion(int i, const double* q, const double* v, const Inputs& in, Memory& memory) const;
  /// a = nullptr: v̇ = 0.
  void update_track_accelerations(int i, const double* v, const double* a, const Inputs& in, Memory& memory) const;
  void prepare_fast();
  void order_links(std::vector<Link> links);
  void calc_composites(Memory& memory) const;

  std::vector<Link> links_;
  std::vector<Fast> fast_;
  std::vector<Eigen::Matrix3d> R_fast_;  // body frame in the axes of the explicit formalism, and its origin
  std::vector<Eigen::Vector3d> p_fast_;
  std::vector<Eigen::Matrix3d> R_base_;  // base in the parent's axes of the explicit formalism
  std::vector<int> chart_offsets_;
  Eigen::Vector3d gravity_ = Eigen::Vector3d::Zero();
  int nv_ = 0, n_general_ = 0, n_stores_ = 0;
};

// Column j of M is the wrench (n, f) = I_c s_j that moves the frozen subtree of j with a unit acceleration of j alone,
// felt by every freedom between j and the ground: M_kj = s_k·(n, f).
template <class Put>
void JointTree::calc_mass_matrix(Memory& memory, Put&& put) const {
  calc_composites(memory);
  for (int i = 0; i < size(); ++i) {
    const Composite& c = memory.composite[i];
    for (int j = links_[i].offset; j < links_[i].offset + links_[i].nv; ++j) {
      const Freedom& s = memory.freedom[j];
      const Vec3<double> f = c.m * s.nu + cross(s.sigma, c.mc);
      Vec3<double> n = c.I * s.sigma + cross(c.mc, s.nu);
      int last = j;
      for (int k = i; k >= 0; k = links_[k].parent) {
        for (; last >= links_[k].offset; --last) {
          const Freedom& t = memory.freedom[last];
          put(last, j, dot(t.sigma, n) + dot(t.nu, f));
        }
        if (links_[k].parent < 0) break;
        const int parent = links_[k].parent;
        n += cross(Vec3<double>(memory.motion[k].p - memory.motion[parent].p), f);
        last = links_[parent].offset + links_[parent].nv - 1;
      }
    }
  }
}

}  // namespace trammel
