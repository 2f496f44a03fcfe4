// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/base/error.h"
#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/constraints.h"
#include "trammel/mechanics/elements/force_group.h"
#include "trammel/mechanics/elements/forces.h"
#include "trammel/mechanics/elements/vehicle_forces.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/slots/slot_system.h"

/// The elements of a machine as quadratic functions of slots. The multipliers are those of the elements' own rows: a
/// row that is scaled here is scaled so that its multiplier stays the physical one.

namespace trammel {

namespace {

// A vector d = p_B + R_B s_B − p_A − R_A s_A.
int add_separation(SlotElement& e, int a, int b, const Eigen::Vector3d& s_a, const Eigen::Vector3d& s_b) {
  const int d = e.add_vector();
  e.add_point(d, b, s_b, 1.0);
  e.add_point(d, a, s_a, -1.0);
  return d;
}

int add_fixed(SlotElement& e, int frame, const Eigen::Vector3d& direction) {
  const int k = e.add_vector();
  e.add_direction(k, frame, direction);
  return k;
}

// factor · x of a relative coordinate, added to a function; its frames are local already.
void add_coordinate(SlotElement& e, int function, const RelativeCoordinate& x, int frame_a, int frame_b, int branch,
                    double factor) {
  const int a = e.local(frame_a), b = e.local(frame_b);
  switch (x.type) {
    case RelativeCoordinate::Type::angle: {
      const int a1 = add_fixed(e, a, x.a1), a2 = add_fixed(e, a, x.a2), towards = add_fixed(e, b, x.b);
      const int X = e.add_product(a1, towards, 1.0), Y = e.add_product(a2, towards, 1.0);
      e.add_measure(function, MeasureType::angle, X, Y, factor);
      e.measures.back().zero = x.zero;
      e.measures.back().branch = branch;
      return;
    }
    case RelativeCoordinate::Type::displacement: {
      const int n = add_fixed(e, a, x.a3), d = add_separation(e, a, b, x.s_a, x.s_b);
      e.add_measure(function, MeasureType::quadratic, e.add_product(n, d, 1.0), 0, factor);
      break;
    }
    case RelativeCoordinate::Type::scalar: {
      const int k = e.add_vector();
      e.weight(k, a, 0) = 1.0;
      e.add_measure(function, MeasureType::quadratic, e.add_linear(k, Eigen::Vector3d::UnitX()), 0, factor);
      break;
    }
  }
  e.constant[function] -= factor * x.zero;
}

// An element with all its frames, before its vectors.
template <std::size_t N>
SlotElement between(const std::array<int, N>& frames) {
  SlotElement e;
  for (const int f : frames) e.local(f);
  return e;
}

void fill(const Coincident<3>::Params& p, const std::array<int, 2>& f, SlotElement& e) {
  const int d = add_separation(e, e.local(f[0]), e.local(f[1]), p.s_a, p.s_b);
  for (int i = 0; i < 3; ++i) e.add_measure(i, MeasureType::quadratic, e.add_linear(d, p.e.row(i).transpose()));
}

void fill(const Coincident<2>::Params& p, const std::array<int, 2>& f, SlotElement& e) {
  const int d = add_separation(e, e.local(f[0]), e.local(f[1]), p.s_a, p.s_b);
  for (int i = 0; i < 2; ++i) e.add_measure(i, MeasureType::quadratic, e.add_linear(d, p.e.row(i).transpose()));
}

void fill(const Perpendicular::Params& p, const std::array<int, 2>& f, SlotElement& e) {
  const int a = add_fixed(e, e.local(f[0]), p.a), b = add_fixed(e, e.local(f[1]), p.b);
  e.add_measure(0, MeasureType::quadratic, e.add_product(a, b, 1.0));
  e.constant[0] = -p.cosine;
}

void fill(const Offset::Params& p, const std::array<int, 2>& f, SlotElement& e) {
  const int a = e.local(f[0]), n = add_fixed(e, a, p.n), d = add_separation(e, a, e.local(f[1]), p.s_a, p.s_b);
  e.add_measure(0, MeasureType::quadratic, e.add_product(n, d, 1.0));
  e.constant[0] = -p.offset;
}

// (d·d − ℓ²)/2ℓ has the gradient of ‖d‖ − ℓ on the constraint, and so the same multiplier.
void fill_rod(const Distance::Params& p, const std::array<int, 2>& f, double factor, SlotElement& e) {
  const int d = add_separation(e, e.local(f[0]), e.local(f[1]), p.s_a, p.s_b);
  e.add_measure(0, MeasureType::quadratic, e.add_product(d, d, factor));
  e.constant[0] = -factor * p.length * p.length;
}

// ρ (atan2(d·t, d·r) − x): ρ = |d| in the plane, so that the multiplier is the force across the line.
void fill(const LineAngle::Params& p, const std::array<int, 3>& f, double length, SlotElement& e) {
  const int a = e.local(f[0]), d = add_separation(e, a, e.local(f[1]), p.s_a, p.s_b);
  const int r = add_fixed(e, a, p.r), t = add_fixed(e, a, p.t);
  e.add_measure(0, MeasureType::angle, e.add_product(r, d, 1.0), e.add_product(t, d, 1.0), length);
  const int x = e.add_vector();
  e.weight(x, e.local(f[2]), 0) = 1.0;
  e.add_measure(0, MeasureType::quadratic, e.add_linear(x, Eigen::Vector3d::UnitX()), 0, -length);
}

void fill(const DiscOnPlane::Params& p, const std::array<int, 2>& f, SlotElement& e) {
  const int a = e.local(f[0]), b = e.local(f[1]);
  const int n = add_fixed(e, a, p.n), d = add_separation(e, a, b, p.s_a, p.s_b), axle = add_fixed(e, b, p.axle);
  e.add_measure(0, MeasureType::quadratic, e.add_product(n, d, 1.0));
  e.add_measure(0, MeasureType::disc, e.add_product(n, axle, 1.0), 0, -p.radius);
}

template <int N, class Element>
void fill_coupler(const Element& element, SlotElement& e) {
  for (int k = 0; k < N; ++k) {
    int branch = -1;
    if constexpr (std::tuple_size_v < decltype(element.branch) >> 0) branch = element.branch[k];
    add_coordinate(e, 0, element.params.x[k], element.frame[2 * k], element.frame[2 * k + 1], branch,
                   element.params.factor[k]);
  }
  e.constant[0] -= element.params.offset;
}

// Every element of the group of kind K, if it is one: fill(element, e) makes its functions.
template <class K, class Fill>
bool take(const ElementGroup& group, const AbsoluteSystem& system, std::vector<SlotElement>& elements,
          SlotElement::Law law, const Fill& make) {
  const auto* own = dynamic_cast<const ConstraintGroup<K>*>(&group);
  if (!own) return false;
  for (int i = 0; i < own->size(); ++i) {
    const auto& element = own->element(i);
    SlotElement e = between(element.frame);
    e.law = law;
    bool active = false;
    for (int r = 0; r < K::n_rows; ++r) {
      const int row = system.active_row(element.row + r);
      e.add_function(0.0, row, element.input[r]);
      active = active || row >= 0;
    }
    if (!active) continue;
    make(element, e);
    elements.push_back(std::move(e));
  }
  return true;
}

}  // namespace

void SlotSystem::add_constraints(const ElementGroup& group) {
  constexpr SlotElement::Law holonomic = SlotElement::Law::constraint, rate = SlotElement::Law::rate;
  const auto simple = [](const auto& element, SlotElement& e) { fill(element.params, element.frame, e); };
  const auto take_as = [&]<class K>(K*, SlotElement::Law law, const auto& make) {
    return take<K>(group, system_, elements_, law, make);
  };
  const auto kind = []<class K>() -> K* { return nullptr; };
  const auto coupled = [&]<int N>() {
    const auto make = [](const auto& element, SlotElement& e) { fill_coupler<N>(element, e); };
    return take_as(kind.template operator()<Coupler<N>>(), holonomic, make) ||
           take_as(kind.template operator()<SpeedCoupler<N>>(), rate, make);
  };
  const bool taken =
      take_as(kind.template operator()<Coincident<3>>(), holonomic, simple) ||
      take_as(kind.template operator()<Coincident<2>>(), holonomic, simple) ||
      take_as(kind.template operator()<Perpendicular>(), holonomic, simple) ||
      take_as(kind.template operator()<Offset>(), holonomic, simple) ||
      take_as(kind.template operator()<Distance>(), holonomic,
              [](const auto& x, SlotElement& e) { fill_rod(x.params, x.frame, 0.5 / x.params.length, e); }) ||
      take_as(kind.template operator()<SquaredDistance>(), holonomic,
              [](const auto& x, SlotElement& e) { fill_rod(x.params, x.frame, 1.0, e); }) ||
      take_as(kind.template operator()<LineAngle>(), holonomic,
              [this](const auto& x, SlotElement& e) { fill(x.params, x.frame, line_length(x.frame, x.row), e); }) ||
      take_as(kind.template operator()<DiscOnPlane>(), holonomic, simple) || coupled.template operator()<1>() ||
      coupled.template operator()<2>() || coupled.template operator()<3>();
  if (taken) return;

  take_frame_rows(static_cast<const ConstraintElements&>(group));
}

void SlotSystem::take_frame_rows(const ConstraintElements& rows) {
  has_curved_rows_ = has_curved_rows_ || rows.holonomic();
  for (int i = 0; i < rows.size(); ++i)
    for (int r = 0; r < rows.rows_per_element(); ++r)
      if (const int row = system_.active_row(rows.first_row(i) + r); row >= 0)
        frame_rows_.push_back({&rows, i, r, row});
}

// What the kinds of the model's joints and forces refuse, by name.
std::vector<Issue> issues_of_directors(const Model& model) {
  std::vector<Issue> issues;
  const auto look = [&](std::string_view what, const auto& spec) {
    const Directors directors = spec.kind->directors(spec);
    if (directors.form != Directors::Form::refused) return;
    const std::string name = fmt::format("{} '{}'", what, spec.name);
    const std::string& place = spec.source.at("kind");
    issues.push_back({place.empty() ? name : place,
                      fmt::format("{} ({}) has no form in which the energy-decaying scheme keeps its law, because {}; "
                                  "choose another integrator",
                                  name, spec.kind.name(), directors.reason)});
  };
  for (const JointSpec& joint : model.joints) look("joint", joint);
  for (const ForceSpec& force : model.forces) look("force", force);
  return issues;
}

// The rod whose angle is asked for: its length makes the row one in metres.
double SlotSystem::line_length(const std::array<int, 3>& frames, int row) const {
  double length = 1.0;
  const auto look = [&](const auto* rods) {
    if (!rods) return;
    for (int i = 0; i < rods->size(); ++i) {
      const auto& rod = rods->element(i);
      const bool same = rod.frame[0] == frames[0] && rod.frame[1] == frames[1];
      if (same && system_.row_owner(rod.row) == system_.row_owner(row)) length = rod.params.length;
    }
  };
  for (const auto& group : system_.groups()) {
    look(dynamic_cast<const ConstraintGroup<Distance>*>(group.get()));
    look(dynamic_cast<const ConstraintGroup<SquaredDistance>*>(group.get()));
  }
  return length;
}

bool SlotSystem::add_springs(const ElementGroup& group) {
  const auto elastic = [this](SlotElement& e, double k, double c, double preload) {
    e.law = SlotElement::Law::elastic;
    e.K = Eigen::MatrixXd::Constant(1, 1, k), e.C = Eigen::MatrixXd::Constant(1, 1, c);
    e.preload = Eigen::VectorXd::Constant(1, preload);
    elements_.push_back(std::move(e));
  };
  if (const auto* springs = dynamic_cast<const ForceGroup<SpringDamper>*>(&group)) {
    for (int i = 0; i < springs->size(); ++i) {
      const auto& [p, frame, branch] = springs->element(i);
      SlotElement e = between(frame);
      e.add_function(-p.free_length, new_stress(fmt::format("spring {}", i + 1)));
      const int d = add_separation(e, e.local(frame[0]), e.local(frame[1]), p.s_a, p.s_b);
      e.add_measure(0, MeasureType::length, e.add_product(d, d, 1.0));
      elastic(e, p.stiffness, p.damping, p.preload);
    }
    return true;
  }
  if (const auto* springs = dynamic_cast<const ForceGroup<CoordinateForce>*>(&group)) {
    for (int i = 0; i < springs->size(); ++i) {
      const auto& [p, frame, branch] = springs->element(i);
      SlotElement e = between(frame);
      e.add_function(p.stop ? 0.0 : -p.free_value, p.stop ? -1 : new_stress(fmt::format("joint spring {}", i + 1)));
      add_coordinate(e, 0, p.x, frame[0], frame[1], branch[0], 1.0);
      if (p.stop) {
        e.law = SlotElement::Law::stop;
        e.stop = {p.stiffness, p.damping, p.lower, p.upper, p.depth, 0.0};
        elements_.push_back(std::move(e));
      } else {
        elastic(e, p.stiffness, p.damping, p.preload);
      }
    }
    return true;
  }
  if (const auto* stops = dynamic_cast<const ForceGroup<BumpStop>*>(&group)) {
    for (int i = 0; i < stops->size(); ++i) {
      const auto& [p, frame, branch] = stops->element(i);
      SlotElement e = between(frame);
      e.add_function(0.0, -1);
      add_coordinate(e, 0, p.x, frame[0], frame[1], -1, 1.0);
      e.law = SlotElement::Law::stop;
      e.stop = {p.stiffness, p.damping, p.lower, p.upper, p.depth, p.quadratic};
      elements_.push_back(std::move(e));
    }
    return true;
  }
  if (const auto* bars = dynamic_cast<const ForceGroup<AntiRollBar>*>(&group)) {
    for (int i = 0; i < bars->size(); ++i) {
      const auto& [p, frame, branch] = bars->element(i);
      SlotElement e = between(frame);
      e.add_function(0.0, new_stress(fmt::format("anti-roll bar {}", i + 1)));
      add_coordinate(e, 0, p.x[0], frame[0], frame[1], branch[0], 1.0);
      add_coordinate(e, 0, p.x[1], frame[2], frame[3], branch[1], -1.0);
      elastic(e, p.stiffness, p.damping, 0.0);
    }
    return true;
  }
  if (const auto* bushings = dynamic_cast<const ForceGroup<Bushing>*>(&group)) {
    for (int i = 0; i < bushings->size(); ++i)
      if (const Bushing::Params& p = bushings->element(i).params; p.printed || !p.K.isApprox(p.K.transpose()))
        return false;  // no potential: the whole group is a load
    for (int i = 0; i < bushings->size(); ++i)
      add_bushing(bushings->element(i).params, bushings->element(i).frame, fmt::format("bushing {}", i + 1));
    return true;
  }
  return add_beams(group);
}

// Displacements d = (R_A Q_A)ᵀ arm are quadratic, the rotation vector of R = (R_A Q_A)ᵀ R_B Q_B is a function of the
// quadratics vee R and tr R.
void SlotSystem::add_bushing(const Bushing::Params& p, const std::array<int, 2>& frame, const std::string& owner) {
  SlotElement e = between(frame);
  const int a = e.local(frame[0]), b = e.local(frame[1]);
  for (int i = 0; i < 6; ++i) e.add_function(0.0, new_stress(owner));
  const int arm = add_separation(e, a, b, p.s_a, p.s_b);
  int A[3], B[3];
  for (int i = 0; i < 3; ++i) A[i] = add_fixed(e, a, p.Q_a.col(i));
  for (int i = 0; i < 3; ++i) B[i] = add_fixed(e, b, p.Q_b.col(i));
  for (int i = 0; i < 3; ++i) e.add_measure(i, MeasureType::quadratic, e.add_product(A[i], arm, 1.0));
  int q[4];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = e.add_product(A[k], B[j], 0.5);
    e.quadratics.back().products.push_back({A[j], B[k], -0.5});
  }
  q[3] = e.add_product(A[0], B[0], 0.5);
  for (int i = 1; i < 3; ++i) e.quadratics.back().products.push_back({A[i], B[i], 0.5});
  e.quadratics.back().constant = -0.5;
  for (int i = 0; i < 3; ++i) {
    e.add_measure(3 + i, MeasureType::rotation, q[0]);
    std::copy(q, q + 4, e.measures.back().q);
    e.measures.back().component = i;
  }
  e.law = SlotElement::Law::elastic;
  e.K = p.K, e.C = p.C;
  e.preload = Eigen::VectorXd::Zero(6);
  elements_.push_back(std::move(e));
}

}  // namespace trammel
