"""The type stubs are those of the module, the package is typed, and its words come from the C++ headers."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from support import ROOT, PackageTest

import trammel

PACKAGE = Path(trammel.__file__).parent


class Types(PackageTest):
    def call(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=self.folder)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def test_the_package_is_typed_strictly(self) -> None:
        self.assertEqual(self.call("mypy", "--strict", "--cache-dir", str(self.folder), str(PACKAGE)), "")

    def test_the_stubs_are_those_of_the_module(self) -> None:
        # pybind11's metaclass and the constructors of classes that nobody constructs are not part of the types.
        allowed = self.folder / "allowed.txt"
        allowed.write_text(
            r"trammel\._core\.(CheckReport|Frame|Issue|Progress|Reader|Record|Study|Summary)(\.__init__)?" + "\n"
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
        self.assertIn("mass: [kg] > 0", trammel.Model.body.__doc__ or "")
        self.assertIn("revolute (5 rows", trammel.Model.joint.__doc__ or "")

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
