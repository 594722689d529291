"""What was seen, a line per case, in the form that `recorded:` and `check` read."""

from __future__ import annotations

import msgspec

from toolassay.reports.documents import encoded_line
from toolassay.reports.out import Out
from toolassay.results import CaseFinished, Event


class ObservationsReport:
    """
    Consumes the events of a run and writes every observation.

    Args:
        out: Where to write.
    """

    def __init__(self, out: Out) -> None:
        self.out = out

    def __call__(self, event: Event) -> None:
        """Take one event; a case of which nothing was seen has no line."""
        if not isinstance(event, CaseFinished) or event.result.observation is None:
            return
        case = event.result.case
        line: dict[str, object] = {"id": case.id}
        if case.scenario is not None:
            line["scenario"] = msgspec.to_builtins(case.scenario)
        line["observation"] = msgspec.to_builtins(event.result.observation)
        self.out.write(encoded_line(line))
        self.out.flush()
