"""JUnit XML: what viewers of test results read of a run or of a recorded file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

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
from hostile import EVIL, HUGE, hostile_events, unseen

from toolassay.baseline import Baseline, Entry
from toolassay.cli import run_cli
from toolassay.reports.junit import JunitReport
from toolassay.results import Event
from toolassay.runner import Plan

TRACES = Path(__file__).parent / "data/traces"

CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}
"""Which elements stand in which; all others hold text alone."""

ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"name", "classname"},
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
}


def valid(text: str) -> ET.Element:
    """Parse a document and hold it against the form that viewers agree on."""
    assert text.isascii()
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) == ATTRIBUTES.get(element.tag, set()), element.tag
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set()), element.tag
        counted = list(element.iter("testcase"))
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if key in element.attrib:
                number = sum(case.find(tag) is not None for case in counted)
                assert element.attrib[key] == str(number)
                assert element.attrib["tests"] == str(len(counted))
    for suite in root:
        assert [child.tag for child in suite][:1] == ["properties"]
        assert [child.tag for child in suite].count("properties") == 1
    for case in root.iter("testcase"):
        outcomes = [child for child in case if child.tag != "system-out"]
        assert len(outcomes) <= 1
    return root


def written(events: list[Event]) -> ET.Element:
    out, stream = paper()
    report = JunitReport(out, REGISTER)
    for event in events:
        report(event)
    return valid(stream.getvalue())


def told(plan: Plan) -> ET.Element:
    return written(events_of(plan))


def outcome(root: ET.Element, name: str) -> ET.Element | None:
    """Give the outcome of a case; None if it passed."""
    (case,) = [one for one in root.iter("testcase") if one.attrib["name"] == name]
    return next((child for child in case if child.tag != "system-out"), None)


def found(root: ET.Element, name: str) -> ET.Element:
    element = outcome(root, name)
    assert element is not None
    return element


def properties(root: ET.Element, suite: int = 0) -> dict[str, str]:
    return {one.attrib["name"]: one.attrib["value"] for one in root[suite].iter("property")}


# --- a run ----------------------------------------------------------------------------------


def test_a_vector_is_a_suite_and_a_case_is_a_test_in_the_order_of_the_run() -> None:
    cases = [case_of("ord.b[x=1]"), case_of("ord.b[x=2]"), case_of("msg.a")]
    root = told(plan_of(FakeTarget(), cases, selection=TWO))

    assert [suite.attrib["name"] for suite in root] == ["toolassay", "ord.b", "msg.a"]
    assert [(one.attrib["classname"], one.attrib["name"]) for one in root.iter("testcase")] == [
        ("toolassay", "run"), ("ord.b", "ord.b[x=1]"), ("ord.b", "ord.b[x=2]"), ("msg.a", "msg.a"),
    ]  # fmt: skip
    assert root.attrib["failures"] == root.attrib["errors"] == "0"


def test_what_fails_what_crashes_and_what_does_not_apply_are_told_apart() -> None:
    root = told(mixed())
    failure, crash = found(root, "ord.denied-call-never-runs"), found(root, "ord.crashes")
    skipped = found(root, "ord.gated")

    assert (failure.tag, failure.attrib["type"]) == ("failure", "fail")
    assert (crash.tag, crash.attrib["type"]) == ("error", "crashed")
    assert crash.attrib["message"] == "crashed: exit status 3"
    assert (skipped.tag, skipped.attrib["message"]) == ("skipped", "not applicable: feature gates")
    assert outcome(root, "run") is None


def test_a_failure_says_what_the_terminal_says() -> None:
    failure = found(told(mixed()), "ord.denied-call-never-runs")
    text = failure.text or ""

    assert failure.attrib["message"] == "ORD-06: write_file was denied and ran"
    assert "expected   a denied call does not execute" in text
    assert "observed   write_file was denied and ran" in text
    assert "toolassay run python:my_agent:adapter --case ord.denied-call-never-runs" in text
    assert '1  c1 write_file({"path":"a"})  <- here' in text


def test_the_first_suite_says_what_was_judged() -> None:
    about = properties(told(mixed()))

    assert about["target"] == "python:my_agent:adapter"
    assert (about["implementation"], about["version"]) == ("my_agent", "1.2")
    assert (about["profile"], about["seed"]) == ("core@1", "0")
    assert (about["verdict"], about["exit_code"]) == ("non-conformant", "1")
    assert len(about["canonical_digest"]) == 64


def test_equal_runs_give_equal_documents_but_for_one_time() -> None:
    one, two = told(mixed()), told(mixed())
    one.attrib["time"] = two.attrib["time"] = ""

    assert ET.tostring(one) == ET.tostring(two)


def test_the_document_is_the_same_under_any_number_of_workers() -> None:
    cases = [case_of(f"ord.case{number}", (NEVER,)) for number in range(12)]
    answers = {cases[3].id: RAN, cases[7].id: RAN}

    def document(jobs: int) -> bytes:
        plan = plan_of(
            FakeTarget(answers), cases, selection=TWO, jobs=jobs, more=lambda: FakeTarget(answers)
        )
        return ET.tostring(told(plan))

    assert document(1) == document(3)


def test_known_failures_are_skipped_and_stale_ones_fail_the_run() -> None:
    case = case_of()
    entries = (Entry("ORD-06", case.id, reason="r"), Entry("MSG-05", "msg.gone", reason="r"))
    target = FakeTarget({case.id: RAN})
    root = told(plan_of(target, [case], selection=TWO, baseline=Baseline(entries)))
    known, run = found(root, case.id), found(root, "run")

    assert (known.tag, known.attrib["message"]) == ("skipped", "known failure: ORD-06")
    assert run.tag == "failure"
    assert "baseline unmatched: msg.gone MSG-05: no case of this name was run" in (run.text or "")


def test_a_known_failure_that_passes_fails_its_case() -> None:
    case = case_of()
    baseline = Baseline((Entry("ORD-06", case.id, reason="r"),))
    stale = found(told(plan_of(FakeTarget(), [case], selection=TWO, baseline=baseline)), case.id)

    assert (stale.tag, stale.attrib["type"]) == ("failure", "xpass")
    assert stale.attrib["message"] == "ORD-06: passes, and the baseline says that it fails"


def test_an_interrupted_run_has_a_document_that_says_so() -> None:
    first, second = case_of("ord.a"), case_of("ord.b")
    target = FakeTarget({second.id: KeyboardInterrupt()})  # type: ignore[dict-item]
    root = told(plan_of(target, [first, second], selection=TWO))
    run = found(root, "run")

    assert (run.tag, run.attrib["type"]) == ("error", "interrupted")
    assert "1 cases have no result" in run.attrib["message"]
    assert outcome(root, first.id) is None


def test_where_nothing_was_judged_the_run_itself_is_an_error() -> None:
    case = case_of("ord.gated", features=("gates",))
    run = found(told(plan_of(FakeTarget(), [case])), "run")

    assert (run.tag, run.attrib["message"]) == ("error", "nothing was judged")


def test_warnings_fail_nothing_and_are_said() -> None:
    events = hostile_events("plain words")
    case = [one for one in written(events).iter("testcase") if "case-9[" in one.attrib["name"]]

    assert [child.tag for child in case[0]] == ["system-out"]
    assert (case[0][0].text or "").startswith("warning: ORD-06: expected plain words")


@pytest.mark.parametrize("text", [EVIL, HUGE])
def test_what_xml_cannot_carry_is_escaped_so_that_it_can_be_seen(text: str) -> None:
    root = written(hostile_events(text))
    said = [value for one in root.iter() for value in (*one.attrib.values(), one.text or "")]

    assert [unseen(value) for value in said if unseen(value)] == []
    assert any("\\x1b[2J" in value and "\\ud800" in value for value in said)
    assert max(map(len, said)) < 70_000


# --- on the command line --------------------------------------------------------------------


def test_a_run_writes_it_where_it_is_told_and_says_the_rest_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_cli(["run", "sim", "--case", "ord.plain-call", "--junit", "r.xml"]) == 0
    root = valid((tmp_path / "r.xml").read_text())

    assert capsys.readouterr().out.splitlines()[-1].startswith("CONFORMANT: ")
    assert [suite.attrib["name"] for suite in root] == ["toolassay", "ord.plain-call"]


def test_an_adapter_that_cannot_be_started_leaves_a_document_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_cli(["run", "python:no_such_module:make", "--junit", "r.xml"]) == 4
    run = found(valid((tmp_path / "r.xml").read_text()), "run")

    assert (run.tag, run.attrib["type"]) == ("error", "unusable")
    assert "no module named 'no_such_module'" in run.attrib["message"]


@pytest.mark.parametrize("flag", ["--junit", "--sarif", "--github-summary"])
def test_a_file_that_cannot_be_written_is_told_before_anything_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flag: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_cli(["run", "python:no_such_module:make", flag, "no/such/folder/r"]) == 2

    assert "no/such/folder/r: cannot be written" in capsys.readouterr().err


def test_on_standard_output_it_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_cli(["run", "sim", "--case", "ord.plain-call", "--junit", "-"]) == 0
    captured = capsys.readouterr()

    assert valid(captured.out)[0].attrib["name"] == "toolassay"
    assert captured.err.startswith("CONFORMANT: ")


def test_two_reports_in_one_file_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_cli(["run", "sim", "--junit", "r", "--sarif", "./r"]) == 2

    assert "two reports want the same file" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_without_the_flags_no_report_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from toolassay.cli import run_cli; run_cli(sys.argv[1:]);"
        "print([name for name in sys.modules if name.startswith(('junitparser', 'xml.')) or name in"
        " ('toolassay.reports.junit', 'toolassay.reports.sarif', 'toolassay.reports.markdown')],"
        "file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "run", "sim", "--case", "ord.plain-call"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stderr == "[]\n"


# --- a recorded file ------------------------------------------------------------------------


def checked(tmp_path: Path, name: str, *arguments: str, code: int) -> ET.Element:
    report = tmp_path / "check.xml"
    given = ["check", str(TRACES / name), "--quiet", "--junit", str(report), *arguments]
    assert run_cli(given) == code
    return valid(report.read_text())


def test_every_clause_that_was_watched_in_a_file_is_a_test(tmp_path: Path) -> None:
    root = checked(tmp_path, "denied_started.jsonl", code=1)
    failure = found(root, "ORD-18")

    assert (failure.tag, failure.attrib["message"][:23]) == ("failure", "ORD-18: 2 divergences: ")
    assert (failure.text or "").count("ORD-18 broken") == 2
    assert "<- here" in (failure.text or "")
    assert outcome(root, "MSG-05") is None
    assert outcome(root, "file") is None
    assert root.attrib["failures"] == "1"


def test_a_file_that_keeps_the_contract_fails_nothing(tmp_path: Path) -> None:
    root = checked(tmp_path, "good_events.jsonl", code=0)

    assert (root.attrib["failures"], root.attrib["errors"]) == ("0", "0")


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("{]")
    report = tmp_path / "check.xml"
    assert run_cli(["check", str(tmp_path / "broken"), "-q", "--junit", str(report)]) == 2
    error = found(valid(report.read_text()), "file")

    assert (error.tag, error.attrib["type"]) == ("error", "broken")


def test_a_check_that_is_interrupted_leaves_a_document_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("toolassay.commands.checking.check_file", interrupted)
    error = found(checked(tmp_path, "good_events.jsonl", code=130), "file")

    assert (error.tag, error.attrib["type"]) == ("error", "interrupted")


def test_one_case_that_breaks_many_clauses_is_one_failure() -> None:
    case = case_of("ord.a", (NEVER,))
    root = told(plan_of(FakeTarget({case.id: RAN}), [case]))
    (element,) = [one for one in root.iter("testcase") if one.attrib["name"] == "ord.a"]

    assert len(element) == 1
