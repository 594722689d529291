"""
Whether the error flag of a result survives (MSG-09).

The flag can only survive where there was one. A call that should not have run,
and ran to a good end, had no error result: that it ran is for other clauses to
say (ARG-03, ORD-06).
"""

from __future__ import annotations

import re

from toolassay.properties.evidence import Evidence, Source
from toolassay.properties.runs import count_of_call
from toolassay.properties.script import Held, Scripted, is_what_returned, readable, returned_by
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import quoted
from toolassay.spec.messages import Message
from toolassay.spec.text import Base64


def error_flag(evidence: Evidence) -> Answer:
    """MSG-09: the error flag of a result survives into the committed group."""
    source = next(filter(_has_flags, evidence.sources), None)
    if source is None:
        return Skip("no error flag on any committed result")
    notes: list[Note] = []
    judged = 0
    for held in evidence.held_in(source):
        result = held.group.result_of(held.at)
        expected = _expected_flag(evidence, held, result) if result is not None else None
        if expected is None or result is None:
            continue
        judged += 1
        if (result.is_error is True) is not expected:
            notes.append(
                Note(
                    f"the result {'has' if expected else 'does not have'} the error flag "
                    f"({_why_flag(held)})",
                    f"is_error is {result.is_error}, text {quoted(result.text)}",
                    source.place_of(held.group),
                    held.id,
                )
            )
    return notes if judged else Skip("no result whose flag is known beforehand")


def _has_flags(source: Source) -> bool:
    return any(one.is_error is not None for group in source.groups for one in group.results)


def _expected_flag(evidence: Evidence, held: Held, result: Message) -> bool | None:
    """Say which flag a result must have; None where several are right."""
    scripted = held.scripted
    behaviour = scripted.behaviour
    if scripted.malformed or scripted.denied or scripted.tool is None:
        sure = result.is_error is True or was_an_error(evidence, scripted, result)
        return True if sure else None
    if behaviour.hangs or not scripted.plain:
        return None
    if behaviour.ends_in_error:
        return True
    if isinstance(behaviour.returns, Base64) or not _encodes(behaviour.returns or ""):
        return None  # MSG-21 lets such a call end in an error result
    # Another text is the runtime's own, and an error as good as any: the call was skipped,
    # given up, or refused for a reason that no script knows.
    return False if is_what_returned(result.text, behaviour) else None


def was_an_error(evidence: Evidence, scripted: Scripted, result: Message) -> bool:
    """Tell whether a call that ends in an error did so: it did not run, or its tool failed."""
    behaviour = scripted.behaviour
    if scripted.tool is None or behaviour.ends_in_error:
        return True
    facet = evidence.observation.executions
    least, most = count_of_call(evidence.executions, scripted, evidence.calls, evidence.attribution)
    if facet is not None and facet.status == "complete" and not most:
        return True
    # Where executions do not tell, a text without the tool's own words is that of no good end.
    own = re.escape(returned_by(behaviour))
    return not least and not re.search(rb"(?<!\w)" + own + rb"(?!\w)", readable(result.text))


def _why_flag(held: Held) -> str:
    scripted = held.scripted
    if scripted.malformed:
        return "its arguments are malformed"
    if scripted.denied:
        return "its permission is denied"
    if scripted.tool is None:
        return "its tool is unavailable"
    if scripted.behaviour.fails is not None:
        return "the tool reports a failure"
    return "the tool throws" if scripted.behaviour.raises is not None else "the tool succeeds"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
