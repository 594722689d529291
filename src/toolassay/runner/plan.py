"""What a run is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from toolassay.results import RunStarted
from toolassay.runner.rules import Rules
from toolassay.spec.case import Case
from toolassay.targets.base import DEADLINE_S, Target

if TYPE_CHECKING:
    from toolassay.baseline import Ledger, Scope


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
    repeated: frozenset[str] = frozenset()
    """Cases that are run twice, to see whether that makes a difference; the engine says which."""
