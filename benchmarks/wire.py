"""What a case costs over a wire, beside a bare echo through the same pipes, in the same run."""

import gc
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from measure import Row, show

from toolassay.authoring.packs import load_pack_cases
from toolassay.cli import GARBAGE_AFTER
from toolassay.results import Event, RunFinished, RunStarted
from toolassay.runner.engine import Plan, run
from toolassay.runner.rules import Rules, rules_of
from toolassay.spec.case import Case, Expectation, ExpectOutcome
from toolassay.spec.register import load_register
from toolassay.statuses import Exit
from toolassay.targets.base import Target
from toolassay.targets.open import open_target
from toolassay.targets.process import CHUNK
from toolassay.targets.requests import Tokens, params_of, request
from toolassay.targets.stdio import StdioTarget

WINDOW = 64
TITLE = f"over a wire, cases a second on the clock on the wall, window {WINDOW}"
LEAST = 10_000
COUNT = 20_000
ECHO = Path(__file__).parent / "echo"


class Spent(NamedTuple):
    """What a piece of work took, in seconds."""

    wall: float
    """On the clock on the wall, since two processes share the work."""
    cpu: float
    """Of this process alone."""


def stateless(count: int) -> list[Case]:
    """Make cases that the echo passes; no two have the same text."""
    cases = []
    for number in range(count):
        text = f'{{"path":"/tmp/{number}","recursive":true,"depth":{number % 7}}}'
        wanted = ExpectOutcome(status="ok", stored=text, executable=text)
        name = f"bench.sanitize[n={number}]"
        cases.append(
            Case(
                name, "bench.sanitize", "Sound arguments stay as they are", "events", "positive",
                "arguments/sanitize", arguments=text,
                expect=(Expectation("ARG-02", outcome=wanted),),
            )
        )  # fmt: skip
    return cases


def measure() -> list[Row]:
    register = load_register()
    rules = rules_of(register, register.profile("core"))
    before = gc.get_threshold()
    gc.set_threshold(GARBAGE_AFTER)  # as the command does
    try:
        return [*_echo_rows(rules), *_overlap_rows(rules)]
    finally:
        gc.set_threshold(*before)


def _echo_rows(rules: Rules) -> list[Row]:
    if shutil.which("go") is None:
        return [Row("compiled echo", "skipped: there is no go to build it")]
    cases = stateless(COUNT)
    with tempfile.TemporaryDirectory() as folder:
        program = _built(Path(folder))
        with (
            subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as echo,
            closing(_opened(f"stdio:{program} {WINDOW}")) as ahead,
            closing(_opened(f"stdio:{program} 1")) as in_turns,
        ):
            lines = _lines(cases)
            bare, alone, judged, slow = _least(
                lambda: _bare(echo, lines),
                lambda: _answers(ahead, cases),
                lambda: _judge(ahead, cases, rules),
                lambda: _judge(in_turns, cases, rules),
            )
    kept = "" if COUNT / judged.wall >= LEAST else "! "
    return [
        Row("bare echo: lines written beforehand", _rate(COUNT, bare)),
        Row("target alone, nothing judged", _rate(COUNT, alone), _beside(bare, alone, "bare echo")),
        Row("runner and oracles", _rate(COUNT, judged), _beside(bare, judged, "bare echo"),
            f"{kept}>= {LEAST}"),
        Row("  the same, by the kit's CPU time", f"{COUNT / judged.cpu:,.0f} /s"),
        Row("runner and oracles, window 1", _rate(COUNT, slow), _beside(bare, slow, "bare echo")),
    ]  # fmt: skip


def _overlap_rows(rules: Rules) -> list[Row]:
    cases = load_pack_cases()
    inside = open_target("sim")
    with closing(_opened("sim+stdio")) as wired:
        of_inside, of_wired = _least(
            lambda: _judge(inside, cases, rules), lambda: _judge(wired, cases, rules)
        )
    return [
        Row("sim, all shipped cases", _rate(len(cases), of_inside)),
        Row("sim+stdio, all shipped cases", _rate(len(cases), of_wired),
            _beside(of_inside, of_wired, "sim")),
    ]  # fmt: skip


def _built(folder: Path) -> str:
    """Build the echo."""
    program = str(folder / "echo")
    environment = {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}
    subprocess.run(["go", "build", "-o", program, "."], cwd=ECHO, env=environment, check=True)
    return program


def _opened(spec: str) -> StdioTarget:
    target = open_target(spec)
    assert isinstance(target, StdioTarget), "what is over a wire is of one kind"
    return target


def _least(*works: Callable[[], object], times: int = 5) -> list[Spent]:
    """Give the least times of several calls of each work; they take turns."""
    found = [Spent(float("inf"), float("inf"))] * len(works)
    for _ in range(times):
        for place, work in enumerate(works):
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            spent = Spent(time.perf_counter() - wall, time.process_time() - cpu)
            found[place] = Spent(*map(min, zip(found[place], spent, strict=True)))
    return found


def _beside(other: Spent, own: Spent, name: str) -> str:
    return f"{other.wall / own.wall:.2f} x {name}"


def _rate(count: int, spent: Spent) -> str:
    return f"{count / spent.wall:,.0f} /s"


def _lines(cases: Sequence[Case]) -> list[bytes]:
    """Write the requests of cases beforehand."""
    tokens = Tokens()
    return [
        request(number, case.operation, params_of(case, tokens.next(), 0, 10.0))
        for number, case in enumerate(cases, start=2)
    ]


def _bare(echo: subprocess.Popen[bytes], lines: Sequence[bytes]) -> None:
    """Send lines that were written beforehand, half a window at a time, and count what comes."""
    assert echo.stdin is not None
    assert echo.stdout is not None
    source, sink = echo.stdout.fileno(), echo.stdin.fileno()
    sent = came = 0
    half = WINDOW // 2
    while came < len(lines):
        if sent - came <= half and sent < len(lines):
            more = min(sent + half, len(lines))
            os.write(sink, b"".join(lines[sent:more]))
            sent = more
        came += os.read(source, CHUNK).count(b"\n")


def _answers(target: StdioTarget, cases: Sequence[Case]) -> None:
    target.foresee(cases)
    for case in cases:
        assert target.run(case).status == "ok"


def _judge(target: Target, cases: Sequence[Case], rules: Rules) -> RunFinished:
    about = target.implementation
    started = RunStarted(
        about.target, about.name, about.version, about.deterministic, rules.profile, 0,
        len(cases), "",
    )  # fmt: skip
    finished = run(Plan(target, cases, rules, started), _forget)
    assert finished.exit_code == Exit.CONFORMANT, finished.reasons
    return finished


def _forget(event: Event) -> None:
    del event


if __name__ == "__main__":
    show(TITLE, measure())
