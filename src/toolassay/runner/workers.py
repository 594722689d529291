"""
Several workers, each with a target of its own, and one order of results.

What a worker takes at a time is a share: the cases of one vector, or of several
where its target sends cases ahead and would often run dry.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from threading import Event

from toolassay.errors import AdapterChangedError
from toolassay.results import CaseResult
from toolassay.runner.groups import (
    CutShortError,
    Group,
    Results,
    RunOne,
    foretell,
    groups_of,
    judged,
    runner_of,
)
from toolassay.runner.plan import Plan
from toolassay.spec.case import Case
from toolassay.targets.base import Foreseeing, Target, differing

AHEAD = 4
"""How many shares each worker may be ahead of the reports."""

WINDOWS = 4
"""How many windows of cases a share holds."""

INTERRUPT_S = 0.05
"""How long a worker that is interrupted may take, until it is interrupted again."""

Share = tuple[Group, ...]
"""What a worker takes at a time."""


class _StoppedError(Exception):
    """Nobody waits for the results of this worker any more."""


def by_many(plan: Plan) -> Results:
    """Run all cases on several targets."""
    workers = _Workers(plan)
    waiting: deque[Future[list[CaseResult]]] = deque()
    try:
        workers.begin()
        for share in shares_of(plan):
            waiting.append(workers.submit(share))
            if len(waiting) >= plan.jobs * AHEAD:
                yield _first(waiting)
        while waiting:
            yield _first(waiting)
    finally:
        workers.end(waiting)


def _first(waiting: deque[Future[list[CaseResult]]]) -> list[CaseResult]:
    """Wait for the results that are next; until they are there, others may have to end them."""
    results = waiting[0].result()
    waiting.popleft()
    return results


class _Workers:
    """
    Threads, and the targets that they run cases on.

    Args:
        plan: What is run; its own target is the first one, and is not closed here.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._targets = [plan.target]
        self._idle: SimpleQueue[tuple[Target, RunOne]] = SimpleQueue()
        self._pool = ThreadPoolExecutor(plan.jobs)
        self._stopped = Event()

    def begin(self) -> None:
        """Open the targets; should one not be had, `end` closes those before it."""
        assert self._plan.more is not None, "several workers need a way to open targets"
        first = self._plan.target.implementation
        while len(self._targets) < self._plan.jobs:
            self._targets.append(self._plan.more())
            changed = differing(first, self._targets[-1].implementation)
            if changed:  # else it would depend on the worker what of a case is judged
                raise AdapterChangedError(first.target, changed)
        for target in self._targets:
            self._idle.put((target, self._stopping(runner_of(self._plan, target))))

    def submit(self, share: Share) -> Future[list[CaseResult]]:
        """Have a share judged as soon as a worker is idle."""
        return self._pool.submit(self._judged, share)

    def end(self, waiting: Sequence[Future[list[CaseResult]]]) -> None:
        """Close all targets but the first; what still runs is not waited for."""
        self._stopped.set()
        running = {future for future in waiting if not future.cancel() and not future.done()}
        try:
            while running:
                for target in self._targets:
                    _interrupt(target)
                # Again and again: a worker may have been about to start its target anew.
                running = wait(running, INTERRUPT_S).not_done
            # Side by side, since one that does not end by itself is waited for.
            for target in self._targets[1:]:
                self._pool.submit(target.close)
            self._pool.shutdown(wait=True)
        except BaseException:  # whoever cannot wait is not to leave them behind
            for target in self._targets[1:]:
                _interrupt(target)
            raise

    def _judged(self, share: Share) -> list[CaseResult]:
        target, run_one = worker = self._idle.get()
        results: list[CaseResult] = []
        try:
            foretell(self._plan, target, [case for group in share for case in group])
            for group in share:
                results += judged(self._plan, group, run_one)
        except CutShortError as cut:
            raise CutShortError([*results, *cut.results], cut.reason) from None
        finally:
            self._idle.put(worker)
        return results

    def _stopping(self, run_one: RunOne) -> RunOne:
        """Run no further case once the run is over."""

        def run_or_stop(case: Case) -> CaseResult:
            if self._stopped.is_set():
                raise _StoppedError
            return run_one(case)

        return run_or_stop


def _interrupt(target: Target) -> None:
    """End what a target does for another thread."""
    if isinstance(target, Foreseeing):
        target.interrupt()
    else:
        target.close()


def shares_of(plan: Plan) -> Iterator[Share]:
    """Cut the cases of a run into what one worker takes at a time."""
    least = _least(plan)
    share: list[Group] = []
    size = 0
    for group in groups_of(plan.cases):
        share.append(group)
        size += len(group)
        if size >= least:
            yield tuple(share)
            share, size = [], 0
    if share:
        yield tuple(share)


def _least(plan: Plan) -> int:
    """Give how many cases a share has at least."""
    window = plan.target.window if isinstance(plan.target, Foreseeing) else 1
    # Where the first failure ends the run, no worker is to go on long behind it.
    if window < 2 or plan.stop_first:
        return 1
    return min(window * WINDOWS, len(plan.cases) // (plan.jobs * AHEAD))  # all have their part
