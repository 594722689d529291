"""
The file of a baseline: read strictly, rewritten line by line.

A rewrite touches the lines of entries that changed and of no others, so that
comments and order stay. A comment that stands directly above an entry goes
when the entry goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from toolassay.baseline import OUTCOMES, Baseline, Entry, Key
from toolassay.near import near, unknown
from toolassay.spec.errors import BaselineError, ToolassayError
from toolassay.spec.yaml_text import MAX_BYTES, Document, Value, load_yaml, unknown_key
from toolassay.spec.yaml_text import Path as YamlPath

SECTIONS = ("known", "flaky")
FLAKY = ("at_most", "entries")
KEYS = ("case", "vector", "clause", "outcome", "cases", "reason", "link")
UNEXPLAINED = "not explained yet"
"""Reason that `baseline update` gives to a new entry."""

HEAD = """\
# Known failures. Each entry names a case or a vector, one clause, and what comes of it.
# An entry that passes, fails differently or matches nothing fails the run.
known:
"""


class BaselineEntryError(BaselineError):
    """
    An entry, or the file as a whole, breaks a rule of the format.

    Attributes:
        line: The line of the fault, from 1.
    """

    code = "baseline.entry"

    line: int = 1


class Placed(msgspec.Struct, frozen=True):
    """An entry, and the lines it takes."""

    entry: Entry
    """The entry."""
    first: int
    """Index of its first line, its own comment included."""
    end: int
    """Index of the line after its last."""


class File(msgspec.Struct, frozen=True):
    """A baseline, and where its entries stand."""

    baseline: Baseline
    """What it says."""
    placed: tuple[Placed, ...]
    """Its entries, in the order of the file."""
    lines: tuple[str, ...]
    """Its lines, with their ends."""


def load_baseline(path: Path, clauses: Iterable[str]) -> Baseline:
    """
    Read a baseline.

    Args:
        path: The file.
        clauses: Ids of the clauses that exist.

    Raises:
        BaselineError: It cannot be read, or an entry breaks a rule.
        TextError: It is no YAML.
    """
    return load_file(path, clauses).baseline


def load_file(path: Path, clauses: Iterable[str]) -> File:
    """Read a baseline with the places of its entries; raises as `load_baseline`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise BaselineError(
            f"cannot be read: {fault.strerror}", where=str(path),
            hint="`toolassay baseline update TARGET --baseline FILE` writes one",
        ) from None  # fmt: skip
    return read_file(data, str(path), clauses)


def read_file(data: bytes, name: str, clauses: Iterable[str]) -> File:
    """Read the bytes of a baseline; raises as `load_baseline`."""
    document = load_yaml(data, name)
    reader = _Reader(document, frozenset(clauses))
    entries, flaky_max = reader.read()
    lines = tuple(data.decode().removeprefix("\ufeff").splitlines(keepends=True))
    placed = _place(entries, lines)
    baseline = Baseline(tuple(entry for entry, _ in entries), flaky_max, name)
    return File(baseline, placed, lines)


