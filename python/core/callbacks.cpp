// SPDX-License-Identifier: Apache-2.0
#include "callbacks.h"

#include <pybind11/numpy.h>

#include <cstring>

#include "ready_numpy.h"
#include "trammel/base/text.h"
#include "trammel/mechanics/elements/batch_force.h"
#include "trammel/mechanics/elements/custom_law.h"

namespace trammel::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

PyTypeObject* frame_type = nullptr;  // lives as long as the interpreter

// ---- numbers and tuples, by the interpreter's own functions: these calls are what a run with callbacks consists of

// Raised as Python raises: a run that they end keeps its results.
[[noreturn]] void raise(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw py::error_already_set();
}
[[noreturn]] void refuse(const std::string& what, PyObject* got) {
  raise(PyExc_TypeError, what + ", not " + Py_TYPE(got)->tp_name);
}

double number_of(PyObject* value, const char* expected) {
  const double x = PyFloat_AsDouble(value);
  if (x == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    refuse(expected, value);
  }
  return x;
}

py::object make_vector(const Vec3<double>& x) {
  py::tuple t(3);
  for (int i = 0; i < 3; ++i) PyTuple_SET_ITEM(t.ptr(), i, PyFloat_FromDouble(x[i]));
  return t;
}

py::object make_frame(py::object p, py::object v, py::object w, py::object R) {
  py::object frame = py::reinterpret_steal<py::object>(PyStructSequence_New(frame_type));
  if (!frame) throw py::error_already_set();
  PyStructSequence_SET_ITEM(frame.ptr(), 0, p.release().ptr());
  PyStructSequence_SET_ITEM(frame.ptr(), 1, v.release().ptr());
  PyStructSequence_SET_ITEM(frame.ptr(), 2, w.release().ptr());
  PyStructSequence_SET_ITEM(frame.ptr(), 3, R.release().ptr());
  return frame;
}

py::object make_frame(const Frame<double>& f) {
  py::tuple R(3);
  for (int i = 0; i < 3; ++i)
    PyTuple_SET_ITEM(R.ptr(), i, make_vector(Vec3<double>(f.R.row(i).transpose())).release().ptr());
  return make_frame(make_vector(f.p), make_vector(f.v), make_vector(f.w), std::move(R));
}

// ---- laws of springs -----------------------------------------------------------------------------------------------

void call_scalar_law(PyObject* law, double t, std::span<const double> x, std::span<const double> rate,
                     std::span<double> Q) {
  const py::float_ time(t);
  for (std::size_t e = 0; e < x.size(); ++e) {
    const py::float_ at(x[e]), moving(rate[e]);
    PyObject* arguments[3] = {time.ptr(), at.ptr(), moving.ptr()};
    const py::object result = py::reinterpret_steal<py::object>(PyObject_Vectorcall(law, arguments, 3, nullptr));
    if (!result) throw py::error_already_set();
    Q[e] = number_of(result.ptr(), "the law of a spring must return a number");
  }
}

void call_vectorized_law(PyObject* law, double t, std::span<const double> x, std::span<const double> rate,
                         std::span<double> Q) {
  ready_numpy();
  const auto n = static_cast<py::ssize_t>(x.size());
  const py::object result = py::reinterpret_borrow<py::function>(law)(t, Array(n, x.data()), Array(n, rate.data()));
  const Array values = Array::ensure(result);
  if (!values) {
    PyErr_Clear();
    refuse("a vectorized law must return an array of numbers", result.ptr());
  }
  if (values.ndim() != 1 || values.size() != n)
    raise(PyExc_ValueError, "a vectorized law must return one number per spring: an array of shape (" +
                                std::to_string(n) + ",), not " +
                                py::repr(py::object(values.attr("shape"))).cast<std::string>());
  std::memcpy(Q.data(), values.data(), sizeof(double) * x.size());
}

// ---- forces on frames ----------------------------------------------------------------------------------------------

void read_vector(PyObject* value, Vec3<double>& x) {
  constexpr const char* expected = "a custom force must return (force, moment) for each body, each three numbers";
  if (value == Py_None) {
    x.setZero();
    return;
  }
  const py::object items = py::reinterpret_steal<py::object>(PySequence_Fast(value, ""));
  if (!items) {
    PyErr_Clear();
    refuse(expected, value);
  }
  if (PySequence_Fast_GET_SIZE(items.ptr()) != 3)
    raise(PyExc_ValueError, std::string(expected) + ", not " + std::to_string(PySequence_Fast_GET_SIZE(items.ptr())));
  for (int i = 0; i < 3; ++i) x[i] = number_of(PySequence_Fast_GET_ITEM(items.ptr(), i), expected);
}

