"""Mutants of journal, sequence numbers and subscribers: DUR."""

from __future__ import annotations

import msgspec

from toolassay.simulator.hub import Hub, Mailbox
from toolassay.simulator.mutants.mutant import Mutant, of_hub, of_session
from toolassay.simulator.reference import Reference
from toolassay.simulator.scheduler import Routine
from toolassay.simulator.session import PREVIEW_MAX, Config, PendingCall, Session
from toolassay.spec.events import Event, EventClass, HowEnded
from toolassay.spec.messages import Message
from toolassay.spec.observation import Delivery, Ending, Observation
from toolassay.spec.text import Text


class NumberedEphemeral(Session):
    """Gives ephemerals a sequence number."""

    def package(self, event: Event, durability: EventClass, seq: int | None) -> Delivery:
        if seq is None:
            self.faults += 1
            seq = len(self.journal.records)
        return super().package(event, durability, seq)


class RepeatedNumber(Session):
    """Delivers a step under the number of the record before it."""

    def package(self, event: Event, durability: EventClass, seq: int | None) -> Delivery:
        if event.type == "StepDone" and seq is not None and seq > 1:
            self.faults += 1
            seq -= 1
        return super().package(event, durability, seq)


class PreviewJournalled(Session):
    """Writes the preview of a result to the journal in place of the result."""

    def commit(self, group: tuple[Message, ...]) -> None:
        short = tuple(self.cut(message) for message in group)
        self.publish("StepDone", messages=short)
        self.history.extend(group)

    def cut(self, message: Message) -> Message:
        if message.role != "tool" or not isinstance(message.text, str):
            return message
        self.faults += len(message.text) > PREVIEW_MAX
        return msgspec.structs.replace(message, text=message.text[:PREVIEW_MAX])


class HistoryFromEphemerals(Session):
    """Takes the result of a call from the completion that the last subscriber got."""

    def answer(self, call: PendingCall) -> Message:
        message = super().answer(call)
        received = self.hub.mailboxes[-1].received
        seen = any(
            delivery.event.type == "ToolCallCompleted"
            and delivery.event.tool_execution_id == call.execution_id
            for delivery in received
        )
        if seen or not any(ran.execution_id == call.execution_id for ran in self.executions):
            return message
        self.faults += 1
        nothing: Text = ""
        return msgspec.structs.replace(message, text=nothing)


class SilentLoss(Hub):
    """Drops whatever does not fit, enduring or not."""

    def overflow(self, mailbox: Mailbox, delivery: Delivery) -> None:
        """Forget the delivery."""


class BlockingHub(Hub):
    """Notes that a full buffer would have made the publisher wait."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # passed on as they came
        self.blocked = False

    def overflow(self, mailbox: Mailbox, delivery: Delivery) -> None:
        """Wait for a subscriber that does not read."""
        self.blocked = True


class WaitsForSubscriber(Session):
    """Goes on only when every subscriber has room."""

    def turn(self, number: int, user: str) -> Routine:
        for pause in super().turn(number, user):
            if self.blocked():
                return
            yield pause

    def end(self, number: int, how: HowEnded, error: str = "") -> None:
        if not self.blocked():
            super().end(number, how, error)

    def blocked(self) -> bool:
        return isinstance(self.hub, BlockingHub) and self.hub.blocked


class StuckReference(Reference):
    """Says of a run that waits for ever that it was still open."""

    def observe(self, session: Session) -> Observation:
        seen = super().observe(session)
        if not (isinstance(session.hub, BlockingHub) and session.hub.blocked):
            return seen
        self.faults += 1
        assert seen.ending is not None
        stuck = Ending(seen.ending.turns, "deadline", "it waits for a subscriber")
        return msgspec.structs.replace(seen, ending=stuck)


class CountedLoss(Session):
    """Counts what a hub that loses events has lost."""

    def publish(self, kind: str, execution_id: str = "", **body: object) -> None:
        full = any(
            not box.reading and len(box.buffer) >= box.capacity for box in self.hub.mailboxes
        )
        self.faults += full
        super().publish(kind, execution_id, **body)


MUTANTS = (
    of_session(
        "numbered-ephemeral", "DUR-01", "Ephemerals have sequence numbers.", NumberedEphemeral
    ),
    of_session("repeated-number", "DUR-02", "A sequence number comes twice.", RepeatedNumber),
    of_session(
        "preview-journalled", "DUR-04", "The journal holds previews of results.", PreviewJournalled
    ),
    of_session(
        "history-from-ephemerals",
        "DUR-04",
        "A result is lost with the ephemeral that showed it.",
        HistoryFromEphemerals,
    ),
    of_hub(
        "silent-loss",
        "DUR-05",
        "An enduring event is dropped and the stream goes on.",
        SilentLoss,
        CountedLoss,
    ),
    Mutant(
        "waits-for-subscriber",
        "DUR-06",
        "A stalled subscriber stops the run.",
        lambda: StuckReference(session=WaitsForSubscriber, config=Config(hub=BlockingHub)),
    ),
)
