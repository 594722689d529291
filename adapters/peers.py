"""
Judges the real implementations that the repository has adapters for.

    python adapters/peers.py [NAME ...]
    python adapters/peers.py --setup        only makes their environments
    python adapters/peers.py --write        also renews the table in README.md

Each implementation keeps its known failures in a baseline, so the known verdict
of every one is exit code 0; anything else fails. One whose environment cannot be
made (there is no Go, say) is skipped by name, but fails where `CI=true`. When all
were judged they are compared, and the table in README.md has to be the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from environments import (
    ENVIRONMENTS,
    MAKERS,
    ROOT,
    SetupError,
    make_node,
    place_of,
    tail,
)

ADAPTERS = ROOT / "adapters"
REPORTS = ENVIRONMENTS / "reports"

RUN_S = 600
"""Longest time for judging one implementation."""

BEGIN, END = "<!-- peers: begin -->\n", "<!-- peers: end -->"
"""Around the table in README.md."""


@dataclass(frozen=True)
class Peer:
    """One real implementation."""

    name: str
    """Its name in the report."""
    folder: Path
    """Where its adapter and its baseline are."""
    runs_on: str
    """What its adapter runs on: `python`, `go` or `node`; empty for recordings."""
    target: str
    """How it is reached, from its folder."""
    baseline: str = "baseline.yaml"
    """Its known failures."""
    page: str = ""
    """The page of its findings, where it is not called as it is."""

    @property
    def findings(self) -> str:
        """The page of its findings."""
        return f"{self.page or self.name}.md"

    @property
    def python(self) -> Path | None:
        """The interpreter of its worker."""
        return place_of(self.folder) / "bin" / "python" if self.runs_on == "python" else None


def in_python(name: str, folder: str) -> Peer:
    return Peer(name, ADAPTERS / "python" / folder, "python", "python:adapter:Adapter")


def in_go(name: str, folder: str, *flags: str, baseline: str = "baseline.yaml") -> Peer:
    home = ADAPTERS / "go" / folder
    program = os.path.relpath(place_of(home) / "adapter", home)
    target = " ".join((f"stdio:{program}", *flags))
    return Peer(name, home, "go", target, baseline, page=folder)


def in_node(name: str, folder: str) -> Peer:
    return Peer(name, ADAPTERS / "ts" / folder, "node", "stdio:node adapter.mjs")


PEERS = (
    in_python("pydantic-ai", "pydantic_ai"),
    in_python("openai-agents", "openai_agents"),
    in_python("strands", "strands"),
    in_go("fantasy", "fantasy", "--repair", baseline="baseline-repair.yaml"),
    in_go("fantasy-norepair", "fantasy"),
    in_node("ai", "ai"),
    in_node("openai-agents-js", "openai_agents"),
    Peer("looprig", ADAPTERS / "recorded" / "looprig", "", "recorded:."),
)


def main(words: list[str]) -> int:
    if words == ["--setup"]:
        return set_up_all()
    write = words == ["--write"]
    names = [] if write else words
    unknown = [name for name in names if name not in {peer.name for peer in PEERS}]
    if unknown:
        known = ", ".join(peer.name for peer in PEERS)
        print(f"peers: unknown peer {unknown[0]!r}; there are {known}", file=sys.stderr)
        return 2
    wanted = [peer for peer in PEERS if not names or peer.name in names]
    print(
        row("implementation", "version", "runs on", "seconds", "verdict, with its known failures")
    )
    worst = max([judge(peer) for peer in wanted], default=0)
    if names:
        return worst
    return max(worst, compare(write=write))


# --- environments ---------------------------------------------------------------------------


def set_up_all() -> int:
    """Make every environment, once for each folder; give 1 if one fails that must not."""
    peers = {peer.folder: peer for peer in PEERS if peer.runs_on}.values()
    worst = max([set_up(peer.name, partial(environment, peer)) for peer in peers])
    return max(worst, set_up("ts/sdk", partial(make_node, ADAPTERS / "ts" / "sdk")))


def set_up(name: str, make: Callable[[], object]) -> int:
    try:
        make()
    except SetupError as error:
        return lacking(name, error)
    return 0


def lacking(name: str, error: SetupError) -> int:
    """Say that something cannot be set up, which is a failure only in CI."""
    must = os.environ.get("CI") == "true"
    print(f"{name:<24} {'FAILED' if must else 'skipped'}: {error}")
    return int(must)


def environment(peer: Peer) -> None:
    """
    Make the environment of an implementation, unless it is there already.

    Raises:
        SetupError: It cannot be made.
    """
    if peer.runs_on:
        MAKERS[peer.runs_on](peer.folder)


# --- judging --------------------------------------------------------------------------------


def judge(peer: Peer) -> int:
    """Judge one implementation, print its line, and give 0 if its verdict is the known one."""
    report_of(peer).unlink(missing_ok=True)  # an old report is not to be taken for a new one
    try:
        environment(peer)
    except SetupError as error:
        return lacking(peer.name, error)
    began = time.monotonic()
    try:
        done = toolassay(peer)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{peer.name:<24} FAILED: {error}")
        return 1
    try:
        head, foot = read_report(report_of(peer))
        version, verdict = head["implementation"]["version"], foot["verdict"]
        counts = foot["counts"]["checks"]
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        print(f"{peer.name:<24} FAILED: exit code {done.returncode} and no report")
        print(tail(done.stderr), file=sys.stderr)
        return 1
    shown = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    seconds = f"{time.monotonic() - began:.1f}"
    print(row(peer.name, version, peer.runs_on or "recorded", seconds, f"{verdict}: {shown}"))
    if done.returncode:
        print(f"  see: {command_of(peer)}")
    return int(done.returncode != 0)


def row(name: str, version: str, runs_on: str, seconds: str, verdict: str) -> str:
    return f"{name:<24} {version:<9} {runs_on:<9} {seconds:>7}  {verdict}"


def report_of(peer: Peer) -> Path:
    return REPORTS / f"{peer.name}.ndjson"


def read_report(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the first and the last line of a report."""
    lines = path.read_text().splitlines()
    return json.loads(lines[0]), json.loads(lines[-1])


