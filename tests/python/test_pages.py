# SPDX-License-Identifier: Apache-2.0
"""What the pages print works: every command in a block of `sh`, every block of Python, every whole model.

Each page has a folder of its own, in which its blocks run from top to bottom. A block of TOML whose page calls it by a name ("save this as
`arm.toml`") is written there. Of commands that install, build or test the project itself only the words are looked at.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from functools import lru_cache
from pathlib import Path

from support import ROOT, PackageTest

PROGRAM = os.environ["TRAMMEL_PROGRAM"]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"`([\w]+\.toml)`")

# A machine that does not get to its end: what is done then is on the page.
STUCK = """
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[force]]
name = "push"
kind = "force"
body = "rod"
force = ["sqrt(0.2 - t)", 0, 0]
[analysis]
end = 1
"""

# One that is stopped on its way.
SWINGING = """
[[body]]
name = "bob"
kind = "particle"
mass = 1
position = [1, 0, 0]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "bob"]
point = [0, 0, 0]
point_b = [1, 0, 0]
[analysis]
end = 10
[solver]
h = 2e-5
"""

# What a page takes for granted: files of the repository under the names that it calls them by, and runs before its first command.
TAKES = {
    "docs/resume.md": ({"crane.toml": SWINGING}, ["interrupt trammel run crane.toml -q"]),
    "docs/replay.md": ({"crane.toml": STUCK}, ["! trammel run crane.toml -q"]),
    "docs/command_line.md": ({"slider_crank.toml": "examples/03_slider_crank/slider_crank.toml"}, []),
    "docs/json.md": ({"slider_crank.toml": "examples/03_slider_crank/slider_crank.toml"}, []),
    "docs/results.md": ({"slider_crank.toml": "examples/03_slider_crank/slider_crank.toml"}, ["trammel run slider_crank.toml -q"]),
    "docs/report.md": (
        {"slider_crank.toml": "examples/03_slider_crank/slider_crank.toml"},
        ["trammel run slider_crank.toml -q -o coarse.h5", "trammel run slider_crank.toml -q -o fine.h5"],
    ),
    "docs/gradients.md": ({"swing.toml": "examples/identification/swing.toml"}, []),
    "docs/urdf.md": ({"arm.urdf": "examples/robots/arm.urdf"}, []),
}
# Pages whose commands are alternatives: each begins with what the page takes for granted.
ALTERNATIVES = {"docs/resume.md"}
# Pages whose Python is a list of parts of one program, which test_site.py runs with what belongs between them, or needs a cluster, as
# tests/slow/dask_workers.py has one.
ELSEWHERE = {"docs/python.md", "docs/guide.md", "docs/many_machines.md"}
# The project itself, and several processes: `tests/install`, `tests/slow/ranks.py` and the person who calls them see to these.
PROJECT = re.compile(r"^(apt|cmake|mpirun|pip|build/venv/bin/python$)|^\./dev (?!run |trammel )")


def blocks_of(page: Path) -> list[tuple[str, str, str]]:
    """Language, text, and the prose before it, of each block of a page."""
    text = page.read_text(encoding="utf-8")
    found, end = [], 0
    for match in BLOCK.finditer(text):
        found.append((match[1], match[2], text[end : match.start()]))
        end = match.end()
    return found


def commands_of(block: str) -> list[str]:
    """Without remarks; `./dev run` is `trammel run`."""
    lines = [re.sub(r"\s+#.*$", "", line).strip() for line in block.splitlines()]
    return [re.sub(r"^\./dev (trammel |(?=run ))", "trammel ", line) for line in lines if line and not line.startswith("#")]


@lru_cache(maxsize=None)
def help_of(*words: str) -> str:
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


class Pages(PackageTest):
    def run_command(self, line: str) -> None:
        """Runs a line as a shell would; what serves until Ctrl-C is ended when it serves."""
        must_fail, stopped = line.startswith("! "), line.startswith("interrupt ")
        line = line.removeprefix("! ").removeprefix("interrupt ")
        folder = self.folder / ".bin"
        folder.mkdir(exist_ok=True)
        if not (folder / "trammel").exists():
            (folder / "trammel").symlink_to(PROGRAM)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        serves = " --live" in line or line.startswith("trammel watch")
        if serves:
            line += " --port 0"
        child = subprocess.Popen(["bash", "-c", f"exec {line}" if serves or stopped else line], cwd=self.folder, env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if serves:
            assert child.stdout
            said = ""
            while "http://127.0.0.1:" not in said and (more := child.stdout.readline()):
                said += more
            self.assertIn("http://127.0.0.1:", said)
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
        if stopped:
            while child.poll() is None and not list(self.folder.glob("*.h5")):
                time.sleep(0.01)
            time.sleep(0.02)
            child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=300)[0]
        if must_fail:
            self.assertEqual(child.returncode, 3, f"{line}\n{said}")
        elif stopped:
            self.assertEqual(child.returncode, 130, f"{line}\n{said}")
        elif serves:
            self.assertIn(child.returncode, (0, 130), f"{line}\n{said}")
        else:
            self.assertEqual(child.returncode, 0, f"{line}\n{said}")

    def prepare(self, name: str) -> None:
        for file in self.folder.iterdir():
            shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
        (self.folder / "examples").symlink_to(ROOT / "examples")
        files, commands = TAKES.get(name, ({}, []))
        for file, source in files.items():
            text = source if "\n" in source else (ROOT / source).read_text(encoding="utf-8")
            (self.folder / file).write_text(text, encoding="utf-8")
        for command in commands:
            self.run_command(command)

    def run_page(self, page: Path) -> tuple[int, int]:
        """How many commands ran, and how many blocks of Python."""
        name = str(page.relative_to(ROOT))
        blocks = blocks_of(page)
        if not any(language in ("sh", "python") for language, _, _ in blocks):
            return 0, 0
        self.prepare(name)
        n_commands = n_scripts = 0
        saved: dict[str, str] = {}
        for language, text, before in blocks:
            if language == "toml" and name.startswith(("docs/tutorials/", "docs/guide")):
                names = SAVED.findall(before)
                if names:
                    saved[names[-1]] = text
                elif saved:
                    saved[list(saved)[-1]] += text  # goes on with the file
                for file, content in saved.items():
                    (self.folder / file).write_text(content, encoding="utf-8")
            if language == "sh":
                for line in commands_of(text):
                    if PROJECT.match(line) or "/usr/share/" in line:
                        continue
                    if name in ALTERNATIVES:
                        self.prepare(name)
                    with self.subTest(page=name, command=line):
                        self.run_command(line)
                        n_commands += 1
            if language == "python" and name not in ELSEWHERE:
                with self.subTest(page=name, script=text):
                    said = subprocess.run([sys.executable, "-c", text], cwd=self.folder, capture_output=True, text=True)
                    self.assertEqual(said.returncode, 0, said.stderr)
                    n_scripts += 1
        return n_commands, n_scripts

    def test_commands_and_scripts_of_every_page_run(self) -> None:
        counts = [self.run_page(page) for page in PAGES]
        self.assertGreater(sum(n for n, _ in counts), 35)
        self.assertGreater(sum(n for _, n in counts), 4)

    def test_every_whole_model_is_ready_to_run(self) -> None:
        """Elements' and tutorials' models run in tests/claims/docs.cpp; those of all other pages are checked here."""
        n_models = 0
        for page in PAGES:
            name = str(page.relative_to(ROOT))
            if name.startswith(("docs/elements/", "docs/tutorials/")):
                continue
            for language, text, _ in blocks_of(page):
                if language != "toml" or not ("[[body]]" in text and "[analysis]" in text):
                    continue
                (self.folder / "model.toml").write_text(text, encoding="utf-8")
                with self.subTest(page=name, model=text):
                    self.run_command("trammel check model.toml")
                    n_models += 1
        self.assertGreaterEqual(n_models, 2)

    def test_every_command_that_is_named_exists_with_its_options(self) -> None:
        """`trammel run --resume` anywhere in a page: the program knows the command and each option."""
        known = set(re.findall(r"^  (\w+) +\S", help_of(), re.MULTILINE))
        self.assertIn("sweep", known)
        n_options = 0
        for page in PAGES:
            if page.name == "CHANGELOG.md":
                continue  # of other versions
            text = page.read_text(encoding="utf-8")
            named = [*re.findall(r"`((?:\./dev )?trammel [^`\n]+)`", text), *re.findall(r"^(?:    )?((?:\./dev )?trammel [a-z].*)$", text, re.MULTILINE)]
            for line in named:
                words = re.sub(r"\s+#.*$", "", line).replace("./dev ", "").split()
                if len(words) < 2 or words[1].startswith("-") or not re.fullmatch(r"[a-z]+", words[1]):
                    continue
                with self.subTest(page=str(page.relative_to(ROOT)), command=line):
                    self.assertIn(words[1], known)
                    said = help_of(words[1])
                    for option in re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", " ".join(words[2:]).split("|")[0]):
                        self.assertRegex(said, rf"(^|[\s,]){option}([\s,=]|$)")
                        n_options += 1
        self.assertGreater(n_options, 60)

    def test_every_command_of_dev_that_is_named_exists(self) -> None:
        script = (ROOT / "dev").read_text(encoding="utf-8")
        known = set(re.findall(r"^  ([a-z]+)(?: \| [^)]*)?\)", script, re.MULTILINE))
        named = set()
        for page in PAGES:
            if page.name != "CHANGELOG.md":
                named |= set(re.findall(r"\./dev ([a-z]+)", page.read_text(encoding="utf-8")))
        self.assertLessEqual(named, known)
        self.assertGreater(len(named), 8)


if __name__ == "__main__":
    unittest.main()
