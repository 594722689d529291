"""What every target offers: what it says of itself, and its answers to cases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol, runtime_checkable

import msgspec

from toolassay.spec.case import Case, Operation
from toolassay.spec.observation import FacetName, Observation

LINE_MAX = 64 * 1024 * 1024
"""Bytes of the longest answer that is read."""

PROTOCOL = 1
"""Version of the protocol between the kit and an adapter."""

START_S = 60.0
"""Longest wait for an adapter to be started, if nothing else is said."""

WINDOW_MAX = 64
"""The most requests that may be on their way at a time."""

MESSAGE_MAX = 2000
"""Characters of a message that are kept."""

DETAIL_MAX = 64 * 1024
"""Characters of a traceback, or of standard error, that are kept."""

DEADLINE_S = 10.0
"""Seconds that one case may take, if nothing else is said."""

Status = Literal["ok", "rejected", "raised", "unsupported", "error", "crashed", "timeout"]
"""
How a case was answered.

`ok`: there is an observation; a stateless operation that refused its input
is `ok` too, and its outcome says `rejected`. `rejected`: the implementation
refused the scenario as a whole. `raised`: it threw. `unsupported`: it, or its
adapter, cannot be asked for this. `error`: the adapter's answer is not usable.
`crashed`: the adapter ended. `timeout`: it was killed at the deadline.
"""


class Implementation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an implementation under test says of itself."""

    name: str
    """Its name."""
    version: str = ""
    """Its version."""
    operations: tuple[Operation, ...] = ("turn/run",)
    """Operations that it offers."""
    facets: tuple[FacetName, ...] = ()
    """Facets that its observations have."""
    features: tuple[str, ...] = ()
    """What a scenario may ask of it."""
    deterministic: bool = False
    """True if the same scenario and seed give the same observation."""
    target: str = ""
    """The target by which it was reached."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of one case; there is an observation if and only if `status` is `ok`."""

    status: Status
    """How the case was answered."""
    observation: Observation | None = None
    """What was seen."""
    message: str = ""
    """Why there is no observation, in a line; it comes from outside."""
    detail: str = ""
    """A traceback, or the end of standard error; it comes from outside."""


class Target(Protocol):
    """A way to reach one implementation under test."""

    @property
    def implementation(self) -> Implementation:
        """What it says of itself."""

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        """
        Run one case.

        Raises:
            TargetError: The adapter is not usable at all.
        """

    def close(self) -> None:
        """End it; it may be called twice."""


@runtime_checkable
class Foreseeing(Target, Protocol):
    """A target that makes use of knowing what comes next."""

    @property
    def window(self) -> int:
        """How many cases may be on their way at a time."""

    def foresee(self, cases: Iterable[Case], seed: int = 0, deadline_s: float = DEADLINE_S) -> None:
        """
        Hear which cases will be run next, in order: they may be sent ahead of their turn.

        Answers come from `run` alone. A case that is passed over is not missed,
        and one that nobody foresaw is run all the same.
        """

    def interrupt(self) -> None:
        """End the case that another thread has it run."""


class Described(msgspec.Struct, frozen=True):
    """The result of `initialize`."""

    name: str
    operations: tuple[Operation, ...]
    facets: tuple[FacetName, ...]
    version: str = ""
    features: tuple[str, ...] = ()
    deterministic: bool = False
    window: int = 1
    reset: bool = False


def implementation_of(described: Described, target: str) -> Implementation:
    """Say of an implementation what it says of itself, and how it was reached."""
    return Implementation(
        described.name,
        described.version,
        described.operations,
        described.facets,
        described.features,
        described.deterministic,
        target,
    )


def differing(one: Implementation, other: Implementation) -> tuple[str, ...]:
    """Name what an adapter says of itself in two of its processes, and says differently."""
    said = [msgspec.structs.asdict(each) for each in (one, other)]
    first, second = ({key: _unordered(value) for key, value in each.items()} for each in said)
    return tuple(key for key, value in first.items() if second[key] != value)


def _unordered(value: object) -> object:
    return frozenset(value) if isinstance(value, tuple) else value
