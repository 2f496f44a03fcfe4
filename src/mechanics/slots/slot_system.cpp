// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/slots/slot_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "slot_scratch.h"
#include "trammel/mechanics/elements/wheel_rail.h"

namespace trammel {

namespace {

// Functions of time are read a little after the start of a step: at a kink, as they go on.
double after(double t) { return t + 8.0 * std::numeric_limits<double>::epsilon() * (1.0 + std::abs(t)); }

SlotFrame make_slot_frame(const FrameMap& map) {
  SlotFrame frame;
  frame.offset = map.offset, frame.nv = map.nv;
  frame.mass = map.mass, frame.inertia = map.inertia;
  frame.S_x.setZero(3, map.nv), frame.S_w.setZero(3, map.nv);
  switch (map.kind) {
    case FrameMap::Kind::rigid:
      frame.S_x.leftCols<3>().setIdentity();
      frame.S_w.rightCols<3>().setIdentity();
      frame.turns = true;
      break;
    case FrameMap::Kind::planar:
      frame.S_x = map.S.topRows<3>();
      frame.S_w = map.S.bottomRows<3>();
      frame.turns = true;
      break;
    case FrameMap::Kind::particle:
      frame.S_x.setIdentity();
      break;
    case FrameMap::Kind::scalar:
      frame.S_x(0, 0) = 1.0;
      break;
    case FrameMap::Kind::ground:
      break;
  }
  return frame;
}

// The mean over the step by Simpson's rule.
void average(const InputBuffer& a, const InputBuffer& m, const InputBuffer& b, std::vector<double>& mean) {
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (a.u[i] + 4.0 * m.u[i] + b.u[i]) / 6.0;
}

}  // namespace

SlotSystem::SlotSystem(const AbsoluteSystem& system, std::span<const Frame<double>> drawn)
    : system_(system), drawn_(drawn) {
  double mass = 0.0;
  int n_masses = 0;
  for (int f = 0; f < system.n_frames(); ++f) {
    frames_.push_back(make_slot_frame(system.frame_map(f)));
    if (frames_.back().mass > 0.0) mass += frames_.back().mass, ++n_masses;
  }
  if (n_masses > 0) reference_mass_ = mass / n_masses;
  for (std::size_t g = 0; g < system.groups().size(); ++g) {
    const ElementGroup& group = *system.groups()[g];
    if (group.size() == 0) continue;
    if (group.directors())
      add_own(g, *group.directors());
    else if (const auto* contacts = dynamic_cast<const ContactGroup*>(&group)) {
      contact_groups_.push_back(g);
      const auto is_load = [](const ContactGroup::Law& law) {
        const FrictionLaw& friction = law.law.friction;
        return friction.has_bristles() || friction.resists_turning() ||
               law.law.normal.kind == NormalLaw::Kind::foundation;
      };
      const auto runs = [](const ContactGroup::Geometry& geometry) { return !geometry.belt.isZero(0.0); };
      if (std::ranges::any_of(contacts->laws(), is_load) || std::ranges::any_of(contacts->geometry(), runs))
        load_groups_.push_back(g);  // for those places
    } else if (dynamic_cast<const ConstraintElements*>(&group)) {
      add_constraints(group);
      if (dynamic_cast<const WheelRailGroup*>(&group)) load_groups_.push_back(g);  // creep
    } else if (!add_springs(group))
      load_groups_.push_back(g);
  }
  drawn_ = {};
  make_layout();
}

// Elements that came with a kind of joint or force: as the kind says.
void SlotSystem::add_own(std::size_t g, const Directors& directors) {
  const ElementGroup& group = *system_.groups()[g];
  const auto* rows = dynamic_cast<const ConstraintElements*>(&group);
  if (directors.form == Directors::Form::load && rows == nullptr)
    load_groups_.push_back(g);
  else if (directors.make != nullptr)
    directors.make(*this, group);
  else if (rows != nullptr && !rows->holonomic())
    take_frame_rows(*rows);
  else
    throw InputError(
        fmt::format("elements of the kind '{}' have no form in which the energy-decaying scheme keeps their "
                    "law; choose another integrator",
                    group.kind()));
}

SlotSystem::~SlotSystem() = default;

void SlotSystem::add_mass(SlotMass mass) { masses_.push_back(std::move(mass)); }

void SlotSystem::add_element(SlotElement element) { elements_.push_back(std::move(element)); }

int SlotSystem::add_stress(const std::string& owner) {
  const int number = new_stress(owner);
  make_layout();
  return number;
}

int SlotSystem::new_stress(const std::string& owner) {
  stress_owner_.push_back(owner);
  return n_multipliers() - 1;
}

void SlotSystem::make_layout() {
  std::vector<Kind> kinds;
  kinds.insert(kinds.end(), 2 * nv(), Kind::velocity);
  kinds.insert(kinds.end(), 2 * nz(), Kind::internal);
  kinds.insert(kinds.end(), 2 * n_multipliers(), Kind::multiplier);
  static constexpr const char* when[2] = {"after the jump", "at the end"};
  // Unknown or row i as (kind, number, first or second).
  const auto multiplier = [this](int m) {
    return m < system_.nc() ? system_.describe_constraint(m) : stress_owner_[m - system_.nc()];
  };
  const auto unknown = [this, multiplier](int i) {
    if (i < 2 * nv()) return fmt::format("rate of {}, {}", system_.describe_coordinate(i % nv()), when[i / nv()]);
    i -= 2 * nv();
    if (i < 2 * nz()) return fmt::format("{}, {}", system_.describe_state(i % nz()), when[i / nz()]);
    i -= 2 * nz();
    return fmt::format("multiplier of {}, {}", multiplier(i % n_multipliers()), when[i / n_multipliers()]);
  };
  const auto row = [this, multiplier](int i) {
    if (i < 2 * nv()) return fmt::format("{}, {}", system_.describe_motion_row(i % nv()), when[i / nv()]);
    i -= 2 * nv();
    if (i < 2 * nz()) return fmt::format("{}, {}", system_.describe_state(i % nz()), when[i / nz()]);
    i -= 2 * nz();
    return fmt::format("{}{}", multiplier(i % n_multipliers()), i < n_multipliers() ? "" : ", its rate");
  };
  layout_ = Layout(std::move(kinds), unknown, row);
}

int SlotSystem::n_memory() const { return nv() + 3 * static_cast<int>(masses_.size()) + 2 * n_multipliers(); }

std::unique_ptr<Workspace> SlotSystem::make_workspace() const {
  auto ws = std::make_unique<Scratch>();
  ws->absolute = system_.make_workspace();
  ws->steps.resize(frames_.size());
  ws->starts.resize(elements_.size());
  for (auto* u : {&ws->u_0, &ws->u_j, &ws->u_f}) u->resize(masses_.size(), Eigen::Vector3d::Zero());
  ws->turns.resize(system_.branches().size());
  for (Eigen::VectorXd* x : {&ws->q_0, &ws->v_0}) x->setZero(nv());
  ws->z_0.setZero(nz());
  for (Eigen::VectorXd* x : {&ws->Lambda_j, &ws->Lambda_f}) x->setZero(n_multipliers());
  ws->dropped.setZero(n());
  for (InputBuffer* in : {&ws->in_0, &ws->in_m, &ws->in_f}) system_.calc_inputs(0.0, *in);
  ws->u_mean.assign(ws->in_0.u.size(), 0.0);
  Loads& loads = ws->loads;
  for (auto* frames : {&loads.frames_j, &loads.frames_f}) {
    frames->resize(frames_.size());
    Frame<double>& ground = (*frames)[0];
    ground.R.setIdentity();
    ground.p.setZero(), ground.v.setZero(), ground.w.setZero();
  }
  for (auto* force : {&loads.force_j, &loads.force_f, &loads.bow}) force->resize(frames_.size());
  for (auto* lam : {&loads.lam_j, &loads.lam_f}) lam->assign(system_.n_rows(), 0.0);
  loads.turns_f.assign(system_.branches().size(), 0.0);
  for (auto* g : {&loads.g_j, &loads.g_f, &loads.g_bow}) g->assign(nz(), 0.0);
  return ws;
}

// ---- a step --------------------------------------------------------------------------------------------------------

void SlotSystem::calc_memory(const MotionVariables& from, const State& state, Vec memory, Workspace& workspace) const {
  const int nm = n_multipliers(), n_masses = static_cast<int>(masses_.size());
  memory.setZero();
  memory.head(nv()) = from.v;
  // Masses move as their frames do; stresses are those of the strains.
  Scratch& ws = static_cast<Scratch&>(workspace);
  system_.calc_inputs(from.t, ws.in_0);
  const KinematicState k = system_.update_kinematics(from.point(ws.in_0.view()), state, *ws.absolute);
  for (std::size_t f = 0; f < frames_.size(); ++f) ws.steps[f].begin(frames_[f], k.frames[f]);
  for (int i = 0; i < n_masses; ++i) {
    Eigen::Vector3d u = Eigen::Vector3d::Zero();
    const double* weight = masses_[i].shape.weights.data();
    for (const int f : masses_[i].shape.frames) {
      const Frame<double>& frame = k.frames[f];
      const Eigen::Vector3d s(weight[1], weight[2], weight[3]);
      u += weight[0] * frame.v + frame.R * frame.w.cross(s);
      weight += 4;
    }
    memory.segment<3>(nv() + 3 * i) = u;
  }
  auto Lambda = memory.tail(2 * nm);
  for (int i = 0; i < system_.nc(); ++i) Lambda[i] = Lambda[nm + i] = 0.5 * from.lam[i];
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const SlotElement& e = elements_[i];
    if (e.law != SlotElement::Law::elastic) continue;
    SlotKernel::begin(e, ws.steps, k.turns, ws.starts[i]);
    const Eigen::VectorXd stress = e.K * ws.starts[i].e_0;
    for (int j = 0; j < e.n_functions(); ++j) Lambda[e.multiplier[j]] = Lambda[nm + e.multiplier[j]] = 0.5 * stress[j];
  }
}

