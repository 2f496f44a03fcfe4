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


def pendulum_with_stops() -> trammel.Model:
    model = trammel.Model("Stops", gravity=[0, 0, -9.81], parameters={"k": 2000, "c": 5})
    model.body("rod", mass=1, inertia=[0.001, 0.09, 0.09], position=[0.5, 0, 0])
    model.joint("hinge", kind="revolute", bodies=["ground", "rod"], point=[0, 0, 0], axis="y")
    model.force("stops", kind="joint_limit", joint="hinge", lower=-1, upper=0.8, stiffness="k", damping="c")
    return model.analysis(end=2).output(interval=0.02)


def slewed_arm() -> trammel.Model:
    model = trammel.Model("Arm", gravity=[0, 0, 0], parameters={"E": 3e7, "m": 0.5})
    model.body("hub", shape={"kind": "cylinder", "radius": 0.05, "length": 0.06, "axis": "z", "density": 2700})
    section = {"kind": "rectangle", "width": 0.05, "height": 0.05}
    material = {"young": "E", "poisson": 0.33, "density": 1200}
    model.beam("arm", points=[[0.05, 0, 0], [1.05, 0, 0]], elements=1, order=2, section=section, material=material)
    model.body("load", shape={"kind": "sphere", "radius": 0.03}, mass="m", position=[1.05, 0, 0])
    model.joint("bearing", kind="revolute", bodies=["ground", "hub"], point=[0, 0, 0], axis="z")
    model.joint("root", kind="fixed", bodies=["hub", "arm_0"], point=[0.05, 0, 0])
    model.joint("tip", kind="fixed", bodies=["arm_2", "load"], point=[1.05, 0, 0])
    model.motion("slew", joint="bearing", function="step(t, 0, 0, 0.2, 0.7)")
    return model.analysis(end=0.3).output(interval=0.005)


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

    def test_a_stop_met_near_the_end_of_a_step_does_not_stop_a_gradient(self) -> None:
        # Of some values of the parameters the stop is met so near to the end of a step that another step meets it with
        # another parameter: with 1e-5 of it in one of twenty.
        model = pendulum_with_stops()
        rng = np.random.default_rng(5)
        for _ in range(30):
            at = {"k": 2000 * (1 + 0.1 * rng.standard_normal()), "c": 5 * (1 + 0.1 * rng.standard_normal())}
            found = trammel.gradient(model, at, "hinge.angle", frames="all")
            other = trammel.gradient(model, at, "hinge.angle", frames="all", step=1e-7)
            size = np.abs(found.derivatives).max(0)
            np.testing.assert_array_less(np.abs(found.derivatives - other.derivatives).max(0), 1e-4 * size)


@unittest.skipUnless(importlib.util.find_spec("scipy"), "needs SciPy")
class Examples(PackageTest):
    def test_parameters_are_identified(self) -> None:
        # Default settings; machines with loops, beams, bumps and stops, parameters of any size. With noise errors are
        # those that the fit states: below three of them, and by their squares neither too small nor too large.
        example = script("identification/identify.py")
        text = (ROOT / "examples/04_four_bar/four_bar.toml").read_text().split("[analysis]")[0]
        (self.folder / "four_bar.toml").write_text(f"{text}[analysis]\nend = 0.5\n[output]\ninterval = 0.005\n")
        four_bar = trammel.load(self.folder / "four_bar.toml")
        swing = trammel.load(ROOT / "examples/identification/swing.toml")
        car = trammel.load(ROOT / "examples/optimisation/quarter_car.toml")
        cases: list[tuple[str, trammel.Model, dict[str, float], dict[str, float], str, float, int]] = [
            ("swing", swing, {"L": 1.0, "m": 1.0}, {"L": 0.9, "m": 1.3}, "angle", 0.01, 8),
            ("four-bar", four_bar, {"c": 0.4, "rho": 2.0}, {"c": 0.41, "rho": 1.8}, "B0.angle", 5e-3, 4),
            ("car", car, {"k": 3e4, "c": 800.0}, {"k": 2.5e4, "c": 1000.0}, "car.position.z", 1e-4, 8),
            ("arm", slewed_arm(), {"E": 3e7, "m": 0.5}, {"E": 2.7e7, "m": 0.55}, "load.position.y", 1e-4, 1),
            ("stop", pendulum_with_stops(), {"k": 2000.0, "c": 5.0}, {"k": 2100.0, "c": 4.5}, "hinge.angle", 5e-3, 10),
        ]
        squares = []
        for name, model, true, start, channel, noise, seeds in cases:
            data = model.run(settings={f"parameters.{key}": value for key, value in true.items()})[channel]
            values = np.array(list(true.values()))
            with self.subTest(machine=name):
                exact, _ = example.identify(model, start, channel, data)
                np.testing.assert_allclose(exact, values, rtol=5e-5)
                for seed in range(seeds):
                    noisy = data + noise * np.random.default_rng(seed).standard_normal(len(data))
                    found, errors = example.identify(model, start, channel, noisy)
                    squares.append(((found - values) / errors) ** 2)
                    self.assertLess(squares[-1].max(), 9, seed)
        self.assertTrue(0.5 < np.mean(squares) < 1.6, np.mean(squares))

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
