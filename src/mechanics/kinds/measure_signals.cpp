// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/measure_signals.h"

namespace trammel {

FormulaSignal MeasureSignals::expression() {
  FormulaSignal s;
  s.type = FormulaSignal::Type::program;
  s.index = assembler_.compile_measure(measure_);
  return s;
}

FormulaSignal MeasureSignals::point(const std::string& body, const PointSpec& point, bool rate) const {
  FormulaSignal s;
  s.type = rate ? FormulaSignal::Type::velocity : FormulaSignal::Type::position;
  s.frame[0] = assembler_.frame_of(body);
  s.s[0] = assembler_.local_point(s.frame[0], assembler_.world(point));
  return s;
}

FormulaSignal MeasureSignals::distance(const std::string& body_a, const PointSpec& point_a, const std::string& body_b,
                                       const PointSpec& point_b, bool rate) const {
  FormulaSignal s;
  s.type = rate ? FormulaSignal::Type::distance_rate : FormulaSignal::Type::distance;
  s.frame[0] = assembler_.frame_of(body_a), s.frame[1] = assembler_.frame_of(body_b);
  s.s[0] = assembler_.local_point(s.frame[0], assembler_.world(point_a));
  s.s[1] = assembler_.local_point(s.frame[1], assembler_.world(point_b));
  return s;
}

FormulaSignal MeasureSignals::relative(const MeasureSpec& m, bool rate) const {
  using Type = FormulaSignal::Type;
  FormulaSignal s;
  s.frame[0] = assembler_.frame_of(m.body_a), s.frame[1] = assembler_.frame_of(m.body_b);
  if (m.angle >= 0) {
    s.type = rate ? Type::angle_rates : Type::angles;
    s.index = m.angle;
    return s;
  }
  s.type = rate ? Type::relative_velocity : Type::relative_position;
  s.third = assembler_.frame_of(m.third);
  s.s[0] = assembler_.local_point(s.frame[0], assembler_.world(m.point_a));
  s.s[1] = assembler_.local_point(s.frame[1], assembler_.world(m.point_b));
  const Eigen::Vector3d along = assembler_.local_axis(s.third, assembler_.world(m.axis));
  const auto [e_1, e_2] = complete_triad(along);
  s.axes[0] << along, e_1, e_2;
  return s;
}

}  // namespace trammel
