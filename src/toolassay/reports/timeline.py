"""
The shortest view of what broke, drawn as a small table.

Start at `view`. One facet is shown, the one in which a finding points; with
deliveries go the executions, as far as their marks say when they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from toolassay.printable import clipped, columns, printable
from toolassay.reports.words import (
    Names,
    event_words,
    message_words,
    names_of,
    text_words,
)
from toolassay.spec.finding import Finding
from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    FACETS,
    Delivery,
    Execution,
    Executions,
    Observation,
    Outcome,
    Subscription,
)

ROWS_MAX = 12
"""Rows of a view; what is further from the place is left out, and said so."""

HERE = "<- here"
"""What marks the row that a finding points at."""

AFTER = 10**9
"""Time of what has no mark."""


class View(msgspec.Struct, frozen=True):
    """A table: titles, rows, and the row that matters."""

    titles: tuple[str, ...]
    """Titles of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """The cells."""
    focus: int | None = None
    """Index of the row that matters."""


def view(observation: Observation, finding: Finding) -> View | None:
    """Choose what to show for a finding; None if there is nothing to show."""
    facet = _facet(observation, finding)
    index = finding.place.index if finding.place else None
    part = finding.place.part if finding.place else ""
    names = names_of(observation)
    if facet in {"deliveries", "executions"}:
        return _events_view(observation, facet, index, part, names)
    if facet == "journal" and observation.journal:
        rows = [
            (str(one.seq), event_words(one.event, names)) for one in observation.journal.records
        ]
        return View(("seq", "journal"), tuple(rows), index)
    if facet == "history" and observation.history:
        return _messages_view("history", observation.history.messages, index)
    if facet == "requests" and observation.requests:
        return _requests_view(observation.requests.requests, index, part)
    if facet == "ending" and observation.ending:
        turns = [
            (str(one.turn), f"{one.how} {printable(one.error)}".strip())
            for one in observation.ending.turns
        ]
        return View(("turn", "ending"), tuple(turns), index)
    if facet == "outcome" and observation.outcome:
        return View(("field", "outcome"), tuple(_outcome_rows(observation.outcome)))
    return None


def _facet(observation: Observation, finding: Finding) -> str:
    """Give the facet that a finding is about: where it points, or what its check is named for."""
    if finding.place is not None:
        return finding.place.facet
    named = [facet for facet in FACETS if facet in finding.check.split(".")]
    shown = [facet for facet in FACETS if getattr(observation, facet) is not None]
    return next((facet for facet in (*named, *shown) if facet in shown), "")


def _messages_view(title: str, messages: Sequence[Message], index: int | None) -> View:
    rows = [(str(n), one.role, message_words(one)) for n, one in enumerate(messages)]
    return View(("#", "role", title), tuple(rows), index)


def _requests_view(
    requests: Sequence[Sequence[Message]], index: int | None, part: str
) -> View | None:
    if not requests:
        return None
    number = index if index is not None and index < len(requests) else len(requests) - 1
    focus = int(part) if part.isdecimal() else None
    return _messages_view(f"request {number}", requests[number], focus)


def _outcome_rows(outcome: Outcome) -> Iterator[tuple[str, str]]:
    for field in ("status", "code", "event", "field", "rule", "stored", "executable", "native"):
        value = getattr(outcome, field)
        if value not in {None, ""}:
            yield field, text_words(value)


# --- deliveries and executions --------------------------------------------------------------


class _Moment(msgspec.Struct, frozen=True):
    """One row before it is drawn."""

    time: int
    """Number of deliveries before it."""
    delivery: str
    """What was delivered; empty if nothing was."""
    execution: str
    """What a callback did; empty if nothing."""
    place: tuple[str, int]
    """Facet and index that it stands for."""


