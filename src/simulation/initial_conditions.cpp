#include "trammel/simulation/initial_conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel {

namespace {

// At an assembled configuration rows agree to rounding; mechanisms near a singular position are not redundant.
constexpr double rank_tol = 1e-8;

}  // namespace

RankReport find_redundancy(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                           Workspace& workspace) {
  if (dae.nc() == 0) return {};
  MotionPlanes planes;
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  static_cast<void>(dae.linearize(x.point(inputs.view()), state, PlaneSet::G, planes, workspace));
  SparseMatrix<double> G(planes.constraint);
  G.values = planes.G;
  return find_dependent_rows(G, rank_tol);
}

std::vector<std::string> describe_redundancy(const RankReport& report, const AbsoluteSystem& system) {
  std::vector<std::string> lines;
  for (const DependentRow& dependent : report.dependent) {
    std::string line = system.describe_constraint(dependent.row);
    if (dependent.terms.empty()) {
      line += " constrains nothing that moves";
    } else {
      line += " is implied by ";
      constexpr std::size_t shown = 4;
      std::vector<std::string> owners;
      for (const DependentRow::Term& term : dependent.terms) {
        const std::string text = system.describe_constraint(term.row);
        const std::string owner = text.substr(0, text.find(','));
        if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
      }
      for (std::size_t i = 0; i < std::min(shown, owners.size()); ++i) line += (i ? ", " : "") + owners[i];
      if (owners.size() > shown) line += fmt::format(" and {} more", owners.size() - shown);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace trammel
