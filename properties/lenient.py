"""
What becomes of a text that is no JSON where a parser takes it all the same.

A parser that knows NaN, comments or single quotes runs a malformed text, but it
does not change what was asked; a tool that closes a text that was cut does.
Where a callback sees values, the two are told apart by the words of the text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Final, Literal

from toolassay.spec.json_text import scan

Reading = Literal["itself", "leniently", "otherwise"]
"""The very text (or its value, but for NaN), its words by other rules, or something else."""

_BY_OTHER_RULES: Final = frozenset({
    "single-quote", "trailing-comma", "comment", "unquoted-key", "control-character",
    "bad-number", "bad-literal", "bad-escape",
})  # fmt: skip
_NONFINITE: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_PART: Final = re.compile(
    r"""/\*.*?\*/|//[^\n]*|\#[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\[\]{}]|[^\s\[\]{}:,"']+""",
    re.DOTALL,
)
_STRING: Final = "string "
"""Stands before a word that is a string: the string "NaN" is another value than the word."""
_LITERALS: Final = {
    **{word: word for word in ("true", "false", "null", "NaN", "Infinity", "-Infinity", "-NaN")},
    "True": "true", "False": "false", "None": "null", "undefined": "null",
}  # fmt: skip
_HEX: Final = re.compile(r"[+-]?0[xX][0-9A-Fa-f]+")
_OPENING: Final = {"]": "[", "}": "{"}

SIZE_MAX = 65_536
"""Longer texts are not read by words; they count as something else."""


def read_as(sent: bytes, run: bytes) -> Reading:
    """Say how a malformed text was taken, by what was run of it."""
    if sent == run:
        return "itself"
    fault = scan(sent).fault
    if fault is None or max(len(sent), len(run)) > SIZE_MAX:
        return "otherwise"
    if fault.reason != "nonfinite" and fault.reason not in _BY_OTHER_RULES:
        return "otherwise"
    wanted, found = _words(sent), _words(run)
    if wanted is None or found is None:
        return "otherwise"
    if fault.reason == "nonfinite" and _same(wanted, found):
        return "itself"
    return "leniently" if _same(wanted, found) else "otherwise"


def _same(wanted: Counter[str], found: Counter[str]) -> bool:
    """Compare words; what JSON cannot write may be written as null."""
    lack, extra = wanted - found, found - wanted
    odd = sum(count for word, count in lack.items() if word in _NONFINITE)
    return odd == lack.total() and extra.total() == odd == extra["null"]


def _words(text: bytes) -> Counter[str] | None:
    """Give the words of a text, whatever stands between; None if its brackets do not match."""
    found: Counter[str] = Counter()
    stack: list[str] = []
    for part in _PART.findall(text.decode("utf-8", "replace")):
        if part in "[{":
            stack.append(part)
        elif part in "]}":
            if not stack or stack.pop() != _OPENING[part]:
                return None
        elif not part.startswith(("/*", "//", "#")):
            found[_word(part)] += 1
    return None if stack else found


def _word(part: str) -> str:
    """Give a word without its quotes and escapes, a number as a double."""
    if part[0] in "\"'":
        return _STRING + _unescaped(part[1:-1])
    if part in _LITERALS:
        return _LITERALS[part]
    try:
        return repr(float(int(part, 16) if _HEX.fullmatch(part) else part))
    except (ValueError, OverflowError):
        return _STRING + part  # a reader that takes such a word takes it for a string


def _unescaped(inner: str) -> str:
    try:
        return str(json.loads(f'"{inner}"', strict=False))
    except ValueError:
        return inner


def holds_whole(run: bytes, sent: bytes) -> bool:
    """Tell whether a value holds a whole text as a string, at any depth."""
    text = sent.decode("utf-8", "replace").strip()
    if max(len(sent), len(run)) > SIZE_MAX * 2 or not text:
        return False
    try:
        left = [json.loads(run)]
    except (ValueError, RecursionError):
        return False
    while left:
        one = left.pop()
        if isinstance(one, str) and one.strip() == text:
            return True
        left.extend(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
    return False


def wraps(stored: bytes, sent: bytes) -> bool:
    """Tell whether a value holds a whole text as a string, or nothing: it was not read as JSON."""
    try:
        value = json.loads(stored)
    except (ValueError, RecursionError):
        return False
    text = sent.decode("utf-8", "replace").strip()
    values = list(value.values()) if isinstance(value, dict) else [value]
    return value is None or any(
        isinstance(one, str) and (not one or text in one) for one in values[:8]
    )