Status SlotSystem::begin(const MotionVariables& from, ConstVec memory, const State& state, Workspace& workspace) const {
  Scratch& ws = static_cast<Scratch&>(workspace);
  const int nm = n_multipliers();
  ws.state = state;
  if (ws.version != state.version) {
    list_contacts(ws);
    build_pattern(ws);
  }
  ws.t_0 = from.t;
  ws.q_0 = from.q, ws.z_0 = from.z;
  ws.v_0 = memory.head(nv());
  for (std::size_t i = 0; i < masses_.size(); ++i) ws.u_0[i] = memory.segment<3>(nv() + 3 * static_cast<int>(i));
  ws.Lambda_j = memory.segment(memory.size() - 2 * nm, nm);
  ws.Lambda_f = memory.tail(nm);

  system_.calc_inputs(after(from.t), ws.in_0);
  const MotionPoint p{from.t, ws.in_0.view(), from.q, ws.v_0, from.a, from.z, from.zp, from.lam};
  const KinematicState k = system_.update_kinematics(p, state, *ws.absolute);
  std::copy(k.turns.begin(), k.turns.end(), ws.turns.begin());
  for (std::size_t f = 0; f < frames_.size(); ++f) ws.steps[f].begin(frames_[f], k.frames[f]);
  for (std::size_t i = 0; i < elements_.size(); ++i) SlotKernel::begin(elements_[i], ws.steps, ws.turns, ws.starts[i]);
  for (const std::size_t g : contact_groups_)
    for (SlotContact& c : ws.contacts)  // the speed of an impact may be new
      if (c.group == &*system_.groups()[g])
        c.normal = c.group->normal_law(c.place, detail::modes_of(system_, g, ws.state));
  for (SlotContact& c : ws.contacts) c.begin(ws.steps);

  ws.kinetic_0 = ws.potential_0 = 0.0;
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const Frame<double>& at = ws.steps[f].start;
    ws.kinetic_0 += 0.5 * frames_[f].mass * at.v.squaredNorm() + 0.5 * at.w.dot(frames_[f].inertia * at.w);
    ws.potential_0 -= frames_[f].mass * system_.gravity().dot(at.p);
  }
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    ws.kinetic_0 += 0.5 * masses_[i].mass * ws.u_0[i].squaredNorm();
    if (!masses_[i].falls) continue;
    const double* weight = masses_[i].shape.weights.data();
    for (const int f : masses_[i].shape.frames)
      for (int s = 0; s < 4; ++s)
        ws.potential_0 -= *weight++ * masses_[i].mass * system_.gravity().dot(ws.steps[f].z_0.segment<3>(3 * s));
  }
  for (std::size_t i = 0; i < elements_.size(); ++i)
    ws.potential_0 += SlotKernel::calc_potential(elements_[i], ws.starts[i].e_0);
  for (const SlotContact& c : ws.contacts) ws.potential_0 += c.calc_potential_start();
  return Status::success();
}

