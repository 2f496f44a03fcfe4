# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, with the messages of the program `trammel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Optional

if TYPE_CHECKING:
    from trammel._core import Issue
    from trammel.results import Results


class Error(Exception):
    """Everything that Trammel raises."""


class InputError(Error, ValueError):
    """The input (model, settings, a channel's name) is wrong, found before any work is done.

    `issues` lists every problem: where it stands and what is wrong.
    """

    def __init__(self, issues: Iterable["Issue"]):
        self.issues: list["Issue"] = list(issues)
        super().__init__("\n".join(map(repr, self.issues)))


class IoError(Error, OSError):
    """A file cannot be read or written."""


class SimulationError(Error):
    """A simulation stopped before its end; the message is the whole failure report.

    `results` are those up to there.
    """

    results: Optional["Results"] = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. `results` are those up to there."""

    results: Optional["Results"] = None
