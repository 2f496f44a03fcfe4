// SPDX-License-Identifier: Apache-2.0
#include "functions.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <Eigen/Core>
#include <algorithm>

#include "callback_list.h"
#include "docstrings.h"
#include "ready_numpy.h"
#include "trammel/simulation/machine_functions.h"

namespace trammel::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Vector = Eigen::VectorXd;

/// Arguments [state, number] or [number], and results with the same first dimension or without one.
class Batch {
 public:
  Batch(std::initializer_list<const std::optional<Array>*> arguments) {
    for (const std::optional<Array>* argument : arguments) {
      if (!*argument) {
        arguments_.push_back({nullptr, 0, 0});
        continue;
      }
      const Array& array = **argument;
      if (array.ndim() < 1 || array.ndim() > 2)
        throw InputError("an array must have the shape [number] or [state, number]");
      const py::ssize_t rows = array.ndim() == 2 ? array.shape(0) : 1, width = array.shape(array.ndim() - 1);
      arguments_.push_back({array.data(), array.ndim() == 2 ? width : 0, width});
      if (array.ndim() == 1) continue;
      if (batched_ && rows != n_) throw InputError("arrays have different numbers of states");
      batched_ = true;
      n_ = rows;
    }
  }

  Vector take(std::size_t argument, py::ssize_t state) const {
    const Argument& a = arguments_[argument];
    if (a.data == nullptr) return {};
    return Eigen::Map<const Vector>(a.data + state * a.stride, a.width);
  }
  py::ssize_t size() const { return n_; }

  /// An array for results of this shape each.
  py::array_t<double> make(std::vector<py::ssize_t> shape) const {
    ready_numpy();
    if (batched_) shape.insert(shape.begin(), n_);
    return py::array_t<double>(shape);
  }

 private:
  struct Argument {
    const double* data;
    py::ssize_t stride, width;
  };
  std::vector<Argument> arguments_;
  bool batched_ = false;
  py::ssize_t n_ = 1;
};

// Rows of matrices follow each other in NumPy.
template <class From>
void put(const From& from, py::ssize_t state, double* to) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  to += state * from.rows() * from.cols();
  Eigen::Map<RowMajor>(to, from.rows(), from.cols()) = from;
}
void put(double from, py::ssize_t state, double* to) { to[state] = from; }

using Argument = std::optional<Array>;

/// `evaluate(state, results)` for each state, without the interpreter's lock; results as a tuple of arrays.
template <class Evaluate>
py::tuple run(const Batch& batch, const std::vector<std::vector<py::ssize_t>>& shapes, Evaluate evaluate) {
  std::vector<py::array_t<double>> arrays;
  std::vector<double*> data;
  for (const auto& shape : shapes) {
    arrays.push_back(batch.make(shape));
    data.push_back(arrays.back().mutable_data());
  }
  {
    const py::gil_scoped_release free;
    for (py::ssize_t i = 0; i < batch.size(); ++i) evaluate(i, data);
  }
  py::tuple results(arrays.size());
  for (std::size_t k = 0; k < arrays.size(); ++k) results[k] = std::move(arrays[k]);
  return results;
}

py::tuple mass_matrix(MachineFunctions& f, const Argument& q) {
  const Batch batch{&q};
  return run(batch, {{f.nv(), f.nv()}},
             [&](py::ssize_t i, const auto& to) { put(f.mass_matrix(batch.take(0, i)), i, to[0]); });
}

py::tuple bias(MachineFunctions& f, const Argument& q, const Argument& v) {
  const Batch batch{&q, &v};
  return run(batch, {{f.nv()}},
             [&](py::ssize_t i, const auto& to) { put(f.bias(batch.take(0, i), batch.take(1, i)), i, to[0]); });
}

py::tuple inverse_dynamics(MachineFunctions& f, const Argument& q, const Argument& v, const Argument& a,
                           const Argument& lam) {
  const Batch b{&q, &v, &a, &lam};
  return run(b, {{f.nv()}}, [&](py::ssize_t i, const auto& to) {
    put(f.inverse_dynamics(b.take(0, i), b.take(1, i), b.take(2, i), b.take(3, i)), i, to[0]);
  });
}

py::tuple forward_dynamics(MachineFunctions& f, const Argument& q, const Argument& v, const Argument& tau) {
  const Batch b{&q, &v, &tau};
  return run(b, {{f.nv()}, {f.nc()}}, [&](py::ssize_t i, const auto& to) {
    const MachineFunctions::Accelerations found = f.forward_dynamics(b.take(0, i), b.take(1, i), b.take(2, i));
    put(found.a, i, to[0]), put(found.lam, i, to[1]);
  });
}

py::tuple constraints(MachineFunctions& f, const Argument& q, const Argument& v) {
  const Batch b{&q, &v};
  const py::ssize_t m = f.nc();
  return run(b, {{m}, {m}, {m}, {m, f.nv()}}, [&](py::ssize_t i, const auto& to) {
    const MachineFunctions::Constraints c = f.constraints(b.take(0, i), b.take(1, i));
    put(c.phi, i, to[0]), put(c.phi_dot, i, to[1]), put(c.gamma, i, to[2]), put(c.G, i, to[3]);
  });
}

