"""Reports: what people and programs see of a run, letter by letter where it matters."""

# ruff: noqa: ANN401 - what is given is passed on to the models, which say what they take

from __future__ import annotations

import errno
import io
from typing import Any

import msgspec
import pytest
from fakes import (
    ANSWERED,
    NEVER,
    RAN,
    REGISTER,
    SCENARIO,
    TWO,
    FakeTarget,
    case_of,
    events_of,
    mixed,
    paper,
    plan_of,
    seen,
)

from toolassay.baseline import Baseline, Entry
from toolassay.printable import clipped, columns, printable
from toolassay.reports import divergence, timeline, words
from toolassay.reports.out import Out, Style, style_of
from toolassay.reports.progress import Progress
from toolassay.reports.terminal import Terminal
from toolassay.results import Check
from toolassay.runner import Plan, run
from toolassay.selection import Selection
from toolassay.spec.events import Event as Delivered
from toolassay.spec.finding import Finding, Place
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Ending,
    Execution,
    Executions,
    History,
    Journal,
    Mark,
    Observation,
    Outcome,
    Record,
    Requests,
    Subscription,
    TurnEnding,
)
from toolassay.spec.text import Base64
from toolassay.targets.base import Answer

CASE = case_of()


def shown(plan: Plan, width: int = 100, **how: Any) -> str:
    out, stream = paper()
    out.style = Style(width)
    report = Terminal(out, REGISTER, **how)
    for event in events_of(plan):
        report(event)
    return stream.getvalue()


# --- the terminal ---------------------------------------------------------------------------


def test_a_run_is_told_divergences_first_and_the_verdict_last() -> None:
    assert (
        shown(mixed())
        == """\
FAIL  ord.denied-call-never-runs                                         ORD-06  MUST  page 001, 002
      A denied call does not execute.

      scenario   the model calls c1 write_file({"path":"a"}) [denied by policy]; then the model says
                 "done"
      expected   a denied call does not execute
      observed   write_file was denied and ran

      #  executions
      1  c1 write_file({"path":"a"})  <- here

      see it again:  toolassay run python:my_agent:adapter --case ord.denied-call-never-runs
      why:           toolassay explain ORD-06

CRASHED  ord.crashes                                                       MSG-05, ORD-06 not judged
      The case could not be judged.

      scenario   the model calls c1 write_file({"path":"a"}) [denied by policy]; then the model says
                 "done"
      observed   crashed: exit status 3

      see it again:  toolassay run python:my_agent:adapter --case ord.crashes

my_agent 1.2 (python:my_agent:adapter), core@1, seed 0
judged 4 checks in 1 case in 0.8 s: 2 pass, 2 fail
not judged 2 checks: 2 crashed
not applicable 1 case: feature gates 1
not run 0
NON-CONFORMANT: 1 divergence of 1 clause; cases not judged: 1 crashed
"""
    )


def test_a_run_that_passes_is_four_lines() -> None:
    text = shown(plan_of(FakeTarget(), [CASE], selection=TWO))

    assert (
        text
        == """\
my_agent 1.2 (python:my_agent:adapter), core@1, seed 0
judged 4 checks in 1 case in 0.8 s: 4 pass
not run 0
CONFORMANT: 4 checks pass
"""
    )


def test_a_clause_is_shown_in_full_once_and_its_other_cases_are_counted() -> None:
    cases = [case_of(f"ord.case{number}", (NEVER,)) for number in range(4)]
    plan = plan_of(
        FakeTarget({case.id: RAN for case in cases}),
        cases,
        selection=Selection(clauses=("ORD-06",)),
    )
    text = shown(plan, other="report.ndjson")

    assert text.count("FAIL  ") == 1
    assert "... 3 more in ord (ORD-06 3). All: --all, or report.ndjson\n" in text
    assert text.endswith("NON-CONFORMANT: 4 divergences of 1 clause\n")
    assert shown(plan, show_all=True).count("FAIL  ") == 4


def test_quiet_is_the_verdict_alone() -> None:
    assert shown(mixed(), quiet=True) == (
        "NON-CONFORMANT: 1 divergence of 1 clause; cases not judged: 1 crashed\n"
    )


def test_what_is_stale_in_a_baseline_is_named() -> None:
    entries = (Entry("ORD-06", CASE.id, reason="r"), Entry("MSG-05", "msg.gone", reason="r"))
    plan = plan_of(FakeTarget(), [CASE], selection=TWO, baseline=Baseline(entries))
    text = shown(plan)

    assert f"baseline xpass: {CASE.id} ORD-06: it passes now; remove the entry\n" in text
    assert "baseline unmatched: msg.gone MSG-05: no case of this name was run\n" in text
    assert text.endswith("NON-CONFORMANT: 2 baseline entries to mend\n")


