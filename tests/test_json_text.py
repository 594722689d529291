"""The scanner of JSON texts, on outside cases and against the standard library."""

import base64
import json
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolassay.spec.json_scalars import unescape
from toolassay.spec.json_text import JsonFault, judge_arguments, scan

CASES = [
    (path.stem, json.loads(line))
    for path in sorted((Path(__file__).parent / "data/json_texts").glob("*.jsonl"))
    for line in path.read_text("utf-8").splitlines()
]
SHALLOW_BYTES = 5_000
JUDGED = {"y": "valid", "n": "malformed"}
NOTES = {
    "number": "number_out_of_range",
    "surrogate": "lone_surrogate",
    "duplicate": "duplicate_key",
    "utf8": "invalid_utf8",
}


def bytes_of(case: dict[str, Any]) -> bytes:
    if "text" in case:
        return str(case["text"]).encode()
    if "base64" in case:
        return base64.b64decode(case["base64"])
    opening, times, middle, closing, *end = case["repeat"]
    return str(opening * times + middle + closing * times + "".join(end)).encode()


def each_case(*expect: str, shallow: bool = False) -> pytest.MarkDecorator:
    """Parametrize by the cases of these kinds; the standard library takes only shallow ones."""
    chosen = [
        pytest.param(case, id=f"{family}: {case['name']}")
        for family, case in CASES
        if case["expect"] in expect and not (shallow and len(bytes_of(case)) > SHALLOW_BYTES)
    ]
    return pytest.mark.parametrize("case", chosen)


def refuse(token: str) -> NoReturn:
    raise ValueError(token)


def standard_accepts(data: bytes) -> bool:
    """Say whether the standard library, made strict, reads the text as JSON."""
    try:
        json.loads(data.decode("utf-8"), parse_constant=refuse, parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


def test_the_table_is_as_large_as_the_suites_it_follows() -> None:
    assert len(CASES) >= 250


@each_case("y", "n", "i")
def test_case_is_judged_as_the_table_says(case: dict[str, Any]) -> None:
    verdict = judge_arguments(bytes_of(case))

    assert JUDGED.get(case["expect"], case.get("judged")) == verdict.kind
    assert tuple(case.get("why", ())) == verdict.why


@each_case("y", "n", "i")
def test_case_has_its_fault_at_the_byte_worked_out_by_hand(case: dict[str, Any]) -> None:
    found = scan(bytes_of(case))

    expected = JsonFault(case["offset"], case["reason"]) if "reason" in case else None
    assert expected == found.fault
    assert (expected is None) is found.valid


@each_case("y", "i")
def test_case_has_the_notes_of_the_table_and_no_other(case: dict[str, Any]) -> None:
    found = scan(bytes_of(case))

    expected = {name: case.get(short) for short, name in NOTES.items()}
    assert expected == {name: getattr(found, name) for name in expected}


@each_case("y", "n", "i", shallow=True)
def test_case_is_judged_as_the_standard_library_judges_it(case: dict[str, Any]) -> None:
    data = bytes_of(case)

    found = scan(data)

    assert standard_accepts(data) is (found.valid and found.invalid_utf8 is None)


@each_case("n", shallow=True)
def test_fault_is_the_first_byte_with_no_valid_continuation(case: dict[str, Any]) -> None:
    data, offset = bytes_of(case), case["offset"]

    before, through = scan(data[:offset]), scan(data[: offset + 1])

    goes_on = {JsonFault(offset, "unexpected-end"), JsonFault(offset, "empty")}
    assert before.valid or before.fault in goes_on
    assert through.fault is not None
    assert through.fault.offset == offset


@pytest.mark.parametrize(
    ("text", "top", "depth"),
    [
        (b' {"a": [1]}', "object", 2),
        (b"[[], [[]], []]", "array", 3),
        (b'"[[["', "string", 0),
        (b"-1", "number", 0),
        (b"null", "literal", 0),
        (b"", None, 0),
        (b"nope", "literal", 0),
        (b"?", None, 0),
        (b"[[[", "array", 3),
    ],
)
def test_scan_tells_the_outermost_value_and_the_depth(
    text: bytes, top: str | None, depth: int
) -> None:
    found = scan(text)

    assert (top, depth) == (found.top, found.depth)


@pytest.mark.parametrize(
    ("text", "is_object"),
    [
        (b"{}", True),
        (b"\xef\xbb\xbf{}", True),
        (b"[]", False),
        (b'"{}"', False),
        (b"{", False),
        (b"", False),
    ],
)
def test_verdict_tells_objects_from_other_values(text: bytes, is_object: bool) -> None:
    assert is_object is judge_arguments(text).is_object


def test_recorded_text_keeps_all_its_grounds() -> None:
    text = b'\xef\xbb\xbf{"\\ud800":"\xff","d":' + b"[" * 80 + b"]" * 80 + b"}"

    verdict = judge_arguments(text)

    assert verdict.why == ("byte-order-mark", "invalid-utf8", "lone-surrogate", "deep")
    assert verdict.fault is None


@pytest.mark.parametrize("tail", [b"", b",", b"]", b"x", b"\x00"])
def test_what_is_broken_besides_is_malformed(tail: bytes) -> None:
    text = b'\xef\xbb\xbf{"\\ud800":"\xff","d":' + b"[" * 80 + b"]" * 80 + tail

    verdict = judge_arguments(text)

    assert verdict.kind == "malformed"
    assert verdict.why == ()


def test_notes_stand_at_the_place_in_the_text_behind_a_byte_order_mark() -> None:
    found = scan(b'\xef\xbb\xbf["\\ud800"]')

    assert found.byte_order_mark
    assert found.lone_surrogate == 5


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 2_000_000,
        b'{"a":' * 200_000,
        b"[" + b"1," * 1_000_000 + b"1]",
        b'"' + b"\\n" * 1_000_000 + b'"',
        b'"' + b"a" * 4_000_000,
        b"[1" + b" " * 4_000_000,
        b"[" + b"9" * 4_000_000 + b"]",
        b"[1e" + b"9" * 1_000_000 + b"]",
        b"[" + b'"\\"",' * 200_000,
    ],
    ids=lambda text: f"{text[:6]!r}...",
)
def test_large_and_deep_texts_are_read_to_their_end(text: bytes) -> None:
    found = scan(text)

    assert found.fault in {None, JsonFault(len(text), "unexpected-end")}


