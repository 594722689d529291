"""
The engine: many cases, in order, by one or several workers.

Results come in the order of the cases under any number of workers. Whatever
ends a run (its end, the first failure, an interrupt, a dead adapter), the last
event says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from toolassay.results import CaseFinished, CaseResult, Problem, RunFinished
from toolassay.results import Event as RunEvent
from toolassay.runner.groups import CutShortError, Results, by_one
from toolassay.runner.plan import Plan
from toolassay.runner.repeating import repeated
from toolassay.runner.tally import Tally
from toolassay.spec.errors import TargetError
from toolassay.statuses import FAILED

__all__ = ["Plan", "run"]

Emit = Callable[[RunEvent], None]
"""What takes the events of a run."""


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
        twice = repeated(plan.cases, plan.target.implementation)
        plan = msgspec.structs.replace(plan, repeated=twice)
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
    source = _source(plan)
    try:
        for results in source:
            if _told(plan, results, emit, tally) and plan.stop_first:
                return tally.not_started == 0
    except CutShortError as cut:
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


def _source(plan: Plan) -> Results:
    if plan.jobs < 2 or plan.more is None:
        return by_one(plan)
    from toolassay.runner.workers import by_many  # noqa: PLC0415 - most runs need no threads

    return by_many(plan)
