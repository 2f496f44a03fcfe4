// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "own_kinds.h"
#include "trammel/base/json.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/model_tables.h"
#include "trammel/mechanics/joint/topology.h"
#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/pictures.h"
#include "trammel/mechanics/kinds/shape_parts.h"
#include "trammel/simulation/methods/method_parts.h"
#include "trammel/simulation/scene.h"
#include "trammel/simulation/simulation.h"

// A kind of joint or force is one descriptor in one file. Those of this folder are unknown to the library; handed to
// the reader, they are read, checked, assembled in both sets of coordinates, drawn, recorded and documented like its
// own.

namespace trammel::test_kinds {
namespace {

Kinds own_kinds() {
  Kinds kinds = standard_kinds();
  kinds.joints.push_back(own::helix);
  kinds.joints.push_back(own::point_on_cylinder);
  kinds.forces.push_back(own::magnet);
  kinds.measures.push_back(own::speed);
  kinds.shapes.push_back(own::tetrahedron);
  return kinds;
}

// ---- what lacks a part does not compile ----------------------------------------------------------------------------

struct WholeJoint {
  static constexpr std::string_view name = "", meaning = "";
  static std::vector<Key> keys() { return {}; }
  static void read(KindFields&, JointSpec&) {}
  static constexpr JointNeeds needs{};
  static constexpr InPlane in_plane{};
  static void check(detail::ModelChecks&, const JointSpec&, bool) {}
  static void compose(JointRows&, const JointSpec&) {}
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static std::optional<TreeMotion> motion(const JointSpec&, bool) { return std::nullopt; }
  static Directors directors(const JointSpec&) { return {}; }
  static constexpr auto signals = no_signals;
  static Picture picture() { return {}; }
};
static_assert(JointDescriptor<WholeJoint>);

// A part that is there only by name counts as missing.
struct Nothing {};
#define WITHOUT(PART)                       \
  struct JointWithout_##PART : WholeJoint { \
    static constexpr Nothing PART{};        \
  };                                        \
  static_assert(!JointDescriptor<JointWithout_##PART>)
WITHOUT(name);
WITHOUT(meaning);
WITHOUT(keys);
WITHOUT(read);
WITHOUT(needs);
WITHOUT(in_plane);
WITHOUT(check);
WITHOUT(compose);
WITHOUT(coordinates);
WITHOUT(axes);
WITHOUT(motion);
WITHOUT(directors);
WITHOUT(signals);
WITHOUT(picture);
#undef WITHOUT
static_assert(!JointDescriptor<Nothing>);

struct WholeForce {
  static constexpr std::string_view name = "", meaning = "";
  static std::vector<Key> keys() { return {}; }
  static void read(KindFields&, ForceSpec&) {}
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks&, const ForceSpec&) {}
  static void assemble(ForceElements&, const ForceSpec&) {}
  static Directors directors(const ForceSpec&) { return {}; }
  static Picture picture() { return {}; }
};
static_assert(ForceDescriptor<WholeForce>);
#define WITHOUT(PART)                       \
  struct ForceWithout_##PART : WholeForce { \
    static constexpr Nothing PART{};        \
  };                                        \
  static_assert(!ForceDescriptor<ForceWithout_##PART>)
WITHOUT(name);
WITHOUT(meaning);
WITHOUT(keys);
WITHOUT(read);
WITHOUT(acts_on);
WITHOUT(strain);
WITHOUT(between_points);
WITHOUT(check);
WITHOUT(assemble);
WITHOUT(directors);
WITHOUT(picture);
#undef WITHOUT
static_assert(!ForceDescriptor<Nothing>);
// An effort is recorded with the unit of the coordinate that it acts on.
struct OnNoCoordinate : WholeForce {
  static constexpr ActsOn acts_on = ActsOn::coordinate;
};
static_assert(!ForceDescriptor<OnNoCoordinate>);

struct WholeMeasure {
  static constexpr std::string_view name = "", meaning = "", unit = "";
  static std::vector<Key> keys() { return {}; }
  static void read(KindFields&, MeasureSpec&) {}
  static void check(detail::ModelChecks&, const MeasureSpec&) {}
  static constexpr bool is_point = false, has_rate = false;
  static FormulaSignal value(MeasureSignals&, const MeasureSpec&, bool) { return {}; }
};
static_assert(MeasureDescriptor<WholeMeasure>);
struct MeasureWithoutValue : WholeMeasure {
  static constexpr Nothing value{};
};
static_assert(!MeasureDescriptor<MeasureWithoutValue>);
static_assert(!MeasureDescriptor<Nothing> && !ControlDescriptor<Nothing>);

struct WholeShape {
  static constexpr std::string_view name = "", meaning = "", touched = "", drawn_as = "";
  static std::vector<Key> keys() { return {}; }
  static void read(KindFields&, Shape&) {}
  static constexpr auto check = check_any_size;
  static constexpr auto solid = no_solid;
  static constexpr auto check_surface = touch_nothing;
  static constexpr auto surface = no_surface;
  static constexpr auto draw = draw_as_it_is;
};
static_assert(ShapeDescriptor<WholeShape>);
#define WITHOUT(PART)                       \
  struct ShapeWithout_##PART : WholeShape { \
    static constexpr Nothing PART{};        \
  };                                        \
  static_assert(!ShapeDescriptor<ShapeWithout_##PART>)
WITHOUT(name);
WITHOUT(meaning);
WITHOUT(keys);
WITHOUT(read);
WITHOUT(check);
WITHOUT(solid);
WITHOUT(touched);
WITHOUT(check_surface);
WITHOUT(surface);
WITHOUT(drawn_as);
WITHOUT(draw);
#undef WITHOUT

struct WholeIntegrator {
  static constexpr std::string_view name = "", meaning = "";
  static constexpr auto keys = no_keys;
  static constexpr Equations equations{};
  static constexpr IntegratorTraits traits{};
  static constexpr auto check = check_no_pairs;
  static Orders orders(const SolverOptions&) { return {}; }
  static RunChecks::StepError step_error(const SolverOptions&) { return {}; }
  static MadeMethod make(const Machine&, Viewer&, const StepRange&) { return {}; }
};
static_assert(IntegratorDescriptor<WholeIntegrator>);
#define WITHOUT(PART)                                 \
  struct IntegratorWithout_##PART : WholeIntegrator { \
    static constexpr Nothing PART{};                  \
  };                                                  \
  static_assert(!IntegratorDescriptor<IntegratorWithout_##PART>)
WITHOUT(name);
WITHOUT(meaning);
WITHOUT(keys);
WITHOUT(equations);
WITHOUT(traits);
WITHOUT(check);
WITHOUT(orders);
WITHOUT(step_error);
WITHOUT(make);
#undef WITHOUT

struct WholeFormulation {
  static constexpr std::string_view name = "", meaning = "";
  static constexpr auto keys = no_keys;
  static constexpr ConstraintForm form{};
  static constexpr FormulationTraits traits{};
  static constexpr auto iterations = no_iterations;
  static constexpr auto refusal = refuse_none;
  static constexpr auto make = make_plain_form;
};
static_assert(FormulationDescriptor<WholeFormulation>);
#define WITHOUT(PART)                                   \
  struct FormulationWithout_##PART : WholeFormulation { \
    static constexpr Nothing PART{};                    \
  };                                                    \
  static_assert(!FormulationDescriptor<FormulationWithout_##PART>)
WITHOUT(name);
WITHOUT(meaning);
WITHOUT(keys);
WITHOUT(form);
WITHOUT(traits);
WITHOUT(iterations);
WITHOUT(refusal);
WITHOUT(make);
#undef WITHOUT

// ---- machines ------------------------------------------------------------------------------------------------------

// A nut on a thread, with a magnet; "THREAD" stands for the joint's kind, "PULL" for that of the force.
const std::string nut = R"toml(
[[body]]
name = "nut"
mass = 2
inertia = [0.1, 0.2, 0.3]
position = [0.3, 0, 0]
[[joint]]
name = "thread"
bodies = ["ground", "nut"]
point = [0, 0, 0]
axis = "z"
THREAD
[[force]]
name = "pull"
point_a = [1, 1, 1]
point_b = { body = "nut", at = [0.1, 0, 0] }
PULL
[[measure]]
name = "gap"
expression = "pull.length"
[analysis]
end = 0.5
[solver]
h = 1e-2
)toml";
const std::string helix = "kind = \"helix\"\nlead = 0.25", screw = "kind = \"screw\"\npitch = \"0.25*2*pi\"",
                  magnet = "kind = \"magnet\"\nstrength = 7\nsoftening = 0.5",
                  spring = "kind = \"spring_damper\"\nlaw = \"-7*length/(length^2 + 0.25)\"";

