"""
The error tree: what can go wrong with what people give to the kit.

A run reads its inputs in this order, and each stage has its own family:

1. the register of clauses and the table of codes (`RegisterError`),
2. YAML and JSON texts, event streams and recordings (`InputError`),
3. authored vectors and the scenarios in them (`VectorError`),
4. the implementation under test and its adapter (`TargetError`),
5. the baseline of known failures (`BaselineError`),
6. the command line and its configuration (`UsageError`).

A leaf class stands for one rule. It carries the offending values as typed
fields, a stable `code` for programs and a `hint` for people. An error of this
tree is expected in normal use; any other exception is a fault of the kit.
"""

from __future__ import annotations

from typing import ClassVar


class ToolassayError(Exception):
    """The root of everything expected to go wrong."""

    code: ClassVar[str] = "toolassay"
    """Stable identifier of the rule, for programs."""

    hint: str = ""
    """What the reader can do about it; empty where nothing helps."""

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        if hint:
            self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class RegisterError(ToolassayError):
    """The register of clauses or the table of codes is not well formed."""

    code = "register"


class InputError(ToolassayError):
    """A text or a file that was given cannot be read as what it claims to be."""

    code = "input"


class VectorError(ToolassayError):
    """An authored vector breaks the rules of its format."""

    code = "vector"


class TargetError(ToolassayError):
    """The implementation under test cannot be reached or used."""

    code = "target"


class BaselineError(ToolassayError):
    """The file of known failures is not usable."""

    code = "baseline"


class UsageError(ToolassayError):
    """The command line or the configuration asks for something impossible."""

    code = "usage"


class UnknownNameError(UsageError):
    """
    A name matches nothing of its kind.

    Attributes:
        kind: What was looked for: `clause`, `case`, `family`, ...
        name: The name as given.
        near: Known names that look like it, best first.
    """

    code = "usage.unknown-name"

    def __init__(
        self, kind: str, name: str, near: tuple[str, ...] = (), *, where: str = ""
    ) -> None:
        also = f" (did you mean {' or '.join(near)}?)" if near else ""
        super().__init__(f"unknown {kind} {name!r}{also}", where=where)
        self.kind = kind
        self.name = name
        self.near = near
