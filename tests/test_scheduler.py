"""The scheduler: virtual time, signals, ties."""

import pytest

from toolassay.simulator.scheduler import Routine, Scheduler, Signal, Wait


def first(_count: int) -> int:
    return 0


def test_time_jumps_to_the_next_sleeper() -> None:
    scheduler = Scheduler(first)
    seen: list[tuple[str, int]] = []

    def sleeper(name: str, ticks: int) -> Routine:
        yield ticks
        seen.append((name, scheduler.now))

    def main() -> Routine:
        scheduler.spawn(sleeper("late", 1_000_000))
        scheduler.spawn(sleeper("soon", 3))
        yield 2_000_000

    scheduler.run(scheduler.spawn(main()))

    assert seen == [("soon", 3), ("late", 1_000_000)]


def test_a_signal_wakes_before_the_time_is_up_and_only_once() -> None:
    scheduler = Scheduler(first)
    signal = Signal()
    woken: list[int] = []

    def waiter() -> Routine:
        yield Wait(signal, 50)
        woken.append(scheduler.now)
        yield Wait(signal, 50)
        woken.append(scheduler.now)

    def main() -> Routine:
        task = scheduler.spawn(waiter())
        yield 5
        scheduler.fire(signal)
        yield Wait(task.finished, 1_000)

    scheduler.run(scheduler.spawn(main()))

    assert woken == [5, 55]


def test_the_choice_decides_among_ready_tasks() -> None:
    orders = []
    for pick in (0, 1):
        scheduler = Scheduler(lambda count, pick=pick: min(pick, count - 1))  # type: ignore[misc]
        order: list[str] = []

        def note(name: str, order: list[str] = order) -> Routine:
            order.append(name)
            yield 0

        def main(scheduler: Scheduler = scheduler, note=note) -> Routine:  # type: ignore[no-untyped-def] # noqa: ANN001
            scheduler.spawn(note("a"))
            scheduler.spawn(note("b"))
            yield 10

        scheduler.run(scheduler.spawn(main()))
        orders.append(order)

    assert orders == [["a", "b"], ["b", "a"]]


def test_a_task_that_can_never_go_on_is_a_deadlock() -> None:
    scheduler = Scheduler(first)
    stuck = Scheduler(first).spawn(nap())

    with pytest.raises(RuntimeError, match="deadlock"):
        scheduler.run(stuck)


def nap() -> Routine:
    yield 1
