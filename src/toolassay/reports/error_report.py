"""What `--format json` writes where a verb ends before it has a verdict."""

from __future__ import annotations

import sys

from toolassay.reports.documents import SCHEMA_VERSION, encoded
from toolassay.reports.out import Out
from toolassay.spec.errors import TargetError, ToolassayError
from toolassay.statuses import Exit, verdict_of


def write_error(fault: ToolassayError) -> None:
    """Write an error as a document; nothing else was written before it."""
    code = Exit.UNUSABLE if isinstance(fault, TargetError) else Exit.USAGE
    document: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "kind": "error",
        "verdict": verdict_of(code),
        "exit_code": int(code),
        "code": fault.code,
        "message": str(fault),
        "hint": fault.hint,
    }
    out = Out(sys.stdout)
    out.write(encoded(document))
    out.flush()
