"""
Texts that may be no Unicode string.

Arguments of a tool call and results of a tool are kept as the text that was
sent, never as parsed values: a parser would hide duplicate keys, big numbers
and NaN. Bytes that are not valid UTF-8 travel as base64.
"""

import base64

import msgspec


class Base64(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bytes that are not valid UTF-8."""

    base64: str
    """The bytes in standard base64 with padding."""


Text = str | Base64
"""A text as it was sent: a string, or base64 where it is no valid string."""


def text_of(data: bytes) -> Text:
    """Wrap bytes: a string where they are valid UTF-8, base64 where not."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Base64(base64.b64encode(data).decode("ascii"))


def bytes_of(text: Text) -> bytes:
    """
    Give the bytes of a text.

    Raises:
        ValueError: The base64 is not well formed.
    """
    if isinstance(text, Base64):
        try:
            return base64.b64decode(text.base64, validate=True)
        except ValueError as error:
            raise ValueError(f"base64 is not well formed: {text.base64[:40]!r}") from error
    return text.encode("utf-8", "surrogatepass")


def check_texts(value: msgspec.Struct) -> None:
    """
    See that the bytes of all texts in a value can be known.

    Raises:
        ValueError: The base64 of one is not well formed.
    """
    parts: list[object] = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, Base64):
            bytes_of(part)
        elif isinstance(part, msgspec.Struct):
            parts += msgspec.structs.astuple(part)
        elif isinstance(part, tuple):
            parts += part


def shown(text: Text, limit: int = 120) -> str:
    """Render a text for people: cut at `limit` characters, every control escaped."""
    raw = text if isinstance(text, str) else f"base64:{text.base64}"
    head = raw[:limit].encode("unicode_escape", "backslashreplace").decode("ascii")
    return f"{head}... ({len(raw)} characters)" if len(raw) > limit else head
