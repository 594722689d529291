"""Known failures: what they excuse, what fails the run, and how the file is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from fakes import GOOD, NEVER, RAN, REGISTER, FakeTarget, case_of, plan_of, results_of

from toolassay.baseline import Baseline, Entry, Outcome
from toolassay.baseline_file import UNEXPLAINED, BaselineEntryError, load_file, read_file, updated
from toolassay.commands.updating import revised
from toolassay.results import CaseResult, RunFinished
from toolassay.selection import Selection
from toolassay.spec.case import Case
from toolassay.spec.errors import BaselineError, ToolassayError
from toolassay.statuses import Exit
from toolassay.targets.base import Answer

CASE = case_of(expect=(NEVER,))
CUTS = [case_of(f"arg.cut{suffix}", (NEVER,)) for suffix in ("", "[at=1]", "[at=2]")]


def known(
    case: str = CASE.id, clause: str = "ORD-06", outcome: Outcome = "fail", **more: object
) -> Entry:
    return Entry(clause, case, outcome=outcome, reason="known", **more)  # type: ignore[arg-type]


def of_vector(cases: int, **more: object) -> Entry:
    return Entry("ORD-06", vector="arg.cut", cases=cases, reason="known", **more)  # type: ignore[arg-type]


def judged(
    entries: list[Entry],
    answers: dict[str, Answer | Exception],
    cases: list[Case] | None = None,
    *,
    selection: Selection | None = None,
    flaky_max: int = 0,
    profile: str = "core",
    stop_first: bool = False,
) -> tuple[list[CaseResult], RunFinished]:
    return results_of(
        plan_of(
            FakeTarget(answers),
            cases or [CASE],
            # One clause alone, so that what these tests say does not hang on the other oracles.
            selection=selection or Selection(clauses=("ORD-06",)),
            baseline=Baseline(tuple(entries), flaky_max),
            profile=profile,
            stop_first=stop_first,
        )
    )


def problems(finished: RunFinished) -> list[tuple[str, str, str]]:
    return [(problem.kind, problem.name, problem.clause) for problem in finished.problems]


# --- matching -------------------------------------------------------------------------------


def test_a_known_failure_is_conformant() -> None:
    (result,), finished = judged([known()], {CASE.id: RAN})

    assert result.status == "xfail"
    assert (finished.exit_code, finished.problems) == (Exit.CONFORMANT, ())


def test_a_failure_of_another_clause_is_new() -> None:
    plan = plan_of(FakeTarget({CASE.id: RAN}), [CASE], baseline=Baseline((known(clause="MSG-05"),)))
    (result,), finished = results_of(plan)

    assert result.status == "fail"
    assert "ORD-06" in finished.broken_clauses


def test_an_entry_that_passes_fails_the_run_and_is_named() -> None:
    (result,), finished = judged([known()], {})

    assert result.status == "xpass"
    assert problems(finished) == [("xpass", CASE.id, "ORD-06")]
    assert finished.exit_code == Exit.NON_CONFORMANT


@pytest.mark.parametrize(
    ("pinned", "answer"),
    [("crashed", RAN), ("fail", Answer("crashed")), ("timeout", Answer("crashed"))],
)
def test_an_entry_that_fails_differently_fails_the_run(pinned: Outcome, answer: Answer) -> None:
    (result,), finished = judged([known(outcome=pinned)], {CASE.id: answer})

    assert result.status == "changed"
    assert problems(finished) == [("changed", CASE.id, "ORD-06")]
    assert finished.exit_code == Exit.NON_CONFORMANT


@pytest.mark.parametrize("outcome", ["crashed", "timeout"])
def test_crashes_and_timeouts_can_be_pinned(outcome: Literal["crashed", "timeout"]) -> None:
    (result,), finished = judged([known(outcome=outcome)], {CASE.id: Answer(outcome)})

    assert result.status == "xfail"
    assert finished.exit_code == Exit.CONFORMANT


def test_an_error_of_the_adapter_is_no_known_failure() -> None:
    (result,), finished = judged([known()], {CASE.id: Answer("error")})

    assert result.status == "changed"
    assert finished.exit_code == Exit.NON_CONFORMANT


def test_an_entry_that_matches_nothing_fails_the_run() -> None:
    _, finished = judged([known("ord.gone")], {})

    assert problems(finished) == [("unmatched", "ord.gone", "ORD-06")]
    assert finished.exit_code == Exit.NON_CONFORMANT


def test_an_entry_of_a_case_that_does_not_apply_matches_nothing() -> None:
    gated = case_of("ord.gated", (NEVER,), features=("gates",))
    _, finished = judged([known(gated.id)], {}, [CASE, gated])

    assert problems(finished) == [("unmatched", gated.id, "ORD-06")]


@pytest.mark.parametrize(
    "selection",
    [
        Selection(cases=("ord.*",), clauses=("ORD-06",)),
        Selection(families=("ord",), clauses=("ORD-06",)),
        Selection(contracts=("events",), clauses=("ORD-06",), cases=(CASE.id,)),
    ],
)
def test_entries_outside_the_selection_are_left_alone(selection: Selection) -> None:
    entries = [of_vector(3), known("arg.gone"), known("arg.cut[at=1]")]
    _, finished = judged(entries, {}, [CASE, *CUTS], selection=selection)

    assert finished.problems == ()


def test_entries_of_clauses_outside_the_profile_are_left_alone() -> None:
    outside = next(
        clause.id for clause in REGISTER.clauses.values() if clause.profiles == ("looprig",)
    )
    entry = Entry(outside, CASE.id, reason="known")
    plan = plan_of(FakeTarget(), [CASE], baseline=Baseline((entry,)))

    assert results_of(plan)[1].problems == ()


def test_an_entry_of_a_run_that_was_cut_short_is_not_unmatched() -> None:
    last = case_of("ord.last", (NEVER,))
    entries = [known(last.id), known("ord.gone")]
    _, finished = judged(entries, {CASE.id: RAN}, [CASE, last], stop_first=True)

    assert finished.problems == ()


# --- vectors --------------------------------------------------------------------------------


def test_of_a_vector_the_number_of_failing_cases_is_pinned() -> None:
    answers: dict[str, Answer | Exception] = {CUTS[1].id: RAN, CUTS[2].id: RAN}
    results, finished = judged([of_vector(2)], answers, CUTS)

    assert [result.status for result in results] == ["pass", "xfail", "xfail"]
    assert finished.exit_code == Exit.CONFORMANT


@pytest.mark.parametrize("pinned", [1, 3])
def test_another_number_of_failing_cases_is_a_change(pinned: int) -> None:
    answers: dict[str, Answer | Exception] = {CUTS[1].id: RAN, CUTS[2].id: RAN}
    _, finished = judged([of_vector(pinned)], answers, CUTS)

    assert problems(finished) == [("changed", "arg.cut", "ORD-06")]
    assert f"2 cases fail, pinned are {pinned}" in finished.problems[0].text


def test_a_vector_whose_cases_all_pass_is_stale() -> None:
    _, finished = judged([of_vector(2)], {}, CUTS)

    assert problems(finished) == [("xpass", "arg.cut", "ORD-06")]


def test_of_a_part_of_a_vector_fewer_failures_are_no_surprise() -> None:
    part = Selection(cases=("arg.cut[at=1]",), clauses=("ORD-06",))
    for answers in ({}, {CUTS[1].id: RAN}):
        _, finished = judged([of_vector(2)], dict(answers), CUTS, selection=part)
        assert finished.exit_code == Exit.CONFORMANT


def test_a_case_with_an_entry_of_its_own_does_not_count_for_its_vector() -> None:
    answers: dict[str, Answer | Exception] = {CUTS[0].id: RAN, CUTS[1].id: Answer("crashed")}
    entries = [of_vector(1), known(CUTS[1].id, outcome="crashed")]
    results, finished = judged(entries, answers, CUTS)

    assert [result.status for result in results] == ["xfail", "xfail", "pass"]
    assert finished.exit_code == Exit.CONFORMANT


def test_an_entry_for_the_first_case_of_a_vector_is_not_for_the_vector() -> None:
    """The first case has the vector's name for its id."""
    for answers in ({CUTS[0].id: RAN}, {CUTS[0].id: RAN, CUTS[1].id: RAN}):
        results, finished = judged([known(CUTS[0].id)], dict(answers), CUTS)
        assert [result.status for result in results] == [
            "xfail" if case is CUTS[0] else "fail" if case.id in answers else "pass"
            for case in CUTS
        ]
        assert problems(finished) == []


