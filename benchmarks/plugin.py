"""What pytest's plugin costs per case, beside what plain `parametrize` costs per empty test."""

import sys
import tempfile
from pathlib import Path

from measure import Row, budget, cpu_of, row, show

from toolassay.authoring.packs import load_pack_cases

TITLE = "pytest, CPU microseconds a case"
RATIO_MOST = 0.5

LOAD = """\
from toolassay.authoring.packs import load_pack_cases
from toolassay.results import RunStarted
from toolassay.runner.engine import Plan, run
from toolassay.runner.judging import offered, run_case
from toolassay.runner.rules import rules_of
from toolassay.spec.register import load_register
from toolassay.targets.open import open_target
import toolassay.plugin.collecting

CASES = load_pack_cases()
"""

FILES = {
    "loaded": LOAD + "def test_nothing(): pass\n",
    "parametrized": LOAD
    + """\
import pytest
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_nothing(case): pass
""",
    "loop": LOAD
    + """\
def test_all():
    register, target = load_register(), open_target("sim")
    rules = rules_of(register, register.profile("core"))
    started = RunStarted("sim", "sim", "1", True, "core", 0, len(CASES), "")
    assert run(Plan(target, CASES, rules, started), lambda event: None).exit_code == 0
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
        spent = {name: _spent(Path(folder), name, text) for name, text in FILES.items()}
    plain = (spent["parametrized"] - spent["loaded"]) / count * 1e6
    ours = (spent["anchor"] - spent["loop"]) / count * 1e6
    work = (spent["loop"] - spent["loaded"]) / count * 1e6
    theirs = (spent["parametrized_run"] - spent["loaded"]) / count * 1e6
    ratio = ours / plain
    whole = (spent["anchor"] - spent["loaded"]) / count * 1e6
    return [
        row(f"parametrize, {count} empty tests", plain, "us"),
        Row("anchor, beside running the cases", f"{ours:,.0f} us", f"{ratio:.2f} x parametrize",
            budget(ratio, RATIO_MOST)),
        row("running the cases, no pytest around each", work, "us"),
        row("parametrize over the same work, less relations", theirs, "us"),
        row("anchor with its work", whole, "us", ratio=f"{whole / theirs:.2f} x the line above"),
    ]  # fmt: skip


def _spent(folder: Path, name: str, text: str) -> float:
    file = folder / f"test_{name}.py"
    file.write_text(text)
    options = ("-q", "-p", "no:cacheprovider", f"--rootdir={folder}")
    return cpu_of([sys.executable, "-m", "pytest", *options, file], times=3)


if __name__ == "__main__":
    show(TITLE, measure())
