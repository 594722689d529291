"""
Compiling the register: from authored YAML to one file that loads fast.

Start at `compile_register`. Every file is read strictly, held against its
JSON Schema and turned into the models; then the rules between fields and
between files are checked, and every complaint names its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import jsonschema
import msgspec

from toolassay.spec import register_errors as errors
from toolassay.spec.clause import Clause, Family
from toolassay.spec.codes import CodeGroup, CodesFile
from toolassay.spec.profiles import BASES, ProfileKind
from toolassay.spec.register import SCHEMA_VERSION, SPEC_FOLDER, RegisterFile
from toolassay.spec.yaml_text import Document, Mark, load_yaml
from toolassay.spec.yaml_text import Path as ValuePath

FAMILIES: Final = (
    "MSG", "ARG", "EVT", "COD", "ORD", "GATE", "DUR", "RED", "EXE", "MCP", "ENC", "STR",
)  # fmt: skip
"""The families, in the order of the register."""

PAGES: Final = ("000", "001", "002", "003", "004")
"""The pages that the contract comes from."""

_CLAUSE_ID: Final = re.compile(r"\b[A-Z]{3,4}-[0-9]{2}[a-z]?\b")
_Value = TypeVar("_Value")


class FamilyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One authored file of clauses."""

    family: str
    """Prefix of every id in it."""
    title: str
    """What the family is called."""
    about: str
    """What its clauses have in common."""
    clauses: tuple[Clause, ...]
    """The records."""


class ProfilesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The authored file of profiles."""

    profiles: tuple[ProfileKind, ...]
    """The profiles, in canonical order."""


class CodesSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The authored file of codes."""

    groups: tuple[CodeGroup, ...]
    """The groups, in the order of the table."""


class Located(NamedTuple):
    """A clause and where it was written."""

    clause: Clause
    """The clause."""
    document: Document
    """The file that holds it."""
    path: ValuePath
    """Its place in the file."""


def compile_register(folder: Path) -> bytes:
    """Compile `clauses/*.yaml` and `profiles.yaml` of a folder; errors as in `register`."""
    profiles = _read_profiles(folder)
    files = [_read_family(folder, name) for name in FAMILIES]
    located = [one for document, file in files for one in _locate(document, file)]
    for one in located:
        _check_clause(one, profiles)
    _check_together(located)
    return _lines(
        RegisterFile(
            SCHEMA_VERSION,
            tuple(profiles.values()),
            tuple(_heading(file) for _, file in files),
            tuple(one.clause for one in located),
        )
    )


def compile_codes(folder: Path) -> bytes:
    """Compile `codes.yaml` of a folder; errors as in `codes`."""
    document, source = _read(folder, Path("codes.yaml"), "codes.json", CodesSource)
    known = {c.id for name in FAMILIES for c in _read_family(folder, name)[1].clauses}
    for g, group in enumerate(source.groups):
        seen = set[str]()
        for c, code in enumerate(group.codes):
            path = ("groups", g, "codes", c)
            if code.code in seen:
                raise _at(errors.DuplicateNameError, f"code {code.code} is twice in {group.name}",
                          document, (*path, "code"))  # fmt: skip
            seen.add(code.code)
            for i, clause in enumerate(code.clauses):
                if clause not in known:
                    raise _at(errors.ClauseReferenceError, f"there is no clause {clause}",
                              document, (*path, "clauses", i))  # fmt: skip
    return _lines(CodesFile(SCHEMA_VERSION, source.groups))


# --- reading --------------------------------------------------------------------------------


def _read(folder: Path, name: Path, schema: str, kind: type[_Value]) -> tuple[Document, _Value]:
    """Read one file: strict YAML, its schema, the models."""
    document = load_yaml((folder / name).read_bytes(), f"spec/{name.as_posix()}")
    rules = json.loads((SPEC_FOLDER / "schemas" / schema).read_bytes())
    faults = list(jsonschema.Draft202012Validator(rules).iter_errors(document.value))
    if faults:
        place, what = min((_place(document, fault), fault.message[:200]) for fault in faults)
        raise errors.RegisterSchemaError(
            what, name=document.name, line=place.line, column=place.column
        )
    return document, msgspec.convert(document.value, kind)


