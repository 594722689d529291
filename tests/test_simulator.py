"""What the reference shows, and that it always shows the same."""

import os
import subprocess
import sys

import pytest

from toolassay.properties.generator import generate
from toolassay.simulator.reference import Reference, explore
from toolassay.spec.canonical import canonical, digest
from toolassay.spec.observation import Observation
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall, Subscriber, ToolScript
from toolassay.spec.text import Base64

ECHO = ToolScript("echo")


def run(*calls: ScriptedCall, **given: object) -> Observation:
    fields: dict[str, object] = {"tools": (ECHO,)} | given
    return Reference().turn_run(Scenario((Reply(calls=calls),), **fields))  # type: ignore[arg-type]


def types(observation: Observation, subscriber: int = 0) -> list[str]:
    assert observation.deliveries is not None
    return [d.event.type for d in observation.deliveries.subscriptions[subscriber].deliveries]


def results(observation: Observation) -> list[tuple[str | None, object, bool | None]]:
    assert observation.history is not None
    return [
        (message.tool_use_id, message.text, message.is_error)
        for message in observation.history.messages
        if message.role == "tool"
    ]


def test_a_plain_call_goes_through_its_life_in_order() -> None:
    observation = run(ScriptedCall("c1", "echo", '{"a":1}'))

    assert types(observation) == [
        "TurnStarted",
        "PermissionRequested",
        "PermissionDecided",
        "ToolCallStarted",
        "ToolCallCompleted",
        "StepDone",
        "StepDone",
        "TurnDone",
    ]
    assert results(observation) == [("c1", "ok", False)]


def test_only_enduring_events_are_journalled_and_numbered() -> None:
    observation = run(ScriptedCall("c1", "echo"))

    assert observation.deliveries is not None
    assert observation.journal is not None
    deliveries = observation.deliveries.subscriptions[0].deliveries
    numbered = [d.seq for d in deliveries if d.seq is not None]
    assert numbered == [record.seq for record in observation.journal.records]
    assert [d.event.type for d in deliveries if d.seq is None] == [
        "ToolCallStarted",
        "ToolCallCompleted",
    ]


@pytest.mark.parametrize("raw", ['{"a":', "", "NaN", '{"a":1}{}', Base64("eyJhIjoi/yJ9")])
def test_a_malformed_call_is_stored_empty_answered_and_not_run(raw: str | Base64) -> None:
    observation = run(ScriptedCall("c1", "echo", raw))

    assert observation.executions is not None
    assert observation.history is not None
    assert observation.executions.executions == ()
    assert observation.history.messages[1].calls[0].arguments == "{}"
    assert results(observation) == [
        ("c1", "error: invalid tool arguments (not valid JSON)", True),
    ]


def test_a_denied_call_is_decided_and_nothing_else() -> None:
    observation = run(ScriptedCall("c1", "echo"), policy={"echo": "deny"})

    assert types(observation)[1:4] == ["PermissionRequested", "PermissionDecided", "StepDone"]
    assert results(observation) == [("c1", "error: permission denied", True)]


@pytest.mark.parametrize(
    ("behaviour", "text", "is_error"),
    [
        (Behaviour(returns="fine"), "fine", False),
        (Behaviour(fails="no record"), "no record", True),
        (Behaviour(raises="planted"), "error: the tool raised: planted", True),
        (Behaviour(hangs=True), "error: the tool did not end in time", True),
        (Behaviour(ticks=2_000), "error: the tool did not end in time", True),
        (Behaviour(waits_for="StepDone"), "ok", False),
    ],
)
def test_whatever_a_tool_does_its_call_has_one_result(
    behaviour: Behaviour, text: str, *, is_error: bool
) -> None:
    observation = run(ScriptedCall("c1", "tool"), tools=(ToolScript("tool", behaviour=behaviour),))

    assert results(observation) == [("c1", text, is_error)]


