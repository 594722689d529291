"""How things are measured here: CPU time, the least of several runs, and rows of one table."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = Path(sys.executable).with_name("toolassay")


class Row(NamedTuple):
    """One line of the table."""

    what: str
    """What was measured."""
    value: str
    """How much it is, with its unit."""
    ratio: str = ""
    """How it compares with something else measured in the same run."""
    budget: str = ""
    """What it may be at most; `!` stands before one that is not kept."""


def row(what: str, value: float, unit: str, *, most: float = 0.0, ratio: str = "") -> Row:
    """Make a row of a value with an upper bound."""
    text = f"{value:,.3f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
    return Row(what, text, ratio, budget(value, most) if most else "")


def budget(value: float, most: float) -> str:
    """Show an upper bound, and whether it is kept."""
    return f"{'! ' if value > most else ''}<= {most:g}"


def cpu_of(commands: Mapping[str, Sequence[str | Path]], times: int = 5) -> dict[str, float]:
    """
    Give the least CPU seconds of several runs of each command, its children included.

    The commands take turns, so that a busy moment of the machine meets all of them.
    """
    found = dict.fromkeys(commands, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        # Modules are compiled once, as an installation does, whatever the environment says.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(times):
            for name, command in commands.items():
                found[name] = min(found[name], _cpu_once(command, environment))
    return found


def _cpu_once(command: Sequence[str | Path], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def least(*works: Callable[[], object], times: int = 5) -> list[float]:
    """
    Give the least CPU seconds of several calls of each work, in this process.

    The works take turns, so that a busy moment of the machine meets all of them.
    """
    found = [float("inf")] * len(works)
    for _ in range(times):
        for place, work in enumerate(works):
            began = time.process_time()
            work()
            found[place] = min(found[place], time.process_time() - began)
    return found


def show(title: str, rows: Sequence[Row]) -> None:
    """Print a table."""
    widths = [max(len(one[n]) for one in rows) for n in range(3)]
    print(f"\n{title}")
    for one in rows:
        cells = (one.what.ljust(widths[0]), one.value.rjust(widths[1]), one.ratio.ljust(widths[2]))
        print(f"  {'   '.join((*cells, one.budget))}".rstrip())
