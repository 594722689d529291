"""
The contract of one anchor: its cases, and what comes of each of them.

The target is opened when the first case is run, and closed once, at the end.
Cases that a relation joins, or of which a baseline counts the failures, are
judged together by whichever of them is asked first; so their verdicts are the
same in one process, in many, and when a single one of them is run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from toolassay.baseline import Baseline, Entry, Ledger, scope_of
from toolassay.near import near
from toolassay.plugin.settings import AnchorError, Settings
from toolassay.results import CaseResult
from toolassay.runner.applies import Offer, reason_against
from toolassay.runner.judging import offered, run_case
from toolassay.runner.relating import joined, judge_relations
from toolassay.runner.rules import rules_of
from toolassay.selection import check_clauses, select
from toolassay.spec.case import Case
from toolassay.spec.errors import TargetError, UsageError, VectorError
from toolassay.spec.register import load_register
from toolassay.statuses import Status, worst
from toolassay.targets.base import Foreseeing, Target
from toolassay.targets.open import open_target

FAULTS_MAX = 8
"""Faults of authored vectors that are shown."""


class Contract:
    """
    The cases of one anchor.

    Args:
        settings: What the anchor asks for.

    Raises:
        ToolassayError: Something that it names does not exist or cannot be read.
        AnchorError: It selects no case, or its baseline names cases that do not exist.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        """What the anchor asks for."""
        self.register = load_register()
        """All clauses."""
        selection = settings.selection
        check_clauses(selection.clauses, self.register.clauses)
        profile = self.register.profile(settings.profile)
        self.rules = rules_of(self.register, profile, selection.clauses)
        """What is judged, and how it is scored."""
        known = load_cases(settings)
        self.cases: tuple[Case, ...] = tuple(select(known, selection))
        """The cases, in order."""
        if not self.cases:
            raise AnchorError("toolassay: no case is selected")
        self.baseline = _load_baseline(settings, tuple(self.register.clauses))
        """The known failures."""
        _refuse_unknown(self.baseline, known, self.cases, settings)
        self._ledger = Ledger(self.baseline) if self.baseline.entries else None
        self._counted = {entry.vector for entry in self.baseline.entries if entry.vector}
        self._together = self._groups()
        self._results: dict[str, CaseResult] = {}
        self._target: Target | None = None
        self._dead: TargetError | None = None
        self._offer: Offer | None = None

    def judge(self, case: Case) -> CaseResult:
        """
        Run a case, unless it was run with another one before, and judge it.

        Raises:
            TargetError: The target cannot be opened, or not be used any more.
        """
        members = self._together.get(case.id)
        if members is None:
            result = self._run(case)
            return result if self._ledger is None else self._ledger.apply(result)
        if case.id not in self._results:
            self._results.update((one.case.id, _kept(one)) for one in self._judge_together(members))
        return self._results[case.id]

    def close(self) -> None:
        """End the target, if it was opened."""
        if self._target is not None:
            self._target.close()
            self._target = None

    @cached_property
    def nothing_applies(self) -> bool:
        """True if the implementation offers what none of the cases asks for."""
        offer = self._offer
        assert offer is not None, "asked before a case was run"
        return all(reason_against(case, offer, self.rules.needs) for case in self.cases)

    # --- running ---

    def _run(self, case: Case) -> CaseResult:
        if self._dead is not None:
            raise self._dead
        try:
            target = self._target or self._open()
            settings = self.settings
            return run_case(
                target,
                case,
                self.rules,
                seed=settings.seed,
                deadline_s=settings.deadline_s,
                offer=self._offer,
            )
        except TargetError as fault:
            self._dead = fault
            self.close()
            raise

    def _open(self) -> Target:
        settings = self.settings
        target = open_target(
            settings.target,
            python=settings.python,
            folder=settings.folder,
            start_s=settings.start_s,
            deadline_s=settings.deadline_s,
        )
        self._target, self._offer = target, offered(target.implementation)
        return target

    def _foretell(self, members: Sequence[Case]) -> None:
        """Tell the target which cases come next; of single tests pytest alone knows the order."""
        target, offer = self._target, self._offer
        if isinstance(target, Foreseeing) and offer is not None:
            asked = [one for one in members if not reason_against(one, offer, self.rules.needs)]
            target.foresee(asked, self.settings.seed, self.settings.deadline_s)

    def _groups(self) -> dict[str, tuple[Case, ...]]:
        """Give the cases that are judged together, by the id of each of them."""
        vectors: dict[str, list[Case]] = {}
        for case in self.cases:
            if case.relations or case.vector in self._counted:
                vectors.setdefault(case.vector, []).append(case)
        groups: dict[str, tuple[Case, ...]] = {}
        for vector, cases in vectors.items():
            for members in [tuple(cases)] if vector in self._counted else joined(cases):
                groups.update((case.id, members) for case in members)
        return groups

    def _judge_together(self, members: Sequence[Case]) -> list[CaseResult]:
        self._foretell(members)
        results = [self._run(case) for case in members]
        if any(case.relations for case in members):
            results = judge_relations(results, self.rules)
        if self._ledger is None:
            return results
        results = [self._ledger.apply(result) for result in results]
        for entry in self.baseline.entries:
            if entry.vector == members[0].vector and not entry.flaky:
                results = hold_count(entry, results)
        return results


