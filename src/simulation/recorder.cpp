// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/mechanics/elements/tyre_report.h"

namespace trammel {

namespace {

// The wrench of a joint on its body b: force, and moment about the joint's point, in world axes.
Wrench<double> calc_reaction(const Assembly::Joint& joint, const KinematicState& k) {
  Wrench<double> sum = zero_wrench<double>();
  for (const FormulaSignal::Part& part : joint.parts) {
    Frame<double> local[6];
    for (int i = 0; i < part.group->frames_per_element(); ++i) local[i] = k.frames[part.group->frame(part.element, i)];
    add(sum, part.group->reaction(part.element, local, k.lam.data() + part.group->first_row(part.element),
                                  part.local_frame));
  }
  const Frame<double>& b = k.frames[joint.frame_b];
  return {sum.force, b.R * sum.moment - (b.R * joint.s_b).cross(sum.force)};
}

// The wrench of an applied force on its body b: force, and moment about the point where it acts, in world axes.
Wrench<double> calc_force(const Assembly::Force& force, const KinematicState& k,
                          std::vector<Wrench<double>>& wrenches) {
  force.group->add_forces(k, wrenches, {});
  const Frame<double>& b = k.frames[force.frame_b];
  Wrench<double> w = wrenches[force.frame_b];
  w.moment = b.R * w.moment - (b.R * force.s_b).cross(w.force);
  for (const int frame : {force.frame_a, force.frame_b, force.others[0], force.others[1]})
    wrenches[frame] = zero_wrench<double>();
  return w;
}

// The effort Q of what acts on a coordinate: its wrenches are Q ∂x/∂twist, so that Q follows from the largest of them.
double calc_effort(const Assembly::Force& force, const KinematicState& k, std::vector<Wrench<double>>& wrenches) {
  force.group->add_forces(k, wrenches, {});
  const int frames[2] = {force.frame_a, force.frame_b};
  const Frame<double> f[2] = {k.frames[frames[0]], k.frames[frames[1]]};
  FrameRow<double> g[2];
  force.x->gradient(f, g);
  double effort = 0.0, largest = 0.0;
  for (int i = 0; i < 2; ++i) {
    const double size = g[i].force.squaredNorm() + g[i].moment.squaredNorm();
    if (size <= largest) continue;
    largest = size;
    const Wrench<double>& w = wrenches[frames[i]];
    effort = (w.force.dot(g[i].force) + w.moment.dot(g[i].moment)) / size;
  }
  wrenches[frames[0]] = wrenches[frames[1]] = zero_wrench<double>();
  return effort;
}

// In statics the part of the load is a channel as well; in kinematics nothing has forces.
FrameSource source_of(const Study& study, const Assembly& assembly) {
  return {study.model, assembly, study.analysis.kind == AnalysisKind::statics,
          study.analysis.kind != AnalysisKind::kinematics};
}

}  // namespace

std::vector<RecordGroup> list_frame_groups(const Study& study, const Assembly& assembly) {
  return ChannelList<FrameSource, FrameInstant>("/frames/", frame_channels(), source_of(study, assembly)).groups();
}

Recorder::Recorder(const Study& study, const Assembly& assembly)
    : model_(study.model),
      assembly_(assembly),
      source_(source_of(study, assembly)),
      workspace_(assembly.system->make_workspace()),
      channels_("/frames/", frame_channels(), source_) {
  wrenches_.assign(static_cast<std::size_t>(assembly.system->n_frames()), zero_wrench<double>());
  parts_.reactions.resize(assembly.joints.size());
  const auto on_joints = static_cast<std::size_t>(
      std::count_if(assembly.forces.begin(), assembly.forces.end(), [](const auto& force) { return force.on_joint; }));
  parts_.efforts.resize(on_joints);
  parts_.applied.resize(assembly.forces.size() - on_joints);
  std::size_t n_points = 0;
  for (int e = 0; e < assembly.beams->size(); ++e) n_points += assembly.beams->element(e).points();
  parts_.sections.resize(n_points);
  recorded_.assign(assembly.recorded.size(), 0.0);
  int n_applied = 0, n_efforts = 0;
  for (const Assembly::Force& force : assembly.forces)
    part_of_force_.push_back(force.on_joint ? n_efforts++ : n_applied++);
  if (assembly.contacts != nullptr)
    parts_.contacts.resize(assembly.contacts->laws().size() + assembly.contacts->recorded_pairs().size());
  for (const EventSpec& event : model_.events)
    for (std::size_t i = 0; i < model_.measures.size(); ++i)
      if (model_.measures[i].name == event.measure) event_measure_.push_back(i);
}

void Recorder::add(const FrameChannel& channel) {
  const std::string where = fmt::format("channel '{}'", channel.quantity);
  std::vector<Issue> found;
  if (!channel.write) found.push_back({where, "has no function that writes its numbers"});
  if (channel.meaning.empty()) found.push_back({where, "needs a meaning: one line for the reader of the results"});
  for (const FrameChannel& kind : frame_channels())  // also of what this machine does not have
    if (kind.quantity == channel.quantity) found.push_back({where, "is a channel of the library: " + kind.meaning});
  if (found.empty()) {
    ChannelList<FrameSource, FrameInstant> all = channels_;
    all.add(channel, source_);
    found = RecordSchema{all.groups(), {}, {}}.issues();
    if (found.empty()) channels_ = std::move(all);
  }
  if (!found.empty()) throw InputError(std::move(found));
}

KinematicState Recorder::look(const MotionPoint& p, const State& state) {
  if (!recorded_.empty()) parts_.energy = assembly_.system->calc_energy(p, state, *workspace_);
  KinematicState k = assembly_.system->update_kinematics(p, state, *workspace_);
  if (!recorded_.empty()) {
    update_parts(k);
    update_contacts(k, state);
    update_recorded(p, k);
    k.recorded = recorded_;
  }
  return k;
}

void Recorder::calc_events(const MotionPoint& p, const State& state, Vec g) {
  const KinematicState k = look(p, state);
  for (std::size_t i = 0; i < event_measure_.size(); ++i)
    g[static_cast<Eigen::Index>(i)] =
        assembly_.formulas->evaluate(assembly_.measures[event_measure_[i]], k) - model_.events[i].level;
}

void Recorder::update_parts(const KinematicState& k) {
  for (std::size_t i = 0; i < assembly_.joints.size(); ++i) parts_.reactions[i] = calc_reaction(assembly_.joints[i], k);
  auto applied = parts_.applied.begin();
  auto effort = parts_.efforts.begin();
  for (const Assembly::Force& force : assembly_.forces)
    if (force.on_joint)
      *effort++ = calc_effort(force, k, wrenches_);
    else
      *applied++ = calc_force(force, k, wrenches_);
  SectionState* section = parts_.sections.data();
  for (int e = 0; e < assembly_.beams->size(); ++e) {
    assembly_.beams->sections(e, k, section);
    section += assembly_.beams->element(e).points();
  }
}

void Recorder::update_contacts(KinematicState k, const State& state) {
  const ContactGroup* group = assembly_.contacts;
  if (group == nullptr) return;
  std::fill(parts_.contacts.begin(), parts_.contacts.end(), FrameParts::Contact{});
  if (group->n_modes() == 0) return;
  k.modes = std::span(state.modes).subspan(assembly_.contact_modes, group->n_modes());
  const auto add = [](FrameParts::Contact& sum, const ContactGroup::Report& report) {
    sum.friction_force += report.friction.norm();
    sum.touching += 1.0;
    sum.area += report.area;
    sum.pressure = std::max(sum.pressure, report.pressure);
    sum.normal_force += report.normal_force;
    if (report.normal_force <= sum.most) return;
    sum.most = report.normal_force;
    sum.penetration = report.depth;
    sum.slip = report.slip;
    sum.point = report.point, sum.normal = report.n;
  };
  for (int i = 0; i < group->n_listed(k.modes); ++i) {
    const ContactGroup::Place place = group->place(k.modes, i);
    const ContactGroup::Report report = group->calc_report(k, place);
    if (!(report.normal_force > 0.0)) continue;
    add(parts_.contacts[place.law], report);
    if (const int pair = group->find_recorded_pair(place); pair >= 0)
      add(parts_.contacts[group->laws().size() + pair], report);
  }
}

// Values that formulas of measures ask for, from what was found for the channels.
void Recorder::update_recorded(const MotionPoint& p, const KinematicState& k) {
  for (std::size_t i = 0; i < recorded_.size(); ++i) recorded_[i] = calc_recorded(assembly_.recorded[i], p, k);
}

double Recorder::calc_recorded(const RecordedSignal& signal, const MotionPoint& p, const KinematicState& k) const {
  const auto entity = static_cast<std::size_t>(signal.entity);
  const int c = signal.component;
  switch (signal.kind) {
    case RecordedSignal::Kind::acceleration:
      return calc_origin_acceleration(assembly_, p, k, entity)[c];
    case RecordedSignal::Kind::energy:
      return c == 0 ? parts_.energy.kinetic : parts_.energy.potential + (c == 2 ? parts_.energy.kinetic : 0.0);
    case RecordedSignal::Kind::momentum: {
      const Wrench<double> sum = assembly_.system->calc_momentum(k);
      return c < 3 ? sum.force[c] : sum.moment[c - 3];
    }
    case RecordedSignal::Kind::contact: {
      const FrameParts::Contact& at = parts_.contacts[entity];
      const double values[] = {at.normal_force, at.friction_force, at.penetration, at.touching, at.slip, at.pressure};
      return values[c];
    }
    case RecordedSignal::Kind::tyre:
      return calc_tyre_value(*assembly_.forces[entity].group, k, c);
    case RecordedSignal::Kind::force:
      break;
  }
  const auto part = static_cast<std::size_t>(part_of_force_[entity]);
  if (c == 8) return parts_.efforts[part];
  const Wrench<double>& w = parts_.applied[part];
  if (c == 6) return w.force.norm();
  if (c == 7) return w.moment.norm();
  return c < 3 ? w.force[c] : w.moment[c - 3];
}

std::span<const double> Recorder::update_frame(const MotionPoint& p, const State& state, const Ledger& ledger) {
  parts_.energy = assembly_.system->calc_energy(p, state, *workspace_);
  KinematicState k = assembly_.system->update_kinematics(p, state, *workspace_);
  update_parts(k);
  update_contacts(k, state);
  update_recorded(p, k);
  k.recorded = recorded_;
  return channels_.update({model_, assembly_, p, state, k, ledger, parts_});
}

}  // namespace trammel
