# SPDX-License-Identifier: Apache-2.0
"""Results of runs: channels by name as NumPy arrays, reports, tables."""

from __future__ import annotations

import html
import importlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional, Sequence, Union

from trammel import _core
from trammel.statistics import Statistics

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    PathLike = Union[str, "os.PathLike[str]"]
    Array = NDArray[np.float64]


class Channel(NamedTuple):
    """One channel over time."""

    name: str
    time: "Array"
    values: "Array"
    unit: str
    components: list[str]


class _File:
    """A results file, open only while something is read: others may want to open it too."""

    def __init__(self, path: Path):
        reader = _core.Reader(path)
        self.path = path
        self.summary = reader.summary
        self.statistics = reader.statistics
        self.attributes = reader.attributes
        self._times = reader.times().copy(), reader.times(True).copy()
        for times in self._times:
            times.flags.writeable = False
        self._channels: Optional[list[str]] = None

    def times(self, solver: bool = False) -> "Array":
        return self._times[solver]

    def channels(self) -> list[str]:
        if self._channels is None:
            self._channels = _core.Reader(self.path).channels()
        return self._channels

    def read(self, channel: str) -> tuple["Array", "Array", str, list[str]]:
        return _core.Reader(self.path).read(channel)


class Results:
    """The results of a run, in memory or in a file.

    `results["rod.position"]` is an array [time, 3], `results["rod.position.x"]` one of its columns; names are those of
    the program (`trammel info --channels`). Arrays of a run in memory are views, those of a file are read when they are
    asked for. They must not be written to: take a copy.
    """

    def __init__(self, source: Union[_core.Record, Path], summary: Optional[_core.Summary] = None):
        self._source: Union[_core.Record, _File] = _File(source) if isinstance(source, Path) else source
        self._summary = summary

    # ---- numbers

    @property
    def time(self) -> "Array":
        """Times of the recorded frames [s]."""
        return self._source.times()

    @property
    def step_time(self) -> "Array":
        """Ends of the integrator's steps [s]: the times of the channels "solver.…"."""
        return self._source.times(True)

    def __getitem__(self, channel: str) -> "Array":
        """The values of a channel; InputError with the nearest name if there is none."""
        return self._source.read(channel)[1]

    def channel(self, name: str) -> Channel:
        """A channel with its times, unit and the names of its components."""
        return Channel(name, *self._source.read(name))

    @property
    def channels(self) -> list[str]:
        """The names of all channels, components included."""
        return self._source.channels()

    def _ipython_key_completions_(self) -> list[str]:
        return self.channels

    def __contains__(self, channel: object) -> bool:
        return channel in self.channels

    def __len__(self) -> int:
        """How many frames there are."""
        return len(self.time)

    def __bool__(self) -> bool:
        return True

    # ---- how it went

    @property
    def summary(self) -> dict[str, str]:
        """How the run ended and what it cost, as a results file says it; empty if it did not end."""
        return self._source.summary

    @property
    def statistics(self) -> Statistics:
        """The same as numbers, by name as of a mapping or as attributes."""
        if self._summary is not None:
            return Statistics.of_run(self._summary)
        return Statistics.of_file(self._source.statistics)

    @property
    def completed(self) -> bool:
        """Whether the run reached its end."""
        return self.summary.get("completed") == "true"

    @property
    def stop(self) -> str:
        """Why it stopped, one line."""
        return self.summary.get("stop", "the run did not end")

    @property
    def attributes(self) -> dict[str, str]:
        """Title, model, settings, version and whatever else was noted when the run began."""
        return self._source.attributes

    @property
    def file(self) -> Optional[Path]:
        """The results file; None: in memory."""
        return self._source.path if isinstance(self._source, _File) else None

    # ---- tables of others

    def _columns(self, channels: Sequence[str]) -> tuple["Array", dict[str, "Array"]]:
        """Times, and a column for each component: those of one table, of frames or of solver steps."""
        time: Optional["Array"] = None
        columns: dict[str, "Array"] = {}
        for name in channels:
            channel = self.channel(name)
            if time is not None and len(channel.time) != len(time):
                raise ValueError(f"'{name}' has times of its own (the solver's steps); ask for it apart from the others")
            time = channel.time
            if channel.values.ndim == 1:
                columns[name] = channel.values
            else:
                for i, component in enumerate(channel.components):
                    columns[f"{name}.{component}"] = channel.values[:, i]
        return (self.time if time is None else time), columns

    def to_dataframe(self, channels: Optional[Sequence[str]] = None) -> Any:
        """A pandas DataFrame with the time as its index and a column for each number; default: all of the frames."""
        pandas = _import("pandas", "python3-pandas", "to_dataframe()")
        if channels is None:
            whole = {name.rpartition(".")[0] for name in self.channels}
            channels = [name for name in self.channels if not name.startswith("solver.") and name not in whole]
        time, columns = self._columns([channels] if isinstance(channels, str) else channels)
        return pandas.DataFrame(columns, index=pandas.Index(time, name="time"))

    def plot(self, *channels: str, over: Optional[str] = None, ax: Any = None, **style: Any) -> Any:
        """Draws channels over time, or over another channel, with matplotlib; default: the measures. Returns the axes.

        `style` goes to matplotlib's `plot`.
        """
        pyplot = _import("matplotlib.pyplot", "python3-matplotlib", "plot()")
        names = list(channels) or [name for name in self.channels if name.startswith("measures.")]
        if not names:
            raise ValueError("the model has no measures; name the channels to plot, see results.channels")
        time, columns = self._columns(names)
        x, label = (time, "time [s]") if over is None else (self[over], f"{over} [{self.channel(over).unit}]")
        axes = ax if ax is not None else pyplot.figure().add_subplot()
        for name, values in columns.items():
            axes.plot(x, values, label=name, **style)
        units = {self.channel(name).unit for name in names}
        axes.set_xlabel(label)
        axes.set_ylabel(" / ".join(f"[{unit}]" for unit in sorted(units) if unit))
        axes.legend()
        return axes

    # ---- pictures, files

    def save(self, path: "PathLike") -> Path:
        """Writes a results file (HDF5), as the program does."""
        target = Path(path)
        if isinstance(self._source, _core.Record):
            self._source.save(target)
        else:
            target.write_bytes(self._source.path.read_bytes())
        return target

    def report(self, page: "PathLike", channels: Sequence[str] = (), title: str = "") -> Path:
        """Writes the page that shows the run in a browser: motion, plots, the solver's story."""
        return write_report([self], page, channels, title)

    def export_csv(self, folder: "PathLike") -> list[Path]:
        """Writes tables for a spreadsheet, one per quantity."""
        if isinstance(self._source, _File):
            return _core.export_csv(_core.Reader(self._source.path), Path(folder))
        with tempfile.TemporaryDirectory() as scratch:
            return _core.export_csv(_core.Reader(self.save(Path(scratch) / "results.h5")), Path(folder))

    def view(self, page: "PathLike" = "report.html", height: int = 720) -> "View":
        """Writes the report beside a notebook, and shows it there; the notebook keeps only the name of the page."""
        return View(self.report(page), height)

    def _repr_html_(self) -> str:
        """A few lines; `view()` shows the report."""
        rows = {"stopped": self.stop, "frames": len(self), "channels": len(self.channels)}
        for name in ("integrator", "steps", "wall_time", "energy_drift"):
            if name in self.statistics:
                rows[name.replace("_", " ")] = self.statistics[name]
        title = html.escape(self.attributes.get("title", "") or "untitled")
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows.items())
        return f"<table><caption>{title}</caption>{cells}</table><p>The motion: <code>results.view()</code></p>"

    def __str__(self) -> str:
        return str(self._summary).rstrip() if self._summary is not None and self.summary.get("t") else repr(self)

    def __repr__(self) -> str:
        title = self.attributes.get("title", "") or "untitled"
        return f"<trammel.Results of '{title}': {len(self)} frames, {self.stop}>"


