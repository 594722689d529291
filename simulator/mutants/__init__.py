"""
Mutants: the reference with exactly one planted fault each.

A mutant is a subclass that overrides one rule of the session, the validator,
the argument rules or the hub. It names the clause that it breaks and counts
in `faults` how often its fault was reached, so that a mutant which is never
reached is told apart from one that survives.
"""

from __future__ import annotations

from toolassay.simulator.mutants import arguments, durability, groups, order, validation
from toolassay.simulator.mutants.mutant import Mutant

MUTANTS: dict[str, Mutant] = {
    mutant.name: mutant
    for module in (validation, groups, arguments, order, durability)
    for mutant in module.MUTANTS
}
"""All mutants of the reference, by name, in the order of the register's families."""
