"""What came of a case, in pytest's terms and in words for a person."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from toolassay.errors import last_lines
from toolassay.plugin.contract import Contract
from toolassay.printable import printable
from toolassay.reports.timeline import drawn, view
from toolassay.reports.words import case_words
from toolassay.results import CaseResult, Check
from toolassay.spec.errors import ToolassayError
from toolassay.statuses import FAILED, Status

WIDTH = 96
"""Columns of a report; pytest does not say how many there are."""

TEXT_MAX = 600
"""Characters of what a finding says that are shown."""

DIVERGENCES_MAX = 3
"""Divergences of one case that are shown in full; the others are named."""

Kind = Literal["passed", "failed", "skipped", "xfailed"]
"""What pytest knows of."""


class Outcome(msgspec.Struct, frozen=True):
    """What came of a case."""

    kind: Kind
    """What pytest makes of it."""
    text: str = ""
    """The report of a failure, or the reason of anything else."""
    brief: str = ""
    """The failure in a line."""
    warning: str = ""
    """Broken advice of a case that passes."""


PASSED = Outcome("passed")


def outcome_of(result: CaseResult, contract: Contract, node: str) -> Outcome:
    """
    Say what came of a case.

    Args:
        result: The judged case.
        contract: What it was judged by.
        node: The id of the test, for running it again.
    """
    status = result.status
    if status in FAILED:
        return _failed(result, contract, node)
    if status == "xfail":
        return Outcome("xfailed", _known(result, contract))
    if status == "not_applicable":
        if contract.nothing_applies:
            said = f"incomplete: none of the {len(contract.cases)} cases applies"
            return Outcome("failed", f"  {said}\n  this one: {result.why}\n", said)
        return Outcome("skipped", f"not applicable: {printable(result.why, WIDTH)}")
    if status == "warn":
        return Outcome("passed", warning="\n".join(_warnings(result, contract)))
    return PASSED


def unusable(fault: ToolassayError, node: str) -> Outcome:
    """Say that the target cannot be used."""
    said = f"target unusable: {printable(str(fault), TEXT_MAX)}"
    lines = [said]
    lines += [f"  | {printable(line, WIDTH)}" for line in last_lines(fault)]
    if fault.hint:
        lines.append(f"hint: {fault.hint}")
    return Outcome("failed", _text([*lines, "", again(node)]), said)


def again(node: str) -> str:
    """Give the command that runs one test again."""
    return f'again: pytest "{node}"'


def _failed(result: CaseResult, contract: Contract, node: str) -> Outcome:
    bad = _by_clause(result)
    parts: list[str] = []
    for number, check in enumerate(bad[:DIVERGENCES_MAX]):
        parts += [*_divergence(check, result, contract, first=number == 0), ""]
    if len(bad) > DIVERGENCES_MAX:
        parts += [f"and also: {_names(bad[DIVERGENCES_MAX:])}", ""]
    if not bad:
        parts += [f"{_STATUS[result.status]}: {printable(result.why, TEXT_MAX)}", ""]
    brief = _headline(bad[0], contract) if bad else printable(result.why, WIDTH)
    return Outcome("failed", _text([*parts, again(node)]), brief)


def _by_clause(result: CaseResult) -> list[Check]:
    """Give one of the worst checks for each clause, in the order in which the case cites them."""
    worst = [check for check in result.checks if check.status == result.status]
    first = {check.clause or check.check: check for check in reversed(worst)}
    cited = [item.clause for item in result.case.expect]
    cited += [relation.clause for relation in result.case.relations]
    order = {clause: at for at, clause in reversed(tuple(enumerate(cited)))}
    return sorted(first.values(), key=lambda check: order.get(check.clause, len(cited)))


_STATUS: dict[Status, str] = {
    "error": "error",
    "crashed": "crashed",
    "timeout": "timed out",
    "fail": "broken",
    "changed": "fails in another way than the baseline says",
    "xpass": "[XPASS(strict)] passes, and the baseline says that it fails",
    "not_run": "incomplete: not judged",
}
"""What the statuses that fail a test mean."""


def _headline(check: Check, contract: Contract) -> str:
    clause = contract.register.clauses.get(check.clause)
    text = clause.text if clause is not None else _STATUS[check.status]
    return f"{check.clause or check.check}: {text}"


def _divergence(
    check: Check, result: CaseResult, contract: Contract, *, first: bool
) -> Iterator[str]:
    yield from _folded("", _headline(check, contract))
    if check.status in _STATUS and check.status != "fail":
        yield _STATUS[check.status]
    if first:
        yield from _folded("scenario", case_words(result.case))
    if check.status in {"changed", "xpass"}:
        yield from _pinned(check, result, contract)
    if check.why:
        yield from _folded("because", check.why)
    finding = check.leading
    if finding is None:
        return
    yield from _folded("expected", finding.expected)
    yield from _folded("observed", finding.observed)
    if len(check.findings) > 1:
        yield f"           and {len(check.findings) - 1} more of the same"
    table = view(result.observation, finding) if result.observation is not None else None
    if table is not None and table.rows:
        yield ""
        yield from drawn(table, WIDTH)


def _folded(label: str, text: str) -> Iterator[str]:
    """Fold a labelled text to the width, at most four lines of it."""
    lead = f"{label:<10} " if label else ""
    parts = textwrap.wrap(
        printable(text, TEXT_MAX), WIDTH - len(lead), max_lines=4, placeholder=" ..."
    )
    for number, part in enumerate(parts or [""]):
        yield (lead if number == 0 else " " * len(lead)) + part


def _pinned(check: Check, result: CaseResult, contract: Contract) -> Iterator[str]:
    """Say what the baseline pins, and why."""
    for entry in contract.baseline.entries:
        if entry.clause == check.clause and entry.name in {result.case.id, result.case.vector}:
            words = (f"{entry.outcome}:", entry.reason, entry.link)
            yield from _folded("baseline", " ".join(word for word in words if word))


def _known(result: CaseResult, contract: Contract) -> str:
    """Give the reasons of known failures."""
    broken = {check.clause for check in result.checks if check.status == "xfail"}
    names = {result.case.id, result.case.vector}
    return "; ".join(
        " ".join(word for word in (f"{entry.clause}:", entry.reason, entry.link) if word)
        for entry in contract.baseline.entries
        if entry.clause in broken and entry.name in names
    )


def _warnings(result: CaseResult, contract: Contract) -> Iterator[str]:
    broken = [check for check in result.checks if check.status == "warn"]
    for number, check in enumerate(broken):
        yield from _divergence(check, result, contract, first=number == 0)


def _names(checks: Iterable[Check]) -> str:
    return ", ".join(dict.fromkeys(check.clause or check.check for check in checks))


def _text(lines: Iterable[str]) -> str:
    return "\n".join(f"  {line}".rstrip() for line in lines)
