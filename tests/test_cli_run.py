"""`toolassay run` from the outside: exit codes, selection, configuration, reports, interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import RAN, FakeTarget

from toolassay.cli import run_cli
from toolassay.targets.base import Answer

VECTORS = """\
- id: ord.cli-denied
  title: A denied call does not run
  contract: events
  kind: negative
  given:
    tools: [{name: write_file}]
    policy: {write_file: deny}
    model:
      - calls: [{id: c1, name: write_file, arguments: '{"path":"a"}'}]
      - text: done
  expect:
    - {clause: ORD-06, executions: {never: {call: c1}}}
- id: msg.cli-answered
  title: A call is answered
  contract: events
  kind: positive
  given:
    tools: [{name: echo}]
    model:
      - calls: [{id: c1, name: echo}]
      - text: done
  expect:
    - {clause: MSG-05, history: {result: {answers: c1}}}
"""

BAD = '''\
import os
import time

DONE = {"role": "assistant", "text": "done"}


class Loop:
    """A loop that asks nobody, and is slow where it is told to be."""

    def initialize(self):
        return {"name": "loop", "version": "1", "operations": ["turn/run"],
                "facets": ["history", "executions"], "features": ["policy"], "deterministic": True}

    def turn_run(self, play):
        if not play.replies[0].calls:
            return {"history": {"messages": [DONE]}, "executions": {"executions": []}}
        call = play.replies[0].calls[0]
        if SLOW and call.id == "c1":  # of a vector: the adapter itself is tried with others
            print("entered", flush=True)
            time.sleep(600)
        held = {"id": call.id, "name": call.name, "arguments": "{}"}
        answer = {"role": "tool", "text": "ok", "tool_use_id": call.id, "is_error": False}
        return {
            "history": {"messages": [{"role": "assistant", "calls": [held]}, answer, DONE]},
            "executions": {"executions": [
                {"tool": call.name, "arguments": "{}", "call_id": call.id}]},
        }


SLOW = False


def make():
    return Loop()


def slow():
    global SLOW
    SLOW = True
    with open("worker", "w") as file:
        file.write(str(os.getpid()))
    return Loop()
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with vectors and an adapter, which is the current one."""
    (tmp_path / "mine.yaml").write_text(VECTORS)
    (tmp_path / "cli_loop.py").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeTarget:
    """A target that is opened whatever is asked for."""
    target = FakeTarget(features=("policy",))
    monkeypatch.setattr("toolassay.commands.running.open_target", lambda *_, **__: target)
    return target


MINE = ("--no-shipped", "--vectors", "mine.yaml")


def said(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int
) -> tuple[list[str], list[str]]:
    result = run_cli(arguments)
    captured = capsys.readouterr()
    assert result == code, captured
    return captured.out.splitlines(), captured.err.splitlines()


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from toolassay.cli import main; main()", *arguments]


# --- verdicts and exit codes ----------------------------------------------------------------


def test_the_simulator_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, errors = said(capsys, "run", "sim", *MINE, code=0)

    assert lines[0].startswith("toolassay-reference")
    assert lines[-1].startswith("CONFORMANT: ")
    assert errors == []


def test_a_loop_that_runs_what_is_denied_does_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        program("run", "python:cli_loop:make", *MINE),
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()

    assert done.returncode == 1, done
    assert lines[0].startswith("FAIL  ")
    assert any("toolassay explain ORD-06" in line for line in lines)
    assert lines[-1].startswith("NON-CONFORMANT: ")
    assert done.stderr == ""


