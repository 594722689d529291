"""
The strict reader of YAML: values and where each of them stands.

Start at `load_yaml`. It judges size and characters and leaves the rest to
`toolassay.spec.yaml_events`, which builds a value and its marks together, so
that every later complaint can name a line and a column.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final

import msgspec

from toolassay.spec import input_errors as errors
from toolassay.spec.yaml_events import Children, Node, Place, Reader, Value

__all__ = ["Document", "Mark", "Path", "Value", "load_yaml", "unknown_key"]

Path = tuple[str | int, ...]
"""Keys and indices from the root of a document to a value in it."""

MAX_BYTES: Final = 8 * 1024 * 1024
"""The largest document that is read."""


class Mark(msgspec.Struct, frozen=True, order=True):
    """A place in a text, as people count."""

    line: int
    """The line, from 1."""

    column: int
    """The column in characters, from 1."""


class Document(msgspec.Struct, frozen=True):
    """A YAML document that was read."""

    name: str
    """The name of the file, as given."""

    value: Value
    """The value of the whole document."""

    data: bytes
    """The text it was read from."""

    node: Node
    """The marks of the whole document."""

    def mark(self, path: Path = ()) -> Mark:
        """Say where the value at `path` begins, or its nearest known ancestor."""
        return _mark(self._find(path)[0].mark)

    def key_mark(self, path: Path) -> Mark:
        """Say where the key of the value at `path` begins; as `mark` where there is no key."""
        node, known = self._find(path)
        return _mark(node.mark if node.key_mark is None or not known else node.key_mark)

    def _find(self, path: Path) -> tuple[Node, bool]:
        node = self.node
        for step in path:
            child = _child(node.children, step)
            if child is None:
                return node, False
            node = child
        return node, True


def load_yaml(data: bytes, name: str) -> Document:
    """
    Read a YAML text strictly.

    Args:
        data: The bytes of the file.
        name: What to call the file in errors.

    Returns:
        The value of the one document in it, with the place of everything.

    Raises:
        TextError: One of its leaves, for the first broken rule.
    """
    text = _checked_text(data, name)
    reader = Reader(name, text, _bom_length(data))
    value, node = reader.read()
    return Document(name, value, data, node)


def unknown_key(document: Document, path: Path, allowed: Iterable[str]) -> errors.UnknownKeyError:
    """
    Make the error for a key that the caller's format does not know.

    Args:
        document: The document that holds the key.
        path: The path of the key; its last part is the key itself.
        allowed: The keys that are known at this place.
    """
    known = sorted(allowed)
    key = str(path[-1]) if path else ""
    near = tuple(difflib.get_close_matches(key, known, n=3, cutoff=0.6))
    hint = f"did you mean {' or '.join(near)}?" if near else f"known keys: {', '.join(known)}"
    place = document.key_mark(path)
    error = errors.UnknownKeyError(
        f"unknown key {key!r}",
        name=document.name,
        line=place.line,
        column=place.column,
        offset=_offset_of_place(document.data, place),
        hint=hint,
    )
    error.key, error.near = key, near
    return error


def _child(children: Children, step: str | int) -> Node | None:
    found: Node | None = None
    if isinstance(children, dict):
        found = children.get(step) if isinstance(step, str) else None
    elif isinstance(children, list) and isinstance(step, int) and 0 <= step < len(children):
        found = children[step]
    return found


def _mark(place: Place) -> Mark:
    return Mark(place.line + 1, place.column + 1)


# --- characters -----------------------------------------------------------------------------

# NEL, LS and PS end a line in YAML 1.1, which the parser follows, and do not in 1.2; with
# U+FEFF in the middle of a text they are refused, so that nothing depends on the version.
_UNWANTED = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_BREAK = re.compile("\r\n|\n|\r")
_BOM: Final = b"\xef\xbb\xbf"


def _checked_text(data: bytes, name: str) -> str:
    """Decode the text; a byte order mark at its start is dropped."""
    if len(data) > MAX_BYTES:
        what = f"the text has more than {MAX_BYTES} bytes"
        raise errors.TextTooLargeError(what, name=name, line=1, column=1, offset=MAX_BYTES)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        what = f"the byte 0x{data[fault.start]:02x} is not UTF-8"
        before = data[: fault.start].decode("utf-8")
        line, column = _place_of_index(before.removeprefix("\ufeff"), len(before))
        raise errors.TextEncodingError(
            what, name=name, line=line, column=column, offset=fault.start
        ) from None
    text = text.removeprefix("\ufeff")
    bad = _UNWANTED.search(text)
    if bad:
        line, column = _place_of_index(text, bad.start())
        what = f"the character U+{ord(bad[0]):04X} stands in the text"
        offset = len(text[: bad.start()].encode()) + _bom_length(data)
        raise errors.TextCharacterError(what, name=name, line=line, column=column, offset=offset)
    return text


def _bom_length(data: bytes) -> int:
    return len(_BOM) if data.startswith(_BOM) else 0


def _place_of_index(text: str, index: int) -> tuple[int, int]:
    """Turn an index in characters into a line and a column."""
    line, start = 1, 0
    for found in _BREAK.finditer(text, 0, index):
        line, start = line + 1, found.end()
    return line, min(index, len(text)) - start + 1


def _offset_of_place(data: bytes, place: Mark) -> int:
    """Turn a line and a column into an offset in bytes."""
    text = data.decode("utf-8").removeprefix("\ufeff")
    start = 0
    for number, found in enumerate(_BREAK.finditer(text), start=2):
        if number > place.line:
            break
        start = found.end()
    return len(text[: start + place.column - 1].encode()) + _bom_length(data)
