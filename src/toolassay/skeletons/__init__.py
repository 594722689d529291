"""
Skeletons of adapters, one folder per language, and how they are written out.

A skeleton is copied as it stands. A file whose name ends in `.tmpl` loses that
ending: so no tool takes what is meant for a user for a part of this project.
Below `sdk` lies the SDK of the language: in a checkout a link to the folder
below `adapters`, in a wheel its files. What is for developing the SDK, its tests
above all, is left out.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from toolassay.spec.errors import UsageError

__all__ = [
    "LANGUAGES",
    "SkeletonThereError",
    "SkeletonUnwritableError",
    "next_commands",
    "skeleton",
    "write",
]

LANGUAGES = ("python", "go", "ts")
"""Languages that there is a skeleton for."""

SKELETONS = Path(__file__).parent
"""Where they are."""

ENDING = ".tmpl"
"""The ending that a file loses."""

SDK = "sdk"
"""The folder of a skeleton that holds the SDK."""

NAMED_MAX = 5
"""Files that are named where some are in the way."""

_LEFT_OUT = {"__pycache__", "node_modules"}
_LEFT_OUT_OF_SDK = {"test", "tests", "testdata"}
_NOT_OF_USERS = re.compile(r"_test\.go$|\.test\.m?js$|^package-lock\.json$|^\.")
"""Files of an SDK that are for who develops it."""
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class SkeletonThereError(UsageError):
    """
    Files of a skeleton are there already.

    Attributes:
        folder: Where it was to be written.
        names: Files that are in the way.
    """

    code = "usage.skeleton-there"
    hint = "name another folder, or overwrite with --force"

    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        named = ", ".join(names[:NAMED_MAX])
        more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
        super().__init__(f"would overwrite {named}{more}; nothing was written", where=str(folder))
        self.folder = folder
        self.names = names


class SkeletonUnwritableError(UsageError):
    """
    A file of a skeleton cannot be written.

    Attributes:
        path: The file or folder.
    """

    code = "usage.skeleton-unwritable"

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"cannot be written: {why}", where=str(path))
        self.path = path


def skeleton(language: str, skeletons: Path = SKELETONS) -> dict[str, bytes]:
    """Give the files of a skeleton by the names that they will have, in order."""
    root = skeletons / language
    found: dict[str, bytes] = {}
    for folder, folders, names in os.walk(root, followlinks=True):
        place = Path(folder).relative_to(root)
        in_sdk = place.parts[:1] == (SDK,)
        folders[:] = [name for name in folders if not _is_left_out(name, in_sdk=in_sdk)]
        for name in names:
            if not (in_sdk and _NOT_OF_USERS.search(name)):
                written = (place / name.removesuffix(ENDING)).as_posix()
                found[written] = (Path(folder) / name).read_bytes()
    assert found, f"the skeleton for {language} is a part of the kit"
    return dict(sorted(found.items()))


def write(files: Mapping[str, bytes], folder: Path, *, force: bool) -> None:
    """
    Write a skeleton: all of it, or nothing where something is in the way.

    Args:
        files: Its files by name.
        folder: Where; it is made if it is not there.
        force: Overwrite files that are there.

    Raises:
        SkeletonThereError: Files are there, and are not to be overwritten.
        SkeletonUnwritableError: The system refuses a file.
    """
    in_the_way = tuple(name for name in files if os.path.lexists(folder / name))
    if in_the_way and not force:
        raise SkeletonThereError(folder, in_the_way)
    for name in files:
        _check_parents(folder, Path(name))
    for name, data in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if force:
                path.unlink(missing_ok=True)  # what a link points at is not ours to change
            with path.open("xb") as file:
                file.write(data)
        except OSError as fault:
            raise SkeletonUnwritableError(path, fault.strerror or type(fault).__name__) from None


def next_commands(files: Mapping[str, bytes], folder: Path | None) -> tuple[str, ...]:
    """Give the commands that the skeleton's README begins with, from the current folder."""
    block = _COMMANDS.search(files["README.md"].decode())
    assert block is not None, "a README of a skeleton begins with commands"
    commands = block[1].strip().splitlines()
    if folder is None:
        return tuple(commands)
    name = str(folder)
    enter = f"./{name}" if name.startswith("-") else name  # it would be taken for an option
    return (f"cd {shlex.quote(enter)}", *commands)


def _is_left_out(name: str, *, in_sdk: bool) -> bool:
    return name in _LEFT_OUT or (in_sdk and name in _LEFT_OUT_OF_SDK)


def _check_parents(folder: Path, name: Path) -> None:
    """Refuse a file where a folder is wanted, before anything is written."""
    for place in (folder / part for part in (*reversed(name.parents),)):
        if os.path.lexists(place) and not place.is_dir():
            raise SkeletonUnwritableError(place, "it is no folder")