@pytest.mark.parametrize("answer", ["crashed", "timeout", "error"])
def test_what_could_not_be_judged_is_incomplete(
    folder: Path, fake: FakeTarget, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    fake.answers = {"ord.cli-denied": Answer(answer, message="boom")}  # type: ignore[arg-type]
    lines, _ = said(capsys, "run", "fake", *MINE, "--case", "ord.*", code=3)

    assert lines[0].startswith(answer.upper())
    assert lines[-1] == f"INCOMPLETE: cases not judged: 1 {answer}"


def test_no_applicable_case_is_incomplete(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("toolassay.commands.running.open_target", lambda *_, **__: FakeTarget())
    lines, _ = said(capsys, "run", "fake", *MINE, "--case", "ord.cli-denied", code=3)

    assert lines[-3:] == [
        "not applicable 1 case: feature policy 1",
        "not run 0",
        "INCOMPLETE: nothing was judged",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("run",), 2, "error: no target; for example: toolassay run sim"),
        (("run", "sin"), 2, "error: unknown target 'sin' (did you mean sim?)"),
        (("run", "python:no_such_module:make", *MINE), 4, "no_such_module"),
        (("run", "python:cli_loop:nothing", *MINE), 4, "nothing"),
        (("run", "sim", *MINE, "--clause", "ORD-66"), 2, "(did you mean ORD-"),
        (("run", "sim", *MINE, "--family", "odr"), 2, "'odr' (did you mean ord?)"),
        (("run", "sim", *MINE, "--case", "ord.cli-deny"), 2, "did you mean ord.cli-denied?"),
        (("run", "sim", *MINE, "--profile", "cor"), 2, "'cor' (did you mean core?)"),
        (("run", "sim", "--vectors", "none.yaml"), 2, "none.yaml: there is no such file"),
        (("run", "sim", *MINE, "--baseline", "none.yaml"), 2, "none.yaml: cannot be read"),
        (("run", "sim", *MINE, "--ndjson", "no/such/folder"), 2, "cannot be written"),
        (("run", "sim", *MINE, "--ndjson", "-", "--observations", "-"), 2, "both want"),
        (("run", "sim", "--profil", "core"), 2, "--profile"),
        (("run", "sim", "--deadline", "0"), 2, "--deadline"),
        (("runn", "sim"), 2, "unknown command 'runn' (did you mean run?)"),
    ],
)  # fmt: skip
def test_wrong_usage_is_told_in_a_line_with_near_misses(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    says: str,
) -> None:
    lines, errors = said(capsys, *arguments, code=code)

    assert lines == []
    assert says in "\n".join(errors)
    assert not any("Traceback" in line for line in errors)


def test_vectors_that_break_their_format_are_refused_with_every_fault(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "mine.yaml").write_text(VECTORS.replace("ORD-06", "ORD-66").replace("MSG-05", "MS"))
    lines, errors = said(capsys, "run", "sim", *MINE, code=2)

    assert lines == []
    assert "mine.yaml:12:16: " in errors[0]
    assert "ORD-66" in errors[0]
    assert [line[:13] for line in errors[1:]] == ["mine.yaml:13:", "mine.yaml:23:"]


# --- selection ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "asked"),
    [
        ((), ["ord.cli-denied", "msg.cli-answered"]),
        (("--case", "ord.*"), ["ord.cli-denied"]),
        (
            ("--case", "*answered", "--case", "ord.cli-denie?"),
            ["ord.cli-denied", "msg.cli-answered"],
        ),
        (("--family", "MSG"), ["msg.cli-answered"]),
        (("--clause", "ord-06"), ["ord.cli-denied"]),
        (("--contract", "events", "--family", "ord"), ["ord.cli-denied"]),
        (("--contract", "execution"), []),
    ],
)  # fmt: skip
def test_cases_are_selected(
    folder: Path,
    fake: FakeTarget,
    capsys: pytest.CaptureFixture[str],
    flags: tuple[str, ...],
    asked: list[str],
) -> None:
    run_cli(["run", "fake", *MINE, *flags])

    assert fake.asked == asked
    assert fake.closed == 1


def test_generated_cases_run_beside_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "run", "sim", *MINE, "--generate", "5", "--seed", "3", "--ndjson", "r", code=0)
    lines = [json.loads(line) for line in Path("r").read_text().splitlines()]

    generated = {line["id"] for line in lines[1:-1] if line["id"].startswith("generated.")}
    assert len([name for name in generated if "-beside-" not in name]) == 5
    assert lines[0]["selected"] == 2 + len(generated)
    assert lines[0]["seed"] == 3


def test_exitfirst_stops(
    folder: Path, fake: FakeTarget, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.answers = {"ord.cli-denied": RAN}
    lines, _ = said(capsys, "run", "fake", *MINE, "-x", code=1)

    assert fake.asked == ["ord.cli-denied"]
    assert "not run 1" in lines


def test_the_order_of_results_is_that_of_the_cases_under_any_number_of_workers(
    folder: Path,
) -> None:
    reports = []
    for jobs in ("1", "3"):
        done = subprocess.run(
            program("run", "python:cli_loop:make", *MINE, "-j", jobs, "--format", "json"),
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        document = json.loads(done.stdout)
        del document["host"]
        reports.append(document)

    assert reports[0] == reports[1]


# --- configuration --------------------------------------------------------------------------


def test_the_configuration_is_found_above_and_flags_win_over_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.toolassay]\ntarget = "sim"\nprofile = "pages"\nvectors = "mine.yaml"\n'
    )
    (folder / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(folder / "deep/er")
    lines, _ = said(capsys, "run", "--no-shipped", code=0)
    assert any("(sim), pages@1, seed 0" in line for line in lines)

    lines, _ = said(capsys, "run", "--no-shipped", "--profile", "strict", code=0)
    assert any("(sim), strict@1, seed 0" in line for line in lines)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("profil = 'core'", "unknown key 'profil' in [tool.toolassay] (did you mean profile?)"),
        ("deadline = 'long'", "deadline must be a number of seconds"),
        ("deadline = -1", "deadline must be more than 0"),
        ("vectors = [1]", "vectors must be a path or a list of paths"),
        ("profile = ", "not valid TOML"),
        ("profile = ''", "profile is empty"),
        ("vectors = ['']", "vectors is empty"),
        ("deadline = nan", "deadline must be more than 0"),
        (f"vectors = {'[' * 5000}", "not valid TOML"),
    ],
)
def test_a_wrong_configuration_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], table: str, says: str
) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.toolassay]\n{table}\n")
    _, errors = said(capsys, "run", "sim", code=2)

    assert says in errors[0]
    assert str(folder / "pyproject.toml") in errors[0]


