"""Results are told as they come: while others are awaited, at a failure, at an interrupt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from fakes import ANSWERED, GOOD, RAN, REGISTER, TWO, FakeTarget, case_of, plan_of, seen

from toolassay.baseline import Baseline, Entry
from toolassay.results import CaseFinished, CaseResult, Event, RunFinished
from toolassay.runner import Plan, judge_relations, rules_of, run
from toolassay.runner.relating import joined
from toolassay.runner.repeating import CutShortError, held_against
from toolassay.selection import Selection
from toolassay.spec.case import Case, RelationRef
from toolassay.spec.errors import TargetError
from toolassay.targets.base import DEADLINE_S, Answer

WAIT_S = 60
"""Longest wait for what comes at once; only what fails waits for it."""

OTHERWISE = Answer("ok", seen(ran=True))
"""What is another outcome than that of the other cases of a relation."""


class Gate:
    """Lets a target in, tells that it is there, and keeps it until it is opened."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()

    def pass_through(self) -> None:
        self.entered.set()
        assert self.opened.wait(WAIT_S), "nobody opened the gate"

    def wait(self) -> None:
        assert self.entered.wait(WAIT_S), "nobody came to the gate"


class GatedTarget(FakeTarget):
    """Waits at the gate of a case; all gates open when it is closed, as an adapter is killed."""

    def __init__(
        self,
        gates: dict[str, Gate],
        answers: dict[str, Answer | Exception] | None = None,
        *,
        second: bool = False,
    ) -> None:
        super().__init__(answers)
        self.gates = gates
        self.second = second
        if second:
            self.implementation = msgspec.structs.replace(self.implementation, deterministic=True)

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        answer = super().run(case, seed, deadline_s)
        times = 2 if self.second else 1
        if case.id in self.gates and self.asked.count(case.id) == times:
            self.gates[case.id].pass_through()
        return answer

    def close(self) -> None:
        super().close()
        for gate in self.gates.values():
            gate.opened.set()


class Told:
    """What a run has told so far; it runs in a thread of its own."""

    def __init__(self, plan: Plan) -> None:
        self.results: list[CaseResult] = []
        self.finished: RunFinished | None = None
        self._grown = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(plan,), daemon=True)
        self._thread.start()

    @property
    def ids(self) -> list[str]:
        return [result.case.id for result in self.results]

    def wait_for(self, ids: Sequence[str]) -> None:
        with self._grown:
            told = self._grown.wait_for(lambda: len(self.results) >= len(ids), WAIT_S)
        assert told, f"only {self.ids} were told"
        assert self.ids == list(ids)

    def end(self) -> RunFinished:
        self._thread.join(WAIT_S)
        assert self.finished is not None
        return self.finished

    def _run(self, plan: Plan) -> None:
        self.finished = run(plan, self._take)

    def _take(self, event: Event) -> None:
        if isinstance(event, CaseFinished):
            with self._grown:
                self.results.append(event.result)
                self._grown.notify()


def members(owner: str, *others: str, vector: str = "ord.v") -> list[Case]:
    """Give the cases of one relation."""
    reference = RelationRef("DUR-04", owner)
    return [
        case_of(name, (ANSWERED,), relations=(reference,), vector=vector)
        for name in (owner, *others)
    ]


def alone(*names: str, vector: str = "ord.v") -> list[Case]:
    """Give cases that no relation joins with others."""
    return [case_of(name, vector=vector) for name in names]


def relation_of(result: CaseResult) -> str:
    """Give the status of the relation of a result; empty if it has none."""
    return next((one.status for one in result.checks if one.check == "relation.DUR-04"), "")


def told_of(plan: Plan) -> tuple[list[str], RunFinished]:
    """Run a plan; give the ids of what was told, and the end."""
    ids: list[str] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            ids.append(event.result.case.id)

    return ids, run(plan, take)


# --- while others are awaited ---------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_result_is_told_while_the_next_case_of_its_vector_runs(jobs: int) -> None:
    cases = alone(*(f"ord.v[n={n}]" for n in range(5)))
    gate = Gate()
    target, other = (GatedTarget({cases[3].id: gate}) for _ in range(2))
    told = Told(plan_of(target, cases, selection=TWO, jobs=jobs, more=lambda: other))
    gate.wait()
    told.wait_for([case.id for case in cases[:3]])
    gate.opened.set()

    assert told.end().cases == {"pass": 5}
    assert told.ids == [case.id for case in cases]


