# SPDX-License-Identifier: Apache-2.0
"""Runs go on where they stopped, in Python as on the command line."""

from __future__ import annotations

import unittest

import numpy as np

import trammel
from support import PackageTest, pendulum


class Resume(PackageTest):
    def stopped(self, model: trammel.Model, file: str) -> None:
        results = model.run(file=self.folder / file, progress=lambda p: p.t < 0.5, progress_interval=0)
        self.assertFalse(results.statistics["completed"])

    def assert_same(self, a: trammel.Results, b: trammel.Results) -> None:
        self.assertTrue(np.array_equal(a.time, b.time))
        for channel in a.channels:
            if not channel.startswith("solver."):
                self.assertTrue(np.array_equal(a[channel], b[channel]), channel)

    def test_a_run_that_was_stopped_goes_on_with_the_same_bits(self) -> None:
        settings = {"output.checkpoint_steps": 100}
        model = pendulum()
        model.output(checkpoint_steps=100)
        whole = model.run(file=self.folder / "whole.h5")
        self.stopped(model, "a.h5")
        self.assert_same(trammel.resume(self.folder / "a.h5"), whole)
        # Settings of a call are recorded, too.
        other = pendulum()
        other.run(settings=settings, file=self.folder / "b.h5", progress=lambda p: p.t < 0.5, progress_interval=0)
        self.assert_same(trammel.resume(self.folder / "b.h5"), whole)

    def test_a_run_goes_on_to_a_later_end(self) -> None:
        pendulum().run(file=self.folder / "a.h5")
        results = trammel.resume(self.folder / "a.h5", end=1.5)
        self.assertAlmostEqual(results.time[-1], 1.5)
        with self.assertRaises(trammel.InputError):
            trammel.resume(self.folder / "a.h5")

    def test_a_run_begins_where_another_was(self) -> None:
        first = pendulum(end=0.5).run(file=self.folder / "first.h5")
        heavier = pendulum(end=1)
        begins = heavier.run(begin=(first, 0.3), settings={"body.bob.mass": 3})
        at = int(np.argmin(np.abs(first.time - 0.3)))
        self.assertEqual(begins.time[0], first.time[at])
        np.testing.assert_allclose(begins["bob.position"][0], first["bob.position"][at], rtol=0, atol=1e-12)
        # Velocities are put onto the constraints: a frame of steps of 1 ms has them there to some 1e-5 m/s.
        np.testing.assert_allclose(begins["bob.velocity"][0], first["bob.velocity"][at], rtol=0, atol=1e-4)
        in_memory = heavier.run(begin=(pendulum(end=0.5).run(), 0.3), settings={"body.bob.mass": 3})
        by_name = trammel.run(heavier, begin=(self.folder / "first.h5", 0.3), settings={"body.bob.mass": 3})
        self.assert_same(in_memory, begins)
        self.assert_same(by_name, begins)
        self.assertEqual(heavier.run(begin=(first, 0.3), settings=["analysis.start=0.1"]).time[0], 0.1)
        with self.assertRaisesRegex(trammel.InputError, "no frame at t = 7 s: it goes from 0 to 0.5 s"):
            heavier.run(begin=(first, 7))

    def test_what_cannot_go_on_is_an_error_of_its_kind(self) -> None:
        with self.assertRaises(trammel.IoError):
            trammel.resume(self.folder / "none.h5")
        (self.folder / "text.h5").write_text("not results")
        with self.assertRaisesRegex(trammel.IoError, "HDF5"):
            trammel.resume(self.folder / "text.h5")
        pendulum().run(file=self.folder / "a.h5", settings={"output.checkpoint_steps": 0})
        with self.assertRaisesRegex(trammel.IoError, "no checkpoints were asked for"):
            trammel.resume(self.folder / "a.h5", end=1.5)
        pendulum().run(file=self.folder / "b.h5")
        whole = (self.folder / "b.h5").read_bytes()
        (self.folder / "b.h5").write_bytes(whole[: len(whole) // 2])
        with self.assertRaises(trammel.Error):
            trammel.resume(self.folder / "b.h5", end=1.5)

    def test_a_model_with_a_law_in_python_goes_on_with_it(self) -> None:
        def model() -> trammel.Model:
            made = pendulum()
            made.output(checkpoint_steps=100)
            made.force("spring", kind="spring_damper", point_a=[0, 0, 1], point_b={"body": "bob", "at": [0, 0, 0]},
                       law=lambda t, x, rate: 3.0 * x + 0.1 * rate)
            return made

        whole = model().run(file=self.folder / "whole.h5")
        self.stopped(model(), "a.h5")
        self.assert_same(model().resume(self.folder / "a.h5"), whole)


if __name__ == "__main__":
    unittest.main()