@pytest.mark.parametrize("text", ["[project\n", "dependencies = ['toolassay'\n"])
def test_a_broken_project_file_of_someone_else_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (folder / "pyproject.toml").write_text(text)

    said(capsys, "run", "sim", *MINE, code=0)


@pytest.mark.parametrize(
    "text",
    [
        "tool.toolassay.target = 'sim'\n",
        "tool = {toolassay = {target = 'sim'}}\n",
        "[ tool . 'toolassay' ]\ntarget = 'sim'\n",
    ],
)
def test_the_configuration_may_be_written_in_any_way_that_toml_has(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (folder / "pyproject.toml").write_text(text)

    said(capsys, "run", *MINE, code=0)


# --- baseline -------------------------------------------------------------------------------


def test_a_baseline_is_made_kept_and_held_against_the_next_run(
    folder: Path, fake: FakeTarget, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.answers = {"ord.cli-denied": RAN}
    said(capsys, "run", "fake", *MINE, code=1)
    lines, _ = said(capsys, "baseline", "update", "fake", *MINE, "--baseline", "known.yaml", code=0)
    assert lines[-1] == "CONFORMANT: the baseline has 2 entries"
    first = Path("known.yaml").read_text()
    lines, _ = said(capsys, "run", "fake", *MINE, "--baseline", "known.yaml", code=0)
    assert lines[-1].endswith("3 checks known to fail")
    said(capsys, "baseline", "update", "fake", *MINE, "--baseline", "known.yaml", code=0)
    assert Path("known.yaml").read_text() == first

    fake.answers = {}
    lines, _ = said(capsys, "run", "fake", *MINE, "--baseline", "known.yaml", code=1)
    assert any(line.startswith("baseline xpass: ord.cli-denied ORD-06") for line in lines)
    said(capsys, "run", "fake", *MINE, "--baseline", "known.yaml", "--family", "msg", code=0)


def test_a_baseline_of_the_configuration_can_be_ignored(
    folder: Path, fake: FakeTarget, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pyproject.toml").write_text('[tool.toolassay]\nbaseline = "known.yaml"\n')
    said(capsys, "run", "fake", *MINE, code=2)
    said(capsys, "run", "fake", *MINE, "--no-baseline", code=0)


# --- reports --------------------------------------------------------------------------------


def test_standard_output_holds_one_json_document_and_standard_error_the_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, errors = said(capsys, "run", "sim", *MINE, "--format", "json", code=0)

    assert json.loads("\n".join(lines))["verdict"] == "conformant"
    assert errors[-1].startswith("CONFORMANT: ")


def test_ndjson_goes_to_a_file_or_to_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "run", "sim", *MINE, "--ndjson", "report.ndjson", code=0)
    lines, _ = said(capsys, "run", "sim", *MINE, "--ndjson", "-", code=0)
    written = [json.loads(line) for line in Path("report.ndjson").read_text().splitlines()]
    printed = [json.loads(line) for line in lines]
    del written[-1]["host"], printed[-1]["host"]

    assert written == printed


def test_the_same_run_has_the_same_digest_in_a_fresh_process_with_another_hash_seed(
    folder: Path,
) -> None:
    digests = set()
    for seed in ("0", "1"):
        done = subprocess.run(
            program("run", "sim", *MINE, "--format", "json"),
            cwd=folder, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        digests.add(json.loads(done.stdout)["canonical_digest"])

    assert len(digests) == 1


def test_quiet_prints_the_verdict_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, errors = said(capsys, "run", "sim", *MINE, "-q", code=0)

    assert (len(lines), errors) == (1, [])


def test_a_pipe_that_is_closed_makes_no_noise(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        program("run", "sim", *MINE),
        cwd=folder,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_with_130_the_footer_of_the_report_and_no_worker_left(
    folder: Path, number: signal.Signals
) -> None:
    command = program(
        "run", "python:cli_loop:slow", *MINE, "--ndjson", "r", "--junit", "j", "--deadline", "300"
    )
    running = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    report = folder / "r"
    while running.poll() is None and not (report.exists() and report.read_text().endswith("\n")):
        pass  # until the header is there, which is when the run has begun
    running.send_signal(number)
    out, errors = running.communicate(timeout=60)
    footer = json.loads(report.read_text().splitlines()[-1])

    assert running.returncode == 130, (out, errors)
    assert (footer["type"], footer["exit_code"]) == ("footer", 130)
    assert footer["counts"]["cases"]["not_run"] == 2
    assert out.splitlines()[-1].startswith("INTERRUPTED: ")
    assert 'type="interrupted"' in (folder / "j").read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "worker").read_text()), 0)


def test_a_case_that_takes_too_long_is_a_timeout(folder: Path) -> None:
    done = subprocess.run(
        program("run", "python:cli_loop:slow", *MINE, "--deadline", "0.2", "--case", "msg.*"),
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 3
    assert done.stdout.startswith("TIMEOUT  msg.cli-answered")


def test_the_command_that_is_shown_shows_the_divergence_again(folder: Path) -> None:
    done = subprocess.run(
        program("run", "python:cli_loop:make", *MINE, "--profile", "strict"),
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    (again, *_) = (line for line in done.stdout.splitlines() if "see it again:" in line)
    words = again.partition("toolassay ")[2].split()
    repeated = subprocess.run(
        program(*words), cwd=folder, capture_output=True, text=True, check=False
    )

    assert words[-2:] == ["--case", "ord.cli-denied"]
    assert repeated.returncode == 1
    assert repeated.stdout.splitlines()[0] == done.stdout.splitlines()[0]


def test_a_baseline_entry_of_a_vector_that_is_left_out_is_not_unmatched(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("known.yaml").write_text(
        "known:\n"
        "  - {vector: ord.plain-call, clause: ORD-05, outcome: fail, cases: 1, reason: shipped}\n"
    )

    lines, _ = said(capsys, "run", "sim", *MINE, "--baseline", "known.yaml", code=0)
    assert lines[-1].startswith("CONFORMANT")

    Path("known.yaml").write_text(
        "known:\n  - {case: ord.nowhere, clause: ORD-05, outcome: fail, reason: no such case}\n"
    )
    lines, _ = said(capsys, "run", "sim", *MINE, "--baseline", "known.yaml", code=1)
    assert any("unmatched" in line for line in lines)


def test_what_was_seen_can_be_written_and_judged_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "run", "sim", *MINE, "--observations", "seen.jsonl", code=0)
    lines = [json.loads(line) for line in Path("seen.jsonl").read_text().splitlines()]

    assert [line["id"] for line in lines] == ["ord.cli-denied", "msg.cli-answered"]
    assert all(set(line) == {"id", "scenario", "observation"} for line in lines)
    again, _ = said(capsys, "run", "recorded:seen.jsonl", code=0)
    assert again[-1].startswith("CONFORMANT")


def test_two_documents_do_not_share_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for other in (("--format", "json"), ("--ndjson", "-")):
        _, errors = said(capsys, "run", "sim", *MINE, "--observations", "-", *other, code=2)
        assert "want standard output" in errors[0]


def test_a_case_that_crashed_shows_what_the_implementation_said(
    folder: Path, fake: FakeTarget, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.answers = {
        "ord.cli-denied": Answer("crashed", message="ended", detail="a\n\x1b[31mlast\n")
    }
    lines, _ = said(capsys, "run", "fake", *MINE, "--ndjson", "r", code=3)

    assert "      | \\x1b[31mlast" in lines
    assert json.loads(Path("r").read_text().splitlines()[1])["detail"] == "a\n\x1b[31mlast\n"


def test_vectors_that_cannot_be_read_keep_no_other_vector_from_running(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.yaml").write_text("- id: ord.twice\n  id: ord.again\n")
    mine = (*MINE, "--vectors", "broken.yaml")
    lines, errors = said(capsys, "run", "sim", *mine, "--ndjson", "r", code=2)
    report = [json.loads(line) for line in Path("r").read_text().splitlines()]

    assert errors[0].startswith("error: broken.yaml:2:3: ")
    assert lines[-1] == "BROKEN: 1 fault in vectors whose files were not run"
    assert [line["id"] for line in report[1:-1]] == ["ord.cli-denied", "msg.cli-answered"]
    assert report[-1]["faults"] == [errors[0].removeprefix("error: ")]


def test_vectors_that_are_all_broken_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.yaml").write_text("- id: ord.twice\n  id: ord.again\n")
    broken = ("--no-shipped", "--vectors", "broken.yaml")

    for verb in (("run", "sim"), ("baseline", "update", "sim", "--baseline", "known.yaml")):
        _, errors = said(capsys, *verb, *broken, code=2)
        assert errors[0].startswith("error: broken.yaml:2:3: ")
