"""
Raw argument texts: JSON, near-JSON and bytes.

A text is a valid one with at most one fault. The faults are those that models
and gateways are known to make: cut ends, trailing data, trailing commas,
single quotes, comments, NaN, raw control characters, doubled objects.
"""

from __future__ import annotations

from collections.abc import Callable

from toolassay.properties.choices import Choose, chance, pick

_KEYS = ("a", "b", "path", "n\u00e9", "x y", "", "10", "9", "a.b", "$ref", "toString", "self")
_LEAVES = (
    "1", '""', "true", "null", '"text"', "-2.5e3", '"\\u00e9\\n"', '"\u00e9\U0001f600"',
    "12345678901234567890", '"{}"', '"\\ud83d\\ude00"',
)  # fmt: skip
_NO_OBJECTS = ("null", "[]", "[1]", '"s"', "42", "true", "-0.0", '"{\\"a\\":1}"')
_GARBAGE = ("garbage", "{a:1}", "{1,3}", "undefined", "}", "{'path': 'x'}", "<tool>", "{")

DEPTH_MAX = 3
"""Deepest nesting of a generated value; deep texts are a fault of their own."""


def json_value(choose: Choose, depth: int = 0) -> str:
    """Give the text of any JSON value."""
    if depth < DEPTH_MAX and chance(choose, 5):
        if choose(2):
            return json_object(choose, depth + 1)
        return "[" + ",".join(json_value(choose, depth + 1) for _ in range(choose(3))) + "]"
    return pick(choose, _LEAVES)


def json_object(choose: Choose, depth: int = 0) -> str:
    """Give the text of an object; the simplest is `{}`."""
    count = choose(4)
    keys = [_KEYS[(choose(len(_KEYS)) + place) % len(_KEYS)] for place in range(count)]
    gap = pick(choose, ("", "", " ", "\n"))
    members = [f'"{key}":{gap}{json_value(choose, depth)}' for key in dict.fromkeys(keys)]
    return "{" + f",{gap}".join(members) + "}"


def _cut(choose: Choose, text: str) -> str:
    return text[: 1 + choose(max(1, len(text) - 1))]


def _trailing(choose: Choose, text: str) -> str:
    return text + pick(choose, ("}", "{}", text, "x", ",", "\n{}", " null"))


def _comma(choose: Choose, text: str) -> str:
    return f'{{"a":[1,],"b":{text}}}' if choose(2) else text[:-1] + ",}"


def _nonfinite(choose: Choose, text: str) -> str:
    return f'{{"a":{pick(choose, ("NaN", "Infinity", "-Infinity"))},"b":{text}}}'


def _quotes(_choose: Choose, text: str) -> str:
    return "{'a':1,\"b\":" + text + "}"


def _comment(choose: Choose, text: str) -> str:
    return pick(choose, ("// x\n", "/* x */", "# x\n")) + text


def _control(choose: Choose, text: str) -> str:
    return '{"a":"' + pick(choose, ("\n", "\t", "\x00", "\x1f")) + f'","b":{text}}}'


def _escape(choose: Choose, text: str) -> str:
    return '{"a":"' + pick(choose, ("\\x", "\\u12", "\\'", "\\")) + f'","b":{text}}}'


def _fenced(_choose: Choose, text: str) -> str:
    return f"```json\n{text}\n```"


def _garbage(choose: Choose, _text: str) -> str:
    return pick(choose, _GARBAGE)


MALFORMED: tuple[Callable[[Choose, str], str], ...] = (
    _cut, _trailing, _comma, _nonfinite, _quotes, _comment, _control, _escape, _fenced, _garbage,
)  # fmt: skip
"""Faults that usually leave no JSON; the scanner has the last word."""


def _duplicate(choose: Choose, text: str) -> str:
    return f'{{"a":1,"a":{pick(choose, ("2", "1", text))}}}'


def _surrogate(choose: Choose, _text: str) -> str:
    return pick(choose, ('{"a":"\\ud800"}', '{"a":"\\udc00\\ud800"}'))


def _mark(_choose: Choose, text: str) -> str:
    return "\ufeff" + text


def _blank(choose: Choose, _text: str) -> str:
    return pick(choose, ("", " ", "\n"))


def _deep(choose: Choose, _text: str) -> str:
    depth = pick(choose, (70, 200, 1000))
    return '{"a":' + "[" * depth + "]" * depth + "}"


def _huge_number(choose: Choose, _text: str) -> str:
    return pick(choose, ('{"a":1e999}', '{"a":-1e400}', '{"a":' + "9" * 400 + "}"))


def _guarded(choose: Choose, text: str) -> str:
    """Give an object with a member whose name some parsers refuse; it is as valid as any."""
    member = pick(
        choose,
        (
            f'"__proto__":{text}',
            f'"constructor":{{"prototype":{text}}}',
            f'"constructor":{text}',
            f'"\\u005f_proto__":{text}',
        ),
    )
    return f'{{"a":[{{{member}}}]}}' if choose(2) else f'{{"b":1,{member}}}'


OPEN: tuple[Callable[[Choose, str], str], ...] = (
    _duplicate, _surrogate, _mark, _blank, _deep, _huge_number, _guarded,
)  # fmt: skip
"""Forms that the contract leaves open, or that are valid and refused by some."""


def raw_arguments(choose: Choose) -> bytes:
    """Give a raw argument text; the simplest is `{}`."""
    kind = choose(10)
    if kind < 4:
        return json_object(choose).encode()
    if kind < 7:
        return pick(choose, MALFORMED)(choose, json_object(choose)).encode()
    if kind == 7:
        return pick(choose, _NO_OBJECTS).encode()
    if kind == 8:
        return pick(choose, OPEN)(choose, json_object(choose)).encode()
    return _raw_bytes(choose)


def _raw_bytes(choose: Choose) -> bytes:
    """Give a text with a byte that UTF-8 does not know at that place."""
    text = json_object(choose).encode()
    place = choose(len(text) + 1)
    return text[:place] + pick(choose, (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00")) + text[place:]
