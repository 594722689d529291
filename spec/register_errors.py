"""
What can be wrong with the register: one leaf for each rule.

Sources are read in this order, and the first broken rule is reported:

1. the grammar of the YAML text (`toolassay.spec.input_errors`),
2. its shape (`RegisterSchemaError`),
3. the profiles (`ProfileDataError`),
4. each clause alone (`ClauseFamilyError`, `ClauseSourceError`,
   `ClauseProfilesError`, `ClauseSinceError`, `ClauseNeedsError`),
5. clauses and codes together (`DuplicateNameError`, `ClauseReferenceError`).

Every error says `file:line:column: what`. Reading the compiled file can fail
with `RegisterFileError`; naming profiles can fail with `ProfileChoiceError`.
"""

from __future__ import annotations

from toolassay.spec.errors import RegisterError, UsageError


class RegisterSourceError(RegisterError):
    """
    A fault at one place of the register's sources.

    Attributes:
        name: The name of the file.
        line: The line of the fault, from 1.
        column: The column of the fault in characters, from 1.
    """

    code = "register.source"

    def __init__(self, what: str, *, name: str, line: int, column: int) -> None:
        super().__init__(what, where=f"{name}:{line}:{column}")
        self.name = name
        self.line = line
        self.column = column


class RegisterSchemaError(RegisterSourceError):
    """The file has another shape than its schema says."""

    code = "register.schema"
    hint = "spec/schemas/ describes each key"


class ProfileDataError(RegisterSourceError):
    """A profile's versions are not numbered from 1, or include what does not exist."""

    code = "register.profiles"


class ClauseFamilyError(RegisterSourceError):
    """A clause stands in the file of another family, or a letter has no page half."""

    code = "register.family"
    hint = "MSG-11a belongs into msg.yaml, beside MSG-11"


class ClauseSourceError(RegisterSourceError):
    """A clause has no source that fits its basis, or names a page that does not exist."""

    code = "register.basis"
    hint = "name pages, a standard, cases or faults; a clause without a basis is refused"


class ClauseProfilesError(RegisterSourceError):
    """The profiles of a clause do not follow from its basis and level."""

    code = "register.clause-profiles"


class ClauseSinceError(RegisterSourceError):
    """A clause is scored since a profile version that does not exist or is not its own."""

    code = "register.since"


class ClauseNeedsError(RegisterSourceError):
    """A testable clause needs nothing, or an untestable one needs something."""

    code = "register.needs"


class DuplicateNameError(RegisterSourceError):
    """The same id, code or profile name stands twice."""

    code = "register.duplicate"


class ClauseReferenceError(RegisterSourceError):
    """A text or a code names a clause that is not in the register."""

    code = "register.reference"


class RegisterFileError(RegisterError):
    """The compiled register is missing, or is not of this version of the kit."""

    code = "register.file"
    hint = "python -m toolassay.spec.register writes it anew"


class ProfileChoiceError(UsageError):
    """A choice of profiles names two bases, or one profile twice."""

    code = "usage.profile"
    hint = "one base (pages, core or strict), then add-ons: core+resume+looprig"
