"""What the runner costs per case, beside the target's time and the oracles' own."""

from unittest.mock import patch

from measure import Row, least, row, show

from toolassay.authoring.packs import load_pack_cases
from toolassay.properties.judge import judge
from toolassay.properties.verdict import Verdict
from toolassay.results import Event, RunStarted
from toolassay.runner import judging, relating
from toolassay.runner.engine import Plan, run
from toolassay.runner.rules import Rules, rules_of
from toolassay.spec.case import Case
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
    verdicts = {case.id: _judged(target, case, rules) for case in cases}

    def whole() -> None:
        run(plan, _forget)

    def alone() -> None:
        # The oracles have every verdict already; what is left is the runner's own.
        with (
            patch.object(judging, "judge", lambda _o, _s, case, _c: verdicts[case.id]),
            patch.object(
                relating, "relate", lambda clause, _m: Verdict(clause, "relation", "pass")
            ),
        ):
            run(plan, _forget)

    of_whole, of_alone = (spent / len(cases) * 1e6 for spent in least(whole, alone, times=9))
    share = f"{of_alone / of_whole:.0%} of the line above"
    return [
        row("runner and oracles", of_whole, "us"),
        row("runner alone", of_alone, "us", most=BUDGET_US, ratio=share),
    ]


def _judged(target: Replayed, case: Case, rules: Rules) -> tuple[Verdict, ...]:
    observation = target.run(case).observation
    assert observation is not None, "the reference answers every case"
    return judge(observation, case.scenario, case, rules.clauses)


def _forget(event: Event) -> None:
    del event


if __name__ == "__main__":
    show(TITLE, measure())
