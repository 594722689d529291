"""
Step groups: an assistant message with the results that follow it.

Everything here is pure and knows messages alone. Results are paired by id as a
multiset of outstanding calls, so that an id which stands twice in one message
means two calls (MSG-13).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from toolassay.spec.messages import Message, ToolCall


class Pairing(msgspec.Struct, frozen=True):
    """Which results answer which calls."""

    answers: tuple[tuple[int, ...], ...]
    """For each call, the indices of its results among the results."""
    orphans: tuple[int, ...]
    """Indices of results whose id is that of no call."""

    @property
    def unanswered(self) -> tuple[int, ...]:
        """Give the indices of calls without a result."""
        return tuple(at for at, found in enumerate(self.answers) if not found)

    @property
    def repeated(self) -> tuple[int, ...]:
        """Give the indices of calls with more than one result."""
        return tuple(at for at, found in enumerate(self.answers) if len(found) > 1)

    @property
    def whole(self) -> bool:
        """Tell whether every call has exactly one result, and there is no other."""
        return not self.orphans and all(len(found) == 1 for found in self.answers)


class Group(msgspec.Struct, frozen=True):
    """One step group in a list of messages."""

    index: int
    """Position of the assistant message in the list."""
    assistant: Message
    """The assistant message."""
    positions: tuple[int, ...]
    """Positions of the results in the list."""
    results: tuple[Message, ...]
    """The results."""
    pairing: Pairing
    """Which results answer which calls."""

    def result_of(self, call: int) -> Message | None:
        """Give the one result of a call; None if it has none or several."""
        found = self.pairing.answers[call]
        return self.results[found[0]] if len(found) == 1 else None


class Groups(msgspec.Struct, frozen=True):
    """A list of messages, cut into step groups."""

    groups: tuple[Group, ...]
    """The groups, in order."""
    strays: tuple[int, ...]
    """Positions of results that stand before any assistant message."""


def pair(calls: Sequence[ToolCall], results: Sequence[Message]) -> Pairing:
    """Pair results with calls; a result without any id takes the next open call."""
    if [call.id for call in calls] == [result.tool_use_id for result in results]:
        return _in_order(len(calls))  # as nearly always
    answers: list[list[int]] = [[] for _ in calls]
    orphans: list[int] = []
    queues: dict[str | None, list[int]] = {None: list(range(len(calls)))}
    for at, call in enumerate(calls):
        queues.setdefault(call.id, []).append(at)
    fronts = dict.fromkeys(queues, 0)
    for index, result in enumerate(results):
        queue = queues.get(result.tool_use_id)
        if not queue:
            orphans.append(index)
            continue
        front = fronts[result.tool_use_id]
        while answers[queue[front]] and front + 1 < len(queue):
            front += 1
        fronts[result.tool_use_id] = front
        answers[queue[front]].append(index)
    return Pairing(tuple(map(tuple, answers)), tuple(orphans))


@lru_cache(maxsize=64)
def _in_order(count: int) -> Pairing:
    return Pairing(tuple((at,) for at in range(count)), ())


def repeat_ids(calls: Sequence[ToolCall]) -> bool:
    """Tell whether an id stands twice in one message: what becomes of it is recorded (MSG-14)."""
    return len({call.id for call in calls}) < len(calls)


def first_displaced(
    calls: Sequence[ToolCall], results: Sequence[Message], pairing: Pairing
) -> int | None:
    """
    Give the first call whose result stands before that of a call ahead of it (MSG-10).

    Which result is whose has to be beyond doubt: nothing is said where an id stands
    twice, and calls with several results and results without an id are passed over.
    """
    if repeat_ids(calls):
        return None
    last = -1
    for at, found in enumerate(pairing.answers):
        if len(found) != 1 or results[found[0]].tool_use_id is None:
            continue
        if found[0] < last:
            return at
        last = found[0]
    return None


def split(messages: Sequence[Message]) -> Groups:
    """
    Cut a list of messages into step groups.

    A result belongs to the last assistant message before it, whatever stands
    between the two.
    """
    groups: list[Group] = []
    strays: list[int] = []
    head = -1
    tail: list[int] = []
    for index, message in enumerate(messages):
        if message.role == "assistant":
            if head >= 0:
                groups.append(_group(messages, head, tail))
            head, tail = index, []
        elif message.role == "tool":
            (tail if head >= 0 else strays).append(index)
    if head >= 0:
        groups.append(_group(messages, head, tail))
    return Groups(tuple(groups), tuple(strays))


def _group(messages: Sequence[Message], head: int, tail: list[int]) -> Group:
    assistant = messages[head]
    results = tuple(messages[at] for at in tail)
    return Group(head, assistant, tuple(tail), results, pair(assistant.calls, results))
