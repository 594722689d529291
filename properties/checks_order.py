"""
Checks of order: ORD.

Facets share no clock. Order is judged inside one stream, or by the marks of
executions, which are lower bounds: what a mark counts had certainly happened.
"""

from __future__ import annotations

import msgspec

from toolassay.properties.evidence import Evidence, Fate, Stream, has_loose_gate
from toolassay.properties.from_streams import any_of, stream_answer, stream_notes
from toolassay.properties.groups import Group
from toolassay.properties.script import Scripted, same_text_or_value
from toolassay.properties.siblings import must_run, undisturbed
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import quoted
from toolassay.spec.events import Event, is_missing
from toolassay.spec.finding import Place
from toolassay.spec.observation import Execution
from toolassay.spec.text import shown

_COMPLETED = any_of("ToolCallCompleted")
_STEP = any_of("StepDone")
_NONE_RAN = Skip("nothing was executed")


def completion_after_execution(evidence: Evidence) -> Answer:
    """ORD-03: ToolCallCompleted is seen neither before the start nor before the end."""
    stream = evidence.first_stream
    answer = stream_answer(evidence, "ORD-03", _COMPLETED)
    if stream is None or isinstance(answer, Skip):
        return answer
    seen = {
        event.tool_execution_id: index
        for index, event in reversed(tuple(enumerate(stream.events)))
        if event.type == "ToolCallCompleted"
    }
    for at, execution in enumerate(evidence.executions):
        fate = evidence.first_fates.get(execution.execution_id)
        known = fate is not None and not fate.shared
        index = seen.get(execution.execution_id) if known and execution.execution_id else None
        if index is not None and _is_cut_short(evidence, execution, stream.events[index]):
            continue
        mark = execution.ended.deliveries if execution.ended is not None else None
        if index is not None and mark is not None and index < mark <= len(stream.events):
            answer.append(
                Note(
                    "ToolCallCompleted is not seen before the execution ended",
                    f"delivery {index} was there when execution {at} ended",
                    Place("deliveries", index, stream.part),
                    execution.execution_id,
                )
            )
    return answer


def _is_cut_short(evidence: Evidence, execution: Execution, event: Event) -> bool:
    """Tell whether a runtime may have ended a call, as an error, before its callback ended."""
    tool = evidence.scenario.tool(execution.tool) if evidence.scenario is not None else None
    return event.is_error and not (tool is not None and tool.behaviour.ends_in_error)


# --- approval -------------------------------------------------------------------------------


def no_execution_without_approval(evidence: Evidence) -> Answer:
    """ORD-05: no call executes without approval, nor before it."""
    if not evidence.executions:
        return _NONE_RAN
    notes = _runs_of_denied_tools(evidence, "a call executes only with approval")
    journal = evidence.journal_stream
    stream, known = journal, evidence.journal_fates
    if stream is None:
        stream, known = evidence.first_stream, evidence.first_fates
    if stream is None:
        policy = evidence.scenario.policy if evidence.scenario is not None else {}
        return notes if policy else Skip("no permission in sight")
    told = {note.place.index for note in notes if note.place is not None}
    ids = {one.execution_id for one in evidence.executions}
    decided = {one: known[one].approved for one in ids if one in known}
    approved = {
        one.tool for one in evidence.executions if decided.get(one.execution_id) is not None
    }
    loose = has_loose_gate(stream.events)
    for at, execution in enumerate(evidence.executions):
        fate = known.get(execution.execution_id, Fate())
        if at in told or is_missing(execution.execution_id) or fate.shared:
            continue
        if fate.approved is not None:
            notes.extend(_too_early(at, execution, fate.approved, stream))
        elif stream.complete and fate.denied is None:
            certain = fate.requested is not None or execution.tool in approved
            known_gates = not (loose or fate.settled)
            notes.append(_unapproved(at, execution, fate, recorded=not (certain and known_gates)))
    return notes


