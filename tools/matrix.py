# SPDX-License-Identifier: Apache-2.0
"""Every method with everything: combinations of integrator, formulation, coordinates, scaling, rho, linear solver,
derivatives and update on machines with one feature each (tests/matrix/).

A cell is a combination in which every key has a meaning for its method; what has none is listed in MEANINGLESS, with the
reason. A cell passes if its run agrees with Radau at a tight tolerance in every frame, in positions, velocities and
reactions, and if each of its keys is seen to act: a record of the run differs from that of a run with another value of the
key. A cell that the program refuses is counted, with the reason that it gives.

  matrix.py PROGRAM --strength 2        every pair of values in some cell
  matrix.py PROGRAM --strength 3        every triple
  matrix.py PROGRAM --all [--part I/N]  every cell (the I-th of N parts)
  matrix.py PROGRAM --table FILE        what is meaningless and what is refused, into a page of the documentation
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

import h5py
import numpy

MACHINES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "matrix")

NOT_GIVEN = "-"
AXES = {
    "integrator": ["generalized_alpha", "hht", "newmark", "midpoint", "energy_decaying", "radau", "bdf", "runge_kutta"],
    "formulation": ["index3", "stabilized_index2", "stabilized_index1", "index2", "index1", "coordinate_split"],
    "coordinates": ["absolute", "joint"],
    "scaling": ["physical", "none", "left", "left_right", "left_right_velocity", "constraints"],
    "rho": ["0", "1"],
    "linear_solver": ["dense", "sparse_lu", "sparse_ldlt", "skyline_ldlt", "gmres"],
    "derivatives": ["exact", "dense_differences", "grouped", "estimated"],
    "update": ["full", "partitioned", "extended"],
    "machine": ["loops", "redundant", "nonholonomic", "beams", "contact", "friction", "massless", "tracks", "controls"],
}
SETTINGS = {
    "integrator": lambda x: {"solver.integrator": x},
    "formulation": lambda x: {"solver.formulation": x},
    "coordinates": lambda x: {"solver.coordinates": x},
    "scaling": lambda x: {"solver.scaling.kind": x},
    "rho": lambda x: {"solver.scaling.rho": x},
    "linear_solver": lambda x: {"solver.linear_solver": x},
    "derivatives": lambda x: {
        "exact": {"solver.jacobian": "exact"},
        "dense_differences": {"solver.jacobian": "dense_differences"},
        "grouped": {"solver.jacobian": "sparse_differences"},
        "estimated": {"solver.jacobian": "sparse_differences", "solver.jacobian_sparsity": "estimated"},
    }[x],
    "update": lambda x: {"solver.jacobian_update": x},
}
SECOND_ORDER = ["generalized_alpha", "hht", "newmark", "midpoint"]
# (integrators, axis, the values that have no meaning or None for all, why)
MEANINGLESS = [
    (SECOND_ORDER, "formulation", ["stabilized_index2", "stabilized_index1", "index2", "index1", "coordinate_split"],
     "a method of second-order equations has q and λ as unknowns; the other forms are equations of first order in q, v and "
     "more multipliers, and another method on them"),
    (["energy_decaying"], "scaling", ["left", "left_right", "left_right_velocity", "constraints"],
     "its unknowns are impulses h λ and its constraints are those of velocities, so that the powers of h of these kinds are in "
     "its matrix already"),
    (["energy_decaying"], "formulation", None,
     "the scheme is its own discrete equations, with two multipliers per constraint; no other form of them has its law of energy"),
    (["energy_decaying"], "update", None,
     "its matrix is no sum of planes times powers of h: directors are taken within the step, B(z + h/4 (3v_j + v_f)), so that nothing of it "
     "is left for another h; it is kept while it serves"),
    (["runge_kutta"], "formulation", None, "an explicit method solves for accelerations at given positions and velocities"),
    (["runge_kutta"], "scaling", None, "an explicit method has no iteration matrix"),
    (["runge_kutta"], "rho", None, "an explicit method has no iteration matrix"),
    (["runge_kutta"], "linear_solver", None, "an explicit method has no iteration matrix"),
    (["runge_kutta"], "derivatives", None, "an explicit method has no iteration matrix"),
    (["runge_kutta"], "update", None, "an explicit method has no iteration matrix"),
]
# (which cells are refused, the words of the program); anything else that is refused is a trouble, and so is a cell of these that
# is not.
REFUSED = [
    (lambda cell: cell["integrator"] == "energy_decaying" and cell["coordinates"] == "joint",
     r"'energy_decaying' moves frames and their directors"),
]
FIELDS = {"position": ("position", "orientation"), "velocity": ("velocity", "angular_velocity"),
          "reaction": ("reaction_force", "reaction_moment")}
# Of a run with rtol = 1e-6, atol = 1e-9 beside the largest number of its kind: methods of second order accumulate their
# errors over some thousand steps, and reactions follow accelerations.
LIMITS = {"position": 1e-4, "velocity": 1e-3, "reaction": 2e-2}
# The energy-decaying scheme damps what its steps do not resolve, the vibration of a beam's sections among it, which
# positions hardly show, and velocities and reactions do.
DAMPED = {("energy_decaying", "beams"): {"velocity": 3e-2, "reaction": 0.2}}
FRAMES = 10
PROCESSOR_TIME = 60  # [s] of a run
BRIEF = 0.1  # part of the time span in which keys are seen to act


def values_of(integrator, axis):
    """What an axis offers beside an integrator; NOT_GIVEN alone: the key has no meaning there."""
    values = AXES[axis]
    for integrators, of, meaningless, _ in MEANINGLESS:
        if of == axis and integrator in integrators:
            values = [] if meaningless is None else [x for x in values if x not in meaningless]
    return values or [NOT_GIVEN]


def cells():
    for integrator in AXES["integrator"]:
        for rest in itertools.product(*(values_of(integrator, axis) for axis in list(AXES)[1:])):
            yield dict(zip(AXES, (integrator, *rest)))


def covering(strength, seed=1):
    """Cells such that every `strength` values that occur together in some cell do so in one of these; greedy."""
    wanted = set()
    axes = list(AXES)
    for integrator in AXES["integrator"]:
        offered = [[integrator]] + [values_of(integrator, axis) for axis in axes[1:]]
        for places in itertools.combinations(range(len(axes)), strength):
            for values in itertools.product(*(offered[i] for i in places)):
                wanted.add(tuple(zip(places, values)))
    chance = random.Random(seed)
    order = sorted(wanted)
    chance.shuffle(order)
    chosen = []
    for goal in order:
        if goal not in wanted:
            continue
        best, gain = None, -1
        fixed = dict(goal)
        allowed = [x for x in AXES["integrator"]
                   if all(v in ([x] if i == 0 else values_of(x, axes[i])) for i, v in goal)]
        for _ in range(24 if strength < 3 else 8):
            integrator = fixed.get(0) or chance.choice(allowed)
            row = tuple(fixed[i] if i in fixed else integrator if i == 0 else chance.choice(values_of(integrator, axis))
                        for i, axis in enumerate(axes))
            covered = sum(tuple((i, row[i]) for i in places) in wanted
                          for places in itertools.combinations(range(len(axes)), strength))
            if covered > gain:
                best, gain = row, covered
        for places in itertools.combinations(range(len(axes)), strength):
            wanted.discard(tuple((i, best[i]) for i in places))
        chosen.append(dict(zip(axes, best)))
    return chosen


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_TIME, PROCESSOR_TIME + 1))


class Runs:
    """Runs of the program, each once."""

    def __init__(self, program, folder):
        self.program, self.folder, self.known, self.references = program, folder, {}, {}

    def call(self, machine, settings, name):
        out = os.path.join(self.folder, name + ".h5")
        command = [self.program, "run", os.path.join(MACHINES, machine + ".toml"), "-q", "--out", out, "--set"]
        command += [f"{key}={value}" for key, value in settings.items()]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit_time)
        if done.returncode < 0:
            return 3, f"no end within {PROCESSOR_TIME} s of the processor", None
        return done.returncode, (done.stderr + done.stdout).strip(), out

    def settings(self, cell, brief):
        end = self.end(cell["machine"])
        made = {"output.interval": repr(end / FRAMES), "solver.rtol": "1e-6", "solver.atol": "1e-9"}
        if brief:  # condition numbers by singular values are dear
            made = {"analysis.end": repr(BRIEF * end), "output.interval": repr(BRIEF * end), "solver.rtol": "1e-4",
                    "solver.atol": "1e-7"}
        for axis in AXES:
            if axis != "machine" and cell[axis] != NOT_GIVEN:
                made.update(SETTINGS[axis](cell[axis]))
        if brief and cell["integrator"] != "runge_kutta":
            made["solver.record_condition"] = "true"
        return made

    def end(self, machine):
        text = open(os.path.join(MACHINES, machine + ".toml")).read()
        return float(re.search(r"^end = ([0-9.e-]+)", text, re.M).group(1))

    def reference(self, machine):
        if machine not in self.references:
            settings = {"output.interval": repr(self.end(machine) / FRAMES), "solver.integrator": "radau", "solver.rtol": "1e-10",
                        "solver.atol": "1e-12", "solver.coordinates": "absolute"}
            code, words, out = self.call(machine, settings, "reference_" + machine)
            if code != 0:
                raise SystemExit(f"the reference of '{machine}' failed: {words}")
            self.references[machine] = self.read(out)["fields"]
        return self.references[machine]

    def read(self, out):
        with h5py.File(out) as file:
            fields = {name: numpy.concatenate([file["/frames/" + part][:].reshape(len(file["/time"]), -1)
                                               for part in parts if "/frames/" + part in file], axis=1)
                      for name, parts in FIELDS.items() if any("/frames/" + part in file for part in parts)}
            record = {name: file["/solver/" + name][:].tolist()
                      for name in ("h", "iterations", "linearizations", "factorizations", "condition", "error")
                      if "/solver/" + name in file}
            summary = dict(file["/summary"].asstr()[:])
        os.remove(out)
        counters = {key: summary[key] for key in summary
                    if key in ("linear_solver", "function_calls", "jacobians", "updates", "groups", "coordinates",
                               "unknowns", "formulation", "nnz_factors", "pattern_updates", "input_derivatives")}
        return {"fields": fields, "record": record, "counters": counters}

    def run(self, cell, brief=False):
        settings = self.settings(cell, brief)
        key = (cell["machine"], *settings.items())
        if key not in self.known:
            code, words, out = self.call(cell["machine"], settings, f"run_{abs(hash(key)):x}")
            self.known[key] = (code, words, self.read(out) if code == 0 else None)
            if out and os.path.exists(out):
                os.remove(out)
        return self.known[key]


def is_refused(cell):
    return any(is_one(cell) for is_one, _ in REFUSED)


def differs(a, b):
    return a["record"] != b["record"] or a["counters"] != b["counters"]


def judge(runs, cell, seen_to_act):
    """(what, words): passed, refused (with the reason), failed, disagrees, or a key that does not act."""
    code, words, result = runs.run(cell)
    if code == 2:
        lines = re.findall(r"error: (.*)", words) or [words]
        expected = [reason for is_one, reason in REFUSED if is_one(cell)]
        allowed = all(any(re.search(reason, line) for reason in expected) for line in lines)
        return "refused" if allowed else "refused, and it should not be", words
    if is_refused(cell):
        return "not refused", "the table of refusals says that it is"
    if code != 0:
        return "failed", words
    for name, expected in runs.reference(cell["machine"]).items():
        found = result["fields"].get(name)
        if found is None or found.shape != expected.shape:
            return "disagrees", f"{name}: other channels than the reference"
        size = max(numpy.abs(expected).max(), 1e-9)
        error = numpy.abs(found - expected).max() / size
        limit = DAMPED.get((cell["integrator"], cell["machine"]), {}).get(name, LIMITS[name])
        if not error <= limit:
            return "disagrees", f"{name}: {error:.1e} of {size:.3g}, limit {limit:.0e}"
    if not seen_to_act:
        return "passed", ""
    code, words, shown = runs.run(cell, brief=True)
    if code != 0:
        return "failed", words
    for axis in AXES:
        if axis in ("integrator", "machine") or cell[axis] == NOT_GIVEN:
            continue
        others = [x for x in values_of(cell["integrator"], axis) if x != cell[axis]]
        acted = not others
        for other in others:
            other_code, _, other_result = runs.run({**cell, axis: other}, brief=True)
            if other_code != 0 or differs(shown, other_result):
                acted = True
                break
        if not acted:
            return "idle", f"{axis} = {cell[axis]} does what every other value does"
    return "passed", ""


def show(cell):
    return " ".join(cell[axis] for axis in AXES)


def write_table(path, n_cells, total, outcomes, reasons):
    """Into the page, between its marks."""
    rows = ["| integrators | key | values | why they have no meaning |", "|---|---|---|---|"]
    for integrators, axis, values, why in MEANINGLESS:
        shown = "all" if values is None else ", ".join(f"`{x}`" for x in values)
        rows.append(f"| {', '.join(f'`{x}`' for x in integrators)} | {axis} | {shown} | {why} |")
    rows += ["", f"{n_cells} of {total} cells were run: "
             + ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())) + ".", ""]
    refused = sum(is_refused(cell) for cell in cells())
    rows += [f"* of all {total} cells {refused} are refused, {100 * refused / total:.2g} %: those of the reasons that follow, with the "
             "cells that were run."]
    rows += [f"* refused in {n} cells: {reason}" for reason, n in reasons.most_common()]
    text = open(path).read()
    begin, end = "<!-- matrix -->", "<!-- /matrix -->"
    if begin not in text or end not in text:
        raise SystemExit(f"{path} has no place between {begin} and {end}")
    with open(path, "w") as file:
        file.write(text[:text.index(begin) + len(begin)] + "\n\n" + "\n".join(rows) + "\n\n" + text[text.index(end):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--strength", type=int, default=2, choices=[1, 2, 3])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="AXIS=VALUE")
    parser.add_argument("--table", metavar="FILE")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()

    chosen = list(cells()) if arguments.all else covering(arguments.strength)
    part, parts = map(int, arguments.part.split("/"))
    chosen = chosen[part - 1::parts]
    for pair in arguments.only:
        axis, value = pair.split("=")
        chosen = [cell for cell in chosen if cell[axis] == value]
    total = sum(1 for _ in cells())
    outcomes, reasons, troubles = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(arguments.program, folder)
        for machine in sorted({cell["machine"] for cell in chosen}):
            runs.reference(machine)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            judged = pool.map(lambda cell: (cell, *judge(runs, cell, not arguments.all)), chosen)
            for cell, what, words in judged:
                outcomes[what] += 1
                if what.startswith("refused"):
                    for line in re.findall(r"error: (.*)", words) or [words]:
                        reasons[line] += 1
                if what not in ("passed", "refused"):
                    troubles.append((cell, what, words))
                if arguments.verbose and what != "passed":
                    print(f"{what:9} {show(cell)}\n          {words.splitlines()[0] if words else ''}", flush=True)
    print(f"{len(chosen)} cells of {total}: " + ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())))
    for reason, n in reasons.most_common():
        print(f"  refused {n}: {reason}")
    for cell, what, words in troubles:
        print(f"  {what}: {show(cell)}\n      {words.splitlines()[0] if words else ''}")
    if arguments.table:
        write_table(arguments.table, len(chosen), total, outcomes, reasons)
    if troubles:
        sys.exit(1)


if __name__ == "__main__":
    main()