void read_wrenches(PyObject* value, int m, Wrench<double>* w) {
  const auto fail = [&] {
    raise(PyExc_ValueError, "a custom force must return a list of (force, moment), one for each of its " +
                                std::to_string(m) + " bodies, not " + py::repr(value).cast<std::string>());
  };
  const py::object items = py::reinterpret_steal<py::object>(PySequence_Fast(value, ""));
  if (!items) PyErr_Clear();
  if (!items || PySequence_Fast_GET_SIZE(items.ptr()) != m) fail();
  for (int i = 0; i < m; ++i) {
    const py::object pair =
        py::reinterpret_steal<py::object>(PySequence_Fast(PySequence_Fast_GET_ITEM(items.ptr(), i), ""));
    if (!pair) PyErr_Clear();
    if (!pair || PySequence_Fast_GET_SIZE(pair.ptr()) != 2) fail();
    read_vector(PySequence_Fast_GET_ITEM(pair.ptr(), 0), w[i].force);
    read_vector(PySequence_Fast_GET_ITEM(pair.ptr(), 1), w[i].moment);
  }
}

void call_scalar_force(PyObject* law, double t, int n, int m, const Frame<double>* f, Wrench<double>* w) {
  std::vector<py::object> frames(static_cast<std::size_t>(m) + 1);
  std::vector<PyObject*> arguments(static_cast<std::size_t>(m) + 1);
  frames[0] = py::float_(t);
  arguments[0] = frames[0].ptr();
  for (int e = 0; e < n; ++e) {
    for (int i = 0; i < m; ++i) {
      // Differences move one frame at a time: the others are those of the element before.
      const Frame<double>& now = f[e * m + i];
      if (e > 0 && std::memcmp(static_cast<const void*>(&now), static_cast<const void*>(&f[(e - 1) * m + i]),
                               sizeof(Frame<double>)) == 0)
        continue;
      frames[i + 1] = make_frame(now);
      arguments[i + 1] = frames[i + 1].ptr();
    }
    const py::object result = py::reinterpret_steal<py::object>(
        PyObject_Vectorcall(law, arguments.data(), static_cast<std::size_t>(m) + 1, nullptr));
    if (!result) throw py::error_already_set();
    read_wrenches(result.ptr(), m, w + e * m);
  }
}

void call_vectorized_force(PyObject* law, double t, int n, int m, const Frame<double>* f, Wrench<double>* w) {
  const std::vector<py::ssize_t> shape{n, m, 3};
  Array p(shape), v(shape), omega(shape), R(std::vector<py::ssize_t>{n, m, 3, 3});
  for (int i = 0; i < n * m; ++i) {
    Eigen::Map<Eigen::Vector3d>(p.mutable_data() + 3 * i) = f[i].p;
    Eigen::Map<Eigen::Vector3d>(v.mutable_data() + 3 * i) = f[i].v;
    Eigen::Map<Eigen::Vector3d>(omega.mutable_data() + 3 * i) = f[i].w;
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.mutable_data() + 9 * i) = f[i].R;
  }
  const py::object result = py::reinterpret_borrow<py::function>(law)(t, make_frame(p, v, omega, R));
  const auto fail = [&] {
    raise(PyExc_ValueError, "a vectorized custom force must return (force, moment), arrays of shape (" +
                                std::to_string(n) + ", " + std::to_string(m) + ", 3)");
  };
  if (!PySequence_Check(result.ptr()) || py::len(result) != 2) fail();
  const auto read = [&](int which, auto member) {
    const py::object item = py::reinterpret_steal<py::object>(PySequence_GetItem(result.ptr(), which));
    const Array values = Array::ensure(item);
    if (!values) PyErr_Clear();
    if (!values || values.ndim() != 3 || values.shape(0) != n || values.shape(1) != m || values.shape(2) != 3) fail();
    for (int i = 0; i < n * m; ++i) w[i].*member = Eigen::Map<const Eigen::Vector3d>(values.data() + 3 * i);
  };
  read(0, &Wrench<double>::force);
  read(1, &Wrench<double>::moment);
}

