# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site that opens from disk: `./dev docs`.

    build.py --out FOLDER [--papers FOLDER]

Pages keep the places of their sources: docs/results.md becomes docs/results.html, so that links between documents hold on
the site as they do in the repository. The API of C++ comes from the comments of the headers, that of Python from the
built package (in PYTHONPATH), the tables of the papers from what `./dev papers` wrote.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import api
from pages import link_target, render, show_source

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

# By what a reader wants: to learn, to reach an aim, to look something up, to understand.
SECTIONS = [
    ("Start", ["README.md", "docs/README.md", "docs/guide.md"]),
    ("Tutorials", ["docs/tutorials/README.md", "docs/tutorials/*.md", "examples"]),
    ("How to", ["docs/install.md", "docs/command_line.md", "docs/report.md", "docs/python.md", "docs/urdf.md", "docs/live.md",
                "docs/machine_functions.md", "docs/analyses.md", "docs/resume.md", "docs/replay.md", "docs/faq.md"]),
    ("Reference", ["docs/model_file.md", "docs/expressions.md", "docs/results.md", "docs/json.md", "docs/glossary.md",
                   "docs/matrix.md", "docs/what_changed.md"]),
    ("Elements", ["docs/elements/README.md", "docs/elements/*.md"]),
    ("Python and C++", ["python", "cpp"]),
    ("Explanation", ["docs/choice.md", "docs/integrators/*.md", "docs/formulations/*.md", "docs/linear_solvers.md",
                     "docs/robustness.md"]),
    ("Papers", ["docs/papers.md", "papers"]),
    ("Extend", ["docs/recipes/*.md", "ARCHITECTURE.md", "bench/README.md", "CHANGELOG.md"]),
    ("More", ["docs/*.md"]),
]
COPIED = {".png", ".svg", ".jpg"}


@dataclass
class Page:
    target: Path  # below the site
    title: str
    body: str
    headings: list[tuple[str, str]] = field(default_factory=list)  # (id, text)


