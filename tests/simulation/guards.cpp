// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "machines.h"
#include "trammel/mechanics/elements/batch_force.h"
#include "trammel/mechanics/elements/custom_force.h"
#include "trammel/mechanics/elements/custom_law.h"
#include "trammel/mechanics/elements/force_group.h"
#include "trammel/mechanics/elements/forces.h"
#include "trammel/simulation/option.h"

// The mistakes that would be dear later: step size or scaling inside residuals, hidden state, a frozen pattern.

namespace trammel::testing {
namespace {

struct Residual {
  Eigen::VectorXd motion, internal, phi;
};

Residual residual_of(const Simulation& simulation, const MotionVariables& x, const State& state) {
  const SecondOrderDae& dae = simulation.dae();
  Residual r{Eigen::VectorXd(dae.nv()), Eigen::VectorXd(dae.nz()), Eigen::VectorXd(dae.nc())};
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  const std::unique_ptr<Workspace> workspace = dae.make_workspace();
  EXPECT_TRUE(dae.residual(x.point(inputs.view()), state, r.motion, r.internal, r.phi, *workspace).ok());
  return r;
}

void advance(Simulation& simulation, int steps, double end = 10.0) {
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.integrator().advance(end, simulation.state());
    ASSERT_TRUE(report.status.ok()) << i;
  }
}

const std::vector<std::vector<std::string>> scalings{
    {"solver.scaling.kind=\"none\""},
    {"solver.scaling.kind=\"physical\""},
    {"solver.scaling.kind=\"physical\"", "solver.scaling.rho=1"},
    {"solver.scaling.kind=\"none\"", "solver.scaling.rho=100"},
    {"solver.scaling.kind=\"physical\"", "solver.scaling.l_ref=0.1", "solver.scaling.m_ave=7"}};

// Guard (b): scaling, penalty and step size live in the iteration operator. The residual at a point is bit-identical
// under all of them, after steps were taken, and the motion is the same to the tolerance of Newton's iteration.
TEST(Guards, scaling_changes_neither_the_residual_nor_the_motion) {
  Simulation reference(study_of(arm));
  MotionVariables x = reference.initial();
  x.q.array() += 0.01, x.v.array() -= 0.3, x.lam.array() += 2.0;  // off the manifold
  const State state = reference.state();
  const Residual expected = residual_of(reference, x, state);
  advance(reference, 100);
  for (const auto& scaling : scalings) {
    SCOPED_TRACE(scaling.front() + " and " + scaling.back());
    Simulation simulation(study_of(arm, scaling));
    advance(simulation, 100);
    const Residual found = residual_of(simulation, x, state);
    EXPECT_EQ(found.motion, expected.motion);
    EXPECT_EQ(found.internal, expected.internal);
    EXPECT_EQ(found.phi, expected.phi);
    const MotionVariables &a = simulation.integrator().newest(), &b = reference.integrator().newest();
    EXPECT_LE((a.q - b.q).lpNorm<Eigen::Infinity>(), 1e-8);
    EXPECT_LE((a.v - b.v).lpNorm<Eigen::Infinity>(), 1e-6);
    EXPECT_LE((a.lam - b.lam).lpNorm<Eigen::Infinity>(), 1e-3);
  }
}

// Guard (c): State and the integrator's memory are all there is. A fresh machine that gets both goes on bit by bit.
TEST(Guards, a_restored_run_continues_bit_identically) {
  for (const std::vector<std::string>& settings : {std::vector<std::string>{},
                                                   {"solver.scaling.rho=1"},
                                                   {"solver.integrator=midpoint"},
                                                   {"solver.integrator=radau"}}) {
    for (const bool controlled : {false, true}) {
      Study study = study_of(arm, settings);
      if (controlled) study.solver.h.reset();
      for (const int at : {0, 1, 7, 40}) {
        SCOPED_TRACE((controlled ? "controlled, saved at " : "fixed, saved at ") + std::to_string(at));
        Simulation original(study);
        advance(original, at);
        const std::vector<double> memory = original.integrator().save();
        const std::vector<double> state = original.state().to_numbers();
        advance(original, 30);

        Simulation restored(study);
        advance(restored, 3);  // its own past must not matter
        restored.integrator().restore(memory);
        restored.state() = State::from_numbers(state);
        advance(restored, 30);
        expect_same_bits(original.integrator().newest(), restored.integrator().newest());
        original.integrator().commit(original.state());
        restored.integrator().commit(restored.state());
        EXPECT_EQ(original.state().to_numbers(), restored.state().to_numbers());
      }
    }
  }
}

// What another method or another machine saved is refused before anything of it is taken.
TEST(Guards, a_memory_of_another_size_is_refused) {
  for (const WordOf<Integrator>& integrator : words_of<Integrator>()) {
    SCOPED_TRACE(integrator.name);
    Study study = study_of(arm, {});
    study.solver = {};
    study.solver.integrator = integrator.value;
    Simulation simulation(study);
    advance(simulation, 3);
    std::vector<double> memory = simulation.integrator().save();
    const double t = simulation.integrator().newest().t;
    for (const std::size_t n : {std::size_t(0), std::size_t(3), memory.size() - 1, memory.size() + 1}) {
      std::vector<double> other = memory;
      other.resize(n);
      EXPECT_THROW(simulation.integrator().restore(other), std::invalid_argument) << n;
    }
    EXPECT_EQ(simulation.integrator().newest().t, t);
    simulation.integrator().restore(memory);
    EXPECT_EQ(simulation.integrator().save(), memory);
  }
}

// A spring that exists only after t = 0.1 s, and whose entries of the matrix exist only then (unless `always`).
class LateSpring final : public ElementGroup {
 public:
  static constexpr double begins = 0.1;
  LateSpring(int a, int b, bool always) : a_(a), b_(b), always_(always) {
    spring_.add({{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), 500.0, 1.0, 1.0, 0.0}, {a, b}, {}});
  }
  std::string_view kind() const override { return "late spring"; }
  int size() const override { return 1; }
  int n_modes() const override { return 1; }
  void connect(std::span<const int> modes, Connectivity& c, std::vector<int>& slots) const override {
    if (always_ || modes[0] == 1) spring_.connect({}, c, slots);
  }
  void add_forces(const KinematicState& k, std::span<Wrench<double>> w, std::span<double> g) const override {
    if (k.modes[0] == 1) spring_.add_forces(k, w, g);
  }
  void add_planes(const KinematicState& k, PlaneSet set, std::span<const int> slots, FramePlanes& p) const override {
    if (k.modes[0] == 1) spring_.add_planes(k, set, slots, p);
  }
  bool update_modes(const KinematicState& k, std::span<int> modes) const override {
    if (modes[0] == 1 || k.in.u[0] < begins - 1e-9) return false;
    modes[0] = 1;
    return !always_;
  }

