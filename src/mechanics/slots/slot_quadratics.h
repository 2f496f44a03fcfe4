// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/slots/slot_element.h"

namespace trammel::detail {

/// q of the vectors in the columns of P.
template <class Vectors>
double calc_quadratic(const SlotElement::Quadratic& q, const Vectors& P) {
  double value = q.constant;
  for (const auto& p : q.products) value += p.factor * P.col(p.k).dot(P.col(p.l));
  for (const auto& l : q.linear) value += l.direction.dot(P.col(l.k));
  return value;
}

/// ∂q/∂P at P (with the linear part), or Q P (without).
template <class Vectors, class Column>
void calc_gradient(const SlotElement::Quadratic& q, const Vectors& P, bool with_linear, Column b) {
  b.setZero();
  for (const auto& p : q.products) {
    b.template segment<3>(3 * p.k) += p.factor * P.col(p.l);
    b.template segment<3>(3 * p.l) += p.factor * P.col(p.k);
  }
  if (with_linear)
    for (const auto& l : q.linear) b.template segment<3>(3 * l.k) += l.direction;
}

}  // namespace trammel::detail
