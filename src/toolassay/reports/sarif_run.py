"""
The report for code scanning: what broke in the vectors that have a file.

Shipped vectors come in packs, and a finding in them has no file: it is counted
in a notification, by clause, and the other reports tell it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolassay.printable import many
from toolassay.reports.documents import encoded
from toolassay.reports.out import Out
from toolassay.reports.sarif import Level, Note, Result, clause_rule, sarif
from toolassay.reports.words import count_words
from toolassay.results import (
    CaseFinished,
    CaseResult,
    Check,
    Event,
    Origin,
    RunFinished,
    RunStarted,
)
from toolassay.spec.register import Register
from toolassay.statuses import NOT_JUDGED, Exit, Status

NOTES_MAX = 100
"""Cases that could not be judged which are named."""

_LEVELS: dict[Status, Level] = {
    "fail": "error", "changed": "error", "warn": "warning",
}  # fmt: skip


class SarifReport:
    """
    Consumes the events of a run and writes one document at its end.

    Args:
        out: Where to write.
        register: All clauses.
    """

    def __init__(self, out: Out, register: Register) -> None:
        self.out = out
        self.register = register
        self.started: RunStarted | None = None
        self.results: list[Result] = []
        self.unjudged: list[str] = []
        self.elsewhere: Counter[str] = Counter()

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, RunStarted):
            self.started = event
        elif isinstance(event, CaseFinished):
            self._case(event.result)
        else:
            about = _about(self.started, event)
            notes = self._notes(event)
            self.out.write(encoded(sarif(self.results, notes, event.exit_code, about)))
            self.out.flush()

    def _case(self, result: CaseResult) -> None:
        if result.status in NOT_JUDGED:
            self.unjudged.append(f"{result.case.id}: {result.why}")
        found = [
            (check, _LEVELS.get(check.status, "note")) for check in result.checks if check.findings
        ]
        origin = self.started.origins.get(result.case.id) if self.started else None
        if origin is None:
            failed = {check.clause or check.check for check, level in found if level == "error"}
            self.elsewhere.update(sorted(failed))
            return
        for check, level in found:
            self.results.append(self._result(result, check, level, origin))

    def _result(self, result: CaseResult, check: Check, level: Level, origin: Origin) -> Result:
        finding = check.leading
        assert finding is not None, "the check has findings"
        if finding.recorded and check.status != "recorded":
            level = "note"
        message = f"Expected: {finding.expected}. Observed: {finding.observed}."
        known = "a known failure of the baseline" if check.status == "xfail" else ""
        case = result.case
        rule = clause_rule(check.clause or check.check, self.register)
        return Result(
            rule, level, message, origin.file, _line(check, origin), 0, case.id, known,
            (rule.id, case.id, check.check),
        )  # fmt: skip

    def _notes(self, finished: RunFinished) -> Iterator[Note]:
        for reason in finished.reasons:
            yield Note("warning" if finished.exit_code == Exit.NON_CONFORMANT else "error", reason)
        for text in self.unjudged[:NOTES_MAX]:
            yield Note("error", text)
        if len(self.unjudged) > NOTES_MAX:
            yield Note("error", f"{len(self.unjudged) - NOTES_MAX} more cases were not judged")
        if self.elsewhere:
            total = self.elsewhere.total()
            named = count_words(self.elsewhere)
            yield Note("warning", f"{many(total, 'divergence')} in vectors without a file: {named}")


def _about(started: RunStarted | None, finished: RunFinished) -> dict[str, str]:
    about: dict[str, str] = {"verdict": finished.verdict}
    if started is None:
        return about
    return about | {
        "target": started.target,
        "implementation": started.implementation,
        "version": started.version,
        "profile": started.profile,
        "seed": str(started.seed),
    }


def _line(check: Check, origin: Origin) -> int:
    """Give the line of the expectation that failed, or of its vector."""
    kind, _, number = check.check.rpartition(".")
    if kind.startswith("expect.") and number.isdecimal() and int(number) < len(origin.expect):
        return origin.expect[int(number)]
    return origin.line
