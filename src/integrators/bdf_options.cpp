// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/bdf_options.h"

#include <fmt/format.h>

#include "trammel/integrators/bdf_history.h"

namespace trammel {

BdfOptions BdfOptions::dassl() {
  BdfOptions options;
  options.newton_constant = 0.33;
  options.first_rate_factor = 100.0;
  options.guards_multipliers = false;
  options.matrix_cost = 0;
  options.restarts = options.relaxes_corrector = false;
  options.detects_stability_limit = options.pauses_growth = options.presumes_rate = false;
  return options;
}

std::vector<Issue> BdfOptions::issues(const Layout& layout) const {
  std::vector<Issue> found = tolerances.issues(layout);
  const auto require = [&](bool ok, const char* where, std::string message) {
    if (!ok) found.push_back({where, std::move(message)});
  };
  require(max_order >= 1 && max_order <= BdfHistory::max_order, "max_order",
          fmt::format("max_order = {}: BDF methods are stable for orders 1 to {}", max_order, BdfHistory::max_order));
  require(!h0 || *h0 > 0.0, "h0", fmt::format("h0 = {} s: a first step is positive", h0.value_or(0.0)));
  require(!fixed_h || *fixed_h > 0.0, "fixed_h",
          fmt::format("fixed_h = {} s: a step is positive", fixed_h.value_or(0.0)));
  require(hmin >= 0.0, "hmin", fmt::format("hmin = {} s: must not be negative", hmin));
  require(hmax > hmin, "hmax", fmt::format("hmax = {} s must be larger than hmin = {} s", hmax, hmin));
  require(newton_constant > 0.0 && newton_constant < 1.0, "newton_constant",
          fmt::format("newton_constant = {}: must lie between 0 and 1, else Newton's remainder is the error",
                      newton_constant));
  require(first_rate_factor > 0.0, "first_rate_factor", fmt::format("{}: must be positive", first_rate_factor));
  require(matrix_cost >= 0, "matrix_cost", fmt::format("{}: must not be negative", matrix_cost));
  require(max_iterations >= 1, "max_iterations", fmt::format("{}: at least one iteration", max_iterations));
  require(newton_stop == NewtonStop::tolerance || fixed_h, "newton_stop",
          "without the test of a tolerance a diverging iteration would be accepted: it needs a fixed step");
  require(jacobian_pattern.find_first_not_of("TF") == std::string::npos, "jacobian_pattern",
          fmt::format("'{}': only the letters T and F", jacobian_pattern));
  require(jacobian_pattern.empty() || jacobian_pattern.front() == 'T', "jacobian_pattern",
          fmt::format("'{}': must begin with T", jacobian_pattern));
  return found;
}

}  // namespace trammel
