#include <gtest/gtest.h>

#include <regex>

#include "claims/compare_frames.h"
#include "support/allocation_counter.h"
#include "trammel/simulation/option.h"

// What every integrator must do, with every formulation and both sets of coordinates that it takes: a new one is found
// here by its word and needs no line. Orders are claims of tests/claims/orders_of_integrators.cpp, threads of
// tests/threads/.

namespace trammel::test_contract_integrators {
namespace {

// A spatial slider crank, one loop without a redundant row: a spring, a filter whose output acts on the crank, a smooth
// torque, a force with a kink at 0.1234 s, and an event. Nothing about its numbers is special.
const std::string machine = R"toml(
[[body]]
name = "crank"
mass = 1
inertia = [0.01, 0.02, 0.012]
position = [0, 0, 0.1]
[[body]]
name = "rod"
mass = 0.7
inertia = [0.01, 0.013, 0.011]
position = ["sqrt(0.2)/2", 0.05, 0.1]
[[body]]
name = "slider"
mass = 0.5
inertia = [0.002, 0.002, 0.003]
position = ["sqrt(0.2)", 0.1, 0]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "pin"
kind = "spherical"
bodies = ["crank", "rod"]
point = [0, 0, 0.2]
[[joint]]
name = "cross"
kind = "universal"
bodies = ["rod", "slider"]
point = ["sqrt(0.2)", 0.1, 0]
axis = "y"
axis_b = "z"
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
point = [0, 0.1, 0]
axis = "x"
[[force]]
name = "spring"
kind = "spring_damper"
point_a = [1, 0.1, 0]
point_b = {body = "slider", at = [0, 0, 0]}
stiffness = 30
damping = 0.5
[[control]]
name = "filter"
kind = "filter"
input = "bearing.angle_rate"
time_constant = 0.05
[[force]]
name = "motor"
kind = "torque"
body = "crank"
torque = [0, "2*sin(5*t) - 0.1*filter", 0]
[[force]]
name = "push"
kind = "force"
body = "slider"
force = ["-40*max(0, t - 0.1234)", 0, 0]
[[measure]]
name = "place"
expression = "slider.x"
[[event]]
name = "passing"
measure = "place"
level = 0.46
direction = "both"
[analysis]
end = 0.4
[output]
interval = 0.0137
)toml";

struct Cell {
  Integrator integrator;
  std::optional<Formulation> formulation;  // absent: the method has none to choose
  CoordinateSet coordinates;
  std::string name;
};

Study study_of(const Cell& cell, const std::vector<std::string>& settings = {}) {
  Study study = read_study_text(machine, "machine.toml", settings);
  study.solver.integrator = cell.integrator;
  study.solver.formulation = cell.formulation;
  study.solver.coordinates = cell.coordinates;
  return study;
}

// Every combination that is not refused.
std::vector<Cell> make_cells() {
  std::vector<Cell> cells;
  const auto add = [&](const Cell& cell) {
    const Study study = study_of(cell);
    const bool taken = resolve(study, study.model).issues.empty();
    if (taken) cells.push_back(cell);
    return taken;
  };
  for (const auto& integrator : words_of<Integrator>())
    for (const auto& coordinates : words_of<CoordinateSet>()) {
      bool has_forms = false;
      for (const auto& formulation : words_of<Formulation>())
        has_forms |= add({integrator.value, formulation.value, coordinates.value,
                          integrator.name + "_" + formulation.name + "_" + coordinates.name});
      if (!has_forms) add({integrator.value, {}, coordinates.value, integrator.name + "_" + coordinates.name});
    }
  return cells;
}

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

void expect_same_bits(Simulation& a, Simulation& b) {
  const MotionVariables &x = a.integrator().newest(), &y = b.integrator().newest();
  EXPECT_EQ(x.t, y.t);
  for (const auto member : {&MotionVariables::q, &MotionVariables::v, &MotionVariables::a, &MotionVariables::z,
                            &MotionVariables::zp, &MotionVariables::lam})
    EXPECT_EQ(x.*member, y.*member);
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

INSTANTIATE_TEST_SUITE_P(Every, IntegratorContract, ::testing::ValuesIn(make_cells()),
                         [](const auto& cell) { return cell.param.name; });

}  // namespace
}  // namespace trammel::test_contract_integrators
