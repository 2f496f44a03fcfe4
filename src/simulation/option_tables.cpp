// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "trammel/base/text.h"
#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/methods/method_parts.h"
#include "trammel/simulation/option.h"

// Every option, once: key, unit, range, default, meaning, and beside what it means something.

namespace trammel {

namespace {

// ---- values of a member as OptionValue
// -------------------------------------------------------------------------------

template <class T>
struct Conversion {  // bool, int, double, std::string, lists of names: as they are
  static OptionValue to(const T& x) { return x; }
  static T from(const OptionValue& x) { return std::get<T>(x); }
};
template <>
struct Conversion<double> {
  static OptionValue to(double x) { return x; }
  static double from(const OptionValue& x) {
    return std::holds_alternative<int>(x) ? std::get<int>(x) : std::get<double>(x);
  }
};
template <class E>
concept Worded = std::is_enum_v<E> || std::is_same_v<E, Integrator> || std::is_same_v<E, Formulation>;
template <Worded E>
struct Conversion<E> {
  static OptionValue to(E x) { return word_of(x); }
  static E from(const OptionValue& x) { return parse_word<E>(std::get<std::string>(x)); }
};

template <class T>
constexpr KeyType type_of() {
  if constexpr (std::is_same_v<T, double>) return KeyType::number;
  if constexpr (std::is_same_v<T, int>) return KeyType::integer;
  if constexpr (std::is_same_v<T, bool>) return KeyType::boolean;
  if constexpr (std::is_same_v<T, std::string>) return KeyType::text;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return KeyType::names;
  return KeyType::word;
}

// "auto" stands for what is not said.
template <class T>
constexpr bool may_be_left_open = std::is_same_v<T, Integrator> || std::is_same_v<T, Formulation>;

template <class E>
std::vector<Word> described_words() {
  std::vector<Word> words;
  if constexpr (std::is_same_v<E, Integrator>) words.push_back({"auto", "chosen for the machine, [how](choice.md)"});
  if constexpr (std::is_same_v<E, Formulation>) words.push_back({"auto", "the usual one of the integrator"});
  if constexpr (Worded<E>)
    for (const WordOf<E>& word : words_of<E>()) words.push_back({word.name, word.meaning});
  return words;
}

// "1e-5" for what fmt writes as 1e-05.
std::string shown(const OptionValue& value) {
  struct Show {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(int x) const { return std::to_string(x); }
    std::string operator()(double x) const {
      std::string text = fmt::format("{}", x);
      if (const std::size_t at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
      return text;
    }
    std::string operator()(const std::string& x) const { return "\"" + x + "\""; }
    std::string operator()(const std::vector<std::string>&) const { return "[]"; }
  };
  return std::visit(Show{}, value);
}

// ---- beside what an option means something
// ---------------------------------------------------------------------------

using Refusal = std::function<std::string(const Settings&)>;
using Otherwise = std::function<OptionValue(const Settings&, const Model&)>;

const IntegratorDescription& method(const Settings& s) { return method_of(s.solver); }

// Whether a key is one of those that not every integrator has, and the chosen one has it.
bool has_key(const Settings& s, std::string_view key) { return trammel::has_key(method(s).keys, key); }

// Of keys that the descriptions of integrators name.
Refusal only_for_owners(const std::string& key) {
  return [key](const Settings& s) -> std::string {
    if (has_key(s, key)) return {};
    const std::vector<std::string> owners = integrators_with(key);
    return fmt::format("belongs to the integrator{} {}, and '{}' is chosen", owners.size() > 1 ? "s" : "",
                       join_quoted(owners), method(s).name);
  };
}

// Of keys that the descriptions of formulations name.
Refusal only_for_forms(const std::string& key) {
  return [key](const Settings& s) -> std::string {
    const FormulationDescription* formulation = formulation_of(s.solver);
    if (formulation && trammel::has_key(formulation->keys, key)) return {};
    const std::vector<std::string> owners = formulations_with(key);
    return fmt::format("belongs to the formulation{} {}{}", owners.size() > 1 ? "s" : "", join_quoted(owners),
                       formulation ? fmt::format(", and '{}' is chosen", formulation->name) : std::string());
  };
}

Refusal only_if(bool (*holds)(const Settings&), const std::string& otherwise) {
  return [holds, otherwise](const Settings& s) { return holds(s) ? std::string() : otherwise; };
}

// The first of several reasons.
Refusal all_of(Refusal first, Refusal second) {
  return [first = std::move(first), second = std::move(second)](const Settings& s) {
    const std::string reason = first(s);
    return reason.empty() ? second(s) : reason;
  };
}

bool is_first_order(const Settings& s) { return method(s).equations.first_order; }
bool is_statics(const Settings& s) { return s.analysis.kind == AnalysisKind::statics; }
bool splits(const Settings& s) { return splits(s.solver); }
bool is_physical(const Settings& s) { return s.solver.scaling.kind == ScalingKind::physical; }
bool has_s(const Settings& s) { return has_reference(*s.solver.scaling.kind); }
// Newton's tolerance is a part of that of the error, with a fixed step as well.
bool follows_error(const Settings& s) { return method(s).traits.newton == NewtonLimit::error; }

// Of second-order systems, to whose matrix the augmented term adds no entry that K_λ does not have already.
bool augments_unasked(const Settings& s) {
  const FormulationDescription* formulation = formulation_of(s.solver);
  if (!formulation) return false;
  return !is_first_order(s) || (s.solver.bdf.fields == BdfFields::two && formulation->traits.second_order);
}

std::string implicit(const Settings& s) { return std::string(method(s).equations.no_matrix); }
std::string has_forms(const Settings& s) {
  const std::string reason = implicit(s);
  return reason.empty() ? std::string(method(s).equations.no_forms) : reason;
}
const Refusal controlled =
    only_if([](const Settings& s) { return !s.solver.h; },
            "belongs to a run with error control, and 'h' makes the step fixed; give one or the other");
const Refusal has_tolerance =
    only_if([](const Settings& s) { return !s.solver.h || follows_error(s); },
            "belongs to a run with error control, and 'h' makes the step fixed; give one or the other");
const Refusal in_statics = only_if(is_statics, "belongs to kind = \"statics\"");
const Refusal seeks_equilibrium =
    only_if([](const Settings& s) { return is_statics(s) || s.analysis.start_from == StartFrom::equilibrium; },
            "belongs to kind = \"statics\" and to start_from = \"equilibrium\"");
const Refusal has_s_of_its_own =
    all_of(implicit, only_if(has_s,
                             "is a part of s, which only kind = \"physical\", \"left_right\" and "
                             "\"left_right_velocity\" have: the factors of others are powers of h"));
const Refusal physically_scaled =
    all_of(has_forms, only_if(is_physical,
                              "belongs to kind = \"physical\", which computes what is not given; the s of "
                              "others is made of what is given"));

const Refusal iterates_by_petsc =
    all_of(implicit, only_if([](const Settings& s) { return s.solver.linear_solver == LinearSolverKind::petsc; },
                             "belongs to linear_solver = \"petsc\""));

std::string newton_tol_refusal(const Settings& s) {
  if (is_statics(s) || method(s).traits.newton == NewtonLimit::own) return {};
  if (follows_error(s))
    return fmt::format("belongs to the one-step methods; '{}' has 'newton_constant'", method(s).name);
  if (std::string reason = implicit(s); !reason.empty()) return reason;
  if (s.solver.h || s.solver.one_step.newton_test == NewtonTest::all) return {};
  return "belongs to a fixed step 'h', to newton_test = \"all\" and to statics; with error control Newton's tolerance "
         "follows from 'rtol' and 'atol'";
}

std::string fields_refusal(const Settings& s) {
  if (has_key(s, "fields")) return {};
  return fmt::format(
      "belongs to the integrator {}; '{}' has eliminated the velocities from its linear systems by its own formula",
      join_quoted(integrators_with("fields")), method(s).name);
}

std::string cm_mode_refusal(const Settings& s) {
  if (s.solver.split.iteration == SplitIteration::cm) return {};
  return fmt::format("belongs to the iteration 'cm', and '{}' is chosen",
                     s.solver.split.iteration ? word_of(*s.solver.split.iteration) : word_of(*s.solver.formulation));
}

// ---- defaults that depend on the rest
// --------------------------------------------------------------------------------

OptionValue default_formulation(const Settings& s, const Model&) { return word_of(*method(s).equations.formulation); }

OptionValue default_iteration(const Settings& s, const Model&) {
  return word_of(formulation_of(s.solver)->iterations.front());
}

OptionValue default_max_iterations(const Settings& s, const Model&) {
  constexpr int otherwise = 10;  // where Newton does not stop by its tolerance
  return s.solver.newton_stop == NewtonStop::tolerance ? method(s).traits.newton_iterations : otherwise;
}

OptionValue default_max_order(const Settings& s, const Model&) { return formulation_of(s.solver)->traits.max_order; }

// Multipliers follow every impact, and a test of theirs would ask for steps that the motion does not need.
OptionValue default_corrector(const Settings&, const Model& machine) {
  return word_of(machine.contacts.empty() ? Corrector::classical : Corrector::modified);
}

OptionValue default_newton_constant(const Settings&, const Model&) { return BdfOptions{}.newton_constant; }

bool iterates(const Settings& s) {
  return s.solver.linear_solver == LinearSolverKind::gmres || s.solver.linear_solver == LinearSolverKind::petsc;
}

// The preconditioner of gmres has the constraints exactly and only the diagonal of H: ρ GᵀG would be new work for it.
OptionValue default_rho(const Settings& s, const Model&) {
  return augments_unasked(s) && is_physical(s) && !iterates(s) ? 1.0 : 0.0;
}

// Of positions in metres, and of angles and states.
constexpr double default_atol = 1e-7;

const std::vector<AnalysisKind> every_analysis{AnalysisKind::dynamics, AnalysisKind::kinematics,
                                               AnalysisKind::inverse_dynamics, AnalysisKind::statics};
const std::vector<AnalysisKind> moving{AnalysisKind::dynamics, AnalysisKind::kinematics,
                                       AnalysisKind::inverse_dynamics};

// ---- making descriptions
// ---------------------------------------------------------------------------------------------

struct Text {
  std::string unit = {};
  OptionValue fallback = {};         ///< a constant default …
  Otherwise otherwise = {};          ///< … or one that depends on the rest, with
  std::string otherwise_words = {};  ///< what the documentation says of it
  std::string meaning = {};
  Range range = {};
  bool of_methods = false;  ///< belongs to the integrators whose descriptions name it
  Refusal refusal = {};
  /// Those in which it acts; absent: dynamics for how it is computed, all for the rest.
  std::optional<std::vector<AnalysisKind>> analyses = {};
};

template <class At>
Option option(const std::string& name, At at, Text text) {
  using T = typename std::remove_cvref_t<decltype(at(std::declval<Settings&>()))>::value_type;
  Option made;
  made.key = {.name = name,
              .type = type_of<T>(),
              .unit = text.unit,
              .fallback = text.otherwise ? text.otherwise_words : shown(text.fallback),
              .meaning = text.meaning,
              .range = text.range,
              .words = described_words<T>(),
              .kinds = text.of_methods ? integrators_with(name) : std::vector<std::string>{}};
  made.get = [at](const Settings& s) { return at(s) ? Conversion<T>::to(*at(s)) : OptionValue(); };
  made.set = [at](Settings& s, const OptionValue& x) {
    const std::string* word = std::get_if<std::string>(&x);
    if (std::holds_alternative<std::monostate>(x) || (may_be_left_open<T> && word != nullptr && *word == "auto"))
      at(s).reset();
    else
      at(s) = Conversion<T>::from(x);
  };
  made.otherwise =
      text.otherwise ? text.otherwise : [fallback = text.fallback](const Settings&, const Model&) { return fallback; };
  made.refusal = text.refusal ? text.refusal : [](const Settings&) { return std::string(); };
  if (text.of_methods) made.refusal = all_of(only_for_owners(name), made.refusal);
  if (text.of_methods && made.key.kinds.empty()) throw std::logic_error("no integrator names '" + name + "'");
  made.analyses = text.analyses.value_or(std::vector<AnalysisKind>{});
  return made;
}

// NOLINTBEGIN: the accessors of the members, readable as a table
#define AT(member) \
  [](auto& s) -> auto& { return s.member; }
// NOLINTEND

std::vector<Option> analysis_options() {
  return {
      option("kind", AT(analysis.kind), {.fallback = "dynamics", .meaning = "what is computed"}),
      option("start", AT(analysis.start), {.unit = "s", .fallback = default_start, .meaning = "when it begins"}),
      option("end", AT(analysis.end),
             {.unit = "s",
              .otherwise = [](const Settings& s, const Model&) -> OptionValue {
                return is_statics(s) ? *s.analysis.start + default_end : default_end;
              },
              .otherwise_words = shown(default_end),
              .meaning = "when it ends, later than `start`",
              .analyses = moving}),
      option("start_from", AT(analysis.start_from),
             {.fallback = "drawn", .meaning = "`dynamics`: where it begins", .analyses = {{AnalysisKind::dynamics}}}),
      option("load_steps", AT(analysis.load_steps),
             {.fallback = 0,
              .meaning = "`statics`: 0 relaxes to a stable equilibrium; n ≥ 1: Newton while the load grows in n steps",
              .range = Range::from(0.0),
              .refusal = in_statics}),
      option("time_steps", AT(analysis.time_steps),
             {.fallback = 0,
              .meaning = "`statics`: n ≥ 1: then the equilibria at n later times up to `end`, each from the one before",
              .range = Range::from(0.0),
              .refusal = in_statics}),
      option("arc_length", AT(analysis.arc_length),
             {.fallback = false,
              .meaning = "`statics` with `load_steps`: the load is unknown and the way grows in steps, through points "
                         "where the load falls",
              .refusal = in_statics}),
      option("steady", AT(analysis.steady),
             {.fallback = std::vector<std::string>{},
              .meaning = "`statics`, and `dynamics` that starts from an equilibrium: names of bodies, joints or "
                         "coordinates whose velocity is unknown instead of their position",
              .refusal = seeks_equilibrium}),
  };
}

std::vector<Option> method_options() {
  return {
      option("integrator", AT(solver.integrator),
             {.otherwise = [](const Settings&, const Model&) -> OptionValue {
                return word_of(Integrator::generalized_alpha);
              },
              .otherwise_words = "`auto`; with a fixed step `h`: `generalized_alpha`",
              .meaning = "the method that moves the machine through time"}),
      option("preset", AT(solver.bdf.preset),
             {.meaning = "many settings under one name; what is given beside it wins", .of_methods = true}),
      option("formulation", AT(solver.formulation),
             {.otherwise = default_formulation,
              .otherwise_words = fmt::format("`index3`; {}: `stabilized_index2`", join_code(first_order_integrators())),
              .meaning = fmt::format("the equations; {} take all ([which when](formulations/first_order.md)), "
                                     "one-step methods `index3`",
                                     join_code(first_order_integrators())),
              .refusal = has_forms}),
      option(
          "coordinates", AT(solver.coordinates),
          {.otherwise = [](const Settings&, const Model&) -> OptionValue { return word_of(CoordinateSet::absolute); },
           .otherwise_words = "`auto`; beside a named integrator: `absolute`",
           .meaning = "the unknowns of the motion",
           .analyses = every_analysis}),
      option("linear_solver", AT(solver.linear_solver),
             {.fallback = "auto",
              .meaning = "of Newton's iteration, see [linear solvers](linear_solvers.md)",
              .refusal = implicit}),
      option("krylov", AT(solver.krylov),
             {.fallback = "gmres", .meaning = "the iteration of `petsc`", .refusal = iterates_by_petsc}),
      option("preconditioner", AT(solver.preconditioner),
             {.fallback = "constraint",
              .meaning = "of `petsc`, [which when](many_machines.md#petsc)",
              .refusal = iterates_by_petsc}),
      option("dense_kernel", AT(solver.dense_kernel),
             {.fallback = "auto",
              .meaning = "products of large dense blocks in factorizations, "
                         "[which bits](linear_solvers.md#the-same-bits-on-every-machine)",
              .analyses = every_analysis}),
  };
}

std::vector<Option> step_options() {
  // What a small machine makes of `atol` is a length; angles, speeds and states keep theirs.
  const auto kind = [](const char* name, auto at, const char* unit, const char* what, bool of_methods,
                       double (*of_scale)(double)) {
    Text text{
        .unit = unit,
        .meaning = fmt::format("absolute tolerance of {} ", what),
        .range = Range::above(0.0),
        .of_methods = of_methods,
        .refusal = [](const Settings& s) { return has_key(s, "tolerance_rule") ? std::string() : has_tolerance(s); }};
    if (of_scale) {
      text.otherwise = [of_scale](const Settings& s, const Model& machine) -> OptionValue {
        const double scale = tolerance_scale(machine);
        if (s.solver.atol || s.solver.bdf.preset || (s.solver.h && !follows_error(s)) || scale == 1.0) return {};
        return of_scale(scale);
      };
      text.otherwise_words = "`atol`; of a small machine without it: its own";
    }
    return option(name, at, text);
  };
  return {
      option("h", AT(solver.h),
             {.unit = "s",
              .meaning = "a fixed step; without it the step is controlled by the error",
              .range = Range::above(0.0)}),
      option("h0", AT(solver.h0),
             {.unit = "s",
              .meaning = "first step (absent: found from the motion)",
              .range = Range::above(0.0),
              .refusal = controlled}),
      option("hmin", AT(solver.hmin),
             {.unit = "s",
              .otherwise = [](const Settings& s, const Model&) { return smallest_step(s.analysis); },
              .otherwise_words = "1e-14 of the time span, at most 1e-12 s",
              .meaning = "smallest step; 0 stands for the default",
              .range = Range::from(0.0),
              .refusal = controlled}),
      option("hmax", AT(solver.hmax),
             {.unit = "s",
              .otherwise = [](const Settings& s, const Model&) { return s.analysis.span(); },
              .otherwise_words = "the time span",
              .meaning = "largest step",
              .range = {.low = 0.0, .high_open = false, .words = "hmax > 0"},
              .refusal = controlled}),
      option("rtol", AT(solver.rtol),
             {.fallback = 1e-5,
              .meaning = "relative tolerance of the local error",
              .range = {.low = 0.0, .high = 1.0, .low_open = false},
              .refusal = has_tolerance}),
      kind("position_tol", AT(solver.tolerances.position_tol), "m", "positions", true, nullptr),
      kind("rotation_tol", AT(solver.tolerances.rotation_tol), "rad", "rotations", false,
           [](double) { return default_atol; }),
      kind("velocity_tol", AT(solver.tolerances.velocity_tol), "m/s, rad/s", "velocities", true,
           [](double scale) { return default_atol * std::sqrt(scale); }),
      kind("multiplier_tol", AT(solver.tolerances.multiplier_tol), "N, N m", "multipliers", true, nullptr),
      kind("internal_tol", AT(solver.tolerances.internal_tol), "", "internal states", false,
           [](double) { return default_atol; }),
      option("atol", AT(solver.atol),
             {.unit = "m, rad",
              .otherwise = [](const Settings&, const Model& machine) -> OptionValue {
                return default_atol * tolerance_scale(machine);
              },
              .otherwise_words = "1e-7; of a machine smaller than 0.1 m that times a power of ten near its length",
              .meaning = "absolute tolerance of the local error",
              .range = Range::above(0.0),
              .refusal = has_tolerance}),
      option("tolerance_rule", AT(solver.tolerance_rule),
             {.fallback = "sum",
              .meaning = "how both make the tolerance of an unknown y",
              .of_methods = true,
              .refusal = has_tolerance}),
  };
}

std::vector<Option> one_step_options() {
  return {
      option("rho_inf", AT(solver.one_step.rho_inf),
             {.fallback = 0.8,
              .meaning = "spectral radius at infinity: 0 damps what the step does not resolve at once",
              .range = {.low = 0.0, .high = 1.0, .low_open = false},
              .of_methods = true}),
      option("alpha", AT(solver.one_step.alpha),
             {.fallback = -0.1,
              .meaning = "its parameter; β and γ follow",
              .range =
                  {.low = -1.0 / 3.0, .high = 0.0, .low_open = false, .high_open = false, .words = "-1/3 ≤ alpha ≤ 0"},
              .of_methods = true}),
      option("gamma", AT(solver.one_step.gamma),
             {.fallback = 0.6,
              .meaning = "its parameter, β = (γ + ½)²/4",
              .range = {.low = 0.5, .low_open = false, .words = "gamma ≥ 1/2"},
              .of_methods = true}),
      option("stages", AT(solver.radau.stages),
             {.fallback = 3, .meaning = "order 1, 3 or 5", .range = Range::between(1.0, 3.0), .of_methods = true}),
      option("error_goal", AT(solver.radau.goal),
             {.fallback = "step",
              .otherwise_words = "`step`; `motion` where the program chose the method",
              .meaning = "what `rtol` and `atol` are held by",
              .of_methods = true,
              .refusal = has_tolerance}),
      option("newton_test", AT(solver.one_step.newton_test),
             {.fallback = "motion", .meaning = "what Newton waits for", .of_methods = true}),
      option("newton_stop", AT(solver.newton_stop),
             {.fallback = "tolerance", .meaning = "when Newton's iteration ends", .of_methods = true}),
      option("newton_tol", AT(solver.newton_tol),
             {.fallback = 1e-12,
              .meaning = "tolerance of Newton with a fixed step of one-step methods, with newton_test = \"all\" and in "
                         "statics, relative to 1 + |x|. Reactions carry a remainder of m·`newton_tol`/h²: take `1e-14` "
                         "when h is below 1e-4 s and reactions matter",
              .range = {.low = 0.0, .high = 1.0},
              .refusal = newton_tol_refusal,
              .analyses = {{AnalysisKind::dynamics, AnalysisKind::statics}}}),
      option("max_iterations", AT(solver.max_iterations),
             {.otherwise = default_max_iterations,
              .otherwise_words = "`10`; `bdf` that stops by its tolerance: `4`",
              .meaning = "of Newton before a step is rejected",
              .range = Range::from(1.0),
              .refusal = implicit}),
      option("record_corrections", AT(solver.record_corrections),
             {.fallback = false,
              .meaning = "sizes of every Newton correction in the scaled unknowns",
              .of_methods = true,
              .refusal = only_if(
                  [](const Settings& s) {
                    return s.solver.record_corrections != true || s.solver.max_iterations.value_or(1) <= 10000;
                  },
                  "records every iteration that a step may take, and 'max_iterations' is above 10000")}),
  };
}

std::vector<Option> bdf_options() {
  const Refusal two_differences =
      only_if([](const Settings& s) { return s.solver.jacobian.source == JacobianSource::sparse_differences; },
              "belongs to jacobian = \"sparse_differences\"");
  return {
      option("fields", AT(solver.bdf.fields),
             {.fallback = "three", .meaning = "`bdf`: unknowns of its linear systems", .refusal = fields_refusal}),
      option("max_order", AT(solver.bdf.max_order),
             {.otherwise = default_max_order,
              .otherwise_words = "`5`; `coordinate_split`: `2`",
              .meaning = "largest order",
              .range = Range::between(1.0, 6.0),
              .of_methods = true}),
      option("newton_constant", AT(solver.bdf.newton_constant),
             {.otherwise = default_newton_constant,
              .otherwise_words = shown(BdfOptions{}.newton_constant),
              .meaning = "Newton's remainder as a part of the tolerance",
              .range = {.low = 0.0, .high = 1.0, .high_open = false},
              .of_methods = true}),
      option("unknown", AT(solver.bdf.unknown),
             {.fallback = "y", .meaning = "what the corrector solves for", .of_methods = true}),
      option("corrector", AT(solver.bdf.corrector),
             {.otherwise = default_corrector,
              .otherwise_words = "`classical`; with contacts `modified`",
              .meaning = "what Newton's test looks at",
              .of_methods = true}),
      option("step_rules", AT(solver.bdf.step_rules),
             {.fallback = "standard", .meaning = "rules that steer order, step and matrix", .of_methods = true}),
      option("stability_detection", AT(solver.bdf.stability_detection),
             {.fallback = true, .meaning = "lowers the order on undamped stiff oscillation", .of_methods = true}),
      option("newton_start", AT(solver.bdf.newton_start),
             {.fallback = "prediction", .meaning = "where Newton begins", .of_methods = true}),
      option("jacobian_pattern", AT(solver.bdf.jacobian_pattern),
             {.meaning = "letters T and F: `\"TFFF\"` makes the matrix anew before iterations 1, 5, 9, …; without it "
                         "the matrix is kept while it serves",
              .of_methods = true}),
      option("jacobian_update", AT(solver.jacobian.update),
             {.otherwise = [](const Settings& s, const Model&) -> OptionValue {
                return word_of(method(s).traits.keeps_derivatives ? JacobianUpdate::partitioned : JacobianUpdate::full);
              },
              .otherwise_words = "`full`; `radau`: `partitioned`",
              .meaning = "what a new step costs",
              .of_methods = true}),
      option("jacobian", AT(solver.jacobian.source),
             {.fallback = "exact", .meaning = "where derivatives come from", .of_methods = true}),
      option("jacobian_sparsity", AT(solver.jacobian.sparsity),
             {.fallback = "given",
              .meaning = "the pattern of `sparse_differences`",
              .of_methods = true,
              .refusal = two_differences}),
      option("formalism", AT(solver.bdf.formalism),
             {.fallback = "residual", .meaning = "equations of motion", .of_methods = true}),
  };
}

std::vector<Option> split_options() {
  const auto set = [](const char* name, auto at, const char* what) {
    return option(name, at,
                  {.fallback = "by_formulation", .meaning = fmt::format("what {} looks at", what), .of_methods = true});
  };
  return {
      option("iteration", AT(solver.split.iteration),
             {.otherwise = default_iteration,
              .otherwise_words = "`ggl`; `coordinate_split`: `cm`",
              .meaning = "how Newton treats multipliers",
              .of_methods = true,
              .refusal = only_for_forms("iteration")}),
      option("cm_mode", AT(solver.split.cm_mode),
             {.otherwise = [](const Settings& s, const Model&) -> OptionValue {
                return word_of(method(s).equations.has_stages ? CmMode::matrix_only : CmMode::frozen_step);
              },
              .otherwise_words = "`frozen_step`; `radau`: `matrix_only`",
              .meaning = "where iteration `cm` takes its projection",
              .of_methods = true,
              .refusal = cm_mode_refusal}),
      option("independent", AT(solver.split.independent),
             {.fallback = std::vector<std::string>{},
              .meaning = "coordinates that must be independent ones of the split, as `[\"bob.x\"]` "
                         "([names](formulations/coordinate_split.md))",
              .of_methods = true,
              .refusal = only_if([](const Settings& s) { return splits(s) || predicts_multipliers(s.solver); },
                                 "names coordinates of a split: it belongs to the formulation 'coordinate_split' and "
                                 "to the iteration 'ggl_star'")}),
      set("error_set", AT(solver.split.error_set), "the error test"),
      set("corrector_set", AT(solver.split.corrector_set), "Newton's test"),
      option("untested", AT(solver.split.untested),
             {.fallback = std::vector<std::string>{},
              .meaning = "coordinates that no test looks at, as `[\"bob.angle\"]`",
              .of_methods = true}),
  };
}

std::vector<Option> other_options() {
  const auto baumgarte = [](const char* name, auto at, const char* term) {
    return option(name, at,
                  {.unit = "1/s",
                   .fallback = 0.0,
                   .meaning = fmt::format("formulation `index1`: {} of Φ̈ + 2αΦ̇ + β²Φ = 0", term),
                   .range = Range::from(0.0),
                   .refusal = only_for_forms(name)});
  };
  return {
      baumgarte("baumgarte_alpha", AT(solver.baumgarte_alpha), "α"),
      baumgarte("baumgarte_beta", AT(solver.baumgarte_beta), "β"),
      option("redundant", AT(solver.redundant),
             {.fallback = "error", .meaning = "redundant constraints", .analyses = every_analysis}),
      option("strict", AT(solver.strict),
             {.fallback = false,
              .meaning = "refuse inconsistent initial conditions instead of correcting them",
              .analyses = every_analysis}),
      option("record_condition", AT(solver.record_condition),
             {.fallback = false,
              .meaning = "condition number of the iteration matrix in every step; of `bdf` also the row sums of its "
                         "inverse",
              .refusal = implicit}),
  };
}

std::vector<Option> solver_options() {
  std::vector<Option> all;
  // bdf's own before what depends on it: `iteration` on `formulation`, `max_iterations` on `newton_stop`.
  for (std::vector<Option> part :
       {method_options(), split_options(), step_options(), one_step_options(), bdf_options(), other_options()})
    std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

std::vector<Option> scaling_options() {
  const auto average = [](const char* name, auto at, const char* unit, const char* what) {
    return option(name, at,
                  {.unit = unit,
                   .meaning = fmt::format("reference of {} in s (absent: `physical` computes it from the model, "
                                          "`left_right` and `left_right_velocity` take {})",
                                          what, *what == 'M' ? 1 : 0),
                   .range = Range::from(0.0),
                   .refusal = has_s_of_its_own});
  };
  return {
      option("kind", AT(solver.scaling.kind),
             {.otherwise = [](const Settings& s, const Model&) -> OptionValue {
                return word_of(method(s).equations.no_forms.empty() ? ScalingKind::physical : ScalingKind::none);
              },
              .otherwise_words = "`physical`; `energy_decaying`: `none`",
              .meaning = "factors of rows and unknowns; `scaling = \"none\"` is short for it",
              .refusal = implicit}),
      average("m_ave", AT(solver.scaling.m_ave), "kg", "M"),
      average("d_ave", AT(solver.scaling.d_ave), "N s/m", "D"),
      average("k_ave", AT(solver.scaling.k_ave), "N/m", "K"),
      option("reference", AT(solver.scaling.reference),
             {.fallback = "mean_diagonal",
              .meaning = "what `m_ave`, `d_ave`, `k_ave` are of M, D and K",
              .refusal = physically_scaled}),
      option("l_ref", AT(solver.scaling.l_ref),
             {.unit = "m",
              .fallback = 1.0,
              .meaning = "reference length of multipliers",
              .range = Range::above(0.0),
              .refusal = has_s_of_its_own}),
      option(
          "rho", AT(solver.scaling.rho),
          {.otherwise = default_rho,
           .otherwise_words = "`1` with `physical` scaling of second-order systems (one-step methods; `bdf` on "
                              "`index3` with `fields = \"two\"`) unless `linear_solver` is `gmres`, else `0`",
           .meaning =
               "weight of the augmented Lagrangian: gives coordinates that only constraints hold a pivot, and does not "
               "change the motion",
           .range = Range::from(0.0),
           .refusal = implicit}),
  };
}

std::vector<Option> output_options() {
  return {
      option("every_step", AT(output.every_step),
             {.fallback = false,
              .meaning = "record the integrator's own steps instead of frames at equal distances",
              .analyses = {{AnalysisKind::dynamics}}}),
      option("interval", AT(output.interval),
             {.unit = "s",
              .otherwise = [](const Settings& s, const Model&) { return output_interval(s); },
              .otherwise_words = "(end − start)/500, longer where frames are so wide that they would fill 250 MB, "
                                 "[how](results.md#how-many-frames)",
              .meaning = "between recorded frames",
              .range = Range::above(0.0),
              .refusal = only_if([](const Settings& s) { return s.output.every_step != true; },
                                 "and 'every_step' exclude each other; give one of them"),
              .analyses = moving}),
      option("channels", AT(output.channels),
             {.meaning = "what is kept of frames: channels or patterns of their names, such as `\"rod.*\"` "
                         "(absent: all), [how](results.md#a-choice-of-channels)"}),
      option("file", AT(output.file), {.meaning = "of the results (absent: the model's name with `.h5`)"}),
      option("flush_every_frame", AT(output.flush_every_frame),
             {.fallback = false, .meaning = "every frame is safe on disk at once"}),
      option("checkpoint_steps", AT(output.checkpoint_steps),
             {.fallback = 1000,
              .meaning = "between places from which the run can be resumed (`0`: none), [how](resume.md)",
              .range = Range::from(0.0),
              .analyses = {{AnalysisKind::dynamics}}}),
      option(
          "max_size", AT(output.max_size),
          {.unit = "B",
           .fallback = 1e12,
           .meaning = "a run whose results may become larger, by the number of its frames and steps, is refused before "
                      "it begins",
           .range = Range::above(0.0)}),
      option(
          "alarms", AT(output.alarms),
          {.fallback = "warn", .meaning = "what becomes of a run whose own checks say that its numbers are doubtful"}),
  };
}

#undef AT

int version = 0;

// A description that names a key which does not exist is a mistake of ours.
void check_owners(const std::vector<Option>& options) {
  const auto exists = [&](std::string_view key) {
    return std::any_of(options.begin(), options.end(), [&](const Option& option) { return option.key.name == key; });
  };
  const auto check = [&](const auto& methods) {
    for (const auto& method : methods)
      for (const std::string_view key : method->keys)
        if (!exists(key)) throw std::logic_error(fmt::format("'{}' names '{}', no key of [solver]", method->name, key));
  };
  check(standard_integrators), check(standard_formulations);
}

std::vector<OptionTable> make_tables() {
  std::vector<OptionTable> all{
      {"analysis", "What is computed.", analysis_options()},
      {"solver", "How it is computed.", solver_options()},
      {"solver.scaling", "Factors of rows and unknowns of the iteration matrix.", scaling_options()},
      {"output", "What is kept.", output_options()}};
  check_owners(all[1].options);
  for (OptionTable& table : all)
    for (Option& option : table.options) {
      if (!option.analyses.empty()) continue;
      if (table.name == "analysis" || table.name == "output")
        option.analyses = every_analysis;
      else
        option.analyses = {AnalysisKind::dynamics};
    }
  return all;
}

std::vector<OptionTable>& tables() {
  static std::vector<OptionTable> all = make_tables();
  return all;
}

}  // namespace

bool Option::acts_in(AnalysisKind kind) const {
  return std::find(analyses.begin(), analyses.end(), kind) != analyses.end();
}

const std::vector<OptionTable>& option_tables() { return tables(); }

int option_tables_version() { return version; }

const Source& source_of(const OptionTable& table, const Settings& settings) {
  if (table.name == "analysis") return settings.analysis.source;
  if (table.name == "output") return settings.output.source;
  return table.name == "solver" ? settings.solver.source : settings.solver.scaling.source;
}

std::vector<KeyTable> option_key_tables() {
  std::vector<KeyTable> made;
  for (const OptionTable& table : option_tables()) {
    std::vector<Key> keys;
    for (const Option& option : table.options) keys.push_back(option.key);
    if (table.name == "solver.scaling")
      made.back().keys.push_back({.name = "scaling",
                                  .type = KeyType::table,
                                  .fallback = "\"physical\"",
                                  .meaning = "a table, or the word of its `kind`",
                                  .words = keys.front().words,
                                  .inner = std::move(keys)});
    else
      made.push_back({table.name, false, table.meaning, std::move(keys)});
  }
  return made;
}

// A run may last as long as it likes: what happens in it does not become slower by that.
double smallest_step(const AnalysisOptions& analysis) { return std::min(1e-14 * analysis.span(), 1e-12); }

double output_interval(const Settings& settings) {
  return settings.output.interval.value_or(settings.analysis.span() / frames_by_default);
}

ExtraOption::ExtraOption(const std::string& table, Key key, OptionValue otherwise) : table_(table), name_(key.name) {
  ++version;
  const std::string id = table + "." + key.name;
  if (key.fallback.empty()) key.fallback = shown(otherwise);
  for (OptionTable& each : tables())
    if (each.name == table)
      each.options.push_back({std::move(key),
                              [id](const Settings& s) {
                                const auto it = s.extensions.find(id);
                                return it == s.extensions.end() ? OptionValue() : it->second;
                              },
                              [id](Settings& s, const OptionValue& x) { s.extensions[id] = x; },
                              [otherwise](const Settings&, const Model&) { return otherwise; },
                              [](const Settings&) { return std::string(); }, every_analysis});
}

ExtraOption::~ExtraOption() {
  ++version;
  for (OptionTable& each : tables())
    if (each.name == table_) std::erase_if(each.options, [&](const Option& o) { return o.key.name == name_; });
}

}  // namespace trammel
