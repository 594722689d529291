"""
The register of clauses, and the profiles that score them.

Start at `load_register`: it reads the compiled `register.json` beside this
module and needs msgspec alone. The sources are `clauses/*.yaml` and
`profiles.yaml`; `python -m toolassay.spec.register` compiles them, and with
`--check` says whether the compiled files are current.
"""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from toolassay.spec.errors import ToolassayError, UnknownNameError
from toolassay.spec.register_errors import ProfileChoiceError, RegisterFileError

Level = Literal["MUST", "SHOULD", "MAY"]
"""What a page states as fact or with "must" is MUST; advice is SHOULD."""

Basis = Literal["page", "derived", "profile"]
"""Why a clause binds: a page says it, it follows from one, or a profile asks for it."""

Contract = Literal["events", "transcript", "execution"]
"""The contract that a clause belongs to."""

Score = Literal["scored", "warning", "unscored"]
"""What a broken clause means in a profile; `unscored` is shown and counts for nothing."""

SCHEMA_VERSION: Final = 1
"""Version of the form of the compiled files."""

BASES: Final = ("pages", "core", "strict")
"""The base profiles, each within the next."""

SPEC_FOLDER: Final = Path(__file__).resolve().parent
"""Where the sources and the compiled files are."""


class Needs(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    What an implementation must offer for a clause to be judged at all.

    A case may need more. `operations`, `facets` and `features` are all needed;
    of `any_operations` and `any_facets` one is enough.
    """

    operations: tuple[str, ...] = ()
    """Operations without which the clause can never be judged."""
    any_operations: tuple[str, ...] = ()
    """Operations of which any one is enough."""
    facets: tuple[str, ...] = ()
    """Facets without which the clause can never be judged."""
    any_facets: tuple[str, ...] = ()
    """Facets of which any one is enough."""
    features: tuple[str, ...] = ()
    """Features without which the clause can never be judged."""


class Clause(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One normative sentence."""

    id: str
    """Family, number, and a letter where one sentence had two bases: `ORD-06`, `ARG-02a`."""
    level: Level
    """How strongly it binds."""
    basis: Basis
    """Why it binds."""
    subject: tuple[str, ...]
    """Who is bound: `runtime`, `validator`, `codec`, `consumer`, ..."""
    contract: Contract
    """The contract that it belongs to."""
    text: str
    """The sentence."""
    profiles: tuple[str, ...]
    """Profiles that score it; empty where it is only recorded."""
    since: str
    """First profile version that scores it, such as `core@1`."""
    pages: tuple[str, ...] = ()
    """Source pages by number, such as `000`."""
    standard: str = ""
    """Outside standard or system that it rests on."""
    cases: tuple[str, ...] = ()
    """Public reports that it rests on, such as `B052`."""
    faults: str = ""
    """Recurrent public fault that it answers, where no single report is named."""
    needs: Needs = Needs()
    """What an implementation must offer for it to be judged."""
    untestable: str = ""
    """Why it cannot be observed; empty where it can."""
    recorded: tuple[str, ...] = ()
    """Behaviours that are recorded and not scored."""
    note: str = ""
    """How to read or judge it."""

    @property
    def family(self) -> str:
        """The family, which is the prefix of the id."""
        return self.id.partition("-")[0]


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group of clauses on one subject."""

    name: str
    """Prefix of its ids."""
    title: str
    """What it is called."""
    about: str
    """What its clauses have in common."""
    clauses: tuple[str, ...]
    """Ids of its clauses, in the order of the register."""


class ProfileVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a profile."""

    number: int
    """The version, from 1."""
    frozen: bool
    """True once released: it scores nothing that it did not score then."""
    includes: tuple[str, ...]
    """Versions of other profiles that it contains, such as `core@1`."""


class ProfileKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A profile that can be chosen."""

    name: str
    """Its name."""
    kind: Literal["base", "add-on"]
    """One base is chosen; add-ons come on top."""
    meaning: str
    """What it asks for."""
    versions: tuple[ProfileVersion, ...]
    """Its versions, oldest first."""


class Profile(msgspec.Struct, frozen=True):
    """A choice of profiles, resolved: what is scored in a run."""

    chosen: tuple[tuple[str, int], ...]
    """Names and versions as chosen, the base first, add-ons in canonical order."""
    held: tuple[tuple[str, int], ...]
    """The same with everything that they include."""

    def __str__(self) -> str:
        """Spell the choice canonically, with versions: `core@1+resume@1`."""
        return "+".join(f"{name}@{number}" for name, number in self.chosen)

    def scores(self, clause: Clause) -> Score:
        """Say what a broken clause means here."""
        held = dict(self.held)
        name, _, number = clause.since.partition("@")
        # The base profiles share one version number, so the chosen base stands for all.
        version = self.chosen[0][1] if name in BASES else held.get(name, 0)
        if version < int(number):
            return "unscored"
        if held.keys().isdisjoint(clause.profiles):
            warned = clause.level == "SHOULD" and "core" in held and "strict" in clause.profiles
            return "warning" if warned else "unscored"
        return "warning" if clause.level == "SHOULD" and "strict" not in held else "scored"


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

        A version left out is the newest; without a base the base is `core`.

        Raises:
            UnknownNameError: A profile or a version of it does not exist.
            ProfileChoiceError: Two bases are named, or one profile twice.
        """
        order = list(self.profiles)
        parts = [_part(self.profiles, part) for part in text.split("+")]
        names = [name for name, _ in parts]
        bases = [name for name in names if name in BASES]
        if len(set(names)) < len(names) or len(bases) > 1:
            raise ProfileChoiceError(f"{text!r} names two bases, or one profile twice")
        if not bases:
            parts.append(_part(self.profiles, "core"))
        chosen = tuple(sorted(parts, key=lambda part: order.index(part[0])))
        held = dict[str, int]()
        for name, number in chosen:
            _hold(self.profiles, name, number, held)
        return Profile(chosen, tuple(held.items()))

    def in_profile(self, text: str) -> tuple[Clause, ...]:
        """
        Give the clauses that count in a choice of profiles, scored or as a warning.

        Raises:
            UnknownNameError: A profile or a version of it does not exist.
            ProfileChoiceError: Two bases are named, or one profile twice.
        """
        profile = self.profile(text)
        return tuple(one for one in self.clauses.values() if profile.scores(one) != "unscored")


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
    from toolassay.spec import register_compile  # noqa: PLC0415

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


def near(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Give the known names that look like a name, best first; case does not matter."""
    by_fold = {one.casefold(): one for one in known}
    found = difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=0.6)
    return tuple(by_fold[one] for one in found)


def _part(kinds: Mapping[str, ProfileKind], part: str) -> tuple[str, int]:
    """Read one part of a choice: a name, or a name and a version."""
    name, at, version = part.strip().partition("@")
    kind = kinds.get(name)
    if kind is None:
        raise UnknownNameError("profile", name, near(name, kinds))
    newest = kind.versions[-1].number
    known = {str(one.number): one.number for one in kind.versions}
    if at and version not in known:
        raise UnknownNameError("profile version", part.strip(), (f"{name}@{newest}",))
    return name, known[version] if at else newest


def _hold(kinds: Mapping[str, ProfileKind], name: str, number: int, held: dict[str, int]) -> None:
    """Add a profile version and all that it includes; the highest version of each stays."""
    held[name] = max(number, held.get(name, 0))
    for included in kinds[name].versions[number - 1].includes:
        inner, _, version = included.partition("@")
        _hold(kinds, inner, int(version), held)


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
