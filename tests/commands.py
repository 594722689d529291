"""Commands of skeletons and SDKs, run in a folder by a user who has toolassay on the path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from live import needs

NEEDS_GO = needs(shutil.which("go"))
NEEDS_NODE = needs(shutil.which("node"))

OFFLINE = {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOWORK": "off"}
"""What keeps Go from fetching anything."""

COMMAND_S = 300
"""The longest time of a command."""


def ran(folder: Path, *command: str) -> tuple[int, str]:
    """Run a command; give its exit code, and what it said."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **OFFLINE, "PATH": tools, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=COMMAND_S,
    )
    return done.returncode, done.stdout + done.stderr


def shell(command: str, folder: Path) -> tuple[int, str]:
    """Run a line of a shell."""
    return ran(folder, "sh", "-c", command)