def _kept(result: CaseResult) -> CaseResult:
    """Leave out what is asked of no result that has nothing to say; there may be thousands."""
    if result.status not in {"pass", "recorded"}:
        return result
    return msgspec.structs.replace(result, checks=(), observation=None)


def load_cases(settings: Settings) -> list[Case]:
    """
    Load the shipped cases, and those of authored vectors.

    Raises:
        ToolassayError: One of the files is not right.
    """
    cases: list[Case] = []
    if settings.shipped:
        from toolassay.authoring.packs import load_pack_cases  # noqa: PLC0415 - may not be wanted

        cases += load_pack_cases()
    if settings.vectors:
        cases += _authored(settings.vectors)
    twice = [name for name, count in Counter(case.id for case in cases).items() if count > 1]
    if twice:
        raise VectorError(f"two cases are named {twice[0]!r}; the shipped ones have that name too")
    return cases


def _authored(paths: tuple[Path, ...]) -> list[Case]:
    from toolassay.authoring.lint import read_cases  # noqa: PLC0415 - needs YAML and schemas

    for path in paths:
        if not path.exists():
            raise UsageError(f"there are no vectors at {path}")
    read = read_cases(paths)
    if read.errors:
        raise VectorError("\n".join(str(error) for error in read.errors[:FAULTS_MAX]))
    return [authored.case for authored in read.cases]


def hold_count(entry: Entry, results: list[CaseResult]) -> list[CaseResult]:
    """Hold the number of failing cases against the number that an entry pins."""
    failing = [
        number
        for number, result in enumerate(results)
        if any(check.clause == entry.clause and check.status == "xfail" for check in result.checks)
    ]
    if len(failing) == entry.cases:
        return results
    was: Status = "xfail" if failing else "pass"
    now: Status = "changed" if failing else "xpass"
    why = f"{len(failing)} cases of {entry.vector} fail, pinned are {entry.cases}"
    return [_turned(result, entry.clause, was, now, why) for result in results]


def _turned(result: CaseResult, clause: str, was: Status, now: Status, why: str) -> CaseResult:
    checks = tuple(
        msgspec.structs.replace(check, status=now, why=why)
        if check.clause == clause and check.status == was
        else check
        for check in result.checks
    )
    status = worst([check.status for check in checks])
    return msgspec.structs.replace(result, checks=checks, status=status)


def _load_baseline(settings: Settings, clauses: tuple[str, ...]) -> Baseline:
    if settings.baseline is None:
        return Baseline()
    from toolassay.baseline_file import load_baseline  # noqa: PLC0415 - needs YAML

    return load_baseline(settings.baseline, clauses)


def _refuse_unknown(
    baseline: Baseline, known: Sequence[Case], selected: Sequence[Case], settings: Settings
) -> None:
    """Refuse entries that name what does not exist: they would excuse nothing."""
    names = Counter([case.id for case in known] + [case.vector for case in known])
    scope = scope_of(known, selected, settings.selection)
    for entry in baseline.entries:
        if entry.name not in names and scope.has(entry):
            also = near(entry.name, names)
            hint = f" (did you mean {' or '.join(also)}?)" if also else ""
            raise AnchorError(f"{baseline.path}: no case or vector is named {entry.name!r}{hint}")
