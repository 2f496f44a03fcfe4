# SPDX-License-Identifier: Apache-2.0
"""Derivatives of runs, and what SciPy finds with them."""

from __future__ import annotations

import importlib.util
import unittest
from types import ModuleType

import numpy as np
from support import ROOT, PackageTest, pendulum

import trammel


def script(path: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location("example", ROOT / "examples" / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Gradients(PackageTest):
    def test_of_free_fall_is_the_formula(self) -> None:
        # z = z₀ + v t − g t²/2: ∂z/∂v = t, ∂z/∂g = −t²/2, whatever the steps.
        model = trammel.Model("Fall", gravity=[0, 0, "-g"], parameters={"g": 9.81, "v": 3})
        model.body("ball", kind="particle", mass=1, position=[0, 0, 0], velocity=[0, 0, "v"])
        model.analysis(end=2)
        found = trammel.gradient(model, ["v", "g"], "ball.position.z", frames="all")
        t = found.results.time
        np.testing.assert_allclose(found.values, 3 * t - 9.81 / 2 * t**2, atol=1e-6)
        np.testing.assert_allclose(found.derivatives[:, 0], t, atol=1e-7)
        np.testing.assert_allclose(found.derivatives[:, 1], -(t**2) / 2, atol=1e-7)
        last = trammel.gradient(model, {"v": 3}, ["ball.position.z", "ball.velocity.z"])
        np.testing.assert_allclose(last.derivatives, [[2], [1]], atol=1e-7)
        mean = trammel.gradient(model, {"body.ball.mass": 1}, lambda results: results["energy.kinetic"][0])
        np.testing.assert_allclose(mean.derivatives, [4.5], rtol=1e-7)

    def test_steps_of_results_in_memory_and_of_a_file_are_the_same(self) -> None:
        model = pendulum(end=0.5)
        model.solver(h=None, integrator="bdf")
        kept = model.run()
        model.run(file=self.folder / "first.h5")
        changed = {"body.bob.mass": 2.001}
        a = model.run(settings=changed, steps_of=kept)
        b = model.run(settings=changed, steps_of=self.folder / "first.h5")
        np.testing.assert_array_equal(a.step_time, kept.step_time)
        np.testing.assert_array_equal(a["bob.position"], b["bob.position"])
        self.assertIn("steps_of", b.attributes)

    def test_what_is_wrong_is_named(self) -> None:
        model = pendulum(end=0.1)
        with self.assertRaisesRegex(trammel.InputError, "no parameter 'L'"):
            trammel.gradient(model, ["L"], "height")
        with self.assertRaisesRegex(trammel.InputError, "between 0 and 1"):
            trammel.gradient(model, {"body.bob.mass": 2}, "height", step=0)
        with self.assertRaisesRegex(trammel.InputError, "'last' or 'all'"):
            trammel.gradient(model, {"body.bob.mass": 2}, "height", frames="first")
        with self.assertRaisesRegex(trammel.InputError, "solver.h"):
            model.run(settings={"solver.h": 2e-3}, steps_of=model.run())


@unittest.skipUnless(importlib.util.find_spec("scipy"), "needs SciPy")
class Examples(PackageTest):
    def test_parameters_are_identified(self) -> None:
        example = script("identification/identify.py")
        model = trammel.load(ROOT / "examples/identification/swing.toml")
        exact, _ = example.identify(model, example.measure(model, 0.0))
        np.testing.assert_allclose(exact, [1, 1], rtol=5e-5)
        noisy, errors = example.identify(model, example.measure(model, 0.01))
        self.assertTrue(np.all(np.abs(noisy - 1) < 3 * errors), (noisy, errors))
        self.assertTrue(np.all(errors < 0.01), errors)

    def test_a_suspension_is_optimised(self) -> None:
        example = script("optimisation/optimise.py")
        model = trammel.load(ROOT / "examples/optimisation/quarter_car.toml")
        best, before, after = example.optimise(model)
        self.assertLess(after, 0.95 * before)
        for factor in ([1.02, 1], [0.98, 1], [1, 1.02], [1, 0.98]):  # it is the best one near
            near = dict(zip(["parameters.k", "parameters.c"], map(float, best * factor)))
            self.assertGreater(example.discomfort(model.run(settings=near)), after)


if __name__ == "__main__":
    unittest.main()
