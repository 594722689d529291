"""The other verbs, and what all of them share: help, near misses, exit codes, a cheap start."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from toolassay import __version__
from toolassay.cli import VERBS, run_cli
from toolassay.commands import common, places
from toolassay.mutation import examine
from toolassay.selection import Selection, matches
from toolassay.simulator.mutants import MUTANTS
from toolassay.spec.case import Case
from toolassay.spec.errors import UnknownNameError
from toolassay.spec.register import load_register

HEAVY = ("pytest", "hypothesis", "rich", "jinja2", "jsonschema", "yaml")
"""What no verb may load before it needs it."""


def said(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0
) -> tuple[list[str], list[str]]:
    result = run_cli(arguments)
    captured = capsys.readouterr()
    assert result == code, captured
    return captured.out.splitlines(), captured.err.splitlines()


# --- the start ------------------------------------------------------------------------------


def test_alone_it_says_where_to_start(capsys: pytest.CaptureFixture[str]) -> None:
    lines, errors = said(capsys)

    assert lines[0] == (
        f"toolassay {__version__}: does your agent runtime keep the tool-call contract?"
    )
    assert lines[2].split()[:3] == ["toolassay", "run", "sim"]
    assert errors == []


def test_every_command_that_the_start_names_exists(capsys: pytest.CaptureFixture[str]) -> None:
    lines, _ = said(capsys)
    verbs = {line.split()[1] for line in lines if line.startswith("  toolassay ")}

    assert verbs <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("baseline", "update") if verb == "baseline" else (verb,)
    lines, _ = said(capsys, *arguments, "--help")

    assert f"  Usage: toolassay {' '.join(arguments)}".strip() in "\n".join(lines)
    assert "  Examples:" in lines
    assert any(line.startswith(f"    toolassay {' '.join(arguments)}") for line in lines)


def test_the_help_lists_all_verbs_and_all_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    lines, _ = said(capsys, "--help")
    text = "\n".join(lines)

    assert all(f"\n  {verb} " in text for verb in VERBS)
    assert all(f"\n    {code}  " in text for code in (0, 1, 2, 3, 4, 130))


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "--version")[0] == [f"toolassay {__version__}"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("run", "--help"),
        ("list",),
        ("check", "trace"),
        ("run", "sim", "--case", "ord.*"),
        ("explain", "ORD-06"),
    ],
)
def test_a_verb_loads_nothing_heavy_before_it_needs_it(
    arguments: tuple[str, ...], repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "trace").write_bytes(
        (repository / "tests/data/traces/good_events.jsonl").read_bytes()
    )
    program = (
        "import sys; from toolassay.cli import run_cli; run_cli(sys.argv[1:]);"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stderr == "[]\n"


def test_help_loads_no_models(tmp_path: Path) -> None:
    program = (
        "import sys; from toolassay.cli import run_cli; run_cli(['run', '--help']);"
        "print('msgspec' in sys.modules, 'pathlib' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{program}"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stderr.startswith("False ")


def test_no_module_of_the_verbs_imports_heavy_things_at_its_top(repository: Path) -> None:
    folder = repository / "src/toolassay/commands"
    names = [
        name
        for path in sorted(folder.glob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([alias.name for alias in node.names] + [getattr(node, "module", "") or ""])
    ]

    assert [name for name in names if name.partition(".")[0] in HEAVY] == []


# --- faults ---------------------------------------------------------------------------------


def test_a_fault_of_the_kit_is_a_line_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("planted\x1b[1m")

    monkeypatch.delenv("TOOLASSAY_DEBUG", raising=False)
    monkeypatch.setattr("toolassay.commands.running.load_config", broken)
    _, errors = said(capsys, "run", "sim", code=2)

    assert errors[0] == "error: the kit failed: ZeroDivisionError: planted\\x1b[1m"
    assert not any("Traceback" in line for line in errors)

    monkeypatch.setenv("TOOLASSAY_DEBUG", "1")
    assert any("Traceback" in line for line in said(capsys, "run", "sim", code=2)[1])


def test_an_interrupt_outside_of_a_run_is_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("toolassay.commands.running.load_config", interrupted)

    assert said(capsys, "run", "sim", code=130)[1][-1] == "interrupted"


def test_a_closed_pipe_makes_no_noise_for_any_verb(tmp_path: Path) -> None:
    for arguments in (("list",), ("list", "--coverage"), ("--help",), ("explain", "ORD-06")):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [sys.executable, "-c", "from toolassay.cli import main; main()", *arguments],
            cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
        os.close(writing)
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_pipe_leaves_the_exit_code_true(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("- id: no\n")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", "from toolassay.cli import main; main()", "lint", str(bad)],
        cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writing)

    assert (done.returncode, done.stderr) == (1, b"")


# --- selection ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "name", "is_meant"),
    [
        ("ord.a", "ord.a", True),
        ("ord.a", "ord.ab", False),
        ("ord.*", "ord.a[x=1]", True),
        ("*[x=1]", "ord.a[x=1]", True),
        ("ord.[ab]", "ord.a", False),
        ("ord.?", "ord.a", True),
        ("ord.?", "ord.ab", False),
        ("ord.a[x=*]", "ord.a[x=1,y=2]", True),
    ],
)
def test_brackets_in_a_pattern_stand_for_themselves(
    pattern: str, name: str, is_meant: bool
) -> None:
    assert matches(pattern, name) is is_meant


def test_a_vector_stands_for_all_of_its_cases() -> None:
    selection = Selection(cases=("ord.a",))

    assert selection.names("ord.a[x=1]")
    assert not selection.names("ord.ab[x=1]")


def test_an_unknown_case_of_a_known_vector_is_answered_with_its_cases() -> None:
    cases = common.load_cases((), shipped=True)
    case = next(case for case in cases if "[" in case.id)
    with pytest.raises(UnknownNameError) as caught:
        common.chosen(cases, Selection(cases=(case.id[:-2] + "]",)), load_register())

    assert all(name.startswith(case.vector) for name in caught.value.near)


# --- list -----------------------------------------------------------------------------------


def test_vectors_cases_and_clauses_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    vectors, _ = said(capsys, "list", "--family", "ord")
    cases, _ = said(capsys, "list", "--cases", "--family", "ord")
    clauses, _ = said(capsys, "list", "--clauses", "--clause", "ORD-06")

    assert vectors[-1] == f"{len(cases)} cases of {len(vectors) - 1} vectors"
    assert all(line.startswith("ord.") for line in cases)
    assert [line.split()[:3] for line in clauses] == [["ORD-06", "MUST", "page"]]


def test_the_coverage_is_of_its_schema_and_of_every_clause(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    lines, _ = said(capsys, "list", "--coverage", "--format", "json")
    document = json.loads("\n".join(lines))
    schema = json.loads((repository / "spec/schemas/report-coverage.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)

    assert [row["id"] for row in document["clauses"]] == list(load_register().clauses)
    (row,) = (row for row in document["clauses"] if row["id"] == "ORD-06")
    assert min(row["positive"], row["negative"], row["mutants"]) >= 1


def test_one_kind_is_listed_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "list", "--cases", "--clauses", code=2)


# --- explain --------------------------------------------------------------------------------


def test_a_clause_is_explained_with_its_source_vectors_and_mutants(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines, _ = said(capsys, "explain", "ord-06")
    labels = [line.split()[0] for line in lines[2:] if line.startswith("  ") and line.split()]
    text = "\n".join(lines)

    assert lines[0].startswith("ORD-06  MUST  page 001, 002  binds: runtime")
    assert "A denied call does not execute." in text
    assert {"source", "needs", "vectors", "mutants", "run"} <= set(labels)
    assert "denied-runs" in text
    assert "docs/disputes.md" in text


def test_a_clause_that_cannot_be_tested_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    clause = next(one for one in load_register().clauses.values() if one.untestable)
    lines, _ = said(capsys, "explain", clause.id)

    assert any(line.startswith("  untested") for line in lines)


def test_a_vector_and_a_case_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    case = next(case for case in common.load_cases((), shipped=True) if "[" in case.id)
    for name in (case.vector, case.id):
        lines, _ = said(capsys, "explain", name)
        assert lines[0].startswith(name)
        assert any(line.startswith("  run it") and name in line for line in lines)


def test_what_is_not_known_is_answered_with_near_misses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, errors = said(capsys, "explain", "ODR-06", code=2)

    assert "unknown clause, vector or case 'ODR-06' (did you mean ORD-06" in errors[0]


# --- lint and fill --------------------------------------------------------------------------

GOOD = """\
- id: ord.verb-denied
  title: A denied call does not run
  contract: events
  kind: negative
  given:
    tools: [{name: write_file}]
    policy: {write_file: deny}
    model:
      - calls: [{id: c1, name: write_file}]
  expect:
    - {clause: ORD-06, executions: {never: {call: c1}}}
