"""What starting the command line costs, in CPU seconds, beside the interpreter alone."""

import sys
import tempfile
from pathlib import Path

from measure import SCRIPT, Row, cpu_of, row, show

TITLE = "start-up, CPU seconds"
BUDGET_S = 0.15
BARE = "python -c pass"
NEEDED = "import click, msgspec"
CASE = "ord.denied-call-never-runs"
TRACE = '{"type":"TurnStarted","session_id":"s","loop_id":"l","turn_id":"t"}\n'


def measure() -> list[Row]:
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.jsonl")
        trace.write_text(TRACE)
        commands: dict[str, list[str | Path]] = {
            BARE: [python, "-c", "pass"],
            NEEDED: [python, "-c", "import click, msgspec"],
            "toolassay --help": [SCRIPT, "--help"],
            "toolassay list": [SCRIPT, "list"],
            "toolassay check, one line": [SCRIPT, "check", trace],
            "toolassay run, one case from packs": [SCRIPT, "run", "sim", "--case", CASE],
        }
        spent = cpu_of(commands, times=7)
    bare = spent.pop(BARE)
    rows = [row(BARE, bare, "s")]
    for name, value in spent.items():
        rows.append(_beside(name, value, bare, 0 if name == NEEDED else BUDGET_S))
    return rows


def _beside(what: str, spent: float, bare: float, most: float) -> Row:
    return row(what, spent, "s", most=most, ratio=f"{spent / bare:.1f} x python -c pass")


if __name__ == "__main__":
    show(TITLE, measure())
