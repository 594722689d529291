"""The report of `check`: where a file breaks a clause, and the lines that show it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from toolassay.check import Divergence, Summary
from toolassay.check_errors import CheckError
from toolassay.check_reading import Block
from toolassay.printable import clipped, many, printable
from toolassay.reports.documents import SCHEMA_VERSION, Json, encoded, host_part
from toolassay.reports.out import Out, Style
from toolassay.reports.timeline import drawn, view
from toolassay.reports.words import count_words, event_words
from toolassay.spec.errors import ToolassayError
from toolassay.spec.register import Clause, Register
from toolassay.statuses import Exit, Status, exit_of, verdict_of

SHOWN_MAX = 10
"""Divergences that are shown, unless all are asked for."""

LISTED_MAX = 1000
"""Divergences that a JSON document lists; all are counted."""

CONTEXT_MAX = 5
"""Lines that are shown for one divergence."""


class Options(msgspec.Struct, frozen=True):
    """How a file is reported."""

    name: str
    """What the file is called."""
    broken: dict[str, Status]
    """Status of a broken clause; a clause that is not here is not scored."""
    show_all: bool = False
    """Whether every divergence is shown."""
    quiet: bool = False
    """Whether the verdict alone is printed."""
    is_json: bool = False
    """Whether one document is written at the end."""


class Conclusion(msgspec.Struct, frozen=True):
    """What a file comes to."""

    summary: Summary
    """What was read."""
    code: Exit
    """The exit code."""
    reasons: tuple[str, ...]
    """Why it is not `conformant`, in sentences."""
    seconds: float
    """How long it took."""


def status_of(divergence: Divergence, broken: Mapping[str, Status]) -> Status:
    """Give the status of a divergence: what the profile does not score is only recorded."""
    if divergence.finding.recorded:
        return "recorded"
    return broken.get(divergence.finding.clause, "recorded")


class CheckReport:
    """
    Takes divergences as they are found.

    Args:
        out: Where to write.
        register: All clauses.
        options: How.
    """

    def __init__(self, out: Out, register: Register, options: Options) -> None:
        self.out = out
        self.register = register
        self.options = options
        self.counts: Counter[str] = Counter()
        self.clauses: Counter[str] = Counter()
        self.recorded: Counter[str] = Counter()
        self.listed: list[Json] = []

    def take(self, divergence: Divergence, recent: Sequence[Block]) -> None:
        """Take one divergence."""
        finding = divergence.finding
        status = status_of(divergence, self.options.broken)
        self.counts[status] += 1
        if status == "recorded":
            self.recorded[finding.clause] += 1
            return
        self.clauses[finding.clause] += 1
        if self.options.is_json:
            if len(self.listed) < LISTED_MAX:
                self.listed.append(_listed(divergence, status))
        elif not self.options.quiet and (
            self.options.show_all or self.clauses.total() <= SHOWN_MAX
        ):
            clause = self.register.clauses.get(finding.clause)
            for line in block(
                self.options.name, divergence, clause, status, recent, self.out.style
            ):
                self.out.line(line)
            self.out.line()
            self.out.flush()

    def finish(self, summary: Summary, fault: ToolassayError | None, seconds: float) -> Conclusion:
        """Say what it comes to."""
        reasons: dict[Exit, str] = {}
        if fault is not None:
            reasons[Exit.USAGE] = _fault_words(fault, summary)
        if self.counts["fail"]:
            number, clauses = self.counts["fail"], len(self._failed())
            reasons[Exit.NON_CONFORMANT] = (
                f"{many(number, 'divergence')} of {many(clauses, 'clause')}"
            )
        if fault is None and not summary.judged_any:
            reasons[Exit.INCOMPLETE] = "nothing in the file can be judged"
        code = exit_of(reasons)
        if self.options.is_json:
            self.out.write(encoded(self._document(summary, fault, reasons, seconds)))
        else:
            self._words(summary, code, reasons)
        self.out.flush()
        return Conclusion(summary, code, tuple(reasons.values()), seconds)

    def _failed(self) -> list[str]:
        return sorted(name for name in self.clauses if self.options.broken.get(name) == "fail")

    def _words(self, summary: Summary, code: Exit, reasons: dict[Exit, str]) -> None:
        if not self.options.quiet:
            hidden = self.clauses.total() - SHOWN_MAX
            if hidden > 0 and not self.options.show_all:
                self.out.line(f"... {hidden} more of {count_words(self.clauses)}. All: --all")
                self.out.line()
            if summary.items:
                what = "observation" if summary.form == "observations" else "event"
                watched = many(len(summary.clauses), "clause")
                self.out.line(f"{many(summary.items, what)}, {watched} watched")
            if self.recorded:
                self.out.line(f"recorded, not scored: {count_words(self.recorded)}")
        said = "; ".join(reasons.values()) or "nothing is broken"
        colour = "green" if code is Exit.CONFORMANT else "red"
        self.out.line(f"{self.out.style.paint(verdict_of(code).upper(), colour)}: {said}")

    def _document(
        self,
        summary: Summary,
        fault: ToolassayError | None,
        reasons: dict[Exit, str],
        seconds: float,
    ) -> Json:
        code = exit_of(reasons)
        document: Json = {
            "schema_version": SCHEMA_VERSION,
            "kind": "check",
            "file": self.options.name,
            "form": summary.form,
            "verdict": verdict_of(code),
            "exit_code": int(code),
            "reasons": list(reasons.values()),
            "items": summary.items,
            "counts": {key: self.counts[key] for key in ("fail", "warn", "recorded")},
            "clauses_judged": sorted(summary.clauses),
            "broken_clauses": self._failed(),
            "divergences": self.listed,
            "divergences_left_out": self.clauses.total() - len(self.listed),
            "error": _error(fault),
            "host": host_part(seconds),
        }
        return document


def block(
    name: str,
    divergence: Divergence,
    clause: Clause | None,
    status: Status,
    recent: Sequence[Block],
    style: Style,
) -> Iterator[str]:
    """Show one divergence: where it is, what the clause says, and the lines that show it."""
    finding, at = divergence.finding, divergence.at
    where = f"line {at.line}, byte {at.byte}" if at else "at the end"
    if divergence.recording:
        where += f" ({printable(divergence.recording, 60)})"
    word = style.paint("broken", "red") if status == "fail" else style.paint("warning", "yellow")
    yield f"{printable(name, 200)}: {where}: {finding.clause} {word}"
    if clause is not None:
        yield from _folded("", clause.text, style.width)
    yield ""
    yield from (clipped(line, style.width) for line in _context(divergence, recent, style.width))
    yield from _folded("expected  ", finding.expected, style.width)
    yield from _folded("observed  ", finding.observed, style.width)
    yield f"  why:      toolassay explain {finding.clause}"


def _error(fault: ToolassayError | None) -> Json | None:
    if fault is None:
        return None
    at = {"line": fault.line, "byte": fault.byte} if isinstance(fault, CheckError) else {}
    return {"code": fault.code, "message": str(fault), **at}


def _fault_words(fault: ToolassayError, summary: Summary) -> str:
    what = "observation" if summary.form == "observations" else "event"
    judged = f"; {many(summary.items, what)} before it judged" if summary.items else ""
    hint = f"; {fault.hint}" if fault.hint else ""
    return f"{printable(str(fault), 400)}{judged}{hint}"


def _listed(divergence: Divergence, status: Status) -> Json:
    finding, at = divergence.finding, divergence.at
    return {
        "clause": finding.clause,
        "check": finding.check,
        "status": status,
        "line": at.line if at else None,
        "byte": at.byte if at else None,
        "recording": divergence.recording,
        "call": finding.call,
        "expected": finding.expected,
        "observed": finding.observed,
    }


def _context(divergence: Divergence, recent: Sequence[Block], width: int) -> Iterator[str]:
    """Show the last events of the same call, up to the one that broke a clause."""
    at, call = divergence.at, divergence.finding.call
    if divergence.observation is not None:
        table = view(divergence.observation, divergence.finding)
        yield from (f"  {line}" for line in (drawn(table, width - 2) if table else ()))
        yield ""
    if at is None or not recent:
        return
    shown: list[str] = []
    for block in reversed(recent):
        start = len(block.deliveries) - 1
        for index in range(start, -1, -1):
            event = block.deliveries[index].event
            place = (
                block.position(index)
                if event.tool_execution_id == call or block is recent[-1]
                else None
            )
            if place is None or place.line > at.line:
                continue
            here = place.line == at.line
            if here or (call and event.tool_execution_id == call):
                mark = "  <- here" if here else ""
                shown.append(f"  line {place.line:<8} {event_words(event, {})}{mark}")
            if len(shown) >= CONTEXT_MAX:
                break
    yield from reversed(shown)
    if shown:
        yield ""


def _folded(lead: str, text: str, width: int) -> Iterator[str]:
    room = max(20, width - len(lead) - 2)
    parts = textwrap.wrap(printable(text, 600), room, max_lines=4, placeholder=" ...")
    for number, part in enumerate(parts or [""]):
        yield f"  {lead if number == 0 else ' ' * len(lead)}{part}"