@given(st.binary(max_size=80))
def test_scan_and_verdict_take_any_bytes(data: bytes) -> None:
    fault = scan(data).fault

    assert fault is None or 0 <= fault.offset <= len(data)
    assert judge_arguments(data).kind in {"valid", "malformed", "recorded"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5)
    | st.dictionaries(st.text(max_size=4), inner, max_size=5),
    max_leaves=30,
)  # fmt: skip
WRITTEN = st.builds(
    lambda value, ascii_only, indent: json.dumps(
        value, ensure_ascii=ascii_only, indent=indent
    ).encode("utf-8", "surrogatepass"),
    VALUES,
    st.booleans(),
    st.sampled_from([None, 0, 2, "\t"]),
)


@given(WRITTEN)
def test_what_the_standard_library_writes_is_valid(data: bytes) -> None:
    found = scan(data)

    assert found.valid
    assert found.duplicate_key is None


EDITS = st.sampled_from(
    [bytes([byte]) for byte in b"[]{}\",:\\u0123dD8-+.eE tfn/*#\x00\n\x80\xef'NI"]
)


@settings(max_examples=400)
@given(WRITTEN, st.integers(0, 10_000), st.integers(0, 2), EDITS | st.binary(max_size=3))
def test_an_edited_text_is_judged_as_the_standard_library_judges_it(
    data: bytes, place: int, cut: int, edit: bytes
) -> None:
    at = place % (len(data) + 1)
    edited = data[:at] + edit + data[at + cut :]

    found = scan(edited)

    assert standard_accepts(edited) is (found.valid and found.invalid_utf8 is None)


@settings(max_examples=400)
@given(st.lists(st.sampled_from([
    b"[", b"]", b"{", b"}", b",", b":", b'"a"', b'"\\u00e9"', b'"', b"1", b"-", b"0", b".", b"e",
    b"E+", b"true", b"nul", b"l", b" ", b"\n", b"\\", b"NaN", b'"b":', b'{"a":1',
    b"12345678901234567",
]), max_size=14))  # fmt: skip
def test_a_heap_of_tokens_is_judged_as_the_standard_library_judges_it(parts: list[bytes]) -> None:
    data = b"".join(parts)

    assert standard_accepts(data) is scan(data).valid


@settings(max_examples=300)
@given(WRITTEN, st.integers(0, 10_000), EDITS)
def test_every_text_before_a_fault_can_go_on(data: bytes, place: int, edit: bytes) -> None:
    at = place % (len(data) + 1)
    edited = data[:at] + edit + data[at:]
    fault = scan(edited).fault
    if fault is None or fault.reason in {"byte-order-mark", "empty"}:
        return

    before = scan(edited[: fault.offset])

    assert before.valid or (before.fault and before.fault.offset == fault.offset)


PIECES = st.sampled_from(
    [
        "\\ud83d",
        "\\ude00",
        "\\uD800",
        "\\uDFFF",
        "\\n",
        "\\\\",
        "\\/",
        "\\u0041",
        "a",
        "é",
        "u",
        "d800",
    ]
)


@given(st.lists(PIECES, max_size=8))
def test_escapes_are_undone_as_the_standard_library_undoes_them(pieces: list[str]) -> None:
    raw = "".join(pieces)
    expected = json.loads(f'"{raw}"')

    assert expected.encode("utf-8", "surrogatepass") == unescape(raw.encode())
    alone = any("\ud800" <= letter <= "\udfff" for letter in expected)
    assert alone is (scan(f'"{raw}"'.encode()).lone_surrogate is not None)


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "\\u0061", "b", "", "\\n"]), st.integers(0, 9)), max_size=5
    )
)
def test_a_duplicate_key_is_noted_exactly_where_an_object_has_one(
    members: list[tuple[str, int]],
) -> None:
    text = "{" + ",".join(f'"{key}":{value}' for key, value in members) + "}"
    distinct = len(json.loads(text))

    assert (distinct < len(members)) is (scan(text.encode()).duplicate_key is not None)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53))
def test_a_number_that_a_double_holds_is_in_range(number: float) -> None:
    assert scan(repr(number).encode()).number_out_of_range is None


@given(st.integers(min_value=2**53 + 1))
def test_an_integer_beyond_2_to_the_53_is_out_of_range(number: int) -> None:
    assert scan(str(number).encode()).number_out_of_range == 0
    assert scan(f"[-{number}]".encode()).number_out_of_range == 1
