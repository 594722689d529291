"""All planted faults: mutants of the reference, and mutants of the oracle."""

from __future__ import annotations

from toolassay.properties.mutants import ORACLE_MUTANTS, OracleMutant
from toolassay.simulator.mutants import MUTANTS
from toolassay.simulator.mutants.mutant import Mutant

AnyMutant = Mutant | OracleMutant
"""A planted fault, wherever it is planted."""

ALL_MUTANTS: dict[str, AnyMutant] = {**MUTANTS, **ORACLE_MUTANTS}
"""By name, in the order of reports."""
