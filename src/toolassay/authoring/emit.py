"""
Writing a case back as an authored vector.

What generation finds comes out as a standalone file that a user can read,
keep, and give to `toolassay run --vectors`.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
import yaml

from toolassay.spec.case import Case, Expectation

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_KEYWORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

COMMENT_MAX = 200
"""Characters of the comment at the top of an emitted vector."""


class _Dumper(yaml.SafeDumper):
    """Quotes every text that a YAML reader could take for something else."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    plain = _PLAIN.fullmatch(value) is not None and value.lower() not in _KEYWORDS
    style = None if plain else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def emit_vector(case: Case, slug: str, *, comment: str = "") -> str:
    """
    Write a case as a file with one vector.

    Args:
        case: The case; its expectations become those of the vector.
        slug: Id of the vector, `family.words`.
        comment: One line that stands above it.

    Returns:
        YAML that the strict loader reads and the lint accepts.
    """
    vector: dict[str, Any] = {
        "id": slug,
        "title": case.title,
        "contract": case.contract,
        "kind": case.kind,
    }
    if case.operation != "turn/run":
        vector["operation"] = case.operation
    vector["given"] = _given(case)
    vector["expect"] = [_escaped(msgspec.to_builtins(item)) for item in case.expect]
    dumped = yaml.dump([vector], Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=False)
    head = " ".join(comment.split())[:COMMENT_MAX]
    return (f"# {head}\n" if head else "") + dumped


def _given(case: Case) -> object:
    if case.scenario is not None:
        return _escaped(_lean(case.scenario))
    if case.event is not None:
        return {"event_text": _escaped(msgspec.to_builtins(case.event))}
    return {"arguments": _escaped(msgspec.to_builtins(case.arguments))}


def _lean(value: Any) -> Any:  # noqa: ANN401 - a model, or a part of one
    """Give plain data, without the fields that have their default."""
    if isinstance(value, tuple):
        return [_lean(item) for item in value]
    if not isinstance(value, msgspec.Struct):
        return value
    return {
        field.encode_name: _lean(held)
        for field in msgspec.structs.fields(value)
        for held in [getattr(value, field.name)]
        if field.required or held != _default(field)
    }


def _default(field: msgspec.structs.FieldInfo) -> object:
    factory = field.default_factory
    return field.default if factory is msgspec.NODEFAULT else factory()


def _escaped(value: Any) -> Any:  # noqa: ANN401 - plain data of any shape
    """Double a leading `$`, which would name an axis."""
    if isinstance(value, str):
        return f"${value}" if value.startswith("$") else value
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_escaped(item) for item in value]
    return value


def found_vector(case: Case, clause: str, where: str) -> str:
    """
    Write what generation found for a clause as a vector of its own.

    Args:
        case: The smallest case in which the clause was found broken.
        clause: Id of the clause.
        where: Seed and index, or other words on where it was found.
    """
    family = clause.split("-", 1)[0].lower()
    digits = re.sub(r"[^a-z0-9]+", "-", f"{clause}-{where}".lower()).strip("-")
    titled = msgspec.structs.replace(
        case,
        title=f"Found by generation for {clause}",
        kind="negative",
        expect=case.expect or (Expectation(clause, holds=True),),
    )
    return emit_vector(titled, f"{family}.found-{digits}", comment=f"found with {where}")
