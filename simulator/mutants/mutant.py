"""What a mutant is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toolassay.simulator.arguments import Arguments
from toolassay.simulator.hub import Hub
from toolassay.simulator.reference import Reference
from toolassay.simulator.session import Config, Session
from toolassay.simulator.validate import Validator


@dataclass(frozen=True, slots=True)
class Mutant:
    """The reference with one planted fault."""

    name: str
    """Its name, which says what it does wrong."""
    clause: str
    """Id of the clause that it breaks."""
    fault: str
    """The fault, in one sentence."""
    make: Callable[[], Reference]
    """Gives a fresh implementation with the fault."""


def of_session(name: str, clause: str, fault: str, session: type[Session]) -> Mutant:
    """Plant a fault in the session."""
    return Mutant(name, clause, fault, lambda: Reference(session=session))


def of_validator(name: str, clause: str, fault: str, validator: type[Validator]) -> Mutant:
    """Plant a fault in the validator."""
    return Mutant(name, clause, fault, lambda: Reference(validator=validator))


def of_arguments(name: str, clause: str, fault: str, rules: type[Arguments]) -> Mutant:
    """Plant a fault in the rules for argument texts."""
    return Mutant(name, clause, fault, lambda: Reference(config=Config(arguments=rules)))


def of_hub(
    name: str, clause: str, fault: str, hub: type[Hub], session: type[Session] = Session
) -> Mutant:
    """Plant a fault in the hub."""
    return Mutant(name, clause, fault, lambda: Reference(session=session, config=Config(hub=hub)))
