"""From a vector to its cases."""

import re
from pathlib import Path

import msgspec
import pytest

from toolassay.authoring.expand import expand
from toolassay.authoring.load import load_vectors
from toolassay.authoring.model import Vector
from toolassay.spec.case import Case
from toolassay.spec.errors import VectorError
from toolassay.spec.text import Base64

GOOD = Path(__file__).parent / "data" / "vectors_good"
HEAD = """
- id: ord.some-vector
  title: Some fact
  contract: events
  kind: positive
"""
TURN = """
  given:
    tools: [{name: read}]
    model: [{calls: [{id: c1, name: read, arguments: $text}]}]
  expect:
    - {clause: ORD-06, executions: {count: 1}}
"""


def vectors_in(text: str, folder: Path) -> tuple[Vector, ...]:
    file = folder / "vectors.yaml"
    file.write_text(text)
    loaded = load_vectors([file])
    assert loaded.errors == ()
    return loaded.vectors


def cases_in(text: str, folder: Path) -> dict[str, Case]:
    """Return the cases of one vector by what its id adds to the slug."""
    (vector,) = vectors_in(text, folder)
    return {case.id.removeprefix(vector.id): case for case in expand(vector)}


def good_cases(slug: str) -> list[Case]:
    (vector,) = (vector for vector in load_vectors([GOOD]).vectors if vector.id == slug)
    return list(expand(vector))


def test_the_first_value_of_a_list_is_the_default_and_stands_in_no_id(tmp_path: Path) -> None:
    axes = "  axes: {text: [one, two], batch: [alone, both]}\n"

    assert list(cases_in(HEAD + axes + TURN, tmp_path)) == [
        "",
        "[batch=both]",
        "[text=two]",
        "[batch=both,text=two]",
    ]


def test_named_values_have_no_default_and_stand_in_every_id(tmp_path: Path) -> None:
    axes = "  axes: {text: {a: '1', b: '2'}}\n"

    assert list(cases_in(HEAD + axes + TURN, tmp_path)) == ["[text=a]", "[text=b]"]


def test_a_new_axis_renames_no_case(tmp_path: Path) -> None:
    before = cases_in(HEAD + "  axes: {text: [a, b]}\n" + TURN, tmp_path)
    after = cases_in(HEAD + "  axes: {text: [a, b], stream: [whole, chars]}\n" + TURN, tmp_path)

    assert before.items() <= after.items()


def test_a_vector_without_axes_is_one_case(tmp_path: Path) -> None:
    assert list(cases_in(HEAD + TURN.replace("$text", "x"), tmp_path)) == [""]


def test_a_placeholder_stands_for_any_value_at_any_depth(tmp_path: Path) -> None:
    axes = "  axes: {text: {a: {raw: {base64: /w==}, does: {raises: bad}}}}\n"
    given = TURN.replace("$text", "$text.raw").replace(
        "{name: read}", "{name: read, behaviour: $text.does}"
    )
    (case,) = cases_in(HEAD + axes + given, tmp_path).values()

    assert case.scenario is not None
    assert case.scenario.model[0].calls[0].arguments == Base64("/w==")
    assert case.scenario.tools[0].behaviour.raises == "bad"


def test_two_dollars_are_one_and_a_dollar_further_on_is_itself(tmp_path: Path) -> None:
    for written, meant in (("$$text", "$text"), ("a $text", "a $text"), ("$$", "$")):
        text = HEAD + TURN.replace("$text", f"'{written}'")
        (case,) = cases_in(text, tmp_path).values()

        assert case.scenario is not None
        assert case.scenario.model[0].calls[0].arguments == meant


def test_the_values_of_axes_are_literal(tmp_path: Path) -> None:
    (case,) = cases_in(HEAD + "  axes: {text: {a: $text}}\n" + TURN, tmp_path).values()

    assert case.scenario is not None
    assert case.scenario.model[0].calls[0].arguments == "$text"


