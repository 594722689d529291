"""Generated cases in a run: fitted to the target, judged beside their twins, kept small."""

from pathlib import Path

import msgspec
import pytest

from toolassay.authoring.expand import expand
from toolassay.authoring.features import features_of
from toolassay.authoring.lint import lint
from toolassay.authoring.load import load_vectors
from toolassay.fitting import fitted
from toolassay.generation import breaks, generated_cases, minimal
from toolassay.properties.generator import generate
from toolassay.simulator.mutants import MUTANTS
from toolassay.targets.sim import SimTarget


@pytest.mark.parametrize(
    "features",
    [
        (),
        ("sequential",),
        ("parallel", "policy"),
        ("parallel", "stream-text", "raises", "next-turn"),
        ("sequential", "subscribers", "stall", "waits", "hangs"),
    ],
)
def test_a_fitted_scenario_asks_for_nothing_undeclared(features: tuple[str, ...]) -> None:
    for index in range(200):
        given = generate(3, index, ("turn/run",)).scenario
        assert given is not None
        asked = set(features_of(fitted(given, features)))

        # Bytes that are no text cannot be taken out without taking the arguments out.
        assert asked - {"stream-bytes"} <= set(features)


def test_a_scenario_that_fits_is_left_as_it_is() -> None:
    target = SimTarget()
    for index in range(50):
        given = generate(3, index, ("turn/run",)).scenario
        assert given is not None

        assert fitted(given, target.implementation.features) == given


def test_every_twin_stands_behind_its_case_in_one_group() -> None:
    cases = list(generated_cases(0, 40, SimTarget().implementation))
    groups: dict[str, int] = {}
    for case in cases:
        for ref in case.relations:
            groups[ref.group] = groups.get(ref.group, 0) + 1

    assert groups
    assert set(groups.values()) == {2}
    assert len({case.id for case in cases}) == len(cases)


@pytest.mark.parametrize("name", ["denied-runs", "lost-tail", "null-element", "stored-raw"])
def test_what_generation_finds_becomes_a_small_vector_that_shows_it(
    name: str, tmp_path: Path
) -> None:
    from toolassay.authoring.emit import found_vector

    mutant = MUTANTS[name]
    target = SimTarget(mutant.make())
    index = next(
        number for number in range(2_500) if breaks(target, generate(0, number), mutant.clause, 0)
    )
    case = minimal(target, mutant.clause, 0, index, 10.0)
    assert case is not None
    file = tmp_path / "found.yaml"
    file.write_text(found_vector(case, mutant.clause, "a test"), encoding="utf-8")
    (again,) = expand(load_vectors([file]).vectors[0])

    assert lint([file]) == ()
    assert breaks(SimTarget(mutant.make()), again, mutant.clause, 0)
    assert not breaks(SimTarget(), again, mutant.clause, 0)
    if case.scenario is not None:
        assert len(case.scenario.model) == 1
        assert len(case.scenario.model[0].calls) == 1


def test_a_fault_that_does_not_show_again_gives_no_vector() -> None:
    assert minimal(SimTarget(), "ORD-06", 0, 0, 10.0) is None


def test_a_target_is_not_asked_for_what_it_does_not_declare() -> None:
    class Shy(SimTarget):
        @property
        def implementation(self):  # type: ignore[no-untyped-def] # noqa: ANN202
            return msgspec.structs.replace(super().implementation, features=())

    mutant = MUTANTS["denied-runs"]
    streamed = next(
        case
        for number in range(200)
        for case in [generate(0, number, ("turn/run",))]
        if case.scenario is not None and case.scenario.policy
    )

    assert breaks(SimTarget(mutant.make()), streamed, "ORD-06", 0)
    assert not breaks(Shy(mutant.make()), streamed, "ORD-06", 0)
