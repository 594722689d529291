"""
Reading a file of JSON lines in blocks, and saying what is wrong with a line.

Start at `blocks`. What a line is, is told by its keys (`form_of`); a fault
always names the line and the byte at which the line begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import BinaryIO, Literal

import msgspec

from toolassay import check_errors as errors
from toolassay.spec.observation import FACETS, Delivery

BLOCK = 1 << 15
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
    breaks: int = 0
    """Number of line ends."""
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


# --- reading --------------------------------------------------------------------------------


def blocks(file: BinaryIO, name: str) -> Iterator[Block]:
    """
    Read whole lines, many at a time.

    Raises:
        LineTooLongError: A line is longer than is read.
    """
    line, byte = 1, 0
    carry = bytearray()  # it grows in place, however long a line is
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
        whole = bytes(carry) + data[:cut] if carry else data[:cut]
        carry = bytearray(data[cut:])
        breaks = whole.count(b"\n")
        if not whole.isspace():
            yield Block(whole, line, byte, breaks=breaks)
        line += breaks
        byte += len(whole)
    if carry.strip():
        yield Block(bytes(carry), line, byte, ended=False)


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
        keys = keys_of(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise line_fault(fault, line, name, at, ended=ended) from None
    if "observation" in keys or (keys and all(key in {*FACETS, "omitted"} for key in keys)):
        return "observations"
    if "event" in keys:
        return "deliveries"
    if "type" in keys and not {"role", "content", "jsonrpc"} & keys:
        return "events"
    what = "the line is no event and no observation"
    if {"role", "messages", "content"} & keys:
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
    if line.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        what = "the file begins with a byte order mark"
        return errors.EncodingError(what, name=name, line=at.line, byte=at.byte)
    if not ended and _is_cut(fault, line):
        what = f"cut in the middle of a value at byte {at.byte + len(line)}"
        return errors.CutLineError(what, name=name, line=at.line, byte=at.byte)
    if b"\x00" in line:
        return errors.BinaryFileError("the line is no text", name=name, line=at.line, byte=at.byte)
    if not _is_text(line):
        what = "the line is no UTF-8 text"
        return errors.EncodingError(what, name=name, line=at.line, byte=at.byte)
    if isinstance(fault, RecursionError):
        return errors.LineShapeError(
            "the line is nested too deeply", name=name, line=at.line, byte=at.byte
        )
    if isinstance(fault, msgspec.ValidationError):
        return _shape_fault(fault, line, name, at)
    return errors.LineSyntaxError(f"no JSON: {fault}", name=name, line=at.line, byte=at.byte)


def _is_cut(fault: Exception, line: bytes) -> bool:
    """Tell whether the last line of a file began well, so that only its end is missing."""
    if isinstance(fault, msgspec.ValidationError | RecursionError) or b"\x00" in line:
        return False
    try:
        line.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
    return line.lstrip().startswith(b"{") and "trailing" not in str(fault)


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


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


def keys_of(line: bytes) -> frozenset[str]:
    """Give the keys of a line; half a character that is escaped in it is no fault."""
    try:
        return frozenset(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        lenient = with_surrogates(line)
        if not isinstance(lenient, dict):
            raise
        return frozenset(lenient)


def with_surrogates(line: bytes) -> object:
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
