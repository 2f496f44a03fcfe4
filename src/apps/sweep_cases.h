#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trammel/io/results_reader.h"

/// The cases of a sweep: every combination of some settings, and which of them are done.
namespace trammel::apps {

/// A setting with all its values, as texts: "parameters.L" with "0.1", "0.2", …
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

/// "key=a:b:n": n values from a to b; "key=v1,v2,v3": these; anything else is one value.
Axis parse_axis(const std::string& setting, double most);

struct Case {
  std::vector<std::string> settings;  // "key=value", in the order of the axes
  std::filesystem::path results;
  int code = -1;                                // of the process; −1: not run
  bool stopped() const { return code >= 128; }  // by a signal, or by itself because of one
};

/// How many there are is asked before they are made: 10¹² of them fit on a command line, but nowhere else.
void require_few(const std::vector<Axis>& axes, double most);

std::vector<Case> make_cases(const std::vector<Axis>& axes, const std::filesystem::path& folder);

/// The files that results were made of, as they are now.
class PresentSources {
 public:
  explicit PresentSources(const std::filesystem::path& model) : folder_(model.parent_path()) {}

  /// `recorded` is the text of describe_sources(): nothing changed since.
  bool are(const std::string& recorded);

 private:
  const std::string& digest(const std::string& name);

  std::filesystem::path folder_;
  std::map<std::string, std::string> digests_;
};

/// Results of this very case: the same settings of a model of which no file has changed since.
bool are_of(const ResultsReader& reader, const Case& one, const std::string& model, PresentSources& sources);

/// The case was run to its end, and nothing changed since.
bool is_done(const Case& one, const std::string& model, PresentSources& sources);

}  // namespace trammel::apps
