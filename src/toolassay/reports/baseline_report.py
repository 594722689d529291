"""What became of a file of known failures: in words, or as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from toolassay.baseline import Entry
from toolassay.printable import LINE_MAX, many, printable
from toolassay.reports.documents import SCHEMA_VERSION, Json, encoded
from toolassay.reports.out import Out
from toolassay.reports.terminal import verdict_words
from toolassay.results import RunFinished
from toolassay.statuses import Exit, verdict_of


class BaselineReport:
    """
    Says what was written, or why nothing was.

    Args:
        out: Where to write.
        file: The file of known failures.
        form: `text` or `json`.
    """

    def __init__(self, out: Out, file: str, form: Literal["text", "json"]) -> None:
        self.out = out
        self.file = file
        self.is_json = form == "json"

    def refused(self, finished: RunFinished) -> int:
        """Say why nothing was written; give the exit code."""
        if self.is_json:
            return self._document(finished.exit_code, finished.reasons)
        self.out.line(f"{finished.verdict.upper()}{verdict_words(finished)}; nothing was written")
        self.out.flush()
        return finished.exit_code

    def written(
        self, kept: Sequence[Entry], removed: Sequence[Entry], added: Sequence[Entry]
    ) -> int:
        """Say what was written; give the exit code."""
        if self.is_json:
            return self._document(Exit.CONFORMANT, (), kept, removed, added)
        self.out.line(f"{self.file}: {len(kept)} kept, {len(removed)} removed, {len(added)} added")
        for entry in added:
            words = f"  new: {entry.name} {entry.clause} {entry.outcome}"
            self.out.line(printable(words, LINE_MAX))
        entries = many(len(kept) + len(added), "entry", "entries")
        self.out.line(f"CONFORMANT: the baseline has {entries}")
        self.out.flush()
        return Exit.CONFORMANT

    def _document(
        self,
        code: Exit,
        reasons: Sequence[str],
        kept: Sequence[Entry] = (),
        removed: Sequence[Entry] = (),
        added: Sequence[Entry] = (),
    ) -> int:
        document: Json = {
            "schema_version": SCHEMA_VERSION,
            "kind": "baseline-update",
            "verdict": verdict_of(code),
            "exit_code": int(code),
            "reasons": list(reasons),
            "file": self.file,
            "written": code == Exit.CONFORMANT,
            "kept": [_entry(entry) for entry in kept],
            "removed": [_entry(entry) for entry in removed],
            "added": [_entry(entry) for entry in added],
        }
        self.out.write(encoded(document))
        self.out.flush()
        return code


def _entry(entry: Entry) -> Json:
    return {
        "kind": "case" if entry.case else "vector",
        "name": entry.name,
        "clause": entry.clause,
        "outcome": entry.outcome,
        "cases": entry.cases,
        "flaky": entry.flaky,
        "reason": entry.reason,
    }