void SlotSystem::resize(double h, double curvature, double t_inputs, Workspace& workspace) const {
  Scratch& ws = static_cast<Scratch&>(workspace);
  ws.h = h, ws.curvature = curvature;
  system_.calc_inputs(t_inputs, ws.in_f);
  system_.calc_inputs(ws.t_0 + 0.5 * h, ws.in_m);
  average(ws.in_0, ws.in_m, ws.in_f, ws.u_mean);
  for (std::size_t b = 0; b < ws.loads.turns_f.size(); ++b)
    ws.loads.turns_f[b] = ws.state.branches[b].predict(ws.t_0 + h);
  update_bow(ws);
}

void SlotSystem::guess(Vec y, const Workspace& workspace) const {
  const Scratch& ws = static_cast<const Scratch&>(workspace);
  y.segment(v_j(), nv()) = y.segment(v_f(), nv()) = ws.v_0;
  y.segment(z_j(), nz()) = y.segment(z_f(), nz()) = ws.z_0;
  y.segment(L_j(), n_multipliers()) = ws.h * ws.Lambda_j;
  y.segment(L_f(), n_multipliers()) = ws.h * ws.Lambda_f;
}

void SlotSystem::update(ConstVec y, bool derivatives, Scratch& ws) const {
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrame& frame = frames_[f];
    ws.steps[f].update(frame, y.data() + v_j() + frame.offset, y.data() + v_f() + frame.offset, ws.h, ws.curvature,
                       derivatives);
  }
}

