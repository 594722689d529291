"""Checks of the shape of step groups: MSG, and the events that carry them."""

from __future__ import annotations

from collections.abc import Iterator

from toolassay.properties.evidence import Evidence, Source
from toolassay.properties.from_streams import any_of, stream_answer, stream_notes
from toolassay.properties.groups import Group, Groups, first_displaced, repeat_ids
from toolassay.properties.script import Held, readable, telling_return
from toolassay.properties.stream_groups import IN_ORDER, told_early
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import quoted
from toolassay.spec.finding import Place

_STEP = any_of("StepDone")
_NO_CALLS = Skip("no calls in any group")


def begins_with_assistant(evidence: Evidence) -> Answer:
    """MSG-01: a group is not empty and begins with the assistant message."""
    return stream_answer(evidence, "MSG-01", _STEP)


def continues_with_results(evidence: Evidence) -> Answer:
    """MSG-02: every later message of a group is a result."""
    return stream_answer(evidence, "MSG-02", _STEP)


def text_only(evidence: Evidence) -> Answer:
    """MSG-04: a step without calls is one message."""
    groups = evidence.history.groups
    plain = [group for group in groups if not group.assistant.calls]
    notes = stream_notes(evidence, "MSG-04")
    notes.extend(
        Note(
            "a text-only step commits one message",
            f"{len(group.results)} results follow it",
            Place("history", group.index),
        )
        for group in plain
        if group.results
    )
    ends = any("StepDone" in stream.types for stream in evidence.streams)
    return notes if plain or ends else Skip("no text-only step")


def one_result_per_call(evidence: Evidence) -> Answer:
    """MSG-05: every call has exactly one result, in what is committed and in what is sent."""
    if not _has_calls(evidence):
        return _NO_CALLS
    notes = stream_notes(evidence, "MSG-05")
    facet = evidence.observation.history
    if facet is not None:
        whole = facet.status == "complete"
        notes.extend(_wrong_counts(evidence.history, "history", whole=whole))
    for number, request in enumerate(evidence.requests):
        found = _wrong_counts(request, "requests", whole=True, request=number)
        if found:  # later requests repeat it
            notes.extend(found)
            break
    return notes


def _wrong_counts(
    groups: Groups, facet: str, *, whole: bool, request: int | None = None
) -> list[Note]:
    """Find calls without a result or with several; the last group may be open if not whole."""
    notes: list[Note] = []
    last = len(groups.groups) - 1
    for number, group in enumerate(groups.groups):
        calls = group.assistant.calls
        place = _place(facet, group.index, request)
        wrong = list(group.pairing.repeated)
        if whole or number < last:
            wrong.extend(group.pairing.unanswered)
        notes.extend(
            Note(
                "every call has exactly one result",
                f"call {quoted(calls[at].id)} has {len(group.pairing.answers[at])}",
                place,
                calls[at].id,
                recorded=repeat_ids(calls),
            )
            for at in sorted(wrong)
        )
    return notes


def _place(facet: str, index: int, request: int | None) -> Place:
    if request is None:
        return Place(facet, index)
    return Place(facet, request, f"message {index}")


def answers_its_own_call(evidence: Evidence) -> Answer:
    """MSG-06: a result answers a call of the assistant message that it follows."""
    notes = stream_notes(evidence, "MSG-06")
    notes.extend(_orphans(evidence.history, "history", None))
    for number, request in enumerate(evidence.requests):
        found = _orphans(request, "requests", number)
        if found:  # later requests repeat it
            notes.extend(found)
            break
    notes.extend(_crossed(evidence))
    if not notes and _has_results(evidence) and not _names_calls(evidence):
        return Skip("no result names the call that it answers")
    return notes if notes or _has_results(evidence) else Skip("no results in any group")


def _crossed(evidence: Evidence) -> list[Note]:
    """Find results that are, to the byte, what the tool of another call of the group returned."""
    source = evidence.main
    notes: list[Note] = []
    for held in evidence.held if source is not None else ():
        reply = evidence.script[held.scripted.reply]
        result = held.group.result_of(held.at) if len(reply) > 1 else None
        own = telling_return(held.scripted.behaviour)
        if result is None or own is None:
            continue
        others = {telling_return(one.behaviour) for one in reply}
        said = readable(result.text).strip()
        if said != own and said in others:
            assert source is not None, "there is a held call"
            notes.append(
                Note(
                    "a result answers the call whose id it names",
                    f"the result of another call: {quoted(result.text)}",
                    source.place_of(held.group),
                    held.id,
                    recorded=repeat_ids(held.group.assistant.calls),
                )
            )
    return notes


def _orphans(groups: Groups, facet: str, request: int | None) -> list[Note]:
    expected = "a result answers a call of the assistant message it follows"
    notes = [
        Note(expected, "a result before any assistant message", _place(facet, at, request))
        for at in groups.strays
    ]
    for group in groups.groups:
        notes.extend(
            Note(
                expected,
                f"a result for {quoted(group.results[at].tool_use_id or '')}, no call of it",
                _place(facet, group.positions[at], request),
                group.results[at].tool_use_id or "",
                recorded=repeat_ids(group.assistant.calls),
            )
            for at in group.pairing.orphans
        )
    return notes


