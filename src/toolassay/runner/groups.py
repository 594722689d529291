"""
One worker that goes through the cases of a run.

Timeouts are counted in the cases of a vector, so one worker has all of them. A
target that can send cases ahead is told what comes next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Protocol

from toolassay.results import CaseResult
from toolassay.runner.applies import reason_against
from toolassay.runner.judging import offered, run_case, spared
from toolassay.runner.plan import Plan
from toolassay.runner.repeating import CutShortError, held_against
from toolassay.runner.rules import Rules
from toolassay.spec.case import Case
from toolassay.targets.base import Foreseeing, Target

TIMEOUTS_MAX = 5
"""Cases of one vector in a row that may time out before the rest of it is left out."""

Group = tuple[Case, ...]
"""The cases of one vector, in order."""

RunOne = Callable[[Case], CaseResult]
"""Runs one case and judges it."""


class Source(Protocol):
    """Where the results of a run come from."""

    def results(self) -> Iterator[CaseResult]:
        """
        Give the results in the order of the cases, each as soon as it is there.

        Raises:
            TargetError: The target cannot be used any more.
        """

    def stop(self) -> None:
        """Run no further case, and end those that run."""

    def finished(self) -> Iterator[CaseResult]:
        """Give the results that are there and were not given yet, in order."""

    def close(self) -> None:
        """Let go of what was opened; no result comes afterwards."""


class OneWorker:
    """
    The target of a plan, case by case.

    Args:
        plan: What is run; its owner closes the target.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._left: list[CaseResult] = []

    def results(self) -> Iterator[CaseResult]:
        """Give the results in the order of the cases, each as soon as it is there."""
        plan = self._plan
        run_one = runner_of(plan, plan.target)
        foretell(plan, plan.target, plan.cases)
        try:
            for case in plan.cases:
                yield run_one(case)
        except CutShortError as cut:
            self._left.append(cut.result)
            raise cut.reason from None

    def stop(self) -> None:
        """Do nothing: it runs while it is asked for results."""

    def finished(self) -> Iterator[CaseResult]:
        """Give the result of a case that was ended in its midst."""
        while self._left:
            yield self._left.pop()

    def close(self) -> None:
        """Do nothing: the target is another's."""


def groups_of(cases: Sequence[Case]) -> Iterator[Group]:
    """Keep the cases of a vector together: timeouts are counted in them."""
    for _, group in groupby(cases, key=lambda case: case.vector):
        yield tuple(group)


def foretell(plan: Plan, target: Target, cases: Sequence[Case]) -> None:
    """Tell a target what it will be asked, if it makes use of that."""
    if isinstance(target, Foreseeing) and target.window > 1:
        offer, needs = offered(target.implementation), plan.rules.needs
        applicable = (case for case in cases if not reason_against(case, offer, needs))
        asked = [one for case in applicable for one in [case] * (1 + (case.id in plan.repeated))]
        target.foresee(asked, plan.seed, plan.deadline_s)


def runner_of(plan: Plan, target: Target) -> RunOne:
    """Prepare to run cases on a target."""
    offer = offered(target.implementation)
    rules, seed, deadline_s = plan.rules, plan.seed, plan.deadline_s

    def run_one(case: Case) -> CaseResult:
        result = run_case(target, case, rules, seed=seed, deadline_s=deadline_s, offer=offer)
        if case.id not in plan.repeated:
            return result
        return held_against(result, lambda: target.run(case, seed, deadline_s))

    # Where timeouts are pinned, every case counts.
    return run_one if plan.ledger is not None else _sparing(run_one, rules)


def _sparing(run_one: RunOne, rules: Rules) -> RunOne:
    """Leave out the rest of a vector whose cases time out one after the other."""
    vector, in_a_row = "", 0

    def run_or_spare(case: Case) -> CaseResult:
        nonlocal vector, in_a_row
        if case.vector != vector:
            vector, in_a_row = case.vector, 0
        if in_a_row >= TIMEOUTS_MAX:
            return spared(case, rules, f"{in_a_row} cases of this vector in a row timed out")
        result = run_one(case)
        if result.status == "timeout":
            in_a_row += 1
        elif result.status != "not_applicable":
            in_a_row = 0
        return result

    return run_or_spare
