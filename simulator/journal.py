"""The journal: the durable record of a session, in order."""

from __future__ import annotations

from toolassay.spec.events import Event
from toolassay.spec.observation import Record


class Journal:
    """An append-only list of events, each with its sequence number."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def append(self, event: Event) -> int:
        """Write an event and give its sequence number; numbers only grow (DUR-02)."""
        seq = len(self.records) + 1
        self.records.append(Record(seq, event))
        return seq