// A ball on a string that keeps its distance from a pole.
const std::string ball = R"toml(
[[body]]
name = "arm"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.6, 0, 0.5]
velocity = [0, 1, 0]
[[joint]]
name = "around"
kind = "point_on_cylinder"
bodies = ["ground", "arm"]
point = [0, 0, 0]
point_b = { body = "arm", at = [0.4, 0, 0] }
axis = "z"
radius = 1
[analysis]
end = 0.5
[solver]
h = 1e-2
)toml";

std::string machine(const std::string& thread, const std::string& pull) {
  std::string text = nut;
  text.replace(text.find("THREAD"), 6, thread);
  return text.replace(text.find("PULL"), 4, pull);
}

MemoryRecord run(const std::string& text, const std::vector<std::string>& settings = {}) {
  Simulation simulation(read_study_text(text, "model.toml", settings, own_kinds()));
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  EXPECT_TRUE(summary.completed) << summary.stop << "\n" << summary.failure;
  return record;
}

Eigen::MatrixXd values(const MemoryRecord& record, const std::string& channel) { return record.read(channel).values; }

std::vector<Issue> refusals(const std::string& text) {
  try {
    read_study_text(text, "model.toml", {}, own_kinds());
  } catch (const InputError& error) {
    return error.issues();
  }
  ADD_FAILURE() << "accepted:\n" << text;
  return {};
}

