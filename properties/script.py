"""
The script beside the run: which held call is which scripted call.

The k-th assistant message stands for the k-th reply. Where it holds the
very ids of the reply, they name its calls, in whatever order they stand; an
implementation may rename ids, and then its i-th call stands for the i-th
scripted call. Where that cannot be relied upon (a reply whose stream broke, a
message that names other tools) the two are out of step until equal ids put them
in step again; what stands between is not matched, and no check judges it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from toolassay.properties.groups import Group
from toolassay.spec.json_text import ArgumentsVerdict, judge_arguments
from toolassay.spec.json_value import same_value
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall, ToolScript
from toolassay.spec.text import Text, bytes_of

_ORDINARY = Behaviour()
_SOUND_AND_NOT = {"valid", "malformed"}
_TELLING = 8
"""Bytes of a returned text from which on it is no accident inside another text."""


class Scripted(msgspec.Struct, frozen=True):
    """One call of the script, and what is known of it."""

    reply: int
    """Number of its reply."""
    at: int
    """Its position in the reply."""
    call: ScriptedCall
    """The call."""
    verdict: ArgumentsVerdict
    """What ARG-09 says of its arguments."""
    tool: ToolScript | None
    """Its tool; None if the implementation has no such tool."""
    denied: bool
    """True if the policy denies its tool."""

    @property
    def malformed(self) -> bool:
        """Tell whether its arguments are no JSON; false where that is only recorded."""
        return self.verdict.kind == "malformed"

    @property
    def plain(self) -> bool:
        """Tell whether its arguments are a JSON object that all readers read alike."""
        verdict = self.verdict
        return (
            verdict.kind == "valid"
            and verdict.is_object
            and verdict.duplicate_key is None
            and verdict.number_out_of_range is None
        )

    @property
    def behaviour(self) -> Behaviour:
        """Give the behaviour of its tool."""
        return self.tool.behaviour if self.tool is not None else _ORDINARY


class Held(msgspec.Struct, frozen=True):
    """A scripted call where it stands in messages."""

    scripted: Scripted
    """The scripted call."""
    group: Group
    """The step group that holds it."""
    at: int
    """Its position among the calls of the group."""

    @property
    def id(self) -> str:
        """Give the id under which the implementation holds it."""
        return self.group.assistant.calls[self.at].id


@lru_cache(maxsize=1024)
def verdict_on_text(text: Text) -> ArgumentsVerdict:
    """Judge an argument text; a text that cannot be read at all is malformed."""
    return judge_arguments(readable(text))


def readable(text: Text) -> bytes:
    """Give the bytes of a text; base64 that is not well formed stands for itself."""
    if isinstance(text, str):  # the plain case comes first: every check of arguments asks this
        return text.encode("utf-8", "surrogatepass")
    try:
        return bytes_of(text)
    except ValueError:
        return text.base64.encode("utf-8", "surrogatepass")


def same_text_or_value(one: Text, other: Text) -> bool | None:
    """Compare argument texts: equal bytes, or else equal JSON values; None if undecided."""
    if one == other:
        return True
    same = same_value(readable(one), readable(other))
    if same is None and {verdict_on_text(one).kind, verdict_on_text(other).kind} == _SOUND_AND_NOT:
        return False
    return same


def returned_by(behaviour: Behaviour) -> bytes:
    """Give what a callback returns, without blanks around it."""
    returned = behaviour.fails if behaviour.fails is not None else behaviour.returns
    return readable("ok" if returned is None else returned).strip()


def is_what_returned(text: Text, behaviour: Behaviour) -> bool:
    """Tell whether a result is for sure what its callback returned, perhaps with more around it."""
    wanted, found = returned_by(behaviour), readable(text).strip()
    return found == wanted or (len(wanted) >= _TELLING and wanted in found)


def telling_return(behaviour: Behaviour) -> bytes | None:
    """Give what a callback returns, if that is long enough to be known again."""
    returned = behaviour.fails if behaviour.fails is not None else behaviour.returns
    if returned is None or behaviour.raises is not None or behaviour.hangs:
        return None
    found = readable(returned).strip()
    return found if len(found) >= _TELLING else None


def scripted_calls(scenario: Scenario) -> tuple[tuple[Scripted, ...], ...]:
    """Give the calls of a scenario, reply by reply."""
    tools = {tool.name: tool for tool in reversed(scenario.tools)}
    return tuple(
        tuple(
            Scripted(
                number,
                at,
                call,
                verdict_on_text(call.arguments),
                tools.get(call.name),
                scenario.policy.get(call.name) == "deny",
            )
            for at, call in enumerate(reply.calls)
        )
        for number, reply in enumerate(scenario.model)
    )


class Aligned(msgspec.Struct, frozen=True):
    """A group that stands for a reply."""

    reply: int
    """Number of the reply."""
    group: Group
    """The group."""
    positions: tuple[int, ...]
    """For each call of the reply its position in the group."""


def align(groups: Sequence[Group], replies: Sequence[Reply]) -> list[Aligned]:
    """Match groups with replies, in order."""
    matched: list[Aligned] = []
    number, in_step = 0, True
    for group in groups:
        if in_step and number >= len(replies):
            break
        if in_step and _says_nothing(group, replies[number]):
            continue
        # The very ids of a later reply outweigh the position: the model was asked again.
        found = _same_ids(group, replies, number)
        if found is None and in_step:
            found = _at_number(group, replies, number)
        in_step = found is not None
        if found is not None:
            matched.append(found)
            number = found.reply + 1
    return matched


def _says_nothing(group: Group, reply: Reply) -> bool:
    """Tell whether a message is none of the script: an empty one where calls are to come."""
    empty = not group.assistant.calls and not group.assistant.text and not group.results
    return empty and bool(reply.calls)


def _at_number(group: Group, replies: Sequence[Reply], number: int) -> Aligned | None:
    """Match a group with the reply of a number, if it can stand for it."""
    at = _positions(group, replies[number]) if not replies[number].breaks else None
    return Aligned(number, group, at) if at is not None else None


def _positions(group: Group, reply: Reply) -> tuple[int, ...] | None:
    """Give for each call of a reply its position in a group; None if they do not match."""
    held = group.assistant.calls
    if len(held) != len(reply.calls):
        return None
    as_sent = tuple(range(len(held)))
    if [one.id for one in held] == [one.id for one in reply.calls]:  # as nearly always
        return as_sent if _same_names(group, reply, as_sent) else None
    by_id = {one.id: at for at, one in enumerate(held)}
    if len(by_id) == len(held) and by_id.keys() == {one.id for one in reply.calls}:
        by_ids = tuple(by_id[one.id] for one in reply.calls)
        if _same_names(group, reply, by_ids):
            return by_ids
    return as_sent if _same_names(group, reply, as_sent) else None


def _same_names(group: Group, reply: Reply, at: Sequence[int]) -> bool:
    held = group.assistant.calls
    return all(held[n].name == one.name for n, one in zip(at, reply.calls, strict=True))


def _same_ids(group: Group, replies: Sequence[Reply], start: int) -> Aligned | None:
    """Match a group with the first reply from `start` that has the very ids of its calls."""
    held = group.assistant.calls
    if not held:
        return None
    for number in range(start, len(replies)):
        found = _at_number(group, replies, number)
        if found is not None and all(
            held[n].id == one.id
            for n, one in zip(found.positions, replies[number].calls, strict=True)
        ):
            return found
    return None
