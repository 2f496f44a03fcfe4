// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include "ready_numpy.h"

namespace trammel::python {

py::array view(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides, py::handle owner) {
  ready_numpy();
  static constexpr double nothing = 0.0;  // NumPy would allocate for a null pointer
  py::array array(py::dtype::of<double>(), std::move(shape), std::move(strides), data ? data : &nothing, owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

const ChannelIndex& KeptRecord::index() const {
  if (!index_) index_ = std::make_unique<ChannelIndex>(memory.schema());
  return *index_;
}

py::array KeptRecord::times(bool solver, py::handle owner) const {
  const std::vector<double>& t = solver ? memory.step_times() : memory.times();
  return view(t.data(), {std::ssize(t)}, {sizeof(double)}, owner);
}

py::tuple KeptRecord::read(const std::string& channel, py::handle owner) const {
  const ChannelPlace place = index().find(channel);
  const std::vector<RecordGroup>& groups = place.solver ? memory.schema().solver : memory.schema().frames;
  const RecordGroup& group = groups[static_cast<std::size_t>(place.group)];
  const int one = static_cast<int>(sizeof(double));
  const int width = place.solver ? memory.schema().step_width() : memory.schema().frame_width();
  const auto rows = std::ssize(place.solver ? memory.step_times() : memory.times());
  const double* data = nullptr;
  if (rows > 0) data = (place.solver ? memory.step_values(0) : memory.frame_values(0)).data() + place.column;
  const int columns = place.n_columns;
  std::vector<std::string> components = group.components;
  if (place.component >= 0) components = {group.components[static_cast<std::size_t>(place.component)]};
  const py::array values =
      columns == 1 ? view(data, {rows}, {width * one}, owner) : view(data, {rows, columns}, {width * one, one}, owner);
  py::list names;
  for (const std::string& name : components) names.append(name);
  return py::make_tuple(times(place.solver, owner), values, group.unit_of(place.item), names);
}

void KeptRecord::save(const std::filesystem::path& path) const {
  ResultsFile file(path);
  file.begin(memory.schema());
  for (int i = 0; i < static_cast<int>(memory.times().size()); ++i)
    file.frame(memory.times()[static_cast<std::size_t>(i)], memory.frame_values(i));
  for (int i = 0; i < static_cast<int>(memory.step_times().size()); ++i)
    file.step(memory.step_times()[static_cast<std::size_t>(i)], memory.step_values(i));
  file.end(memory.summary());
}

void LockedSink::begin(const RecordSchema& schema) {
  const py::gil_scoped_acquire lock;
  sink_.begin(schema);
}
void LockedSink::frame(double t, std::span<const double> values) {
  const py::gil_scoped_acquire lock;
  sink_.frame(t, values);
}
void LockedSink::step(double t, std::span<const double> values) {
  const py::gil_scoped_acquire lock;
  sink_.step(t, values);
}
void LockedSink::checkpoint(double t, std::span<const std::byte> memory) {
  const py::gil_scoped_acquire lock;
  sink_.checkpoint(t, memory);
}
void LockedSink::end(const SummaryEntries& summary) {
  const py::gil_scoped_acquire lock;
  sink_.end(summary);
}

}  // namespace trammel::python
