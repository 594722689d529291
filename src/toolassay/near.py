"""Near misses: which known names look like one that is not known."""

from __future__ import annotations

from collections.abc import Iterable

from toolassay.spec.errors import UnknownNameError


def near(name: str, known: Iterable[str], count: int = 2) -> tuple[str, ...]:
    """Give the known names that look most like a name, best first."""
    import difflib  # noqa: PLC0415 - needed for mistakes alone

    by_folded = {item.casefold(): item for item in known}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.6)
    return tuple(by_folded[item] for item in found)


def unknown(kind: str, name: str, known: Iterable[str], where: str = "") -> UnknownNameError:
    """Make the error for a name that matches nothing of its kind."""
    from toolassay.printable import printable  # noqa: PLC0415 - needed for mistakes alone

    return UnknownNameError(kind, printable(name, 80), near(name, known), where=where)
