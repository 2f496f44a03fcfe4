// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/linalg/petsc.h"

namespace trammel {

enum class PetscJob : int { begin, pattern, values, right_side, iterate, end };

/// What rank 0 hands over; other ranks have none of it.
struct PetscHanded {
  std::vector<int> row, col, kept_row, kept_col;
  std::vector<double> a, kept_a, x;
};

class PetscPart;

/// A system that all ranks know by a number.
class PetscSystem {
 public:
  PetscSystem(int n, const PetscOptions& options);
  ~PetscSystem();
  PetscSystem(const PetscSystem&) = delete;
  PetscSystem& operator=(const PetscSystem&) = delete;

  /// `values` gives 1, or 0 where the preconditioner cannot be made; `iterate` the number of iterations of a cycle.
  int run(PetscJob job, int a = 0, int b = 0, int c = 0);

  PetscHanded handed;

 private:
  int number_;
  std::unique_ptr<PetscPart> part_;
};

inline constexpr int petsc_cycle = 60;  ///< iterations between two looks at the true residual

}  // namespace trammel
