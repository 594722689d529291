"""Where the calls that an expectation names stand, and why one may rightly stand nowhere."""

from __future__ import annotations

from toolassay.properties.evidence import Evidence, Source
from toolassay.properties.groups import Group
from toolassay.properties.script import Scripted
from toolassay.properties.siblings import must_run


def find_call(
    identifier: str, evidence: Evidence, source: Source
) -> list[tuple[Group, int, Scripted | None]]:
    """
    Find a scripted call in groups: by its place in the script, or else by its very id.

    Returns:
        Each group that holds it, with its position there and what the script says of it.
    """
    held = evidence.held_in(source)
    found: list[tuple[Group, int, Scripted | None]] = [
        (one.group, one.at, one.scripted) for one in held if one.scripted.call.id == identifier
    ]
    if found:
        return found
    matched = {id(one.group) for one in held}
    return [
        (group, at, None)
        for group in source.groups
        if id(group) not in matched
        for at, call in enumerate(group.assistant.calls)
        if call.id == identifier
    ]


def fell_with_its_turn(clause: str, evidence: Evidence, identifier: str | None = None) -> bool:
    """
    Tell whether a failed turn explains that a call stands in no committed group.

    MSG speaks of groups that are committed. A turn that failed may have
    committed none; whether it should have failed is for other clauses to say.

    Args:
        clause: The clause that is judged; only those of MSG are excused.
        evidence: The observation.
        identifier: The scripted id of the call; any call of the script if not given.
    """
    ending = evidence.observation.ending
    failed = ending is not None and any(turn.how == "failed" for turn in ending.turns)
    if not failed or not clause.startswith("MSG-"):
        return False
    named = [identifier] if identifier is not None else [one.call.id for one in evidence.calls]
    return any(
        not any(find_call(one, evidence, source) for source in evidence.sources) for one in named
    )


def may_be_unreached(scripted: Scripted, evidence: Evidence) -> bool:
    """
    Tell whether a turn may rightly end before the step of a call is committed.

    A denial may end it (ORD-11), and the pages leave open what a callback that
    throws or hangs does to it, or whether a failure leads to another request.
    """
    scenario = evidence.scenario
    assert scenario is not None, "there is a scripted call"
    if any(reply.breaks for reply in scenario.model[: scripted.reply + 1]):
        return True
    if any(
        not must_run(one) or _fails(one) for r in evidence.script[: scripted.reply] for one in r
    ):
        return True
    return any(one.denied or _is_rough(one) for one in evidence.script[scripted.reply])


def _is_rough(scripted: Scripted) -> bool:
    return scripted.behaviour.raises is not None or scripted.behaviour.hangs


def _fails(scripted: Scripted) -> bool:
    return scripted.behaviour.ends_in_error or scripted.behaviour.hangs
