"""
Reading packs of compiled vectors: `load_pack_cases`.

This is what a run does first, so it needs msgspec alone, and passes over the
examples unless they are asked for.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Final

import msgspec

from toolassay.authoring.pack_errors import PackError
from toolassay.selection import Selection
from toolassay.spec.case import Case

__all__ = ["PACKS_FOLDER", "SCHEMA_VERSION", "PackHeader", "load_pack_cases", "read_pack"]

PACKS_FOLDER: Final = Path(__file__).parent.parent / "vectors" / "packs"
"""Where the packs that ship with the kit are."""

SCHEMA_VERSION: Final = 1
"""Version of the form of packs."""


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
    files = sorted(folder.glob("*.jsonl"))
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
    where = file.as_posix()
    try:
        head, _, body = file.read_bytes().partition(b"\n")
        header = msgspec.json.decode(head, type=PackHeader)
        if header.schema_version != SCHEMA_VERSION:
            raise PackError(f"the pack has version {header.schema_version}", where=where)
        cases = _decoded(body, examples=examples)
    except OSError as error:
        raise PackError(f"the pack cannot be read: {error.strerror}", where=where) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PackError(f"the pack is not well formed: {error}", where=where) from None
    if header.cases != len(cases) or header.digest != hashlib.sha256(body).hexdigest():
        raise PackError("the pack is not as it was written", where=where)
    return header, cases


def _decoded(body: bytes, *, examples: bool) -> tuple[Case, ...]:
    if examples:
        return tuple(msgspec.json.Decoder(Case).decode_lines(body))
    lean = _lean_decoder().decode_lines(body)
    return tuple(Case(*msgspec.structs.astuple(case)) for case in lean)


@functools.cache
def _lean_decoder() -> msgspec.json.Decoder[msgspec.Struct]:
    """Make a decoder of all that a case has but its example, which is its last field."""
    fields = msgspec.structs.fields(Case)
    assert fields[-1].name == "example", "the fields before it are passed by position"
    lean = msgspec.defstruct(
        "LeanCase",
        [
            (field.name, field.type) if field.required else (field.name, field.type, field.default)
            for field in fields[:-1]
        ],
        frozen=True,
    )
    return msgspec.json.Decoder(lean)
