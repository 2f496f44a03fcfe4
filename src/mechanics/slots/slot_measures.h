// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trammel/mechanics/slots/slot_element.h"

namespace trammel::detail {

/// How many quadratics a measure is a function of.
int n_quadratics(const SlotElement::Measure& m);

/// The measure of the start of the step; `turns` are the predicted angles of the branches.
double start_value(const SlotElement::Measure& m, const Eigen::VectorXd& q, std::span<const double> turns);

/// A measure at the end of the step, its rates and the weights w of (3) in slot_element.h.
template <class S>
struct MeasureResult {
  S value, rate_f, rate_j, w_f[4], w_j[4];
};

/// `q` at the end of the step, `r_f` and `r_j` the rates of the quadratics, `half_h` = κh/2. For double and Dual<6>.
template <class S>
MeasureResult<S> calc_measure(const SlotElement::Measure& measure, const double* q_0, double m_0, const S* q,
                              const S* r_f, const S* r_j, double half_h);

}  // namespace trammel::detail
