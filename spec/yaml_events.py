"""
The one pass that turns the parser's events of a YAML text into values and marks.

Start at `Reader.read`. The grammar is PyYAML's; what is above the grammar is
decided here: YAML 1.2 core scalars, no tags, no directives, no merge keys,
texts as keys, each key once, one document, bounded aliases, bounded nesting.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NoReturn, Protocol

import msgspec
import yaml

from toolassay.spec import input_errors as errors

__all__ = ["MAX_ALIASED_NODES", "MAX_DEPTH", "Node", "Place", "Reader", "Value"]

Value = Any
"""A dict with text keys, a list, a str, an int, a float, a bool or None."""

Children = Any
"""The nodes within a value: a dict or a list of nodes as the value is, None for a scalar."""

MAX_DEPTH: Final = 64
"""The deepest nesting of lists and mappings, aliases expanded."""

MAX_ALIASED_NODES: Final = 100_000
"""How many values all aliases of a document may add together."""


class Place(Protocol):
    """What both parsers say about a place in the text."""

    line: int
    """The line, from 0."""

    column: int
    """The column in characters, from 0."""

    index: int
    """The characters before it."""


class Node(msgspec.Struct, gc=False):
    """Where one value stands; the children follow the shape of the value."""

    mark: Place
    """Where the value begins."""

    key_mark: Place | None
    """Where the key of this value begins; None outside of mappings."""

    children: Children = None
    """The nodes within the value."""


# --- scalars --------------------------------------------------------------------------------

_WORDS: Final[dict[str, bool | None]] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS: Final = frozenset("0123456789+-.")
_INT = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)\Z")
_NAN: Final = frozenset((".nan", ".NaN", ".NAN"))
_MAX_DIGITS: Final = 400
_SHOWN: Final = 60


def _number(text: str) -> str | int | float:
    """Read a plain text as the core schema of YAML 1.2 reads numbers; OverflowError if too big."""
    for pattern, base in ((_INT, 10), (_OCTAL, 8), (_HEX, 16)):
        if pattern.match(text):
            if len(text) > _MAX_DIGITS:
                raise OverflowError
            return int(text, base) if base == 10 else int(text[2:], base)
    if _FLOAT.match(text):
        number = float(text)
        if number in {float("inf"), float("-inf")}:
            raise OverflowError
        return number
    infinite = _INFINITE.match(text)
    if infinite:
        return float(infinite[1] + "inf")
    return float("nan") if text in _NAN else text


# --- events to values -----------------------------------------------------------------------


class _Parser(Protocol):
    def get_event(self) -> Event: ...


Event = Any
"""An event of the parser; its attributes depend on its class."""

_PARSER: Final[Callable[[str], _Parser]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Frame:
    """A list or mapping that is still open."""

    __slots__ = ("anchor", "begin", "height", "key", "key_mark", "mapping", "node", "value")

    def __init__(self, value: Value, node: Node, anchor: str | None, begin: int) -> None:
        self.value = value
        self.node = node
        self.anchor = anchor
        self.begin = begin
        self.mapping = isinstance(value, dict)
        self.key: str | None = None
        self.key_mark: Place | None = None
        self.height = 1


class _Anchor(msgspec.Struct, frozen=True):
    """A value that aliases may repeat."""

    value: Value
    """The value; copied for each alias, so that a document is a tree."""

    children: Children
    """The marks within the value."""

    size: int
    """How many values it has, itself counted."""

    height: int
    """How deeply it is nested; 0 for a scalar."""


class Reader:
    """The one pass over the events of a text."""

    def __init__(self, name: str, text: str, shift: int) -> None:
        """
        Prepare to read.

        Args:
            name: What to call the file in errors.
            text: The text, its characters already judged.
            shift: How many bytes stood before the text in the file.
        """
        self.name = name
        self.text = text
        self.shift = shift
        self.stack: list[_Frame] = []
        self.anchors: dict[str, _Anchor | None] = {}
        self.nodes = 0
        self.aliased = 0
        self.root: tuple[Value, Node] | None = None

    def read(self) -> tuple[Value, Node]:
        """Read the whole text."""
        try:
            self._run(_PARSER(self.text))
        except yaml.MarkedYAMLError as fault:
            self._syntax(fault)
        except yaml.YAMLError as fault:
            place = {"name": self.name, "line": 1, "column": 1, "offset": 0}
            what = "the text is not well-formed YAML"
            raise errors.YamlSyntaxError(what, **place) from fault  # type: ignore[arg-type]
        if self.root is None:
            what = "the text holds no document"
            raise errors.YamlDocumentsError(what, name=self.name, line=1, column=1, offset=0)
        return self.root

    def _run(self, loader: _Parser) -> None:
        next_event = loader.get_event
        handlers = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open_mapping,
            yaml.SequenceStartEvent: self._open_sequence,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
            yaml.DocumentEndEvent: _nothing,
            yaml.StreamStartEvent: _nothing,
        }
        while True:
            event = next_event()
            kind = type(event)
            if kind is yaml.StreamEndEvent:
                return
            handlers[kind](event)

    def _document(self, event: Event) -> None:
        if self.root is not None:
            self._fail(errors.YamlDocumentsError, "a second document begins", event.start_mark)
        if event.version or event.tags:
            self._fail(errors.YamlDirectiveError, "the text has directives", event.start_mark)

    def _scalar(self, event: Event) -> None:
        if event.tag is not None:
            self._refuse_tag(event)
        mark = event.start_mark
        text = value = event.value
        if not event.style:
            if text in _WORDS:
                value = _WORDS[text]
            elif text[0] in _NUMBER_STARTS:
                value = self._plain_number(text, mark)
        elif event.style == '"' and not text.isascii():
            self._refuse_surrogates(text, mark)
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.mapping and frame.key is None:
            self._key(frame, value, event)
            return
        self.nodes += 1
        node = self._add(value, mark, None)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchor(value, node.children, 1, 0)

    def _key(self, frame: _Frame, key: Value, event: Event) -> None:
        mark = event.start_mark
        if type(key) is not str:
            self._fail(errors.YamlKeyError, f"the key {_shown(event.value)} is not a text", mark)
        if key == "<<" and not event.style:
            self._fail(errors.YamlMergeKeyError, "merge keys are not used", mark)
        if event.anchor is not None:
            self._fail(errors.YamlAliasError, "a key has an anchor", mark)
        if key in frame.value:
            first = frame.node.children[key].key_mark.line + 1
            what = f"the key {_shown(key)} stands here again, first in line {first}"
            self._fail(errors.YamlDuplicateKeyError, what, mark)
        frame.key = key
        frame.key_mark = mark

    def _open_mapping(self, event: Event) -> None:
        self._open(event, {}, {})

    def _open_sequence(self, event: Event) -> None:
        self._open(event, [], [])

    def _open(self, event: Event, value: Value, children: Children) -> None:
        if event.tag is not None:
            self._refuse_tag(event)
        mark = event.start_mark
        self._need_value_place(mark)
        self._need_depth(1, mark)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        frame = _Frame(value, self._add(value, mark, children), event.anchor, self.nodes)
        self.nodes += 1
        self.stack.append(frame)

    def _close(self, _event: Event) -> None:
        frame = self.stack.pop()
        if self.stack:
            parent = self.stack[-1]
            parent.height = max(parent.height, frame.height + 1)
        if frame.anchor is not None:
            size = self.nodes - frame.begin
            self.anchors[frame.anchor] = _Anchor(
                frame.value, frame.node.children, size, frame.height
            )

    def _alias(self, event: Event) -> None:
        mark = event.start_mark
        self._need_value_place(mark)
        anchor = self._anchor(event.anchor, mark)
        self.aliased += anchor.size
        if self.aliased > MAX_ALIASED_NODES:
            what = f"the aliases expand to more than {MAX_ALIASED_NODES} values"
            self._fail(errors.YamlAliasError, what, mark)
        self._need_depth(anchor.height, mark)
        self.nodes += anchor.size
        self._add(_copy(anchor.value), mark, anchor.children)
        if self.stack:
            self.stack[-1].height = max(self.stack[-1].height, anchor.height + 1)

    def _anchor(self, name: str, mark: Place) -> _Anchor:
        if name not in self.anchors:
            self._fail(
                errors.YamlAliasError,
                f"the alias {_shown('*' + name)} has no anchor before it",
                mark,
            )
        anchor = self.anchors[name]
        if anchor is None:
            self._fail(
                errors.YamlAliasError, f"the alias {_shown('*' + name)} contains itself", mark
            )
        return anchor

    def _add(self, value: Value, mark: Place, children: Children) -> Node:
        """Put a value and its node where the text has them."""
        if not self.stack:
            node = Node(mark, None, children)
            self.root = value, node
            return node
        frame = self.stack[-1]
        node = Node(mark, frame.key_mark, children)
        if frame.key is not None:
            frame.value[frame.key] = value
            frame.node.children[frame.key] = node
            frame.key = None
        else:
            frame.value.append(value)
            frame.node.children.append(node)
        return node

    # --- refusals ---

    def _plain_number(self, text: str, mark: Place) -> str | int | float:
        try:
            return _number(text)
        except OverflowError:
            self._fail(errors.YamlScalarError, "the number is too large to be kept", mark)

    def _need_value_place(self, mark: Place) -> None:
        """Refuse a list, a mapping or an alias where a key must stand."""
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.mapping and frame.key is None:
            self._fail(errors.YamlKeyError, "a key is not a text", mark)

    def _need_depth(self, height: int, mark: Place) -> None:
        if len(self.stack) + height > MAX_DEPTH:
            what = f"the document is nested more than {MAX_DEPTH} levels deep"
            self._fail(errors.YamlDepthError, what, mark)

    def _refuse_tag(self, event: Event) -> NoReturn:
        self._fail(
            errors.YamlTagError, f"the tag {_shown(event.tag)} is not used", event.start_mark
        )

    def _refuse_surrogates(self, text: str, mark: Place) -> None:
        try:
            text.encode()
        except UnicodeEncodeError:
            what = "an escape in the text is half of a surrogate pair"
            self._fail(errors.YamlScalarError, what, mark)

    def _fail(
        self, leaf: type[errors.TextError], what: str, mark: Place, hint: str = ""
    ) -> NoReturn:
        offset = len(self.text[: mark.index].encode()) + self.shift
        raise leaf(
            what,
            name=self.name,
            line=mark.line + 1,
            column=mark.column + 1,
            offset=offset,
            hint=hint,
        )

    def _syntax(self, fault: yaml.MarkedYAMLError) -> NoReturn:
        mark = fault.problem_mark or fault.context_mark
        assert mark is not None, "a marked error has a mark"
        problem = f"{fault.context or ''} {fault.problem or ''}"
        if self.text[mark.index : mark.index + 1] == "\t":
            what, hint = "a tab stands where only spaces may", "indent with spaces"
        else:
            what, hint = _explain(problem)
        self._fail(errors.YamlSyntaxError, what, mark, hint)


def _shown(text: str) -> str:
    """Quote a text for a message, cut where it is long."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def _nothing(_event: Event) -> None:
    """Stand for an event that says nothing."""


