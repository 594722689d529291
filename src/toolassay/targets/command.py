"""Commands as users write them: their words, shell syntax in them, why one cannot be run."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from toolassay.errors import TargetSyntaxError
from toolassay.printable import printable

_QUOTED: Final = "\0"
"""Stands for a character that quotes keep from a shell; no command holds it."""

_BLANKS: Final = " \t\r\n"

_OPERATOR: Final = re.compile(r"\d*[<>]|\|{1,2}|&{1,2}|;|.*;$", re.DOTALL)
_EXPANDED: Final = re.compile(r"~(?:/|$)|\$[\w{(\0]|`")
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*=")

_SHELL: Final = "write stdio:sh -c '...', or quote the word to have it as it stands"


def words_of(target: str, command: str) -> tuple[str, ...]:
    """
    Split a command as a shell would.

    Raises:
        TargetSyntaxError: It cannot be split, or it is meant for a shell.
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        what = f"cannot be split into words: {str(error).lower()}"
        raise TargetSyntaxError(target, what, hint="quote it as for a shell") from None
    if not words or not words[0] or _QUOTED in command:
        what = "names no command"
        hint = "write stdio:COMMAND, such as stdio:./my_adapter"
        raise TargetSyntaxError(target, what, hint=hint)
    _refuse_shell_syntax(target, words, _bare(command))
    return words


def _refuse_shell_syntax(target: str, words: Sequence[str], bare: Sequence[str]) -> None:
    """Refuse what would be handed on as it stands, and was meant otherwise."""
    for word, seen in zip(words, bare, strict=True):
        if _OPERATOR.match(seen) or _EXPANDED.match(seen):
            raise TargetSyntaxError(target, _is_syntax(word), hint=_SHELL)
    if _ASSIGNED.match(bare[0]):
        hint = f"write stdio:env {printable(words[0], 80)} ..., or stdio:sh -c '...'"
        raise TargetSyntaxError(target, _is_syntax(words[0]), hint=hint)


def _is_syntax(word: str) -> str:
    return f"holds {printable(word, 80)!r}: this is shell syntax, and no shell reads the command"


def _bare(command: str) -> list[str]:
    """Split a command that is well quoted, and blot out what its quotes keep from a shell."""
    words: list[str] = []
    word, quote, escaped = None, "", False
    for char in command:
        if not quote and not escaped and char in _BLANKS:
            words += [] if word is None else [word]
            word = None
            continue
        word = word or ""
        if escaped:
            word, escaped = word + _QUOTED, False
        elif char == quote or (not quote and char in "'\""):
            quote = "" if quote else char
        elif char == "\\" and quote != "'":
            escaped = True
        else:  # a shell looks for variables in double quotes too
            word += char if not quote or (quote == '"' and char in "$`") else _QUOTED
    return words + ([] if word is None else [word])


def not_run(command: Sequence[str], folder: Path, error: OSError) -> tuple[str, str]:
    """Say why a command cannot be run, and what to do about it."""
    name, place = printable(command[0], 200), printable(str(folder), 400)
    what = f"{name!r} cannot be run: {error.strerror} (in {place})"
    if not folder.is_dir():
        return f"{what}: there is no such folder", "the command is run in that folder"
    path = folder / command[0] if os.sep in command[0] else None
    if error.errno == errno.ENOENT:
        return what, _if_absent(command[0], path, folder)
    if path is not None and path.is_dir():
        return what, f"{name!r} is a folder, and no program"
    if error.errno == errno.EACCES:
        return what, f"chmod +x makes it a program; or name its interpreter, as in python3 {name}"
    if error.errno == errno.ENOEXEC:
        hint = "it is no program of this machine; if it is a script, its first line names its"
        return what, f"{hint} interpreter (#!/usr/bin/env ...), or the command does"
    return what, "the command is run as it stands; no shell reads it"


def _if_absent(name: str, path: Path | None, folder: Path) -> str:
    """Say what to do about a program that is not there, or seems not to be."""
    said = printable(name, 200)
    script = path or shutil.which(name)
    if script and Path(script).exists():
        first = _first_line(Path(script))
        return f"it is there, but not the interpreter that its first line names: {first}"
    if path is None and (folder / name).is_file():
        return f"a program of the folder is written with it: stdio:./{said}"
    return (
        f"there is no program {said!r}; the command was split at blanks, so quote a path that "
        "holds one, and no shell reads it: what a shell alone knows needs stdio:sh -c '...'"
    )


def _first_line(path: Path) -> str:
    """Show the first line of a script."""
    try:
        with path.open("rb") as file:
            line = file.readline(256)
    except OSError:
        return "it cannot be read"
    return f"`{printable(line.rstrip().decode(errors='backslashreplace'), 120)}`"
