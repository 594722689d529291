"""
The judge of one stream of events: a subscriber's deliveries, or the journal.

It reads each event once and keeps little (see `stream_state`). Types that the
contract does not know cost one look-up. An ephemeral event may be missing
anywhere, and nothing here takes its absence for a fault (DUR-17): what is
judged is only what is there, and enduring events that must still come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import ClassVar, Final

from toolassay.properties.names import CHECK_NAMES, RECORDED_IN_STREAMS, STREAM_CLAUSES
from toolassay.properties.stream_groups import disagreeing_bits, group_faults
from toolassay.properties.stream_shape import DESCRIBED, MISSING, named, place_faults, told
from toolassay.properties.stream_state import Call, Gate, Loop, Turn
from toolassay.properties.words import quoted
from toolassay.spec.events import TURN_ENDINGS, Event
from toolassay.spec.finding import Finding, Place
from toolassay.spec.observation import Delivery

_OTHER_STEP_ENDINGS: Final = ("StepCompleted", "StepFinished", "StepEnded", "StepCommitted")
_ALL: Final = frozenset(STREAM_CLAUSES)
_ONCE: Final = "at most one of this event for one execution id"

__all__ = ["STREAM_CLAUSES", "StreamJudge"]

Handler = Callable[["StreamJudge", Event], None]
"""What takes an event of one type."""

Rule = tuple[Handler | None, str | None]
"""The handler of a type, and its class where the pages describe it."""

_FOREIGN: Final[Rule] = (None, None)


class StreamJudge:
    """
    Judges the events of one stream as they come.

    Args:
        clauses: The clauses to judge; None for all of `STREAM_CLAUSES`.
        facet: What to call the facet in the places of findings.
        part: The name of the subscriber, if any.
    """

    def __init__(
        self, clauses: frozenset[str] | None = None, facet: str = "deliveries", part: str = ""
    ) -> None:
        self._clauses = _ALL if clauses is None else clauses
        self._facet = facet
        self._part = part
        self._found: list[Finding] = []
        self._index = 0
        self._fresh = True
        self._loops: defaultdict[tuple[str, str], Loop] = defaultdict(Loop)
        self._gates: dict[tuple[str, str], Gate] = {}
        self._last: dict[str, int] = {}
        # Events of a step come in a row, so where the last one stood is kept at hand.
        self._place = ("", "", "", "")
        self._here: tuple[Loop, Turn] | None = None

    def feed(self, index: int, delivery: Delivery) -> tuple[Finding, ...]:
        """Judge the next event; give what it broke."""
        event = delivery.event
        handler, described = self._RULES.get(event.type, _FOREIGN)
        seq = delivery.seq
        if handler is None and not seq and delivery.in_journal is not False:
            return ()
        self._index, self._fresh = index, True
        durability = described or delivery.durability
        if seq:
            last = self._last.get(event.session_id)
            if durability != "ephemeral" and (last is None or seq > last):
                self._last[event.session_id] = seq
            else:
                self._misnumbered(durability, seq, event)
        if delivery.in_journal is False and durability == "enduring":
            self._not_in_journal(event)
        if described is not None and (event.visibility or delivery.durability != described):
            self._check_described(delivery, described, event)
        if handler is not None:
            handler(self, event)
        return self._taken() if self._found else ()

    def finish(self, *, complete: bool) -> tuple[Finding, ...]:
        """End the stream; what must still come is judged only if it is complete."""
        if complete:
            for loop in self._loops.values():
                self._close_loop(loop)
        return self._taken()

    # --- findings ---

    def _report(
        self,
        clause: str,
        expected: str,
        observed: str,
        call: str = "",
        *,
        absent: bool = False,
        recorded: bool = False,
    ) -> None:
        if clause in self._clauses:
            place = Place(self._facet, None if absent else self._index, self._part)
            recorded = recorded or clause in RECORDED_IN_STREAMS
            self._found.append(
                Finding(clause, CHECK_NAMES[clause], expected, observed, place, call, recorded)
            )

    def _taken(self) -> tuple[Finding, ...]:
        found = tuple(self._found)
        self._found.clear()
        return found

    # --- what holds for every event ---

    def _misnumbered(self, durability: str, seq: int, event: Event) -> None:
        observed = f"{named(event)} has the number {seq}"
        if durability == "ephemeral":  # DUR-01
            expected = "no journal sequence number on an ephemeral event"
            self._report("DUR-01", expected, observed, event.tool_execution_id)
        else:  # DUR-02
            self._fresh = False
            expected = f"a sequence number above {self._last[event.session_id]}"
            self._report("DUR-02", expected, observed, event.tool_execution_id)

    def _not_in_journal(self, event: Event) -> None:
        self._report(
            "DUR-03",
            "an enduring event is in the journal before it is seen",
            f"{named(event)} was delivered while the journal did not hold it",
            event.tool_execution_id,
        )

    def _check_described(self, delivery: Delivery, described: str, event: Event) -> None:
        """Judge class and visibility of an event that the pages describe."""
        if delivery.durability != described and delivery.durability:
            expected = f"{event.type} is {described}"
            observed = f"it was delivered as {delivery.durability}"
            self._report("EVT-01", expected, observed, event.tool_execution_id)
        if event.visibility not in {0, 1}:
            observed = f"{named(event)} has the visibility {event.visibility}"
            self._report("EVT-04", "a visibility that exists", observed, event.tool_execution_id)

    def _stand(self, event: Event) -> tuple[Loop, Turn | None]:
        """Find loop and turn of an event of a step; no turn where it has ended."""
        here = self._here
        session, loop_id, turn_id, step = self._place
        if (
            here is not None
            and event.step_id == step
            and event.turn_id == turn_id
            and event.loop_id == loop_id
            and event.session_id == session
        ):
            return here
        faults = place_faults(event)
        for clause, expected, observed in faults:
            self._report(clause, expected, observed, event.tool_execution_id)
        loop = self._loop(event)
        if event.turn_id in loop.ended:
            return loop, None
        turn = loop.turns[event.turn_id]
        if not faults:  # each event that lacks an id is told of
            self._place = (event.session_id, event.loop_id, event.turn_id, event.step_id)
            self._here = loop, turn
        return loop, turn

    def _loop(self, event: Event) -> Loop:
        return self._loops[event.session_id, event.loop_id]

    # --- tool events ---

    def _call(self, event: Event, *, may_recur: bool) -> Call | None:
        """Find the open call of a tool event; None where nothing more can be judged of it."""
        loop, turn = self._stand(event)
        execution = event.tool_execution_id
        call = loop.calls.get(execution)
        if call is not None and turn is not None and call.step == event.step_id:
            return call  # a step whose calls are open is open
        if execution in MISSING:
            self._report("EVT-03", "a tool execution id", f"{named(event)} has none")
        if turn is None:
            # A turn that was cut may leave a callback behind, whose end is told late.
            if event.type != "ToolCallCompleted" or event.turn_id not in loop.cut:
                self._after_turn(event)
            return None
        if event.step_id in turn.closed:
            self._after_step(event)
            return None
        if execution in MISSING:
            return None
        if call is None:
            if execution in loop.closed:
                self._recurs(event, may_recur=may_recur)
                return None
            call = loop.calls[execution] = Call(event.step_id)
            if execution in loop.gated:
                loop.gated.remove(execution)
                call.approved = True
            turn.steps.setdefault(event.step_id, []).append(execution)
        else:
            self._report(
                "EVT-12",
                f"all events of the call carry one step, {told(call.step)}",
                f"{named(event)} carries step {told(event.step_id)}",
                execution,
            )
        return call

    def _after_turn(self, event: Event) -> None:
        self._report(
            "ORD-16",
            "a turn ends after its last call is over",
            f"{named(event)} comes after the end of its turn",
            event.tool_execution_id,
        )

    def _after_step(self, event: Event) -> None:
        name = named(event)
        if event.type == "ToolCallCompleted":
            self._report(
                "ORD-04",
                "ToolCallCompleted comes before its step's StepDone",
                f"{name} comes after it",
                event.tool_execution_id,
            )
        self._report(
            "ORD-10",
            "no tool event of a step after its StepDone",
            f"{name} comes after it",
            event.tool_execution_id,
        )

    def _recurs(self, event: Event, *, may_recur: bool) -> None:
        """Judge an execution id that was used up in an earlier step."""
        if may_recur:  # the last event of a call, strayed into a later step
            self._report(
                "EVT-12",
                "a call's events carry the step of the StepDone that answers it",
                f"{named(event)} of a call that is over carries step {told(event.step_id)}",
                event.tool_execution_id,
            )
        else:
            self._report(
                "EVT-09a",
                "an execution id belongs to one call of its loop",
                f"{named(event)} uses the id of a call of an earlier step again",
                event.tool_execution_id,
            )

    def _requested(self, event: Event) -> None:
        call = self._call(event, may_recur=False)
        if call is None:
            return
        if call.decisions and not call.requested:
            self._report(
                "ORD-01",
                "PermissionRequested comes before PermissionDecided",
                "it comes after it",
                event.tool_execution_id,
            )
        call.requested = True

    def _decided(self, event: Event) -> None:
        call = self._call(event, may_recur=False)
        if event.effect not in {"approve", "deny"}:
            self._bad_effect(event)
        if call is None:
            return
        call.decisions += 1
        if call.decisions > 1 and self._fresh:
            self._report("ORD-07", _ONCE, "a second PermissionDecided", event.tool_execution_id)
        self._outcome(call, event.effect, event)

    def _bad_effect(self, event: Event) -> None:
        observed = f"the effect {quoted(event.effect, 40)}"
        self._report("EVT-05", "the effect approve or deny", observed, event.tool_execution_id)
        if event.effect == "ask":
            expected = "no decision with the effect ask"
            self._report("GATE-02", expected, observed, event.tool_execution_id)

    def _outcome(self, call: Call, effect: str, event: Event) -> None:
        """Take in what was decided on a call, by policy or by a gate."""
        if effect == "approve":
            if call.started and not call.approved:
                self._report(
                    "ORD-02",
                    "the approval comes before ToolCallStarted",
                    f"{named(event)} comes after it",
                    event.tool_execution_id,
                )
            call.approved = True
        elif effect == "deny":
            if (call.started or call.completed) and not call.denied:
                self._denied_lifecycle("ToolCallStarted or ToolCallCompleted came before", event)
            call.denied = True

    def _denied_lifecycle(self, observed: str, event: Event) -> None:
        self._report(
            "ORD-18",
            "neither ToolCallStarted nor ToolCallCompleted of a denied call",
            observed,
            event.tool_execution_id,
        )

    def _asked(self, event: Event) -> None:
        call = self._call(event, may_recur=True)
        if call is not None:
            call.questioned = True

    def _started(self, event: Event) -> None:
        call = self._call(event, may_recur=False)
        if call is None:
            return
        if call.started:
            self._report("ORD-07", _ONCE, "a second ToolCallStarted", event.tool_execution_id)
        elif call.completed:
            self._report(
                "ORD-03",
                "ToolCallStarted comes before ToolCallCompleted",
                "it comes after it",
                event.tool_execution_id,
            )
        if call.denied:
            self._denied_lifecycle("ToolCallStarted", event)
        call.started = True

    def _completed(self, event: Event) -> None:
        call = self._call(event, may_recur=True)
        if call is None:
            return
        if call.completed:
            self._report("ORD-07", _ONCE, "a second ToolCallCompleted", event.tool_execution_id)
            return
        if call.denied:
            self._denied_lifecycle("ToolCallCompleted", event)
        call.completed, call.error = True, event.is_error

    # --- gates ---

    def _gate_opened(self, event: Event) -> None:
        if event.gate_id:
            loop, execution = self._loop(event), event.tool_execution_id
            call = loop.calls.get(execution)
            # A gate of a call that runs, or that asks for input, does not decide on the call.
            decides = call is None or not (call.started or call.questioned)
            self._gates[event.session_id, event.gate_id] = Gate(loop, execution, decides)

    def _gate_resolved(self, event: Event) -> None:
        gate = self._gates.pop((event.session_id, event.gate_id), None)
        loop = gate.loop if gate is not None else self._loop(event)
        execution = event.tool_execution_id or (gate.execution if gate is not None else "")
        call = loop.calls.get(execution)
        if call is None:
            loop.loose_gates |= not execution
            if execution and execution not in loop.closed and event.action.lower() == "approve":
                loop.gated.add(execution)
        elif not call.questioned and (gate.decides if gate is not None else not call.started):
            self._outcome(call, event.action.lower(), event)

    # --- steps ---

    def _other_step_ending(self, event: Event) -> None:
        # What a foreign type means is only guessed from its name.
        expected, observed = "no step completion event but StepDone", f"an event {named(event)}"
        self._report("EVT-11", expected, observed, recorded=True)

    def _step_done(self, event: Event) -> None:
        loop, turn = self._stand(event)
        loop.steps_done += 1
        self._check_group(event)
        if turn is None:
            if self._fresh:
                expected = "a turn ends after its last StepDone"
                self._report("ORD-16", expected, "a StepDone comes after it")
            return
        if event.step_id in turn.closed:
            if self._fresh:
                observed = f"a second one of {told(event.step_id)}"
                self._report("ORD-19", "one StepDone for a step", observed)
            return
        if event.step_id not in MISSING:
            turn.closed.add(event.step_id)
        self._close_step(loop, turn, event)

    def _check_group(self, event: Event) -> None:
        for fault in group_faults(event.messages):
            self._report(
                fault.clause, fault.expected, fault.observed, fault.call, recorded=fault.recorded
            )

    def _close_step(self, loop: Loop, turn: Turn, event: Event) -> None:
        executions = turn.steps.pop(event.step_id, [])
        calls = [loop.calls.pop(execution) for execution in executions]
        loop.closed.update(executions)
        if not event.messages or event.messages[0].role != "assistant":
            return
        expected = len(event.messages[0].calls)
        turn.unseen += max(0, expected - len(calls))
        if len(calls) > expected:
            self._report(
                "EVT-09",
                f"one execution id for each of the {expected} calls of the step",
                f"events with {len(calls)} execution ids",
                executions[-1],
            )
        for observed in disagreeing_bits(calls, event.messages):
            self._report("ORD-14", "error bits as the results of the step say", observed)

    # --- turns ---

    def _turn_started(self, event: Event) -> None:
        loop = self._loop(event)
        if event.turn_id not in loop.ended:
            loop.turns[event.turn_id].started = True

    def _turn_ended(self, event: Event) -> None:
        self._here = None
        loop = self._loop(event)
        if event.turn_id in loop.ended:
            if self._fresh:
                self._report("ORD-16", "a turn ends once", f"{event.type} ends it again")
            return
        if event.turn_id not in MISSING:
            loop.ended.add(event.turn_id)
            if event.type != "TurnDone":
                loop.cut.add(event.turn_id)
        turn = loop.turns.pop(event.turn_id, None)
        if turn is None:
            return
        if event.type == "TurnDone" and loop.steps_done:
            self._check_open(loop, turn)
        for executions in turn.steps.values():
            loop.closed.update(executions)
            for execution in executions:
                loop.calls.pop(execution, None)

    def _check_open(self, loop: Loop, turn: Turn) -> None:
        """Judge the calls whose step is not done when the turn is done."""
        if loop.loose_gates:  # which of the calls they denied is not known
            return
        for step, executions in turn.steps.items():
            # A denial may end the turn in place of the step, and its siblings with it (ORD-11).
            if any(loop.calls[name].denied for name in executions):
                continue
            if turn.unseen:
                self._report(
                    "EVT-12",
                    "a call's events carry the step of the StepDone that answers it",
                    f"they carry step {told(step)}, which has none",
                    executions[0],
                )
            else:
                self._report(
                    "ORD-16",
                    "a turn is done when none of its calls is open",
                    f"no StepDone of step {told(step)} has answered the call",
                    executions[0],
                )

    def _close_loop(self, loop: Loop) -> None:
        for name, turn in loop.turns.items():
            for executions in turn.steps.values():
                denied = [one for one in executions if loop.calls[one].denied]
                if denied:
                    self._report(
                        "ORD-11",
                        "after a denial a StepDone or the end of the turn",
                        "neither came",
                        denied[0],
                        absent=True,
                    )
            if turn.started:
                observed = f"turn {told(name)} has none"
                self._report("ORD-16", "an end of every turn", observed, absent=True)

    # Each type has one handler, so that a foreign type costs one look-up.
    _HANDLERS: ClassVar[dict[str, Handler]] = {
        "PermissionRequested": _requested,
        "PermissionDecided": _decided,
        "UserInputRequested": _asked,
        "ToolCallStarted": _started,
        "ToolCallCompleted": _completed,
        "StepDone": _step_done,
        "GateOpened": _gate_opened,
        "GateResolved": _gate_resolved,
        "TurnStarted": _turn_started,
        **dict.fromkeys(TURN_ENDINGS, _turn_ended),
        **dict.fromkeys(_OTHER_STEP_ENDINGS, _other_step_ending),
    }
    _RULES: ClassVar[dict[str, Rule]] = {
        name: (handler, DESCRIBED.get(name)) for name, handler in _HANDLERS.items()
    }
