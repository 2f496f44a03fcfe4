# SPDX-License-Identifier: Apache-2.0
"""The type stubs are those of the module, the package is typed, and its words come from the C++ headers."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from support import ROOT, PackageTest

import trammel

PACKAGE = Path(trammel.__file__).parent


class Types(PackageTest):
    def call(self, *arguments: str) -> str:
        found = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
        done = subprocess.run(
            [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=self.folder, env=found
        )
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def test_the_package_is_typed_strictly(self) -> None:
        self.assertEqual(self.call("mypy", "--strict", "--cache-dir", str(self.folder), str(PACKAGE)), "")

    def test_the_keys_of_models_are_typed(self) -> None:
        script = self.folder / "script.py"
        script.write_text(
            "import numpy as np\n"
            "import trammel\n"
            "model = trammel.Model().body('a', kind='rigid', mass=np.float64(1), position=np.zeros(3), inertia=[1, 1, 1])\n"
            "model.force('f', kind='spring_damper', law=lambda t, x, rate: -x).measure('m', 'a.x', unit='m')\n"
            "model.include('part.toml', prefix='left_').geometry(kind='box', size=[1, 'L', 1]).track('t', to=3)\n"
        )
        self.assertEqual(self.mypy(script), "")
        script.write_text("import trammel\ntrammel.Model().body('a', kind='rigit', mas=1)\n")
        found = self.mypy(script)
        self.assertIn('Unexpected keyword argument "mas"', found)
        self.assertIn("rigit", found)

    def mypy(self, script: Path) -> str:
        return self.call("mypy", "--strict", "--cache-dir", str(self.folder), str(script))

    def test_the_stubs_are_those_of_the_module(self) -> None:
        # pybind11's metaclass and the constructors of classes that nobody constructs are not part of the types.
        allowed = self.folder / "allowed.txt"
        allowed.write_text(
            r"trammel\._core\.(Alarm|CheckReport|Frame|Functions|Issue|Live|Plan|Progress|Reader|Record|StartingPoint|Study|Summary|Table)(\.__init__)?" + "\n"
            r"trammel\._core\.Frame\.(__match_args__|n_.*fields)" + "\n"
        )
        found = self.call("mypy.stubtest", "trammel._core", "--allowlist", str(allowed))
        self.assertEqual(found, "")

    def test_every_name_of_the_module_is_in_the_stubs(self) -> None:
        stubs = (PACKAGE / "_core.pyi").read_text()
        for name in dir(trammel._core):
            if not name.startswith("__"):
                self.assertRegex(stubs, rf"(class|def) {name}\b")


class Words(PackageTest):
    def test_docstrings_are_the_comments_of_the_headers(self) -> None:
        summary = (ROOT / "include/trammel/simulation/summary.h").read_text(encoding="utf-8")
        self.assertIn("/// " + (trammel.Summary.__doc__ or "-"), summary)
        self.assertIn("///< " + (trammel.Summary.stop.__doc__ or "-"), summary)
        model = (ROOT / "include/trammel/mechanics/model.h").read_text(encoding="utf-8")
        for line in (trammel.Model.__doc__ or "-").splitlines():
            self.assertIn(line, model)

    def test_everything_public_has_a_docstring(self) -> None:
        for name in trammel.__all__:
            if not name.startswith("__"):
                thing = getattr(trammel, name)
                self.assertTrue(thing.__doc__, name)
                for part, member in vars(thing).items() if isinstance(thing, type) else []:
                    if not part.startswith("_") and callable(member):
                        self.assertTrue(member.__doc__, f"{name}.{part}")


if __name__ == "__main__":
    unittest.main()
