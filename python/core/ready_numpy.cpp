// SPDX-License-Identifier: Apache-2.0
#include "ready_numpy.h"

#include <pybind11/numpy.h>

#include <atomic>
#include <mutex>

namespace trammel::python {

namespace py = pybind11;

void ready_numpy() {
  static std::atomic<bool> ready{false};
  static std::mutex one_at_a_time;
  if (ready.load()) return;
  std::unique_lock<std::mutex> turn(one_at_a_time, std::defer_lock);
  {
    const py::gil_scoped_release free;
    turn.lock();
  }
  if (ready.load()) return;
  py::dtype::of<double>();
  ready.store(true);
}

}  // namespace trammel::python
