#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What large machines cost: a step of chain and net from 10⁴ to 10⁶ unknowns, and a heap of balls for a second.

    ./dev bench large [--only WORD ...] [--sizes N ...] [--threads N ...] [--balls N] [--program FILE]

A step's cost is the difference of two runs of which one takes more steps, over these steps, in CPU time of the process
(user and system) and by the clock; reading, patterns, first accelerations and results are in both. The exponent between
two sizes is that of the CPU time of a step. `whole` is the longer run, from the command to its summary."""
import argparse
import math
import os
import resource
import subprocess
import tempfile
import time

from bench_solvers import MODELS, ROOT

SHORT, LONG = 4, 14  # steps
CHAIN, NET = os.path.join(MODELS, "chain.toml"), os.path.join(MODELS, "net.toml")
# name, model, parameter, its value for so many unknowns, linear solver
MACHINES = [
    ("chain", CHAIN, "N", lambda n: round(n / 9), "auto"),
    ("net, gmres", NET, "M", lambda n: round(math.sqrt(n / 5)), "gmres"),
    ("net, direct", NET, "M", lambda n: round(math.sqrt(n / 5)), "sparse_ldlt"),
]


def heap(n):
    """n³ balls of 5 cm that fall into a box, the heap of `./dev bench peers contact`."""
    walls = [("floor", "z", [0, 0, 0]), ("wx0", "x", [-0.06, 0, 0]), ("wx1", "-x", [2.3 * 0.05 * n, 0, 0]),
             ("wy0", "y", [0, -0.06, 0]), ("wy1", "-y", [0, 2.3 * 0.05 * n, 0])]
    text = "gravity = [0, 0, -9.81]\n"
    for name, axis, place in walls:
        text += f'[[geometry]]\nname = "{name}"\nkind = "plane"\naxis = "{axis}"\nposition = {place}\ngroup = "all"\n'
    return text + f"""
[[repeat]]
count = {n}
index = "i"
[[repeat.repeat]]
count = {n}
index = "j"
[[repeat.repeat.repeat]]
count = {n}
index = "k"
[[repeat.repeat.repeat.body]]
name = "b_{{i}}_{{j}}_{{k}}"
position = ["0.11*i + 5e-4*sin(7*k + j)", "0.11*j + 5e-4*cos(5*k + i)", "0.06 + 0.11*k"]
[[repeat.repeat.repeat.geometry]]
body = "b_{{i}}_{{j}}_{{k}}"
kind = "sphere"
radius = 0.05
density = 1000
group = "all"
[[contact]]
name = "rest"
among = ["all"]
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.5
impact_speed = 1
friction = {{ kind = "coulomb", mu = 0.3 }}
[analysis]
end = 1
"""


def run(program, model, sets, threads, folder):
    command = [program, "run", model, "-o", os.path.join(folder, "run.h5"), "--threads", str(threads)]
    for one in sets:
        command += ["--set", one]
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    words = child.stdout.read()
    child.stdout.close()
    _, _, usage = os.wait4(child.pid, 0)
    if "reached the end" not in words:
        raise SystemExit(f"{' '.join(command)}\n{words}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024.0, words


def line_of(words, begin):
    return next((line.split(":", 1)[1].strip() for line in words.splitlines() if line.strip().startswith(begin)), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], help="machines whose name contains one of these")
    parser.add_argument("--sizes", nargs="*", type=int, default=[10**4, 10**5, 10**6], help="unknowns")
    parser.add_argument("--threads", nargs="*", type=int, default=[1], help="numbers of threads, each in turn")
    parser.add_argument("--balls", type=int, default=20, help="balls along each edge of the heap")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "bin", "trammel"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("| machine | unknowns | threads | a step: CPU [ms], clock [ms] | exponent | whole: CPU [s], clock [s] | peak [GB] |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for name, model, parameter, value, solver in MACHINES:
            if not any(word in name for word in options.only):
                continue
            for threads in options.threads:
                before = None
                for size in options.sizes:
                    runs = []
                    for steps in (SHORT, LONG):
                        sets = [f"parameters.{parameter}={value(size)}", "solver.h=1e-3", f"analysis.end={1e-3 * steps}",
                                "solver.coordinates=absolute", f"solver.linear_solver={solver}", "output.interval=1"]
                        # Of what is over soon the fastest of several.
                        runs.append(min(run(options.program, model, sets, threads, folder) for _ in range(max(1, min(10, 10**5 // size)))))
                    cpu, clock = ((runs[1][k] - runs[0][k]) / (LONG - SHORT) for k in (0, 1))
                    exponent = f"{math.log(cpu / before[1]) / math.log(size / before[0]):.2f}" if before else ""
                    before = (size, cpu)
                    print(f"| {name} | {size} | {threads} | {1e3 * cpu:.1f}, {1e3 * clock:.1f} | {exponent} | "
                          f"{runs[1][0]:.1f}, {runs[1][1]:.1f} | {runs[1][2] / 1024:.2f} |", flush=True)
        if any(word in "heap" for word in options.only):
            path = os.path.join(folder, "heap.toml")
            with open(path, "w") as file:
                file.write(heap(options.balls))
            for threads in options.threads:
                cpu, clock, memory, words = run(options.program, path, [], threads, folder)
                print(f"| heap | {options.balls}³ balls, 1 s | {threads} | | | {cpu:.0f}, {clock:.0f} | {memory / 1024:.2f} |")
                print(f"\nheap: steps {line_of(words, 'steps')}; energy {line_of(words, 'energy')}", flush=True)


if __name__ == "__main__":
    main()