 private:
  int a_, b_;
  bool always_;
  ForceGroup<SpringDamper> spring_;
};

Customize with_late_spring(bool always) {
  return [always](Assembly& assembly) {
    // The first and the last link: no joint connects them.
    assembly.system->add_group(
        std::make_unique<LateSpring>(assembly.body_frame.front(), assembly.body_frame.back(), always));
  };
}

int entries_of(Simulation& simulation) {
  const SecondOrderDae& dae = simulation.dae();
  MotionPlanes planes;
  InputBuffer inputs;
  const MotionVariables& x = simulation.integrator().newest();
  dae.calc_inputs(x.t, inputs);
  const std::unique_ptr<Workspace> workspace = dae.make_workspace();
  EXPECT_TRUE(dae.linearize(x.point(inputs.view()), simulation.state(), PlaneSet::all, planes, *workspace).ok());
  return planes.motion.nnz();
}

TEST(Guards, an_element_enlarges_the_pattern_in_mid_run) {
  for (const std::string linear_solver : {"dense", "sparse_lu"}) {
    const Study study = study_of(arm, {"solver.linear_solver=\"" + linear_solver + "\""});
    Simulation growing(study, with_late_spring(false)), constant(study, with_late_spring(true)), without(study);
    const int before = entries_of(growing);
    EXPECT_EQ(before, entries_of(without));
    EXPECT_EQ(before + 2 * 36, entries_of(constant));  // the blocks (first, last) and (last, first)
    advance(growing, 49), advance(constant, 49), advance(without, 49);
    EXPECT_LT((growing.integrator().newest().q - without.integrator().newest().q).norm(), 1e-12);
    advance(growing, 60), advance(constant, 60), advance(without, 60);
    EXPECT_EQ(entries_of(growing), before + 2 * 36);
    EXPECT_LT((growing.integrator().newest().q - constant.integrator().newest().q).norm(), 1e-8);
    EXPECT_GT((growing.integrator().newest().q - without.integrator().newest().q).norm(), 1e-2);  // it is felt

    // Saved before it grew and restored after: the mode and the version travel with the state.
    Simulation first(study, with_late_spring(false));
    advance(first, 60);
    const std::vector<double> memory = first.integrator().save(), state = first.state().to_numbers();
    advance(first, 20);
    Simulation second(study, with_late_spring(false));
    second.integrator().restore(memory);
    second.state() = State::from_numbers(state);
    advance(second, 20);
    expect_same_bits(first.integrator().newest(), second.integrator().newest());
  }
}

