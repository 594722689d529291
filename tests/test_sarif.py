"""SARIF: findings beside the lines of the files that they are in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fakes import (
    NEVER,
    RAN,
    REGISTER,
    TWO,
    FakeTarget,
    case_of,
    events_of,
    mixed,
    paper,
    plan_of,
)
from hostile import EVIL, HUGE, hostile_events, unseen, with_origin

from toolassay.baseline import Baseline, Entry
from toolassay.cli import run_cli
from toolassay.reports.sarif import relative_uri
from toolassay.reports.sarif_run import SarifReport
from toolassay.results import Event, Origin
from toolassay.targets.base import Answer

TRACES = Path(__file__).parent / "data/traces"

VECTORS = """\
# A comment, so that lines are counted.
- id: ord.sarif-denied
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
    - {clause: MSG-05, history: {result: {answers: c1}}}
    - {clause: ORD-06, executions: {never: {call: c1}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/own vectors.yaml").write_text(VECTORS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> FakeTarget:
    """A target that runs what is denied in the vector above, and in a shipped one."""
    names = ("ord.sarif-denied", "ord.denied-call-never-runs")
    target = FakeTarget(dict.fromkeys(names, RAN), features=("policy",))
    monkeypatch.setattr("toolassay.commands.running.open_target", lambda *_, **__: target)
    return target


def valid(text: str, repository: Path) -> dict[str, Any]:
    """Hold a document against our schema, and against what the standard and readers ask."""
    schema = json.loads((repository / "spec/schemas/report-sarif.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(document)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({one["ruleId"] for one in run["results"]})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"], "readers refuse a result without a place"
    prints = [one["partialFingerprints"]["toolassay/v1"] for one in run["results"]]
    assert len(set(prints)) == len(prints)
    assert str(Path.cwd()) not in text
    return dict(run)


def written(events: list[Event], repository: Path) -> dict[str, Any]:
    out, stream = paper()
    report = SarifReport(out, REGISTER)
    for event in events:
        report(event)
    assert unseen(stream.getvalue()) == []
    return valid(stream.getvalue(), repository)


def place(result: dict[str, Any]) -> tuple[str, int]:
    where = result["locations"][0]["physicalLocation"]
    return where["artifactLocation"]["uri"], where["region"]["startLine"]


def told(run: dict[str, Any]) -> list[str]:
    notes = run["invocations"][0]["toolExecutionNotifications"]
    return [note["message"]["text"] for note in notes]


# --- a run ----------------------------------------------------------------------------------


def test_what_breaks_in_a_vector_of_ones_own_is_at_its_expectation(
    folder: Path, broken: FakeTarget, repository: Path
) -> None:
    given = ["--no-shipped", "--vectors", "mine", "--clause", "ORD-06", "--sarif", "s", "-q"]
    assert run_cli(["run", "sim", *given]) == 1
    run = valid((folder / "s").read_text(), repository)
    by_check = {place(one): one for one in run["results"]}
    result = by_check["mine/own%20vectors.yaml", 14]

    assert set(by_check) == {("mine/own%20vectors.yaml", 14), ("mine/own%20vectors.yaml", 2)}
    assert (result["ruleId"], result["level"]) == ("ORD-06", "error")
    assert result["message"]["text"].startswith("Expected: ")
    names = result["locations"][0]["logicalLocations"]
    assert names == [{"fullyQualifiedName": "ord.sarif-denied"}]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == "A denied call does not execute."
    assert "toolassay explain ORD-06" in rule["help"]["text"]


def test_fingerprints_stay_when_lines_move(
    folder: Path, broken: FakeTarget, repository: Path
) -> None:
    given = ["--no-shipped", "--vectors", "mine", "--clause", "ORD-06", "--sarif", "s", "-q"]
    run_cli(["run", "sim", *given])
    before = valid((folder / "s").read_text(), repository)["results"]
    file = folder / "mine/own vectors.yaml"
    file.write_text("#\n#\n" + file.read_text())
    run_cli(["run", "sim", *given])
    after = valid((folder / "s").read_text(), repository)["results"]

    assert [one["partialFingerprints"] for one in after] == [
        one["partialFingerprints"] for one in before
    ]
    assert place(after[0])[1] == place(before[0])[1] + 2


def test_what_breaks_in_a_shipped_vector_has_no_file_and_is_counted(repository: Path) -> None:
    run = written(events_of(mixed()), repository)

    assert run["results"] == []
    assert "1 divergence in vectors without a file: ORD-06 1" in told(run)
    assert "ord.crashes: crashed: exit status 3" in told(run)
    assert run["invocations"][0]["exitCode"] == 1


def test_the_level_is_that_of_the_profile(repository: Path) -> None:
    run = written(with_origin(hostile_events("words"), Origin("a.yaml", 3)), repository)
    levels = [one["level"] for one in run["results"]]

    # In the order of the events: failures, what is stale, a warning, and what is not scored.
    assert levels[:6] == ["error"] * 4 + ["note", "warning"]
    assert set(levels[6:]) == {"note"}


def test_a_known_failure_is_suppressed(repository: Path) -> None:
    case = case_of("ord.a", (NEVER,))
    baseline = Baseline((Entry("ORD-06", case.id, reason="r"),))
    plan = plan_of(FakeTarget({case.id: RAN}), [case], selection=TWO, baseline=baseline)
    run = written(with_origin(events_of(plan), Origin("a.yaml", 3, (9,))), repository)

    assert {one["level"] for one in run["results"]} == {"note"}
    assert all(one["suppressions"][0]["kind"] == "external" for one in run["results"])


def test_a_run_that_could_not_be_judged_was_not_successful(repository: Path) -> None:
    target = FakeTarget({"ord.a": Answer("crashed", message="gone")})
    run = written(events_of(plan_of(target, [case_of("ord.a")])), repository)

    assert run["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize("text", [EVIL, HUGE])
def test_what_an_implementation_says_makes_no_link_and_no_control(
    text: str, repository: Path
) -> None:
    run = written(with_origin(hostile_events(text), Origin("a.yaml", 3)), repository)
    messages = [one["message"]["text"] for one in run["results"]]

    assert len(messages) > 5
    assert [unseen(message) for message in messages if unseen(message)] == []
    assert not any("[link](" in message for message in (*messages, *told(run)))


# --- files ----------------------------------------------------------------------------------


def test_files_are_named_from_the_top_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")

    assert relative_uri("a.yaml") == "below/a.yaml"
    assert relative_uri("../c:d#?.yaml") == "c%3Ad%23%3F.yaml"
    assert relative_uri(str(tmp_path / "x" / "y.yaml")) == "x/y.yaml"


# --- a recorded file ------------------------------------------------------------------------


def test_what_breaks_in_a_trace_is_at_the_line_of_the_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.jsonl").write_bytes((TRACES / "denied_started.jsonl").read_bytes())
    assert run_cli(["check", "trace.jsonl", "-q", "--sarif", "s"]) == 1
    run = valid((tmp_path / "s").read_text(), repository)

    assert [(one["ruleId"], *place(one)) for one in run["results"]] == [
        ("ORD-18", "trace.jsonl", 4), ("ORD-18", "trace.jsonl", 6),
    ]  # fmt: skip
    assert {one["level"] for one in run["results"]} == {"error"}


def test_a_trace_on_standard_output_leaves_the_verdict_to_standard_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    repository: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.jsonl").write_bytes((TRACES / "denied_started.jsonl").read_bytes())
    assert run_cli(["check", "trace.jsonl", "--sarif", "-"]) == 1
    captured = capsys.readouterr()

    assert len(valid(captured.out, repository)["results"]) == 2
    assert captured.err == "NON-CONFORMANT: 2 divergences of 1 clause\n"


# --- authored vectors -----------------------------------------------------------------------


def test_a_fault_of_a_vector_is_at_its_line_and_column(folder: Path, repository: Path) -> None:
    file = folder / "mine/own vectors.yaml"
    file.write_text(VECTORS.replace("ORD-06", "ORD-99"))
    assert run_cli(["lint", "mine", "--sarif", "s"]) == 1
    run = valid((folder / "s").read_text(), repository)
    (result,) = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]

    assert place(result) == ("mine/own%20vectors.yaml", 14)
    assert region["startColumn"] == 16
    assert "ORD-99" in result["message"]["text"]


def test_vectors_without_a_fault_give_no_result(folder: Path, repository: Path) -> None:
    assert run_cli(["lint", "mine", "--sarif", "s"]) == 0

    assert valid((folder / "s").read_text(), repository)["results"] == []
