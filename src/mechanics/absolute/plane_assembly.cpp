// SPDX-License-Identifier: Apache-2.0
#include "plane_assembly.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "shared_groups.h"

namespace trammel::detail {

namespace {

std::uint64_t key(int i, int j) { return (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint32_t>(j); }

// Sᵢᵀ B Sⱼ; the leading nvᵢ × nvⱼ part is meaningful.
Block6 project(const FrameMap& fi, const Block6& B, const FrameMap& fj) {
  Block6 mapped = B;
  if (fi.kind == FrameMap::Kind::planar && fj.kind == FrameMap::Kind::planar) {  // S = diag(E, axis)
    const auto E_i = fi.S.topLeftCorner<3, 2>(), E_j = fj.S.topLeftCorner<3, 2>();
    mapped.topLeftCorner<2, 2>() = E_i.transpose() * (B.topLeftCorner<3, 3>() * E_j).eval();
    mapped.block<2, 1>(0, 2) = E_i.transpose() * (B.topRightCorner<3, 3>() * fj.axis()).eval();
    mapped.block<1, 2>(2, 0) = (fi.axis().transpose() * B.bottomLeftCorner<3, 3>()).eval() * E_j;
    mapped(2, 2) = fi.axis().dot(B.bottomRightCorner<3, 3>() * fj.axis());
    return mapped;
  }
  if (fi.kind == FrameMap::Kind::planar) mapped.topRows<3>() = (fi.S.transpose() * B).eval();
  if (fj.kind == FrameMap::Kind::planar) mapped.leftCols<3>() = (mapped * fj.S).eval();
  return mapped;
}

Row6 project(const Row6& row, const FrameMap& f) {
  if (f.kind != FrameMap::Kind::planar) return row;
  Row6 mapped = Row6::Zero();
  mapped.head<2>() = row.head<3>() * f.S.topLeftCorner<3, 2>();
  mapped[2] = row.tail<3>().dot(f.axis());
  return mapped;
}

}  // namespace

class PlaneAssembly::Builder final : public Connectivity {
 public:
  Builder(const AbsoluteSystem& system, PlaneAssembly& assembly) : system_(system), assembly_(assembly) {}

  int pair(int i, int j) override { return moves(i) && moves(j) ? find(pair_, assembly_.pairs_, i, j) : -1; }
  int row(int row, int frame) override {
    const int active = system_.active_row(row);
    return active >= 0 && moves(frame) ? find(row_, assembly_.rows_, active, frame) : -1;
  }
  int reaction(int frame, int row) override {
    const int active = system_.active_row(row);
    return active >= 0 && moves(frame) ? find(reaction_, assembly_.reactions_, frame, active) : -1;
  }
  int state_force(int frame, int z) override {
    return moves(frame) ? find(state_force_, assembly_.state_forces_, frame, z) : -1;
  }
  int state_rate(int z, int frame) override {
    return moves(frame) ? find(state_rate_, assembly_.state_rates_, z, frame) : -1;
  }
  int state_state(int z, int other) override { return find(state_state_, assembly_.state_states_, z, other); }
  int state_lam(int z, int row) override {
    const int active = system_.active_row(row);
    return active >= 0 ? find(state_lam_, assembly_.state_lams_, z, active) : -1;
  }

 private:
  using Index = std::unordered_map<std::uint64_t, int>;
  bool moves(int frame) const { return system_.frame_map(frame).nv > 0; }
  static int find(Index& index, std::vector<Entry>& entries, int i, int j) {
    const auto [it, is_new] = index.try_emplace(key(i, j), static_cast<int>(entries.size()));
    if (is_new) entries.push_back({i, j, 0});
    return it->second;
  }

