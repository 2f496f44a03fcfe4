// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/slots/slot_element.h"

#include <algorithm>

namespace trammel {

int SlotElement::local(int frame) {
  const auto it = std::find(frames.begin(), frames.end(), frame);
  if (it != frames.end()) return static_cast<int>(it - frames.begin());
  frames.push_back(frame);
  return n_frames() - 1;
}

int SlotElement::add_vector() {
  const int k = n_vectors();
  weights.resize(weights.size() + 4 * frames.size(), 0.0);
  return k;
}

void SlotElement::add_point(int vector, int frame, const Eigen::Vector3d& s, double factor) {
  weight(vector, frame, 0) += factor;
  add_direction(vector, frame, s, factor);
}

void SlotElement::add_direction(int vector, int frame, const Eigen::Vector3d& n, double factor) {
  for (int i = 0; i < 3; ++i) weight(vector, frame, 1 + i) += factor * n[i];
}

int SlotElement::add_product(int k, int l, double factor) {
  quadratics.push_back({{{k, l, factor}}, {}, 0.0});
  return static_cast<int>(quadratics.size()) - 1;
}

int SlotElement::add_linear(int k, const Eigen::Vector3d& direction) {
  quadratics.push_back({{}, {{k, direction}}, 0.0});
  return static_cast<int>(quadratics.size()) - 1;
}

int SlotElement::add_function(double constant_value, int multiplier_number, int input_number) {
  constant.push_back(constant_value);
  multiplier.push_back(multiplier_number);
  input.push_back(input_number);
  return n_functions() - 1;
}

void SlotElement::add_measure(int function, Measure::Type type, int q0, int q1, double factor) {
  Measure m;
  m.type = type, m.function = function, m.factor = factor;
  m.q[0] = q0, m.q[1] = q1;
  measures.push_back(m);
}

}  // namespace trammel