def test_results_stand_in_call_order_whichever_call_ends_first() -> None:
    slow = ToolScript("slow", behaviour=Behaviour(returns="late", ticks=9))
    observation = run(ScriptedCall("c1", "slow"), ScriptedCall("c2", "echo"), tools=(slow, ECHO))

    assert [answer[0] for answer in results(observation)] == ["c1", "c2"]


def test_a_broken_stream_commits_nothing_and_fails_the_turn() -> None:
    reply = Reply(calls=(ScriptedCall("c1", "echo"),), streamed=True, breaks=True)
    observation = Reference().turn_run(Scenario((reply,), (ECHO,)))

    assert observation.history is not None
    assert observation.ending is not None
    assert [message.role for message in observation.history.messages] == ["user"]
    assert [turn.how for turn in observation.ending.turns] == ["failed"]


def test_a_cut_inside_a_character_loses_nothing() -> None:
    call = ScriptedCall("c1", "echo", '{"t":"\U0001f600"}', cuts=(7, 8, 9))
    observation = Reference().turn_run(Scenario((Reply(calls=(call,), streamed=True),), (ECHO,)))

    assert observation.executions is not None
    assert observation.executions.executions[0].arguments == '{"t":"\U0001f600"}'


def test_a_stalled_subscriber_loses_ephemerals_first_and_then_its_stream() -> None:
    chatter = tuple(ScriptedCall(f"c{n}", "echo", "{}", cuts=(1,)) for n in range(2))
    listeners = (Subscriber(), Subscriber("second", stalls_after=1))
    one = Reference().turn_run(
        Scenario((Reply(calls=chatter, streamed=True),), (ECHO,), subscribers=listeners)
    )
    three = Reference().turn_run(
        Scenario((Reply(calls=chatter),) * 3, (ECHO,), subscribers=listeners)
    )

    assert one.deliveries is not None
    assert three.deliveries is not None
    assert types(one, 1).count("TokenDelta") < types(one, 0).count("TokenDelta")
    assert types(one, 1).count("StepDone") == types(one, 0).count("StepDone")
    assert one.deliveries.subscriptions[1].error is None
    assert three.deliveries.subscriptions[1].error is not None


def test_the_seed_decides_the_bytes() -> None:
    cases = [generate(5, index) for index in range(60)]
    scenarios = [case.scenario for case in cases if case.scenario is not None]

    first = [canonical(Reference().turn_run(given, 1)) for given in scenarios]
    again = [canonical(Reference().turn_run(given, 1)) for given in scenarios]
    other = [canonical(Reference().turn_run(given, 2)) for given in scenarios]

    assert first == again
    assert first != other


FRESH = """
from toolassay.properties.generator import generate
from toolassay.simulator.reference import Reference
from toolassay.spec.canonical import canonical, digest
cases = [generate(3, index).scenario for index in range(80)]
print(digest(*(canonical(Reference().turn_run(given, 9)) for given in cases if given)))
"""


def test_a_fresh_process_under_another_hash_seed_gives_the_same_bytes() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", FRESH],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }

    assert len(digests) == 1
    assert len(digests.pop().strip()) == len(digest())


def test_every_interleaving_of_a_batch_gives_the_same_history() -> None:
    calls = tuple(ScriptedCall(f"c{n}", "echo") for n in range(3))
    runs = list(explore(Scenario((Reply(calls=calls),), (ECHO,)), limit=500))
    orders = {tuple(e.call_id for e in run.executions.executions) for run in runs if run.executions}

    assert len(runs) < 500
    assert len(orders) == 6
    assert len({canonical(run.history) for run in runs}) == 1


def test_the_bound_on_interleavings_is_kept() -> None:
    calls = tuple(ScriptedCall(f"c{n}", "echo") for n in range(4))

    assert len(list(explore(Scenario((Reply(calls=calls),), (ECHO,)), limit=7))) == 7
