"""`toolassay mutants`: plant each known fault and see that it is found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from toolassay.commands.common import format_option, load_cases, vector_options

if TYPE_CHECKING:
    from toolassay.planted import AnyMutant

EPILOG = """\b
Examples:
  toolassay mutants
  toolassay mutants --clause ORD-06
  toolassay mutants --budget 0           vectors alone
  toolassay mutants --format json

Exits with 1 if a mutant survives the vectors of its clause, or generation.
"""


@click.command(epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--clause", "clauses", multiple=True, metavar="ID", help="Mutants of this clause alone."
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the simulator and of generation."
)
@click.option(
    "--budget",
    type=click.IntRange(0),
    metavar="N",
    help="Generated cases per mutant; 0 for none. Default 2500.",
)
@format_option
@vector_options
def mutants(
    names: tuple[str, ...],
    clauses: tuple[str, ...],
    seed: int,
    budget: int | None,
    form: str,
    paths: tuple[str, ...],
    *,
    no_shipped: bool,
) -> int:
    """Plant each known fault in the simulator and see that vectors and generation find it."""
    from toolassay.mutation import BUDGET, examine  # noqa: PLC0415 - help needs none of it
    from toolassay.reports.mutants import MutantsReport  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above

    chosen = _chosen(names, clauses)
    budget = BUDGET if budget is None else budget
    report = MutantsReport(Out(sys.stdout), seed, budget, form)
    cases = load_cases(paths, shipped=not no_shipped)
    for one in examine(chosen, cases, seed=seed, budget=budget):
        report.add(one)
    return report.finish()


def _chosen(names: tuple[str, ...], clauses: tuple[str, ...]) -> list[AnyMutant]:
    from toolassay.near import unknown  # noqa: PLC0415 - as above
    from toolassay.planted import ALL_MUTANTS  # noqa: PLC0415 - as above
    from toolassay.selection import check_clauses, matches  # noqa: PLC0415 - as above
    from toolassay.spec.register import load_register  # noqa: PLC0415 - as above

    check_clauses(clauses, load_register().clauses)
    for name in names:
        if not any(matches(name, known) for known in ALL_MUTANTS):
            raise unknown("mutant", name, ALL_MUTANTS)
    return [
        mutant
        for mutant in ALL_MUTANTS.values()
        if (not clauses or mutant.clause in clauses)
        and (not names or any(matches(name, mutant.name) for name in names))
    ]
