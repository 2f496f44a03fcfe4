# SPDX-License-Identifier: Apache-2.0
"""Laws and forces in Python move a machine as the built-in ones do."""

from __future__ import annotations

import time
import traceback
import unittest
from math import nan, sqrt

import numpy as np
from support import PackageTest, chain, pendulum

import trammel

STIFFNESS, DAMPING = 4.0, 0.05


def spring(t: float, angle: float, rate: float) -> float:
    return -STIFFNESS * angle - DAMPING * rate


@trammel.vectorized
def springs(t: float, angle: np.ndarray, rate: np.ndarray) -> np.ndarray:
    return -STIFFNESS * angle - DAMPING * rate


def pull(t: float, ground: trammel.Frame, bob: trammel.Frame) -> list:
    """A spring of 30 N/m and 0.5 m from the origin to the bob, and a damper."""
    x, y, z = bob.p
    length = sqrt(x * x + y * y + z * z)
    rate = sum(p * v for p, v in zip(bob.p, bob.v)) / length
    tension = 30 * (length - 0.5) + 0.4 * rate
    force = [-tension * p / length for p in bob.p]
    return [([-f for f in force], None), (force, None)]


@trammel.vectorized
def pulls(t: float, frames: trammel.Frame) -> tuple:
    p, v = frames.p[:, 1], frames.v[:, 1]
    length = np.linalg.norm(p, axis=1, keepdims=True)
    rate = (p * v).sum(axis=1, keepdims=True) / length
    force = -(30 * (length - 0.5) + 0.4 * rate) * p / length
    return np.stack([-force, force], axis=1), np.zeros_like(frames.p)


def elastic_pendulum() -> trammel.Model:
    model = trammel.Model("Elastic pendulum", gravity=[0, 0, -9.81])
    model.body("bob", mass=1, inertia=[1, 1, 1], position=[0.7, 0, 0])
    return model.analysis(end=2).solver(h=1e-3)


