"""The report for programs that follow a run: a header, a line per case, a footer."""

from __future__ import annotations

from toolassay.reports.digest import case_digest, run_digest
from toolassay.reports.documents import (
    SCHEMA_VERSION,
    case_part,
    encoded_line,
    host_part,
    run_part,
    verdict_part,
)
from toolassay.reports.out import Out
from toolassay.results import CaseFinished, Event, RunStarted


class NdjsonReport:
    """
    Consumes the events of a run and writes one line for each.

    Args:
        out: Where to write.
    """

    def __init__(self, out: Out) -> None:
        self.out = out
        self.digests: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        """Take one event; what was written is complete whenever the run ends."""
        if isinstance(event, RunStarted):
            head = {"type": "header", "schema_version": SCHEMA_VERSION, **run_part(event)}
            self.out.write(encoded_line(head))
        elif isinstance(event, CaseFinished):
            digest = self.digests[event.result.case.id] = case_digest(event.result)
            self.out.write(encoded_line({"type": "case", **case_part(event.result, digest)}))
        else:
            verdict = verdict_part(event, run_digest(self.digests))
            foot = {"type": "footer", **verdict, "host": host_part(event.seconds)}
            self.out.write(encoded_line(foot))
        self.out.flush()
