"""Vectors that must not pass, and what is said of them."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from toolassay.authoring import errors
from toolassay.authoring.lint import lint
from toolassay.spec.errors import ToolassayError

DATA = Path(__file__).parent / "data"
BAD = sorted((DATA / "vectors_bad").glob("*.yaml"))
EXPECTED = re.compile(r"^# expect: (\S+) in line (\d+)$", re.MULTILINE)
NOT_IN_A_VECTOR = {"vector.file", "vector.reference"}
"""What no text of a vector can break, and what `fill` alone finds."""


def expected(path: Path) -> list[tuple[str, int]]:
    return [(code, int(line)) for code, line in EXPECTED.findall(path.read_text())]


def found(path: Path) -> list[tuple[str, int]]:
    return [(error.code, line_of(error)) for error in lint([path])]


def line_of(error: ToolassayError) -> int:
    return int(error.where.split(":")[-2])


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_vector_is_refused_at_its_line_for_its_one_fault(path: Path) -> None:
    assert found(path) == expected(path) != []


def test_every_rule_has_a_vector_that_breaks_it() -> None:
    leaves = {leaf.code for leaf in errors.AuthoringError.__subclasses__()}
    shown = {code for path in BAD for code, _ in expected(path)}

    assert leaves - shown == NOT_IN_A_VECTOR


def test_the_faults_of_all_files_are_found_together() -> None:
    together = lint([DATA / "vectors_bad"])
    apart = [error for path in BAD for error in lint([path])]

    assert said_apart_from_ids(together) == said_apart_from_ids(apart)
    assert [str(error) for error in together] == [
        str(error) for path in BAD for error in together if error.where.startswith(f"{path}:")
    ]


def said_apart_from_ids(found_errors: Sequence[ToolassayError]) -> set[str]:
    """Return what is said, but that ids stand in other files too."""
    return {str(error) for error in found_errors if error.code != "vector.duplicate"}


def test_good_vectors_have_no_fault() -> None:
    assert lint([DATA / "vectors_good"]) == ()


@pytest.mark.parametrize("name", ["vectors.yml", "absent/vectors.yaml"])
def test_a_file_that_is_not_read_is_named(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    if file.suffix == ".yml":
        file.write_text("[]")
    (error,) = lint([tmp_path if file.exists() else file])

    assert error.code == "vector.file"
    assert str(error).startswith(f"{file.as_posix()}:1:1: the ")


def test_a_file_named_twice_is_read_once() -> None:
    file = DATA / "vectors_good" / "events.yaml"

    assert lint([file, file.parent, file]) == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unknown-key", "unknown key 'expects' in the vector; did you mean expect or except?"),
        ("clause-unknown", "did you mean ORD-"),
        ("policy-of-unknown-tool", "did you mean write_file?"),
        ("expect-unknown-event", "did you mean ToolCallStarted"),
        ("axis-value-builtin", "did you mean chars?"),
        ("wrong-word", "'denied' is not allow or deny; did you mean deny?"),
        ("wrong-type", "`tools` is 'write_file', not a list"),
        ("wrong-type-number-for-text", "`id` is 1, not a text; put quotes around it"),
        ("wrong-type-base64", "`arguments` is a list, not a text or a mapping"),
        ("missing-key", "the vector has no `contract`"),
        ("id-twice", "stands at"),
    ],
)
def test_a_fault_says_what_to_do(name: str, words: str) -> None:
    (error,) = lint([DATA / "vectors_bad" / f"{name}.yaml"])

    assert words in str(error)


def test_a_fault_names_file_line_and_column() -> None:
    path = DATA / "vectors_bad" / "unknown-key.yaml"
    (error,) = lint([path])

    assert str(error).startswith(f"{path.as_posix()}:11:3: ")


def test_several_faults_of_one_vector_are_all_named(tmp_path: Path) -> None:
    file = tmp_path / "many.yaml"
    file.write_text(
        "- id: ord.many-faults\n"
        "  title: many faults.\n"
        "  contract: events\n"
        "  kind: positive\n"
        "  given:\n"
        "    policy: {none: deny}\n"
        "    model:\n"
        "      - calls: [{id: c1, name: a, arguments: $x}, {id: c2, name: a, arguments: $y}]\n"
        "  expect:\n"
        "    - {clause: ORD-99, executions: {count: 0}}\n"
    )

    assert [error.code for error in lint([file])] == [
        "vector.title",
        "vector.placeholder",
        "vector.placeholder",
        "vector.clause.name",
    ]


def test_the_place_of_a_fault_in_an_alias_is_where_the_value_stands(tmp_path: Path) -> None:
    given = "&given {model: [{cals: []}]}"
    first = (
        "- id: ord.first\n  title: First\n  contract: events\n  kind: positive\n"
        f"  given: {given}\n  expect: []\n"
    )
    second = first.replace("ord.first", "ord.second").replace(
        "&given {model: [{cals: []}]}", "*given"
    )
    file = tmp_path / "alias.yaml"
    file.write_text(first + second)

    assert [(error.code, line_of(error)) for error in lint([file])] == [("vector.key", 5)] * 2