TEST(Guards, a_step_that_does_not_converge_is_not_accepted) {
  Simulation simulation(study_of(arm, {"solver.max_iterations=1"}));
  const MotionVariables before = simulation.integrator().newest();
  const std::vector<double> state = simulation.state().to_numbers();
  for (int i = 0; i < 3; ++i) {
    const StepReport report = simulation.integrator().advance(1.0, simulation.state());
    EXPECT_FALSE(report.status.ok());
    EXPECT_EQ(report.h, 0.0);
    expect_same_bits(simulation.integrator().newest(), before);
    EXPECT_EQ(simulation.state().to_numbers(), state);
  }
}

// A mass on a spring that hardens with the cube, at two radians per step of its tangent: the matrix of the
// prediction leads nowhere, that of each iterate does.
TEST(Guards, a_fixed_step_that_one_matrix_does_not_solve_is_solved_with_several) {
  const std::string text = R"(
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 1
inertia = [1, 1, 1]
position = [1, 0, 0]
[[force]]
name = "spring"
kind = "force"
body = "block"
force = ["-2e3*block.x^3", 0, 0]
[solver]
integrator = "generalized_alpha"
rho_inf = 0.5
h = 0.03
[analysis]
end = 2
)";
  Simulation simulation(study_of(text));
  long renewed = 0;
  for (int i = 0; i < 20; ++i) {
    const StepReport report = simulation.integrator().advance(2.0, simulation.state());
    ASSERT_TRUE(report.status.ok()) << i;
    if (report.remedy == "a new matrix in every iteration") {
      ++renewed;
      EXPECT_GT(report.linearizations, 2);
    }
  }
  EXPECT_GT(renewed, 0);
  EXPECT_LT(std::abs(simulation.integrator().newest().q[0]), 1.0);  // it has not gained energy
}

// ---- the door for a user's own force -------------------------------------------------------------------------------

// The built-in spring again, as a user would write it.
struct SpringLaw {
  SpringDamper::Params params;
  template <class S>
  void operator()(double, const Frame<S>* f, Wrench<S>* w) const {
    SpringDamper::force(params, f, nullptr, w);
  }
};

class PlainSpring final : public CustomForce {
 public:
  PlainSpring(std::vector<int> frames, SpringLaw law) : frames_(std::move(frames)), law_(std::move(law)) {}
  std::span<const int> frames() const override { return frames_; }
  void force(double t, const Frame<double>* f, Wrench<double>* w) const override { law_(t, f, w); }
  double potential(double, const Frame<double>* f) const override {
    return SpringDamper::potential(law_.params, f, nullptr);
  }

 private:
  std::vector<int> frames_;
  SpringLaw law_;
};

std::string without_spring() {
  std::string text = arm;
  const std::size_t begin = text.find("[[force]]\nname = \"spring\""), end = text.find("[[force]]\nname = \"damper\"");
  return text.erase(begin, end - begin);
}

