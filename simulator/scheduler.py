"""
A discrete-event scheduler over generator tasks, with a virtual clock.

A task is a generator. It yields an `int` to sleep that many ticks, or a `Wait`
to be woken by a signal or after a number of ticks, whichever comes first. Ties
are broken by a counter, and which of several ready tasks goes on is decided by
one function, so that a seed samples the interleavings and `explore` in
`toolassay.simulator.reference` enumerates them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator

Choose = Callable[[int], int]
"""Picks one of n ready tasks: gives an index below n."""

STEPS_MAX = 1_000_000
"""Bound on the steps of one run; a scenario that needs more is a fault of the simulator."""


class Signal:
    """Something that tasks can wait for; firing it wakes all of them."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting: list[tuple[Task, int]] = []


class Wait:
    """Asks to be woken by `signal`, or after `ticks`."""

    __slots__ = ("signal", "ticks")

    def __init__(self, signal: Signal, ticks: int) -> None:
        self.signal = signal
        self.ticks = ticks


Routine = Generator[int | Wait, None, None]
"""The body of a task."""


class Task:
    """One running generator."""

    __slots__ = ("done", "finished", "nap", "routine")

    def __init__(self, routine: Routine) -> None:
        self.routine = routine
        self.done = False
        self.finished = Signal()
        self.nap = 0  # counts sleeps, so that a wake-up meant for an earlier one is ignored


class Scheduler:
    """Runs tasks until none is ready and no timer is left, or the main one is done."""

    def __init__(self, choose: Choose) -> None:
        self.now = 0
        self._choose = choose
        self._ready: list[Task] = []
        self._timers: list[tuple[int, int, Task, int]] = []
        self._counter = 0

    def spawn(self, routine: Routine) -> Task:
        """Start a task; it runs when the current one sleeps or waits."""
        task = Task(routine)
        self._ready.append(task)
        return task

    def fire(self, signal: Signal) -> None:
        """Wake all tasks that wait for a signal."""
        waiting, signal.waiting = signal.waiting, []
        for task, nap in waiting:
            self._wake(task, nap)

    def run(self, main: Task) -> None:
        """
        Run until `main` is done.

        Raises:
            RuntimeError: Nothing can go on, or the bound on steps is reached.
        """
        for _ in range(STEPS_MAX):
            if main.done:
                return
            if self._ready:
                self._step(self._pick())
            elif self._timers:
                self._advance()
            else:
                raise RuntimeError("deadlock: no task is ready and no timer is set")
        raise RuntimeError(f"no end after {STEPS_MAX} steps")

    def _pick(self) -> Task:
        ready = self._ready
        return ready.pop(0 if len(ready) == 1 else self._choose(len(ready)))

    def _step(self, task: Task) -> None:
        if task.done:
            return
        pause = next(task.routine, None)
        if pause is None:
            self._finish(task)
        else:
            self._sleep(task, pause)

    def _sleep(self, task: Task, pause: int | Wait) -> None:
        task.nap += 1
        if isinstance(pause, Wait):
            pause.signal.waiting.append((task, task.nap))
            ticks = pause.ticks
        else:
            ticks = pause
        self._counter += 1
        heapq.heappush(self._timers, (self.now + ticks, self._counter, task, task.nap))

    def _wake(self, task: Task, nap: int) -> None:
        if task.nap == nap and not task.done:
            task.nap += 1
            self._ready.append(task)

    def _advance(self) -> None:
        self.now = self._timers[0][0]
        while self._timers and self._timers[0][0] == self.now:
            _, _, task, nap = heapq.heappop(self._timers)
            self._wake(task, nap)

    def _finish(self, task: Task) -> None:
        task.done = True
        self.fire(task.finished)
