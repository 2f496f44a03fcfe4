// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>

#include "peers.h"
#include "reference.h"
#include "trammel/integrators/bdf.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

// Trammel beside its peers, in one run: ./dev bench peers [P1 P2 P3 P4 P5 explicit counts first_steps] [alone]
// With `alone` Trammel's runs only, each once, for counting instructions: see tools/costs.py. Numbers are lengths of
// the chains of P1 (100) and their tolerances (1e-5), instead of all.

namespace trammel::peers {

// It stands before and behind what is timed, so that callgrind with --collect-atstart=no counts the same.
double cpu_time() {
  CALLGRIND_TOGGLE_COLLECT;
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Planar::error(const std::vector<double>& q) const {
  if (kind == Kind::four_bar) {
    const auto [x, y] = four_bar_tip(n, t_end());
    return std::hypot(q[0] - 0.5 * std::sin(q[2]) - x, q[1] + 0.5 * std::cos(q[2]) - y);
  }
  static int n_known = 0;
  static std::vector<double> exact;
  if (n_known != n) exact = ChainReference(n).positions(t_end(), 200), n_known = n;
  double worst = 0.0;
  for (int i = 0; i < n; ++i)
    worst = std::max(worst, std::hypot(q[3 * i] - exact[2 * i], q[3 * i + 1] - exact[2 * i + 1]));
  return worst;
}

Status AndrewsDae::linearize(const Point& p, const State&, Planes& planes, Workspace&) const {
  using D = Dual<14>;
  constexpr int n = 26, np = 7, nc = 6;
  std::array<D, n> y, yp, F;
  for (int i = 0; i < n; ++i) y[i] = p.y[i], yp[i] = p.yp[i];
  for (int i = 0; i < 14; ++i) y[i].d[i] = 1.0;
  equations()(D(p.t), y.data(), yp.data(), F.data());
  planes.set_zero();
  std::vector<double>&F_y = planes.F_y(), &F_yp = planes.F_yp();
  for (int j = 0; j < 14; ++j)
    for (int i = 0; i < n; ++i) F_y[n * j + i] = F[i].d[j];
  std::array<std::array<double, np>, nc> G;
  const testing::Andrews& mechanism = equations().mechanism;
  mechanism.jacobian(p.t, p.y.data(), G);
  for (int k = 0; k < nc; ++k)
    for (int i = 0; i < np; ++i) F_y[n * (14 + k) + 7 + i] = F_y[n * (20 + k) + i] = G[k][i];
  for (int j = 0; j < np; ++j) {
    std::array<double, np> unit{}, column;
    unit[j] = 1.0;
    mechanism.mass_times(p.y.data(), unit.data(), column);
    F_yp[n * j + j] = 1.0;
    for (int i = 0; i < np; ++i) F_yp[n * (7 + j) + 7 + i] = column[i];
  }
  return Status::success();
}

namespace {

bool alone = false;

// What was counted since the last call goes to a file of its own.
void note_run(const std::string& name) { CALLGRIND_DUMP_STATS_AT(name.c_str()); }

using Solve = std::function<Run(double tol)>;
struct Peer {
  Solve solve;
  std::vector<double> tolerances;
};

constexpr double velocity_scale_andrews = 1e3;  // its velocities are of this order

template <class M>
BdfOptions bdf_options(double tol, double velocity_scale) {
  BdfOptions options;
  options.tolerances.rtol = tol;
  options.tolerances.set(Kind::position, tol, tol);
  options.tolerances.set(Kind::velocity, tol, tol * velocity_scale);
  options.corrector = Corrector::modified;
  return options;
}

template <class Dae, class M>
Run run_bdf(const Dae& dae, double tol, double velocity_scale, Eigen::VectorXd& y) {
  Bdf bdf(dae, bdf_options<M>(tol, velocity_scale), LinearSolverKind::dense);
  State state;
  Run run{"Trammel", tol};
  const double begin = cpu_time();
  bool ok = bdf.start(0.0, dae.y0, dae.yp0, state).ok();
  ok = ok && bdf.integrate(M::t_end, state).status.ok();
  run.seconds = cpu_time() - begin;
  const BdfCounters& c = bdf.counters();
  run.steps = c.steps, run.residuals = c.residuals, run.jacobians = c.linearizations;
  run.error_failures = c.error_failures, run.convergence_failures = c.convergence_failures;
  run.error = ok ? 0.0 : NAN;
  y = bdf.y();
  return run;
}

template <class M>
double position_error(const Eigen::VectorXd& y, int first) {
  const Eigen::VectorXd exact = M::reference();
  const int n = std::min<int>(M::np - first, static_cast<int>(exact.size()));
  return (y.segment(first, n) - exact.head(n)).template lpNorm<Eigen::Infinity>();
}

// The seconds that a peer needs for an error, from its runs: linear in the logarithms, nothing outside their range.
std::optional<double> seconds_at(const std::vector<Run>& runs, double error) {
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const Run &a = runs[i], &b = runs[i + 1];
    if (!(std::min(a.error, b.error) <= error && error <= std::max(a.error, b.error))) continue;
    const double part = std::log(error / a.error) / std::log(b.error / a.error);
    return a.seconds * std::pow(b.seconds / a.seconds, part);
  }
  return std::nullopt;
}

void print(const std::string& problem, const Run& r) {
  fmt::print("{:<16} {:<8} {:7.0e} {:>11.3f} {:>10.2e} {:>7} {:>9} {:>9} {:>7} {:>6}\n", problem, r.peer, r.tol,
             1e3 * r.seconds, r.error, r.steps, r.residuals, r.jacobians, r.error_failures, r.convergence_failures);
}

// Every peer at every tolerance, in turn, so that a load of the machine hits all; the fastest of several repetitions.
void compare(const std::string& problem, const std::vector<Peer>& peers) {
  std::vector<std::vector<Run>> runs(peers.size());
  double spent = 0.0;
  const double budget = alone ? 0.0 : 40.0;  // [s]
  const std::size_t n_peers = alone ? 1 : peers.size();
  for (int repetition = 0; repetition < 7 && (repetition == 0 || spent < budget); ++repetition)
    for (std::size_t p = 0; p < n_peers; ++p)
      for (std::size_t i = 0; i < peers[p].tolerances.size(); ++i) {
        const Run run = peers[p].solve(peers[p].tolerances[i]);
        note_run(fmt::format("{}, {:g}", problem, peers[p].tolerances[i]));
        spent += run.seconds;
        if (repetition == 0)
          runs[p].push_back(run);
        else
          runs[p][i].seconds = std::min(runs[p][i].seconds, run.seconds);
      }
  for (const std::vector<Run>& of_peer : runs)
    for (const Run& run : of_peer) print(problem, run);
  for (std::size_t p = 1; p < n_peers; ++p) {
    double product = 1.0;
    int n = 0;
    std::string text;
    for (const Run& run : runs[p]) {
      const std::optional<double> ours = seconds_at(runs[0], run.error);
      if (!ours) continue;
      const double ratio = run.seconds / *ours;
      text += fmt::format("  {:.2f} at {:.0e}", ratio, run.error);
      product *= ratio;
      ++n;
    }
    text += n > 0 ? fmt::format("  mean {:.2f}", std::pow(product, 1.0 / n)) : "  no common errors";
    fmt::print("{:<16} time of {} over time of Trammel at equal error:{}\n", problem, runs[p][0].peer, text);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void compare_planar(const std::string& name, const Planar& problem, const std::vector<double>& tolerances,
                    const std::vector<double>& explicit_tolerances) {
  std::vector<Peer> peers{{[&](double tol) { return run_trammel(problem, tol); }, tolerances},
                          {[&](double tol) { return run_ida(problem, tol); }, tolerances}};
  if (has_simbody()) peers.push_back({[&](double tol) { return run_simbody(problem, tol); }, explicit_tolerances});
  compare(name, peers);
}

// The explicit pair in joint coordinates beside Simbody's.
void compare_explicit(int n) {
  const Planar problem{Planar::Kind::chain, n};
  std::vector<Peer> peers{{[&](double tol) { return run_trammel_explicit(problem, tol); },
                           {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}}};
  if (has_simbody()) peers.push_back({[&](double tol) { return run_simbody(problem, tol); }, {1e-4, 1e-5, 1e-6, 1e-8}});
  compare(fmt::format("P1 explicit {}", n), peers);
}

// P4: one evaluation of forward dynamics.
void compare_forward() {
  fmt::print("{:<14} {:>22} {:>22} {:>8}\n", "P4", "Trammel [us], per body", "Simbody [us], per body", "ratio");
  for (const bool tree : {false, true})
    for (const int n : {10, 100, 1000, 10000}) {
      const Forward problem{tree, n};
      const double ours = time_trammel(problem), theirs = n <= 1000 && !alone ? time_simbody(problem) : NAN;
      note_run(fmt::format("P4 {} {}", tree ? "tree" : "chain", n));
      fmt::print("{:<14} {:>12.3f} {:>9.4f} {:>12.3f} {:>9.4f} {:>8.2f}\n",
                 fmt::format("{} {}", tree ? "tree" : "chain", n), 1e6 * ours, 1e6 * ours / n, 1e6 * theirs,
                 1e6 * theirs / n, theirs / ours);
    }
}

// P5: the fastest run of each peer whose error is small enough, every run several times in turn.
void compare_beam() {
  constexpr double limit = 1.2e-3;  // [m]
  struct Case {
    std::string name;
    std::function<Run()> solve;
    Run run;
  };
  std::vector<Case> cases;
  // Meshes and tolerances around the cheapest that is accurate enough, so that IDA has its best time.
  for (const int n : {10, 15, 20, 25, 30, 40, 50})
    for (const double tol : {1e-4, 3e-5, 1e-5})
      if (!alone) cases.push_back({fmt::format("P5 IDA {}", n), [=] { return run_ida_beam(n, tol); }, {}});
  for (const auto& [n, order] : {std::pair(2, 3), std::pair(3, 3), std::pair(3, 2), std::pair(4, 2)})
    for (const char* rho : {"0.8", "0.6"})
      for (const char* h : {"1.6667e-3", "1.25e-3", "1e-3"})
        cases.push_back({fmt::format("P5 α {} × {} ρ={} h={}", n, order, rho, h),
                         [=, n = n, order = order] {
                           return run_trammel_beam(n, order,
                                                   fmt::format("integrator = \"generalized_alpha\"\nrho_inf = {}\n"
                                                               "newton_tol = 1e-8\nlinear_solver = \"sparse_ldlt\"\n"
                                                               "h = {}\n",
                                                               rho, h));
                         },
                         {}});
  for (const double tol : {1e-2, 1e-3})
    cases.push_back(
        {"P5 radau 2 × 3",
         [=] {
           Run run = run_trammel_beam(
               2, 3, fmt::format("integrator = \"radau\"\nformulation = \"index3\"\nrtol = {0}\natol = {0}\n", tol));
           run.tol = tol;
           return run;
         },
         {}});
  for (int repetition = 0; repetition < (alone ? 1 : 3); ++repetition)
    for (Case& c : cases) {
      const Run run = c.solve();
      note_run(fmt::format("{} {:g}", c.name, run.tol));
      if (repetition == 0 || run.seconds < c.run.seconds) c.run = run;
    }
  double best[2] = {1e300, 1e300};
  for (const Case& c : cases) {
    print(c.name, c.run);
    double& fastest = best[c.run.peer == "IDA" ? 0 : 1];
    if (c.run.error <= limit) fastest = std::min(fastest, c.run.seconds);
  }
  if (alone) return;
  fmt::print("P5 fastest with an error of at most {} m: IDA {:.2f} ms, Trammel {:.2f} ms, Trammel over IDA {:.2f}\n\n",
             limit, 1e3 * best[0], 1e3 * best[1], best[1] / best[0]);
}

void compare_andrews() {
  const AndrewsDae dae;
  const auto finish = [](Run run, const Eigen::VectorXd& y) {
    if (run.error == 0.0) run.error = position_error<testing::Andrews>(y, 0);
    return run;
  };
  const std::vector<double> tolerances{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  compare("P3 Andrews",
          {{[&](double tol) {
              Eigen::VectorXd y;
              const Run run = run_bdf<AndrewsDae, testing::Andrews>(dae, tol, velocity_scale_andrews, y);
              return finish(run, y);
            },
            tolerances},
           {[&](double tol) {
              Eigen::VectorXd y;
              const Run run = run_ida({dae, dae.y0, dae.yp0, testing::Andrews::t_end, tol, velocity_scale_andrews}, y);
              return finish(run, y);
            },
            tolerances}});
}

// The counts of tests/integrators/bdf_problems.cpp.
template <class M>
void count(const std::string& name, testing::Form form, double velocity_scale, int first) {
  const testing::MechanismDae<M> dae(form);
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Eigen::VectorXd y;
    const auto report = [&](Run run) {
      if (run.error == 0.0) run.error = position_error<M>(y, first);
      print(name, run);
    };
    report(run_bdf<testing::MechanismDae<M>, M>(dae, tol, velocity_scale, y));
    report(run_ida({dae, dae.y0, dae.yp0, M::t_end, tol, velocity_scale}, y));
  }
}

void first_steps() {
  const testing::TemplateDae dae(testing::StiffScalar{}, {Kind::internal});
  const Eigen::VectorXd y0 = Eigen::VectorXd::Zero(1), yp0 = Eigen::VectorXd::Constant(1, 1000.0);
  Eigen::VectorXd y;
  std::vector<IdaStep> ida;
  run_ida({dae, y0, yp0, 10.0, 1e-5, 1.0, 1e-6}, y, 42, &ida);
  BdfOptions options = BdfOptions::dassl();
  options.h0 = 1e-6;
  options.tolerances.rtol = options.tolerances.atol = 1e-5;
  Bdf bdf(dae, options);
  State state;
  static_cast<void>(bdf.start(0.0, y0, yp0, state));
  fmt::print("step     IDA h  order    Trammel h  order\n");
  for (std::size_t i = 0; i < ida.size(); ++i) {
    const BdfStep step = bdf.advance(10.0, state);
    fmt::print("{:>4} {:>9.5g} {:>6} {:>12.5g} {:>6}\n", i + 1, ida[i].h, ida[i].order, step.h, step.order);
  }
}

int run(std::vector<std::string> wanted) {
  alone = std::erase(wanted, "alone") > 0;
  std::vector<double> numbers;
  std::erase_if(wanted, [&](const std::string& word) {
    char* end = nullptr;
    const double x = std::strtod(word.c_str(), &end);
    const bool is_number = end != word.c_str() && *end == '\0';
    if (is_number) numbers.push_back(x);
    return is_number;
  });
  const auto asked = [&](const char* name, bool by_default = true) {
    return wanted.empty() ? by_default : std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  fmt::print("{:<16} {:<8} {:>7} {:>11} {:>10} {:>7} {:>9} {:>9} {:>7} {:>6}\n", "problem", "peer", "tol", "time [ms]",
             "error", "steps", "residuals", "Jacobians", "errors", "Newton");
  // Counted, a chain of 1000 would take an hour, and it does what that of 100 does.
  std::vector<int> chains{10, 100, 1000};
  if (alone) chains.pop_back();
  std::vector<double> tolerances{1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  const bool some = !numbers.empty();
  if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return x >= 1.0; })) chains.clear();
  if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return x < 1.0; })) tolerances.clear();
  for (const double x : numbers)
    if (x >= 1.0)
      chains.push_back(static_cast<int>(x));
    else
      tolerances.push_back(x);
  if (asked("P1"))
    for (const int n : chains)
      compare_planar(fmt::format("P1 chain {}", n), {Planar::Kind::chain, n}, tolerances, {1e-4, 1e-6, 1e-8});
  if (asked("P1") && !some)
    for (const int n : chains) compare_explicit(n);
  if (asked("P2"))
    compare_planar("P2 four-bars 40", {Planar::Kind::four_bar, 40},
                   {1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1e-6, 1e-7, 1e-8}, {1e-4, 1e-6});
  if (asked("P3")) compare_andrews();
  if (asked("P4")) compare_forward();
  if (asked("P5")) compare_beam();
  if (asked("explicit", false))
    for (const int n : chains) compare_explicit(n);
  if (asked("counts", false)) {
    count<testing::Andrews>("Andrews", testing::Form::stabilized_index2, velocity_scale_andrews, 0);
    count<testing::CarAxis>("car axis", testing::Form::stabilized_index2, 1.0, 0);
    count<testing::FlexibleSliderCrank>("slider crank", testing::Form::index2, 1.0, 1);
    count<testing::PlainPendulum>("pendulum", testing::Form::stabilized_index2, 1.0, 0);
  }
  if (asked("first_steps", false)) first_steps();
  return 0;
}

}  // namespace
}  // namespace trammel::peers

int main(int argc, char** argv) { return trammel::peers::run(std::vector<std::string>(argv + 1, argv + argc)); }
