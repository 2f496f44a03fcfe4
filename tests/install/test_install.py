# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` installs is complete: it runs, links and completes without the source tree.

Called by ctest with the build to install in TRAMMEL_BUILD and the sources in TRAMMEL_SOURCE.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

build = Path(os.environ["TRAMMEL_BUILD"])
source = Path(os.environ["TRAMMEL_SOURCE"])
version = os.environ["TRAMMEL_VERSION"]


def call(*words, cwd=None, env=None, code=0):
    done = subprocess.run([str(w) for w in words], cwd=cwd, env=env, text=True, capture_output=True)
    text = done.stdout + done.stderr
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{text}")
    return text


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="trammel_install_"))
        first = cls.folder / "first"
        for component in ("runtime", "development"):
            call("cmake", "--install", build, "--prefix", first, "--component", component)
        cls.prefix = cls.folder / "moved"  # nothing knows where it was installed
        first.rename(cls.prefix)
        cls.program = cls.prefix / "bin" / "trammel"
        cls.examples = cls.prefix / "share" / "trammel" / "examples"
        cls.libraries = next(cls.prefix.rglob("pkgconfig")).parent

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def make_folder(self):
        return Path(tempfile.mkdtemp(dir=self.folder))

    def test_the_program_runs_an_installed_example(self):
        folder = self.make_folder()
        text = call(self.program, "run", self.examples / "03_slider_crank" / "slider_crank.toml", cwd=folder)
        self.assertIn("reached the end", text)
        self.assertTrue((folder / "slider_crank.h5").exists())
        self.assertEqual(call(self.program, "--version"), f"trammel {version}\n")

    def test_nothing_installed_names_the_sources(self):
        for file in self.prefix.rglob("*"):
            if file.is_file():
                self.assertFalse(str(source).encode() in file.read_bytes(), f"{file} names the sources")

    def test_documents_manual_and_completions_are_there(self):
        share = self.prefix / "share"
        for file in ("doc/trammel/README.md", "doc/trammel/docs/guide.md", "man/man1/trammel.1",
                     "bash-completion/completions/trammel", "zsh/vendor-completions/_trammel",
                     "fish/vendor_completions.d/trammel.fish"):
            self.assertGreater((share / file).stat().st_size, 500, file)

    def test_headers_compile_alone(self):
        """A dozen of them; TRAMMEL_COMPILER (the slow tests): every one, by that compiler."""
        include = self.prefix / "include"
        headers = sorted(h.relative_to(include) for h in (include / "trammel").rglob("*.h"))
        self.assertGreater(len(headers), 50)
        compiler = os.environ.get("TRAMMEL_COMPILER")
        flags = call("pkg-config", "--cflags", "eigen3", "fmt").split()
        folder = self.make_folder()
        for header in headers if compiler else headers[:: len(headers) // 12]:
            (folder / "alone.cpp").write_text(f'#include "{header}"\n#include "{header}"\n')
            call(compiler or "g++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                 f"-I{include}", *(f.replace("-I", "-isystem") for f in flags), "alone.cpp", cwd=folder)

    def configure(self, folder, *options, code=0):
        return call("cmake", "-S", self.examples / "cpp", "-B", folder / "build", "-G", "Ninja",
                    f"-DCMAKE_PREFIX_PATH={self.prefix}", *options, cwd=folder, code=code)

    def test_an_outside_project_finds_the_package_and_runs(self):
        folder = self.make_folder()
        self.configure(folder)
        call("cmake", "--build", folder / "build")
        text = call(folder / "build" / "own_machine", cwd=folder)
        self.assertIn(f"Trammel {version}", text)

    def test_the_sources_can_be_a_part_of_another_project(self):
        """Configured here; `./dev test slow install_packages` builds and runs it from a copy."""
        folder = self.make_folder()
        self.configure(folder, f"-DTRAMMEL_SOURCE={source}")
        targets = call("ninja", "-C", folder / "build", "-t", "targets", "all")
        self.assertIn("libtrammel_core.a", targets)
        for other in ("trammel_program:", "trammel_python:", "test_", "bench/"):  # no parts of somebody else's project
            self.assertNotIn(other, targets)
        text = call("cmake", "--install", folder / "build", "--prefix", folder / "prefix")
        self.assertNotIn("trammel", text.lower().replace(str(folder).lower(), ""))

    def test_pkg_config_knows_the_core_which_needs_no_hdf5(self):
        folder = self.make_folder()
        (folder / "core.cpp").write_text("""
#include <cstdio>
#include "trammel/base/version.h"
#include "trammel/mechanics/model.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"
int main() {
  const trammel::Study study = trammel::read_study("pendulum.toml");
  trammel::Simulation simulation(study);
  std::printf("%s %d\\n", trammel::version(), static_cast<int>(study.model.bodies.size()));
}
""")
        shutil.copy(self.examples / "01_pendulum" / "pendulum.toml", folder)
        env = dict(os.environ, PKG_CONFIG_PATH=str(self.libraries / "pkgconfig"))
        self.assertEqual(call("pkg-config", "--modversion", "trammel", env=env).strip(), version)
        flags = call("pkg-config", "--cflags", "--libs", "trammel_core", env=env).split()
        call("g++", "-O0", "core.cpp", "-o", "core", *flags, f"-Wl,-rpath,{self.libraries}", cwd=folder)
        self.assertEqual(call("./core", cwd=folder), f"{version} 1\n")
        self.assertNotIn("hdf5", call("ldd", "core", cwd=folder))

    def test_a_law_in_c_needs_the_header_alone(self):
        folder = self.make_folder()
        source_of_law = self.examples / "cpp" / "drag.c"
        call("gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", f"-I{self.prefix}/include",
             source_of_law, "-o", "drag.so", "-lm", cwd=folder)
        words = source_of_law.read_text(encoding="utf-8").split("*/")[0]
        force = "".join(line[5:] + "\n" for line in words.splitlines() if line.startswith(" *   "))
        force = force[force.index("[[force]]"):]  # as the comment of the example shows it
        (folder / "ball.toml").write_text('gravity = [0, 0, 0]\n[[body]]\nname = "ball"\nkind = "particle"\nmass = 1\nvelocity = [2, 0, 0]\n'
                                          '[[measure]]\nname = "speed"\nexpression = "ball.vx"\n'
                                          "[analysis]\nend = 3\n[solver]\nrtol = 1e-8\n" + force)
        call(self.program, "run", "ball.toml", cwd=folder)
        call(self.program, "export", "ball.h5", "--csv", "tables", cwd=folder)
        last = (folder / "tables" / "measure.csv").read_text().splitlines()[-1]
        # v̇ = −c v²: v = v₀/(1 + c v₀ t)
        self.assertAlmostEqual(float(last.split(",")[1]), 2 / (1 + 0.3 * 2 * 3), places=6)

    def test_another_version_is_refused_by_name(self):
        folder = self.make_folder()
        shutil.copytree(self.examples / "cpp", folder / "project")
        lists = folder / "project" / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace("find_package(Trammel 0.2", "find_package(Trammel 7.1"))
        text = call("cmake", "-S", folder / "project", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", code=1)
        self.assertIn("7.1", text)
        self.assertIn(f"version: {version}", text)

    def test_what_is_missing_is_named_all_at_once(self):
        folder = self.make_folder()
        env = dict(os.environ, PKG_CONFIG_LIBDIR=str(folder), PKG_CONFIG_PATH="")
        text = call("cmake", "-S", source, "-B", folder / "build", "-G", "Ninja", "-DTRAMMEL_PAGE=OFF", env=env, code=1)
        for words in ("HDF5 ≥ 1.10 (Debian: libhdf5-dev, or configure with -DTRAMMEL_CORE_ONLY=ON)",
                      "toml++ (Debian: libtomlplusplus-dev)",
                      "librsvg (Debian: librsvg2-dev, or configure with -DTRAMMEL_PNG=OFF)",
                      "tinyxml2 (Debian: libtinyxml2-dev, or configure with -DTRAMMEL_URDF=OFF)"):
            self.assertIn(words, text)
        text = call("cmake", "-S", source, "-B", folder / "build", "-DTRAMMEL_PROGRAM=OFF", "-DTRAMMEL_PAGE=OFF", code=1)
        self.assertIn("TRAMMEL_PYTHON needs TRAMMEL_PROGRAM", text)

    def test_bash_completes_commands_options_and_files(self):
        folder = self.make_folder()
        (folder / "arm.toml").touch()
        (folder / "arm.h5").touch()
        script = self.prefix / "share/bash-completion/completions/trammel"

        def complete(*words):
            line = " ".join(f"'{w}'" for w in words)
            return call("bash", "-c", f"source {script}; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
                        "_trammel; printf '%s\\n' \"${COMPREPLY[@]}\"", cwd=folder).split()

        self.assertEqual(complete("trammel", "ch"), ["check"])
        self.assertEqual(complete("trammel", "run", "ar"), ["arm.toml"])
        self.assertEqual(complete("trammel", "info", "ar"), ["arm.h5"])
        self.assertIn("--report", complete("trammel", "run", "--re"))
        self.assertEqual(complete("trammel", "schema", "--format", "m"), ["markdown"])


    def test_zsh_and_fish_understand_their_completions(self):
        share = self.prefix / "share"
        shells = 0
        if shutil.which("zsh"):
            call("zsh", "-n", share / "zsh/vendor-completions/_trammel")
            shells += 1
        if shutil.which("fish"):
            script = share / "fish/vendor_completions.d/trammel.fish"
            answer = call("fish", "-c", f"source {script}; complete -C 'trammel ch'; complete -C 'trammel run --repo'")
            self.assertEqual([line.split("\t")[0] for line in answer.splitlines()], ["check", "--report"])
            shells += 1
        if shells == 0:
            self.skipTest("neither zsh nor fish is installed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