bool says(const std::vector<Issue>& issues, const std::string& words) {
  return std::any_of(issues.begin(), issues.end(),
                     [&](const Issue& issue) { return issue.message.find(words) != std::string::npos; });
}

// The lead of a helix is its pitch/2π, so that it moves as the library's screw does, bit for bit: in every set of
// coordinates and as directors.
TEST(OwnKinds, a_joint_moves_in_absolute_and_in_joint_coordinates_as_what_it_is_put_together_from) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{}, std::vector<std::string>{"solver.coordinates=joint"},
        std::vector<std::string>{"solver.integrator=energy_decaying"}}) {
    const MemoryRecord own = run(machine(helix, spring), settings), library = run(machine(screw, spring), settings);
    for (const char* channel : {"nut.position", "nut.velocity", "thread.angle"})
      EXPECT_TRUE(values(own, channel) == values(library, channel)) << channel;
    EXPECT_GT(values(own, "thread.angle").cwiseAbs().maxCoeff(), 0.05);
  }
  // In joint coordinates it is a coordinate: the tree takes it and leaves out its rows.
  const Model model = read_study_text(machine(helix, spring), "model.toml", {}, own_kinds()).model;
  EXPECT_EQ(find_topology(model, assemble(model)).eliminated.joints, std::vector<char>{1});
}

TEST(OwnKinds, a_force_acts_as_its_law_in_every_set_of_coordinates_and_is_recorded) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{}, std::vector<std::string>{"solver.coordinates=joint"},
        std::vector<std::string>{"solver.integrator=energy_decaying"}}) {
    const MemoryRecord own = run(machine(screw, magnet), settings), law = run(machine(screw, spring), settings);
    for (const char* channel : {"nut.position", "pull.applied_force", "gap"}) {
      constexpr double rounding = 1e-9;
      EXPECT_LT((values(own, channel) - values(law, channel)).cwiseAbs().maxCoeff(), rounding) << channel;
    }
  }
}

