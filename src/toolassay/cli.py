"""
The command line: `toolassay VERB`.

Verbs are imported when they are used, so that help and usage errors cost
nothing. Every expected error ends here, as one line and an exit code; after it stands
the end of what an adapter wrote, where that is what failed.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from toolassay import __version__
from toolassay.spec.errors import TargetError, ToolassayError
from toolassay.statuses import Exit

VERBS: dict[str, tuple[str, str]] = {
    "run": ("toolassay.commands.run:run", "Judge an implementation by vectors."),
    "check": ("toolassay.commands.check:check", "Judge a recorded event stream or observations."),
    "compare": (
        "toolassay.commands.compare:compare",
        "Compare implementations by clauses and behaviour.",
    ),
    "list": (
        "toolassay.commands.listing:listing",
        "List vectors, cases or the coverage of clauses.",
    ),
    "explain": ("toolassay.commands.explain:explain", "Tell what a clause, vector or case is."),
    "lint": ("toolassay.commands.lint:lint", "Check authored vectors."),
    "fill": ("toolassay.commands.fill:fill", "Compile vectors and clauses to packs."),
    "mutants": ("toolassay.commands.mutants:mutants", "Plant each known fault and see it found."),
    "serve": ("toolassay.commands.serve:serve", "Be the reference, as an adapter on stdio."),
    "baseline": ("toolassay.commands.baseline:baseline", "Keep a file of known failures current."),
    "init": ("toolassay.commands.init:init", "Write the skeleton of an adapter."),
}
"""Where each verb lives, and what it is for, in the order of the help."""

START = f"""\
toolassay {__version__}: does your agent runtime keep the tool-call contract?

  toolassay run sim                       the reference, to see what passing looks like
  toolassay run python:my_agent:adapter   your own loop, through a small adapter
  toolassay run stdio:./my_adapter        the same in any other language
  toolassay run recorded:runs.jsonl       observations that were made elsewhere
  toolassay check session.jsonl           a recorded event stream
  toolassay explain ORD-06                what a clause says, where it comes from, how it is tested
  toolassay init python my_contract       a skeleton to start from: python, go or ts

Docs: README.md. Every command has --help with examples."""

GARBAGE_AFTER = 50_000
"""New objects between two looks for garbage; imports and packs make many, and no garbage."""

DETAIL_WIDTH = 200
"""Columns that are shown of a line of an adapter's standard error."""

EXAMPLES = """\b
Examples:
  toolassay run sim
  toolassay run python:my_agent:adapter --baseline known.yaml
  toolassay run sim --case 'ord.*' --clause ORD-06
  toolassay check session.jsonl
  toolassay list --coverage

\b
Exit codes, for every verb:
  0  conformant, or only known failures and none of them stale
  1  non-conformant, or the baseline is stale, or a check of our own fails
  2  wrong usage, broken input, or a fault of the kit
  3  incomplete: something that applies could not be judged, or nothing applies
  4  the adapter cannot be used
  130  interrupted
"""


