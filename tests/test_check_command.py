"""`toolassay check`: what is found in a file, where, and what cannot be read."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from toolassay import check_errors, check_reading
from toolassay.check import Divergence, Summary, check_file
from toolassay.check_reading import Block, Position
from toolassay.cli import run_cli

DATA = Path(__file__).parent / "data/traces"


def found_in(
    data: bytes, *, complete: bool = False, clauses: frozenset[str] | None = None
) -> tuple[list[Divergence], Summary]:
    found: list[Divergence] = []
    summary = check_file(
        io.BytesIO(data), "t.jsonl", lambda one, _: found.append(one),
        complete=complete, clauses=clauses,
    )  # fmt: skip
    return found, summary


def places(data: bytes, **how: bool) -> list[tuple[str, int, int]]:
    found, _ = found_in(data, **how)  # type: ignore[arg-type]
    return [(one.finding.clause, one.at.line, one.at.byte) for one in found if one.at]


def trace(name: str) -> bytes:
    return (DATA / name).read_bytes()


# --- what is found --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "form", "items"),
    [
        ("good_events.jsonl", "events", 8),
        ("good_deliveries.jsonl", "deliveries", 8),
        ("bare_observations.jsonl", "observations", 2),
        ("observations.jsonl", "observations", 2),
        ("foreign.jsonl", "events", 2),
    ],
)
def test_the_form_of_a_file_is_told_from_its_first_line(name: str, form: str, items: int) -> None:
    _, summary = found_in(trace(name))

    assert (summary.form, summary.items) == (form, items)


@pytest.mark.parametrize("name", ["good_events.jsonl", "good_deliveries.jsonl"])
def test_a_session_that_keeps_the_contract_breaks_nothing(name: str) -> None:
    assert found_in(trace(name), complete=True)[0] == []


def test_each_divergence_has_its_line_and_its_byte() -> None:
    data = trace("denied_started.jsonl")
    lines = data.split(b"\n")

    assert places(data) == [
        ("ORD-18", 4, data.index(lines[3])),
        ("ORD-18", 6, data.index(lines[5])),
    ]


def test_positions_count_blank_lines_and_carriage_returns() -> None:
    first, *rest = trace("denied_started.jsonl").split(b"\n")
    data = b"\n\r\n" + first + b"\r\n\n" + b"\n".join(rest)

    assert places(data) == [
        ("ORD-18", 7, data.index(rest[2])),
        ("ORD-18", 9, data.index(rest[4])),
    ]


@pytest.mark.parametrize("size", [1, 7, 300, 1 << 16])
def test_how_a_file_is_read_changes_nothing(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = places(trace("denied_started.jsonl") * 3)
    monkeypatch.setattr(check_reading, "BLOCK", size)

    assert places(trace("denied_started.jsonl") * 3) == whole


def test_a_last_line_without_an_end_is_judged_too() -> None:
    data = trace("denied_started.jsonl")

    assert places(data.rstrip(b"\n")) == places(data)
    assert places(trace("observations.jsonl").rstrip(b"\n")) == places(trace("observations.jsonl"))


def test_what_is_missing_at_the_end_is_a_fault_of_whole_files_alone() -> None:
    data = b"\n".join(trace("good_events.jsonl").split(b"\n")[:6]) + b"\n"
    partial, _ = found_in(data)
    whole, _ = found_in(data, complete=True)

    assert partial == []
    assert whole != []
    assert {one.at for one in whole} == {None}


def test_an_absent_ephemeral_is_never_a_finding() -> None:
    lines = trace("good_events.jsonl").splitlines(keepends=True)
    for gone in range(len(lines)):
        if b"ephemeral" in lines[gone]:
            assert found_in(b"".join(lines[:gone] + lines[gone + 1 :]), complete=True)[0] == []


def test_an_observation_names_its_recording() -> None:
    found, _ = found_in(trace("observations.jsonl"))

    assert {one.recording for one in found} == {"run-2"}
    assert {one.at for one in found} == {Position(2, trace("observations.jsonl").index(b"\n") + 1)}


def test_a_selection_of_clauses_judges_no_other() -> None:
    found, summary = found_in(trace("denied_started.jsonl"), clauses=frozenset(("ORD-01",)))

    assert (found, summary.clauses) == ([], {"ORD-01"})


def test_a_foreign_event_may_use_known_keys_in_its_own_way() -> None:
    odd = b'{"type":"Billing","messages":"many","visibility":"x","seq":7,"class":"enduring"}\n'
    for form in (odd, b'{"event":' + odd.strip() + b"}\n"):
        _, summary = found_in(form)
        assert summary.types == {"Billing"}


def test_half_a_character_that_is_escaped_is_no_fault_of_the_file() -> None:
    data = trace("good_events.jsonl").replace(b'"text":"ok"', b'"text":"\\ud800"')

    assert found_in(data, complete=True)[1].items == 8


# --- what cannot be read --------------------------------------------------------------------

GOOD = trace("good_events.jsonl")


def cut_after(lines: int, more: bytes) -> bytes:
    return b"\n".join(GOOD.split(b"\n")[:lines]) + b"\n" + more


@pytest.mark.parametrize(
    ("data", "leaf", "line", "items"),
    [
        (b"", check_errors.EmptyFileError, 0, 0),
        (b"\n \r\n", check_errors.EmptyFileError, 0, 0),
        (gzip.compress(GOOD, mtime=0), check_errors.BinaryFileError, 1, 0),
        (cut_after(2, b'{"type":"\x00"}\n'), check_errors.BinaryFileError, 3, 2),
        (cut_after(2, b'{"type":"\xff"}\n'), check_errors.EncodingError, 3, 2),
        (b"\xef\xbb\xbf" + GOOD, check_errors.EncodingError, 1, 0),
        (GOOD.decode().encode("utf-16"), check_errors.EncodingError, 1, 0),
        (cut_after(3, b'{"type":"\xe2\x80'), check_errors.CutLineError, 4, 3),
        (cut_after(3, b"<a/>"), check_errors.LineSyntaxError, 4, 3),
        (cut_after(3, b'{"type":"a"}{"type":"b"}'), check_errors.LineSyntaxError, 4, 3),
        (cut_after(3, b'{"type":"a"}{"type":"b"}\n\n'), check_errors.LineSyntaxError, 4, 3),
        (cut_after(3, b'{"type":"a"} {"type":"b"}\n'), check_errors.LineSyntaxError, 4, 3),
        (cut_after(3, b'{"type":"Turn'), check_errors.CutLineError, 4, 3),
        (b'{"type":"Turn', check_errors.CutLineError, 1, 0),
        (cut_after(3, b'{"type":"Turn\n{"type":"a"}\n'), check_errors.LineSyntaxError, 4, 3),
        (cut_after(1, b"no json\n"), check_errors.LineSyntaxError, 2, 1),
        (cut_after(1, b'{"type":"a","x":NaN}\n'), check_errors.LineSyntaxError, 2, 1),
        (cut_after(1, b'{"type":"StepDone","messages":4}\n'), check_errors.LineShapeError, 2, 1),
        (cut_after(1, b'{"no":"type"}\n'), check_errors.LineShapeError, 2, 1),
        (trace("messages.jsonl"), check_errors.OtherFormatError, 1, 0),
        (b'[{"type":"StepDone"}]\n', check_errors.OtherFormatError, 1, 0),
        (b"7\n", check_errors.OtherFormatError, 1, 0),
        (b'{"some":"thing"}\n', check_errors.OtherFormatError, 1, 0),
    ],
)
def test_a_fault_names_its_place_and_what_stands_before_it_is_judged(
    data: bytes, leaf: type[check_errors.CheckError], line: int, items: int
) -> None:
    summary = Summary()
    with pytest.raises(leaf) as caught:
        check_file(io.BytesIO(data), "t.jsonl", lambda *_: None, summary=summary)

    assert (caught.value.line, summary.items) == (line, items)
    if line:
        assert caught.value.byte == len(b"".join(data.splitlines(keepends=True)[: line - 1]))


def test_a_deeply_nested_line_is_refused() -> None:
    deep = b'{"type":"a","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    with pytest.raises(check_errors.CheckError, match="2"):
        found_in(cut_after(1, deep))


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check_reading, "LINE_MAX", 1000)
    monkeypatch.setattr(check_reading, "BLOCK", 100)
    with pytest.raises(check_errors.LineTooLongError):
        found_in(cut_after(1, b'{"type":"' + b"x" * 5000))


def test_memory_does_not_grow_with_the_length_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_reading, "BLOCK", 1 << 14)
    line = b'{"type":"TokenDelta","session_id":"s","class":"ephemeral"}\n'

    class Endless(io.RawIOBase):
        left = 4_000_000

        def read(self, size: int = -1) -> bytes:
            taken = min(size, self.left)
            self.left -= taken
            return (line * (taken // len(line) + 1))[:taken]

    def blocks() -> Iterator[Block]:
        return check_reading.blocks(Endless(), "t")  # type: ignore[arg-type]

    assert sum(1 for _ in blocks()) > 100
    tracemalloc.start()
    with pytest.raises(check_errors.CheckError):  # the end falls into a line
        check_file(Endless(), "t", lambda *_: None)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


# --- the command ----------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int) -> tuple[list[str], str]:
    assert run_cli(["check", *arguments]) == code
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err


def test_a_divergence_shows_the_events_of_its_call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DATA)
    monkeypatch.setenv("COLUMNS", "85")
    lines, _ = said(capsys, "denied_started.jsonl", code=1)

    assert lines[:11] == [
        "denied_started.jsonl: line 4, byte 452: ORD-18 broken",
        "  A denied call has neither ToolCallStarted nor ToolCallCompleted (these two describe",
        "  an approved call).",
        "",
        "  line 2        PermissionRequested x1",
        "  line 3        PermissionDecided x1 deny",
        "  line 4        ToolCallStarted x1 write_file  <- here",
        "",
        "  expected  neither ToolCallStarted nor ToolCallCompleted of a denied call",
        "  observed  ToolCallStarted",
        "  why:      toolassay explain ORD-18",
    ]
    assert lines[-2:] == [
        "8 events, 34 clauses watched",
        "NON-CONFORMANT: 2 divergences of 1 clause",
    ]


@pytest.mark.parametrize(
    ("name", "code", "last"),
    [
        ("good_events.jsonl", 0, "CONFORMANT: nothing is broken"),
        ("foreign.jsonl", 3, "INCOMPLETE: nothing in the file can be judged"),
        ("observations.jsonl", 1, "NON-CONFORMANT: 2 divergences of 2 clauses"),
    ],
)
def test_the_last_line_is_the_verdict(
    capsys: pytest.CaptureFixture[str], name: str, code: int, last: str
) -> None:
    lines, _ = said(capsys, str(DATA / name), code=code)

    assert lines[-1] == last


def test_broken_input_counts_more_than_a_divergence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(trace("denied_started.jsonl")[:-20])
    lines, _ = said(capsys, str(path), "-q", code=2)

    assert len(lines) == 1
    assert lines[0].startswith(f"BROKEN: {path}:8 (byte ")
    assert "7 events before it judged" in lines[0]
    assert "2 divergences" in lines[0]


def test_observations_to_which_no_clause_applies_are_incomplete(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines, _ = said(capsys, str(DATA / "observations.jsonl"), "--clause", "ORD-18", code=3)
    assert lines[-1] == "INCOMPLETE: nothing in the file can be judged"


def test_a_profile_that_does_not_score_a_clause_records_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines, _ = said(capsys, str(DATA / "observations.jsonl"), "--clause", "ORD-12", code=1)
    assert lines[-1] == "NON-CONFORMANT: 1 divergence of 1 clause"

    data = trace("good_events.jsonl").replace(b'"seq":8', b'"seq":2')
    derived, _ = found_in(data)
    assert {one.finding.clause for one in derived} == {"DUR-02"}


def test_a_clause_may_be_written_in_small_letters(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, str(DATA / "good_events.jsonl"), "--clause", "ord-18", code=0)


def test_standard_input_is_read_for_a_dash(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(trace("denied_started.jsonl")))
    monkeypatch.setattr("sys.stdin", stream)
    lines, _ = said(capsys, "-", code=1)

    assert lines[0].startswith("standard input: line 4")


def test_a_file_that_does_not_exist_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    lines, _ = said(capsys, "no-such-file", code=2)

    assert "no-such-file: cannot be read: No such file or directory" in lines[-1]


def test_many_divergences_are_counted_and_ten_are_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "many.jsonl"
    one = trace("denied_started.jsonl").decode()
    names = ("s1", "l1", "t1", "p1", "x1", "c1")
    parts = []
    for number in range(30):
        part = one
        for name in names:
            part = part.replace(f'"{name}"', f'"{name}-{number}"')
        parts.append(part)
    path.write_text("".join(parts))
    lines, _ = said(capsys, str(path), code=1)
    everything, _ = said(capsys, str(path), "--all", code=1)

    assert sum(line.endswith("ORD-18 broken") for line in lines) == 10
    assert sum(line.endswith("ORD-18 broken") for line in everything) == 60
    assert "... 50 more of ORD-18 60. All: --all" in lines
    assert lines[-1] == "NON-CONFORMANT: 60 divergences of 1 clause"


@pytest.mark.parametrize(
    "name", ["good_events.jsonl", "denied_started.jsonl", "observations.jsonl", "messages.jsonl"]
)
def test_the_json_report_is_of_its_schema(
    capsys: pytest.CaptureFixture[str], repository: Path, name: str
) -> None:
    schema = json.loads((repository / "spec/schemas/report-check.json").read_text())
    code = run_cli(["check", str(DATA / name), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)

    assert document["exit_code"] == code
    assert len(document["divergences"]) == document["counts"]["fail"]
