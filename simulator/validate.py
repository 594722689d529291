"""
Validation of one event, given as JSON text.

The first fault found is named: event, field and rule (EVT-07). The order is
type, visibility, coordinates from the outermost, execution id, body.
"""

from __future__ import annotations

from typing import Any

import msgspec

from toolassay.spec.events import COORDINATES, EVENT_KINDS, EventKind, is_missing
from toolassay.spec.json_text import scan
from toolassay.spec.observation import Outcome
from toolassay.spec.text import Text, bytes_of

DEPTH_MAX = 256
"""Deepest nesting of an event that is read."""

_TEXT_FIELDS = (
    "effect", "reason", "subject", "audit", "question", "gate_id", "action",
    "tool_name", "summary", "result_preview", "event_id",
)  # fmt: skip

Fault = tuple[str, str]
"""A field and the rule it breaks."""

Json = dict[str, Any]


class Validator:
    """The rules for one event; a mutant overrides one of them."""

    def __init__(self) -> None:
        self.faults = 0

    def validate(self, text: Text) -> Outcome:
        """Accept an event, or refuse it and name event, field and rule."""
        event = self.read(bytes_of(text))
        if event is None:
            return self.refuse("", ("event", "invalid"))
        name = event.get("type")
        kind = EVENT_KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            return self.refuse(name if isinstance(name, str) else "", ("type", "unknown-type"))
        fault = self.first_fault(kind, event)
        return Outcome("ok") if fault is None else self.refuse(kind.name, fault)

    def read(self, data: bytes) -> Json | None:
        """Read an object, or give None where the text holds none."""
        found = scan(data)
        if not found.valid or found.depth > DEPTH_MAX or found.duplicate_key is not None:
            return None
        try:
            value = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return value if isinstance(value, dict) else None

    def refuse(self, event: str, fault: Fault) -> Outcome:
        """Name what was wrong (EVT-07)."""
        field, rule = fault
        return Outcome("rejected", f"event.{rule}", event, field, rule)

    def first_fault(self, kind: EventKind, event: Json) -> Fault | None:
        """Give the first fault, the outermost first."""
        return (
            self.visibility(event)
            or self.coordinates(kind, event)
            or self.execution(kind, event)
            or self.texts(event)
            or self.body(kind, event)
        )

    def visibility(self, event: Json) -> Fault | None:
        """Want visibility 0 or 1 (EVT-04)."""
        value = event.get("visibility", 0)
        if type(value) is not int:
            return ("visibility", "wrong-type")
        return None if value in {0, 1} else ("visibility", "invalid")

    def coordinates(self, kind: EventKind, event: Json) -> Fault | None:
        """Want every id of the type's place (EVT-02)."""
        for field in COORDINATES:
            value = event.get(field, "")
            if not isinstance(value, str):
                return (field, "wrong-type")
            if field in kind.coordinates and is_missing(value):
                return (field, "required")
        return None

    def execution(self, kind: EventKind, event: Json) -> Fault | None:
        """Want an execution id on an event of a call (EVT-03)."""
        value = event.get("tool_execution_id", "")
        if not isinstance(value, str):
            return ("tool_execution_id", "wrong-type")
        if kind.of_call and is_missing(value):
            return ("tool_execution_id", "required")
        return None

    def texts(self, event: Json) -> Fault | None:
        """Want body fields of the types that the page prints (EVT-05)."""
        for field in _TEXT_FIELDS:
            if not isinstance(event.get(field, ""), str):
                return (field, "wrong-type")
        if type(event.get("is_error", False)) is not bool:
            return ("is_error", "wrong-type")
        choices = event.get("choices", [])
        if not isinstance(choices, list) or not all(isinstance(item, str) for item in choices):
            return ("choices", "wrong-type")
        return None

    def body(self, kind: EventKind, event: Json) -> Fault | None:
        """Hold the body to the rule of its type."""
        if kind.name == "PermissionDecided":
            return self.effect(event.get("effect", ""))
        if kind.name == "StepDone":
            return self.group(event.get("messages"))
        return None

    def effect(self, effect: str) -> Fault | None:
        """Want approve or deny; `ask` is neither (EVT-05)."""
        return None if effect in {"approve", "deny"} else ("effect", "invalid")

    def group(self, messages: object) -> Fault | None:
        """Want one assistant message, then tool results (EVT-10, MSG-03)."""
        if not isinstance(messages, list) or not messages:
            return ("messages", "invalid")
        if not self.is_message(messages[0], "assistant"):
            return ("messages", "invalid")
        if not all(self.is_message(message, "tool") for message in messages[1:]):
            return ("messages", "invalid")
        return None

    def is_message(self, message: object, role: str) -> bool:
        """Tell whether an element of a group is a message of a role (MSG-01, MSG-02)."""
        if not isinstance(message, dict) or message.get("role") != role:
            return False
        return role != "tool" or isinstance(message.get("tool_use_id"), str)
