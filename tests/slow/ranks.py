#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One run by several processes: MUMPS and PETSc with one, two and three of them beside the run of one process alone; and
what is left when one of them is killed.

    tests/slow/ranks.py TRAMMEL [--quick | MACHINE … | lost]    (a build with TRAMMEL_MUMPS or TRAMMEL_PETSC; Open MPI, h5py)

--quick: one machine, and one and two processes. Names: these machines alone; "lost": only what is left of lost ranks."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import bench_solvers  # noqa: E402  (its heap)

PROGRAM, QUICK, ONLY = os.path.abspath(sys.argv[1]), "--quick" in sys.argv, set(sys.argv[2:]) - {"--quick"}
MODELS = os.path.join(ROOT, "examples", "models")
CHAIN = os.path.join(MODELS, "chain.toml")

# name, model (file or text), settings. Reactions of one-step methods carry a remainder of m newton_tol/h².
TIGHT = ["solver.h=1e-3", "solver.newton_tol=1e-13"]
MACHINES = [
    ("chain", CHAIN, ["parameters.N=60", "analysis.end=0.01", *TIGHT]),
    ("chain, radau", CHAIN, ["parameters.N=20", "analysis.end=0.01", "solver.integrator=radau"]),
    ("net", os.path.join(MODELS, "net.toml"), ["parameters.M=8", "analysis.end=0.01", *TIGHT]),
    ("heap", bench_solvers.heap(3), ["analysis.end=1e-3", "solver.integrator=generalized_alpha", "solver.h=1e-4", TIGHT[1]]),
    ("thin beam", os.path.join(ROOT, "examples", "11_thin_beam", "thin_beam.toml"), ["analysis.end=0.01", "solver.h=1e-3", "solver.newton_tol=1e-12"]),
]
# Of the largest value of each quantity: 1e-12 of a solution, times what the machine makes of it (reactions of a chain of n
# links n², those of a beam its stiffness beside M/h²).
LIMIT = 1e-7
# The stiffness of a beam is not described by its diagonal, which is all that the default preconditioner has of it.
PETSC = {"thin beam": ["solver.preconditioner=schwarz", "solver.scaling.rho=1"]}
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl_base_warn_component_unused", "0"]


def fail(text):
    sys.exit(f"FAILED: {text}")


def words(model, settings, solver, out):
    sets = [*settings, f"solver.linear_solver={solver}", "output.interval=1e-3"]
    return [PROGRAM, "run", "--quiet", "--threads", "1", model, "-o", out, *(w for s in sets for w in ("--set", s))]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def quantities(file):
    """Every recorded frame of everything: positions, velocities, reactions, energies, …"""
    with h5py.File(file) as results:
        return {name: table[()] for name, table in results["frames"].items() if table.dtype.kind == "f"}


def difference(serial, other):
    worst = (0.0, "nothing")
    for name, a in serial.items():
        b = other[name]
        if a.shape != b.shape:
            fail(f"'{name}' has {a.shape} and {b.shape} numbers")
        # What is left of constraints is a remainder of positions and velocities.
        whole = [serial["position"], serial["velocity"]] if name == "constraint_drift" else [a]
        size = max(np.nanmax(np.abs(x)) if x.size else 0.0 for x in whole)
        if size > 1e-12:  # less is rounding of zero
            worst = max(worst, (float(np.nanmax(np.abs(a - b)) / size), name))
    return worst


def has(solver):
    done = subprocess.run([PROGRAM, "check", CHAIN, "--set", "parameters.N=2", f"solver.linear_solver={solver}"],
                          capture_output=True, text=True, check=False)
    if done.returncode and "this build of trammel has no" not in done.stderr:
        fail(done.stderr)
    return done.returncode == 0


def agree(folder, solvers):
    for name, model, settings in MACHINES[:1] if QUICK else MACHINES:
        if ONLY and name not in ONLY:
            continue
        if model.startswith("\n"):
            path = os.path.join(folder, "model.toml")
            with open(path, "w") as file:
                file.write(model)
            model = path
        alone = os.path.join(folder, "alone.h5")
        run(words(model, settings, "auto", alone))
        serial = quantities(alone)
        for solver in solvers:
            for n in (1, 2) if QUICK else (1, 2, 3):
                out = os.path.join(folder, "together.h5")
                more = PETSC.get(name, []) if solver == "petsc" else []
                run([*MPIRUN, "-n", str(n), *words(model, [*settings, *more], solver, out)])
                worst, which = difference(serial, quantities(out))
                print(f"{name}, {solver}, {n} processes: {worst:.1e} of {which}", flush=True)
                # Iterations end at 1e-12 of b; forces of a stiff beam are some 1e5 times as far off.
                limit = 1e-6 if more else LIMIT
                if worst > limit:
                    fail(f"more than {limit}")


def ranks_of(launcher):
    """The processes of a launcher by their rank."""
    found = {}
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{process}/environ") as file:
                environ = dict(word.split("=", 1) for word in file.read().split("\0") if "=" in word)
        except (OSError, ValueError):
            continue
        if parent == launcher and "OMPI_COMM_WORLD_RANK" in environ:
            found[int(environ["OMPI_COMM_WORLD_RANK"])] = int(process)
    return found


def lose(folder, solver, rank, number):
    """A rank (None: the launcher) gets a signal in the middle; what is written can be read and gone on with."""
    out = os.path.join(folder, f"lost_{solver}_{rank}.h5")
    command = [*MPIRUN, "-n", "3", *words(CHAIN, ["parameters.N=60", "analysis.end=1", "solver.h=1e-3"], solver, out),
               "--set", "output.flush_every_frame=true", "output.checkpoint_steps=5"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for _ in range(2400):
        time.sleep(0.1)
        info = subprocess.run([PROGRAM, "info", out], capture_output=True, text=True, check=False)
        if info.returncode == 0 and os.path.getsize(out) > 0 and frames(out) > 20:
            break
    else:
        process.kill()
        fail("no frames are written")
    os.kill(process.pid if rank is None else ranks_of(process.pid)[rank], number)
    said, _ = process.communicate(timeout=120)
    if process.returncode == 0:
        fail("nobody noticed")
    if rank is not None and "rank" not in said:
        fail(f"no message: {said}")
    kept = frames(out)
    run([PROGRAM, "run", "--quiet", "--resume", out])
    print(f"{solver}, {'launcher' if rank is None else f'rank {rank}'} ended by signal {number}: exit code "
          f"{process.returncode}, {kept} frames kept, {frames(out)} after it was resumed by one process", flush=True)
    if frames(out) != 1001 or kept < 20:
        fail("frames are missing")


def frames(file):
    done = subprocess.run([PROGRAM, "info", "--json", file], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["result"]["frames"] if done.returncode == 0 else 0


def main():
    solvers = [solver for solver in ("mumps", "petsc") if has(solver)]
    if not solvers:
        fail("this program has neither MUMPS nor PETSc")
    with tempfile.TemporaryDirectory() as folder:
        agree(folder, solvers)
        if QUICK or (ONLY and "lost" not in ONLY):
            return
        for solver in solvers:
            lose(folder, solver, 1, signal.SIGKILL)
        lose(folder, solvers[0], None, signal.SIGTERM)


main()