def one_message_per_result(evidence: Evidence) -> Answer:
    """
    MSG-08: one message per result.

    A call without a result breaks MSG-05 and ORD-12 alone: what counts here is
    a message too many, or a call that ran to its end and has none of its own.
    """
    if not _has_calls(evidence):
        return _NO_CALLS
    notes = stream_notes(evidence, "MSG-08")
    notes.extend(
        Note(
            "one message per result",
            f"{len(group.results)} results for {len(group.assistant.calls)} calls",
            Place("history", group.index),
            recorded=repeat_ids(group.assistant.calls),
        )
        for group in evidence.history.groups
        if len(group.results) > len(group.assistant.calls)
    )
    returned = _returned(evidence)
    if returned:
        for source in evidence.sources:
            notes.extend(_joined(evidence, source, returned))
    return notes


def _returned(evidence: Evidence) -> set[int]:
    """Give the identities of the scripted calls that surely have a result of their own."""
    owners = zip(evidence.executions, evidence.attribution.owners, strict=True)
    over = [owner for one, owner in owners if owner is not None and one.ended is not None]
    return {id(one) for one in over if one.behaviour.raises is None and not one.behaviour.hangs}


def _joined(evidence: Evidence, source: Source, returned: set[int]) -> list[Note]:
    """Find groups with fewer result messages than calls that surely have a result."""
    by_group: dict[int, list[Held]] = {}
    for held in evidence.held_in(source):
        if id(held.scripted) in returned:
            by_group.setdefault(id(held.group), []).append(held)
    notes: list[Note] = []
    for number, group in enumerate(source.groups):
        # The last group of a history that is not whole may still wait for its results.
        if source.facet == "history" and not source.complete and number + 1 == len(source.groups):
            break
        ended = by_group.get(id(group), [])
        silent = [held for held in ended if not group.pairing.answers[held.at]]
        if silent and len(group.results) < len(ended):
            observed = f"{len(group.results)} results of {len(ended)} calls that ran to their end"
            place = source.place(number)
            recorded = repeat_ids(group.assistant.calls)
            call = silent[0].id
            notes.append(Note("one message per result", observed, place, call, recorded))
    return notes


def only_whole_groups(evidence: Evidence) -> Answer:
    """ORD-12: a group with an unanswered call is never committed."""
    if not _has_calls(evidence):
        return _NO_CALLS
    notes = stream_notes(evidence, "ORD-12")
    facet = evidence.observation.history
    groups = evidence.history.groups
    judged = groups if facet is not None and facet.status == "complete" else groups[:-1]
    for group in judged:
        calls = group.assistant.calls
        notes.extend(
            Note(
                "only a complete group is committed",
                f"call {quoted(calls[at].id)} has no result",
                Place("history", group.index),
                calls[at].id,
                recorded=repeat_ids(calls),
            )
            for at in group.pairing.unanswered
        )
    return notes


def nothing_between(evidence: Evidence) -> Answer:
    """MSG-11: nothing but results stands between calls and their last result."""
    if not _has_results(evidence):
        return Skip("no results in any group")
    facet = evidence.observation.history
    if facet is None:
        return stream_answer(evidence, "MSG-02", _STEP)
    notes: list[Note] = []
    for group in evidence.history.groups:
        if group.positions and group.positions[-1] - group.index != len(group.positions):
            inside = range(group.index + 1, group.positions[-1])
            at = next(index for index in inside if facet.messages[index].role != "tool")
            notes.append(
                Note(
                    "nothing but results between calls and their last result",
                    f"a {facet.messages[at].role} message",
                    Place("history", at),
                )
            )
    return notes


def results_in_call_order(evidence: Evidence) -> Answer:
    """MSG-10: results stand in the order of their calls, in what is committed and what is sent."""
    if not any(len(group.results) > 1 for group in _all_groups(evidence)):
        return Skip("no group with several results")
    notes = [*stream_notes(evidence, "MSG-10"), *_displaced(evidence.history, "history", None)]
    for number, request in enumerate(evidence.requests):
        found = _displaced(request, "requests", number)
        if found:  # later requests repeat it
            return [*notes, *found]
    return notes


def _displaced(groups: Groups, facet: str, request: int | None) -> list[Note]:
    notes: list[Note] = []
    for group in groups.groups:
        calls = group.assistant.calls
        at = first_displaced(calls, group.results, group.pairing)
        if at is not None:
            place = _place(facet, group.index, request)
            notes.append(Note(IN_ORDER, told_early(calls[at].id), place, calls[at].id))
    return notes


# --- what there is to judge -----------------------------------------------------------------


def _all_groups(evidence: Evidence) -> Iterator[Group]:
    for source in evidence.sources:
        yield from source.groups
    if evidence.requests:
        yield from evidence.requests[-1].groups


def _has_calls(evidence: Evidence) -> bool:
    return any(group.assistant.calls for group in _all_groups(evidence))


def _names_calls(evidence: Evidence) -> bool:
    """Tell whether a form has ids in its results: without one, none can be wrong."""
    groups = _all_groups(evidence)
    return any(one.tool_use_id is not None for group in groups for one in group.results)


def _has_results(evidence: Evidence) -> bool:
    strays = bool(evidence.history.strays)
    return strays or any(group.results for group in _all_groups(evidence))