def test_the_first_case_and_its_vector_may_each_have_an_entry() -> None:
    answers: dict[str, Answer | Exception] = {case.id: RAN for case in CUTS[1:]}
    answers[CUTS[0].id] = Answer("crashed")
    entries = [of_vector(2), known(CUTS[0].id, outcome="crashed")]
    results, finished = judged(entries, answers, CUTS)

    assert [result.status for result in results] == ["xfail", "xfail", "xfail"]
    assert finished.exit_code == Exit.CONFORMANT
    assert revise(entries, answers, CUTS) == (entries, [])


def test_an_entry_for_the_first_case_is_left_alone_where_another_case_is_selected() -> None:
    part = Selection(clauses=("ORD-06",), cases=(CUTS[1].id,))
    _, finished = judged([known(CUTS[0].id)], {}, CUTS, selection=part)

    assert finished.exit_code == Exit.CONFORMANT


# --- flaky ----------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [GOOD, RAN])
def test_a_flaky_case_may_pass_or_fail(answer: Answer) -> None:
    _, finished = judged([known(flaky=True)], {CASE.id: answer}, flaky_max=1)

    assert finished.exit_code == Exit.CONFORMANT


def test_more_flaky_failures_than_the_bound_fail_the_run() -> None:
    other = case_of("ord.other", (NEVER,))
    entries = [known(flaky=True), known(other.id, flaky=True)]
    _, finished = judged(entries, {CASE.id: RAN, other.id: RAN}, [CASE, other], flaky_max=1)

    assert problems(finished) == [("flaky", "flaky", "")]
    assert "2 flaky failures, at most 1" in finished.problems[0].text