def test_an_interrupted_run_says_so_last() -> None:
    plan = plan_of(FakeTarget({CASE.id: KeyboardInterrupt()}), [CASE])  # type: ignore[dict-item]

    assert shown(plan).endswith(
        "not run 1\nINTERRUPTED: interrupted; cases not judged: 1 not run\n"
    )


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_no_line_of_a_block_is_wider_than_the_terminal_but_commands(width: int) -> None:
    *lines, _verdict = shown(mixed(), width).splitlines()

    assert [line for line in lines if len(line) > width and "toolassay " not in line] == []


def test_a_block_fits_on_one_screen() -> None:
    many = [Message("assistant", calls=(ToolCall("c1", "x" * 500, "y" * 5000),))] * 300
    observation = msgspec.structs.replace(seen(ran=True), history=History(tuple(many)))
    plan = plan_of(FakeTarget({CASE.id: Answer("ok", observation)}), [CASE])
    blocks = shown(plan, show_all=True).split("\nFAIL  ")

    assert len(blocks) > 2
    assert max(block.count("\n") for block in blocks[:-1]) <= 34


def test_a_repro_is_quoted_for_a_shell_and_a_relation_names_its_vector() -> None:
    case = case_of("arg.cut[at=1,stream=it's]", (NEVER,))
    text = shown(plan_of(FakeTarget({case.id: RAN}), [case], selection=TWO))

    assert """--case 'arg.cut[at=1,stream=it'"'"'s]'""" in text


def test_what_an_implementation_says_cannot_reach_the_terminal() -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\r\n\x9b31m\ud800" + "A" * 10_000
    call = ToolCall(evil, evil, evil)
    observation = Observation(
        history=History(
            (Message("assistant", evil, (call,)), Message("tool", evil, tool_use_id=evil))
        ),
        executions=Executions((Execution(evil, evil, call_id=evil),)),
    )
    answers = {CASE.id: Answer("ok", observation), "ord.x": Answer("error", message=evil)}
    plan = plan_of(FakeTarget(answers), [CASE, case_of("ord.x")])
    target = plan.target.implementation
    assert target.name == "my_agent"
    text = shown(plan, show_all=True)

    assert all(line.isprintable() for line in text.split("\n"))
    assert max(map(len, text.split("\n"))) <= 200


def test_printable_text_is_cut_to_columns_and_escaped() -> None:
    assert printable("a\x1b[1m\n\u202e\U0001f600") == "a\\x1b[1m\\n\\u202e\U0001f600"
    assert printable("x" * 50, 10) == "xxxxxxx..."
    assert printable("\ud800\U000e0001") == "\\ud800\\U000e0001"
    assert columns("漢字e\u0301") == 5
    assert clipped("漢字漢字漢字", 9) == "漢字漢..."


# --- where it is written --------------------------------------------------------------------


