# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: every link leads somewhere, and what the guide says works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from html.parser import HTMLParser
from pathlib import Path

from support import ROOT, PackageTest

import trammel

SITE = Path(os.environ["TRAMMEL_SITE"])


class Reader(HTMLParser):
    """Collects links and anchors of a page."""

    def __init__(self, page: Path):
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" and value:
                self.anchors.add(value)


class Site(PackageTest):
    @classmethod
    def setUpClass(cls) -> None:
        cls.pages = {page.resolve(): Reader(page) for page in SITE.rglob("*.html")}

    def test_every_link_leads_to_a_page_and_a_heading_that_exist(self) -> None:
        n_links = 0
        for page, content in self.pages.items():
            for link in content.links:
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(page=str(page.relative_to(SITE.resolve())), link=link):
                    self.assertTrue(target.is_file())
                    if anchor and target in self.pages:
                        self.assertIn(anchor, self.pages[target].anchors)
                n_links += 1
        self.assertGreater(n_links, 1000)

    def test_every_page_is_reached_from_the_start(self) -> None:
        reached, open_pages = set(), [(SITE / "index.html").resolve()]
        while open_pages:
            page = open_pages.pop()
            if page in reached or page not in self.pages:
                continue
            reached.add(page)
            open_pages += [(page.parent / link.partition("#")[0]).resolve() for link in self.pages[page].links]
        self.assertEqual(reached, set(self.pages))

    def test_it_has_what_was_promised(self) -> None:
        for name in [
            "docs/guide",
            "docs/elements/joints",
            "docs/integrators/bdf",
            "docs/formulations/index3",
            "docs/python",
            "api/python",
            "api/mechanics",
            "papers/yen1996/index",
            "examples/03_slider_crank/index",
        ]:
            self.assertIn((SITE / f"{name}.html").resolve(), self.pages)
        self.assertIn("How a run ended and what it cost.", (SITE / "api/simulation.html").read_text(encoding="utf-8"))
        self.assertIn("How a run ended and what it cost.", (SITE / "api/python.html").read_text(encoding="utf-8"))
        example = (SITE / "examples/03_slider_crank/index.html").read_text(encoding="utf-8")
        self.assertIn("slider_crank.py", example)
        self.assertIn("report_03_slider_crank.png", example)

    def test_no_page_names_a_place_of_this_machine(self) -> None:
        for page in self.pages:
            self.assertNotIn(str(ROOT), page.read_text(encoding="utf-8"), page)


class Documents(PackageTest):
    def blocks(self, document: str, language: str) -> list[str]:
        text = (ROOT / document).read_text(encoding="utf-8")
        return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    def test_the_guide_works_as_written(self) -> None:
        models = self.blocks("docs/guide.md", "toml")
        (self.folder / "arm.toml").write_text(models[0])
        arm = trammel.load(self.folder / "arm.toml")
        self.assertEqual(arm.check().degrees_of_freedom, 2)
        self.assertTrue(arm.run().completed)
        (self.folder / "arm.toml").write_text("".join(models))
        script = self.folder / "guide.py"
        script.write_text("".join(self.blocks("docs/guide.md", "python")))
        said = subprocess.run([sys.executable, script], cwd=self.folder, capture_output=True, text=True, check=True)
        torques = [float(line.split()[1]) for line in said.stdout.splitlines()]
        self.assertEqual(len(torques), 3)
        self.assertGreater(min(torques), 1.0)

    def test_the_page_on_python_works_as_written(self) -> None:
        blocks = self.blocks("docs/python.md", "python")
        self.assertEqual(len(blocks), 5)
        os.chdir(self.folder)
        model = (
            "import trammel, numpy as np\nmodel = trammel.Model().analysis(end=0.05)\n"
            "model.body('rod', mass=1, inertia=[1, 1, 1])\n"
            "for i in range(100):\n"
            "    model.body(f'link_{i}', mass=1, inertia=[1, 1, 1], position=[i + 1, 0, 0])\n"
            "    model.joint(f'pin_{i}', kind='revolute', bodies=[f'link_{i}'], point=[i, 0, 0], axis='y')\n"
            "for ball in ['ball', 'ball_1', 'ball_2', 'ball_3']:\n"
            "    model.body(ball, kind='particle', mass=1, velocity=[1, 0, 0])\n"
        )
        exec(blocks[0], {})
        self.assertTrue((self.folder / "pendulum.html").exists())
        space: dict[str, object] = {}
        for block in [model, *blocks[1:], "results = model.run()"]:
            exec(block, space)
        results = space["results"]
        assert isinstance(results, trammel.Results)
        self.assertTrue(results.completed)
        self.assertLess(results["ball_2.velocity.x"][-1], 0.9999)
        self.assertGreater(abs(results["band.applied_force"]).max(), 10)


if __name__ == "__main__":
    unittest.main()
