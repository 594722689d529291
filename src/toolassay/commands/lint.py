"""`toolassay lint`: check authored vectors."""

from __future__ import annotations

import sys

import click

from toolassay.commands.common import format_option
from toolassay.spec.errors import UsageError

EPILOG = """\b
Examples:
  toolassay lint                  the vectors of the kit, in a checkout
  toolassay lint my_vectors/
  toolassay lint my_vectors/ord.yaml
  toolassay lint my_vectors/ --sarif report.sarif

Exits with 1 if a rule is broken; every fault names file, line and column.
"""


class SarifFileError(UsageError):
    """The report in SARIF has no file of its own."""

    code = "usage.sarif"


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1)
@click.option("--sarif", metavar="FILE", help="Write SARIF: faults at their lines.")
@format_option
def lint(paths: tuple[str, ...], sarif: str | None, form: str) -> int:
    """Check authored vectors: their form, their scenarios, the clauses that they name."""
    import contextlib  # noqa: PLC0415 - help needs none of it

    from toolassay.authoring.lint import read_cases  # noqa: PLC0415 - as above
    from toolassay.commands.common import existing, paths_of  # noqa: PLC0415 - as above
    from toolassay.commands.places import own_vectors  # noqa: PLC0415 - as above
    from toolassay.commands.reporting import check_names, opened  # noqa: PLC0415 - as above
    from toolassay.reports.lint_report import write_json, write_sarif, write_text  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above

    given = [existing(path) for path in paths_of(paths)] or [own_vectors()]
    if sarif == "" or (sarif == "-" and form == "json"):
        raise SarifFileError("--sarif wants a file of its own")
    for path in given:
        check_names((sarif, str(path)))
    with contextlib.ExitStack() as stack:
        file = opened(stack, sarif)  # before anything is read: it may be impossible
        linted = read_cases(given)
        if file is not None:
            write_sarif(Out(file), linted)
    if form == "json":
        return write_json(Out(sys.stdout), linted)
    return write_text(Out(sys.stderr if sarif == "-" else sys.stdout), linted)