class Terminals(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    assert style_of(Terminals()).colour
    assert not style_of(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not style_of(Terminals()).colour


def test_the_width_is_that_of_columns_and_never_too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, width in (("72", 72), ("3", 40), ("nonsense", 100), ("", 100)):
        monkeypatch.setenv("COLUMNS", given)
        assert style_of(io.StringIO()).width == width


class Gone(io.StringIO):
    def write(self, text: str) -> int:  # noqa: ARG002 - the signature of streams
        raise BrokenPipeError(errno.EPIPE, "gone")


def test_a_reader_that_has_gone_away_does_not_end_the_run() -> None:
    out = Out(Gone())
    report = Terminal(out, REGISTER)
    finished = run(mixed(), report)

    assert out.gone
    assert finished.exit_code == 1


def test_progress_is_for_terminals_and_leaves_nothing_behind() -> None:
    silent, heard = Progress(Out(io.StringIO())), Progress(Out(Terminals()))
    for event in events_of(plan_of(FakeTarget(), [CASE, case_of("ord.b")])):
        for progress in (silent, heard):
            progress.before(event)
            progress.after(event)
    written = heard.out.stream
    assert isinstance(written, io.StringIO)

    assert isinstance(silent.out.stream, io.StringIO)
    assert silent.out.stream.getvalue() == ""
    assert written.getvalue() == "\r\x1b[K1/2 cases\r\x1b[K"


# --- the small timeline ---------------------------------------------------------------------


def drawn(observation: Observation, finding: Finding, width: int = 100) -> list[str]:
    table = timeline.view(observation, finding)
    assert table is not None
    return timeline.drawn(table, width)


def finding_at(facet: str, index: int | None = None, part: str = "", check: str = "c") -> Finding:
    place = Place(facet, index, part) if facet else None
    return Finding("ORD-06", check, "expected", "observed", place)


def delivered(kind: str, execution: str = "", **more: Any) -> Delivery:
    return Delivery(Delivered(kind, tool_execution_id=execution, **more))


FULL = Observation(
    deliveries=Deliveries(
        (
            Subscription(
                (
                    delivered("PermissionDecided", "e-1", effect="deny"),
                    delivered("ToolCallStarted", "e-2", tool_name="echo"),
                    delivered("StepDone", messages=(
                        Message("assistant", calls=(ToolCall("c1", "w", "{}"),)),
                        Message("tool", "no", tool_use_id="c1", is_error=True),
                    )),
                )
            ),
        )
    ),
    executions=Executions(
        (
            Execution("w", "{}", "e-1", "c1", Mark(deliveries=1), Mark(deliveries=2)),
            Execution("echo", "{}", "e-3"),
        )
    ),
    journal=Journal((Record(7, Delivered("TurnStarted")), Record(9, Delivered("TurnDone")))),
    history=History((Message("user", "go"), Message("tool", "x", tool_use_id="c1"))),
    requests=Requests(
        ((Message("user", "one"),), (Message("user", "two"), Message("assistant", "b")))
    ),
    ending=Ending((TurnEnding(0, "failed", "E\x00"),)),
    outcome=Outcome("rejected", "invalid", field="Messages", stored=Base64("/w==")),
)  # fmt: skip


def test_executions_stand_between_the_deliveries_that_their_marks_name() -> None:
    assert drawn(FULL, finding_at("executions", 0)) == [
        "time  deliveries                   executions",
        "1     PermissionDecided c1 deny",
        "2                                  c1 w({})     <- here",
        "3     ToolCallStarted x2 echo",
        "4                                  c1 returned",
        "5     StepDone calls c1: c1 error",
        "?                                  echo({})",
    ]


@pytest.mark.parametrize(
    ("finding", "lines"),
    [
        (
            finding_at("journal", 1),
            ["seq  journal", "7    TurnStarted", "9    TurnDone     <- here"],
        ),
        (
            finding_at("history", 1),
            ["#  role  history", '0  user  "go"', '1  tool  answers c1 no flag "x"  <- here'],
        ),
        (
            finding_at("requests", 1, "0"),
            ["#  role       request 1", '0  user       "two"      <- here', '1  assistant  "b"'],
        ),
        (finding_at("ending", 0), ["turn  ending", "0     failed E\\x00  <- here"]),
        (
            finding_at("", check="expect.outcome.0"),
            ["field   outcome", "status  rejected", "code    invalid", "field   Messages",
             "stored  base64:/w=="],
        ),
    ],
)  # fmt: skip
def test_each_facet_has_its_view(finding: Finding, lines: list[str]) -> None:
    assert drawn(FULL, finding) == lines


def test_a_long_facet_is_cut_around_the_place() -> None:
    records = tuple(Record(n, Delivered(f"E{n}")) for n in range(100))
    lines = drawn(Observation(journal=Journal(records)), finding_at("journal", 50))

    assert len(lines) == timeline.ROWS_MAX + 3
    assert lines[1] == "... 42 before"
    assert lines[-1] == "... 46 after"
    assert [line for line in lines if "here" in line] == ["50   E50      <- here"]


def test_a_scored_finding_speaks_for_its_check_before_one_that_is_only_recorded() -> None:
    noted = Finding("ARG-03", "arg-03", "e1", "o1", recorded=True)
    first, second = (Finding("ARG-03", "arg-03", "e", said) for said in ("o2", "o3"))

    assert Check("ARG-03", "arg-03", "fail", (noted, first, second)).leading is first
    assert Check("ARG-03", "arg-03", "recorded", (noted,)).leading is noted
    assert Check("ARG-03", "arg-03", "pass").leading is None


def test_a_finding_without_a_facet_to_show_has_no_view() -> None:
    assert timeline.view(Observation(), finding_at("")) is None


def test_a_source_is_named_by_its_basis() -> None:
    said = {divergence.source_words(clause).split()[0] for clause in REGISTER.clauses.values()}

    assert said == {"page", "derived", "profile"}


def test_the_scenario_of_the_tests_is_told_in_words() -> None:
    assert words.case_words(case_of(scenario=SCENARIO, expect=(ANSWERED,))) == (
        'the model calls c1 write_file({"path":"a"}) [denied by policy]; then the model says "done"'
    )
