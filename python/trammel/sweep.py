# SPDX-License-Identifier: Apache-2.0
"""Many runs of one model: planned in a folder, run here or by the workers of a Dask cluster, and collected."""

from __future__ import annotations

import csv
import ctypes
import importlib
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from trammel import _core
from trammel.errors import InputError, IoError
from trammel.model import Model
from trammel.results import Results, open

if TYPE_CHECKING:
    import numpy as np

    from trammel.model import PathLike

    Axis = Union[str, float, Sequence[Union[str, float]], "np.ndarray[Any, Any]"]

_WRONG_INPUT, _FAILED, _IO_TROUBLE = 2, 3, 4  # exit codes of the program


class Sweep(Sequence[Mapping[str, str]]):
    """What came of the cases of a sweep: its table, line by line as in `cases.csv`.

        sweep[0]                    # the first case: its settings, how it ended, its measures
        sweep["end of angle [rad]"] # a column as an array; NaN where a case has no number
        sweep.failed, sweep.open    # numbers of the cases that failed or were refused, and that are not at their end
        sweep.results(3)            # of the third case
    """

    def __init__(self, folder: Path, answer: Mapping[str, Any]):
        self.folder = folder
        with (folder / "cases.csv").open(newline="") as file:
            self._rows = list(csv.DictReader(file, restval=""))  # lines of refused cases end early
        codes = [case["exit_code"] for case in answer["cases"]]
        self._files = [Path(case["results"]) for case in answer["cases"]]
        self.open = [k for k, code in enumerate(codes, 1) if code is None or code >= 128]
        self.failed = [k for k, code in enumerate(codes, 1) if code is not None and 0 < code < 128]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, str]]:
        return iter(self._rows)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._rows[which]
        import numpy as np

        if self._rows and which not in self._rows[0]:
            raise KeyError(f"the table has no '{which}'; it has {', '.join(self._rows[0])}")
        return np.array([_number(row[which]) for row in self._rows])

    def results(self, case: int) -> Results:
        """The results of a case, counted from 1."""
        return open(self._files[case - 1])

    def __repr__(self) -> str:
        return f"<trammel.Sweep: {len(self)} cases in {self.folder}, {len(self.failed)} failed, {len(self.open)} open>"


def sweep(
    model: Union[Model, "PathLike"],
    settings: Optional[Mapping[str, "Axis"]] = None,
    *,
    cases: Optional[Iterable[Mapping[str, Union[str, float]]]] = None,
    folder: "PathLike",
    client: Any = None,
    samples: int = 0,
    seed: int = 1,
    jobs: int = 0,
    attempts: int = 3,
    program: Optional["PathLike"] = None,
) -> Sweep:
    """Runs every combination of `settings`, or the listed `cases`, of a model, and returns the table of them.

    A setting is a list of values, or a text as the program takes it: "0.05:0.2:7", "uniform(1e4,2e4)" (with `samples`
    and `seed`). `folder` gets the plan, a results file per case and `cases.csv`; called again it goes on where it was.
    `client`, of Dask (`distributed.Client`), lets its workers run the cases, one each per thread; they must see the
    folder and the program under the same paths. A case whose worker is lost is run again by another one and goes on
    from its checkpoint, `attempts` times at most. What is refused or fails is named in the table, and the rest goes on.
    Without a client the cases run on this machine, `jobs` at a time.
    """
    place, called = Path(folder).absolute(), _find_program(program)
    _plan(called, model, settings or {}, cases, place, samples, seed)
    known = _collect(called, place)
    for attempt in range(max(1, attempts)):
        if not known.open:
            break
        if attempt > 0:
            time.sleep(1.0)  # what a lost worker had begun may be about to end
        if client is None:
            _run(called, place, f"1-{len(known)}", jobs)
        else:
            _run_by(client, called, place, known.open)
        known = _collect(called, place)
    return known


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _find_program(given: Optional["PathLike"]) -> str:
    found = shutil.which(str(given) if given else os.environ.get("TRAMMEL_PROGRAM", "trammel"))
    if found is None:
        raise IoError("a sweep needs the program 'trammel', which is not found: give its path as program=…")
    return found


def _ask(words: Sequence[str]) -> Any:
    """What the program answers in JSON; refusals are raised."""
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise IoError(done.stderr.strip() or f"{' '.join(words)} says nothing") from None
    if done.returncode == _WRONG_INPUT:
        raise InputError([_core.Issue(error["where"], error["message"]) for error in answer["errors"]])
    if done.returncode not in (0, _FAILED):
        raise IoError("\n".join(error["message"] for error in answer["errors"]))
    return answer["result"]


def _plan(program: str, model: Any, settings: Mapping[str, Any], cases: Any, folder: Path, samples: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(model, Model):
        text, model = model.toml, folder / "model.toml"
        if not model.exists() or model.read_text() != text:
            model.write_text(text)
    words = [program, "sweep", str(model), "--quiet", "--plan", str(folder), "--seed", str(seed)]
    if samples:
        words += ["--samples", str(samples)]
    for key, values in settings.items():
        one = isinstance(values, (str, int, float))
        words += ["--set", f"{key}={values if one else ','.join(map(str, values))}"]
    if cases is not None:
        rows = list(cases)
        with (folder / "list.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else [])
            writer.writeheader()
            writer.writerows(rows)
        words += ["--list", str(folder / "list.csv")]
    _ask(words)


def _collect(program: str, folder: Path) -> Sweep:
    return Sweep(folder, _ask([program, "sweep", "--collect", str(folder)]))


def _end_with_us() -> None:
    """In a process about to begin: it is told to end when who began it is gone, however that ended."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _run(program: str, folder: Path, which: str, jobs: int = 1) -> int:
    """Cases of the plan; what is done, or at work elsewhere, is left. Returns the exit code."""
    words = [program, "sweep", "--quiet", "--case", which, str(folder), *(["--jobs", str(jobs)] if jobs else [])]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, preexec_fn=_end_with_us) as process:
        try:
            said = process.communicate()[1]
        except BaseException:
            process.terminate()  # its run writes what it has, and can be gone on with
            raise
    if process.returncode in (_WRONG_INPUT, _IO_TROUBLE):  # of the sweep: those of its cases are told by the folder
        raise IoError(said.strip())
    return process.returncode


def _run_by(client: Any, program: str, folder: Path, numbers: Sequence[int]) -> None:
    """Some cases by the workers of a cluster. What became of them is seen in the folder."""
    wait = importlib.import_module("distributed").wait
    # Keys of their own: what was run before is not taken for what is to be run now.
    keys = [f"{folder}-{k}-{time.time_ns()}" for k in numbers]
    wait([client.submit(_run, program, folder, str(k), 1, key=key) for k, key in zip(numbers, keys)])
