"""
Several workers, each with a target of its own, and one order of results.

What a worker takes at a time is a share: the cases of one vector, or of several
where its target sends cases ahead and would often run dry. Each result is handed
over by itself, so that a share need not be finished to be told of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from threading import Event

from toolassay.errors import AdapterChangedError
from toolassay.results import CaseResult
from toolassay.runner.groups import RunOne, foretell, groups_of, runner_of
from toolassay.runner.plan import Plan
from toolassay.runner.repeating import CutShortError
from toolassay.spec.case import Case
from toolassay.targets.base import (
    DEADLINE_S,
    Answer,
    Foreseeing,
    Implementation,
    Target,
    differing,
)

AHEAD = 4
"""How many shares each worker may be ahead of the reports."""

WINDOWS = 4
"""How many windows of cases a share holds."""

INTERRUPT_S = 0.05
"""How long a worker that is interrupted may take, until it is interrupted again."""

Share = tuple[Case, ...]
"""What a worker takes at a time: all cases of some vectors."""


class _StoppedError(KeyboardInterrupt):
    """The run is over, and what this worker does is not wanted any more."""


class _Handover:
    """The results of one share, on their way from a worker to the reports."""

    def __init__(self) -> None:
        self._results: deque[CaseResult] = deque()
        # One for each result, and one for the end. The results themselves are beside
        # it, so that none is lost with an interrupt of whoever waits.
        self._come: SimpleQueue[None] = SimpleQueue()
        self._reason: BaseException | None = None

    def put(self, result: CaseResult) -> None:
        """Hand over the next result."""
        self._results.append(result)
        self._come.put(None)

    def end(self, reason: BaseException | None = None) -> None:
        """Say that no more results come, and why, if the share is not finished."""
        self._reason = reason
        self._come.put(None)

    def results(self) -> Iterator[CaseResult]:
        """Wait for each result; raise what ended the share, if it is not finished."""
        self._come.get()
        while self._results:
            yield self._results.popleft()
            self._come.get()
        if self._reason is not None:
            raise self._reason

    def finished(self) -> Iterator[CaseResult]:
        """Give the results that are there."""
        while self._results:
            yield self._results.popleft()


class _Stoppable:
    """A target whose answers count only until the run is over: an adapter may be killed then."""

    def __init__(self, target: Target, stopped: Event) -> None:
        self._target = target
        self._stopped = stopped

    @property
    def implementation(self) -> Implementation:
        return self._target.implementation

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        self._end_if_stopped()
        answer = self._target.run(case, seed, deadline_s)
        self._end_if_stopped()
        return answer

    def close(self) -> None:
        self._target.close()

    def _end_if_stopped(self) -> None:
        if self._stopped.is_set():
            raise _StoppedError


class ManyWorkers:
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
        self._under_way: deque[tuple[_Handover, Future[None]]] = deque()

    def results(self) -> Iterator[CaseResult]:
        """Give the results in the order of the cases, each as soon as it is there."""
        self._begin()
        for share in shares_of(self._plan):
            handover = _Handover()
            self._under_way.append((handover, self._pool.submit(self._judge, share, handover)))
            if len(self._under_way) >= self._plan.jobs * AHEAD:
                yield from self._first()
        while self._under_way:
            yield from self._first()

    def stop(self) -> None:
        """Run no further case, and end those that run."""
        self._stopped.set()
        futures = [future for _, future in self._under_way]
        running = {future for future in futures if not future.cancel() and not future.done()}
        while running:
            for target in self._targets:
                _interrupt(target)
            # Again and again: a worker may have been about to start its target anew.
            running = wait(running, INTERRUPT_S).not_done

    def finished(self) -> Iterator[CaseResult]:
        """Give the results that are there and were not given yet, in order."""
        for handover, _ in self._under_way:
            yield from handover.finished()

    def close(self) -> None:
        """Close all targets but the first; what still runs is not waited for."""
        try:
            self.stop()
            # Side by side, since one that does not end by itself is waited for.
            for target in self._targets[1:]:
                self._pool.submit(target.close)
            self._pool.shutdown(wait=True)
        except BaseException:  # whoever cannot wait is not to leave them behind
            for target in self._targets[1:]:
                _interrupt(target)
            raise

    def _begin(self) -> None:
        """Open the targets; should one not be had, `close` closes those before it."""
        assert self._plan.more is not None, "several workers need a way to open targets"
        first = self._plan.target.implementation
        while len(self._targets) < self._plan.jobs:
            self._targets.append(self._plan.more())
            changed = differing(first, self._targets[-1].implementation)
            if changed:  # else it would depend on the worker what of a case is judged
                raise AdapterChangedError(first.target, changed)
        for target in self._targets:
            run_one = runner_of(self._plan, _Stoppable(target, self._stopped))
            self._idle.put((target, run_one))

    def _first(self) -> Iterator[CaseResult]:
        """Give the results of the share that is next; until it is over, others may end it."""
        yield from self._under_way[0][0].results()
        self._under_way.popleft()

    def _judge(self, share: Share, handover: _Handover) -> None:
        """Judge a share, as soon as a worker is idle."""
        target, run_one = worker = self._idle.get()
        try:
            foretell(self._plan, target, share)
            for case in share:
                handover.put(run_one(case))
            handover.end()
        except CutShortError as cut:
            handover.put(cut.result)
            handover.end(cut.reason)
        except BaseException as reason:  # noqa: BLE001 - it is raised where the results go
            handover.end(reason)
        finally:
            self._idle.put(worker)


def _interrupt(target: Target) -> None:
    """End what a target does for another thread."""
    if isinstance(target, Foreseeing):
        target.interrupt()
    else:
        target.close()


def shares_of(plan: Plan) -> Iterator[Share]:
    """Cut the cases of a run into what one worker takes at a time."""
    least = _least(plan)
    share: list[Case] = []
    for group in groups_of(plan.cases):
        share += group
        if len(share) >= least:
            yield tuple(share)
            share = []
    if share:
        yield tuple(share)


def _least(plan: Plan) -> int:
    """Give how many cases a share has at least."""
    window = plan.target.window if isinstance(plan.target, Foreseeing) else 1
    # Where the first failure ends the run, no worker is to go on long behind it.
    if window < 2 or plan.stop_first:
        return 1
    return min(window * WINDOWS, len(plan.cases) // (plan.jobs * AHEAD))  # all have their part