def _place(document: Document, fault: jsonschema.ValidationError) -> Mark:
    """Say where a fault is; the schema complains of an unknown key at the object around it."""
    path: ValuePath = tuple(fault.absolute_path)
    if fault.validator == "additionalProperties":
        instance: Any = fault.instance
        schema: Any = fault.schema
        unknown = [key for key in instance if key not in schema["properties"]]
        return document.key_mark((*path, unknown[0]))
    return document.mark(path)


def _read_family(folder: Path, name: str) -> tuple[Document, FamilyFile]:
    path = Path("clauses") / f"{name.lower()}.yaml"
    document, file = _read(folder, path, "clause.json", FamilyFile)
    if file.family != name:
        raise _at(errors.ClauseFamilyError, f"{path.name} holds the family {file.family}",
                  document, ("family",))  # fmt: skip
    return document, file


def _read_profiles(folder: Path) -> dict[str, ProfileKind]:
    """Read the profiles; each may include only what stands before it or is an add-on."""
    document, file = _read(folder, Path("profiles.yaml"), "profiles.json", ProfilesFile)
    kinds = dict[str, ProfileKind]()
    for i, kind in enumerate(file.profiles):
        if kind.name in kinds:
            raise _at(errors.DuplicateNameError, f"profile {kind.name} stands twice",
                      document, ("profiles", i, "name"))  # fmt: skip
        kinds[kind.name] = kind
    known = {f"{k.name}@{v.number}" for k in kinds.values() for v in k.versions}
    for i, kind in enumerate(file.profiles):
        if [one.number for one in kind.versions] != list(range(1, len(kind.versions) + 1)):
            raise _at(errors.ProfileDataError, f"versions of {kind.name} are not numbered from 1",
                      document, ("profiles", i, "versions"))  # fmt: skip
        for v, version in enumerate(kind.versions):
            for n, name in enumerate(version.includes):
                if name not in known or not _may_include(kinds, kind, name.partition("@")[0]):
                    raise _at(errors.ProfileDataError, f"{kind.name} cannot include {name}",
                              document, ("profiles", i, "versions", v, "includes", n))  # fmt: skip
    return kinds


def _may_include(kinds: dict[str, ProfileKind], kind: ProfileKind, name: str) -> bool:
    """Say whether a base includes an add-on or a narrower base, so that no circle can form."""
    if kind.kind == "add-on":
        return False
    return kinds[name].kind == "add-on" or BASES.index(name) < BASES.index(kind.name)


# --- each clause alone ----------------------------------------------------------------------


def _locate(document: Document, file: FamilyFile) -> Iterator[Located]:
    for i, clause in enumerate(file.clauses):
        yield Located(clause, document, ("clauses", i))


def _check_clause(one: Located, profiles: dict[str, ProfileKind]) -> None:
    _check_source(one)
    _check_profiles(one, profiles)
    _check_since(one, profiles)
    _check_needs(one)


def _check_source(one: Located) -> None:
    clause = one.clause
    for i, page in enumerate(clause.pages):
        if page not in PAGES:
            raise _of(errors.ClauseSourceError, one, f"there is no page {page}", "pages", i)
    if clause.basis == "page" and not clause.pages:
        raise _of(errors.ClauseSourceError, one, "basis page without a page", "pages")
    if not (clause.pages or clause.standard or clause.cases or clause.faults):
        raise _of(errors.ClauseSourceError, one, "no source is named", "basis")


def _check_profiles(one: Located, profiles: dict[str, ProfileKind]) -> None:
    clause = one.clause
    for i, name in enumerate(clause.profiles):
        if name not in profiles:
            raise _of(errors.ClauseProfilesError, one, f"there is no profile {name}", "profiles", i)
    base = tuple(name for name in clause.profiles if profiles[name].kind == "base")
    extra = len(clause.profiles) - len(base)
    wanted = _wanted_bases(clause)
    if not clause.profiles and (clause.level == "MAY" or clause.recorded):
        return
    if base == wanted and clause.level != "MAY" and bool(extra) == (not wanted):
        return
    # A page that speaks of one system's own form is scored in that system's profile alone.
    if clause.basis == "page" and clause.level == "MUST" and not base and extra == 1:
        return
    what = f"{clause.id} ({clause.level}, {clause.basis}) cannot have these profiles"
    raise _of(errors.ClauseProfilesError, one, what, "profiles")