def toolassay(peer: Peer) -> subprocess.CompletedProcess[str]:
    REPORTS.mkdir(parents=True, exist_ok=True)
    known = ["--baseline", peer.baseline, "--ndjson", str(report_of(peer)), "--quiet"]
    python = ["--python", str(peer.python)] if peer.python else []
    jobs = ["-j", "2"] if peer.runs_on else []
    return kit(["run", peer.target, *known, *python, *jobs], peer.folder)


def kit(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("toolassay")), *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=RUN_S, check=False
    )


def command_of(peer: Peer) -> str:
    """Give the command that shows what an implementation does, for people."""
    folder = peer.folder.relative_to(ROOT)
    target = f'"{peer.target}"' if " " in peer.target else peer.target
    python = f" --python {peer.python}" if peer.python else ""
    return f"cd {folder} && toolassay run {target} --baseline {peer.baseline}{python}"


# --- comparing ------------------------------------------------------------------------------


def compare(*, write: bool) -> int:
    """Compare what was judged; give 1 if README.md tells otherwise."""
    lacking_any = [peer.name for peer in PEERS if not report_of(peer).exists()]
    if lacking_any:
        print(f"not compared, since not all were judged: {', '.join(lacking_any)} missing")
        return 0  # whatever made it missing has been told, and counted
    reports = [f"{peer.name}=report:{report_of(peer)}" for peer in PEERS]
    done = kit(["compare", *reports, "--table", "--format", "markdown"], ROOT)
    if done.returncode not in {0, 1} or not done.stdout:  # 1: some of them break clauses
        print(f"the comparison FAILED: {tail(done.stderr)}")
        return 1
    print(f"\n{done.stdout}", end="")
    return renew(ROOT / "README.md", done.stdout, write=write)


def renew(page: Path, table: str, *, write: bool) -> int:
    """Hold the table of a page against a new one, or replace it."""
    text = page.read_text()
    before, begin, rest = text.partition(BEGIN)
    held, end, after = rest.partition(END)
    if not begin or not end:
        print(f"{page.name} has no place for the table")
        return 1
    if write:
        page.write_text(f"{before}{BEGIN}{table}{END}{after}")
    elif held != table:
        print(f"the table in {page.name} is another one; `make peers-table` renews it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
