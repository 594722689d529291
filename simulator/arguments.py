"""
The two views of a call's arguments (page 000).

The stored view is what the committed message holds; the executable view is
what execution is given. They differ only for a text that is not valid JSON.
"""

from __future__ import annotations

import re

from toolassay.spec.json_text import scan

EMPTY_OBJECT = b"{}"
"""What is stored in place of invalid JSON (ARG-01)."""

_PLAIN = re.compile(rb'\{(?:"[a-z]{1,16}":(?:"[ !#-\[\]-~]{0,64}"|[1-9][0-9]{0,8}))?\}')
"""Small objects that are plainly valid, so that the common case needs no scan."""


class Arguments:
    """The rules for raw argument texts; a mutant overrides one of them."""

    def __init__(self) -> None:
        self.faults = 0

    def is_valid(self, raw: bytes) -> bool:
        """
        Tell whether a text is JSON by RFC 8259 (ARG-09).

        What the clause leaves open is settled strictly here: empty text, a byte
        order mark and invalid UTF-8 are malformed; escapes of lone surrogates
        and deep nesting are not.
        """
        if _PLAIN.fullmatch(raw):
            return True
        result = scan(raw)
        return result.valid and result.invalid_utf8 is None

    def is_object(self, raw: bytes) -> bool:
        """Tell whether a valid text holds an object (ARG-11)."""
        return raw.lstrip(b" \t\r\n")[:1] == b"{"

    def stored(self, raw: bytes) -> bytes:
        """Give the stored view: the same text, or `{}` if it is not JSON (ARG-01, ARG-05)."""
        return raw if self.is_valid(raw) else EMPTY_OBJECT

    def executable(self, raw: bytes) -> bytes:
        """Give the executable view: the raw text, byte for byte, in every case (ARG-02)."""
        return raw
