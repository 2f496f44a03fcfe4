// SPDX-License-Identifier: Apache-2.0
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fstream>

#include "docstrings.h"
#include "functions.h"
#include "live.h"
#include "run.h"
#include "trammel/base/version.h"
#include "trammel/io/csv.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/model_tables.h"
#include "trammel/io/recorded_run.h"
#include "trammel/io/report.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/source_file.h"
#include "trammel/io/starting_frame.h"
#include "trammel/io/text_file.h"

// The door to the library. What people call is in the package beside it, which is Python; here is what it stands on.

namespace trammel::python {
namespace {

void define_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto raise = [](const char* type, const auto& argument) {
      const py::object error = py::module_::import("trammel.errors").attr(type);
      PyErr_SetObject(error.ptr(), error(argument).ptr());
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise("InputError", error.issues());
    } catch (const IoError& error) {
      raise("IoError", error.what());
    } catch (const SimulationError& error) {
      raise("SimulationError", error.what());
    } catch (const Error& error) {
      raise("Error", error.what());
    }
  });
}

void define_values(py::module_& m) {
  py::class_<Issue>(m, "Issue", docs::Issue)
      .def(py::init<std::string, std::string>(), py::arg("where"), py::arg("message"))
      .def_readonly("where", &Issue::where, docs::Issue_where)
      .def_readonly("message", &Issue::message, docs::Issue_message)
      .def("__repr__",
           [](const Issue& issue) { return issue.where.empty() ? issue.message : issue.where + ": " + issue.message; });

  py::class_<Progress>(m, "Progress", docs::Progress)
      .def_readonly("t", &Progress::t)
      .def_readonly("start", &Progress::start)
      .def_readonly("end", &Progress::end)
      .def_readonly("h", &Progress::h)
      .def_readonly("steps", &Progress::steps);

  py::class_<Alarm> alarm(m, "Alarm", docs::Alarm);
  alarm.def("__str__", &Alarm::to_text);
#define FIELD(name) alarm.def_readonly(#name, &Alarm::name, docs::Alarm_##name)
  FIELD(name), FIELD(t), FIELD(element), FIELD(value), FIELD(limit), FIELD(text);
#undef FIELD

  py::class_<Summary> summary(m, "Summary", docs::Summary);
  summary.def("__str__", &Summary::to_text).def("to_attributes", [](const Summary& s) {
    return texts_of(s.to_attributes());
  });
#define FIELD(name) summary.def_readonly(#name, &Summary::name, docs::Summary_##name)
  FIELD(completed), FIELD(stop), FIELD(failure), FIELD(integrator), FIELD(formulation), FIELD(linear_solver);
  FIELD(t), FIELD(steps), FIELD(rejected_error), FIELD(rejected_newton), FIELD(iterations), FIELD(linearizations);
  FIELD(factorizations), FIELD(h_min), FIELD(h_max), FIELD(wall_time), FIELD(threads), FIELD(energy_start),
      FIELD(energy_drift);
  FIELD(work), FIELD(method_energy), FIELD(position_drift), FIELD(velocity_drift), FIELD(condition),
      FIELD(condition_max);
  FIELD(degrees_of_freedom), FIELD(events), FIELD(notes), FIELD(alarms);
#undef FIELD

  py::class_<CheckReport> check(m, "CheckReport", docs::CheckReport);
  check.def("__str__", &CheckReport::to_text);
#define FIELD(name) check.def_readonly(#name, &CheckReport::name, docs::CheckReport_##name)
  FIELD(bodies), FIELD(nv), FIELD(nz), FIELD(rows), FIELD(rank), FIELD(degrees_of_freedom), FIELD(redundant);
  FIELD(remarks), FIELD(failure);
#undef FIELD
}

void define_tables(py::module_& m) {
  py::class_<KeyTable>(m, "Table", docs::KeyTable)
      .def_readonly("name", &KeyTable::name)
      .def_readonly("is_list", &KeyTable::is_list, docs::KeyTable_is_list)
      .def_property_readonly("keywords", &python_keywords, docs::python_keywords)
      .def_property_readonly("text", &python_docstring, docs::python_docstring);
  m.def("tables", &model_tables, docs::model_tables);
}