  const AbsoluteSystem& system_;
  PlaneAssembly& assembly_;
  Index pair_, row_, reaction_, state_force_, state_rate_, state_state_, state_lam_;
};

void PlaneAssembly::rebuild(const AbsoluteSystem& system, const State& state) {
  version_ = state.version;
  for (auto* entries : {&pairs_, &rows_, &reactions_, &state_forces_, &state_rates_, &state_states_, &state_lams_})
    entries->clear();
  column_slots_.clear();
  slots_.assign(system.groups().size(), {});

  Builder builder(system, *this);
  for (int f = 0; f < system.n_frames(); ++f) builder.pair(f, f);  // every coordinate has its diagonal
  for (int z = 0; z < system.nz(); ++z) builder.state_state(z, z);
  int mode = 0;
  for (std::size_t g = 0; g < system.groups().size(); ++g) {
    const ElementGroup& group = *system.groups()[g];
    group.connect(std::span(state.modes).subspan(mode, group.n_modes()), builder, slots_[g]);
    mode += group.n_modes();
  }

  // Collects the pattern of one family of entries, then looks the slots up. The rows of a frame are all present and
  // neighbours in a column, so one slot per column is enough.
  const auto build = [&](std::vector<Entry>& entries, bool rows_are_frames, bool columns_are_frames, int n_rows,
                         int n_cols) {
    const auto span_of = [&](bool is_frame, int index) {
      const FrameMap* f = is_frame ? &system.frame_map(index) : nullptr;
      return f ? std::pair(f->offset, f->nv) : std::pair(index, 1);
    };
    PatternBuilder pattern(n_rows, n_cols);
    for (const Entry& e : entries) {
      const auto [row, height] = span_of(rows_are_frames, e.i);
      const auto [column, width] = span_of(columns_are_frames, e.j);
      for (int c = 0; c < width; ++c)
        for (int r = 0; r < height; ++r) pattern.add(row + r, column + c);
    }
    Pattern built = pattern.build(version_ + 1);
    for (Entry& e : entries) {
      const auto [row, height] = span_of(rows_are_frames, e.i);
      const auto [column, width] = span_of(columns_are_frames, e.j);
      e.first_slot = static_cast<int>(column_slots_.size());
      for (int c = 0; c < width; ++c) column_slots_.push_back(built.slot(row, column + c));
    }
    return built;
  };
  const int nv = system.nv(), nz = system.nz(), nc = system.nc();
  patterns_.version = version_ + 1;
  patterns_.motion = build(pairs_, true, true, nv, nv);
  by_column_.resize(pairs_.size());
  std::iota(by_column_.begin(), by_column_.end(), 0);
  std::sort(by_column_.begin(), by_column_.end(),
            [&](int k, int l) { return std::pair(pairs_[k].j, pairs_[k].i) < std::pair(pairs_[l].j, pairs_[l].i); });
  patterns_.constraint = build(rows_, false, true, nc, nv);
  patterns_.reaction = build(reactions_, true, false, nv, nc);
  patterns_.state_force = build(state_forces_, true, false, nv, nz);
  patterns_.state_rate = build(state_rates_, false, true, nz, nv);
  patterns_.state_state = build(state_states_, false, false, nz, nz);
  patterns_.state_lam = build(state_lams_, false, false, nz, nc);
  hinge_slots_ = system.planar_hinges().make_slots(patterns_);

  for (auto* plane : {&frame_.M, &frame_.D, &frame_.K, &frame_.K_lam}) plane->resize(pairs_.size());
  for (auto* plane : {&frame_.G, &frame_.Gv_q}) plane->resize(rows_.size());
  frame_.f_lam.resize(reactions_.size());
  frame_.f_z.resize(state_forces_.size());
  for (auto* plane : {&frame_.g_q, &frame_.g_v}) plane->resize(state_rates_.size());
  frame_.g_z.resize(state_states_.size());
  frame_.g_lam.resize(state_lams_.size());
}

void PlaneAssembly::clear(PlaneSet set) {
  const auto zero = [](auto& plane) {
    for (auto& entry : plane) entry = {};
  };
  const auto zero_matrices = [](auto& plane) {
    share(static_cast<long>(plane.size()), 8 * shared_blocks, [&](long first, long last) {
      for (long k = first; k < last; ++k) plane[k].setZero();
    });
  };
  if (contains(set, PlaneSet::M)) frame_.M.clear();
  if (contains(set, PlaneSet::D)) frame_.D.clear();
  if (contains(set, PlaneSet::K)) frame_.K.clear();
  if (contains(set, PlaneSet::K_lam)) frame_.K_lam.clear();
  if (contains(set, PlaneSet::G)) zero_matrices(frame_.G);
  if (contains(set, PlaneSet::Gv_q)) zero_matrices(frame_.Gv_q);
  if (contains(set, PlaneSet::f_lam)) zero_matrices(frame_.f_lam);
  if (contains(set, PlaneSet::internal)) {
    zero_matrices(frame_.f_z), zero_matrices(frame_.g_q), zero_matrices(frame_.g_v);
    zero(frame_.g_z), zero(frame_.g_lam);
  }
}

void PlaneAssembly::gather(const AbsoluteSystem& system, PlaneSet set, MotionPlanes& planes) {
  planes.adopt(patterns_);
  // Pairs, (row, frame) … are registered once each: every entry of a pattern belongs to exactly one of them.
  const auto put_blocks = [&](BlockPlane& from, std::vector<double>& to) {
    constexpr long ahead = 6;  // blocks lie as elements registered them, anywhere in memory
    share(static_cast<long>(by_column_.size()), shared_blocks, [&](long first, long last) {
      for (long next = first; next < last; ++next) {
        if (next + ahead < last) from.prefetch(by_column_[next + ahead]);
        const int k = by_column_[next];
        const FrameMap &fi = system.frame_map(pairs_[k].i), &fj = system.frame_map(pairs_[k].j);
        const int* slots = column_slots_.data() + pairs_[k].first_slot;
        if (!from.touched(k)) {
          for (int c = 0; c < fj.nv; ++c) std::fill_n(to.data() + slots[c], fi.nv, 0.0);
          continue;
        }
        const Block6 B = project(fi, from.take(k), fj);
        for (int c = 0; c < fj.nv; ++c)
          for (int r = 0; r < fi.nv; ++r) to[slots[c] + r] = B(r, c);
      }
    });
  };
  const auto put_rows = [&](const std::vector<Entry>& entries, const std::vector<Row6>& from, std::vector<double>& to) {
    share(static_cast<long>(entries.size()), 4 * shared_blocks, [&](long first, long last) {
      for (long k = first; k < last; ++k) {
        const FrameMap& f = system.frame_map(entries[k].j);
        const Row6 row = project(from[k], f);
        for (int c = 0; c < f.nv; ++c) to[column_slots_[entries[k].first_slot + c]] = row[c];
      }
    });
  };
  const auto put_columns = [&](const std::vector<Entry>& entries, const std::vector<Row6>& from,
                               std::vector<double>& to) {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const FrameMap& f = system.frame_map(entries[k].i);
      const Row6 column = project(from[k], f);
      for (int r = 0; r < f.nv; ++r) to[column_slots_[entries[k].first_slot] + r] = column[r];
    }
  };
  const auto put_numbers = [&](const std::vector<Entry>& entries, const std::vector<double>& from,
                               std::vector<double>& to) {
    for (std::size_t k = 0; k < entries.size(); ++k) to[column_slots_[entries[k].first_slot]] = from[k];
  };
  if (contains(set, PlaneSet::M)) put_blocks(frame_.M, planes.M);
  if (contains(set, PlaneSet::D)) put_blocks(frame_.D, planes.D);
  if (contains(set, PlaneSet::K)) put_blocks(frame_.K, planes.K);
  if (contains(set, PlaneSet::K_lam) && system.nc() > 0) put_blocks(frame_.K_lam, planes.K_lam);  // else zero for ever
  if (contains(set, PlaneSet::G)) put_rows(rows_, frame_.G, planes.G);
  if (contains(set, PlaneSet::Gv_q)) put_rows(rows_, frame_.Gv_q, planes.Gv_q);
  if (contains(set, PlaneSet::f_lam)) put_columns(reactions_, frame_.f_lam, planes.f_lam);
  if (contains(set, PlaneSet::internal)) {
    put_columns(state_forces_, frame_.f_z, planes.f_z);
    put_rows(state_rates_, frame_.g_q, planes.g_q);
    put_rows(state_rates_, frame_.g_v, planes.g_v);
    put_numbers(state_states_, frame_.g_z, planes.g_z);
    put_numbers(state_lams_, frame_.g_lam, planes.g_lam);
  }
}

}  // namespace trammel::detail
