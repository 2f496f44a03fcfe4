# SPDX-License-Identifier: Apache-2.0
"""A chain of N links with a spring on each joint: built in, and as laws and forces in Python.

    ./dev python bench/python/laws.py [N]

Whole runs, the fastest of three, and the ratio to the built-in spring: the machine may do other work meanwhile.
"""

from __future__ import annotations

import sys
import time
from math import atan2
from typing import Any, Callable

import numpy as np

import trammel

STIFFNESS, DAMPING = 4.0, 0.05
LENGTH = 0.1


def law(t, angle, rate):
    return -STIFFNESS * angle - DAMPING * rate


vectorized_law = trammel.vectorized(lambda t, angle, rate: -STIFFNESS * angle - DAMPING * rate)


def force(t, a, b):
    """The spring again, as a moment about the common axis y of two bodies."""
    (axx, _, axz), _, (azx, _, azz) = a.R
    (bxx, _, bxz), _, (bzx, _, bzz) = b.R
    # R_Aᵀ R_B turns about y: tan(angle) = R_xz/R_xx
    angle = atan2(axx * bxz + azx * bzz, axx * bxx + azx * bzx)
    moment = -STIFFNESS * angle - DAMPING * (b.w[1] - a.w[1])
    return (None, (0.0, -moment, 0.0)), (None, (0.0, moment, 0.0))


@trammel.vectorized
def vectorized_force(t, frames):
    a, b = frames.R[:, 0], frames.R[:, 1]
    angle = np.arctan2(
        a[:, 0, 0] * b[:, 0, 2] + a[:, 2, 0] * b[:, 2, 2], a[:, 0, 0] * b[:, 0, 0] + a[:, 2, 0] * b[:, 2, 0]
    )
    moments = np.zeros_like(frames.p)
    moments[:, 1, 1] = -STIFFNESS * angle - DAMPING * (frames.w[:, 1, 1] - frames.w[:, 0, 1])
    moments[:, 0, 1] = -moments[:, 1, 1]
    return np.zeros_like(frames.p), moments


def chain(n: int) -> trammel.Model:
    model = trammel.Model("Chain", gravity=[0, 0, -9.81])
    for i in range(n):
        model.body(f"link_{i}", mass=1, inertia=[1e-3, 1e-2, 1e-2], position=[LENGTH * (i + 0.5), 0, 0])
        bodies = ["ground" if i == 0 else f"link_{i - 1}", f"link_{i}"]
        model.joint(f"pin_{i}", kind="revolute", bodies=bodies, point=[LENGTH * i, 0, 0], axis="y")
    return model.analysis(end=1).solver(h=1e-3).output(interval=0.01)


def with_springs(n: int, **spring: Any) -> trammel.Model:
    model = chain(n)
    for i in range(n):
        model.force(f"spring_{i}", kind="joint_spring", joint=f"pin_{i}", **spring)
    return model


def with_forces(n: int, function: Callable[..., Any]) -> trammel.Model:
    pairs = [["ground" if i == 0 else f"link_{i - 1}", f"link_{i}"] for i in range(n)]
    return chain(n).custom_force(function, pairs)


def measure(model: trammel.Model) -> tuple[float, trammel.Results]:
    fastest = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        results = model.run()
        fastest = min(fastest, time.perf_counter() - begin)
    return fastest, results


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    cases = {
        "built-in spring": with_springs(n, stiffness=STIFFNESS, damping=DAMPING),
        "law, one number at a time": with_springs(n, law=law),
        "law, vectorized": with_springs(n, law=vectorized_law),
        "force on frames, one at a time": with_forces(n, force),
        "force on frames, vectorized": with_forces(n, vectorized_force),
    }
    print(f"N = {n}\n| spring | ms | ratio | steps / iterations / linearizations | largest difference [m] |")
    print("|---|---|---|---|---|")
    built_in, reference = 0.0, None
    for name, model in cases.items():
        seconds, results = measure(model)
        if reference is None:
            built_in, reference = seconds, results
        tip = f"link_{n - 1}.position"
        difference = np.abs(results[tip] - reference[tip]).max()
        s = results.statistics
        print(
            f"| {name} | {1e3 * seconds:.0f} | {seconds / built_in:.2f} | "
            f"{s.steps} / {s.iterations} / {s.linearizations} | {difference:.1e} |"
        )


if __name__ == "__main__":
    main()
