"""Progress on a terminal: one line on standard error, rewritten a few times a second."""

from __future__ import annotations

import sys
import time

from toolassay.reports.out import Out, is_terminal
from toolassay.results import CaseFinished, Event, RunStarted
from toolassay.statuses import FAILED

EVERY_S = 0.1
"""Seconds between two rewrites."""


class Progress:
    """Shows how far a run is; says nothing where no terminal reads it."""

    def __init__(self, out: Out | None = None) -> None:
        self.out = Out(sys.stderr) if out is None else out
        self.active = is_terminal(self.out.stream)
        self.total = self.done = self.failed = 0
        self.last = 0.0
        self.visible = False

    def before(self, event: Event) -> None:
        """Clear the line, where a report is about to write."""
        if self.visible and (not isinstance(event, CaseFinished) or event.result.status in FAILED):
            self._write("\r\x1b[K")
            self.visible = False

    def after(self, event: Event) -> None:
        """Take one event."""
        if not self.active:
            return
        if isinstance(event, RunStarted):
            self.total = event.cases
        elif isinstance(event, CaseFinished):
            self.done += 1
            self.failed += event.result.status in FAILED
            now = time.monotonic()
            if now - self.last >= EVERY_S:
                self.last = now
                failed = f", {self.failed} failed" if self.failed else ""
                self._write(f"\r\x1b[K{self.done}/{self.total} cases{failed}")
                self.visible = True

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()
