"""Checks of events across facets, and of refusals (EVT)."""

from __future__ import annotations

from typing import Literal

import pytest
from observations import (
    DONE,
    GROUP,
    SOUND,
    call,
    calls,
    completed,
    decided,
    deliveries,
    journal,
    ran,
    result,
    run,
    started,
    status,
    step_done,
    validated,
    verdict,
)

from toolassay.properties.faults import faults_of, valid_event
from toolassay.properties.judge import judge
from toolassay.spec.observation import Deliveries, Delivery, Observation, Outcome, Subscription

STEP = '{"type":"StepDone"}'
DECISION = '{"type":"PermissionDecided"}'


def test_a_class_is_judged_where_one_is_shown() -> None:
    def seen(durability: Literal["enduring", "ephemeral", ""]) -> Observation:
        one = Delivery(started(), durability)
        return Observation(deliveries=Deliveries((Subscription((one,)),)))

    assert status("EVT-01", seen("ephemeral")) == "pass"
    assert status("EVT-01", seen("enduring")) == "fail"
    assert status("EVT-01", seen("")) == "not_applicable"


def test_the_call_id_of_an_execution_tells_which_step_its_events_must_carry() -> None:
    events = [
        decided(step="s2"),
        step_done(*GROUP),
        step_done(calls(call("c2")), result("c2"), step="s2"),
    ]
    executions = ran(run(execution_id="x1", call_id="c1"))
    found = verdict("EVT-12", Observation(deliveries=deliveries(*events), executions=executions))
    assert (found.status, found.findings[0].call) == ("fail", "x1")
    sound = ran(run(execution_id="x1", call_id="c2"))
    observation = Observation(deliveries=deliveries(*events), executions=sound)
    assert status("EVT-12", observation) == "pass"


def test_a_call_id_that_two_steps_answer_tells_no_step() -> None:
    events = [decided(step="s2"), step_done(*GROUP), step_done(*GROUP, step="s2")]
    executions = ran(run(execution_id="x1", call_id="c1"))
    observation = Observation(deliveries=deliveries(*events), executions=executions)
    assert status("EVT-12", observation) == "pass"


def test_a_call_id_of_two_executions_tells_no_step() -> None:
    events = [decided(step="s0"), decided(execution="x2"), step_done(*GROUP)]
    twice = ran(run(execution_id="x1", call_id="c1"), run(execution_id="x2", call_id="c1"))
    observation = Observation(deliveries=deliveries(*events), executions=twice)
    assert status("EVT-12", observation) == "pass"


def test_every_subscriber_and_the_journal_are_judged() -> None:
    late = (decided(), step_done(*GROUP), completed())
    second = Deliveries(
        (deliveries(*SOUND).subscriptions[0], deliveries(*late, name="b").subscriptions[0])
    )
    found = verdict("ORD-04", Observation(deliveries=second))
    assert [one.place.part for one in found.findings if one.place is not None] == ["b"]
    assert status("ORD-07", Observation(journal=journal(decided(), decided()))) == "fail"


@pytest.mark.parametrize(
    ("clause", "outcome", "body", "expected"),
    [
        ("EVT-07", Outcome("rejected", "", "StepDone", "messages", "invalid"), STEP, "pass"),
        ("EVT-07", Outcome("rejected", "", "StepDone", "messages", ""), STEP, "fail"),
        ("EVT-07", Outcome("rejected", "", "Other", "messages", "invalid"), STEP, "fail"),
        ("EVT-07", Outcome("rejected"), DECISION, "not_applicable"),
        ("EVT-07", Outcome("ok"), STEP, "not_applicable"),
        ("EVT-07", Outcome("rejected"), "no json", "not_applicable"),
        ("EVT-07a", Outcome("rejected"), DECISION, "fail"),
        ("EVT-07a", Outcome("rejected"), STEP, "not_applicable"),
    ],
)
def test_a_refusal_names_event_field_and_rule(
    clause: str, outcome: Outcome, body: str, expected: str
) -> None:
    found = verdict(clause, Observation(outcome=outcome), case=validated(body))
    assert found.status == expected


def test_no_check_finds_anything_in_a_sound_run_whatever_ephemerals_are_lost() -> None:
    enduring = [one for one in SOUND if not one.type.startswith("ToolCall")]
    for lost in (SOUND, (*enduring,), (*SOUND[:3], *SOUND[4:]), (*SOUND[:4], *SOUND[5:])):
        observation = Observation(deliveries=deliveries(*lost), journal=journal(*SOUND))
        assert [one for one in judge(observation) if one.findings] == []


def test_a_text_only_step_has_no_tool_events_to_judge() -> None:
    assert status("EVT-12", Observation(journal=journal(step_done(DONE)))) == "not_applicable"


def test_a_refusal_names_the_group_unless_it_holds_what_is_no_message() -> None:
    found = [fault for fault in faults_of("StepDone") if fault.field == "messages"]
    unnamed: list[object] = []
    for fault in found:
        event = valid_event("StepDone")
        fault.change(event)
        if not fault.rules:
            unnamed.append(event["messages"][-1])
    assert unnamed == ["result"]
    assert {fault.rules for fault in found} == {("invalid",), ()}