def test_a_flaky_entry_that_matches_nothing_fails_the_run_too() -> None:
    _, finished = judged([known("ord.gone", flaky=True)], {}, flaky_max=1)

    assert problems(finished) == [("unmatched", "ord.gone", "ORD-06")]


# --- the file -------------------------------------------------------------------------------


def full(repository: Path) -> bytes:
    return (repository / "tests/data/baselines/full.yaml").read_bytes()


def test_a_file_is_read_with_all_its_parts(repository: Path) -> None:
    baseline = read_file(full(repository), "known.yaml", REGISTER.clauses).baseline

    assert [(entry.name, entry.clause, entry.flaky) for entry in baseline.entries] == [
        ("ord.denied-call-never-runs", "ORD-06", False),
        ("arg.cut-object", "ARG-04", False),
        ("ord.sometimes", "ORD-06", True),
    ]
    assert baseline.entries[0].link == "https://example.org/my_agent/12"
    assert (baseline.entries[1].cases, baseline.flaky_max) == (3, 1)


WHOLE = {"case": "a.b", "clause": "ORD-06", "outcome": "fail", "reason": "r"}


def entry(**given: object) -> str:
    """Write an entry in one line; None takes a key away."""
    keys = {**WHOLE, **given}
    held = ", ".join(f"{key}: {value}" for key, value in keys.items() if value is not None)
    return f"  - {{{held}}}\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("known: 3", "1:8: known must be a list of entries"),
        ("knwon: []", "did you mean known?"),
        ("known:\n" + entry(clause="ORD-66"), "unknown clause 'ORD-66'"),
        ("known:\n" + entry(clause=None), "unknown clause ''"),
        ("known:\n" + entry(outcome="flop"), "unknown outcome 'flop'"),
        ("known:\n" + entry(outcome=None), "unknown outcome"),
        ("known:\n" + entry(reason=None), "needs a reason"),
        ("known:\n" + entry(case=None), "either a case or a vector"),
        ("known:\n" + entry(vector="a.b"), "either a case or a vector"),
        ("known:\n" + entry(case=None, vector="a.b"), "needs `cases`"),
        ("known:\n" + entry(cases=2), "for vectors"),
        ("known:\n" + entry(case=1), "case must be a text"),
        ("flaky:\n  entries: []", "flaky needs `at_most`"),
        ("known:\n" + entry() + entry(), "stands twice, first on line 2"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ToolassayError, match=r"known.yaml:[0-9]+:[0-9]+") as caught:
        read_file(text.encode(), "known.yaml", REGISTER.clauses)
    assert says in str(caught.value)


def test_a_file_that_does_not_exist_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="No such file"):
        load_file(tmp_path / "none.yaml", REGISTER.clauses)


def test_an_empty_file_knows_no_failure() -> None:
    assert read_file(b"known: []\n", "known.yaml", REGISTER.clauses).baseline.entries == ()


def test_the_error_names_its_line() -> None:
    with pytest.raises(BaselineEntryError) as caught:
        read_file(b"known:\n\n  - {case: a.b}\n", "known.yaml", REGISTER.clauses)
    assert caught.value.line == 3


# --- updating -------------------------------------------------------------------------------


def test_an_update_that_changes_nothing_changes_no_byte(repository: Path) -> None:
    file = read_file(full(repository), "known.yaml", REGISTER.clauses)
    keep = {entry.key: entry for entry in file.baseline.entries}

    assert updated(file, keep, ()).encode() == full(repository)