class Verbs(click.Group):
    """A group whose verbs are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name the verbs, in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import a verb."""
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command), "a verb is a click command"
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; one that is not known is answered with those that look like it."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from toolassay.near import unknown  # noqa: PLC0415 - needed for mistakes alone

            raise unknown("command", args[0], VERBS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in VERBS.items()])


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", message="toolassay %(version)s")
@click.pass_context
def root(ctx: click.Context) -> None:
    """Tell whether an implementation keeps the contract of how LLM agents call tools."""
    if ctx.invoked_subcommand is None:
        click.echo(START)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    _open_standard_streams()
    gc.set_threshold(GARBAGE_AFTER)
    if "_TOOLASSAY_COMPLETE" in os.environ:  # a shell asks for completions
        root.main(prog_name="toolassay")
    code = run_cli(sys.argv[1:] if arguments is None else list(arguments))
    if code == Exit.INTERRUPTED:  # a second signal is not to change what was said
        import signal  # noqa: PLC0415 - no other start of the command pays for it

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _open_standard_streams() -> None:
    """Give a place to what was closed by whoever started us, or a report would take it."""
    for number, mode in enumerate(("r", "w", "w")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
            stream = os.fdopen(nowhere, mode, encoding="utf-8")
            setattr(sys, ("stdin", "stdout", "stderr")[number], stream)


def run_cli(arguments: Sequence[str]) -> int:
    """Run the command line; give the exit code."""
    code = _run(arguments)
    try:  # what is still buffered; left to the interpreter's end, a fault would change the code
        sys.stdout.flush()
    except BrokenPipeError:
        _without_reader()
    except OSError as fault:
        return _refused(fault)
    return code


def _run(arguments: Sequence[str]) -> int:
    """Run the command line, and tell what ended it."""
    code: object = Exit.CONFORMANT
    try:
        code = _invoke(list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        _without_reader()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as fault:
        _show(fault)
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted")
        return Exit.INTERRUPTED
    except ToolassayError as fault:
        _say(f"error: {_words(fault)}")
        _say_the_end(fault)
        return Exit.UNUSABLE if isinstance(fault, TargetError) else Exit.USAGE
    except OSError as fault:
        return _refused(fault)
    except BaseException as fault:  # noqa: BLE001 - whatever it is, it is told in one line
        return _kit_fault(fault)
    return code if isinstance(code, int) else Exit.CONFORMANT


def _invoke(arguments: list[str]) -> object:
    """Do what click's own `main` does, but for its way of ending on a closed pipe."""
    with root.make_context("toolassay", arguments) as ctx:
        return root.invoke(ctx)


def _show(fault: click.ClickException) -> None:
    """Show what click refuses; what was typed may come from a file or from another program."""
    from toolassay.printable import LINE_MAX, printable  # noqa: PLC0415 - needed for mistakes alone

    words = printable(fault.format_message(), LINE_MAX)
    click.UsageError(words, getattr(fault, "ctx", None)).show()


def _words(fault: ToolassayError) -> str:
    """Show an error with its hint; what an implementation said may be in it."""
    from toolassay.commands.common import VectorsRefusedError  # noqa: PLC0415 - for mistakes alone
    from toolassay.printable import LINE_MAX, printable  # noqa: PLC0415 - as above

    text = str(fault)
    if fault.hint and fault.hint not in text:
        text = f"{text}; {fault.hint}"
    lines = text.split("\n") if isinstance(fault, VectorsRefusedError) else [text]
    return "\n".join(printable(line, LINE_MAX) for line in lines)


def _say_the_end(fault: ToolassayError) -> None:
    """Show the end of what an adapter wrote before it failed."""
    from toolassay.errors import last_lines  # noqa: PLC0415 - needed for mistakes alone
    from toolassay.printable import printable  # noqa: PLC0415 - as above

    for line in last_lines(fault):
        _say(f"  | {printable(line, DETAIL_WIDTH)}")


def _refused(fault: OSError) -> int:
    """Tell what the system refused: a full disk, a folder that is gone, too many open files."""
    _trace(fault)
    from toolassay.printable import printable  # noqa: PLC0415 - needed for mistakes alone

    where = f"{fault.filename}: " if fault.filename is not None else ""
    _say(f"error: {printable(where + (fault.strerror or type(fault).__name__), 500)}")
    try:
        sys.stdout.flush()
    except OSError:  # it has been told, and what could not be written never will be
        _without_reader()
    return Exit.USAGE


def _trace(fault: BaseException) -> None:
    if os.environ.get("TOOLASSAY_DEBUG"):
        import traceback  # noqa: PLC0415 - needed for faults alone

        traceback.print_exception(fault)


def _kit_fault(fault: BaseException) -> int:
    _trace(fault)
    from toolassay.printable import printable  # noqa: PLC0415 - as above

    _say(f"error: the kit failed: {type(fault).__name__}: {printable(str(fault), 500)}")
    _say("this is a fault of toolassay; TOOLASSAY_DEBUG=1 shows where it happened")
    return Exit.USAGE


def _say(text: str) -> None:
    try:
        click.echo(text, err=True)
    except OSError:  # nobody reads standard error any more
        return


def _without_reader() -> None:
    """Write no more where the reader of standard output has gone away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
