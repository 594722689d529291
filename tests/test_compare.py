"""Implementations side by side: the table of clauses, who behaves like whom, what is left open."""

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from fakes import case_of, paper

from toolassay.cli import root
from toolassay.commands.comparing import CompareError, exit_code, judged, labelled
from toolassay.commands.run_options import RunOptions
from toolassay.comparison.behaviour import ABOUT, AS_SENT, behaviour_of
from toolassay.comparison.differences import Cell, compare
from toolassay.comparison.gather import Compared, ReportFileError, Seen, read_report
from toolassay.reports.comparison import cell_words, write_json, write_markdown, write_text
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import (
    Execution,
    Executions,
    History,
    Observation,
    Outcome,
    Requests,
)
from toolassay.spec.scenario import Reply, Scenario, ScriptedCall
from toolassay.spec.text import Text
from toolassay.statuses import Exit, Status

# --- behaviour ------------------------------------------------------------------------------


def asked(arguments: Text) -> Scenario:
    return Scenario((Reply(calls=(ScriptedCall("c1", "t", arguments),)), Reply("done")))


def ran_with(*arguments: Text) -> Observation:
    return Observation(executions=Executions(tuple(Execution("t", one) for one in arguments)))


def words(sent: Text, observation: Observation) -> Mapping[str, str]:
    return behaviour_of(case_of(scenario=asked(sent)), observation)


@pytest.mark.parametrize("ran", ['{"a": 1}', '{"a":1}', '{ "a" : 1.0 }'])
def test_arguments_with_the_value_that_was_sent_are_as_sent(ran: str) -> None:
    assert words('{"a":1}', ran_with(ran))["runs"] == f"t {AS_SENT}"


def test_other_arguments_are_shown() -> None:
    assert words('{"a":', ran_with("{}"))["runs"] == "t `{}`"


def test_a_callback_that_is_entered_twice_is_counted() -> None:
    assert words("{}", ran_with("{}", "{}"))["runs"] == f"2 x t {AS_SENT}"


def test_an_aspect_of_a_facet_that_is_missing_or_cut_has_no_word() -> None:
    cut = Observation(executions=Executions((), status="cut"))

    assert words("{}", Observation()) == {}
    assert words("{}", cut) == {}


def test_the_ids_that_an_implementation_draws_make_no_difference() -> None:
    def seen(name: str) -> Observation:
        calls = (ToolCall(name, "t", "{}"), ToolCall(f"{name}2", "t", "{}"))
        results = (
            Message("tool", "b", (), f"{name}2", is_error=True),
            Message("tool", "a", (), name),
        )
        return Observation(history=History((Message("assistant", calls=calls), *results)))

    assert words("{}", seen("x")) == words("{}", seen("y"))
    assert words("{}", seen("x"))["answers"] == "call 2, call 1"


def test_error_flags_are_compared_only_where_the_form_has_them() -> None:
    result = Message("tool", "a", (), "c1")

    assert "error flags" not in words("{}", Observation(history=History((result,))))


def test_an_answer_of_a_stateless_operation_is_its_views() -> None:
    outcome = Outcome("ok", stored="{}", executable='{"a":')

    assert words("{}", Observation(outcome=outcome)) == {
        "outcome": 'ok, stored `{}`, executable `{"a":`'
    }


def test_what_the_model_is_shown_is_read_from_the_last_request() -> None:
    shown = (Message("assistant", calls=(ToolCall("c1", "t", "{}"),)),)
    observation = Observation(requests=Requests(((), shown)))

    assert words('{"a":1}', observation) == {"requests": "2", "shown arguments": "`{}`"}


def test_every_aspect_that_is_seen_is_explained() -> None:
    whole = Observation(
        history=History(()), executions=Executions(()), outcome=Outcome("ok"), requests=Requests(())
    )

    assert set(words("{}", whole)) <= set(ABOUT)


def test_what_would_act_on_a_terminal_is_escaped_in_a_word() -> None:
    assert "\x1b" not in words("{}", ran_with("\x1b[2J"))["runs"]


# --- comparing ------------------------------------------------------------------------------


def seen(status: Status = "pass", clause: str = "ORD-06", **behaviour: str) -> Seen:
    return Seen(status, {clause: status}, behaviour)


def one(label: str, **cases: Seen) -> Compared:
    return Compared(label, label, "1", "sim", "core@1", "conformant", cases)


CLAUSES = ("ARG-03", "ORD-06")