class View:
    """A report in a notebook: the name of a page, so that notebooks stay small."""

    def __init__(self, page: Path, height: int = 720):
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{html.escape(str(self.page))}" title="report" allowfullscreen '
            f'style="width:100%;height:{self.height}px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<trammel.View of {self.page}>"


def _import(module: str, package: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module.partition('.')[0]} (Debian: {package}): {error}") from None


def open(path: "PathLike") -> Results:
    return Results(Path(path))


def verify(path: "PathLike") -> dict[str, str]:
    return dict(_core.verify(Path(path)))


def write_report(
    results: Iterable[Union[Results, "PathLike"]], page: "PathLike", channels: Sequence[str] = (), title: str = ""
) -> Path:
    with tempfile.TemporaryDirectory() as scratch:
        files: list[Path] = []
        for i, run in enumerate(results):
            if not isinstance(run, Results):
                files.append(Path(run))
            elif run.file is not None:
                files.append(run.file)
            else:
                files.append(run.save(Path(scratch) / f"run_{i + 1}.h5"))
        _core.write_report(files, Path(page), list(channels), title)
    return Path(page)


def _document() -> None:
    from trammel._docstrings import TEXTS

    Channel.name.__doc__ = '"rod.position" or "rod.position.x"'
    Channel.time.__doc__ = "[s]"
    Channel.values.__doc__ = "One row per time; one column per component, or flat if there is only one."
    Channel.unit.__doc__ = '"m"; empty: a pure number'
    Channel.components.__doc__ = '"x", "y", "z"; empty or one word for a channel of single numbers'
    open.__doc__ = TEXTS["ResultsReader"]
    verify.__doc__ = TEXTS["verify_results"]
    write_report.__doc__ = TEXTS["write_report"]


_document()
__all__: list[Any] = ["Channel", "Results", "View", "open", "verify", "write_report"]
