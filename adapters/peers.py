"""
Judges the real implementations that the repository has adapters for.

    python adapters/peers.py [NAME ...]
    python adapters/peers.py --setup        only makes their environments

Each peer has an environment of its own below `.venv-peers/`, made once from
its lock file. A peer keeps its known failures in its `baseline.yaml`, so the
known verdict of every peer is exit code 0; anything else fails the run. A peer
whose environment cannot be made is skipped by name, but fails where `CI=true`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ADAPTERS = ROOT / "adapters"
ENVIRONMENTS = ROOT / ".venv-peers"

INSTALL_S = 900
"""Longest time for making one environment."""

RUN_S = 900
"""Longest time for judging one peer."""


@dataclass(frozen=True)
class Peer:
    """One real implementation."""

    name: str
    """Its name in the report."""
    folder: Path
    """Where its adapter and its baseline are."""
    target: str
    """How it is reached, from its folder."""
    requirements: str = ""
    """Its lock file; empty if it needs no environment."""


PEERS = (
    Peer(
        "pydantic-ai",
        ADAPTERS / "python" / "pydantic_ai",
        "python:adapter:Adapter",
        "requirements.txt",
    ),
    Peer("looprig", ADAPTERS / "recorded" / "looprig", "recorded:."),
)


class SetupError(Exception):
    """An environment cannot be made."""


def main(names: list[str]) -> int:
    if names == ["--setup"]:
        return max([set_up(peer) for peer in PEERS if peer.requirements], default=0)
    unknown = [name for name in names if name not in {peer.name for peer in PEERS}]
    if unknown:
        known = ", ".join(peer.name for peer in PEERS)
        print(f"peers: unknown peer {unknown[0]!r}; there are {known}", file=sys.stderr)
        return 2
    wanted = [peer for peer in PEERS if not names or peer.name in names]
    return max([judge(peer) for peer in wanted], default=0)


def set_up(peer: Peer) -> int:
    """Make the environment of one peer; give 1 if that fails and must not."""
    try:
        environment(peer)
    except SetupError as error:
        return lacking(peer, error)
    return 0


def lacking(peer: Peer, error: SetupError) -> int:
    """Say that a peer cannot be set up, which is a failure only in CI."""
    must = os.environ.get("CI") == "true"
    print(f"{peer.name:<14} {'FAILED' if must else 'skipped'}: {error}")
    return int(must)


def judge(peer: Peer) -> int:
    """Judge one peer, print its line, and give 0 if its verdict is the known one."""
    try:
        python = environment(peer) if peer.requirements else None
    except SetupError as error:
        return lacking(peer, error)
    try:
        done = toolassay(peer, python)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{peer.name:<14} FAILED: {error}")
        return 1
    try:
        report = json.loads(done.stdout)
        verdict, counts = report["verdict"], report["counts"]["checks"]
    except (ValueError, KeyError, TypeError):
        print(f"{peer.name:<14} FAILED: exit code {done.returncode} and no report")
        print(tail(done.stderr), file=sys.stderr)
        return 1
    shown = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    print(f"{peer.name:<14} {verdict}: {shown}")
    if done.returncode:
        print(f"  see: {command_of(peer)}")
    return int(done.returncode != 0)


def toolassay(peer: Peer, python: Path | None) -> subprocess.CompletedProcess[str]:
    kit = str(Path(sys.executable).with_name("toolassay"))
    command = [kit, "run", peer.target, "--baseline", "baseline.yaml", "--format", "json"]
    if python is not None:
        command += ["--python", str(python)]
    return subprocess.run(
        command, cwd=peer.folder, capture_output=True, text=True, timeout=RUN_S, check=False
    )


def command_of(peer: Peer) -> str:
    """Give the command that shows what a peer does, for people."""
    folder = peer.folder.relative_to(ROOT)
    python = f" --python {python_of(peer)}" if peer.requirements else ""
    return f"cd {folder} && toolassay run {peer.target} --baseline baseline.yaml{python}"


def environment(peer: Peer) -> Path:
    """
    Make the environment of a peer, unless it is there already.

    Returns:
        Its interpreter.

    Raises:
        SetupError: It cannot be made.
    """
    lock = peer.folder / peer.requirements
    python = python_of(peer)
    stamp = python.parent.parent / ".made"
    wanted = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    print(f"{peer.name:<14} making its environment ...", file=sys.stderr)
    run([sys.executable, "-m", "venv", "--clear", str(python.parent.parent)])
    run([str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(lock)])
    stamp.write_text(wanted)
    return python


def python_of(peer: Peer) -> Path:
    return ENVIRONMENTS / peer.folder.name / "bin" / "python"


def run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(str(error)) from None
    if done.returncode:
        print(tail(done.stderr), file=sys.stderr)
        raise SetupError(f"{' '.join(command[1:4])} ended with exit code {done.returncode}")


def tail(text: str) -> str:
    return "\n".join(text.splitlines()[-15:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
