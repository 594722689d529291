"""The judge of streams finds what a stream alone can break, and nothing else."""

from __future__ import annotations

import itertools

import pytest
from observations import (
    DONE,
    GROUP,
    SOUND,
    asked,
    broken,
    call,
    calls,
    completed,
    decided,
    delivered,
    event,
    is_enduring,
    replaced,
    result,
    started,
    step_done,
    stream,
    turn_done,
    turn_started,
)

from toolassay.properties.stream import STREAM_CLAUSES, StreamJudge
from toolassay.spec.events import ZERO_ID, Event
from toolassay.spec.observation import Delivery

TWO = (calls(call("c1"), call("c2")), result("c1"), result("c2", error=True))


def gate(action: str = "", execution: str = "x1", **given: str) -> Event:
    """A gate that opens, or is resolved by an action."""
    kind = "GateResolved" if action else "GateOpened"
    return event(kind, execution, gate_id="g", action=action, **given)


def question() -> Event:
    return event("UserInputRequested", "x1", question="which?")


def test_a_sound_stream_breaks_nothing() -> None:
    assert stream(*SOUND) == ()


@pytest.mark.parametrize("kept", list(itertools.product([True, False], repeat=2)), ids=str)
def test_no_absent_ephemeral_is_a_finding(kept: tuple[bool, bool]) -> None:
    ephemerals = iter(kept)
    events = [one for one in SOUND if is_enduring(one) or next(ephemerals)]
    assert stream(*events) == ()


def test_a_stream_that_stops_anywhere_breaks_nothing_when_it_is_not_complete() -> None:
    for length in range(len(SOUND)):
        assert stream(*SOUND[:length], complete=False) == ()


@pytest.mark.parametrize(
    ("clause", "events"),
    [
        ("MSG-01", [step_done()]),
        ("MSG-01", [step_done(result())]),
        ("MSG-02", [step_done(calls(call()), result(), DONE)]),
        ("MSG-04", [step_done(DONE, result("c9"))]),
        ("MSG-04", [step_done(DONE, DONE)]),
        ("MSG-05", [step_done(calls(call()))]),
        ("MSG-05", [step_done(*GROUP, result())]),
        ("MSG-06", [step_done(*GROUP, result("c9"))]),
        ("MSG-08", [step_done(*GROUP, result("c9"))]),
        ("MSG-10", [step_done(TWO[0], TWO[2], TWO[1])]),
        ("ORD-12", [step_done(*TWO[:2])]),
        ("EVT-09", [decided(), started("x2"), step_done(*GROUP)]),
        ("EVT-09a", [decided(), step_done(*GROUP), decided(step="s2")]),
        ("EVT-12", [decided(), started(step="s9"), step_done(*GROUP)]),
        ("EVT-12", [decided(step="s9"), step_done(*GROUP), turn_done()]),
        ("EVT-12", [decided(), step_done(*GROUP), completed(step="s2")]),
        ("GATE-02", [decided("ask")]),
        ("ORD-01", [decided(), asked()]),
        ("ORD-02", [started(), decided()]),
        (
            "ORD-02",
            [
                event("GateOpened", "x1", gate_id="g"),
                started(),
                event("GateResolved", gate_id="g", action="Approve"),
            ],
        ),
        ("ORD-03", [completed(), started()]),
        ("ORD-04", [decided(), step_done(*GROUP), completed()]),
        ("ORD-07", [decided(), decided()]),
        ("ORD-07", [started(), started()]),
        ("ORD-07", [completed(), completed()]),
        ("ORD-10", [step_done(*GROUP), started()]),
        ("ORD-11", [decided("deny")]),
        ("ORD-14", [completed(error=True), step_done(*GROUP)]),
        ("ORD-14", [completed("x1"), completed("x2"), step_done(*TWO)]),
        ("ORD-16", [turn_started(), turn_done(), turn_done("TurnFailed")]),
        ("ORD-16", [turn_started(), turn_done(), step_done(DONE)]),
        ("ORD-16", [turn_started(), turn_done(), started()]),
        ("ORD-16", [turn_started(), turn_done(), completed()]),
        ("ORD-16", [turn_started(), turn_done("TurnFailed"), started()]),
        ("ORD-16", [turn_started(), step_done(DONE)]),
        ("ORD-16", [step_done(DONE, step="s0"), decided(), turn_done()]),
        ("ORD-18", [decided("deny"), started(), turn_done()]),
        ("ORD-18", [completed(), decided("deny"), turn_done()]),
        (
            "ORD-18",
            [
                event("GateOpened", "x1", gate_id="g"),
                asked(),
                event("GateResolved", gate_id="g", action="Deny"),
                completed(error=True),
                turn_done(),
            ],
        ),
        ("ORD-19", [step_done(DONE), step_done(DONE)]),
    ],
)
def test_a_broken_stream_is_found(clause: str, events: list[Event]) -> None:
    assert clause in broken(*events)


