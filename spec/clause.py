"""What a clause is: one normative sentence, and what is known about it."""

from typing import Literal

import msgspec

Level = Literal["MUST", "SHOULD", "MAY"]
"""What a page states as fact or with "must" is MUST; advice is SHOULD."""

Basis = Literal["page", "derived", "profile"]
"""Why a clause binds: a page says it, it follows from one, or a profile asks for it."""

Contract = Literal["events", "transcript", "execution"]
"""The contract that a clause belongs to."""


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