def test_a_difference_between_those_who_keep_every_clause_is_an_open_question() -> None:
    found = compare([one("a", x=seen(requests="1")), one("b", x=seen(requests="2"))], CLAUSES)

    assert found.differences == ()
    assert [(q.aspect, [a.labels for a in q.answers]) for q in found.questions] == [
        ("requests", [("a",), ("b",)])
    ]


def test_a_difference_to_one_who_breaks_a_clause_is_decided_by_it() -> None:
    found = compare([one("a", x=seen(runs="none")), one("b", x=seen("fail", runs="t"))], CLAUSES)

    assert found.questions == ()
    assert [difference.decided_by for difference in found.differences] == [("ORD-06",)]


def test_who_breaks_a_clause_has_no_say_in_an_open_question() -> None:
    parties = [
        one("a", x=seen(runs="1")),
        one("b", x=seen(runs="2")),
        one("c", x=seen("fail", runs="3")),
    ]

    (question,) = compare(parties, CLAUSES).questions

    assert [answer.labels for answer in question.answers] == [("a",), ("b",)]


def test_equal_differences_are_told_once_with_the_number_of_their_cases() -> None:
    cases = {name: seen(requests="1") for name in ("v[i=1]", "v[i=2]", "w")}
    other = {name: seen(requests="2") for name in cases}

    (question,) = compare([one("a", **cases), one("b", **other)], CLAUSES).questions

    assert (question.cases, question.vectors, question.example) == (3, ("v", "w"), "v[i=1]")


def test_what_is_known_of_fewer_joins_what_is_known_of_more() -> None:
    parties = [
        one("a", x=seen(requests="1"), y=seen(requests="1")),
        one("b", x=seen(requests="2"), y=seen(requests="2")),
        one("c", x=seen(requests="2")),
    ]

    (question,) = compare(parties, CLAUSES).questions

    assert (question.cases, question.example) == (2, "x")
    assert [answer.labels for answer in question.answers] == [("a",), ("b", "c")]


def test_what_contradicts_what_is_known_of_more_stands_alone() -> None:
    parties = [
        one("a", x=seen(requests="1"), y=seen(requests="1")),
        one("b", x=seen(requests="1"), y=seen(requests="2")),
        one("c", x=seen(requests="2")),
    ]

    assert len(compare(parties, CLAUSES).questions) == 2


def test_each_answer_names_the_clauses_that_it_breaks() -> None:
    found = compare([one("a", x=seen(runs="none")), one("b", x=seen("fail", runs="t"))], CLAUSES)

    assert [answer.breaks for answer in found.differences[0].answers] == [(), ("ORD-06",)]


def test_implementations_that_never_differ_are_one_cluster() -> None:
    parties = [one("a", x=seen(runs="1")), one("b", x=seen(runs="2")), one("c", x=seen(runs="1"))]

    assert compare(parties, CLAUSES).clusters == (("a", "c"), ("b",))


def test_implementations_that_share_no_case_are_not_alike() -> None:
    assert compare([one("a", x=seen(runs="1")), one("b", y=seen(runs="1"))], CLAUSES).clusters == (
        ("a",),
        ("b",),
    )


def test_what_one_does_not_show_makes_no_difference() -> None:
    found = compare([one("a", x=seen(runs="1", requests="1")), one("b", x=seen(runs="1"))], CLAUSES)

    assert (found.differences, found.questions) == ((), ())


def test_a_cell_warns_without_a_number() -> None:
    """Where callbacks run side by side two equal runs may warn in different numbers of cases."""
    assert cell_words(Cell(judged=3, warned=2)) == cell_words(Cell(judged=3, warned=1)) == "warn"
    assert cell_words(Cell(judged=3, broken=1, warned=2)) == "1"


def test_cells_count_cases_by_what_came_of_the_clause() -> None:
    party = one("a", x=seen(), y=seen("fail"), z=seen("recorded"), u=seen("crashed"))

    (row,) = compare([party, one("b")], CLAUSES).rows

    assert row.cells == (Cell(judged=2, broken=1, recorded=1, unjudged=1), Cell())


@pytest.mark.parametrize(
    ("cases", "code"),
    [
        ({"x": seen()}, Exit.CONFORMANT),
        ({"x": seen("fail")}, Exit.NON_CONFORMANT),
        ({"x": seen("crashed")}, Exit.INCOMPLETE),
        ({"x": seen("crashed"), "y": seen("fail")}, Exit.NON_CONFORMANT),
        ({}, Exit.INCOMPLETE),
    ],
)
def test_the_exit_code_stands_for_all(cases: dict[str, Seen], code: Exit) -> None:
    assert exit_code([one("a", x=seen()), one("b", **cases)]) == code


# --- reports --------------------------------------------------------------------------------


