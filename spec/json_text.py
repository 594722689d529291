"""
The exact scanner of RFC 8259: at which byte, and why, a text is no JSON.

Start at `scan`, which judges the bytes of a text, and at `judge_arguments`,
which turns that judgement into the three kinds of ARG-09. Both cost as much
as the text is long, at any nesting, and never raise.
"""

from typing import Final, Literal

import msgspec

from toolassay.spec.json_scanner import FaultReason, JsonFault, Scanner, Top

__all__ = [
    "MAX_ARGUMENTS_DEPTH",
    "ArgumentsVerdict",
    "FaultReason",
    "Ground",
    "JsonFault",
    "JsonScan",
    "Top",
    "judge_arguments",
    "scan",
]

Ground = Literal["empty", "byte-order-mark", "invalid-utf8", "lone-surrogate", "deep"]
"""Why a text is recorded and not judged (ARG-09)."""

MAX_ARGUMENTS_DEPTH: Final = 64
"""Deeper arguments are recorded: RFC 8259 lets an implementation limit the depth (ARG-09)."""


class JsonScan(msgspec.Struct, frozen=True, kw_only=True):
    """
    What the bytes of a text say.

    The notes are the offsets of the first occurrence, None where there is none;
    where the text is no JSON they cover what stands before the fault.
    """

    valid: bool
    """Whether the text has the grammar of RFC 8259; bytes from 0x80 in strings are taken as is."""

    fault: JsonFault | None
    """Why the text is not valid; None where it is."""

    top: Top | None
    """What the outermost value is, as far as its first byte tells."""

    depth: int
    """How deeply arrays and objects are nested; 0 for a scalar."""

    byte_order_mark: bool
    """Whether the text begins with the UTF-8 byte order mark, which makes it invalid."""

    invalid_utf8: int | None
    """The first byte of the whole text, fault or not, that is not UTF-8."""

    lone_surrogate: int | None
    """The first escape that is one half of a surrogate pair."""

    duplicate_key: int | None
    """The first key that its object already has, after unescaping."""

    number_out_of_range: int | None
    """The first number that a reader of doubles changes (`json_scalars.number_is_kept`)."""


class ArgumentsVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What ARG-09 says about the raw arguments of a tool call."""

    kind: Literal["valid", "malformed", "recorded"]
    """Judged as JSON, judged as no JSON, or only recorded."""

    why: tuple[Ground, ...]
    """Every ground on which the text is recorded; empty for the other kinds."""

    fault: JsonFault | None
    """The fault of a malformed text."""

    is_object: bool
    """Whether the text, a byte order mark aside, is an object (ARG-11)."""

    duplicate_key: int | None
    """As in `JsonScan` (ARG-12)."""

    number_out_of_range: int | None
    """As in `JsonScan` (ARG-05)."""


_BOM: Final = b"\xef\xbb\xbf"


def scan(data: bytes) -> JsonScan:
    """Judge the bytes of a text by the grammar of RFC 8259."""
    if not data.startswith(_BOM):
        return _scan(data, 0)
    return msgspec.structs.replace(
        _scan(data, len(_BOM)),
        valid=False,
        fault=JsonFault(0, "byte-order-mark"),
        byte_order_mark=True,
    )


def judge_arguments(data: bytes) -> ArgumentsVerdict:
    """
    Say whether raw arguments are valid, malformed, or recorded (ARG-09).

    A text that is broken besides is malformed, whatever else it has.
    """
    marked = data.startswith(_BOM)
    found = _scan(data, len(_BOM) if marked else 0)
    empty = found.fault is not None and found.fault.reason == "empty"
    grounds: tuple[tuple[Ground, bool], ...] = (
        ("empty", empty),
        ("byte-order-mark", marked),
        ("invalid-utf8", found.invalid_utf8 is not None),
        ("lone-surrogate", found.lone_surrogate is not None),
        ("deep", found.depth > MAX_ARGUMENTS_DEPTH),
    )
    malformed = not (found.valid or empty)
    why = () if malformed else tuple(ground for ground, holds in grounds if holds)
    return ArgumentsVerdict(
        kind="malformed" if malformed else "recorded" if why else "valid",
        why=why,
        fault=found.fault if malformed else None,
        is_object=found.valid and found.top == "object",
        duplicate_key=found.duplicate_key,
        number_out_of_range=found.number_out_of_range,
    )


def _scan(data: bytes, start: int) -> JsonScan:
    scanner = Scanner(data, start)
    fault = scanner.run()
    return JsonScan(
        valid=fault is None,
        fault=fault,
        top=scanner.top,
        depth=scanner.depth,
        byte_order_mark=False,
        invalid_utf8=_invalid_utf8(data),
        lone_surrogate=scanner.lone_surrogate,
        duplicate_key=scanner.duplicate_key,
        number_out_of_range=scanner.number_out_of_range,
    )


def _invalid_utf8(data: bytes) -> int | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        return fault.start
    return None