void define_study(py::module_& m) {
  py::class_<CheckedStudy>(m, "Study", docs::Study)
      .def_property_readonly("title", [](const CheckedStudy& s) { return s.model().title; })
      .def_property_readonly("output_file", [](const CheckedStudy& s) { return s.settings().output.file.value_or(""); })
      .def_property_readonly("parameters", [](const CheckedStudy& s) { return s.model().parameters; })
      .def_property_readonly("bodies", [](const CheckedStudy& s) {
        std::vector<std::string> names;
        for (const BodySpec& body : s.model().bodies) names.push_back(body.name);
        return names;
      });
  m.def(
      "read_study",
      [](const std::string& text, const std::filesystem::path& name, const std::vector<std::string>& settings) {
        const ReadingNotes notes;
        CheckedStudy study = read_checked_study_text(text, name, settings);
        return std::pair(std::move(study), notes.lines());
      },
      py::arg("text"), py::arg("name"), py::arg("settings"), docs::read_checked_study_text);
  m.def(
      "check",
      [](const CheckedStudy& study) {
        const py::gil_scoped_release free;
        return check(study);
      },
      py::arg("study"), docs::check);
}

void define_run(py::module_& m) {
  define_frame(m);
  py::class_<KeptRecord, std::shared_ptr<KeptRecord>>(m, "Record", docs::MemoryRecord)
      .def_property_readonly("summary", [](const KeptRecord& r) { return texts_of(r.memory.summary()); })
      .def_property_readonly("statistics", [](const KeptRecord& r) { return r.memory.summary(); })
      .def_property_readonly("attributes", [](const KeptRecord& r) { return r.memory.schema().attributes; })
      .def("channels", &KeptRecord::channels)
      .def(
          "times",
          [](const py::object& self, bool solver) { return self.cast<const KeptRecord&>().times(solver, self); },
          py::arg("solver") = false)
      .def(
          "read",
          [](const py::object& self, const std::string& channel) {
            return self.cast<const KeptRecord&>().read(channel, self);
          },
          py::arg("channel"))
      .def("save", &KeptRecord::save, py::arg("path"));

  py::class_<StartingPoint>(m, "StartingPoint", docs::StartingPoint).def_readonly("t", &StartingPoint::t);

  // Laws and forces as plain tuples: the package's Model makes them.
  using LawTuple = std::tuple<py::function, bool, std::vector<std::string>>;
  using ForceTuple = std::tuple<py::function, bool, bool, std::vector<std::vector<std::string>>>;
  m.def(
      "run",
      [](const CheckedStudy& study, const std::vector<LawTuple>& laws, const std::vector<ForceTuple>& forces,
         std::optional<std::filesystem::path> file, std::map<std::string, std::string> attributes, py::object progress,
         double progress_interval, bool resume, const py::object& steps_of, const std::optional<StartingPoint>& start,
         int threads) {
        RunRequest request;
        for (const auto& [function, vectorized, names] : laws) request.laws.push_back({function, vectorized, names});
        for (const auto& [function, vectorized, velocity, elements] : forces)
          request.forces.push_back({function, vectorized, velocity, elements});
        request.file = std::move(file);
        request.attributes = std::move(attributes);
        request.progress = std::move(progress);
        request.progress_interval = progress_interval;
        request.resume = resume;
        request.threads = threads;
        const RunOutcome outcome = run(beginning(repeating(study, steps_of), start), request);
        return py::make_tuple(outcome.summary, outcome.record, outcome.error);
      },
      py::arg("study"), py::arg("laws"), py::arg("forces"), py::arg("file"), py::arg("attributes"), py::arg("progress"),
      py::arg("progress_interval"), py::arg("resume") = false, py::arg("steps_of") = py::none(),
      py::arg("start") = py::none(), py::arg("threads") = 0, docs::Simulation);
  m.def("read_starting_point", &read_starting_point, py::arg("path"), py::arg("t"), docs::read_starting_point);
  m.def(
      "read_recorded_study",
      [](const std::filesystem::path& path, std::optional<double> end) {
        const RecordedRun recorded(path);
        return recorded.read_study(end ? recorded.settings_until(*end) : std::vector<std::string>());
      },
      py::arg("path"), py::arg("end") = py::none(), docs::RecordedRun);
  m.def(
      "settings_until",
      [](const std::filesystem::path& path, double end) { return RecordedRun(path).settings_until(end); },
      py::arg("path"), py::arg("end"), docs::RecordedRun);
}

