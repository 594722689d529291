"""
The summary of a step of GitHub Actions: Markdown, written when the run is over.

It has a bound of its own, far below the one at which GitHub refuses a summary,
so that several runs fit in one step. What an implementation says is shown letter
by letter and never as markup.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from toolassay.printable import many
from toolassay.reports.divergence import DECLARED, block, source_words
from toolassay.reports.markdown import code, plain, preformatted, table
from toolassay.reports.out import Out, Style
from toolassay.reports.telling import telling
from toolassay.reports.terminal import verdict_words
from toolassay.results import CaseFinished, CaseResult, Event, Problem, RunFinished, RunStarted
from toolassay.spec.register import Register
from toolassay.statuses import NOT_JUDGED, WORST_FIRST

BYTES_MAX = 256 * 1024
"""Bytes of a summary; GitHub takes 1 MiB for all of a step."""

FULL_MAX = 20
"""Divergences that are shown in full, the first of each clause."""

ROWS_MAX = 20
"""Rows of a list of baseline entries, reasons or faults."""

STYLE = Style()
"""How a divergence is laid out: as in a pipe."""


class _Shown(msgspec.Struct, frozen=True):
    """A divergence that is shown in full."""

    title: str
    """What it is, in a line of HTML."""
    lines: list[str]
    """Its block."""


class GithubSummary:
    """
    Consumes the events of a run and writes one text at its end.

    Args:
        out: Where to write.
        register: All clauses.
    """

    def __init__(self, out: Out, register: Register) -> None:
        self.out = out
        self.register = register
        self.started: RunStarted | None = None
        self.broken: Counter[str] = Counter()
        self.warned: Counter[str] = Counter()
        self.shown: dict[str, _Shown] = {}

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, RunStarted):
            self.started = event
        elif isinstance(event, CaseFinished):
            self._case(event.result)
        else:
            self.out.write(self._text(event))
            self.out.flush()

    def _case(self, result: CaseResult) -> None:
        self.broken.update(_names(result, "fail", "changed"))
        self.warned.update(_names(result, "warn"))
        repro = self.started.repro if self.started else "toolassay run"
        for check in telling(result):
            unjudged = check.status in NOT_JUDGED
            key = f"{check.status} {check.why}" if unjudged else check.clause or check.check
            if key in self.shown or len(self.shown) >= FULL_MAX:
                continue
            name = check.status if unjudged else key
            title = f"{plain(name)} in {code(result.case.id)}"
            lines = block(result, check, self.register, repro, STYLE)
            self.shown[key] = _Shown(title, lines)

    def _text(self, finished: RunFinished) -> str:
        parts = [
            f"## toolassay: {finished.verdict.upper()}",
            self._about(),
            plain(verdict_words(finished).removeprefix(": "), 500),
            _counts(finished),
            self._clauses(),
            _problems(finished.problems),
            _listed("Why", finished.reasons) if len(finished.reasons) > 1 else "",
            _listed("Vectors that could not be read", finished.faults),
            "### First divergences" if self.shown else "",
        ]
        room = BYTES_MAX
        kept: list[str] = []
        for part in [*parts, *(_collapsed(one) for one in self.shown.values())]:
            room -= len(part.encode()) + 2
            if room < 0:
                kept.append("More does not fit here; the other reports have all of it.")
                break
            if part:
                kept.append(part)
        return "\n\n".join(kept) + "\n\n"

    def _about(self) -> str:
        one = self.started
        if one is None:
            return ""
        name = f"{one.implementation} {one.version}".strip()
        target = code(one.target)
        return f"{code(name)} at {target}, profile {code(one.profile)}, seed {one.seed}"

    def _clauses(self) -> str:
        """Name the clauses that are broken or warned of, with their sentences."""
        rows = []
        for counts, word in ((self.broken, "broken"), (self.warned, "warning")):
            for name, number in sorted(counts.items()):
                clause = self.register.clauses.get(name)
                level = f"{clause.level}, {source_words(clause)}" if clause else ""
                text = clause.text if clause else DECLARED
                rows.append((code(name), word, str(number), plain(level), plain(text, 400)))
        if not rows:
            return ""
        head = ("clause", "", "cases", "level", "what it says")
        hint = "`toolassay explain CLAUSE` tells where a clause comes from and how it is tested."
        return f"### Clauses\n\n{table(head, rows)}\n\n{hint}"


def _names(result: CaseResult, *statuses: str) -> list[str]:
    """Name the clauses of a case whose checks have some statuses, each once."""
    found = (one.clause or one.check for one in result.checks if one.status in statuses)
    return list(dict.fromkeys(found))


def _counts(finished: RunFinished) -> str:
    named = [status for status in WORST_FIRST if finished.cases.get(status)]
    named += [
        status for status in WORST_FIRST if finished.checks.get(status) and status not in named
    ]
    rows = [
        (
            status.replace("_", " "),
            str(finished.cases.get(status, 0)),
            str(finished.checks.get(status, 0)),
        )
        for status in named
    ]
    return table(("status", "cases", "checks"), rows) if rows else ""


def _problems(problems: tuple[Problem, ...]) -> str:
    if not problems:
        return ""
    rows = [
        (one.kind, code(one.name), code(one.clause), plain(one.text)) for one in problems[:ROWS_MAX]
    ]
    more = len(problems) - ROWS_MAX
    rest = f"\n\nand {many(more, 'more entry', 'more entries')}" if more > 0 else ""
    titles = ("kind", "entry", "clause", "what is wrong")
    return f"### Baseline entries to mend\n\n{table(titles, rows)}{rest}"


def _listed(title: str, lines: tuple[str, ...]) -> str:
    if not lines:
        return ""
    shown = [f"- {plain(line, 400)}" for line in lines[:ROWS_MAX]]
    more = [f"- and {len(lines) - ROWS_MAX} more"] if len(lines) > ROWS_MAX else []
    return "\n".join([f"### {title}", "", *shown, *more])


def _collapsed(one: _Shown) -> str:
    body = preformatted(one.lines)
    return f"<details><summary>{one.title}</summary>\n\n{body}\n\n</details>"
