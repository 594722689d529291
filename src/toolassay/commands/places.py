"""Where the sources of the kit's own vectors and clauses are, in a checkout."""

from __future__ import annotations

from pathlib import Path

from toolassay.spec.errors import UsageError
from toolassay.spec.register import SPEC_FOLDER


class NoCheckoutError(UsageError):
    """The sources of the kit are wanted, and this is an installed kit."""

    code = "usage.no-checkout"
    hint = "name a folder of vectors"


def checkout() -> Path:
    """
    Give the root of the checkout.

    Raises:
        NoCheckoutError: The kit runs from an installed package.
    """
    root = SPEC_FOLDER.parent
    if not (root / "pyproject.toml").is_file():
        raise NoCheckoutError("the vectors of the kit are compiled in a checkout of it alone")
    return root


def own_vectors() -> Path:
    """
    Give the folder of the kit's authored vectors, relative to the current one if it is below.

    Raises:
        NoCheckoutError: The kit runs from an installed package.
    """
    return relative(checkout() / "vectors")


def relative(path: Path) -> Path:
    """Write a path from the current folder, if it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
