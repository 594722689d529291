"""
What an adapter's author is told: what came, and the commonest cause of it.

All of it comes from outside: it is cut, and every control in it is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from toolassay.printable import printable

SHOWN_MAX: Final = 200
"""Columns that are shown of a line of standard output, or of standard error."""

TAIL_LINES: Final = 40
"""Lines of the end of standard error in which the one that tells most is looked for."""

PAGE: Final = "toolassay's docs/adapter-protocol.md"
"""Where all of it is written; named in words, since it is not installed with the kit."""

ANSWERS_ALONE: Final = (
    "standard output holds answers only, one JSON object per line: print to standard error"
)
"""What to do where standard output holds something else."""

FLUSHED: Final = "is the answer flushed, and ended by a newline?"
"""What to look at where no answer comes."""

KEYS: Final = (
    "initialize() gives name, version, operations, facets, features and deterministic; "
    "an adapter that is no Python object gives protocol: 1 too"
)
"""What to do where a key is missing."""

_TELLING: Final = re.compile(r"(?:[\w.]*(?:Error|Exception)\b|panic: |fatal error: )")
"""How a line begins that says why a program ended, in the languages at hand."""

_TRAILER: Final = re.compile(r"Node\.js v\d|exit status \d|\W*$")
"""Lines at the end that say nothing."""

_TEXT: Final = re.compile(r"\.(arguments|text|stored|executable)`$")
_NO_TEXT: Final = ("Object contains", "Object missing required field `base64`", "Expected `str | ")


def shown(data: bytes) -> str:
    """Show the begin of what an adapter wrote."""
    if not data:
        return "an empty line"
    return f"`{printable(data[: SHOWN_MAX + 1].decode(errors='backslashreplace'), SHOWN_MAX)}`"


def head(parts: Iterable[bytes]) -> bytes:
    """Give the begin of what came in parts, and no more of it than is shown."""
    found = b""
    for part in parts:
        found += part[: SHOWN_MAX + 1]
        if len(found) > SHOWN_MAX:
            break
    return found


def telling(detail: str) -> str:
    """Give the line of standard error that says most of why a program ended, if there is one."""
    lines = [line for line in detail.splitlines()[-TAIL_LINES:] if not _TRAILER.match(line.strip())]
    found = next((line for line in reversed(lines) if _TELLING.match(line)), None)
    last = found or (lines[-1] if lines else "")
    return printable(last.strip(), SHOWN_MAX)


def with_telling(message: str, detail: str) -> str:
    """Give a message with the line of standard error that says most."""
    line = telling(detail)
    return f"{message}: {line}" if line else message


def about_text(error: str) -> str:
    """Give what to do about a part of an answer that ought to be a text; nothing if it is none."""
    place = _TEXT.search(error)
    if place is None or not error.startswith(_NO_TEXT):
        return ""
    if place[1] == "text":
        return "`text` is a Text: write a string, and join several blocks"
    return f"`{place[1]}` is a Text: write the JSON as a string"
