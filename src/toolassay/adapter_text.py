"""
Texts, messages and refusals as plain JSON data, for adapters.

Standard library only, Python 3.9 and newer: this module runs where the
implementation under test runs. Users import its names from
`toolassay.adapter`.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

ROLES = ("system", "user", "assistant", "tool")
"""Who speaks in a message."""

CALL_KEYS = {"id", "name", "arguments"}
"""What a call holds."""

FACETS = ("history", "requests", "executions", "deliveries", "journal", "ending")
"""What an observation of a play can have."""

STATUSES = ("complete", "aborted", "cut", "unsubscribed", "deadline")
"""Whether all that happened is in a facet, or why it is not."""

ENDINGS = ("done", "failed", "interrupted")
"""How a turn can end."""

SHOWN_MAX = 2000
"""Characters of an error that are kept."""


class Encoded(dict[str, str]):
    """A text that is no Unicode string, as base64: what `text_of` makes of bytes."""


class Parsed(NamedTuple):
    """Arguments that an implementation holds parsed: needed where they may be a string."""

    value: object
    """The parsed value."""


class Unsupported(Exception):  # noqa: N818 - it tells of a limit, and users raise it
    """The adapter, or the implementation, cannot be asked for this; a declared feature can."""


class Rejected(Exception):  # noqa: N818 - a refusal is an answer
    """
    The implementation refused its input, legitimately.

    Args:
        code: Canonical code of the refusal; empty if it has none.
        event: Type of the refused event.
        field: Field that was refused, in the contract's spelling.
        rule: Rule that the field broke.
        native: The implementation's own error.
    """

    def __init__(
        self,
        code: str = "",
        *,
        event: str = "",
        field: str = "",
        rule: str = "",
        native: object = "",
    ) -> None:
        super().__init__(code, event, field, rule, printable(native))
        self.parts = {
            "code": code,
            "event": event,
            "field": field,
            "rule": rule,
            "native": printable(native),
        }

    def as_data(self) -> dict[str, str]:
        """Give the parts that are set, as JSON data."""
        return {key: value for key, value in self.parts.items() if value}


def text_of(value: str | bytes) -> str | Encoded:
    """Make JSON-safe what may be no Unicode string: lone surrogates and bytes become base64."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return _encoded(value.encode("utf-8", "surrogatepass"))
        return value
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        return _encoded(bytes(value))


def raw_of(text: str | Mapping[str, str]) -> bytes:
    """Give the bytes of a text that came from the kit."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    return base64.b64decode(text["base64"], validate=True)


def string_of(data: bytes) -> str | None:
    """Give bytes as a string, lone surrogates included; None if they are no string at all."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def printable(value: object) -> str:
    """Give the words of an error as a bounded string that JSON can carry."""
    try:
        words = value if isinstance(value, str) else str(value)
    except Exception:  # noqa: BLE001 - the error of a stranger may not even print
        words = type(value).__name__
    return words[:SHOWN_MAX].encode("utf-8", "backslashreplace").decode()


def error_of(error: BaseException) -> str:
    """Give type and words of an exception as one bounded string."""
    return printable(f"{type(error).__name__}: {printable(error)}".removesuffix(": "))


def call(
    id: str | None,  # noqa: A002 - the wire's key
    name: str,
    arguments: object,
) -> dict[str, Any]:
    """
    Describe a tool call of an assistant message.

    Args:
        id: The id of the call, as the implementation holds it; none is an empty one.
        name: Name of the tool.
        arguments: A str or bytes where the implementation holds them as text;
            any other value where it holds them parsed, and `Parsed` around one
            that may itself be a string.
    """
    return {"id": id, "name": name, "arguments": arguments}


def message(
    role: str,
    text: str | bytes = "",
    *,
    calls: Iterable[Mapping[str, Any]] = (),
    tool_use_id: str | None = None,
    is_error: bool | None = None,
) -> dict[str, Any]:
    """
    Describe one message; a tool message answers exactly one call.

    Args:
        role: `system`, `user`, `assistant` or `tool`.
        text: Its text; several blocks are joined.
        calls: The calls of an assistant message, made by `call`.
        tool_use_id: On a tool message the id of the call that it answers.
        is_error: On a tool message its error flag; None where the form has none.
    """
    return {
        "role": role,
        "text": text,
        "calls": list(calls),
        "tool_use_id": tool_use_id,
        "is_error": is_error,
    }


class Normalised(NamedTuple):
    """Messages as JSON data, and how the arguments of their calls are held."""

    messages: list[dict[str, Any]]
    """The messages, with defaults left out."""
    held_as: frozenset[str]
    """How the arguments of calls are held: `text`, `value`, or both."""


