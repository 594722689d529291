"""
Expectations of executions: how often a call ran.

Where executions know no call ids, calls are matched by tool and arguments; what
other calls can explain is given the benefit of the doubt.
"""

from __future__ import annotations

from toolassay.properties.evidence import Evidence
from toolassay.properties.reached import fell_with_its_turn
from toolassay.properties.runs import count_of_call
from toolassay.properties.script import (
    Scripted,
    readable,
    same_text_or_value,
    verdict_on_text,
)
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import quoted
from toolassay.spec.case import CallMatch, ExpectExecutions
from toolassay.spec.finding import Place


def expect_executions(expected: ExpectExecutions, evidence: Evidence, clause: str) -> Answer:
    """Judge what a clause expects of the executions."""
    facet = evidence.observation.executions
    if facet is None:
        return Skip("facet executions")
    whole = facet.status == "complete"
    open_ended = Skip("the turn failed" if whole else f"executions are {facet.status}")
    notes: list[Note] = []
    undecided = False
    if expected.count is not None:
        count = len(facet.executions)
        short = count < expected.count
        excused = short and fell_with_its_turn(clause, evidence)
        if count > expected.count or (whole and short and not excused):
            notes.append(
                Note(f"{expected.count} executions", f"{count} of them", Place("executions"))
            )
        undecided |= excused or not whole
    if expected.never is not None:
        least, _ = _count(expected.never, evidence)
        if least:
            notes.append(_counted("no execution", expected.never, least, evidence))
        undecided |= not whole
    if expected.once is not None:
        least, most = _count(expected.once, evidence)
        excused = most < 1 and fell_with_its_turn(clause, evidence, expected.once.call)
        if least > 1 or (whole and most < 1 and not excused):
            notes.append(_counted("one execution", expected.once, max(least, most), evidence))
        undecided |= excused or not whole
    return notes if notes or not undecided else open_ended


def _counted(wanted: str, match: CallMatch, count: int, evidence: Evidence) -> Note:
    index = _first_match(match, evidence)
    call = match.call or ""
    return Note(f"{wanted} of {_told(match)}", f"{count}", Place("executions", index), call)


def _told(match: CallMatch) -> str:
    parts = [f"call {quoted(match.call)}"] if match.call is not None else []
    if match.tool is not None:
        parts.append(f"tool {quoted(match.tool)}")
    if match.arguments is not None:
        parts.append(f"arguments {quoted(match.arguments)}")
    return ", ".join(parts) or "any call"


def _first_match(match: CallMatch, evidence: Evidence) -> int | None:
    found = (at for at in range(len(evidence.executions)) if _fits(match, at, evidence) is True)
    return next(found, None)


def _count(match: CallMatch, evidence: Evidence) -> tuple[int, int]:
    """Count matching executions: the least and the greatest number that is possible."""
    if match.call is None or not _of_call(match.call, evidence):
        fits = [_fits(match, at, evidence) for at in range(len(evidence.executions))]
        return fits.count(True), len(fits) - fits.count(False)
    least = most = 0
    for scripted in _of_call(match.call, evidence):
        low, high = _count_call(scripted, match, evidence)
        least, most = least + low, most + high
    return least, most


def _count_call(scripted: Scripted, match: CallMatch, evidence: Evidence) -> tuple[int, int]:
    if match.tool is not None and match.tool != scripted.call.name:
        return 0, 0
    executions, known = evidence.executions, evidence.attribution
    if match.arguments is not None:
        return _count_with_arguments(scripted, match, evidence)
    return count_of_call(executions, scripted, evidence.calls, known)


def _count_with_arguments(
    scripted: Scripted, match: CallMatch, evidence: Evidence
) -> tuple[int, int]:
    """Count executions of one call with the arguments that the expectation names."""
    least = most = 0
    for at, owner in enumerate(evidence.attribution.owners):
        if owner is not None and owner is not scripted:
            continue
        if owner is None and evidence.executions[at].tool != scripted.call.name:
            continue
        same = _same_arguments(match, at, evidence)
        rivals = owner is None and any(
            other is not scripted and other.call.name == scripted.call.name
            for other in evidence.calls
        )
        least += same is True and not rivals
        most += same is not False
    return least, most


def _of_call(identifier: str, evidence: Evidence) -> list[Scripted]:
    return [one for one in evidence.calls if one.call.id == identifier]


def _fits(match: CallMatch, at: int, evidence: Evidence) -> bool | None:
    """Tell whether an execution matches, whatever call it belongs to; None if undecided."""
    execution = evidence.executions[at]
    if match.tool is not None and execution.tool != match.tool:
        return False
    if match.call is not None:
        owner = evidence.attribution.owners[at]
        if owner is not None and owner.call.id != match.call:
            return False
        scripted = _of_call(match.call, evidence)
        if owner is None and scripted and execution.tool != scripted[0].call.name:
            return False
        if owner is None and not scripted and execution.call_id != match.call:
            return False
    return _same_arguments(match, at, evidence)


def _same_arguments(match: CallMatch, at: int, evidence: Evidence) -> bool | None:
    if match.arguments is None:
        return True
    facet = evidence.observation.executions
    assert facet is not None, "there is an execution"
    ran = facet.executions[at].arguments
    # A runtime may write sound arguments anew before a callback sees them.
    if facet.arguments == "value" or verdict_on_text(match.arguments).kind == "valid":
        return same_text_or_value(ran, match.arguments)
    return readable(ran) == readable(match.arguments)
