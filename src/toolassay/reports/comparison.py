"""A comparison, for the terminal, as Markdown and as one JSON document."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

import msgspec

from toolassay.comparison.behaviour import ABOUT
from toolassay.comparison.differences import Cell, Comparison, Difference, Row
from toolassay.comparison.gather import Compared, is_unjudged
from toolassay.printable import clipped, many, printable, visible
from toolassay.reports.documents import SCHEMA_VERSION, Json, encoded
from toolassay.reports.markdown import code, plain, table
from toolassay.reports.out import Out

SHOWN_MAX = 12
"""Differences of each kind that are shown to people; the JSON document has all."""

LABEL_MAX = 40
"""Characters of the name of an implementation."""


def cell_words(cell: Cell) -> str:
    """Show one cell: kept, the number of cases that break it, or why there is neither."""
    if cell.broken:
        return str(cell.broken)
    if cell.warned:
        return "warn"  # how many is often a matter of which callback ended first
    if cell.judged:
        return "kept"
    if cell.unjudged:
        return "?"
    return "seen" if cell.recorded else "-"


LEGEND = (
    "kept; or the number of cases that break it; warn: a SHOULD that some break; "
    "seen: shown, not scored; "
    "?: not judged; -: not shown"
)
"""What the cells say."""


def broken_by(one: Compared) -> tuple[str, ...]:
    """Give the clauses that an implementation breaks, sorted."""
    return tuple(sorted({clause for seen in one.cases.values() for clause in seen.broken}))


def unjudged(one: Compared) -> int:
    """Count the cases that applied and could not be judged."""
    return sum(map(is_unjudged, one.cases.values()))


def _verdict_words(one: Compared) -> str:
    broken = broken_by(one)
    parts = [f"breaks {many(len(broken), 'clause')}"] if broken else []
    if unjudged(one):
        parts.append(f"{many(unjudged(one), 'case')} not judged")
    if one.verdict in {"unusable", "interrupted", "broken"}:
        parts.append(one.verdict)
    return ", ".join(parts) or ("conformant" if one.cases else "nothing judged")


# --- the terminal ---------------------------------------------------------------------------


def write_text(out: Out, comparison: Comparison, *, table_only: bool) -> None:
    """Write a comparison for a terminal."""
    width = out.style.width
    for number, one in enumerate(comparison.compared, start=1):
        name = printable(f"{one.label} ({one.name} {one.version})".replace(" )", ")"), width // 2)
        out.line(clipped(f"{number:>3}  {name}: {_verdict_words(one)}", width))
    out.line()
    columns = "".join(f"{number:>8}" for number in range(1, len(comparison.compared) + 1))
    out.line(f"{'clause':<8}{columns}")
    for row in comparison.rows:
        if row.broken:
            cells = "".join(f"{cell_words(cell):>8}" for cell in row.cells)
            out.line(f"{row.clause:<8}{cells}")
    _fold(out, _kept_words(comparison))
    _fold(out, f"({LEGEND})")
    if table_only:
        return
    out.line()
    _fold(out, _cluster_words(comparison, printable))
    _text_differences(out, "Decided by clauses", comparison.differences)
    _text_differences(out, "Open questions: no clause decides", comparison.questions)


def _kept_words(comparison: Comparison) -> str:
    kept = [row.clause for row in comparison.rows if not row.broken and _is_judged(row)]
    return f"{many(len(kept), 'clause')} broken by none: {', '.join(kept) or 'none'}"


def _is_judged(row: Row) -> bool:
    return any(cell.judged for cell in row.cells)


def _cluster_words(comparison: Comparison, shown: Callable[[str, int], str]) -> str:
    """Say who behaves like whom; `shown` makes a name safe for where it is to stand."""
    alike = [cluster for cluster in comparison.clusters if len(cluster) > 1]
    said = "; ".join(" = ".join(shown(name, LABEL_MAX) for name in one) for one in alike)
    cases = many(comparison.common, "case")
    return f"in {cases} that can be compared, these behave alike: {said or 'no two of them'}"


def _text_differences(out: Out, title: str, differences: Sequence[Difference]) -> None:
    if not differences:
        return
    out.line()
    out.line(f"{title} ({len(differences)})")
    for one in differences[:SHOWN_MAX]:
        out.line()
        _fold(out, f"{ABOUT[one.aspect]}: {_where_words(one)}", "  ")
        for answer in one.answers:
            names = ", ".join(printable(name, LABEL_MAX) for name in answer.labels)
            breaks = f"   (breaks {', '.join(answer.breaks)})" if answer.breaks else ""
            _fold(out, f"{names}: {printable(answer.word, 300)}{breaks}", "    ")
        out.line(f"    such as --case '{visible(one.example)}'")
    if len(differences) > SHOWN_MAX:
        out.line(f"  ... {len(differences) - SHOWN_MAX} more: --format json has all")


def _where_words(one: Difference) -> str:
    return f"{many(one.cases, 'case')} of {many(len(one.vectors), 'vector')}"


def _fold(out: Out, text: str, indent: str = "") -> None:
    """Write a text in as many lines as the width wants."""
    for line in textwrap.wrap(
        text, out.style.width, initial_indent=indent, subsequent_indent=f"{indent}  "
    ):
        out.line(line)


# --- Markdown -------------------------------------------------------------------------------


def write_markdown(out: Out, comparison: Comparison, *, table_only: bool) -> None:
    """Write a comparison as Markdown; what an implementation says is shown, not interpreted."""
    compared = comparison.compared
    heads = [plain(f"{one.label} {one.version}".strip()) for one in compared]
    broken = [
        (row.clause, *(_mark(cell) for cell in row.cells)) for row in comparison.rows if row.broken
    ]
    totals = [
        f"{sum(bool(row.cells[at].broken) for row in comparison.rows)} of "
        f"{sum(bool(row.cells[at].judged) for row in comparison.rows)}"
        for at in range(len(compared))
    ]
    rows = [*broken, ("broken, of those judged", *totals)]
    out.line(table(("clause", *heads), rows))
    out.line()
    out.line(f"A cell: {LEGEND}. {_kept_words(comparison)}.")
    if table_only:
        return
    out.line()
    out.line(_sentence(_cluster_words(comparison, plain)))
    _markdown_differences(out, "Decided by clauses", comparison.differences)
    _markdown_differences(out, "Open questions: no clause decides", comparison.questions)


def _markdown_differences(out: Out, title: str, differences: Sequence[Difference]) -> None:
    if not differences:
        return
    out.line()
    out.line(f"## {title}")
    for one in differences[:SHOWN_MAX]:
        out.line()
        asked = f"**{_sentence(ABOUT[one.aspect])}**: {_where_words(one)}"
        out.line(f"{asked}, such as {code(one.example)}")
        out.line()
        for answer in one.answers:
            names = ", ".join(map(plain, answer.labels))
            breaks = f" (breaks {', '.join(answer.breaks)})" if answer.breaks else ""
            out.line(f"- {names}: {plain(answer.word, 300)}{breaks}")
    if len(differences) > SHOWN_MAX:
        out.line()
        out.line(f"{len(differences) - SHOWN_MAX} more are in the JSON document.")


def _mark(cell: Cell) -> str:
    words = cell_words(cell)
    return f"**{words}**" if cell.broken else words


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- JSON -----------------------------------------------------------------------------------


def write_json(out: Out, comparison: Comparison) -> None:
    """Write a comparison as one document."""
    document: Json = {
        "schema_version": SCHEMA_VERSION,
        "kind": "comparison",
        "implementations": [
            {
                "label": one.label,
                "name": one.name,
                "version": one.version,
                "target": one.target,
                "profile": one.profile,
                "verdict": one.verdict,
                "cases": len(one.cases),
                "cases_not_judged": unjudged(one),
                "broken_clauses": broken_by(one),
            }
            for one in comparison.compared
        ],
        "clauses": [_row_part(row, comparison.compared) for row in comparison.rows],
        "cases_compared": comparison.common,
        "clusters": comparison.clusters,
        "differences": [msgspec.to_builtins(one) for one in comparison.differences],
        "open_questions": [msgspec.to_builtins(one) for one in comparison.questions],
    }
    out.write(encoded(document))


def _row_part(row: Row, compared: Sequence[Compared]) -> Json:
    cells = {
        one.label: msgspec.to_builtins(cell) for one, cell in zip(compared, row.cells, strict=True)
    }
    return {"clause": row.clause, "implementations": cells}