HOSTILE = "\x1b[2J<script>|`*_\n# x\u202e"


def hostile() -> list[Compared]:
    name = HOSTILE.replace(" ", "")
    return [
        Compared(name, HOSTILE, HOSTILE, "sim", "core@1", "conformant", {"x": seen(runs=HOSTILE)}),
        one("b", x=seen(runs="2"), y=seen("fail")),
    ]


def test_the_names_of_those_who_behave_alike_are_no_markup() -> None:
    out, stream = paper()
    parties = [one("a<b>|`c`", x=seen(runs="1")), one("www.example", x=seen(runs="1"))]
    write_markdown(out, compare(parties, CLAUSES), table_only=False)
    alike = next(line for line in stream.getvalue().splitlines() if "behave alike" in line)

    assert html.unescape(alike).endswith("behave alike: a<b>|`c` = www.example")
    assert not re.search(r"[<>|`]|www\.", alike)


@pytest.mark.parametrize("write", [write_text, write_markdown])
def test_nothing_of_an_implementation_acts_on_who_reads_a_report(write: object) -> None:
    out, stream = paper()
    assert callable(write)
    write(out, compare(hostile(), CLAUSES), table_only=False)
    text = stream.getvalue()

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\n# x" not in text
    if write is write_markdown:
        assert "<script>" not in text
        assert {line.count("|") for line in text.splitlines() if line[:1] == "|"} == {4}


def test_the_document_is_of_its_schema(repository: Path) -> None:
    out, stream = paper()
    write_json(out, compare(hostile(), CLAUSES))
    schema = json.loads((repository / "spec/schemas/report-comparison.json").read_text())

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(stream.getvalue()), schema)
    assert "\x1b" not in stream.getvalue()


# --- the command ----------------------------------------------------------------------------


def test_labels_are_given_or_made() -> None:
    assert labelled(["sim", "a=python:m:f", "report:x/mine.ndjson"]) == [
        ("sim", "sim"),
        ("a", "python:m:f"),
        ("mine", "report:x/mine.ndjson"),
    ]


@pytest.mark.parametrize(
    "targets",
    [[], ["sim"], ["sim", "sim"], ["a=sim", "a=recorded:x"], ["sim", "=sim"], ["sim", "a b=sim"]],
)
def test_too_few_targets_and_labels_that_do_not_tell_apart_are_refused(targets: list[str]) -> None:
    with pytest.raises(CompareError):
        labelled(targets)


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(root, list(words), standalone_mode=False)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return int(done.return_value or 0), done.output


SELECTED = ("--case", "ord.denied*")


def test_a_report_says_the_same_of_a_target_as_a_run_of_it(tmp_path: Path) -> None:
    lines, document = tmp_path / "a.ndjson", tmp_path / "b.json"
    run("run", "sim", *SELECTED, "--ndjson", str(lines))
    document.write_text(
        run("run", "sim", *SELECTED, "--format", "json")[1].rpartition("}")[0] + "}"
    )

    code, said = run("compare", "sim", f"report:{lines}", f"report:{document}", *SELECTED)

    assert code == Exit.CONFORMANT
    assert "behave alike: sim = a = b" in said


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no header"),
        ("[]\n", ":1: it is no report"),
        ('{"type": "header"}\n', ":1: it is no report"),
        ('{"type":"header","target":"sim","profile":"p","implementation":{"name":"n"}}\nx', ":2: "),
        ("{\n}", ":1: it is no report"),
        ("[" * 100_000, ":1: it is no report"),
    ],
)
def test_a_file_that_is_no_report_is_named_with_the_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "x.ndjson"
    path.write_text(text)

    with pytest.raises(ReportFileError, match=complaint):
        read_report(path, "x")


def test_a_report_without_its_last_line_is_that_of_an_interrupted_run(tmp_path: Path) -> None:
    path = tmp_path / "x.ndjson"
    run("run", "sim", *SELECTED, "--ndjson", str(path))
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))

    found = read_report(path, "x")

    assert found.verdict == "interrupted"
    assert exit_code([found, found]) == Exit.INCOMPLETE


def test_a_report_that_is_named_like_a_target_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text("")

    with pytest.raises(CompareError, match="is a file") as caught:
        judged("a", str(path), RunOptions())

    assert "report:" in caught.value.hint


def test_a_target_that_cannot_be_used_leaves_the_others_to_be_compared() -> None:
    targets = ("a=sim", "b=sim", "c=python:no_such_module_here:f")
    code, said = run("compare", *targets, *SELECTED)

    assert code == Exit.UNUSABLE
    assert "behave alike: a = b" in said
    assert "no module named" in said
