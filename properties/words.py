"""
How findings tell texts: in quotes, cut, and escaped once.

A raw line break is told as a backslash with an `n`; where a text has these two
characters themselves, the backslash is doubled.
"""

from __future__ import annotations

from typing import Final

from toolassay.spec.text import Base64, Text

_BEFORE: Final = 20
"""Characters that are shown before the first difference of two long texts."""


def quoted(text: Text, limit: int = 60) -> str:
    """Give a text in quotes, cut at `limit` characters."""
    return _window(text, 0, limit)


def contrasted(one: Text, other: Text, limit: int = 60) -> tuple[str, str]:
    """Give two texts in quotes so that what is shown of them differs."""
    left, right = _raw(one), _raw(other)
    if isinstance(one, Base64) is not isinstance(other, Base64):
        return quoted(one, limit), quoted(other, limit)
    at, also = _first_difference(left, right)
    if max(at, also) < limit - _BEFORE:
        return quoted(one, limit), quoted(other, limit)
    return (
        _window(one, max(0, at - _BEFORE), limit),
        _window(other, max(0, also - _BEFORE), limit),
    )


def _raw(text: Text) -> str:
    return text.base64 if isinstance(text, Base64) else text


def _first_difference(one: str, other: str) -> tuple[int, int]:
    """Give where texts first differ in more than blanks, or else where they differ at all."""
    at, also = 0, 0
    while at < len(one) and also < len(other):
        if one[at] == other[also]:
            at, also = at + 1, also + 1
        elif one[at].isspace():
            at += 1
        elif other[also].isspace():
            also += 1
        else:
            return at, also
    if one[at:].strip() or other[also:].strip():
        return at, also
    pairs = enumerate(zip(one, other, strict=False))
    first = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    return first, first


def _window(text: Text, start: int, limit: int) -> str:
    """Give a part of a text in quotes, and say of which part and how long a text it is."""
    raw = _raw(text)
    told = ("base64:" if isinstance(text, Base64) else "") + _quote(raw[start : start + limit])
    if start:
        return f"...{told} from character {start + 1} of {len(raw)}"
    return f"{told}... ({len(raw)} characters)" if len(raw) > limit else told


def _quote(part: str) -> str:
    escaped = part.encode("unicode_escape", "backslashreplace").decode("ascii")
    if "'" in escaped and '"' not in escaped:
        return f'"{escaped}"'
    return "'" + escaped.replace("'", "\\'") + "'"
