// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/static_stability.h"
#include "trammel/simulation/machine_checks.h"

// Kinematics and inverse dynamics follow motions: nothing else may decide where the machine goes.

namespace trammel {

namespace {

constexpr int most_looked_into = 1500;  // coordinates: names of free ones are found by a dense factorization
constexpr std::size_t freedoms_named = 4;
constexpr double idle = 1e-9;  // of the largest force or momentum

}  // namespace

void integrate_where_needed(const Assembly& full, Study& study, std::vector<std::string>& notes) {
  const Index3 absolute(*full.system);
  const std::span<const char> holonomic = absolute.holonomic();
  const auto row = std::find(holonomic.begin(), holonomic.end(), 0);
  if (row == holonomic.end() && absolute.nz() == 0) return;
  const std::string what = row != holonomic.end() ? full.system->describe_row(static_cast<int>(row - holonomic.begin()))
                                                  : absolute.layout().describe_unknown(absolute.nv());
  notes.push_back(
      fmt::format("{} is integrated over the time: the machine is moved as in dynamics, to the tolerances "
                  "of [solver], with reactions and efforts",
                  what));
  study.analysis.kind = AnalysisKind::dynamics;
}

// A free direction is idle if it only turns bodies about their centres of mass and nothing drives it (a rod between
// two balls about its own axis): the motion of everything else does not depend on it.
void refuse_free_freedoms(const Study& study, AnalysisKind asked, const Index3& index3, int rank,
                          const MotionVariables& x, const State& state) {
  const int nv = index3.nv(), n_free = nv - rank;
  if (n_free <= 0) return;
  std::string names;
  if (nv <= most_looked_into) {
    MotionPlanes planes;
    InputBuffer inputs;
    const std::unique_ptr<Workspace> workspace = index3.make_workspace();
    index3.calc_inputs(x.t, inputs);
    if (!index3.linearize(x.point(inputs.view()), state, PlaneSet::M | PlaneSet::mass | PlaneSet::G, planes, *workspace)
             .ok())
      return;
    const FreeDirections free = calc_free_directions(planes, nv, index3.nc());
    Eigen::VectorXd force = Eigen::VectorXd::Zero(nv), momentum = force;
    for (int c = 0; c < nv; ++c)
      for (int k = planes.motion.start[c]; k < planes.motion.start[c + 1]; ++k) {
        force[planes.motion.index[k]] += planes.M[k] * x.a[c];
        momentum[planes.motion.index[k]] += planes.M[k] * x.v[c];
      }
    std::size_t found = 0;
    for (Eigen::Index j = 0; j < free.Z.cols(); ++j) {
      const auto z = free.Z.col(j);
      bool travels = false;
      for (int i = 0; i < nv; ++i) travels |= index3.layout().kinds()[i] == Kind::position && std::abs(z[i]) > idle;
      const double size = z.lpNorm<1>();
      const bool driven = std::abs(z.dot(force)) > idle * (1.0 + force.lpNorm<Eigen::Infinity>()) * size ||
                          std::abs(z.dot(momentum)) > idle * (1.0 + momentum.lpNorm<Eigen::Infinity>()) * size;
      if (!travels && !driven) continue;
      if (found++ < freedoms_named)
        names += fmt::format("{}{}", names.empty() ? "" : "; ", index3.layout().describe_unknown(free.coordinates[j]));
    }
    if (found == 0) return;
    if (found > freedoms_named) names += "; …";
  }
  const bool inverse = asked == AnalysisKind::inverse_dynamics;
  throw InputError(
      {Issue{study.analysis.source.at("kind"),
             fmt::format(
                 "the machine is not fully driven: {} of its freedoms {} free{}. {} follows motions alone: give each a "
                 "[[motion]], or compute the motion with kind = \"dynamics\"",
                 n_free, n_free == 1 ? "is" : "are", names.empty() ? "" : fmt::format(" ({})", names),
                 inverse ? "Inverse dynamics" : "Kinematics")}});
}

}  // namespace trammel
