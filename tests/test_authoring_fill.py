"""From authored vectors to packs."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from toolassay.authoring.fill import Change, Filled, fill
from toolassay.authoring.lint import lint, read_cases
from toolassay.authoring.packs import load_pack_cases, read_pack
from toolassay.spec.register import SPEC_FOLDER

DATA = Path(__file__).parent / "data"
GOOD = DATA / "vectors_good"
RED = sorted((DATA / "vectors_red").glob("*.yaml"))
RED_CLAUSE = re.compile(r"# red: (\S+)\n")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Copy the good vectors to where they can be changed."""
    return Path(shutil.copytree(GOOD, tmp_path / "vectors"))


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    return tmp_path / "packs"


NEW = [("events.jsonl", "new", ()), ("events.examples.jsonl", "new", ())]
CUT = "arg.raw-text-is-kept-for-execution[text=cut]"


def changed(filled: Filled) -> list[tuple[str, str, tuple[str, ...]]]:
    assert filled.errors == ()
    return [(change.file.name, change.how, change.cases) for change in filled.changes]


def test_a_pack_holds_every_case_with_its_example(vectors: Path, packs: Path) -> None:
    assert changed(fill(vectors, packs)) == NEW

    authored = [item.case for item in read_cases([vectors]).cases]
    assert list(load_pack_cases(folder=packs)) == authored
    assert all(case.example is not None for case in load_pack_cases(folder=packs, examples=True))


def test_the_header_says_what_follows(vectors: Path, packs: Path) -> None:
    fill(vectors, packs)
    header, cases = read_pack(packs / "events.jsonl")
    body = (packs / "events.jsonl").read_bytes().partition(b"\n")[2]

    assert header.cases == len(cases)
    assert header.digest == hashlib.sha256(body).hexdigest()
    register = (SPEC_FOLDER / "register.json").read_bytes()
    assert header.register == hashlib.sha256(register).hexdigest()


def test_filling_again_changes_nothing(vectors: Path, packs: Path) -> None:
    fill(vectors, packs)

    assert changed(fill(vectors, packs)) == []
    assert changed(fill(vectors, packs, check=True)) == []


def test_check_writes_nothing(vectors: Path, packs: Path) -> None:
    assert changed(fill(vectors, packs, check=True)) == NEW
    assert not packs.exists()


def test_check_names_the_cases_that_changed(vectors: Path, packs: Path) -> None:
    fill(vectors, packs)
    before = (packs / "events.jsonl").read_bytes()
    file = vectors / "events.yaml"
    file.write_text(file.read_text().replace("cut: '{\"a'", "cut: '{\"b'"))

    assert changed(fill(vectors, packs, check=True)) == [
        ("events.jsonl", "changed", (CUT,)),
        ("events.examples.jsonl", "changed", (CUT,)),
    ]
    assert (packs / "events.jsonl").read_bytes() == before


def test_check_sees_a_byte_that_changed_by_hand(vectors: Path, packs: Path) -> None:
    fill(vectors, packs)
    pack = packs / "events.jsonl"
    pack.write_bytes(pack.read_bytes() + b"\n")

    assert [change.file for change in fill(vectors, packs, check=True).changes] == [pack]


def test_the_pack_of_a_contract_without_vectors_goes(vectors: Path, packs: Path) -> None:
    packs.mkdir()
    (packs / "transcript.jsonl").write_text("left over")

    assert Change(packs / "transcript.jsonl", "gone") in fill(vectors, packs).changes
    assert sorted(file.name for file in packs.iterdir()) == [
        "events.examples.jsonl",
        "events.jsonl",
    ]


def test_a_vector_that_does_not_lint_is_not_compiled(vectors: Path, packs: Path) -> None:
    shutil.copy(DATA / "vectors_bad" / "clause-unknown.yaml", vectors)
    filled = fill(vectors, packs)

    assert "vector.clause.name" in {error.code for error in filled.errors}
    assert not packs.exists()


@pytest.mark.parametrize("path", RED, ids=lambda path: path.stem)
def test_a_red_vector_passes_lint_and_is_not_compiled(
    path: Path, tmp_path: Path, packs: Path
) -> None:
    clause = RED_CLAUSE.match(path.read_text())
    assert clause is not None
    assert lint([path]) == ()
    (tmp_path / "red").mkdir()
    shutil.copy(path, tmp_path / "red")
    filled = fill(tmp_path / "red", packs)

    assert {error.code for error in filled.errors} == {"vector.reference"}
    assert all(f" breaks {clause[1]} (" in str(error) for error in filled.errors)
    assert not packs.exists()


def test_the_register_is_compiled_with_its_sources(
    vectors: Path, packs: Path, tmp_path: Path
) -> None:
    spec = Path(shutil.copytree(SPEC_FOLDER, tmp_path / "spec"))
    (spec / "register.json").unlink()
    filled = fill(vectors, packs, spec_dir=spec)

    assert ("register.json", "new", ()) in changed(filled)
    assert (spec / "register.json").read_bytes() == (SPEC_FOLDER / "register.json").read_bytes()


def test_packs_do_not_depend_on_the_process(vectors: Path, packs: Path, tmp_path: Path) -> None:
    fill(vectors, packs)
    other = tmp_path / "other"
    code = (
        "import sys; from pathlib import Path; from toolassay.authoring.fill import fill;"
        "fill(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, str(vectors), str(other)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})

    assert (other / "events.jsonl").read_bytes() == (packs / "events.jsonl").read_bytes()


def test_the_shipped_packs_are_current(repository: Path) -> None:
    folder = repository / "vectors"
    filled = fill(folder, folder / "packs", check=True, spec_dir=repository / "spec")

    assert filled.errors == ()
    assert filled.changes == ()