def normalise(messages: Iterable[Mapping[str, Any]]) -> Normalised:
    """
    Turn messages of an adapter into the JSON data of an observation.

    Raises:
        ValueError: A message or a call was not made by `message` or `call`, or
            has an unknown role or a text that is none.
    """
    plain = []
    held_as: set[str] = set()
    for given in messages:
        unknown = set(given) - {"role", "text", "calls", "tool_use_id", "is_error"}
        if unknown or given.get("role") not in ROLES:
            what = f"unknown keys {sorted(unknown)}" if unknown else f"role {given.get('role')!r}"
            raise ValueError(f"a message of the adapter has {what}; make it with message()")
        one: dict[str, Any] = {"role": given["role"]}
        if given.get("text"):
            one["text"] = _text_of_message(given["text"])
        if given.get("calls"):
            pairs = [_call(item) for item in given["calls"]]
            one["calls"] = [item for item, _ in pairs]
            held_as.update("value" if is_value else "text" for _, is_value in pairs)
        if given.get("tool_use_id") is not None:
            one["tool_use_id"] = printable(given["tool_use_id"])
        if given.get("is_error") is not None:
            one["is_error"] = bool(given["is_error"])
        plain.append(one)
    return Normalised(plain, frozenset(held_as))


def one_word(held_as: Collection[str]) -> str:
    """
    Say in one word how a facet holds arguments.

    Where some are texts and some values, as where a library keeps the text of
    what it could not parse, nothing is demanded that a text cannot give.
    """
    return "value" if set(held_as) == {"value"} else "text"


def held_text(arguments: object) -> tuple[str | Encoded, bool]:
    """Give arguments as JSON text, and whether they were held as a value."""
    if isinstance(arguments, (str, bytes, Encoded)):
        return _text(arguments), False
    if isinstance(arguments, Parsed):
        arguments = arguments.value
    try:
        text = json.dumps(arguments, ensure_ascii=False, default=repr, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        # Thrown inside a callback, it would look like a failure of the implementation.
        return json.dumps(f"({type(arguments).__name__}, which JSON cannot write)"), True
    try:
        text.encode()
    except UnicodeEncodeError:  # the escapes say the same, and are a string
        text = json.dumps(arguments, default=repr, separators=(",", ":"))
    return text, True


def check_facets(omitted: Mapping[str, str], status: Mapping[str, object]) -> None:
    """
    Refuse what would be lost without a word.

    Raises:
        ValueError: A name is no facet's, or a status is not a pair of a word and why.
    """
    for facet in [*omitted, *status]:
        if facet not in FACETS:
            raise ValueError(f"there is no facet {facet!r}; there are {', '.join(FACETS)}")
    for facet, given in status.items():
        if not isinstance(given, (tuple, list)) or len(given) != len(("word", "why")):
            raise ValueError(f"the status of {facet} is {given!r}; it is a pair: a word, and why")
        if given[0] not in STATUSES:
            words = ", ".join(STATUSES)
            raise ValueError(f"the status of {facet} is {given[0]!r}; the words are {words}")


def encoding_of(
    encode: Callable[[], str | bytes], returns_same: Callable[[str | bytes], bool] | None = None
) -> dict[str, Any]:
    """
    Try the implementation's own codec on its history.

    Args:
        encode: Encodes the history.
        returns_same: Decodes it and says whether the same messages came back.
            Encoding them again and comparing the texts is safer than `==`, for
            which NaN is not the same as itself.

    Returns:
        The `encoding` of the history facet.
    """
    try:
        data = encode()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the observation
        return {"ok": False, "error": error_of(error)}
    result: dict[str, Any] = {"ok": True, "text": text_of(data)}
    if returns_same is not None:
        try:
            result["round_trips"] = bool(returns_same(data))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the observation
            result.update(round_trips=False, error=error_of(error))
    return result


def _call(given: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    if not isinstance(given, dict) or given.keys() != CALL_KEYS:
        raise ValueError(f"a call of the adapter is {given!r:.200}; make it with call()")
    arguments, is_value = held_text(given["arguments"])
    plain = {
        "id": "" if given["id"] is None else printable(given["id"]),
        "name": printable(given["name"]),
        "arguments": arguments,
    }
    return plain, is_value


def _text_of_message(value: object) -> str | Encoded:
    if not isinstance(value, (str, bytes, Encoded)):
        kind = type(value).__name__
        raise ValueError(f"the text of a message is a {kind}; it is a str, several blocks joined")  # noqa: TRY004 - one kind of error for all of a message
    return _text(value)


def _text(value: str | bytes | Encoded) -> str | Encoded:
    return value if isinstance(value, Encoded) else text_of(value)


def _encoded(data: bytes) -> Encoded:
    return Encoded(base64=base64.b64encode(data).decode("ascii"))


def history_of(
    history: Iterable[Mapping[str, Any]], encoding: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Give the facet of the committed messages."""
    plain = normalise(history)
    facet: dict[str, Any] = {"messages": plain.messages, "arguments": one_word(plain.held_as)}
    if encoding is not None:
        facet["encoding"] = dict(encoding)
    return facet
