#include "trammel/mechanics/absolute/assembler.h"

namespace trammel::detail {

// The coordinates that torsion springs, joint springs and stops act on; formulas may ask for them before the forces
// themselves exist.
void Assembler::prepare_springs() {
  for (const ForceSpec& spec : model_.forces) {
    CoordinateTerm term;
    if (spec.kind == ForceKind::torsion_spring) {
      DrawnJoint j;
      j.a = frame_of(spec.body_a), j.b = frame_of(spec.body_b);
      j.point = j.point_b = Eigen::Vector3d::Zero();
      j.axis = j.axis_b = world(spec.axis);
      term.x = make_angle(j, places_);
      term.frame[0] = j.a, term.frame[1] = j.b;
      term.branch = out_.system->add_branch(term.x, j.a, j.b);
      term.unit = "rad";
    } else if (spec.kind == ForceKind::axial_spring) {
      DrawnJoint j;
      j.a = frame_of(spec.body_a), j.b = frame_of(spec.body_b);
      j.point = world(spec.point_a), j.point_b = world(spec.point_b);
      j.axis = j.axis_b = world(spec.axis);
      term.x = make_displacement(j, places_);
      term.frame[0] = j.a, term.frame[1] = j.b;
      term.unit = "m";
    } else if (spec.kind == ForceKind::joint_spring || spec.kind == ForceKind::joint_limit) {
      term = coordinate_of(spec.joint, spec.coordinate);
    }
    force_coordinate_.push_back(term);
  }
}

void Assembler::add_force(const ForceSpec& spec) {
  const int index = static_cast<int>(&spec - model_.forces.data());
  const int a = frame_of(spec.body_a), b = frame_of(spec.body_b);
  FormulaScope scope;
  scope.force = index;
  FormulaGroup::Element formula;
  formula.frame[0] = a, formula.frame[1] = b;
  formula.in_body_axes = spec.in_body_axes;
  // Every element joins its kind, and is also kept alone, so that reports can tell its force.
  Assembly::Force& alone = out_.forces.emplace_back();
  alone.frame_a = a, alone.frame_b = b;
  alone.s_a = local_point(a, world(spec.point_a));
  alone.s_b = local_point(b, world(spec.point_b));
  alone.on_joint = spec.kind == ForceKind::joint_spring || spec.kind == ForceKind::joint_limit;
  const auto add = [&](auto& group, auto single, auto element) {
    single->add(element);
    alone.group = std::move(single);
    group.add(std::move(element));
  };
  const auto add_formula = [&] { add(group<FormulaGroup>(), std::make_unique<FormulaGroup>(*out_.formulas), formula); };

  switch (spec.kind) {
    case ForceKind::force:
    case ForceKind::torque:
      formula.output = spec.kind == ForceKind::force ? FormulaGroup::Output::force : FormulaGroup::Output::torque;
      formula.s_b = local_point(b, world(spec.point_b));
      for (const Formula& component : spec.components)
        formula.programs.push_back(compile_acting(component.given() ? component : Formula{"0", ""}, scope));
      add_formula();
      break;
    case ForceKind::spring_damper: {
      const Eigen::Vector3d s_a = local_point(a, world(spec.point_a)), s_b = local_point(b, world(spec.point_b));
      if (spec.law.given()) {
        formula.output = FormulaGroup::Output::line;
        formula.s_a = s_a, formula.s_b = s_b;
        formula.programs.push_back(compile_acting(spec.law, scope));
        add_formula();
      } else {
        const double drawn = (world(spec.point_b) - world(spec.point_a)).norm();
        const SpringDamper::Params params{
            s_a, s_b, spec.stiffness, spec.damping, spec.free_value.value_or(drawn), spec.preload};
        using Springs = ForceGroup<SpringDamper>;
        add(group<ForceGroup<SpringDamper>>(), std::make_unique<Springs>(), Springs::Element{params, {a, b}, {}});
      }
      break;
    }
    case ForceKind::torsion_spring:
    case ForceKind::axial_spring:
    case ForceKind::joint_spring:
    case ForceKind::joint_limit: {
      const CoordinateTerm& term = force_coordinate_[index];
      alone.x = term.x;
      alone.branch = term.branch;
      if (alone.on_joint) alone.frame_a = term.frame[0], alone.frame_b = term.frame[1];
      if (spec.law.given()) {
        formula.output = FormulaGroup::Output::coordinate;
        formula.x = term.x;
        formula.frame[0] = term.frame[0], formula.frame[1] = term.frame[1];
        formula.programs.push_back(compile_acting(spec.law, scope));
        add_formula();
        break;
      }
      CoordinateForce::Params params;
      params.x = term.x;
      params.stop = spec.kind == ForceKind::joint_limit;
      params.stiffness = spec.stiffness;
      params.damping = spec.damping;
      params.free_value = spec.free_value.value_or(0.0);
      params.preload = spec.preload;
      constexpr double unlimited = std::numeric_limits<double>::infinity();
      params.lower = spec.lower.value_or(-unlimited);
      params.upper = spec.upper.value_or(unlimited);
      if (params.stop)
        group<StopSwitches>().add_stop({.x = params.x,
                                        .frame = {term.frame[0], term.frame[1]},
                                        .branch = term.branch,
                                        .stiffness = params.stiffness,
                                        .damping = params.damping,
                                        .ramp = params.depth},
                                       params.lower, params.upper);
      using Springs = ForceGroup<CoordinateForce>;
      add(group<ForceGroup<CoordinateForce>>(), std::make_unique<Springs>(),
          Springs::Element{params, {term.frame[0], term.frame[1]}, {term.branch}});
      break;
    }
    case ForceKind::bushing:
    case ForceKind::planar_bushing: {
      Bushing::Params params;
      params.s_a = local_point(a, world(spec.point_a)), params.s_b = local_point(b, world(spec.point_b));
      const bool planar = spec.kind == ForceKind::planar_bushing;
      const Placement& place = places_[b].planar ? places_[b] : places_[a];
      const Eigen::Vector3d z = planar && place.planar ? place.normal : world(spec.axis);
      Eigen::Vector3d x = spec.axis_x ? world(*spec.axis_x) : Eigen::Vector3d::UnitX().eval();
      x -= z * z.dot(x);
      if (x.norm() < 1e-6) x = Eigen::Vector3d::UnitY() - z * z.y();
      x.normalize();
      Eigen::Matrix3d axes;
      axes << x, z.cross(x), z;
      params.Q_a = places_[a].R.transpose() * axes;
      params.Q_b = places_[b].R.transpose() * axes;
      params.K.setZero();
      params.C.setZero();
      if (planar) {  // (x, y, rotation about the normal)
        static constexpr int index_of[3] = {0, 1, 5};
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            params.K(index_of[i], index_of[j]) = spec.K(i, j);
            params.C(index_of[i], index_of[j]) = spec.C(i, j);
          }
      } else {
        params.K = spec.K;
        params.C = spec.C;
      }
      params.printed = spec.angles == BushingAngles::printed;
      using Bushings = ForceGroup<Bushing>;
      add(group<ForceGroup<Bushing>>(), std::make_unique<Bushings>(), Bushings::Element{params, {a, b}, {}});
      break;
    }
    case ForceKind::bump_stop:
    case ForceKind::anti_roll_bar:
    case ForceKind::tyre:
    case ForceKind::standing_tyre:
      add_vehicle_force(spec, alone);
      break;
  }
}

}  // namespace trammel::detail
