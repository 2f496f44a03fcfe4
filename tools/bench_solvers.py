#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user waits for with each linear solver: whole runs of large machines, with their peak memory.

    ./dev bench solvers [--only WORD ...] [--solvers WORD ...] [--limit SECONDS] [--program FILE]

Every run takes a few fixed steps of one machine and writes its results file; time is CPU time of the process (user and
system), so that other programs count little. A run that takes longer than the limit is ended and counts as longer than all
others. The last column is the time of 'auto' beside the best of the named solvers."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = os.path.join(ROOT, "examples", "models")
SOLVERS = ["sparse_lu", "umfpack", "sparse_ldlt", "skyline_ldlt", "gmres"]


def heap(n):
    """n³ spheres that press on each other and fall into a box, as in bench/spheres.cpp."""
    radius, pitch = 0.01, 2 * 0.01 * 0.9995
    text = f"""
gravity = [0, 0, -9.81]
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
name = "s_{{i}}_{{j}}_{{k}}"
position = ["({pitch})*(i + 0.5) + 2e-6*sin(7*k + 3*j + i)", "({pitch})*(j + 0.5) + 2e-6*cos(5*k + i)", "({pitch})*(k + 0.5) + 2e-6*sin(i + 2*j)"]
velocity = [0, 0, -0.1]
[[repeat.repeat.repeat.geometry]]
body = "s_{{i}}_{{j}}_{{k}}"
kind = "sphere"
radius = {radius}
density = 2500
group = "grains"
[[contact]]
name = "rest"
between = [["grains"], ["walls"]]
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.5
impact_speed = 0.1
locate = false
friction = {{ kind = "coulomb", mu = 0.3, v_s = 1e-2 }}
[[contact]]
name = "among"
among = ["grains"]
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.5
impact_speed = 0.1
locate = false
friction = {{ kind = "coulomb", mu = 0.3, v_s = 1e-2 }}
"""
    walls = [("z", [0, 0, 0]), ("x", [0, 0, 0]), ("-x", [n * pitch, 0, 0]), ("y", [0, 0, 0]), ("-y", [0, n * pitch, 0])]
    for i, (axis, place) in enumerate(walls):
        text += f'[[geometry]]\nname = "wall_{i}"\nkind = "plane"\naxis = "{axis}"\nposition = {place}\ngroup = "walls"\n'
    return text


BEAM = 'section = { kind = "tube", radius = 0.02, inner_radius = 0.017 }\nmaterial = { young = 70e9, density = 2700 }\ndamping = 1e-4\n'


def beam(n):
    return f"""
gravity = [0, 0, -9.81]
[[beam]]
name = "arm"
points = [[0, 0, 0], [10, 0, 0]]
elements = {n}
{BEAM}
[[joint]]
name = "clamp"
kind = "fixed"
bodies = ["ground", "arm_0"]
point = [0, 0, 0]
"""


def frame(bays, storeys):
    """A building of steel: columns and girders of four elements each, welded to small bodies at the knots."""
    text = "gravity = [0, 0, -9.81]\n"
    knots = [(x, y, z) for x in range(bays + 1) for y in range(bays + 1) for z in range(storeys + 1)]
    for x, y, z in knots:
        text += f'[[body]]\nname = "k_{x}_{y}_{z}"\nmass = 5\ninertia = [0.01, 0.01, 0.01]\nposition = [{x}, {y}, {z}]\n'
        if z == 0:
            text += f'[[joint]]\nname = "foot_{x}_{y}"\nkind = "fixed"\nbodies = ["ground", "k_{x}_{y}_0"]\npoint = [{x}, {y}, 0]\n'
        for dx, dy, dz in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            end = (x + dx, y + dy, z + dz)
            if end in knots and (z > 0 or dz):
                text += (f'[[beam]]\nname = "m_{x}_{y}_{z}_{"xyz"[dy + 2 * dz]}"\npoints = [[{x}, {y}, {z}], {list(end)}]\nelements = 4\n'
                         f'start_body = "k_{x}_{y}_{z}"\nend_body = "k_{end[0]}_{end[1]}_{end[2]}"\n'
                         f'{"up = " + chr(34) + "x" + chr(34) if dz else ""}\n{BEAM}')
    return text


# name, model (file or text), --set, step [s], steps
MACHINES = [
    ("chain of 10 000", os.path.join(MODELS, "chain.toml"), ["parameters.N=10000"], 1e-3, 10),
    ("net 30 × 30", os.path.join(MODELS, "net.toml"), [], 1e-3, 20),
    ("net 100 × 100", os.path.join(MODELS, "net.toml"), ["parameters.M=100"], 1e-3, 5),
    ("frame of beams", frame(3, 3), [], 1e-3, 10),
    ("beam of 1000", beam(1000), [], 1e-4, 5),
    ("heap of 1000", heap(10), [], 1e-4, 3),
    ("heap of 8000", heap(20), [], 1e-4, 3),
]


def run(program, model, sets, h, steps, solver, limit, folder):
    command = [program, "run", model, "-o", os.path.join(folder, "run.h5"), "--set", f"analysis.end={h * steps}",
               "--set", f"solver.h={h}", "--set", f"solver.linear_solver={solver}", "--set", "solver.coordinates=absolute", "--set", "output.every_step=true"]
    for one in sets:
        command += ["--set", one]
    try:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
        words = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
    finally:
        child.stdout.close()
    used = next((line.split(":", 1)[1].strip() for line in words.splitlines() if line.strip().startswith("method")), "")
    # An alarm about a step that is too long for accuracy is no failure of the solver.
    return {"ok": "reached the end" in words, "seconds": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024.0,
            "used": used.rsplit(", ", 1)[-1], "words": words, "timeout": os.WIFSIGNALED(status)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], help="machines whose name contains one of these")
    parser.add_argument("--solvers", nargs="*", default=SOLVERS)
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds of a run")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "bin", "trammel"))
    parser.add_argument("--words", action="store_true", help="what failing runs said")
    options = parser.parse_args()
    words = ["auto"] + options.solvers
    print("CPU seconds and peak MB of a run\n")
    print("| machine, steps | " + " | ".join(f"`{w}`" for w in words) + " | `auto` took | beside the best |")
    print("|---" * (len(words) + 3) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, model, sets, h, steps in MACHINES:
            if not any(word in name for word in options.only):
                continue
            if "\n" in model:
                path = os.path.join(folder, "machine.toml")
                with open(path, "w") as file:
                    file.write(model)
                model = path
            done = {w: run(options.program, model, sets, h, steps, w, options.limit, folder) for w in words}
            cells = []
            for w in words:
                r = done[w]
                if options.words and not r["ok"]:
                    print(r["words"], file=sys.stderr)
                cells.append(f"{r['seconds']:.2f}, {r['memory']:.0f}" if r["ok"] else
                             f"> {options.limit}" if r["timeout"] else "refused")
            best = min((done[w]["seconds"] for w in options.solvers if done[w]["ok"]), default=float("nan"))
            print(f"| {name}, {steps} | " + " | ".join(cells) + f" | {done['auto']['used']} | {done['auto']['seconds'] / best:.2f} |",
                  flush=True)


if __name__ == "__main__":
    main()
