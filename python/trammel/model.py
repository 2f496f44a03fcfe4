# SPDX-License-Identifier: Apache-2.0
"""Models built in code, or read from a model file."""

from __future__ import annotations

import datetime
import inspect
import keyword
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from trammel import _core, _toml
from trammel.errors import InputError, Interrupted, SimulationError
from trammel.results import Results

if TYPE_CHECKING:
    from trammel._model_keys import ModelKeys  # the methods of the tables with their keywords, made when it is built

    PathLike = Union[str, "os.PathLike[str]"]
    Settings = Union[Mapping[str, Any], Sequence[str]]
    Progress = Callable[[_core.Progress], Any]
else:
    ModelKeys = object

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


class Vectorized:
    """A law or force that is called for all its elements at once, with arrays."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def vectorized(function: Callable[..., Any]) -> Vectorized:
    """Marks a function that takes and gives arrays: one entry per spring, or per element of a custom force."""
    return Vectorized(function)


def _call_site() -> str:
    """Where the caller of this package stands: "pendulum.py:12"."""
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _PACKAGE:
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def _depth() -> int:
    """How many frames of this package stand between the caller of this function and whoever called the package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _PACKAGE:
        depth, frame = depth + 1, frame.f_back
    return depth


def _unwrap(function: Any) -> tuple[Callable[..., Any], bool]:
    return (function.function, True) if isinstance(function, Vectorized) else (function, False)


def _setting(key: str, given: Any) -> str:
    """As `--set` has it; None removes what a file says."""
    return f"{key}=" if given is None else f"{key}={_toml.value(given)}"


def _source_of(results: Optional[Union[Results, "PathLike"]]) -> Optional[Union[_core.Record, Path]]:
    """Where the rows of results are: in memory, or in a file."""
    if results is None or not isinstance(results, Results):
        return None if results is None else Path(results)
    return results.file or results._source  # type: ignore[return-value]


def _starting_point(begin: tuple[Union[Results, "PathLike"], float]) -> _core.StartingPoint:
    results, t = begin
    source = _source_of(results)
    if isinstance(source, Path):
        return _core.read_starting_point(source, t)
    assert source is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.h5"
        source.save(file)
        return _core.read_starting_point(file, t)


class _Table:
    """A table of the model in the making: [solver] or one [[body]]."""

    def __init__(self, head: str, keys: Mapping[str, Any]):
        self.head = head
        self.site = _call_site()
        self.lines = [head]
        for name, given in keys.items():
            if given is None:
                continue
            try:
                self.lines.append(f"{_toml.key(name)} = {_toml.value(given)}")
            except TypeError as error:
                what = f"{head.strip('[]')} '{keys['name']}'" if "name" in keys else head
                raise InputError([_core.Issue(self.site, f"{what}: '{name}': {error}")]) from None


