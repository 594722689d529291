"""
Judging a recorded file as it is read: `check_file`.

A file is a stream of events, one a line, or observations, one a line. Events
are judged as they come, and nothing is kept of them but what clauses oblige
the judge to remember. Every divergence has its line and its byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Literal

import msgspec

from toolassay import check_errors as errors
from toolassay.check_reading import (
    Block,
    Form,
    Position,
    blocks,
    form_of,
    keys_of,
    line_fault,
    with_surrogates,
)
from toolassay.properties.stream import STREAM_CLAUSES, StreamJudge
from toolassay.spec.events import EVENT_KINDS, Event
from toolassay.spec.finding import Finding
from toolassay.spec.observation import Delivery, Observation
from toolassay.spec.scenario import Scenario


class Divergence(msgspec.Struct, frozen=True):
    """A finding, and where in the file it is."""

    finding: Finding
    """The finding."""
    at: Position | None
    """Where it shows; None for what is missing at the end."""
    recording: str = ""
    """Id of the observation, where the file holds observations."""
    observation: Observation | None = None
    """The observation."""


class Summary(msgspec.Struct):
    """What was read."""

    form: Form | None = None
    """What the lines are; None if nothing could be read."""
    items: int = 0
    """Events or observations that were judged."""
    types: set[str] = msgspec.field(default_factory=set)
    """Types of events that were seen."""
    clauses: set[str] = msgspec.field(default_factory=set)
    """Clauses that were judged."""

    @property
    def judged_any(self) -> bool:
        """Tell whether there was anything that the contract knows."""
        if self.form == "observations":
            return bool(self.clauses)
        return not self.types.isdisjoint(EVENT_KINDS)


Report = Callable[[Divergence, Sequence[Block]], None]
"""Takes a divergence and the last blocks of the file, for context."""


def check_file(
    file: BinaryIO,
    name: str,
    report: Report,
    *,
    clauses: frozenset[str] | None = None,
    complete: bool = False,
    summary: Summary | None = None,
) -> Summary:
    """
    Judge a file as it is read.

    Args:
        file: The file.
        name: What to call it in errors.
        report: Takes each divergence as it is found.
        clauses: The clauses to judge; None for all.
        complete: Whether the file holds all that happened, so that what is missing is missing.
        summary: Filled in as the file is read, for who wants it when reading fails.

    Raises:
        CheckError: One of its leaves, for what cannot be read; what stands before it was judged.
    """
    summary = Summary() if summary is None else summary
    reading = blocks(file, name)
    first = next(reading, None)
    if first is None:
        raise errors.EmptyFileError("the file holds nothing", name=name)
    summary.form = form_of(first, name)
    every = _chain(first, reading)
    if summary.form == "observations":
        _observations(every, name, report, clauses, summary)
    else:
        _events(every, name, report, _StreamOf(clauses, complete), summary)
    return summary


def _chain(first: Block, rest: Iterator[Block]) -> Iterator[Block]:
    yield first
    yield from rest


# --- events ---------------------------------------------------------------------------------


class _Line(Event, frozen=True):
    """An event with what a delivery says beside it, on one level."""

    durability: Literal["enduring", "ephemeral", ""] = msgspec.field(default="", name="class")
    seq: int | None = None
    in_journal: bool | None = None


class _Foreign(msgspec.Struct, frozen=True):
    """As much of an event of a foreign type as is judged."""

    type: str
    durability: Literal["enduring", "ephemeral", ""] = msgspec.field(default="", name="class")
    seq: int | None = None


class _ForeignDelivery(msgspec.Struct, frozen=True):
    """The same in a delivery."""

    event: _Foreign
    durability: Literal["enduring", "ephemeral", ""] = msgspec.field(default="", name="class")
    seq: int | None = None


Decode = Callable[[bytes], list[Delivery]]
"""Decodes the lines of a block."""


class _StreamOf(msgspec.Struct, frozen=True):
    """What a stream is judged for."""

    clauses: frozenset[str] | None
    complete: bool


def _events(
    every: Iterator[Block], name: str, report: Report, how: _StreamOf, summary: Summary
) -> None:
    wanted = frozenset(STREAM_CLAUSES)
    if how.clauses is not None:
        wanted &= how.clauses
    summary.clauses.update(wanted)
    judge = StreamJudge(wanted)
    decode: Decode = _decode_events if summary.form == "events" else _decode_deliveries
    recent: list[Block] = []
    for block in every:
        if decode is not _decode_native and _ends_natively(block):
            decode = _decode_native
        recent = [*recent[-1:], block]
        fault = _fill(block, name, decode)
        _feed(judge, block, summary, report, recent)
        if fault is not None:
            raise fault
    for finding in judge.finish(complete=how.complete):
        report(Divergence(finding, None), recent)


def _ends_natively(block: Block) -> bool:
    """Tell by the last line of a block whether the system of the pages wrote it."""
    from toolassay.recordings.looprig_lines import is_native  # noqa: PLC0415 - not for --help

    stop = len(block.data) - block.data.endswith(b"\n")
    return is_native(block.data[block.data.rfind(b"\n", 0, stop) + 1 : stop])


def _feed(
    judge: StreamJudge, block: Block, summary: Summary, report: Report, recent: list[Block]
) -> None:
    """Judge the events of a block; this is the loop that everything goes through."""
    feed, first = judge.feed, summary.items
    for index, delivery in enumerate(block.deliveries, first):
        found = feed(index, delivery)
        if found:
            at = block.position(index - first)
            for finding in found:
                report(Divergence(finding, at), recent)
    summary.items += len(block.deliveries)
    if summary.types.isdisjoint(EVENT_KINDS):  # nothing yet that can be judged
        summary.types.update([delivery.event.type for delivery in block.deliveries])


def _fill(block: Block, name: str, decode: Decode) -> errors.CheckError | None:
    """Decode a block; if a line is at fault, decode what stands before it."""
    try:
        block.deliveries = decode(block.data)
        lines = block.breaks + (not block.ended)
        if len(block.deliveries) == lines and b"}{" not in block.data:
            return None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    return _fill_by_line(block, name, decode)


def _fill_by_line(block: Block, name: str, decode: Decode) -> errors.CheckError | None:
    deliveries: list[Delivery] = []
    lines: list[int] = []
    block.deliveries, block.lines = deliveries, lines
    byte = block.byte
    for number, line in enumerate(block.data.split(b"\n")):
        if line.strip():
            try:
                deliveries += _decode_line(line, decode)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
                last = byte + len(line) == block.byte + len(block.data)
                place = Position(block.line + number, byte)
                return line_fault(fault, line, name, place, ended=block.ended or not last)
            lines.append(number)
        byte += len(line) + 1
    return None


def _decode_line(line: bytes, decode: Decode) -> list[Delivery]:
    """Decode one line; an event of a foreign type may use known keys in its own way."""
    try:
        return _the_only_one(decode(line))
    except msgspec.ValidationError:
        other = _foreign(line, decode) or _native(line)
        if other is None:
            raise
        return [other]
    except msgspec.DecodeError:
        lenient = with_surrogates(line)
        if lenient is None:
            raise
        if decode is _decode_deliveries:
            return [msgspec.convert(lenient, Delivery)]
        one = msgspec.convert(lenient, _Line)
        return [Delivery(one, one.durability, one.seq, one.in_journal)]


def _native(line: bytes) -> Delivery | None:
    """Read an event in the form of the system of the pages; None if it is not in that form."""
    from toolassay.recordings.looprig_lines import is_native, read_line  # noqa: PLC0415 - rare

    return read_line(line) if is_native(line) else None


def _decode_native(data: bytes) -> list[Delivery]:
    from toolassay.recordings.looprig_lines import read_line  # noqa: PLC0415 - as above

    return [read_line(line) for line in data.split(b"\n") if line.strip()]


def _the_only_one(found: list[Delivery]) -> list[Delivery]:
    """Refuse a line of several values, between which the decoder asks for no line end."""
    if len(found) != 1:
        raise msgspec.DecodeError("trailing characters")
    return found


def _foreign(line: bytes, decode: Decode) -> Delivery | None:
    try:
        if decode is _decode_events:
            event: _Foreign | _ForeignDelivery = _FOREIGN.decode(line)
            kind = event.type if isinstance(event, _Foreign) else ""
        else:
            event = _FOREIGN_DELIVERY.decode(line)
            kind = event.event.type
    except msgspec.MsgspecError:
        return None
    return None if kind in EVENT_KINDS else Delivery(Event(kind), event.durability, event.seq)


_EVENT_DECODER = msgspec.json.Decoder(_Line)
_DELIVERY_DECODER = msgspec.json.Decoder(Delivery)
_FOREIGN = msgspec.json.Decoder(_Foreign)
_FOREIGN_DELIVERY = msgspec.json.Decoder(_ForeignDelivery)


def _decode_events(data: bytes) -> list[Delivery]:
    return [
        Delivery(line, line.durability, line.seq, line.in_journal)
        for line in _EVENT_DECODER.decode_lines(data)
    ]


def _decode_deliveries(data: bytes) -> list[Delivery]:
    return _DELIVERY_DECODER.decode_lines(data)


# --- observations ---------------------------------------------------------------------------


class _Observed(msgspec.Struct, frozen=True):
    """An observation without an id."""

    observation: Observation
    scenario: Scenario | None = None


def _observations(
    every: Iterator[Block],
    name: str,
    report: Report,
    clauses: frozenset[str] | None,
    summary: Summary,
) -> None:
    from toolassay.properties.judge import judge  # noqa: PLC0415 - a stream needs none of it

    for block in every:
        byte = block.byte
        for number, line in enumerate(block.data.split(b"\n")):
            if line.strip():
                last = byte + len(line) == block.byte + len(block.data)
                at = Position(block.line + number, byte)
                ended = block.ended or not last
                identifier, observation, scenario = _observation(line, name, at, ended=ended)
                summary.items += 1
                for verdict in judge(observation, scenario, None, clauses):
                    if verdict.status != "not_applicable":
                        summary.clauses.add(verdict.clause)
                    for finding in verdict.findings:
                        report(Divergence(finding, at, identifier, observation), ())
            byte += len(line) + 1


def _observation(
    line: bytes, name: str, at: Position, *, ended: bool
) -> tuple[str, Observation, Scenario | None]:
    """Read one observation, in whichever form it is."""
    from toolassay.recordings.reader import Line, read_line  # noqa: PLC0415 - as above

    try:
        keys = keys_of(line)
        if {"id", "observation"} <= keys:
            recording = read_line(Line(name, at.line, at.byte, line, ended))
            return recording.id, recording.observation, recording.scenario
        if "observation" in keys:
            bare = msgspec.json.decode(line, type=_Observed)
            return "", bare.observation, bare.scenario
        return "", msgspec.json.decode(line, type=Observation), None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise line_fault(fault, line, name, at, ended=ended) from None
