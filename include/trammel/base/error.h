// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace trammel {

/// Wrong use, found before any work is done: a model, an option or a file that cannot be accepted.
///
/// Two families of trouble exist and are never mixed. *Wrong use* throws a typed error from here and lists every
/// problem at once. *Numerical events* (a step that does not converge) are `Status` values that flow upwards.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One problem of the user's input: where it stands and what is wrong, in words that let a stranger fix it.
struct Issue {
  std::string where;    ///< "arm.toml:12:7", "body 'rod'", "--set solver.h" or empty
  std::string message;  ///< what is wrong, the value, what is allowed, the nearest valid name
};

/// The input (model, options, command line) is wrong. Exit code 2 of the program.
class InputError : public Error {
 public:
  explicit InputError(std::vector<Issue> issues);
  explicit InputError(std::string message);
  const std::vector<Issue>& issues() const { return issues_; }

 private:
  std::vector<Issue> issues_;
};

/// A file cannot be read or written. Exit code 4 of the program.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A simulation stopped before its end; what() is the whole failure report. Exit code 3 of the program.
class SimulationError : public Error {
 public:
  using Error::Error;
};

}  // namespace trammel