@pytest.mark.parametrize("jobs", [1, 2])
def test_only_what_comes_after_the_owner_of_an_open_relation_waits_with_it(jobs: int) -> None:
    """As soon as the last case of the relation is there, all of that is told."""
    owner, member = members("ord.o", "ord.m")
    first, between, last = alone("ord.a", "ord.b", "ord.c")
    cases = [first, owner, between, member, last]
    gates = {member.id: Gate(), last.id: Gate()}
    target, other = (GatedTarget(gates, {member.id: OTHERWISE}) for _ in range(2))
    told = Told(plan_of(target, cases, jobs=jobs, more=lambda: other))
    gates[member.id].wait()
    told.wait_for(["ord.a"])
    gates[member.id].opened.set()
    gates[last.id].wait()
    told.wait_for(["ord.a", "ord.o", "ord.b", "ord.m"])
    gates[last.id].opened.set()
    told.end()

    assert [relation_of(result) for result in told.results] == ["", "fail", "", "", ""]


def test_an_owner_that_is_not_the_first_of_its_relation_keeps_nothing_before_it() -> None:
    member, owner = members("ord.o", "ord.m")[::-1]
    gate = Gate()
    told = Told(plan_of(GatedTarget({owner.id: gate}), [member, owner]))
    gate.wait()
    told.wait_for(["ord.m"])
    gate.opened.set()
    told.end()

    assert [relation_of(result) for result in told.results] == ["", "pass"]


def test_an_owner_of_several_relations_waits_for_all_of_them() -> None:
    """Its checks stand in the order in which the cases name the relations."""
    references = RelationRef("DUR-04", "ord.o"), RelationRef("ARG-13", "ord.o")
    owner = case_of("ord.o", (ANSWERED,), relations=references, vector="ord.v")
    one, other = (
        case_of(name, (ANSWERED,), relations=(reference,), vector="ord.v")
        for name, reference in zip(("ord.y", "ord.z"), reversed(references), strict=True)
    )
    gate = Gate()
    told = Told(plan_of(GatedTarget({other.id: gate}), [owner, one, other]))
    gate.wait()
    assert told.ids == []
    gate.opened.set()
    told.end()
    names = [check.check for check in told.results[0].checks]

    assert told.ids == ["ord.o", "ord.y", "ord.z"]
    assert names[-2:] == ["relation.DUR-04", "relation.ARG-13"]


def test_results_can_be_judged_together_afterwards() -> None:
    owner, member = members("ord.o", "ord.m")
    observed = [CaseResult(owner, "pass", (), "", GOOD.observation),
                CaseResult(member, "pass", (), "", OTHERWISE.observation)]  # fmt: skip
    judged = judge_relations(observed, rules_of(REGISTER, REGISTER.profile("core")))

    assert [relation_of(result) for result in judged] == ["fail", ""]


def test_cases_are_parted_by_the_relations_that_join_them() -> None:
    """Two relations that have a case in common join all of their cases."""
    left, right, far = (RelationRef("ARG-13", name) for name in ("left", "right", "far"))
    given = {"a": (left,), "b": (far,), "c": (right,), "d": (left, right), "e": (far,)}
    cases = [case_of(name, relations=those) for name, those in given.items()]

    parts = [[case.id for case in part] for part in joined(cases)]
    assert parts == [["a", "c", "d"], ["b", "e"]]


# --- the first failure ----------------------------------------------------------------------


def test_exitfirst_stops_within_a_vector() -> None:
    cases = [*members("ord.o", "ord.m"), *alone("ord.bad", "ord.c"), *members("ord.p", "ord.q")]
    target = FakeTarget({"ord.bad": RAN})
    ids, finished = told_of(plan_of(target, cases, stop_first=True))

    assert target.asked == ids == ["ord.o", "ord.m", "ord.bad"]
    assert finished.cases["not_run"] == 3


def test_exitfirst_stops_at_a_failure_that_waits_for_a_relation() -> None:
    """No further case is run, and what waits is told."""
    owner, member = members("ord.o", "ord.m")
    target = FakeTarget({"ord.bad": RAN})
    cases = [owner, *alone("ord.bad"), member]
    ids, finished = told_of(plan_of(target, cases, stop_first=True))

    assert target.asked == ids == ["ord.o", "ord.bad"]
    assert finished.cases == {"fail": 1, "not_run": 1, "pass": 1}


