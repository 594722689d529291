"""How `compare` comes by what it compares: a run of each target, or the report of one."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from toolassay.commands.run_options import FlagsError, RunOptions, merge
from toolassay.commands.running import ending_cleanly, open_one, plan_of
from toolassay.comparison.gather import Collector, Compared, is_unjudged, read_report
from toolassay.config import Config
from toolassay.errors import last_lines
from toolassay.printable import LINE_MAX, printable
from toolassay.reports.out import Out
from toolassay.reports.progress import Progress
from toolassay.results import Event
from toolassay.runner import run as run_plan
from toolassay.spec.errors import TargetError, UsageError
from toolassay.spec.register import load_register
from toolassay.statuses import Exit, exit_of

REPORT = "report:"
"""How the report of an earlier run is written as a target."""

TARGETS_MAX = 64
"""Implementations that are compared at a time."""

_LABEL = re.compile(r"([^\s=:]{1,60})=(.+)", re.DOTALL)


class CompareError(UsageError):
    """What is to be compared is not named right."""

    code = "usage.compare"
    hint = "for example: toolassay compare sim mine=python:my_agent:adapter"


def labelled(targets: Sequence[str]) -> list[tuple[str, str]]:
    """
    Give each target its label.

    Raises:
        CompareError: There are too few or too many of them, or two of one label.
    """
    if not 2 <= len(targets) <= TARGETS_MAX:
        raise CompareError(f"from 2 to {TARGETS_MAX} targets are compared, not {len(targets)}")
    given: dict[str, str] = {}
    for text in targets:
        found = _LABEL.fullmatch(text)
        if found is None and "=" in text.partition(":")[0]:
            what = f"{printable(text)!r} has no label before its `=` that can be used"
            raise CompareError(
                what, hint="a label is up to 60 characters without blanks and colons"
            )
        label, target = (found[1], found[2]) if found else (_short(text), text)
        if label in given:
            what = f"two targets are called {printable(label, 60)!r}; write LABEL=TARGET"
            raise CompareError(what)
        given[label] = target
    return list(given.items())


def _short(target: str) -> str:
    """Give a target without a label a short name."""
    if target.startswith(REPORT):
        return Path(target.removeprefix(REPORT)).stem or target
    return target


def judged(label: str, target: str, options: RunOptions) -> Compared:
    """
    Judge a target, or read what an earlier run said of it.

    Args:
        label: What it is called in the comparison.
        target: The target.
        options: The flags, for all targets.

    Raises:
        UsageError: The target is not written right.
        TargetError: It cannot be opened.
        ReportFileError: It is no report of a run.
    """
    if target.startswith(REPORT):
        return _chosen(read_report(Path(target.removeprefix(REPORT)), label), options)
    config = Config()  # that of the project is about one target, and these are several
    python = options.python if target.startswith("python:") else None
    merged = merge(msgspec.structs.replace(options, target=target, python=python), config)
    collector, progress = Collector(label), Progress()
    if _is_report(target):
        what = f"{printable(target)} is a file, and no target"
        raise CompareError(what, hint=f"write report:{printable(target)} for the report of a run")

    def emit(event: Event) -> None:
        progress.before(event)
        collector(event)
        progress.after(event)

    try:
        with ending_cleanly(), contextlib.closing(open_one(merged)) as opened:
            finished = run_plan(plan_of(merged, config, load_register(), opened, None), emit)
    except TargetError as fault:  # the others can be compared all the same
        said = Out(sys.stderr)
        hint = f"; {fault.hint}" if fault.hint else ""
        said.line(f"error: {printable(f'{fault}{hint}', LINE_MAX)}")
        for line in last_lines(fault):
            said.line(f"  | {printable(line, 200)}")
        profile = merged.profile or ""
        return Compared(label, printable(label), "", target, profile, "unusable", {})
    if finished.exit_code == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    return collector.compared()


def _is_report(target: str) -> bool:
    """Tell whether a target is meant to be the report of a run."""
    return Path(target).suffix in {".ndjson", ".json"} and Path(target).is_file()


def _chosen(report: Compared, options: RunOptions) -> Compared:
    """Keep of a report what was selected."""
    if options.paths or options.no_shipped:
        raise FlagsError("--vectors and --no-shipped are for targets that are run")
    selection = options.selection
    cases = {name: seen for name, seen in report.cases.items() if selection.names(name)}
    if selection.clauses:
        cases = {
            name: msgspec.structs.replace(
                seen,
                clauses={key: one for key, one in seen.clauses.items() if key in selection.clauses},
            )
            for name, seen in cases.items()
        }
    return msgspec.structs.replace(report, cases=cases)


def exit_code(compared: Sequence[Compared]) -> Exit:
    """Give the exit code that stands for all of them."""
    codes = []
    for one in compared:
        seen = one.cases.values()
        if one.verdict == "unusable":
            codes.append(Exit.UNUSABLE)
        if any(case.broken for case in seen):
            codes.append(Exit.NON_CONFORMANT)
        if one.verdict == "interrupted" or not seen or any(map(is_unjudged, seen)):
            codes.append(Exit.INCOMPLETE)
    return exit_of(codes)
