// SPDX-License-Identifier: Apache-2.0
#include "live.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "callback_list.h"
#include "docstrings.h"
#include "ready_numpy.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/live_simulation.h"

namespace trammel::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Where the numbers of some channels are.
struct Plan {
  bool outputs = false;  // else the state alone tells
  std::vector<std::size_t> columns;
};

class Live {
 public:
  Live(LiveSimulation simulation, std::shared_ptr<const CallbackList> callbacks)
      : callbacks_(std::move(callbacks)),
        simulation_(std::move(simulation)),
        state_index_(simulation_.state_schema()),
        output_index_(simulation_.output_schema()) {}

  static std::unique_ptr<Live> make(const CheckedStudy& study, std::shared_ptr<const CallbackList> kept) {
    const Customize customize = kept->customize(study.model());
    const py::gil_scoped_release free;
    return std::make_unique<Live>(LiveSimulation(study, customize), std::move(kept));
  }

  std::unique_ptr<Live> copy() {
    const py::gil_scoped_release free;
    return std::make_unique<Live>(simulation_.copy(), callbacks_);
  }

  LiveSimulation& simulation() { return simulation_; }

  template <class Move>
  py::list move(Move move) {
    std::vector<LiveSimulation::Event> events;
    {
      const py::gil_scoped_release free;
      events = move(simulation_);
    }
    py::list list;
    for (const LiveSimulation::Event& e : events) list.append(py::make_tuple(e.name, e.t, e.rising, e.stops));
    return list;
  }

  // Of the state if it tells all of them, which costs no reactions.
  Plan make_plan(const std::vector<std::string>& names) const {
    Plan plan;
    try {
      plan.columns = find(names, state_index_);
    } catch (const InputError&) {
      plan.columns = find(names, output_index_);
      plan.outputs = true;
    }
    return plan;
  }

  py::array read(const Plan& plan) {
    ready_numpy();
    py::array_t<double> values(static_cast<py::ssize_t>(plan.columns.size()));
    double* to = values.mutable_data();
    const py::gil_scoped_release free;
    const std::span<const double> row = plan.outputs ? simulation_.outputs() : simulation_.state();
    for (const std::size_t column : plan.columns) *to++ = row[column];
    return values;
  }

  py::array row(bool outputs) {
    ready_numpy();
    std::span<const double> values;
    {
      const py::gil_scoped_release free;
      values = outputs ? simulation_.outputs() : simulation_.state();
    }
    return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
  }

  // (name, first column, columns), components together.
  py::list places(bool outputs) const {
    const RecordSchema& schema = outputs ? simulation_.output_schema() : simulation_.state_schema();
    py::list list;
    int column = 0;
    for (const RecordGroup& group : schema.frames)
      for (int i = 0; i < group.n_items(); ++i, column += group.n_components())
        list.append(py::make_tuple(channel_name(group, i), column, group.n_components()));
    return list;
  }

  py::tuple find_one(const std::string& name, bool outputs) const {
    const ChannelPlace place = (outputs ? output_index_ : state_index_).find(name);
    return py::make_tuple(place.column, place.n_columns);
  }

 private:
  static std::vector<std::size_t> find(const std::vector<std::string>& names, const ChannelIndex& index) {
    std::vector<std::size_t> columns;
    for (const std::string& name : names) {
      const ChannelPlace place = index.find(name);
      for (int k = 0; k < place.n_columns; ++k) columns.push_back(static_cast<std::size_t>(place.column + k));
    }
    return columns;
  }

  std::shared_ptr<const CallbackList> callbacks_;
  LiveSimulation simulation_;
  ChannelIndex state_index_, output_index_;
};

}  // namespace

void define_live(py::module_& m) {
  py::class_<Plan>(m, "Plan");
  py::class_<Live>(m, "Live", docs::LiveSimulation)
      .def(py::init([](const CheckedStudy& study, const std::vector<CallbackList::LawTuple>& laws,
                       const std::vector<CallbackList::ForceTuple>& forces) {
             return Live::make(study, CallbackList::make(laws, forces));
           }),
           py::arg("study"), py::arg("laws"), py::arg("forces"))
      .def("copy", &Live::copy)
      .def("reset", [](Live& live) { live.simulation().reset(); })
      .def_property_readonly("time", [](Live& live) { return live.simulation().time(); })
      .def_property_readonly("steps", [](Live& live) { return live.simulation().steps(); })
      .def_property_readonly("failure", [](Live& live) { return live.simulation().failure(); })
      .def_property_readonly("input_names", [](Live& live) { return live.simulation().input_names(); })
      .def_property_readonly("inputs", [](Live& live) { return live.simulation().inputs(); })
      .def("set_input",
           [](Live& live, const std::string& name, double value) { live.simulation().set_input(name, value); })
      .def("set_inputs",
           [](Live& live, const Array& values) {
             live.simulation().set_inputs({values.data(), static_cast<std::size_t>(values.size())});
           })
      .def("step", [](Live& live, double dt) { return live.move([dt](LiveSimulation& s) { return s.step(dt); }); })
      .def("step_to", [](Live& live, double t) { return live.move([t](LiveSimulation& s) { return s.step_to(t); }); })
      .def("make_plan", &Live::make_plan)
      .def("read", &Live::read)
      .def("row", &Live::row)
      .def("places", &Live::places)
      .def("find", &Live::find_one)
      .def("set_state",
           [](Live& live, const LiveSimulation::NamedValues& values, bool strict, std::optional<double> t) {
             const py::gil_scoped_release free;
             return live.simulation().set_state(values, strict, t);
           });
}

}  // namespace trammel::python
