"""What is wrong with authored vectors: in words, as a document, and as SARIF."""

from __future__ import annotations

import inspect

from toolassay.authoring.errors import Fault
from toolassay.authoring.lint import Linted
from toolassay.printable import LINE_MAX, many, printable
from toolassay.reports.documents import SCHEMA_VERSION, Json, encoded
from toolassay.reports.out import Out
from toolassay.reports.sarif import Result, Rule, sarif
from toolassay.statuses import Exit, verdict_of


def write_text(out: Out, linted: Linted) -> int:
    """Say it in words; give the exit code."""
    code = _code(linted)
    for fault in linted.errors:
        out.line(printable(str(fault), LINE_MAX))
    vectors = many(_vectors(linted), "vector")
    words = {
        Exit.NON_CONFORMANT: f"{many(len(linted.errors), 'fault')} in {vectors}",
        Exit.INCOMPLETE: "there are no vectors",
        Exit.CONFORMANT: f"{many(len(linted.cases), 'case')} of {vectors}",
    }
    out.line(f"{verdict_of(code).upper()}: {words[code]}")
    out.flush()
    return code


def write_json(out: Out, linted: Linted) -> int:
    """Write a document; give the exit code."""
    code = _code(linted)
    document: Json = {
        "schema_version": SCHEMA_VERSION,
        "kind": "lint",
        "verdict": verdict_of(code),
        "exit_code": int(code),
        "vectors": _vectors(linted),
        "cases": len(linted.cases),
        "faults": [fault_part(fault) for fault in linted.errors],
    }
    out.write(encoded(document))
    out.flush()
    return code


def write_sarif(out: Out, linted: Linted) -> None:
    """Write a document of SARIF; each rule of the format is a rule."""
    code = _code(linted)
    results = [_result(fault) for fault in linted.errors]
    out.write(encoded(sarif(results, (), code, {"verdict": verdict_of(code)})))
    out.flush()


def fault_part(fault: Fault) -> Json:
    """Say what is wrong at one place."""
    file, line, column = _place(fault)
    return {
        "code": fault.code,
        "file": file,
        "line": line,
        "column": column,
        "message": fault.message,
        "hint": fault.hint,
    }


def _code(linted: Linted) -> Exit:
    if linted.errors:
        return Exit.NON_CONFORMANT
    return Exit.CONFORMANT if linted.cases else Exit.INCOMPLETE


def _vectors(linted: Linted) -> int:
    return len({one.case.vector for one in linted.cases})


def _place(fault: Fault) -> tuple[str, int, int]:
    file, line, column = fault.where.rsplit(":", 2)
    return file, int(line), int(column)


def _result(fault: Fault) -> Result:
    text = inspect.getdoc(type(fault)) or fault.code
    rule = Rule(fault.code, text.partition("\n")[0], type(fault).hint or "vectors/README.md")
    message = f"{fault.message}; {fault.hint}" if fault.hint else fault.message
    about = (fault.code, fault.message)
    return Result(rule, "error", message, *_place(fault), about=about)
