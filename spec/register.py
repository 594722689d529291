"""
The register of clauses, and the profiles that score them.

Start at `load_register`: it reads the compiled `register.json` beside this
module and needs msgspec alone. The sources are `clauses/*.yaml` and
`profiles.yaml`; `python -m toolassay.spec.register` compiles them, and with
`--check` says whether the compiled files are current.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from toolassay.spec.clause import Basis, Clause, Contract, Family, Level, Needs
from toolassay.spec.errors import ToolassayError, UnknownNameError
from toolassay.spec.profiles import Profile, ProfileKind, ProfileVersion, Score, near, resolve
from toolassay.spec.register_errors import RegisterFileError

__all__ = [
    "Basis",
    "Clause",
    "Contract",
    "Family",
    "Level",
    "Needs",
    "Profile",
    "ProfileKind",
    "ProfileVersion",
    "Register",
    "Score",
    "compile_register",
    "load_register",
    "parse_profile",
]

SCHEMA_VERSION: Final = 1
"""Version of the form of the compiled files."""

SPEC_FOLDER: Final = Path(__file__).resolve().parent
"""Where the sources and the compiled files are."""


class Register(msgspec.Struct, frozen=True):
    """All clauses and all profiles."""

    clauses: Mapping[str, Clause]
    """Clauses by id, in the order of the register."""
    profiles: Mapping[str, ProfileKind]
    """Profiles by name, in canonical order."""
    headings: tuple[Family, ...]
    """The families, in the order of the register."""

    def clause(self, clause_id: str) -> Clause:
        """
        Give a clause by its id.

        Raises:
            UnknownNameError: No clause has this id.
        """
        found = self.clauses.get(clause_id)
        if found is None:
            raise UnknownNameError("clause", clause_id, near(clause_id, self.clauses))
        return found

    def families(self) -> tuple[Family, ...]:
        """Give the families, in the order of the register."""
        return self.headings

    def family(self, name: str) -> Family:
        """
        Give a family by its name.

        Raises:
            UnknownNameError: No family has this name.
        """
        for heading in self.headings:
            if heading.name == name:
                return heading
        raise UnknownNameError("family", name, near(name, (one.name for one in self.headings)))

    def profile(self, text: str) -> Profile:
        """
        Resolve a choice of profiles such as `core`, `core@1` or `core+resume+looprig`.

        Raises:
            UnknownNameError: A profile or a version of it does not exist.
            ProfileChoiceError: Two bases are named, or one profile twice.
        """
        return resolve(self.profiles, text)


class RegisterFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The compiled register, as it stands in its file."""

    schema_version: int
    """Version of this form."""
    profiles: tuple[ProfileKind, ...]
    """Profiles in canonical order."""
    families: tuple[Family, ...]
    """Families in the order of the register."""
    clauses: tuple[Clause, ...]
    """Clauses in the order of the register."""


@functools.lru_cache(maxsize=1)
def load_register() -> Register:
    """
    Load the register that ships with the kit.

    Raises:
        RegisterFileError: The compiled file is missing or of another version.
    """
    return decode_register(read_compiled(SPEC_FOLDER / "register.json"))


def decode_register(data: bytes) -> Register:
    """
    Read a compiled register.

    Raises:
        RegisterFileError: It is not of this version of the kit.
    """
    try:
        file = msgspec.json.decode(data, type=RegisterFile)
    except msgspec.MsgspecError as fault:
        raise RegisterFileError(f"the compiled register cannot be read: {fault}") from None
    if file.schema_version != SCHEMA_VERSION:
        raise RegisterFileError(f"the compiled register has version {file.schema_version}")
    return Register(
        MappingProxyType({clause.id: clause for clause in file.clauses}),
        MappingProxyType({kind.name: kind for kind in file.profiles}),
        file.families,
    )


def parse_profile(text: str) -> Profile:
    """
    Resolve a choice of profiles against the register that ships with the kit.

    Raises:
        UnknownNameError: A profile or a version of it does not exist.
        ProfileChoiceError: Two bases are named, or one profile twice.
    """
    return load_register().profile(text)


def compile_register(folder: Path = SPEC_FOLDER) -> bytes:
    """
    Compile the sources of the register in a folder laid out like this one.

    Raises:
        RegisterSourceError: One of its leaves, for the first broken rule.
        TextError: One of its leaves, where a file is not readable as YAML.
    """
    # Loaded here, so that no run pays for YAML and schemas that it does not read.
    from toolassay.spec import register_compile  # noqa: PLC0415 - as said

    return register_compile.compile_register(folder)


def read_compiled(path: Path) -> bytes:
    """
    Read a compiled file.

    Raises:
        RegisterFileError: It is missing.
    """
    try:
        return path.read_bytes()
    except OSError as fault:
        raise RegisterFileError(f"{path.name} cannot be read: {fault.strerror}") from None


def main(arguments: list[str]) -> int:
    """Write the compiled files, or with `--check` say which of them are not current."""
    from toolassay.spec import codes  # noqa: PLC0415 - as in `compile_register`

    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python -m toolassay.spec.register [--check]\n")
        return 2
    try:
        built = {"register.json": compile_register(), "codes.json": codes.compile_codes()}
    except ToolassayError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    stale = [name for name, data in built.items() if _on_disk(name) != data]
    for name in stale:
        if not arguments:
            (SPEC_FOLDER / name).write_bytes(built[name])
        sys.stdout.write(f"{name} {'is not current' if arguments else 'written'}\n")
    return 1 if stale and arguments else 0


def _on_disk(name: str) -> bytes:
    path = SPEC_FOLDER / name
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
