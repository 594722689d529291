"""What one event of a stream breaks by itself: its class, its ids, its number."""

from __future__ import annotations

from typing import Final

from toolassay.spec.events import COORDINATES, EVENT_KINDS, ZERO_ID, Event
from toolassay.spec.observation import Delivery
from toolassay.spec.text import shown

MISSING: Final = frozenset({"", ZERO_ID})
"""Ids that count as missing."""

_PAGE_CLASSES: Final = frozenset(
    {name for name, kind in EVENT_KINDS.items() if kind.of_call} | {"StepDone"}
)
_VISIBILITIES: Final = frozenset({0, 1})

ShapeFault = tuple[str, str, str]
"""Clause, expected, observed."""


def class_of(delivery: Delivery) -> str:
    """Give the class of an event: by the pages where they say it, else as it was delivered."""
    name = delivery.event.type
    return EVENT_KINDS[name].durability if name in _PAGE_CLASSES else delivery.durability


def shape_faults(delivery: Delivery) -> list[ShapeFault]:
    """Judge class, visibility and coordinates of an event that the pages describe."""
    event = delivery.event
    kind = EVENT_KINDS[event.type]
    found: list[ShapeFault] = []
    if delivery.durability not in {"", kind.durability} and event.type in _PAGE_CLASSES:
        expected = f"{event.type} is {kind.durability}"
        found.append(("EVT-01", expected, f"it was delivered as {delivery.durability}"))
    if event.visibility not in _VISIBILITIES:
        observed = f"{named(event)} has the visibility {event.visibility}"
        found.append(("EVT-04", "a visibility that exists", observed))
    if (
        event.session_id in MISSING
        or event.loop_id in MISSING
        or event.turn_id in MISSING
        or event.step_id in MISSING
    ):
        missing = [name for name in COORDINATES if getattr(event, name) in MISSING]
        clause = "EVT-02" if kind.of_call else "EVT-10a"
        observed = f"{named(event)} lacks {', '.join(missing)}"
        found.append((clause, "session, loop, turn and step ids", observed))
    return found


def named(event: Event) -> str:
    """Name the type of an event."""
    return shown(event.type, 60)


def told(identifier: str) -> str:
    """Name an id."""
    return shown(identifier, 40) or "(none)"
