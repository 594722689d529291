"""
The table of canonical codes: one spelling for what every system spells its own way.

Start at `load_codes`: it reads the compiled `codes.json` beside this module.
The source is `codes.yaml`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec

from toolassay.spec.errors import UnknownNameError
from toolassay.spec.profiles import near
from toolassay.spec.register import SCHEMA_VERSION, SPEC_FOLDER, read_compiled
from toolassay.spec.register_errors import RegisterFileError

GroupName = Literal["rule", "field", "argument", "refusal", "operation", "ending", "result"]
"""What a code names; the same spelling may stand in two groups."""


class Code(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One canonical code."""

    code: str
    """The spelling."""
    meaning: str
    """What it says."""
    clauses: tuple[str, ...]
    """Ids of the clauses that it serves."""
    native: dict[str, tuple[str, ...]] = {}
    """How real systems call it: names by system."""


class CodeGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Codes of one kind."""

    name: GroupName
    """What its codes name."""
    about: str
    """Where its codes appear."""
    codes: tuple[Code, ...]
    """The codes, in the order of the table."""


class CodesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The compiled table, as it stands in its file."""

    schema_version: int
    """Version of this form."""
    groups: tuple[CodeGroup, ...]
    """The groups, in the order of the table."""


class Codes(msgspec.Struct, frozen=True):
    """The whole table."""

    groups: tuple[CodeGroup, ...]
    """The groups, in the order of the table."""

    def group(self, name: str) -> Mapping[str, Code]:
        """
        Give the codes of a group by their spelling.

        Raises:
            UnknownNameError: No group has this name.
        """
        for group in self.groups:
            if group.name == name:
                return MappingProxyType({code.code: code for code in group.codes})
        raise UnknownNameError(
            "group of codes", name, near(name, (one.name for one in self.groups))
        )

    def code(self, group: str, spelling: str) -> Code:
        """
        Give one code.

        Raises:
            UnknownNameError: The group or the code does not exist.
        """
        codes = self.group(group)
        if spelling not in codes:
            raise UnknownNameError(f"{group} code", spelling, near(spelling, codes))
        return codes[spelling]

    def native(self, system: str, group: str, name: str) -> Code | None:
        """Give the code that a system calls by this name; None if the table has none."""
        for code in self.group(group).values():
            if name in code.native.get(system, ()):
                return code
        return None


@functools.lru_cache(maxsize=1)
def load_codes() -> Codes:
    """
    Load the table that ships with the kit.

    Raises:
        RegisterFileError: The compiled file is missing or of another version.
    """
    data = read_compiled(SPEC_FOLDER / "codes.json")
    try:
        file = msgspec.json.decode(data, type=CodesFile)
    except msgspec.MsgspecError as fault:
        raise RegisterFileError(f"the compiled codes cannot be read: {fault}") from None
    if file.schema_version != SCHEMA_VERSION:
        raise RegisterFileError(f"the compiled codes have version {file.schema_version}")
    return Codes(file.groups)


def compile_codes(folder: Path = SPEC_FOLDER) -> bytes:
    """
    Compile the table in a folder laid out like this one.

    Raises:
        RegisterSourceError: One of its leaves, for the first broken rule.
        TextError: One of its leaves, where a file is not readable as YAML.
    """
    # Loaded here, so that no run pays for YAML and schemas that it does not read.
    from toolassay.spec import register_compile  # noqa: PLC0415 - as said

    return register_compile.compile_codes(folder)
