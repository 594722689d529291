"""`toolassay lint`: check authored vectors."""

from __future__ import annotations

import sys

import click

from toolassay.statuses import Exit

EPILOG = """\b
Examples:
  toolassay lint                  the vectors of the kit, in a checkout
  toolassay lint my_vectors/
  toolassay lint my_vectors/ord.yaml

Exits with 1 if a rule is broken; every fault names file, line and column.
"""


@click.command(epilog=EPILOG)
@click.argument(
    "paths",
    nargs=-1,
)
def lint(paths: tuple[str, ...]) -> int:
    """Check authored vectors: their form, their scenarios, the clauses that they name."""
    from toolassay.authoring.lint import read_cases  # noqa: PLC0415 - help needs none of it
    from toolassay.commands.common import existing, paths_of  # noqa: PLC0415 - as above
    from toolassay.commands.places import own_vectors  # noqa: PLC0415 - as above
    from toolassay.printable import LINE_MAX, many, printable  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above

    out = Out(sys.stdout)  # a reader that goes away does not change the exit code
    given = [existing(path) for path in paths_of(paths)] or [own_vectors()]
    linted = read_cases(given)
    for fault in linted.errors:
        out.line(printable(str(fault), LINE_MAX))
    vectors = many(len({one.case.vector for one in linted.cases}), "vector")
    if linted.errors:
        out.line(f"NON-CONFORMANT: {many(len(linted.errors), 'fault')} in {vectors}")
        return Exit.NON_CONFORMANT
    if not linted.cases:
        out.line("INCOMPLETE: there are no vectors")
        return Exit.INCOMPLETE
    out.line(f"CONFORMANT: {many(len(linted.cases), 'case')} of {vectors}")
    return Exit.CONFORMANT
