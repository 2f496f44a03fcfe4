#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sweep by the workers of a Dask cluster on this host: 40 cases, of which one is refused, and a worker that is killed
while it runs a case.

    PYTHONPATH=… tests/slow/dask_workers.py TRAMMEL      (Debian's python3-distributed)"""
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster

import trammel

PROGRAM = os.path.abspath(sys.argv[1])
N, REFUSED, LONG = 40, 7, 11


def arm() -> trammel.Model:
    model = trammel.Model("Arm", gravity=[0, 0, -9.81])
    model.parameters(m=1, span=2)
    model.body("arm", mass="m", shape={"kind": "rod", "length": 1, "axis": "x"})
    model.joint("hinge", kind="revolute", bodies=["ground", "arm"], point=[0, 0, 0], axis="y")
    model.measure("angle", "hinge.angle")
    model.analysis(end="span")
    model.solver(integrator="generalized_alpha", h=1e-4)
    model.output(interval=0.1)
    return model


def run_of(case: Path) -> int:
    """The process that writes these results, if there is one; else 0."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"run" in words and str(case).encode() in words:
            return int(process)
    return 0


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def kill_worker(folder: Path, workers: set, killed: list) -> None:
    """Kills the worker that runs the long case, once there are results of it."""
    case = folder / f"case_{LONG:04}.h5"
    deadline = time.time() + 600
    while time.time() < deadline:
        time.sleep(0.1)
        process = run_of(case)
        if not process or not case.exists():
            continue
        try:
            while process not in workers and process > 1:
                process = parent_of(process)
        except OSError:
            continue
        if process in workers:
            os.kill(process, signal.SIGKILL)
            killed.append(process)
            return


def main() -> None:
    cases = [{"parameters.m": -1 if k == REFUSED else k, "parameters.span": 60 if k == LONG else 2} for k in range(1, N + 1)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
            workers = set(client.run(os.getpid).values())
            killed: list = []
            killer = threading.Thread(target=kill_worker, args=(folder, workers, killed))
            killer.start()
            sweep = trammel.sweep(arm(), cases=cases, folder=folder, client=client, program=PROGRAM)
            killer.join()
        print(sweep, "killed:", killed)
        assert killed, "no worker was killed"
        assert len(sweep) == N and sweep.failed == [REFUSED] and sweep.open == [], (sweep.failed, sweep.open)
        ends = sweep[next(name for name in sweep[0] if "angle" in name)]
        assert np.isnan(ends[REFUSED - 1]) and np.isfinite(np.delete(ends, REFUSED - 1)).all()
        # The case that lost its worker has the numbers of a run that nobody stopped.
        alone = arm().run(settings={key: value for key, value in cases[LONG - 1].items()})
        np.testing.assert_array_equal(sweep.results(LONG)["hinge.angle"], alone["hinge.angle"])
        print(f"{N} cases: {N - 1} done, 1 refused and named, 1 worker killed")


if __name__ == "__main__":
    main()