@pytest.mark.parametrize(
    "events",
    [
        [decided(), decided(execution="x2"), step_done(*TWO), turn_done()],
        [decided(), step_done(*GROUP), decided(execution="x2", step="s2"), turn_done("TurnFailed")],
        [decided(loop_id="a"), step_done(*GROUP, loop_id="a"), decided(loop_id="b", step="s2")],
        [decided("deny"), turn_done("TurnInterrupted")],
        [decided("deny"), step_done(calls(call()), result(error=True)), turn_done()],
        [completed(error=True), step_done(calls(call()), result(error=None))],
        [completed("x2", error=True), completed("x1"), step_done(*TWO)],
        [started(), turn_done("TurnFailed")],
        [step_done(DONE), step_done(DONE, turn_id="t2")],
        [step_done(calls(call("a"), call("a")), result("a"), result("a"))],
        [event("GateOpened", "x1", gate_id="g"), asked(), step_done(*GROUP, step="s0")],
        [turn_done(), event("GateResolved", gate_id="g", action="abandoned")],
        [started(step=""), step_done(*GROUP, step=""), started("x2", step="")],
        # A gate of a call that runs, or asks for input, does not decide on it.
        [decided(), started(), gate(), gate("deny"), completed(), step_done(*GROUP)],
        [started(), gate(), gate("approve"), completed(), step_done(*GROUP)],
        [question(), gate(), gate("deny"), started(), completed(), step_done(*GROUP)],
        [gate(), gate("approve", execution="", loop_id=""), started(), decided(), turn_done()],
        # A denial may end the turn in place of its step, and its siblings with it.
        [step_done(DONE, step="s0"), decided(), decided("deny", "x2"), turn_done()],
        [step_done(DONE, step="s0"), decided(), gate("deny", execution=""), turn_done()],
        # What a turn that was cut has left behind may end late.
        [started(), turn_done("TurnFailed"), completed(error=True)],
        [started(), turn_done("TurnInterrupted"), completed()],
        # Ids that are missing name nothing.
        [turn_done(turn_id=""), started(turn_id=""), step_done(*GROUP, turn_id="")],
        # Equal loop ids of two sessions are two loops.
        [decided(), step_done(*GROUP), decided(session_id="other")],
        [completed(error=True), step_done(calls(call("a"), call("a")), result("a"))],
    ],
)
def test_a_near_miss_breaks_nothing(events: list[Event]) -> None:
    assert broken(*events) == []


def test_numbers_that_repeat_or_fall_break_the_order_and_nothing_else() -> None:
    events = [Delivery(decided(), "enduring", 8), Delivery(asked("x2"), "enduring", 7)]
    assert broken(*events) == ["DUR-02"]


def test_an_event_that_is_delivered_again_is_no_second_decision() -> None:
    events = [Delivery(decided(), "enduring", 8), Delivery(decided(), "enduring", 8)]
    assert broken(*events) == ["DUR-02"]


def test_gaps_and_other_sessions_keep_the_order() -> None:
    other = replaced(asked("x2"), session_id="other")
    events = [Delivery(asked(), "enduring", 8), Delivery(other, "enduring", 1)]
    assert broken(*events, Delivery(decided(), "enduring", 80)) == []


@pytest.mark.parametrize("kind", ["ToolCallStarted", "TokenDelta"])
def test_a_number_on_an_ephemeral_event_is_found(kind: str) -> None:
    assert broken(Delivery(event(kind, "x1"), "ephemeral", 5)) == ["DUR-01"]


