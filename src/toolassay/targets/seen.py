"""
What the trials of an adapter must show, and what in them only looks odd.

A complaint is a fault that no implementation can have, only its adapter. What
an implementation may do as well is a note, and the adapter is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from toolassay.printable import printable
from toolassay.spec.canonical import canonical
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import FACETS, Observation
from toolassay.spec.text import shown as shown_text
from toolassay.targets.base import Implementation
from toolassay.targets.trials import CALL_ID, DONE, RESULT, TOOL

SHOWN_BY: Final = ("history", "requests", "executions", "deliveries", "journal")
"""Facets in which a call can be seen."""

LOOK: Final = "if that is not what the implementation does, look at the adapter first"
"""What to do about a note."""


class Complaint(msgspec.Struct, frozen=True):
    """A fault of an adapter."""

    what: str
    """What is wrong in what it gave."""
    hint: str
    """What to do about it."""


def fault_of_plainest(seen: Observation, about: Implementation) -> Complaint | None:
    """Find a fault in what came of the plainest scenario."""
    for facet in about.facets:
        if facet != "outcome" and getattr(seen, facet) is None and facet not in seen.omitted:
            return Complaint(
                f"the declared facet {facet} did not come, nor a reason why not",
                "give it, or say why in `omitted`, or do not declare it",
            )
    requests, ending = seen.requests, seen.ending
    if requests is not None and requests.status == "complete" and not requests.requests:
        return Complaint(
            "the model was never asked, says the facet requests",
            "tell what the model is shown each time it is asked (in the SDKs: play.model)",
        )
    if ending is not None and ending.status == "complete" and not ending.turns:
        return Complaint(
            "no turn has ended, says the facet ending",
            "tell how each turn ended (in the SDKs: play.ended), or do not declare the facet",
        )
    return None


def fault_of_one_call(seen: Observation, before: Observation) -> Complaint | None:
    """Find a fault in what came of one call, after the plainest scenario was played."""
    shown = [facet for facet in SHOWN_BY if getattr(seen, facet) is not None]
    if shown and _whole(seen, shown) and not any(_shows_the_call(seen, facet) for facet in shown):
        return Complaint(
            f"the call of {TOOL!r} is to be seen in none of {', '.join(shown)}",
            "the adapter does not hand on what the scripted model says, or what came of it",
        )
    return _kept(seen, before) or _aliased(seen) or _unknown_id(seen)


def _whole(seen: Observation, shown: Iterable[str]) -> bool:
    facets = (getattr(seen, facet) for facet in shown)
    return all(getattr(facet, "status", "complete") == "complete" for facet in facets)


def _shows_the_call(seen: Observation, facet: str) -> bool:
    text = canonical(getattr(seen, facet))
    return any(word in text for word in (TOOL.encode(), CALL_ID.encode(), b"ToolCall"))


def _kept(seen: Observation, before: Observation) -> Complaint | None:
    """Find the messages of the scenario before: its model said `done`, and this one did not yet."""
    facet = ""
    if seen.history is not None and before.history is not None:
        begun, messages = before.history.messages, seen.history.messages
        called = any(call.name == TOOL for call in _calls(messages[len(begun) :]))
        facet = "history" * (called and _goes_on(messages, begun))
    if seen.requests is not None and before.requests is not None and not facet:
        first, last = seen.requests.requests[:1], before.requests.requests[-1:]
        if first and last and seen.requests.status == "complete":
            facet = "requests" * _goes_on(first[0], (*last[0], Message("assistant", DONE)))
    if not facet:
        return None
    return Complaint(
        f"the facet {facet} begins with the messages of the scenario before",
        "start each turn/run with a new conversation: something is shared between two of them",
    )


def _goes_on(messages: Sequence[Message], before: Sequence[Message]) -> bool:
    """Tell whether messages begin with those of another scenario, the reply of its model too."""
    said = any(one.role == "assistant" and one.text == DONE for one in before)
    return said and tuple(messages[: len(before)]) == tuple(before)


def _aliased(seen: Observation) -> Complaint | None:
    """Find in the first request what can only have come after it."""
    facet = seen.requests
    if facet is None or facet.status != "complete" or not facet.requests:
        return None
    first = facet.requests[0]
    if any(call.name == TOOL for call in _calls(first)):
        came = "the model's reply to it"
    elif any(one.role == "tool" and one.text == RESULT for one in first):
        came = "the result of the call"
    else:
        return None
    return Complaint(
        f"the first of the requests holds {came} already",
        "copy the messages when the model is asked: the list that was kept has grown since",
    )


def _unknown_id(seen: Observation) -> Complaint | None:
    """Find an execution with the id of no call, where the id of the call is to be seen."""
    lists: list[Sequence[Message]] = []
    if seen.history is not None:
        lists.append(seen.history.messages)
    if seen.requests is not None:
        lists += seen.requests.requests
    ids = {call.id for messages in lists for call in _calls(messages)}
    given = seen.executions.executions if seen.executions is not None else ()
    wrong = next((one.call_id for one in given if one.call_id and one.call_id not in ids), None)
    if wrong is None or CALL_ID not in ids:
        return None
    return Complaint(
        f"an execution has the call_id {printable(wrong, 80)!r}, and no call has that id",
        f"give the model's id of the call (here {CALL_ID!r}) or leave call_id out; an id that "
        "the implementation gives to the execution is its execution_id",
    )


def _calls(messages: Sequence[Message]) -> Iterator[ToolCall]:
    for message in messages:
        yield from message.calls


def oddities(seen: Observation, before: Observation, about: Implementation) -> Iterator[str]:
    """Note what is no fault of an adapter, and in most cases is one all the same."""
    executions = seen.executions
    if executions is not None and executions.status == "complete" and not executions.executions:
        yield f"in the trial, the valid call of {TOOL!r} was never executed; {LOOK}"
    refused = _refused(seen)
    if refused is not None:
        said = printable(shown_text(refused.text, 200), 200)
        what = f"the valid call of {TOOL!r} was answered with an error, `{said}`"
        yield f"in the trial, {what}; {LOOK}"
    came = (one for one in FACETS if getattr(seen, one) or getattr(before, one))
    undeclared = [one for one in came if one not in about.facets and one != "outcome"]
    if undeclared:
        facets = f"the facet{'s' * (len(undeclared) > 1)} {', '.join(undeclared)}"
        yield f"{facets} came without being declared: judged where there, and never missed"


def _refused(seen: Observation) -> Message | None:
    """Give the result of the call, if it is an error."""
    messages = seen.history.messages if seen.history is not None else ()
    if seen.history is None and seen.requests is not None and seen.requests.requests:
        messages = seen.requests.requests[-1]
    return next((one for one in messages if one.role == "tool" and one.is_error), None)
