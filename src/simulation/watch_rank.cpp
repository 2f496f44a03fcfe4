#include <fmt/format.h>

#include <numeric>

#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"
#include "trammel/simulation/singular_passage.h"

// Positions in which constraints lose rank, at the start and on the way, and rows that were left out.

namespace trammel {

namespace {

// Whether joints close loops: in a tree of joints no row ever depends on others.
bool has_loops(const Assembly& assembly) {
  std::vector<int> group;
  const auto find = [&](int frame) {
    if (frame >= static_cast<int>(group.size())) {
      const std::size_t from = group.size();
      group.resize(static_cast<std::size_t>(frame) + 1);
      std::iota(group.begin() + static_cast<std::ptrdiff_t>(from), group.end(), static_cast<int>(from));
    }
    while (group[frame] != frame) frame = group[frame];
    return frame;
  };
  for (const Assembly::Joint& joint : assembly.joints) {
    const int a = find(joint.frame_a), b = find(joint.frame_b);
    if (a == b) return true;
    group[std::max(a, b)] = std::min(a, b);
  }
  return false;
}

// A row that others imply is violated as they are, times a factor of the geometry; more than this, and more than this
// part of the machine's size, and they do not imply it any more.
constexpr double implied_factor = 1e3, implied_part = 1e-5;

}  // namespace

MotionIntegrator& Simulation::active() const { return passage_ ? passage_->current(*integrator_) : *integrator_; }

void Simulation::check_singular_start(const LastingRedundancy& redundancy) const {
  if (!redundancy.at_rest && redundancy.impossible_row < 0) return;
  const int row = redundancy.impossible_row >= 0 ? redundancy.impossible_row : redundancy.here.dependent.back().row;
  const std::string name = full_.system->describe_row(row);
  if (redundancy.at_rest)
    throw InputError(
        fmt::format("the machine is drawn in a singular position and does not move out of it: {} depends on other rows "
                    "there, but not "
                    "beside it, several motions begin there and nothing tells which one is meant\n    what to do  : "
                    "draw it a little "
                    "beside the position, or give velocities that lead out of it",
                    name));
  throw InputError(fmt::format(
      "the machine is drawn in a singular position with a velocity that no motion has there: {} would be "
      "violated at once\n    usual cause : velocities given for some bodies only; give those of all, or draw "
      "the machine a little beside the position",
      name));
}

std::optional<Alarm> Simulation::find_violated_row() const {
  if (violated_row_ < 0) return std::nullopt;
  const double size = full_.drawn.q.size() ? full_.drawn.q.lpNorm<Eigen::Infinity>() : 0.0;
  const double limit = std::max(implied_factor * kept_violation_, implied_part * (size > 0.0 ? size : 1.0));
  if (left_out_violation_ <= limit) return std::nullopt;
  Alarm alarm{.name = "left-out row violated",
              .t = ledger_time_,
              .element = full_.system->describe_row(violated_row_),
              .value = left_out_violation_,
              .limit = limit,
              .text = {}};
  alarm.text = fmt::format(
      "a row that was left out, because others implied it where the machine was drawn, does not hold any more: {:.3g}, "
      "limit {:.3g}; usual cause: the machine was drawn in a singular position, or reached one in which it goes "
      "another "
      "way; draw it elsewhere, or remove the redundancy",
      left_out_violation_, limit);
  return alarm;
}

void Simulation::watch_rank() {
  const SolverOptions& o = study_.solver;
  if (study_.analysis.kind != AnalysisKind::dynamics || index3_->nc() == 0 || !has_loops(full_)) return;
  SingularPassage::Options options;
  options.fixed_h = o.h;
  if (o.rtol) options.tolerances.rtol = *o.rtol;
  if (o.atol) options.tolerances.atol = *o.atol;
  // With a fixed step nothing is passed on its own, unless the machine begins there: it is only told.
  const bool passes = !o.h || starts_singular_;
  (passes ? passage_ : rank_look_) = std::make_unique<SingularPassage>(moved_system(), options);
}

void Simulation::sum_up_passages(Summary& summary) const {
  if (!passage_ || passage_->passages().empty()) return;
  const std::vector<SingularPassage::Passage>& all = passage_->passages();
  constexpr std::size_t shown = 5;
  std::string times;
  for (std::size_t i = 0; i < std::min(shown, all.size()); ++i)
    times += fmt::format("{}{:.6g}", i ? ", " : "", all[i].t);
  if (all.size() > shown) times += fmt::format(" … {:.6g}", all.back().t);
  summary.notes.push_back(
      fmt::format("passed {} singular position{}, t = {} s: the rows of {} lose rank there and other motions branch "
                  "off; the machine "
                  "was led through on its own, with the velocity it had. Reactions grow without bound near such a "
                  "position unless loads happen to balance",
                  all.size(), all.size() > 1 ? "s" : "", times, all.front().rows));
}

}  // namespace trammel
