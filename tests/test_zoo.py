"""
A zoo of hostile adapters: each gets the right status, in bounded time and memory.

The animals answer like the reference until a scenario with a denied tool sets
them off, which two of the five cases are. What they do to those two must not
touch the other three.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

ZOO = Path(__file__).parent / "data" / "zoo"

DEADLINE_S = 2
"""Seconds that the kit gives a case; enough for an honest answer on a busy machine."""

RUN_S = 60
"""Longest run; what never ends fails the test."""

MEMORY_MAX = 600 * 1024 * 1024
"""Bytes that the kit may take, of which a line of an adapter may be 64 MiB."""

CASES = (
    "ord.plain-call",
    "ord.plain-call[stream=chars]",
    "ord.denied-call-never-runs",
    "ord.denied-call-never-runs[stream=chars]",
    "ord.two-turns",
)
SET_OFF = CASES[2:4]


class Visit(NamedTuple):
    """What came of a run."""

    code: int
    statuses: dict[str, str]
    whys: dict[str, str]
    report: str
    errors: str
    memory: int
    """Bytes, at most."""


def visit(animal: str, children: Path, *words: str) -> Visit:
    """Judge an animal."""
    report = children.with_name("report.ndjson")
    cases = [word for name in CASES for word in ("--case", name)]
    limits = ["--deadline", str(DEADLINE_S), "--start", "20" if animal != "silent" else "1"]
    target = f"stdio:'{sys.executable}' '{ZOO / animal}.py'"
    kit = [sys.executable, "-m", "toolassay", "run", target, *cases, *limits, *words]
    errors = children.with_name("stderr")
    with errors.open("wb") as log:
        run = subprocess.Popen(
            [*kit, "--ndjson", str(report), "--quiet"],
            stdout=subprocess.DEVNULL,
            stderr=log,
            env={**os.environ, "ZOO_CHILDREN": str(children)},
        )
        _, code, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(code)
    text = report.read_text() if report.exists() else ""
    found = [json.loads(line) for line in text.splitlines()]
    lines = [line for line in found if line["type"] == "case"]
    return Visit(
        run.returncode,
        {line["id"]: line["status"] for line in lines},
        {line["id"]: line.get("why", "") for line in lines},
        text,
        errors.read_text(),
        usage.ru_maxrss * 1024,
    )


@pytest.fixture
def children(tmp_path: Path) -> Path:
    """Give the file in which animals write down their children."""
    return tmp_path / "children"


class Animal(NamedTuple):
    """What becomes of an adapter."""

    name: str
    status: str
    """Status of the cases that set it off."""
    words: str
    """What is said of them, as a pattern."""


ANIMALS = (
    Animal("falls_silent", "timeout", f"no answer within {DEADLINE_S} s"),
    Animal("slow", "pass", ""),
    Animal("exits_when_set_off", "crashed", "ended with exit code 1"),
    Animal("garbage", "error", "is no JSON"),
    Animal("half_a_line", "crashed", "in the midst of a line|ended with exit code 0"),
    Animal("half_a_line_and_waits", "timeout", f"no answer within {DEADLINE_S} s"),
    Animal("endless_line", "error", "more than 67108864 bytes"),
    Animal("invalid_utf8", "error", "UTF-8|utf-8"),
    Animal("wrong_id", "error", "answers another request, 424242"),
    Animal("no_id", "error", "answers no request"),
    Animal("notifies", "error", "field `id`"),
    Animal("batches", "error", "wrong shape"),
    Animal("other_shape", "error", "wrong shape.*messages"),
    Animal("unknown_facet", "error", "unknown key 'histroy'"),
    Animal("busy", "error", "200000 executions, more than 10000"),
    Animal("deep", "error", "nested too deeply"),
    Animal("half_a_pair", "error", "half of a surrogate pair"),
    Animal("bad_base64", "error", "base64 is not well formed"),
    Animal("stubborn", "timeout", f"no answer within {DEADLINE_S} s"),
    Animal("outlived", "crashed", "ended with exit code 7"),
    Animal("stderr_flood", "pass", ""),
    Animal("lies_now_and_then", "fail", ""),
    Animal("deaf", "timeout", f"no answer within {DEADLINE_S} s"),
    Animal("closes_its_output", "crashed", "closed its output"),
    Animal("painted", "crashed", "raised: "),
    Animal("big_words", "crashed", "raised: aaa"),
)
"""Those that harm nothing but the cases that set them off."""

CODES = {"pass": 0, "fail": 1}


@pytest.mark.parametrize("animal", ANIMALS, ids=lambda animal: animal.name)
def test_what_an_adapter_does_to_some_cases_leaves_the_others_alone(
    animal: Animal, children: Path
) -> None:
    seen = visit(animal.name, children)

    assert seen.statuses == {
        case: animal.status if case in SET_OFF else "pass" for case in CASES
    }, seen.whys
    assert seen.code == CODES.get(animal.status, 3)
    for case in SET_OFF:
        assert re.search(animal.words, seen.whys[case]), seen.whys[case]
    assert seen.memory < MEMORY_MAX
    assert_harmless(seen)
    assert_dead(children)


WAYWARD = (
    Animal("answers_twice", "pass", "answered a second time"),
    Animal("answers_ahead", "pass", "before request|answers another request"),
    Animal("stdout_flood", "pass", "answers no request|before request|wrong shape"),
    Animal("answers_backwards", "error", "answers come in the order|answers another|no answer"),
)
"""Those whose answers are good, or come, and are more or others than were asked for."""


@pytest.mark.parametrize("animal", WAYWARD, ids=lambda animal: animal.name)
def test_what_nobody_asked_for_is_held_against_the_case_that_is_next(
    animal: Animal, children: Path
) -> None:
    seen = visit(animal.name, children)

    assert seen.code == 3
    assert set(seen.statuses) == set(CASES)
    assert all(seen.statuses[case] == "pass" for case in CASES[:2])
    faulty = [case for case, status in seen.statuses.items() if status in {"error", "timeout"}]
    assert faulty
    assert all(re.search(animal.words, seen.whys[case]) for case in faulty), seen.whys
    assert seen.memory < MEMORY_MAX
    assert_dead(children)


def test_an_adapter_that_dies_now_and_then_costs_the_cases_in_which_it_dies(children: Path) -> None:
    seen = visit("crashes_on_third", children)

    assert [seen.statuses[case] for case in CASES] == ["pass", "pass", "crashed", "pass", "pass"]
    assert "SIGKILL" in seen.whys[CASES[2]]
    assert seen.code == 3


def test_an_adapter_that_says_it_is_deterministic_and_is_not_fails(children: Path) -> None:
    seen = visit("moody", children)

    assert seen.code == 1
    assert [case for case, status in seen.statuses.items() if status == "fail"] == [SET_OFF[0]]
    assert "two equal runs" in seen.report


def test_an_adapter_that_comes_back_as_another_one_ends_the_run_and_keeps_what_was_judged(
    children: Path,
) -> None:
    seen = visit("shifty", children)

    assert seen.code == 4
    assert list(seen.statuses.values()) == ["pass", "pass", "crashed"]
    assert "it says another facets of itself" in seen.report
    assert json.loads(seen.report.splitlines()[-1])["type"] == "footer"


UNUSABLE = (
    Animal("silent", "", "no answer within 1 s"),
    Animal("exits_at_once", "", "the licence has expired"),
    Animal("banner", "", "Welcome to my-agent|no JSON"),
    Animal("speaks_another_protocol", "", "protocol 2|protocol.*2"),
    Animal("boundless_window", "", "window"),
    Animal("lies_of_facets", "", "journal"),
    Animal("lies_of_operations", "", "event/validate"),
)
"""Those that cannot be judged at all."""


@pytest.mark.parametrize("animal", UNUSABLE, ids=lambda animal: animal.name)
def test_an_adapter_that_is_of_no_use_is_refused_before_anything_is_judged(
    animal: Animal, children: Path
) -> None:
    seen = visit(animal.name, children)

    assert seen.code == 4
    assert seen.statuses == {}
    assert re.search(animal.words, seen.errors), seen.errors
    assert len(seen.errors) < 20_000
    assert_dead(children)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_goes_on_through_timeouts_with_several_workers(children: Path, jobs: str) -> None:
    seen = visit("falls_silent", children, "-j", jobs)

    assert list(seen.statuses) == list(CASES)
    assert [case for case, status in seen.statuses.items() if status == "timeout"] == list(SET_OFF)


def test_every_animal_is_visited() -> None:
    visited = {animal.name for animal in (*ANIMALS, *WAYWARD, *UNUSABLE)}
    alone = {"crashes_on_third", "moody", "shifty"}

    assert visited | alone == {path.stem for path in ZOO.glob("*.py")} - {"keeper"}


@pytest.mark.parametrize("form", ["--junit", "--sarif", "--github-summary", "--observations"])
def test_no_report_passes_on_what_would_act_on_its_reader(children: Path, form: str) -> None:
    other = children.with_name("other")

    visit("painted", children, form, str(other))

    raw = other.read_bytes()
    assert b"\x1b" not in raw
    assert b"\x9b" not in raw.replace(b"\xc2\x9b", b"\x9b") or form == "--observations"
    assert "\u202e" not in raw.decode()
    assert "<script>" not in raw.decode() or form in {"--sarif", "--observations"}


def test_the_terminal_is_safe_from_what_an_adapter_says(children: Path) -> None:
    target = f"stdio:'{sys.executable}' '{ZOO / 'painted.py'}'"
    command = [sys.executable, "-m", "toolassay", "run", target, "--case", SET_OFF[0]]

    done = subprocess.run(command, capture_output=True, timeout=RUN_S, check=False)

    said = (done.stdout + done.stderr).decode()
    assert "\\x1b[2J" in said
    assert all(character.isprintable() or character == "\n" for character in said)


def assert_harmless(seen: Visit) -> None:
    """See that nothing which acts on terminals stands in what the kit wrote."""
    for text in (seen.report, seen.errors):
        assert all(character.isprintable() or character == "\n" for character in text)


def assert_dead(children: Path) -> None:
    """See that no child of an animal has outlived the run."""
    if not children.exists():
        return
    end = time.monotonic() + 10
    for number in map(int, children.read_text().split()):
        while _lives(number):
            assert time.monotonic() < end, f"process {number} has outlived the run"
            os.sched_yield()


def _lives(number: int) -> bool:
    """Tell whether a process runs; one that nobody has waited for is dead."""
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
