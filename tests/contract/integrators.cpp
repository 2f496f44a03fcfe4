// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <regex>

#include "claims/compare_frames.h"
#include "integrator_cells.h"
#include "support/allocation_counter.h"
#include "support/at_once.h"
#include "trammel/simulation/motion.h"

// What every integrator must do, with every formulation and both sets of coordinates that it takes: a new one is found
// here by its word and needs no line.

namespace trammel::test_contract_integrators {
namespace {

const Recorded& reference() {
  static const Recorded found = [] {
    Study study = study_of({Integrator::radau, Formulation::stabilized_index2, CoordinateSet::absolute, {}});
    study.solver.rtol = study.solver.atol = 1e-11;
    return run(study);
  }();
  return found;
}

// An independent judge of the judge: another method in other coordinates.
TEST(Reference, is_confirmed_by_another_method_in_other_coordinates) {
  Study study = study_of({Integrator::runge_kutta, {}, CoordinateSet::joint, {}});
  study.solver.rtol = study.solver.atol = 1e-11;
  const FrameDifference worst = largest_difference(compare_frames(run(study), reference()));
  EXPECT_LT(worst.relative(), 1e-8) << worst;
}

std::vector<double> times_of_events(const Summary& summary) {
  std::vector<double> times;
  const std::regex at(R"(at t = ([^ ]+) s)");
  for (const std::string& line : summary.events)
    if (std::smatch match; std::regex_search(line, match, at)) times.push_back(std::stod(match[1]));
  return times;
}

// Errors that are allowed, in tolerances and of the largest value of a quantity: nearly twice what was measured.
double most_tolerances(const Cell& cell) {
  const Integrator method = cell.integrator;
  if (method == Integrator::radau || method == Integrator::runge_kutta) return 4.0;  // index 3; 0.4 on the others
  if (method == Integrator::newmark) return 100.0;                                   // of first order
  if (method != Integrator::bdf) return 15.0;
  // The second of these has low orders, the first no test of velocities: 170 after a step of 0.1 s.
  const bool coarse = cell.formulation == Formulation::index3 || cell.formulation == Formulation::coordinate_split;
  return coarse ? 300.0 : 35.0;
}

class IntegratorContract : public ::testing::TestWithParam<Cell> {};

struct Errors {
  double frames = 0.0, events = 0.0;
  FrameDifference worst;
};

Errors errors_of(const Recorded& recorded) {
  Errors errors;
  const std::vector<double> found = times_of_events(recorded.summary), expected = times_of_events(reference().summary);
  // Frames of events are at their own instants.
  const auto at_event = [&](double t) {
    return std::any_of(found.begin(), found.end(), [&](double event) { return std::abs(t - event) < 1e-8; });
  };
  errors.worst = largest_difference(compare_frames(recorded, reference(), at_event));
  errors.frames = errors.worst.relative();
  EXPECT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
    errors.events = std::max(errors.events, std::abs(found[i] - expected[i]));
  return errors;
}

// Positions, velocities, accelerations, reactions and states of every frame, which steps do not end at, and instants of
// events: across the kink they fall with the tolerance.
TEST_P(IntegratorContract, errors_of_all_frames_and_events_fall_with_the_tolerance) {
  constexpr double of_default = 1e-5;  // rtol, unless it is given
  for (const std::optional<double> given : {std::optional<double>(), std::optional<double>(1e-7)}) {
    Study study = study_of(GetParam());
    study.solver.rtol = study.solver.atol = given;
    const double tol = given.value_or(of_default), most = most_tolerances(GetParam());
    const Errors errors = errors_of(run(study));
    EXPECT_LT(errors.frames, most * tol) << tol << ": " << errors.worst;
    EXPECT_LT(errors.events, 0.5 * most * tol) << tol;
  }
}

// A first step that is far too long is taken back, and what follows is as right as ever.
TEST_P(IntegratorContract, recovers_from_rejected_steps) {
  Study study = study_of(GetParam());
  const double tol = 1e-5;
  study.solver.rtol = study.solver.atol = tol;
  study.solver.h0 = 0.1;
  const Recorded recorded = run(study);
  EXPECT_GT(recorded.summary.rejected_error + recorded.summary.rejected_newton, 0);
  const Errors errors = errors_of(recorded);
  EXPECT_LT(errors.frames, most_tolerances(GetParam()) * tol) << errors.worst;
}

void advance(Simulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i)
    ASSERT_TRUE(simulation.integrator().advance(10.0, simulation.state()).status.ok()) << i;
}

void expect_same_bits(const MotionVariables& x, const MotionVariables& y) {
  EXPECT_EQ(x.t, y.t);
  for (const auto member : {&MotionVariables::q, &MotionVariables::v, &MotionVariables::a, &MotionVariables::z,
                            &MotionVariables::zp, &MotionVariables::lam})
    EXPECT_EQ(x.*member, y.*member);
}

void expect_same_bits(Simulation& a, Simulation& b) {
  expect_same_bits(a.integrator().newest(), b.integrator().newest());
  a.integrator().commit(a.state()), b.integrator().commit(b.state());
  EXPECT_EQ(a.state().to_numbers(), b.state().to_numbers());
}

// State and memory are all there is: what is saved goes on bit by bit in a machine with another past, and two runs of
// one machine are the same. A memory of another size is refused.
TEST_P(IntegratorContract, goes_on_from_what_was_saved_bit_by_bit) {
  const Study study = study_of(GetParam());
  for (const int at : {0, 1, 9}) {
    SCOPED_TRACE(at);
    Simulation original(study), restored(study), again(study);
    advance(original, at), advance(restored, 3), advance(again, at);
    const std::vector<double> memory = original.integrator().save(), state = original.state().to_numbers();
    EXPECT_EQ(again.integrator().save(), memory);  // saving drops matrices, in both
    restored.integrator().restore(memory);
    restored.state() = State::from_numbers(state);
    for (Simulation* simulation : {&original, &restored, &again}) advance(*simulation, 20);
    expect_same_bits(original, restored);
    expect_same_bits(original, again);
    for (const std::size_t n : {std::size_t(0), std::size_t(3), memory.size() - 1, memory.size() + 1}) {
      std::vector<double> other = memory;
      other.resize(n);
      EXPECT_THROW(restored.integrator().restore(other), std::invalid_argument) << n;
    }
  }
}

// Nearly: a sparse solver that chooses pivots anew does, now and then; and consistent values behind a kink are sought
// with room of their own.
TEST_P(IntegratorContract, allocates_nothing_in_a_step) {
  Study study = study_of(GetParam(), {"force.push.force=[0, 0, 0]"});
  study.solver.linear_solver = LinearSolverKind::dense;
  if (!resolve(study, study.model).issues.empty()) study.solver.linear_solver.reset();
  Simulation simulation(study);
  advance(simulation, 20);
  int allocating = 0;
  for (int i = 0; i < 30; ++i) {
    const testing::AllocationScope scope;
    if (!simulation.integrator().advance(10.0, simulation.state()).status.ok()) break;
    allocating += scope.count() > 0;
  }
  EXPECT_LE(allocating, 3);
}

// ---- orders --------------------------------------------------------------------------------------------------------

// Newton to rounding: what a tolerance leaves would be divided by h² in λ.
Recorded run_fixed(const Cell& cell, double h) {
  Study study = study_of(cell, {"force.push.force=[0, 0, 0]"});
  study.analysis.end = 0.1;
  study.output.interval = study.analysis.end;
  study.model.events.clear();
  study.solver.h = h;
  if (method_of(study.solver).traits.newton == NewtonLimit::error) {
    study.solver.bdf.max_order = 2;
    study.solver.newton_stop = NewtonStop::none;
    study.solver.max_iterations = 5;
    study.solver.bdf.jacobian_pattern = "T";
  } else if (method_of(study.solver).equations.no_matrix.empty()) {
    study.solver.newton_tol = 1e-14;
  }
  return run(study);
}

struct AtEnd {
  Eigen::VectorXd q, v, lam;
};

AtEnd at_end(const Recorded& recorded) {
  AtEnd end;
  const auto add = [&](const std::string& channel, Eigen::VectorXd& to) {
    const Eigen::VectorXd more = recorded.last(channel);
    to.conservativeResize(to.size() + more.size());
    to.tail(more.size()) = more;
  };
  for (const char* body : {"crank", "rod", "slider"}) {
    add(fmt::format("{}.position", body), end.q);
    for (const char* speed : {"velocity", "angular_velocity"}) add(fmt::format("{}.{}", body, speed), end.v);
  }
  for (const char* joint : {"bearing", "pin", "cross", "guide"})
    for (const char* reaction : {"reaction_force", "reaction_moment"})
      add(fmt::format("{}.{}", joint, reaction), end.lam);
  return end;
}

// The ratio |x_h − x_{h/2}|/|x_{h/2} − x_{h/4}| is 2ᵖ for an error c hᵖ: no reference is needed. A higher order is as
// wrong as a lower one.
TEST_P(IntegratorContract, has_the_orders_that_its_description_claims) {
  Study study = study_of(GetParam());
  study.solver.bdf.max_order.reset();
  const Settings settings = resolve(study, study.model).settings;
  const Orders claimed = method_of(settings.solver).orders(settings.solver);
  const double h = claimed.q > 2 ? 0.0125 : claimed.q == 2 ? 0.0025 : 0.000625;
  AtEnd x[3];
  for (int k = 0; k < 3; ++k) x[k] = at_end(run_fixed(GetParam(), h / (1 << k)));
  const auto expect = [&](const char* what, Eigen::VectorXd AtEnd::*member, int order) {
    const double found = observed_order((x[0].*member - x[1].*member).norm(), (x[1].*member - x[2].*member).norm());
    EXPECT_NEAR(found, order, 0.5) << what;
  };
  expect("q", &AtEnd::q, claimed.q), expect("v", &AtEnd::v, claimed.v), expect("λ", &AtEnd::lam, claimed.lam);
}

// ---- threads -------------------------------------------------------------------------------------------------------

// A machine is const: methods on it share nothing that changes. `./dev test --sanitize=thread` looks for races here.
TEST_P(IntegratorContract, two_threads_move_one_machine_to_the_same_bits) {
  const Machine machine_to_share(study_of(GetParam()), {});
  const auto move = [&](MotionVariables& to) {
    Viewer viewer(machine_to_share);
    Motion motion(machine_to_share, viewer);
    for (int i = 0; i < 15; ++i) ASSERT_TRUE(motion.method().advance(10.0, motion.state).status.ok()) << i;
    to = motion.method().newest();
  };
  std::array<MotionVariables, 3> ends;
  move(ends[0]);
  testing::at_once(2, [&](int i) { move(ends[static_cast<std::size_t>(i + 1)]); });
  for (const MotionVariables& end : {ends[1], ends[2]}) expect_same_bits(end, ends[0]);
}

INSTANTIATE_TEST_SUITE_P(Every, IntegratorContract, ::testing::ValuesIn(make_cells()),
                         [](const auto& cell) { return cell.param.name; });

}  // namespace
}  // namespace trammel::test_contract_integrators
