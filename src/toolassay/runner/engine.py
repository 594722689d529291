"""
The engine: many cases, in order, by one or several workers.

Results come in the order of the cases under any number of workers, each as soon
as it and those before it are there. Whatever ends a run (its end, the first
failure, an interrupt, a dead adapter), what was judged is told, and the last
event says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from toolassay.results import CaseFinished, CaseResult, Problem, RunFinished
from toolassay.results import Event as RunEvent
from toolassay.runner.groups import OneWorker, Source
from toolassay.runner.plan import Plan
from toolassay.runner.relating import Relations
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
    telling = _Telling(plan, emit, tally)
    try:
        for result in source.results():
            if telling.take(result) and plan.stop_first:
                break
        telling.rest()
    except (KeyboardInterrupt, TargetError):
        _save(source, telling)
        raise
    finally:
        source.close()
    return tally.not_started == 0


def _save(source: Source, telling: _Telling) -> None:
    """Tell what a run that is cut short has come to."""
    try:
        source.stop()
    finally:  # whoever cannot wait for that has the results all the same
        for result in source.finished():
            telling.take(result)
        telling.rest()


class _Telling:
    """
    Counts and reports results, each as soon as nothing that it waits for is missing.

    Args:
        plan: What is run.
        emit: Takes the events.
        tally: Counts them.
    """

    def __init__(self, plan: Plan, emit: Emit, tally: Tally) -> None:
        self._plan = plan
        self._emit = emit
        self._tally = tally
        self._relations = Relations(plan.cases, plan.rules)

    def take(self, result: CaseResult) -> bool:
        """Take the result of the next case; tell whether a failure has become known."""
        failed = False
        for one in self._relations.take(result):
            failed = self._tell(one) or failed
        if self._plan.stop_first and self._relations.holds(result):
            failed = failed or self._fails(result)
        return failed

    def rest(self) -> None:
        """Tell what waits for cases that will not come."""
        for result in self._relations.rest():
            self._tell(result)

    def _tell(self, result: CaseResult) -> bool:
        ledger = self._plan.ledger
        final = ledger.apply(result) if ledger is not None else result
        self._tally.add(final)
        self._emit(CaseFinished(final))
        return final.status in FAILED

    def _fails(self, result: CaseResult) -> bool:
        """Tell whether a result that waits fails already, whatever its relations come to."""
        status = result.status
        if self._plan.ledger is not None:
            from toolassay.baseline import Ledger  # noqa: PLC0415 - most runs have none

            # Another one, since the ledger of the run takes each result once, and in order.
            status = Ledger(self._plan.ledger.baseline).apply(result).status
        # What passes now and is known to fail may still fail by its relation.
        return status in FAILED and status != "xpass"


def _source(plan: Plan) -> Source:
    if plan.jobs < 2 or plan.more is None:
        return OneWorker(plan)
    from toolassay.runner.workers import ManyWorkers  # noqa: PLC0415 - most runs need no threads

    return ManyWorkers(plan)
