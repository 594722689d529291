"""
Which execution belongs to which scripted call.

The link is certain where the execution knows a call id that names one call.
Elsewhere executions are matched as a multiset of tool name and arguments, and
what that leaves open stays open: nothing is laid at the door of a call that
another one can explain.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolassay.properties.script import Scripted, same_text_or_value
from toolassay.spec.observation import Execution


class Attribution(msgspec.Struct, frozen=True):
    """What is known of which execution belongs to which call."""

    owners: tuple[Scripted | None, ...]
    """For each execution the call that it certainly belongs to."""
    loose: tuple[int, ...]
    """Indices of the executions whose call is not known."""


def attribute(
    executions: Sequence[Execution],
    calls: Sequence[Scripted],
    actual: dict[tuple[int, int], str],
) -> Attribution:
    """Link executions with calls by call id, where it is known and names one call."""
    if _is_renamed(calls, actual):
        return Attribution((None,) * len(executions), tuple(range(len(executions))))
    by_id: dict[str, list[Scripted]] = {}
    for call in calls:
        identifier = actual.get((call.reply, call.at), call.call.id)
        by_id.setdefault(identifier, []).append(call)
    owners: list[Scripted | None] = []
    for execution in executions:
        found = by_id.get(execution.call_id, []) if execution.call_id is not None else []
        owners.append(found[0] if len(found) == 1 else None)
    loose = tuple(at for at, owner in enumerate(owners) if owner is None)
    return Attribution(tuple(owners), loose)


def _is_renamed(calls: Sequence[Scripted], actual: dict[tuple[int, int], str]) -> bool:
    """Tell whether ids are renamed, and those of some calls are not known: two may be one."""
    held = [actual.get((call.reply, call.at)) for call in calls]
    return None in held and any(
        name is not None and name != call.call.id for name, call in zip(held, calls, strict=True)
    )


def runs_of_malformed(
    executions: Sequence[Execution], calls: Sequence[Scripted], attribution: Attribution
) -> tuple[tuple[int, Scripted | None], ...]:
    """
    Give the executions that can only be those of malformed calls.

    Returns:
        The index of each, with its call where that is certain.
    """
    owned = [
        (at, owner)
        for at, owner in enumerate(attribution.owners)
        if owner is not None and owner.malformed
    ]
    loose: list[tuple[int, Scripted | None]] = []
    tools = dict.fromkeys(call.call.name for call in calls if call.malformed)
    for tool in tools:
        loose.extend((at, None) for at in _loose_runs(tool, executions, calls, attribution))
    return tuple(sorted([*owned, *loose], key=lambda run: run[0]))


def _loose_runs(
    tool: str, executions: Sequence[Execution], calls: Sequence[Scripted], known: Attribution
) -> list[int]:
    """Give the executions of a tool that no call but a malformed one can explain."""
    settled = {id(owner) for owner in known.owners if owner is not None}
    explainers = [
        call
        for call in calls
        if call.call.name == tool and not call.malformed and id(call) not in settled
    ]
    runs = [at for at in known.loose if executions[at].tool == tool]
    if not explainers:
        # A callback that fails may be run again: that is no run of the malformed call.
        return runs if not _settled_elsewhere(tool, calls, settled) else []
    excess = len(runs) - len(explainers)
    # A callback that fails may be run again.
    if excess <= 0 or explainers[0].behaviour.ends_in_error:
        return []
    strange = [at for at in runs if _explained_by_none(executions[at], explainers)]
    return strange[-excess:]


def _settled_elsewhere(tool: str, calls: Sequence[Scripted], settled: set[int]) -> bool:
    """Tell whether a sound call of the tool has an execution of its own."""
    return any(
        call.call.name == tool and not call.malformed and id(call) in settled for call in calls
    )


def _explained_by_none(execution: Execution, explainers: Sequence[Scripted]) -> bool:
    return all(
        same_text_or_value(execution.arguments, call.call.arguments) is False for call in explainers
    )


def _count_sound(
    executions: Sequence[Execution], call: Scripted, calls: Sequence[Scripted], known: Attribution
) -> tuple[int, int]:
    """
    Count the executions of a call that is not malformed.

    Returns:
        The least and the greatest number that the observation allows.
    """
    certain = sum(owner is call for owner in known.owners)
    alike = sum(_fits(executions[at], call) is True for at in known.loose)
    possible = sum(_fits(executions[at], call) is not False for at in known.loose)
    owned = {id(owner) for owner in known.owners if owner is not None}
    rivals = sum(
        other is not call and id(other) not in owned and _may_run_alike(other, call)
        for other in calls
    )
    return certain + max(0, alike - rivals), certain + possible


def count_of_call(
    executions: Sequence[Execution], call: Scripted, calls: Sequence[Scripted], known: Attribution
) -> tuple[int, int]:
    """Count the executions of a call, malformed or not: the least and the greatest number."""
    if not call.malformed:
        return _count_sound(executions, call, calls, known)
    runs = runs_of_malformed(executions, calls, known)
    alone = sum(one.malformed and one.call.name == call.call.name for one in calls)
    certain = sum(
        owner is call or (owner is None and executions[at].tool == call.call.name)
        for at, owner in runs
        if owner is not None or alone == 1
    )
    possible = sum(executions[at].tool == call.call.name for at in known.loose)
    return certain, max(certain, possible + sum(owner is call for _, owner in runs))


def _fits(execution: Execution, call: Scripted) -> bool | None:
    if execution.tool != call.call.name:
        return False
    return same_text_or_value(execution.arguments, call.call.arguments)


def _may_run_alike(one: Scripted, other: Scripted) -> bool:
    """Tell whether a call may run with the arguments of another: a mended text may be any."""
    if one.call.name != other.call.name:
        return False
    same = same_text_or_value(one.call.arguments, other.call.arguments)
    return one.malformed or same is not False
