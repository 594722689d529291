"""`toolassay fill`: compile vectors and clauses to packs."""

from __future__ import annotations

import sys

import click

from toolassay.commands.common import format_option
from toolassay.spec.errors import UsageError

EPILOG = """\b
Examples:
  toolassay fill                             the kit's own, in a checkout
  toolassay fill --check                     1 if a byte would change
  toolassay fill my_vectors/ --out packs/    your own

A vector whose own observation breaks an oracle is refused.
"""


class NoOutError(UsageError):
    """Vectors of one's own are compiled, and no folder for the packs is named."""

    code = "usage.no-out"


@click.command(epilog=EPILOG)
@click.argument("folder", required=False)
@click.option(
    "--out",
    metavar="FOLDER",
    help="Where the packs go.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a byte would change.")
@format_option
def fill(folder: str | None, out: str | None, *, check: bool, form: str) -> int:
    """Compile authored vectors to packs, with the simulator's observation as example."""
    from pathlib import Path  # noqa: PLC0415 - help needs none of it

    from toolassay.authoring.fill import fill as compile_packs  # noqa: PLC0415 - help needs none of it
    from toolassay.commands.common import existing, paths_of  # noqa: PLC0415 - as above
    from toolassay.commands.places import own_vectors  # noqa: PLC0415 - as above
    from toolassay.reports.fill_report import write_json, write_text  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above
    from toolassay.spec.register import SPEC_FOLDER  # noqa: PLC0415 - as above

    if folder is not None and out is None:
        raise NoOutError("vectors of your own need --out FOLDER", hint=f"--out {folder}/packs")
    source = existing(*paths_of((folder,))) if folder is not None else own_vectors()
    # Sources outside `vectors/` are the kit's own register, which a user's packs leave alone.
    spec = SPEC_FOLDER if folder is None else None
    filled = compile_packs(
        source, Path(out) if out else source / "packs", check=check, spec_dir=spec
    )
    write = write_json if form == "json" else write_text
    return write(Out(sys.stdout), filled, is_check=check)
