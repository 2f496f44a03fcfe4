// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "callbacks.h"

namespace trammel::python {

/// The functions in Python of a model, as it hands them over. A machine refers to them, and they live as long.
struct CallbackList {
  using LawTuple = std::tuple<py::function, bool, std::vector<std::string>>;
  using ForceTuple = std::tuple<py::function, bool, bool, std::vector<std::vector<std::string>>>;

  static std::shared_ptr<const CallbackList> make(const std::vector<LawTuple>& laws,
                                                  const std::vector<ForceTuple>& forces) {
    auto list = std::make_shared<CallbackList>();
    for (const auto& [function, vectorized, names] : laws) list->laws.push_back({function, vectorized, names});
    for (const auto& [function, vectorized, velocity, elements] : forces)
      list->forces.push_back({function, vectorized, velocity, elements});
    return list;
  }
  Customize customize(const Model& model) const { return make_customize(model, laws, forces); }

  std::vector<LawCallback> laws;
  std::vector<ForceCallback> forces;
};

}  // namespace trammel::python
