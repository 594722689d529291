"""A recorded file as JUnit XML: the file is a suite, a clause that was watched is a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from toolassay import __version__
from toolassay.check import Divergence
from toolassay.check_reading import Block
from toolassay.printable import many
from toolassay.reports.check_report import Conclusion, block, status_of
from toolassay.reports.junit_xml import Outcome, Suite, Tested, junit_xml
from toolassay.reports.out import Out, Style
from toolassay.spec.register import Register
from toolassay.statuses import Exit, Status, verdict_of

SHOWN_MAX = 5
"""Divergences of one clause that are shown in full."""

STYLE = Style()
"""How a divergence is laid out: as in a pipe."""

_UNREAD = frozenset((Exit.USAGE, Exit.INCOMPLETE, Exit.INTERRUPTED))


class CheckJunit:
    """
    Takes divergences as they are found and writes one document at the end.

    Args:
        out: Where to write.
        register: All clauses.
        name: What the file is called.
        broken: Status of a broken clause; a clause that is not here is not scored.
    """

    def __init__(
        self, out: Out, register: Register, name: str, broken: Mapping[str, Status]
    ) -> None:
        self.out = out
        self.register = register
        self.name = name
        self.broken = broken
        self.counts: Counter[str] = Counter()
        self.blocks: dict[str, list[str]] = {}
        self.first: dict[str, str] = {}

    def take(self, divergence: Divergence, recent: Sequence[Block]) -> None:
        """Take one divergence."""
        status = status_of(divergence, self.broken)
        name = divergence.finding.clause
        if status == "recorded":
            return
        self.counts[name] += 1
        self.first.setdefault(name, divergence.finding.observed)
        shown = self.blocks.setdefault(name, [])
        if len(shown) < SHOWN_MAX:
            clause = self.register.clauses.get(name)
            shown.append("\n".join(block(self.name, divergence, clause, status, recent, STYLE)))

    def finish(self, conclusion: Conclusion) -> None:
        """Write the document."""
        watched = conclusion.summary.clauses | self.counts.keys()
        cases = [self._whole(conclusion)]
        cases += [self._clause(name) for name in self.register.clauses if name in watched]
        about = {
            "kit": f"toolassay {__version__}",
            "form": conclusion.summary.form or "",
            "items": str(conclusion.summary.items),
            "verdict": verdict_of(conclusion.code),
            "exit_code": str(int(conclusion.code)),
        }
        suite = Suite(self.name, cases, about)
        self.out.write(junit_xml("toolassay check", [suite], conclusion.seconds))
        self.out.flush()

    def _whole(self, conclusion: Conclusion) -> Tested:
        """Tell whether the file could be read and judged."""
        text = "\n".join(conclusion.reasons)
        outcome = None
        if conclusion.code in _UNREAD:
            outcome = Outcome("error", verdict_of(conclusion.code), text, text)
        return Tested("toolassay.check", "file", outcome, "" if outcome else text)

    def _clause(self, name: str) -> Tested:
        group = f"toolassay.check.{name.partition('-')[0]}"
        status, number = self.broken.get(name), self.counts[name]
        if status is None:
            return Tested(group, name, Outcome("skipped", "recorded", "not scored by the profile"))
        if not number:
            return Tested(group, name)
        blocks = self.blocks[name]
        more = [f"and {number - len(blocks)} more"] if number > len(blocks) else []
        text = "\n\n".join([*blocks, *more])
        if status != "fail":
            return Tested(group, name, None, text)
        message = f"{name}: {many(number, 'divergence')}: {self.first[name]}"
        return Tested(group, name, Outcome("failure", "fail", message, text))
