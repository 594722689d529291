"""
Reading packs of compiled vectors: `load_pack_cases`.

This is what a run does first, so it needs msgspec alone. The reference's
observations are many times the size of the cases, so they stand in a file of
their own beside the pack, which is read only if it is asked for.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from toolassay.authoring.pack_errors import PackError
from toolassay.selection import Selection
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation

T = TypeVar("T")

__all__ = [
    "EXAMPLES_SUFFIX",
    "PACKS_FOLDER",
    "SCHEMA_VERSION",
    "Example",
    "PackHeader",
    "load_pack_cases",
    "read_pack",
]

PACKS_FOLDER: Final = Path(__file__).parent.parent / "vectors" / "packs"
"""Where the packs that ship with the kit are."""

SCHEMA_VERSION: Final = 1
"""Version of the form of packs."""

EXAMPLES_SUFFIX: Final = ".examples.jsonl"
"""How the name of the file with the observations of a pack ends."""


class PackHeader(msgspec.Struct, frozen=True):
    """The first line of a pack."""

    schema_version: int
    """Version of the form."""
    contract: str
    """Contract of all its cases."""
    kit: str
    """Version of the kit that wrote it."""
    register: str
    """SHA-256 of the compiled register that it was written with."""
    cases: int
    """Number of cases."""
    digest: str
    """SHA-256 of what follows the header."""


class Example(msgspec.Struct, frozen=True):
    """What the reference showed in one case; an example, never the norm."""

    id: str
    """Id of the case."""
    observation: Observation
    """What was seen."""


def load_pack_cases(
    selection: Selection | None = None, *, folder: Path = PACKS_FOLDER, examples: bool = False
) -> tuple[Case, ...]:
    """
    Read the cases of all packs of a folder, in the order of their names.

    Args:
        selection: Which cases are meant; all if not given.
        folder: Where the packs are.
        examples: Whether to read the reference's observations too.

    Raises:
        PackError: There is no pack, or one cannot be read.
    """
    files = [file for file in sorted(folder.glob("*.jsonl")) if _is_pack(file)]
    if not files:
        raise PackError("there are no packs", where=folder.as_posix())
    if selection is not None and selection.contracts:
        files = [file for file in files if file.stem in selection.contracts]
    cases = [case for file in files for case in read_pack(file, examples=examples)[1]]
    if selection is None or selection.is_all:
        return tuple(cases)
    return tuple(case for case in cases if selection.takes(case))


def read_pack(file: Path, *, examples: bool = True) -> tuple[PackHeader, tuple[Case, ...]]:
    """
    Read one pack.

    Args:
        file: The pack.
        examples: Whether to read the reference's observations too.

    Raises:
        PackError: It cannot be read, is of another version, or was changed by hand.
    """
    header, cases = _read(file, Case)
    if not examples:
        return header, tuple(cases)
    beside = file.with_name(f"{file.stem}{EXAMPLES_SUFFIX}")
    seen = {example.id: example.observation for example in _read(beside, Example)[1]}
    if seen.keys() != {case.id for case in cases}:
        raise PackError("the examples are not those of the pack", where=beside.as_posix())
    return header, tuple(msgspec.structs.replace(case, example=seen[case.id]) for case in cases)


def _is_pack(file: Path) -> bool:
    return not file.name.endswith(EXAMPLES_SUFFIX)


def _read(file: Path, kind: type[T]) -> tuple[PackHeader, list[T]]:
    """Read a file of a header and lines, and hold the lines against the header."""
    where = file.as_posix()
    try:
        head, _, body = file.read_bytes().partition(b"\n")
        header = msgspec.json.decode(head, type=PackHeader)
        if header.schema_version != SCHEMA_VERSION:
            raise PackError(f"the pack has version {header.schema_version}", where=where)
        lines = msgspec.json.Decoder(kind).decode_lines(body)
    except OSError as error:
        raise PackError(f"the pack cannot be read: {error.strerror}", where=where) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PackError(f"the pack is not well formed: {error}", where=where) from None
    if header.cases != len(lines) or header.digest != hashlib.sha256(body).hexdigest():
        raise PackError("the pack is not as it was written", where=where)
    return header, lines
