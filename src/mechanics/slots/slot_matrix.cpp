// SPDX-License-Identifier: Apache-2.0
#include "slot_loads.h"

/// The matrix of a step: which entries it has, and their values.

namespace trammel {

namespace {

std::vector<int> make_table(const Pattern& pattern, const std::vector<int>& rows, const std::vector<int>& columns) {
  std::vector<int> slots;
  slots.reserve(rows.size() * columns.size());
  for (const int r : rows)
    for (const int c : columns) slots.push_back(r < 0 || c < 0 ? -1 : pattern.slot(r, c));
  return slots;
}

}  // namespace

void SlotSystem::build_pattern(Scratch& ws) const {
  const auto of_frame = [this](int f, std::vector<int>& list) {
    for (int i = 0; i < frames_[f].nv; ++i) list.push_back(v_j() + frames_[f].offset + i);
    for (int i = 0; i < frames_[f].nv; ++i) list.push_back(v_f() + frames_[f].offset + i);
  };
  const auto of_frames = [&](const std::vector<int>& frames) {
    std::vector<int> list;
    for (const int f : frames) of_frame(f, list);
    return list;
  };
  // rows and columns of an element are the same numbers
  std::vector<std::vector<int>> elements, masses, rows, contacts;
  for (const SlotElement& e : elements_) {
    std::vector<int>& list = elements.emplace_back(of_frames(e.frames));
    if (!e.has_unknowns()) continue;
    for (const int m : e.multiplier) list.push_back(m < 0 ? -1 : L_j() + m);
    for (const int m : e.multiplier) list.push_back(m < 0 ? -1 : L_f() + m);
  }
  for (const SlotMass& mass : masses_) masses.push_back(of_frames(mass.shape.frames));
  for (const FrameRowElement& e : frame_rows_) {
    std::vector<int>& list = rows.emplace_back();
    for (int i = 0; i < e.group->frames_per_element(); ++i) of_frame(e.group->frame(e.element, i), list);
    list.push_back(L_j() + e.multiplier), list.push_back(L_f() + e.multiplier);
  }
  for (const SlotContact& c : ws.contacts) contacts.push_back(of_frames({c.frame[0], c.frame[1]}));
  PatternBuilder builder(n(), n());
  builder.add_diagonal();
  for (int z = 0; z < nz(); ++z)
    for (const int r : {z_j() + z, z_f() + z})
      for (const int c : {z_j() + z, z_f() + z}) builder.add(r, c);
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const std::vector<int> own = of_frames({static_cast<int>(f)});
    builder.add_block(own, own);
  }
  for (const auto* lists : {&elements, &masses, &rows, &contacts})
    for (const std::vector<int>& list : *lists) builder.add_block(list, list);
  connect_loads(ws);
  for_each_load_block(
      ws.loads, [&](Loads::Pair&, const std::vector<int>& r, const std::vector<int>& c) { builder.add_block(r, c); });
  ws.version = ws.state.version;
  ws.pattern = builder.build(++ws.n_patterns);

  for (auto* tables : {&ws.frame_tables, &ws.element_tables, &ws.mass_tables, &ws.row_tables}) tables->clear();
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    const std::vector<int> own = of_frames({static_cast<int>(f)});
    ws.frame_tables.push_back({make_table(ws.pattern, own, own)});
  }
  for (const auto& list : elements) ws.element_tables.push_back({make_table(ws.pattern, list, list)});
  for (const auto& list : masses) ws.mass_tables.push_back({make_table(ws.pattern, list, list)});
  for (const auto& list : rows) ws.row_tables.push_back({make_table(ws.pattern, list, list)});
  for (std::size_t i = 0; i < contacts.size(); ++i)
    ws.contacts[i].slots = make_table(ws.pattern, contacts[i], contacts[i]);
  for_each_load_block(ws.loads, [&](Loads::Pair& pair, const std::vector<int>& r, const std::vector<int>& c) {
    pair.slots = make_table(ws.pattern, r, c);
  });
  ws.state_diagonal.clear();
  for (int z = 0; z < nz(); ++z)
    for (const int r : {z_j() + z, z_f() + z})
      for (const int c : {z_j() + z, z_f() + z}) ws.state_diagonal.push_back(ws.pattern.slot(r, c));
}

const Pattern& SlotSystem::pattern(const Workspace& workspace) const {
  return static_cast<const Scratch&>(workspace).pattern;
}

using detail::scatter;

Status SlotSystem::linearize(ConstVec y, std::span<double> values, Workspace& workspace) const {
  Scratch& ws = static_cast<Scratch&>(workspace);
  const SlotKernel::Step step = ws.step(reference_mass_);
  update(y, true, ws);
  std::fill(values.begin(), values.end(), 0.0);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    ws.kernel.update(elements_[i], ws.starts[i], ws.steps, step, y.data() + L_j(), y.data() + L_f(), true);
    ws.kernel.add_forces(ws.steps, ws.dropped.data() + L_j(), ws.dropped.data() + L_f());
    ws.kernel.calc_matrix(frames_, ws.steps);
    scatter(ws.kernel.matrix(), ws.element_tables[i].slots, values);
  }
  linearize_contacts(values, ws);
  const Eigen::Vector3d fall = ws.h * system_.gravity();
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const Eigen::Vector3d impulse =
        masses_[i].falls ? Eigen::Vector3d(masses_[i].mass * fall) : Eigen::Vector3d::Zero();
    ws.kernel.add_mass(masses_[i], ws.u_0[i], impulse, ws.steps, ws.u_j[i], ws.u_f[i]);
    ws.kernel.calc_mass_matrix(masses_[i], frames_, ws.steps);
    scatter(ws.kernel.matrix(), ws.mass_tables[i].slots, values);
  }
  // inertia of frames, and levers that turn: S_rowᵀ (dp × f) = (f × S_row)ᵀ dp
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 12, 12> block;
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrame& frame = frames_[f];
    const SlotFrameStep& x = ws.steps[f];
    const int nv = frame.nv;
    block.setZero(2 * nv, 2 * nv);
    if (frame.mass > 0.0) {
      const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6> M =
          frame.mass * frame.S_x.transpose() * frame.S_x;
      block.block(0, 0, nv, nv) = block.block(0, nv, nv, nv) = M;
      block.block(nv, 0, nv, nv) = -M;
      block.block(nv, nv, nv, nv) = M;
    }
    if (frame.turns) {
      block.topRows(nv) += x.dL_u + x.D_u;
      block.bottomRows(nv) += x.dL_u - x.D_u;
      for (int i = 1; i < 4; ++i)
        for (int r = 0; r < nv; ++r) {
          const Eigen::Vector3d axis = x.S_row.col(r);
          const Eigen::Vector3d a = x.force_j.segment<3>(3 * i), b = x.force_f.segment<3>(3 * i);
          block.row(r) += 2.0 * a.cross(axis).transpose() * x.lever_j_u.middleRows<3>(3 * i);
          block.row(nv + r) += 2.0 * b.cross(axis).transpose() * x.lever_f_u.middleRows<3>(3 * i);
        }
    }
    scatter(block, ws.frame_tables[f].slots, values);
  }
  for (int z = 0; z < nz(); ++z) {
    const double E = system_.E()[z];
    const int* slot = ws.state_diagonal.data() + 4 * z;
    values[slot[0]] += E, values[slot[1]] += E;
    values[slot[2]] -= E, values[slot[3]] += E;
  }
  linearize_frame_rows(y, values, ws);
  linearize_loads(y, values, ws);
  return Status::success();
}

}  // namespace trammel
