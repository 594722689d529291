"""
Expectations of a case, judged on an observation.

Call ids in an expectation are those of the script; the held id is found by
position, as everywhere. What an expectation forbids is judged on all that is
there, what it demands on complete facets only, and no absent ephemeral breaks
one (DUR-17).
"""

from __future__ import annotations

import msgspec

from toolassay.properties.error_flags import was_an_error
from toolassay.properties.evidence import Evidence, Source
from toolassay.properties.expect_executions import expect_executions
from toolassay.properties.groups import Group, Groups
from toolassay.properties.reached import fell_with_its_turn, find_call, may_be_unreached
from toolassay.properties.script import Scripted, readable, same_text_or_value
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import contrasted, quoted
from toolassay.spec.case import (
    Expectation,
    ExpectEnding,
    ExpectEvents,
    ExpectMessages,
    ExpectOutcome,
    HeldCall,
    ResultMatch,
)
from toolassay.spec.events import EVENT_KINDS
from toolassay.spec.finding import Place
from toolassay.spec.messages import Message
from toolassay.spec.observation import FacetName, HeldAs, Outcome
from toolassay.spec.text import Text, shown


class _Asked(msgspec.Struct, frozen=True):
    """What an expectation of messages is judged by."""

    clause: str
    """The clause that it is about."""
    evidence: Evidence
    """The observation."""
    source: Source
    """The groups that it is about."""


_FACETS: tuple[FacetName, ...] = (
    "executions", "history", "requests", "deliveries", "journal", "ending", "outcome",
)  # fmt: skip


def expectation_name(expected: Expectation, number: int) -> str:
    """Name the check of an expectation: its first facet and its number in the case."""
    for facet in _FACETS:
        if getattr(expected, facet) is not None:
            return f"expect.{facet}.{number}"
    return f"expect.holds.{number}"


def judge_expectation(expected: Expectation, evidence: Evidence) -> Answer:
    """Judge an expectation that speaks of facets; it wants all that it gives."""
    notes: list[Note] = []
    skipped: Skip | None = None
    for answer in _answers(expected, evidence):
        if isinstance(answer, Skip):
            skipped = skipped or answer
        else:
            notes.extend(answer)
    if skipped is not None and not any(not note.recorded for note in notes):
        return skipped
    return notes


def _answers(expected: Expectation, evidence: Evidence) -> list[Answer]:
    answers: list[Answer] = []
    if expected.executions is not None:
        answers.append(expect_executions(expected.executions, evidence, expected.clause))
    if expected.history is not None:
        answers.append(_history(expected.history, evidence, expected.clause))
    if expected.requests is not None:
        answers.append(_requests(expected.requests, evidence, expected.clause))
    if expected.deliveries is not None:
        answers.append(_deliveries(expected.deliveries, evidence))
    if expected.journal is not None:
        answers.append(_journal(expected.journal, evidence))
    if expected.ending is not None:
        answers.append(_ending(expected.ending, evidence))
    if expected.outcome is not None:
        answers.append(_outcome(expected.outcome, evidence))
    return answers


# --- messages -------------------------------------------------------------------------------


def _history(expected: ExpectMessages, evidence: Evidence, clause: str) -> Answer:
    facet, source = evidence.observation.history, evidence.committed
    if facet is None or source is None:
        return Skip("facet history")
    return _messages(expected, _Asked(clause, evidence, source), facet.messages, facet.status)


def _requests(expected: ExpectMessages, evidence: Evidence, clause: str) -> Answer:
    facet = evidence.observation.requests
    if facet is None:
        return Skip("facet requests")
    at = expected.at if expected.at is not None else len(facet.requests) - 1
    if not 0 <= at < len(facet.requests):
        # No clause here says how often the model is asked.
        return Skip(f"there are {len(facet.requests)} requests")
    groups = evidence.requests[at]
    source = _request_source(groups, at, facet.arguments)
    return _messages(expected, _Asked(clause, evidence, source), facet.requests[at], "complete")


def _request_source(groups: Groups, at: int, held_as: HeldAs) -> Source:
    places = (at,) * len(groups.groups)
    return Source("requests", "", groups.groups, places, complete=True, held_as=held_as)


def _messages(
    expected: ExpectMessages, asked: _Asked, messages: tuple[Message, ...], status: str
) -> Answer:
    """Judge one list of messages."""
    answers: list[Answer] = []
    if expected.roles is not None:
        answers.append(_roles(expected.roles, asked, messages))
    if expected.result is not None:
        answers.append(_result(expected.result, asked))
    if expected.call is not None:
        answers.append(_call(expected.call, asked))
    notes = [note for answer in answers if not isinstance(answer, Skip) for note in answer]
    skipped = next((answer for answer in answers if isinstance(answer, Skip)), None)
    if notes or skipped is None:
        return notes
    return skipped if status == "complete" else Skip(f"{asked.source.facet} is {status}")


