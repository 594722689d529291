"""
Whether two JSON texts hold the same value (ARG-05).

Start at `same_value`. Order of members does not count, numbers are compared as
exact decimals, strings after unescaping. Where readers of RFC 8259 may differ
about a text (duplicate keys, half a surrogate pair, a number that no double
holds) the answer is *undecided*, never *different*.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolassay.spec.json_scalars import decimal, end_of_string, number_is_kept, unescape
from toolassay.spec.json_text import JsonScan, scan

__all__ = ["same_value"]

_Value = Any
"""A dict by unescaped key, a list, bytes (a string), a tuple of one token (a number), a literal."""


def same_value(a: bytes, b: bytes) -> bool | None:
    """
    Compare the values of two JSON texts.

    Returns:
        Whether they are the same; None where that is not decided, because a
        text is not valid or because readers may differ about it.
    """
    scan_a = scan(a)
    if a == b:
        return True if scan_a.valid else None
    if not (_is_plain(scan_a) and _is_plain(scan(b))):
        return None
    return _compare_values(_parse(a), _parse(b))


def _is_plain(found: JsonScan) -> bool:
    """Say whether all readers agree about the text, its numbers aside."""
    notes = (found.invalid_utf8, found.lone_surrogate, found.duplicate_key)
    return found.valid and notes == (None, None, None)


# --- reading a text that is known to be valid -------------------------------------------------

_TOKEN = re.compile(rb"[ \t\n\r,:]*([\[\]{}\"]|-?[0-9][0-9.eE+-]*|true|false|null)")
_LITERALS: Final = {b"true": True, b"false": False, b"null": None}


def _parse(data: bytes) -> _Value:
    root: list[_Value] = []
    stack: list[list[_Value] | dict[bytes, _Value]] = [root]
    keys: list[bytes | None] = [None]
    at = 0
    while token := _TOKEN.match(data, at):
        at = token.end()
        text = token[1]
        if text in b"]}":
            stack.pop()
            keys.pop()
            continue
        if text == b'"':
            start, at = at, end_of_string(data, at) + 1
            value: _Value = unescape(data[start : at - 1])
        else:
            value = _value_of(text)
        top = stack[-1]
        if isinstance(top, list):
            top.append(value)
        elif keys[-1] is None:
            keys[-1] = value
            continue
        else:
            top[keys[-1]] = value
            keys[-1] = None
        if isinstance(value, (list, dict)):
            stack.append(value)
            keys.append(None)
    return root[0]


def _value_of(token: bytes) -> _Value:
    if token == b"[":
        return []
    if token == b"{":
        return {}
    return _LITERALS.get(token, (token,))


# --- comparing --------------------------------------------------------------------------------


def _compare_values(a: _Value, b: _Value) -> bool | None:
    """Compare without recursion; a definite difference outweighs what is undecided."""
    undecided = False
    todo: list[tuple[_Value, _Value]] = [(a, b)]
    while todo:
        left, right = todo.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, list):
            if len(left) != len(right):
                return False
            todo.extend(zip(left, right, strict=True))
        elif isinstance(left, dict):
            if left.keys() != right.keys():
                return False
            todo.extend((value, right[key]) for key, value in left.items())
        elif left != right:
            same = _same_number(left[0], right[0]) if isinstance(left, tuple) else False
            if same is False:
                return False
            undecided = undecided or same is None
    return None if undecided else True


def _same_number(a: bytes, b: bytes) -> bool | None:
    """Compare two numbers as decimals; undecided where a reader of doubles changes one."""
    decimal_a, decimal_b = decimal(a), decimal(b)
    if decimal_a is not None and decimal_a == decimal_b:
        return True
    return False if number_is_kept(a) and number_is_kept(b) else None
