"""One divergence as a block of lines that fits one screen."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator

from toolassay.printable import clipped, columns, printable, visible
from toolassay.reports.out import Style
from toolassay.reports.timeline import drawn, view
from toolassay.reports.words import case_words
from toolassay.results import DECLARES, CaseResult, Check
from toolassay.spec.register import Clause, Register
from toolassay.statuses import NOT_JUDGED

INDENT = "      "
"""What stands before every line of a block but its first."""

TEXT_MAX = 600
"""Characters of what a finding says that are shown."""

NAME_MAX = 500
"""Characters of the id of a case in a command."""

DETAIL_LINES = 8
"""Lines of a traceback, or of standard error, that are shown."""

DECLARED = "What an implementation declares, it does."
"""What a check is about that belongs to no clause."""

COLOURS = {"fail": "red", "crashed": "red", "error": "red", "timeout": "red", "changed": "yellow"}


def block(
    result: CaseResult, check: Check, register: Register, repro: str, style: Style
) -> list[str]:
    """
    Show one check that failed.

    Args:
        result: The case.
        check: The check.
        register: All clauses.
        repro: The command that runs the target again, without a case.
        style: How the lines are written.
    """
    judged = check.status not in NOT_JUDGED
    clause = register.clauses.get(check.clause) if judged else None
    width = style.width - len(INDENT)
    lines = [_head(result, check, clause, style)]
    body = list(_folded("", clause.text if clause else _own_text(check), width))
    body.append("")
    body += _folded("scenario", case_words(result.case), width)
    body += _finding_lines(result, check, width)
    body.append("")
    body += _also(result, check, width)
    name = result.case.vector if check.check.startswith("relation.") else result.case.id
    body.append(f"see it again:  {visible(repro)} --case {shlex.quote(_pattern(name))}")
    if clause:
        body.append(f"why:           toolassay explain {clause.id}")
    return [*lines, *(f"{INDENT}{line}".rstrip() for line in body)]


def _pattern(name: str) -> str:
    """Write the id of a case so that it can be shown and pasted; a recording may choose any."""
    shown = "".join(one if one.isprintable() else "?" for one in name[:NAME_MAX])
    return shown if len(name) <= NAME_MAX else f"{shown}*"


def source_words(clause: Clause) -> str:
    """Say what a clause rests on."""
    if clause.basis == "page" and clause.pages:
        return f"page {', '.join(clause.pages)}"
    return clause.basis if clause.basis != "profile" else f"profile {', '.join(clause.profiles)}"


def _head(result: CaseResult, check: Check, clause: Clause | None, style: Style) -> str:
    """Name the case on the left and the clause on the right, on one line if there is room."""
    word = check.status.upper()
    right = (
        f"{clause.id}  {clause.level}  {source_words(clause)}"
        if clause
        else _unjudged(result, check)
    )
    left = f"{word}  {printable(result.case.id, 200)}"
    gap = style.width - columns(left) - columns(right)
    head = style.paint(word, COLOURS.get(check.status, "yellow")) + left[len(word) :]
    return f"{head}{' ' * gap}{right}" if gap >= 2 else f"{head}\n{INDENT}{right}"


def _unjudged(result: CaseResult, check: Check) -> str:
    """Name what has no clause, or the clauses that could not be judged."""
    if check.status not in NOT_JUDGED:
        return check.check
    names = list(
        dict.fromkeys(one.clause or one.check for one in result.checks if one.why == check.why)
    )
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more} not judged"


def _own_text(check: Check) -> str:
    if check.check == DECLARES:
        return DECLARED
    return "The case could not be judged."


def _finding_lines(result: CaseResult, check: Check, width: int) -> Iterator[str]:
    finding = check.leading
    if finding is None:
        yield from _folded("observed", check.why or "no verdict", width)
        if check.status in NOT_JUDGED:
            yield from _detail_lines(result.detail, width)
        return
    yield from _folded("expected", finding.expected, width)
    yield from _folded("observed", finding.observed, width)
    if len(check.findings) > 1:
        yield from _folded("", f"and {len(check.findings) - 1} more of the same check", width)
    table = view(result.observation, finding) if result.observation is not None else None
    if table is not None and table.rows:
        yield ""
        yield from drawn(table, width)


def _detail_lines(detail: str, width: int) -> Iterator[str]:
    """Show the end of what the implementation said of its own end."""
    lines = [line for line in detail.splitlines() if line.strip()][-DETAIL_LINES:]
    if lines:
        yield ""
    for line in lines:
        yield clipped(f"| {printable(line, TEXT_MAX)}", width)


def _also(result: CaseResult, check: Check, width: int) -> Iterator[str]:
    """Name the other clauses that the same case breaks."""
    others = {
        other.clause or other.check: None
        for other in result.checks
        if other.status in {"fail", "changed"} and other.clause != check.clause
    }
    if others:
        yield from _folded("also", f"broken here: {', '.join(others)}", width)


def _folded(label: str, text: str, width: int) -> Iterator[str]:
    """Fold a labelled text to the width, at most four lines of it."""
    lead = f"{label:<10} " if label else ""
    room = max(20, width - len(lead))
    parts = textwrap.wrap(printable(text, TEXT_MAX), room, max_lines=4, placeholder=" ...")
    for number, part in enumerate(parts or [""]):
        yield clipped((lead if number == 0 else " " * len(lead)) + part, width)
