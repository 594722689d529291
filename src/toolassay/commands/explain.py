"""`toolassay explain`: what a clause says, or what a vector or a case tries."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from toolassay.commands.common import format_option
from toolassay.statuses import Exit

if TYPE_CHECKING:
    from toolassay.reports.out import Out
    from toolassay.spec.case import Case
    from toolassay.spec.register import Clause, Register

VECTORS_MAX = 8
"""Vectors that are named for a clause."""

EPILOG = """\b
Examples:
  toolassay explain ORD-06
  toolassay explain ord.denied-call-never-runs
  toolassay explain ORD-06 --format json
"""


@click.command(epilog=EPILOG)
@click.argument("identifier", metavar="ID")
@format_option
def explain(identifier: str, form: str) -> int:
    """Tell what a clause says, where it comes from and how it is tested, or what a vector tries."""
    from toolassay.commands.common import load_cases  # noqa: PLC0415 - help needs none of it
    from toolassay.reports.out import Out  # noqa: PLC0415 - as above
    from toolassay.selection import slug_of  # noqa: PLC0415 - as above
    from toolassay.spec.register import load_register  # noqa: PLC0415 - as above

    register = load_register()
    cases = load_cases((), shipped=True)
    clause = register.clauses.get(identifier) or register.clauses.get(identifier.upper())
    out = Out(sys.stdout)
    if clause is not None:
        tell = _clause_json if form == "json" else _clause
        tell(out, clause, cases)
    else:
        mine = [case for case in cases if identifier in {case.id, case.vector}]
        if not mine:
            raise _unknown(identifier, register, cases)
        siblings = [one for one in cases if one.vector == slug_of(identifier)]
        write = _vector_json if form == "json" else _vector
        write(out, identifier, mine, siblings)
    out.flush()
    return Exit.CONFORMANT


def _unknown(identifier: str, register: Register, cases: Sequence[Case]) -> Exception:
    from toolassay.near import unknown  # noqa: PLC0415 - needed for mistakes alone
    from toolassay.selection import slug_of  # noqa: PLC0415 - as above

    same = [case.id for case in cases if case.vector == slug_of(identifier)]
    known = same or [*register.clauses, *dict.fromkeys(case.vector for case in cases)]
    return unknown("clause, vector or case", identifier, known)


# --- a clause -------------------------------------------------------------------------------


def _clause(out: Out, clause: Clause, cases: Sequence[Case]) -> None:
    from toolassay.reports.divergence import source_words  # noqa: PLC0415 - help needs none of it

    profiles = ", ".join(clause.profiles) or "in no profile: only recorded"
    left = (
        f"{clause.id}  {clause.level}  {source_words(clause)}  binds: {', '.join(clause.subject)}"
    )
    right = f"{profiles}; since {clause.since}"
    gap = out.style.width - len(left) - len(right)
    out.line(f"{left}{' ' * gap}{right}" if gap > 1 else f"{left}\n  {right}")
    _folded(out, "", clause.text)
    out.line()
    for label, text in _facts(clause, cases):
        _folded(out, label, text)


def _clause_json(out: Out, clause: Clause, cases: Sequence[Case]) -> None:
    from toolassay.planted import ALL_MUTANTS  # noqa: PLC0415 - as above
    from toolassay.reports.documents import encoded  # noqa: PLC0415 - help needs none of it
    from toolassay.reports.listed import clause_document  # noqa: PLC0415 - as above
    from toolassay.selection import cited  # noqa: PLC0415 - as above

    mine = [case for case in cases if clause.id in cited(case)]
    mutants = [mutant.name for mutant in ALL_MUTANTS.values() if mutant.clause == clause.id]
    out.write(encoded(clause_document(clause, mine, mutants)))


def _facts(clause: Clause, cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """Give what is known of a clause, each with its label."""
    from toolassay.planted import ALL_MUTANTS  # noqa: PLC0415 - as above
    from toolassay.selection import cited  # noqa: PLC0415 - help needs none of it

    yield from _sources(clause)
    needs = clause.needs
    wanted = [*needs.operations, *(f"facet {name}" for name in needs.facets), *needs.features]
    if needs.any_operations:
        wanted.append(" or ".join(needs.any_operations))
    if needs.any_facets:
        wanted.append(f"facet {' or '.join(needs.any_facets)}")
    if wanted:
        yield "needs", ", ".join(wanted)
    if clause.untestable:
        yield "untested", clause.untestable
    for behaviour in clause.recorded:
        yield "recorded", behaviour
    if clause.note:
        yield "note", clause.note
    mine = [case for case in cases if clause.id in cited(case)]
    slugs = list(dict.fromkeys(case.vector for case in mine))
    if slugs:
        more = ", ..." if len(slugs) > VECTORS_MAX else ""
        yield "vectors", f"{', '.join(slugs[:VECTORS_MAX])}{more} ({len(mine)} cases)"
    reports = sorted({link for case in mine for link in case.provenance})
    if reports:
        yield "seen in", f"{len(reports)} public reports, for example {reports[0]}"
    mutants = [mutant.name for mutant in ALL_MUTANTS.values() if mutant.clause == clause.id]
    if mutants:
        yield "mutants", ", ".join(mutants)
    if mine:
        yield "run it", f"toolassay run TARGET --clause {clause.id}"
    yield "to dispute", "docs/disputes.md"


def _sources(clause: Clause) -> Iterator[tuple[str, str]]:
    parts = [f"page {', '.join(clause.pages)}"] if clause.pages else []
    parts += [clause.standard] if clause.standard else []
    parts += [f"reports {', '.join(clause.cases)}"] if clause.cases else []
    if parts:
        yield "source", "; ".join(parts)
    if clause.faults:
        yield "answers", clause.faults


# --- a vector or a case ---------------------------------------------------------------------


def _vector(out: Out, name: str, mine: Sequence[Case], siblings: Sequence[Case]) -> None:
    from toolassay.reports.words import case_words  # noqa: PLC0415 - help needs none of it
    from toolassay.selection import cited  # noqa: PLC0415 - as above

    case = next((one for one in mine if one.id == name), mine[0])
    out.line(f"{name}  {case.kind}  {case.contract}  {case.operation}")
    _folded(out, "", case.title)
    out.line()
    _folded(out, "scenario", case_words(case))
    _folded(out, "clauses", ", ".join(sorted(cited(case))))
    if case.features:
        _folded(out, "features", ", ".join(case.features))
    for link in case.provenance:
        _folded(out, "seen in", link)
    others = [one.id for one in siblings]
    more = f", ... ({len(others)})" if len(others) > VECTORS_MAX else ""
    _folded(out, "cases", ", ".join(others[:VECTORS_MAX]) + more)
    import shlex  # noqa: PLC0415 - as above

    # A command is to be pasted, so it is never folded.
    out.line(f"  {'run it':<10} toolassay run TARGET --case {shlex.quote(name)}")


def _vector_json(out: Out, name: str, mine: Sequence[Case], siblings: Sequence[Case]) -> None:
    from toolassay.reports.documents import encoded  # noqa: PLC0415 - help needs none of it
    from toolassay.reports.listed import vector_document  # noqa: PLC0415 - as above

    out.write(encoded(vector_document(name, mine, siblings)))


def _folded(out: Out, label: str, text: str) -> None:
    from toolassay.printable import printable  # noqa: PLC0415 - help needs none of it

    lead = f"{label:<10} " if label else ""
    width = max(20, out.style.width - 2)
    lines = textwrap.wrap(
        lead + printable(text, 4000), width, subsequent_indent=" " * len(lead),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    for line in lines:
        out.line(f"  {line}")
