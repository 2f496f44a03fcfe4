// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/absolute/assembler.h"

namespace trammel {

/// Values of the machine, from which the kinds of measures choose.
class MeasureSignals {
 public:
  MeasureSignals(detail::Assembler& assembler, int measure) : assembler_(assembler), measure_(measure) {}

  /// The measure's formula `expression`.
  FormulaSignal expression();
  /// A point fixed on a body: its place, or its velocity, in the world.
  FormulaSignal point(const std::string& body, const PointSpec& point, bool rate) const;
  /// The distance of two points, or its rate.
  FormulaSignal distance(const std::string& body_a, const PointSpec& point_a, const std::string& body_b,
                         const PointSpec& point_b, bool rate) const;

  /// A displacement along a direction of a third body, an angle of b in a, or its rate.
  FormulaSignal relative(const MeasureSpec& measure, bool rate) const;

 private:
  detail::Assembler& assembler_;
  int measure_;
};

}  // namespace trammel
