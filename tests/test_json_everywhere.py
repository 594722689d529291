"""`--format json`: every verb has it, and what it writes is of its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hostile import EVIL, hostile_events, unseen

from toolassay.cli import VERBS, run_cli
from toolassay.reports.documents import encodable, encoded, encoded_line
from toolassay.reports.json_report import JsonReport
from toolassay.reports.ndjson import NdjsonReport
from toolassay.reports.observations import ObservationsReport
from toolassay.reports.out import Out

TRACES = Path(__file__).parent / "data/traces"

VECTORS = """\
- id: ord.json-denied
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
"""

MINE = ("--no-shipped", "--vectors", "mine.yaml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.yaml").write_text(VECTORS)
    (tmp_path / "bad.yaml").write_text(VECTORS.replace("ORD-06", "ORD-99"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/mine.yaml").write_text(VECTORS)
    (tmp_path / "stale.yaml").write_text(
        "known:\n- {clause: ORD-06, case: ord.json-denied, outcome: fail, reason: r}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def schema(repository: Path, name: str) -> jsonschema.Draft202012Validator:
    text = (repository / f"spec/schemas/report-{name}.json").read_text()
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


def document(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0
) -> tuple[dict[str, Any], str]:
    result = run_cli([*arguments, "--format", "json"])
    captured = capsys.readouterr()
    assert result == code, captured
    return json.loads(captured.out), captured.err


@pytest.mark.parametrize(
    ("name", "kind", "arguments", "code"),
    [
        ("run", "run", ("run", "sim", "--case", "ord.plain-call"), 0),
        ("run", "run", ("run", "sim", *MINE), 0),
        ("check", "check", ("check", str(TRACES / "denied_started.jsonl")), 1),
        ("list", "vectors", ("list",), 0),
        ("list", "vectors", ("list", *MINE), 0),
        ("list", "cases", ("list", "--cases", "--family", "arg"), 0),
        ("list", "clauses", ("list", "--clauses"), 0),
        ("coverage", "coverage", ("list", "--coverage"), 0),
        ("explain", "clause", ("explain", "ord-06"), 0),
        ("explain", "clause", ("explain", "ARG-04"), 0),
        ("explain", "vector", ("explain", "arg.malformed-text-never-runs"), 0),
        ("explain", "case", ("explain", "arg.malformed-text-never-runs[text=nan]"), 0),
        ("lint", "lint", ("lint", "mine.yaml"), 0),
        ("lint", "lint", ("lint", "bad.yaml"), 1),
        ("fill", "fill", ("fill", "mine", "--out", "packs"), 0),
        ("fill", "fill", ("fill", "mine", "--out", "packs", "--check"), 1),
        ("fill", "fill", ("fill", "bad.yaml", "--out", "packs"), 1),
        ("mutants", "mutants", ("mutants", "denied-runs", "--budget", "0"), 0),
        (
            "baseline",
            "baseline-update",
            ("baseline", "update", "sim", "--baseline", "new.yaml", *MINE),
            0,
        ),
    ],
)
def test_what_a_verb_writes_is_of_its_schema(
    folder: Path,
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    kind: str,
    arguments: tuple[str, ...],
    code: int,
) -> None:
    found, _ = document(capsys, *arguments, code=code)
    schema(repository, name).validate(found)

    assert (found["schema_version"], found["kind"]) == (1, kind)
    assert found.get("exit_code", code) == code


def test_every_verb_that_says_something_has_the_format(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lacking = []
    for verb in VERBS:
        arguments = ("baseline", "update") if verb == "baseline" else (verb,)
        run_cli([*arguments, "--help"])
        if "--format [text" not in capsys.readouterr().out:
            lacking.append(verb)

    assert lacking == ["serve"]  # which speaks another protocol on standard output


def test_every_document_says_where_it_is_described(repository: Path) -> None:
    told = (repository / "docs/reports.md").read_text()
    names = sorted(path.name for path in (repository / "spec/schemas").glob("report-*.json"))

    assert [name for name in names if f"`{name}`" not in told] == []


# --- what they say --------------------------------------------------------------------------


def test_lists_say_what_the_text_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases, _ = document(capsys, "list", "--cases", "--family", "ord")
    run_cli(["list", "--cases", "--family", "ord"])

    assert [one["id"] for one in cases["cases"]] == capsys.readouterr().out.splitlines()


def test_a_fault_has_its_place_and_its_rule(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (fault,) = document(capsys, "lint", "bad.yaml", code=1)[0]["faults"]

    assert (fault["file"], fault["line"], fault["column"]) == ("bad.yaml", 12, 16)
    assert fault["code"].startswith("vector.clause")
    assert "ORD-99" in fault["message"]


def test_an_updated_baseline_names_what_left_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("baseline", "update", "sim", "--baseline", "stale.yaml", *MINE)
    found, _ = document(capsys, *given)

    assert [one["name"] for one in found["removed"]] == ["ord.json-denied"]
    assert (found["written"], found["kept"], found["added"]) == (True, [], [])


# --- errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("run", "python:no_such_module:make"), 4, "target.start"),
        (("run", "nonsense"), 2, None),
        (("run", "sim", "--case", "no.such"), 2, "usage.unknown-name"),
        (("run", "sim", "--vectors", "bad.yaml", "--no-shipped"), 2, "input.vectors"),
        (("check", str(TRACES / "good_events.jsonl"), "--clause", "X-1"), 2, "usage.unknown-name"),
        (("list", "--cases", "--clauses"), 2, "usage.kinds"),
        (("explain", "no-such"), 2, "usage.unknown-name"),
        (("lint", "none.yaml"), 2, "usage.path"),
        (("fill", "mine"), 2, "usage.no-out"),
        (("mutants", "no-such"), 2, "usage.unknown-name"),
        (("baseline", "update", "sim"), 2, "usage.no-baseline"),
        (("init", "cobol", "new"), 2, "usage.unknown-name"),
        (("compare", "sim", "--profile", "no-such"), 2, None),
    ],
)
def test_an_error_is_a_document_beside_its_line_and_its_exit_code(
    folder: Path,
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    error: str | None,
) -> None:
    found, errors = document(capsys, *arguments, code=code)
    schema(repository, "error").validate(found)

    assert found["exit_code"] == code
    assert error is None or found["code"] == error
    assert errors.startswith("error: ")


def test_without_the_format_an_error_is_its_line_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["explain", "no-such"]) == 2

    assert capsys.readouterr().out == ""


# --- what no reader of a terminal or of lines may be given ----------------------------------


def test_documents_carry_what_is_said_and_no_control_of_it(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind, name in ((JsonReport, "run"), (NdjsonReport, "ndjson")):
        report = kind(Out())
        for event in hostile_events(EVIL):
            report(event)
        text = capsys.readouterr().out
        assert unseen(text) == []
        for one in [json.loads(text)] if name == "run" else map(json.loads, text.splitlines()):
            schema(repository, name).validate(one)
            for about in [one["implementation"]] if "implementation" in one else []:
                assert about["name"] == encodable(EVIL), "what can be carried is carried as it is"


def test_observations_are_written_without_a_control(capsys: pytest.CaptureFixture[str]) -> None:
    report = ObservationsReport(Out())
    for event in hostile_events(EVIL):
        report(event)
    text = capsys.readouterr().out

    assert unseen(text) == []
    assert len(text.splitlines()) == 11


def test_half_a_surrogate_pair_is_shown_as_its_escape() -> None:
    assert json.loads(encoded({"a\ud800": ["b\udfff", 1]})) == {"a\\ud800": ["b\\udfff", 1]}
    assert encoded_line({"a": "\ud83d\ude00"}).isascii()


def test_a_trace_with_half_a_pair_in_an_id_is_reported(
    folder: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (TRACES / "denied_started.jsonl").read_text()
    (folder / "t").write_text(text.replace('"x1"', '"x\\ud8001"'))
    found, _ = document(capsys, "check", "t", code=1)
    schema(repository, "check").validate(found)

    assert {one["call"] for one in found["divergences"]} == {"x\\ud8001"}
