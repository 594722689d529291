"""The events of the system of the pages are judged as its own codec writes them."""

import io
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from toolassay.check import Divergence, check_file
from toolassay.check_errors import CheckError
from toolassay.check_reading import Block
from toolassay.testing import TraceBroken, assert_trace

RECORDINGS = Path(__file__).parent.parent / "adapters/recorded/looprig/recordings.jsonl"

DENIED = "lr-013"
OUT_OF_ORDER = "lr-008"
GATED = "lr-055"
PLAIN = "lr-001"


@cache
def traces() -> dict[str, bytes]:
    """Give the deliveries of each recording as lines, with each body as it was written."""
    found = {}
    for line in RECORDINGS.read_text(encoding="utf-8").splitlines():
        recording = json.loads(line)
        deliveries = recording["observation"]["deliveries"]
        if all("body" in one and '"elided_bytes"' not in one["body"] for one in deliveries):
            found[recording["id"]] = "".join(map(as_line, deliveries)).encode()
    return found


def as_line(delivery: dict[str, object]) -> str:
    body = str(delivery["body"])
    beside = {"class": delivery["class"], "seq": delivery["seq"]}
    if f'"type":"{delivery["type"]}"' not in body:
        beside["type"] = delivery["type"]
    return json.dumps(beside)[:-1] + "," + body[1:] + "\n"


def broken(trace: bytes) -> set[str]:
    found: set[str] = set()

    def take(divergence: Divergence, _blocks: Sequence[Block]) -> None:
        if not divergence.finding.recorded:
            found.add(divergence.finding.clause)

    check_file(io.BytesIO(trace), "trace", take)
    return found


@pytest.mark.parametrize(
    ("name", "clauses"),
    [(PLAIN, set()), (DENIED, {"ORD-18"}), (OUT_OF_ORDER, {"DUR-02"}), (GATED, {"DUR-02"})],
)
def test_a_trace_of_its_events_is_judged(name: str, clauses: set[str]) -> None:
    assert broken(traces()[name]) == clauses


def test_no_trace_shows_a_fault_that_the_recordings_do_not() -> None:
    assert len(traces()) > 120
    assert set().union(*map(broken, traces().values())) == {"ORD-18", "DUR-02"}


def test_such_a_line_in_the_middle_of_a_trace_is_read_too() -> None:
    own = b'{"type":"TokenDelta"}\n' * 5_000

    assert broken(own + traces()[DENIED]) == {"ORD-18"}


def test_events_at_hand_may_be_in_that_form() -> None:
    lines = traces()[DENIED].splitlines()

    with pytest.raises(TraceBroken) as caught:
        assert_trace(lines)
    assert caught.value.clause == "ORD-18"
    with pytest.raises(TraceBroken):
        assert_trace([json.loads(line) for line in lines])


def test_messages_of_another_form_are_refused_and_not_half_read() -> None:
    event = {"type": "StepDone", "messages": [{"role": "assistant", "tool_calls": []}]}

    with pytest.raises(CheckError, match="tool_calls"):
        broken(json.dumps(event).encode())
