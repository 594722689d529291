"""The strict reader of YAML: values, marks, and what it refuses."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolassay.spec import yaml_events
from toolassay.spec.errors import InputError
from toolassay.spec.input_errors import (
    TextError,
    TextTooLargeError,
    YamlAliasError,
    YamlDepthError,
)
from toolassay.spec.yaml_text import Document, Mark, load_yaml, unknown_key

BAD = Path(__file__).parent / "data/yaml_bad"
EXPECTED = [json.loads(line) for line in (BAD / "expected.jsonl").read_text("utf-8").splitlines()]
PARSERS = [getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader]


@pytest.fixture(params=PARSERS, ids=["libyaml", "pure"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read by each of the two parsers."""
    monkeypatch.setattr(yaml_events, "_PARSER", request.param)


def load(text: str) -> Document:
    return load_yaml(text.encode(), "f.yaml")


def value(text: str) -> Any:  # noqa: ANN401 -- whatever the text says
    return load(text).value


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: str(case["file"]))
def test_bad_text_is_refused_at_its_place(case: dict[str, Any]) -> None:
    name = case["file"]

    with pytest.raises(TextError) as caught:
        load_yaml((BAD / name).read_bytes(), name)

    error = caught.value
    found = {"file": error.name, "code": error.code, "line": error.line, "column": error.column}
    assert case == {**found, "offset": error.offset}
    assert str(error).startswith(f"{name}:{error.line}:{error.column}: {error.message}; ")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: str(case["file"]))
def test_bad_text_breaks_the_same_rule_under_each_parser(case: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        load_yaml((BAD / case["file"]).read_bytes(), "f")

    assert case["code"] == caught.value.code


def test_every_bad_text_is_expected() -> None:
    assert {path.name for path in BAD.glob("*.yaml")} == {case["file"] for case in EXPECTED}


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((word, None) for word in ("~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, word) for word in ("yes", "no", "on", "off", "Yes", "NO", "y", "n", "nULL")),
        *((word, word) for word in ("12:30", "1:2:3", "2026-01-01", "2026-01-01T00:00:00Z")),
        *((word, word) for word in ("1_000", "0b11", "0o8", "0xg", "+0x1", "1e", "e1", ".")),
        *((word, word) for word in ("1.2.3", "nan", "inf", ".iNF", "+", "--1", "=", "<<x")),
        ("\u0661", "\u0661"),
        ("0", 0),
        ("-0", 0),
        ("+12", 12),
        ("0777", 777),
        ("08", 8),
        ("0o17", 15),
        ("0xFf", 255),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("+1.0E-2", 0.01),
        (".inf", math.inf),
        ("-.Inf", -math.inf),
        ("'1'", "1"),
        ('"true"', "true"),
        ('"\\u00e9\\n"', "é\n"),
        ('"\\0"', "\0"),
        ("|\n  true\n", "true\n"),
        ("<<", "<<"),
    ],
)  # fmt: skip
def test_scalars_are_those_of_the_core_schema_of_yaml_1_2(text: str, expected: object) -> None:
    found = value(f"- {text}\n")[0]

    assert expected == found
    assert type(expected) is type(found)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_nan_is_a_float(text: str) -> None:
    assert math.isnan(value(text))


@pytest.mark.usefixtures("parser")
def test_an_empty_value_is_null() -> None:
    assert value("a:\nb: [x, ]\nc: {d: }\n") == {"a": None, "b": ["x"], "c": {"d": None}}


def test_a_quoted_merge_key_is_a_text() -> None:
    assert value('"<<": 1') == {"<<": 1}


def test_an_explicit_empty_document_is_null() -> None:
    assert value("---\n...\n") is None


def test_a_byte_order_mark_at_the_start_is_dropped() -> None:
    assert load_yaml(b"\xef\xbb\xbfa: 1", "f").value == {"a": 1}


TEXT = """\
name: x
list:
  - one
  - {é: 1, deep: [a, b]}
"quoted": &q
  in: side
again: *q
"""


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("path", "value_at", "key_at"),
    [
        ((), (1, 1), (1, 1)),
        (("name",), (1, 7), (1, 1)),
        (("list",), (3, 3), (2, 1)),
        (("list", 0), (3, 5), (3, 5)),
        (("list", 1), (4, 5), (4, 5)),
        (("list", 1, "é"), (4, 9), (4, 6)),
        (("list", 1, "deep"), (4, 18), (4, 12)),
        (("list", 1, "deep", 1), (4, 22), (4, 22)),
        (("quoted", "in"), (6, 7), (6, 3)),
        (("again",), (7, 8), (7, 1)),
        (("again", "in"), (6, 7), (6, 3)),
        (("list", 1, "unknown", "more"), (4, 5), (4, 5)),
        (("list", 7), (3, 3), (3, 3)),
        (("list", -1), (3, 3), (3, 3)),
        (("name", "x"), (1, 7), (1, 7)),
        ((0,), (1, 1), (1, 1)),
    ],
)
def test_marks_count_lines_and_characters_from_one(
    path: tuple[str | int, ...], value_at: tuple[int, int], key_at: tuple[int, int]
) -> None:
    document = load(TEXT)

    assert Mark(*value_at) == document.mark(path)
    assert Mark(*key_at) == document.key_mark(path)


