"""A recorded file as SARIF: a finding is at the line of the event that broke a clause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from toolassay.check import Divergence
from toolassay.check_reading import Block
from toolassay.printable import many
from toolassay.reports.check_report import Conclusion, status_of
from toolassay.reports.documents import encoded
from toolassay.reports.out import Out
from toolassay.reports.sarif import RESULTS_MAX, Level, Note, Result, clause_rule, sarif
from toolassay.reports.words import count_words
from toolassay.spec.register import Register
from toolassay.statuses import Exit, Status, verdict_of

_LEVELS: dict[Status, Level] = {"fail": "error", "warn": "warning", "recorded": "note"}


class CheckSarif:
    """
    Takes divergences as they are found and writes one document at the end.

    Args:
        out: Where to write.
        register: All clauses.
        file: The file; empty if there is none, as for standard input.
        broken: Status of a broken clause; a clause that is not here is not scored.
    """

    def __init__(
        self, out: Out, register: Register, file: str, broken: Mapping[str, Status]
    ) -> None:
        self.out = out
        self.register = register
        self.file = file
        self.broken = broken
        self.results: list[Result] = []
        self.left_out: Counter[str] = Counter()

    def take(self, divergence: Divergence, recent: Sequence[Block]) -> None:  # noqa: ARG002 - as others
        """Take one divergence."""
        finding, at = divergence.finding, divergence.at
        if not self.file or len(self.results) >= RESULTS_MAX:
            self.left_out[finding.clause] += 1
            return
        level = _LEVELS[status_of(divergence, self.broken)]
        where = "" if at else " (at the end of the file)"
        message = f"Expected: {finding.expected}. Observed: {finding.observed}{where}."
        name, rule = divergence.recording, clause_rule(finding.clause, self.register)
        about = (rule.id, finding.check, name, finding.call)
        line = at.line if at else 1
        self.results.append(Result(rule, level, message, self.file, line, 0, name, "", about))

    def finish(self, conclusion: Conclusion) -> None:
        """Write the document."""
        summary = conclusion.summary
        about = {
            "verdict": verdict_of(conclusion.code),
            "form": summary.form or "",
            "items": str(summary.items),
        }
        notes = list(self._notes(conclusion))
        self.out.write(encoded(sarif(self.results, notes, conclusion.code, about)))
        self.out.flush()

    def _notes(self, conclusion: Conclusion) -> Iterator[Note]:
        level: Level = "warning" if conclusion.code == Exit.NON_CONFORMANT else "error"
        for reason in conclusion.reasons:
            yield Note(level, reason)
        if self.left_out:
            number = self.left_out.total()
            named = count_words(self.left_out)
            why = "no room" if self.file else "standard input has no lines to show"
            yield Note("warning", f"{many(number, 'finding')} left out, {why}: {named}")