def test_exitfirst_stops_when_a_relation_fails() -> None:
    cases = [*members("ord.o", "ord.m"), *alone("ord.c")]
    target = FakeTarget({"ord.m": OTHERWISE})
    ids, finished = told_of(plan_of(target, cases, stop_first=True))

    assert target.asked == ids == ["ord.o", "ord.m"]
    assert finished.exit_code == 1


def test_exitfirst_does_not_stop_at_a_known_failure_that_waits() -> None:
    owner, member = members("ord.o", "ord.m")
    cases = [owner, *alone("ord.bad"), member]
    known = Baseline((Entry("ORD-06", case="ord.bad"),))
    target, wanted = FakeTarget({"ord.bad": RAN}), Selection(clauses=(*TWO.clauses, "DUR-04"))
    plan = plan_of(target, cases, stop_first=True, baseline=known, selection=wanted)
    ids, finished = told_of(plan)

    assert ids == ["ord.o", "ord.bad", "ord.m"]
    assert finished.exit_code == 0


def test_a_known_failure_of_a_relation_is_not_gone_where_it_was_not_judged() -> None:
    """Another check of its clause passes; the case by which the relation fails is not run."""
    reference = RelationRef("MSG-05", "ord.o")
    owner, member = (
        case_of(name, (ANSWERED,), relations=(reference,), vector="ord.v")
        for name in ("ord.o", "ord.m")
    )
    known = Baseline((Entry("MSG-05", case="ord.o"),))
    target = FakeTarget({"ord.bad": RAN})
    cases = [owner, *alone("ord.bad"), member]
    plan = plan_of(target, cases, stop_first=True, baseline=known)
    ids, finished = told_of(plan)

    assert ids == ["ord.o", "ord.bad"]
    assert (finished.problems, finished.checks.get("xpass", 0)) == ((), 0)


# --- cut short ------------------------------------------------------------------------------


def interrupting(wait: Callable[[], None], told: list[str]) -> Callable[[Event], None]:
    """Interrupt a run at its first result, when something else has come about."""

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            told.append(event.result.case.id)
            if len(told) == 1:
                wait()
                raise KeyboardInterrupt

    return take


def test_an_interrupt_loses_nothing_that_a_worker_has_finished() -> None:
    """What stands behind a case that is not finished is told too, and in order."""
    cases = [case_of(f"ord.{vector}[n={n}]") for vector in "abc" for n in range(3)]
    gates = {"ord.a[n=1]": Gate(), "ord.c[n=0]": Gate()}
    told: list[str] = []

    def wait() -> None:
        for gate in gates.values():
            gate.wait()

    target, other = GatedTarget(gates), GatedTarget(gates)
    plan = plan_of(target, cases, selection=TWO, jobs=2, more=lambda: other)
    finished = run(plan, interrupting(wait, told))

    assert told == ["ord.a[n=0]", "ord.b[n=0]", "ord.b[n=1]", "ord.b[n=2]"]
    assert finished.cases == {"pass": 4, "not_run": 5}
    assert (finished.verdict, finished.exit_code) == ("interrupted", 130)


def test_an_interrupt_tells_what_waits_for_a_relation() -> None:
    first, (owner, member) = alone("ord.a"), members("ord.o", "ord.m")
    target = FakeTarget({member.id: KeyboardInterrupt()})  # type: ignore[dict-item]
    ids, finished = told_of(plan_of(target, [*first, owner, member]))

    assert ids == ["ord.a", "ord.o"]
    assert finished.cases == {"pass": 2, "not_run": 1}
    assert finished.exit_code == 130


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_target_that_is_lost_takes_no_result_with_it(jobs: int) -> None:
    owner, member = members("ord.o", "ord.m")
    lost: dict[str, Answer | Exception] = {member.id: TargetError("gone")}
    plan = plan_of(
        FakeTarget(lost), [*alone("ord.a"), owner, member], jobs=jobs, more=lambda: FakeTarget(lost)
    )
    ids, finished = told_of(plan)

    assert ids == ["ord.a", "ord.o"]
    assert finished.reasons[0] == "gone"


