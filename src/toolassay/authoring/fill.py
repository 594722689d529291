"""
From authored vectors to packs: `fill`.

The same vectors give the same bytes with every version of Python: packs are
canonical JSON over our own models, and the reference is deterministic.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from toolassay import __version__
from toolassay.authoring import errors
from toolassay.authoring.examples import exemplify
from toolassay.authoring.lint import read_cases
from toolassay.authoring.packs import (
    EXAMPLES_SUFFIX,
    SCHEMA_VERSION,
    Example,
    PackHeader,
)
from toolassay.spec.canonical import canonical
from toolassay.spec.case import Case, Contract
from toolassay.spec.codes import compile_codes
from toolassay.spec.register import SPEC_FOLDER, compile_register, decode_register

__all__ = ["Change", "Filled", "fill"]

CONTRACTS: Final[tuple[Contract, ...]] = get_args(Contract)
"""Each has a pack of its own, if it has vectors."""

REGISTER_FILE: Final = "register.json"
"""The compiled register, beside its sources."""


class Change(msgspec.Struct, frozen=True):
    """One compiled file that is not as it was."""

    file: Path
    """The file."""
    how: Literal["new", "changed", "gone"]
    """What is the matter with it."""
    cases: tuple[str, ...] = ()
    """In a pack, the cases that were added, removed or changed."""


class Filled(msgspec.Struct, frozen=True):
    """What `fill` made, or with `check` would have made."""

    cases: int
    """Number of cases in all packs."""
    changes: tuple[Change, ...]
    """Files that changed; with `check` none of them was written."""
    errors: tuple[errors.Fault, ...]
    """Why nothing was compiled; empty if all is well."""


def fill(
    vectors_dir: Path,
    out_dir: Path,
    *,
    check: bool = False,
    spec_dir: Path | None = None,
) -> Filled:
    """
    Compile vectors to packs.

    Args:
        vectors_dir: Folder of authored vectors.
        out_dir: Folder of packs.
        check: Compare only, and write nothing.
        spec_dir: Folder of the sources of the register, if they are to be
            compiled too; without it the shipped register is used.

    Raises:
        RegisterError: The register or the table of codes is not well formed.
    """
    compiled = _compiled_spec(spec_dir)
    register = compiled.get(REGISTER_FILE) or (SPEC_FOLDER / REGISTER_FILE).read_bytes()
    linted = read_cases([vectors_dir], decode_register(register).clauses)
    if linted.errors:
        return Filled(len(linted.cases), (), linted.errors)
    done = exemplify(linted.cases)
    if done.errors:
        return Filled(len(done.cases), (), done.errors)
    wanted: dict[Path, bytes | None] = {
        (spec_dir or SPEC_FOLDER) / name: data for name, data in compiled.items()
    }
    for contract in CONTRACTS:
        cases = [case for case in done.cases if case.contract == contract]
        lean = [msgspec.structs.replace(case, example=None) for case in cases]
        seen = [Example(case.id, case.example) for case in cases if case.example is not None]
        for suffix, lines in ((".jsonl", lean), (EXAMPLES_SUFFIX, seen)):
            wanted[out_dir / f"{contract}{suffix}"] = _pack(contract, lines, register)
    changes = tuple(_changes(wanted))
    if not check:
        _write(wanted, changes)
    return Filled(len(done.cases), changes, ())


def _compiled_spec(spec_dir: Path | None) -> Mapping[str, bytes]:
    if spec_dir is None:
        return {}
    return {REGISTER_FILE: compile_register(spec_dir), "codes.json": compile_codes(spec_dir)}


def _pack(
    contract: Contract, lines: Sequence[Case] | Sequence[Example], register: bytes
) -> bytes | None:
    """Write the pack of one contract, or its examples; None if there are none."""
    if not lines:
        return None
    body = b"".join(canonical(line) + b"\n" for line in lines)
    header = PackHeader(
        schema_version=SCHEMA_VERSION,
        contract=contract,
        kit=__version__,
        register=hashlib.sha256(register).hexdigest(),
        cases=len(lines),
        digest=hashlib.sha256(body).hexdigest(),
    )
    return canonical(header) + b"\n" + body


def _changes(wanted: Mapping[Path, bytes | None]) -> Iterator[Change]:
    for file, data in wanted.items():
        there = file.read_bytes() if file.is_file() else None
        if there == data:
            continue
        if data is None:
            yield Change(file, "gone")
        elif there is None:
            yield Change(file, "new")
        else:
            cases = _changed_cases(there, data) if file.suffix == ".jsonl" else ()
            yield Change(file, "changed", cases)


def _changed_cases(before: bytes, after: bytes) -> tuple[str, ...]:
    """Name the cases whose lines differ, in the order of their ids."""
    lines = set(before.splitlines()[1:]) ^ set(after.splitlines()[1:])
    return tuple(sorted({_id_in(line) for line in lines}))


class _Named(msgspec.Struct):
    """As much of a line as names it."""

    id: str


def _id_in(line: bytes) -> str:
    try:
        return msgspec.json.decode(line, type=_Named).id
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "(a line that is no case)"


def _write(wanted: Mapping[Path, bytes | None], changes: Sequence[Change]) -> None:
    for change in changes:
        data = wanted[change.file]
        if data is None:
            change.file.unlink()
            continue
        change.file.parent.mkdir(parents=True, exist_ok=True)
        # Written whole beside it first: a pack that is cut short must never stand there.
        partial = change.file.with_suffix(".partial")
        partial.write_bytes(data)
        partial.replace(change.file)
