"""How `baseline update` works out what a baseline should say."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from toolassay.baseline import Baseline, Entry, Failure, Key, Outcome, Scope, failures, subjects_of
from toolassay.baseline_file import HEAD, UNEXPLAINED, File, load_file, read_file, updated
from toolassay.commands.common import refuse
from toolassay.commands.run_options import RunOptions, merge
from toolassay.commands.running import ending_cleanly, open_one, plan_of
from toolassay.config import load_config
from toolassay.reports.baseline_report import BaselineReport
from toolassay.reports.out import Out
from toolassay.results import CaseFinished, CaseResult, Event
from toolassay.runner import run as run_plan
from toolassay.spec.errors import UsageError
from toolassay.spec.register import load_register
from toolassay.statuses import Exit


class NoBaselineError(UsageError):
    """No file is named."""

    code = "usage.no-baseline"
    hint = "name it: --baseline FILE"


def update_baseline(options: RunOptions) -> int:
    """Run a target and rewrite its baseline; give the exit code."""
    config = load_config()
    merged = merge(options, config)
    if merged.baseline is None:
        raise NoBaselineError("which baseline?")
    register = load_register()
    path = Path(merged.baseline)
    file = load_file(path, register.clauses) if path.exists() else _new(path)
    results: list[CaseResult] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            results.append(event.result)

    with ending_cleanly(), contextlib.closing(open_one(merged)) as target:
        # An empty baseline makes the plan work out its scope and changes no status.
        plan = plan_of(merged, config, register, target, Baseline())
        if plan.faults:
            refuse(plan.faults)
        finished = run_plan(plan, take)
    report = BaselineReport(Out(sys.stdout), str(path), merged.form)
    if finished.exit_code not in {Exit.CONFORMANT, Exit.NON_CONFORMANT, Exit.INCOMPLETE}:
        return report.refused(finished)
    assert plan.scope is not None, "a plan with a baseline has a scope"
    keep, new = revised(file.baseline, results, plan.scope, plan.rules.broken)
    text = updated(file, keep, new)
    path.write_text(text, encoding="utf-8")
    gone = [entry for entry in file.baseline.entries if entry.key not in keep]
    return report.written(tuple(keep.values()), gone, new)


def _new(path: Path) -> File:
    return read_file(HEAD.encode(), str(path), ())


def revised(
    baseline: Baseline, results: Iterable[CaseResult], scope: Scope, scored: Collection[str]
) -> tuple[dict[Key, Entry], list[Entry]]:
    """
    Work out which entries stay, and which are new.

    Args:
        baseline: The baseline as it stands.
        results: What a run without it has shown.
        scope: What the run was about.
        scored: Clauses that the profile scores.
    """
    judged = list(results)
    failing = {(one.case, one.clause): one for one in failures(judged)}
    unjudged = {
        subject
        for result in judged
        if result.observation is None and result.status != "not_applicable"
        for subject in subjects_of(result.case)
    }
    keep: dict[Key, Entry] = {}
    for entry in sorted(baseline.entries, key=lambda entry: not entry.case):
        mine = [
            key
            for key, one in failing.items()
            if entry.key in {(one.case, "", one.clause), ("", one.vector, one.clause)}
        ]
        outcomes = [failing.pop(key).outcome for key in mine]
        left_alone = not scope.has(entry) or entry.clause not in scored or entry.flaky
        if left_alone or (entry.subject in unjudged and not outcomes):
            keep[entry.key] = entry
            continue
        kept = _kept(entry, outcomes, partial=not scope.has_all(entry))
        if kept is not None:
            keep[entry.key] = kept
    in_order = {entry.key: keep[entry.key] for entry in baseline.entries if entry.key in keep}
    return in_order, _added(one for one in failing.values() if not one.is_warning)


def _kept(entry: Entry, outcomes: list[Outcome], *, partial: bool) -> Entry | None:
    """Correct an entry; None if it has nothing to say any more."""
    if partial and len(outcomes) <= entry.cases:
        return entry
    if not outcomes:
        return None
    outcome = outcomes[0] if entry.outcome not in outcomes else entry.outcome
    cases = len(outcomes) if entry.vector else entry.cases
    return msgspec.structs.replace(entry, outcome=outcome, cases=cases)


def _added(failing: Iterable[Failure]) -> list[Entry]:
    """Make entries of failures: one for a vector of which several cases fail alike."""
    groups: dict[tuple[str, str, Outcome], list[str]] = {}
    for one in failing:
        groups.setdefault((one.vector, one.clause, one.outcome), []).append(one.case)
    taken: set[tuple[str, str]] = set()
    entries: list[Entry] = []
    for (vector, clause, outcome), cases in groups.items():
        if len(cases) > 1 and (vector, clause) not in taken:
            taken.add((vector, clause))
            entries.append(Entry(clause, "", vector, outcome, len(cases), UNEXPLAINED))
        else:
            entries += [Entry(clause, case, "", outcome, 1, UNEXPLAINED) for case in cases]
    return entries