def test_a_foreign_ephemeral_may_have_no_number_and_a_foreign_enduring_one_may() -> None:
    assert broken(Delivery(event("Foreign"), "ephemeral", 5)) == ["DUR-01"]
    assert broken(Delivery(event("Foreign"), "enduring", 5)) == []


def test_of_a_type_that_no_page_classes_only_its_own_class_counts() -> None:
    assert broken(Delivery(event("TokenDelta"), "enduring", 5)) == []
    assert broken(Delivery(event("TokenDelta"), "", 5)) == []
    assert broken(Delivery(started(), "", 5)) == ["DUR-01"]


def test_what_becomes_of_equal_ids_in_one_group_is_recorded() -> None:
    found = stream(step_done(calls(call("a"), call("a")), result("a")))
    assert {one.clause for one in found} == {"MSG-05", "ORD-12"}
    assert all(one.recorded for one in found)


def test_a_number_of_zero_is_none() -> None:
    assert broken(Delivery(started(), "ephemeral", 0)) == []


def test_a_class_that_is_not_that_of_the_type_is_found() -> None:
    assert broken(Delivery(started(), "enduring")) == ["EVT-01"]
    assert broken(Delivery(started(), "")) == []


def test_an_enduring_event_before_its_record_is_found() -> None:
    assert broken(Delivery(asked(), "enduring", 1, in_journal=False)) == ["DUR-03"]
    assert broken(Delivery(started(), "ephemeral", in_journal=False)) == []


@pytest.mark.parametrize(
    ("clause", "one"),
    [
        ("EVT-02", replaced(asked(), turn_id=ZERO_ID)),
        ("EVT-03", asked("")),
        ("EVT-04", replaced(asked(), visibility=7)),
        ("EVT-05", decided("maybe")),
        ("EVT-10", step_done()),
        ("EVT-10a", step_done(DONE, session_id="")),
        ("EVT-11", event("StepCompleted")),
    ],
)
def test_what_binds_a_validator_is_only_recorded_of_a_stream(clause: str, one: Event) -> None:
    found = [finding for finding in stream(one) if finding.clause == clause]
    assert [finding.recorded for finding in found] == [True]


def test_only_the_clauses_that_were_asked_for_are_judged() -> None:
    found = stream(decided(), asked(), started(), started(), clauses=frozenset({"ORD-07"}))
    assert {one.clause for one in found} == {"ORD-07"}


def test_a_finding_says_where_and_of_which_call() -> None:
    (found,) = stream(decided(), asked(), complete=False)
    assert found.place is not None
    assert (found.place.facet, found.place.index, found.call) == ("deliveries", 1, "x1")


def test_no_event_whatever_makes_the_judge_fail() -> None:
    odd = [
        Event("StepDone"),
        Event("ToolCallStarted"),
        Event("PermissionDecided", effect="\x1b[31m"),
        Event("GateResolved"),
        Event("TurnDone"),
        Event("StepDone", messages=(result(None),)),
        Event("Made up", tool_execution_id="x"),
    ]
    for events in itertools.permutations(odd, 4):
        for finding in stream(*events):
            assert finding.clause in STREAM_CLAUSES
            assert "\x1b" not in finding.expected + finding.observed


def test_what_is_remembered_of_closed_calls_is_their_ids() -> None:
    judge = StreamJudge()
    for number in range(100):
        step, execution = f"s{number}", f"x{number}"
        for one in (decided(execution=execution, step=step), step_done(*GROUP, step=step)):
            judge.feed(0, Delivery(one))
    (loop,) = judge._loops.values()
    assert (len(loop.calls), len(loop.closed), len(loop.turns["t1"].steps)) == (0, 100, 0)
    for delivery in delivered([turn_done()]):
        judge.feed(0, delivery)
    assert (loop.turns, len(loop.ended)) == ({}, 1)


def test_each_event_that_lacks_an_id_is_told_of() -> None:
    events = (asked(), decided(), step_done(DONE))
    found = stream(*(replaced(one, session_id="") for one in events), complete=False)
    places = [one.clause for one in found if one.clause in {"EVT-02", "EVT-10a"}]
    assert places == ["EVT-02", "EVT-02", "EVT-10a"]
