"""What several verbs share: options, and how their cases are found."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import click

from toolassay.spec.errors import InputError, ToolassayError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from toolassay.authoring.lint import AuthoredCase
    from toolassay.results import Origin
    from toolassay.selection import Selection
    from toolassay.spec.case import Case
    from toolassay.spec.register import Register

F = TypeVar("F", bound=Callable[..., Any])

FAULTS_MAX = 50
"""Faults of vectors that are named where a run is refused."""

CONTRACTS = ("events", "transcript", "execution")


def selection_options(command: F) -> F:
    """Add the options that select cases."""
    pattern = "A case, a vector, or a pattern with * and ?."
    contract = click.Choice(CONTRACTS)
    alone = "Judge this clause alone, such as ORD-06."
    options = (
        click.option("--case", "cases", multiple=True, metavar="ID", help=pattern),
        click.option("--family", "families", multiple=True, metavar="NAME", help="A family: ord."),
        click.option("--clause", "clauses", multiple=True, metavar="ID", help=alone),
        click.option("--contract", "contracts", multiple=True, type=contract, help="A contract."),
    )
    return _with_options(command, options)


def vector_options(command: F) -> F:
    """Add the options that say where vectors come from."""
    own = "Authored vectors of your own, a file or a folder, beside the shipped ones."
    options = (
        click.option("--vectors", "paths", multiple=True, metavar="PATH", help=own),
        click.option("--no-shipped", is_flag=True, help="Leave the shipped vectors out."),
    )
    return _with_options(command, options)


def running_options(command: F) -> F:
    """Add the options that say how a target is run and scored."""
    scored = "What is scored: pages, core, strict, core+resume, core@1. Default core."
    seconds = click.FloatRange(0, 86_400, min_open=True)
    longest = "Seconds that one case may take. Default 10."
    first = "Longest wait for an adapter to be started. Default 60."
    number = click.IntRange(1, 64)
    worker = "Interpreter of the worker of a python: target."
    here = "Run a python: target in this process, for debugging."
    options = (
        click.option("--profile", metavar="NAME", help=scored),
        click.option("--seed", default=0, show_default=True, help="Seed of the target."),
        click.option("--deadline", type=seconds, metavar="SECONDS", help=longest),
        click.option("--start", type=seconds, metavar="SECONDS", help=first),
        click.option("-j", "--jobs", type=number, default=1, show_default=True, help="Workers."),
        click.option("--python", metavar="PATH", help=worker),
        click.option("--in-process", is_flag=True, help=here),
    )
    return _with_options(command, options)


def format_option(command: F) -> F:
    """Add `--format`; see `errors_as_documents`."""
    formats = click.Choice(("text", "json"))
    about = "What standard output holds."
    option = click.option("--format", "form", type=formats, default="text", help=about)
    return option(errors_as_documents(command))


def errors_as_documents(command: F) -> F:
    """
    Tell an error as a document too, where `form` is `json`.

    The line on standard error and the exit code are the same in all forms.
    """

    @functools.wraps(command)
    def told(*arguments: Any, **given: Any) -> object:  # noqa: ANN401 - flags are of many types
        try:
            return command(*arguments, **given)
        except ToolassayError as fault:
            if given["form"] == "json":
                from toolassay.reports.error_report import write_error  # noqa: PLC0415 - for errors

                write_error(fault)
            raise

    return cast("F", told)


def _with_options(command: F, options: Sequence[Callable[[F], F]]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def selection_of(given: dict[str, Any]) -> Selection:
    """Make a selection of the flags that are about it, and take them out of the others."""
    from toolassay.selection import Selection  # noqa: PLC0415 - help needs none of it

    clauses = given.pop("clauses")
    return Selection(
        tuple(given.pop("cases")),
        # Families and clauses may be written in the other case.
        tuple(family.lower() for family in given.pop("families")),
        tuple(map(clause_id, clauses)),
        tuple(given.pop("contracts")),
    )


def clause_id(text: str) -> str:
    """Give the id of a clause, which may be written in small letters."""
    return text.upper() if text.islower() else text


class NoSuchPathError(UsageError):
    """A path that was given does not exist."""

    code = "usage.path"


class VectorsRefusedError(InputError):
    """Authored vectors break the rules of their format; all faults are listed."""

    code = "input.vectors"


def paths_of(texts: Sequence[str]) -> tuple[Path, ...]:
    """
    Make paths of texts.

    Raises:
        NoSuchPathError: A text is empty, which would mean the current folder.
    """
    from pathlib import Path  # noqa: PLC0415 - help needs none of it

    if "" in texts:
        raise NoSuchPathError("a path is empty")
    return tuple(Path(text) for text in texts)


def existing(path: Path) -> Path:
    """Refuse a path that does not exist."""
    if not path.exists():
        raise NoSuchPathError("there is no such file or folder", where=str(path))
    return path


def load_cases(paths: Sequence[str], *, shipped: bool) -> list[Case]:
    """
    Load the shipped cases, and authored ones beside them.

    Raises:
        InputError: A pack or a file of vectors cannot be used.
    """
    cases: list[Case] = []
    if shipped:
        from toolassay.authoring.packs import load_pack_cases  # noqa: PLC0415 - only if wanted

        cases += load_pack_cases()
    if paths:
        cases = joined(cases, authored_cases(paths_of(paths)))
    return cases


def authored_cases(paths: Sequence[Path]) -> list[Case]:
    """
    Read and expand authored vectors.

    Raises:
        VectorsRefusedError: They break the rules of their format, or there are none.
    """
    cases, faults, _ = sound_cases(paths)
    if faults:
        refuse(faults)
    return cases


def refuse(faults: Sequence[str]) -> NoReturn:
    """
    Refuse vectors with faults.

    Raises:
        VectorsRefusedError: Always.
    """
    from toolassay.printable import many  # noqa: PLC0415 - most runs read packs

    raise VectorsRefusedError(
        "\n".join(faults[:FAULTS_MAX]),
        hint=f"{many(len(faults), 'fault')}; `toolassay lint PATH` lists them all",
    )


def sound_cases(
    paths: Sequence[Path],
) -> tuple[list[Case], tuple[str, ...], dict[str, Origin]]:
    """
    Read and expand the authored vectors of every file that has no fault.

    Returns:
        Their cases, the faults of the other files, and where each of the cases stands.

    Raises:
        VectorsRefusedError: There are no vectors at all, sound or not.
    """
    from toolassay.authoring.lint import read_cases  # noqa: PLC0415 - most runs read packs

    linted = read_cases([existing(path) for path in paths])
    if not linted.cases and not linted.errors:
        raise VectorsRefusedError("there are no vectors", where=", ".join(map(str, paths)))
    faulty = {fault.where.rsplit(":", 2)[0] for fault in linted.errors}  # file:line:column
    sound = [one for one in linted.cases if one.vector.document.name not in faulty]
    origins = {one.case.id: _origin(one) for one in sound}
    return [one.case for one in sound], tuple(map(str, linted.errors)), origins


def _origin(authored: AuthoredCase) -> Origin:
    from toolassay.results import Origin  # noqa: PLC0415 - most runs read packs

    vector = authored.vector
    lines = tuple(vector.document.mark(path).line for path in authored.paths)
    return Origin(vector.document.name, vector.document.mark(vector.path).line, lines)


def joined(shipped: list[Case], own: list[Case]) -> list[Case]:
    """Put authored cases beside the shipped ones; what is authored anew replaces its pack."""
    vectors = {case.vector for case in own}
    return [case for case in shipped if case.vector not in vectors] + own


def chosen(cases: Sequence[Case], selection: Selection, register: Register) -> list[Case]:
    """
    Select cases; names that stand for nothing are refused.

    Raises:
        UnknownNameError: A clause, a family or a pattern stands for nothing.
    """
    from toolassay.selection import check_clauses, select  # noqa: PLC0415 - help needs none of it

    check_clauses(selection.clauses, register.clauses)
    return select(cases, selection)
