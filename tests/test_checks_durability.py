"""Checks of durability (DUR)."""

# ruff: noqa: ANN401 - what is given is passed on to the models, which say what they take

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from observations import (
    DONE,
    GROUP,
    SOUND,
    call,
    calls,
    delivered,
    deliveries,
    ending,
    event,
    history,
    journal,
    replaced,
    result,
    scenario,
    scripted,
    status,
    step_done,
    tool,
    verdict,
)

from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Ending,
    Journal,
    Observation,
    Record,
    Subscription,
)
from toolassay.spec.scenario import Subscriber

# --- DUR-01, 02, 03 -------------------------------------------------------------------------


def test_an_ephemeral_event_in_the_journal_is_found() -> None:
    records = (Record(1, event("ToolCallStarted", "x1")),)
    assert status("DUR-01", Observation(journal=Journal(records))) == "fail"
    assert status("DUR-01", Observation(journal=journal(*SOUND))) == "pass"


def test_numbers_increase_in_the_journal() -> None:
    def numbered(*numbers: int) -> Observation:
        return Observation(journal=Journal(tuple(Record(one, event("F")) for one in numbers)))

    assert status("DUR-02", numbered(3, 7, 8)) == "pass"
    assert status("DUR-02", numbered(3, 7, 7)) == "fail"
    assert status("DUR-02", numbered()) == "not_applicable"


def test_the_journal_holds_an_event_before_it_is_seen() -> None:
    def seen(known: bool | None) -> Observation:
        one = Delivery(event("StepDone"), in_journal=known)
        return Observation(deliveries=Deliveries((Subscription((one,)),)))

    assert status("DUR-03", seen(True)) == "pass"
    assert status("DUR-03", seen(False)) == "fail"
    assert status("DUR-03", seen(None)) == "not_applicable"


# --- DUR-04 ---------------------------------------------------------------------------------


def committed(*messages: Message, **given: Any) -> Observation:
    return Observation(history=history(*messages), journal=journal(*SOUND, **given))


def test_the_history_is_the_fold_of_the_journal() -> None:
    assert status("DUR-04", committed(*GROUP, DONE)) == "pass"
    assert status("DUR-04", committed(*GROUP)) == "fail"
    assert status("DUR-04", committed(*GROUP, DONE, DONE)) == "fail"
    assert status("DUR-04", committed(GROUP[0], result(text="other"), DONE)) == "fail"
    assert status("DUR-04", committed(GROUP[0], result(error=True), DONE)) == "fail"
    assert status("DUR-04", committed(calls(call(arguments='{"a":1}')), GROUP[1], DONE)) == "fail"


def test_spelling_of_arguments_and_a_form_without_flags_make_no_difference() -> None:
    assert status("DUR-04", committed(calls(call(arguments="{ }")), GROUP[1], DONE)) == "pass"
    assert status("DUR-04", committed(GROUP[0], result(error=None), DONE)) == "pass"


def test_a_text_that_is_no_unicode_may_have_been_replaced() -> None:
    observation = Observation(
        history=history(GROUP[0], result(text="\ufffd")),
        journal=journal(step_done(GROUP[0], result(text="\ud800"))),
    )
    assert status("DUR-04", observation) == "recorded"


def test_what_is_not_complete_is_not_compared() -> None:
    assert status("DUR-04", committed(*GROUP, status="cut")) == "not_applicable"
    aborted = Observation(history=history(status="aborted"), journal=journal(*SOUND))
    assert status("DUR-04", aborted) == "not_applicable"


def test_the_steps_of_several_loops_are_not_compared() -> None:
    other = step_done(DONE, loop_id="other")
    observation = Observation(history=history(*GROUP, DONE), journal=journal(*SOUND, other))
    assert status("DUR-04", observation) == "not_applicable"


# --- DUR-05 ---------------------------------------------------------------------------------


def lost(*kept: int, **given: Any) -> Observation:
    """Deliver the sound events at these positions alone."""
    whole = delivered(SOUND)
    subscription = Subscription(tuple(whole[at] for at in kept), **given)
    return Observation(deliveries=Deliveries((subscription,)), journal=journal(*SOUND))


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        (range(8), "pass"),
        ([0, 1, 2, 5, 6, 7], "pass"),
        ([0, 1, 2, 6, 7], "fail"),
        ([0, 1, 2, 5, 6], "fail"),
        ([2, 5, 6, 7], "recorded"),
        ([], "fail"),
    ],
)
def test_a_subscriber_gets_every_enduring_event(kept: Sequence[int], expected: str) -> None:
    assert status("DUR-05", lost(*kept)) == expected


