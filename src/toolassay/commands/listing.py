"""`toolassay list`: vectors, cases, clauses, and how well each clause is held in place."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from toolassay.commands.common import (
    format_option,
    selection_of,
    selection_options,
    vector_options,
)
from toolassay.spec.errors import UsageError
from toolassay.statuses import Exit

if TYPE_CHECKING:
    from toolassay.reports.out import Out
    from toolassay.selection import Selection
    from toolassay.spec.case import Case
    from toolassay.spec.register import Register

EPILOG = """\b
Examples:
  toolassay list                        the vectors
  toolassay list --cases --family ord   ids, one a line, for other programs
  toolassay list --clauses              the register
  toolassay list --coverage             what holds each clause in place
  toolassay list --coverage --format json
  toolassay list --cases --format json
"""


class KindsError(UsageError):
    """Several kinds of things are to be listed at once."""

    code = "usage.kinds"


@click.command("list", epilog=EPILOG)
@click.option("--cases", "as_cases", is_flag=True, help="List the ids of cases.")
@click.option("--clauses", "as_clauses", is_flag=True, help="List clauses.")
@click.option(
    "--coverage", "as_coverage", is_flag=True, help="Count vectors and mutants of each clause."
)
@format_option
@selection_options
@vector_options
def listing(
    *,
    as_cases: bool,
    as_clauses: bool,
    as_coverage: bool,
    form: str,
    **given: Any,  # noqa: ANN401 - flags are of many types
) -> int:
    """List vectors, cases or clauses, or the coverage of clauses."""
    from toolassay.commands.common import chosen, load_cases  # noqa: PLC0415 - help needs none of it
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above
    from toolassay.spec.register import load_register  # noqa: PLC0415 - as above

    if as_cases + as_clauses + as_coverage > 1:
        raise KindsError("--cases, --clauses and --coverage are one or the other")
    register = load_register()
    selection = selection_of(given)
    known = load_cases(given["paths"], shipped=not given["no_shipped"])
    found = chosen(known, selection, register)
    out = Out(sys.stdout)
    wanted = _clauses(register, selection)
    if as_coverage:
        _coverage(out, register, found, wanted, form)
    elif form == "json":
        from toolassay.reports.documents import encoded  # noqa: PLC0415 - as above
        from toolassay.reports.listed import (  # noqa: PLC0415 - as above
            cases_document,
            clauses_document,
            vectors_document,
        )

        if as_clauses:
            named = [one for one in register.clauses.values() if one.id in wanted]
            out.write(encoded(clauses_document(named)))
        else:
            document = cases_document(found) if as_cases else vectors_document(found)
            out.write(encoded(document))
    elif as_clauses:
        _clause_lines(out, register, wanted)
    elif as_cases:
        for case in found:
            out.line(case.id)
    else:
        _vector_lines(out, found)
    out.flush()
    return Exit.CONFORMANT


def _clauses(register: Register, selection: Selection) -> frozenset[str]:
    """Give the clauses that are meant; a family of vectors is one of clauses too."""
    return frozenset(
        clause.id
        for clause in register.clauses.values()
        if (not selection.clauses or clause.id in selection.clauses)
        and (not selection.contracts or clause.contract in selection.contracts)
        and (not selection.families or clause.family.lower() in selection.families)
    )


def _vector_lines(out: Out, cases: Sequence[Case]) -> None:
    from toolassay.printable import clipped, many  # noqa: PLC0415 - help needs none of it
    from toolassay.reports.listed import grouped  # noqa: PLC0415 - as above
    from toolassay.selection import cited  # noqa: PLC0415 - as above

    by_vector = grouped(cases)
    width = max(map(len, by_vector), default=0)
    for slug, mine in by_vector.items():
        clauses = sorted({clause for case in mine for clause in cited(case)})
        text = (
            f"{slug:<{width}}  {len(mine):>4}  {mine[0].kind}  {' '.join(clauses)}  {mine[0].title}"
        )
        out.line(clipped(text, max(out.style.width, width + 40)))
    out.line(f"{many(len(cases), 'case')} of {many(len(by_vector), 'vector')}")


def _clause_lines(out: Out, register: Register, wanted: frozenset[str]) -> None:
    from toolassay.printable import clipped  # noqa: PLC0415 - help needs none of it

    for clause in register.clauses.values():
        if clause.id in wanted:
            text = f"{clause.id:<8}  {clause.level:<6}  {clause.basis:<7}  {clause.text}"
            out.line(clipped(text, out.style.width))


def _coverage(
    out: Out, register: Register, cases: Sequence[Case], wanted: frozenset[str], form: str
) -> None:
    import msgspec  # noqa: PLC0415 - as above

    from toolassay.planted import ALL_MUTANTS  # noqa: PLC0415 - as above
    from toolassay.reports.coverage import coverage  # noqa: PLC0415 - as above
    from toolassay.reports.documents import SCHEMA_VERSION, encoded  # noqa: PLC0415 - as above

    mutants = Counter(mutant.clause for mutant in ALL_MUTANTS.values())
    rows = [row for row in coverage(register, cases, mutants) if row.id in wanted]
    if form == "json":
        clauses = [msgspec.to_builtins(row) for row in rows]
        out.write(
            encoded({"schema_version": SCHEMA_VERSION, "kind": "coverage", "clauses": clauses})
        )
        return
    out.line("clause    positive  negative  mutants  cases")
    for row in rows:
        if row.testable:
            numbers = f"{row.positive:>8}  {row.negative:>8}  {row.mutants:>7}  {row.cases:>5}"
            out.line(f"{row.id:<8}  {numbers}")
    held = [row for row in rows if row.positive and row.negative and row.mutants]
    testable = sum(row.testable for row in rows)
    out.line(f"{len(held)} of {testable} testable clauses have a vector of both kinds and a mutant")
    untestable = [row.id for row in rows if not row.testable]
    if untestable:
        out.line(f"not testable {len(untestable)}: {', '.join(untestable)}")
