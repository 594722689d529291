"""Reading packs of compiled vectors."""

import hashlib
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from toolassay.authoring.pack_errors import PackError
from toolassay.authoring.packs import Example, PackHeader, load_pack_cases, read_pack
from toolassay.selection import Selection
from toolassay.spec.canonical import canonical
from toolassay.spec.case import Case, Expectation, RelationRef
from toolassay.spec.observation import Observation, Outcome
from toolassay.spec.scenario import Scenario

EXAMPLE = Observation(outcome=Outcome("ok"))
CASES = (
    Case("ord.a", "ord.a", "A", "events", "positive", "turn/run", Scenario(()), example=EXAMPLE),
    Case(
        "arg.b[x=1]",
        "arg.b",
        "B",
        "events",
        "negative",
        "arguments/sanitize",
        arguments="é\x00",
        expect=(Expectation("ARG-01", holds=True),),
        relations=(RelationRef("ARG-13", "arg.b"),),
        features=("policy",),
        provenance=("https://example.org/1",),
        example=EXAMPLE,
    ),
)


LEAN = tuple(msgspec.structs.replace(case, example=None) for case in CASES)
EXAMPLES = tuple(Example(case.id, EXAMPLE) for case in CASES)


def write(
    file: Path, cases: tuple[Case, ...] | tuple[Example, ...] = LEAN, version: int = 1
) -> Path:
    body = b"".join(canonical(case) + b"\n" for case in cases)
    digest = hashlib.sha256(body).hexdigest()
    header = PackHeader(version, "events", "1.0", "00", len(cases), digest)
    file.write_bytes(canonical(header) + b"\n" + body)
    return file


def test_a_pack_gives_back_its_cases(tmp_path: Path) -> None:
    write(tmp_path / "events.jsonl")
    write(tmp_path / "events.examples.jsonl", EXAMPLES)

    assert load_pack_cases(folder=tmp_path, examples=True) == CASES


def test_examples_are_not_read_unless_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "events.jsonl")
    (tmp_path / "events.examples.jsonl").write_text("broken")

    assert load_pack_cases(folder=tmp_path) == LEAN


@pytest.mark.parametrize("there", [(), EXAMPLES[:1], (*EXAMPLES, Example("ord.z", EXAMPLE))])
def test_examples_of_other_cases_are_refused(there: tuple[Example, ...], tmp_path: Path) -> None:
    write(tmp_path / "events.jsonl")
    write(tmp_path / "events.examples.jsonl", there)

    with pytest.raises(PackError, match="not those of the pack"):
        load_pack_cases(folder=tmp_path, examples=True)


def test_a_selection_picks_cases(tmp_path: Path) -> None:
    write(tmp_path / "events.jsonl")
    selection = Selection(families=("arg",))

    assert [case.id for case in load_pack_cases(selection, folder=tmp_path)] == ["arg.b[x=1]"]


def test_a_selection_of_contracts_reads_no_other_pack(tmp_path: Path) -> None:
    write(tmp_path / "events.jsonl")
    (tmp_path / "transcript.jsonl").write_text("broken")

    cases = load_pack_cases(Selection(contracts=("events",)), folder=tmp_path)
    assert len(cases) == len(CASES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"title":"A"', b'"title":"Z"'),
        (b'"positive"', b'"negativ"'),
        (b'"schema_version":1', b'"schema_version":2'),
        (b'"cases":2', b'"cases":3'),
        (b'"contract":"events",', b""),
        (b'"id":"ord.a"', b'"id":"\xff\xff\xff\xff\xff"'),
    ],
)
def test_a_pack_that_was_changed_by_hand_is_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    file = write(tmp_path / "events.jsonl")
    file.write_bytes(file.read_bytes().replace(old, new, 1))

    with pytest.raises(PackError, match=r"events\.jsonl: the pack "):
        read_pack(file)


def test_a_folder_without_packs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="there are no packs"):
        load_pack_cases(folder=tmp_path)


def test_reading_packs_loads_nothing_that_authoring_needs() -> None:
    code = (
        "import sys, toolassay.authoring.packs;"
        "print([name for name in ('yaml', 'jsonschema', 'hypothesis', 'click', 'difflib',"
        " 'toolassay.spec.yaml_text', 'toolassay.simulator', 'toolassay.properties')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout.strip() == "[]"
