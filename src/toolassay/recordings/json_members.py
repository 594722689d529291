"""
JSON taken apart without being read: every value stays the text that it was.

A parser would lose what matters here: it resolves duplicate keys, rounds
numbers and refuses bytes that are not UTF-8. So a document is split along its
members, and only small leaves are ever turned into values. Bytes that are not
UTF-8 are carried through as surrogates (`decode`, `raw`).

Functions raise `ValueError` for what is not JSON and `RecursionError` for
what is nested too deeply; callers translate both.
"""

from __future__ import annotations

import json

from toolassay.spec.text import Text, text_of

_SPACE = " \t\n\r"


def _refuse(constant: str) -> None:
    message = f"{constant} is not JSON"
    raise ValueError(message)


# Numbers stay texts: some fit no double, and some have more digits than `int` takes.
_SKIP = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)
_READ = json.JSONDecoder(parse_float=str, parse_constant=_refuse)


def decode(data: bytes) -> str:
    """Decode a document; bytes that are not UTF-8 become surrogates."""
    return data.decode("utf-8", "surrogateescape")


def raw(text: str) -> bytes:
    """Give the bytes from which `decode` made a text."""
    return text.encode("utf-8", "surrogateescape")


def raw_text(text: str) -> Text:
    """Give a part of a document as it was sent."""
    return text_of(raw(text))


def members(text: str) -> dict[str, str]:
    """
    Split an object into its keys and the texts of their values.

    Of a key that stands twice the last value counts, as most parsers have it.
    """
    found: dict[str, str] = {}
    position = _open(text, "{", "}")
    while position >= 0:
        if text[position : position + 1] != '"':
            raise ValueError(f"a key was expected at {position}")
        key, position = _SKIP.raw_decode(text, position)
        position = _past(text, position)
        if text[position : position + 1] != ":":
            raise ValueError(f"a colon was expected at {position}")
        start = _past(text, position + 1)
        end = _SKIP.raw_decode(text, start)[1]
        found[key] = text[start:end]
        position = _next(text, end, "}")
    return found


def elements(text: str) -> tuple[str, ...]:
    """Split an array into the texts of its elements."""
    found: list[str] = []
    start = _open(text, "[", "]")
    while start >= 0:
        end = _SKIP.raw_decode(text, start)[1]
        found.append(text[start:end])
        start = _next(text, end, "]")
    return tuple(found)


def value(text: str) -> object:
    """Read a small value; fractions stay texts."""
    start = _past(text, 0)
    found, end = _READ.raw_decode(text, start)
    if _past(text, end) != len(text):
        raise ValueError(f"trailing data at {end}")
    return found


def string(text: str | None) -> str:
    """Read a name or an id; empty where there is none or it is no string."""
    if text is None or not text.startswith('"'):
        return ""
    found = value(text)
    return whole(found) if isinstance(found, str) else ""


def whole(text: str) -> str:
    """Replace what is no Unicode text, so that it can be written anywhere."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def kept(text: str) -> Text:
    """Keep a text that was read: as base64 where it is no Unicode text."""
    return text_of(text.encode("utf-8", "surrogatepass"))


def _past(text: str, position: int) -> int:
    while text[position : position + 1] and text[position] in _SPACE:
        position += 1
    return position


def _open(text: str, opening: str, closing: str) -> int:
    """Find the first item; -1 if there is none."""
    position = _past(text, 0)
    if text[position : position + 1] != opening:
        raise ValueError(f"{opening} was expected at {position}")
    position = _past(text, position + 1)
    if text[position : position + 1] == closing:
        return _end(text, position)
    return position


def _next(text: str, position: int, closing: str) -> int:
    """Find the item after a comma; -1 at the end."""
    position = _past(text, position)
    if text[position : position + 1] == ",":
        return _past(text, position + 1)
    if text[position : position + 1] == closing:
        return _end(text, position)
    raise ValueError(f"a comma was expected at {position}")


def _end(text: str, position: int) -> int:
    if _past(text, position + 1) != len(text):
        raise ValueError(f"trailing data at {position + 1}")
    return -1
