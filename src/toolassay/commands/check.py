"""`toolassay check`: judge a recorded file."""

from __future__ import annotations

import gc
import sys
import time
from typing import TYPE_CHECKING, BinaryIO

import click

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

EPILOG = """\b
Examples:
  toolassay check session.jsonl
  toolassay check session.jsonl --complete
  gunzip -c session.jsonl.gz | toolassay check -
  toolassay check runs.jsonl --clause ORD-18 --all

\b
Each line is one JSON object:
  an event        {"type":"StepDone","session_id":"...","class":"enduring","seq":7, ...}
  a delivery      {"event":{"type":"StepDone", ...},"class":"enduring","seq":7}
  an observation  {"id":"run-1","scenario":{...},"observation":{"history":{...}, ...}}

Without --complete a stream may end anywhere: what is still missing is no fault.
"""


@click.command(epilog=EPILOG)
@click.argument("file", metavar="FILE|-")
@click.option(
    "--profile", default="core", show_default=True, metavar="NAME", help="What is scored."
)
@click.option("--clause", "clauses", multiple=True, metavar="ID", help="Judge this clause alone.")
@click.option(
    "--complete",
    is_flag=True,
    help="The stream holds all that happened: judge what is missing at its end.",
)
@click.option("--all", "show_all", is_flag=True, help="Show every divergence.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict alone.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    help="What standard output holds.",
)
def check(
    file: str,
    profile: str,
    clauses: tuple[str, ...],
    *,
    complete: bool,
    show_all: bool,
    quiet: bool,
    form: str,
) -> int:
    """Judge a recorded event stream, or recorded observations, line by line."""
    from toolassay.check import Summary, check_file  # noqa: PLC0415 - help needs none of it
    from toolassay.commands.common import clause_id  # noqa: PLC0415 - as above
    from toolassay.reports.check_report import CheckReport, Options  # noqa: PLC0415 - as above
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above
    from toolassay.runner.rules import rules_of  # noqa: PLC0415 - as above
    from toolassay.selection import check_clauses  # noqa: PLC0415 - as above
    from toolassay.spec.errors import InputError  # noqa: PLC0415 - as above
    from toolassay.spec.register import load_register  # noqa: PLC0415 - as above

    gc.disable()  # what is read forms no cycles, and looking for them costs a fifth of the time
    register = load_register()
    clauses = tuple(clause_id(clause) for clause in clauses)
    check_clauses(clauses, register.clauses)
    rules = rules_of(register, register.profile(profile), clauses)
    name = "standard input" if file == "-" else file
    options = Options(name, dict(rules.broken), show_all, quiet, form == "json")
    report = CheckReport(Out(sys.stdout), register, options)
    summary, fault, began = Summary(), None, time.perf_counter()
    try:
        with _opened(file) as stream:
            check_file(
                stream, name, report.take,
                clauses=rules.clauses, complete=complete, summary=summary,
            )  # fmt: skip
    except InputError as found:
        fault = found
    return report.finish(summary, fault, time.perf_counter() - began)


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    import contextlib  # noqa: PLC0415 - help needs none of it
    from pathlib import Path  # noqa: PLC0415 - as above

    from toolassay.check_errors import UnreadableFileError  # noqa: PLC0415 - as above

    if file == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as fault:
        raise UnreadableFileError(f"cannot be read: {fault.strerror}", name=file) from None
