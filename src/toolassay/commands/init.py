"""`toolassay init`: write the skeleton of an adapter."""

from __future__ import annotations

import sys

import click

from toolassay.commands.common import format_option

EPILOG = """\b
Examples:
  toolassay init python contract
  toolassay init go contract
  toolassay init ts contract --format json

A skeleton is an adapter, a small agent loop to be replaced by yours, an empty
baseline, a file for CI and a README. It gives a verdict as it stands. For go
and ts the SDK is copied beside it: nothing is fetched. No file is overwritten
without --force.
"""


@click.command(epilog=EPILOG)
@click.argument("language", metavar="python|go|ts")
@click.argument("folder", default=".")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@format_option
def init(language: str, folder: str, *, force: bool, form: str) -> None:
    """Write a skeleton in FOLDER (the current one if not given) that gives a first verdict."""
    from pathlib import Path  # noqa: PLC0415 - help needs none of it

    from toolassay.commands.common import paths_of  # noqa: PLC0415 - as above
    from toolassay.near import unknown  # noqa: PLC0415 - as above
    from toolassay.printable import printable  # noqa: PLC0415 - as above
    from toolassay.reports.documents import SCHEMA_VERSION, encoded  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above
    from toolassay.skeletons import (  # noqa: PLC0415 - as above
        LANGUAGES,
        next_commands,
        skeleton,
        write,
    )

    if language not in LANGUAGES:
        error = unknown("language", language, LANGUAGES)
        error.hint = f"there are {', '.join(LANGUAGES)}"
        raise error
    (place,) = paths_of([folder])
    files = skeleton(language)
    write(files, place, force=force)
    commands = next_commands(files, place if place != Path() else None)
    out = Out(sys.stdout)
    if form == "json":
        document = {
            "schema_version": SCHEMA_VERSION,
            "kind": "init",
            "language": language,
            "folder": _encodable(folder),
            "files": list(files),
            "next": [_encodable(command) for command in commands],
        }
        out.write(encoded(document))
        return
    for name in files:
        out.line(printable(f"wrote {place / name}", 500))
    out.line("")
    out.line("next:")
    for command in commands:
        out.line(printable(f"  {command}", 500))


def _encodable(text: str) -> str:
    """Escape the bytes of a path that are no text."""
    return text.encode("utf-8", "backslashreplace").decode()