Status SlotSystem::residual(ConstVec y, Vec r, Workspace& workspace) const {
  Scratch& ws = static_cast<Scratch&>(workspace);
  const SlotKernel::Step step = ws.step(reference_mass_);
  update(y, false, ws);
  r.setZero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    ws.kernel.update(elements_[i], ws.starts[i], ws.steps, step, y.data() + L_j(), y.data() + L_f(), false);
    ws.kernel.add_forces(ws.steps, r.data() + L_j(), r.data() + L_f());
  }
  add_contacts(r, nullptr, ws);
  const Eigen::Vector3d fall = ws.h * system_.gravity();
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const Eigen::Vector3d impulse =
        masses_[i].falls ? Eigen::Vector3d(masses_[i].mass * fall) : Eigen::Vector3d::Zero();
    ws.kernel.add_mass(masses_[i], ws.u_0[i], impulse, ws.steps, ws.u_j[i], ws.u_f[i]);
  }
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrame& frame = frames_[f];
    const SlotFrameStep& x = ws.steps[f];
    auto row_j = r.segment(v_j() + frame.offset, frame.nv), row_f = r.segment(v_f() + frame.offset, frame.nv);
    const Eigen::Vector3d sum = frame.mass * (x.at_f.v + x.at_j.v - 2.0 * x.start.v - fall);
    const Eigen::Vector3d change = frame.mass * (x.at_f.v - x.at_j.v - fall);
    row_j += frame.S_x.transpose() * sum;
    row_f += frame.S_x.transpose() * change;
    if (frame.turns) {
      row_j += x.S_row.transpose() * (x.dL + x.D);
      row_f += x.S_row.transpose() * (x.dL - x.D);
    }
    row_j.noalias() += 2.0 * x.on_j * x.force_j;
    row_f.noalias() += 2.0 * x.on_f * x.force_f;
  }
  add_frame_rows(y, r, ws);
  add_loads(y, r, ws);
  for (Eigen::Index i = 0; i < r.size(); ++i)
    if (!std::isfinite(r[i])) return Status::recoverable(Cause::not_finite, static_cast<int>(i));
  return Status::success();
}

// ---- the end of a step ---------------------------------------------------------------------------------------------

