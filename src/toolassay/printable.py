"""
Text from outside, made safe for a terminal and for a width.

An implementation chooses its names, arguments and results. None of them may
move the cursor, ring, recolour, reorder or fill the reader's screen.
"""

from __future__ import annotations

import unicodedata

LINE_MAX = 2000
"""Characters of a line that names a fault; paths and hints may be long."""

_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def printable(text: str, limit: int = 120) -> str:
    """Escape what is not printable (controls, escapes, bidi marks, surrogates), and cut."""
    head = text[:limit]
    safe = head if head.isprintable() else "".join(map(_escaped, head))
    return clipped(safe if len(text) <= limit else f"{safe}...", limit)


def visible(text: str) -> str:
    """Escape what is not printable, line ends too; nothing is cut."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def clipped(text: str, width: int) -> str:
    """Cut printable text to a number of columns, with dots where something is missing."""
    if len(text) <= width and text.isascii():
        return text
    if columns(text) <= width:
        return text
    dots = "..." if width > 6 else ""
    room, kept = width - len(dots), []
    for character in text:
        room -= columns(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + dots


def many(number: int, one: str, several: str = "") -> str:
    """Count things in words: `1 case`, `2 cases`."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def columns(text: str) -> int:
    """Count the columns that printable text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    short = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return _NAMED.get(character) or (short if code < 0x10000 else f"\\U{code:08x}")