def _wanted_bases(clause: Clause) -> tuple[str, ...]:
    """Give the base profiles that score a clause of this basis and level."""
    if clause.basis == "profile" or clause.level == "MAY":
        return ()
    if clause.level == "SHOULD":
        return ("strict",)
    return BASES if clause.basis == "page" else BASES[1:]


def _check_since(one: Located, profiles: dict[str, ProfileKind]) -> None:
    clause = one.clause
    name, _, number = clause.since.partition("@")
    kind = profiles.get(name)
    if kind is None or int(number) > len(kind.versions):
        raise _of(errors.ClauseSinceError, one, f"there is no profile {clause.since}", "since")
    first = clause.profiles[0] if clause.profiles else name
    expected = "core" if first in BASES else first
    if name != expected:
        what = f"{clause.id} is scored since a version of {expected}, not of {name}"
        raise _of(errors.ClauseSinceError, one, what, "since")


def _check_needs(one: Located) -> None:
    needs, clause = one.clause.needs, one.clause
    some = needs.operations or needs.any_operations or needs.features
    if clause.untestable and needs != type(needs)():
        raise _of(
            errors.ClauseNeedsError, one, f"{clause.id} is untestable and needs something", "needs"
        )
    if not clause.untestable and not some:
        raise _of(
            errors.ClauseNeedsError, one, f"{clause.id} names no operation and no feature", "needs"
        )


# --- clauses together -----------------------------------------------------------------------


def _check_together(located: list[Located]) -> None:
    known = set[str]()
    for one in located:
        clause = one.clause
        if clause.id in known:
            raise _of(errors.DuplicateNameError, one, f"clause {clause.id} stands twice", "id")
        family = one.document.name.rpartition("/")[2].removesuffix(".yaml").upper()
        if clause.family != family:
            raise _of(errors.ClauseFamilyError, one, f"{clause.id} is not of family {family}", "id")
        if clause.id[-1].isalpha() and clause.id[:-1] not in known:
            raise _of(errors.ClauseFamilyError, one, f"{clause.id[:-1]} does not precede it", "id")
        known.add(clause.id)
    for one in located:
        _check_references(one, known)


def _check_references(one: Located, known: set[str]) -> None:
    """Refuse a text that names a clause which is not there."""
    clause = one.clause
    texts = [("text", clause.text), ("note", clause.note), ("untestable", clause.untestable)]
    texts += [("recorded", text) for text in clause.recorded]
    for key, text in texts:
        for name in _CLAUSE_ID.findall(text):
            if name not in known:
                raise _of(errors.ClauseReferenceError, one, f"there is no clause {name}", key)


# --- output and errors ----------------------------------------------------------------------


def _heading(file: FamilyFile) -> Family:
    return Family(file.family, file.title, file.about, tuple(one.id for one in file.clauses))


def _lines(file: RegisterFile | CodesFile) -> bytes:
    """Encode canonically (sorted keys, no spaces), one record a line so that diffs can be read."""
    encoder = msgspec.json.Encoder(order="sorted")
    parts = []
    for key in sorted(file.__struct_fields__):
        value = getattr(file, key)
        if isinstance(value, tuple):
            body = b"[\n" + b",\n".join(encoder.encode(item) for item in value) + b"\n]"
        else:
            body = encoder.encode(value)
        parts.append(encoder.encode(key) + b":" + body)
    return b"{" + b",\n".join(parts) + b"}\n"


def _of(
    kind: type[errors.RegisterSourceError], one: Located, what: str, *path: str | int
) -> errors.RegisterSourceError:
    """Make an error that points into a clause; where the key is absent, at the clause."""
    return _at(kind, what, one.document, (*one.path, *path))


def _at(
    kind: type[errors.RegisterSourceError], what: str, document: Document, path: ValuePath
) -> errors.RegisterSourceError:
    place = document.mark(path)
    return kind(what, name=document.name, line=place.line, column=place.column)
