"""
Profiles: which clauses count in a run, and for how much.

`pages` is within `core`, which is within `strict`; everything else is an
add-on. Start at `resolve`, which turns a choice such as `core+resume` into a
`Profile`, and at `Profile.scores`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

from toolassay.spec.clause import Clause
from toolassay.spec.errors import UnknownNameError
from toolassay.spec.register_errors import ProfileChoiceError

Score = Literal["scored", "warning", "unscored"]
"""What a broken clause means in a profile; `unscored` is shown and counts for nothing."""

BASES: Final = ("pages", "core", "strict")
"""The base profiles, each within the next."""


MAX_NAME: Final = 64
"""How much of an unknown name is compared with known ones; the rest may be hostile."""


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


def resolve(kinds: Mapping[str, ProfileKind], text: str) -> Profile:
    """
    Resolve a choice of profiles such as `core`, `core@1` or `core+resume+looprig`.

    A version left out is the newest; without a base the base is `core`.

    Raises:
        UnknownNameError: A profile or a version of it does not exist.
        ProfileChoiceError: Two bases are named, or one profile twice.
    """
    order = list(kinds)
    parts = [_part(kinds, part) for part in text.split("+")]
    names = [name for name, _ in parts]
    bases = [name for name in names if name in BASES]
    if len(set(names)) < len(names) or len(bases) > 1:
        raise ProfileChoiceError(f"{text!r} names two bases, or one profile twice")
    if not bases:
        parts.append(_part(kinds, "core"))
    chosen = tuple(sorted(parts, key=lambda part: order.index(part[0])))
    held = dict[str, int]()
    for name, number in chosen:
        _hold(kinds, name, number, held)
    return Profile(chosen, tuple(held.items()))


def near(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Give the known names that look like a name, best first; case does not matter."""
    by_fold = {one.casefold(): one for one in known}
    import difflib  # noqa: PLC0415 - only who asks for an unknown name needs it

    found = difflib.get_close_matches(name.casefold()[:MAX_NAME], by_fold, n=3, cutoff=0.6)
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
