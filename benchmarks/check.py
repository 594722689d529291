"""What judging a recorded trace costs, beside decoding the same file and doing nothing with it."""

import gc
import tempfile
import tracemalloc
from pathlib import Path

import msgspec
from measure import Row, budget, least, row, show

from toolassay.check import Summary, check_file
from toolassay.properties.stream import StreamJudge
from toolassay.runner.rules import rules_of
from toolassay.simulator.reference import Reference
from toolassay.spec.canonical import canonical
from toolassay.spec.observation import Delivery
from toolassay.spec.register import load_register
from toolassay.spec.scenario import Reply, Scenario, ScriptedCall, ToolScript

TITLE = "check of a recorded trace"
RATIO_MOST = 3.0
TURNS = 2_000
CALLS = 4

SCENARIO = Scenario(
    model=tuple(
        reply
        for turn in range(8)
        for reply in (
            Reply(
                calls=tuple(
                    ScriptedCall(f"c{turn}.{n}", "read_file", '{"path":"a"}') for n in range(CALLS)
                )
            ),
            Reply("done"),
        )
    ),
    tools=(ToolScript("read_file"),),
    users=("go",) * 8,
)
"""Eight turns; the file repeats them, each time as another session."""


def deliveries(sessions: int) -> list[Delivery]:
    """Make the deliveries of many sessions, each with ids of its own."""
    reference = Reference()
    found: list[Delivery] = []
    for seed in range(sessions):
        seen = reference.turn_run(SCENARIO, seed).deliveries
        assert seen is not None
        found += seen.subscriptions[0].deliveries
    return found


def measure() -> list[Row]:
    made = deliveries(TURNS // 8)
    register = load_register()
    rules = rules_of(register, register.profile("core"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.jsonl")
        path.write_bytes(b"".join(canonical(one) + b"\n" for one in made))
        size = path.stat().st_size / 1e6
        decode = msgspec.json.Decoder(Delivery).decode

        def bare() -> None:
            with path.open("rb") as file:
                for line in file:
                    decode(line)

        def judged() -> None:
            # As the command does: what is read forms no cycles.
            gc.disable()
            try:
                with path.open("rb") as file:
                    check_file(
                        file, "trace", _refuse, clauses=rules.clauses, complete=True,
                        summary=Summary(),
                    )  # fmt: skip
            finally:
                gc.enable()

        decoded, checked = least(bare, judged)
    ratio = checked / decoded
    kept = budget(ratio, RATIO_MOST)
    return [
        row(
            f"bare decode, {len(made):,} events, {size:.1f} MB",
            decoded / len(made) * 1e6,
            "us/event",
        ),
        Row(
            "check", f"{checked / len(made) * 1e6:.3f} us/event", f"{ratio:.2f} x bare decode", kept
        ),
        row("memory kept for a closed call", _bytes_per_call(), "bytes"),
    ]


def _refuse(*found: object) -> None:
    raise SystemExit(f"the reference's own trace is not sound: {found}")


def _bytes_per_call() -> float:
    """Let the judge alone see twice as many calls; tell what it keeps of each."""
    made = deliveries(100)
    half = len(made) // 2
    judge = StreamJudge()
    tracemalloc.start()
    for index, one in enumerate(made[:half]):
        judge.feed(index, one)
    before = tracemalloc.get_traced_memory()[0]
    calls = 0
    for index, one in enumerate(made[half:], start=half):
        judge.feed(index, one)
        calls += one.event.type == "PermissionDecided"
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before) / max(1, calls)


if __name__ == "__main__":
    show(TITLE, measure())
