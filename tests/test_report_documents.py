"""Documents of a run: their schemas, what stands in them, and the digest of behaviour."""

# ruff: noqa: ANN401 - a report is any class that takes events

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from fakes import RAN, FakeTarget, case_of, events_of, mixed, paper, plan_of

from toolassay.baseline import Baseline, Entry
from toolassay.reports.digest import case_digest, renamed
from toolassay.reports.json_report import JsonReport
from toolassay.reports.ndjson import NdjsonReport
from toolassay.results import CaseFinished
from toolassay.runner import Plan
from toolassay.spec.events import Event as Delivered
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Ending,
    Journal,
    Observation,
    Record,
    Subscription,
    TurnEnding,
)
from toolassay.targets.base import Answer

CASE = case_of()


# --- documents ------------------------------------------------------------------------------


def schema(repository: Path, name: str) -> jsonschema.Draft202012Validator:
    text = (repository / f"spec/schemas/report-{name}.json").read_text()
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


def documents(plan: Plan, kind: Any) -> str:
    out, stream = paper()
    report = kind(out)
    for event in events_of(plan):
        report(event)
    return stream.getvalue()


def stale() -> Plan:
    baseline = Baseline((Entry("ORD-06", "ord.gone", reason="r"),))
    return plan_of(FakeTarget({CASE.id: RAN}), [CASE, case_of("ord.b")], baseline=baseline)


@pytest.mark.parametrize("plan", [mixed, stale])
def test_every_line_of_the_ndjson_report_is_of_its_schema(plan: Any, repository: Path) -> None:
    lines = [json.loads(line) for line in documents(plan(), NdjsonReport).splitlines()]
    for line in lines:
        schema(repository, "ndjson").validate(line)

    assert [line["type"] for line in lines][0 :: len(lines) - 1] == ["header", "footer"]
    assert lines[-1]["exit_code"] == 1


@pytest.mark.parametrize("plan", [mixed, stale])
def test_the_json_report_is_of_its_schema_and_says_what_the_ndjson_says(
    plan: Any, repository: Path
) -> None:
    document = json.loads(documents(plan(), JsonReport))
    schema(repository, "run").validate(document)
    lines = [json.loads(line) for line in documents(plan(), NdjsonReport).splitlines()]

    assert document["canonical_digest"] == lines[-1]["canonical_digest"]
    assert document["counts"] == lines[-1]["counts"]
    assert [case["id"] for case in document["cases"]] == [line["id"] for line in lines[1:-1]]


def test_the_json_report_counts_every_status_and_names_what_does_not_apply() -> None:
    document = json.loads(documents(mixed(), JsonReport))

    assert document["schema_version"] == 1
    assert (document["verdict"], document["exit_code"]) == ("non-conformant", 1)
    assert document["counts"]["cases"]["crashed"] == 1
    assert document["counts"]["cases"]["xpass"] == 0
    assert document["not_applicable"] == {"feature gates": 1}


def test_what_depends_on_the_host_stands_apart() -> None:
    one = json.loads(documents(mixed(), JsonReport))
    two = json.loads(documents(mixed(), JsonReport))
    del one["host"], two["host"]

    assert one == two


# --- the digest -----------------------------------------------------------------------------


def streamed(session: str, first: int, execution: str, effect: str = "deny") -> Observation:
    events = (
        Delivered(
            "PermissionDecided", session_id=session, tool_execution_id=execution, effect=effect
        ),
        Delivered("StepDone", session_id=session, event_id=f"{session}-{execution}"),
    )
    deliveries = tuple(Delivery(event, seq=first + 3 * n) for n, event in enumerate(events))
    journal = Journal(tuple(Record(first + 3 * n, event) for n, event in enumerate(events)))
    return Observation(deliveries=Deliveries((Subscription(deliveries),)), journal=journal)


def digest_of(observation: Observation) -> str:
    plan = plan_of(FakeTarget({CASE.id: Answer("ok", observation)}), [CASE])
    (result,) = (e.result for e in events_of(plan) if isinstance(e, CaseFinished))
    return case_digest(msgspec.structs.replace(result, checks=(), observation=observation))


def test_equal_behaviour_has_an_equal_digest_whatever_ids_were_drawn() -> None:
    assert digest_of(streamed("s", 5, "e")) == digest_of(streamed("other", 70, "x"))


def test_another_behaviour_has_another_digest() -> None:
    one = digest_of(streamed("s", 5, "e"))

    assert one != digest_of(streamed("s", 5, "e", "approve"))
    assert one != digest_of(streamed("s", 5, "s"[:0]))


def test_joins_between_ids_are_kept() -> None:
    twice = renamed(streamed("s", 5, "e"))
    first, second = twice["deliveries"]["subscriptions"][0]["deliveries"]

    assert first["event"]["session_id"] == second["event"]["session_id"]
    assert [first["seq"], second["seq"]] == [1, 2]
    assert twice["journal"]["records"][1]["event"]["event_id"] == second["event"]["event_id"]


def test_native_error_texts_are_not_part_of_a_digest() -> None:
    texts = [Observation(ending=Ending((TurnEnding(0, "failed", f"at 0x{n}"),))) for n in range(2)]
    none = Observation(ending=Ending((TurnEnding(0, "failed"),)))

    assert digest_of(texts[0]) == digest_of(texts[1])
    assert digest_of(texts[0]) != digest_of(none)
