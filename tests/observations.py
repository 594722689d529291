"""Small parts from which tests build observations by hand."""

# ruff: noqa: ANN401 - what is given is passed on to the models, which say what they take

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from toolassay.properties.judge import judge
from toolassay.properties.stream import StreamJudge
from toolassay.properties.verdict import Verdict
from toolassay.spec.case import Case, Expectation
from toolassay.spec.events import EVENT_KINDS, Event
from toolassay.spec.finding import Finding
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Ending,
    Execution,
    Executions,
    History,
    Journal,
    Observation,
    Record,
    Requests,
    Subscription,
    TurnEnding,
)
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall, ToolScript
from toolassay.spec.text import Text

USER = Message("user", "go")
DONE = Message("assistant", "done")


def calls(*held: ToolCall, text: Text = "") -> Message:
    return Message("assistant", text, held)


def call(identifier: str = "c1", arguments: Text = "{}", name: str = "echo") -> ToolCall:
    return ToolCall(identifier, name, arguments)


def result(answers: str | None = "c1", text: Text = "ok", *, error: bool | None = False) -> Message:
    return Message("tool", text, tool_use_id=answers, is_error=error)


def scripted(identifier: str = "c1", arguments: Text = "{}", name: str = "echo") -> ScriptedCall:
    return ScriptedCall(identifier, name, arguments)


def tool(name: str = "echo", **behaviour: Any) -> ToolScript:
    return ToolScript(name, behaviour=Behaviour(**behaviour))


def scenario(*asked: ScriptedCall, **given: Any) -> Scenario:
    """One reply with calls, then one of text."""
    given.setdefault("tools", (tool(),))
    return Scenario(model=(Reply(calls=asked), Reply(text="done")), **given)


def history(*messages: Message, **given: Any) -> History:
    given.setdefault("arguments", "value")
    return History((USER, *messages), **given)


def requests(*shown: Sequence[Message]) -> Requests:
    return Requests(tuple(map(tuple, shown)))


def ran(*executions: Execution, **given: Any) -> Executions:
    return Executions(executions, **given)


def run(arguments: Text = "{}", name: str = "echo", **given: Any) -> Execution:
    return Execution(name, arguments, **given)


def ending(*how: Any, **given: Any) -> Ending:
    turns = tuple(TurnEnding(number, way) for number, way in enumerate(how))
    return Ending(turns, **given)


def event(kind: str, execution: str = "", step: str = "s1", **given: Any) -> Event:
    given.setdefault("session_id", "se")
    given.setdefault("loop_id", "lo")
    given.setdefault("turn_id", "t1")
    return Event(kind, step_id=step, tool_execution_id=execution, **given)


def step_done(*messages: Message, step: str = "s1", **given: Any) -> Event:
    return event("StepDone", step=step, messages=messages, **given)


def asked(execution: str = "x1", **given: Any) -> Event:
    return event("PermissionRequested", execution, **given)


def decided(effect: str = "approve", execution: str = "x1", **given: Any) -> Event:
    return event("PermissionDecided", execution, effect=effect, **given)


def started(execution: str = "x1", name: str = "echo", **given: Any) -> Event:
    return event("ToolCallStarted", execution, tool_name=name, **given)


def completed(execution: str = "x1", *, error: bool = False, **given: Any) -> Event:
    return event("ToolCallCompleted", execution, is_error=error, **given)


def turn_started() -> Event:
    return event("TurnStarted", step="")


def turn_done(kind: str = "TurnDone", **given: Any) -> Event:
    return event(kind, step="", **given)


GROUP = (calls(call()), result())
"""The group of one call and its result."""

SOUND = (
    turn_started(),
    asked(),
    decided(),
    started(),
    completed(),
    step_done(*GROUP),
    step_done(DONE, step="s2"),
    turn_done(),
)
"""The events of a sound turn with one call."""


def is_enduring(one: Event) -> bool:
    kind = EVENT_KINDS.get(one.type)
    return kind is not None and kind.durability == "enduring"


def delivered(events: Iterable[Event]) -> tuple[Delivery, ...]:
    """Number the enduring events and give each its class, as a sound runtime does."""
    found = []
    seq = 0
    for one in events:
        seq += is_enduring(one)
        durability: Any = "enduring" if is_enduring(one) else "ephemeral"
        found.append(Delivery(one, durability, seq if is_enduring(one) else None))
    return tuple(found)


def deliveries(*events: Event, **given: Any) -> Deliveries:
    return Deliveries((Subscription(delivered(events), **given),))


def journal(*events: Event, **given: Any) -> Journal:
    kept = [one for one in events if is_enduring(one)]
    records = tuple(Record(seq, one) for seq, one in enumerate(kept, start=1))
    return Journal(records, **given)


def verdict(
    clause: str,
    observation: Observation,
    given: Scenario | None = None,
    case: Case | None = None,
) -> Verdict:
    """Judge one clause by its named check."""
    found = judge(observation, given, case, frozenset({clause}))
    return found[0]


def status(clause: str, observation: Observation, given: Scenario | None = None) -> str:
    return verdict(clause, observation, given).status


def expectation(
    expected: Expectation, observation: Observation, given: Scenario | None = None
) -> Verdict:
    """Judge one expectation."""
    case = Case("c", "v", "t", "events", "positive", "turn/run", given, expect=(expected,))
    return judge(observation, case=case, clauses=frozenset({expected.clause}))[-1]


def sanitized(arguments: Text) -> Case:
    return Case("c", "v", "t", "events", "positive", "arguments/sanitize", arguments=arguments)


def validated(body: Text) -> Case:
    return Case("c", "v", "t", "events", "positive", "event/validate", event=body)


def stream(
    *events: Event | Delivery, complete: bool = True, clauses: frozenset[str] | None = None
) -> tuple[Finding, ...]:
    """Judge a stream; plain events are delivered as a sound runtime does."""
    plain = [one for one in events if isinstance(one, Event)]
    wrapped = delivered(plain) if len(plain) == len(events) else ()
    judge_of_stream = StreamJudge(clauses)
    found: list[Finding] = []
    for index, one in enumerate(wrapped or events):
        assert isinstance(one, Delivery), "plain events and deliveries are not mixed"
        found.extend(judge_of_stream.feed(index, one))
    found.extend(judge_of_stream.finish(complete=complete))
    return tuple(found)


def broken(*events: Event | Delivery, complete: bool = True) -> list[str]:
    """Give the clauses that a stream breaks."""
    return sorted({one.clause for one in stream(*events, complete=complete) if not one.recorded})


def replaced(value: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(value, **changes)
