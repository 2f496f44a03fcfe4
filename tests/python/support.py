# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package share: places, models, a scratch folder."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

import trammel

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TRAMMEL_PROGRAM"]


class PackageTest(unittest.TestCase):
    """With a folder of its own that is removed afterwards."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="trammel_python_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


def pendulum(end: float = 1.0, h: float = 1e-3) -> trammel.Model:
    model = trammel.Model("Pendulum", gravity=[0, 0, -9.81])
    model.body("bob", kind="particle", mass=2, position=[1, 0, 0])
    model.joint("rod", kind="distance", bodies=["ground", "bob"], point=[0, 0, 0], point_b=[1, 0, 0])
    model.measure("height", "bob.z", unit="m")
    model.analysis(end=end)
    model.solver(h=h)
    return model


def chain(n: int, law: object = None, **spring: float) -> trammel.Model:
    """Links in a vertical plane with a spring on each joint: its numbers, or a law."""
    model = trammel.Model("Chain", gravity=[0, 0, -9.81])
    for i in range(n):
        model.body(f"link_{i}", mass=1, inertia=[0.001, 0.01, 0.01], position=[0.1 * (i + 0.5), 0, 0])
        bodies = ["ground" if i == 0 else f"link_{i - 1}", f"link_{i}"]
        model.joint(f"pin_{i}", kind="revolute", bodies=bodies, point=[0.1 * i, 0, 0], axis="y")
        model.force(f"spring_{i}", kind="joint_spring", joint=f"pin_{i}", law=law, **spring)
    model.analysis(end=0.2)
    model.solver(h=1e-3)
    return model