"""


@pytest.fixture
def vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/ord.yaml").write_text(GOOD)
    return tmp_path / "mine/ord.yaml"


def test_lint_is_silent_about_what_is_right(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "lint", "mine")[0] == ["CONFORMANT: 1 case of 1 vector"]


def test_lint_names_every_fault_with_its_place(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vectors.write_text(GOOD.replace("ORD-06", "ORD-66"))
    lines, _ = said(capsys, "lint", "mine/ord.yaml", code=1)

    assert lines[0].startswith("mine/ord.yaml:11:")
    assert lines[-1].startswith("NON-CONFORMANT: ")


def test_lint_of_nothing_is_told_apart(vectors: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (vectors.parent / "empty").mkdir()

    assert said(capsys, "lint", "mine/empty", code=3)[0] == ["INCOMPLETE: there are no vectors"]
    said(capsys, "lint", "mine/none", code=2)


def test_fill_writes_packs_and_check_finds_every_changed_byte(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, _ = said(capsys, "fill", "mine", "--out", "packs")
    assert lines[-1] == "CONFORMANT: 1 case, 2 files written"
    assert said(capsys, "fill", "mine", "--out", "packs", "--check")[0][-1].startswith("CONFORMANT")

    pack = Path("packs/events.jsonl")
    pack.write_bytes(pack.read_bytes().replace(b"denied", b"Denied", 1))
    lines, _ = said(capsys, "fill", "mine", "--out", "packs", "--check", code=1)
    assert lines[0].startswith("changed packs/events.jsonl")


def test_fill_of_ones_own_vectors_needs_a_folder_to_write_to(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, errors = said(capsys, "fill", "mine", code=2)

    assert "need --out FOLDER" in errors[0]


def test_an_installed_kit_does_not_compile_itself(
    vectors: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "SPEC_FOLDER", vectors.parent)
    _, errors = said(capsys, "lint", code=2)

    assert "name a folder of vectors" in errors[0]


# --- mutants --------------------------------------------------------------------------------


def test_mutants_are_killed_and_the_report_is_of_its_schema(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    arguments = ("mutants", "--clause", "ORD-06", "--budget", "50")
    lines, _ = said(capsys, *arguments, "--format", "json")
    document = json.loads("\n".join(lines))
    schema = json.loads((repository / "spec/schemas/report-mutants.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)

    (mutant,) = document["mutants"]
    assert (mutant["applied"], mutant["reached"]) == (True, True)
    assert (mutant["killed_by_vectors"], mutant["killed_by_generation"]) == (True, True)
    assert said(capsys, *arguments)[0][-1].startswith("CONFORMANT: 1 of 1 mutants")


def test_a_mutant_that_no_vector_finds_survives() -> None:
    (report,) = examine([MUTANTS["denied-runs"]], [], budget=0)

    assert (report.survives, report.killed_by_vectors, report.reached) == (True, False, False)
    assert report.killed_by_generation is None


def test_a_mutant_is_not_killed_by_what_the_reference_shows_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shipped = [
        case for case in common.load_cases((), shipped=True) if case.vector.startswith("ord")
    ]

    def same(_: object, clause: str, cases: list[Case], seed: int) -> frozenset[tuple[str, str]]:
        return frozenset((case.id, f"{clause}{seed}") for case in cases)

    monkeypatch.setattr("toolassay.mutation.findings_of", same)
    (report,) = examine([MUTANTS["denied-runs"]], shipped, budget=0)

    assert report.survives


def test_a_mutant_that_is_not_known_is_answered_with_near_misses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, errors = said(capsys, "mutants", "denied-run", code=2)

    assert "did you mean denied-runs" in errors[0]
