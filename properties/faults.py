"""
Events with at most one planted fault.

Each fault says which clause it is about and which field a refusal names, so
that a generated event carries its own expectation.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import msgspec

from toolassay.properties.choices import Choose, pick
from toolassay.spec.canonical import canonical
from toolassay.spec.case import Case, Expectation, ExpectOutcome
from toolassay.spec.events import COORDINATES, TOOL_EVENTS, ZERO_ID

Json = dict[str, Any]

_ID = "{0}{0}{0}{0}{0}{0}{0}{0}-0000-4000-8000-000000000001"
_ASSISTANT: Json = {"role": "assistant", "text": "", "calls": [
    {"id": "c1", "name": "echo", "arguments": "{}"}]}  # fmt: skip
_RESULT: Json = {"role": "tool", "text": "ok", "tool_use_id": "c1", "is_error": False}

_BODIES: dict[str, Json] = {
    "PermissionRequested": {},
    "PermissionDecided": {"effect": "approve", "reason": "policy", "subject": "echo"},
    "UserInputRequested": {"question": "which?", "choices": ["a", "b"]},
    "ToolCallStarted": {"tool_name": "echo", "summary": "run echo"},
    "ToolCallCompleted": {"is_error": True, "result_preview": "ok"},
    "StepDone": {"messages": [_ASSISTANT, _RESULT]},
}


def valid_event(kind: str) -> Json:
    """Give a valid event of a type."""
    event: Json = {"type": kind, "event_id": _ID.format("e")}
    event |= {field: _ID.format(place + 1) for place, field in enumerate(COORDINATES)}
    if kind in TOOL_EVENTS:
        event["tool_execution_id"] = _ID.format("7")
    return event | copy.deepcopy(_BODIES[kind])


REQUIRED = ("required",)
"""The rule that a missing id breaks."""


class Fault(msgspec.Struct, frozen=True):
    """One planted fault."""

    clause: str
    """Clause by which the event is refused."""
    field: str
    """Field that a refusal names."""
    rules: tuple[str, ...]
    """Rules of which a refusal names one; where there is none it need not name the field."""
    change: Callable[[Json], object]
    """Plants it."""


def _drop(field: str) -> Callable[[Json], object]:
    return lambda event: event.pop(field)


def _set(field: str, value: object) -> Callable[[Json], object]:
    return lambda event: event.__setitem__(field, value)


def _missing(kind: str) -> list[Fault]:
    of_call = kind in TOOL_EVENTS
    clause, rules = ("EVT-02", REQUIRED) if of_call else ("EVT-10a", ())
    faults = [Fault(clause, field, rules, _drop(field)) for field in reversed(COORDINATES)]
    faults += [Fault(clause, field, rules, _set(field, ZERO_ID)) for field in COORDINATES]
    if of_call:
        field = "tool_execution_id"
        faults += [Fault("EVT-03", field, REQUIRED, _drop(field))]
        faults += [Fault("EVT-03", field, REQUIRED, _set(field, ZERO_ID))]
    return faults


def _visibility() -> list[Fault]:
    return [Fault("EVT-04", "visibility", (), _set("visibility", value)) for value in (7, 255, -1)]


def _decision() -> list[Fault]:
    values = ("ask", "", "maybe", "APPROVE")
    return [Fault("EVT-05", "effect", (), _set("effect", value)) for value in values]


def _group() -> list[Fault]:
    user, second = {"role": "user", "text": "x"}, dict(_ASSISTANT)
    groups: list[tuple[str, list[object]]] = [
        ("EVT-10", [_ASSISTANT, user]),
        ("MSG-03", [_ASSISTANT, None]),
        ("MSG-03", [None]),
        ("MSG-03", []),
        ("EVT-10", [_RESULT, _ASSISTANT]),
        ("EVT-10", [_ASSISTANT, second]),
        ("MSG-03", [user]),
    ]
    faults = [
        Fault(clause, "messages", ("invalid",), _set("messages", messages))
        for clause, messages in groups
    ]
    # A text can be refused before it is a message at all, and then it names no group.
    text = Fault("MSG-03", "messages", (), _set("messages", [_ASSISTANT, "result"]))
    return [*faults, text]


def _wrong_types(kind: str) -> list[Fault]:
    wrong: dict[str, object] = {
        "effect": 5, "question": 5, "choices": "a", "tool_name": 5,
        "is_error": "no", "result_preview": 5, "summary": ["x"], "reason": {},
    }  # fmt: skip
    return [
        Fault("EVT-05a", field, (), _set(field, value))
        for field, value in wrong.items()
        if field in _BODIES[kind]
    ]


def faults_of(kind: str) -> list[Fault]:
    """Give all faults that can be planted in an event of a type."""
    body = {"PermissionDecided": _decision, "StepDone": _group}.get(kind, list)
    return [*_missing(kind), *_visibility(), *body(), *_wrong_types(kind)]


def event_case(choose: Choose) -> Case:
    """Give a case of `event/validate`: a valid event, or one with one fault."""
    kind = pick(choose, tuple(_BODIES))
    event = valid_event(kind)
    if choose(4) == 0:
        return _case(event, (Expectation(_home(kind), outcome=ExpectOutcome("ok")),))
    faults = faults_of(kind)
    clause = pick(choose, tuple(dict.fromkeys(fault.clause for fault in faults)))
    fault = pick(choose, [fault for fault in faults if fault.clause == clause])
    fault.change(event)
    return _case(event, tuple(_expectations(kind, fault)))


def _home(kind: str) -> str:
    return {"StepDone": "EVT-10", "PermissionDecided": "EVT-05"}.get(kind, "EVT-03")


def _expectations(kind: str, fault: Fault) -> list[Expectation]:
    refused = Expectation(fault.clause, outcome=ExpectOutcome("rejected"))
    if not fault.rules:
        return [refused]
    named = ExpectOutcome("rejected", event=kind, field=(fault.field,), rule=fault.rules)
    return [refused, Expectation("EVT-07" if kind == "StepDone" else "EVT-07a", outcome=named)]


def _case(event: Json, expect: tuple[Expectation, ...]) -> Case:
    return Case(
        id="generated.event",
        vector="generated.event",
        title="Generated",
        contract="events",
        kind="negative",
        operation="event/validate",
        event=canonical(event).decode(),
        expect=expect,
    )
