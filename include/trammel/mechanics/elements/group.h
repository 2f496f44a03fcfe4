// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trammel/dae/second_order_dae.h"
#include "trammel/mechanics/elements/directors.h"
#include "trammel/mechanics/elements/frame.h"

namespace trammel {

/// Elements first … last − 1 of a group.
struct ElementRange {
  int first = 0, last = std::numeric_limits<int>::max();  ///< behind the end: all the rest
  template <class Element>
  std::span<const Element> of(const std::vector<Element>& all) const {
    const std::size_t begin = static_cast<std::size_t>(first);
    return std::span(all).subspan(begin, std::min(all.size(), static_cast<std::size_t>(last)) - begin);
  }
};

/// Everything an element may see at an instant.
struct KinematicState {
  std::span<const Frame<double>> frames;  ///< 0 is the ground
  Inputs in;                              ///< functions of time
  std::span<const double> lam;            ///< multipliers of all rows (dropped rows: 0)
  std::span<const double> z;              ///< internal states
  std::span<const double> turns;          ///< predicted angle per branch
  std::span<const int> modes{};           ///< of the group that is called: as they were at the last accepted step
  /// Values that are found where frames are recorded and nowhere else (Assembly::recorded); empty: elsewhere.
  std::span<const double> recorded{};
  /// Of the group that is called, if it is divisible: which of its elements are asked for; the others do nothing.
  ElementRange elements{};
};

/// A function of the motion whose zeros are kinks of a force, and its rate of change.
struct SwitchValue {
  double value = 0.0, rate = 0.0;
};

using Block6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Row6 = Eigen::Matrix<double, 1, 6>;

/// Frame-level sparsity: which pairs (frame, frame), (row, frame), … elements touch. Elements register in a fixed
/// order and keep only the returned slots; −1 means that nothing is stored there (the ground, a dropped row).
class Connectivity {
 public:
  virtual ~Connectivity() = default;
  virtual int pair(int frame_i, int frame_j) = 0;  ///< block of M, D, K, K_lam
  virtual int row(int row, int frame) = 0;         ///< of G, Gv_q
  virtual int reaction(int frame, int row) = 0;    ///< of f_lam
  virtual int state_force(int frame, int z) = 0;   ///< of f_z
  virtual int state_rate(int z, int frame) = 0;    ///< of g_q, g_v
  virtual int state_state(int z, int other) = 0;   ///< of g_z
  virtual int state_lam(int z, int row) = 0;       ///< of g_lam
};

/// 6×6 blocks by slot. A block that no element touched is zero and costs a byte: neither clearing nor reading the plane
/// looks at it. Of the four planes of a contact's pairs two stay untouched, and all where the surfaces are apart.
class BlockPlane {
 public:
  void resize(std::size_t n) {
    blocks_.assign(n, Block6::Zero());
    touched_.assign(n, 0);
  }
  std::size_t size() const { return blocks_.size(); }
  void clear() {
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      if (touched_[k] != 0) blocks_[k].setZero(), touched_[k] = 0;
  }
  Block6& operator[](std::size_t slot) {
    touched_[slot] = 1;
    return blocks_[slot];
  }
  const Block6& operator[](std::size_t slot) const { return blocks_[slot]; }
  bool touched(std::size_t slot) const { return touched_[slot] != 0; }
  /// Lets a block come nearer that will be read soon.
  void prefetch(std::size_t slot) const {
    const char* block = reinterpret_cast<const char*>(&blocks_[slot]);
    for (std::size_t byte = 0; byte < sizeof(Block6); byte += 64) __builtin_prefetch(block + byte);
  }
  /// Reads a block for the last time: it is cleared while it is at hand.
  Block6 take(std::size_t slot) {
    const Block6 block = blocks_[slot];
    blocks_[slot].setZero(), touched_[slot] = 0;
    return block;
  }

 private:
  std::vector<Block6> blocks_;
  std::vector<std::uint8_t> touched_;
};

/// Frame-level planes, one entry per slot; derivatives are by the increments (δp world, δβ body) and twists of frames.
struct FramePlanes {
  BlockPlane M, D, K, K_lam;
  std::vector<Row6> G, Gv_q;
  std::vector<Row6> f_lam, f_z, g_q, g_v;  ///< f_lam, f_z: column vectors stored as rows
  std::vector<double> g_z, g_lam;
};

/// All elements of one kind, in contiguous storage. The only virtual calls of an evaluation: a handful, one per kind.
/// Signs: the motion row is M v̇ + Gᵀλ − f, so applied forces are *subtracted* from it; planes are derivatives of the
/// row.
class ElementGroup {
 public:
  virtual ~ElementGroup() = default;
  virtual std::string_view kind() const = 0;
  virtual int size() const = 0;

  /// Registers what the elements touch; slots are appended in the group's own order.
  virtual void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const = 0;

