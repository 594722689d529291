"""The register of clauses: complete, well formed, current, and refused where it is broken."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from toolassay.spec import register as register_module
from toolassay.spec import register_errors as errors
from toolassay.spec.codes import compile_codes, load_codes
from toolassay.spec.errors import RegisterError, UnknownNameError
from toolassay.spec.input_errors import TextError
from toolassay.spec.json_scanner import FaultReason
from toolassay.spec.register import (
    SPEC_FOLDER,
    Clause,
    Register,
    compile_register,
    decode_register,
    load_register,
    parse_profile,
)

# The rows of the draft by family, and the letters of rows that were split.
ROWS = {
    "MSG": (range(1, 22), "11a"),
    "ARG": ([*range(1, 14), 15], "02a"),
    "EVT": (range(1, 14), "05a 07a 09a 10a"),
    "COD": (range(1, 9), "02a 03a 05a"),
    "ORD": (range(1, 24), ""),
    "GATE": (range(1, 12), ""),
    "DUR": (range(1, 22), "12a 15a"),
    "RED": (range(1, 7), "03a"),
    "EXE": ([*range(1, 5), *range(6, 22)], "04a 06a"),
    "MCP": (range(1, 23), "04a 09a"),
    "ENC": (range(1, 15), ""),
    "STR": (range(1, 9), ""),
}
EVENTS = ("MSG", "ARG", "EVT", "COD", "ORD", "GATE", "DUR", "RED")
# The clauses that the draft calls unscored: MAY, or recorded in every profile.
UNSCORED = {"DUR-17", "RED-05", "EXE-14", "EXE-19", "EXE-21", "MCP-18", "MCP-19", "MCP-22"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a copy of the sources, to be broken."""
    shutil.copytree(SPEC_FOLDER / "clauses", tmp_path / "clauses")
    for name in ("profiles.yaml", "codes.yaml"):
        shutil.copy(SPEC_FOLDER / name, tmp_path / name)
    return tmp_path


