"""Writing to a stream that may be a terminal, a file or a pipe that goes away."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import msgspec

from toolassay.spec.errors import UsageError

PIPE_WIDTH = 100
"""Columns of what is written to a file or a pipe."""

NARROW = 40
"""The narrowest layout; what is narrower wraps as the terminal likes."""

WIDE = 10_000
"""The widest layout; it keeps what is padded to the width within bounds."""

_CODES = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "dim": "2", "bold": "1"}


class OutputError(UsageError):
    """What is written has no place: the disk is full, or the device is gone."""

    code = "usage.output"


class Style(msgspec.Struct, frozen=True):
    """How a stream is written to."""

    width: int = PIPE_WIDTH
    """Columns."""
    colour: bool = False
    """Whether escape sequences may be written."""

    def paint(self, text: str, colour: str) -> str:
        """Colour a text, if colours are wanted."""
        return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if self.colour and text else text


class Out:
    """
    A text stream; a reader that has gone away is no fault.

    Args:
        stream: Where to write; standard output if not given.

    Raises:
        OutputError: The stream takes nothing more, from `write` and `flush`.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stdout if stream is None else stream
        self.gone = False
        self.style = style_of(self.stream)
        if hasattr(self.stream, "reconfigure"):
            self.stream.reconfigure(errors="backslashreplace")

    def line(self, text: str = "") -> None:
        """Write a line."""
        self.write(text + "\n")

    def write(self, text: str) -> None:
        """Write a text as it is."""
        if self.gone:
            return
        try:
            self.stream.write(text)
        except BrokenPipeError:
            self._lose()
        except OSError as fault:
            raise self._refused(fault) from None

    def flush(self) -> None:
        """Hand over what was written."""
        if self.gone:
            return
        try:
            self.stream.flush()
        except BrokenPipeError:
            self._lose()
        except OSError as fault:
            raise self._refused(fault) from None

    def _refused(self, fault: OSError) -> OutputError:
        self._lose()  # or what is still held would be tried once more when the stream is closed
        name = str(getattr(self.stream, "name", "the output"))
        return OutputError(f"cannot be written: {fault.strerror}", where=name)

    def _lose(self) -> None:
        """Go on without a reader, so that the exit code is still the truth."""
        self.gone = True
        try:
            descriptor = self.stream.fileno()
        except (OSError, ValueError):
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def style_of(stream: TextIO) -> Style:
    """Work out how a stream is written to, by what it is and what the environment says."""
    terminal = is_terminal(stream)
    given = os.environ.get("COLUMNS", "")
    width = PIPE_WIDTH
    if given.isdecimal() and len(given) <= len(str(WIDE)) and int(given) > 0:
        width = int(given)
    elif terminal:
        width = _terminal_width(stream)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Style(min(max(width, NARROW), WIDE), terminal and not plain)


def _terminal_width(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or PIPE_WIDTH
    except (OSError, ValueError):
        return PIPE_WIDTH


def is_terminal(stream: TextIO) -> bool:
    """Tell whether a person watches a stream."""
    try:
        return stream.isatty()
    except (OSError, ValueError):
        return False
