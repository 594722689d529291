"""
JUnit XML as a text: suites of cases, each of which passed, failed, erred or was skipped.

Viewers agree on little more than this: suites below one root, cases below
suites, at most one outcome in a case; the strictest of them is the xUnit plugin of
Jenkins, so no attribute stands where its schema has none. What XML cannot carry is escaped so that
it can be seen, and the text is ASCII, whatever the stream that takes it encodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Literal

import junitparser
import msgspec
from junitparser import xunit2

from toolassay.printable import visible

NAME_MAX = 1000
"""Characters of a name or a message; what is longer is cut."""

TEXT_MAX = 64 * 1024
"""Characters of what is said of one case."""

_ELEMENTS = {
    "failure": junitparser.Failure,
    "error": junitparser.Error,
    "skipped": junitparser.Skipped,
}


class Outcome(msgspec.Struct, frozen=True):
    """Why a case did not pass."""

    kind: Literal["failure", "error", "skipped"]
    """What viewers make of it."""
    type: str
    """Our own word for it."""
    message: str
    """One line."""
    text: str = ""
    """All that is known."""


class Tested(msgspec.Struct, frozen=True):
    """One case."""

    group: str
    """What viewers group it by; dots make a tree."""
    name: str
    """Its name."""
    outcome: Outcome | None = None
    """Why it did not pass; None if it did."""
    said: str = ""
    """What is to be known of a case that passed."""


class Suite(msgspec.Struct, frozen=True):
    """Cases that belong together."""

    name: str
    """Its name."""
    cases: list[Tested]
    """Its cases, in order."""
    properties: dict[str, str] = {}
    """What holds for all of them."""


def junit_xml(name: str, suites: Iterable[Suite], seconds: float) -> str:
    """
    Write a document.

    Args:
        name: What the whole is called.
        suites: The suites, in order; their names are different.
        seconds: How long it took; cases are not timed one by one.
    """
    root = xunit2.JUnitXml(_line(name))
    for suite in suites:
        root.add_testsuite(_suite(suite))
    root.update_statistics()  # type: ignore[no-untyped-call] # the library leaves it untyped
    root.time = round(seconds, 3)
    whole = BytesIO()
    root.write(whole, pretty=True)
    return whole.getvalue().decode().encode("ascii", "xmlcharrefreplace").decode()


def _suite(suite: Suite) -> junitparser.TestSuite:
    element = junitparser.TestSuite(_line(suite.name))
    for key, value in suite.properties.items():
        element.add_property(key, _line(value))
    element.add_testcases([_case(one) for one in suite.cases])
    return element


def _case(tested: Tested) -> junitparser.TestCase:
    element = junitparser.TestCase(_line(tested.name), _line(tested.group))
    outcome = tested.outcome
    if outcome is not None:
        found = _ELEMENTS[outcome.kind](_line(outcome.message), outcome.type)
        if outcome.text:
            found.text = _text(outcome.text)
        element.result = [found]
    if tested.said:
        element.system_out = _text(tested.said)
    return element


def _line(text: str) -> str:
    """Make a text fit for an attribute: it has no line ends, which readers would lose."""
    return visible(text[:NAME_MAX]) + ("..." if len(text) > NAME_MAX else "")


def _text(text: str) -> str:
    """Make a text fit for an element; its lines stay lines."""
    lines = [visible(line) for line in text[:TEXT_MAX].split("\n")]
    return "\n".join([*lines, "..."] if len(text) > TEXT_MAX else lines)
