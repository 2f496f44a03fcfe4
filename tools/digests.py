#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Do two programs compute the same bits?

Runs every model below examples/ (files in folders `parts` are pieces of models and are left out) and some of them with
other settings, so that every kind of channel occurs, and takes the SHA-256 of each table of the results:

    tools/digests.py PROGRAM --write FILE          runs PROGRAM and writes its digests
    tools/digests.py PROGRAM --compare FILE        runs PROGRAM and says which digests are not those of FILE
    tools/digests.py --compare-programs OLD NEW    runs both, and says which items differ and by how much

A line of FILE is `run table digest`. `/frames/x` and `/solver/x` are the numbers of a table (every row), `x/schema` its
names, units and texts, `/time` and `/solver/time` the instants, `/frames:tables` the order of tables, `@x` an attribute of
the file (title, settings, scene), `/summary` how the run ended, without the times that it took. Digests depend on the
libraries of a machine (SuiteSparse, libm), so such a file is compared with runs on the same machine and is not kept in
the repository.

Runs that would take long end earlier, at the times of `ends` below; `--whole` runs them to their ends.
The exit code is 0 if all digests agree (or were written and every run ended as it should), 1 if not.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np

root = Path(__file__).resolve().parent.parent
examples = root / "examples"

# Where runs end that would take more than some seconds [s].
ends = {
    "13_cam/cam": "0.3",
    "models/chain": "0.1",
    "models/net": "0.05",
}

# Other settings of the same models, so that every integrator and every kind of channel occurs.
variants = {
    "01_pendulum/pendulum": {
        "bdf": ["solver.integrator=bdf", "solver.record_condition=true", "solver.record_corrections=true"],
        "statics": ["analysis.kind=statics"],
    },
    "02_double_pendulum/double_pendulum": {
        "runge_kutta": ["solver.coordinates=joint", "solver.integrator=runge_kutta"],
        "every_step": ["output.every_step=true", "solver.record_corrections=true"],
    },
    "03_slider_crank/slider_crank": {
        "kinematics": ["analysis.kind=kinematics"],
        "inverse_dynamics": ["analysis.kind=inverse_dynamics"],
        "energy_decaying": ["solver.integrator=energy_decaying", "analysis.end=0.5"],
    },
    "04_four_bar/four_bar": {
        "radau": ["solver.integrator=radau"],
        "joint": ["solver.coordinates=joint"],
    },
    "11_thin_beam/thin_beam": {
        "statics": ["analysis.kind=statics", "analysis.load_steps=3"],
    },
}

# What depends on the clock, or on where and how the program was called.
timed = {"wall_time", "cpu_time", "threads"}
of_the_call = {"created", "command", "model_file", "trammel_version"}

simulation_failed = 3  # exit code of the program


def sha(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def text_of(value: object) -> bytes:
    return value if isinstance(value, bytes) else repr(value).encode()


def order_of(group: h5py.Group) -> list[str]:
    """The names of its tables in the order in which they were made."""
    names: list[bytes] = []
    group.id.links.iterate(names.append, idx_type=h5py.h5.INDEX_CRT_ORDER)
    return [name.decode() for name in names]


def schema_digest(file: h5py.File, group: str, quantity: str) -> str:
    table = file[group][quantity]
    parts = [repr(table.shape[1:]).encode()]
    for key in ("unit", "description", "view"):
        parts.append(text_of(table.attrs.get(key, "")))
    parts.append(repr(np.asarray(table.attrs.get("components", [])).tolist()).encode())
    side = quantity if group == "frames" else f"solver/{quantity}"
    for folder in ("names", "units"):
        if f"{folder}/{side}" in file:
            parts.append(repr(file[f"{folder}/{side}"][:].tolist()).encode())
    return sha(*parts)


def digest(path: Path) -> dict[str, str]:
    """Of each table of a results file."""
    lines = {}
    with h5py.File(path, "r") as file:
        lines["/time"] = sha(file["time"][:].tobytes())
        for group in ("frames", "solver"):
            if group not in file:
                continue
            names = order_of(file[group])
            lines[f"/{group}:tables"] = sha(*[name.encode() for name in names])
            for quantity in names:
                table = file[group][quantity]
                lines[f"/{group}/{quantity}"] = sha(repr(table.shape).encode(), table[:].tobytes())
                if quantity != "time":
                    lines[f"/{group}/{quantity}/schema"] = schema_digest(file, group, quantity)
        summary = [tuple(row) for row in file["summary"][:].tolist()]
        key, kept = b"", []
        for name, value in summary:  # an empty key continues the value above
            key = name or key
            if key.decode() not in timed:
                kept.append(repr((name, value)).encode())
        lines["/summary"] = sha(*kept)
        for name in set(file.attrs) - of_the_call:
            lines[f"@{name}"] = sha(text_of(file.attrs[name]))
        for name in {"scene", "settings"} & set(file):  # long texts are tables
            lines[f"@{name}"] = sha(text_of(file[name][()]))
    return lines


def runs_of(whole: bool, only: str) -> list[tuple[str, Path, list[str]]]:
    """Name, model and settings of every run."""
    runs = []
    for model in sorted(examples.rglob("*.toml")):
        if "parts" in model.relative_to(examples).parts:
            continue
        name = str(model.relative_to(examples).with_suffix(""))
        cut = [f"analysis.end={ends[name]}"] if name in ends and not whole else []
        runs.append((name, model, cut))
        runs += [(f"{name}:{other}", model, cut + settings) for other, settings in variants.get(name, {}).items()]
    return [run for run in runs if only in run[0]]


class Failure(Exception):
    pass


def run(program: Path, model: Path, settings: list[str], out: Path, limit: float) -> str:
    """Why the simulation failed before its end, if it did: its results up to there are compared as well."""
    command = [str(program), "run", str(model), "--quiet", "--out", str(out)]
    for setting in settings:
        command += ["--set", setting]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, cwd=out.parent)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"took more than {limit:g} s: shorten it in `ends`, or allow more with --limit") from error
    if done.returncode == 0:
        return ""
    message = ((done.stderr or done.stdout).strip().splitlines() or ["no message"])[0]
    if done.returncode != simulation_failed:
        raise Failure(f"exit code {done.returncode}: {message}")
    return message


