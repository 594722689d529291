"""`toolassay compare`: implementations side by side, and what the contract leaves open."""

from __future__ import annotations

import sys
from typing import Any

import click

from toolassay.commands.common import (
    errors_as_documents,
    running_options,
    selection_of,
    selection_options,
    vector_options,
)

EPILOG = """\b
Examples:
  toolassay compare sim python:my_agent:adapter
  toolassay compare before=report:main.ndjson after=python:my_agent:adapter
  toolassay compare sim stdio:./adapter --family arg --format markdown
  toolassay compare sim report:a.ndjson report:b.ndjson --format json

\b
A TARGET is what `toolassay run` takes, or report:FILE, the report of an earlier run
(`run --ndjson FILE` or `run --format json`). LABEL=TARGET gives it a name.

Exits with 1 if one of them breaks a clause, with 3 if something could not be judged.
"""


@click.command(epilog=EPILOG)
@click.argument("targets", nargs=-1, metavar="[LABEL=]TARGET...")
@selection_options
@vector_options
@running_options
@click.option("--table", "table_only", is_flag=True, help="Write the table of clauses alone.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "json")),
    default="text",
    help="What standard output holds.",
)
@errors_as_documents
def compare(*, targets: tuple[str, ...], table_only: bool, form: str, **given: Any) -> int:  # noqa: ANN401 - flags are of many types
    """
    Compare implementations by clauses and by what they do.

    Shows which clauses each of them breaks, who behaves like whom, and the
    behaviours that no clause decides: open questions of the contract.
    """
    from toolassay.commands.comparing import exit_code, judged, labelled  # noqa: PLC0415 - help needs none of it
    from toolassay.commands.run_options import RunOptions  # noqa: PLC0415 - as above
    from toolassay.comparison.differences import compare as compare_all  # noqa: PLC0415 - as above
    from toolassay.reports import comparison as report  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above
    from toolassay.spec.register import load_register  # noqa: PLC0415 - as above

    chosen = labelled(targets)
    options = RunOptions(selection=selection_of(given), no_baseline=True, **given)
    compared = [judged(label, target, options) for label, target in chosen]
    found = compare_all(compared, load_register().clauses)
    out = Out(sys.stdout)
    if form == "json":
        report.write_json(out, found)
    elif form == "markdown":
        report.write_markdown(out, found, table_only=table_only)
    else:
        report.write_text(out, found, table_only=table_only)
    out.flush()
    return exit_code(compared)
