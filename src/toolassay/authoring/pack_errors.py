"""What can be wrong with a pack; apart, so that a run need not load what authoring needs."""

from __future__ import annotations

from toolassay.spec.errors import InputError

__all__ = ["PackError"]


class PackError(InputError):
    """A pack of compiled vectors cannot be read."""

    code = "input.pack"
    hint = "`toolassay fill` writes the packs anew"