def _unapproved(at: int, execution: Execution, fate: Fate, *, recorded: bool) -> Note:
    """
    Note an execution without approval.

    It is scored where its request was open, or where its tool is approved
    elsewhere: what a policy allows without saying so is not unapproved.
    """
    how = "while its request was open" if fate.requested is not None else "unapproved"
    return Note(
        "a call executes only with approval",
        f"{shown(execution.tool, 60)} ran {how}",
        Place("executions", at),
        execution.execution_id,
        recorded=recorded,
    )


def _too_early(at: int, execution: Execution, approved: int, stream: Stream) -> list[Note]:
    mark = execution.began.journal if stream.facet == "journal" else None
    if mark is None or approved < mark:
        return []
    return [
        Note(
            "a call executes only after its approval",
            f"{mark} records were written when it began, and its approval was not among them",
            Place("executions", at),
            execution.execution_id,
        )
    ]


def denied_never_runs(evidence: Evidence) -> Answer:
    """ORD-06: a denied call does not execute."""
    notes = _runs_of_denied_tools(evidence, "a denied call does not execute")
    told = {note.place.index for note in notes if note.place is not None}
    for at, execution in enumerate(evidence.executions):
        if at in told or is_missing(execution.execution_id):
            continue
        fates = (evidence.journal_fates, evidence.first_fates)
        found = [fate[execution.execution_id] for fate in fates if execution.execution_id in fate]
        denied = any(fate.denied is not None for fate in found)
        if denied and all(fate.approved is None and not fate.shared for fate in found):
            notes.append(_ran_denied(at, execution, "a denied call does not execute"))
    if notes or _has_denial(evidence):
        return notes
    return Skip("no denied call")


def _runs_of_denied_tools(evidence: Evidence, expected: str) -> list[Note]:
    scenario = evidence.scenario
    if scenario is None:
        return []
    return [
        _ran_denied(at, execution, expected)
        for at, execution in enumerate(evidence.executions)
        if scenario.policy.get(execution.tool) == "deny"
    ]


def _ran_denied(at: int, execution: Execution, expected: str) -> Note:
    name = shown(execution.tool, 60)
    call = execution.call_id or execution.execution_id
    return Note(expected, f"{name} was denied and ran", Place("executions", at), call)


def _has_denial(evidence: Evidence) -> bool:
    if any(call.denied for call in evidence.calls):
        return True
    fates = (*evidence.journal_fates.values(), *evidence.first_fates.values())
    return any(fate.denied is not None for fate in fates)


def no_lifecycle_of_denied(evidence: Evidence) -> Answer:
    """ORD-18: a denied call has neither ToolCallStarted nor ToolCallCompleted."""
    notes = stream_notes(evidence, "ORD-18")
    told = {note.call for note in notes}
    denied = _denied_tools(evidence)
    for stream in evidence.streams:
        for index, event in enumerate(stream.events):
            named = event.type == "ToolCallStarted" and event.tool_name in denied
            if named and event.tool_execution_id not in told:
                told.add(event.tool_execution_id)
                notes.append(
                    Note(
                        "neither ToolCallStarted nor ToolCallCompleted of a denied call",
                        f"ToolCallStarted of {shown(event.tool_name, 60)}",
                        Place(stream.facet, index, stream.part),
                        event.tool_execution_id,
                    )
                )
    if notes or (evidence.streams and _has_denial(evidence)):
        return notes
    return Skip("no denied call")


def _denied_tools(evidence: Evidence) -> frozenset[str]:
    policy = evidence.scenario.policy if evidence.scenario is not None else {}
    # A call that is refused for its arguments was never denied (ORD-17).
    refused = {call.call.name for call in evidence.calls if not _is_sound(call)}
    return frozenset(
        name for name, permission in policy.items() if permission == "deny" and name not in refused
    )


