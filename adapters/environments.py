"""
Environments of the real implementations: made once, from what their folders lock.

Python packages go to `.venv-peers/NAME`, a compiled adapter to
`.venv-peers/NAME/adapter`, and packages of Node beside their adapter, where
Node looks for them.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / ".venv-peers"

INSTALL_S = 900
"""Longest time for making one environment."""

STAMP = ".made"
"""File that tells of what an environment was made."""


class SetupError(Exception):
    """An environment cannot be made."""


def place_of(folder: Path) -> Path:
    """Give the folder of the environment of an adapter."""
    return ENVIRONMENTS / folder.name


def make_python(folder: Path) -> Path:
    """
    Make the environment of an adapter in Python, unless it is there already.

    Args:
        folder: The folder of the adapter, which holds `requirements.txt`.

    Returns:
        Its interpreter.

    Raises:
        SetupError: It cannot be made.
    """
    lock = folder / "requirements.txt"
    home = place_of(folder)
    python = home / "bin" / "python"
    wanted = _digest([lock], sys.version)
    if not _is_made(home, wanted):
        _say(folder, "making its environment ...")
        _run([sys.executable, "-m", "venv", "--clear", str(home)])
        _run([str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(lock)])
        (home / STAMP).write_text(wanted)
    return python


def make_go(folder: Path) -> Path:
    """
    Build an adapter in Go; what is unchanged is not built again.

    Args:
        folder: The folder of the adapter, which holds `go.mod` and `go.sum`.

    Returns:
        The program.

    Raises:
        SetupError: There is no Go, or it cannot be built.
    """
    program = place_of(folder) / "adapter"
    if not program.exists():
        _say(folder, "building it, with the library ...")
    command = [_tool("go"), "build", "-mod=readonly", "-trimpath", "-o", str(program), "."]
    # Go would fetch another release of itself, if a module asked for it.
    _run(command, folder, {"GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "off"})
    return program


def make_node(folder: Path) -> Path:
    """
    Install the packages of an adapter for Node, unless they are there already.

    Args:
        folder: The folder of the adapter, which holds `package-lock.json`.

    Returns:
        The folder of the packages.

    Raises:
        SetupError: There is no Node, or they cannot be installed.
    """
    node, npm = _tool("node"), _tool("npm")
    packages = folder / "node_modules"
    wanted = _digest([folder / "package-lock.json"], _run([node, "--version"]))
    if not _is_made(packages, wanted):
        _say(folder, "installing its packages ...")
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        _run([npm, "ci", *quiet], folder)
        packages.mkdir(exist_ok=True)  # there is none where nothing is needed
        (packages / STAMP).write_text(wanted)
    return packages


MAKERS = {"python": make_python, "go": make_go, "node": make_node}
"""How the environment of an adapter is made, by what it runs on."""


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SetupError(f"{name} is not installed")
    return found


def _digest(files: list[Path], *parts: str) -> str:
    total = hashlib.sha256()
    for data in (*(path.read_bytes() for path in files), *(part.encode() for part in parts)):
        total.update(data)
    total.update(platform.machine().encode())
    return total.hexdigest()


def _is_made(home: Path, wanted: str) -> bool:
    stamp = home / STAMP
    return stamp.is_file() and stamp.read_text() == wanted


def _say(folder: Path, text: str) -> None:
    print(f"{folder.parent.name}/{folder.name}: {text}", file=sys.stderr, flush=True)


def _run(
    command: list[str], folder: Path | None = None, extra: dict[str, str] | None = None
) -> str:
    """Run a command and give what it says."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(extra or {})},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=INSTALL_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(str(error)) from None
    if done.returncode:
        print(tail(done.stderr), file=sys.stderr)
        said = " ".join((Path(command[0]).name, *command[1:3]))
        raise SetupError(f"{said} ended with exit code {done.returncode}")
    return done.stdout


def tail(text: str) -> str:
    """Give the last lines of what a command said."""
    return "\n".join(text.splitlines()[-15:])
