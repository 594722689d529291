"""What generation finds comes out as a vector that the kit reads back."""

from pathlib import Path

import msgspec
import pytest

from toolassay.authoring.emit import found_vector
from toolassay.authoring.expand import expand
from toolassay.authoring.lint import lint
from toolassay.authoring.load import load_vectors
from toolassay.properties.generator import generate
from toolassay.spec.scenario import Reply, Scenario, ScriptedCall, ToolScript


@pytest.mark.parametrize("index", range(60))
def test_an_emitted_vector_lints_and_expands_to_the_same_case(index: int, tmp_path: Path) -> None:
    case = generate(11, index)
    file = tmp_path / "found.yaml"
    clause = case.expect[0].clause if case.expect else "MSG-05"
    if case.operation == "arguments/sanitize":
        clause = "ARG-01"
    file.write_text(found_vector(case, clause, f"seed 11 index {index}"), encoding="utf-8")

    loaded = load_vectors([file])
    (again,) = expand(loaded.vectors[0])

    assert lint([file]) == ()
    assert (again.scenario, again.arguments, again.event) == (
        case.scenario,
        case.arguments,
        case.event,
    )


def test_texts_that_look_like_axes_or_other_types_survive(tmp_path: Path) -> None:
    texts = ["$axis", "$$x", "null", "yes", "0o17", "1e3", "~", "- a", "a: b", "\x7f\u2028", ""]
    calls = tuple(ScriptedCall(f"c{n}", "echo", text) for n, text in enumerate(texts))
    base = generate(11, 0)
    case = msgspec.structs.replace(
        base, scenario=Scenario((Reply(calls=calls),), (ToolScript("echo"),))
    )
    file = tmp_path / "found.yaml"
    file.write_text(found_vector(case, "MSG-05", "hand"), encoding="utf-8")

    (again,) = expand(load_vectors([file]).vectors[0])

    assert again.scenario == case.scenario