class _Reader:
    """Turns a document into entries, each with the line on which it starts."""

    def __init__(self, document: Document, clauses: frozenset[str]) -> None:
        self.document = document
        self.clauses = clauses
        self.taken: dict[Key, int] = {}

    def read(self) -> tuple[list[tuple[Entry, int]], int]:
        """Read everything."""
        top = self._mapping((), self.document.value, SECTIONS) if self.document.value else {}
        found = self._entries(("known",), top.get("known"), flaky=False)
        flaky = top.get("flaky")
        if flaky is None:
            return found, 0
        section = self._mapping(("flaky",), flaky, FLAKY)
        at_most = section.get("at_most")
        if type(at_most) is not int or at_most < 0:
            raise self._fault(("flaky", "at_most"), "flaky needs `at_most`, a whole number")
        found += self._entries(("flaky", "entries"), section.get("entries"), flaky=True)
        return sorted(found, key=lambda pair: pair[1]), at_most

    def _entries(self, path: YamlPath, value: Value, *, flaky: bool) -> list[tuple[Entry, int]]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._fault(path, f"{path[-1]} must be a list of entries")
        return [
            (self._entry((*path, index), item, flaky=flaky), self._line((*path, index)) - 1)
            for index, item in enumerate(value)
        ]

    def _entry(self, path: YamlPath, value: Value, *, flaky: bool) -> Entry:
        given = self._mapping(path, value, KEYS)
        for key, item in given.items():
            kind = int if key == "cases" else str
            if type(item) is not kind:
                word = "a whole number" if kind is int else "a text"
                raise self._fault((*path, key), f"{key} must be {word}")
        entry = Entry(**{"clause": "", **given}, flaky=flaky)
        self._check(path, entry, given)
        return entry

    def _check(self, path: YamlPath, entry: Entry, given: dict[str, Value]) -> None:
        if bool(entry.case) == bool(entry.vector):
            raise self._fault(path, "an entry names either a case or a vector")
        if "clause" not in given or entry.clause not in self.clauses:
            raise self._unknown((*path, "clause"), "clause", entry.clause, self.clauses)
        if "outcome" not in given or entry.outcome not in OUTCOMES:
            raise self._unknown((*path, "outcome"), "outcome", entry.outcome, OUTCOMES)
        if not entry.reason.strip():
            raise self._fault(path, "an entry needs a reason")
        if entry.case and "cases" in given:
            raise self._fault((*path, "cases"), "`cases` is for vectors")
        if entry.vector and not entry.flaky and not ("cases" in given and entry.cases > 0):
            raise self._fault(path, "an entry for a vector needs `cases`, how many of them fail")
        line = self._line(path)
        first = self.taken.setdefault(entry.key, line)
        if first != line:
            text = f"{entry.name} {entry.clause} stands twice, first on line {first}"
            raise self._fault(path, text)

    def _mapping(self, path: YamlPath, value: Value, keys: tuple[str, ...]) -> dict[str, Value]:
        if not isinstance(value, dict):
            raise self._fault(path, f"expected a mapping with {', '.join(keys)}")
        for key in value:
            if key not in keys:
                raise unknown_key(self.document, (*path, key), keys)
        return value

    def _line(self, path: YamlPath) -> int:
        return self.document.mark(path).line

    def _unknown(
        self, path: YamlPath, kind: str, name: str, known: Iterable[str]
    ) -> BaselineEntryError:
        fault = self._fault(path, unknown(kind, name, sorted(known)).message)
        if not near(name, known) and len(tuple(known)) < 9:
            fault.hint = f"known: {', '.join(sorted(known))}"
        return fault

    def _fault(self, path: YamlPath, text: str) -> BaselineEntryError:
        mark = self.document.mark(path)
        where = f"{self.document.name}:{mark.line}:{mark.column}"
        fault = BaselineEntryError(text, where=where)
        fault.line = mark.line
        return fault


def _place(entries: list[tuple[Entry, int]], lines: tuple[str, ...]) -> tuple[Placed, ...]:
    """Work out the lines of each entry, from the line with its dash to its last own line."""
    placed: list[Placed] = []
    for number, (entry, line) in enumerate(entries):
        following = entries[number + 1][1] if number + 1 < len(entries) else len(lines)
        dash = line
        while dash > 0 and not lines[dash].lstrip().startswith("-"):
            dash -= 1
        indent = _indent(lines[dash])
        end = dash + 1
        while end < following and (_indent(lines[end]) > indent or not lines[end].strip()):
            end += 1
        while end > dash + 1 and not lines[end - 1].strip():
            end -= 1
        first = dash
        while (
            first > 0
            and lines[first - 1].lstrip().startswith("#")
            and _indent(lines[first - 1]) == indent
        ):
            first -= 1
        placed.append(Placed(entry, first, end))
    return tuple(placed)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


# --- rewriting ------------------------------------------------------------------------------


def updated(file: File, keep: dict[Key, Entry], new: Iterable[Entry]) -> str:
    """
    Write a baseline anew.

    Args:
        file: The file as it stands.
        keep: Entries that stay, by their keys; their outcome and number may be new.
        new: Entries to add at the end of `known`.

    Raises:
        BaselineError: The form of the file does not allow it.
    """
    lines = list(file.lines)
    for placed in reversed(file.placed):
        entry = keep.get(placed.entry.key)
        if entry is None:
            del lines[placed.first : placed.end]
        elif entry != placed.entry:
            lines[placed.first : placed.end] = _changed(
                lines[placed.first : placed.end], placed.entry, entry
            )
    own = next((one for one in file.placed if not one.entry.flaky), None)
    indent = _indent(_dash_line(file.lines, own)) if own else 2
    added = [" " * indent + line for entry in new for line in written(entry)]
    text = "".join(_added(lines, added))
    text = text if text.endswith("\n") else text + "\n"
    _verify(text, file, {**keep, **{entry.key: entry for entry in new}})
    return text