def _roles(wanted: tuple[str, ...], asked: _Asked, messages: tuple[Message, ...]) -> Answer:
    source = asked.source
    seen = tuple(one.role for one in messages if one.role in {"assistant", "tool"})
    if seen == wanted:
        return []
    if not source.complete and seen == wanted[: len(seen)]:
        return Skip("not all messages are there")
    whole_groups = seen == wanted[: len(seen)] and wanted[len(seen)] == "assistant"
    if whole_groups and fell_with_its_turn(asked.clause, asked.evidence):
        return Skip("the turn failed before all groups were committed")
    at = source.at[-1] if source.facet == "requests" and source.at else None
    expected, observed = (
        f"roles {' '.join(roles)}" if roles else "no messages" for roles in (wanted, seen)
    )
    return [Note(expected, observed, Place(source.facet, at))]


def _missing(identifier: str, asked: _Asked) -> Answer:
    evidence, source = asked.evidence, asked.source
    if source.facet == "requests":
        return Skip(f"call {identifier} is not shown in this request")  # it may be left out whole
    if not source.complete:
        return Skip(f"call {identifier} is not there, and not all messages are")
    if any(one.call.id == identifier and may_be_unreached(one, evidence) for one in evidence.calls):
        return Skip(f"the turn may have ended before call {identifier} was committed")
    if fell_with_its_turn(asked.clause, evidence, identifier):
        return Skip(f"the turn failed before call {identifier} was committed")
    wanted = f"call {quoted(identifier)} in the messages"
    return [Note(wanted, "it is not there", Place(source.facet), identifier)]


def _result(wanted: ResultMatch, asked: _Asked) -> Answer:
    found = find_call(wanted.answers, asked.evidence, asked.source)
    if not found:
        return _missing(wanted.answers, asked)
    notes: list[Note] = []
    skipped: Skip | None = None
    for group, at, scripted in found:
        answer = _flag_is_gone(wanted, asked, group, at, scripted) or _one_result(
            wanted, asked.source, group, at
        )
        if isinstance(answer, Skip):
            skipped = answer
        else:
            notes.extend(answer)
    return notes if notes or skipped is None else skipped


def _flag_is_gone(
    wanted: ResultMatch, asked: _Asked, group: Group, at: int, scripted: Scripted | None
) -> Skip | None:
    """Say why a call has no error flag that could survive (MSG-09), if that is so."""
    if asked.clause != "MSG-09":
        return None
    answers = group.pairing.answers[at]
    if len(answers) != 1:  # MSG-05 and ORD-12 say it
        return Skip(f"call {wanted.answers} has {len(answers)} results")
    result = group.results[answers[0]]
    if wanted.is_error is not True or result.is_error is True or scripted is None:
        return None
    refused = scripted.malformed or scripted.denied
    if not refused or was_an_error(asked.evidence, scripted, result):
        return None
    return Skip(f"call {wanted.answers} may have run to a good end")


def _one_result(wanted: ResultMatch, source: Source, group: Group, at: int) -> Answer:
    place = source.place_of(group)
    answers = group.pairing.answers[at]
    if len(answers) != 1:
        if not answers and not source.complete and group is source.groups[-1]:
            return Skip(f"the result of {wanted.answers} may still come")
        observed = f"{len(answers)} results"
        one = f"one result of call {quoted(wanted.answers)}"
        return [Note(one, observed, place, wanted.answers)]
    result = group.results[answers[0]]
    if wanted.text is not None and readable(result.text) != readable(wanted.text):
        expected, found = contrasted(wanted.text, result.text)
        return [Note(f"the result {expected}", found, place, wanted.answers)]
    if wanted.is_error is None:
        return []
    if not any(one.is_error is not None for group in source.groups for one in group.results):
        return Skip(f"no error flag in {source.facet}")
    if (result.is_error is True) is not wanted.is_error:
        word = "with" if wanted.is_error else "without"
        observed = f"is_error is {result.is_error}, text {quoted(result.text)}"
        return [Note(f"a result {word} the error flag", observed, place, wanted.answers)]
    return []


def _call(wanted: HeldCall, asked: _Asked) -> Answer:
    source = asked.source
    found = find_call(wanted.id, asked.evidence, source)
    if not found:
        return _missing(wanted.id, asked)
    if wanted.arguments is None:
        return []
    if source.held_as == "text":
        return Skip(f"arguments are held as text in {source.facet}")
    notes: list[Note] = []
    for group, at, _ in found:
        stored = group.assistant.calls[at].arguments
        same = same_text_or_value(stored, wanted.arguments)
        if same is not True:
            expected, observed = contrasted(wanted.arguments, stored)
            expected, place = f"the arguments {expected}", source.place_of(group)
            notes.append(Note(expected, observed, place, wanted.id, recorded=same is None))
    return notes


# --- events ---------------------------------------------------------------------------------