void SlotSystem::finish(ConstVec y, MotionVariables& to, Vec memory, JumpLedger& ledger, Workspace& workspace) const {
  Scratch& ws = static_cast<Scratch&>(workspace);
  const int nm = n_multipliers();
  const double h = ws.h;
  update(y, false, ws);
  to.v = y.segment(v_f(), nv());
  to.a = (to.v - ws.v_0) / h;
  to.z = y.segment(z_f(), nz());
  memory.head(nv()) = to.v;
  memory.segment(memory.size() - 2 * nm, nm) = y.segment(L_j(), nm) / h;
  memory.tail(nm) = y.segment(L_f(), nm) / h;
  to.lam = (y.segment(L_j(), system_.nc()) + y.segment(L_f(), system_.nc())) / h;

  ledger = {};
  ledger.energy_before = ws.kinetic_0 + ws.potential_0;
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrame& frame = frames_[f];
    const SlotFrameStep& x = ws.steps[f];
    const FrameMap& map = system_.frame_map(static_cast<int>(f));
    auto q = to.q.segment(frame.offset, frame.nv);
    const Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1> mean =
        0.5 * (y.segment(v_j() + frame.offset, frame.nv) + y.segment(v_f() + frame.offset, frame.nv));
    q = ws.q_0.segment(frame.offset, frame.nv) + h * mean;
    if (map.kind == FrameMap::Kind::rigid)
      q.tail<3>() = coordinates(ws.state.charts[map.chart], x.at_f.R);
    else if (map.kind == FrameMap::Kind::planar)
      q[2] = ws.q_0[frame.offset + 2] + 2.0 * std::atan(0.5 * h * mean[2]);
    const Eigen::Vector3d dv = x.at_j.v - x.start.v, dw = x.at_j.w - x.start.w;
    ledger.energy += 0.5 * frame.mass * x.at_f.v.squaredNorm() + 0.5 * x.at_f.w.dot(frame.inertia * x.at_f.w) -
                     frame.mass * system_.gravity().dot(x.at_f.p);
    ledger.kinetic_jump += 0.5 * frame.mass * dv.squaredNorm() + 0.5 * dw.dot(frame.inertia * dw);
  }
  const SlotKernel::Step step = ws.step(reference_mass_);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    ws.kernel.update(elements_[i], ws.starts[i], ws.steps, step, y.data() + L_j(), y.data() + L_f(), false);
    ledger.energy += ws.kernel.calc_potential_end();
    ledger.strain_jump += ws.kernel.calc_strain_jump();
    ledger.dissipated += ws.kernel.calc_dissipated();
    ledger.supplied += ws.kernel.calc_supplied();
  }
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    ws.kernel.add_mass(masses_[i], ws.u_0[i], Eigen::Vector3d::Zero(), ws.steps, ws.u_j[i], ws.u_f[i]);
    memory.segment<3>(nv() + 3 * static_cast<int>(i)) = ws.u_f[i];
    ledger.energy += 0.5 * masses_[i].mass * ws.u_f[i].squaredNorm();
    ledger.kinetic_jump += 0.5 * masses_[i].mass * (ws.u_j[i] - ws.u_0[i]).squaredNorm();
    if (!masses_[i].falls) continue;
    const double* weight = masses_[i].shape.weights.data();
    for (const int f : masses_[i].shape.frames)
      for (int s = 0; s < 4; ++s) {
        const Eigen::Vector3d end = s == 0 ? ws.steps[f].at_f.p : Eigen::Vector3d(ws.steps[f].at_f.R.col(s - 1));
        ledger.energy -= *weight++ * masses_[i].mass * system_.gravity().dot(end);
      }
  }
  add_contacts(ws.dropped, &ledger, ws);
  for (const FrameRowElement& e : frame_rows_)
    if (e.group->holonomic())
      ledger.supplied -=
          y[L_f() + e.multiplier] * rate_of(e, true, ws) + y[L_j() + e.multiplier] * rate_of(e, false, ws);
  // loads: h (F·v) at both points of (1), and at both of (3)
  if (load_groups_.empty()) return;
  update_load_points(y, ws);
  for (int z = 0; z < nz(); ++z) to.zp[z] = system_.E()[z] == 0.0 ? 0.0 : ws.loads.g_f[z];
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrameStep& x = ws.steps[f];
    const Wrench<double>&a = ws.loads.force_j[f], &b = ws.loads.force_f[f];
    const Wrench<double>& bow = ws.loads.bow[f];
    const Eigen::Vector3d M_j = x.at_j.R * a.moment, M_f = x.at_f.R * b.moment;
    ledger.supplied += h / 6.0 *
                       ((a.force + 2.0 * b.force).dot(x.at_f.v) + (2.0 * a.force + b.force).dot(x.at_j.v) +
                        (M_j + 2.0 * M_f).dot(x.w_f) + (2.0 * M_j + M_f).dot(x.w_j));
    ledger.supplied += h / 3.0 * (bow.force.dot(x.at_f.v + x.at_j.v) + bow.moment.dot(x.w_f + x.w_j));
  }
}

}  // namespace trammel
