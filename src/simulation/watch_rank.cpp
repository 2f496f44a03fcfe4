#include <fmt/format.h>

#include <numeric>

#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

// Positions in which constraints lose rank, on the way.

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

}  // namespace

void Simulation::watch_rank() {
  const SolverOptions& o = study_.solver;
  if (study_.analysis.kind != AnalysisKind::dynamics || o.h || index3_->nc() == 0 || !has_loops(full_)) return;
  SingularPassage::Options options;
  if (o.rtol) options.tolerances.rtol = *o.rtol;
  if (o.atol) options.tolerances.atol = *o.atol;
  passage_ = std::make_unique<SingularPassage>(moved_system(), options);
}

void Simulation::sum_up_passages(Summary& summary) const {
  if (!passage_ || passage_->passages().empty()) return;
  const std::vector<SingularPassage::Passage>& all = passage_->passages();
  constexpr std::size_t shown = 5;
  std::string times;
  for (std::size_t i = 0; i < std::min(shown, all.size()); ++i)
    times += fmt::format("{}{:.6g}", i ? ", " : "", all[i].t);
  if (all.size() > shown) times += fmt::format(" … {:.6g}", all.back().t);
  summary.notes.push_back(fmt::format(
      "passed {} singular position{}, t = {} s: {} lose rank there and other motions branch off; the machine "
      "was led through on its own, with the velocity it had. Reactions grow without bound near such a "
      "position unless loads happen to balance",
      all.size(), all.size() > 1 ? "s" : "", times, all.front().rows));
}

}  // namespace trammel
