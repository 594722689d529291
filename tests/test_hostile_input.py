"""What careless and malicious people give to the kit: odd files, closed streams, evil text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolassay.cli import run_cli
from toolassay.commands.running import NAME_MAX
from toolassay.errors import TargetSyntaxError
from toolassay.recordings.errors import RecordingFileError
from toolassay.reports.documents import encoded, encoded_line
from toolassay.reports.out import WIDE, Out, OutputError, style_of
from toolassay.targets.open import open_target

VECTOR = """\
- id: msg.answered
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

ADAPTER = """\
import sys


class Adapter:
    def __init__(self, misdeed):
        self.turn_run = misdeed

    def initialize(self):
        return {"name": "evil", "version": "1", "operations": ["turn/run"],
                "facets": ["history"], "features": [], "deterministic": False}


class Trap(dict):
    def items(self):
        raise RuntimeError("not so fast")


def generator_exit():
    def misdeed(play):
        raise GeneratorExit

    return Adapter(misdeed)


def own_exception():
    class Own(BaseException):
        def __str__(self):
            raise self

    def misdeed(play):
        raise Own

    return Adapter(misdeed)


def trap():
    return Adapter(lambda play: Trap(history=Trap(messages=[])))


def prints():
    def misdeed(play):
        print("{ this is no report")
        return {"history": {"messages": []}}

    return Adapter(misdeed)


def orphans(limit):
    seen = []

    def misdeed(play):
        seen.append(play)
        if len(seen) > limit:
            raise KeyboardInterrupt
        orphan = {"role": "tool", "text": "x", "tool_use_id": "nobody", "is_error": False}
        return {"history": {"messages": [orphan]}}

    return Adapter(misdeed)


def breaks_a_clause():
    return orphans(100000)


def is_interrupted_later():
    return orphans(1)


class Loud(Adapter):
    def __init__(self):
        super().__init__(lambda play: {"history": {"messages": []}})

    def initialize(self):
        return {**super().initialize(), "name": "n" * 100_000, "version": "v" * 100_000}


def closes():
    def misdeed(play):
        sys.stdout = None
        return {"history": {"messages": []}}

    return Adapter(misdeed)
"""

ALONE = ("--no-shipped", "--vectors", "good.yaml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a vector and an adapter, which is the current one."""
    (tmp_path / "good.yaml").write_text(VECTOR)
    (tmp_path / "evil_adapter.py").write_text(ADAPTER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int
) -> tuple[list[str], list[str]]:
    result = run_cli(arguments)
    captured = capsys.readouterr()
    assert result == code, captured
    return captured.out.splitlines(), captured.err.splitlines()


def program(folder: Path, *arguments: str, **streams: int) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from toolassay.cli import main; main()", *arguments]
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(command, cwd=folder, check=False, timeout=60, **how)  # type: ignore[call-overload,no-any-return]


# --- files ----------------------------------------------------------------------------------


def test_a_folder_with_odd_files_is_linted_to_its_end(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "circle.yaml").symlink_to("circle.yaml")
    (folder / "nowhere.yaml").symlink_to("there is no such file")
    (folder / "folder.yaml").mkdir()
    (folder / "device.yaml").symlink_to("/dev/zero")
    (folder / "x.yxml").write_text("no vectors")
    os.mkfifo(folder / "pipe.yaml")
    lines, _ = said(capsys, "lint", ".", code=1)

    assert [line.partition(":")[0] for line in lines[:-1]] == [
        "circle.yaml", "device.yaml", "nowhere.yaml", "pipe.yaml",
    ]  # fmt: skip
    assert lines[-1] == "NON-CONFORMANT: 4 faults in 1 vector"


def test_a_name_of_a_file_cannot_reach_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a\x1b[31m\nb.yaml").write_text("")
    for arguments in (("lint", "."), ("fill", ".", "--out", "out")):
        lines, _ = said(capsys, *arguments, code=1)
        assert lines[0].startswith("a\\x1b[31m\\nb.yaml:1:1: ")


def test_vectors_that_were_asked_for_and_are_not_there_are_missed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty").mkdir()
    _, errors = said(capsys, "run", "sim", "--vectors", "empty", code=2)

    assert errors == ["error: empty: there are no vectors"]


def test_a_recording_is_a_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(RecordingFileError, match="no regular file"):
            open_target(f"recorded:{path}")


def test_a_file_without_end_is_no_baseline(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, errors = said(capsys, "run", "sim", *ALONE, "--baseline", "/dev/zero", code=2)

    assert "the text has more than" in errors[0]


def test_the_name_of_a_file_is_no_module(folder: Path) -> None:
    with pytest.raises(TargetSyntaxError) as caught:
        open_target("python:evil_adapter.py:prints")

    assert caught.value.hint == "write python:evil_adapter:prints"


# --- configuration and flags ---------------------------------------------------------------


def test_a_project_file_that_is_a_pipe_is_not_waited_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(folder / "pyproject.toml")

    said(capsys, "run", "sim", *ALONE, code=0)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--deadline", "nan"), "--deadline is no number"),
        (("--baseline", ""), "--baseline is empty"),
        (("--profile", ""), "--profile is empty"),
        (("--vectors", ""), "a path is empty"),
        (("--keep", "folder"), "--keep is for what --generate finds"),
        (("--in-process",), "--in-process is for python: targets"),
        (("--python", "python3"), "--python is for python: targets"),
        (("--in-process", "-j", "2"), "--in-process has one worker"),
    ],
)
def test_a_flag_that_says_nothing_or_would_be_passed_over_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...], says: str
) -> None:
    lines, errors = said(capsys, "run", "sim", *ALONE, *flags, code=2)

    assert (lines, len(errors)) == ([], 1)
    assert says in errors[0]