class Site:
    def __init__(self, out: Path, papers: Path | None):
        self.out = out
        self.papers = papers
        self.pages: dict[Path, Page] = {}
        self.sources: dict[Path, Path] = {}  # file of the repository -> page that shows it
        self.navigation: list[tuple[str, list[Path]]] = []

    def add(self, page: Page) -> Page:
        self.pages[page.target] = page
        return page

    # ---- documents

    def document(self, source: Path) -> Path:
        """A document of the repository and everything that it links to."""
        target = link_target(source.relative_to(ROOT))
        if target in self.pages:
            return target
        page = self.add(Page(target, "", ""))
        page.title, page.body, page.headings = render(
            source.read_text(encoding="utf-8"), lambda link: self.follow(source, target, link)
        )
        return target

    def follow(self, source: Path, page: Path, link: str) -> str:
        """Where a link of a document leads on the site."""
        if "://" in link or link.startswith(("#", "mailto:")):
            return link
        path, _, anchor = link.partition("#")
        file = (source.parent / path).resolve()
        if not file.exists() or not file.is_relative_to(ROOT):
            raise SystemExit(f"docs: {source.relative_to(ROOT)} links to {link}, which does not exist")
        if file.is_dir():
            found = self.folder(file)
        elif file.suffix == ".md":
            found = self.document(file)
        elif file.suffix in COPIED:
            found = self.copy(file, file.relative_to(ROOT))
        else:
            found = self.source(file)
        return relative(found, page) + (f"#{anchor}" if anchor else "")

    def copy(self, file: Path, target: Path) -> Path:
        (self.out / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, self.out / target)
        return target

    def source(self, file: Path) -> Path:
        """A file of the repository that is no document, shown as it is."""
        name = file.relative_to(ROOT)
        target = name.with_name(name.name + ".html")
        if target not in self.pages:
            text = file.read_text(encoding="utf-8", errors="replace")
            self.add(Page(target, str(name), f"<h1>{html.escape(str(name))}</h1>{show_source(text, file.suffix)}"))
        return target

    def folder(self, folder: Path) -> Path:
        """The files of a folder; of an example its README, the model, its twin."""
        if (folder / "README.md").exists():
            return self.document(folder / "README.md")
        target = folder.relative_to(ROOT) / "index.html"
        if target not in self.pages:
            page = self.add(Page(target, folder.name, ""))
            names = sorted(p for p in folder.iterdir() if p.suffix in {".toml", ".py", ".cpp", ".h", ".md"})
            items = [f'<li><a href="{self.follow(folder / "x", target, p.name)}">{p.name}</a></li>' for p in names]
            page.body = f"<h1>{folder.name}</h1><ul>{''.join(items)}</ul>"
        return target

    # ---- pages that are made

    def examples(self) -> Path:
        target = Path("examples/index.html")
        page = self.add(Page(target, "Examples", ""))
        cards = []
        for folder in sorted(p for p in (ROOT / "examples").iterdir() if (p / "README.md").exists()):
            shown = self.document(folder / "README.md")
            self.append_files(shown, folder)
            image = ROOT / f"docs/images/report_{folder.name}.png"
            picture = ""
            if image.exists():
                picture = f'<img src="{relative(self.copy(image, image.relative_to(ROOT)), target)}" alt="">'
            title = self.pages[shown].title
            cards.append(f'<a class="card" href="{relative(shown, target)}">{picture}<b>{title}</b></a>')
        models = self.folder(ROOT / "examples/models")
        page.body = (
            "<h1>Examples</h1><p>A ladder, one new idea each. The first ten are model files and the same in Python; "
            "both give the same numbers.</p>"
            f'<div class="cards">{"".join(cards)}</div>'
            "<p>More machines, benchmarks and the problems of the papers: "
            f'<a href="{relative(models, target)}">models</a>.</p>'
        )
        return target

    def append_files(self, target: Path, folder: Path) -> None:
        """The model file of an example and its twins, below its text."""
        page = self.pages[target]
        for suffix, title in [(".toml", "The model file"), (".py", "In Python"), (".cpp", "In C++")]:
            for file in sorted(folder.glob("*" + suffix)):
                anchor = f"file-{file.name.replace('.', '-')}"
                page.headings.append((anchor, title))
                page.body += f'<h2 id="{anchor}">{title}: {file.name}</h2>'
                page.body += show_source(file.read_text(encoding="utf-8"), suffix)

    def paper_pages(self) -> list[Path]:
        """What `./dev papers` wrote: each paper's README with its figures and tables."""
        if self.papers is None:
            return []
        made = []
        for folder in sorted(p for p in self.papers.iterdir() if (p / "README.md").exists()):
            target = Path("papers") / folder.name / "index.html"
            page = self.add(Page(target, folder.name, ""))

            def follow(link: str, folder: Path = folder) -> str:
                if "://" in link or link.startswith("#"):
                    return link
                self.copy(folder / link, Path("papers") / folder.name / link)
                return link

            page.title, page.body, page.headings = render((folder / "README.md").read_text(encoding="utf-8"), follow)
            page.title = folder.name
            tables = sorted(folder.glob("*.csv"))
            page.headings.append(("tables", "Tables"))
            page.body += '<h2 id="tables">Tables</h2>'
            for table in tables:
                self.copy(table, Path("papers") / folder.name / table.name)
                page.body += api.show_table(table)
            made.append(target)
        return made

    # ---- all of it

    def build(self) -> None:
        shown: set[Path] = set()
        for title, patterns in SECTIONS:
            targets: list[Path] = []
            for pattern in patterns:
                if pattern == "examples":
                    found = [self.examples()]
                elif pattern == "papers":
                    found = self.paper_pages()
                elif pattern == "python":
                    found = [self.add(Page(Path("api/python.html"), *api.python_page())).target]
                elif pattern == "cpp":
                    found = [
                        self.add(Page(Path(f"api/{name}.html"), *rest)).target for name, *rest in api.cpp_pages(ROOT)
                    ]
                else:
                    found = [self.document(path) for path in sorted(ROOT.glob(pattern))]
                targets += [target for target in found if target not in shown]
                shown.update(found)
            if targets:
                self.navigation.append((title, targets))
        for name in ["site.css", "site.js"]:
            self.copy(HERE / name, Path(name))
        for page in self.pages.values():
            path = self.out / page.target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.page_text(page), encoding="utf-8")
        self.write_index()

    def page_text(self, page: Page) -> str:
        top = relative(Path("site.css"), page.target)[: -len("site.css")]
        menu = []
        for title, targets in self.navigation:
            links = []
            for target in targets:
                here = ' class="here" aria-current="page"' if target == page.target else ""
                name = html.escape(short(self.pages[target].title))
                links.append(f'<a href="{relative(target, page.target)}"{here}>{name}</a>')
            menu.append(f"<h3>{title}</h3>{''.join(links)}")
        contents = "".join(f'<a href="#{anchor}">{html.escape(text)}</a>' for anchor, text in page.headings)
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(page.title)} – Trammel</title>
<link rel="stylesheet" href="{top}site.css">
<link rel="icon" href="data:,">
</head>
<body data-top="{top}">
<header><button id="menu" aria-label="Menu">☰</button><a class="brand" href="{top}index.html">Trammel</a>
<input id="search" type="search" placeholder="Search (/)" aria-label="Search"><div id="found" hidden></div></header>
<nav>{"".join(menu)}</nav>
<main>{page.body}</main>
<aside>{contents}</aside>
<script src="{top}search.js"></script>
<script src="{top}site.js"></script>
</body>
</html>
"""

    def write_index(self) -> None:
        """Titles, headings and keys of all pages for the search, as a script: pages from disk may not fetch files."""
        entries = []
        for page in self.pages.values():
            entries.append([page.title, page.target.as_posix(), ""])
            entries += [[text, f"{page.target.as_posix()}#{anchor}", page.title] for anchor, text in page.headings]
            entries += [[key, target, page.title] for key, target in keys_of(page)]
        (self.out / "search.js").write_text(
            f"window.searchIndex = {json.dumps(entries, ensure_ascii=False)};\n", encoding="utf-8"
        )


def keys_of(page: Page) -> list[tuple[str, str]]:
    """What stands as code in the first column of a page's tables, with the heading above it."""
    found: dict[str, str] = {}
    anchor = ""
    for match in re.finditer(r'<h[1-4] id="([^"]+)"|<tr>\s*<td[^>]*><code>([^<]+)</code>', page.body):
        if match[1]:
            anchor = "#" + match[1]
        else:
            found.setdefault(html.unescape(match[2]), page.target.as_posix() + anchor)
    return list(found.items())


def relative(target: Path, page: Path) -> str:
    """The way from one page to another."""
    a, b = page.parent.parts, target.parts
    common = 0
    while common < min(len(a), len(b) - 1) and a[common] == b[common]:
        common += 1
    return "/".join([".."] * (len(a) - common) + list(b[common:]))


def short(title: str) -> str:
    """A title as the menu shows it: "Integrator `radau`: Radau IIA …" is "radau"."""
    if title.startswith(("C++", "Python")):
        return title
    return re.sub(r"^(Integrator|Formulation|Recipe:?) ", "", title).split(":")[0]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--papers", type=Path)
    options = parser.parse_args()
    if options.out.exists():
        if any(options.out.iterdir()) and not (options.out / "site.css").exists():
            raise SystemExit(f"docs: {options.out} is not empty and no site; nothing was written")
        shutil.rmtree(options.out)
    options.out.mkdir(parents=True)
    site = Site(options.out, options.papers)
    site.build()
    print(f"{len(site.pages)} pages: {options.out / 'index.html'}")


if __name__ == "__main__":
    main()
