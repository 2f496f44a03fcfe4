#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What do runs cost, beside another program?

Runs every model below examples/ (the runs of tools/digests.py, without their other settings) with two programs and prints
what the second takes as a part of what the first takes: steps, iterations, factorizations, the size of the results file, and
with --instructions all instructions of the run, start included (callgrind, some fifty times slower than the run):

    tools/costs.py OLD NEW                         as the models are written
    tools/costs.py OLD NEW --defaults              without their [solver] tables
    tools/costs.py OLD NEW --set solver.coordinates=joint
    tools/costs.py OLD NEW --models FOLDER         models of another folder
    tools/costs.py OLD NEW P1 P3 --peers           two programs of `./dev bench peers`: instructions of our part of each run

A star stands beside what is above the limits: 5 % more steps or instructions, 10 % larger files. Runs that one of the
programs refuses are named. Largest energy drifts stand behind the ratios: more steps may be what makes them smaller.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py

import digests

# Largest part of what the old program takes.
limits = {"steps": 1.05, "size": 1.10, "instructions": 1.05}
counts = ["steps", "iterations", "factorizations", "size", "instructions"]


def callgrind(command: list[str], folder: Path, *options: str) -> list[str]:
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind", *options, *command]


def collected(file: Path) -> tuple[str, int]:
    """What was counted in a file of callgrind, and how many instructions."""
    text = file.read_text(errors="replace")
    name = re.search(r"^desc: Trigger: (?:Client Request: )?(.*)$", text, re.M)
    total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
    return name[1] if name else "", int(total[1]) if total else 0


def without_solver(model: Path) -> str:
    """The text of a model without its [solver] tables."""
    kept, inside = [], False
    for line in model.read_text().splitlines():
        if line.lstrip().startswith("["):
            inside = re.match(r"\s*\[\s*solver\s*[].]", line) is not None
        if not inside:
            kept.append(line)
    return "\n".join(kept) + "\n"


def summary_of(path: Path) -> dict[str, str]:
    with h5py.File(path, "r") as file:
        return {key.decode(): value.decode() for key, value in file["summary"][:].tolist() if key}


def take(program: Path, run: tuple[str, Path, list[str]], options: argparse.Namespace) -> dict[str, float]:
    name, model, settings = run
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.h5"
        digests.run(program, model, settings, out, options.limit)
        summary = summary_of(out)
        cost = {key: float(summary.get(key, 0)) for key in ("t", "steps", "iterations", "factorizations", "energy_drift")}
        cost["size"] = out.stat().st_size
        if options.instructions:
            command = [str(program), "run", str(model), "--quiet", "--out", str(out)]
            for setting in settings:
                command += ["--set", setting]
            subprocess.run(callgrind(command, Path(folder)), capture_output=True, timeout=60 * options.limit, cwd=folder)
            cost["instructions"] = collected(Path(folder) / "callgrind")[1]
        return cost


def row(name: str, old: dict[str, float], new: dict[str, float], shown: list[str]) -> str:
    cells = [f"{name:<44}"]
    for key in shown:
        ratio = new[key] / old[key] if old[key] else 1.0 if not new[key] else float("inf")
        mark = "*" if ratio > limits.get(key, float("inf")) else " "
        scale = {"size": 1e-3, "instructions": 1e-6}.get(key, 1.0)
        cells.append(f"{scale * old[key]:>9.0f} {ratio:>6.3f}{mark}")
    return " ".join(cells)


def compare_runs(options: argparse.Namespace) -> int:
    runs = [run for run in digests.runs_of(options.whole, options.only) if ":" not in run[0]]
    with tempfile.TemporaryDirectory() as folder:
        if options.models:
            runs = [(m.stem, m, []) for m in sorted(options.models.glob("*.toml")) if options.only in m.stem]
        if options.defaults:
            source = options.models or digests.examples
            copy = Path(folder) / "models"
            shutil.copytree(source, copy)
            runs = [(name, copy / model.relative_to(source), settings) for name, model, settings in runs]
            for _, model, _ in runs:
                model.write_text(without_solver(model))
        runs = [(name, model, settings + options.set) for name, model, settings in runs]
        shown = [key for key in counts if key != "instructions" or options.instructions]
        print(f"{'':<44} " + " ".join(f"{key[:12]:>9} {'ratio':>6} " for key in shown))

        def both(run: tuple[str, Path, list[str]]) -> str:
            try:
                old, new = [take(program, run, options) for program in options.programs]
            except digests.Failure as trouble:
                return f"{run[0]:<44} {trouble}"
            late = "" if old["t"] == new["t"] else f" ends at {old['t']:g}, {new['t']:g} s"
            drift = f" drift {old['energy_drift']:.1e} {new['energy_drift']:.1e}"
            return row(run[0], old, new, shown) + drift + late

        with ThreadPoolExecutor(options.jobs) as pool:
            for line in pool.map(both, runs):
                print(line, flush=True)
    return 0


def compare_peers(options: argparse.Namespace) -> int:
    counted = []
    for program in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            command = [str(program.resolve()), *options.parts, "alone"]
            subprocess.run(callgrind(command, Path(folder), "--collect-atstart=no"), capture_output=True, cwd=folder)
            counted.append(dict(collected(file) for file in Path(folder).glob("callgrind.*")))
    for name in sorted(counted[0]):
        if name in counted[1]:
            print(row(name, {"instructions": counted[0][name]}, {"instructions": counted[1][name]}, ["instructions"]))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", metavar="PROGRAM", nargs=2, type=Path)
    parser.add_argument("parts", metavar="PART", nargs="*", help="with --peers: P1 … P5")
    parser.add_argument("--peers", action="store_true", help="the programs are those of `./dev bench peers`")
    parser.add_argument("--defaults", action="store_true", help="leave the [solver] tables of models out")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[])
    parser.add_argument("--models", metavar="FOLDER", type=Path, help="models of this folder instead of examples/")
    parser.add_argument("--instructions", action="store_true", help="count instructions as well")
    parser.add_argument("--only", metavar="TEXT", default="", help="runs whose name contains TEXT")
    parser.add_argument("--whole", action="store_true", help="run long models to their ends as well")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (1)")
    parser.add_argument("--limit", type=float, default=300.0, help="longest time of a run in s (300)")
    options = parser.parse_args()
    for i, program in enumerate(options.programs):
        if not program.is_file():
            parser.error(f"there is no program {program}")
        options.programs[i] = program.resolve()
    return compare_peers(options) if options.peers else compare_runs(options)


if __name__ == "__main__":
    sys.exit(main())