TEST(OwnKinds, a_relation_with_a_kernel_of_its_own_is_kept_in_both_sets_of_coordinates) {
  const MemoryRecord absolute = run(ball), joint = run(ball, {"solver.coordinates=joint"});
  constexpr double tolerance = 1e-6;  // of the integrator's own errors: the sets agree far better
  EXPECT_LT((values(absolute, "arm.position") - values(joint, "arm.position")).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT(values(absolute, "constraint_drift.position").cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_GT(values(absolute, "around.reaction_force").rowwise().norm().maxCoeff(), 0.1);
}

TEST(OwnKinds, without_a_form_for_directors_it_is_refused_with_the_reason) {
  try {
    run(ball, {"solver.integrator=energy_decaying"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(says(error.issues(), "joint 'around' (point_on_cylinder) has no form")) << error.what();
    EXPECT_TRUE(says(error.issues(), "because nobody has written its distance in slots")) << error.what();
  }
}

TEST(OwnKinds, a_measure_is_read_recorded_with_its_unit_and_used_by_formulas) {
  const std::string text = machine(screw, spring) +
                           "[[measure]]\nname = \"swift\"\nkind = \"speed\"\nof = \"nut\"\n"
                           "[[measure]]\nname = \"twice\"\nexpression = \"2*swift\"\n";
  const MemoryRecord record = run(text);
  const Eigen::VectorXd speed = values(record, "nut.velocity").rowwise().norm();
  constexpr double rounding = 1e-14;
  EXPECT_LT((values(record, "swift") - speed).cwiseAbs().maxCoeff(), rounding);
  EXPECT_LT((values(record, "twice") - 2.0 * speed).cwiseAbs().maxCoeff(), rounding);
  EXPECT_EQ(record.read("swift").unit, "m/s");
  std::string lost = text;
  EXPECT_TRUE(says(refusals(lost.replace(lost.find("of = \"nut\""), 10, "of = \"nit\"")), "there is no body 'nit'"));
}

TEST(OwnKinds, are_checked_as_they_say) {
  EXPECT_TRUE(says(refusals(machine("kind = \"helix\"", magnet)), "the key 'lead' is missing"));
  EXPECT_TRUE(says(refusals(machine("kind = \"helix\"\nlead = 0", magnet)), "'lead' is 0"));
  EXPECT_TRUE(says(refusals(machine("kind = \"helix\"\nlead = 1\npitch = 1", magnet)), "unknown key 'pitch'"));
  EXPECT_TRUE(says(refusals(machine(helix, "kind = \"magnet\"\nstrength = -1")), "'strength'"));
  EXPECT_TRUE(says(refusals(machine("kind = \"helyx\"\nlead = 1", magnet)), "did you mean 'helix'?"));
}

// The reader has looked at the model: what runs it, and what checks it, does not look again. A study that may have been
// changed is looked at when it is run.
TEST(OwnKinds, are_checked_once_on_the_way_from_a_file_through_a_run) {
  static int n_checks;
  static ForceDescription counted = own::magnet;
  counted.check = [](detail::ModelChecks& checks, const ForceSpec& force) {
    ++n_checks;
    own::magnet.check(checks, force);
  };
  Kinds kinds = own_kinds();
  kinds.forces.back() = counted;
  n_checks = 0;
  const CheckedStudy study = read_checked_study_text(machine(helix, magnet), "model.toml", {}, kinds);
  EXPECT_EQ(n_checks, 1);
  EXPECT_EQ(check(study).failure, "");
  for (const CoordinateSet coordinates : {CoordinateSet::absolute, CoordinateSet::joint}) {
    CheckedStudy set = study;
    set.settings().solver.coordinates = coordinates;
    MemoryRecord record;
    EXPECT_TRUE(Simulation(set).run(record).completed);
  }
  EXPECT_EQ(n_checks, 1);
  Study changed = study.study();
  changed.model.forces.front().numbers["strength"] = -1.0;
  EXPECT_THROW(Simulation{changed}, InputError);
  EXPECT_EQ(n_checks, 2);
}

TEST(OwnKinds, are_known_only_where_they_are_handed_in) {
  try {
    read_study_text(machine(helix, magnet), "model.toml");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(says(error.issues(), "'helix'"));
    EXPECT_TRUE(says(error.issues(), "'magnet'"));
  }
}

TEST(OwnKinds, are_documented_in_schema_and_tables) {
  const std::vector<KeyTable> tables = make_model_tables(own_kinds());
  const std::string schema = json_schema(tables);
  for (const char* word : {"\"helix\"", "\"lead\"", "\"point_on_cylinder\"", "\"magnet\"", "\"softening\""})
    EXPECT_NE(schema.find(word), std::string::npos) << word;
  const std::vector<Key>* joint = find_keys(tables, "joint");
  ASSERT_NE(joint, nullptr);
  const std::vector<Key> own = keys_of_kind(*joint, "helix");
  EXPECT_TRUE(std::any_of(own.begin(), own.end(), [](const Key& key) { return key.name == "lead"; }));
  EXPECT_NE(markdown_table(own).find("displacement per angle"), std::string::npos);
  EXPECT_NE(python_stub(tables).find("softening"), std::string::npos);
  EXPECT_EQ(json_schema(model_tables()).find("helix"), std::string::npos);
}

TEST(OwnKinds, are_drawn_from_their_pictures_which_the_results_carry) {
  const std::string scene = scene_json(read_study_text(machine(helix, magnet), "model.toml", {}, own_kinds()).model);
  for (const char* part : {R"("kind":"helix")", R"("pictures":{"joints":{"helix":{"parts":[{"shape":"torus")",
                           R"("forces":{"magnet":{"parts":[{"shape":"cylinder")", R"("color":"#c03030")"})
    EXPECT_NE(scene.find(part), std::string::npos) << part << " not in\n" << scene;
  // The page knows those of the library.
  EXPECT_EQ(scene_json(read_study_text(machine(screw, spring), "model.toml").model).find("pictures"),
            std::string::npos);
}

// ---- the library's own list ----------------------------------------------------------------------------------------

TEST(StandardKinds, have_different_names_and_say_what_each_key_means) {
  std::set<std::string_view> names;
  for (const JointKind kind : standard_kinds().joints) {
    EXPECT_TRUE(names.insert(kind.name()).second) << kind.name();
    for (const Key& key : kind->keys()) EXPECT_FALSE(key.meaning.empty()) << kind.name() << " " << key.name;
  }
  names.clear();
  for (const ForceKind kind : standard_kinds().forces) {
    EXPECT_TRUE(names.insert(kind.name()).second) << kind.name();
    for (const Key& key : kind->keys()) EXPECT_FALSE(key.meaning.empty()) << kind.name() << " " << key.name;
  }
}

TEST(StandardKinds, refuse_directors_only_with_a_reason) {
  const auto has_reason = [](const Directors& said) {
    return said.form != Directors::Form::refused || !said.reason.empty();
  };
  for (const JointKind kind : standard_kinds().joints)
    EXPECT_TRUE(has_reason(kind->directors(JointSpec{.kind = kind}))) << kind.name();
  for (const ForceKind kind : standard_kinds().forces)
    EXPECT_TRUE(has_reason(kind->directors(ForceSpec{.kind = kind}))) << kind.name();
}

// Four corners of mass m/20 and 4m/5 in the middle are a tetrahedron: I = m a²/20 with corners at a√(3/8).
TEST(OwnShape, is_read_and_checked_gives_mass_and_is_drawn) {
  const std::string text = R"toml(
[[body]]
name = "stone"
[[geometry]]
body = "stone"
kind = "tetrahedron"
edge = 2
density = 3
)toml";
  const Study study = read_study_text(text, "stone.toml", {}, own_kinds());
  const BodySpec& stone = study.model.bodies[0];
  const double mass = 3.0 * 8.0 / (6.0 * std::numbers::sqrt2),
               corners = 4.0 * 0.05 * mass * 2.0 / 3.0 * 4.0 * 3.0 / 8.0;
  EXPECT_NEAR(stone.mass, mass, 1e-14 * mass);
  EXPECT_NEAR(stone.inertia(1, 1), corners, 1e-14 * corners);
  const std::string scene = scene_json(study.model);
  EXPECT_NE(scene.find("\"kind\":\"mesh\""), std::string::npos) << scene;
  for (const auto& [wrong, said] : {std::pair{"edge = -2", "edge"}, {"", "edge"}, {"edge = 2\nradius = 1", "radius"}}) {
    std::string other = text;
    other.replace(other.find("edge = 2"), 8, wrong);
    try {
      static_cast<void>(read_study_text(other, "stone.toml", {}, own_kinds()));
      ADD_FAILURE() << wrong;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  }
  // Contacts say that it cannot be touched, and what can.
  const std::string touching = text +
                               "name = \"rock\"\n[[geometry]]\nname = \"floor\"\nkind = \"plane\"\n"
                               "[[contact]]\nname = \"rest\"\nbetween = [\"rock\", \"floor\"]\nstiffness = 1e5\n";
  try {
    static_cast<void>(read_study_text(touching, "stone.toml", {}, own_kinds()));
    ADD_FAILURE() << "touched";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be touched"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace trammel::test_kinds
