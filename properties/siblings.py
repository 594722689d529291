"""Whether the siblings of a call that does not run are left alone (ARG-08, ORD-15)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from toolassay.properties.evidence import Evidence, Source
from toolassay.properties.groups import Group
from toolassay.properties.script import Held, Scripted, readable
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import quoted
from toolassay.spec.finding import Place
from toolassay.spec.messages import Message
from toolassay.spec.scenario import ToolScript
from toolassay.spec.text import shown

_KNOWN_KEYWORDS = {"type", "properties", "required", "description", "title"}
_KNOWN_TYPES: dict[object, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}

_GUARDED_NAMES = (b"__proto__", b"constructor", b"prototype")
"""Names of members by which a prototype is changed where objects are merged carelessly."""


def undisturbed(evidence: Evidence, disturbs: Callable[[Scripted], bool], word: str) -> Answer:
    """
    Judge the siblings of calls that do not run.

    Args:
        evidence: The observation.
        disturbs: Tells whether a scripted call is one that does not run.
        word: What to call such a call.
    """
    if not evidence.calls:
        return Skip("no scripted call")
    replies = {
        held.scripted.reply
        for held in evidence.held
        if disturbs(held.scripted)
        and all(
            one.denied or _is_quiet(evidence, one) for one in evidence.script[held.scripted.reply]
        )
    }
    judged = [
        held for held in evidence.held if held.scripted.reply in replies and must_run(held.scripted)
    ]
    judged = [held for held in judged if _is_settled(evidence, held)]
    if not judged:
        return Skip(f"no sibling of a {word} call that must run was reached")
    notes = [note for held in judged for note in _answered(evidence, held, word)]
    notes.extend(_ran(evidence, judged, word))
    return notes


def _is_quiet(evidence: Evidence, scripted: Scripted) -> bool:
    """Tell whether a call has no failure of its own, after which others may be left out."""
    rough = scripted.behaviour.ends_in_error or scripted.behaviour.hangs
    if scripted.malformed:
        # Whether it may run at all is for ARG-03 to say.
        return not rough or _never_ran(evidence, scripted.call.name)
    return must_run(scripted) and not rough


def may_have_thrown(evidence: Evidence, scripted: Scripted) -> bool:
    """Tell whether an exception or a hang of a call may be what became of its batch."""
    rough = scripted.behaviour.raises is not None or scripted.behaviour.hangs
    return rough and not (scripted.malformed and _never_ran(evidence, scripted.call.name))


def _never_ran(evidence: Evidence, tool: str) -> bool:
    facet = evidence.observation.executions
    whole = facet is not None and facet.status == "complete"
    return whole and all(one.tool != tool for one in evidence.executions)


def _is_settled(evidence: Evidence, held: Held) -> bool:
    """Tell whether a group is committed for sure, so that its calls are over."""
    source = evidence.main
    if source is None:
        return False
    if any(one.denied for one in evidence.script[held.scripted.reply]):
        # A denial may end the turn (ORD-11), and what was not run by then with it.
        return _went_on(evidence, source, held.group)
    return source.complete or source.facet == "requests" or held.group is not source.groups[-1]


def _went_on(evidence: Evidence, source: Source, group: Group) -> bool:
    """Tell whether the model was asked again in the turn of a group."""
    observation = evidence.observation
    messages: Sequence[Message] = ()
    if source.facet == "history" and observation.history is not None:
        messages = observation.history.messages
    elif source.facet == "requests" and observation.requests is not None:
        # The request itself is what went on, if no user speaks in between.
        messages = (*observation.requests.requests[-1], Message("assistant"))
    else:
        return _is_followed(source, group)
    after = (one.role for one in messages[group.index + 1 :] if one.role in {"user", "assistant"})
    return next(after, "") == "assistant"


def _is_followed(source: Source, group: Group) -> bool:
    """Tell whether another step of the same turn is done in a stream."""
    number = source.number_of(group)
    if source.stream is None or number + 1 == len(source.groups):
        return False
    turns = {source.stream.events[source.at[at]].turn_id for at in (number, number + 1)}
    return len(turns) == 1


def must_run(scripted: Scripted) -> bool:
    """Tell whether nothing entitles an implementation to refuse a call."""
    tool = scripted.tool
    sound = scripted.plain and not scripted.denied
    return sound and tool is not None and _accepts(tool, scripted) and not _is_guarded(scripted)


def _is_guarded(scripted: Scripted) -> bool:
    """Tell whether a parser that guards the prototypes of objects may refuse arguments."""
    raw = readable(scripted.call.arguments)
    if b"\\u" in raw:
        # A name may be written with escapes; of what cannot be read nothing is demanded.
        try:
            raw = json.dumps(json.loads(raw)).encode()
        except (ValueError, RecursionError):
            return True
    return any(name in raw for name in _GUARDED_NAMES)


def _accepts(tool: ToolScript, scripted: Scripted) -> bool:
    """Tell whether arguments satisfy a schema for sure; false where that takes a validator."""
    schema = tool.parameters
    if not _KNOWN_KEYWORDS.issuperset(schema) or schema.get("type", "object") != "object":
        return False
    if schema.keys() <= {"type", "description", "title"}:
        return True
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return False
    try:
        value = json.loads(readable(scripted.call.arguments))
    except (ValueError, RecursionError):
        return False
    return set(required) <= set(value) and all(
        _fits(properties[name], item) for name, item in value.items() if name in properties
    )


def _fits(schema: object, value: object) -> bool:
    if not isinstance(schema, dict) or not {"type", "description", "title"}.issuperset(schema):
        return False
    if "type" not in schema:
        return True
    types = _KNOWN_TYPES.get(schema["type"], ())
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _answered(evidence: Evidence, held: Held, word: str) -> list[Note]:
    count = len(held.group.pairing.answers[held.at])
    if count == 1 or evidence.main is None:
        return []
    return [
        Note(
            f"the sibling of a {word} call is answered once",
            f"call {quoted(held.id)} has {count} results",
            evidence.main.place_of(held.group),
            held.id,
        )
    ]


def _ran(evidence: Evidence, judged: list[Held], word: str) -> list[Note]:
    """Find siblings that did not run; where ids do not tell, runs are counted by tool."""
    facet = evidence.observation.executions
    if facet is None or facet.status != "complete":
        return []
    notes: list[Note] = []
    owners = {id(owner) for owner in evidence.attribution.owners if owner is not None}
    loose: dict[str, int] = {}
    for at in evidence.attribution.loose:
        tool = facet.executions[at].tool
        loose[tool] = loose.get(tool, 0) + 1
    for held in judged:
        if id(held.scripted) in owners:
            continue
        tool = held.scripted.call.name
        if loose.get(tool, 0) > 0:
            loose[tool] -= 1
            continue
        notes.append(
            Note(
                f"the sibling of a {word} call runs",
                f"{shown(tool, 60)} did not run for call {quoted(held.id)}",
                Place("executions"),
                held.id,
            )
        )
    return notes
