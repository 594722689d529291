"""Events that a test has at hand, judged as one stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from toolassay.properties.stream import STREAM_CLAUSES, StreamJudge
from toolassay.recordings.looprig_lines import is_native, read_line
from toolassay.spec.errors import InputError
from toolassay.spec.events import Event
from toolassay.spec.finding import Finding
from toolassay.spec.observation import Delivery
from toolassay.spec.register import Profile, Register, load_register
from toolassay.spec.text import shown

CONTEXT = 5
"""How many events before the fault are shown."""

Item = str | bytes | Mapping[str, object] | Event | Delivery
"""One event, in any of the forms in which a test may have it."""


class Fault(msgspec.Struct, frozen=True):
    """The first clause that a trace breaks."""

    message: str
    """What a reader sees."""
    finding: Finding
    """What was found."""
    index: int | None
    """Position of the event that shows it; None where one is absent."""


def first_fault(
    events: str | bytes | Iterable[Item], profile: str, *, complete: bool
) -> Fault | None:
    """
    Judge a trace up to the first fault that the profile scores.

    Raises:
        InputError: Something in the trace is no event.
        UsageError: There is no such profile.
    """
    register = load_register()
    judge = StreamJudge(_scored(register, register.profile(profile)))
    recent: deque[tuple[int, Delivery]] = deque(maxlen=CONTEXT + 1)
    for index, delivery in enumerate(_deliveries(events)):
        recent.append((index, delivery))
        for finding in judge.feed(index, delivery):
            if not finding.recorded:
                return Fault(_message(finding, index, recent, register), finding, index)
    for finding in judge.finish(complete=complete):
        if not finding.recorded:
            return Fault(_message(finding, None, recent, register), finding, None)
    return None


def _scored(register: Register, profile: Profile) -> frozenset[str]:
    return frozenset(
        clause
        for clause in STREAM_CLAUSES
        if clause in register.clauses and profile.scores(register.clauses[clause]) == "scored"
    )


def _deliveries(events: str | bytes | Iterable[Item]) -> Iterator[Delivery]:
    items: Iterable[Item] = events.splitlines() if isinstance(events, str | bytes) else events
    for number, item in enumerate(items):
        if isinstance(item, str | bytes) and not item.strip():
            continue  # the end of a file is often an empty line
        try:
            yield _delivery(item)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as fault:
            raise InputError(
                f"not an event of the contract: {fault}", where=f"item {number}"
            ) from None


def _delivery(item: Item) -> Delivery:
    if isinstance(item, Delivery):
        return item
    if isinstance(item, Event):
        return Delivery(item)
    line = item if isinstance(item, str | bytes) else msgspec.json.encode(item)
    raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    if is_native(raw):
        return read_line(raw)
    data = msgspec.json.decode(item) if isinstance(item, str | bytes) else item
    if isinstance(data, Mapping) and isinstance(data.get("event"), Mapping | Event):
        return msgspec.convert(data, Delivery)
    return Delivery(msgspec.convert(data, Event))


def _message(
    finding: Finding,
    index: int | None,
    recent: Iterable[tuple[int, Delivery]],
    register: Register,
) -> str:
    clause = register.clauses[finding.clause]
    where = "at the end of the trace" if index is None else f"at event {index}"
    lines = [f"{finding.clause} broken {where}", f"  {clause.text}", ""]
    lines += [f"  expected   {finding.expected}", f"  observed   {finding.observed}", ""]
    for number, delivery in recent:
        mark = "   <- here" if number == index else ""
        lines.append(f"  event {number:<5} {_line(delivery.event)}{mark}")
    lines += ["", f"  why:       toolassay explain {finding.clause}"]
    return "\n".join(lines)


def _line(event: Event) -> str:
    parts = [f"{shown(event.type, 40):<20}"]
    if event.tool_execution_id:
        parts.append(shown(event.tool_execution_id, 40))
    parts += [shown(word, 20) for word in (event.effect, event.action, event.tool_name) if word]
    if event.is_error:
        parts.append("error")
    return "  ".join(parts).rstrip()
