// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "trammel/base/keys.h"
#include "trammel/simulation/options.h"

namespace trammel {

/// One option, described once. The reader, the checks, the recorded settings, `--set`, Python, the schema for editors
/// and the documentation all loop over these.
struct Option {
  Key key;
  std::function<OptionValue(const Settings&)> get;
  std::function<void(Settings&, const OptionValue&)> set;  ///< std::monostate takes the value away
  /// The default where the option has a meaning; it may depend on options before it in the tables.
  std::function<OptionValue(const Settings&, const Model&)> otherwise;
  /// Why it would have no effect beside the options before it: "belongs to the integrator 'radau', …"; empty: it has.
  std::function<std::string(const Settings&)> refusal;
  /// The analyses in which it acts. One file serves several by `--set analysis.kind=…`: elsewhere it is not refused but
  /// set aside, by name, and not recorded.
  std::vector<AnalysisKind> analyses;
  bool acts_in(AnalysisKind kind) const;
};

/// A table of options in the order in which they are resolved: "analysis", "solver", "solver.scaling", "output".
struct OptionTable {
  std::string name;
  std::string meaning;
  std::vector<Option> options;
};

const std::vector<OptionTable>& option_tables();
/// Grows whenever an option is added or taken away: what is derived from the tables is then made anew.
int option_tables_version();
/// Where the table stands in the user's text.
const Source& source_of(const OptionTable& table, const Settings& settings);
/// The same as tables of keys: "solver.scaling" stands inside "solver".
std::vector<KeyTable> option_key_tables();

/// An option of a program's own for as long as this object lives: it is read, checked, resolved, recorded and
/// documented like all others, and its value is found in Settings::extensions under "table.key".
class ExtraOption {
 public:
  ExtraOption(const std::string& table, Key key, OptionValue otherwise);
  ~ExtraOption();
  ExtraOption(const ExtraOption&) = delete;
  ExtraOption& operator=(const ExtraOption&) = delete;

 private:
  std::string table_, name_;
};

/// What takes effect.
struct Resolved {
  /// Given values, else those of the preset, else defaults; what has no meaning beside the rest is absent. Resolved
  /// again it stays what it is.
  Settings settings;
  std::vector<Issue> issues;  ///< what is wrong with the given values; `settings` cannot be run if there are any
  std::vector<std::string> set_aside;  ///< given, and without a meaning in this analysis: "solver.h"
};
/// What is left to the program ("auto") becomes the first method, of those that serve any machine, beside which
/// everything given has a meaning; a run knows its machine and chooses better (method_choice.h).
Resolved resolve(const Settings& given, const Model& machine);

/// A method and the coordinates that it works in.
struct Method {
  Integrator integrator;
  CoordinateSet coordinates;
  bool operator==(const Method&) const = default;
};
/// Whether a run of these settings chooses its method or its coordinates by itself.
bool leaves_method_open(const Settings& given);
/// The same with the methods in the order in which they are wanted; those that serve any machine come after them.
Resolved resolve(const Settings& given, const Model& machine, std::span<const Method> wanted);

/// The settings that a preset stands for, beside what is chosen already.
SolverOptions preset_settings(Preset preset, const Settings& chosen);

/// Takes away the values that would have no effect beside the rest: for programs that change a method and keep what
/// still means something. Returns their names: "solver.preset".
std::vector<std::string> drop_foreign(Settings& settings, const Model& machine);
inline std::vector<std::string> drop_foreign(Study& study) { return drop_foreign(study, study.model); }

/// Where steps with error control end to shrink unless it is said otherwise [s].
double smallest_step(const AnalysisOptions& analysis);

/// Frames of a run that does not say how many: enough for a smooth picture and smooth plots.
inline constexpr double frames_by_default = 500.0;
/// The time between frames that will be recorded [s], unless they are too wide for so many (record_size.h).
double output_interval(const Settings& settings);

/// A word of an enumeration and what it means.
template <class E>
struct WordOf {
  E value;
  std::string name;
  std::string meaning;
};

/// The words of an enumeration of options, in the order in which they are listed. Written in option_words.cpp.
template <class E>
const std::vector<WordOf<E>>& words_of();
template <>
const std::vector<WordOf<AnalysisKind>>& words_of();
template <>
const std::vector<WordOf<StartFrom>>& words_of();
template <>
const std::vector<WordOf<Integrator>>& words_of();
template <>
const std::vector<WordOf<Formulation>>& words_of();
template <>
const std::vector<WordOf<CoordinateSet>>& words_of();
template <>
const std::vector<WordOf<LinearSolverKind>>& words_of();
template <>
const std::vector<WordOf<DenseKernel>>& words_of();
template <>
const std::vector<WordOf<KrylovMethod>>& words_of();
template <>
const std::vector<WordOf<KrylovPreconditioner>>& words_of();
template <>
const std::vector<WordOf<RedundancyPolicy>>& words_of();
template <>
const std::vector<WordOf<AlarmPolicy>>& words_of();
template <>
const std::vector<WordOf<Preset>>& words_of();
template <>
const std::vector<WordOf<BdfFields>>& words_of();
template <>
const std::vector<WordOf<StepRules>>& words_of();
template <>
const std::vector<WordOf<ToleranceRule>>& words_of();
template <>
const std::vector<WordOf<ErrorGoal>>& words_of();
template <>
const std::vector<WordOf<BdfUnknown>>& words_of();
template <>
const std::vector<WordOf<Corrector>>& words_of();
template <>
const std::vector<WordOf<NewtonStart>>& words_of();
template <>
const std::vector<WordOf<NewtonStop>>& words_of();
template <>
const std::vector<WordOf<NewtonTest>>& words_of();
template <>
const std::vector<WordOf<JacobianUpdate>>& words_of();
template <>
const std::vector<WordOf<JacobianSource>>& words_of();
template <>
const std::vector<WordOf<JacobianSparsity>>& words_of();
template <>
const std::vector<WordOf<Formalism>>& words_of();
template <>
const std::vector<WordOf<SplitIteration>>& words_of();
template <>
const std::vector<WordOf<CmMode>>& words_of();
template <>
const std::vector<WordOf<TestSet>>& words_of();
template <>
const std::vector<WordOf<ScalingKind>>& words_of();
template <>
const std::vector<WordOf<ScalingReference>>& words_of();

/// "bdf"
template <class E>
const std::string& word_of(E value) {
  for (const WordOf<E>& word : words_of<E>())
    if (word.value == value) return word.name;
  throw std::logic_error("a value of an enumeration has no word");
}

[[noreturn]] void refuse_word(std::string_view text, const std::vector<std::string>& allowed);

/// The value of a word; throws InputError with the nearest one.
template <class E>
E parse_word(std::string_view text) {
  std::vector<std::string> allowed;
  for (const WordOf<E>& word : words_of<E>()) {
    if (word.name == text) return word.value;
    allowed.push_back(word.name);
  }
  refuse_word(text, allowed);
}

}  // namespace trammel
