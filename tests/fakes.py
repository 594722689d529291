"""A target that answers as a test wants, and cases for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import StringIO

import msgspec

from toolassay.baseline import Baseline, Ledger, scope_of
from toolassay.reports.out import Out
from toolassay.results import CaseFinished, CaseResult, Event, RunFinished, RunStarted
from toolassay.runner import Plan, rules_of, run
from toolassay.selection import Selection, select
from toolassay.spec.case import (
    CallMatch,
    Case,
    Expectation,
    ExpectExecutions,
    ExpectMessages,
    ResultMatch,
)
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import Execution, Executions, FacetName, History, Observation
from toolassay.spec.register import load_register
from toolassay.spec.scenario import Reply, Scenario, ScriptedCall, ToolScript
from toolassay.targets.base import DEADLINE_S, Answer, Implementation

REGISTER = load_register()

SCENARIO = Scenario(
    model=(Reply(calls=(ScriptedCall("c1", "write_file", '{"path":"a"}'),)), Reply(text="done")),
    tools=(ToolScript("write_file"),),
    policy={"write_file": "deny"},
)

NEVER = Expectation("ORD-06", executions=ExpectExecutions(never=CallMatch(call="c1")))
ANSWERED = Expectation("MSG-05", history=ExpectMessages(result=ResultMatch("c1")))


def case_of(
    identifier: str = "ord.denied-call-never-runs",
    expect: tuple[Expectation, ...] = (NEVER, ANSWERED),
    **more: object,
) -> Case:
    """Give a case in which a call is denied."""
    given: dict[str, object] = {
        "vector": identifier.partition("[")[0],
        "title": "A denied call does not run",
        "contract": "events",
        "kind": "negative",
        "operation": "turn/run",
        "scenario": SCENARIO,
        "expect": expect,
        **more,
    }
    return Case(id=identifier, **given)  # type: ignore[arg-type] # one place for all tests


def seen(*, ran: bool = False, answered: bool = True) -> Observation:
    """Give what an implementation shows that keeps the contract, or breaks it once."""
    call = ToolCall("c1", "write_file", '{"path":"a"}')
    messages = [Message("assistant", calls=(call,))]
    if answered:
        messages.append(Message("tool", "denied", tool_use_id="c1", is_error=True))
    messages.append(Message("assistant", "done"))
    entered = (Execution("write_file", '{"path":"a"}', call_id="c1"),) if ran else ()
    return Observation(history=History(tuple(messages)), executions=Executions(entered))


GOOD = Answer("ok", seen())
RAN = Answer("ok", seen(ran=True))


TWO = Selection(clauses=("ORD-06", "MSG-05"))
"""The clauses that the cases of `case_of` are about."""


class FakeTarget:
    """Answers each case as it is told to, and every other case well."""

    def __init__(
        self,
        answers: Mapping[str, Answer | Exception] | None = None,
        *,
        facets: tuple[FacetName, ...] = ("history", "executions"),
        features: tuple[str, ...] = (),
    ) -> None:
        self.answers = answers or {}
        self.asked: list[str] = []
        self.closed = 0
        self.implementation = Implementation(
            "my_agent", "1.2", ("turn/run",), facets, features, target="fake"
        )

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:  # noqa: ARG002 - the signature of targets
        """Answer a case."""
        self.asked.append(case.id)
        answer = self.answers.get(case.id, GOOD)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """Note that it was closed."""
        self.closed += 1


def plan_of(  # noqa: PLR0913 - each test wants another part
    target: FakeTarget,
    cases: Sequence[Case],
    *,
    profile: str = "core",
    baseline: Baseline | None = None,
    selection: Selection | None = None,
    stop_first: bool = False,
    jobs: int = 1,
    more: Callable[[], FakeTarget] | None = None,
) -> Plan:
    """Put a run together."""
    wanted = selection or Selection()
    chosen = select(cases, wanted)
    rules = rules_of(REGISTER, REGISTER.profile(profile), wanted.clauses)
    about = target.implementation
    started = RunStarted(
        "python:my_agent:adapter", about.name, about.version, deterministic=True,
        profile=rules.profile, seed=0, cases=len(chosen),
        repro="toolassay run python:my_agent:adapter",
    )  # fmt: skip
    return Plan(
        target,
        chosen,
        rules,
        started,
        more,
        Ledger(baseline) if baseline else None,
        scope_of(cases, chosen, wanted) if baseline else None,
        stop_first=stop_first,
        jobs=jobs,
    )


def results_of(plan: Plan) -> tuple[list[CaseResult], RunFinished]:
    """Run a plan; give the results and the end."""
    found: list[CaseResult] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            found.append(event.result)

    return found, run(plan, take)


def paper() -> tuple[Out, StringIO]:
    """Give something to write on, and what was written."""
    stream = StringIO()
    return Out(stream), stream


def events_of(plan: Plan) -> list[Event]:
    """Run a plan; give its events, as if it had taken 0.8 seconds."""
    events: list[Event] = []
    run(plan, events.append)
    last = events[-1]
    assert isinstance(last, RunFinished)
    return [*events[:-1], msgspec.structs.replace(last, seconds=0.84)]


def mixed() -> Plan:
    """A run with a divergence, a crash and a case that does not apply."""
    broken = case_of()
    crash = case_of("ord.crashes")
    gated = case_of("ord.gated", features=("gates",))
    answers = {broken.id: RAN, crash.id: Answer("crashed", message="exit status 3")}
    return plan_of(FakeTarget(answers), [broken, gated, crash], selection=TWO)
