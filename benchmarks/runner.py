"""What the runner costs per case, beside the target's time and the oracles' own."""

from measure import Row, least, row, show

from toolassay.authoring.packs import load_pack_cases
from toolassay.properties.judge import judge
from toolassay.properties.relations import relate
from toolassay.results import Event, RunStarted
from toolassay.runner.engine import Plan, run
from toolassay.runner.rules import rules_of
from toolassay.spec.case import Case, RelationRef
from toolassay.spec.register import load_register
from toolassay.targets.base import DEADLINE_S, Answer, Implementation
from toolassay.targets.sim import SimTarget

TITLE = "runner, microseconds a case"
BUDGET_US = 60


class Replayed:
    """A target that costs next to nothing: it has every answer already."""

    def __init__(self, cases: tuple[Case, ...]) -> None:
        reference = SimTarget()
        self.implementation: Implementation = reference.implementation
        self._answers = {case.id: reference.run(case, 0, DEADLINE_S) for case in cases}

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        del seed, deadline_s
        return self._answers[case.id]

    def close(self) -> None:
        pass


def measure() -> list[Row]:
    cases = load_pack_cases()
    register = load_register()
    rules = rules_of(register, register.profile("core"))
    target = Replayed(cases)
    deterministic = target.implementation.deterministic
    started = RunStarted(
        "replayed", "replayed", "1", deterministic, rules.profile, 0, len(cases), ""
    )
    plan = Plan(target, cases, rules, started)

    def ask() -> None:
        for case in cases:
            target.run(case)

    groups: dict[RelationRef, list[Case]] = {}
    for case in cases:
        for reference in case.relations:
            groups.setdefault(reference, []).append(case)

    def ask_oracles() -> None:
        for case in cases:
            observation = target.run(case).observation
            assert observation is not None
            judge(observation, case.scenario, case, rules.clauses)
        for reference, members in groups.items():
            seen = [(case, target.run(case).observation) for case in members]
            relate(reference.clause, [(case, one) for case, one in seen if one is not None])

    asked, judged, whole = (
        least(work) / len(cases) * 1e6 for work in (ask, ask_oracles, lambda: run(plan, _forget))
    )
    oracles = judged - asked
    return [
        row("runner and oracles", whole - asked, "us"),
        row("oracles alone", oracles, "us"),
        row("runner alone", whole - judged, "us", most=BUDGET_US, ratio=_part(whole, judged)),
    ]


def _part(whole: float, judged: float) -> str:
    return f"{(whole - judged) / whole:.0%} of the whole"


def _forget(event: Event) -> None:
    del event


if __name__ == "__main__":
    show(TITLE, measure())
