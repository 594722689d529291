"""`toolassay serve`: the reference as an adapter, on standard input and output."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from toolassay.simulator.reference import Reference

EPILOG = """\b
Examples:
  toolassay serve < requests.jsonl                     answers on standard output
  toolassay run sim+stdio                              the kit starts this verb itself
  toolassay run stdio:"toolassay serve"                the same, written out
  toolassay run stdio:"toolassay serve --mutant denied-runs"
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1}}' | toolassay serve

A mutant is the reference with one planted fault: judge it to see that your pipeline
notices. `toolassay mutants` names them all. docs/adapter-protocol.md says what is spoken.
"""


@click.command(epilog=EPILOG)
@click.option("--mutant", metavar="NAME", help="Serve a mutant in place of the reference.")
def serve(mutant: str | None) -> int:
    """Be the reference, as an adapter: a request per line in, an answer per line out."""
    from toolassay.serving import Server  # noqa: PLC0415 - help needs none of it
    from toolassay.serving import serve as serve_lines  # noqa: PLC0415 - as above

    reference = _reference(mutant)
    # Not standard output itself: what anything prints must not meet the protocol.
    with os.fdopen(os.dup(1), "wb") as sink, os.fdopen(os.dup(0), "rb") as source:
        os.dup2(2, 1)
        serve_lines(Server(reference), source, sink)
    return 0


def _reference(name: str | None) -> Reference:
    if name is None:
        from toolassay.simulator.reference import Reference  # noqa: PLC0415 - as above

        return Reference()
    from toolassay.near import unknown  # noqa: PLC0415 - as above
    from toolassay.simulator.mutants import MUTANTS  # noqa: PLC0415 - as above

    if name not in MUTANTS:
        raise unknown("mutant", name, MUTANTS)
    return MUTANTS[name].make()
