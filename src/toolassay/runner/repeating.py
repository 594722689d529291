"""
Whether an implementation that says it is deterministic is.

Some cases are run twice with the same seed. Two observations that differ are a
failure: whoever compares runs, or pins what was seen, relies on that word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from toolassay.results import DECLARES, CaseResult, Check
from toolassay.spec.case import Case
from toolassay.spec.errors import TargetError
from toolassay.spec.finding import Finding
from toolassay.spec.observation import FACETS, Observation
from toolassay.statuses import worst
from toolassay.targets.base import Answer, Implementation

REPEATED_MAX = 24
"""Cases of a run that are run twice."""

EXPECTED = "equal observations of two equal runs, since `deterministic` is declared"


class CutShortError(Exception):
    """A case was ended in its midst; what it had come to is not lost."""

    def __init__(self, result: CaseResult, reason: BaseException) -> None:
        super().__init__()
        self.result = result
        self.reason = reason


def repeated(cases: Iterable[Case], implementation: Implementation) -> frozenset[str]:
    """
    Choose the cases that are run twice: the first one of some vectors.

    Args:
        cases: The cases of a run.
        implementation: What the implementation says of itself.
    """
    if not implementation.deterministic:
        return frozenset()
    firsts: dict[str, str] = {}
    for case in cases:
        firsts.setdefault(case.vector, case.id)
    step = max(1, len(firsts) // REPEATED_MAX)
    return frozenset(list(firsts.values())[::step])


def held_against(first: CaseResult, again: Callable[[], Answer]) -> CaseResult:
    """
    Hold a second run of a case against the first.

    Args:
        first: What came of the first.
        again: Runs the case once more.

    Raises:
        CutShortError: The second run was interrupted; the first is as good as ever.
    """
    if first.observation is None:
        return first
    try:
        second = again().observation
    except TargetError:  # the next case will tell
        return first
    except KeyboardInterrupt as reason:
        raise CutShortError(first, reason) from None
    # That it crashes or is late once is seen where it matters, and is no word of this.
    if second is None or second == first.observation:
        return first
    observed = f"from run to run another {', '.join(_differing(first.observation, second))}"
    check = Check("", DECLARES, "fail", (Finding("", DECLARES, EXPECTED, observed),))
    return msgspec.structs.replace(
        first, checks=(*first.checks, check), status=worst((first.status, check.status))
    )


def _differing(one: Observation, other: Observation) -> list[str]:
    names = (*FACETS, "omitted")
    return [name for name in names if getattr(one, name) != getattr(other, name)]