class Laws(PackageTest):
    def test_scalar_and_vectorized_laws_are_the_built_in_spring(self) -> None:
        expected = chain(8, stiffness=STIFFNESS, damping=DAMPING).run()
        for law in (spring, springs):
            results = chain(8, law=law).run()
            np.testing.assert_allclose(results["link_7.position"], expected["link_7.position"], rtol=0, atol=1e-9)
            np.testing.assert_allclose(
                results["spring_3.applied_effort"], expected["spring_3.applied_effort"], rtol=0, atol=1e-7
            )
            self.assertGreater(np.ptp(expected["spring_3.applied_effort"]), 0.1)
            # wrong derivatives would show in iterations first
            self.assertLess(abs(results.statistics.iterations / expected.statistics.iterations - 1), 0.05)

    def test_laws_act_in_joint_coordinates(self) -> None:
        expected = chain(4, stiffness=STIFFNESS, damping=DAMPING).run()
        results = chain(4, law=springs).run(settings={"solver.coordinates": "joint"})
        np.testing.assert_allclose(results["link_3.position"], expected["link_3.position"], rtol=0, atol=1e-6)

    def test_a_law_of_length_is_a_force_along_the_line(self) -> None:
        def model(**law: object) -> trammel.Model:
            made = elastic_pendulum()
            ends = {"point_a": [0, 0, 0], "point_b": {"body": "bob", "at": [0, 0, 0]}}
            return made.force("spring", kind="spring_damper", **ends, **law)

        expected = model(stiffness=30, damping=0.4, free_length=0.5).run()
        results = model(law=lambda t, length, rate: -30 * (length - 0.5) - 0.4 * rate).run()
        np.testing.assert_allclose(results["bob.position"], expected["bob.position"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(
            results["spring.applied_force"], expected["spring.applied_force"], rtol=0, atol=1e-7
        )

    def test_a_law_sees_the_time(self) -> None:
        seen: list[float] = []

        def law(t: float, angle: float, rate: float) -> float:
            seen.append(t)
            return 0.0

        chain(1, law=law).run()
        self.assertAlmostEqual(max(seen), 0.2)


class Forces(PackageTest):
    def test_forces_on_frames_are_the_built_in_spring(self) -> None:
        expected = elastic_pendulum()
        ends = {"point_a": [0, 0, 0], "point_b": {"body": "bob", "at": [0, 0, 0]}}
        expected.force("spring", kind="spring_damper", **ends, stiffness=30, damping=0.4, free_length=0.5)
        motion = expected.run()
        for force in (pull, pulls):
            results = elastic_pendulum().custom_force(force, ["ground", "bob"]).run()
            np.testing.assert_allclose(results["bob.position"], motion["bob.position"], rtol=0, atol=1e-9)
            self.assertLess(abs(results.statistics.iterations / motion.statistics.iterations - 1), 0.05)

    def test_many_elements_of_one_force_are_called_at_once(self) -> None:
        sizes: set[int] = set()

        @trammel.vectorized
        def weights(t: float, frames: trammel.Frame) -> tuple:
            n = len(frames.p)
            sizes.add(n)
            self.assertEqual(frames.R.shape, (n, 1, 3, 3))
            return np.tile([0.0, 0.0, -1.0], (n, 1, 1)), np.zeros((n, 1, 3))

        model = trammel.Model(gravity=[0, 0, 0])
        for i in range(5):
            model.body(f"ball_{i}", kind="particle", mass=1, position=[i, 0, 0])
        model.custom_force(weights, [[f"ball_{i}"] for i in range(5)], depends_on_velocity=False)
        results = model.analysis(end=1).solver(h=1e-2).run()
        self.assertEqual(min(sizes), 5)
        np.testing.assert_allclose(results["ball_4.position.z"][-1], -0.5, atol=1e-9)

    def test_an_unknown_body_is_refused_with_the_nearest_name(self) -> None:
        with self.assertRaisesRegex(trammel.InputError, "no such body; did you mean 'bob'"):
            elastic_pendulum().custom_force(pull, ["ground", "bobb"]).run()
        with self.assertRaisesRegex(trammel.InputError, "names frame 0 twice"):
            elastic_pendulum().custom_force(pull, ["ground", "ground"]).run()


class Costs(PackageTest):
    # The goals of bench/README.md, which has the measured 1.2 for a run ten times as long.
    def test_laws_of_a_chain_of_100_cost_little_more_than_built_in_springs(self) -> None:
        models = [
            chain(100, stiffness=STIFFNESS, damping=DAMPING),
            chain(100, law=spring),
            chain(100, law=springs),
        ]
        fastest = [float("inf")] * 3
        for _ in range(3):  # in turns and by the processor's time: the machine may have other work
            for i, model in enumerate(models):
                begin = time.process_time()
                model.run(settings={"analysis.end": 0.1})
                fastest[i] = min(fastest[i], time.process_time() - begin)
        self.assertLess(fastest[1], 20 * fastest[0])
        self.assertLess(fastest[2], 3 * fastest[0])


class Trouble(PackageTest):
    def test_what_a_law_raises_arrives_with_its_traceback_and_the_results(self) -> None:
        def law(t: float, angle: float, rate: float) -> float:
            if t > 0.1:
                raise ZeroDivisionError("here")
            return 0.0

        try:
            chain(1, law=law).run()
        except ZeroDivisionError as error:  # assertRaises would drop the traceback
            self.assertIn("law", [frame.name for frame in traceback.extract_tb(error.__traceback__)])
            results = error.results  # type: ignore[attr-defined]
            self.assertAlmostEqual(results.time[-1], 0.1, places=2)
        else:
            self.fail("nothing was raised")

    def test_wrong_returns_are_named(self) -> None:
        for law, error, words in [
            (lambda t, x, r: None, TypeError, "law of a spring must return a number, not NoneType"),
            (trammel.vectorized(lambda t, x, r: x[:1]), ValueError, r"one number per spring.*\(2,\), not \(1,\)"),
            (trammel.vectorized(lambda t, x, r: "far"), TypeError, "must return an array of numbers"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(error, words):
                chain(2, law=law).run()
        for force, words in [
            (lambda t, a: 1.0, "one for each of its 1 bodies"),
            (lambda t, a: [([1, 2], None)], "each three numbers, not 2"),
            (trammel.vectorized(lambda t, f: f.p), "arrays of shape"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                elastic_pendulum().custom_force(force, ["bob"]).run()

    def test_a_law_that_is_not_a_number_is_a_failure_with_words(self) -> None:
        with self.assertRaisesRegex(trammel.SimulationError, "NaN|not finite|finite"):
            chain(2, law=lambda t, x, r: nan if t > 0.05 else 0.0).run()

    def test_a_function_in_another_place_is_refused(self) -> None:
        with self.assertRaisesRegex(trammel.InputError, "measure 'm': 'expression'"):
            pendulum().measure("m", pull)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
