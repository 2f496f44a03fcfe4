// SPDX-License-Identifier: Apache-2.0
#include "slot_scratch.h"

/// Rows on velocities that are no rates (rolling, knife edges), from the elements' own kernels: with the row g of the
/// frame's twist at the end (at the old position for j)
///
///   r_f = Σ g_f·(v_f, w_f) = 0,   r_j = Σ g_j·(v_j, w_j) = 0,   impulses g_f hΛ_f, g_j hΛ_j
///
/// so that they do no work. We ask r_f + r_j = 0 and r_f − r_j = 0 like those of other rows.
///
/// Rows on positions that are no functions of few quadratics (the place on a track, the profiles of wheels and rails)
/// are taken in the same way, and asked for
///
///   2/h Φ(z_f) = 0,   ṙ_f − ṙ_j = 0,   ṙ = r + Φ_u u̇.
///
/// h (r_j + r_f)/2 is Φ_f − Φ_0 but for O(h³): what they do is −h (Λ_f r_f + Λ_j r_j), small, and counted as supplied.

namespace trammel {

using detail::increment_of, detail::rows_of, detail::scatter, detail::twist_of;
using detail::Small, detail::ToRows, detail::ToTwist;

namespace {

constexpr int max_frames = 6, max_rows = 6;

struct Gathered {
  int n = 0;
  int frame[max_frames] = {};
  Frame<double> at[max_frames];
};

// The row of the kernel: minus the reaction of a unit multiplier.
template <class S>
Wrench<S> unit_row(const ConstraintElements& group, int element, int row, const Frame<S>* at, int local) {
  S lam[max_rows];
  for (int i = 0; i < max_rows; ++i) lam[i] = S(i == row ? -1.0 : 0.0);
  return group.reaction(element, at, lam, local);
}

Gathered gather(const ConstraintElements& group, int element, std::span<const SlotFrameStep> steps, bool at_f) {
  Gathered g;
  g.n = group.frames_per_element();
  for (int i = 0; i < g.n; ++i) {
    g.frame[i] = group.frame(element, i);
    g.at[i] = at_f ? steps[g.frame[i]].at_f : steps[g.frame[i]].at_j;
  }
  return g;
}

double along(const Wrench<double>& row, const Frame<double>& at, const Eigen::Vector3d& w) {
  return row.force.dot(at.v) + (at.R * row.moment).dot(w);
}

}  // namespace

// r at one of the points.
double SlotSystem::rate_of(const FrameRowElement& e, bool at_f, const Scratch& ws) const {
  const Gathered g = gather(*e.group, e.element, ws.steps, at_f);
  double rate = 0.0;
  for (int a = 0; a < g.n; ++a) {
    const SlotFrameStep& x = ws.steps[g.frame[a]];
    if (frames_[g.frame[a]].nv > 0)
      rate += along(unit_row(*e.group, e.element, e.row, g.at, a), g.at[a], at_f ? x.w_f : x.w_j);
  }
  return rate;
}

// Φ at the end, and at frames that stand still Φ̇ = Φ_u u̇.
void SlotSystem::update_curved_rows(ConstVec y, Scratch& ws) const {
  Loads& loads = ws.loads;
  const std::size_t n = static_cast<std::size_t>(system_.n_rows());
  for (auto* x : {&loads.phi, &loads.drift_j, &loads.drift_f, &loads.dropped}) x->resize(n);
  loads.dropped_force.resize(frames_.size());
  for (const bool at_f : {false, true}) {
    std::vector<Frame<double>>& frames = at_f ? loads.frames_f : loads.frames_j;
    for (std::size_t f = 1; f < frames_.size(); ++f) frames[f] = at_f ? ws.steps[f].at_f : ws.steps[f].at_j;
    loads.still = frames;
    for (Frame<double>& f : loads.still) f.v.setZero(), f.w.setZero();
    KinematicState k = load_point(y, at_f, ws);
    const ConstraintElements* last = nullptr;
    for (const FrameRowElement& e : frame_rows_) {
      if (e.group == last || !e.group->holonomic()) continue;
      last = e.group;
      if (at_f) e.group->add_constraints(k, loads.phi, loads.dropped_force);
      KinematicState stands = k;
      stands.frames = loads.still;
      e.group->calc_velocity_level(stands, at_f ? loads.drift_f : loads.drift_j, loads.dropped);
    }
  }
}

void SlotSystem::add_frame_rows(ConstVec y, Vec r, Scratch& ws) const {
  if (has_curved_rows_) update_curved_rows(y, ws);
  for (const FrameRowElement& e : frame_rows_) {
    double rate[2] = {0.0, 0.0};
    for (const bool at_f : {false, true}) {
      const Gathered g = gather(*e.group, e.element, ws.steps, at_f);
      const double L = y[(at_f ? L_f() : L_j()) + e.multiplier];
      for (int a = 0; a < g.n; ++a) {
        const SlotFrame& frame = frames_[g.frame[a]];
        const SlotFrameStep& x = ws.steps[g.frame[a]];
        if (frame.nv == 0) continue;
        const Wrench<double> row = unit_row(*e.group, e.element, e.row, g.at, a);
        rate[at_f ? 1 : 0] += along(row, g.at[a], at_f ? x.w_f : x.w_j);
        Vec6<double> wrench;
        wrench << row.force, row.moment;
        r.segment((at_f ? v_f() : v_j()) + frame.offset, frame.nv) += 2.0 * L * rows_of(frame, x, at_f) * wrench;
      }
    }
    r[L_j() + e.multiplier] = rate[1] + rate[0];
    r[L_f() + e.multiplier] = rate[1] - rate[0];
    if (!e.group->holonomic()) continue;
    const std::size_t row = static_cast<std::size_t>(e.group->first_row(e.element) + e.row);
    r[L_j() + e.multiplier] = 2.0 / ws.h * ws.loads.phi[row];
    r[L_f() + e.multiplier] += ws.loads.drift_f[row] - ws.loads.drift_j[row];
  }
}

void SlotSystem::linearize_frame_rows(ConstVec y, std::span<double> values, Scratch& ws) const {
  // rows and columns: (j, f) of each frame, then L_j, L_f
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 12 * max_frames + 2, 12 * max_frames + 2>
      block;
  for (std::size_t i = 0; i < frame_rows_.size(); ++i) {
    const FrameRowElement& e = frame_rows_[i];
    int first[max_frames + 1] = {0};
    const int n = e.group->frames_per_element();
    for (int a = 0; a < n; ++a) first[a + 1] = first[a] + 2 * frames_[e.group->frame(e.element, a)].nv;
    const int nc = first[n];
    block.setZero(nc + 2, nc + 2);
    const bool curved = e.group->holonomic();
    const auto add_rate = [&](bool at_f, int column, const auto& row) {  // to r_f + r_j and r_f − r_j
      if (!curved) block.row(nc).segment(column, row.cols()) += row;
      block.row(nc + 1).segment(column, row.cols()) += (at_f ? 1.0 : -1.0) * row;
    };
    for (const bool at_f : {false, true}) {
      const Gathered g = gather(*e.group, e.element, ws.steps, at_f);
      const double L = y[(at_f ? L_f() : L_j()) + e.multiplier];
      for (int a = 0; a < n; ++a) {
        const SlotFrame& frame = frames_[g.frame[a]];
        const SlotFrameStep& x = ws.steps[g.frame[a]];
        const int nv = frame.nv, own = first[a] + (at_f ? nv : 0);
        if (nv == 0) continue;
        const Wrench<double> row = unit_row(*e.group, e.element, e.row, g.at, a);
        Vec6<double> wrench;
        wrench << row.force, row.moment;
        const ToRows rows = rows_of(frame, x, at_f);
        block.col(nc + (at_f ? 1 : 0)).segment(own, nv) += 2.0 * rows * wrench;
        // by v, and by w
        const Small by_v = row.force.transpose() * frame.S_x;
        const Eigen::Vector3d moment_w = g.at[a].R * row.moment;
        const Small by_w = moment_w.transpose() * (at_f ? x.w_f_u : x.w_j_u);
        add_rate(at_f, own, by_v);
        add_rate(at_f, first[a], by_w);
        if (!at_f) continue;
        const ToTwist increment = increment_of(frame, x, ws.h);
        const Small moved = 2.0 / ws.h * wrench.transpose() * increment;
        for (const int column : {first[a], first[a] + nv})
          if (curved) block.row(nc).segment(column, nv) += moved;
        if (!frame.turns) continue;
        // the moment turns with the frame
        const Eigen::Matrix3d turned = -g.at[a].R * hat<double>(row.moment);
        const Small rate_part = x.w_f.transpose() * turned * increment.bottomRows<3>();
        const Small force_part = 2.0 * L * x.S_row.transpose() * turned * increment.bottomRows<3>();
        for (const int column : {first[a], first[a] + nv}) {
          add_rate(true, column, rate_part);
          block.block(own, column, nv, nv) += force_part;
        }
      }
      if (!at_f) continue;
      // the kernel's row changes with every frame's position at the end
      Frame<Dual<6>> lifted[max_frames];
      for (int a = 0; a < n; ++a) lifted[a] = lift<Dual<6>>(g.at[a]);
      for (int b = 0; b < n; ++b) {
        const SlotFrame& moved = frames_[g.frame[b]];
        if (moved.nv == 0) continue;
        lifted[b] = seed_position(g.at[b]);
        const ToTwist increment = increment_of(moved, ws.steps[g.frame[b]], ws.h);
        Row6 rate_by = Row6::Zero();
        for (int a = 0; a < n; ++a) {
          const SlotFrame& frame = frames_[g.frame[a]];
          if (frame.nv == 0) continue;
          const SlotFrameStep& x = ws.steps[g.frame[a]];
          const Wrench<Dual<6>> row = unit_row(*e.group, e.element, e.row, lifted, a);
          Mat6<double> change;
          for (int k = 0; k < 6; ++k)
            for (int c = 0; c < 3; ++c) change(c, k) = row.force[c].d[k], change(3 + c, k) = row.moment[c].d[k];
          rate_by +=
              g.at[a].v.transpose() * change.topRows<3>() + x.w_f.transpose() * g.at[a].R * change.bottomRows<3>();
          const Small force_part = 2.0 * L * rows_of(frame, x, true) * change * increment;
          for (const int column : {first[b], first[b] + moved.nv})
            block.block(first[a] + frame.nv, column, frame.nv, moved.nv) += force_part;
        }
        const Small rate_part = rate_by * increment;
        for (const int column : {first[b], first[b] + moved.nv}) add_rate(true, column, rate_part);
        lifted[b] = lift<Dual<6>>(g.at[b]);
      }
    }
    scatter(block, ws.row_tables[i].slots, values);
  }
}

}  // namespace trammel
