"""
The report for viewers of test results: JUnit XML, written when the run is over.

A vector is a suite and a class, a case is a test. The first suite has one test
of its own, which fails for what no case can say: a stale baseline, an
interrupt, an adapter that died.
"""

from __future__ import annotations

from toolassay import __version__
from toolassay.reports.digest import case_digest, run_digest
from toolassay.reports.divergence import block
from toolassay.reports.junit_xml import Outcome, Suite, Tested, junit_xml
from toolassay.reports.out import Out, Style
from toolassay.reports.telling import telling
from toolassay.results import CaseFinished, CaseResult, Check, Event, RunFinished, RunStarted
from toolassay.spec.register import Register
from toolassay.statuses import BAD, NOT_JUDGED, Exit

RUN = "toolassay"
"""Name of the suite that is about the run as a whole."""

BLOCKS_MAX = 5
"""Broken clauses of one case that are shown in full."""

STYLE = Style()
"""How a divergence is laid out: as in a pipe."""

_ENDED_EARLY = frozenset((Exit.INTERRUPTED, Exit.USAGE, Exit.UNUSABLE))


class JunitReport:
    """
    Consumes the events of a run and writes one document at its end.

    Args:
        out: Where to write.
        register: All clauses.
    """

    def __init__(self, out: Out, register: Register) -> None:
        self.out = out
        self.register = register
        self.started: RunStarted | None = None
        self.suites: dict[str, Suite] = {}
        self.digests: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, RunStarted):
            self.started = event
        elif isinstance(event, CaseFinished):
            self._case(event.result)
        else:
            suites = [self._run(event), *self.suites.values()]
            self.out.write(junit_xml(RUN, suites, event.seconds))
            self.out.flush()

    def _case(self, result: CaseResult) -> None:
        case = result.case
        self.digests[case.id] = case_digest(result)
        suite = self.suites.get(case.vector)
        if suite is None:
            origin = self.started.origins.get(case.id) if self.started else None
            place = {"file": f"{origin.file}:{origin.line}"} if origin else {}
            about = {"contract": case.contract, "title": case.title, **place}
            suite = self.suites[case.vector] = Suite(case.vector, [], about)
        tested = Tested(case.vector, case.id, self._outcome(result), _warnings(result))
        suite.cases.append(tested)

    def _outcome(self, result: CaseResult) -> Outcome | None:
        status = result.status
        if status in {"pass", "warn"}:
            return None
        if status in BAD or status in NOT_JUDGED:
            checks = telling(result)
            said = _message(result, checks), self._text(result, checks)
            return Outcome("failure" if status in BAD else "error", status, *said)
        return Outcome("skipped", status, _skipped(result))

    def _text(self, result: CaseResult, checks: list[Check]) -> str:
        repro = self.started.repro if self.started else "toolassay run"
        blocks = [
            "\n".join(block(result, check, self.register, repro, STYLE))
            for check in checks[:BLOCKS_MAX]
        ]
        if len(checks) > BLOCKS_MAX:
            blocks.append(f"and {len(checks) - BLOCKS_MAX} more clauses of this case")
        return "\n\n".join(blocks)

    def _run(self, finished: RunFinished) -> Suite:
        return Suite(RUN, [_whole(finished)], self._properties(finished))

    def _properties(self, finished: RunFinished) -> dict[str, str]:
        about = {"kit": f"toolassay {__version__}"}
        started = self.started
        if started is not None:
            about |= {
                "target": started.target,
                "implementation": started.implementation,
                "version": started.version,
                "profile": started.profile,
                "seed": str(started.seed),
                "selected": str(started.cases),
            }
        return about | {
            "verdict": finished.verdict,
            "exit_code": str(int(finished.exit_code)),
            "canonical_digest": run_digest(self.digests),
        }


def _whole(finished: RunFinished) -> Tested:
    """Tell what is wrong with the run and with no case of it."""
    reasons = "; ".join(finished.reasons)
    left = finished.cases.get("not_run", 0)
    lines = [*finished.reasons, *finished.faults]
    lines += [
        f"baseline {one.kind}: {one.name} {one.clause}: {one.text}" for one in finished.problems
    ]
    text = "\n".join(lines)
    outcome = None
    if finished.exit_code in _ENDED_EARLY:
        more = f"; {left} cases have no result" if left else ""
        outcome = Outcome("error", finished.verdict, f"{reasons}{more}", text)
    elif finished.problems:
        outcome = Outcome("failure", finished.verdict, reasons, text)
    elif finished.exit_code == Exit.INCOMPLETE and not NOT_JUDGED & finished.cases.keys():
        outcome = Outcome("error", finished.verdict, reasons, text)
    said = "" if outcome else "\n".join([finished.verdict.upper(), *lines])
    return Tested(RUN, "run", outcome, said)


def _message(result: CaseResult, checks: list[Check]) -> str:
    """Say in a line what is wrong."""
    if not checks:
        return result.why or result.status
    first = checks[0]
    more = f" (and {len(checks) - 1} more)" if len(checks) > 1 else ""
    if first.status in NOT_JUDGED:
        return f"{first.why}{more}"
    said = first.leading.observed if first.leading else first.why
    if first.status == "xpass":
        said = "passes, and the baseline says that it fails"
    return f"{first.clause or first.check}: {said}{more}"


def _skipped(result: CaseResult) -> str:
    """Say why a case does not count."""
    if result.status == "xfail":
        known = dict.fromkeys(check.clause for check in result.checks if check.status == "xfail")
        return f"known failure: {', '.join(known)}"
    if result.status == "recorded":
        return "recorded, not scored by the profile"
    return f"not applicable: {result.why}"


def _warnings(result: CaseResult) -> str:
    """Name the warnings of a case, which fail nothing."""
    lines = [
        f"warning: {check.clause}: expected {finding.expected}; observed {finding.observed}"
        for check in result.checks
        if check.status == "warn"
        for finding in check.findings[:1]
    ]
    return "\n".join(lines)
