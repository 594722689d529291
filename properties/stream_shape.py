"""What one event of a stream breaks by itself: its place; and the words for it."""

from __future__ import annotations

from typing import Final

from toolassay.spec.events import COORDINATES, EVENT_KINDS, ZERO_ID, Event
from toolassay.spec.text import shown

MISSING: Final = frozenset({"", ZERO_ID})
"""Ids that count as missing."""

DESCRIBED: Final[dict[str, str]] = {
    name: kind.durability
    for name, kind in EVENT_KINDS.items()
    if kind.of_call or name == "StepDone"
}
"""The class of each type that the pages describe."""

PlaceFault = tuple[str, str, str]
"""Clause, expected, observed."""


def place_faults(event: Event) -> list[PlaceFault]:
    """Judge the coordinates of an event that the pages describe."""
    if (
        event.session_id not in MISSING
        and event.loop_id not in MISSING
        and event.turn_id not in MISSING
        and event.step_id not in MISSING
    ):
        return []
    missing = [name for name in COORDINATES if getattr(event, name) in MISSING]
    clause = "EVT-02" if EVENT_KINDS[event.type].of_call else "EVT-10a"
    observed = f"{named(event)} lacks {', '.join(missing)}"
    return [(clause, "session, loop, turn and step ids", observed)]


def named(event: Event) -> str:
    """Name the type of an event."""
    return shown(event.type, 60)


def told(identifier: str) -> str:
    """Name an id."""
    return shown(identifier, 40) or "(none)"
