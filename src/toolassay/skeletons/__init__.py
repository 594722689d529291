"""
Skeletons of adapters, one folder per language, and how they are written out.

A skeleton is copied as it stands. A file whose name ends in `.tmpl` loses that
ending: so no tool takes what is meant for a user for a part of this project.
Below `sdk` lies the SDK of the language: in a checkout a link to the folder
below `adapters`, in a wheel its files. What is for developing the SDK, its tests
above all, is left out.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from toolassay.spec.errors import UsageError

__all__ = [
    "LANGUAGES",
    "MEANT",
    "NoSdkError",
    "SkeletonThereError",
    "SkeletonUnwritableError",
    "StrangeSdkError",
    "next_commands",
    "renew_sdk",
    "skeleton",
    "workflow_note",
    "write",
]

LANGUAGES = ("python", "go", "ts")
"""Languages that there is a skeleton for."""

MEANT = {
    "golang": "go",
    "javascript": "ts",
    "js": "ts",
    "mjs": "ts",
    "node": "ts",
    "nodejs": "ts",
    "py": "python",
    "python3": "python",
    "typescript": "ts",
}
"""Other words for them, in small letters."""

SKELETONS = Path(__file__).parent
"""Where they are."""

ENDING = ".tmpl"
"""The ending that a file loses."""

SDK = "sdk"
"""The folder of a skeleton that holds the SDK."""

NAMED_MAX = 5
"""Files that are named where some are in the way."""

WORKFLOW = ".github/workflows/toolassay.yml"
"""The file for CI, which GitHub reads at the top of a repository alone."""

_SDK_MARKS = {
    "go": ("go.mod", b"module toolassay/sdk"),
    "ts": ("package.json", b'"toolassay-sdk"'),
}
"""By language the file of an SDK, and what it holds, by which it is known to be ours."""

_LEFT_OUT = {"__pycache__", "node_modules"}
_LEFT_OUT_OF_SDK = {"test", "tests", "testdata", "trial"}
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


class NoSdkError(UsageError):
    """The SDK of a language is renewed that comes along with none."""

    code = "usage.no-sdk"
    hint = "the SDK of python is toolassay.adapter, a part of the kit: install a later kit"

    def __init__(self, language: str) -> None:
        super().__init__(f"the skeleton for {language} has no {SDK}/")


class StrangeSdkError(UsageError):
    """A folder of the SDK's name is there, and holds something else."""

    code = "usage.strange-sdk"
    hint = "name the folder of your adapter, or overwrite with --force"

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"is no SDK of toolassay: {why}; nothing was written", where=str(folder))


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
        SkeletonUnwritableError: Something of another kind is in the way, or the system
            refuses a file.
    """
    in_the_way = tuple(name for name in files if os.path.lexists(folder / name))
    if in_the_way and not force:
        raise SkeletonThereError(folder, in_the_way)
    for name in files:
        _check_place(folder, Path(name))
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


def renew_sdk(language: str, folder: Path, *, force: bool) -> tuple[dict[str, bytes], list[str]]:
    """
    Write the SDK of a language below a folder, in place of the one that is there.

    Args:
        language: Which.
        folder: The folder of the adapter; nothing but its `sdk` is touched.
        force: Write it into a folder of that name that holds something else.

    Returns:
        The files that were written, and the names of others that lie between them: those
        of an earlier SDK, or the user's own.

    Raises:
        NoSdkError: The language comes along with none.
        StrangeSdkError: The folder holds something else.
        SkeletonUnwritableError: As for `write`.
    """
    if language not in _SDK_MARKS:
        raise NoSdkError(language)
    place = folder / SDK
    if os.path.lexists(place) and not force:
        name, mark = _SDK_MARKS[language]
        if mark not in _content(place / name):
            raise StrangeSdkError(place, f"its {name} says nothing of it")
    files = {name: data for name, data in skeleton(language).items() if name.startswith(f"{SDK}/")}
    write(files, folder, force=True)
    kept = {name.partition("/")[2].partition("/")[0] for name in files} | _LEFT_OUT
    others = [one.name for one in place.iterdir() if one.name not in kept]
    return files, [f"{SDK}/{name}" for name in sorted(others)]


def workflow_note(folder: Path) -> str:
    """Say what to do with the file for CI where GitHub does not read it; empty if it does."""
    place = folder.resolve()
    top = next((one for one in (place, *place.parents) if os.path.lexists(one / ".git")), place)
    if top == place:
        return ""
    return (
        f"GitHub reads workflows at the top of a repository alone: move {WORKFLOW} "
        f"to {top / WORKFLOW}, and write `working-directory: {place.relative_to(top)}` in it"
    )


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


def _check_place(folder: Path, name: Path) -> None:
    """Refuse what is in the way of a file, or not to be written, before anything is."""
    for part in reversed(name.parents):
        place = folder / part
        if not os.path.lexists(place):
            continue
        if not place.is_dir():
            raise SkeletonUnwritableError(place, "it is no folder")
        if part != Path() and place.is_symlink():  # what it points at is not ours to change
            raise SkeletonUnwritableError(place, "it is a link")
        if not os.access(place, os.W_OK | os.X_OK):
            raise SkeletonUnwritableError(place, os.strerror(errno.EACCES))
    path = folder / name
    if path.is_dir() and not path.is_symlink():
        raise SkeletonUnwritableError(path, "it is a folder")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""
