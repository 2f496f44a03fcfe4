// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// What factors will cost, from the pattern alone. Of unsymmetric values: symmetric ones take half of both. Fill by row
/// exchanges comes on top of it.
struct PredictedWork {
  double numbers = 0;     ///< in the factors
  double operations = 0;  ///< multiplications and additions of one factorization
};

/// A solver that knows its work before it begins.
class WorkPrediction {
 public:
  virtual ~WorkPrediction() = default;
  /// Of the pattern that was analyzed last.
  const PredictedWork& predicted_work() const { return work_; }
  /// The products of its large dense blocks (front_product.h), "portable" or "avx2"; empty where it has none.
  virtual std::string_view dense_kernel() const { return {}; }

 protected:
  void predict(const PredictedWork& work) { work_ = work; }

 private:
  PredictedWork work_;
};

/// Null: a solver that cannot tell.
template <class S>
const WorkPrediction* work_prediction_of(const LinearSolver<S>& solver) {
  return dynamic_cast<const WorkPrediction*>(&solver);
}

/// Zeros where a solver cannot tell.
template <class S>
PredictedWork predicted_work_of(const LinearSolver<S>& solver) {
  const WorkPrediction* prediction = work_prediction_of(solver);
  return prediction ? prediction->predicted_work() : PredictedWork{};
}
template <class S>
std::string_view dense_kernel_of(const LinearSolver<S>& solver) {
  const WorkPrediction* prediction = work_prediction_of(solver);
  return prediction ? prediction->dense_kernel() : std::string_view{};
}

}  // namespace trammel
