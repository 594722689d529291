"""
What can be wrong with a file of recordings: one leaf for each rule.

A file is read line by line, and a fault concerns its line alone: the lines
after it are still read. The stages, in order: the file, the line, its JSON,
its form, and what the form says.
"""

from __future__ import annotations

from toolassay.spec.errors import InputError

__all__ = [
    "RecordingDepthError",
    "RecordingDuplicateError",
    "RecordingEmptyError",
    "RecordingError",
    "RecordingFileError",
    "RecordingFormError",
    "RecordingShapeError",
    "RecordingSyntaxError",
    "RecordingTextError",
    "RecordingTooLongError",
]


class RecordingError(InputError):
    """
    A fault in a file of recordings.

    Attributes:
        name: The name of the file, as given.
        line: The line, from 1; 0 where the file as a whole is meant.
        offset: Where the line begins, in bytes from the start of the file.
    """

    code = "input.recording"

    def __init__(
        self, what: str, *, name: str, line: int = 0, offset: int = 0, hint: str = ""
    ) -> None:
        where = f"{name}:{line} (byte {offset})" if line else name
        super().__init__(what, where=where, hint=hint)
        self.name = name
        self.line = line
        self.offset = offset


class RecordingFileError(RecordingError):
    """The file or folder cannot be read."""

    code = "input.recording.file"
    hint = "give a JSON Lines file, or a folder that holds recordings.jsonl"


class RecordingEmptyError(RecordingError):
    """The file holds no line."""

    code = "input.recording.empty"
    hint = "each line is one recording"


class RecordingTooLongError(RecordingError):
    """A line is longer than the kit reads."""

    code = "input.recording.too-long"
    hint = "elide large bodies before writing the line"


class RecordingTextError(RecordingError):
    """A line is not UTF-8 text."""

    code = "input.recording.text"
    hint = "recordings are JSON Lines in UTF-8; arbitrary bytes go in as base64"


class RecordingSyntaxError(RecordingError):
    """A line is no JSON value, or ends before its value does."""

    code = "input.recording.syntax"
    hint = "each line is one complete JSON object"


class RecordingDepthError(RecordingError):
    """A line is nested too deeply."""

    code = "input.recording.depth"
    hint = "keep deeply nested JSON as a text"


class RecordingFormError(RecordingError):
    """A line is JSON, but in none of the known forms."""

    code = "input.recording.form"
    hint = "a recording is an object with `id` and `observation`"


class RecordingShapeError(RecordingError):
    """A line is of a known form, but breaks its rules."""

    code = "input.recording.shape"
    hint = "compare the line with the README of its form"


class RecordingDuplicateError(RecordingError):
    """Two lines have the same id."""

    code = "input.recording.duplicate"
    hint = "give each recording its own id"
