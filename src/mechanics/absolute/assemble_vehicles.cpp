#include <limits>

#include "trammel/mechanics/absolute/assembler.h"

namespace trammel::detail {

// Forces of vehicles. `alone` is the force for reports: the element by itself, and the body that its force is shown on.
void Assembler::add_vehicle_force(const ForceSpec& spec, Assembly::Force& alone) {
  const int a = frame_of(spec.body_a), b = frame_of(spec.body_b);
  const VehicleSpec& v = spec.vehicle;
  const auto add = [&](auto& group, auto element) {
    using Group = std::remove_reference_t<decltype(group)>;
    auto single = std::make_unique<Group>();
    single->add(element);
    alone.group = std::move(single);
    group.add(std::move(element));
  };
  switch (spec.kind) {
    case ForceKind::bump_stop: {
      constexpr double unlimited = std::numeric_limits<double>::infinity();
      BumpStop::Params params;
      params.x.type = RelativeCoordinate::Type::displacement;
      params.x.a3 = local_axis(a, world(spec.axis));
      params.x.s_a = local_point(a, world(spec.point_a)), params.x.s_b = local_point(b, world(spec.point_b));
      params.stiffness = spec.stiffness, params.quadratic = v.quadratic, params.damping = spec.damping;
      params.lower = spec.lower.value_or(-unlimited), params.upper = spec.upper.value_or(unlimited);
      group<StopSwitches>().add_stop({.x = params.x,
                                      .frame = {a, b},
                                      .stiffness = params.stiffness,
                                      .quadratic = params.quadratic,
                                      .damping = params.damping,
                                      .ramp = params.depth},
                                     params.lower, params.upper);
      add(group<ForceGroup<BumpStop>>(), ForceGroup<BumpStop>::Element{params, {a, b}, {}});
      break;
    }
    case ForceKind::anti_roll_bar: {
      const CoordinateTerm first = coordinate_of(spec.joint, spec.coordinate),
                           second = coordinate_of(v.other_joint, spec.coordinate);
      const AntiRollBar::Params params{{first.x, second.x}, spec.stiffness, spec.damping};
      const int frames[4] = {first.frame[0], first.frame[1], second.frame[0], second.frame[1]};
      alone.frame_a = frames[0], alone.frame_b = frames[1], alone.others[0] = frames[2], alone.others[1] = frames[3];
      alone.s_a = alone.s_b = Eigen::Vector3d::Zero();
      add(group<ForceGroup<AntiRollBar>>(),
          ForceGroup<AntiRollBar>::Element{
              params, {frames[0], frames[1], frames[2], frames[3]}, {first.branch, second.branch}});
      break;
    }
    case ForceKind::tyre: {
      const int carrier = frame_of(v.carrier);
      RollingTyre::Params params;
      params.s_road = local_point(a, world(spec.point_a));
      params.center = local_point(carrier, world(spec.point_b));
      params.axle = local_axis(carrier, world(spec.axis));
      params.axle_in_wheel = local_axis(b, world(spec.axis));
      params.stiffness = spec.stiffness, params.damping = spec.damping;
      params.data = v.tyre;
      group<StopSwitches>().add({a, carrier, params.s_road, params.axle, params.center, params.data.free_radius,
                                 params.stiffness, params.damping});
      alone.frame_b = carrier, alone.others[0] = b;
      alone.s_b = params.center;
      add(group<ForceGroup<RollingTyre>>(), ForceGroup<RollingTyre>::Element{params, {a, carrier, b}, {}});
      break;
    }
    case ForceKind::standing_tyre: {
      StandingTyre::Params params;
      params.s_road = local_point(a, world(spec.point_a));
      params.center = local_point(b, world(spec.point_b));
      params.axle = local_axis(b, world(spec.axis));
      params.stiffness = spec.stiffness, params.damping = spec.damping;
      params.free_radius = v.tyre.free_radius;
      params.horizontal_stiffness = v.horizontal_stiffness, params.horizontal_damping = v.horizontal_damping;
      group<StopSwitches>().add(
          {a, b, params.s_road, params.axle, params.center, params.free_radius, params.stiffness, params.damping});
      add(group<ForceGroup<StandingTyre>>(), ForceGroup<StandingTyre>::Element{params, {a, b}, {}});
      break;
    }
    default:
      break;
  }
}

}  // namespace trammel::detail