def break_file(path: Path, old: str, new: str) -> int:
    """Replace the first occurrence of a text; give the line on which it stood."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    return text[: text.index(old)].count("\n") + 1


def clause(**changes: object) -> Clause:
    """Give ORD-06 with changes."""
    return msgspec.structs.replace(load_register().clause("ORD-06"), **changes)


# --- what is in it --------------------------------------------------------------------------


@pytest.mark.parametrize("family", ROWS)
def test_every_row_of_the_draft_is_in_the_register(family: str) -> None:
    numbers, letters = ROWS[family]
    expected = {f"{family}-{number:02}" for number in numbers}
    expected |= {f"{family}-{letter}" for letter in letters.split()}

    assert set(load_register().family(family).clauses) == expected


def test_families_stand_in_the_order_of_the_draft() -> None:
    order = [family.name for family in load_register().families()]

    assert order == ["MSG", "ARG", "EVT", "COD", "ORD", "GATE", "DUR", "RED", "EXE", "MCP", "ENC",
                     "STR"]  # fmt: skip


def test_clauses_stand_in_the_order_of_their_families() -> None:
    register = load_register()
    by_family = [name for family in register.families() for name in family.clauses]

    assert list(register.clauses) == by_family


def test_a_letter_follows_its_page_half() -> None:
    ids = list(load_register().clauses)
    lettered = [name for name in ids if name[-1].isalpha()]

    assert lettered
    for name in lettered:
        assert ids[ids.index(name) - 1] == name[:-1]


def test_a_page_half_and_its_letter_differ_in_basis_or_level() -> None:
    register = load_register()

    for name in register.clauses:
        if name[-1].isalpha():
            half, letter = register.clause(name[:-1]), register.clause(name)
            assert (half.basis, half.level) != (letter.basis, letter.level)


def in_profile(register: Register, text: str) -> list[Clause]:
    profile = register.profile(text)
    return [one for one in register.clauses.values() if profile.scores(one) != "unscored"]


def test_only_what_the_draft_leaves_open_is_scored_nowhere() -> None:
    register = load_register()
    everything = "+".join(["strict", *list(register.profiles)[3:]])
    counted = {one.id for one in in_profile(register, everything)}

    assert set(register.clauses) - counted == UNSCORED - {"EXE-14"}


def test_no_clause_in_the_register_is_untestable_without_a_reason() -> None:
    untestable = {name for name, one in load_register().clauses.items() if one.untestable}

    assert untestable == {"EXE-14"}


def test_the_prose_explains_every_clause_of_the_events_contract_once() -> None:
    prose = (SPEC_FOLDER / "events.md").read_text("utf-8")
    anchors = re.findall(r'<a id="([^"]+)"></a>', prose)
    register = load_register()

    assert len(anchors) == len(set(anchors))
    assert set(anchors) == {name for f in EVENTS for name in register.family(f).clauses}


def test_the_prose_names_the_clauses_that_its_anchors_announce() -> None:
    prose = (SPEC_FOLDER / "events.md").read_text("utf-8")

    for paragraph in prose.split("\n\n"):
        anchors = re.findall(r'<a id="([^"]+)"></a>', paragraph)
        title = re.search(r"\*\*([A-Z0-9a-z, -]+)\.\*\*", paragraph)
        if anchors:
            assert title is not None
            assert title[1].split(", ") == anchors


# --- the compiled files ---------------------------------------------------------------------


def test_the_compiled_register_is_current() -> None:
    assert (SPEC_FOLDER / "register.json").read_bytes() == compile_register()


def test_the_compiled_codes_are_current() -> None:
    assert (SPEC_FOLDER / "codes.json").read_bytes() == compile_codes()


def test_the_compiled_register_has_sorted_keys_and_one_record_a_line() -> None:
    data = (SPEC_FOLDER / "register.json").read_text("utf-8")
    value = json.loads(data)

    assert list(value) == sorted(value)
    assert sum(line.startswith('{"basis":') for line in data.splitlines()) == len(value["clauses"])


def test_loading_reads_neither_yaml_nor_schemas() -> None:
    program = (
        "import sys\n"
        "from toolassay.spec.codes import load_codes\n"
        "from toolassay.spec.register import load_register\n"
        "load_register(), load_codes()\n"
        "print([name for name in ('yaml', 'jsonschema') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True)  # fmt: skip

    assert done.stdout.strip() == "[]"


def test_the_register_is_loaded_once_and_cannot_be_changed() -> None:
    register = load_register()

    assert load_register() is register
    with pytest.raises(TypeError):
        register.clauses["ORD-99"] = register.clause("ORD-06")  # type: ignore[index]
    with pytest.raises(AttributeError):
        register.clause("ORD-06").text = ""  # type: ignore[misc]


@pytest.mark.parametrize("data", [b"", b"{}", b'{"schema_version":1}'])
def test_a_damaged_compiled_register_is_refused(data: bytes) -> None:
    with pytest.raises(errors.RegisterFileError):
        decode_register(data)


def test_a_compiled_register_of_another_version_is_refused() -> None:
    data = compile_register().replace(b'"schema_version":1', b'"schema_version":2')

    with pytest.raises(errors.RegisterFileError, match="version 2"):
        decode_register(data)


def test_check_names_the_file_that_is_not_current(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(register_module, "SPEC_FOLDER", folder)
    (folder / "codes.json").write_bytes(compile_codes())

    assert register_module.main(["--check"]) == 1
    assert capsys.readouterr().out == "register.json is not current\n"
    assert not (folder / "register.json").exists()

    assert register_module.main([]) == 0
    assert register_module.main(["--check"]) == 0
    assert register_module.main(["--frob"]) == 2


# --- broken sources -------------------------------------------------------------------------

# File, text, what takes its place, the error, words in it, and how many lines below the
# text the error points.
BROKEN: list[tuple[str, str, str, type[RegisterError], str, int]] = [
    ("ord", "id: ORD-02", "id: ORD-01", errors.DuplicateNameError, "ORD-01 stands twice", 0),
    ("ord", "id: ORD-02", "id: DUR-02", errors.ClauseFamilyError, "not of family ORD", 0),
    ("ord", "id: ORD-02", "id: ORD-77a", errors.ClauseFamilyError, "ORD-77 does not precede", 0),
    ("ord", "family: ORD", "family: DUR", errors.ClauseFamilyError, "holds the family DUR", 0),
    ("ord", '["001", "002"]', "[]", errors.ClauseSourceError, "without a page", 0),
    ("ord", '["001", "002"]', '["001", "007"]', errors.ClauseSourceError, "no page 007", 0),
    ("ord", "[pages, core, strict]", "[core, strict]", errors.ClauseProfilesError, "ORD-01", 0),
    ("ord", "[pages, core, strict]", "[]", errors.ClauseProfilesError, "ORD-01", 0),
    ("ord", "[pages, core, strict]", "[looprig, mcp]", errors.ClauseProfilesError, "ORD-01", 0),
    ("ord", "[pages, core, strict]", "[gold]", errors.ClauseProfilesError, "no profile gold", 0),
    ("ord", "since: core@1", "since: core@2", errors.ClauseSinceError, "no profile core@2", 0),
    ("ord", "since: core@1", "since: mcp@1", errors.ClauseSinceError, "of core, not of mcp", 0),
    ("ord", "ToolCallCompleted is", "ORD-88 is", errors.ClauseReferenceError, "clause ORD-88", -1),
    ("ord", "level: MUST", "level: must", errors.RegisterSchemaError, "must", 0),
    ("ord", "level: MUST", "level: MUST\n    scope: 1", errors.RegisterSchemaError, "scope", 1),
    ("ord", "[turn/run]", "[turn/walk]", errors.RegisterSchemaError, "turn/walk", 0),
    ("exe", "untestable:", "needs: {features: [crash]}\n    untestable:", errors.ClauseNeedsError,
     "untestable and needs", 0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "kind", "words", "below"), BROKEN)
def test_a_broken_register_is_refused_with_its_line(
    folder: Path, name: str, old: str, new: str, kind: type[RegisterError], words: str, below: int
) -> None:
    line = break_file(folder / "clauses" / f"{name}.yaml", old, new)

    with pytest.raises(kind) as caught:
        compile_register(folder)

    assert words in str(caught.value)
    assert re.match(rf"spec/clauses/{name}\.yaml:{line + below}:[1-9]", str(caught.value))


def test_a_clause_without_any_source_is_refused(folder: Path) -> None:
    path = folder / "clauses" / "str.yaml"
    path.write_text(path.read_text("utf-8").replace("    cases: [B070]\n", ""), "utf-8")

    with pytest.raises(errors.ClauseSourceError, match="no source is named"):
        compile_register(folder)


def test_a_testable_clause_without_needs_is_refused(folder: Path) -> None:
    path = folder / "clauses" / "gate.yaml"
    text = path.read_text("utf-8")
    cut = re.sub(r"    needs:\n(      .*\n)+", "", text, count=1)
    path.write_text(cut, "utf-8")

    with pytest.raises(errors.ClauseNeedsError, match="GATE-01"):
        compile_register(folder)


def test_a_key_that_stands_twice_is_refused(folder: Path) -> None:
    break_file(folder / "clauses" / "ord.yaml", "level: MUST", "level: MUST\n    level: MAY")

    with pytest.raises(TextError, match=r"ord\.yaml:\d+:\d+"):
        compile_register(folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[pages@1]", "[pages@2]"),
        ("[pages@1]", "[strict@1]"),
        ("number: 1", "number: 2"),
        ("name: strict-json", "name: lenient-empty"),
    ],
)
def test_broken_profiles_are_refused(folder: Path, old: str, new: str) -> None:
    break_file(folder / "profiles.yaml", old, new)

    with pytest.raises((errors.ProfileDataError, errors.DuplicateNameError)) as caught:
        compile_register(folder)

    assert re.match(r"spec/profiles\.yaml:\d+:\d+: ", str(caught.value))


def test_an_add_on_includes_nothing(folder: Path) -> None:
    path = folder / "profiles.yaml"
    head, tail = path.read_text("utf-8").split("name: mcp")
    path.write_text(head + "name: mcp" + tail.replace("includes: []", "includes: [core@1]"))

    with pytest.raises(errors.ProfileDataError, match="mcp cannot include core@1"):
        compile_register(folder)


def test_a_code_that_serves_no_known_clause_is_refused(folder: Path) -> None:
    line = break_file(folder / "codes.yaml", "[EVT-02, EVT-03, EVT-10a]", "[EVT-99]")

    with pytest.raises(
        errors.ClauseReferenceError, match=f"{line}:\\d+: there is no clause EVT-99"
    ):
        compile_codes(folder)


def test_a_code_that_stands_twice_in_its_group_is_refused(folder: Path) -> None:
    break_file(folder / "codes.yaml", "code: must-be-zero", "code: required")

    with pytest.raises(errors.DuplicateNameError, match="required is twice in rule"):
        compile_codes(folder)


# --- profiles -------------------------------------------------------------------------------


def test_pages_is_within_core_and_core_within_strict() -> None:
    register = load_register()
    sets = [set(in_profile(register, name)) for name in ("pages", "core", "strict")]

    assert sets[0] < sets[1] < sets[2]


def test_the_profile_pages_scores_exactly_what_pages_state_with_must() -> None:
    register = load_register()
    stated = {c.id for c in register.clauses.values() if (c.basis, c.level) == ("page", "MUST")}

    # MSG-19 is the one page sentence that speaks of one system's own form.
    assert {c.id for c in in_profile(register, "pages")} == stated - {"MSG-19"}


@pytest.mark.parametrize(
    ("profile", "clause_id", "score"),
    [
        ("pages", "ORD-06", "scored"),
        ("pages", "ORD-07", "unscored"),
        ("core", "ORD-07", "scored"),
        ("pages", "MSG-15", "unscored"),
        ("core", "MSG-15", "warning"),
        ("strict", "MSG-15", "scored"),
        ("core", "ARG-12", "unscored"),
        ("strict", "ARG-12", "scored"),
        ("core+strict-json", "ARG-12", "scored"),
        ("core", "DUR-07", "unscored"),
        ("core+resume", "DUR-07", "scored"),
        ("resume", "DUR-07", "scored"),
        ("resume", "ORD-07", "scored"),
        ("pages+resume", "ORD-07", "unscored"),
        ("core+looprig", "EVT-08", "warning"),
        ("strict+looprig", "EVT-08", "scored"),
        ("strict+looprig", "DUR-17", "unscored"),
        ("strict+tools-kit", "EXE-21", "unscored"),
        ("strict", "MSG-19", "unscored"),
        ("core+skyl", "MSG-19", "scored"),
        ("core+mcp", "MCP-02", "warning"),
        ("core+mcp", "MCP-18", "unscored"),
    ],
)
def test_a_profile_scores_by_basis_and_level(profile: str, clause_id: str, score: str) -> None:
    assert parse_profile(profile).scores(load_register().clause(clause_id)) == score


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("core", "core@1"),
        ("core@1", "core@1"),
        ("looprig+core+resume", "core@1+looprig@1+resume@1"),
        ("mcp", "core@1+mcp@1"),
        ("strict + mcp@1", "strict@1+mcp@1"),
    ],
)
def test_a_choice_of_profiles_has_one_spelling(text: str, canonical: str) -> None:
    profile = parse_profile(text)

    assert str(profile) == canonical
    assert parse_profile(canonical) == profile


def test_what_came_after_a_pinned_version_is_not_scored() -> None:
    assert parse_profile("core@1").scores(clause(since="core@2")) == "unscored"
    assert parse_profile("pages@1").scores(clause(since="core@2")) == "unscored"


def test_an_add_on_scores_only_since_its_own_version() -> None:
    later = clause(basis="profile", profiles=("resume",), since="resume@2")

    assert parse_profile("core+resume").scores(later) == "unscored"


@pytest.mark.parametrize(
    ("text", "kind", "near"),
    [
        ("cor", "profile", ("core",)),
        ("core+resum", "profile", ("resume",)),
        ("core@9", "profile version", ("core@1",)),
        ("core@", "profile version", ("core@1",)),
        ("", "profile", ()),
    ],
)
def test_an_unknown_profile_gets_suggestions(text: str, kind: str, near: tuple[str, ...]) -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_profile(text)

    assert caught.value.kind == kind
    assert caught.value.near[: len(near)] == near


@pytest.mark.parametrize("text", ["core+strict", "core+core", "core+mcp+mcp"])
def test_two_bases_or_one_profile_twice_are_refused(text: str) -> None:
    with pytest.raises(errors.ProfileChoiceError):
        parse_profile(text)


# --- names and codes ------------------------------------------------------------------------


def test_an_unknown_clause_gets_suggestions() -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_register().clause("ord-6")

    assert "ORD-06" in caught.value.near
    assert "did you mean" in str(caught.value)


def test_an_unknown_family_gets_suggestions() -> None:
    with pytest.raises(UnknownNameError, match="GATE"):
        load_register().family("GATES")


def test_looprig_names_are_mapped_to_canonical_codes() -> None:
    codes = load_codes()
    field = codes.native("looprig", "field", "Messages")
    rule = codes.native("looprig", "rule", "is invalid")

    assert field is not None
    assert rule is not None
    assert (field.code, rule.code) == ("messages", "invalid")
    assert codes.native("looprig", "rule", "is fine") is None


def test_every_fault_that_the_scanner_finds_has_a_canonical_code() -> None:
    codes = load_codes()
    mapped = [codes.native("toolassay", "argument", fault) for fault in get_args(FaultReason)]

    assert mapped
    assert None not in mapped


def test_the_rules_of_a_refusal_are_in_the_table() -> None:
    rules = load_codes().group("rule")

    assert {"required", "must-be-zero", "invalid", "unknown-type", "wrong-type"} <= set(rules)


def test_the_operation_classes_and_endings_are_those_of_the_contract() -> None:
    codes = load_codes()

    assert list(codes.group("operation")) == [
        "arguments", "output", "interaction", "cancelled", "transition", "unknown_tool", "closed",
        "failed",
    ]  # fmt: skip
    assert list(codes.group("ending")) == ["done", "failed", "interrupted"]


def test_an_unknown_code_or_group_gets_suggestions() -> None:
    codes = load_codes()

    with pytest.raises(UnknownNameError, match="did you mean required"):
        codes.code("rule", "requird")
    with pytest.raises(UnknownNameError, match="did you mean rule"):
        codes.group("rules")