class Model(ModelKeys):
    # The docstring comes from the C++ header, see _document().

    def __init__(
        self,
        title: str = "",
        *,
        gravity: Optional[Sequence[Any]] = None,
        parameters: Optional[Mapping[str, Any]] = None,
        units: Optional[Mapping[str, str]] = None,
        hardpoints: Optional[Mapping[str, str]] = None,
        ports: Optional[Mapping[str, str]] = None,
        folder: Optional["PathLike"] = None,
    ):
        self._file: Optional[Path] = None
        self._folder = Path(folder) if folder is not None else Path()
        self._loaded = ""
        self._notes: list[str] = []
        root = {"title": title, "gravity": gravity, "units": units, "hardpoints": hardpoints, "ports": ports}
        self._root = _Table("", root)
        self._parameters: dict[str, tuple[Any, str]] = {}
        self._options: dict[str, dict[str, Any]] = {"analysis": {}, "solver": {}, "output": {}}
        self._option_sites: dict[str, str] = {}
        self._tables: list[_Table] = []
        self._laws: dict[tuple[int, bool], tuple[Callable[..., Any], bool, list[str]]] = {}
        self._forces: dict[tuple[int, bool, bool, int], tuple[Callable[..., Any], bool, bool, list[list[str]]]] = {}
        if parameters:
            self.parameters(**parameters)

    # ---- what a machine consists of; the keys are those of a model file

    def add(self, table: str, name: Optional[str] = None, /, **keys: Any) -> "Model":
        """Adds a [[table]] of the model file: `model.add("body", "rod", mass=2)`."""
        self._tables.append(_Table(f"[[{table}]]", {"name": name, **keys}))
        return self

    if not TYPE_CHECKING:  # what these methods do beyond adding a table; the others come from _document()

        def force(self, name, *, law=None, **keys):
            if not callable(law):
                return self.add("force", name, law=law, **keys)
            function, is_vectorized = _unwrap(law)
            group = self._laws.setdefault((id(function), is_vectorized), (function, is_vectorized, []))
            group[2].append(name)
            self.add("force", name, law="0", **keys)  # the function takes its place in the machine
            lines = self._tables[-1].lines
            at = lines.index('law = "0"')
            lines[at] += f"  # in place of the Python function '{getattr(function, '__name__', 'law')}'"
            return self

        def measure(self, name, expression=None, **keys):
            return self.add("measure", name, expression=expression, **keys)

        def include(self, file, **keys):
            return self.add("include", None, file=os.fspath(file), **keys)

    def custom_force(
        self,
        force: Callable[..., Any],
        bodies: Union[Sequence[str], Sequence[Sequence[str]]],
        depends_on_velocity: bool = True,
    ) -> "Model":
        """Adds a force of your own on some bodies, or one on each of several lists of bodies.

        `force(t, a, b, …)` gets a `Frame` for each body and returns a list of (force, moment), one for each: force in
        world axes, moment about the centre of mass in body axes, None for zero. Marked `vectorized` it is called as
        `force(t, frames)` with arrays [element, body, …] in `frames` and returns two arrays (force, moment)
        [element, body, 3]. It must depend on nothing else, and keep no state. Derivatives come from differences.
        """
        elements = [list(bodies)] if bodies and isinstance(bodies[0], str) else [list(each) for each in bodies]
        function, is_vectorized = _unwrap(force)
        for element in elements:
            key = (id(function), is_vectorized, depends_on_velocity, len(element))
            group = self._forces.setdefault(key, (function, is_vectorized, depends_on_velocity, []))
            group[3].append(list(map(str, element)))
        return self

    # ---- numbers with names, and how to compute

    def parameters(self, **values: Any) -> "Model":
        """Numbers with names, or formulas of other parameters; given again they change, also those of a loaded file."""
        site = _call_site()
        for name, given in values.items():
            self._parameters[name] = (given, site)
        return self

    if not TYPE_CHECKING:

        def analysis(self, **keys):
            return self._set_options("analysis", keys)

        def solver(self, **keys):
            return self._set_options("solver", keys)

        def output(self, **keys):
            return self._set_options("output", keys)

    def _set_options(self, table: str, keys: Mapping[str, Any]) -> "Model":
        self._options[table].update(keys)
        self._option_sites[table] = _call_site()
        return self

    # ---- as text

    @property
    def toml(self) -> str:
        """The model as a model file. Functions of Python cannot stand there: such a law is 0."""
        return self._write()[0]

    def save(self, path: "PathLike") -> Path:
        """Writes the model as a model file."""
        _core.write_model(Path(path), self.toml)  # beside the old one, which stays if the disk is full
        return Path(path)

    def _write(self) -> tuple[str, list[str]]:
        """The text, and the place in the caller's code of each line that does not come from a file."""
        tables = list(self._tables)
        if self._file is None:
            head = [self._root]
            head[0].lines = [line for line in head[0].lines if line]
            parameters = _Table("[parameters]", {})
            parameter_sites = [parameters.site]
            for name, (given, site) in self._parameters.items():
                parameters.lines.append(f"{_toml.key(name)} = {_toml.value(given)}")
                parameter_sites.append(site)
            tables = head + [parameters] * bool(self._parameters) + tables
            for option, keys in self._options.items():
                if keys:
                    made = _Table(f"[{option}]", keys)
                    made.site = self._option_sites[option]
                    tables.append(made)
        lines = self._loaded.splitlines()
        sites = [""] * len(lines)
        for table in tables:
            if table.lines:
                lines += table.lines + [""]
                if table.head == "[parameters]":
                    sites += parameter_sites + [""]
                else:
                    sites += [table.site] * (len(table.lines) + 1)
        return "\n".join(lines) + "\n", sites

    def _settings(self, given: Optional["Settings"]) -> list[str]:
        settings: list[str] = []
        if self._file is not None:
            settings += [f"parameters.{name}={_toml.value(x)}" for name, (x, _) in self._parameters.items()]
            for option, keys in self._options.items():
                settings += [_setting(f"{option}.{name}", x) for name, x in keys.items()]
        if given is None:
            return settings
        if isinstance(given, Mapping):
            return settings + [_setting(name, x) for name, x in given.items()]
        return settings + list(given)

    def _study(self, settings: Optional["Settings"]) -> _core.Study:
        text, sites = self._write()
        name = self._file if self._file is not None else self._folder / "model"
        try:
            study, notes = _core.read_study(text, name, self._settings(settings))
        except InputError as error:
            raise InputError([self._relocate(issue, name, sites) for issue in error.issues]) from None
        self._notes = notes
        for note in notes:  # what a robot's file lost, said once for each place in the caller's code
            warnings.warn(note, stacklevel=_depth())
        return study

    @staticmethod
    def _relocate(issue: _core.Issue, name: Path, sites: list[str]) -> _core.Issue:
        """The issue with places in the generated text replaced by places in the caller's code."""
        place = re.compile(rf"(?:{re.escape(str(name))}|\b{re.escape(name.name)}):(\d+):(\d+)")

        def replaced(match: "re.Match[str]") -> str:
            line = int(match.group(1)) - 1
            return sites[line] if line < len(sites) and sites[line] else match.group(0)

        return _core.Issue(place.sub(replaced, issue.where), place.sub(replaced, issue.message))

    # ---- computing

    def check(self, settings: Optional["Settings"] = None) -> _core.CheckReport:
        """Assembles the machine without moving it: degrees of freedom, redundant constraints, initial conditions."""
        return _core.check(self._study(settings))

    def run(
        self,
        *,
        settings: Optional["Settings"] = None,
        file: Optional["PathLike"] = None,
        progress: Optional["Progress"] = None,
        progress_interval: float = 0.1,
        steps_of: Optional[Union[Results, "PathLike"]] = None,
        begin: Optional[tuple[Union[Results, "PathLike"], float]] = None,
        threads: int = 0,
    ) -> Results:
        """Simulates. The results are kept in memory, or written to `file` (HDF5) as they come.

        `settings` change values for this run: {"solver.h": 1e-4, "body.rod.mass": 3}; None removes what a file says.
        `progress` is called with a
        `Progress` every `progress_interval` seconds (0: after each step) and may return False to stop. Ctrl-C raises
        Interrupted, numerical failure SimulationError; both carry the `results` up to there, and so does an exception
        of a law, a force or `progress`. Other threads go on while it runs.

        `steps_of`: results of another run of this machine, with other parameters perhaps, whose steps, orders,
        iterations and matrices are repeated: what two such runs differ in is a smooth function of the parameters
        (see `gradient`).

        `begin`: (results, t), to begin where the machine of other results was, at their frame nearest to t and at its
        time: bodies, coordinates, turns of joints and states of controls by their names. The model may have other
        parameters, settings or forces.

        `threads`: how many a large machine may use, with the same numbers whatever it is; 0: one for each core.
        """
        start = None if begin is None else _starting_point(begin)
        if start is not None and not any(word.startswith("analysis.start=") for word in self._settings(settings)):
            own = [_setting(*item) for item in settings.items()] if isinstance(settings, Mapping) else list(settings or [])
            settings = [*own, f"analysis.start={start.t!r}"]
        study = self._study(settings)
        attributes = {
            "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "model_file": (self._file or Path(sys.argv[0])).name,
            "command": "python " + " ".join(sys.argv),
            "set": "\n".join(self._settings(settings)),
        }
        if self._notes:
            attributes["reading_notes"] = "\n".join(self._notes)
        path = Path(file) if file is not None else None
        repeated = _source_of(steps_of)
        return self._simulate(study, path, attributes, progress, progress_interval, False, repeated, start, threads)

    def resume(
        self,
        file: "PathLike",
        *,
        end: Optional[float] = None,
        settings: Optional["Settings"] = None,
        progress: Optional["Progress"] = None,
        progress_interval: float = 0.1,
        threads: int = 0,
    ) -> Results:
        """Goes on with a run of this model and these settings whose results are in `file`, in that file: after a time
        limit, an interrupt or a kill, with the bits that would have followed, or until a later `end` [s].

        For models with laws or forces in Python; `trammel.resume` needs the file alone.
        """
        words = self._settings(settings)
        if end is not None:
            words = words + _core.settings_until(Path(file), end)
        study = self._study(words)
        return self._simulate(study, Path(file), {}, progress, progress_interval, True, None, None, threads)

    def _simulate(
        self,
        study: _core.Study,
        file: Optional[Path],
        attributes: dict[str, str],
        progress: Optional["Progress"],
        progress_interval: float,
        resume: bool,
        steps_of: Optional[Union[_core.Record, Path]] = None,
        start: Optional[_core.StartingPoint] = None,
        threads: int = 0,
    ) -> Results:
        summary, record, error = _core.run(
            study,
            list(self._laws.values()),
            list(self._forces.values()),
            file,
            attributes,
            progress,
            progress_interval,
            resume,
            steps_of,
            start,
            threads,
        )
        results = Results(record if record is not None else Path(file or ""), summary)
        if isinstance(error, KeyboardInterrupt):
            interrupted = Interrupted(f"stopped at t = {results.time[-1] if len(results) else 0:g} s")
            interrupted.results = results
            raise interrupted from None
        if error is not None:
            setattr(error, "results", results)
            raise error
        if summary.failure:
            failed = SimulationError(summary.failure)
            failed.results = results
            raise failed
        return results

    def __repr__(self) -> str:
        kinds = [table.head.strip("[]") for table in self._tables]
        counts = ", ".join(f"{kinds.count(kind)} × {kind}" for kind in dict.fromkeys(kinds))
        source = f" of {self._file}" if self._file is not None else ""
        return f"<trammel.Model{source}: {counts or 'nothing added'}>"


