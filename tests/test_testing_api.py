"""What test files import: `vectors` and `assert_trace`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from toolassay.spec.errors import InputError, UnknownNameError
from toolassay.spec.events import Event
from toolassay.spec.observation import Delivery
from toolassay.testing import Anchor, TraceBroken, assert_trace, vectors

IDS = {"session_id": "s", "loop_id": "l", "turn_id": "t", "step_id": "p"}


def event(kind: str, **more: object) -> dict[str, Any]:
    ids = {} if kind.startswith("Turn") else {"step_id": "p"}
    own = {"tool_execution_id": "e1"} if kind.startswith(("Tool", "Perm")) else {}
    return {"type": kind, **IDS, "step_id": "", **ids, **own, **more}


def step(**more: object) -> dict[str, Any]:
    return event(
        "StepDone",
        messages=[
            {"role": "assistant", "calls": [{"id": "c1", "name": "read", "arguments": "{}"}]},
            {"role": "tool", "tool_use_id": "c1", "text": "ok", "is_error": False, **more},
        ],
    )


SOUND = [
    event("TurnStarted"),
    event("PermissionDecided", effect="approve"),
    event("ToolCallStarted", tool_name="read"),
    event("ToolCallCompleted"),
    step(),
    event("TurnDone"),
]
LATE = [*SOUND[:3], step(), event("ToolCallCompleted"), event("TurnDone")]
"""A completion that comes after its step's end (ORD-04, ORD-10)."""


def lines_of(events: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(one) for one in events]


def values_of(events: list[dict[str, Any]]) -> list[Event]:
    return [msgspec.convert(one, Event) for one in events]


def test_a_sound_trace_passes_in_every_form() -> None:
    assert_trace(SOUND)
    assert_trace(iter(SOUND))
    assert_trace(lines_of(SOUND))
    assert_trace([line.encode() for line in lines_of(SOUND)])
    assert_trace("\n".join(lines_of(SOUND)) + "\n")
    assert_trace(values_of(SOUND))
    assert_trace([Delivery(one) for one in values_of(SOUND)])
    assert_trace([{"event": one, "class": ""} for one in SOUND])
    assert_trace([])


@pytest.mark.parametrize("form", [list, lines_of, values_of])
def test_the_first_broken_clause_is_named_with_its_place(form: Callable[..., Any]) -> None:
    with pytest.raises(TraceBroken) as caught:
        assert_trace(form(LATE))

    assert isinstance(caught.value, AssertionError)
    assert (caught.value.clause, caught.value.index) == ("ORD-04", 4)
    assert str(caught.value) == (
        "ORD-04 broken at event 4\n"
        "  ToolCallCompleted is not delivered after its step's StepDone to a subscriber that gets"
        " both.\n"
        "\n"
        "  expected   ToolCallCompleted comes before its step's StepDone\n"
        "  observed   ToolCallCompleted comes after it\n"
        "\n"
        "  event 0     TurnStarted\n"
        "  event 1     PermissionDecided     e1  approve\n"
        "  event 2     ToolCallStarted       e1  read\n"
        "  event 3     StepDone\n"
        "  event 4     ToolCallCompleted     e1   <- here\n"
        "\n"
        "  why:       toolassay explain ORD-04"
    )


def test_what_is_not_there_yet_is_judged_in_a_complete_trace_alone() -> None:
    assert_trace(SOUND[:-1])

    with pytest.raises(TraceBroken) as caught:
        assert_trace(SOUND[:-1], complete=True)

    assert (caught.value.clause, caught.value.index) == ("ORD-16", None)
    assert "at the end of the trace" in str(caught.value)


def test_sequence_numbers_of_deliveries_are_judged() -> None:
    deliveries = [
        {"event": SOUND[0], "seq": 2},
        {"event": SOUND[1], "seq": 1},
    ]

    with pytest.raises(TraceBroken) as caught:
        assert_trace(deliveries)

    assert caught.value.clause == "DUR-02"


def test_foreign_events_and_foreign_keys_are_let_through() -> None:
    assert_trace([*SOUND[:2], {"type": "Heartbeat", "beat": 1}, *SOUND[2:]])


def test_a_clause_that_the_profile_does_not_score_raises_nothing() -> None:
    recorded = [*SOUND[:5], event("StepCompleted"), SOUND[5]]

    assert_trace(recorded)


@pytest.mark.parametrize(
    "item",
    ['{"type":', "[]", "5", {"kind": "TurnDone"}, {"type": 5}, {"event": {"type": 5}}, b"\xff"],
)
def test_what_is_no_event_is_an_input_error(item: str | bytes | dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"^item 1: not an event of the contract"):
        assert_trace([SOUND[0], item])


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        assert_trace([], profile="cor")


def test_controls_of_an_event_are_escaped_in_the_message() -> None:
    hostile = event("ToolCallStarted", tool_name="\x1b[31m\u202e")

    with pytest.raises(TraceBroken) as caught:
        assert_trace([*LATE[:2], hostile, *LATE[3:]])

    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


def test_an_anchor_holds_what_was_asked_for() -> None:
    anchor = vectors(
        target="sim", clauses="ORD-06", families=["ord", "arg"], vectors="own.yaml", baseline="b"
    )

    assert isinstance(anchor, Anchor)
    assert anchor.clauses == ("ORD-06",)
    assert anchor.families == ("ord", "arg")
    assert anchor.vectors == (Path("own.yaml"),)
    assert anchor.baseline == Path("b")
    assert anchor.shipped
    assert (anchor.profile, anchor.seed, anchor.deadline, anchor.python) == (None,) * 4
