# SPDX-License-Identifier: Apache-2.0
"""Answers for scripts (`--json`) are what docs/json.md says, and one object whatever happens."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

program = os.environ["TRAMMEL_PROGRAM"]
root = Path(__file__).resolve().parents[2]
models = root / "tests" / "apps" / "models"


def stated_keys(section):
    """The keys of the tables of one section of the page, in order; `summary` inside run has a section of its own."""
    text = (root / "docs" / "json.md").read_text(encoding="utf-8")
    part = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    tables = [re.findall(r"^\| (`.*?) \|", table, re.M) for table in part.split("| key |")[1:]]
    return [[key for row in table for key in re.findall(r"`(\w+)`", row)] for table in tables]


class Json(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def ask(self, *words, code=0):
        done = subprocess.run([program, *map(str, words), "--json"], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        answer = json.loads(done.stdout)  # one object and nothing else
        self.assertEqual(sorted(answer), ["command", "errors", "exit_code", "format", "result", "trammel"])
        self.assertEqual((answer["format"], answer["command"], answer["exit_code"]), (1, words[0], code))
        return answer

    def expect_keys(self, result, section, table=0):
        self.assertEqual(sorted(result), sorted(stated_keys(section)[table]))

    def test_run_and_info_tell_the_same_run(self):
        result = self.ask("run", models / "pendulum.toml")["result"]
        self.expect_keys(result, "run")
        self.expect_keys(result["summary"], "run", 1)
        self.assertTrue(result["summary"]["completed"])
        self.assertGreater(result["summary"]["predicted_operations"], result["summary"]["predicted_numbers"])
        info = self.ask("info", "pendulum.h5")["result"]
        self.assertEqual(sorted(info), sorted(set(stated_keys("info")[0]) - {"model"}))
        self.assertEqual(info["frames"], result["frames"])
        self.assertEqual(info["time"][1], result["summary"]["t"])
        self.assertEqual(info["steps"], result["summary"]["steps"])
        self.assertIn("height", [channel["name"].split(".")[-1] for channel in info["channels"]])
        self.assertIn("[[joint]]", self.ask("info", "pendulum.h5", "--model")["result"]["model"])

    def test_check_tells_the_machine(self):
        result = self.ask("check", models / "four_bar.toml", code=2)["result"]  # `run` would refuse its redundant rows
        self.assertGreater(len(result["redundant"]), 0)
        self.expect_keys(result, "check")
        self.assertEqual(result["degrees_of_freedom"], 1)

    def test_check_tells_what_is_chosen(self):
        (Path(self.folder.name) / "rod.toml").write_text(
            '[[body]]\nname = "rod"\nmass = 1\ninertia = [1, 1, 1]\n[[joint]]\nname = "hinge"\nkind = "revolute"\n'
            'bodies = ["ground", "rod"]\npoint = [0, 0, 0]\naxis = "y"\n[analysis]\nend = 1\n')
        self.assertEqual(self.ask("check", "rod.toml")["result"]["choice"],
                         "tree of 1 freedom, not stiff: explicit pair in joint coordinates")

    def test_eigen_tells_the_modes(self):
        (Path(self.folder.name) / "mass.toml").write_text(
            '[[body]]\nname = "m"\nmass = 2\ninertia = [1, 1, 1]\n'
            '[[joint]]\nname = "rail"\nkind = "prismatic"\nbodies = ["ground", "m"]\npoint = [0, 0, 0]\naxis = "x"\n'
            '[[force]]\nname = "k"\nkind = "joint_spring"\njoint = "rail"\nstiffness = 8\n[analysis]\nend = 1\n')
        result = self.ask("eigen", "mass.toml")["result"]
        self.expect_keys(result, "eigen")
        self.assertAlmostEqual(result["modes"][0]["imaginary"], 2.0, places=6)  # √(k/m)

    def test_sweep_tells_every_case(self):
        result = self.ask("sweep", models / "pendulum.toml", "--set", "solver.h=1e-3,2e-3", "--quiet")["result"]
        self.expect_keys(result, "sweep")
        self.assertEqual([case["set"] for case in result["cases"]],
                         [{"solver.h": "1e-3"}, {"solver.h": "2e-3"}])
        self.assertEqual([case["exit_code"] for case in result["cases"]], [0, 0])

    def test_compare_tells_every_run_and_the_best(self):
        result = self.ask("compare", models / "pendulum.toml", "--across", "integrator=bdf|radau", "--tolerances", "1e-4",
                          "--quiet")["result"]
        self.expect_keys(result, "compare")
        self.assertEqual([run["setting"] for run in result["runs"]], ["bdf", "radau"])
        self.assertIn(result["best"]["integrator"], ("bdf", "radau"))

    def test_failures_are_answers_too(self):
        answer = self.ask("run", models / "two_mistakes.toml", code=2)
        self.assertIsNone(answer["result"])
        self.assertEqual(len(answer["errors"]), 2)
        self.assertRegex(answer["errors"][0]["where"], r"two_mistakes.toml:\d+:\d+$")
        answer = self.ask("info", "nowhere.h5", code=4)
        self.assertIn("nowhere.h5", answer["errors"][0]["message"])
        answer = self.ask("run", models / "breaks_at_0.2.toml", code=3)
        self.assertFalse(answer["result"]["summary"]["completed"])
        self.assertEqual(answer["errors"][0]["message"], answer["result"]["summary"]["failure"])


if __name__ == "__main__":
    unittest.main()
