"""What compiling vectors to packs came to: in words, and as a document."""

from __future__ import annotations

from toolassay.authoring.fill import Change, Filled
from toolassay.printable import LINE_MAX, many, printable
from toolassay.reports.documents import SCHEMA_VERSION, Json, encoded
from toolassay.reports.lint_report import fault_part
from toolassay.reports.out import Out
from toolassay.statuses import Exit, verdict_of

CASES_MAX = 10
"""Changed cases that are named for each pack."""


def write_text(out: Out, filled: Filled, *, is_check: bool) -> int:
    """Say it in words; give the exit code."""
    code = _code(filled, is_check=is_check)
    for fault in filled.errors:
        out.line(printable(str(fault), LINE_MAX))
    for change in filled.changes:
        out.line(printable(_change_words(change), LINE_MAX))
    out.line(f"{verdict_of(code).upper()}: {_words(filled, code)}")
    out.flush()
    return code


def write_json(out: Out, filled: Filled, *, is_check: bool) -> int:
    """Write a document; give the exit code."""
    code = _code(filled, is_check=is_check)
    document: Json = {
        "schema_version": SCHEMA_VERSION,
        "kind": "fill",
        "verdict": verdict_of(code),
        "exit_code": int(code),
        "check": is_check,
        "cases": filled.cases,
        "changes": [
            {"file": one.file.as_posix(), "how": one.how, "cases": list(one.cases)}
            for one in filled.changes
        ],
        "faults": [fault_part(fault) for fault in filled.errors],
    }
    out.write(encoded(document))
    out.flush()
    return code


def _code(filled: Filled, *, is_check: bool) -> Exit:
    if filled.errors or (is_check and filled.changes):
        return Exit.NON_CONFORMANT
    return Exit.CONFORMANT if filled.cases else Exit.INCOMPLETE


def _change_words(change: Change) -> str:
    named = f": {', '.join(change.cases[:CASES_MAX])}" if change.cases else ""
    more = f" and {len(change.cases) - CASES_MAX} more" if len(change.cases) > CASES_MAX else ""
    return f"{change.how} {change.file}{named}{more}"


def _words(filled: Filled, code: Exit) -> str:
    if filled.errors:
        return f"{many(len(filled.errors), 'fault')}, nothing was written"
    files = many(len(filled.changes), "file")
    if code == Exit.NON_CONFORMANT:
        return f"{files} not current; `toolassay fill` writes what is missing"
    if code == Exit.INCOMPLETE:
        return "there are no vectors"
    return f"{many(filled.cases, 'case')}, {files} written"
