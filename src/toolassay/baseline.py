"""
Known failures: a file that lives with the implementation, and is strict.

An entry names a case or a vector, one clause, and what comes of it. A failure
that an entry describes is `xfail`. An entry that passes, fails differently, or
matches nothing inside the selection fails the run and is named.
`baseline_file` reads and rewrites the file; `Ledger` holds it against a run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from toolassay.results import CaseResult, Check, Problem
from toolassay.selection import Selection
from toolassay.spec.case import Case
from toolassay.statuses import Status, worst

Outcome = Literal["fail", "crashed", "timeout"]
"""What can be pinned."""

OUTCOMES: tuple[Outcome, ...] = ("fail", "crashed", "timeout")
"""The words for it."""

_FAILURES: dict[Status, str] = {
    "fail": "fail", "warn": "fail", "crashed": "crashed", "timeout": "timeout", "error": "error",
}  # fmt: skip
"""Outcome by status. A warning is a failure that this profile takes lightly."""

_PINNED: dict[Status, Outcome] = {
    "fail": "fail", "warn": "fail", "crashed": "crashed", "timeout": "timeout",
}  # fmt: skip
"""What is pinned, by status; an error of the adapter is to be mended, not pinned."""


Subject = tuple[str, str]
"""What an entry is about: a case and no vector, or no case and a vector."""

Key = tuple[str, str, str]
"""What tells one entry from another: its case, its vector, its clause."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One known failure."""

    clause: str
    """Id of the clause that is broken; always one."""
    case: str = ""
    """Id of the case; empty if the entry is for a vector."""
    vector: str = ""
    """Slug of the vector; empty if the entry is for a case."""
    outcome: Outcome = "fail"
    """What comes of it."""
    cases: int = 1
    """For a vector: how many of its cases fail, those with an entry of their own left out."""
    reason: str = ""
    """Why it fails, in a sentence."""
    link: str = ""
    """Where it is tracked."""
    flaky: bool = False
    """True if it may also pass."""

    @property
    def name(self) -> str:
        """The case or the vector."""
        return self.case or self.vector

    @property
    def subject(self) -> Subject:
        """Which of the two it is; the first case of a vector has the vector's name."""
        return self.case, self.vector

    @property
    def key(self) -> Key:
        """What no other entry has."""
        return self.case, self.vector, self.clause


def subjects_of(case: Case) -> tuple[Subject, Subject]:
    """Give what an entry about a case, or about its vector, would be about."""
    return (case.id, ""), ("", case.vector)


class Baseline(msgspec.Struct, frozen=True):
    """All known failures of one implementation."""

    entries: tuple[Entry, ...] = ()
    """The entries, flaky ones included."""
    flaky_max: int = 0
    """How many flaky checks may fail in one run."""
    path: str = ""
    """The file it was read from."""


class _Count(msgspec.Struct):
    """What a run has shown of one entry."""

    cases: int = 0
    """Cases in which the clause was judged."""
    failed: int = 0
    """Cases that failed as pinned."""
    not_run: int = 0
    """Cases in which it could not be judged."""
    different: str = ""
    """The first case that failed differently, and how."""


