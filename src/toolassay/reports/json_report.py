"""The report for programs that want one document: written when the run is over."""

from __future__ import annotations

from toolassay.reports.digest import case_digest, run_digest
from toolassay.reports.documents import (
    SCHEMA_VERSION,
    Json,
    case_part,
    encoded,
    host_part,
    run_part,
    verdict_part,
)
from toolassay.reports.out import Out
from toolassay.results import CaseFinished, Event, RunStarted


class JsonReport:
    """
    Consumes the events of a run and writes one document at its end.

    Args:
        out: Where to write.
    """

    def __init__(self, out: Out) -> None:
        self.out = out
        self.digests: dict[str, str] = {}
        self.cases: list[Json] = []
        self.document: Json = {"schema_version": SCHEMA_VERSION, "kind": "run"}

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, RunStarted):
            self.document |= run_part(event)
        elif isinstance(event, CaseFinished):
            digest = self.digests[event.result.case.id] = case_digest(event.result)
            self.cases.append(case_part(event.result, digest))
        else:
            self.document |= verdict_part(event, run_digest(self.digests))
            self.document["cases"] = self.cases
            self.document["host"] = host_part(event.seconds)
            self.out.write(encoded(self.document))
            self.out.flush()
