"""Checks of single events and of their ids: EVT, and the refusals of a validator."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from toolassay.properties.evidence import Evidence, Stream
from toolassay.properties.from_streams import TypeSet, any_of, stream_answer, stream_notes
from toolassay.properties.script import readable
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import quoted
from toolassay.spec.events import TOOL_EVENTS
from toolassay.spec.finding import Place
from toolassay.spec.text import shown

_TOOL = frozenset(TOOL_EVENTS)
_STEP = any_of("StepDone")


class _Typed(msgspec.Struct):
    """What is read of an event that was given to a validator."""

    type: str = ""
    """Its type."""


def from_stream(clause: str, *about: TypeSet) -> Callable[[Evidence], Answer]:
    """Make a check of a clause that the streams alone decide."""

    def check(evidence: Evidence) -> Answer:
        return stream_answer(evidence, clause, *about)

    return check


def classes(evidence: Evidence) -> Answer:
    """EVT-01: each event is delivered with the class of its type."""
    deliveries = evidence.observation.deliveries
    assert deliveries is not None, "the check needs deliveries"
    judged = any(
        delivery.durability and (delivery.event.type in _TOOL or delivery.event.type == "StepDone")
        for subscription in deliveries.subscriptions
        for delivery in subscription.deliveries
    )
    return stream_notes(evidence, "EVT-01") if judged else Skip("no class on any delivery")


def step_of_the_answer(evidence: Evidence) -> Answer:
    """EVT-12: a call's tool events carry the step of the StepDone that answers it."""
    answer = stream_answer(evidence, "EVT-12", _TOOL, _STEP)
    if isinstance(answer, Skip):
        return answer
    told = {note.call for note in answer}
    for stream in evidence.streams:
        steps = _answering_steps(evidence, stream)
        if not steps:
            continue
        for index, event in enumerate(stream.events):
            execution = event.tool_execution_id
            step = steps.get((event.loop_id, execution)) if event.type in _TOOL else None
            if step is None or event.step_id == step or execution in told:
                continue
            told.add(execution)
            answer.append(
                Note(
                    f"the step of the StepDone that answers the call, {shown(step, 40)}",
                    f"{event.type} carries step {shown(event.step_id, 40) or '(none)'}",
                    Place(stream.facet, index, stream.part),
                    execution,
                )
            )
    return answer


def _answering_steps(evidence: Evidence, stream: Stream) -> dict[tuple[str, str], str]:
    """Give, by loop and execution id, the step whose StepDone answers that execution's call."""
    answered = evidence.answered_in(stream).by_call
    found: dict[tuple[str, str], str] = {}
    for execution in evidence.executions:
        call = execution.call_id
        if call is None or not evidence.names_one_run(call, stream):
            continue
        at = answered.get(call, [])
        done = stream.events[at[0]] if len(at) == 1 else None
        if done is not None and done.step_id and execution.execution_id:
            found[done.loop_id, execution.execution_id] = done.step_id
    return found


def refusal_of_step(evidence: Evidence) -> Answer:
    """EVT-07: the refusal of a StepDone names event, field and rule."""
    return _named_refusal(evidence, step=True)


def refusal_of_other(evidence: Evidence) -> Answer:
    """EVT-07a: the refusal of any other event does, too."""
    return _named_refusal(evidence, step=False)


def _named_refusal(evidence: Evidence, *, step: bool) -> Answer:
    outcome, case = evidence.observation.outcome, evidence.case
    if outcome is None or case is None or case.event is None:
        return Skip("no event was given to a validator")
    if outcome.status != "rejected":
        return Skip("nothing was refused")
    kind = _type_of(readable(case.event))
    if kind is None:
        return Skip("the event has no type that can be read")
    if (kind == "StepDone") is not step:
        return Skip(f"the event is {'no' if step else 'a'} StepDone")
    empty = [name for name in ("event", "field", "rule") if not getattr(outcome, name)]
    if empty:
        observed = f"{' and '.join(empty)} not named"
        return [Note("a refusal names event, field and rule", observed, Place("outcome"))]
    if outcome.event == kind:
        return []
    observed = f"it names {quoted(outcome.event)}"
    return [Note(f"the refusal names the event {quoted(kind)}", observed, Place("outcome"))]


def _type_of(event: bytes) -> str | None:
    try:
        return msgspec.json.decode(event, type=_Typed).type
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
