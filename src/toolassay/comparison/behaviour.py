"""
What was seen in one case, in words that can be compared between implementations.

Each aspect is one question that a scenario puts to any implementation. Its word
does not depend on ids, on the wording of texts or on timing. An aspect whose
facet is missing or not complete has no word, and is not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from toolassay.printable import clipped, printable
from toolassay.spec.case import Case
from toolassay.spec.events import EVENT_KINDS
from toolassay.spec.json_value import same_value
from toolassay.spec.messages import Message
from toolassay.spec.observation import Observation, Outcome
from toolassay.spec.text import Base64, Text, bytes_of

AS_SENT = "as sent"
"""The word for arguments with the text, or the value, that the model sent."""

TEXT_MAX = 60
"""Characters of an argument text in a word."""

WORD_MAX = 300
"""Characters of a word."""

ABOUT = {
    "outcome": "what a stateless operation answers",
    "runs": "which callbacks are entered, and with what arguments",
    "held arguments": "what the history holds as the arguments of a call",
    "shown arguments": "what the model is shown as the arguments of its calls",
    "answers": "which calls are answered, in which order",
    "error flags": "which results bear the error flag",
    "requests": "how often the model is asked",
    "endings": "how the turns end",
    "events": "which enduring events the journal holds, in which order",
}
"""The aspects, with what each of them asks, in the order of reports."""


def behaviour_of(case: Case, observation: Observation) -> dict[str, str]:
    """
    Put what was seen into words.

    Args:
        case: The case.
        observation: What was seen in it.

    Returns:
        A word for each aspect that was seen whole.
    """
    words = {aspect: asked(case, observation) for aspect, asked in _ASPECTS.items()}
    return {aspect: clipped(word, WORD_MAX) for aspect, word in words.items() if word is not None}


# --- the aspects ----------------------------------------------------------------------------


def _outcome(_case: Case, observation: Observation) -> str | None:
    found: Outcome | None = observation.outcome
    if found is None:
        return None
    views = [("stored", found.stored), ("executable", found.executable)]
    said = [f"{name} {_shown(text)}" for name, text in views if text is not None]
    place = [printable(word, TEXT_MAX) for word in (found.event, found.field) if word]
    return ", ".join((" ".join((found.status, *place)), *said))


def _runs(case: Case, observation: Observation) -> str | None:
    facet = observation.executions
    if facet is None or facet.status != "complete":
        return None
    sent = _sent(case)
    entered = Counter(
        f"{printable(one.tool, TEXT_MAX)} {_against(one.arguments, sent.get(one.tool, ()))}"
        for one in facet.executions
    )
    return _listed(
        f"{times} x {word}" if times > 1 else word for word, times in sorted(entered.items())
    )


def _held_arguments(case: Case, observation: Observation) -> str | None:
    facet = observation.history
    if facet is None or facet.status != "complete":
        return None
    return _arguments(case, facet.messages)


def _shown_arguments(case: Case, observation: Observation) -> str | None:
    facet = observation.requests
    if facet is None or facet.status != "complete" or len(facet.requests) < 2:
        return None
    return _arguments(case, facet.requests[-1])


def _answers(_case: Case, observation: Observation) -> str | None:
    facet = observation.history
    if facet is None or facet.status != "complete":
        return None
    numbers: dict[str, int] = {}
    words: list[str] = []
    for message in facet.messages:
        for one in message.calls:
            numbers[one.id] = len(numbers) + 1
        if message.role == "tool":
            number = numbers.get(message.tool_use_id or "")
            words.append(f"call {number}" if number else "no call")
    return _listed(words)


def _error_flags(_case: Case, observation: Observation) -> str | None:
    facet = observation.history
    if facet is None or facet.status != "complete":
        return None
    flags = [message.is_error for message in facet.messages if message.role == "tool"]
    if None in flags:  # the form has none
        return None
    return _listed("error" if flag else "ok" for flag in flags)


def _requests(_case: Case, observation: Observation) -> str | None:
    facet = observation.requests
    return str(len(facet.requests)) if facet and facet.status == "complete" else None


def _endings(_case: Case, observation: Observation) -> str | None:
    facet = observation.ending
    if facet is None or facet.status != "complete":
        return None
    return _listed(turn.how for turn in facet.turns)


def _events(_case: Case, observation: Observation) -> str | None:
    facet = observation.journal
    if facet is None or facet.status != "complete":
        return None
    types = (record.event.type for record in facet.records)
    return _listed(name for name in types if name in EVENT_KINDS)


_ASPECTS: dict[str, Callable[[Case, Observation], str | None]] = {
    "outcome": _outcome,
    "runs": _runs,
    "held arguments": _held_arguments,
    "shown arguments": _shown_arguments,
    "answers": _answers,
    "error flags": _error_flags,
    "requests": _requests,
    "endings": _endings,
    "events": _events,
}


# --- arguments ------------------------------------------------------------------------------


def _sent(case: Case) -> dict[str, list[Text]]:
    """Give the argument texts of the model's calls, by tool."""
    sent: dict[str, list[Text]] = {}
    for reply in case.scenario.model if case.scenario else ():
        for one in reply.calls:
            sent.setdefault(one.name, []).append(one.arguments)
    return sent


def _arguments(case: Case, messages: Iterable[Message]) -> str:
    sent = _sent(case)
    return _listed(
        _against(one.arguments, sent.get(one.name, ()))
        for message in messages
        for one in message.calls
    )


def _against(held: Text, sent: Sequence[Text]) -> str:
    """Tell whether arguments are among those that the model sent, or show them."""
    if held in sent or any(_is_same(held, one) for one in sent):
        return AS_SENT
    return _shown(held)


def _is_same(one: Text, other: Text) -> bool:
    try:
        return same_value(bytes_of(one), bytes_of(other)) is True
    except ValueError:  # base64 that is not well formed is like nothing else
        return False


def _shown(text: Text) -> str:
    if isinstance(text, Base64):
        return f"base64:{printable(text.base64, TEXT_MAX)}"
    return f"`{printable(text, TEXT_MAX)}`"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"
