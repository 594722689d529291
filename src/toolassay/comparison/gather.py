"""
What the runs that are compared say: of each case its statuses and its behaviour.

They come from the events of a run, or from the report that an earlier run wrote.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from toolassay.comparison.behaviour import behaviour_of
from toolassay.results import CaseFinished, CaseResult, Event, RunStarted
from toolassay.spec.errors import InputError
from toolassay.statuses import NOT_JUDGED, Status, Verdict, worst

REPORT_MAX = 1024 * 1024 * 1024
"""Bytes of the largest report that is read."""

_BROKEN: frozenset[Status] = frozenset(("fail", "changed", "xfail"))


class ReportFileError(InputError):
    """A file is no report of a run, or not one that says what is compared."""

    code = "input.report"
    hint = "`toolassay run TARGET --ndjson FILE` writes one"


class Seen(msgspec.Struct, frozen=True):
    """What came of one case, for one implementation."""

    status: Status
    """The status of the case; a known failure counts as a failure."""
    clauses: dict[str, Status]
    """The worst status by clause."""
    behaviour: dict[str, str]
    """A word for each aspect that was seen."""

    @property
    def broken(self) -> tuple[str, ...]:
        """Give the clauses that it breaks, sorted."""
        return tuple(sorted(name for name, one in self.clauses.items() if one == "fail"))


class Compared(msgspec.Struct, frozen=True):
    """One implementation in a comparison."""

    label: str
    """What it is called here; unique."""
    name: str
    """Its name, as it says."""
    version: str
    """Its version, as it says."""
    target: str
    """How it was reached."""
    profile: str
    """By what it was judged."""
    verdict: Verdict
    """The verdict of its run."""
    cases: dict[str, Seen]
    """What was seen, by case."""


class Collector:
    """
    Consumes the events of one run.

    Args:
        label: What the implementation is called in the comparison.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._started: RunStarted | None = None
        self._cases: dict[str, Seen] = {}
        self._verdict: Verdict = "interrupted"

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, RunStarted):
            self._started = event
        elif isinstance(event, CaseFinished):
            self._cases[event.result.case.id] = seen_of(event.result)
        else:
            self._verdict = event.verdict

    def compared(self) -> Compared:
        """Give what was collected, once the run is over."""
        started = self._started
        assert started is not None, "a run begins with its first event"
        return Compared(
            self._label,
            started.implementation,
            started.version,
            started.target,
            started.profile,
            self._verdict,
            self._cases,
        )


def seen_of(result: CaseResult) -> Seen:
    """Give what is compared of a result."""
    observation = result.observation
    words = behaviour_of(result.case, observation) if observation is not None else {}
    return _seen(result.status, [(one.clause, one.status) for one in result.checks], words)


def _seen(status: Status, checks: list[tuple[str, Status]], words: dict[str, str]) -> Seen:
    clauses: dict[str, Status] = {}
    for clause, found in checks:
        if clause and found != "not_applicable":
            plain: Status = "fail" if found in _BROKEN else found
            clauses[clause] = worst((clauses.get(clause, plain), plain))
    return Seen("fail" if status in _BROKEN else status, clauses, words)


# --- reports of earlier runs ----------------------------------------------------------------


class _Check(msgspec.Struct, frozen=True):
    clause: str
    status: Status


class _Case(msgspec.Struct, frozen=True):
    id: str
    status: Status
    checks: tuple[_Check, ...] = ()
    behaviour: dict[str, str] = {}


class _Implementation(msgspec.Struct, frozen=True):
    name: str
    version: str = ""


class _Head(msgspec.Struct, frozen=True):
    target: str
    profile: str
    implementation: _Implementation
    schema_version: Literal[1] = 1


class _Line(msgspec.Struct, frozen=True):
    type: Literal["header", "case", "footer"]


class _Foot(msgspec.Struct, frozen=True):
    verdict: Verdict


class _Document(msgspec.Struct, frozen=True):
    """The one document that `--format json` writes."""

    kind: Literal["run"]
    verdict: Verdict
    cases: tuple[_Case, ...]


def read_report(path: Path, label: str) -> Compared:
    """
    Read the report of an earlier run, of either form.

    Raises:
        ReportFileError: It is none, or it cannot be read.
    """
    try:
        if path.stat().st_size > REPORT_MAX:
            raise ReportFileError(f"it has more than {REPORT_MAX} bytes", where=str(path))
        data = path.read_bytes()
    except OSError as fault:
        raise ReportFileError(f"cannot be read: {fault.strerror}", where=str(path)) from None
    first, _, _ = data.partition(b"\n")
    if first.strip() == b"{":  # written for people to look at: a document of many lines
        head, document = _read(_Head, data, path, 1), _read(_Document, data, path, 1)
        return _compared(label, head, document.verdict, list(document.cases))
    return _of_lines(data.splitlines(), path, label)


def _of_lines(lines: list[bytes], path: Path, label: str) -> Compared:
    head: _Head | None = None
    cases: list[_Case] = []
    verdict: Verdict = "interrupted"  # unless a last line says more
    for number, line in enumerate(lines, start=1):
        kind = _read(_Line, line, path, number).type
        if kind == "header":
            head = _read(_Head, line, path, number)
        elif kind == "case":
            cases.append(_read(_Case, line, path, number))
        else:
            verdict = _read(_Foot, line, path, number).verdict
    if head is None:
        raise ReportFileError("it has no header", where=str(path))
    return _compared(label, head, verdict, cases)


def _compared(label: str, head: _Head, verdict: Verdict, cases: list[_Case]) -> Compared:
    seen = {
        one.id: _seen(
            one.status, [(item.clause, item.status) for item in one.checks], one.behaviour
        )
        for one in cases
    }
    about = head.implementation
    return Compared(label, about.name, about.version, head.target, head.profile, verdict, seen)


_T = TypeVar("_T")


def _read(form: type[_T], data: bytes, path: Path, line: int) -> _T:
    try:
        return msgspec.json.decode(data, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        what = f"it is no report of a run: {fault}"
        raise ReportFileError(what, where=f"{path}:{line}") from None


def is_unjudged(seen: Seen) -> bool:
    """Tell whether a case applied and could not be judged."""
    return seen.status in NOT_JUDGED
