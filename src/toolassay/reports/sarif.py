"""
SARIF 2.1.0: findings that have a file, for tools that show them beside its lines.

Such tools refuse a result that has no file, so what has none is only counted,
in a notification. Files are named from the top of the repository, or from the
current folder where there is none; an absolute path never stands in a document.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import msgspec

from toolassay import __version__
from toolassay.printable import printable
from toolassay.reports.divergence import DECLARED, source_words
from toolassay.reports.documents import Json
from toolassay.spec.canonical import digest
from toolassay.spec.register import Register
from toolassay.statuses import Exit

VERSION = "2.1.0"
"""Version of the format."""

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
"""What readers of the format know its schema by."""

RESULTS_MAX = 5000
"""Results of a document; the rest is counted in a notification."""

TEXT_MAX = 1000
"""Characters of a message."""

ROOT = "%SRCROOT%"
"""What relative names of files stand below."""

Level = Literal["error", "warning", "note"]
"""How much a result weighs."""


class Rule(msgspec.Struct, frozen=True):
    """What can be broken."""

    id: str
    """Its id."""
    text: str
    """What it says."""
    help: str
    """What else there is to know."""


class Result(msgspec.Struct, frozen=True):
    """One finding in a file."""

    rule: Rule
    """What is broken."""
    level: Level
    """How much it weighs."""
    message: str
    """What was expected, and what observed."""
    file: str
    """The file, as it was given."""
    line: int
    """The line."""
    column: int = 0
    """The column in characters, from 1; 0 if the line as a whole is meant."""
    name: str = ""
    """The case or recording that it is in."""
    known: str = ""
    """Why it is known and fails nothing."""
    about: tuple[str, ...] = ()
    """What it is told from others by; lines and file names, which move, are no part of it."""


class Note(msgspec.Struct, frozen=True):
    """What is to be told beside the results."""

    level: Level
    """How much it weighs."""
    text: str
    """What it says."""


def sarif(
    results: Sequence[Result], notes: Iterable[Note], code: Exit, about: dict[str, str]
) -> Json:
    """
    Make a document.

    Args:
        results: The findings, in order.
        notes: What has no file.
        code: The exit code.
        about: What was judged, how.
    """
    kept = results[:RESULTS_MAX]
    told = list(notes)
    if len(results) > len(kept):
        told.append(Note("warning", f"{len(results) - len(kept)} more results are left out"))
    rules = list({one.rule.id: one.rule for one in sorted(kept, key=_rule_id)}.values())
    index = {rule.id: number for number, rule in enumerate(rules)}
    seen: Counter[tuple[str, ...]] = Counter()
    run: Json = {
        "tool": {
            "driver": {
                "name": "toolassay",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "invocations": [
            {
                "executionSuccessful": code in {Exit.CONFORMANT, Exit.NON_CONFORMANT},
                "exitCode": int(code),
                "toolExecutionNotifications": [_note(note) for note in told],
            }
        ],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The top of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "properties": {key: _said(value) for key, value in about.items()},
        "results": [_result(one, index[one.rule.id], seen) for one in kept],
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def clause_rule(name: str, register: Register) -> Rule:
    """Make a rule of a clause, or of a check that has none."""
    clause = register.clauses.get(name)
    if clause is None:
        return Rule(name, DECLARED, "docs/adapter-python.md")
    more = f"{clause.level}, {source_words(clause)}."
    note = f" {clause.note}" if clause.note else ""
    return Rule(name, clause.text, f"{more}{note} More: toolassay explain {name}")


def _rule_id(result: Result) -> str:
    return result.rule.id


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.id,
        "shortDescription": {"text": _said(rule.text)},
        "fullDescription": {"text": _said(rule.text)},
        "help": {"text": _said(rule.help)},
    }


def _note(note: Note) -> Json:
    return {"level": note.level, "message": {"text": _said(note.text)}}


def _result(result: Result, index: int, seen: Counter[tuple[str, ...]]) -> Json:
    seen[result.about] += 1
    parts = (*result.about, str(seen[result.about]))
    fingerprint = digest(*(part.encode(errors="backslashreplace") for part in parts))
    region = {"startLine": result.line}
    if result.column:
        region["startColumn"] = result.column
    where: Json = {
        "physicalLocation": {
            "artifactLocation": {"uri": relative_uri(result.file), "uriBaseId": ROOT},
            "region": region,
        }
    }
    if result.name:
        where["logicalLocations"] = [{"fullyQualifiedName": _said(result.name)}]
    made: Json = {
        "ruleId": result.rule.id,
        "ruleIndex": index,
        "level": result.level,
        "message": {"text": _said(result.message)},
        "locations": [where],
        "partialFingerprints": {"toolassay/v1": fingerprint},
    }
    if result.known:
        made["suppressions"] = [{"kind": "external", "justification": _said(result.known)}]
    return made


def _said(text: str) -> str:
    """Escape a text; readers make links of brackets before parentheses, so those are escaped."""
    safe = printable(text, TEXT_MAX)
    return safe.replace("[", "\\[").replace("]", "\\]") if "](" in safe else safe


# --- files ----------------------------------------------------------------------------------


def relative_uri(file: str) -> str:
    """Name a file from the top of the repository that the current folder is in."""
    path = Path(file).absolute()
    try:
        text = Path(os.path.relpath(path, _top())).as_posix()
    except ValueError:  # on another drive
        text = path.name
    return quote(text.encode(errors="surrogateescape"))


def _top() -> Path:
    here = Path.cwd()
    return next((place for place in (here, *here.parents) if (place / ".git").exists()), here)
