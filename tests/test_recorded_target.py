"""Recordings as a target: its cases, its answers, and what bad files come to."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from toolassay.baseline_file import load_baseline
from toolassay.properties.judge import judge
from toolassay.recordings import errors, lines
from toolassay.spec.case import Case
from toolassay.spec.messages import Message
from toolassay.spec.observation import History, Observation
from toolassay.spec.register import load_register
from toolassay.spec.scenario import Reply, Scenario
from toolassay.targets import recorded
from toolassay.targets.base import Answer
from toolassay.targets.open import open_target
from toolassay.targets.recorded import RecordedTarget

LOOPRIG: dict[str, list[object]] = {"history": [], "deliveries": [], "journal": []}
OWN = Observation(history=History((Message("assistant", "hi"),)))


def own(identifier: str, **more: object) -> str:
    line = {"id": identifier, "observation": msgspec.to_builtins(OWN), **more}
    return json.dumps(line)


def written(folder: Path, *texts: str | bytes, end: str = "\n") -> Path:
    path = folder / "recordings.jsonl"
    data = [text if isinstance(text, bytes) else text.encode() for text in texts]
    path.write_bytes(b"\n".join(data) + end.encode())
    return path


def answers(path: Path) -> list[tuple[Case, Answer]]:
    target = RecordedTarget(path)
    return [(case, target.run(case)) for case in target.cases()]


def test_each_recording_is_a_case_without_expectations(tmp_path: Path) -> None:
    scenario = msgspec.to_builtins(Scenario(model=(Reply(text="hi"),)))
    path = written(tmp_path, own("a", scenario=scenario), own("b"))
    (one, first), (two, _) = answers(path)
    assert (one.id, two.id) == ("recorded.a", "recorded.b")
    assert (one.operation, one.expect) == ("turn/run", ())
    assert one.scenario == Scenario(model=(Reply(text="hi"),))
    assert two.scenario is None
    assert first.observation is not None
    assert first.observation.history == OWN.history


def test_a_facet_that_was_not_recorded_is_left_out_with_a_reason(tmp_path: Path) -> None:
    ((_, answer),) = answers(written(tmp_path, own("a")))
    assert answer.observation is not None
    assert set(answer.observation.omitted) == {
        "requests", "executions", "deliveries", "journal", "ending",
    }  # fmt: skip


def test_one_file_may_hold_both_forms(tmp_path: Path) -> None:
    looprig = json.dumps({"id": "lr-1", "scenario": {}, "observation": LOOPRIG})
    found = answers(written(tmp_path, looprig, own("b")))
    assert [answer.status for _, answer in found] == ["ok", "ok"]


def test_a_folder_stands_for_its_recordings(tmp_path: Path) -> None:
    written(tmp_path, own("a"))
    target = open_target(f"recorded:{tmp_path}")
    assert target.implementation.facets
    case = next(iter(RecordedTarget(tmp_path).cases()))
    assert target.run(case).status == "ok"


def test_a_folder_without_recordings_jsonl_stands_for_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text(own("b") + "\n")
    (tmp_path / "a.jsonl").write_text(own("a") + "\nx\n")
    target = RecordedTarget(tmp_path)
    assert [case.id for case in target.cases()] == ["recorded.a", "recorded.a.line-2", "recorded.b"]


def test_what_was_recorded_is_named_beside_the_recordings(repository: Path, tmp_path: Path) -> None:
    shipped = RecordedTarget(repository / "adapters" / "recorded" / "looprig").implementation
    assert (shipped.name, shipped.version) == ("looprig/harness", "v0.28.0")
    written(tmp_path, own("a"))
    assert RecordedTarget(tmp_path).implementation.name == tmp_path.name


def test_an_observation_of_a_case_of_the_kit_answers_that_very_case(tmp_path: Path) -> None:
    target = RecordedTarget(written(tmp_path, own("ord.x[tool=y]")))
    (case,) = target.cases()
    asked = msgspec.structs.replace(case, id="ord.x[tool=y]", vector="ord.x")
    assert target.run(asked).status == "ok"
    unknown = msgspec.structs.replace(case, id="ord.z", vector="ord.z")
    assert target.run(unknown).status == "rejected"


def test_a_case_is_answered_without_walking_the_cases_first(tmp_path: Path) -> None:
    path = written(tmp_path, own("a"))
    case = next(iter(RecordedTarget(path).cases()))
    assert RecordedTarget(path).run(case).status == "ok"


def test_more_recordings_than_are_kept_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "_KEPT", 1)
    found = answers(written(tmp_path, own("a"), own("b"), own("c")))
    assert [answer.status for _, answer in found] == ["ok"] * 3
    target = RecordedTarget(tmp_path)
    assert [target.run(case).status for case in list(target.cases())] == ["ok"] * 3


SYNTAX = "line is no JSON"

FAULTS: dict[str, tuple[str | bytes, str]] = {
    "garbage": ("x", SYNTAX),
    "a line cut in the middle": ('{"id":"q","obs', SYNTAX),
    "bytes": (b"\x00\xff\xfe\x00", "no UTF-8 at byte"),
    "another form": ('{"id":"q","requests":[]}', "no `id` or no `observation`"),
    "a list": ("[1]", "but no object"),
    "an observation that is a text": ('{"id":"q","observation":"x"}', "`observation` is no object"),
    "two forms at once": (
        '{"id":"q","observation":{"history":[],"journal":{}}}', "neither all lists",
    ),
    "a facet of a wrong shape": (
        '{"id":"q","observation":{"history":{"messages":1}}}', "recording q: Expected",
    ),
    "a wrong shape in the other form": (
        '{"id":"q","observation":{"history":[],"deliveries":[1]}}', "recording q: ",
    ),
    "base64 that is none": (
        '{"id":"q","observation":{"journal":[{"type":"x","body_b64":"?"}]}}', "recording q: ",
    ),
    "an id that no case can have": ('{"id":"a b","observation":{}}', "an id is up to"),
    "a depth that no reader takes": ("[" * 200_000, "nested too deeply"),
    "depth in a facet": (
        '{"id":"q","observation":{"history":' + "[" * 200_000 + "}}", "nested too deeply",
    ),
    "NaN": ('{"id":"q","observation":{"n":NaN}}', SYNTAX),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_line_is_a_case_in_error_and_the_others_run_on(fault: str, tmp_path: Path) -> None:
    line, said = FAULTS[fault]
    path = written(tmp_path, own("a"), line, own("b"))
    found = answers(path)
    assert [case.id for case, _ in found] == ["recorded.a", "recorded.line-2", "recorded.b"]
    assert [answer.status for _, answer in found] == ["ok", "error", "ok"]
    message = found[1][1].message
    assert said in message
    assert message.startswith(f"{path}:2 (byte {len(own('a')) + 1}): ")
    assert found[1][1].detail


def test_a_file_that_ends_within_a_line_is_told_so(tmp_path: Path) -> None:
    found = answers(written(tmp_path, own("a"), own("b")[:-5], end=""))
    assert "the file ends within this line" in found[1][1].message


def test_a_last_line_without_a_line_end_is_read(tmp_path: Path) -> None:
    found = answers(written(tmp_path, own("a"), end=""))
    assert [answer.status for _, answer in found] == ["ok"]


def test_the_second_of_two_equal_ids_is_in_error(tmp_path: Path) -> None:
    found = answers(written(tmp_path, own("a"), own("a")))
    assert [(case.id, answer.status) for case, answer in found] == [
        ("recorded.a", "ok"),
        ("recorded.line-2", "error"),
    ]


def test_a_line_that_is_too_long_is_measured_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LINE_MAX", 200)
    monkeypatch.setattr(lines, "_CHUNK", 64)
    found = answers(written(tmp_path, own("a"), "y" * 1000, own("b")))
    assert [answer.status for _, answer in found] == ["ok", "error", "ok"]
    assert "1000 bytes; at most 200 are read" in found[1][1].message


def test_blank_lines_are_nothing(tmp_path: Path) -> None:
    assert len(answers(written(tmp_path, "", own("a"), "   ", own("b"), ""))) == 2


def test_a_file_of_rubbish_is_given_up_after_many_faults(tmp_path: Path) -> None:
    found = answers(written(tmp_path, *(["x"] * 500)))
    assert len(found) == recorded.MAX_FAULTS + 1
    assert "left alone" in found[-1][1].message
    assert all(answer.status == "error" for _, answer in found)


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_an_empty_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(errors.RecordingEmptyError):
        RecordedTarget(path)


def test_a_path_without_recordings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.RecordingFileError):
        RecordedTarget(tmp_path)
    with pytest.raises(errors.RecordingFileError):
        RecordedTarget(tmp_path / "none.jsonl")


def test_a_note_on_what_was_recorded_that_is_not_readable_is_refused(tmp_path: Path) -> None:
    written(tmp_path, own("a"))
    (tmp_path / recorded.ABOUT).write_text("[]")
    with pytest.raises(errors.RecordingFileError):
        RecordedTarget(tmp_path)


def test_the_shipped_recordings_fail_exactly_as_their_baseline_says(repository: Path) -> None:
    folder = repository / "adapters" / "recorded" / "looprig"
    baseline = load_baseline(folder / "baseline.yaml", load_register().clauses)
    target = RecordedTarget(folder)
    failing = {
        (case.id, verdict.clause)
        for case in target.cases()
        for verdict in judge(_seen(target, case), case.scenario, case)
        if verdict.status == "fail"
    }
    assert failing == {(entry.case, entry.clause) for entry in baseline.entries}


def _seen(target: RecordedTarget, case: Case) -> Observation:
    observation = target.run(case).observation
    assert observation is not None
    return observation
