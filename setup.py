# SPDX-License-Identifier: Apache-2.0
"""The wheel: CMake builds the package, setuptools packs it. Settings are in pyproject.toml.

TRAMMEL_CMAKE_ARGS: further arguments of CMake, such as -DTRAMMEL_PAGE=OFF where there is no node.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent
folder = root / "build" / "wheel"
folder.mkdir(parents=True, exist_ok=True)
version = re.search(r"project\(trammel VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    """The module and the files in Python beside it, as `cmake --install` knows them."""

    def run(self):
        def cmake(*words):
            subprocess.run(["cmake", *map(str, words)], check=True, stdout=sys.stderr)

        cmake("--preset", "wheel", "-S", root, "-B", folder, f"-DPython_EXECUTABLE={sys.executable}",
              *shlex.split(os.environ.get("TRAMMEL_CMAKE_ARGS", "")))
        cmake("--build", folder, "--target", "trammel_python")
        cmake("--install", folder, "--component", "python", "--strip", "--prefix", Path(self.build_lib).resolve())


setup(
    version=version,
    packages=[],
    ext_modules=[Extension("trammel._core", [])],
    cmdclass={"build_ext": CMakeBuild},
    options={"egg_info": {"egg_base": "build"}, "build": {"build_base": "build/wheel/setuptools"}},
)
