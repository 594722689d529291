"""`toolassay init`: write the skeleton of an adapter."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from toolassay.commands.common import format_option

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """\b
Examples:
  toolassay init python contract
  toolassay init go contract
  toolassay init ts contract --format json
  toolassay init ts contract --sdk          the SDK alone, from a later kit

A skeleton is an adapter, a small agent loop to be replaced by yours, an empty
baseline, a file for CI and a README. It gives a verdict as it stands. For go
and ts the SDK is copied beside it: nothing is fetched. No file is overwritten
without --force, and none but those of sdk/ with --sdk. For other languages:
docs/adapter-protocol.md.
"""


class Written(msgspec.Struct, frozen=True):
    """What was written, and what to say of it."""

    files: tuple[str, ...]
    """Files, below the folder."""
    commands: tuple[str, ...]
    """Commands to go on with."""
    notes: tuple[str, ...]
    """What else there is to do."""


@click.command(epilog=EPILOG)
@click.argument("language", metavar="python|go|ts")
@click.argument("folder", default=".")
@click.option("--sdk", is_flag=True, help="Renew FOLDER/sdk (go, ts) and touch nothing else.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@format_option
def init(language: str, folder: str, *, sdk: bool, force: bool, form: str) -> None:
    """Write a skeleton in FOLDER (the current one if not given) that gives a first verdict."""
    from toolassay.commands.common import paths_of  # noqa: PLC0415 - help needs none of it

    _check_language(language)
    (place,) = paths_of([folder])
    written = (_sdk if sdk else _skeleton)(language, place, force=force)
    if form == "json":
        _write_document(language, folder, written)
    else:
        _tell(place, written)


def _check_language(language: str) -> None:
    from toolassay.near import near  # noqa: PLC0415 - help needs none of it
    from toolassay.printable import printable  # noqa: PLC0415 - as above
    from toolassay.skeletons import LANGUAGES, MEANT  # noqa: PLC0415 - as above
    from toolassay.spec.errors import UnknownNameError  # noqa: PLC0415 - as above

    if language in LANGUAGES:
        return
    other = MEANT.get(language.casefold())
    meant = near(language, LANGUAGES) if other is None else (other,)
    error = UnknownNameError("language", printable(language, 80), meant)
    error.hint = f"there are {', '.join(LANGUAGES)}"
    if not meant:
        error.hint += "; docs/adapter-protocol.md is all that is needed for any other language"
    raise error


def _skeleton(language: str, place: Path, *, force: bool) -> Written:
    from pathlib import Path  # noqa: PLC0415 - help needs none of it

    from toolassay.skeletons import (  # noqa: PLC0415 - as above
        next_commands,
        skeleton,
        workflow_note,
        write,
    )

    files = skeleton(language)
    write(files, place, force=force)
    note = workflow_note(place)
    commands = next_commands(files, place if place != Path() else None)
    return Written(tuple(files), commands, (note,) if note else ())


def _sdk(language: str, place: Path, *, force: bool) -> Written:
    from pathlib import Path  # noqa: PLC0415 - help needs none of it

    from toolassay.skeletons import next_commands, renew_sdk, skeleton  # noqa: PLC0415 - as above

    files, others = renew_sdk(language, place, force=force)
    commands = next_commands(skeleton(language), place if place != Path() else None)
    notes = tuple(f"{name} is none of this SDK's: delete it if it is not yours" for name in others)
    return Written(tuple(files), commands, notes)


def _write_document(language: str, folder: str, written: Written) -> None:
    from toolassay.reports.documents import SCHEMA_VERSION, encoded  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above

    document = {
        "schema_version": SCHEMA_VERSION,
        "kind": "init",
        "language": language,
        "folder": folder,
        "files": written.files,
        "next": written.commands,
        "notes": written.notes,
    }
    Out(sys.stdout).write(encoded(document))


def _tell(place: Path, written: Written) -> None:
    from toolassay.printable import printable  # noqa: PLC0415 - help needs none of it
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above

    out = Out(sys.stdout)
    for name in written.files:
        out.line(printable(f"wrote {place / name}", 500))
    out.line("")
    out.line("next:")
    for command in written.commands:
        out.line(printable(f"  {command}", 500))
    for note in written.notes:
        out.line(printable(f"  # {note}", 1000))
