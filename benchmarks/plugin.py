"""What pytest's plugin costs per case, beside what plain `parametrize` costs per empty test."""

import sys
import tempfile
from pathlib import Path

from measure import Row, budget, cpu_of, row, show

from toolassay.authoring.packs import load_pack_cases

TITLE = "pytest, CPU microseconds a case"
RATIO_MOST = 0.5

IMPORTS = """\
from toolassay.authoring.packs import load_pack_cases
from toolassay.runner.judging import offered, run_case
from toolassay.runner.rules import rules_of
from toolassay.spec.register import load_register
from toolassay.targets.open import open_target
import toolassay.plugin.collecting
"""

LOAD = IMPORTS + "CASES = load_pack_cases()\n"

FILES = {
    "loaded": LOAD + "def test_nothing(): pass\n",
    "parametrized": LOAD
    + """\
import pytest
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_nothing(case): pass
""",
    # An anchor loads its cases itself.
    "empty": IMPORTS
    + """\
from toolassay.plugin.contract import Contract
from toolassay.results import CaseResult
from toolassay.testing import vectors
Contract.judge = lambda self, case: CaseResult(case, "pass")
test_contract = vectors(target="sim")
""",
    "anchor": """\
from toolassay.testing import vectors
test_contract = vectors(target="sim")
""",
    "parametrized_run": LOAD
    + """\
import pytest
register, target = load_register(), open_target("sim")
rules, offer = rules_of(register, register.profile("core")), offered(target.implementation)
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_case(case):
    assert run_case(target, case, rules, offer=offer).status != "fail"
""",
}


def measure() -> list[Row]:
    count = len(load_pack_cases())
    with tempfile.TemporaryDirectory() as folder:
        spent = cpu_of(_commands(Path(folder)))
    less = {name: (seconds - spent["loaded"]) / count * 1e6 for name, seconds in spent.items()}
    plain, ours = less["parametrized"], less["empty"]
    ratio, whole = ours / plain, less["anchor"] / less["parametrized_run"]
    return [
        row(f"parametrize, {count} empty tests", plain, "us"),
        Row("anchor, as many cases that do nothing", f"{ours:,.0f} us",
            f"{ratio:.2f} x parametrize", budget(ratio, RATIO_MOST)),
        row("parametrize, each test runs a case", less["parametrized_run"], "us"),
        row("anchor, each test runs a case", less["anchor"], "us",
            ratio=f"{whole:.2f} x parametrize"),
    ]  # fmt: skip


def _commands(folder: Path) -> dict[str, list[str | Path]]:
    options = ("-q", "-p", "no:cacheprovider", f"--rootdir={folder}")
    commands: dict[str, list[str | Path]] = {}
    for name, text in FILES.items():
        file = folder / f"test_{name}.py"
        file.write_text(text)
        commands[name] = [sys.executable, "-m", "pytest", *options, file]
    return commands


if __name__ == "__main__":
    show(TITLE, measure())