def written(entry: Entry) -> list[str]:
    """Write one entry, each line without the indent of the list."""
    lines = [f"- {'case' if entry.case else 'vector'}: {_scalar(entry.name)}\n"]
    lines.append(f"  clause: {_scalar(entry.clause)}\n")
    lines.append(f"  outcome: {entry.outcome}\n")
    if entry.vector:
        lines.append(f"  cases: {entry.cases}\n")
    lines.append(f"  reason: {_scalar(entry.reason or UNEXPLAINED)}\n")
    if entry.link:
        lines.append(f"  link: {_scalar(entry.link)}\n")
    return lines


def _dash_line(lines: tuple[str, ...], placed: Placed) -> str:
    return next(line for line in lines[placed.first : placed.end] if line.lstrip().startswith("-"))


def _verify(text: str, file: File, wanted: dict[Key, Entry]) -> None:
    """Read what was written; nothing is written that does not say what it should."""
    name = file.baseline.path
    clauses = {entry.clause for entry in wanted.values()}
    try:
        again = read_file(text.encode(), name, clauses).baseline
    except ToolassayError:
        again = Baseline()
    if {entry.key: entry for entry in again.entries} != wanted:
        raise BaselineError(
            "cannot be rewritten line by line",
            where=name,
            hint="put each key of each entry on a line of its own",
        )


def _changed(lines: list[str], old: Entry, new: Entry) -> list[str]:
    """Change the numbers and words of one entry where they stand."""
    wanted = (("outcome", old.outcome, new.outcome), ("cases", str(old.cases), str(new.cases)))
    text = "".join(lines)
    for key, before, after in wanted:
        if before != after:
            text = re.sub(
                rf"(\b{key}:\s*['\"]?){re.escape(before)}\b", rf"\g<1>{after}", text, count=1
            )
    return text.splitlines(keepends=True)


def _added(lines: list[str], new: list[str]) -> list[str]:
    """Put new entries at the end of `known`, which is made where it is missing."""
    if not new:
        return _without_empty(lines)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    start = next((i for i, line in enumerate(lines) if line.startswith("known:")), None)
    if start is None:
        return [*lines, "known:\n", *new]
    lines[start] = _opened(lines[start])
    end = start + 1
    last = end
    while end < len(lines) and (lines[end][:1] in {" ", "-", "#"} or not lines[end].strip()):
        end += 1
        if lines[end - 1].strip() and not lines[end - 1].startswith("#"):
            last = end
    return [*lines[:last], *new, *lines[last:]]


def _opened(line: str) -> str:
    """Turn `known: []` into `known:`, its comment kept."""
    head, _, comment = line.rstrip("\n").partition("#")
    return "known:" + (f"  # {comment.strip()}" if comment else "") + "\n" if "[" in head else line


def _without_empty(lines: list[str]) -> list[str]:
    """Write `known: []` where no entry is left."""
    for index, line in enumerate(lines):
        if line.startswith("known:") and line.partition("#")[0].strip() == "known:":
            follow = next((item for item in lines[index + 1 :] if _is_content(item)), "")
            if not follow.lstrip().startswith("-") or follow[:1] not in {" ", "-"}:
                lines[index] = line.replace("known:", "known: []", 1)
    return lines


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _scalar(text: str) -> str:
    """Write a text as YAML; quoted where a plain scalar would say something else."""
    plain = text and all(c.isalnum() or c in "-_./ @+=*?~()," for c in text)
    odd = text[:1] in "-?@*~=,(. " or text.endswith(" ") or text.lower() in _WORDS
    numeric = text.replace(".", "").replace("-", "").replace("+", "").replace("_", "").isdigit()
    if plain and not odd and not numeric and "\x7f" not in text and text.isascii():
        return text
    return msgspec.json.encode(text).decode()


_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "~", ""))