def test_an_interrupt_of_the_second_run_of_a_case_keeps_the_first() -> None:
    result = CaseResult(case_of(), "pass", (), "", GOOD.observation)
    reason = KeyboardInterrupt()

    def again() -> Answer:
        raise reason

    with pytest.raises(CutShortError) as caught:
        held_against(result, again)
    assert (caught.value.result, caught.value.reason) == (result, reason)


def test_an_interrupted_second_run_ends_the_run_and_its_case_is_told() -> None:
    class Interrupted(GatedTarget):
        def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
            if case.id in self.asked:
                raise KeyboardInterrupt
            return super().run(case, seed, deadline_s)

    ids, finished = told_of(plan_of(Interrupted({}, second=True), [case_of(), case_of("ord.b")]))

    assert (len(ids), finished.exit_code) == (1, 130)
    assert finished.cases == {"pass": 1, "not_run": 1}


def test_the_first_run_of_a_case_is_told_when_a_worker_is_interrupted_in_the_second() -> None:
    cases = [case_of("ord.a"), case_of("ord.b"), case_of("ord.c")]
    gates = {"ord.b": Gate(), "ord.c": Gate()}
    told: list[str] = []

    def wait() -> None:
        for gate in gates.values():
            gate.wait()

    target, other = (GatedTarget(gates, second=True) for _ in range(2))
    plan = plan_of(target, cases, selection=TWO, jobs=2, more=lambda: other)
    finished = run(plan, interrupting(wait, told))

    assert told == ["ord.a", "ord.b", "ord.c"]
    assert finished.cases == {"pass": 3}
    assert finished.exit_code == 130


# --- from the outside -----------------------------------------------------------------------


HANGING = """
import json, os, sys, time

asked = 0
for line in sys.stdin.buffer:
    request = json.loads(line)
    method, answer = request["method"], {"result": {"status": "ok"}}
    asked += method == "event/validate"
    if asked == int(sys.argv[1]):
        open(f"hangs{os.getpid()}", "w").close()
        time.sleep(600)
    if method == "initialize":
        about = {"protocol": 1, "name": "x", "operations": ["event/validate"], "facets": []}
        answer = {"result": {**about, "window": int(sys.argv[2])}}
    elif method == "toolassay/unknown":
        answer = {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
    if method == "shutdown":
        break
"""
"""An adapter that answers until it is asked for the N-th event, and then no more."""


def started(folder: Path, *arguments: str, jobs: str, window: str = "1") -> subprocess.Popen[str]:
    """Run an adapter that hangs at the fifth event that it is asked for."""
    (folder / "adapter.py").write_text(HANGING)
    target = f"stdio:'{sys.executable}' -S -E adapter.py 5 {window}"
    command = [sys.executable, "-m", "toolassay", "run", target, "-j", jobs, "--ndjson", "r"]
    return subprocess.Popen(
        [*command, "--deadline", "60", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def judged(folder: Path) -> list[dict[str, object]]:
    """Give the cases that stand in the report so far, and were answered."""
    report = folder / "r"
    text = report.read_text() if report.exists() else ""
    lines = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
    return [line for line in lines if line.get("status") in {"pass", "fail"}]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("window", ["1", "8"])
def test_each_line_of_the_report_is_there_before_the_next_case_is_answered(
    tmp_path: Path, jobs: str, window: str
) -> None:
    """The adapter itself is tried with one event, so three of the run are answered."""
    running = started(tmp_path, "--case", "evt.missing-coordinate*", jobs=jobs, window=window)
    while running.poll() is None and len(judged(tmp_path)) < 3:
        os.sched_yield()
    alive = running.poll() is None
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)

    assert (alive, len(judged(tmp_path)), running.returncode) == (True, 3, 130), said


def test_an_interrupt_leaves_in_the_report_what_every_worker_has_finished(tmp_path: Path) -> None:
    """One was tried beforehand and has three answers; the other has four, which stand behind."""
    running = started(tmp_path, "--case", "evt.*", jobs="2")
    hanging = 0
    while running.poll() is None and (hanging < 2 or len(judged(tmp_path)) < 3):
        hanging = len(list(tmp_path.glob("hangs*")))
        os.sched_yield()
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)
    lines = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()]
    counts = lines[-1]["counts"]["cases"]

    assert running.returncode == 130, said
    assert len(judged(tmp_path)) == 7
    assert counts["not_run"] == lines[0]["selected"] - len(lines[1:-1])
