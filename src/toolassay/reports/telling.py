"""Which checks of a case tell what is wrong with it, in which order."""

from __future__ import annotations

from toolassay.results import CaseResult, Check
from toolassay.spec.case import Case
from toolassay.statuses import BAD, NOT_JUDGED


def telling(result: CaseResult) -> list[Check]:
    """
    Choose the checks that tell why a case failed, the most telling first.

    Each clause speaks once, and so does each reason of what could not be judged:
    a case that crashed has one check per clause, and they all say the same.
    """
    told: dict[str, Check] = {}
    for check in most_telling_first(result.case, list(result.checks)):
        if check.status in NOT_JUDGED:
            told.setdefault(f"{check.status} {check.why}", check)
        elif check.status in BAD:
            told.setdefault(check.clause or check.check, check)
    return list(told.values())


def most_telling_first(case: Case, checks: list[Check]) -> list[Check]:
    """Put the clauses that the vector is about first, in its own order."""
    if len(checks) < 2:
        return checks
    cited = list(dict.fromkeys(item.clause for item in case.expect))
    return sorted(
        checks,
        key=lambda check: cited.index(check.clause) if check.clause in cited else len(cited),
    )
