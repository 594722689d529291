"""
Statuses of checks and cases, the verdict of a run, and exit codes.

A check has one status; a case shows its worst, in the order of `WORST_FIRST`.
A run has a verdict, and the exit code says the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import IntEnum
from typing import Literal

Status = Literal[
    "error", "crashed", "timeout", "fail", "changed", "xpass", "not_run",
    "xfail", "warn", "pass", "recorded", "not_applicable",
]  # fmt: skip
"""What came of a check, or of a case."""

WORST_FIRST: tuple[Status, ...] = (
    "error", "crashed", "timeout", "fail", "changed", "xpass", "not_run",
    "xfail", "warn", "pass", "recorded", "not_applicable",
)  # fmt: skip
"""All statuses; a case shows the first of these that one of its checks has."""

BAD: frozenset[Status] = frozenset(("fail", "changed", "xpass"))
"""Statuses that make an implementation non-conformant, or its baseline stale."""

NOT_JUDGED: frozenset[Status] = frozenset(("error", "crashed", "timeout", "not_run"))
"""Statuses of what was applicable and could not be judged."""

SCORED: frozenset[Status] = frozenset(("fail", "changed", "xpass", "xfail", "warn", "pass"))
"""Statuses of what was judged and counts."""

FAILED: frozenset[Status] = frozenset(
    ("error", "crashed", "timeout", "fail", "changed", "xpass", "not_run")
)
"""Statuses that fail a test."""

Verdict = Literal["conformant", "non-conformant", "broken", "unusable", "incomplete", "interrupted"]
"""What a run says in the end."""


class Exit(IntEnum):
    """Exit codes, the same for every verb."""

    CONFORMANT = 0
    """Conformant, or only known failures and none of them stale."""
    NON_CONFORMANT = 1
    """Non-conformant, the baseline is stale, or a check of our own failed."""
    USAGE = 2
    """Wrong usage, broken input, or a fault of the kit."""
    INCOMPLETE = 3
    """Something that applies could not be judged, or nothing applies."""
    UNUSABLE = 4
    """The adapter or the implementation cannot be used at all."""
    INTERRUPTED = 130
    """Interrupted; the reports have their footer."""


_VERDICTS: dict[Exit, Verdict] = {
    Exit.CONFORMANT: "conformant",
    Exit.NON_CONFORMANT: "non-conformant",
    Exit.USAGE: "broken",
    Exit.INCOMPLETE: "incomplete",
    Exit.UNUSABLE: "unusable",
    Exit.INTERRUPTED: "interrupted",
}

_PRECEDENCE = (
    Exit.INTERRUPTED, Exit.USAGE, Exit.UNUSABLE, Exit.NON_CONFORMANT, Exit.INCOMPLETE,
)  # fmt: skip


def worst(statuses: Collection[Status]) -> Status:
    """Give the worst of some statuses; of none at all it is `not_applicable`."""
    for status in WORST_FIRST:
        if status in statuses:
            return status
    return "not_applicable"


def exit_of(codes: Iterable[Exit]) -> Exit:
    """Give the one exit code that stands for several reasons."""
    given = frozenset(codes)
    return next((code for code in _PRECEDENCE if code in given), Exit.CONFORMANT)


def verdict_of(code: Exit) -> Verdict:
    """Give the word for an exit code."""
    return _VERDICTS[code]