def test_an_expectation_is_for_the_cases_that_only_names() -> None:
    wanted = {case.id: len(case.expect) for case in good_cases("ord.denied-call-never-runs")}

    assert wanted == {
        "ord.denied-call-never-runs": 3,
        "ord.denied-call-never-runs[subscriber=stalled]": 2,
        "ord.denied-call-never-runs[batch=first]": 3,
        "ord.denied-call-never-runs[batch=first,subscriber=stalled]": 3,
        "ord.denied-call-never-runs[batch=last]": 3,
        "ord.denied-call-never-runs[batch=last,subscriber=stalled]": 3,
        "ord.denied-call-never-runs[batch=both]": 4,
    }


def test_combinations_under_except_give_no_case() -> None:
    ids = [case.id for case in good_cases("ord.denied-call-never-runs")]

    assert "ord.denied-call-never-runs[batch=both,subscriber=stalled]" not in ids


def test_a_cut_that_changes_nothing_gives_no_case() -> None:
    ids = [case.id for case in good_cases("arg.malformed-text-is-answered")]

    assert [re.findall(r"stream=(\w+)", name) for name in ids if "trailing-comma" in name] == [
        [],
        ["chars"],
        ["halves"],
    ]


def test_the_cases_of_a_relation_share_the_id_without_its_axis() -> None:
    cases = good_cases("arg.malformed-text-is-answered")
    groups = {ref.group for case in cases for ref in case.relations}

    assert all(len(case.relations) == 1 for case in cases)
    assert groups == {
        f"arg.malformed-text-is-answered[text={name}]"
        for name in ("trailing-comma", "not-ascii", "bytes")
    }


def test_a_case_alone_in_its_group_is_in_no_relation(tmp_path: Path) -> None:
    axes = "  axes: {text: [a, b], stream: [whole, chars]}\n"
    rest = "  relate: [{clause: ARG-13, across: stream}]\n"
    left_out = "  except: [{text: b, stream: chars, reason: not needed}]\n"
    cases = cases_in(HEAD + axes + TURN + rest + left_out, tmp_path)

    assert {name: len(case.relations) for name, case in cases.items()} == {
        "": 1,
        "[stream=chars]": 1,
        "[text=b]": 0,
    }


def test_an_event_becomes_canonical_json_text() -> None:
    (empty, zero) = (case.event for case in good_cases("evt.missing-id-is-refused"))
    assert isinstance(empty, str)
    assert isinstance(zero, str)
    keys = re.findall(r'"(\w+)":', empty)

    assert keys == sorted(keys)
    assert '"tool_execution_id":"",' in empty
    assert '"tool_execution_id":"00000000-0000-0000-0000-000000000000",' in zero


def test_an_event_text_stays_as_it_is(tmp_path: Path) -> None:
    text = (
        HEAD + "  operation: event/validate\n"
        '  given: {event_text: \'{"b": 1,  "a": 1}\'}\n'
        "  expect: [{clause: ORD-06, outcome: {status: rejected}}]\n"
    )
    (case,) = cases_in(text, tmp_path).values()

    assert case.event == '{"b": 1,  "a": 1}'


def test_provenance_is_the_links() -> None:
    assert good_cases("arg.malformed-text-is-answered")[0].provenance == (
        "https://example.org/agents/issues/52",
    )


def test_expanding_a_broken_vector_raises_its_first_fault(tmp_path: Path) -> None:
    (vector,) = vectors_in(HEAD + TURN, tmp_path)

    with pytest.raises(VectorError, match=r"'\$text' names no axis"):
        expand(vector)


def test_a_case_is_the_same_after_a_pack() -> None:
    for slug in ("ord.denied-call-never-runs", "arg.malformed-text-is-answered"):
        for case in good_cases(slug):
            assert msgspec.json.decode(msgspec.json.encode(case), type=Case) == case


def test_the_worked_example_of_the_readme_gives_the_cases_that_it_says(
    repository: Path, tmp_path: Path
) -> None:
    text = (repository / "vectors" / "README.md").read_text()
    example = text.partition("```yaml\n")[2].partition("```")[0]
    said = text.partition("```text\n")[2].partition("```")[0]
    (vector,) = vectors_in(example, tmp_path)

    assert [case.id for case in expand(vector)] == said.split()