TEST(CustomForces, give_the_motion_of_the_same_built_in_force) {
  const Study study = study_of(without_spring());
  Simulation built_in(study_of(arm));
  const SpringLaw law{{{3, 0, 1}, {0.5, 0, 0}, 20.0, 0.2, 1.0, 0.0}};
  const auto customize = [&](bool duals) {
    return [&law, duals](Assembly& assembly) {
      auto group = std::make_unique<CustomForceGroup>();
      const std::vector<int> frames{0, assembly.body_frame[2]};
      if (duals)
        group->add(std::make_unique<TemplatedForce<SpringLaw>>(frames, law));
      else
        group->add(std::make_unique<PlainSpring>(frames, law));
      assembly.system->add_group(std::move(group));
    };
  };
  Simulation exact(study, customize(true)), differenced(study, customize(false));
  MemoryRecord a, b, c;
  EXPECT_TRUE(built_in.run(a).completed);
  EXPECT_TRUE(exact.run(b).completed);
  EXPECT_TRUE(differenced.run(c).completed);
  const Series tip = a.read("link_2.position");
  EXPECT_GT((tip.values.row(tip.values.rows() - 1) - tip.values.row(0)).norm(), 0.1);
  EXPECT_LT((b.read("link_2.position").values - tip.values).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((c.read("link_2.position").values - tip.values).cwiseAbs().maxCoeff(), 1e-9);
}

// The same spring as a law of frames and as a law of its length, each evaluated for all elements at once. A factor 2 in
// a derivative would cost iterations, not the motion: they are compared too.
TEST(CustomForces, evaluated_together_give_the_motion_of_the_built_in_force_at_its_price) {
  const Study study = study_of(without_spring());
  const SpringLaw law{{{3, 0, 1}, {0.5, 0, 0}, 20.0, 0.2, 1.0, 0.0}};
  const auto frames = [&](Assembly& assembly) {
    auto group = std::make_unique<BatchForceGroup>(2, [&](double t, int n, const Frame<double>* f, Wrench<double>* w) {
      for (int e = 0; e < n; ++e) law(t, f + 2 * e, w + 2 * e);
    });
    group->add(std::vector<int>{0, assembly.body_frame[2]});
    assembly.system->add_group(std::move(group));
  };
  const auto lengths = [&](Assembly& assembly) {
    auto group = std::make_unique<CustomLawGroup>(
        [](double, std::span<const double> x, std::span<const double> rate, std::span<double> Q) {
          for (std::size_t e = 0; e < x.size(); ++e) Q[e] = -20.0 * (x[e] - 1.0) - 0.2 * rate[e];
        });
    CustomLawGroup::Element element;
    element.line = true;
    element.frame[1] = assembly.body_frame[2];
    element.s_a = law.params.s_a, element.s_b = law.params.s_b;
    group->add(element);
    assembly.system->add_group(std::move(group));
  };
  Simulation built_in(study_of(arm));
  MemoryRecord a;
  const Summary expected = built_in.run(a);
  for (const Customize& customize : {Customize(frames), Customize(lengths)}) {
    Simulation simulation(study, customize);
    MemoryRecord b;
    const Summary summary = simulation.run(b);
    EXPECT_TRUE(summary.completed);
    EXPECT_LT((b.read("link_2.position").values - a.read("link_2.position").values).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(static_cast<double>(summary.iterations), static_cast<double>(expected.iterations),
                0.02 * static_cast<double>(expected.iterations));
  }
}

TEST(CustomForces, are_refused_when_they_name_no_frame_or_one_twice) {
  CustomForceGroup group;
  const SpringLaw law{{{0, 0, 0}, {0, 0, 0}, 1.0, 0.0, 0.0, 0.0}};
  EXPECT_THROW(group.add(std::make_unique<PlainSpring>(std::vector<int>{}, law)), InputError);
  EXPECT_THROW(group.add(std::make_unique<PlainSpring>(std::vector<int>{1, 1}, law)), InputError);
  EXPECT_THROW(group.add(std::make_unique<PlainSpring>(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}, law)), InputError);
}

}  // namespace
}  // namespace trammel::testing