void define_files(py::module_& m) {
  py::class_<ResultsReader>(m, "Reader", docs::ResultsReader)
      .def(py::init<std::filesystem::path>(), py::arg("path"))
      .def_property_readonly("path", &ResultsReader::path)
      .def_property_readonly("state", [](const ResultsReader& r) { return std::string(describe(r.state())); })
      .def_property_readonly("summary", [](const ResultsReader& r) { return texts_of(r.summary()); })
      .def_property_readonly("statistics", &ResultsReader::summary)
      .def_property_readonly("attributes", [](const ResultsReader& r) { return r.schema().attributes; })
      .def("channels", &ResultsReader::channels)
      .def(
          "times",
          [](const py::object& self, bool solver) {
            const ResultsReader& r = self.cast<const ResultsReader&>();
            const std::vector<double>& t = solver ? r.step_times() : r.times();
            return view(t.data(), {std::ssize(t)}, {sizeof(double)}, self);
          },
          py::arg("solver") = false)
      .def(
          "read",
          [](const ResultsReader& r, const std::string& channel) {
            auto series = std::make_unique<Series>(r.read(channel));  // its memory becomes the arrays'
            const Series& s = *series;
            const py::capsule owner(series.release(), [](void* p) { delete static_cast<Series*>(p); });
            const auto rows = std::ssize(s.time);
            const py::ssize_t one = sizeof(double), columns = s.values.cols();
            const py::array values = columns == 1 ? view(s.values.data(), {rows}, {one}, owner)
                                                  : view(s.values.data(), {rows, columns}, {one, rows * one}, owner);
            return py::make_tuple(view(s.time.data(), {rows}, {one}, owner), values, s.unit, s.components);
          },
          py::arg("channel"), docs::ResultsReader_read);

  m.def(
      "write_report",
      [](const std::vector<std::filesystem::path>& results, const std::filesystem::path& page,
         const std::vector<std::string>& channels, const std::string& title) {
        ReportOptions options;
        options.channels = channels;
        options.title = title;
        static_cast<void>(write_report(results, page, options));
      },
      py::arg("results"), py::arg("page"), py::arg("channels"), py::arg("title"), docs::write_report);
  m.def(
      "write_model",
      [](const std::filesystem::path& path, const std::string& text) {
        // A model may be written over by hand or program, but only over a text.
        OutputKind kind;
        kind.what = "a text";
        kind.find_owner = [](const std::filesystem::path& old, bool& ours) {
          std::string head;
          const std::string trouble = read_beginning(old, 4096, head);
          ours = head.find('\0') == std::string::npos;
          return trouble;
        };
        TextFile file(path, kind);
        file.write(text);
        file.close();
      },
      py::arg("path"), py::arg("text"));
  m.def(
      "verify",
      [](const std::filesystem::path& path) {
        std::vector<std::pair<std::string, std::string>> damaged;
        for (const DamagedPart& part : verify_results(path)) damaged.emplace_back(part.part, part.trouble);
        return damaged;
      },
      py::arg("path"), docs::verify_results);
  m.def("export_csv", &export_csv, py::arg("reader"), py::arg("folder"), docs::export_csv);
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "The door from Python to the Trammel library; people call the package trammel.";
  m.attr("__version__") = trammel::version();
  define_errors();
  define_values(m);
  define_tables(m);
  define_study(m);
  define_run(m);
  define_live(m);
  define_functions(m);
  define_files(m);
}

}  // namespace trammel::python