// ---- into the machine ----------------------------------------------------------------------------------------------

CustomLawGroup::Law law_of(const LawCallback& callback) {
  PyObject* function = callback.function.ptr();
  const auto call = callback.vectorized ? call_vectorized_law : call_scalar_law;
  return [function, call](double t, std::span<const double> x, std::span<const double> rate, std::span<double> Q) {
    const py::gil_scoped_acquire lock;
    call(function, t, x, rate, Q);
  };
}

BatchForceGroup::Law law_of(const ForceCallback& callback, int m) {
  PyObject* function = callback.function.ptr();
  const auto call = callback.vectorized ? call_vectorized_force : call_scalar_force;
  return [function, call, m](double t, int n, const Frame<double>* f, Wrench<double>* w) {
    const py::gil_scoped_acquire lock;
    call(function, t, n, m, f, w);
  };
}

template <class Specs>
int index_of(const Specs& specs, const std::string& name) {
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].name == name) return static_cast<int>(i);
  return -1;
}

int frame_of(const Model& model, const Assembly& assembly, const std::string& name) {
  if (name == ground_name) return 0;
  if (const int body = index_of(model.bodies, name); body >= 0) return assembly.body_frame[body];
  if (const int coordinate = index_of(model.coordinates, name); coordinate >= 0)
    return assembly.coordinate_frame[coordinate];
  std::vector<std::string> names{ground_name};
  for (const BodySpec& body : model.bodies) names.push_back(body.name);
  for (const CoordinateSpec& coordinate : model.coordinates) names.push_back(coordinate.name);
  throw InputError("a custom force names '" + name + "', but there is no such body" + did_you_mean(name, names));
}

CustomLawGroup::Element element_of(const Assembly::Force& force) {
  CustomLawGroup::Element element;
  element.line = !force.x;
  element.frame[0] = force.frame_a, element.frame[1] = force.frame_b;
  element.s_a = force.s_a, element.s_b = force.s_b;
  if (force.x) element.x = *force.x, element.branch = force.branch;
  return element;
}

}  // namespace

Customize make_customize(const Model& model, const std::vector<LawCallback>& laws,
                         const std::vector<ForceCallback>& forces) {
  if (laws.empty() && forces.empty()) return {};
  return [&model, &laws, &forces](Assembly& assembly) {
    for (const LawCallback& callback : laws) {
      auto group = std::make_unique<CustomLawGroup>(law_of(callback));
      for (const std::string& name : callback.forces) {
        Assembly::Force& force = assembly.forces.at(static_cast<std::size_t>(index_of(model.forces, name)));
        const CustomLawGroup::Element element = element_of(force);
        group->add(element);
        auto alone = std::make_unique<CustomLawGroup>(law_of(callback));  // for reports
        alone->add(element);
        force.group = std::move(alone);
      }
      assembly.system->add_group(std::move(group));
    }
    for (const ForceCallback& callback : forces) {
      const int m = callback.elements.empty() ? 0 : static_cast<int>(callback.elements.front().size());
      auto group = std::make_unique<BatchForceGroup>(m, law_of(callback, m), callback.depends_on_velocity);
      for (const std::vector<std::string>& bodies : callback.elements) {
        std::vector<int> frames;
        for (const std::string& body : bodies) frames.push_back(frame_of(model, assembly, body));
        group->add(frames);
      }
      assembly.system->add_group(std::move(group));
    }
  };
}

void define_frame(py::module_& module) {
  static PyStructSequence_Field fields[] = {
      {"p", "position of the centre of mass, world axes [m]"},
      {"v", "its velocity, world axes [m/s]"},
      {"w", "angular velocity, body axes [rad/s]"},
      {"R", "orientation R_WB: columns are the body's axes in the world"},
      {nullptr, nullptr},
  };
  static PyStructSequence_Desc description{
      "trammel.Frame",
      "What a custom force sees of a body: tuples of floats, or arrays [element, body, ...] when it is vectorized.",
      fields, 4};
  frame_type = PyStructSequence_NewType(&description);
  if (frame_type == nullptr) throw py::error_already_set();
  module.attr("Frame") = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(frame_type));
}

}  // namespace trammel::python
