"""
What becomes of argument texts in two runs of one script (ARG-13).

The clause speaks of texts alone. Where a tool fails, hangs, is denied or does
not exist, the runs may part for that reason: a whole run may go on after an
exception that ends a streamed one. An empty text has no fragment at all, and
what it means is open (ARG-09). Then only calls that both runs hold are compared,
and what happened to them for the sake of their texts.
"""

from __future__ import annotations

from toolassay.properties.evidence import Evidence
from toolassay.properties.same import same_held_arguments
from toolassay.properties.script import Held, Scripted, same_text_or_value
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import contrasted, quoted
from toolassay.spec.finding import Place
from toolassay.spec.messages import Message
from toolassay.spec.observation import Observation
from toolassay.spec.scenario import Scenario

_EXPECTED = "a text means the same whole and in fragments"

_Key = tuple[int, int]
"""Which call of the script: its reply, and its position there."""

Seen = tuple[str, Evidence]
"""The id of a case, and what was seen of it."""


def may_part(scenario: Scenario | None) -> bool:
    """Tell whether two runs of a scenario may part for another reason than an argument text."""
    calls = Evidence(Observation(), scenario).calls
    return any(map(_is_rough, calls))


def _is_rough(scripted: Scripted) -> bool:
    behaviour = scripted.behaviour
    rough = behaviour.ends_in_error or behaviour.hangs
    return rough or scripted.denied or scripted.tool is None or not scripted.call.arguments


def compare_fates(first: Seen, other: Seen) -> Answer:
    """Compare what became of the texts of the calls that two runs hold."""
    pairs = _held_in_both(first[1], other[1])
    runs = _run_in_both(first[1], other[1])
    if not pairs and not runs:
        return Skip("one of the runs may have ended for another reason than a text")
    notes: list[Note] = []
    for one, two in pairs:
        notes.extend(_stored_otherwise(one, two, other[0]))
        if not any(map(_is_rough, first[1].script[one.scripted.reply])):
            notes.extend(_answered_otherwise(one, two, other[0]))
    for left, right in runs:
        notes.extend(_ran_otherwise((first[1], left), (other[1], right), other[0]))
    return notes


def _held_in_both(left: Evidence, right: Evidence) -> list[tuple[Held, Held]]:
    """Give the scripted calls that two whole histories hold."""
    known, found = _known(left, right), _known(right, left)
    return [(known[key], held) for key, held in found.items() if key in known]


def _known(evidence: Evidence, beside: Evidence) -> dict[_Key, Held]:
    """Give the held calls that are known for sure, by reply and position."""
    source = evidence.committed
    held = evidence.held_in(source) if source is not None and source.complete else ()
    return {_key(one.scripted): one for one in held if _is_known(one.scripted, evidence, beside)}


def _key(scripted: Scripted) -> _Key:
    return scripted.reply, scripted.at


def _is_known(scripted: Scripted, evidence: Evidence, beside: Evidence) -> bool:
    """Tell whether a call is itself: renamed ones are known by place, where no step is missing."""
    name = evidence.actual.get(_key(scripted), scripted.call.id)
    steps = [len(one.history.groups) for one in (evidence, beside)]
    return name == scripted.call.id or steps[0] == steps[1]


def _run_in_both(left: Evidence, right: Evidence) -> list[tuple[int, int]]:
    """Give the executions of calls that certainly ran once in two runs."""
    known, found = _run_once(left, right), _run_once(right, left)
    return [(known[key], at) for key, at in found.items() if key in known]


def _run_once(evidence: Evidence, beside: Evidence) -> dict[_Key, int]:
    owners = evidence.attribution.owners
    return {
        _key(owner): at
        for at, owner in enumerate(owners)
        if owner is not None
        and sum(one is owner for one in owners) == 1
        and _is_known(owner, evidence, beside)
    }


def _stored_otherwise(one: Held, two: Held, case: str) -> list[Note]:
    left, right = (held.group.assistant.calls[held.at].arguments for held in (one, two))
    same = same_held_arguments(left, right)
    if same is True:
        return []
    wanted, observed = contrasted(left, right)
    place = Place("history", part=case)
    return [
        Note(
            f"{_EXPECTED}: stored as {wanted}",
            f"in {case}: {observed}",
            place,
            two.id,
            recorded=same is None,
        )
    ]


def _answered_otherwise(one: Held, two: Held, case: str) -> list[Note]:
    """Compare the error flags of a call among siblings that have no failure of their own."""
    answers = [held.group.result_of(held.at) for held in (one, two)]
    flags = [answer.is_error if answer is not None else None for answer in answers]
    if None in flags or flags[0] == flags[1]:
        return []
    wanted, observed = (_told(answer) for answer in answers)
    place = Place("history", part=case)
    return [Note(f"{_EXPECTED}: {wanted}", f"in {case}: {observed}", place, two.id)]


def _told(answer: Message | None) -> str:
    assert answer is not None, "its flag was read"
    return f"{'an error' if answer.is_error else 'a result'}, {quoted(answer.text, 80)}"


def _ran_otherwise(one: tuple[Evidence, int], two: tuple[Evidence, int], case: str) -> list[Note]:
    left, right = (evidence.executions[at].arguments for evidence, at in (one, two))
    if same_text_or_value(left, right) is not False:
        return []
    wanted, observed = contrasted(left, right)
    place = Place("executions", two[1], case)
    return [Note(f"{_EXPECTED}: run with {wanted}", f"in {case}: {observed}", place)]