def test_an_alias_gives_a_value_of_its_own() -> None:
    found = value("a: &a {x: [1]}\nb: *a\nc: &s text\nd: *s\n")

    found["b"]["x"].append(2)

    assert found == {"a": {"x": [1]}, "b": {"x": [1, 2]}, "c": "text", "d": "text"}


def test_a_later_anchor_of_a_name_holds_for_later_aliases() -> None:
    assert value("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]


def test_aliases_up_to_the_bound_are_read() -> None:
    thousand = "a: &a [" + "x, " * 999 + "]\n"
    found = value(thousand + "b: [" + "*a, " * 100 + "]\n")

    assert len(found["b"]) == 100
    with pytest.raises(YamlAliasError):
        value(thousand + "b: [" + "*a, " * 101 + "]\n")


def test_nesting_up_to_the_bound_is_read() -> None:
    assert value("[" * 64 + "]" * 64)
    with pytest.raises(YamlDepthError):
        value("[" * 65 + "]" * 65)


def test_a_text_of_the_largest_size_is_read_and_no_larger() -> None:
    text = b"a: b\n#".ljust(8 * 1024 * 1024, b" ")

    assert load_yaml(text, "f").value == {"a": "b"}
    with pytest.raises(TextTooLargeError):
        load_yaml(text + b" ", "f")


def test_a_long_key_is_cut_in_the_message() -> None:
    key = "k" * 1000

    with pytest.raises(TextError) as caught:
        value(f"'{key}': 1\n'{key}': 2\n")

    assert len(str(caught.value)) < 250


def test_half_a_surrogate_pair_is_refused_by_each_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    for parser in PARSERS:
        monkeypatch.setattr(yaml_events, "_PARSER", parser)
        with pytest.raises(TextError):
            value('"\\ud800"')


def test_an_unknown_key_is_named_with_its_place_and_near_misses() -> None:
    document = load("é: 1\ncase:\n  expct: 2\n")

    error = unknown_key(document, ("case", "expct"), ["given", "expect", "when"])

    assert str(error) == "f.yaml:3:3: unknown key 'expct'; did you mean expect?"
    assert (error.key, error.near) == ("expct", ("expect",))
    assert "é: 1\ncase:\n  expct: 2\n".encode()[error.offset :].startswith(b"expct")


def test_an_unknown_key_without_near_misses_lists_what_is_known() -> None:
    error = unknown_key(load("zzz: 1"), ("zzz",), ["b", "a"])

    assert str(error) == "f.yaml:1:1: unknown key 'zzz'; known keys: a, b"


# JSON writes a character beyond the first plane as a pair of escapes, which YAML refuses.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0xFFFF), max_size=6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)


@given(VALUES)
def test_json_in_ascii_is_read_as_what_it_says(drawn: object) -> None:
    found = value(json.dumps(drawn))

    assert drawn == found
    assert type(drawn) is type(found)


def refusal(data: bytes) -> TextError | None:
    try:
        load_yaml(data, "f")
    except TextError as error:
        return error
    return None


HEAPS = st.text("ab:-[]{}&*!|>'\"%@#?, \n\t1~<", max_size=40).map(str.encode)


@given(st.binary(max_size=60) | HEAPS)
def test_any_bytes_are_read_or_refused_at_a_place_in_them(data: bytes) -> None:
    error = refusal(data)

    if error is not None:
        assert 0 <= error.offset <= len(data)
        assert error.line >= 1
        assert error.column >= 1
