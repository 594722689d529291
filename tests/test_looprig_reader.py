"""What the reader makes of looprig's recordings: exact texts, and honest completeness."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from toolassay.recordings.reader import Line, Recording, read_line
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import Mark, Observation, Subscription
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Base64

IDS = {"session_id": "s", "loop_id": "l", "turn_id": "t", "step_id": "p"}
ECHO = {"name": "echo", "behaviour": {}}
CALL = {"ID": "c1", "Name": "echo", "Input": {}, "type": "tool_use"}


def read(line: dict[str, Any] | str) -> Recording:
    data = (line if isinstance(line, str) else json.dumps(line)).encode()
    return read_line(Line("f.jsonl", 1, 0, data))


def run(observation: dict[str, Any] | None = None, **scenario: object) -> Recording:
    world = {"tools": [ECHO], "model": [{"text": "hi"}], **scenario}
    seen = {"history": [], "journal": [], "deliveries": [], **(observation or {})}
    return read({"id": "lr-1", "scenario": world, "observation": seen})


def scenario_of(recording: Recording) -> Scenario:
    assert recording.scenario is not None
    return recording.scenario


def main_stream(observation: Observation) -> Subscription:
    assert observation.deliveries is not None
    return observation.deliveries.subscriptions[0]


def delivery(kind: str, seq: int = 0, **body: object) -> dict[str, Any]:
    durability = "enduring" if seq else "ephemeral"
    return {"type": kind, "class": durability, "seq": seq, "body": json.dumps({**IDS, **body})}


def record(kind: str, seq: int, body: str | None = None, **keys: object) -> dict[str, Any]:
    return {
        "type": kind, "kind": "event", "seq": seq,
        "body": json.dumps({**IDS, **keys}) if body is None else body,
    }  # fmt: skip


def step_done(arguments: str) -> str:
    return (
        '{"messages":[{"role":"assistant","blocks":[{"ID":"c1","Input":'
        + arguments
        + ',"Name":"echo","type":"tool_use"}]}],"step_id":"p","type":"StepDone"}'
    )


@pytest.mark.parametrize(
    "arguments",
    ['{"a":1,"a":2}', '{"n":1e999}', '{"a":"\\ud800"}', " [1 , 2.50] ".strip(), "null", '"s"'],
)
def test_arguments_are_the_very_text_of_the_body(arguments: str) -> None:
    observation = run({"journal": [record("StepDone", 3, step_done(arguments))]}).observation
    assert observation.journal is not None
    call = observation.journal.records[0].event.messages[0].calls[0]
    assert call == ToolCall("c1", "echo", arguments)


def test_arguments_that_are_no_utf_8_are_kept_as_base64_and_the_rest_is_read() -> None:
    body = step_done("@@").encode().replace(b"@@", b'{"a":"\xff"}')
    entry = {"type": "StepDone", "kind": "event", "seq": 3}
    entry["body_b64"] = base64.b64encode(body).decode()
    observation = run({"journal": [entry]}).observation
    assert observation.journal is not None
    event = observation.journal.records[0].event
    assert event.step_id == "p"
    expected = Base64(base64.b64encode(b'{"a":"\xff"}').decode())
    assert event.messages[0].calls[0].arguments == expected


def test_a_body_that_was_parsed_and_written_anew_is_read_from_its_json() -> None:
    entry = {"type": "StepDone", "kind": "event", "seq": 3, "body": {"step_id": "q"}}
    observation = run({"journal": [entry]}).observation
    assert observation.journal is not None
    assert observation.journal.records[0].event.step_id == "q"


def test_an_elided_delivery_cuts_the_stream_there_and_says_so() -> None:
    elided = {"type": "StepDone", "class": "enduring", "seq": 8}
    elided["body"] = '{"depth":6,"elided_bytes":7340524}'
    stream = main_stream(
        run(
            {"deliveries": [delivery("TurnStarted", 5), elided, delivery("TurnDone", 9)]}
        ).observation
    )
    assert [one.event.type for one in stream.deliveries] == ["TurnStarted"]
    assert stream.status == "cut"
    assert "StepDone 8" in stream.why


def test_an_elided_result_takes_its_whole_group_from_the_history() -> None:
    history = [
        json.dumps({"role": "user", "blocks": [{"Text": "go", "type": "text"}]}),
        json.dumps({"role": "assistant", "blocks": [CALL]}),
        '{"depth":3,"elided_bytes":7340103}',
        json.dumps({"role": "assistant", "blocks": []}),
    ]
    found = run({"history": history}).observation.history
    assert found is not None
    assert [message.role for message in found.messages] == ["user"]
    assert found.status == "cut"


def test_an_elided_message_after_a_whole_group_leaves_that_group() -> None:
    result = {"role": "tool", "blocks": [{"Text": "ok", "type": "text"}], "tool_use_id": "c1"}
    history = [
        json.dumps({"role": "assistant", "blocks": [CALL]}),
        json.dumps(result),
        '{"depth":3,"elided_bytes":3000000}',
    ]
    found = run({"history": history}).observation.history
    assert found is not None
    assert found.messages == (
        Message("assistant", calls=(ToolCall("c1", "echo", "{}"),)),
        Message("tool", "ok", tool_use_id="c1", is_error=False),
    )


def test_an_elided_request_cuts_the_requests() -> None:
    found = run({"requests": ["[]", '{"depth":5,"elided_bytes":9}', "[]"]}).observation.requests
    assert found is not None
    assert (len(found.requests), found.status) == (1, "cut")


def test_requests_show_the_exact_bytes_of_arguments_and_results() -> None:
    assistant = {"role": "assistant", "blocks": [CALL]}
    tool = {"role": "tool", "blocks": [{"Text": "a\ufffdb", "type": "text"}], "tool_use_id": "c1"}
    inputs = [[["c1", "echo", "IHt9IA=="], ["c1", "", base64.b64encode(b"a\xffb").decode()]]]
    found = run(
        {"requests": [json.dumps([assistant, tool])], "inputs": inputs}
    ).observation.requests
    assert found is not None
    first, second = found.requests[0]
    assert first.calls[0].arguments == " {} "
    assert second.text == Base64(base64.b64encode(b"a\xffb").decode())


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"action": "Approve", "reason": "answered"}, "approve"),
        ({"action": "Approve always for this workspace"}, "approve"),
        ({"action": "Deny"}, "deny"),
        ({"action": "answer"}, "answer"),
        ({"reason": "abandoned"}, "abandoned"),
    ],
)
def test_an_answered_gate_names_its_call_and_its_action(
    action: dict[str, str], expected: str
) -> None:
    gate = {"id": "g1", "subject": {"tool_execution_id": "x1"}}
    stream = main_stream(
        run(
            {
                "deliveries": [
                    delivery("GateOpened", 8, gate=gate),
                    delivery("GateResolved", 9, gate_id="g1", **action),
                ]
            }
        ).observation
    )
    opened, resolved = (one.event for one in stream.deliveries)
    assert (opened.gate_id, opened.tool_execution_id) == ("g1", "x1")
    assert (resolved.gate_id, resolved.tool_execution_id, resolved.action) == ("g1", "x1", expected)


def test_a_gate_known_from_the_journal_alone_still_names_its_call() -> None:
    gate = {"id": "g1", "subject": {"tool_execution_id": "x1"}}
    stream = main_stream(
        run(
            {
                "journal": [record("GateOpened", 8, gate=gate)],
                "deliveries": [delivery("GateResolved", 9, gate_id="g1", action="Deny")],
            }
        ).observation
    )
    assert stream.deliveries[0].event.tool_execution_id == "x1"


def asked(*actions: str, **scenario: object) -> Recording:
    """Ask for one call of `echo` for each action with which its gate is answered."""
    deliveries = [
        entry
        for number, action in enumerate(actions)
        for entry in (
            delivery(
                "GateOpened", 4 * number + 1,
                gate={"id": f"g{number}", "subject": {"tool_execution_id": f"x{number}"}},
            ),
            delivery(
                "PermissionRequested", 4 * number + 2,
                tool_execution_id=f"x{number}", request={"tool_name": "echo"},
            ),
            delivery("GateResolved", 4 * number + 3, gate_id=f"g{number}", action=action),
        )
    ]  # fmt: skip
    return run({"deliveries": deliveries}, **{"policy": {"echo": "ask"}, **scenario})


def test_an_asked_tool_is_denied_if_its_gates_were_denied_or_nobody_answers() -> None:
    assert scenario_of(asked("Deny", "Deny")).policy == {"echo": "deny"}
    assert scenario_of(asked("Approve")).policy == {}
    assert scenario_of(asked()).policy == {}
    assert scenario_of(asked(headless=True)).policy == {"echo": "deny"}
    assert scenario_of(asked(no_gate=True)).policy == {"echo": "deny"}


def test_a_tool_whose_calls_were_decided_apart_leaves_no_scenario() -> None:
    assert asked("Deny", "Approve").scenario is None


@pytest.mark.parametrize("record", ["gate_prepared", "GateOpened", "GateResolved"])
def test_an_asked_tool_whose_gate_the_store_refuses_is_not_available(record: str) -> None:
    assert scenario_of(asked(fail_append=record)).tools == ()
    assert len(scenario_of(asked("Approve", fail_append=record)).tools) == 1
    assert len(scenario_of(run(fail_append=record)).tools) == 1


def test_a_tool_whose_request_asks_for_nothing_is_beyond_the_policy() -> None:
    pure = {**ECHO, "prepare": "pure"}
    assert scenario_of(run(tools=[pure], policy={"echo": "deny"})).policy == {}
    assert scenario_of(run(policy={"echo": "deny"})).policy == {"echo": "deny"}


@pytest.mark.parametrize("prepare", ["none", "error", "badreq", "panic"])
def test_a_tool_that_cannot_be_prepared_is_not_available(prepare: str) -> None:
    assert scenario_of(run(tools=[{**ECHO, "prepare": prepare}])).tools == ()
    assert scenario_of(run(hook_guard="echo")).tools == ()


def test_fragments_are_one_text_with_its_cuts() -> None:
    call = {"id": "c1", "name": "echo", "fragments": ["", '{"é', "", '":1}']}
    reply = scenario_of(run(model=[{"calls": [call]}])).model[0]
    assert reply.streamed
    assert reply.calls[0].arguments == '{"é":1}'
    assert reply.calls[0].cuts == (4,)


def test_calls_stand_in_the_order_of_the_stream_and_merge_on_one_index() -> None:
    one = {"id": "c1", "name": "a", "arguments": '{"a":1}', "index": 5}
    two = {"id": "c2", "name": "b", "arguments_b64": "/w==", "index": 2}
    apart = scenario_of(run(model=[{"calls": [one, two]}])).model[0].calls
    assert [call.id for call in apart] == ["c2", "c1"]
    assert apart[0].arguments == Base64("/w==")
    merged = scenario_of(run(model=[{"calls": [one, {**one, "id": "c3"}]}])).model[0].calls
    assert [(call.id, call.arguments) for call in merged] == [("c3", '{"a":1}{"a":1}')]


def test_marks_count_what_the_recording_subscriber_had() -> None:
    entry = {"execution_id": "x1", "call_id": "c1", "tool": "echo", "arguments_b64": "/w=="}
    seen = {**entry, "seen_at_begin": 3, "ended_after_deliveries": 5}
    found = run({"executions": [seen, entry]}).observation.executions
    assert found is not None
    assert found.executions[0].began == Mark(deliveries=3)
    assert found.executions[0].ended == Mark(deliveries=5)
    assert found.executions[0].arguments == Base64("/w==")
    assert found.executions[1].ended is None


def test_elided_arguments_cut_the_executions() -> None:
    entry = {"tool": "echo", "arguments": '{"depth":9996,"elided_bytes":20000}'}
    found = run({"executions": [{**entry, "arguments": "{}"}, entry]}).observation.executions
    assert found is not None
    assert (len(found.executions), found.status) == (1, "cut")


@pytest.mark.parametrize(
    "world",
    [
        {"hook_rewrites": "echo"},
        {"tools": [{**ECHO, "timeout_ms": 5}]},
        {"tools": [{**ECHO, "prepare": "later"}]},
        {"tools": [{"name": "echo", "behaviour": {"flagged": True}}]},
        {"model": [{"structured": True}]},
        {"model": [{"calls": [{"id": "c1", "late": True}]}]},
    ],
)
def test_a_script_with_unknown_words_leaves_no_scenario(world: dict[str, object]) -> None:
    recording = run(ENDED, **world)
    assert recording.scenario is None
    assert not_complete(recording) == {}


def test_a_tool_that_asks_the_user_does_not_return_by_itself() -> None:
    asks = scenario_of(run(tools=[{"name": "echo", "behaviour": {"ask": "q?"}}])).tools[0]
    assert asks.behaviour.hangs


def test_the_journal_is_its_events_without_commands_and_fences() -> None:
    fence = {"type": "", "kind": "fence", "seq": 1, "body": "{}"}
    command = {"type": "UserInput", "kind": "command", "seq": 2, "body": "{}"}
    found = run({"journal": [fence, command, record("SessionStopped", 3)]}).observation.journal
    assert found is not None
    assert [(one.seq, one.event.type) for one in found.records] == [(3, "SessionStopped")]
    assert found.status == "complete"


def test_a_record_kept_outside_the_journal_cuts_it_there() -> None:
    pointer = {"type": "", "kind": "blobptr", "seq": 2, "body": '{"key":"k"}'}
    journal = [record("TurnStarted", 1), pointer, record("SessionStopped", 3)]
    found = run({"journal": journal}).observation.journal
    assert found is not None
    assert [one.seq for one in found.records] == [1]
    assert found.status == "cut"


def test_no_sequence_number_is_none() -> None:
    stream = main_stream(run({"deliveries": [delivery("TokenDelta")]}).observation)
    assert stream.deliveries[0].seq is None


ENDED = {
    "journal": [record("TurnStarted", 1), record("TurnDone", 2), record("SessionStopped", 4)],
    "deliveries": [delivery("TurnStarted", 1), delivery("TurnDone", 2), delivery("SessionIdle", 3)],
    "ending": [{"type": "TurnDone"}],
}


def statuses(observation: Observation) -> dict[str, str]:
    facets = ("history", "requests", "executions", "journal", "ending")
    found = {name: getattr(observation, name).status for name in facets}
    return {**found, "deliveries": main_stream(observation).status}


def not_complete(recording: Recording) -> dict[str, str]:
    return {
        facet: status
        for facet, status in statuses(recording.observation).items()
        if status != "complete"
    }


def test_a_run_that_ended_is_complete_in_every_facet() -> None:
    assert not_complete(run(ENDED)) == {}


def test_a_run_that_was_given_up_has_no_complete_facet_but_a_stopped_journal() -> None:
    notes = {"notes": ["timeout waiting for a terminal"], "ending": []}
    assert not_complete(run({**ENDED, **notes})) == {
        "history": "deadline", "requests": "deadline", "executions": "deadline",
        "ending": "deadline", "deliveries": "unsubscribed",
    }  # fmt: skip


def test_a_crash_leaves_no_facet_complete() -> None:
    assert not_complete(run({**ENDED, "ending": []}, crash_on="StepDone")) == {
        "history": "aborted", "requests": "aborted", "executions": "aborted",
        "journal": "aborted", "ending": "aborted", "deliveries": "unsubscribed",
    }  # fmt: skip


def test_a_refused_event_cuts_the_facets_that_it_is_missing_from() -> None:
    streams = {"journal": "cut", "deliveries": "cut"}
    assert not_complete(run(ENDED, fail_append="PermissionDecided")) == streams
    assert not_complete(run(ENDED, fail_append="gate_prepared")) == streams
    assert not_complete(run(ENDED, fail_append="StepDone")) == {
        **streams, "history": "cut", "ending": "cut",
    }  # fmt: skip


def test_a_refused_command_is_no_event_and_cuts_nothing() -> None:
    assert not_complete(run(ENDED, fail_append="UserInput")) == {}


def test_a_filtered_subscriber_is_owed_only_what_it_asked_for() -> None:
    assert not_complete(run(ENDED, filter="other")) == {"deliveries": "cut"}
    assert not_complete(run(ENDED, filter="enduring")) == {}


def test_a_subscriber_that_came_late_was_not_owed_the_beginning() -> None:
    late = {**ENDED, "deliveries": ENDED["deliveries"][1:]}
    assert not_complete(run(late)) == {"deliveries": "cut"}


def test_a_stream_that_ended_in_an_error_is_complete_and_says_which() -> None:
    notes = {"notes": ["subscription ended: hub: subscription loss"]}
    recording = run({**ENDED, **notes}, stall_subscriber=3)
    assert not_complete(recording) == {}
    assert main_stream(recording.observation).error == "hub: subscription loss"
    assert scenario_of(recording).subscribers[0].stalls_after == 3


def test_a_turn_that_was_never_taken_leaves_the_ending_open() -> None:
    notes = {"notes": ['submit "two": *session.SessionError session: faulted']}
    assert not_complete(run({**ENDED, **notes}, user=["one", "two"])) == {"ending": "aborted"}


def test_a_journal_that_cannot_be_replayed_is_a_history_that_does_not_come_back() -> None:
    notes = {"notes": ['replay: *sessionstore.ReplayDecodeError duplicate field "a"']}
    found = run({**ENDED, **notes}).observation.history
    assert found is not None
    assert found.status == "aborted"
    assert found.encoding is not None
    assert found.encoding.round_trips is False


def test_a_journal_that_was_damaged_on_purpose_says_nothing_of_the_codec() -> None:
    restore = {"restore": {"error": "replay_failed", "decode_seq": 9}}
    honest = run({**ENDED, **restore}).observation.history
    damaged = run({**ENDED, **restore}, tamper="request_null").observation.history
    assert honest is not None
    assert damaged is not None
    assert honest.encoding is not None
    assert damaged.encoding is not None
    assert honest.encoding.round_trips is False
    assert damaged.encoding.round_trips is True


def test_a_subscriber_that_reads_what_another_one_changed_is_not_shown() -> None:
    second = {"second": ENDED["deliveries"]}
    for change in ({"mutate_delivery": True}, {"mutate_types": "StepDone"}):
        recording = run({**ENDED, **second}, **change)
        assert recording.observation.deliveries is not None
        assert len(recording.observation.deliveries.subscriptions) == 1
    shown = run({**ENDED, **second}).observation.deliveries
    assert shown is not None
    assert [one.name for one in shown.subscriptions] == ["main", "second"]


def test_every_shipped_recording_is_read(repository: Path) -> None:
    path = repository / "adapters" / "recorded" / "looprig" / "recordings.jsonl"
    lines = path.read_bytes().splitlines()
    recordings = [read_line(Line("r", n, 0, line)) for n, line in enumerate(lines, 1)]
    assert len(recordings) == 136
    assert all(recording.scenario is not None for recording in recordings)
