"""What a scenario asks of an implementation, or of its adapter: its features."""

from __future__ import annotations

from toolassay.authoring.cuts import is_inside_character
from toolassay.spec.scenario import Reply, Scenario
from toolassay.spec.text import Base64, bytes_of

__all__ = ["FEATURES", "features_of"]

FEATURES: tuple[str, ...] = (
    "policy",
    "parallel",
    "sequential",
    "stream-text",
    "stream-bytes",
    "stream-breaks",
    "stream-stall",
    "subscribers",
    "stall",
    "next-turn",
    "raises",
    "hangs",
    "waits",
)
"""All feature words, in the order of reports."""


def features_of(scenario: Scenario | None) -> tuple[str, ...]:
    """Derive the features that a case needs; stateless operations need none."""
    if scenario is None:
        return ()
    behaviours = [tool.behaviour for tool in scenario.tools]
    subscribers = scenario.subscribers
    batches = any(len(reply.calls) > 1 for reply in scenario.model)
    needed = {
        "policy": "deny" in scenario.policy.values(),
        "parallel": batches and not scenario.sequential,
        "sequential": scenario.sequential,
        "stream-text": any(reply.streamed for reply in scenario.model),
        "stream-bytes": any(_needs_bytes(reply) for reply in scenario.model),
        "stream-breaks": any(reply.breaks for reply in scenario.model),
        "stream-stall": any(reply.stall > 0 for reply in scenario.model),
        "subscribers": len(subscribers) > 1,
        "stall": any(subscriber.stalls_after is not None for subscriber in subscribers),
        "next-turn": len(scenario.users) > 1,
        "raises": any(behaviour.raises is not None for behaviour in behaviours),
        "hangs": any(behaviour.hangs for behaviour in behaviours),
        "waits": any(behaviour.waits_for is not None for behaviour in behaviours),
    }
    return tuple(word for word in FEATURES if needed[word])


def _needs_bytes(reply: Reply) -> bool:
    """Tell whether arguments are no text, or a streamed reply has a cut inside a character."""
    return any(
        isinstance(call.arguments, Base64)
        or (reply.streamed and _cuts_characters(bytes_of(call.arguments), call.cuts))
        for call in reply.calls
    )


def _cuts_characters(data: bytes, cuts: tuple[int, ...]) -> bool:
    return any(is_inside_character(data, cut) for cut in cuts)
