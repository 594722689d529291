"""
From an answer to a result: every check of one case, scored by a profile.

Start at `run_case`. The oracles decide; this module only asks them, scores
what they say, and names what could not be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolassay.properties.judge import Asked, Verdict, asked_of, judge
from toolassay.results import DECLARES, CaseResult, Check
from toolassay.runner.applies import Offer, offer_of, reason_against, withheld
from toolassay.runner.rules import Outline, Rules
from toolassay.selection import cited
from toolassay.spec.case import Case
from toolassay.spec.errors import ToolassayError
from toolassay.spec.finding import Finding
from toolassay.statuses import Status, worst
from toolassay.targets.base import DEADLINE_S, Answer, Implementation, Target

_FAULTS: dict[str, Status] = {
    "error": "error", "crashed": "crashed", "timeout": "timeout",
    "raised": "crashed", "rejected": "not_run", "ok": "error",
}  # fmt: skip
"""Status of the checks of a case, where an answer has nothing to judge."""


_UNSCORED: dict[str, Status] = {
    "pass": "recorded", "fail": "recorded", "recorded": "recorded",
    "not_applicable": "not_applicable",
}  # fmt: skip
"""Status of a check whose clause a profile does not score, by what the oracle says."""


def offered(implementation: Implementation) -> Offer:
    """Prepare what an implementation declares."""
    return offer_of(
        tuple(implementation.operations),
        tuple(implementation.facets),
        tuple(implementation.features),
    )


def run_case(
    target: Target,
    case: Case,
    rules: Rules,
    *,
    seed: int = 0,
    deadline_s: float = DEADLINE_S,
    offer: Offer | None = None,
) -> CaseResult:
    """
    Run one case and judge it; a baseline is not asked.

    Args:
        target: The implementation under test.
        case: The case.
        rules: What is judged, and how it is scored.
        seed: The seed given to the target.
        deadline_s: Seconds that the case may take.
        offer: What the target declares, where it has been prepared.

    Raises:
        TargetError: The target cannot be used any more.
    """
    offer = offer or offered(target.implementation)
    reason = reason_against(case, offer, rules.needs)
    if reason:
        return CaseResult(case, "not_applicable", (), reason)
    try:
        return judge_one(case, target.run(case, seed, deadline_s), rules, offer)
    except ToolassayError:
        raise
    except Exception as fault:  # noqa: BLE001 - a fault of ours must not hide the other cases
        return _kit_fault(case, rules, fault)


def judge_one(case: Case, answer: Answer, rules: Rules, offer: Offer) -> CaseResult:
    """Judge the answer to one case; a baseline is not asked."""
    if answer.observation is None or answer.status in {"error", "crashed", "timeout"}:
        return _unjudged(case, answer, rules)
    observation = answer.observation
    verdicts = judge(observation, case.scenario, case, rules.clauses)
    asked = asked_of(observation, rules.clauses, scripted=case.scenario is not None)
    outline = _outline(asked, rules)
    checks, own = _checks(verdicts, outline, rules)
    more = _missing(case, len(verdicts) - len(outline.checks), rules)
    facets = withheld(case.operation, offer, observation)
    if facets:
        more += (_withheld_check(facets),)
    checks += more
    status = worst({check.status for check in (*own, *more)})
    return CaseResult(case, status, tuple(checks), _why(status, checks), observation)


def _outline(asked: Asked, rules: Rules) -> Outline:
    """Prepare the checks of all cases in which the same facets are there."""
    found = rules.outlines.get(id(asked))
    if found is None:
        passing = tuple((place, score(passed, rules)) for place, _, passed in asked.open)
        found = rules.outlines[id(asked)] = Outline(
            asked, tuple(scored(asked.settled, rules)), passing
        )
    return found


def _checks(
    verdicts: Sequence[Verdict], outline: Outline, rules: Rules
) -> tuple[list[Check], list[Check]]:
    """
    Score verdicts.

    Most named checks do not apply, and most others pass: theirs are known beforehand.

    Returns:
        All checks, and those among them that may apply.
    """
    named = len(outline.checks)
    if len(verdicts) < named:
        own = scored(verdicts, rules)
        return own[:], own
    checks, own = list(outline.checks), scored(verdicts[named:], rules)
    checks += own
    for place, passing in outline.passing:
        verdict = verdicts[place]
        check = passing if verdict.status == "pass" else score(verdict, rules)
        checks[place] = check
        own.append(check)
    return checks, own


def scored(verdicts: Iterable[Verdict], rules: Rules) -> list[Check]:
    """Score verdicts by a profile."""
    return [score(verdict, rules) for verdict in verdicts]


def score(verdict: Verdict, rules: Rules) -> Check:
    """Score a verdict by a profile; what it does not score is only recorded."""
    clause, said = verdict.clause, verdict.status
    status = rules.statuses.get((clause, said)) or _UNSCORED[said]
    return Check(clause, verdict.check, status, verdict.findings, verdict.why)


def _missing(case: Case, judged: int, rules: Rules) -> tuple[Check, ...]:
    """Name the expectations that the oracles gave no verdict on."""
    wanted = len(case.expect)
    if rules.clauses is not None:
        wanted = sum(item.clause in rules.clauses for item in case.expect)
    missing = wanted - max(0, judged)
    if missing <= 0:
        return ()
    return (Check("", "expect", "not_run", (), f"{missing} expectations have no verdict"),)


def _withheld_check(facets: tuple[str, ...]) -> Check:
    findings = tuple(
        Finding("", DECLARES, f"the declared facet {facet}, or a reason why not", "neither")
        for facet in facets
    )
    return Check("", DECLARES, "fail", findings)


def _why(status: Status, checks: Sequence[Check]) -> str:
    """Give the reason of a case in which no check applies."""
    if status != "not_applicable":
        return ""
    return next((check.why for check in checks if check.why), "no check applies")


def _unjudged(case: Case, answer: Answer, rules: Rules) -> CaseResult:
    """Make the result of a case whose answer has nothing to judge."""
    said = f"{answer.status}: {answer.message}" if answer.message else answer.status
    if answer.status == "unsupported":
        finding = Finding(
            "",
            DECLARES,
            f"the declared operation {case.operation}",
            f"unsupported {answer.message}",
        )
        return CaseResult(case, "fail", (Check("", DECLARES, "fail", (finding,)),), said)
    checks = _all(case, rules, _FAULTS[answer.status], said)
    status = worst({check.status for check in checks})
    return CaseResult(case, status, checks, said, detail=answer.detail[-DETAIL_MAX:])


DETAIL_MAX = 4_000
"""Characters of a traceback, or of standard error, that a result keeps."""


def spared(case: Case, rules: Rules, why: str) -> CaseResult:
    """Make the result of a case that was not tried."""
    return CaseResult(case, "not_run", _all(case, rules, "not_run", why), why)


def _kit_fault(case: Case, rules: Rules, fault: Exception) -> CaseResult:
    said = f"the kit failed: {type(fault).__name__}: {fault}"
    return CaseResult(case, "error", _all(case, rules, "error", said), said, kit_fault=True)


def _all(case: Case, rules: Rules, status: Status, why: str) -> tuple[Check, ...]:
    """Give one check for each clause that the case would have judged."""
    clauses = sorted(cited(case))
    if not clauses:  # the named checks would have judged it, whichever they are
        return (Check("", "run", status, (), why),)
    if rules.clauses is not None:
        clauses = [clause for clause in clauses if clause in rules.clauses]
    return tuple(
        Check(clause, "run", status if clause in rules.broken else "recorded", (), why)
        for clause in clauses
    )
