"""
Judging a recorded file as it is read: `check_file`.

A file is a stream of events, one a line, or observations, one a line. Events
are judged as they come, and nothing is kept of them but what clauses oblige
the judge to remember. Every divergence has its line and its byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import BinaryIO, Literal

import msgspec

from toolassay import check_errors as errors
from toolassay.properties.stream import STREAM_CLAUSES, StreamJudge
from toolassay.spec.events import EVENT_KINDS, Event
from toolassay.spec.finding import Finding
from toolassay.spec.observation import FACETS, Delivery, Observation
from toolassay.spec.scenario import Scenario

BLOCK = 1 << 18
"""Bytes that are read at once."""

LINE_MAX = 64 * 1024 * 1024
"""Bytes of the longest line that is read."""

Form = Literal["events", "deliveries", "observations"]
"""What the lines of a file are."""


class Position(msgspec.Struct, frozen=True):
    """A place in a file."""

    line: int
    """The line, from 1."""
    byte: int
    """The byte at which the line begins, from 0."""


class Block(msgspec.Struct):
    """Whole lines, read together."""

    data: bytes
    """The lines."""
    line: int
    """Number of the first line."""
    byte: int
    """Where it begins."""
    ended: bool = True
    """False if the last line has no line end."""
    deliveries: Sequence[Delivery] = ()
    """The events in it, once they are decoded."""
    lines: Sequence[int] = ()
    """Index of the line of each event; empty if each line is one."""
    starts: Sequence[int] = ()
    """Where the lines begin, once that is asked for."""

    def position(self, index: int) -> Position:
        """Say where an event of this block stands."""
        if not self.starts:
            lengths = (len(line) + 1 for line in self.data.split(b"\n"))
            self.starts = list(accumulate(lengths, initial=0))
        number = self.lines[index] if self.lines else index
        return Position(self.line + number, self.byte + self.starts[number])


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
        return bool(self.items) and (
            self.form == "observations" or not self.types.isdisjoint(EVENT_KINDS)
        )


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
    decode = _decode_events if summary.form == "events" else _decode_deliveries
    recent: list[Block] = []
    for block in every:
        recent = [*recent[-1:], block]
        fault = _fill(block, name, decode)
        _feed(judge, block, summary, report, recent)
        if fault is not None:
            raise fault
    for finding in judge.finish(complete=how.complete):
        report(Divergence(finding, None), recent)


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
    summary.types.update([delivery.event.type for delivery in block.deliveries])


def _fill(
    block: Block, name: str, decode: Callable[[bytes], list[Delivery]]
) -> errors.CheckError | None:
    """Decode a block; if a line is at fault, decode what stands before it."""
    try:
        block.deliveries = decode(block.data)
        if len(block.deliveries) == block.data.count(b"\n") + (not block.ended):
            return None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    return _fill_by_line(block, name, decode)


def _fill_by_line(
    block: Block, name: str, decode: Callable[[bytes], list[Delivery]]
) -> errors.CheckError | None:
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


def _decode_line(line: bytes, decode: Callable[[bytes], list[Delivery]]) -> list[Delivery]:
    """Decode one line; an event of a foreign type may use known keys in its own way."""
    try:
        return decode(line)
    except msgspec.ValidationError:
        foreign = _foreign(line, decode)
        if foreign is None:
            raise
        return [foreign]
    except msgspec.DecodeError:
        lenient = _with_surrogates(line)
        if lenient is None:
            raise
        if decode is _decode_deliveries:
            return [msgspec.convert(lenient, Delivery)]
        one = msgspec.convert(lenient, _Line)
        return [Delivery(one, one.durability, one.seq, one.in_journal)]


def _with_surrogates(line: bytes) -> object:
    r"""Decode JSON that escapes half a character (`\ud800`), which is grammatical; else None."""
    if b"\\u" not in line:
        return None
    import json  # noqa: PLC0415 - rarely needed

    try:
        return json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _foreign(line: bytes, decode: Callable[[bytes], list[Delivery]]) -> Delivery | None:
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
        if b'"observation"' in line and b'"id"' in line:
            recording = read_line(Line(name, at.line, at.byte, line, ended))
            return recording.id, recording.observation, recording.scenario
        if "observation" in msgspec.json.decode(line, type=dict[str, msgspec.Raw]):
            bare = msgspec.json.decode(line, type=_Observed)
            return "", bare.observation, bare.scenario
        return "", msgspec.json.decode(line, type=Observation), None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise line_fault(fault, line, name, at, ended=ended) from None


# --- reading --------------------------------------------------------------------------------


def blocks(file: BinaryIO, name: str) -> Iterator[Block]:
    """
    Read whole lines, many at a time.

    Raises:
        LineTooLongError: A line is longer than is read.
    """
    line, byte, carry = 1, 0, b""
    while True:
        data = file.read(BLOCK)
        if not data:
            break
        cut = data.rfind(b"\n") + 1
        if not cut:
            carry += data
            if len(carry) > LINE_MAX:
                what = f"the line is longer than {LINE_MAX} bytes"
                raise errors.LineTooLongError(what, name=name, line=line, byte=byte)
            continue
        whole = carry + data[:cut]
        carry = data[cut:]
        if whole.strip():
            yield Block(whole, line, byte)
        line += whole.count(b"\n")
        byte += len(whole)
    if carry.strip():
        yield Block(carry, line, byte, ended=False)


def form_of(block: Block, name: str) -> Form:
    """
    Tell from the first line what the lines are.

    Raises:
        CheckError: One of its leaves; it is nothing that can be judged.
    """
    byte = block.byte
    for number, line in enumerate(block.data.split(b"\n")):
        if line.strip():
            at = Position(block.line + number, byte)
            return _form_of_line(line, name, at, ended=block.ended or b"\n" in block.data[:-1])
        byte += len(line) + 1
    raise errors.EmptyFileError("the file holds nothing", name=name)


def _form_of_line(line: bytes, name: str, at: Position, *, ended: bool) -> Form:
    try:
        keys = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise line_fault(fault, line, name, at, ended=ended) from None
    if "observation" in keys or (keys and all(key in {*FACETS, "omitted"} for key in keys)):
        return "observations"
    if "event" in keys:
        return "deliveries"
    if "type" in keys and not {"role", "content", "jsonrpc"} & keys.keys():
        return "events"
    what = "the line is no event and no observation"
    if {"role", "messages", "content"} & keys.keys():
        what = "the line is a message of a transcript; events and observations can be judged"
    raise errors.OtherFormatError(what, name=name, line=at.line, byte=at.byte)


def line_fault(
    fault: Exception, line: bytes, name: str, at: Position, *, ended: bool
) -> errors.CheckError:
    """Say what is wrong with a line that cannot be read."""
    if line.startswith((b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")):
        return errors.BinaryFileError(
            "the file is compressed", name=name, line=at.line, byte=at.byte
        )
    if b"\x00" in line or isinstance(fault, UnicodeDecodeError):
        return errors.BinaryFileError("the line is no text", name=name, line=at.line, byte=at.byte)
    if isinstance(fault, RecursionError):
        return errors.LineShapeError(
            "the line is nested too deeply", name=name, line=at.line, byte=at.byte
        )
    if isinstance(fault, msgspec.ValidationError):
        return _shape_fault(fault, line, name, at)
    if not ended:
        end = at.byte + len(line)
        return errors.CutLineError(
            f"cut in the middle of a value at byte {end}", name=name, line=at.line, byte=at.byte
        )
    return errors.LineSyntaxError(f"no JSON: {fault}", name=name, line=at.line, byte=at.byte)


def _shape_fault(
    fault: msgspec.ValidationError, line: bytes, name: str, at: Position
) -> errors.CheckError:
    if line.lstrip().startswith(b"["):
        return errors.OtherFormatError(
            "the file is a JSON list", name=name, line=at.line, byte=at.byte
        )
    if not line.lstrip().startswith(b"{"):
        return errors.OtherFormatError(
            "the line is no object", name=name, line=at.line, byte=at.byte
        )
    return errors.LineShapeError(f"wrong shape: {fault}", name=name, line=at.line, byte=at.byte)