class Ledger:
    """A baseline held against one run; give it every result, in order, once."""

    def __init__(self, baseline: Baseline) -> None:
        self.baseline = baseline
        self._index = {entry.key: entry for entry in baseline.entries}
        self._counts = {key: _Count() for key in self._index}
        self._names = frozenset(entry.name for entry in baseline.entries)
        self._seen: set[Subject] = set()
        self._flaky = 0

    def apply(self, result: CaseResult) -> CaseResult:
        """Turn known failures into `xfail`, and stale ones into `xpass` and `changed`."""
        case = result.case
        if case.id not in self._names and case.vector not in self._names:
            return result
        self._seen.update(subjects_of(case))
        if result.observation is None:
            self._note_unjudged(result)
        entries = [
            (index, entry)
            for index, check in enumerate(result.checks)
            if (entry := self._entry(result, check)) is not None
        ]
        if not entries:
            return result
        checks = list(result.checks)
        for entry in dict.fromkeys(entry for _, entry in entries):
            self._judge(entry, checks, [index for index, of in entries if of is entry], case.id)
        status = worst({check.status for check in checks})
        return msgspec.structs.replace(result, checks=tuple(checks), status=status)

    def _note_unjudged(self, result: CaseResult) -> None:
        """Remember entries of other clauses than those that a case without answer names."""
        named = {check.clause for check in result.checks}
        subjects = subjects_of(result.case)
        for entry in self.baseline.entries:
            mine = entry.subject in subjects
            if mine and entry.clause not in named and result.status != "not_applicable":
                self._counts[entry.key].not_run += 1

    def _entry(self, result: CaseResult, check: Check) -> Entry | None:
        if check.status in {"not_applicable", "recorded"}:
            return None
        own = self._index.get((result.case.id, "", check.clause))
        return own or self._index.get(("", result.case.vector, check.clause))

    def _judge(self, entry: Entry, checks: list[Check], mine: list[int], case: str) -> None:
        """Rewrite the checks of one case that one entry is about."""
        count = self._counts[entry.key]
        if all(checks[index].status == "not_run" for index in mine):
            count.not_run += 1
            return
        count.cases += 1
        failing = [index for index in mine if checks[index].status in _FAILURES]
        for index in failing:
            outcome = _FAILURES[checks[index].status]
            known = outcome == entry.outcome
            checks[index] = msgspec.structs.replace(
                checks[index], status="xfail" if known else "changed"
            )
            if not known and not count.different:
                count.different = f"{case} is {outcome}, pinned is {entry.outcome}"
        if failing:
            count.failed += 1
            self._flaky += entry.flaky
        elif entry.case and not entry.flaky:
            for index in mine:
                if checks[index].status == "pass":
                    checks[index] = msgspec.structs.replace(checks[index], status="xpass")

    def problems(
        self, scope: Scope, scored: Collection[str], *, ended: bool
    ) -> tuple[Problem, ...]:
        """
        Name the entries that fail the run.

        Args:
            scope: What the run was about.
            scored: Clauses that the profile scores; entries of others are left alone.
            ended: Whether the run came to its end; if not, only what was seen is judged.
        """
        found = [
            problem
            for entry in self.baseline.entries
            if entry.clause in scored and scope.has(entry)
            for problem in self._problems(entry, ended=ended, whole=scope.has_all(entry))
        ]
        if self._flaky > self.baseline.flaky_max:
            text = f"{self._flaky} flaky failures, at most {self.baseline.flaky_max} are known"
            found.append(Problem("flaky", "flaky", "", text))
        return tuple(found)

    def _problems(self, entry: Entry, *, ended: bool, whole: bool) -> Iterator[Problem]:
        count = self._counts[entry.key]
        if count.different:
            yield _problem("changed", entry, count.different)
        elif not count.cases:
            if ended and whole and not count.not_run:
                yield _problem("unmatched", entry, self._why_unmatched(entry))
        elif entry.flaky:
            return
        elif entry.case:
            if not count.failed:
                yield _problem("xpass", entry, "it passes now; remove the entry")
        elif count.failed > entry.cases or (ended and whole and count.failed < entry.cases):
            if count.failed or count.not_run:
                text = f"{count.failed} cases fail, pinned are {entry.cases}"
                yield _problem("changed", entry, text)
            else:
                yield _problem("xpass", entry, "all of its cases pass now; remove the entry")

    def _why_unmatched(self, entry: Entry) -> str:
        kind = "case" if entry.case else "vector"
        if entry.subject not in self._seen:
            return f"no {kind} of this name was run"
        return f"the {kind} was run, and {entry.clause} was not judged in it"


class Scope(msgspec.Struct, frozen=True):
    """What a run is about, as far as a baseline must know it."""

    selection: Selection
    """What was asked for."""
    selected: frozenset[Subject]
    """The cases that were selected, and their vectors."""
    left_out: frozenset[Subject]
    """The cases that were not, and their vectors."""

    def has(self, entry: Entry) -> bool:
        """Tell whether an entry is about what was selected; an unknown name may be."""
        wanted = self.selection
        if entry.subject in self.selected or entry.subject in self.left_out:
            return entry.subject in self.selected and _judges(wanted, entry)
        return wanted.names(entry.name) and not wanted.contracts and _judges(wanted, entry)

    def has_all(self, entry: Entry) -> bool:
        """Tell whether every case that an entry is about was selected."""
        return bool(entry.case) or entry.subject not in self.left_out


def _judges(selection: Selection, entry: Entry) -> bool:
    return not selection.clauses or entry.clause in selection.clauses


def scope_of(known: Iterable[Case], selected: Sequence[Case], selection: Selection) -> Scope:
    """Work out what a run is about."""
    inside = {case.id for case in selected}
    outside = [case for case in known if case.id not in inside]
    return Scope(selection, _subjects(selected), _subjects(outside))


def _subjects(cases: Iterable[Case]) -> frozenset[Subject]:
    return frozenset(subject for case in cases for subject in subjects_of(case))


def _problem(kind: str, entry: Entry, text: str) -> Problem:
    return Problem(kind, entry.name, entry.clause, text)


class Failure(msgspec.Struct, frozen=True):
    """A case and a clause that fail, for `baseline update`."""

    case: str
    """The case."""
    vector: str
    """Its vector."""
    clause: str
    """The clause."""
    outcome: Outcome
    """What would be pinned."""
    is_warning: bool
    """True if this profile takes it lightly; it is kept, and not added."""


def failures(results: Iterable[CaseResult]) -> Iterator[Failure]:
    """Give each case and clause that fails."""
    for result in results:
        by_clause: dict[str, list[Status]] = {}
        for check in result.checks:
            if check.clause and check.status in _PINNED:
                by_clause.setdefault(check.clause, []).append(check.status)
        for clause, statuses in by_clause.items():
            status = worst(statuses)
            case = result.case
            yield Failure(case.id, case.vector, clause, _PINNED[status], status == "warn")
