"""
What can be wrong with a text that was given: one leaf for each rule.

A YAML text is read in this order, and the first broken rule is reported:

1. its size, its bytes and its characters (`TextTooLargeError`,
   `TextEncodingError`, `TextCharacterError`),
2. its grammar (`YamlSyntaxError`) and the parts of YAML that are not used here
   (`YamlDirectiveError`, `YamlDocumentsError`, `YamlTagError`, `YamlAliasError`),
3. its shape (`YamlDepthError`, `YamlKeyError`, `YamlDuplicateKeyError`,
   `YamlMergeKeyError`, `YamlScalarError`),
4. the caller's own format (`UnknownKeyError`).

Every error says `name:line:column: what; hint`.
"""

from __future__ import annotations

from toolassay.spec.errors import InputError

__all__ = [
    "TextCharacterError",
    "TextEncodingError",
    "TextError",
    "TextTooLargeError",
    "UnknownKeyError",
    "YamlAliasError",
    "YamlDepthError",
    "YamlDirectiveError",
    "YamlDocumentsError",
    "YamlDuplicateKeyError",
    "YamlKeyError",
    "YamlMergeKeyError",
    "YamlScalarError",
    "YamlSyntaxError",
    "YamlTagError",
]


class TextError(InputError):
    """
    A fault at one place of a text.

    Attributes:
        name: The name of the file, as given.
        line: The line of the fault, from 1.
        column: The column of the fault in characters, from 1.
        offset: The place of the fault in bytes from the start of the file.
    """

    code = "input.text"

    def __init__(
        self, what: str, *, name: str, line: int, column: int, offset: int, hint: str = ""
    ) -> None:
        super().__init__(what, where=f"{name}:{line}:{column}", hint=hint)
        self.name = name
        self.line = line
        self.column = column
        self.offset = offset

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}"
        return f"{text}; {self.hint}" if self.hint else text


class TextTooLargeError(TextError):
    """The text is larger than the kit reads."""

    code = "input.too-large"
    hint = "split the file"


class TextEncodingError(TextError):
    """The text is not UTF-8."""

    code = "input.encoding"
    hint = "save the file as UTF-8; write arbitrary bytes as base64"


class TextCharacterError(TextError):
    """The text holds a character that must be written as an escape."""

    code = "input.character"
    hint = "write it as an escape within double quotes"


class YamlSyntaxError(TextError):
    """The text breaks the grammar of YAML."""

    code = "input.yaml.syntax"


class YamlDirectiveError(TextError):
    """The text holds a directive (`%YAML`, `%TAG`)."""

    code = "input.yaml.directive"
    hint = "remove the line; every file is read as YAML 1.2"


class YamlDocumentsError(TextError):
    """The text holds no document, or more than one."""

    code = "input.yaml.documents"
    hint = "a file holds exactly one document"


class YamlTagError(TextError):
    """A node has an explicit tag."""

    code = "input.yaml.tag"
    hint = "remove the tag; a text that begins with ! must be quoted"


class YamlAliasError(TextError):
    """An alias is unknown, contains itself, stands as a key, or expands to too much."""

    code = "input.yaml.alias"
    hint = "write the value out; a text that begins with * must be quoted"


class YamlDepthError(TextError):
    """The document is nested too deeply."""

    code = "input.yaml.depth"
    hint = "write deeply nested data as a text"


class YamlKeyError(TextError):
    """A key is not a text."""

    code = "input.yaml.key"
    hint = "keys are texts; put quotes around the key"


class YamlDuplicateKeyError(TextError):
    """A mapping has the same key twice."""

    code = "input.yaml.duplicate-key"
    hint = "remove or rename one of the two"


class YamlMergeKeyError(TextError):
    """A mapping has the merge key `<<`, which YAML 1.2 does not know."""

    code = "input.yaml.merge-key"
    hint = "write the keys out, or quote the key to mean the text '<<'"


class YamlScalarError(TextError):
    """A plain value looks like a number that cannot be kept."""

    code = "input.yaml.scalar"
    hint = "put quotes around it to keep it as a text"


class UnknownKeyError(TextError):
    """
    A key is none of those that the format knows at this place.

    Attributes:
        key: The key as given.
        near: Known keys that look like it, best first.
    """

    code = "input.unknown-key"

    key: str = ""
    near: tuple[str, ...] = ()
