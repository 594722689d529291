"""Checks of durability: DUR. An absent ephemeral is never a finding here (DUR-17)."""

from __future__ import annotations

from collections import Counter

from toolassay.properties.evidence import Evidence, tool_or_assistant
from toolassay.properties.from_streams import stream_notes
from toolassay.properties.same import MessageDifference, first_difference
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import quoted
from toolassay.spec.events import EVENT_KINDS, Event
from toolassay.spec.finding import Place
from toolassay.spec.messages import Message
from toolassay.spec.observation import Deliveries, Journal, Record, Subscription
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
    """
    Find contract events that a subscriber missed.

    What came before its first is noted, and so is what comes from a loop that
    it got nothing of: its filter may name others (DUR-13).
    """
    got = _Got(subscription)
    notes: list[Note] = []
    subscribed = False
    for index, record in enumerate(journal.records):
        if got.has(record):
            subscribed = True
        elif _is_owed(record) and got.could_have(record) and not got.may_be(record):
            heard = subscribed and record.event.loop_id in got.loops
            notes.append(
                Note(
                    f"every enduring event reaches subscriber {quoted(subscription.name, 40)}",
                    f"{record.event.type}, number {record.seq}, did not",
                    Place("journal", index),
                    record.event.tool_execution_id,
                    recorded=not heard and bool(subscription.deliveries),
                )
            )
    return notes


class _Got:
    """What one subscriber got, by number and by event id."""

    def __init__(self, subscription: Subscription) -> None:
        self.numbers = {one.seq for one in subscription.deliveries if one.seq}
        self.names = {one.event.event_id for one in subscription.deliveries if one.event.event_id}
        self.loops = {one.event.loop_id for one in subscription.deliveries}
        self._empty = not subscription.deliveries
        self._nameless = Counter(
            one.event.type
            for one in subscription.deliveries
            if not one.seq and not one.event.event_id
        )

    def has(self, record: Record) -> bool:
        """Tell whether a record was delivered for sure."""
        return record.seq in self.numbers or record.event.event_id in self.names

    def could_have(self, record: Record) -> bool:
        """Tell whether a delivery of a record could be told from others."""
        numbered = bool(self.numbers and record.seq)
        return self._empty or numbered or bool(self.names and record.event.event_id)

    def may_be(self, record: Record) -> bool:
        """Take a delivery without number and id for that of a record, if one is left."""
        left = self._nameless[record.event.type] > 0
        self._nameless[record.event.type] -= left
        return left


def _is_owed(record: Record) -> bool:
    """Tell whether an event is enduring by contract and public; of foreign types no one knows."""
    kind = EVENT_KINDS.get(record.event.type)
    return kind is not None and kind.durability == "enduring" and not record.event.visibility


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
            f"subscriber {quoted(one.name, 40)} is {one.status}"
            + (f": {shown(one.error, 80)}" if one.error else ""),
            Place("deliveries", part=one.name),
            # A stream may end with an error for reasons of its own (DUR-05).
            recorded=one.status != "deadline",
        )
        for one in deliveries.subscriptions
        if one.name not in slow and (one.status == "deadline" or one.error is not None)
    ]
