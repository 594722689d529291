"""
The scan itself: one pass over the bytes of a text, by the grammar of RFC 8259.

Start at `Scanner.run`. Each method reads what may come at its place and says
what comes next; nesting lives in a stack of brackets, never in calls. Runs of
plain items and members are taken by one match each; what a pattern does not
take, a method reads byte by byte and finds the exact fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal, NoReturn

import msgspec

from toolassay.spec.json_scalars import end_of_string, lone_surrogate, number_is_kept, unescape

__all__ = ["FaultReason", "JsonFault", "Scanner", "Top"]

FaultReason = Literal[
    "bad-escape",
    "bad-literal",
    "bad-number",
    "byte-order-mark",
    "comment",
    "control-character",
    "empty",
    "mismatched-bracket",
    "missing-colon",
    "missing-comma",
    "nonfinite",
    "single-quote",
    "trailing-comma",
    "trailing-data",
    "unexpected-character",
    "unexpected-end",
    "unquoted-key",
]
"""Why a text is no JSON; the codes are stable."""

Top = Literal["object", "array", "string", "number", "literal"]
"""What the outermost value is."""


class JsonFault(msgspec.Struct, frozen=True):
    """Where and why a text stops to be JSON."""

    offset: int
    """The first byte after which no continuation is JSON; the length of a text that is cut."""

    reason: FaultReason
    """What stands there."""


_WS: Final = rb"[ \t\n\r]*"
# The repeats below are bounded because the engine keeps a frame for each round of them.
# Scalars that need no second look: no escape to pair, no number that a double might change.
_SIMPLE: Final = (
    rb'(?:"[^"\\\x00-\x1f]*"|-?(?:0|[1-9][0-9]{0,6})(?:\.[0-9]{1,8})?|true|false|null)'
    rb"(?=[ \t\n\r,\]}])"
)
_NUMERAL: Final = rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(_NUMERAL)
# The longest text that some number begins with: where it ends past `_NUMBER`, a digit is missing.
_NUMBER_START = re.compile(
    rb"-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE][+-]?[0-9]*)?)?|[eE][+-]?[0-9]*)?)?"
)
_SPACE = re.compile(_WS)
_FIRST_ITEM = re.compile(_WS + _SIMPLE)
_ITEMS = re.compile(rb"(?:" + _WS + rb"," + _WS + _SIMPLE + rb"){1,64}")
# A member up to what is sure of its value: all of it, a numeral, or that it opens something.
_FIRST_MEMBER = re.compile(
    _WS + rb'"([^"\\\x00-\x1f]*)"' + _WS + rb":" + _WS
    + rb"(?:" + _SIMPLE + rb"|(" + _NUMERAL + rb")(?=[ \t\n\r,\]}])|(?=[\[{]))"
)  # fmt: skip
_MEMBER = re.compile(_WS + rb"," + _FIRST_MEMBER.pattern)
_OPENINGS = re.compile(rb"(?:\[[ \t\n\r]*){1,64}")
_CLOSINGS = re.compile(rb"(?:\][ \t\n\r]*){1,64}")
_NONFINITE = re.compile(rb"[+-]?(?:nan|inf)", re.IGNORECASE)
_COMMENT = re.compile(rb"//|/\*|#")
_ARRAY: Final = ord("[")
_OBJECT: Final = ord("{")
_SPACE_BYTE: Final = ord(" ")
_WORD: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")
_NUMBER_PARTS: Final = _WORD | frozenset(b".+-")
_NUMBER_BEGINS: Final = frozenset(b"-0123456789")
_VALUE_BEGINS: Final = _WORD | frozenset(b'"-{[')
_LITERALS: Final = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
_TOPS: Final[dict[int, Top]] = {
    ord("{"): "object",
    ord("["): "array",
    ord('"'): "string",
    **dict.fromkeys(_NUMBER_BEGINS, "number"),
    **dict.fromkeys(_LITERALS, "literal"),
}
_END: Final = -1


class _Stop(Exception):  # noqa: N818 -- it ends the scan and never leaves this module
    def __init__(self, fault: JsonFault) -> None:
        super().__init__(fault)
        self.fault = fault


class Scanner:
    """One scan: a place in the text, what is open there, and what comes next."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data = data
        self.size = len(data)
        self.at = start
        self.open = bytearray()
        self.keys: list[set[bytes]] = []
        self.depth = 0
        self.after_comma = False
        self.next: Callable[[], None] | None = self._value
        self.top: Top | None = None
        self.lone_surrogate: int | None = None
        self.duplicate_key: int | None = None
        self.number_out_of_range: int | None = None

    def run(self) -> JsonFault | None:
        """Scan to the end, or to the first fault."""
        try:
            first = self._skip()
            if first == _END:
                self._stop(self.at, "empty")
            self.top = _TOPS.get(first)
            while self.next is not None:
                self.next()
        except _Stop as stop:
            return stop.fault
        return None

    def _skip(self) -> int:
        """Pass white space; give the byte after it, or `_END`."""
        data, at = self.data, self.at
        if at < self.size and data[at] > _SPACE_BYTE:
            return data[at]
        space = _SPACE.match(data, at)
        self.at = at = space.end() if space else at
        return data[at] if at < self.size else _END

    def _stop(self, at: int, reason: FaultReason) -> NoReturn:
        raise _Stop(JsonFault(at, reason))

    # --- what may come next ---

    def _value(self) -> None:
        """Read a value."""
        byte = self._skip()
        self.next = self._after
        if byte == ord('"'):
            self._string()
        elif byte == _ARRAY:
            self._open_arrays()
        elif byte == _OBJECT:
            self._open_object()
        elif byte in _NUMBER_BEGINS:
            self._number()
        elif byte in _LITERALS:
            self._literal(_LITERALS[byte])
        else:
            self._refuse_value(byte)

    def _first_item(self) -> None:
        """Read the end of an array that was just opened, or its first item."""
        if item := _FIRST_ITEM.match(self.data, self.at):
            self.at = item.end()
            self.next = self._after_item
        elif self._skip() == ord("]"):
            self._close_arrays()
        else:
            self._value()

    def _first_key(self) -> None:
        """Read the end of an object that was just opened, or its first key."""
        if member := _FIRST_MEMBER.match(self.data, self.at):
            self._member(member)
        elif self._skip() == ord("}"):
            self._close_object()
        else:
            self._key()

    def _key(self) -> None:
        """Read a key and its colon."""
        byte = self._skip()
        if byte != ord('"'):
            self._refuse_key(byte)
        start = self.at
        self._string()
        key = unescape(self.data[start + 1 : self.at - 1])
        if key in self.keys[-1]:
            self._note_duplicate(start)
        self.keys[-1].add(key)
        byte = self._skip()
        if byte != ord(":"):
            self._refuse(byte, "missing-colon")
        self.at += 1
        self.after_comma = False
        self.next = self._value

    def _after(self) -> None:
        """Read what may follow a value."""
        if not self.open:
            if self._skip() != _END:
                self._refuse(self.data[self.at], "trailing-data")
            self.next = None
        elif self.open[-1] == _ARRAY:
            self._after_item()
        else:
            self._after_member()

    def _after_item(self) -> None:
        while run := _ITEMS.match(self.data, self.at):
            self.at = run.end()
        byte = self._skip()
        if byte == ord(","):
            self.at += 1
            self.after_comma = True
            self.next = self._value
        elif byte == ord("]"):
            self._close_arrays()
        else:
            self._refuse_after(byte, ord("}"))

    def _after_member(self) -> None:
        while member := _MEMBER.match(self.data, self.at):
            if not self._member(member):
                return
        byte = self._skip()
        if byte == ord(","):
            self.at += 1
            self.after_comma = True
            self.next = self._key
        elif byte == ord("}"):
            self._close_object()
        else:
            self._refuse_after(byte, ord("]"))

    def _member(self, member: re.Match[bytes]) -> bool:
        """Take a matched member; say whether its value ended too."""
        key, numeral = member.groups()
        keys = self.keys[-1]
        if key in keys:
            self._note_duplicate(member.start(1) - 1)
        keys.add(key)
        self.at = at = member.end()
        if numeral is not None:
            self._note_number(numeral, at - len(numeral))
        following = self.data[at]
        if following == _ARRAY:
            self._open_arrays()
        elif following == _OBJECT:
            self._open_object()
        else:
            self.next = self._after_member
            return True
        return False

    # --- arrays and objects ---

    def _open_arrays(self) -> None:
        run = _OPENINGS.match(self.data, self.at)
        assert run is not None, "an opening bracket stands here"
        self.at = run.end()
        self.open += b"[" * run[0].count(b"[")
        self.depth = max(self.depth, len(self.open))
        self.after_comma = False
        self.next = self._first_item

    def _close_arrays(self) -> None:
        run = _CLOSINGS.match(self.data, self.at)
        assert run is not None, "a closing bracket stands here"
        count = run[0].count(b"]")
        if self.open.endswith(b"[" * count):
            del self.open[-count:]
            self.at = run.end()
        else:
            self.open.pop()
            self.at += 1
        self.next = self._after

    def _open_object(self) -> None:
        self.at += 1
        self.open += b"{"
        self.keys.append(set())
        self.depth = max(self.depth, len(self.open))
        self.after_comma = False
        self.next = self._first_key

    def _close_object(self) -> None:
        self.at += 1
        self.open.pop()
        self.keys.pop()
        self.next = self._after

    def _note_duplicate(self, at: int) -> None:
        if self.duplicate_key is None:
            self.duplicate_key = at

    def _note_number(self, numeral: bytes, at: int) -> None:
        if self.number_out_of_range is None and not number_is_kept(numeral):
            self.number_out_of_range = at

    # --- scalars ---

    def _string(self) -> None:
        data, start = self.data, self.at + 1
        end = end_of_string(data, start)
        if data[end : end + 1] != b'"':
            self._refuse_in_string(end)
        self.at = end + 1
        if self.lone_surrogate is None:
            self.lone_surrogate = lone_surrogate(data, start, end)

    def _number(self) -> None:
        data, start = self.data, self.at
        whole = _NUMBER.match(data, start)
        end = whole.end() if whole else self.size
        if whole is None or (end < self.size and data[end] in _NUMBER_PARTS):
            self._refuse_number(start)
        self._note_number(whole[0], start)
        self.at = end

    def _literal(self, word: bytes) -> None:
        data, start = self.data, self.at
        end = start
        for byte in word:
            if end >= len(data):
                self._stop(end, "unexpected-end")
            if data[end] != byte:
                self._stop(end, "nonfinite" if _NONFINITE.match(data, start) else "bad-literal")
            end += 1
        if end < len(data) and data[end] in _WORD:
            self._stop(end, "bad-literal")
        self.at = end

    # --- faults ---

    def _refuse(self, byte: int, otherwise: FaultReason) -> NoReturn:
        """Stop at the present byte for a reason that any place shares, or the given one."""
        if byte == _END:
            self._stop(self.at, "unexpected-end")
        if _COMMENT.match(self.data, self.at):
            self._stop(self.at, "comment")
        self._stop(self.at, otherwise)

    def _refuse_value(self, byte: int) -> NoReturn:
        reason: FaultReason = "unexpected-character"
        if self.after_comma and byte == ord("]"):
            reason = "trailing-comma"
        elif byte == ord("'"):
            reason = "single-quote"
        elif _NONFINITE.match(self.data, self.at):
            reason = "nonfinite"
        elif byte in _NUMBER_PARTS - _WORD:
            reason = "bad-number"
        elif byte in _WORD:
            reason = "bad-literal"
        self._refuse(byte, reason)

    def _refuse_number(self, start: int) -> NoReturn:
        longest = _NUMBER_START.match(self.data, start)
        end = longest.end() if longest else start
        if end >= self.size:
            self._stop(end, "unexpected-end")
        self._stop(end, "nonfinite" if _NONFINITE.match(self.data, start) else "bad-number")

    def _refuse_key(self, byte: int) -> NoReturn:
        reason: FaultReason = "unexpected-character"
        if self.after_comma and byte == ord("}"):
            reason = "trailing-comma"
        elif byte == ord("'"):
            reason = "single-quote"
        elif byte in _WORD or byte == ord("-"):
            reason = "unquoted-key"
        self._refuse(byte, reason)

    def _refuse_after(self, byte: int, wrong_bracket: int) -> NoReturn:
        reason: FaultReason = "unexpected-character"
        if byte == wrong_bracket:
            reason = "mismatched-bracket"
        elif byte in _VALUE_BEGINS:
            reason = "missing-comma"
        self._refuse(byte, reason)

    def _refuse_in_string(self, at: int) -> NoReturn:
        """Stop in a string that is not closed at `at`: say which byte of an escape is wrong."""
        data = self.data
        if at < len(data) and data[at] != ord("\\"):
            self._stop(at, "control-character")
        at = min(at + 1, len(data))
        if data[at : at + 1] == b"u":
            at += 1
            while data[at : at + 1].isalnum() and data[at] in b"0123456789abcdefABCDEF":
                at += 1
        self._stop(at, "unexpected-end" if at >= len(data) else "bad-escape")