# --- streams --------------------------------------------------------------------------------


def test_a_closed_stream_changes_no_exit_code(folder: Path) -> None:
    command = '"$@" <&- >&- 2>&-'
    for arguments, code in (
        (("run", "sim", *ALONE), 0),
        (("run", "sim", *ALONE, "--ndjson", "-"), 0),
        (("run", "nothing"), 2),
        (("lint", "."), 0),
        (("check", "-"), 2),
    ):
        start = [sys.executable, "-c", "from toolassay.cli import main; main()"]
        done = subprocess.run(
            ["/bin/sh", "-c", command, "sh", *start, *arguments], cwd=folder, check=False
        )
        assert (arguments, done.returncode) == (arguments, code)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_full_disk_is_told_in_a_line_and_is_no_fault_of_the_kit(folder: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        for arguments in (
            ("run", "sim", *ALONE), ("run", "sim", *ALONE, "--format", "json"),
            ("lint", "."), ("list",), ("--help",),
        ):  # fmt: skip
            done = program(folder, *arguments, stdout=full)
            assert (arguments, done.returncode) == (arguments, 2)
            assert done.stderr.decode().splitlines()[1:] == []
            assert b"No space left on device" in done.stderr
    finally:
        os.close(full)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_report_that_cannot_be_written_is_named() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as stream:
        out = Out(stream)
        out.write("x")
        with pytest.raises(OutputError, match="/dev/full: cannot be written"):
            out.flush()
        assert out.gone


def test_a_folder_that_is_gone_is_no_fault_of_the_kit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    _, errors = said(capsys, "run", "sim", "--no-shipped", code=2)

    assert errors == ["error: No such file or directory"]


@pytest.mark.parametrize("columns", ["99999999", "9" * 5000])
def test_a_terminal_has_a_largest_width(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    assert style_of(sys.stdout).width <= WIDE


# --- text -----------------------------------------------------------------------------------


def test_no_document_holds_what_a_terminal_acts_on() -> None:
    evil = "\x1b[31m\x9b31m\x7f\u202e\u2028\ufeff\U000e0041 \ud83d"[:-1] + "\u00e9\U0001f600"
    for write in (encoded, encoded_line):
        text = write({evil: evil})
        shown = text.replace("\n", "").replace("\u00e9", "").replace("\U0001f600", "")
        assert shown.isascii()
        assert shown.isprintable()
        assert json.loads(text) == {evil: evil}


def test_a_report_holds_the_beginning_of_a_name_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = "python:evil_adapter:Loud"
    said(capsys, "run", target, *ALONE, "--in-process", "--ndjson", "report", code=1)
    about = json.loads((folder / "report").read_text().splitlines()[0])["implementation"]

    assert (about["name"], about["version"]) == ("n" * NAME_MAX, "v" * NAME_MAX)


# --- adapters in this process ---------------------------------------------------------------


@pytest.mark.parametrize("factory", ["generator_exit", "own_exception", "trap"])
def test_in_process_whatever_is_thrown_is_a_crash_of_the_implementation(
    folder: Path, capsys: pytest.CaptureFixture[str], factory: str
) -> None:
    target = f"python:evil_adapter:{factory}"
    lines, errors = said(capsys, "run", target, *ALONE, "--in-process", code=3)

    assert errors == []
    assert lines[-1] == "INCOMPLETE: cases not judged: 1 crashed"


@pytest.mark.parametrize("factory", ["prints", "closes"])
def test_in_process_what_is_printed_is_no_part_of_the_report(
    folder: Path, capsys: pytest.CaptureFixture[str], factory: str
) -> None:
    target = f"python:evil_adapter:{factory}"
    lines, _ = said(capsys, "run", target, *ALONE, "--in-process", "--format", "json", code=1)

    assert json.loads("\n".join(lines))["verdict"] == "non-conformant"


# --- what comes after a run -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("factory", "says"),
    [
        ("breaks_a_clause", "good.yaml: no vector is kept: File exists"),
        ("is_interrupted_later", "interrupted: no more vectors are kept"),
    ],
)
def test_what_goes_wrong_after_a_run_does_not_cost_its_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str], factory: str, says: str
) -> None:
    flags = ("--no-shipped", "--generate", "1", "--keep", "good.yaml", "--in-process")
    reports = ("--ndjson", "report")
    target = f"python:evil_adapter:{factory}"
    lines, errors = said(capsys, "run", target, *flags, *reports, code=1)

    assert says in errors
    assert lines[-1].startswith("NON-CONFORMANT: ")
    assert '"type":"footer"' in (folder / "report").read_text().splitlines()[-1]


def test_what_was_typed_cannot_reach_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (("run", "sim", "\x1b[31m"), ("run", "\x1b[31m"), ("explain", "\x9b1m")):
        _, errors = said(capsys, *arguments, code=2)
        assert all(line.isprintable() for line in errors)