def test_an_update_keeps_comments_drops_what_passes_and_corrects_numbers(repository: Path) -> None:
    file = read_file(full(repository), "known.yaml", REGISTER.clauses)
    first, vector, flaky = file.baseline.entries
    changed = Entry(vector.clause, vector=vector.vector, cases=5, reason=vector.reason)
    keep = {vector.key: changed, flaky.key: flaky}
    text = updated(
        file, keep, [Entry("MSG-05", "msg.new[a=1]", outcome="crashed", reason=UNEXPLAINED)]
    )
    expected = (
        full(repository)
        .decode()
        .replace(text_of(full(repository).decode(), "  # The call", "    link:"), "")
        .replace("cases: 3", "cases: 5")
        .replace(
            "    reason: repairs what it should refuse\n",
            "    reason: repairs what it should refuse\n"
            '  - case: "msg.new[a=1]"\n    clause: MSG-05\n    outcome: crashed\n'
            "    reason: not explained yet\n",
        )
    )

    assert text == expected
    assert first.case not in text


def text_of(text: str, begin: str, last: str) -> str:
    start = text.index(begin)
    return text[start : text.index("\n", text.index(last, start)) + 1]


def test_an_update_of_a_list_without_indent_adds_entries_that_fit() -> None:
    text = "known:\n- case: a.b\n  clause: ORD-06\n  outcome: fail\n  reason: r\n"
    file = read_file(text.encode(), "known.yaml", REGISTER.clauses)
    keep = {entry.key: entry for entry in file.baseline.entries}
    again = updated(file, keep, [Entry("MSG-05", vector="m.n", cases=2, reason="r")])

    assert again.startswith(text)
    assert len(read_file(again.encode(), "known.yaml", REGISTER.clauses).baseline.entries) == 2


def test_an_update_that_leaves_nothing_leaves_a_readable_file() -> None:
    text = "# head\nknown:\n  - case: a.b\n    clause: ORD-06\n    outcome: fail\n    reason: r\n"
    file = read_file(text.encode(), "known.yaml", REGISTER.clauses)

    assert updated(file, {}, ()) == "# head\nknown: []\n"


def test_an_update_fills_an_empty_list() -> None:
    file = read_file(b"known: []  # nothing yet\n", "known.yaml", REGISTER.clauses)
    text = updated(file, {}, [Entry("ORD-06", "a.b", reason="r")])

    assert text.startswith("known:  # nothing yet\n  - case: a.b\n")


def revise(
    entries: list[Entry],
    answers: dict[str, Answer | Exception],
    cases: list[Case],
    only: tuple[str, ...] = (),
) -> tuple[list[Entry], list[Entry]]:
    selection = Selection(clauses=("ORD-06",), cases=only)
    plan = plan_of(FakeTarget(answers), cases, selection=selection, baseline=Baseline())
    results, _ = results_of(plan)
    assert plan.scope is not None
    keep, new = revised(Baseline(tuple(entries)), results, plan.scope, plan.rules.broken)
    return list(keep.values()), new


def test_a_revision_keeps_adds_and_drops() -> None:
    entries = [known(), known("ord.gone"), known("ord.passes")]
    cases = [CASE, case_of("ord.passes", (NEVER,)), case_of("ord.new", (NEVER,))]
    keep, new = revise(entries, {CASE.id: RAN, "ord.new": RAN}, cases)

    assert keep == [known()]
    assert [(entry.case, entry.clause, entry.outcome) for entry in new] == [
        ("ord.new", "ORD-06", "fail")
    ]


def test_a_revision_makes_one_entry_of_a_vector_whose_cases_fail_alike() -> None:
    answers: dict[str, Answer | Exception] = {case.id: RAN for case in CUTS[:2]}
    answers[CUTS[2].id] = Answer("crashed")
    _, new = revise([], answers, CUTS)

    assert [(entry.name, entry.outcome, entry.cases) for entry in new] == [
        ("arg.cut", "fail", 2),
        ("arg.cut[at=2]", "crashed", 1),
    ]


def test_a_revision_corrects_outcome_and_number() -> None:
    keep, new = revise([known()], {CASE.id: Answer("crashed")}, [CASE])
    assert ([entry.outcome for entry in keep], new) == (["crashed"], [])

    keep, new = revise([of_vector(3)], {CUTS[0].id: RAN}, CUTS)
    assert ([entry.cases for entry in keep], new) == ([1], [])


def test_a_revision_leaves_alone_what_was_not_selected() -> None:
    entries = [known(), known("arg.cut[at=1]"), of_vector(2)]
    keep, _ = revise(entries, {}, [CASE, *CUTS], only=(CASE.id,))

    assert [entry.name for entry in keep] == ["arg.cut[at=1]", "arg.cut"]


def test_a_revision_of_what_was_revised_changes_nothing() -> None:
    answers: dict[str, Answer | Exception] = {CASE.id: RAN, **{case.id: RAN for case in CUTS}}
    _, new = revise([], answers, [CASE, *CUTS])
    keep, more = revise(new, answers, [CASE, *CUTS])

    assert (keep, more) == (new, [])
    _, finished = judged(new, answers, [CASE, *CUTS])
    assert finished.exit_code == Exit.CONFORMANT
