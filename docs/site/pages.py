# SPDX-License-Identifier: Apache-2.0
"""Documents in Markdown as pages: what the repository's host shows, the site shows too."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Callable

import markdown
from markdown.treeprocessors import Treeprocessor
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LEXERS = {".toml": "toml", ".py": "python", ".cpp": "cpp", ".h": "cpp", ".sh": "bash", "sh": "bash"}


def link_target(source: Path) -> Path:
    """Where the page of a document stands: README.md is the index of its folder."""
    return source.parent / "index.html" if source.name == "README.md" else source.with_suffix(".html")


def slug(text: str, _: str = "-") -> str:
    """The anchor of a heading, as the repository's host makes it."""
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def show_source(text: str, language: str) -> str:
    name = LEXERS.get(language, language.lstrip("."))
    try:
        return highlight(text, get_lexer_by_name(name), HtmlFormatter(cssclass="code"))
    except ClassNotFound:
        return f'<div class="code"><pre>{html.escape(text)}</pre></div>'


_FENCE = re.compile(r"^(\s*)```(\w*)\s*$")
_ITEM = re.compile(r"^\s*([*-]|\d+\.)\s")


def _prepare(text: str) -> str:
    """Small liberties that hosts allow and the converter does not: lists and tables right after a paragraph, fenced
    blocks inside lists."""
    lines: list[str] = []
    fence: tuple[str, bool] | None = None  # indent, and whether it becomes an indented block
    source = text.splitlines()
    for i, line in enumerate(source):
        match = _FENCE.match(line)
        if match and fence is None:
            inside_list = bool(match.group(1))
            fence = (match.group(1), inside_list)
            lines.append("" if inside_list else line)
            continue
        if fence is not None:
            indent, inside_list = fence
            if match:
                fence = None
                lines.append("" if inside_list else line)
            elif inside_list:
                lines.append(" " * 8 + line[len(indent) :])
            else:
                lines.append(line)
            continue
        before = lines[-1] if lines else ""
        starts_table = line.startswith("|") and i + 1 < len(source) and re.match(r"^\|[ :|-]+\|?$", source[i + 1])
        starts_list = _ITEM.match(line) and not line.startswith(" ")
        if starts_table and before.strip() and not before.startswith("|"):
            lines.append("")
        if starts_list and before.strip() and not _ITEM.match(before) and not before.startswith(" "):
            lines.append("")
        if _ITEM.match(line) and line.startswith("  ") and not line.startswith("    "):
            line = "    " + line.lstrip()  # a list in a list
        lines.append(line)
    return "\n".join(lines)


class _Links(Treeprocessor):
    def __init__(self, md: markdown.Markdown, follow: Callable[[str], str]):
        super().__init__(md)
        self.follow = follow

    def run(self, root):  # type: ignore[no-untyped-def]
        for element in root.iter():
            for attribute in ("href", "src"):
                link = element.get(attribute)
                if link is not None and element.tag in ("a", "img"):
                    element.set(attribute, self.follow(link))
        return None


def render(text: str, follow: Callable[[str], str]) -> tuple[str, str, list[tuple[str, str]]]:
    """(title, page, headings as (anchor, text)) of a document; `follow` says where links lead."""
    md = markdown.Markdown(
        extensions=["tables", "fenced_code", "toc", "sane_lists", "codehilite"],
        extension_configs={
            "toc": {"slugify": slug},
            "codehilite": {"guess_lang": False, "css_class": "code"},
        },
    )
    md.treeprocessors.register(_Links(md, follow), "links", 0)
    page = md.convert(_prepare(text))
    page = page.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
    title = ""
    headings = []

    def walk(tokens: list[dict]) -> None:  # type: ignore[type-arg]
        nonlocal title
        for token in tokens:
            name = html.unescape(token["name"])
            if token["level"] == 1 and not title:
                title = name
            elif token["level"] <= 2:
                headings.append((token["id"], name))
            walk(token["children"])

    walk(md.toc_tokens)  # type: ignore[attr-defined]
    return title or "Trammel", page, headings


def render_comment(text: str) -> str:
    """A comment of the code: Markdown in which every indented line is an equation or an example."""
    lines: list[str] = []
    equations = False
    for line in text.splitlines():
        if not line.strip():
            lines.append("")
            continue
        indented = line.startswith("  ")
        starts_table = line.startswith("|") and lines and not lines[-1].startswith("|")
        if (indented != equations or starts_table) and lines and lines[-1] != "":
            lines.append("")
        if indented:
            lines.append("  " + line if line.startswith("    ") else "    " + line[2:])
        else:
            lines.append(html.escape(line, quote=False) if "<" in line else line)
        equations = indented
    return markdown.markdown("\n".join(lines), extensions=["tables"])
