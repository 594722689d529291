"""How `run` and `baseline update` go through a target."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolassay.commands.common import (
    FAULTS_MAX,
    chosen,
    joined,
    load_cases,
    paths_of,
    refuse,
    sound_cases,
)
from toolassay.commands.reporting import (
    Consumer,
    consumers_of,
    fan_out,
    file_reports,
    opened_files,
    tell_unstarted,
)
from toolassay.commands.run_options import (
    DEFAULT_PROFILE,
    FlagsError,
    RunOptions,
    merge,
    repro_of,
)
from toolassay.config import Config, load_config
from toolassay.printable import LINE_MAX, printable
from toolassay.reports.out import Out
from toolassay.results import CaseFinished, Event, Origin, RunFinished, RunStarted
from toolassay.runner import Plan, rules_of
from toolassay.runner import run as run_plan
from toolassay.spec.case import Case
from toolassay.spec.errors import TargetError
from toolassay.spec.register import Register, load_register
from toolassay.statuses import Exit
from toolassay.targets.base import DEADLINE_S, START_S, Target
from toolassay.targets.open import open_target, over_a_wire

if TYPE_CHECKING:
    from types import FrameType

    from toolassay.baseline import Baseline, Ledger, Scope

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals by which others end us; Windows lacks one."""

AGAIN_S = 1.0
"""
Time in which a further signal means no more than the one before it.

`timeout` sends two, a shell and its terminal may each send one, and people press
keys twice; the ending that has begun, with its reports, is not to be cut short.
"""

FAULT_MAX = 600
"""Characters that are shown of one fault of a vector."""

NAME_MAX = 200
"""Characters that reports show of the name and the version that an implementation gives itself."""


def run_target(options: RunOptions) -> int:
    """Run a target and report; give the exit code."""
    config = load_config()
    merged = merge(options, config)
    register = load_register()
    baseline = read_baseline(merged.baseline, register)
    with ending_cleanly(), contextlib.ExitStack() as stack:
        # The files of reports are opened first: a run is not to be lost to a wrong path.
        files = opened_files(stack, merged)
        try:
            target = stack.enter_context(contextlib.closing(open_one(merged)))
            plan = plan_of(merged, config, register, target, baseline)
            consumers, last = consumers_of(merged, register, files)
        except (TargetError, KeyboardInterrupt) as reason:
            reports = file_reports(files, Out(sys.stdout), register)
            tell_unstarted(merged, repro_of(merged, config), reason, reports)
            raise
        for fault in plan.faults[:FAULTS_MAX]:
            Out(sys.stderr).line(f"error: {printable(fault, FAULT_MAX)}")
        if merged.generate:
            consumers.insert(0, _keeper(merged, target))
        if merged.in_process:  # what the implementation prints is no part of a report
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        finished = run_plan(plan, fan_out(consumers, quiet=merged.quiet))
    last(finished)
    return finished.exit_code


@contextlib.contextmanager
def ending_cleanly() -> Iterator[None]:
    """Take the signals that end a process for Ctrl-C, or workers that hang would outlive us."""
    latest = -AGAIN_S

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal latest
        before, latest = latest, time.monotonic()
        if latest - before >= AGAIN_S:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        heard.append(signal.SIGINT)
    before = {number: signal.signal(number, interrupt) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def open_one(options: RunOptions, *, smoke: bool = True) -> Target:
    """Open the target; an adapter over a wire is tried out first, once in a run."""
    return open_target(
        options.spec,
        python=options.python,
        in_process=options.in_process,
        start_s=options.start or START_S,
        deadline_s=options.deadline or DEADLINE_S,
        smoke=smoke,
        tell=lambda note: Out(sys.stderr).line(f"note: {printable(note, LINE_MAX)}"),
    )


def read_baseline(path: str | None, register: Register) -> Baseline | None:
    """Read the baseline, if one is given."""
    if path is None:
        return None
    from toolassay.baseline_file import load_baseline  # noqa: PLC0415 - most runs have none

    return load_baseline(Path(path), register.clauses)


def plan_of(
    options: RunOptions,
    config: Config,
    register: Register,
    target: Target,
    baseline: Baseline | None,
) -> Plan:
    """Find the cases, and put together what a run is made of."""
    known, faults, origins = _known_cases(options, target)
    cases = chosen(known, options.selection, register)
    rules = rules_of(
        register, register.profile(options.profile or DEFAULT_PROFILE), options.selection.clauses
    )
    about = target.implementation
    started = RunStarted(
        options.spec,
        about.name[:NAME_MAX],
        about.version[:NAME_MAX],
        about.deterministic,
        rules.profile,
        options.seed,
        len(cases),
        repro_of(options, config),
        origins,
    )
    several = over_a_wire(options.spec) and not options.in_process
    return Plan(
        target,
        cases,
        rules,
        started,
        (lambda: open_one(options, smoke=False)) if several else None,
        *_held(baseline, known, cases, options),
        options.seed,
        options.deadline or DEADLINE_S,
        options.exitfirst,
        options.jobs,
        faults,
    )


def _held(
    baseline: Baseline | None, known: Sequence[Case], cases: Sequence[Case], options: RunOptions
) -> tuple[Ledger | None, Scope | None]:
    """Prepare to hold a baseline against the run."""
    if baseline is None:
        return None, None
    from toolassay.baseline import Ledger, scope_of  # noqa: PLC0415 - most runs have none

    # What --no-shipped leaves out is outside the selection; it is not unknown.
    left_out = load_cases((), shipped=True) if options.no_shipped else []
    return Ledger(baseline), scope_of([*known, *left_out], cases, options.selection)


def _known_cases(
    options: RunOptions, target: Target
) -> tuple[Sequence[Case], tuple[str, ...], dict[str, Origin]]:
    """Find all cases before any selection, faults that keep others out, and where own ones are."""
    own = getattr(target, "cases", None)
    if own is not None:
        if options.paths or options.generate:
            raise FlagsError("recordings are their own cases: no --vectors, no --generate")
        return list(own()), (), {}
    cases = load_cases((), shipped=not options.no_shipped)
    faults: tuple[str, ...] = ()
    origins: dict[str, Origin] = {}
    if options.paths:
        authored, faults, origins = sound_cases(paths_of(options.paths))
        cases = joined(cases, authored)
        if faults and not cases:
            refuse(faults)
    if options.generate:
        from toolassay.generation import generated_cases  # noqa: PLC0415 - only if wanted

        cases += generated_cases(options.seed, options.generate, target.implementation)
    return cases, faults, origins


def _keeper(options: RunOptions, target: Target) -> Consumer:
    """Keep a minimal vector of what generated cases show, before the verdict is printed."""
    from toolassay.generation import FOLDER, Findings  # noqa: PLC0415 - only if wanted

    found = Findings()
    said = Out(sys.stderr)

    def keep(event: Event) -> None:
        if isinstance(event, CaseFinished):
            found.take(event.result)
        elif isinstance(event, RunFinished) and event.exit_code != Exit.INTERRUPTED:
            folder = Path(options.keep or FOLDER)
            try:
                for kept in found.keep(
                    target, options.seed, options.deadline or DEADLINE_S, folder
                ):
                    said.line(f"{kept.clause}: minimal vector in {kept.path.as_posix()}")
            # The run is over, and what comes after it is not to cost its verdict.
            except OSError as fault:
                said.line(f"{printable(str(folder))}: no vector is kept: {fault.strerror}")
            except TargetError as fault:
                said.line(f"no more vectors are kept: {printable(str(fault), LINE_MAX)}")
            except KeyboardInterrupt:
                said.line("interrupted: no more vectors are kept")

    return keep