def _copy(value: Value) -> Value:
    """Copy a value whose depth is known to be bounded."""
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    if type(value) is list:
        return [_copy(item) for item in value]
    return value


_QUOTE: Final = "put quotes around a text that holds ': ', ' #' or begins with an indicator"
_INDENT: Final = "items of one block begin in the same column"
_CLOSE: Final = "look for a missing comma, bracket or brace"
_EXPLANATIONS: Final = (
    ("mapping values are not allowed", "a colon stands where no key may", _QUOTE),
    ("':'", "a key has no colon after it", _QUOTE),
    ("',' or", "a list or mapping in brackets is not closed or not separated", _CLOSE),
    ("unexpected end of stream", "a quoted text is not closed", "look for a missing quote"),
    ("unexpected document indicator", "a quoted text is not closed", "look for a missing quote"),
    ("escape", "an escape is not one of YAML's", "use single quotes where no escape is meant"),
    ("hexadecimal", "an escape is not one of YAML's", "use single quotes where no escape is meant"),
    ("cannot start any token", "a plain text cannot begin so", _QUOTE),
    ("sequence entries are not allowed", "a list item stands where none may", _INDENT),
    ("mapping keys are not allowed", "a key stands where none may", _INDENT),
    ("'-' indicator", "a line does not fit the list it stands in", _INDENT),
    ("block collection", "a line does not fit the list it stands in", _INDENT),
    ("block mapping", "a line does not fit the mapping it stands in", _INDENT),
    ("block scalar", "the head of a text block is malformed", "write | or > alone"),
    ("node content", "a value is missing", _QUOTE),
    ("directive", "a directive is malformed", "remove the line that begins with %"),
    ("document start", "something stands after the document", _INDENT),
    ("tag", "a tag is malformed", "put quotes around a text that begins with !"),
    ("alias", "an alias is malformed", "put quotes around a text that begins with *"),
    ("anchor", "an anchor is malformed", "put quotes around a text that begins with &"),
)


def _explain(problem: str) -> tuple[str, str]:
    """Say in our words what the parser found, so that both parsers read alike."""
    for part, what, hint in _EXPLANATIONS:
        if part in problem:
            return what, hint
    return f"the text is not well-formed YAML ({problem.strip()})", ""