def load(path: "PathLike") -> Model:
    """Reads a model file. What is added in code comes on top of it; `parameters`, `solver`, … replace what it says."""
    file = Path(path)
    model = Model()
    try:
        model._loaded = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        from trammel.errors import IoError

        raise IoError(f"the model file '{file}' cannot be read") from None
    model._file = file
    return model


def run(
    model: Union[Model, "PathLike"],
    *,
    settings: Optional["Settings"] = None,
    file: Optional["PathLike"] = None,
    progress: Optional["Progress"] = None,
    progress_interval: float = 0.1,
    steps_of: Optional[Union[Results, "PathLike"]] = None,
    begin: Optional[tuple[Union[Results, "PathLike"], float]] = None,
    threads: int = 0,
) -> Results:
    """Simulates a model, or a model file; see Model.run."""
    made = model if isinstance(model, Model) else load(model)
    return made.run(
        settings=settings,
        file=file,
        progress=progress,
        progress_interval=progress_interval,
        steps_of=steps_of,
        begin=begin,
        threads=threads,
    )


def resume(
    file: "PathLike",
    *,
    end: Optional[float] = None,
    progress: Optional["Progress"] = None,
    progress_interval: float = 0.1,
    threads: int = 0,
) -> Results:
    """Goes on with the run of a results file, in that file: after a time limit, an interrupt or a kill, with the bits
    that would have followed, or until a later `end` [s]. The model is that of the file; see Model.resume."""
    study = _core.read_recorded_study(Path(file), end)
    return Model()._simulate(study, Path(file), {}, progress, progress_interval, True, None, None, threads)


