"""Counting what a run has shown, and what follows from it."""

from __future__ import annotations

from collections import Counter

from toolassay.printable import many
from toolassay.results import CaseResult, Problem, RunFinished
from toolassay.statuses import (
    BAD,
    NOT_JUDGED,
    SCORED,
    WORST_FIRST,
    Exit,
    Status,
    exit_of,
    verdict_of,
)


class Tally:
    """
    Counts of one run.

    Args:
        total: Number of selected cases.
        faults: What is wrong with vectors that could not be read.
    """

    def __init__(self, total: int, faults: tuple[str, ...] = ()) -> None:
        self.total = total
        self.faults = faults
        # Plain: counting in a Counter costs ten times as much, and this is done for each check.
        self.cases: dict[Status, int] = dict.fromkeys(WORST_FIRST, 0)
        self.checks: dict[Status, int] = dict.fromkeys(WORST_FIRST, 0)
        self.not_applicable: Counter[str] = Counter()
        self.broken: set[str] = set()
        self.divergences = 0
        self.kit_faults = 0
        self.interrupted = False
        self.unusable = ""

    def add(self, result: CaseResult) -> None:
        """Count one result."""
        self.cases[result.status] += 1
        self.kit_faults += result.kit_fault
        applying = [one.status for one in result.checks if one.status != "not_applicable"]
        for status in applying:
            self.checks[status] += 1
        self.checks["not_applicable"] += len(result.checks) - len(applying)
        if result.status == "not_applicable":
            self.not_applicable[result.why] += 1
        elif result.status in BAD or result.status in NOT_JUDGED:
            self._add_broken(result)

    def _add_broken(self, result: CaseResult) -> None:
        broken = {
            check.clause or check.check
            for check in result.checks
            if check.status in {"fail", "changed"}
        }
        self.divergences += len(broken)
        self.broken |= broken

    @property
    def not_started(self) -> int:
        """Number of selected cases that have no result."""
        return self.total - sum(self.cases.values())

    def finish(self, problems: tuple[Problem, ...], seconds: float) -> RunFinished:
        """Draw the conclusion."""
        cases = dict(self.cases)
        cases["not_run"] += self.not_started
        reasons = self._reasons(problems, cases)
        code = exit_of(reasons)
        return RunFinished(
            verdict_of(code),
            code,
            _ordered(self.checks),
            _ordered(cases),
            dict(sorted(self.not_applicable.items(), key=lambda item: (-item[1], item[0]))),
            tuple(sorted(self.broken)),
            self.divergences,
            problems,
            tuple(reasons.values()),
            seconds,
            self.faults,
        )

    def _reasons(self, problems: tuple[Problem, ...], cases: dict[Status, int]) -> dict[Exit, str]:
        """Say for each exit code that is due why it is."""
        reasons: dict[Exit, str] = {}
        if self.interrupted:
            reasons[Exit.INTERRUPTED] = "interrupted"
        broken = []
        if self.kit_faults:
            broken.append(f"the kit itself failed on {many(self.kit_faults, 'case')}")
        if self.faults:
            broken.append(f"{many(len(self.faults), 'fault')} in vectors whose files were not run")
        if broken:
            reasons[Exit.USAGE] = ", ".join(broken)
        if self.unusable:
            reasons[Exit.UNUSABLE] = self.unusable
        if self.divergences or problems or self.checks["xpass"]:
            reasons[Exit.NON_CONFORMANT] = self._broken_words(problems)
        unjudged = {status: cases[status] for status in WORST_FIRST if status in NOT_JUDGED}
        words = [
            f"{number} {status.replace('_', ' ')}" for status, number in unjudged.items() if number
        ]
        if words:
            reasons[Exit.INCOMPLETE] = f"cases not judged: {', '.join(words)}"
        elif any(self.checks[status] for status in NOT_JUDGED):
            reasons[Exit.INCOMPLETE] = "checks are missing"
        elif not any(self.checks[status] for status in SCORED):
            reasons[Exit.INCOMPLETE] = "nothing was judged"
        return reasons

    def _broken_words(self, problems: tuple[Problem, ...]) -> str:
        words = []
        if self.divergences:
            clauses = len(self.broken)
            words.append(f"{many(self.divergences, 'divergence')} of {many(clauses, 'clause')}")
        if problems:
            words.append(f"{many(len(problems), 'baseline entry', 'baseline entries')} to mend")
        return ", ".join(words) or "known failures pass"


def _ordered(counts: dict[Status, int]) -> dict[Status, int]:
    return {status: counts[status] for status in WORST_FIRST if counts[status]}
