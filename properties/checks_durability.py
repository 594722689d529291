"""Checks of durability: DUR. An absent ephemeral is never a finding here (DUR-17)."""

from __future__ import annotations

from toolassay.properties.evidence import Evidence, tool_or_assistant
from toolassay.properties.from_streams import stream_notes
from toolassay.properties.same import MessageDifference, first_difference
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.spec.events import EVENT_KINDS, Event
from toolassay.spec.finding import Place
from toolassay.spec.messages import Message
from toolassay.spec.observation import Deliveries, Delivery, Journal, Record, Subscription
from toolassay.spec.text import shown


def numbers_increase(evidence: Evidence) -> Answer:
    """DUR-02: sequence numbers increase strictly, in the journal and for each subscriber."""
    deliveries, journal = evidence.observation.deliveries, evidence.observation.journal
    numbered = journal is not None and bool(journal.records)
    if deliveries is not None:
        numbered = numbered or any(
            one.seq for subscription in deliveries.subscriptions for one in subscription.deliveries
        )
    return stream_notes(evidence, "DUR-02") if numbered else Skip("no sequence numbers")


def written_before_seen(evidence: Evidence) -> Answer:
    """DUR-03: an enduring event is in the journal before a subscriber sees it."""
    deliveries = evidence.observation.deliveries
    assert deliveries is not None, "the check needs deliveries"
    known = any(
        one.in_journal is not None
        for subscription in deliveries.subscriptions
        for one in subscription.deliveries
    )
    return stream_notes(evidence, "DUR-03") if known else Skip("no journal was read at delivery")


def history_is_fold(evidence: Evidence) -> Answer:
    """DUR-04: the history equals the fold of the journal alone."""
    history, journal = evidence.observation.history, evidence.observation.journal
    assert history is not None, "the check needs a history"
    assert journal is not None, "the check needs a journal"
    if history.status != "complete":
        return Skip(f"history is {history.status}")
    if journal.status != "complete":
        return Skip(f"journal is {journal.status}")
    done = [record.event for record in journal.records if record.event.type == "StepDone"]
    if len({event.loop_id for event in done}) > 1:
        return Skip("the journal has steps of several loops")
    folded = _fold(done)
    found = first_difference(tool_or_assistant(history.messages), folded)
    return [] if found is None else [_differs(found)]


def _fold(done: list[Event]) -> tuple[Message, ...]:
    return tool_or_assistant([message for event in done for message in event.messages])


def _differs(found: MessageDifference) -> Note:
    return Note(
        f"the history equals the fold of the journal, which has {found.right}",
        f"message {found.index} of assistant and tools is {found.left}",
        Place("history"),
        recorded=found.undecided,
    )


def every_enduring_event(evidence: Evidence) -> Answer:
    """DUR-05: a subscriber gets every enduring event, or its stream ends with an error."""
    deliveries, journal = evidence.observation.deliveries, evidence.observation.journal
    assert deliveries is not None, "the check needs deliveries"
    assert journal is not None, "the check needs a journal"
    if journal.status != "complete":
        return Skip(f"journal is {journal.status}")
    judged = [
        one for one in deliveries.subscriptions if one.status == "complete" and one.error is None
    ]
    if not judged:
        return Skip("no subscriber read to the end")
    return [note for one in judged for note in _lost(one, journal)]


def _lost(subscription: Subscription, journal: Journal) -> list[Note]:
    """Find contract events that a subscriber missed; what came before its first is noted."""
    numbers = {one.seq for one in subscription.deliveries if one.seq}
    names = {one.event.event_id for one in subscription.deliveries if one.event.event_id}
    if not numbers and not names and any(map(_is_owed, subscription.deliveries)):
        return []  # nothing to tell one event from another
    subscribed = False
    notes: list[Note] = []
    for index, record in enumerate(journal.records):
        if record.seq in numbers or record.event.event_id in names:
            subscribed = True
        elif _is_owed(record):
            notes.append(
                Note(
                    f"every enduring event reaches subscriber {shown(subscription.name, 40)!r}",
                    f"{record.event.type}, number {record.seq}, did not",
                    Place("journal", index),
                    record.event.tool_execution_id,
                    recorded=not subscribed and bool(subscription.deliveries),
                )
            )
    return notes


def _is_owed(record: Record | Delivery) -> bool:
    """Tell whether an event is enduring by contract; of foreign types no one knows."""
    kind = EVENT_KINDS.get(record.event.type)
    return kind is not None and kind.durability == "enduring"


def slow_stops_nothing(evidence: Evidence) -> Answer:
    """DUR-06: a slow subscriber stops neither the run nor another subscriber."""
    scenario = evidence.scenario
    assert scenario is not None, "the check needs a scenario"
    slow = {one.name for one in scenario.subscribers if one.stalls_after is not None}
    if not slow:
        return Skip("no slow subscriber")
    if any(tool.behaviour.hangs for tool in scenario.tools):
        return Skip("a tool hangs, which stops the run by itself")
    ending = evidence.observation.ending
    notes: list[Note] = []
    if ending is not None and ending.status == "deadline":
        observed = "the run had not ended at the deadline"
        notes.append(Note("a slow subscriber does not stop the run", observed, Place("ending")))
    deliveries = evidence.observation.deliveries
    if deliveries is not None:
        notes.extend(_stopped(deliveries, slow))
    return notes if ending is not None or deliveries is not None else Skip("facet ending")


def _stopped(deliveries: Deliveries, slow: set[str]) -> list[Note]:
    return [
        Note(
            "a slow subscriber does not stop another one",
            f"subscriber {shown(one.name, 40)!r} is {one.status}"
            + (f": {shown(one.error, 80)}" if one.error else ""),
            Place("deliveries", part=one.name),
        )
        for one in deliveries.subscriptions
        if one.name not in slow and (one.status == "deadline" or one.error is not None)
    ]
