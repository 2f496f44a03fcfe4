// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/simulation/simulation.h"

namespace trammel::python {

namespace py = pybind11;

/// A Python function that is the law of some springs: Q = law(t, x, rate), numbers or arrays of all springs.
struct LawCallback {
  py::function function;
  bool vectorized = false;
  std::vector<std::string> forces;  ///< names of the [[force]]s whose law it is
};

/// A Python function that gives the wrenches on frames: one element (its bodies) or all elements at a time.
struct ForceCallback {
  py::function function;
  bool vectorized = false;
  bool depends_on_velocity = true;
  std::vector<std::vector<std::string>> elements;  ///< the bodies of each element, equally many
};

/// Adds the callbacks to every realisation of the model. The functions must outlive the simulation; the interpreter's
/// lock may be free, each evaluation takes it once for all elements. What a function raises leaves as
/// error_already_set.
Customize make_customize(const Model& model, const std::vector<LawCallback>& laws,
                         const std::vector<ForceCallback>& forces);

/// The class Frame (p, v, w, R) of what scalar and vectorised forces get.
void define_frame(py::module_& module);

}  // namespace trammel::python
