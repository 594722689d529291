"""How `check` goes through a file, and which reports it feeds."""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

import msgspec

from toolassay.check import Divergence, Summary, check_file
from toolassay.check_errors import UnreadableFileError
from toolassay.check_reading import Block
from toolassay.reports.check_report import CheckReport, Conclusion, Options
from toolassay.reports.out import Out
from toolassay.runner.rules import rules_of
from toolassay.selection import check_clauses
from toolassay.spec.errors import InputError
from toolassay.spec.register import Register, load_register
from toolassay.statuses import Exit, Status

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Asked(msgspec.Struct, frozen=True):
    """What was asked of a check."""

    file: str
    """The file; `-` is standard input."""
    profile: str
    """What is scored."""
    clauses: tuple[str, ...]
    """Clauses that are judged alone; all if none is given."""
    complete: bool
    """Whether the stream holds all that happened."""
    show_all: bool
    """Whether every divergence is shown."""
    quiet: bool
    """Whether the verdict alone is printed."""
    form: Literal["text", "json"]
    """What standard output holds."""
    junit: str | None
    """File of the report in JUnit XML."""
    sarif: str | None
    """File of the report in SARIF."""

    @property
    def name(self) -> str:
        """What the file is called."""
        return "standard input" if self.file == "-" else self.file


class FileReport(Protocol):
    """A report beside the one on standard output."""

    def take(self, divergence: Divergence, recent: Sequence[Block]) -> None:
        """Take one divergence."""

    def finish(self, conclusion: Conclusion) -> None:
        """Write what was taken."""


def check_one(asked: Asked) -> int:
    """Judge a file and report; give the exit code."""
    gc.disable()  # what is read forms no cycles, and looking for them costs a fifth of the time
    register = load_register()
    check_clauses(asked.clauses, register.clauses)
    rules = rules_of(register, register.profile(asked.profile), asked.clauses)
    broken = dict(rules.broken)
    with contextlib.ExitStack() as stack:
        more = _file_reports(stack, asked, register, broken)
        taken = "-" in {asked.junit, asked.sarif}
        out = Out(sys.stderr if taken else sys.stdout)
        options = Options(
            asked.name, broken, asked.show_all, asked.quiet or taken, asked.form == "json"
        )
        report = CheckReport(out, register, options)
        take = _fan_out(report, more) if more else report.take
        summary, fault, began = Summary(), None, time.perf_counter()
        try:
            stream = stack.enter_context(_opened(asked.file))
            check_file(
                stream, asked.name, take,
                clauses=rules.clauses, complete=asked.complete, summary=summary,
            )  # fmt: skip
        except InputError as found:
            fault = found
        except KeyboardInterrupt:
            seconds = time.perf_counter() - began
            for one in more:
                one.finish(Conclusion(summary, Exit.INTERRUPTED, ("interrupted",), seconds))
            raise
        conclusion = report.finish(summary, fault, time.perf_counter() - began)
        for one in more:
            one.finish(conclusion)
    return conclusion.code


def _fan_out(
    report: CheckReport, more: Sequence[FileReport]
) -> Callable[[Divergence, Sequence[Block]], None]:
    def take(divergence: Divergence, recent: Sequence[Block]) -> None:
        report.take(divergence, recent)
        for one in more:
            one.take(divergence, recent)

    return take


def _file_reports(
    stack: contextlib.ExitStack, asked: Asked, register: Register, broken: Mapping[str, Status]
) -> list[FileReport]:
    """Open the files of reports, before anything is read; each is imported only if wanted."""
    if asked.junit is None and asked.sarif is None:
        return []
    from toolassay.commands.reporting import check_names, opened  # noqa: PLC0415 - only if wanted
    from toolassay.commands.run_options import FlagsError  # noqa: PLC0415 - as above

    for flag, name in (("--junit", asked.junit), ("--sarif", asked.sarif)):
        if name == "":
            raise FlagsError(f"{flag} is empty")
        if name == "-" and (asked.form == "json" or asked.junit == asked.sarif):
            raise FlagsError(f"{flag} - and another report both want standard output")
    check_names((asked.junit, asked.sarif, None if asked.file == "-" else asked.file))
    reports: list[FileReport] = []
    junit, sarif = opened(stack, asked.junit), opened(stack, asked.sarif)
    if junit is not None:
        from toolassay.reports.check_junit import CheckJunit  # noqa: PLC0415 - as above

        reports.append(CheckJunit(Out(junit), register, asked.name, broken))
    if sarif is not None:
        from toolassay.reports.check_sarif import CheckSarif  # noqa: PLC0415 - as above

        file = "" if asked.file == "-" else asked.file
        reports.append(CheckSarif(Out(sarif), register, file, broken))
    return reports


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    if file == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as fault:
        raise UnreadableFileError(f"cannot be read: {fault.strerror}", name=file) from None
