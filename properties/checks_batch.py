"""
Checks of a batch: that it runs after its message and is awaited (ORD-08, ORD-09).

They read the marks of executions, which are lower bounds: what a mark counts
had certainly happened.
"""

from __future__ import annotations

from toolassay.properties.evidence import Evidence
from toolassay.properties.script import Held, is_what_returned
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.spec.finding import Place
from toolassay.spec.observation import Execution
from toolassay.spec.text import shown


def results_after_batch(evidence: Evidence) -> Answer:
    """ORD-08: results are appended only after the whole batch has returned."""
    judged = 0
    notes: list[Note] = []
    # Without the script no one knows whether the call was given up before.
    unknown = evidence.scenario is None
    for at, execution in enumerate(evidence.executions):
        ended = execution.ended
        if ended is None or _was_given_up(evidence, at):
            continue
        marks = (
            (evidence.first_stream, ended.deliveries),
            (evidence.journal_stream, ended.journal),
        )
        for stream, mark in marks:
            if stream is None or mark is None:
                continue
            judged += 1
            answer = evidence.answer_to(execution, stream)
            if answer is not None and answer < mark <= len(stream.events):
                what = f"{stream.facet} {answer}, its StepDone,"
                notes.append(_early(at, execution, what, recorded=unknown))
        shown_after = _shown_before_it_ended(evidence, execution)
        if shown_after is not None and not _was_cut(evidence):
            judged += 1
            if shown_after:
                what = "the next model request"
                notes.append(_early(at, execution, what, recorded=unknown))
    left = _answered_unfinished(evidence)
    return [*notes, *left] if judged or left else Skip("no mark at the end of an execution")


def _shown_before_it_ended(evidence: Evidence, execution: Execution) -> bool | None:
    """
    Tell whether a request with the step of an execution was made before that ended.

    A request of something else, such as a title of the session, shows no step
    more than the one before; None where it cannot be known.
    """
    began, ended = execution.began.requests, execution.ended
    last = ended.requests if ended is not None else None
    if began is None or last is None:
        return None
    if last <= began:
        return False
    if not 0 < began < last <= len(evidence.requests):
        return None
    before = len(evidence.requests[began - 1].groups)
    return any(len(one.groups) > before for one in evidence.requests[began:last])


def _was_cut(evidence: Evidence) -> bool:
    """Tell whether the next request may be that of another turn than the one that was cut."""
    scenario, ending = evidence.scenario, evidence.observation.ending
    if scenario is not None and len(scenario.users) == 1:
        return False
    return ending is None or any(turn.how != "done" for turn in ending.turns)


def _answered_unfinished(evidence: Evidence) -> list[Note]:
    """Find executions that never ended, though a sound result of their call is committed."""
    facet, source = evidence.observation.executions, evidence.main
    whole = facet is not None and facet.status == "complete"
    # An implementation that cannot tell when callbacks end shows the end of none.
    if not whole or source is None or all(one.ended is None for one in evidence.executions):
        return []
    held = {id(one.scripted): one for one in evidence.held}
    notes: list[Note] = []
    for at, execution in enumerate(evidence.executions):
        owner = held.get(id(evidence.attribution.owners[at]))
        if owner is None or execution.ended is not None or owner.scripted.behaviour.hangs:
            continue
        result = owner.group.result_of(owner.at)
        flag = result.is_error if result is not None else None
        if flag is False and _has_its_own_result(owner) is True:
            notes.append(_early(at, execution, "a result"))
    return notes


def _early(at: int, execution: Execution, what: str, *, recorded: bool = False) -> Note:
    tool = shown(execution.tool, 60)
    when = f"when {tool} returned" if execution.ended is not None else f"and {tool} never returned"
    return Note(
        "results are appended only after the whole batch has returned",
        f"{what} was there {when}",
        Place("executions", at),
        execution.call_id or execution.execution_id,
        recorded,
    )


def _was_given_up(evidence: Evidence, at: int) -> bool:
    """Tell whether the runtime may have ended the call without waiting for its callback."""
    if evidence.scenario is None:
        return False
    execution = evidence.executions[at]
    owner = evidence.attribution.owners[at]
    own = [
        _has_its_own_result(held)
        for held in evidence.held
        if (held.scripted.call.name == execution.tool if owner is None else held.scripted is owner)
    ]
    return not own or not all(own)


def _has_its_own_result(held: Held) -> bool | None:
    """Tell whether a call has the result of its callback; None if it has none."""
    result = held.group.result_of(held.at)
    behaviour = held.scripted.behaviour
    if result is None:
        return None
    if behaviour.ends_in_error:
        return True
    if result.is_error is False and not result.text:
        return True  # it does not even say that the call was given up
    return result.is_error is not True and is_what_returned(result.text, behaviour)


def message_before_calls(evidence: Evidence) -> Answer:
    """ORD-09: the assistant message is whole before any of its calls runs."""
    known = [one.began.streaming for one in evidence.executions]
    if all(one is None for one in known):
        return Skip("no mark of a stream at the start of an execution")
    full = evidence.observation.deliveries is not None and evidence.observation.journal is not None
    return [
        Note(
            "the assistant message is whole before any of its calls runs",
            f"{shown(evidence.executions[at].tool, 60)} began while the reply was streaming",
            Place("executions", at),
            evidence.executions[at].call_id or evidence.executions[at].execution_id,
            recorded=not full,
        )
        for at, streaming in enumerate(known)
        if streaming
    ]
