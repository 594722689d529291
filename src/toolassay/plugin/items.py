"""
A case as a test.

An item has no fixtures, no function and no code of the user: it runs its case
and says what came of it. `running` has a short way to do that.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from toolassay.plugin.contract import Contract
from toolassay.plugin.outcome import Outcome, outcome_of, unusable
from toolassay.spec.case import Case
from toolassay.spec.errors import TargetError, UsageError


class Failed(Exception):  # noqa: N818 - it carries a report through pytest's own protocol
    """A case failed; pytest shows the report and no traceback."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.brief)
        self.outcome = outcome


class Crash(msgspec.Struct, frozen=True):
    """Where pytest's summaries say a test failed, and with what words."""

    path: str
    """The test file."""
    lineno: int
    """The line of the anchor, from 1."""
    message: str
    """The failure in a line."""

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


class Report:
    """The report of a failure, as pytest prints it."""

    def __init__(self, text: str, crash: Crash) -> None:
        self.text = text
        self.reprcrash = crash

    def __str__(self) -> str:
        return self.text

    def toterminal(self, writer: pytest.TerminalReporter) -> None:
        """Write it; it holds nothing that a terminal would obey."""
        writer.line(self.text)


class ContractItem(pytest.Item):
    """One case as a test."""

    case: Case
    """The case."""
    contract: Contract
    """What it is judged by."""
    line: int
    """The line of the anchor, from 0."""

    def judged(self) -> Outcome:
        """Run the case and say what came of it."""
        try:
            result = self.contract.judge(self.case)
        except (TargetError, UsageError) as fault:
            return unusable(fault, self.nodeid)
        return outcome_of(result, self.contract, self.nodeid)

    def runtest(self) -> None:
        """Run the case, the long way."""
        __tracebackhide__ = True
        outcome = self.judged()
        if outcome.warning:
            self.add_report_section("call", "toolassay warning", outcome.warning)
        if outcome.kind == "skipped":
            skipped = pytest.skip.Exception(outcome.text)
            skipped._use_item_location = True  # noqa: SLF001 - else it would name a line of pytest's
            raise skipped
        if outcome.kind == "xfailed":
            pytest.xfail(outcome.text)
        if outcome.kind != "passed":
            raise Failed(outcome)

    def report(self, outcome: Outcome) -> Report:
        """Give the report of a failure."""
        return Report(outcome.text, Crash(self.location[0], self.line + 1, outcome.brief))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> object:  # type: ignore[override] # pytest takes whatever it can print
        """Give the report of a failure; anything else that is thrown is a fault of the kit."""
        if isinstance(excinfo.value, Failed):
            return self.report(excinfo.value.outcome)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say where the test stands."""
        return self.path, self.line, self.name