def test_a_stream_that_ends_with_an_error_or_is_not_complete_owes_nothing() -> None:
    assert status("DUR-05", lost(0, error="too slow")) == "not_applicable"
    assert status("DUR-05", lost(0, status="unsubscribed")) == "not_applicable"


def test_events_are_told_apart_by_their_ids_where_they_have_no_numbers() -> None:
    events = [replaced(one, event_id=f"e{at}") for at, one in enumerate(SOUND)]

    def without_numbers(kept: Sequence[int]) -> Observation:
        subscription = Subscription(tuple(Delivery(events[at]) for at in kept))
        return Observation(deliveries=Deliveries((subscription,)), journal=journal(*events))

    assert status("DUR-05", without_numbers([0, 1, 2, 5, 6, 7])) == "pass"
    assert status("DUR-05", without_numbers([0, 1, 2, 6, 7])) == "fail"


def test_an_event_in_public_is_no_other_than_one_of_its_own_class() -> None:
    def seen(kind: str, **given: Any) -> Observation:
        one = Delivery(event(kind), in_journal=False, **given)
        return Observation(deliveries=Deliveries((Subscription((one,)),)))

    assert status("DUR-03", seen("TurnStarted", durability="enduring")) == "fail"
    assert status("DUR-03", seen("TurnStarted", durability="ephemeral")) == "pass"
    assert status("DUR-03", seen("TurnStarted")) == "pass"  # no page says of which class it is


def test_an_event_that_is_not_public_is_owed_to_no_one() -> None:
    hidden = replaced(step_done(DONE), visibility=1, step_id="s9")
    observation = Observation(deliveries=deliveries(*SOUND), journal=journal(*SOUND, hidden))
    assert status("DUR-05", observation) == "pass"


def test_the_events_of_a_loop_that_a_subscriber_got_nothing_of_are_not_owed() -> None:
    other = step_done(DONE, loop_id="other")
    observation = Observation(deliveries=deliveries(*SOUND), journal=journal(*SOUND, other))
    assert status("DUR-05", observation) == "recorded"


def test_a_delivery_without_number_and_id_may_be_that_of_any_record_of_its_type() -> None:
    whole = delivered(SOUND)
    unknown = replaced(whole[5], seq=None)
    kept = (*whole[:5], unknown, *whole[6:])
    observation = Observation(deliveries=Deliveries((Subscription(kept),)), journal=journal(*SOUND))
    assert status("DUR-05", observation) == "pass"


def test_a_record_without_an_id_is_not_looked_for_by_its_id() -> None:
    named = [replaced(one, event_id=f"e{at}") for at, one in enumerate(SOUND)]
    subscription = Subscription(tuple(map(Delivery, named)))
    observation = Observation(deliveries=Deliveries((subscription,)), journal=journal(*SOUND))
    assert status("DUR-05", observation) == "pass"


def test_a_foreign_record_is_owed_to_no_one() -> None:
    records = (*journal(*SOUND).records, Record(90, event("SessionStopped")))
    observation = Observation(deliveries=deliveries(*SOUND), journal=Journal(records))
    assert status("DUR-05", observation) == "pass"


# --- DUR-06 ---------------------------------------------------------------------------------

SLOW = scenario(scripted(), subscribers=(Subscriber("a", stalls_after=1), Subscriber("b")))


def two(slow: dict[str, Any], other: dict[str, Any], how: Ending | None = None) -> Observation:
    subscriptions = tuple(
        Subscription((), name, **given) for name, given in (("a", slow), ("b", other))
    )
    return Observation(deliveries=Deliveries(subscriptions), ending=how or ending("done"))


def test_a_slow_subscriber_stops_nothing() -> None:
    stalled = {"status": "cut", "error": "too slow"}
    assert status("DUR-06", two(stalled, {}), SLOW) == "pass"
    assert status("DUR-06", two(stalled, {"status": "deadline"}), SLOW) == "fail"
    assert status("DUR-06", two(stalled, {"error": "gone"}), SLOW) == "recorded"
    assert status("DUR-06", two(stalled, {}, ending(status="deadline")), SLOW) == "fail"


def test_without_a_slow_subscriber_or_with_a_hanging_tool_nothing_is_judged() -> None:
    assert status("DUR-06", two({}, {}), scenario(scripted())) == "not_applicable"
    hanging = replaced(SLOW, tools=(tool(hangs=True),))
    assert status("DUR-06", two({}, {}), hanging) == "not_applicable"


def test_a_difference_is_told_in_words() -> None:
    (finding,) = verdict("DUR-04", committed(*GROUP)).findings
    assert finding.observed == "message 2 of assistant and tools is nothing"
    assert finding.expected.endswith("which has assistant: 'done'")
