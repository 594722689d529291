"""
Relations: clauses that several observations must keep together.

The observations of the cases of one group are compared with the first of them:
histories up to the renaming of call ids, executions as a multiset, and how the
turns ended. ARG-13 is about argument texts alone, so there less is compared
where runs may part for another reason.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolassay.properties.evidence import Evidence, tool_or_assistant
from toolassay.properties.groups import split
from toolassay.properties.names import CHECK_NAMES
from toolassay.properties.same import first_difference
from toolassay.properties.script import is_what_returned, same_text_or_value
from toolassay.properties.text_fates import compare_fates, may_part
from toolassay.properties.verdict import Answer, Note, Skip, Verdict, verdict_of
from toolassay.spec.case import Case
from toolassay.spec.finding import Place
from toolassay.spec.messages import Message
from toolassay.spec.observation import Execution, Observation
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Text, shown

Member = tuple[Case, Observation]
"""A case and what was seen of it."""


def relate(clause: str, members: Sequence[Member]) -> Verdict:
    """
    Judge the observations of one relation together.

    Args:
        clause: Id of the clause, such as ARG-13.
        members: The cases of the relation with their observations, two or more.
    """
    name = CHECK_NAMES.get(clause, "relation")
    if len(members) < 2:
        return verdict_of(clause, name, Skip("fewer than two observations"))
    first, notes, judged = members[0], list[Note](), False
    whys: list[str] = []
    for other in members[1:]:
        for answer in _answers(clause, first, other):
            if isinstance(answer, Skip):
                whys.append(answer.why)
            else:
                judged = True
                notes.extend(answer)
    why = whys[0] if len(set(whys)) == 1 else "no facet that both have whole"
    return verdict_of(clause, name, notes if judged else Skip(why))


def _answers(clause: str, first: Member, other: Member) -> tuple[Answer, ...]:
    if clause == "ARG-13" and may_part(first[0].scenario):
        seen = [(case.id, Evidence(shown, case.scenario)) for case, shown in (first, other)]
        return (compare_fates(seen[0], seen[1]),)
    return _histories(first, other), _runs(first, other), _endings(first, other)


def _histories(first: Member, other: Member) -> Answer:
    one, two = first[1].history, other[1].history
    if one is None or two is None or {one.status, two.status} != {"complete"}:
        return Skip("facet history")
    found = first_difference(
        normalised(one.messages, first[0].scenario), normalised(two.messages, other[0].scenario)
    )
    if found is None:
        return []
    return [
        Note(
            f"the history as in {first[0].id}: {found.left}",
            f"in {other[0].id}: {found.right}",
            Place("history", part=other[0].id),
            recorded=found.undecided,
        )
    ]


def normalised(
    messages: Sequence[Message], scenario: Scenario | None = None
) -> tuple[Message, ...]:
    """
    Rename call ids by position, and put results in the order of their calls.

    With a scenario a result keeps the words of the script alone: those of the
    runtime may hold ids and times, which differ from run to run.
    """
    found: list[Message] = []
    projected = tool_or_assistant(messages)
    groups = split(projected)
    found.extend(projected[at] for at in groups.strays)
    for number, group in enumerate(groups.groups):
        calls = tuple(
            msgspec.structs.replace(call, id=f"{number}.{at}")
            for at, call in enumerate(group.assistant.calls)
        )
        found.append(msgspec.structs.replace(group.assistant, calls=calls))
        for at, answers in enumerate(group.pairing.answers):
            found.extend(
                msgspec.structs.replace(group.results[index], tool_use_id=f"{number}.{at}")
                for index in answers
            )
        found.extend(group.results[index] for index in group.pairing.orphans)
    if scenario is None:
        return tuple(found)
    return tuple(_in_words_of_the_script(one, scenario) for one in found)


def _in_words_of_the_script(message: Message, scenario: Scenario) -> Message:
    if message.role != "tool":
        return message
    said = (
        tool.behaviour for tool in scenario.tools if is_what_returned(message.text, tool.behaviour)
    )
    behaviour = next(said, None)
    text: Text = ""
    if behaviour is not None:
        text = behaviour.fails or behaviour.returns or "ok"
    return msgspec.structs.replace(message, text=text)


def _runs(first: Member, other: Member) -> Answer:
    one, two = first[1].executions, other[1].executions
    if one is None or two is None or {one.status, two.status} != {"complete"}:
        return Skip("facet executions")
    extra, lack = _unmatched(one.executions, two.executions)
    notes = [
        Note(
            f"the executions of {first[0].id}",
            f"{shown(run.tool, 60)}({shown(run.arguments, 60)}) {word} in {other[0].id}",
            Place("executions", part=other[0].id),
        )
        for runs, word in ((extra, "runs besides"), (lack, "does not run"))
        for run in runs
    ]
    return notes[:8]


def _unmatched(
    left: Sequence[Execution], right: Sequence[Execution]
) -> tuple[list[Execution], list[Execution]]:
    """Match executions as multisets; an undecided comparison counts as a match."""
    lack = list(left)
    extra: list[Execution] = []
    for run in right:
        fits = [_alike(one, run) for one in lack]
        at = next((i for i, same in enumerate(fits) if same), None)
        if at is None:
            at = next((i for i, same in enumerate(fits) if same is None), None)
        if at is None:
            extra.append(run)
        else:
            lack.pop(at)
    return extra, lack


def _alike(one: Execution, other: Execution) -> bool | None:
    if one.tool != other.tool:
        return False
    return same_text_or_value(one.arguments, other.arguments)


def _endings(first: Member, other: Member) -> Answer:
    one, two = first[1].ending, other[1].ending
    if one is None or two is None or {one.status, two.status} != {"complete"}:
        return Skip("facet ending")
    ways = [" ".join(turn.how for turn in ending.turns) or "none" for ending in (one, two)]
    if ways[0] == ways[1]:
        return []
    place = Place("ending", part=other[0].id)
    return [Note(f"the endings of {first[0].id}: {ways[0]}", f"in {other[0].id}: {ways[1]}", place)]
