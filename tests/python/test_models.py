# SPDX-License-Identifier: Apache-2.0
"""Models in code: the keys, refusals and messages of model files, at the caller's line."""

from __future__ import annotations

import inspect
import re
import subprocess
import unittest

import numpy as np
from support import PROGRAM, PackageTest, pendulum

import trammel


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


class Models(PackageTest):
    def test_mistakes_are_listed_all_at_once_at_the_line_that_made_them(self) -> None:
        model = trammel.Model()
        model.body("rod", mas=2, inertia=[1, 1, 1]); first = line()
        model.joint("pin", kind="revolut", bodies=["ground", "rodd"], point=[0, 0, 0]); second = line()
        with self.assertRaises(trammel.InputError) as caught:
            model.run()
        issues = caught.exception.issues
        self.assertGreaterEqual(len(issues), 2)
        where = [issue.where for issue in issues]
        self.assertIn(f"test_models.py:{first}", where)
        self.assertIn(f"test_models.py:{second}", where)
        text = str(caught.exception)
        self.assertIn("did you mean 'mass'?", text)
        self.assertIn("did you mean 'revolute'?", text)
        self.assertIsInstance(caught.exception, ValueError)

    def test_messages_are_those_of_the_program(self) -> None:
        model = pendulum().body("heavy", kind="particle", mass=-1)
        file = model.save(self.folder / "wrong.toml")
        said = subprocess.run([PROGRAM, "check", str(file)], capture_output=True, text=True).stderr
        with self.assertRaises(trammel.InputError) as caught:
            model.check()
        for issue in caught.exception.issues:
            self.assertIn(issue.message, said)

    def test_every_table_of_a_model_file_has_its_method(self) -> None:
        with self.assertRaises(trammel.InputError) as caught:
            trammel.Model().add("bodi", "rod").check()
        allowed = str(caught.exception).split("Allowed here: ")[1]  # the reader lists what it knows
        of_the_file = {"format", "title", "gravity", "max_elements", "units", "hardpoints", "ports"}
        tables = set(re.findall(r"'(\w+)'", allowed)) - of_the_file - {"repeat"}
        self.assertGreater(len(tables), 12)
        for table in tables:
            self.assertTrue(hasattr(trammel.Model, table), table)
            self.assertTrue(getattr(trammel.Model, table).__doc__, table)
        # A kind for which no method was written by hand.
        with self.assertRaisesRegex(trammel.InputError, "unknown key 'rail'"):
            trammel.model._adder("rail")(trammel.Model(), "track", x=1).check()

    def test_a_beam_bends(self) -> None:
        model = trammel.Model(gravity=[0, 0, -9.81])
        model.beam(
            "bar",
            points=[[0, 0, 0], [1, 0, 0]],
            elements=2,
            section={"kind": "circle", "radius": 0.01},
            material={"young": 2e11, "density": 7850},
            start_body="ground",
        )
        results = model.analysis(end=0.05).solver(h=1e-3).run()
        self.assertLess(results["bar_6.position.z"].min(), -1e-4)

    def test_names_used_twice_are_told_by_line_too(self) -> None:
        model = trammel.Model()
        for _ in range(2):
            model.body("rod", mass=2, inertia=[1, 1, 1])
        with self.assertRaises(trammel.InputError) as caught:
            model.check()
        self.assertNotIn("model:", str(caught.exception))

    def test_what_is_no_value_of_a_model_is_refused_at_once(self) -> None:
        with self.assertRaisesRegex(trammel.InputError, r"test_models.py:\d+: body 'rod': 'mass': .*complex"):
            trammel.Model().body("rod", mass=1j)

    def test_loaded_models_take_parameters_options_settings_and_more_parts(self) -> None:
        file = pendulum().save(self.folder / "pendulum.toml")
        text = file.read_text() + "\n[parameters]\nL = 1\n"
        file.write_text(text.replace("position = [1, 0, 0]", 'position = ["L", 0, 0]'))
        model = trammel.load(file).parameters(L=2).solver(h=2e-3).analysis(end=0.1)
        model.body("ball", kind="particle", mass=1, position=[0, 1, 0])
        results = model.run(settings={"body.ball.mass": 3, "gravity": [0, 0, -2]})
        self.assertEqual(results["bob.position"][0, 0], 2)
        self.assertEqual(results.statistics.steps, 50)
        np.testing.assert_allclose(results["ball.acceleration"][-1], [0, 0, -2], atol=1e-12)

    def test_wrong_lines_of_a_loaded_file_are_told_by_the_file(self) -> None:
        file = self.folder / "arm.toml"
        file.write_text('[[body]]\nname = "rod"\nmass = -2\ninertia = [1, 1, 1]\n')
        model = trammel.load(file)
        model.body("other", mass=-3, inertia=[1, 1, 1])
        with self.assertRaises(trammel.InputError) as caught:
            model.check()
        self.assertRegex(str(caught.exception), r"arm.toml:3:\d+: body 'rod'")
        self.assertRegex(str(caught.exception), r"test_models.py:\d+: body 'other'")

    def test_a_missing_model_file_is_an_io_error(self) -> None:
        with self.assertRaisesRegex(trammel.IoError, "none.toml' cannot be read"):
            trammel.load(self.folder / "none.toml")

    def test_a_check_counts_degrees_of_freedom(self) -> None:
        report = pendulum().check()
        self.assertEqual((report.nv, report.rows, report.degrees_of_freedom), (3, 1, 2))
        self.assertIn("degrees of freedom", str(report))

    def test_numbers_of_numpy_are_numbers(self) -> None:
        model = trammel.Model(gravity=np.array([0, 0, -9.81]))
        model.body("ball", kind="particle", mass=np.float64(2), position=np.arange(3))
        model.analysis(end=np.int64(1))
        np.testing.assert_array_equal(model.run()["ball.position"][0], [0, 1, 2])

    def test_text_keeps_every_bit_and_every_character(self) -> None:
        third, name = 1 / 3, 'größte "Masse"'.replace('"', "")
        model = trammel.Model('a "title" \\ with\ttabs').body(name, kind="particle", mass=third)
        self.assertIn(repr(third), model.toml)
        results = model.analysis(end=0.01).run()
        self.assertEqual(results.attributes["title"], 'a "title" \\ with\ttabs')
        self.assertIn(f"{name}.position", results.channels + [f"{name}.position"])
        self.assertEqual(results[f"{name}.position"].shape[1], 3)

    def test_saving_replaces_a_text_and_nothing_else(self) -> None:
        path = self.folder / "model.toml"
        path.write_text("# older\n")
        trammel.Model("New").save(path)
        self.assertIn("New", path.read_text())
        precious = b"\x89HDF\r\n\x1a\n\0\0numbers"
        (self.folder / "data.h5").write_bytes(precious)
        with self.assertRaisesRegex(trammel.IoError, "not a text, so it is not overwritten"):
            trammel.Model("New").save(self.folder / "data.h5")
        self.assertEqual((self.folder / "data.h5").read_bytes(), precious)


if __name__ == "__main__":
    unittest.main()