def _is_sound(call: Scripted) -> bool:
    """Tell whether nothing but a denial keeps a call from running."""
    return must_run(msgspec.structs.replace(call, denied=False))


def denied_step_ends(evidence: Evidence) -> Answer:
    """ORD-11: after a denial the step still ends."""
    ending = evidence.observation.ending
    if ending is not None and ending.turns and ending.status == "complete":
        return [] if _has_denial(evidence) else Skip("no denied call")
    about = any(
        stream.complete and any(fate.denied is not None for fate in fates.values())
        for stream, fates in (
            (evidence.journal_stream, evidence.journal_fates),
            (evidence.first_stream, evidence.first_fates),
        )
        if stream is not None
    )
    return stream_notes(evidence, "ORD-11") if about else Skip("no denial in a complete stream")


def siblings_of_denied(evidence: Evidence) -> Answer:
    """ORD-15: denying one call neither drops nor runs a sibling."""
    return undisturbed(evidence, lambda one: one.denied, "denied")


# --- what runs ---------------------------------------------------------------------------


def executed_is_approved(evidence: Evidence) -> Answer:
    """ORD-13: what executes is what was approved: same call, same tool, same arguments."""
    notes: list[Note] = []
    judged = 0
    for at, execution in enumerate(evidence.executions):
        owner = evidence.attribution.owners[at]
        if owner is None and _is_of_no_call(evidence, execution):
            judged += 1
            wanted = f"arguments that some call of {shown(execution.tool, 60)} has"
            notes.append(_other_run(at, execution, wanted, _with_arguments(execution)))
        if owner is None or not owner.plain:
            continue
        judged += 1
        if execution.tool != owner.call.name:
            wanted, observed = (
                f"the tool {owner.call.name}",
                f"the tool {shown(execution.tool, 60)}",
            )
            notes.append(_other_run(at, execution, wanted, observed))
            continue
        same = same_text_or_value(execution.arguments, owner.call.arguments)
        if same is True:
            continue
        # A schema may entitle an implementation to fill in defaults before the callback.
        recorded = same is None or not _is_plain_schema(owner)
        wanted = f"the arguments {quoted(owner.call.arguments)}"
        observed = _with_arguments(execution)
        notes.append(_other_run(at, execution, wanted, observed, recorded=recorded))
    return notes if judged else Skip("no execution whose call is known")


def _is_of_no_call(evidence: Evidence, execution: Execution) -> bool:
    """Tell whether an execution has other arguments than all calls of its tool."""
    calls = [one for one in evidence.calls if one.call.name == execution.tool]
    return bool(calls) and all(
        one.plain
        and _is_plain_schema(one)
        and same_text_or_value(execution.arguments, one.call.arguments) is False
        for one in calls
    )


def _with_arguments(execution: Execution) -> str:
    return f"the arguments {quoted(execution.arguments)}"


def _other_run(
    at: int, execution: Execution, wanted: str, observed: str, *, recorded: bool = False
) -> Note:
    call = execution.call_id or execution.execution_id
    return Note(wanted, observed, Place("executions", at), call, recorded)


def _is_plain_schema(scripted: Scripted) -> bool:
    return scripted.tool is not None and scripted.tool.parameters.keys() <= {"type"}


# --- the turn -------------------------------------------------------------------------------


def turn_ends_once(evidence: Evidence) -> Answer:
    """ORD-16: a turn ends exactly once, after its last StepDone, with no open call."""
    notes = stream_notes(evidence, "ORD-16")
    ending = evidence.observation.ending
    if ending is None:
        return notes if evidence.streams else Skip("neither an ending nor events")
    asked = evidence.scenario is None or bool(evidence.scenario.users)
    if ending.status == "complete" and len({turn.turn for turn in ending.turns}) >= _turns(
        evidence
    ):
        # The end may have an event that the contract does not know.
        notes = [one for one in notes if one.place is None or one.place.index is not None]
    seen: set[int] = set()
    for index, turn in enumerate(ending.turns):
        if turn.turn in seen:
            observed = f"turn {turn.turn} ended again: {turn.how}"
            notes.append(Note("a turn ends once", observed, Place("ending", index)))
        seen.add(turn.turn)
    if ending.status == "complete" and not ending.turns and asked:
        notes.append(Note("an end of the turn", "it has none", Place("ending")))
    return notes


