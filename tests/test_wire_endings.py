"""However a run over a wire is ended: no process is left, and the reports are whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fakes import REGISTER

from toolassay.commands.running import AGAIN_S, ending_cleanly
from toolassay.errors import AdapterChangedError
from toolassay.results import CaseFinished, CaseResult, Event, RunFinished, RunStarted
from toolassay.runner import Plan, rules_of, run
from toolassay.spec.case import Case
from toolassay.targets import process
from toolassay.targets.base import Implementation, differing
from toolassay.targets.stdio import StdioTarget

PUPPET = Path(__file__).parent / "puppet.py"

LONG_S = 600.0
"""A deadline that is never waited for; what fails waits for it."""

LINGERING = """
import json, os, signal, sys, time

def linger():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(600)
    with open("living.part", "w") as file:
        file.write(str(os.getpid()))
    os.replace("living.part", "living")
    time.sleep(600)

asked = []
for line in sys.stdin.buffer:
    request = json.loads(line)
    method, answer = request["method"], {"result": {"status": "ok"}}
    asked.append(method)
    if asked.count(sys.argv[1]) == int(sys.argv[2]):
        linger()
    if method == "initialize":
        about = {"protocol": 1, "name": "x", "operations": ["event/validate"], "window": 8}
        answer = {"result": about}
    elif method == "toolassay/unknown":
        answer = {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
    if method == "shutdown":
        break
"""
"""An adapter that stays for ever, with a child, where a method is asked for."""

PHASES = [
    "initialize 1",
    "toolassay/unknown 1",
    "event/validate 1",
    "event/validate 9",
    "shutdown 1",
]
"""Which request of which kind is answered no more: at the start, on trial, while judged, after."""


@pytest.mark.parametrize("jobs", ["1", "3"])
@pytest.mark.parametrize("phase", PHASES)
def test_an_interrupted_run_leaves_no_process_behind_and_whole_reports(
    tmp_path: Path, phase: str, jobs: str
) -> None:
    """A second signal, as `timeout` sends it, cuts nothing short."""
    (tmp_path / "adapter.py").write_text(LINGERING)
    target = f"stdio:'{sys.executable}' -S -E adapter.py {phase}"
    command = [sys.executable, "-m", "toolassay", "run", target, "-j", jobs, "--case", "evt.*"]
    running = subprocess.Popen(
        [*command, "--deadline", str(LONG_S), "--ndjson", "r", "--junit", "j"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while running.poll() is None and not (tmp_path / "living").exists():
        os.sched_yield()
    running.send_signal(signal.SIGTERM)
    running.send_signal(signal.SIGTERM)
    said = running.communicate(timeout=60)
    footer = json.loads((tmp_path / "r").read_text().splitlines()[-1])

    assert running.returncode == 130, said
    assert footer["type"] == "footer"
    assert footer["verdict"] == "interrupted" or phase == "shutdown 1", said
    assert (tmp_path / "j").read_text().rstrip().endswith("</testsuites>")
    assert _group_is_gone(int((tmp_path / "living").read_text()))


def _group_is_gone(leader: int) -> bool:
    """Wait until no process of a group runs; what is dead may not have been noticed yet."""
    end = time.monotonic() + 30
    while _lives(leader):
        if time.monotonic() > end:
            os.killpg(leader, signal.SIGKILL)
            return False
        os.sched_yield()
    return True


def _lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    stats = [path.read_text() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    fields = [stat.rpartition(")")[2].split() for stat in stats]
    return not fields or any(int(own[2]) == leader and own[0] not in "ZX" for own in fields)


def test_signals_in_quick_succession_interrupt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    before = signal.getsignal(signal.SIGTERM)
    with ending_cleanly():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        now += AGAIN_S
        with pytest.raises(KeyboardInterrupt):  # what hangs can be left after all
            signal.raise_signal(signal.SIGINT)

    assert signal.getsignal(signal.SIGTERM) is before


# --- with several workers -------------------------------------------------------------------


def case(text: str, vector: str = "a.b") -> Case:
    """Give a case of one argument text."""
    name = f"{vector}[text={text}]"
    return Case(name, vector, "t", "events", "positive", "arguments/sanitize", arguments=text)


def puppet(folder: Path, misdeed: str = "", **about: object) -> StdioTarget:
    """Start a puppet."""
    words = ("8", misdeed, json.dumps(about))
    command = (sys.executable, "-S", "-E", str(PUPPET), *words)
    return StdioTarget(command, "stdio:puppet", folder=folder)


def plan_of(target: StdioTarget, cases: list[Case], more: object, jobs: int = 2) -> Plan:
    """Make a plan of several workers."""
    started = RunStarted("t", "", "", False, "core", 0, len(cases), "")
    rules = rules_of(REGISTER, REGISTER.profile("core"))
    return Plan(
        target, cases, rules, started, more=more, jobs=jobs, deadline_s=LONG_S  # type: ignore[arg-type]
    )  # fmt: skip


def test_the_case_that_is_waited_for_is_interrupted_too(tmp_path: Path) -> None:
    """It is the last one, and no other case of the run is on its way."""
    hang = "open('hangs', 'w').close(); import time; time.sleep(600)"
    main = threading.main_thread().ident
    assert main is not None

    def interrupt() -> None:
        while not (tmp_path / "hangs").exists():
            os.sched_yield()
        signal.pthread_kill(main, signal.SIGINT)

    target = puppet(tmp_path, hang)
    threading.Thread(target=interrupt, daemon=True).start()
    finished = run(
        plan_of(target, [case("bad")], lambda: puppet(tmp_path, hang)), lambda _event: None
    )
    target.close()

    assert finished.exit_code == 130


def test_a_worker_that_starts_its_adapter_again_is_interrupted_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt that finds no adapter is repeated until there is one."""
    hang = "open('hangs', 'w').close(); import time; time.sleep(600)"
    missed = 0
    real = StdioTarget.interrupt

    def interrupt(target: StdioTarget) -> None:
        nonlocal missed
        missed += 1
        if missed > 4:
            real(target)

    monkeypatch.setattr(StdioTarget, "interrupt", interrupt)
    target = puppet(tmp_path, hang)

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            while not (tmp_path / "hangs").exists():
                os.sched_yield()
            raise KeyboardInterrupt

    cases = [case("one", "a.v0"), *(case("bad", f"a.v{n}") for n in range(1, 9))]
    finished = run(plan_of(target, cases, lambda: puppet(tmp_path, hang)), take)
    target.close()

    assert finished.exit_code == 130


# --- started again --------------------------------------------------------------------------


ABOUT = Implementation("x", "1", ("turn/run",), ("history", "ending"), ("parallel",))


def test_the_order_in_which_an_adapter_names_what_it_has_does_not_matter() -> None:
    """It may come from a set, whose order is another in every process."""
    turned = Implementation("x", "1", ("turn/run",), ("ending", "history"), ("parallel",))

    assert differing(ABOUT, turned) == ()
    assert differing(ABOUT, Implementation("x", "2", ("turn/run",))) == (
        "version", "facets", "features",
    )  # fmt: skip


def test_an_adapter_that_comes_back_as_another_one_is_not_gone_on_with(tmp_path: Path) -> None:
    target = puppet(tmp_path, "os._exit(1)")
    command = target._command
    about = json.dumps({"name": "another"})
    target._command = (*command[:-1], about)

    assert target.run(case("bad"), 0, LONG_S).status == "crashed"
    with pytest.raises(AdapterChangedError, match="it says another name of itself"):
        target.run(case("one"), 0, LONG_S)
    assert target._conversation is None


def test_workers_whose_adapters_differ_judge_nothing(tmp_path: Path) -> None:
    target = puppet(tmp_path)
    found: list[CaseResult] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            found.append(event.result)

    other = puppet(tmp_path, name="another")
    finished: RunFinished = run(plan_of(target, [case("one")], lambda: other), take)
    target.close()

    assert (finished.exit_code, found) == (4, [])
    assert other._conversation is None


def test_an_adapter_that_cannot_be_started_again_ends_the_run_and_keeps_what_was_judged(
    tmp_path: Path,
) -> None:
    target = puppet(tmp_path, "os._exit(1)")
    target._command = (sys.executable, "-S", "-E", "-c", "import sys; sys.exit('no licence')")
    found: list[str] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            found.append(event.result.status)

    cases = [case("one"), case("bad"), case("two")]
    finished = run(plan_of(target, cases, None, jobs=1), take)

    assert found[1:] == ["crashed"]
    assert finished.exit_code == 4
    assert finished.cases["not_run"] == 1
    assert "no licence" in finished.reasons[0]


def test_an_adapter_that_wants_a_reset_gets_it_before_it_is_tried_once_more(
    tmp_path: Path,
) -> None:
    target = puppet(tmp_path, "os._exit(7)", reset=True)
    assert target.run(case("one"), 0, LONG_S).status == "ok"
    bad = [case("bad") for _ in range(25)]
    assert {target.run(one, 0, LONG_S).status for one in bad} == {"crashed"}
    target.close()

    words = (tmp_path / "asked").read_text().splitlines()
    tried = words.index('arguments/sanitize {"path":"a"}')
    assert words[tried - 1] == "reset"


# --- deadlines and bounds -------------------------------------------------------------------


def test_the_time_in_which_the_kit_is_busy_is_not_the_adapter_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer larger than the pipe stays with the adapter while the kit reads nothing."""
    now = time.monotonic
    late = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now() + late)
    big = (
        "#always\ngive(number, result={'status': 'ok', 'outcome': {'status': 'ok',"
        "'stored': 'x' * 300_000, 'executable': '{}'}})"
    )
    target = puppet(tmp_path, big)
    cases = [case(str(number)) for number in range(6)]
    target.foresee(cases, 0, 60.0)
    found = []
    for one in cases:
        found.append(target.run(one, 0, 60.0).status)
        late += 3600.0  # such as a report whose reader went to lunch
    target.close()

    assert found == ["ok"] * 6


@pytest.mark.parametrize(("more", "status"), [(0, "ok"), (1, "error")])
def test_a_line_has_at_most_so_many_bytes_and_not_one_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, status: str
) -> None:
    monkeypatch.setattr(process, "LINE_MAX", 100_000)
    fill = f"line = good(number); say(b' ' * ({100_001 + more} - len(line)) + line)"
    target = puppet(tmp_path, fill)

    answer = target.run(case("bad"), 0, LONG_S)
    target.close()

    assert answer.status == status