def _deliveries(expected: ExpectEvents, evidence: Evidence) -> Answer:
    facet = evidence.observation.deliveries
    if facet is None:
        return Skip("facet deliveries")
    names = [one.name for one in facet.subscriptions]
    wanted = expected.subscriber if expected.subscriber is not None else (names or [""])[0]
    found = next((one for one in facet.subscriptions if one.name == wanted), None)
    if found is None:
        return Skip(f"no subscriber {quoted(wanted)}")
    whole = found.status == "complete" and found.error is None
    types = [one.event.type for one in found.deliveries]
    return _events(expected, types, Place("deliveries", part=found.name), whole=whole)


def _journal(expected: ExpectEvents, evidence: Evidence) -> Answer:
    facet = evidence.observation.journal
    if facet is None:
        return Skip("facet journal")
    types = [one.event.type for one in facet.records]
    return _events(expected, types, Place("journal"), whole=facet.status == "complete")


def _events(expected: ExpectEvents, types: list[str], place: Place, *, whole: bool) -> Answer:
    notes: list[Note] = []
    for name in expected.never:
        if name in types:
            at = Place(place.facet, types.index(name), place.part)
            notes.append(Note(f"no {name}", f"{types.count(name)} of them", at))
    firsts = [types.index(name) for name in expected.order if name in types]
    if firsts != sorted(firsts):
        seen = sorted((name for name in expected.order if name in types), key=types.index)
        notes.append(Note(f"the order {', '.join(expected.order)}", ", ".join(seen), place))
    for name, count in expected.count.items():
        seen_count = types.count(name)
        if seen_count > count or (seen_count < count and whole and not _may_be_lost(name)):
            notes.append(Note(f"{count} {name}", f"{seen_count} of them", place))
    if whole:
        notes.extend(
            Note(f"an event {name}", "none", place)
            for name in expected.has
            if name not in types and not _may_be_lost(name)
        )
    return notes if notes or whole else Skip(f"{place.facet} is not complete")


def _may_be_lost(name: str) -> bool:
    """Tell whether an event of this type may be absent for no one's fault (DUR-17)."""
    kind = EVENT_KINDS.get(name)
    return kind is not None and kind.durability == "ephemeral"


# --- endings and outcomes -------------------------------------------------------------------


def _ending(expected: ExpectEnding, evidence: Evidence) -> Answer:
    facet = evidence.observation.ending
    if facet is None:
        return Skip("facet ending")
    whole = facet.status == "complete"
    notes: list[Note] = []
    count = len(facet.turns)
    if expected.turns is not None and (
        count > expected.turns or (whole and count < expected.turns)
    ):
        notes.append(Note(f"{expected.turns} turns end", f"{count} of them", Place("ending")))
    if expected.how:
        notes.extend(
            Note(
                f"the turn ends as {' or '.join(expected.how)}",
                f"{turn.how}" + (f": {shown(turn.error, 80)}" if turn.error else ""),
                Place("ending", index),
            )
            for index, turn in enumerate(facet.turns)
            if turn.how not in expected.how
        )
    return notes if notes or whole else Skip(f"ending is {facet.status}")


def _outcome(expected: ExpectOutcome, evidence: Evidence) -> Answer:
    outcome = evidence.observation.outcome
    if outcome is None:
        return Skip("facet outcome")
    if expected.status is not None and outcome.status != expected.status:
        native = f": {shown(outcome.native, 80)}" if outcome.native else ""
        return [
            Note(f"the answer {expected.status}", f"{outcome.status}{native}", Place("outcome"))
        ]
    return [*_names(expected, outcome), *_views(expected, outcome)]


def _names(expected: ExpectOutcome, outcome: Outcome) -> list[Note]:
    """Judge what a refusal names."""
    if outcome.status != "rejected":
        return []
    wanted = (
        ("event", (expected.event,) if expected.event is not None else (), outcome.event),
        ("field", expected.field, outcome.field),
        ("rule", expected.rule, outcome.rule),
    )
    return [
        Note(f"{name} {' or '.join(legal)}", shown(seen, 60) or "(none)", Place("outcome"))
        for name, legal, seen in wanted
        if legal and seen not in legal
    ]


def _views(expected: ExpectOutcome, outcome: Outcome) -> list[Note]:
    """Judge the two views of arguments."""
    notes: list[Note] = []
    if expected.stored is not None:
        same = outcome.stored is not None and same_text_or_value(outcome.stored, expected.stored)
        if same is not True:
            wanted, found = _views_told(expected.stored, outcome.stored)
            notes.append(
                Note(
                    f"stored as {wanted}",
                    found,
                    Place("outcome"),
                    recorded=same is None,
                )
            )
    if expected.executable is not None and (
        outcome.executable is None or readable(outcome.executable) != readable(expected.executable)
    ):
        wanted, found = _views_told(expected.executable, outcome.executable)
        notes.append(Note(f"executable as {wanted}", found, Place("outcome")))
    return notes


def _views_told(wanted: Text, found: Text | None) -> tuple[str, str]:
    return contrasted(wanted, found) if found is not None else (quoted(wanted), "absent")
