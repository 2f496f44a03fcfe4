// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <filesystem>
#include <memory>

#include "trammel/io/results_file.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/record.h"

namespace trammel::python {

namespace py = pybind11;

/// A run in memory, and where its channels are: arrays handed out are views of it and keep it alive.
class KeptRecord {
 public:
  MemoryRecord memory;

  std::vector<std::string> channels() const { return index().names(); }
  /// (time, values, unit, components); values: one row per time, one column per component; one component: flat.
  py::tuple read(const std::string& channel, py::handle owner) const;
  py::array times(bool solver, py::handle owner) const;
  void save(const std::filesystem::path& path) const;

 private:
  const ChannelIndex& index() const;
  mutable std::unique_ptr<ChannelIndex> index_;  // made when the first channel is asked for
};

/// Passes a run on into a file. The HDF5 library may be used by one thread at a time; Python's readers of such files
/// hold the interpreter's lock while they do, and so does this.
class LockedSink final : public RecordSink {
 public:
  explicit LockedSink(RecordSink& sink) : sink_(sink) {}

  void begin(const RecordSchema& schema) override;
  void frame(double t, std::span<const double> values) override;
  void step(double t, std::span<const double> values) override;
  void checkpoint(double t, std::span<const std::byte> memory) override;
  void end(const SummaryEntries& summary) override;

 private:
  RecordSink& sink_;
};

/// An array that must not be written to: `data` belongs to `owner`.
py::array view(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides, py::handle owner);

}  // namespace trammel::python
