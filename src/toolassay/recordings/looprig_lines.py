"""Single events in looprig's own JSON, as its codec and its streams write them."""

from __future__ import annotations

from typing import Literal

import msgspec

from toolassay.recordings import json_members as members_of
from toolassay.recordings.looprig_events import read_event
from toolassay.recordings.looprig_messages import UnreadableError
from toolassay.spec.observation import Delivery

_CLASSES: dict[str, Literal["enduring", "ephemeral"]] = {
    "enduring": "enduring",
    "ephemeral": "ephemeral",
}


def is_native(line: bytes) -> bool:
    """Tell whether a line is an event as looprig's codec writes it: with a type and a version."""
    if b'"v":' not in line and b'"blocks":' not in line:
        return False
    try:
        members = members_of.members(members_of.decode(line))
        inner = members_of.members(members["event"]) if "event" in members else members
    except (ValueError, RecursionError):
        return False
    return "type" in inner and (
        "v" in members or "v" in inner or "blocks" in inner.get("messages", "")
    )


def read_line(line: bytes) -> Delivery:
    """
    Read an event, or a delivery with an `event` in it, whose messages have blocks.

    Raises:
        msgspec.ValidationError: It is none.
    """
    try:
        members = members_of.members(members_of.decode(line))
        body = members.get("event")
        inner = members if body is None else members_of.members(body)
        kind = members_of.string(inner.get("type"))
        event = read_event(kind, line if body is None else body.encode("utf-8", "surrogatepass"))
    except (UnreadableError, ValueError, RecursionError) as fault:
        raise msgspec.ValidationError(f"no event of looprig: {fault}") from None
    if not kind:
        raise msgspec.ValidationError("an event has a `type`")
    seq = members_of.value(members.get("seq", "null"))
    return Delivery(
        event,
        _CLASSES.get(members_of.string(members.get("class")), ""),
        seq if isinstance(seq, int) else None,
    )