py::tuple frame(MachineFunctions& f, const std::string& name, const Argument& q, const Argument& v) {
  const Batch b{&q, &v};
  const py::ssize_t n = f.nv();
  return run(b, {{3}, {3, 3}, {6, n}, {6, n}}, [&](py::ssize_t i, const auto& to) {
    const MachineFunctions::FrameMotion m = f.frame(name, b.take(0, i), b.take(1, i));
    put(m.p, i, to[0]), put(m.R, i, to[1]), put(m.J, i, to[2]), put(m.J_rate, i, to[3]);
  });
}

py::tuple momentum(MachineFunctions& f, const Argument& q, const Argument& v) {
  const Batch b{&q, &v};
  return run(b, {{}, {3}, {3}, {3}, {3}}, [&](py::ssize_t i, const auto& to) {
    const MachineFunctions::Momentum m = f.momentum(b.take(0, i), b.take(1, i));
    put(m.mass, i, to[0]), put(m.center, i, to[1]), put(m.velocity, i, to[2]), put(m.linear, i, to[3]);
    put(m.angular, i, to[4]);
  });
}

py::tuple inverse_derivatives(MachineFunctions& f, const Argument& q, const Argument& v, const Argument& a,
                              const Argument& lam) {
  const Batch b{&q, &v, &a, &lam};
  const py::ssize_t n = f.nv();
  return run(b, {{n, n}, {n, n}, {n, n}, {n, f.nc()}}, [&](py::ssize_t i, const auto& to) {
    const MachineFunctions::InverseDerivatives d =
        f.inverse_derivatives(b.take(0, i), b.take(1, i), b.take(2, i), b.take(3, i));
    put(d.by_q, i, to[0]), put(d.by_v, i, to[1]), put(d.by_a, i, to[2]);
    if (f.nc() > 0) put(d.by_lam, i, to[3]);
  });
}

py::tuple forward_derivatives(MachineFunctions& f, const Argument& q, const Argument& v, const Argument& tau) {
  const Batch b{&q, &v, &tau};
  const py::ssize_t n = f.nv(), m = f.nc();
  return run(b, {{n, n}, {n, n}, {n, n}, {m, n}, {m, n}, {m, n}}, [&](py::ssize_t i, const auto& to) {
    const MachineFunctions::ForwardDerivatives d = f.forward_derivatives(b.take(0, i), b.take(1, i), b.take(2, i));
    put(d.a_by_q, i, to[0]), put(d.a_by_v, i, to[1]), put(d.a_by_tau, i, to[2]);
    put(d.lam_by_q, i, to[3]), put(d.lam_by_v, i, to[4]), put(d.lam_by_tau, i, to[5]);
  });
}

}  // namespace

void define_functions(py::module_& m) {
  const auto optional = [](const char* name) { return py::arg(name) = py::none(); };
  py::class_<MachineFunctions, std::shared_ptr<MachineFunctions>>(m, "Functions", docs::MachineFunctions)
      .def(py::init([](const CheckedStudy& study, const std::vector<CallbackList::LawTuple>& laws,
                       const std::vector<CallbackList::ForceTuple>& forces) {
             const std::shared_ptr<const CallbackList> kept = CallbackList::make(laws, forces);
             return std::shared_ptr<MachineFunctions>(new MachineFunctions(study, kept->customize(study.model())),
                                                      [kept](MachineFunctions* made) { delete made; });
           }),
           py::arg("study"), py::arg("laws"), py::arg("forces"))
      .def_property_readonly("nv", &MachineFunctions::nv)
      .def_property_readonly("nc", &MachineFunctions::nc)
      .def_property_readonly("coordinate_names", &MachineFunctions::coordinate_names)
      .def_property_readonly("row_names", &MachineFunctions::row_names)
      .def_property_readonly("q",
                             [](const MachineFunctions& f) { return py::array_t<double>(f.q().size(), f.q().data()); })
      .def_property_readonly("v",
                             [](const MachineFunctions& f) { return py::array_t<double>(f.v().size(), f.v().data()); })
      .def("set_time", &MachineFunctions::set_time)
      .def("set_input", &MachineFunctions::set_input)
      .def("mass_matrix", &mass_matrix, py::arg("q"))
      .def("bias", &bias, py::arg("q"), optional("v"))
      .def("inverse_dynamics", &inverse_dynamics, py::arg("q"), optional("v"), optional("a"), optional("lam"))
      .def("forward_dynamics", &forward_dynamics, py::arg("q"), optional("v"), optional("tau"))
      .def("constraints", &constraints, py::arg("q"), optional("v"))
      .def("frame", &frame, py::arg("name"), py::arg("q"), optional("v"))
      .def("momentum", &momentum, py::arg("q"), optional("v"))
      .def("inverse_derivatives", &inverse_derivatives, py::arg("q"), optional("v"), optional("a"), optional("lam"))
      .def("forward_derivatives", &forward_derivatives, py::arg("q"), optional("v"), optional("tau"));
}

}  // namespace trammel::python
