"""What one StepDone breaks by itself, and against the completions of its step."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolassay.properties.groups import first_displaced, pair, repeat_ids
from toolassay.properties.stream_state import Call
from toolassay.properties.words import quoted
from toolassay.spec.messages import Message

_ONE_RESULT = "every call has exactly one result"

IN_ORDER = "results stand in the order of their calls"
"""What MSG-10 expects."""


class GroupFault(msgspec.Struct, frozen=True):
    """One clause that a step group breaks."""

    clause: str
    """Id of the clause."""
    expected: str
    """What should have been there."""
    observed: str
    """What was there instead."""
    call: str = ""
    """The call id concerned, if one is."""
    recorded: bool = False
    """True if it is noted and not scored."""


def group_faults(messages: Sequence[Message]) -> list[GroupFault]:
    """Judge the messages of a StepDone: their shape, then their pairing."""
    if _is_plainly_sound(messages):
        return []
    shape = _shape_faults(messages)
    if shape:
        whole = "StepDone holds a valid group"
        more = _more_than_a_text(messages)
        return [*shape, *more, *(GroupFault("EVT-10", whole, fault.observed) for fault in shape)]
    faults = _pair_faults(messages)
    if not repeat_ids(messages[0].calls):
        return faults
    return [msgspec.structs.replace(fault, recorded=True) for fault in faults]


def _is_plainly_sound(messages: Sequence[Message]) -> bool:
    """Tell cheaply whether each call is answered once and in order, as nearly always."""
    if not messages or messages[0].role != "assistant":
        return False
    answered = [one.tool_use_id for one in messages if one.role == "tool"]
    return len(answered) == len(messages) - 1 and answered == [one.id for one in messages[0].calls]


def _shape_faults(messages: Sequence[Message]) -> list[GroupFault]:
    if not messages or messages[0].role != "assistant":
        observed = f"a {messages[0].role} message" if messages else "no message"
        return [GroupFault("MSG-01", "the group begins with the assistant message", observed)]
    return [
        GroupFault(
            "MSG-02",
            "every later message of the group is a result",
            f"message {at} has the role {message.role}",
        )
        for at, message in enumerate(messages)
        if at and message.role != "tool"
    ]


def _more_than_a_text(messages: Sequence[Message]) -> list[GroupFault]:
    if len(messages) < 2 or messages[0].role != "assistant" or messages[0].calls:
        return []
    observed = f"{len(messages)} messages"
    return [GroupFault("MSG-04", "a text-only step commits one message", observed)]


def _pair_faults(messages: Sequence[Message]) -> list[GroupFault]:
    calls, results = messages[0].calls, messages[1:]
    faults = _more_than_a_text(messages)
    pairing = pair(calls, results)
    for at in pairing.unanswered:
        observed = f"call {quoted(calls[at].id)} has none"
        faults.append(GroupFault("MSG-05", _ONE_RESULT, observed, calls[at].id))
        whole = "only a complete group is committed"
        faults.append(GroupFault("ORD-12", whole, observed, calls[at].id))
    for at in pairing.repeated:
        observed = f"call {quoted(calls[at].id)} has {len(pairing.answers[at])}"
        faults.append(GroupFault("MSG-05", _ONE_RESULT, observed, calls[at].id))
    for at in pairing.orphans:
        identifier = results[at].tool_use_id or ""
        observed = f"a result for {quoted(identifier)}, no call of it"
        own = "a result answers a call of its own group"
        faults.append(GroupFault("MSG-06", own, observed, identifier))
    if len(results) > len(calls):  # too few break MSG-05
        observed = f"{len(results)} results for {len(calls)} calls"
        faults.append(GroupFault("MSG-08", "one message per result", observed))
    displaced = first_displaced(calls, results, pairing)
    if displaced is not None:
        identifier = calls[displaced].id
        faults.append(GroupFault("MSG-10", IN_ORDER, told_early(identifier), identifier))
    return faults


def told_early(identifier: str) -> str:
    """Say of a call that its result stands too early."""
    return f"the result of {quoted(identifier)} stands before that of a call ahead of it"


def disagreeing_bits(calls: Sequence[Call], messages: Sequence[Message]) -> list[str]:
    """Compare completions with results as counts; a missing one proves nothing (ORD-14)."""
    flags = [message.is_error for message in messages if message.role == "tool"]
    # A group that lacks a result is a fault of its own; a result may come without a flag.
    if len(flags) != len(messages[0].calls) or None in flags:
        return []
    completed = [call.error for call in calls if call.completed]
    found: list[str] = []
    for bit, word in ((True, "with"), (False, "without")):
        seen, held = completed.count(bit), flags.count(bit)
        if seen > held:
            found.append(f"{seen} completions {word} the error bit, {held} such results")
    return found
