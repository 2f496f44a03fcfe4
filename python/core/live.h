// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace trammel::python {

/// The class Live: a machine that a script drives, on which the package's Simulation stands.
void define_live(pybind11::module_& module);

}  // namespace trammel::python
