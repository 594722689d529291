"""The reports of a run: which are wanted, where they are written, and what gives them events."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from toolassay.commands.common import NoSuchPathError
from toolassay.commands.run_options import FILES, FlagsError, RunOptions
from toolassay.reports.out import Out
from toolassay.reports.progress import Progress
from toolassay.reports.terminal import Terminal, verdict_words
from toolassay.results import Event, RunFinished, RunStarted

if TYPE_CHECKING:
    from toolassay.spec.register import Register

Consumer = Callable[[Event], None]
"""A report."""


def check_names(names: Sequence[str | None]) -> None:
    """Refuse two reports in one file, of which one would overwrite the other."""
    given = [os.path.realpath(name) for name in names if name and name not in {"-", os.devnull}]
    for name in given:
        if given.count(name) > 1:
            raise FlagsError(f"two reports want the same file: {name}")


def opened(
    stack: contextlib.ExitStack, name: str | None, mode: Literal["w", "a"] = "w"
) -> TextIO | None:
    """
    Open the file of a report; None if it is not wanted.

    Raises:
        NoSuchPathError: It cannot be written.
    """
    if name is None:
        return None
    if name == "-":
        return sys.stdout
    try:
        file = Path(name).open(mode, encoding="utf-8")  # noqa: SIM115 - the stack closes it
    except OSError as fault:
        raise NoSuchPathError(f"cannot be written: {fault.strerror}", where=name) from None
    return stack.enter_context(file)


def opened_files(stack: contextlib.ExitStack, options: RunOptions) -> dict[str, TextIO]:
    """Open the files of all reports that are wanted, before anything is run."""
    check_names([getattr(options, name) for name in FILES])
    found: dict[str, TextIO] = {}
    for name in FILES:
        # Several commands of one step add to its summary.
        file = opened(stack, getattr(options, name), "a" if name == "github_summary" else "w")
        if file is not None:
            found[name] = file
    return found


def file_reports(files: dict[str, TextIO], out: Out, register: Register) -> list[Consumer]:
    """Give the reports that have files of their own; each is imported only if it is wanted."""
    consumers: list[Consumer] = []
    outs = {name: out if file is sys.stdout else Out(file) for name, file in files.items()}
    if "ndjson" in outs:
        from toolassay.reports.ndjson import NdjsonReport  # noqa: PLC0415 - only if wanted

        consumers.append(NdjsonReport(outs["ndjson"]))
    if "observations" in outs:
        from toolassay.reports.observations import ObservationsReport  # noqa: PLC0415 - as above

        consumers.append(ObservationsReport(outs["observations"]))
    if "junit" in outs:
        from toolassay.reports.junit import JunitReport  # noqa: PLC0415 - as above

        consumers.append(JunitReport(outs["junit"], register))
    if "sarif" in outs:
        from toolassay.reports.sarif_run import SarifReport  # noqa: PLC0415 - as above

        consumers.append(SarifReport(outs["sarif"], register))
    if "github_summary" in outs:
        from toolassay.reports.github_summary import GithubSummary  # noqa: PLC0415 - as above

        consumers.append(GithubSummary(outs["github_summary"], register))
    return consumers


def tell_unstarted(
    options: RunOptions, repro: str, fault: BaseException, consumers: Sequence[Consumer]
) -> None:
    """Tell every report that a run ended before it began, or its file would say nothing."""
    from toolassay.runner.tally import Tally  # noqa: PLC0415 - rarely needed

    tally = Tally(0)
    tally.interrupted = isinstance(fault, KeyboardInterrupt)
    tally.unusable = "" if tally.interrupted else str(fault)
    started = RunStarted(
        options.spec, "", "", deterministic=False, profile=options.profile or "",
        seed=options.seed, cases=0, repro=repro,
    )  # fmt: skip
    for consumer in consumers:
        consumer(started)
        consumer(tally.finish((), 0.0))


def consumers_of(
    options: RunOptions, register: Register, files: dict[str, TextIO]
) -> tuple[list[Consumer], Callable[[RunFinished], None]]:
    """Give the reports of a run, and what is said after all of them."""
    out = Out(sys.stdout)
    said = Out(sys.stderr)
    consumers = file_reports(files, out, register)
    if options.form == "json":
        from toolassay.reports.json_report import JsonReport  # noqa: PLC0415 - as above

        consumers.append(JsonReport(out))
    if options.form == "json" or sys.stdout in files.values():
        return consumers, lambda event: said.line(f"{event.verdict.upper()}{verdict_words(event)}")
    other = options.ndjson or options.junit or ""
    consumers.append(
        Terminal(out, register, show_all=options.show_all, quiet=options.quiet, other=other)
    )
    return consumers, lambda _: out.flush()


def fan_out(consumers: Sequence[Consumer], *, quiet: bool) -> Consumer:
    """Give every event to every report, around the line of progress."""
    progress = Progress()
    progress.active = progress.active and not quiet

    def emit(event: Event) -> None:
        progress.before(event)
        for consumer in consumers:
            consumer(event)
        progress.after(event)

    return emit