def _adder(kind: str) -> Callable[..., Model]:
    def add(self: Model, name: Optional[str] = None, **keys: Any) -> Model:
        return self.add(kind, name, **keys)

    add.__name__ = kind
    add.__qualname__ = f"Model.{kind}"
    return add


def _document() -> None:
    """A method for every table of a model file; its words are those of the reader."""
    from trammel._docstrings import TEXTS

    Model.__doc__ = TEXTS["Model"]
    for table in _core.tables():
        if table.name in ("", "repeat"):
            continue
        if not hasattr(Model, table.name):
            setattr(Model, table.name, _adder(table.name))
        method = getattr(Model, table.name)
        words = [method.__doc__ or "", table.text]
        if table.name == "force":
            words.append("law may be a function (t, x, rate) -> force, of numbers or, marked `vectorized`, of arrays.")
        method.__doc__ = "\n\n".join(filter(None, words))
        # The keywords are shown; what is none of them is still the reader's to refuse, with the caller's line.
        shown = inspect.signature(method)
        fixed = [p for p in shown.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        names = [name for name in table.keywords if name not in shown.parameters]
        possible = [name for name in names if not keyword.iskeyword(name)]  # the others as **{"from": 3}
        keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in possible]
        others = [p for p in shown.parameters.values() if p not in fixed] if len(possible) < len(names) else []
        method.__signature__ = shown.replace(parameters=fixed + keywords + others)


_document()
