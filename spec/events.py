"""
The events of a turn, with the keys that pages 000, 001 and 002 print.

A stream of events mixes the types of the contract with types that are foreign
to it, so one flat value serves for all of them: `EVENT_KINDS` says which types
the contract knows, of which class they are and what they must carry. Unknown
types and unknown keys are let through here; a validator refuses them.
"""

from typing import Literal

import msgspec

from toolassay.spec.messages import Message

EventClass = Literal["enduring", "ephemeral"]
"""Enduring events are journalled; ephemeral ones may be lost (DUR-01, DUR-04)."""

HowEnded = Literal["done", "failed", "interrupted"]
"""How a turn ended (ORD-16)."""

COORDINATES = ("session_id", "loop_id", "turn_id", "step_id")
"""The quartet that places an event, outermost first (EVT-02)."""

ZERO_ID = "00000000-0000-0000-0000-000000000000"
"""An id of all zeros counts as missing."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event; a field keeps its default where its key is absent."""

    type: str
    """Name of the type, such as `StepDone`; foreign names are legal."""
    session_id: str = ""
    """The session that produced the event (EVT-02)."""
    loop_id: str = ""
    """The loop, which scopes execution ids (EVT-09)."""
    turn_id: str = ""
    """The turn; set on every event of a turn."""
    step_id: str = ""
    """The step: one assistant message with its results (EVT-12)."""
    event_id: str = ""
    """Identity of the event itself; live ephemerals may have none."""
    visibility: int = 0
    """0 public, 1 internal, anything else invalid (EVT-04)."""
    tool_execution_id: str = ""
    """Joins all events of one call (EVT-03, EVT-09)."""
    effect: str = ""
    """PermissionDecided: `approve` or `deny` (EVT-05)."""
    reason: str = ""
    """PermissionDecided: why; terminal events: how the turn failed."""
    subject: str = ""
    """PermissionDecided: summary of what was decided on (RED-06)."""
    audit: str = ""
    """PermissionDecided: summary for an audit (RED-06)."""
    question: str = ""
    """UserInputRequested: the question."""
    choices: tuple[str, ...] = ()
    """UserInputRequested: the choices, if any."""
    gate_id: str = ""
    """GateOpened and GateResolved: the gate (GATE-01)."""
    action: str = ""
    """GateResolved: `approve`, `deny`, or how it was given up."""
    tool_name: str = ""
    """ToolCallStarted: name of the tool."""
    summary: str = ""
    """ToolCallStarted: bounded text for people (RED-03)."""
    is_error: bool = False
    """ToolCallCompleted: the error bit (ORD-14)."""
    result_preview: str = ""
    """ToolCallCompleted: bounded text for people (RED-03)."""
    messages: tuple[Message, ...] = ()
    """StepDone: the step group (MSG-01)."""


class EventKind(msgspec.Struct, frozen=True):
    """What the contract says of one type of event."""

    name: str
    """The type's name."""
    durability: EventClass
    """Its class (EVT-01)."""
    coordinates: tuple[str, ...] = COORDINATES
    """Ids that must be set, outermost first (EVT-02)."""
    of_call: bool = False
    """True if it belongs to one call and so carries an execution id (EVT-03)."""


_TURN = COORDINATES[:3]

EVENT_KINDS: dict[str, EventKind] = {
    kind.name: kind
    for kind in (
        EventKind("PermissionRequested", "enduring", of_call=True),
        EventKind("PermissionDecided", "enduring", of_call=True),
        EventKind("UserInputRequested", "enduring", of_call=True),
        EventKind("ToolCallStarted", "ephemeral", of_call=True),
        EventKind("ToolCallCompleted", "ephemeral", of_call=True),
        EventKind("StepDone", "enduring"),
        EventKind("GateOpened", "enduring"),
        EventKind("GateResolved", "enduring"),
        EventKind("TokenDelta", "ephemeral"),
        EventKind("TurnStarted", "enduring", _TURN),
        EventKind("TurnDone", "enduring", _TURN),
        EventKind("TurnFailed", "enduring", _TURN),
        EventKind("TurnInterrupted", "enduring", _TURN),
    )
}
"""The types of the contract, by name."""

TOOL_EVENTS = tuple(kind.name for kind in EVENT_KINDS.values() if kind.of_call)
"""The five tool events of pages 001 and 002."""

TURN_ENDINGS: dict[str, HowEnded] = {
    "TurnDone": "done",
    "TurnFailed": "failed",
    "TurnInterrupted": "interrupted",
}
"""How a turn ended, by the type of its terminal event (ORD-16)."""


def is_missing(identifier: str) -> bool:
    """Tell whether an id counts as missing: empty or all zeros."""
    return not identifier or identifier == ZERO_ID
