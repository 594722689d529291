"""
The scalars of JSON texts: strings without their escapes, numbers as decimals.

Everything here works on the bytes of tokens that are known to be sound, and
costs as much as the token is long: an exponent is never expanded.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Final

__all__ = ["decimal", "end_of_string", "lone_surrogate", "number_is_kept", "unescape"]

_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
# The repeat is bounded because the engine keeps a frame for each round of it.
_ESCAPED_RUN = re.compile(rb'(?:[^"\\\x00-\x1f]*\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,64}')
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SHORT: Final = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def end_of_string(data: bytes, start: int) -> int:
    """Find where the sound inside of the string that is opened before `start` ends."""
    at = start
    while run := _ESCAPED_RUN.match(data, at):
        at = run.end()
    plain = _PLAIN.match(data, at)
    return plain.end() if plain else at


def unescape(raw: bytes) -> bytes:
    """
    Undo the escapes of the inside of a sound string.

    Half a surrogate pair becomes its three bytes, which no UTF-8 text has.
    """
    if b"\\" not in raw:
        return raw
    parts: list[bytes] = []
    high = done = 0
    for escape in _ESCAPE.finditer(raw):
        code = _code(escape[1])
        if high and (escape.start() != done or not _is_low(code)):
            parts.append(_character(high))
            high = 0
        parts.append(raw[done : escape.start()])
        done = escape.end()
        if high:
            parts.append(_character(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)))
            high = 0
        elif _is_high(code):
            high = code
        else:
            parts.append(_SHORT.get(escape[2], escape[2]) if escape[2] else _character(code))
    if high:
        parts.append(_character(high))
    parts.append(raw[done:])
    return b"".join(parts)


def lone_surrogate(data: bytes, start: int, end: int) -> int | None:
    """Find the first escape in the inside of a sound string that is half of a pair."""
    if not _SURROGATE.search(data, start, end):
        return None
    high: int | None = None
    done = start
    for escape in _ESCAPE.finditer(data, start, end):
        code = _code(escape[1])
        paired = high is not None and escape.start() == done and _is_low(code)
        if high is not None and not paired:
            return high
        if _is_low(code) and not paired:
            return escape.start()
        high = escape.start() if _is_high(code) else None
        done = escape.end()
    return high


def _code(digits: bytes | None) -> int:
    return int(digits, 16) if digits else 0


def _is_high(code: int) -> bool:
    return 0xD800 <= code <= 0xDBFF


def _is_low(code: int) -> bool:
    return 0xDC00 <= code <= 0xDFFF


def _character(code: int) -> bytes:
    return chr(code).encode("utf-8", "surrogatepass")


_EXACT_INTEGER: Final = 2**53
_FLOAT_LENGTH: Final = 800
_EXPONENT_DIGITS: Final = 18


def number_is_kept(token: bytes) -> bool:
    """
    Say whether a reader of IEEE doubles gives this number back.

    False for integers beyond 2**53 either way, for what overflows to infinity
    or underflows to zero, for more digits than a double tells apart, and for
    tokens of more than 800 bytes.
    """
    if len(token) <= 15 and b"e" not in token and b"E" not in token:
        return True
    if len(token) > _FLOAT_LENGTH:
        return False
    if token.lstrip(b"-").isdigit():
        return abs(int(token)) <= _EXACT_INTEGER
    number = float(token)
    again = repr(number).encode()
    return again == token or (isfinite(number) and decimal(again) == decimal(token))


def decimal(token: bytes) -> tuple[bool, bytes, int] | None:
    """
    Give the exact value of a number: whether it is negative, digits, exponent.

    The same value gives the same triple; zero has no sign. None where the
    exponent is too long to reckon with.
    """
    mantissa, _, exponent = token.lower().partition(b"e")
    whole, _, fraction = mantissa.lstrip(b"-").partition(b".")
    digits = (whole + fraction).lstrip(b"0")
    kept = digits.rstrip(b"0")
    if not kept:
        return False, b"", 0
    if len(exponent.lstrip(b"+-0")) > _EXPONENT_DIGITS:
        return None
    sign = -1 if exponent.startswith(b"-") else 1
    power = sign * int(exponent.lstrip(b"+-0") or b"0")
    return mantissa.startswith(b"-"), kept, power - len(fraction) + len(digits) - len(kept)
