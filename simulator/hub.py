"""
The hub: carries events to subscribers, each behind a bounded buffer.

A subscriber that reads gets an event at once. One that has stalled has it put
into its buffer; when that is full the hub looks at the class (DUR-04, DUR-05):
an ephemeral gives way, and where an enduring event cannot be kept the stream
ends with an error rather than with a hole. Nobody ever waits for a subscriber
(DUR-06).
"""

from __future__ import annotations

from toolassay.spec.observation import Delivery, Subscription
from toolassay.spec.scenario import Subscriber

LOST = "subscription lost: the buffer is full of enduring events"
"""The error with which a stream ends when an enduring event does not fit."""


class Mailbox:
    """One subscriber's end of the hub."""

    def __init__(self, subscriber: Subscriber, capacity: int) -> None:
        self.name = subscriber.name
        self.error: str | None = None
        self.received: list[Delivery] = []
        self.buffer: list[Delivery] = []
        self.capacity = capacity
        self._stalls_after = subscriber.stalls_after

    @property
    def reading(self) -> bool:
        """Tell whether the subscriber still reads."""
        return self._stalls_after is None or len(self.received) < self._stalls_after

    def drain(self) -> None:
        """Read what the buffer holds; the turns are over."""
        self.received.extend(self.buffer)
        self.buffer.clear()

    def subscription(self) -> Subscription:
        """Give what the subscriber saw."""
        return Subscription(tuple(self.received), name=self.name, error=self.error)


class Hub:
    """Delivers each event to every subscriber."""

    def __init__(self, subscribers: tuple[Subscriber, ...], capacity: int) -> None:
        self.mailboxes = [Mailbox(subscriber, capacity) for subscriber in subscribers]

    def deliver(self, delivery: Delivery) -> None:
        """Hand one event to all subscribers, without waiting for any (DUR-06)."""
        for mailbox in self.mailboxes:
            if mailbox.error is not None:
                continue
            if mailbox.reading:
                mailbox.received.append(delivery)
            elif len(mailbox.buffer) < mailbox.capacity:
                mailbox.buffer.append(delivery)
            else:
                self.overflow(mailbox, delivery)

    def overflow(self, mailbox: Mailbox, delivery: Delivery) -> None:
        """Make room by class: an ephemeral goes first (DUR-04), never an enduring (DUR-05)."""
        if delivery.durability == "ephemeral":
            return
        for index, held in enumerate(mailbox.buffer):
            if held.durability == "ephemeral":
                del mailbox.buffer[index]
                mailbox.buffer.append(delivery)
                return
        mailbox.error = LOST
