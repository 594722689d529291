"""
The engine: many cases, in order, by one or several workers.

Results come in the order of the cases under any number of workers. Whatever
ends a run (its end, the first failure, an interrupt, a dead adapter), the last
event says so.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from toolassay.results import CaseFinished, CaseResult, Event, Problem, RunFinished, RunStarted
from toolassay.runner.judging import offered, run_case, spared
from toolassay.runner.relating import judge_relations
from toolassay.runner.rules import Rules
from toolassay.runner.tally import Tally
from toolassay.spec.case import Case
from toolassay.spec.errors import TargetError
from toolassay.statuses import FAILED
from toolassay.targets.base import DEADLINE_S, Target

if TYPE_CHECKING:
    from toolassay.baseline import Ledger, Scope

TIMEOUTS_MAX = 5
"""Cases of one vector in a row that may time out before the rest of it is left out."""

AHEAD = 4
"""How many groups of cases each worker may be ahead of the reports."""

Results = Generator[list[CaseResult], None, None]
"""Groups of results, in order."""

Emit = Callable[[Event], None]
"""What takes the events of a run."""


class Plan(msgspec.Struct, frozen=True):
    """Everything that a run is made of."""

    target: Target
    """The implementation under test; its owner closes it."""
    cases: Sequence[Case]
    """The selected cases, in order."""
    rules: Rules
    """What is judged, and how it is scored."""
    started: RunStarted
    """The first event."""
    more: Callable[[], Target] | None = None
    """Opens the target once more, for a further worker."""
    ledger: Ledger | None = None
    """The known failures."""
    scope: Scope | None = None
    """What the baseline must know of the selection."""
    seed: int = 0
    """The seed given to the target."""
    deadline_s: float = DEADLINE_S
    """Seconds that one case may take."""
    stop_first: bool = False
    """Whether to stop at the first case that fails."""
    jobs: int = 1
    """Number of workers."""
    faults: tuple[str, ...] = ()
    """What is wrong with the vectors that could not be read, and so are not run."""


def run(plan: Plan, emit: Emit) -> RunFinished:
    """
    Run the cases of a plan.

    Args:
        plan: What to run.
        emit: Takes `RunStarted`, then one `CaseFinished` per case, then `RunFinished`.

    Returns:
        The last event.
    """
    began = time.perf_counter()
    tally = Tally(len(plan.cases), plan.faults)
    ended = False
    try:
        emit(plan.started)
        ended = _run_all(plan, emit, tally)
    except KeyboardInterrupt:
        tally.interrupted = True
    except TargetError as fault:
        tally.unusable = str(fault)
    problems: tuple[Problem, ...] = ()
    if plan.ledger is not None and plan.scope is not None:
        problems = plan.ledger.problems(plan.scope, plan.rules.broken, ended=ended)
    finished = tally.finish(problems, time.perf_counter() - began)
    emit(finished)
    return finished


def _run_all(plan: Plan, emit: Emit, tally: Tally) -> bool:
    """Run to the end, or to the first failure; tell whether the end was reached."""
    source = _by_one(plan) if plan.jobs < 2 or plan.more is None else _by_many(plan)
    try:
        for results in source:
            if _told(plan, results, emit, tally) and plan.stop_first:
                return tally.not_started == 0
    except _CutShortError as cut:
        _told(plan, cut.results, emit, tally)
        raise cut.reason from None
    finally:
        source.close()
    return True


def _told(plan: Plan, results: Sequence[CaseResult], emit: Emit, tally: Tally) -> bool:
    """Count and report results, up to the first failure where that is wanted; tell of one."""
    failed = False
    for result in results:
        final = plan.ledger.apply(result) if plan.ledger is not None else result
        tally.add(final)
        emit(CaseFinished(final))
        failed = failed or final.status in FAILED
        if failed and plan.stop_first:
            break
    return failed


class _CutShortError(Exception):
    """A group of cases was ended in its midst; what it had come to is not lost."""

    def __init__(self, results: Sequence[CaseResult], reason: BaseException) -> None:
        super().__init__()
        self.results = results
        self.reason = reason


def _groups(cases: Sequence[Case]) -> Iterator[tuple[Case, ...]]:
    """Keep the cases of a vector together: relations join them, and timeouts are counted."""
    for _, group in groupby(cases, key=lambda case: case.vector):
        yield tuple(group)


def _judged(
    plan: Plan, group: tuple[Case, ...], run_one: Callable[[Case], CaseResult]
) -> list[CaseResult]:
    results: list[CaseResult] = []
    try:
        for case in group:
            results.append(run_one(case))  # noqa: PERF401 - what came before an end is kept
    except (TargetError, KeyboardInterrupt) as reason:
        raise _CutShortError(results, reason) from None
    related = any(case.relations for case in group)
    return judge_relations(results, plan.rules) if related else results


def _runner_of(plan: Plan, target: Target) -> Callable[[Case], CaseResult]:
    offer = offered(target.implementation)
    rules, seed, deadline_s = plan.rules, plan.seed, plan.deadline_s

    def run_one(case: Case) -> CaseResult:
        return run_case(target, case, rules, seed=seed, deadline_s=deadline_s, offer=offer)

    # Where timeouts are pinned, every case counts.
    return run_one if plan.ledger is not None else _sparing(run_one, rules)


def _sparing(run_one: Callable[[Case], CaseResult], rules: Rules) -> Callable[[Case], CaseResult]:
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


def _by_one(plan: Plan) -> Results:
    run_one = _runner_of(plan, plan.target)
    for group in _groups(plan.cases):
        yield _judged(plan, group, run_one)


def _by_many(plan: Plan) -> Results:
    """Run groups on several workers, each with a target of its own."""
    from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415 - rarely needed
    from queue import SimpleQueue  # noqa: PLC0415 - as above

    assert plan.more is not None, "several workers need a way to open targets"
    targets = [plan.target]
    idle: SimpleQueue[Callable[[Case], CaseResult]] = SimpleQueue()
    pool = ThreadPoolExecutor(plan.jobs)
    waiting: deque[Future[list[CaseResult]]] = deque()

    def judge_group(group: tuple[Case, ...]) -> list[CaseResult]:
        run_one = idle.get()
        try:
            return _judged(plan, group, run_one)
        finally:
            idle.put(run_one)

    try:
        while len(targets) < plan.jobs:
            targets.append(plan.more())  # one by one: if the next cannot be had, this is closed
        for target in targets:
            idle.put(_runner_of(plan, target))
        for group in _groups(plan.cases):
            waiting.append(pool.submit(judge_group, group))
            if len(waiting) >= plan.jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        for target in targets if waiting else ():  # what still runs is not waited for
            target.close()
        pool.shutdown(wait=True, cancel_futures=True)
        # After that: a worker in the midst of a group starts its target again.
        for target in targets[1:]:
            target.close()
