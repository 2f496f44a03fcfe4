# SPDX-License-Identifier: Apache-2.0
"""The examples in Python, in TOML and run by the program give the same numbers, to the last bit."""

from __future__ import annotations

import os
import runpy
import subprocess
import unittest
from pathlib import Path

import numpy as np
from support import PROGRAM, ROOT, PackageTest

import trammel

EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*/*.toml"))
# Where the beginning says enough: the first of some sixty impacts.
SHORTER = {"cam.toml": {"analysis.end": 0.5}}


class Twins(PackageTest):
    def assert_same_numbers(self, a: trammel.Results, b: trammel.Results) -> None:
        self.assertEqual(a.channels, b.channels)
        self.assertGreater(len(a.channels), 20)
        np.testing.assert_array_equal(a.time, b.time)
        for name in a.channels:
            self.assertTrue(np.array_equal(a[name], b[name]), f"{name} differs")

    def test_every_example_of_the_ladder_has_a_twin(self) -> None:
        folders = sorted((ROOT / "examples").glob("[0-9][0-9]_*"))
        self.assertGreaterEqual(len(folders), 16)
        for folder in folders:
            name = folder.name[3:]
            self.assertTrue((folder / f"{name}.toml").exists(), f"{folder} has no model '{name}'")
            self.assertTrue((folder / f"{name}.py").exists(), f"{name}.toml has no twin in Python")

    def test_twins_give_the_numbers_of_the_model_file_and_of_the_program(self) -> None:
        for model_file in EXAMPLES:
            twin = model_file.with_suffix(".py")
            if not twin.exists():
                continue
            with self.subTest(twin.name):
                settings = SHORTER.get(model_file.name, {})
                by_python = runpy.run_path(str(twin))["model"].run(settings=settings)
                self.assertTrue(by_python.completed)
                self.assert_same_numbers(by_python, trammel.run(model_file, settings=settings))
                results = self.folder / "program.h5"
                changes = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
                subprocess.run([PROGRAM, "run", str(model_file), "-q", "-o", str(results), *changes], check=True)
                self.assert_same_numbers(by_python, trammel.open(results))

    def test_twins_in_cpp_give_the_same_numbers(self) -> None:
        twins = sorted((ROOT / "examples").glob("[0-9][0-9]_*/*.cpp"))
        self.assertGreaterEqual(len(twins), 2)
        for twin in twins:
            with self.subTest(twin.name):
                program = Path(os.environ["TRAMMEL_EXAMPLES"]) / twin.stem
                subprocess.run([program], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
                by_cpp = trammel.open(self.folder / f"{twin.stem}.h5")
                self.assert_same_numbers(by_cpp, runpy.run_path(str(twin.with_suffix(".py")))["model"].run())

    def test_a_model_written_as_a_file_gives_the_same_numbers(self) -> None:
        model = runpy.run_path(str(ROOT / "examples/03_slider_crank/slider_crank.py"))["model"]
        written = model.save(self.folder / "written.toml")
        self.assert_same_numbers(model.run(), trammel.run(written))


if __name__ == "__main__":
    unittest.main()
