"""Generated cases: the same for a seed, simple when shrunk, legal for the reference."""

from collections import Counter

from hypothesis import given

from toolassay.properties import strategies
from toolassay.properties.choices import Replayed, Seeded, shrink
from toolassay.properties.generator import (
    generate,
    generate_with_choices,
    operation_at,
    replay,
    scenario,
    twins,
)
from toolassay.properties.texts import raw_arguments
from toolassay.simulator.reference import Reference
from toolassay.spec.canonical import canonical
from toolassay.spec.case import Case
from toolassay.spec.json_text import judge_arguments
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import bytes_of


def test_a_seed_and_an_index_always_give_the_same_case() -> None:
    assert [generate(1, n) for n in range(50)] == [generate(1, n) for n in range(50)]
    assert [generate(1, n) for n in range(50)] != [generate(2, n) for n in range(50)]


def test_recorded_choices_give_the_case_again() -> None:
    for index in range(50):
        case, choices = generate_with_choices(4, index)
        again = replay(operation_at(index), choices)

        assert (again.scenario, again.event, again.arguments) == (
            case.scenario,
            case.event,
            case.arguments,
        )


def test_no_choices_give_the_simplest_scenario() -> None:
    simplest = scenario(Replayed([]))

    assert [len(reply.calls) for reply in simplest.model] == [1]
    assert simplest.model[0].calls[0].arguments == "{}"
    assert simplest.policy == {}


def test_shrinking_ends_at_the_smallest_failing_choices() -> None:
    start = [9, 3, 0, 7, 7, 2]

    assert shrink(start, lambda choices: sum(choices) >= 5) == [5]
    assert shrink(start, lambda choices: len(choices) > 2) == [0, 0, 0]


def test_shrinking_a_failing_scenario_leaves_what_fails() -> None:
    def denied(choices: object) -> bool:
        case = replay("turn/run", list(choices))  # type: ignore[call-overload]
        return case.scenario is not None and bool(case.scenario.policy)

    found = next(
        choices
        for index in range(100)
        for case, choices in [generate_with_choices(1, index, ("turn/run",))]
        if case.scenario is not None and case.scenario.policy
    )
    small = replay("turn/run", shrink(found, denied)).scenario

    assert small is not None
    assert len(small.model) == 1
    assert len(small.model[0].calls) == 1
    assert list(small.policy.values()) == ["deny"]


def test_names_that_parsers_guard_against_are_generated_as_valid_objects() -> None:
    texts = [raw_arguments(Seeded(2, index)) for index in range(4_000)]
    guarded = [text for text in texts if b"proto" in text and text.endswith(b"}")]

    kinds = (b'"__proto__":', b'"constructor":{"prototype":', b"\\u005f_proto__", b'[{"__proto__"')
    assert [kind for kind in kinds if not any(kind in text for text in guarded)] == []
    judged = [judge_arguments(text) for text in guarded]
    assert {(one.kind, one.is_object) for one in judged} == {("valid", True)}


def test_texts_of_every_kind_are_generated() -> None:
    kinds = Counter(judge_arguments(raw_arguments(Seeded(0, n))).kind for n in range(400))

    assert min(kinds["valid"], kinds["malformed"], kinds["recorded"]) > 20


@given(strategies.event_cases())
def test_the_reference_meets_the_expectation_of_every_generated_event(case: Case) -> None:
    assert case.event is not None
    outcome = Reference().event_validate(case.event)

    assert outcome.status == case.expect[0].outcome.status  # type: ignore[union-attr]


@given(strategies.argument_texts())
def test_the_reference_keeps_every_text_to_the_byte_for_execution(raw: bytes) -> None:
    outcome = Reference().arguments_sanitize(raw.decode("latin-1"))

    assert outcome.executable is not None
    assert bytes_of(outcome.executable) == raw.decode("latin-1").encode()


@given(strategies.scenarios())
def test_twins_differ_only_in_what_must_not_matter(generated: Scenario) -> None:
    case = Case("x", "x", "x", "events", "negative", "turn/run", scenario=generated)
    history = canonical(Reference().turn_run(generated).history)

    for _clause, twin in twins(case):
        assert twin.scenario is not None
        assert canonical(Reference().turn_run(twin.scenario).history) == history


@given(strategies.scenarios())
def test_every_generated_scenario_ends_all_its_turns(generated: Scenario) -> None:
    ending = Reference().turn_run(generated).ending

    assert ending is not None
    assert [turn.turn for turn in ending.turns] == list(range(len(generated.users)))


def test_cuts_and_drop_sets_stay_inside() -> None:
    @given(strategies.cuts(9), strategies.drop_sets(4))
    def check(cuts: tuple[int, ...], dropped: frozenset[int]) -> None:
        assert list(cuts) == sorted(set(cuts))
        assert all(0 < cut < 9 for cut in cuts)
        assert dropped <= set(range(4))

    check()
