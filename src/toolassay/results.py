"""What a run says: results of cases, and the events that reports consume."""

from __future__ import annotations

import msgspec

from toolassay.spec.case import Case
from toolassay.spec.finding import Finding
from toolassay.spec.observation import Observation
from toolassay.statuses import Exit, Status, Verdict

DECLARES = "adapter.declares"
"""Name of the check that finds false advertising; it has no clause."""


class Check(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One case, one clause, one named property or expectation."""

    clause: str
    """Id of the clause; empty for checks of the adapter itself."""
    check: str
    """Name of the property or the expectation."""
    status: Status
    """What came of it."""
    findings: tuple[Finding, ...] = ()
    """What was found."""
    why: str = ""
    """Reason of a status that has no finding."""

    @property
    def leading(self) -> Finding | None:
        """The finding that speaks for the check: a scored one, if there is any."""
        return min(self.findings, key=lambda finding: finding.recorded, default=None)


class CaseResult(msgspec.Struct, frozen=True):
    """What came of one case."""

    case: Case
    """The case."""
    status: Status
    """The worst status of its checks."""
    checks: tuple[Check, ...] = ()
    """Its checks."""
    why: str = ""
    """Reason why it was not judged: `feature gates`, or what the target said."""
    observation: Observation | None = None
    """What was seen."""
    kit_fault: bool = False
    """True if the kit itself failed on it."""
    detail: str = ""
    """The end of a traceback, or of standard error; it comes from outside."""


class Problem(msgspec.Struct, frozen=True):
    """A baseline entry that fails the run."""

    kind: str
    """`xpass`, `unmatched`, `changed` or `flaky`."""
    name: str
    """The case or vector of the entry; the section for `flaky`."""
    clause: str
    """Clause of the entry; empty for `flaky`."""
    text: str
    """What is wrong, in a sentence."""


class Origin(msgspec.Struct, frozen=True):
    """Where a case was authored."""

    file: str
    """The file, as it was given."""
    line: int
    """The line of its vector."""
    expect: tuple[int, ...] = ()
    """The line of each of its expectations."""


class RunStarted(msgspec.Struct, frozen=True):
    """A run begins."""

    target: str
    """The target as it was given."""
    implementation: str
    """Name of the implementation."""
    version: str
    """Its version, as it says."""
    deterministic: bool
    """Whether it says that equal seeds give equal behaviour."""
    profile: str
    """The profile, with its version."""
    seed: int
    """The seed."""
    cases: int
    """Number of selected cases."""
    repro: str
    """The command that runs the target again, to which a case is added."""
    origins: dict[str, Origin] = {}
    """Where the cases of the user's own vectors were authored, by id."""


class CaseFinished(msgspec.Struct, frozen=True):
    """A case has its result; they come in the order of the cases."""

    result: CaseResult
    """The result."""


class RunFinished(msgspec.Struct, frozen=True):
    """A run is over, whatever ended it."""

    verdict: Verdict
    """The verdict."""
    exit_code: Exit
    """The exit code that says the same."""
    checks: dict[Status, int]
    """Number of checks by status."""
    cases: dict[Status, int]
    """Number of cases by status; what was never started is `not_run`."""
    not_applicable: dict[str, int]
    """Number of cases that do not apply, by reason."""
    broken_clauses: tuple[str, ...]
    """Clauses that failed, sorted."""
    divergences: int
    """How often a case broke a clause, however many checks say so."""
    problems: tuple[Problem, ...]
    """Baseline entries that fail the run."""
    reasons: tuple[str, ...]
    """Why the verdict is not `conformant`, in sentences."""
    seconds: float
    """How long it took, on the clock of the host."""
    faults: tuple[str, ...] = ()
    """What is wrong with the vectors that could not be read, and so were not run."""


Event = RunStarted | CaseFinished | RunFinished
"""What a report consumes."""