def differences(old: Path, new: Path) -> list[str]:
    """Which items of two results files differ, and by how much."""
    found = []
    with h5py.File(old, "r") as a, h5py.File(new, "r") as b:
        for group in ("frames", "solver"):
            for quantity in sorted(set(a.get(group, {})) | set(b.get(group, {}))):
                name = f"/{group}/{quantity}"
                if name not in a or name not in b:
                    found.append(f"{name}: only in the {'new' if name in b else 'old'} file")
                    continue
                x, y = a[name][:], b[name][:]
                if x.shape != y.shape:
                    found.append(f"{name}: shape {x.shape} became {y.shape}")
                elif x.tobytes() != y.tobytes():
                    rows = np.flatnonzero(np.any((x != y).reshape(len(x), -1), axis=1))
                    at = f"row {rows[0]} of {len(x)} first" if len(rows) else "signs of zeros or NaN"
                    found.append(f"{name}: largest difference {np.nanmax(np.abs(x - y)):.3g}, {at}")
    return found


class Digests:
    """Runs programs and keeps what came out: (run, table) -> digest, or the failure of a run."""

    def __init__(self, folder: Path, options: argparse.Namespace):
        self.folder, self.options = folder, options
        self.runs = runs_of(options.whole, options.only)

    def take(self, program: Path, label: str) -> dict[tuple[str, str], str]:
        def one(entry: tuple[str, Path, list[str]]) -> dict[tuple[str, str], str]:
            name, model, settings = entry
            try:
                out = self.file(label, name)
                failure = run(program, model, settings, out, self.options.limit)
                lines = digest(out)
                if not self.options.compare_programs:
                    out.unlink()
            except Failure as trouble:
                failure, lines = str(trouble), {}
            if failure:
                print(f"{name}: {failure}", file=sys.stderr)
                lines["failed"] = sha(failure.encode())
            return {(name, table): value for table, value in lines.items()}

        found: dict[tuple[str, str], str] = {}
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for lines in pool.map(one, self.runs):
                found.update(lines)
        return found

    def file(self, label: str, name: str) -> Path:
        return self.folder / f"{label}_{name.replace('/', '_').replace(':', '_')}.h5"


def report(old: dict[tuple[str, str], str], new: dict[tuple[str, str], str]) -> list[str]:
    """The names of runs that differ, after printing what differs."""
    differing = []
    for name in sorted({key[0] for key in old | new}):
        tables = sorted(key[1] for key in old | new if key[0] == name and old.get(key) != new.get(key))
        if not tables:
            continue
        differing.append(name)
        what = [f"{t} ({'new' if (name, t) not in old else 'missing' if (name, t) not in new else 'other'})" for t in tables]
        print(f"{name}: {', '.join(what)}")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", metavar="FILE", type=Path)
    what.add_argument("--compare", metavar="FILE", type=Path)
    what.add_argument("--compare-programs", metavar=("OLD", "NEW"), nargs=2, type=Path)
    parser.add_argument("--only", metavar="TEXT", default="", help="runs whose name contains TEXT")
    parser.add_argument("--whole", action="store_true", help="run long models to their ends as well")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (2)")
    parser.add_argument("--limit", type=float, default=300.0, help="longest time of a run in s (300)")
    options = parser.parse_args()
    if (options.program is None) != (options.compare_programs is not None):
        parser.error("a program is needed with --write and --compare, and only there")
    programs = options.compare_programs or [options.program]
    for i, program in enumerate(programs):
        if not program.is_file():
            parser.error(f"there is no program {program}")
        programs[i] = program.resolve()

    with tempfile.TemporaryDirectory() as folder:
        digests = Digests(Path(folder), options)
        if not digests.runs:
            parser.error(f"no run has '{options.only}' in its name")
        new = digests.take(programs[-1], "new")
        failed = [name for name, table in new if table == "failed"]
        if options.write:
            options.write.write_text("".join(f"{n} {t} {d}\n" for (n, t), d in sorted(new.items())))
            print(f"{len(digests.runs)} runs, {len(new)} digests: {options.write}")
            if failed:
                print(f"{len(failed)} failed: {', '.join(failed)}")
            return 1 if failed else 0
        if options.compare:
            lines = [line.split(" ") for line in options.compare.read_text().splitlines()]
            names = {run[0] for run in digests.runs}
            old = {(n, t): d for n, t, d in lines if n in names or not options.only}
        else:
            old = digests.take(programs[0], "old")
        differing = report(old, new)
        if options.compare_programs:
            for name in differing:
                files = [digests.file(label, name) for label in ("old", "new")]
                if all(file.is_file() for file in files):
                    for line in differences(*files):
                        print(f"    {name}: {line}")
        same = len(digests.runs) - len(differing)
        print(f"{same} of {len(digests.runs)} runs agree in every digest ({len(new)})")
        if failed:
            print(f"{len(failed)} failed, as before or not: {', '.join(failed)}")
        return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