def _turns(evidence: Evidence) -> int:
    return len(evidence.scenario.users) if evidence.scenario is not None else 1


def one_step_done(evidence: Evidence) -> Answer:
    """ORD-19: exactly one StepDone per committed step."""
    answer = stream_answer(evidence, "ORD-19", _STEP)
    history = evidence.observation.history
    if history is None or history.status != "complete":
        return answer
    committed = sum(_is_of_a_step(evidence, group) for group in evidence.history.groups)
    notes = [] if isinstance(answer, Skip) else answer
    journal = evidence.journal_stream
    if journal is None or not journal.complete:
        silent = _silent_subscriber(evidence) if committed else None
        return [*notes, silent] if silent is not None else answer
    done = [event for event in journal.events if event.type == "StepDone"]
    if len({event.loop_id for event in done}) > 1:  # the history is that of one loop
        return answer
    if len(done) < committed:
        observed = f"{len(done)} StepDone events for {committed} committed steps"
        notes.append(Note("one StepDone per committed step", observed, Place("journal")))
    return notes if done or committed else answer


def _silent_subscriber(evidence: Evidence) -> Note | None:
    """Find that steps were committed, and a subscriber that read to the end got nothing at all."""
    deliveries = evidence.observation.deliveries
    subscriptions = deliveries.subscriptions if deliveries is not None else ()
    if not subscriptions or any(one.deliveries for one in subscriptions):
        return None
    first = subscriptions[0]
    if first.status != "complete" or first.error is not None:
        return None
    observed = "steps were committed, and no event was delivered"
    return Note("one StepDone per committed step", observed, Place("deliveries", part=first.name))


def _is_of_a_step(evidence: Evidence, group: Group) -> bool:
    """Tell whether a message is that of a step; what a cut turn leaves of a text may be none."""
    if group.assistant.calls:
        return True
    ending = evidence.observation.ending
    cut = ending is None or any(turn.how != "done" for turn in ending.turns)
    return bool(group.assistant.text) and not cut


def no_approval_for_malformed(evidence: Evidence) -> Answer:
    """ORD-17: a malformed call asks for no approval."""
    notes: list[Note] = []
    judged = 0
    malformed = any(one.malformed for one in evidence.calls)
    for source in evidence.sources if malformed else ():
        if source.stream is None:
            continue
        held = {id(one.group): one.scripted.reply for one in evidence.held_in(source)}
        for number, group in enumerate(source.groups):
            reply = evidence.script[held[id(group)]] if id(group) in held else ()
            if any(call.malformed for call in reply):
                judged += 1
                notes.extend(_asked_too_often(source.stream, source.at[number], reply))
    return notes if judged else Skip("no StepDone of a malformed call")


def _asked_too_often(stream: Stream, at: int, reply: tuple[Scripted, ...]) -> list[Note]:
    step = stream.events[at]
    asked = {event.tool_execution_id for event in stream.events if _asks_in(event, step)}
    sound = sum(not call.malformed for call in reply)
    if len(asked) <= sound:
        return []
    return [
        Note(
            f"at most {sound} requests for approval in the step",
            f"{len(asked)}, though its other calls are malformed",
            Place(stream.facet, at, stream.part),
        )
    ]


def _asks_in(event: Event, step: Event) -> bool:
    return (
        event.type == "PermissionRequested"
        and not is_missing(event.step_id)
        and event.loop_id == step.loop_id
        and event.turn_id == step.turn_id
        and event.step_id == step.step_id
    )
