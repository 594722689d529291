"""What starting the command line costs, in CPU seconds, beside the interpreter alone."""

import sys
import tempfile
from pathlib import Path

from measure import SCRIPT, Row, cpu_of, row, show

TITLE = "start-up, CPU seconds"
BUDGET_S = 0.15
TRACE = '{"type":"TurnStarted","session_id":"s","loop_id":"l","turn_id":"t"}\n'


def measure() -> list[Row]:
    bare = cpu_of([sys.executable, "-c", "pass"])
    needed = cpu_of([sys.executable, "-c", "import click, msgspec"])
    rows = [row("python -c pass", bare, "s"), _beside("import click, msgspec", needed, bare, 0)]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.jsonl")
        trace.write_text(TRACE)
        commands = {
            "--help": ["--help"],
            "list": ["list"],
            "check, one line": ["check", str(trace)],
            "run, one case from packs": ["run", "sim", "--case", "ord.denied-call-never-runs"],
        }
        for name, arguments in commands.items():
            spent = cpu_of([SCRIPT, *arguments])
            rows.append(_beside(f"toolassay {name}", spent, bare, BUDGET_S))
    return rows


def _beside(what: str, spent: float, bare: float, most: float) -> Row:
    return row(what, spent, "s", most=most, ratio=f"{spent / bare:.1f} x python -c pass")


if __name__ == "__main__":
    show(TITLE, measure())
