"""
The lines of a file of recordings, found without being kept.

A file may be larger than memory and may be anything at all, so it is walked
in bounded reads, and what is remembered of a line is where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import msgspec

from toolassay.recordings import errors
from toolassay.recordings.reader import Line

LINE_MAX: Final = 64 * 1024 * 1024
"""Bytes of the longest line that is read."""

_CHUNK: Final = 1024 * 1024


class Place(msgspec.Struct, frozen=True):
    """Where a line stands."""

    number: int
    """The line, from 1."""
    offset: int
    """Where it begins, in bytes from the start of the file."""
    length: int
    """Its length in bytes, without its end."""
    ended: bool
    """False if the file ends without a line end."""


def find_files(path: Path) -> tuple[Path, ...]:
    """
    Find the files that a path stands for: itself, or those of a folder.

    Of a folder that is `recordings.jsonl`, or if there is none, every
    `*.jsonl` in the order of names.

    Raises:
        RecordingFileError: There is no such path, or the folder holds none.
    """
    if not path.is_dir():
        if not path.exists():
            raise errors.RecordingFileError("there is no such file", name=str(path))
        if not path.is_file():  # lines are read more than once, and a pipe is gone by then
            raise errors.RecordingFileError("it is no regular file", name=str(path))
        return (path,)
    own = path / "recordings.jsonl"
    found = (own,) if own.is_file() else tuple(sorted(path.glob("*.jsonl")))
    if not found:
        raise errors.RecordingFileError("the folder holds no recordings", name=str(path))
    return found


def places(path: Path) -> Iterator[Place | errors.RecordingError]:
    """
    Walk the lines of a file that are not blank; one that is too long is named and left out.

    Raises:
        RecordingFileError: The file cannot be read.
        RecordingEmptyError: It holds no line.
    """
    number, empty = 0, True
    try:
        with path.open("rb") as file:
            while True:
                number += 1
                offset = file.tell()
                first = file.readline(_CHUNK)
                if not first:
                    break
                length, ended = _measure(file, first)
                if length > LINE_MAX:
                    yield _too_long(path, number, offset, length)
                elif length > _CHUNK or first.strip():
                    yield Place(number, offset, length, ended)
                else:
                    continue
                empty = False
    except OSError as error:
        raise errors.RecordingFileError(_said(error), name=str(path)) from error
    if empty:
        raise errors.RecordingEmptyError("the file is empty", name=str(path))


def read_place(path: Path, place: Place) -> Line:
    """
    Read one line.

    Raises:
        RecordingFileError: The file cannot be read any more.
    """
    try:
        with path.open("rb") as file:
            file.seek(place.offset)
            data = file.read(place.length)
    except OSError as error:
        raise errors.RecordingFileError(_said(error), name=str(path)) from error
    return Line(str(path), place.number, place.offset, data, place.ended)


def _measure(file: IO[bytes], first: bytes) -> tuple[int, bool]:
    """Give the length of a line that began with a chunk, and whether it has an end."""
    length, chunk = len(first), first
    while not chunk.endswith(b"\n") and len(chunk) == _CHUNK:
        chunk = file.readline(_CHUNK)
        length += len(chunk)
    ended = chunk.endswith(b"\n")
    return length - ended, ended


def _too_long(path: Path, number: int, offset: int, length: int) -> errors.RecordingError:
    what = f"the line has {length} bytes; at most {LINE_MAX} are read"
    return errors.RecordingTooLongError(what, name=str(path), line=number, offset=offset)


def _said(error: OSError) -> str:
    return error.strerror or "it cannot be read"