  /// true: forces, constraints, their rates and planes can be asked of some elements alone (KinematicState::elements),
  /// by several threads at once as long as their elements share no frame.
  virtual bool divisible() const { return false; }
  /// Of a divisible group: calls visit(frame) for each frame of an element, the ground included.
  virtual void visit_frames(int /*element*/, const std::function<void(int)>& /*visit*/) const {}

  /// wrench[frame] += applied force; rates[z] = g.
  virtual void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double> /*g*/) const {}
  /// phi[row] = Φ − u (or A v + a − u of nonholonomic rows); wrench[frame] −= Gᵀλ.
  virtual void add_constraints(const KinematicState&, std::span<double>, std::span<Wrench<double>>) const {}
  /// The same and the velocity level in one pass: also phi_dot[row], and mu_wrench[frame] −= Gᵀμ of holonomic rows.
  virtual void add_stabilized_constraints(const KinematicState&, std::span<const double> /*mu*/,
                                          std::span<double> /*phi*/, std::span<double> /*phi_dot*/,
                                          std::span<Wrench<double>> /*wrench*/,
                                          std::span<Wrench<double>> /*mu_wrench*/) const {}
  /// phi_dot[row] = G v − u̇ (or A v + a − u), bias[row] = d/dt of it without the term G v̇.
  virtual void calc_velocity_level(const KinematicState&, std::span<double>, std::span<double>) const {}
  /// Φ̇ alone, for groups in which it is cheaper than with its bias; `scratch` has a place for every row as well.
  virtual void calc_rates(const KinematicState& state, std::span<double> phi_dot, std::span<double> scratch) const {
    calc_velocity_level(state, phi_dot, scratch);
  }
  virtual void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const = 0;

  /// Stored energy [J], and the power [W] that the non-conservative part of the forces brings into the system.
  virtual double potential(const KinematicState&) const { return 0.0; }
  virtual double power(const KinematicState&) const { return 0.0; }
  /// Whether the forces are functions of time that only their values tell of: a user's own law.
  virtual bool has_own_clock() const { return false; }
  /// Why forces of this group are not finite, if it is known; asked only when they are not.
  virtual Cause find_cause(const KinematicState&) const { return Cause::none; }

  /// Functions of the motion at whose zeros forces have a kink or jump: steps end there. They see frames, inputs and
  /// turns.
  virtual int n_switches() const { return 0; }
  virtual void calc_switches(const KinematicState&, std::span<SwitchValue>) const {}

  /// true: rows are the same anywhere along a track and at any turn about the axle, so that of a track joint only the
  /// coordinates y, z, ψ and φ enter them.
  virtual bool ignores_travel() const { return false; }

  /// Modes of unilateral elements, updated once per accepted step; true: connect() must be called again.
  virtual int n_modes() const { return 0; }
  virtual bool update_modes(const KinematicState&, std::span<int>) const { return false; }

  /// Of groups that a kind of joint or force brought with it: what the energy-decaying scheme makes of them.
  const std::optional<Directors>& directors() const { return directors_; }
  void set_directors(const Directors& directors) { directors_ = directors; }

 private:
  std::optional<Directors> directors_;
};

/// Rows a group of constraints contributes, for reports: reaction wrench on each frame of one element, −rowsᵀλ.
class ConstraintElements : public ElementGroup {
 public:
  virtual bool holonomic() const = 0;
  virtual int rows_per_element() const = 0;
  virtual int frames_per_element() const = 0;
  virtual int frame(int element, int local) const = 0;
  virtual int first_row(int element) const = 0;
  /// The wrench that element e exerts on its local frame, given that element's multipliers.
  virtual Wrench<double> reaction(int e, const Frame<double>* local, const double* lam, int local_frame) const = 0;
  virtual Wrench<Dual<6>> reaction(int e, const Frame<Dual<6>>* local, const Dual<6>* lam, int local_frame) const = 0;
};

/// A residual that is not finite, with the reason if a group knows it.
inline Status with_cause(Status status, std::span<const std::unique_ptr<ElementGroup>> groups,
                         const KinematicState& k) {
  if (status.ok()) return status;
  for (const auto& group : groups)
    if (const Cause cause = group->find_cause(k); cause != Cause::none) status.cause = cause;
  return status;
}

inline void add(Wrench<double>& to, const Wrench<double>& w) {
  to.force += w.force;
  to.moment += w.moment;
}
inline void subtract(Wrench<double>& from, const Wrench<double>& w) {
  from.force -= w.force;
  from.moment -= w.moment;
}
inline double power_of(const Wrench<double>& w, const Frame<double>& f) { return w.force.dot(f.v) + w.moment.dot(f.w); }

/// block(row, column) −= ∂w_row/∂seed_column
inline void subtract_derivative(const Wrench<Dual<6>>& w, Block6& block) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 6; ++k) {
      block(i, k) -= w.force[i].d[k];
      block(3 + i, k) -= w.moment[i].d[k];
    }
}

}  // namespace trammel
