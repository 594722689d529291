"""`toolassay init`: what it writes, what it refuses, and that the Python skeleton is judged."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from commands import shell

from toolassay.cli import run_cli
from toolassay.skeletons import LANGUAGES, next_commands, skeleton, write

FILES = {
    ".github/workflows/toolassay.yml",
    ".gitignore",
    "README.md",
    "adapter.py",
    "baseline.yaml",
    "my_agent.py",
    "pyproject.toml",
    "tests/test_contract.py",
}


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_cli(["init", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


# --- what is written ---------------------------------------------------------------------------


def test_it_writes_all_files_and_names_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "contract"
    code, out, err = said(capsys, "python", str(folder))

    assert (code, err) == (0, "")
    assert tree(folder) == FILES
    assert set(re.findall(r"^wrote (.+)$", out, re.MULTILINE)) == {f"{folder}/{n}" for n in FILES}


def test_it_ends_with_the_commands_to_go_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a contract"
    _, out, _ = said(capsys, "python", str(folder))

    commands = out.partition("\nnext:\n")[2].splitlines()
    assert commands[:2] == [f"  cd '{folder}'", "  toolassay run"]


def test_without_a_folder_it_writes_into_the_current_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, out, _ = said(capsys, "python")

    assert tree(tmp_path) == FILES
    assert out.partition("\nnext:\n")[2].startswith("  toolassay run\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_document_says_what_was_written_and_what_is_next(
    language: str, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "contract"
    code, out, _ = said(capsys, language, str(folder), "--format", "json")
    document = json.loads(out)
    schema = json.loads((repository / "spec/schemas/report-init.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)

    assert code == 0
    assert set(document["files"]) == tree(folder)
    assert document["language"] == language
    assert document["next"][0] == f"cd {folder}"
    assert document["notes"] == []


def test_a_folder_that_looks_like_an_option_can_be_entered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = said(capsys, "python", "--", "-x")

    assert code == 0
    assert "\n  cd ./-x\n" in out


def test_a_folder_whose_name_is_no_text_is_written_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b")
    try:
        Path(folder).mkdir()
    except OSError:
        pytest.skip("this file system takes text alone")
    code, out, _ = said(capsys, "python", folder)
    forced, document, _ = said(capsys, "python", folder, "--force", "--format", "json")

    assert (code, forced) == (0, 0)
    assert "\x1b" not in out + document
    assert json.loads(document)["folder"].endswith("\\udcff\x1b")


# --- what every skeleton has -------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_skeleton_has_a_readme_with_commands_a_baseline_and_a_file_for_ci(language: str) -> None:
    files = skeleton(language)

    assert {"README.md", ".gitignore"} <= set(files)
    assert any(re.fullmatch(r"baseline.*\.yaml", name) for name in files)
    assert [name for name in files if name.startswith(".github/workflows/")]
    assert any(command.startswith("toolassay run") for command in next_commands(files, None))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_file_keeps_the_ending_that_hides_it_from_our_tools(language: str) -> None:
    assert [name for name in skeleton(language) if name.endswith(".tmpl")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_skeleton_names_no_address(language: str) -> None:
    for name, data in skeleton(language).items():
        assert b"://" not in data, name


@pytest.mark.parametrize("language", ["go", "ts"])
def test_the_sdk_comes_along_without_what_is_for_developing_it(
    repository: Path, language: str
) -> None:
    source = repository / "adapters" / language / "sdk"
    copied = {name.removeprefix("sdk/") for name in skeleton(language) if name.startswith("sdk/")}

    assert copied
    assert copied <= tree(source)
    assert not [name for name in copied if re.search(r"test|package-lock|node_modules", name)]
    for name in copied:
        assert skeleton(language)[f"sdk/{name}"] == (source / name).read_bytes()


# --- what is refused ---------------------------------------------------------------------------


def test_a_file_that_is_there_is_named_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("mine")
    code, out, err = said(capsys, "python", str(tmp_path))

    assert (code, out) == (2, "")
    assert "would overwrite README.md; nothing was written" in err
    assert "--force" in err
    assert tree(tmp_path) == {"README.md"}


def test_with_force_it_is_overwritten_and_others_are_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "notes.md").write_text("mine")
    code, _, _ = said(capsys, "python", str(tmp_path), "--force")

    assert code == 0
    assert (tmp_path / "README.md").read_bytes() == skeleton("python")["README.md"]
    assert (tmp_path / "notes.md").read_text() == "mine"


def test_with_force_a_link_is_replaced_and_what_it_points_at_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    folder = tmp_path / "contract"
    folder.mkdir()
    (folder / "README.md").symlink_to(elsewhere)
    write(skeleton("python"), folder, force=True)

    assert elsewhere.read_text() == "mine"
    assert not (folder / "README.md").is_symlink()


def test_a_link_that_leads_nowhere_is_in_the_way_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "adapter.py").symlink_to(tmp_path / "nowhere")
    code, _, err = said(capsys, "python", str(tmp_path))

    assert code == 2
    assert "adapter.py" in err
    assert not (tmp_path / "nowhere").exists()


def test_many_files_in_the_way_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "python", str(tmp_path))
    code, _, err = said(capsys, "python", str(tmp_path))

    assert code == 2
    assert f"and {len(FILES) - 5} more" in err


@pytest.mark.parametrize("place", ["contract", "contract/tests"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_file_where_a_folder_is_wanted_is_named_and_nothing_is_written(
    place: str, force: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    code, out, err = said(capsys, "python", str(tmp_path / "contract"), *force)

    assert (code, out) == (2, "")
    assert f"{path}: cannot be written: it is no folder" in err
    assert path.read_text() == "mine"
    assert tree(tmp_path) == {place}


def test_a_folder_where_a_file_is_wanted_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").mkdir()
    code, _, err = said(capsys, "python", str(tmp_path), "--force")

    assert code == 2
    assert f"{tmp_path / 'README.md'}: cannot be written: it is a folder" in err
    assert tree(tmp_path) == set()


def test_with_force_nothing_is_written_where_a_folder_stands_where_a_file_should_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "tests" / "test_contract.py").mkdir(parents=True)  # the last one of its files
    code, _, err = said(capsys, "python", str(tmp_path), "--force")

    assert code == 2
    assert "tests/test_contract.py: cannot be written: it is a folder" in err
    assert tree(tmp_path) == {"README.md"}
    assert (tmp_path / "README.md").read_text() == "mine"


def test_a_linked_folder_is_not_written_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "contract"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "tests").symlink_to(elsewhere)
    code, _, err = said(capsys, "python", str(folder), "--force")

    assert code == 2
    assert f"{folder / 'tests'}: cannot be written: it is a link" in err
    assert tree(elsewhere) == set()


def test_a_folder_that_is_itself_a_link_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(skeleton("python"), tmp_path / "link", force=False)

    assert tree(tmp_path / "real") == FILES


def test_a_folder_that_may_not_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", refused)  # root may write anywhere
    code, _, err = said(capsys, "python", str(tmp_path / "contract"))

    assert code == 2
    assert "cannot be written: Permission denied" in err


def test_a_place_that_takes_no_files_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "python", "/dev/null/contract")

    assert code == 2
    assert "cannot be written" in err


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("pyhton", "python"),
        ("py", "python"),
        ("Go", "go"),
        ("golang", "go"),
        ("tss", "ts"),
        ("TypeScript", "ts"),
        ("js", "ts"),
        ("javascript", "ts"),
        ("node", "ts"),
        ("rust", ""),
        ("java", ""),
        ("c++", ""),
    ],
)
def test_another_language_is_refused_with_those_that_there_are(
    word: str, meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = said(capsys, word, str(tmp_path / "contract"))

    assert code == 2
    assert "there are python, go, ts" in err
    assert f"did you mean {meant}?" in err if meant else "did you mean" not in err
    assert ("docs/adapter-protocol.md" in err) is (not meant)
    assert not (tmp_path / "contract").exists()


def test_an_empty_folder_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "python", "")

    assert code == 2
    assert "a path is empty" in err


# --- in a repository ---------------------------------------------------------------------------


def test_below_the_top_of_a_repository_it_says_where_the_workflow_has_to_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    _, out, _ = said(capsys, "python", "tools/contract")
    _, document, _ = said(capsys, "python", "tools/contract", "--force", "--format", "json")

    (note,) = json.loads(document)["notes"]
    assert f"move .github/workflows/toolassay.yml to {tmp_path}/.github/workflows/" in note
    assert "`working-directory: tools/contract`" in note
    assert out.endswith(f"\n  # {note}\n")


@pytest.mark.parametrize("top", [".", ".."])
def test_where_github_reads_the_workflow_or_there_is_no_repository_nothing_is_said_of_it(
    top: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "contract"
    folder.mkdir()
    if top == ".":
        (folder / ".git").write_text("gitdir: elsewhere")  # as in a work tree
    _, out, _ = said(capsys, "python", str(folder))

    assert "GitHub" not in out


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_workflow_makes_the_reports_for_ci_in_a_folder_that_can_be_named(language: str) -> None:
    (judging,) = re.findall(
        r"^      - run: (toolassay run.*)$",
        skeleton(language)[".github/workflows/toolassay.yml"].decode(),
        re.MULTILINE,
    )
    workflow = yaml.safe_load(skeleton(language)[".github/workflows/toolassay.yml"])

    assert judging.endswith(" --junit toolassay.xml --github-summary")
    assert workflow["defaults"]["run"] == {"working-directory": "."}
    assert workflow["jobs"]["contract"]["steps"][-1]["with"]["path"] == "**/toolassay.xml"
    assert b"\ntoolassay.xml\n" in skeleton(language)[".gitignore"]


# --- the SDK alone -----------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["go", "ts"])
def test_the_sdk_is_renewed_and_nothing_else_is_touched(
    language: str, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(skeleton(language), tmp_path, force=False)
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name not in {"go.mod", "package.json"}:
            path.write_text("old")
    code, out, err = said(capsys, language, str(tmp_path), "--sdk", "--format", "json")

    document = json.loads(out)
    schema = json.loads((repository / "spec/schemas/report-init.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    assert (code, err) == (0, "")
    assert {name.partition("/")[0] for name in document["files"]} == {"sdk"}
    assert document["notes"] == []
    for name, data in skeleton(language).items():
        if name.startswith("sdk/"):
            assert (tmp_path / name).read_bytes() == data
            assert name in document["files"]
        elif not name.endswith(("go.mod", "package.json")):
            assert (tmp_path / name).read_text() == "old"


def test_an_sdk_that_is_not_there_is_written(tmp_path: Path) -> None:
    code = run_cli(["init", "go", str(tmp_path), "--sdk"])

    assert code == 0
    assert tree(tmp_path) == {name for name in skeleton("go") if name.startswith("sdk/")}


def test_a_file_beside_those_of_the_sdk_is_kept_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(skeleton("go"), tmp_path, force=False)
    (tmp_path / "sdk" / "earlier.go").write_text("package toolassay")
    code, out, _ = said(capsys, "go", str(tmp_path), "--sdk")

    assert code == 0
    assert "# sdk/earlier.go is none of this SDK's" in out
    assert (tmp_path / "sdk" / "earlier.go").exists()


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_of_that_name_with_something_else_is_overwritten_with_force_alone(
    force: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "sdk").mkdir()
    (tmp_path / "sdk" / "README.md").write_text("mine")
    code, _, err = said(capsys, "ts", str(tmp_path), "--sdk", *(["--force"] if force else []))

    assert code == (0 if force else 2)
    assert ("is no SDK of toolassay: its package.json says nothing of it" in err) is not force
    assert ((tmp_path / "sdk" / "README.md").read_text() == "mine") is not force


def test_a_linked_sdk_is_not_written_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(skeleton("go"), tmp_path / "one", force=False)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "sdk").symlink_to(tmp_path / "one" / "sdk")
    (tmp_path / "one" / "sdk" / "play.go").write_text("mine")
    code, _, err = said(capsys, "go", str(tmp_path / "two"), "--sdk")

    assert code == 2
    assert "it is a link" in err
    assert (tmp_path / "one" / "sdk" / "play.go").read_text() == "mine"


def test_python_has_no_sdk_to_renew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "python", str(tmp_path / "contract"), "--sdk")

    assert code == 2
    assert "the skeleton for python has no sdk/" in err
    assert "toolassay.adapter" in err
    assert not (tmp_path / "contract").exists()


# --- the Python skeleton -----------------------------------------------------------------------


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    write(skeleton("python"), tmp_path, force=False)
    return tmp_path


def test_the_python_skeleton_is_judged_at_once_and_conforms(contract: Path) -> None:
    code, printed = shell("toolassay run", contract)

    assert code == 0, printed
    assert printed.splitlines()[-1].startswith("CONFORMANT")
    assert "my-agent 0.1.0 (python:adapter:Adapter), core@1" in printed


def test_the_tests_of_the_python_skeleton_pass(contract: Path) -> None:
    command = "python -m pytest -q -p no:cacheprovider -k 'malformed or denied'"
    code, printed = shell(command, contract)

    assert code == 0, printed
    assert re.search(r"\d\d passed", printed)


def test_a_fault_in_the_agent_of_the_python_skeleton_is_found(contract: Path) -> None:
    agent = contract / "my_agent.py"
    text = agent.read_text()
    assert text.count("call.name in self.denied") == 1
    agent.write_text(text.replace("call.name in self.denied", "False"))
    code, printed = shell("toolassay run", contract)

    assert code == 1, printed
    assert "ORD-06" in printed


def test_what_fails_can_go_into_the_baseline_as_the_readme_says(contract: Path) -> None:
    agent = contract / "my_agent.py"
    agent.write_text(agent.read_text().replace("call.name in self.denied", "False"))
    (command,) = re.findall(
        r"^    (toolassay baseline .+)$", (contract / "README.md").read_text(), re.MULTILINE
    )
    shell(command, contract)
    code, printed = shell("toolassay run", contract)

    assert code == 0, printed
    assert "xfail" in printed


def test_the_commands_of_the_python_skeleton_are_sound_where_they_stand_in_ci(
    contract: Path,
) -> None:
    workflow = (contract / ".github/workflows/toolassay.yml").read_text()
    in_ci = set(re.findall(r"^      - run: (.+)$", workflow, re.MULTILINE))

    assert {
        "toolassay run --junit toolassay.xml --github-summary",
        "python -m pytest -q",
    } <= in_ci


def test_the_code_of_the_python_skeleton_is_written_as_ours_is(contract: Path) -> None:
    for command in ("format --check", "check --select E,F,I,B,UP,W"):
        code, printed = shell(f"python -m ruff {command} --isolated --line-length 100 .", contract)

        assert code == 0, printed
