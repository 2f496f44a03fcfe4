# SPDX-License-Identifier: Apache-2.0
"""Reads what the comments of C++ headers say: the documentation of the API and of the Python package comes from there.

Understands the headers of this project: `///` blocks before a declaration, `///<` behind one, one declaration at a
time, formatted by clang-format. Not a C++ parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Entry:
    kind: str  # class, enum, function, variable, alias, value
    name: str
    declaration: str
    comment: str
    line: int
    members: list["Entry"] = field(default_factory=list)


@dataclass
class Header:
    path: Path
    comment: str  # of the file as a whole
    entries: list[Entry]


_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'')


def _code(line: str) -> str:
    """The line without comments and without the content of literals."""
    line = _LITERAL.sub('""', line)
    return line.split("//", 1)[0].rstrip()


def _comment_line(line: str) -> str:
    text = line.strip()[3:]
    return text[1:] if text.startswith(" ") else text


def _join(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n")


def _names(declaration: str) -> list[str]:
    """The names that a declaration of variables introduces: `double a = 0.0, b[2] = {0, 1};` gives a and b."""
    text = re.sub(r"\{[^{}]*\}", "", declaration)
    text = re.sub(r"<[^<>]*(<[^<>]*>)?[^<>]*>", "", text).rstrip(";")
    names = []
    for part in text.split(","):
        head = re.sub(r"\[[^\]]*\]", "", part.split("=")[0]).strip()
        match = re.search(r"([A-Za-z_]\w*)$", head)
        if match:
            names.append(match.group(1))
    return names


class _Reader:
    def __init__(self, path: Path):
        self.path = path
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.at = 0

    def read(self) -> Header:
        entries: list[Entry] = []
        comment = self._scope(entries, "namespace")
        return Header(self.path, comment, entries)

    def _skip_body(self, depth: int) -> None:
        while depth > 0 and self.at < len(self.lines):
            code = _code(self.lines[self.at])
            depth += code.count("{") - code.count("}")
            self.at += 1

    def _scope(self, entries: list[Entry], kind: str) -> str:
        """Reads declarations up to the brace that closes the scope; returns the comment of the file, if it is one."""
        comment: list[str] = []
        file_comment = ""
        public = kind != "class"
        while self.at < len(self.lines):
            raw = self.lines[self.at]
            text = raw.strip()
            if text.startswith("///") and not text.startswith("///<"):
                comment.append(_comment_line(raw))
                self.at += 1
                continue
            code = _code(raw).strip()
            if not code:
                if not text and comment and kind == "namespace":
                    file_comment = file_comment or _join(comment)
                    comment = []
                self.at += 1
                continue
            if code.startswith("#"):
                self.at += 1
                continue
            if code.startswith("}"):
                self.at += 1
                return file_comment
            label = re.match(r"(public|private|protected):$", code)
            if label:
                public = label.group(1) == "public"
                comment = []
                self.at += 1
                continue
            if code.startswith("namespace") and code.endswith("{"):
                file_comment = file_comment or _join(comment)
                comment = []
                self.at += 1
                hidden = code.split()[1].startswith("detail") or code.split()[1] == "{"
                inner = self._scope([] if hidden else entries, "namespace")
                file_comment = file_comment or inner
                continue
            entry = self._declaration(_join(comment))
            comment = []
            if entry is not None and public:
                entries.extend(entry)
        return file_comment

    def _declaration(self, comment: str) -> list[Entry] | None:
        line = self.at
        parts: list[str] = []
        trailing: list[str] = []
        parens = 0
        while self.at < len(self.lines):
            raw = self.lines[self.at]
            code = _code(raw)
            behind = raw.split("///<", 1)
            if len(behind) == 2:
                trailing.append(behind[1].strip())
            parts.append(code.strip())
            parens += code.count("(") - code.count(")")
            self.at += 1
            head = " ".join(parts)
            is_type = re.match(r"(template\s*<[^{;]*>\s*)?(class|struct|enum class|enum)\s+[\w:<>, ]+[^;(=]*\{$", head)
            if is_type and "{" in code:
                return self._type(head, comment, line)
            if parens == 0 and code.rstrip().endswith(";") and head.count("{") == head.count("}"):
                return self._finish(head, comment or " ".join(trailing), line)
            if parens == 0 and "(" in head and code.rstrip().endswith("{"):
                self._skip_body(head.count("{") - head.count("}"))
                return self._finish(head.rstrip("{").rstrip() + ";", comment, line)
            if parens == 0 and "(" in head and head.endswith("}") and head.count("{") == head.count("}"):
                return self._finish(re.sub(r"\s*\{.*\}$", ";", head), comment or " ".join(trailing), line)
        return None

    def _type(self, head: str, comment: str, line: int) -> list[Entry]:
        match = re.search(r"(class|struct|enum class|enum)\s+([A-Za-z_]\w*)", head)
        assert match is not None
        kind, name = match.groups()
        entry = Entry("enum" if kind.startswith("enum") else "class", name, head.rstrip("{").strip(), comment, line + 1)
        if entry.kind == "enum":
            self._values(entry)
        else:
            self._scope(entry.members, kind)
        return [entry]

    def _values(self, entry: Entry) -> None:
        above: list[str] = []
        while self.at < len(self.lines):
            raw = self.lines[self.at]
            self.at += 1
            if raw.strip().startswith("///"):
                above.append(_comment_line(raw))
                continue
            code = _code(raw)
            behind = raw.split("///<", 1)
            text = behind[1].strip() if len(behind) == 2 else ""
            for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"=[^,]*", "", code.split("}")[0])):
                entry.members.append(Entry("value", word, word, _join(above) or text, self.at))
            above = []
            if "}" in code:
                return

    def _finish(self, text: str, comment: str, line: int) -> list[Entry]:
        text = re.sub(r"\s+", " ", text).strip()
        if re.match(r"(class|struct|enum class)\s+\w+;", text) or text.startswith(("extern template", "static_assert")):
            return []
        alias = re.match(r"using (\w+) =", text)
        if alias:
            return [Entry("alias", alias.group(1), text, comment, line + 1)]
        if text.startswith(("using ", "friend ")):
            return []
        outside = text if "operator" in text else re.sub(r"<[^<>]*(<[^<>]*>)?[^<>]*>", "", text)
        before = outside.split("(", 1)[0]
        if "(" in outside and "=" not in before.replace("operator==", "").replace("operator=", ""):
            name = re.search(r"(operator\s*\S+|~?[A-Za-z_]\w*)\s*$", before)
            return [Entry("function", name.group(1) if name else before, text, comment, line + 1)]
        return [Entry("variable", name, text, comment, line + 1) for name in _names(text)]


def read_header(path: Path) -> Header:
    return _Reader(path).read()
