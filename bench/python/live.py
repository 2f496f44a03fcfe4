# SPDX-License-Identifier: Apache-2.0
"""A robot with six axes under a servo that samples at 1 kHz, in a loop of Python.

    ./dev python bench/python/live.py [SAMPLES]

Time of the processor per sample, and how many times faster than the robot that is; and the same for a machine in which
nothing moves, where a sample is all that is done beside the step.
"""

from __future__ import annotations

import sys
import time
from typing import Callable

import numpy as np

import trammel

DT = 1e-3


def make_arm(n: int = 6) -> trammel.Model:
    """Links hinged about z and y in turns, a torque from outside on each joint."""
    model = trammel.Model("Arm", gravity=[0, 0, -9.81])
    for i in range(n):
        model.body(f"link_{i}", mass=2 - 0.2 * i, inertia=[0.01, 0.02, 0.03], position=[0.2 * i + 0.1, 0, 0])
        bodies = ["ground" if i == 0 else f"link_{i - 1}", f"link_{i}"]
        model.joint(f"j{i}", kind="revolute", bodies=bodies, point=[0.2 * i, 0, 0], axis="y" if i % 2 else "z")
        model.input(f"u{i}", unit="N m")
        model.force(f"drive_{i}", kind="joint_spring", joint=f"j{i}", law=f"u{i}")
    return model.analysis(end=1)


def make_rest() -> trammel.Model:
    model = trammel.Model("Rest", gravity=[0, 0, 0])
    model.body("mass", kind="particle", mass=1)
    return model.analysis(end=1).solver(integrator="runge_kutta", h=DT)


def measure(sample: Callable[[int], None], samples: int) -> float:
    """Seconds of the processor per sample."""
    for k in range(samples // 10):
        sample(k)
    begin = time.process_time()
    for k in range(samples):
        sample(k)
    return (time.process_time() - begin) / samples


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    arm = trammel.Simulation(make_arm())
    names = [f"j{i}.{what}" for what in ("angle", "angle_rate") for i in range(6)]
    goal = np.array([0.4, -0.3, 0.5, 0.2, -0.4, 0.3])

    def servo(k: int) -> None:
        x = arm.read(*names)
        arm.step(DT, 60 * (goal * np.sin(3 * DT * k) - x[:6]) - 6 * x[6:])

    cost = measure(servo, samples)
    print(f"six axes: {1e6 * cost:.1f} us a sample, {DT / cost:.1f} times real time")
    rest = trammel.Simulation(make_rest())
    cost = measure(lambda _: rest.step(DT) and None, samples)
    print(f"a mass at rest: {1e6 * cost:.1f} us a sample")


if __name__ == "__main__":
    main()
