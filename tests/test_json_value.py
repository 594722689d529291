"""Whether two JSON texts hold the same value, against the standard library's exact decimals."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolassay.spec.json_value import same_value


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (b"1", b"1.0"),
        (b"1e2", b"100"),
        (b"1E+2", b"100.000"),
        (b"-0", b"0"),
        (b"-0.0e5", b"0"),
        (b"0.10", b"1e-1"),
        (b'{"a":1,"b":2}', b' {"b" : 2, "a" : 1}\n'),
        (b'"\\u00e9"', '"é"'.encode()),
        (b'"\\ud83d\\ude00"', '"😀"'.encode()),
        (b'"\\/"', b'"/"'),
        (b'{"\\u0061":[]}', b'{"a":[ ]}'),
        (b"9007199254740993", b"9007199254740993.0"),
        (b"1e999", b"10e998"),
        (b"1e99999999999999999999", b"1e99999999999999999999"),
        (b"0e99999999999999999999", b"0"),
    ],
)
def test_texts_of_one_value_are_the_same(a: bytes, b: bytes) -> None:
    assert same_value(a, b) is True
    assert same_value(b, a) is True


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (b"1", b"2"),
        (b"1", b"-1"),
        (b"1", b'"1"'),
        (b"1", b"true"),
        (b"true", b"false"),
        (b"null", b"{}"),
        (b"[]", b"{}"),
        (b"[1,2]", b"[2,1]"),
        (b"[1,2]", b"[1]"),
        (b"[1]", b"[1,null]"),
        (b'{"a":1}', b"{}"),
        (b"{}", b'{"a":null}'),
        (b'{"a":null}', b'{"b":null}'),
        (b'{"x":{"y":[0,{"z":1}]}}', b'{"x":{"y":[0,{"z":2}]}}'),
        (b'{"a/b":{"c~d":1}}', b'{"a/b":{"c~d":2}}'),
        (b'"a"', b'"A"'),
        (b'"\\u0000"', b'""'),
        (b'{"path":"a"}', b"{}"),
        ('"é"'.encode(), '"e\u0301"'.encode()),
        (b"[1e999,1]", b"[1e998,2]"),
    ],
)  # fmt: skip
def test_texts_of_two_values_differ(a: bytes, b: bytes) -> None:
    assert same_value(a, b) is False
    assert same_value(b, a) is False


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (b'{"a":1,"a":2}', b'{"a":2}'),
        (b'"\\ud800"', b'"\\ud801"'),
        (b"1e999", b"1e998"),
        (b"9007199254740993", b"9007199254740992"),
        (b"0.1000000000000000055511151231257827", b"0.1"),
        (b"1e-999", b"0"),
        (b"1e99999999999999999999", b"1e99999999999999999998"),
        (b'"\xff"', b'"\xfe"'),
        (b"{", b"{}"),
        (b"{", b"{"),
        (b"", b""),
        (b"NaN", b"NaN"),
        (b"\xef\xbb\xbf1", b"1"),
    ],
)
def test_where_readers_may_differ_nothing_is_decided(a: bytes, b: bytes) -> None:
    assert same_value(a, b) is None
    assert same_value(b, a) is None


def test_a_valid_text_has_the_same_value_as_itself_whatever_it_holds() -> None:
    text = b'{"a":1e999,"a":"\\ud800"}'

    assert same_value(text, text) is True


def test_depth_and_exponents_cost_no_more_than_their_text() -> None:
    deep = b"[" * 50_000 + b"%s" + b"]" * 50_000
    large = b"[" + b"1e999999999," * 20_000 + b"1]"

    assert same_value(deep % b"1", deep % b"1.0") is True
    assert same_value(deep % b"1", deep % b"2") is False
    assert same_value(large, large.replace(b"1e", b"10e").replace(b"999,", b"998,")) is True


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.text(st.sampled_from('ab\u00e9"\\'), max_size=2), inner, max_size=4
    ),
    max_leaves=12,
)  # fmt: skip


Value = Any


def exact(value: Value) -> Value:
    """Tag what Python holds equal and JSON does not: true and 1."""
    if isinstance(value, bool):
        return ("literal", value)
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    return value


def read(text: str) -> Value:
    return exact(json.loads(text, parse_int=Decimal, parse_float=Decimal))


@settings(max_examples=300)
@given(st.data())
def test_same_value_agrees_with_equality_of_exact_decimals(data: st.DataObject) -> None:
    first = data.draw(VALUES)
    second = data.draw(st.just(first) | VALUES)
    a = json.dumps(first)
    b = json.dumps(second, ensure_ascii=False, indent=1, sort_keys=True)

    same = same_value(a.encode(), b.encode())

    assert (read(a) == read(b)) is same


NUMERALS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,4})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?", fullmatch=True
)


@given(NUMERALS, NUMERALS)
def test_numbers_are_compared_as_exact_decimals(a: str, b: str) -> None:
    assert (Decimal(a) == Decimal(b)) is same_value(a.encode(), b.encode())


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_any_bytes_may_be_compared(a: bytes, b: bytes) -> None:
    assert same_value(a, b) is same_value(b, a)
