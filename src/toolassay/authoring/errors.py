"""
What can be wrong with an authored vector: one leaf for each rule.

All faults of all files are collected. A file that is no YAML gives a leaf of
`InputError`; what is below here is found in this order:

1. the file and its shape (`VectorFileError` to `VectorShapeError`),
2. the vector as a whole (`VectorSlugError` to `VectorSizeError`),
3. its scenario (`ScenarioCallError` to `ScenarioNameError`),
4. its expectations and relations (`ClauseNameError` to `RelationError`),
5. what the reference makes of it (`ReferenceVerdictError`); only `fill` asks.

Every error says `file:line:column: what; hint`.
"""

from __future__ import annotations

from typing import Self

from toolassay.spec.errors import InputError, VectorError
from toolassay.spec.yaml_text import Document, Path


class AuthoringError(VectorError):
    """
    A fault at one place of a file of vectors.

    Attributes:
        name: The name of the file, as given.
        line: The line of the fault, from 1.
        column: The column of the fault in characters, from 1.
    """

    code = "vector.at"

    def __init__(self, what: str, *, name: str, line: int, column: int, hint: str = "") -> None:
        super().__init__(what, where=f"{name}:{line}:{column}", hint=hint)
        self.name = name
        self.line = line
        self.column = column

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}"
        return f"{text}; {self.hint}" if self.hint else text

    @classmethod
    def at(cls, document: Document, path: Path, what: str, hint: str = "") -> Self:
        """Point at a value."""
        mark = document.mark(path)
        return cls(what, name=document.name, line=mark.line, column=mark.column, hint=hint)

    @classmethod
    def at_key(cls, document: Document, path: Path, what: str, hint: str = "") -> Self:
        """Point at the key of a value."""
        mark = document.key_mark(path)
        return cls(what, name=document.name, line=mark.line, column=mark.column, hint=hint)


# --- 1. shape -------------------------------------------------------------------------------


class VectorFileError(AuthoringError):
    """A file of vectors cannot be read, or its name does not end in `.yaml`."""

    code = "vector.file"


class VectorKeyError(AuthoringError):
    """A key is none of those that the format knows at this place."""

    code = "vector.key"


class VectorMissingError(AuthoringError):
    """A key that must be there is missing."""

    code = "vector.missing"


class VectorTypeError(AuthoringError):
    """A value is of the wrong type."""

    code = "vector.type"


class VectorValueError(AuthoringError):
    """A value is of the right type, and none of those that are allowed."""

    code = "vector.value"


class VectorShapeError(AuthoringError):
    """The shape of the file breaks the schema in some other way."""

    code = "vector.shape"
    hint = "vectors/README.md describes every key"


# --- 2. the vector --------------------------------------------------------------------------


class VectorSlugError(AuthoringError):
    """An id is not of the form `family.words-with-dashes`."""

    code = "vector.slug"
    hint = "write the family, a dot, then lower-case words with dashes: `ord.denied-never-runs`"


class VectorDuplicateError(AuthoringError):
    """Two vectors have the same id."""

    code = "vector.duplicate"
    hint = "an id names one vector for ever; choose another"


class VectorFamilyError(AuthoringError):
    """The family in an id is unknown, or the vector tests no clause of it."""

    code = "vector.family"


class VectorTitleError(AuthoringError):
    """A title is no short statement."""

    code = "vector.title"
    hint = "one statement: a capital first, no punctuation last, at most 100 characters"


class VectorOperationError(AuthoringError):
    """What is given does not fit the operation."""

    code = "vector.operation"


class ProvenanceLinkError(AuthoringError):
    """A link is no https address."""

    code = "vector.provenance"
    hint = "give the whole https address of the public report"


class AxisNameError(AuthoringError):
    """An axis is named that the vector does not have."""

    code = "vector.axis.name"


class AxisValueError(AuthoringError):
    """A value of an axis is named, or made, that the axis does not have."""

    code = "vector.axis.value"


class AxisUnusedError(AuthoringError):
    """An axis, or a value of one, changes nothing."""

    code = "vector.axis.unused"


class AxisConflictError(AuthoringError):
    """A built-in axis makes what the vector also writes by hand."""

    code = "vector.axis.conflict"


class PlaceholderError(AuthoringError):
    """A scalar that begins with `$` stands for nothing."""

    code = "vector.placeholder"
    hint = "write $axis or $axis.key; a text that begins with $ is written with $$"


class SameCaseError(AuthoringError):
    """Two cases of one vector are the same."""

    code = "vector.same-case"
    hint = "give the axis values that differ, or leave one out"


class VectorSizeError(AuthoringError):
    """The axes of a vector multiply to more cases than are useful."""

    code = "vector.size"
    hint = "leave combinations out with `except`, or split the vector"


# --- 3. the scenario ------------------------------------------------------------------------


class ScenarioCallError(AuthoringError):
    """A call id is used twice without a note that says why."""

    code = "vector.scenario.call"
    hint = "give each call its own id, or say in `note` why it is repeated"


class ScenarioCutsError(AuthoringError):
    """The cuts of a streamed call are out of range, unsorted, or not streamed."""

    code = "vector.scenario.cuts"


class ScenarioBehaviourError(AuthoringError):
    """A tool behaves in two ways at once, or waits without a bound."""

    code = "vector.scenario.behaviour"


class ScenarioPolicyError(AuthoringError):
    """The policy names a tool that the scenario does not have."""

    code = "vector.scenario.policy"


class ScenarioNameError(AuthoringError):
    """A name stands twice, or a list that may not be empty is."""

    code = "vector.scenario.name"


class ScenarioTextError(AuthoringError):
    """A text is no base64 where it says so, or cannot be written as JSON."""

    code = "vector.scenario.text"


# --- 4. expectations ------------------------------------------------------------------------


class ClauseNameError(AuthoringError):
    """A clause is named that the register does not have."""

    code = "vector.clause.name"


class ClauseContractError(AuthoringError):
    """A clause belongs to another contract than its vector, or cannot be tested."""

    code = "vector.clause.contract"


class ExpectFacetError(AuthoringError):
    """An expectation has no facet, several, or one that the operation does not show."""

    code = "vector.expect.facet"


class ExpectEmptyError(AuthoringError):
    """An expectation, or a vector, wants nothing."""

    code = "vector.expect.empty"


class ExpectCallError(AuthoringError):
    """An expectation names a call, a tool or a subscriber that the scenario does not have."""

    code = "vector.expect.call"


class ExpectEventError(AuthoringError):
    """An expectation names an event type that the contract does not have, or of a wrong class."""

    code = "vector.expect.event"


class RelationError(AuthoringError):
    """A relation compares nothing."""

    code = "vector.relation"


# --- 5. the reference -----------------------------------------------------------------------


class ReferenceVerdictError(AuthoringError):
    """What the reference shows breaks an oracle or an expectation of its own vector."""

    code = "vector.reference"
    hint = "the vector, the oracle or the reference is wrong; no pack is written until they agree"


Fault = InputError | VectorError
"""What reading vectors can find."""
