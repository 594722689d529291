"""
What can be wrong with a file that is checked: one leaf for each rule.

A file is read line by line, and judging ends at the first fault: what follows
a line that is missing would be judged wrongly. What stands before it counts.
"""

from __future__ import annotations

from toolassay.spec.errors import InputError


class CheckError(InputError):
    """
    A fault at one place of a file.

    Attributes:
        name: The name of the file, as given.
        line: The line, from 1; 0 where the file as a whole is meant.
        byte: Where the line begins, in bytes from the start of the file.
    """

    code = "input.check"

    def __init__(self, what: str, *, name: str, line: int = 0, byte: int = 0) -> None:
        super().__init__(what, where=f"{name}:{line} (byte {byte})" if line else name)
        self.name = name
        self.line = line
        self.byte = byte


class UnreadableFileError(CheckError):
    """The file cannot be opened or read."""

    code = "input.check.file"


class EmptyFileError(CheckError):
    """There is nothing in the file."""

    code = "input.check.empty"
    hint = "each line is one event, or one observation, as JSON"


class BinaryFileError(CheckError):
    """The file is compressed, or a line holds a NUL."""

    code = "input.check.binary"
    hint = "unpack it first: gunzip -c FILE | toolassay check -"


class EncodingError(CheckError):
    """A line is no UTF-8 text, or the file begins with a byte order mark."""

    code = "input.check.encoding"
    hint = "save it as UTF-8, without a byte order mark"


class OtherFormatError(CheckError):
    """The file is JSON, and neither events nor observations."""

    code = "input.check.format"
    hint = "each line is one event, or one observation, as JSON (see docs/cli.md)"


class LineSyntaxError(CheckError):
    """A line is no JSON."""

    code = "input.check.syntax"
    hint = "each line is one JSON object"


class CutLineError(CheckError):
    """The file ends within a value."""

    code = "input.check.cut"
    hint = "the writer was stopped, or the copy is not whole"


class LineShapeError(CheckError):
    """A line is JSON and has not the shape of an event or an observation."""

    code = "input.check.shape"


class LineTooLongError(CheckError):
    """A line is longer than the kit reads."""

    code = "input.check.too-long"
    hint = "each line is one event, or one observation"
