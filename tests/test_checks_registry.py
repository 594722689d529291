"""The table of checks, and what `judge` makes of it."""

from __future__ import annotations

import msgspec
from observations import GROUP, SOUND, deliveries, history, journal, scenario, scripted

from toolassay.properties.judge import CHECKS, asked_of, check_of, judge
from toolassay.properties.names import CHECK_NAMES, RECORDED_IN_STREAMS
from toolassay.properties.stream import STREAM_CLAUSES
from toolassay.spec.observation import FACETS, Observation
from toolassay.spec.register import load_register


def test_every_clause_that_is_checked_stands_in_the_register() -> None:
    assert load_register().clauses.keys() >= CHECK_NAMES.keys()


def test_names_and_clauses_of_checks_are_unique() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert len({check.clause for check in CHECKS}) == len(CHECKS)
    assert len(set(CHECK_NAMES.values())) == len(CHECK_NAMES)


def test_every_name_is_that_of_a_check_or_of_a_relation() -> None:
    relations = {clause for clause, name in CHECK_NAMES.items() if name.startswith("relation.")}
    assert {check.clause for check in CHECKS} | relations == set(CHECK_NAMES)


def test_every_clause_of_a_stream_has_a_check() -> None:
    assert {check.clause for check in CHECKS}.issuperset(STREAM_CLAUSES)


def test_what_is_only_recorded_of_a_stream_does_not_bind_the_runtime() -> None:
    clauses = load_register().clauses
    for clause in STREAM_CLAUSES:
        assert (clause in RECORDED_IN_STREAMS) is ("runtime" not in clauses[clause].subject)


def test_a_check_asks_for_the_facets_of_its_clause_and_the_journal_alone_besides() -> None:
    clauses = load_register().clauses
    for check in CHECKS:
        needs = clauses[check.clause].needs
        named = {*needs.facets, *needs.any_facets, "journal"}
        if check.clause not in RECORDED_IN_STREAMS:
            assert named.issuperset({*check.needs, *check.either}), check.clause


def test_nothing_to_see_is_judged_by_no_check() -> None:
    found = judge(Observation(), scenario(scripted()))
    assert {one.status for one in found} == {"not_applicable"}
    assert all(one.why.startswith("facet ") for one in found)


def test_a_check_is_asked_where_one_of_its_facets_is_there_and_nowhere_else() -> None:
    empty: dict[str, object] = {
        "history": {"messages": []},
        "requests": {"requests": []},
        "executions": {"executions": []},
        "deliveries": {"subscriptions": []},
        "journal": {"records": []},
        "ending": {"turns": []},
        "outcome": {"status": "ok"},
    }
    assert empty.keys() == set(FACETS)
    for facet, value in empty.items():
        seen = msgspec.convert({facet: value}, Observation)
        asked = {check.clause for _, check, _ in asked_of(seen, scripted=True).open}
        assert asked == {
            check.clause
            for check in CHECKS
            if set(check.needs) <= {facet} and (not check.either or facet in check.either)
        }


def test_only_the_clauses_that_were_asked_for_are_judged() -> None:
    found = judge(Observation(), clauses=frozenset({"ORD-06", "MSG-05"}))
    assert [one.clause for one in found] == ["MSG-05", "ORD-06"]


def test_the_same_observation_gives_the_same_verdicts() -> None:
    observation = Observation(
        history=history(*GROUP), journal=journal(*SOUND), deliveries=deliveries(*SOUND[::-1])
    )
    given = scenario(scripted())
    assert judge(observation, given) == judge(observation, given)


def test_the_check_of_a_clause_can_be_asked_for() -> None:
    check = check_of("ORD-06")
    assert check is not None
    assert check.name == "order.denied-call-never-runs"
    assert check_of("DUR-17") is None
