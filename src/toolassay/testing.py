"""
What test files of users import: `vectors` and `assert_trace`.

`vectors` turns the kit's cases into tests of an implementation::

    from toolassay.testing import vectors

    test_contract = vectors(target="python:my_agent:adapter")

`assert_trace` judges events that a test has at hand::

    def test_the_agent_keeps_the_contract():
        assert_trace(run_agent().events)

Nothing of the kit is loaded before one of them is used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from toolassay.plugin.anchor import Anchor

if TYPE_CHECKING:
    from toolassay.spec.events import Event
    from toolassay.spec.finding import Finding
    from toolassay.spec.observation import Delivery

__all__ = ["Anchor", "TraceBroken", "assert_trace", "vectors"]


def vectors(  # noqa: PLR0913 - every argument is optional, and named
    *,
    target: str | None = None,
    profile: str | None = None,
    clauses: str | Iterable[str] = (),
    families: str | Iterable[str] = (),
    cases: str | Iterable[str] = (),
    vectors: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    shipped: bool = True,
    baseline: str | PathLike[str] | None = None,
    seed: int | None = None,
    deadline: float | None = None,
    python: str | None = None,
) -> Anchor:
    """
    Make the tests of one target: one test for each case.

    Assign it to a name that pytest takes for a test, in a test file. Paths are
    relative to that file. What is left open comes from the command line
    (`--toolassay-target`), from pytest's configuration (`toolassay_target`) or
    from `[tool.toolassay]`.

    Args:
        target: How the implementation under test is reached.
        profile: The profile to judge by; `core` if nothing says otherwise.
        clauses: Clauses to judge; only cases that cite one of them are tests.
        families: Families of vectors, such as `ord`.
        cases: Patterns of case ids or vector slugs, with `*` and `?`.
        vectors: Files or folders of authored vectors, run beside the shipped ones.
        shipped: False to run only the authored ones.
        baseline: The file of known failures.
        seed: Seed of every case; 0 if nothing says otherwise.
        deadline: Seconds that one case may take.
        python: The interpreter for `python:` targets.

    Returns:
        The anchor; it does nothing by itself.
    """
    return Anchor(
        target=target,
        profile=profile,
        clauses=_texts(clauses),
        families=_texts(families),
        cases=_texts(cases),
        vectors=_paths(vectors),
        shipped=shipped,
        baseline=None if baseline is None else Path(baseline),
        seed=seed,
        deadline=deadline,
        python=python,
        line=sys._getframe(1).f_lineno,  # noqa: SLF001 - where an editor shows the tests
    )


class TraceBroken(AssertionError):  # noqa: N818 - it reads as what it says
    """
    A trace breaks a clause.

    Attributes:
        clause: Id of the clause.
        index: Position of the event that shows it, from 0; None where one is absent.
        finding: What was found.
    """

    def __init__(self, message: str, finding: Finding, index: int | None) -> None:
        super().__init__(message)
        self.clause = finding.clause
        self.index = index
        self.finding = finding


def assert_trace(
    events: str | bytes | Iterable[str | bytes | Mapping[str, object] | Event | Delivery],
    *,
    profile: str = "core",
    complete: bool = False,
) -> None:
    """
    Assert that the events of a session keep the contract.

    Args:
        events: The events in the order in which one subscriber got them: dicts
            with the contract's keys (or `{"event": ..., "class": ..., "seq": ...}`),
            lines of JSON, or values of `toolassay.spec`.
        profile: The profile to judge by.
        complete: True if the trace is known to hold the end of everything that
            begins in it, so that an end that is missing is a fault.

    Raises:
        TraceBroken: The first clause that does not hold, where and why.
        InputError: Something in the trace is no event.
        UsageError: There is no such profile.
    """
    __tracebackhide__ = True  # the reader's line is the one that counts
    from toolassay.plugin.trace import first_fault  # noqa: PLC0415 - see above

    fault = first_fault(events, profile, complete=complete)
    if fault is not None:
        raise TraceBroken(fault.message, fault.finding, fault.index)


def _texts(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _paths(given: str | PathLike[str] | Iterable[str | PathLike[str]]) -> tuple[Path, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        return (Path(given),)
    return tuple(Path(path) for path in given)
