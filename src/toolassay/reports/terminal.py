"""
The report for people: divergences first, the verdict last.

The first divergence of each clause is shown in full, as soon as it is found,
up to `FULL_MAX` of them; the others are counted by family. A case that breaks
several clauses is shown once, by the clause that its vector is about, with the
others named.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping

from toolassay.printable import many, printable
from toolassay.reports.out import Out
from toolassay.reports.telling import most_telling_first
from toolassay.reports.words import count_words
from toolassay.results import CaseFinished, CaseResult, Check, Event, RunFinished, RunStarted
from toolassay.selection import family_of
from toolassay.spec.register import Register
from toolassay.statuses import NOT_JUDGED, SCORED, Exit, Status

FULL_MAX = 5
"""Divergences that are shown in full, unless all are asked for."""

PROBLEMS_MAX = 20
"""Baseline entries that are named, unless all are asked for."""

_SHOWN = NOT_JUDGED | {"fail", "changed"}
"""Statuses of checks that are divergences, or stand in the way of finding them."""

_VERDICT_COLOURS = {Exit.CONFORMANT: "green", Exit.INCOMPLETE: "yellow"}


class Terminal:
    """
    Consumes the events of a run and writes text.

    Args:
        out: Where to write.
        register: All clauses.
        show_all: Whether every divergence is shown, warnings too.
        quiet: Whether the verdict alone is written.
        other: Where all divergences can be found, such as the name of a report file.
    """

    def __init__(
        self,
        out: Out,
        register: Register,
        *,
        show_all: bool = False,
        quiet: bool = False,
        other: str = "",
    ) -> None:
        self.out = out
        self.register = register
        self.show_all = show_all
        self.quiet = quiet
        self.other = other
        self.started: RunStarted | None = None
        self.full = 0
        self.told: set[tuple[str, str]] = set()
        self.drawn = ""
        self.shown: set[str] = set()
        self.hidden: dict[str, Counter[str]] = {}
        self.marginal: dict[str, Counter[str]] = {"warn": Counter(), "recorded": Counter()}

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, CaseFinished):
            self._case(event.result)
        elif isinstance(event, RunStarted):
            self.started = event
        else:
            self._finish(event)

    def _case(self, result: CaseResult) -> None:
        # Nearly all checks pass, and a check that passes has no findings.
        passes = result.status in {"pass", "recorded"}
        checks = [one for one in result.checks if one.findings or not passes]
        for check in most_telling_first(result.case, checks):
            if check.status in _SHOWN or (check.status == "warn" and self.show_all):
                self._divergence(result, check)
            elif check.status in self.marginal and check.findings:
                self.marginal[check.status][check.clause] += 1

    def _divergence(self, result: CaseResult, check: Check) -> None:
        """Show a divergence in full, or count it."""
        # A case that crashed has one check per clause, and they all say the same.
        key = f"{check.status} {check.why}" if check.status in NOT_JUDGED else check.clause
        # Of several checks of a case that say the same, the first speaks for all.
        about = (result.case.id, "" if check.status in NOT_JUDGED else check.clause)
        if about in self.told:
            return
        before = {one for one in self.told if one[0] == result.case.id}
        self.told = {about, *before}
        if before and self.drawn == result.case.id and not self.show_all:
            self.shown.add(key)  # the block of the case names it
            return
        if not self.show_all and (key in self.shown or self.full >= FULL_MAX):
            name = check.status if check.status in NOT_JUDGED else check.clause or check.check
            self.hidden.setdefault(family_of(result.case.vector), Counter())[name] += 1
            return
        self.shown.add(key)
        self.full += 1
        self.drawn = result.case.id
        if self.quiet:
            return
        from toolassay.reports.divergence import block  # noqa: PLC0415 - most runs show none

        repro = self.started.repro if self.started else "toolassay run"
        for line in block(result, check, self.register, repro, self.out.style):
            self.out.line(line)
        self.out.line()
        self.out.flush()

    # --- the end ----------------------------------------------------------------------------

    def _finish(self, event: RunFinished) -> None:
        if not self.quiet:
            self._hidden_lines()
            self._count_lines(event)
            self._problem_lines(event)
        self.out.line(self._verdict(event))
        self.out.flush()

    def _hidden_lines(self) -> None:
        if not self.hidden:
            return
        parts = []
        for family, counts in sorted(self.hidden.items()):
            parts.append(f"{counts.total()} more in {family} ({count_words(counts)})")
        where = f"--all, or {self.other}" if self.other else "--all"
        self._folded(f"... {', '.join(parts)}. All: {where}")
        self.out.line()

    def _count_lines(self, event: RunFinished) -> None:
        started = self.started
        if started is not None:
            name = printable(f"{started.implementation} {started.version}".strip(), 80)
            target = printable(started.target, 200)
            self._folded(f"{name} ({target}), {started.profile}, seed {started.seed}")
        judged = {status: n for status, n in event.checks.items() if status in SCORED}
        cases = sum(n for status, n in event.cases.items() if status in SCORED)
        self._folded(
            f"judged {many(sum(judged.values()), 'check')} in {many(cases, 'case')}"
            f" in {event.seconds:.1f} s{': ' if judged else ''}{_listed(judged)}"
        )
        open_ = {status: n for status, n in event.checks.items() if status in NOT_JUDGED}
        if open_:
            self._folded(f"not judged {many(sum(open_.values()), 'check')}: {_listed(open_)}")
        self._marginal_lines()
        if event.not_applicable:
            total = sum(event.not_applicable.values())
            named = ", ".join(
                f"{printable(why, 60)} {n}" for why, n in event.not_applicable.items()
            )
            self._folded(f"not applicable {many(total, 'case')}: {named}")
        self.out.line(f"not run {event.cases.get('not_run', 0)}")

    def _marginal_lines(self) -> None:
        words = {"warn": "warnings", "recorded": "recorded, not scored"}
        for status, counts in self.marginal.items():
            if counts:
                named = ", ".join(f"{clause} {n}" for clause, n in sorted(counts.items()))
                self._folded(f"{words[status]}: {named}")

    def _problem_lines(self, event: RunFinished) -> None:
        limit = len(event.problems) if self.show_all else PROBLEMS_MAX
        for problem in event.problems[:limit]:
            name = f"{printable(problem.name, 160)} {problem.clause}".strip()
            self._folded(f"baseline {problem.kind}: {name}: {printable(problem.text, 240)}")
        if len(event.problems) > limit:
            self.out.line(f"... {len(event.problems) - limit} more baseline entries. All: --all")

    def _folded(self, text: str) -> None:
        for line in textwrap.wrap(text, self.out.style.width, subsequent_indent="  ") or [""]:
            self.out.line(line)

    def _verdict(self, event: RunFinished) -> str:
        colour = _VERDICT_COLOURS.get(event.exit_code, "red")
        return f"{self.out.style.paint(event.verdict.upper(), colour)}{verdict_words(event)}"


def _listed(counts: Mapping[Status, int]) -> str:
    """Name the numbers, the best status first."""
    return ", ".join(
        f"{n} {status.replace('_', ' ')}" for status, n in reversed(tuple(counts.items()))
    )


def verdict_words(event: RunFinished) -> str:
    """Give the rest of the line that starts with the verdict."""
    if event.reasons:
        return f": {printable('; '.join(event.reasons), 400)}"
    passing = event.checks.get("pass", 0)
    words = [f"{many(passing, 'check')} {'passes' if passing == 1 else 'pass'}"]
    if event.checks.get("warn"):
        words.append(many(event.checks["warn"], "warning"))
    if event.checks.get("xfail"):
        words.append(f"{many(event.checks['xfail'], 'check')} known to fail")
    return f": {', '.join(words)}"
