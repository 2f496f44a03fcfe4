// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/weighted_norm.h"

#include <fmt/format.h>

namespace trammel {

std::vector<Issue> Tolerances::issues(const Layout& layout) const {
  std::vector<Issue> found;
  const auto check = [&](const std::string& where, double r, double a) {
    if (!(r >= 0.0) || !(a >= 0.0) || !std::isfinite(r) || !std::isfinite(a))
      found.push_back({where, fmt::format("rtol = {}, atol = {}: both must be finite and not negative", r, a)});
    else if (r == 0.0 && a == 0.0)
      found.push_back({where, "rtol and atol are both zero: no step could ever be accepted"});
  };
  check("tolerances", rtol, atol);
  for (std::size_t kind = 0; kind < n_kinds; ++kind)
    if (kinds[kind]) check(fmt::format("tolerances of kind {}", kind), kinds[kind]->rtol, kinds[kind]->atol);
  const std::size_t n = static_cast<std::size_t>(layout.n());
  for (const auto& [name, each] : {std::pair{"rtol_each", &rtol_each}, std::pair{"atol_each", &atol_each}})
    if (!each->empty() && each->size() != n)
      found.push_back({name, fmt::format("{} numbers for {} unknowns", each->size(), n)});
  return found;
}

WeightedNorm::WeightedNorm(const Layout& layout, const Tolerances& tolerances) : rule_(tolerances.rule) {
  std::vector<Issue> found = tolerances.issues(layout);
  if (!found.empty()) throw InputError(std::move(found));
  const int n = layout.n();
  rtol_.resize(n);
  atol_.resize(n);
  for (int i = 0; i < n; ++i) {
    const Kind kind = layout.kinds()[i];
    const auto& of_kind = tolerances.kinds[static_cast<std::size_t>(kind)];
    rtol_[i] = of_kind ? of_kind->rtol : tolerances.rtol;
    atol_[i] = of_kind ? of_kind->atol : tolerances.atol;
    if (!tolerances.rtol_each.empty()) rtol_[i] = tolerances.rtol_each[i];
    if (!tolerances.atol_each.empty()) atol_[i] = tolerances.atol_each[i];
    if (kind == Kind::rotation) {
      atol_[i] = atol_[i] > 0.0 ? atol_[i] : rtol_[i];
      rtol_[i] = 0.0;
    }
    if (rtol_[i] == 0.0 && atol_[i] == 0.0)
      found.push_back({layout.describe_unknown(i), "rtol and atol are both zero"});
  }
  if (!found.empty()) throw InputError(std::move(found));
}

double WeightedNorm::mean_factor(std::span<const double> mask) {
  double m = 0.0;
  for (const double tested : mask) m += tested;
  return m > 0.0 ? 1.0 / std::sqrt(m) : 0.0;
}

void WeightedNorm::fill(ConstVec y, std::span<const double> mask, Vec factor) const {
  const double mean = mean_factor(mask);
  for (Eigen::Index i = 0; i < y.size(); ++i) factor[i] = mask[i] * mean / weight(i, y[i]);
}

}  // namespace trammel
