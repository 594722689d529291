"""
One line of a file of recordings, in whichever known form it is.

Two forms are known. The kit's own holds facets as objects of
`toolassay.spec.observation`. Looprig's holds them as lists. The form is
recognised from the line, so that one file may hold both.
"""

from __future__ import annotations

import binascii
import re
from typing import Final

import msgspec

from toolassay.recordings import errors
from toolassay.recordings import json_members as members_of
from toolassay.recordings.looprig_observation import read_observation
from toolassay.recordings.looprig_run import read_run
from toolassay.spec.observation import FACETS, Observation
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import check_texts

MAX_ID: Final = 120
"""The longest id of a recording."""

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-\[\]=,]*")


class Line(msgspec.Struct, frozen=True):
    """One line of a file, and where it stands."""

    name: str
    """The name of the file, as given."""
    number: int
    """The line, from 1."""
    offset: int
    """Where it begins, in bytes from the start of the file."""
    data: bytes
    """The line, without its end."""
    ended: bool = True
    """False if the file ends without a line end."""


class Recording(msgspec.Struct, frozen=True):
    """One recorded run."""

    id: str
    """Its id in the file."""
    observation: Observation
    """What was seen."""
    scenario: Scenario | None = None
    """What was scripted; None if the recording does not say."""


class _Own(msgspec.Struct, frozen=True):
    """A line in the kit's own form."""

    id: str
    observation: Observation
    scenario: Scenario | None = None


def read_line(line: Line) -> Recording:
    """
    Read one recording.

    Raises:
        RecordingTextError: The line is not UTF-8.
        RecordingSyntaxError: The line is no JSON, or is cut.
        RecordingDepthError: The line is nested too deeply.
        RecordingFormError: The line is in no known form.
        RecordingShapeError: The line breaks the rules of its form.
    """
    members = _members(line)
    identifier = _identifier(line, members)
    try:
        if _is_looprig(line, members):
            return _looprig(identifier, members)
        return _own(line)
    except RecursionError as error:
        raise _depth(line) from error
    except (ValueError, binascii.Error, msgspec.ValidationError) as error:
        message = f"recording {identifier}: {error}"
        raise _at(errors.RecordingShapeError, line, message) from error


def _members(line: Line) -> dict[str, str]:
    try:
        source = line.data.decode()
    except UnicodeDecodeError as error:
        at = line.offset + error.start
        raise _at(errors.RecordingTextError, line, f"no UTF-8 at byte {at}") from error
    if not source.lstrip().startswith("{"):
        raise _no_object(line, source)
    try:
        return members_of.members(source)
    except RecursionError as error:
        raise _depth(line) from error
    except ValueError as error:
        what = "the line is no JSON" if line.ended else "the file ends within this line"
        raise _at(errors.RecordingSyntaxError, line, what) from error


def _no_object(line: Line, source: str) -> errors.RecordingError:
    """Tell JSON of another form from what is no JSON."""
    try:
        members_of.value(source)
    except RecursionError:
        return _depth(line)
    except ValueError:
        return _at(errors.RecordingSyntaxError, line, "the line is no JSON")
    return _at(errors.RecordingFormError, line, "the line is JSON, but no object")


def _identifier(line: Line, members: dict[str, str]) -> str:
    identifier = members_of.string(members.get("id"))
    if "id" not in members or "observation" not in members:
        what = f"no `id` or no `observation` among its keys: {', '.join(sorted(members))[:120]}"
        raise _at(errors.RecordingFormError, line, what)
    if len(identifier) > MAX_ID or not _ID.fullmatch(identifier):
        what = f"an id is up to {MAX_ID} letters, digits and the signs . _ - [ ] = ,"
        raise _at(errors.RecordingShapeError, line, what)
    return identifier


def _is_looprig(line: Line, members: dict[str, str]) -> bool:
    observation = members["observation"]
    if not observation.startswith("{"):
        raise _at(errors.RecordingFormError, line, "`observation` is no object")
    facets = members_of.members(observation)
    found = {facets[name][:1] for name in FACETS if name in facets}
    if not found <= {"[", "{", "n"} or {"[", "{"} <= found:
        raise _at(errors.RecordingFormError, line, "facets are neither all lists nor all objects")
    return "[" in found


def _looprig(identifier: str, members: dict[str, str]) -> Recording:
    observation = members_of.members(members["observation"])
    run = read_run(members.get("scenario", "{}"), observation)
    scenario, seen = read_observation(run)
    return Recording(identifier, seen, scenario)


def _own(line: Line) -> Recording:
    own = msgspec.json.decode(line.data, type=_Own)
    if b'"base64"' in line.data:
        check_texts(own.observation)
    return Recording(own.id, own.observation, own.scenario)


def _depth(line: Line) -> errors.RecordingError:
    return _at(errors.RecordingDepthError, line, "the line is nested too deeply")


def _at(leaf: type[errors.RecordingError], line: Line, what: str) -> errors.RecordingError:
    return leaf(what, name=line.name, line=line.number, offset=line.offset)
