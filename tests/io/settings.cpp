// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "trammel/io/model_reader.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/settings_text.h"
#include "trammel/simulation/simulation.h"

// Options: given or not is a property of the value and never of the text it came from; what is recorded took effect.

namespace trammel {
namespace {

const std::string machine = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "rod"
mass = 2
inertia = [0.01, 0.2, 0.2]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
)";

using Words = std::vector<std::string>;

Study read(const std::string& settings, const Words& set = {}) {
  return read_study_text(machine + settings, "rod.toml", set);
}

std::string refusal_text(const Study& study) {
  std::string text;
  for (const Issue& issue : issues(study)) text += issue.where + ": " + issue.message + "\n";
  return text;
}

std::string refusal_text(const std::string& settings, const Words& set = {}) {
  try {
    static_cast<void>(read(settings, set));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Settings effective(const Study& study) { return resolve(study, study.model).settings; }

/// Every number of a run, frames and steps.
struct Bits {
  std::vector<double> values;
  std::string settings;
  bool completed = false;
  friend bool operator==(const Bits& a, const Bits& b) {
    return a.completed && b.completed && a.values.size() == b.values.size() &&
           std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
  }
};

Bits run(const Study& study) {
  Simulation simulation(study);
  MemoryRecord record;
  Bits bits;
  bits.completed = simulation.run(record).completed;
  const auto keep = [&](double t, std::span<const double> row) {
    bits.values.push_back(t);
    bits.values.insert(bits.values.end(), row.begin(), row.end());
  };
  for (int i = 0; i < std::ssize(record.times()); ++i)
    keep(record.times()[static_cast<std::size_t>(i)], record.frame_values(i));
  for (int i = 0; i < std::ssize(record.step_times()); ++i)
    keep(record.step_times()[static_cast<std::size_t>(i)], record.step_values(i));
  bits.settings = record.schema().attributes.at("settings");
  return bits;
}

struct Case {
  Integrator integrator;
  std::optional<Preset> preset;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const WordOf<Integrator>& integrator : words_of<Integrator>()) all.push_back({integrator.value, {}});
  for (const WordOf<Preset>& preset : words_of<Preset>()) all.push_back({Integrator::bdf, preset.value});
  return all;
}

std::string name_of(const Case& c) { return word_of(c.integrator) + (c.preset ? " " + word_of(*c.preset) : ""); }

TEST(Settings, recorded_and_read_back_run_the_same_bits_for_every_integrator_and_preset) {
  for (const Case& c : cases())
    for (const bool fixed : {false, true})
      for (const CoordinateSet coordinates : {CoordinateSet::absolute, CoordinateSet::joint}) {
        if (c.integrator == Integrator::energy_decaying && coordinates == CoordinateSet::joint) continue;
        SCOPED_TRACE(name_of(c) + (fixed ? ", fixed step, " : ", ") + word_of(coordinates));
        Study in_code = read("");
        in_code.analysis.end = 0.1;
        in_code.solver.integrator = c.integrator;
        in_code.solver.coordinates = coordinates;
        in_code.solver.bdf.preset = c.preset;
        in_code.output.interval = 0.01;
        if (fixed) in_code.solver.h = 1e-3;
        std::string text = fmt::format(
            "[analysis]\nend = 0.1\n[output]\ninterval = 0.01\n[solver]\nintegrator = \"{}\"\ncoordinates = \"{}\"\n",
            word_of(c.integrator), word_of(coordinates));
        if (c.preset) text += fmt::format("preset = \"{}\"\n", word_of(*c.preset));
        if (fixed) text += "h = 1e-3\n";
        const Bits code = run(in_code), file = run(read(text));
        ASSERT_TRUE(code.completed);
        EXPECT_TRUE(code == file) << "set in C++ and from a file";
        EXPECT_EQ(code.settings, file.settings);
        const Bits again = run(read(code.settings));
        EXPECT_TRUE(code == again) << "recorded and read back:\n" << code.settings;
        EXPECT_EQ(again.settings, code.settings);
      }
}

// One file serves several analyses. Where nothing is integrated, options of integration change no bit of the results,
// are not recorded, and are named.
TEST(Settings, of_integration_are_set_aside_by_name_where_nothing_is_integrated) {
  const std::string driven = "[[motion]]\nname = \"drive\"\njoint = \"hinge\"\nfunction = \"0.3*t\"\n";
  const Words some{"solver.integrator=bdf", "solver.rtol=1e-3", "solver.max_order=2", "solver.scaling=none"};
  for (const std::string kind : {"kinematics", "inverse_dynamics", "statics"}) {
    SCOPED_TRACE(kind);
    const std::string text = (kind == "statics" ? "" : driven) + "[analysis]\nkind = \"" + kind + "\"\n" +
                             (kind == "statics" ? "" : "end = 0.1\n");
    const Bits plain = run(read(text)), with = run(read(text, some));
    EXPECT_TRUE(plain == with);
    EXPECT_EQ(plain.settings, with.settings);
    EXPECT_EQ(with.settings.find("rtol"), std::string::npos) << with.settings;
    EXPECT_NE(with.settings.find("coordinates"), std::string::npos);
    EXPECT_EQ(with.settings.find("newton_tol") != std::string::npos, kind == "statics");
    const Study study = read(text, some);
    EXPECT_EQ(resolve(study, study.model).set_aside,
              (Words{"solver.integrator", "solver.rtol", "solver.max_order", "solver.scaling.kind"}));
    const Simulation simulation(study);
    ASSERT_FALSE(simulation.notes().empty());
    EXPECT_EQ(simulation.notes().front(),
              "without effect in kind = \"" + kind +
                  "\", which integrates nothing: solver.integrator, solver.rtol, solver.max_order, "
                  "solver.scaling.kind");
    const Simulation without(read(text));
    for (const std::string& note : without.notes()) EXPECT_NE(note.rfind("without effect", 0), 0u) << note;
  }
}

// Statics is of one instant: when a motion ends and how densely it is recorded means nothing there, and is not
// compared.
TEST(Settings, of_a_motion_are_set_aside_in_statics) {
  const Bits plain = run(read("[analysis]\nkind = \"statics\"\nstart = 5\n"));
  const Study study = read("[analysis]\nkind = \"statics\"\nstart = 5\nend = 2\n[output]\ninterval = 0.1\n");
  EXPECT_TRUE(run(study) == plain);
  EXPECT_EQ(run(study).settings, plain.settings);
  EXPECT_EQ(resolve(study, study.model).set_aside, (Words{"analysis.end", "output.interval"}));
  EXPECT_TRUE(run(read(plain.settings)) == plain);
  EXPECT_NE(refusal_text("[analysis]\nkind = \"statics\"\n[output]\ninterval = -1\n").find("interval"),
            std::string::npos);
  EXPECT_NE(refusal_text("[analysis]\nstart = 5\nend = 2\n").find("later than 'start'"), std::string::npos);
}

TEST(Settings, resolved_again_stay_what_they_are) {
  for (const Case& c : cases()) {
    Study study = read("");
    study.solver.integrator = c.integrator;
    study.solver.bdf.preset = c.preset;
    const Resolved once = resolve(study, study.model), twice = resolve(once.settings, study.model);
    EXPECT_TRUE(once.issues.empty()) << name_of(c);
    EXPECT_TRUE(twice.issues.empty()) << name_of(c) << ": " << twice.issues.front().message;
    EXPECT_EQ(settings_text(once.settings), settings_text(twice.settings));
  }
}

TEST(Settings, given_beside_a_preset_win_in_code_and_in_a_file) {
  Study code = read("");
  code.solver.integrator = Integrator::bdf;
  code.solver.bdf.preset = Preset::hastiff;
  EXPECT_EQ(effective(code).solver.rtol, 1e-3);
  EXPECT_EQ(effective(code).solver.max_iterations, 10);
  EXPECT_EQ(effective(code).solver.scaling.kind, ScalingKind::constraints);
  code.solver.rtol = code.solver.atol = 1e-8;
  code.solver.max_iterations = 20;
  code.solver.scaling.kind = ScalingKind::physical;
  const Study file = read(R"([solver]
integrator = "bdf"
preset = "hastiff"
rtol = 1e-8
atol = 1e-8
max_iterations = 20
scaling = "physical")");
  for (const Study* study : {static_cast<const Study*>(&code), &file}) {
    const SolverOptions s = effective(*study).solver;
    EXPECT_EQ(s.rtol, 1e-8);
    EXPECT_EQ(s.atol, 1e-8);
    EXPECT_EQ(s.max_iterations, 20);
    EXPECT_EQ(s.scaling.kind, ScalingKind::physical);
    EXPECT_EQ(s.formulation, Formulation::stabilized_index1);
  }
  EXPECT_EQ(settings_text(effective(code)), settings_text(effective(file)));
}

TEST(Settings, of_max_iterations_in_code_take_effect_for_bdf) {
  Study study = read("");
  study.solver.integrator = Integrator::bdf;
  EXPECT_EQ(effective(study).solver.max_iterations, 4);
  study.solver.max_iterations = 20;
  EXPECT_EQ(effective(study).solver.max_iterations, 20);
}

// Every key that is given is in the settings that take effect, or refused by its name.
TEST(Settings, have_no_key_that_is_accepted_without_effect) {
  for (const Case& c : cases()) {
    if (c.preset) continue;
    for (const OptionTable& table : option_tables())
      for (const Option& option : table.options) {
        if (option.key.name == "integrator") continue;
        Study study = read("");
        study.solver.integrator = c.integrator;
        OptionValue value;
        switch (option.key.type) {
          case KeyType::number:
            value = option.key.range.holds(0.5) ? 0.5 : -0.25;
            break;
          case KeyType::integer:
            value = 2;
            break;
          case KeyType::boolean:
            value = true;
            break;
          case KeyType::word:
            value = option.key.words.back().name;
            break;
          case KeyType::names:
            value = Words{"rod.x"};
            break;
          default:
            value = std::string("T");
        }
        option.set(study, value);
        const Resolved resolved = resolve(study, study.model);
        const bool named = std::any_of(resolved.issues.begin(), resolved.issues.end(), [&](const Issue& issue) {
          return issue.where.find(option.key.name) != std::string::npos;
        });
        EXPECT_TRUE(named || option.get(resolved.settings) == value)
            << word_of(c.integrator) << ": " << option.key.name;
      }
  }
}

TEST(Settings, of_the_reference_s_are_refused_beside_scalings_that_have_none) {
  const auto text_of = [](const char* kind) {
    return refusal_text(fmt::format(
        "[solver]\nintegrator = \"bdf\"\n[solver.scaling]\nkind = \"{}\"\nm_ave = 1\nk_ave = 2\nl_ref = 3\n", kind));
  };
  for (const char* kind : {"left", "constraints", "none"})
    for (const char* key : {"'m_ave'", "'k_ave'", "'l_ref'"})
      EXPECT_NE(text_of(kind).find(key), std::string::npos) << kind << ": " << text_of(kind);
  for (const char* kind : {"left_right", "left_right_velocity", "physical"}) EXPECT_EQ(text_of(kind), "") << kind;
  EXPECT_EQ(refusal_text("[solver.scaling]\nm_ave = 1\nk_ave = 2\nl_ref = 3\n"), "");
}

TEST(Settings, that_name_a_method_and_its_parameter_are_refused_in_pairs_that_do_not_fit) {
  Study study = read("");
  study.solver.integrator = Integrator::hht;
  study.solver.one_step.rho_inf = 0.5;
  EXPECT_NE(refusal_text(study).find("'rho_inf' belongs to the integrator 'generalized_alpha', and 'hht' is chosen"),
            std::string::npos)
      << refusal_text(study);
  study.solver.integrator.reset();
  EXPECT_EQ(refusal_text(study), "");
  study.solver.one_step.rho_inf = 1.5;
  EXPECT_NE(refusal_text(study).find("'rho_inf' is 1.5 but must be ≥ 0 and < 1"), std::string::npos)
      << refusal_text(study);
}

TEST(Settings, without_what_is_foreign_run_with_another_method) {
  Study study = read("[solver]\nh = 1e-3\nnewton_tol = 1e-10\nrho_inf = 0.5\n");
  study.solver.integrator = Integrator::bdf;
  EXPECT_NE(refusal_text(study), "");
  drop_foreign(study);
  EXPECT_EQ(refusal_text(study), "");
  EXPECT_EQ(study.solver.h, 1e-3);
}

// One place: the description. The reader, the checks, the record, the tables of the documentation, the schema and
// Python's help and keywords find an option that is added there, and forget it with it.
TEST(Options, are_added_in_one_place) {
  const std::string said = "[solver]\nwobble = 3\n";
  const auto solver_table = [] {
    for (const KeyTable& table : option_key_tables())
      if (table.name == "solver") return table;
    return KeyTable{};
  };
  EXPECT_NE(refusal_text(said).find("unknown key 'wobble'"), std::string::npos);
  {
    const ExtraOption added("solver",
                            {.name = "wobble",
                             .type = KeyType::number,
                             .unit = "rad",
                             .meaning = "how far it may wobble",
                             .range = Range::between(0.0, 4.0)},
                            0.25);
    // reader
    EXPECT_EQ(std::get<double>(read(said).extensions.at("solver.wobble")), 3.0);
    EXPECT_EQ(std::get<double>(read(said, {"solver.wobble=2"}).extensions.at("solver.wobble")), 2.0);
    // checks
    EXPECT_NE(refusal_text("[solver]\nwobble = 5\n").find("'wobble' is 5 rad but must be ≥ 0 and ≤ 4"),
              std::string::npos);
    EXPECT_NE(refusal_text("[solver]\nwobbel = 1\n").find("did you mean 'wobble'?"), std::string::npos);
    // record, given and by default
    EXPECT_NE(run(read(said)).settings.find("\nwobble = 3\n"), std::string::npos);
    EXPECT_NE(run(read("")).settings.find("\nwobble = 0.25\n"), std::string::npos);
    // documentation, schema, Python
    const KeyTable table = solver_table();
    EXPECT_NE(markdown_table(table.keys).find("| `wobble` | rad | `0.25` | how far it may wobble; 0 ≤ wobble ≤ 4 |"),
              std::string::npos);
    EXPECT_NE(json_schema({&table, 1}).find("\"wobble\""), std::string::npos);
    EXPECT_NE(python_docstring(table).find("wobble [rad]: how far it may wobble"), std::string::npos);
    EXPECT_NE(python_stub({&table, 1}).find("wobble: "), std::string::npos);
  }
  EXPECT_NE(refusal_text(said).find("unknown key 'wobble'"), std::string::npos);
  EXPECT_EQ(solver_table().find("wobble"), nullptr);
}

}  // namespace
}  // namespace trammel
