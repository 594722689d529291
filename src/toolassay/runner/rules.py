"""What a profile makes of a broken clause, ready to be asked once per check."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import msgspec

from toolassay.spec.register import Profile, Register, Score
from toolassay.statuses import Status

if TYPE_CHECKING:  # who wants the rules alone does not load every oracle
    from toolassay.properties.judge import Asked
    from toolassay.results import Check


class Outline(msgspec.Struct, frozen=True):
    """The checks of all cases in which the same facets are there."""

    asked: Asked
    """What the oracles ask; held here, so that it stays what it is looked up by."""
    checks: tuple[Check, ...]
    """One for each named check, as if none applied."""
    passing: tuple[tuple[int, Check], ...]
    """Those that apply, as if all passed, with their places among all."""


class Rules(msgspec.Struct, frozen=True):
    """How verdicts are scored."""

    profile: str
    """The profile, with its versions."""
    broken: Mapping[str, Status]
    """Status of a broken check, by clause; a clause that is not here is not scored."""
    needs: Mapping[str, tuple[str, ...]]
    """Facets that a clause needs in any case."""
    clauses: frozenset[str] | None = None
    """Clauses that are judged; None for all."""
    statuses: Mapping[tuple[str, str], Status] = msgspec.field(default_factory=dict)
    """Status of a check whose clause is scored, by clause and what the oracle says."""
    outlines: dict[int, Outline] = msgspec.field(default_factory=dict)
    """What the checks of a case are before any is asked; filled as cases are judged."""


_BROKEN: dict[Score, Status] = {"scored": "fail", "warning": "warn"}


def rules_of(register: Register, profile: Profile, clauses: Collection[str] = ()) -> Rules:
    """
    Prepare the scoring of a run.

    Args:
        register: All clauses.
        profile: What is scored.
        clauses: The clauses to judge; none means all.
    """
    scores = {clause.id: profile.scores(clause) for clause in register.clauses.values()}
    needs = {clause.id: clause.needs.facets for clause in register.clauses.values()}
    broken = {name: _BROKEN[score] for name, score in scores.items() if score in _BROKEN}
    return rules_for(str(profile), broken, needs, clauses)


def rules_for(
    name: str,
    broken: Mapping[str, Status],
    needs: Mapping[str, tuple[str, ...]],
    clauses: Collection[str] = (),
) -> Rules:
    """Prepare scoring that is given clause by clause; see the fields of `Rules`."""
    statuses: dict[tuple[str, str], Status] = {}
    for clause, status in broken.items():
        statuses[clause, "pass"] = "pass"
        statuses[clause, "fail"] = status
    return Rules(name, broken, needs, frozenset(clauses) or None, statuses)
