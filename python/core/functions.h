// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace trammel::python {

/// The class MachineFunctions: the equations of a machine as functions of arrays.
void define_functions(pybind11::module_& module);

}  // namespace trammel::python