def _events_view(
    observation: Observation, facet: str, index: int | None, part: str, names: Names
) -> View:
    subscription = _subscription(observation, part)
    executions = observation.executions
    moments = list(_execution_moments(executions))
    if subscription is not None:
        moments += _delivery_moments(subscription.deliveries, names)
    moments.sort(key=lambda moment: moment.time)
    focus = next((n for n, one in enumerate(moments) if one.place == (facet, index)), None)
    if subscription is None:
        rows = tuple((str(n + 1), one.execution) for n, one in enumerate(moments))
        return View(("#", "executions"), rows, focus)
    title = "deliveries" if not part else f"deliveries to {printable(subscription.name, 20)}"
    if not any(one.execution for one in moments):
        alone = tuple((_time(n, one), one.delivery) for n, one in enumerate(moments))
        return View(("time", title), alone, focus)
    both = tuple((_time(n, one), one.delivery, one.execution) for n, one in enumerate(moments))
    return View(("time", title, "executions"), both, focus)


def _time(number: int, moment: _Moment) -> str:
    return "?" if moment.time >= AFTER else str(number + 1)


def _subscription(observation: Observation, part: str) -> Subscription | None:
    given = observation.deliveries.subscriptions if observation.deliveries else ()
    named = [one for one in given if one.name == part]
    return next(iter(named or given), None)


def _delivery_moments(deliveries: Sequence[Delivery], names: Names) -> Iterator[_Moment]:
    for index, one in enumerate(deliveries):
        words = event_words(one.event, names)
        yield _Moment(index * 2 + 1, words, "", ("deliveries", index))


def _execution_moments(executions: Executions | None) -> Iterator[_Moment]:
    """Place entries and returns between deliveries; marks are lower bounds."""
    for index, one in enumerate(executions.executions if executions else ()):
        began = one.began.deliveries
        words = _execution_words(one)
        yield _Moment(AFTER if began is None else began * 2, "", words, ("executions", index))
        ended = one.ended.deliveries if one.ended else None
        if ended is not None and ended != began:
            name = printable(one.call_id or one.tool, 24)
            yield _Moment(ended * 2, "", f"{name} returned", ("returns", index))


def _execution_words(execution: Execution) -> str:
    call = f"{printable(execution.call_id, 16)} " if execution.call_id else ""
    return f"{call}{printable(execution.tool, 32)}({text_words(execution.arguments)})"


# --- drawing --------------------------------------------------------------------------------


def drawn(table: View, width: int) -> list[str]:
    """Draw a view in lines of at most `width` columns."""
    start, end = _window(len(table.rows), table.focus)
    shown = [table.titles, *table.rows[start:end]]
    widths = _widths(shown, width - len(HERE) - 2)
    lines = [_line(table.titles, widths)]
    if start:
        lines.append(f"... {start} before")
    for number in range(start, end):
        line = _line(table.rows[number], widths)
        lines.append(f"{line}  {HERE}" if number == table.focus else line)
    if end < len(table.rows):
        lines.append(f"... {len(table.rows) - end} after")
    return [line.rstrip() for line in lines]


def _window(count: int, focus: int | None) -> tuple[int, int]:
    """Give the first and the end of the rows to show."""
    if count <= ROWS_MAX:
        return 0, count
    middle = 0 if focus is None else focus
    start = max(0, min(middle - ROWS_MAX * 2 // 3, count - ROWS_MAX))
    return start, start + ROWS_MAX


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Give each column what it needs; what is missing is taken from the widest."""
    wanted = [max(columns(row[n]) for row in rows) for n in range(len(rows[0]))]
    room -= 2 * (len(wanted) - 1)
    while sum(wanted) > room and max(wanted) > 8:
        widest = wanted.index(max(wanted))
        others = sorted(wanted)[-2] if len(wanted) > 1 else 8
        wanted[widest] = max(
            8, min(wanted[widest] - 1, max(others, room - sum(wanted) + wanted[widest]))
        )
    return wanted


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        clipped(cell, width) + " " * max(0, width - columns(cell))
        for cell, width in zip(cells, widths, strict=True)
    )
