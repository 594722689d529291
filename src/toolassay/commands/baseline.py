"""`toolassay baseline update`: keep a file of known failures current."""

from __future__ import annotations

from typing import Any

import click

from toolassay.commands.common import (
    format_option,
    running_options,
    selection_of,
    selection_options,
    vector_options,
)

EPILOG = """\b
Examples:
  toolassay baseline update python:my_agent:adapter --baseline known.yaml
  toolassay baseline update python:my_agent:adapter --baseline known.yaml --family ord

Entries that still fail stay as they are, comments included. Entries that pass or match
nothing leave; numbers and outcomes are corrected; new failures are added, each to be
explained. Entries outside the selection are left alone.
"""


@click.group()
def baseline() -> None:
    """Keep a file of known failures current."""


@baseline.command(epilog=EPILOG)
@click.argument("target", required=False)
@click.option("--baseline", metavar="FILE", help="The file; made if it does not exist.")
@selection_options
@vector_options
@running_options
@format_option
def update(**given: Any) -> int:  # noqa: ANN401 - flags are of many types
    """Run a target, and rewrite its baseline to what it shows."""
    from toolassay.commands.run_options import RunOptions  # noqa: PLC0415 - help needs none of it
    from toolassay.commands.updating import update_baseline  # noqa: PLC0415 - as above

    return update_baseline(RunOptions(selection=selection_of(given), **given))
