"""The schema of vectors and the models that they are turned into say the same."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from toolassay.authoring.axes import BUILTIN_AXES
from toolassay.authoring.features import FEATURES
from toolassay.authoring.schema import SCHEMA_FILE
from toolassay.simulator import reference
from toolassay.spec import case, scenario

SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text())
BESIDE = {"expectation": {"only"}, "given": {"event", "event_text", "arguments"}}
"""Keys that only authors write."""
MODELS = [
    ("behaviour", scenario.Behaviour),
    ("tool", scenario.ToolScript),
    ("call", scenario.ScriptedCall),
    ("reply", scenario.Reply),
    ("subscriber", scenario.Subscriber),
    ("given", scenario.Scenario),
    ("call_match", case.CallMatch),
    ("expect_executions", case.ExpectExecutions),
    ("result_match", case.ResultMatch),
    ("held_call", case.HeldCall),
    ("expect_messages", case.ExpectMessages),
    ("expect_events", case.ExpectEvents),
    ("expect_ending", case.ExpectEnding),
    ("expect_outcome", case.ExpectOutcome),
    ("expectation", case.Expectation),
    ("relation", case.Relation),
]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("name", "model"), MODELS)
def test_the_schema_has_the_keys_of_the_model(name: str, model: type[msgspec.Struct]) -> None:
    part = SCHEMA["$defs"][name]
    fields = {field.encode_name: field for field in msgspec.structs.fields(model)}

    assert set(part["properties"]) - BESIDE.get(name, set()) == set(fields)
    assert part["additionalProperties"] is False
    needed = {key for key, field in fields.items() if field.required}
    assert set(part.get("required", ())) | ({"model"} if name == "given" else set()) == needed


def test_the_reference_has_every_feature() -> None:
    assert reference.FEATURES == FEATURES


def test_the_readme_names_every_key_axis_and_feature(repository: Path) -> None:
    text = (repository / "vectors" / "README.md").read_text()
    keys = [key for part in SCHEMA["$defs"].values() for key in part.get("properties", ())]
    values = [value for values in BUILTIN_AXES.values() for value in values]

    unnamed = [word for word in (*keys, *BUILTIN_AXES, *values, *FEATURES) if word not in text]
    assert unnamed == []
