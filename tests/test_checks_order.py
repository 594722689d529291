"""Checks of order that need more than one stream (ORD)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from observations import (
    DONE,
    GROUP,
    SOUND,
    USER,
    asked,
    call,
    calls,
    completed,
    decided,
    deliveries,
    ending,
    event,
    history,
    journal,
    ran,
    replaced,
    requests,
    result,
    run,
    scenario,
    scripted,
    started,
    status,
    step_done,
    tool,
    turn_done,
    verdict,
)

from toolassay.spec.events import Event
from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    Deliveries,
    Ending,
    Execution,
    HeldAs,
    Mark,
    Observation,
    Subscription,
)
from toolassay.spec.scenario import Scenario, ToolScript

DENY = {"echo": "deny"}


def seen(executions: list[Execution], *events: Event, **given: str) -> Observation:
    return Observation(
        executions=ran(*executions),
        deliveries=deliveries(*events, **given),
        journal=journal(*events, **given),
    )


def x1(**given: object) -> Execution:
    execution: Execution = replaced(run(execution_id="x1", call_id="c1"), **given)
    return execution


# --- ORD-03, 08: marks ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deliveries_then", "expected"), [(4, "pass"), (5, "fail"), (None, "pass")]
)
def test_a_completion_is_not_seen_before_the_execution_ended(
    deliveries_then: int | None, expected: str
) -> None:
    execution = x1(ended=Mark(deliveries=deliveries_then))
    assert status("ORD-03", seen([execution], *SOUND)) == expected


def test_a_completion_before_its_start_is_found_in_any_stream() -> None:
    assert status("ORD-03", seen([], completed(), started())) == "fail"
    assert status("ORD-03", seen([], started(), completed())) == "pass"
    assert status("ORD-03", seen([], started())) == "not_applicable"


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (Mark(deliveries=5), "pass"),
        (Mark(deliveries=6), "fail"),
        (Mark(journal=3), "pass"),
        (Mark(journal=4), "fail"),
        (Mark(), "not_applicable"),
    ],
)
def test_the_step_is_not_done_before_the_batch_has_returned(mark: Mark, expected: str) -> None:
    assert status("ORD-08", seen([x1(ended=mark)], *SOUND), scenario(scripted())) == expected


def test_the_step_is_found_by_the_execution_id_where_the_call_id_is_not_known() -> None:
    execution = run(execution_id="x1", ended=Mark(deliveries=6))
    assert status("ORD-08", seen([execution], *SOUND), scenario(scripted())) == "fail"


def test_without_the_script_no_one_knows_that_a_call_was_not_given_up() -> None:
    assert status("ORD-08", seen([x1(ended=Mark(deliveries=6))], *SOUND)) == "recorded"


def test_a_step_of_the_same_name_in_an_earlier_turn_answers_nothing() -> None:
    events = [step_done(DONE, turn_id="t0"), decided(), step_done(*GROUP)]
    execution = run(execution_id="x1", ended=Mark(deliveries=2))
    assert status("ORD-08", seen([execution], *events)) == "pass"


FIRST = (USER,)
NEXT = (USER, *GROUP)


def asked_again(then: int, *shown: Sequence[Message], how: Ending | None = None) -> Observation:
    """The tool ends when this many requests, and these, were made."""
    execution = run(began=Mark(requests=1), ended=Mark(requests=then))
    return Observation(
        history=history(*GROUP),
        requests=requests(*shown),
        executions=ran(execution),
        ending=how,
    )


@pytest.mark.parametrize(("then", "expected"), [(1, "pass"), (2, "fail")])
def test_the_next_request_waits_for_the_batch(then: int, expected: str) -> None:
    assert status("ORD-08", asked_again(then, FIRST, NEXT), scenario(scripted())) == expected


def test_a_request_of_something_else_is_not_the_next_request() -> None:
    title = (Message("user", "a title"),)
    assert status("ORD-08", asked_again(2, FIRST, title, NEXT), scenario(scripted())) == "pass"
    unseen = asked_again(2, FIRST)
    assert status("ORD-08", unseen, scenario(scripted())) == "not_applicable"


def test_a_request_of_the_turn_after_a_cut_one_is_not_the_next_request() -> None:
    given = scenario(scripted(), users=("a", "b"))
    cut = asked_again(2, FIRST, NEXT, how=ending("failed", "done"))
    assert status("ORD-08", cut, given) == "not_applicable"
    whole = asked_again(2, FIRST, NEXT, how=ending("done", "done"))
    assert status("ORD-08", whole, given) == "fail"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (result(), "fail"),
        (result(text=""), "fail"),
        (result(text="it goes on in the background"), "not_applicable"),
        (result(text="timed out", error=None), "not_applicable"),
    ],
)
def test_only_a_call_with_the_result_of_its_callback_was_waited_for(
    said: Message, expected: str
) -> None:
    events = [decided(), step_done(GROUP[0], said)]
    execution = x1(ended=Mark(deliveries=2))
    assert status("ORD-08", seen([execution], *events), scenario(scripted())) == expected


def test_a_completion_as_an_error_may_come_before_a_callback_that_was_given_up() -> None:
    events = [started(), completed(error=True)]
    execution = x1(ended=Mark(deliveries=2))
    assert status("ORD-03", seen([execution], *events), scenario(scripted())) == "pass"
    failing = scenario(scripted(), tools=(tool(fails="no"),))
    assert status("ORD-03", seen([execution], *events), failing) == "fail"


def test_a_call_that_was_given_up_with_an_error_need_not_be_waited_for() -> None:
    given = scenario(scripted(), tools=(tool(ticks=9, waits_for="StepDone"),))
    messages = history(calls(call()), result(text="timed out", error=True), DONE)
    execution = x1(began=Mark(requests=1), ended=Mark(requests=2))
    observation = Observation(history=messages, executions=ran(execution))
    assert status("ORD-08", observation, given) == "not_applicable"


@pytest.mark.parametrize(
    ("flag", "hangs", "others_end", "expected"),
    [
        (False, False, True, "fail"),
        (True, False, True, "not_applicable"),
        (None, False, True, "not_applicable"),
        (False, True, True, "not_applicable"),
        (False, False, False, "not_applicable"),
    ],
)
def test_a_sound_result_of_a_call_that_never_returned_is_found(
    flag: bool | None, hangs: bool, others_end: bool, expected: str
) -> None:
    given = scenario(scripted("c1"), scripted("c2"), tools=(tool(hangs=hangs),))
    messages = history(calls(call("c1"), call("c2")), result("c1"), result("c2", error=flag))
    other = run(call_id="c1", ended=Mark() if others_end else None)
    observation = Observation(history=messages, executions=ran(other, run(call_id="c2")))
    assert status("ORD-08", observation, given) == expected


def test_an_execution_that_never_ended_has_no_mark() -> None:
    assert status("ORD-08", seen([x1()], *SOUND)) == "not_applicable"


# --- ORD-05, 06 -----------------------------------------------------------------------------


def test_an_approved_call_may_execute() -> None:
    assert status("ORD-05", seen([x1()], *SOUND)) == "pass"
    assert status("ORD-06", seen([x1()], *SOUND)) == "not_applicable"


def test_a_call_whose_request_is_open_may_not() -> None:
    assert status("ORD-05", seen([x1()], asked())) == "fail"


def test_a_call_that_is_passed_over_where_others_are_approved_may_not() -> None:
    executions = [x1(), run(execution_id="x2")]
    assert status("ORD-05", seen(executions, *SOUND)) == "fail"


def test_where_no_approval_is_ever_given_that_is_recorded() -> None:
    assert status("ORD-05", seen([x1()], step_done(*GROUP))) == "recorded"


def test_what_is_not_in_an_incomplete_stream_may_still_have_been() -> None:
    assert status("ORD-05", seen([x1()], asked(), status="cut")) == "pass"


@pytest.mark.parametrize(("written", "expected"), [(3, "pass"), (2, "fail"), (None, "pass")])
def test_an_approval_is_written_before_the_execution_begins(
    written: int | None, expected: str
) -> None:
    # The records are TurnStarted, PermissionRequested, PermissionDecided, ...
    execution = x1(began=Mark(journal=written))
    assert status("ORD-05", seen([execution], *SOUND)) == expected


def test_a_gate_may_approve() -> None:
    events = [
        event("GateOpened", "x1", gate_id="g"),
        asked(),
        event("GateResolved", gate_id="g", action="Approve"),
    ]
    assert status("ORD-05", seen([x1()], *events)) == "pass"


def test_a_tool_that_the_policy_denies_never_runs() -> None:
    given = scenario(scripted(), policy=DENY)
    assert status("ORD-06", Observation(executions=ran()), given) == "pass"
    assert status("ORD-06", Observation(executions=ran(run())), given) == "fail"
    assert status("ORD-05", Observation(executions=ran(run())), given) == "fail"
    assert status("ORD-06", Observation(executions=ran(run(name="other"))), given) == "pass"


def test_a_call_that_an_event_denies_never_runs() -> None:
    assert status("ORD-06", seen([x1()], decided("deny"))) == "fail"
    assert status("ORD-06", seen([run(execution_id="x2")], decided("deny"))) == "pass"


def test_without_permissions_in_sight_nothing_is_judged() -> None:
    only = Observation(executions=ran(run()))
    for clause in ("ORD-05", "ORD-06"):
        assert status(clause, only, scenario(scripted())) == "not_applicable"


# --- ORD-09, 13, 15 -------------------------------------------------------------------------


def test_no_call_begins_while_its_message_is_streaming() -> None:
    def seen_while(streaming: bool | None, *, full: bool) -> Observation:
        executions = ran(run(began=Mark(streaming=streaming)))
        if not full:
            return Observation(executions=executions)
        return Observation(executions=executions, deliveries=deliveries(), journal=journal())

    assert status("ORD-09", seen_while(streaming=True, full=True)) == "fail"
    assert status("ORD-09", seen_while(streaming=True, full=False)) == "recorded"
    assert status("ORD-09", seen_while(streaming=False, full=True)) == "pass"
    assert status("ORD-09", seen_while(streaming=None, full=True)) == "not_applicable"


@pytest.mark.parametrize(
    ("execution", "held_as", "expected"),
    [
        (run('{"a": 1}', call_id="c1"), "text", "pass"),
        (run('{"a":2}', call_id="c1"), "text", "fail"),
        (run('{"a":2}', call_id="c1"), "value", "fail"),
        (run('{"a":1}', "other", call_id="c1"), "text", "fail"),
        (run('{"a":2}'), "text", "fail"),
        (run('{"a":1}'), "text", "not_applicable"),
    ],
)
def test_what_executes_is_what_was_asked(
    execution: Execution, held_as: HeldAs, expected: str
) -> None:
    given = scenario(scripted(arguments='{"a":1}'))
    observation = Observation(executions=ran(execution, arguments=held_as))
    assert status("ORD-13", observation, given) == expected


def test_defaults_that_a_schema_fills_in_are_recorded() -> None:
    schema: dict[str, object] = {"type": "object", "properties": {"b": {"default": 1}}}
    given = scenario(scripted(), tools=(ToolScript("echo", parameters=schema),))
    observation = Observation(executions=ran(run('{"b":1}', call_id="c1"), arguments="value"))
    assert status("ORD-13", observation, given) == "recorded"


def siblings(*executions: Execution) -> tuple[Observation, Scenario]:
    given = scenario(
        scripted("c1"),
        scripted("c2", name="safe"),
        tools=(tool(), tool("safe")),
        policy=DENY,
    )
    held = calls(call("c1"), call("c2", name="safe"))
    messages = history(held, result("c1", error=True), result("c2"), DONE)
    return Observation(history=messages, executions=ran(*executions)), given


def test_the_sibling_of_a_denied_call_runs() -> None:
    assert status("ORD-15", *siblings(run(name="safe"))) == "pass"
    assert status("ORD-15", *siblings()) == "fail"
    assert status("ORD-15", *siblings(run())) == "fail"


# --- ORD-11, 16, 17, 18, 19 -----------------------------------------------------------------


def test_a_denied_step_ends() -> None:
    assert status("ORD-11", Observation(journal=journal(decided("deny")))) == "fail"
    assert status("ORD-11", Observation(journal=journal(decided("deny"), status="cut"))) == (
        "not_applicable"
    )
    done = journal(decided("deny"), turn_done("TurnFailed"))
    assert status("ORD-11", Observation(journal=done)) == "pass"
    assert status("ORD-11", Observation(journal=journal(*SOUND))) == "not_applicable"


def test_the_end_of_the_turn_ends_a_denied_step() -> None:
    given = scenario(scripted(), policy=DENY)
    assert status("ORD-11", Observation(ending=ending("failed")), given) == "pass"


def test_a_turn_ends_once() -> None:
    assert status("ORD-16", Observation(ending=ending("done", "done"))) == "pass"
    assert status("ORD-16", Observation(ending=ending())) == "fail"
    assert status("ORD-16", Observation(ending=ending()), scenario(users=())) == "pass"
    assert status("ORD-16", Observation(ending=ending(status="deadline"))) == "pass"
    once = ending("done").turns
    assert status("ORD-16", Observation(ending=Ending(once + once))) == "fail"
    assert status("ORD-16", Observation(journal=journal(*SOUND, turn_done()))) == "fail"


def test_a_denied_tool_is_never_announced() -> None:
    given = scenario(scripted(), policy=DENY)
    assert status("ORD-18", Observation(deliveries=deliveries(started())), given) == "fail"
    other = deliveries(started(name="other"))
    assert status("ORD-18", Observation(deliveries=other), given) == "pass"
    assert status("ORD-18", Observation(deliveries=deliveries(*SOUND))) == "not_applicable"


def test_each_committed_step_has_its_step_done() -> None:
    def committed(*messages: Message, how: str = "done", **given: str) -> Observation:
        return Observation(
            history=history(*messages), journal=journal(*SOUND, **given), ending=ending(how)
        )

    assert status("ORD-19", committed(*GROUP, DONE)) == "pass"
    assert status("ORD-19", committed(*GROUP, DONE, DONE)) == "fail"
    assert status("ORD-19", committed(*GROUP, DONE, DONE, status="cut")) == "pass"
    assert status("ORD-19", committed(*GROUP, *GROUP, how="failed")) == "pass"
    assert status("ORD-19", committed(*GROUP, *GROUP, *GROUP, how="failed")) == "fail"
    # What a cut turn leaves of a text, and a message that only thinks, may be no step.
    assert status("ORD-19", committed(*GROUP, DONE, DONE, how="failed")) == "pass"
    assert status("ORD-19", committed(*GROUP, replaced(DONE, text=""), DONE)) == "pass"


@pytest.mark.parametrize(
    ("sent", "events", "expected"),
    [
        (["{", "{}"], [asked("x2")], "pass"),
        (["{", "{}"], [asked("x1"), asked("x2")], "fail"),
        (["{"], [asked("x1")], "fail"),
        (["{}"], [asked("x1")], "not_applicable"),
    ],
)
def test_a_malformed_call_asks_for_no_approval(
    sent: list[str], events: list[Event], expected: str
) -> None:
    ids = [f"c{number}" for number in range(len(sent))]
    given = scenario(*(scripted(one, text) for one, text in zip(ids, sent, strict=True)))
    group = (calls(*map(call, ids)), *(result(one, error=True) for one in ids))
    observation = Observation(journal=journal(*events, step_done(*group)))
    assert status("ORD-17", observation, given) == expected


def test_words_of_a_finding_stand_for_themselves() -> None:
    found = verdict("ORD-06", Observation(executions=ran(run())), scenario(policy=DENY))
    (finding,) = found.findings
    assert (finding.expected, finding.observed) == (
        "a denied call does not execute",
        "echo was denied and ran",
    )


@pytest.mark.parametrize(
    ("sent", "ran_with", "expected"),
    [
        (['{"a":1}'], '{"a":2}', "fail"),
        (['{"a":1}'], '{"a": 1.0}', "not_applicable"),
        (['{"a":1}', '{"a":2}'], '{"a":2}', "not_applicable"),
        (['{"a":1}', "{"], '{"a":2}', "not_applicable"),
        (['{"a":1,"a":2}'], '{"a":3}', "not_applicable"),
    ],
)
def test_without_call_ids_arguments_that_no_call_has_were_not_approved(
    sent: list[str], ran_with: str, expected: str
) -> None:
    given = scenario(*(scripted(f"c{at}", text) for at, text in enumerate(sent)))
    assert status("ORD-13", Observation(executions=ran(run(ran_with))), given) == expected
    filled = replaced(given, tools=(ToolScript("echo", {"properties": {"a": {"default": 3}}}),))
    observation = Observation(executions=ran(run(ran_with)))
    assert status("ORD-13", observation, filled) == "not_applicable"


def test_a_subscriber_that_got_nothing_while_steps_were_committed_shows_no_step_done() -> None:
    """Declared deliveries that stay empty are no proof of anything but a missing StepDone."""
    nothing = Deliveries((Subscription(()),))
    left = Deliveries((Subscription((), status="unsubscribed"),))
    group, done = history(*GROUP), ending("done")

    assert status("ORD-19", Observation(history=group, ending=done, deliveries=nothing)) == "fail"
    assert (
        status("ORD-19", Observation(history=group, ending=done, deliveries=left))
        == "not_applicable"
    )
    assert status("ORD-19", Observation(history=history(), deliveries=nothing)) == "not_applicable"


def test_two_subscribers_of_one_name_are_two_streams() -> None:
    refused = (calls(call()), result(error=True))
    events = (asked(), step_done(*refused), step_done(DONE, step="s2"))
    short, whole = deliveries(*events[-1:]), deliveries(*events)
    given = scenario(scripted(arguments="{"))
    for subscriptions in (
        (*short.subscriptions, *whole.subscriptions),
        (*whole.subscriptions, *short.subscriptions),
    ):
        found = verdict("ORD-17", Observation(deliveries=Deliveries(subscriptions)), given)
        assert [one.place and one.place.index for one in found.findings] == [1]


def test_a_failure_without_words_is_a_failure_whose_completion_waits_for_its_callback() -> None:
    execution = run(execution_id="x1", call_id="c1", ended=Mark(deliveries=4))
    seen = Observation(
        deliveries=deliveries(asked(), decided(), started(), completed(error=True)),
        executions=ran(execution),
    )
    assert status("ORD-03", seen, scenario(scripted(), tools=(tool(fails=""),))) == "fail"
