"""
Events in looprig's form, and the gates that join its answers to calls.

A body's keys are those of the pages. What differs is the gate: it stands
inside `GateOpened`, and `GateResolved` names the gate alone, so that the call
it decides is known by a join.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from toolassay.recordings import json_members as members_of
from toolassay.recordings.looprig_messages import UnreadableError, read_messages, refuse_elided
from toolassay.spec.events import Event
from toolassay.spec.messages import Message

NAMES = (
    "session_id", "loop_id", "turn_id", "step_id", "event_id", "tool_execution_id",
    "effect", "reason", "subject", "audit", "question", "gate_id", "action",
    "tool_name", "summary", "result_preview",
)  # fmt: skip
"""Keys of a body whose value is a text that the event keeps under the same name."""


def read_event(kind: str, body: bytes) -> Event:
    """
    Read the body of an event whose type is known from its envelope.

    Raises:
        UnreadableError: The body, or a message in it, was elided or is no JSON.
    """
    try:
        members = members_of.members(members_of.decode(body))
        refuse_elided(members)
        event = _event(kind, members)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("its body is no JSON object") from error
    return _gated(event, members)


def gates_of(events: Iterable[Event]) -> dict[str, str]:
    """Say which call each gate belongs to: execution id by gate id."""
    return {
        event.gate_id: event.tool_execution_id
        for event in events
        if event.type == "GateOpened" and event.gate_id
    }


def joined(event: Event, gates: dict[str, str]) -> Event:
    """Name the call that the answer of a gate decides (GATE-01, GATE-08)."""
    if event.type != "GateResolved" or event.tool_execution_id:
        return event
    return msgspec.structs.replace(event, tool_execution_id=gates.get(event.gate_id, ""))


def request_tool(kind: str, body: bytes) -> str:
    """Name the tool that a permission request asks for; empty for other events."""
    if kind != "PermissionRequested":
        return ""
    try:
        members = members_of.members(members_of.decode(body))
        return members_of.string(members_of.members(members.get("request", "{}")).get("tool_name"))
    except (ValueError, RecursionError):
        return ""


def _event(kind: str, members: dict[str, str]) -> Event:
    texts = {name: members_of.string(members.get(name)) for name in NAMES}
    visibility = members_of.value(members.get("visibility", "0"))
    return Event(
        type=kind,
        visibility=visibility if isinstance(visibility, int) else 0,
        is_error=members.get("is_error") == "true",
        choices=_choices(members),
        messages=_messages(kind, members),
        **texts,
    )


def _choices(members: dict[str, str]) -> tuple[str, ...]:
    choices = members.get("choices", "null")
    if choices == "null":
        return ()
    return tuple(members_of.string(choice) for choice in members_of.elements(choices))


def _messages(kind: str, members: dict[str, str]) -> tuple[Message, ...]:
    return read_messages(members.get("messages", "[]")) if kind == "StepDone" else ()


def _gated(event: Event, members: dict[str, str]) -> Event:
    if event.type == "GateOpened":
        return _opened(event, members.get("gate", "{}"))
    if event.type == "GateResolved":
        return msgspec.structs.replace(event, action=_action(event.action or event.reason))
    if event.type == "TurnFailed":
        return msgspec.structs.replace(event, reason=_failure(members.get("err", "{}")))
    return event


def _opened(event: Event, gate: str) -> Event:
    try:
        members = members_of.members(gate)
        subject = members_of.members(members.get("subject", "{}"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("its gate is no JSON object") from error
    return msgspec.structs.replace(
        event,
        gate_id=members_of.string(members.get("id")),
        tool_execution_id=members_of.string(subject.get("tool_execution_id")),
    )


def _action(action: str) -> str:
    """Reduce the captions of looprig's controls: `Approve always ...` is an approval."""
    word = action.lower()
    return "approve" if word.startswith("approve") else word


def _failure(error: str) -> str:
    try:
        return members_of.string(members_of.members(error).get("message"))
    except (ValueError, RecursionError):
        return ""
