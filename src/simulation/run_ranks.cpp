// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/run_ranks.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "trammel/linalg/mumps.h"
#include "trammel/linalg/petsc.h"

namespace trammel {

RunRanks::RunRanks() : rank_(ranks::join()) {}
RunRanks::~RunRanks() { ranks::leave(); }

void RunRanks::serve() const {
  constexpr std::array<ranks::Service, 2> services{take_part_in_mumps, take_part_in_petsc};  // as ranks::Services
  ranks::serve(services);
}

int RunRanks::count() { return ranks::count(); }
bool RunRanks::are_at_work() { return ranks::are_at_work(); }

std::string RunRanks::find_obstacle() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  const bool many = size != nullptr && std::atoi(size) > 1;
  return many ? ranks::find_obstacle() : std::string();
}

std::string RunRanks::find_idle(const SolverOptions& solver) {
  const LinearSolverKind kind = solver.linear_solver.value_or(LinearSolverKind::automatic);
  if (count() == 1 || kind == LinearSolverKind::mumps || kind == LinearSolverKind::petsc) return {};
  return fmt::format(
      "{} of {} processes have nothing to do: linear_solver = \"{}\" works in one; \"mumps\" and \"petsc\" "
      "work in all",
      count() - 1, count(), to_text(kind));
}

}  // namespace trammel
