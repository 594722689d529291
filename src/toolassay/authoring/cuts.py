"""Where a streamed text can be cut: offsets in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["CUTS_MAX", "char_cuts", "halving_cut", "inner_cuts", "is_inside_character"]

CUTS_MAX: Final = 64
"""The most cuts that an axis makes in one text."""


def char_cuts(data: bytes) -> tuple[int, ...]:
    """Cut after every character but the last."""
    return _spread(_borders(data))


def halving_cut(data: bytes) -> tuple[int, ...]:
    """Cut once, at the character border in the middle."""
    borders = _borders(data)
    return (borders[len(borders) // 2],) if borders else ()


def inner_cuts(data: bytes) -> tuple[int, ...]:
    """Cut every multi-byte character after its first byte; where there is none, every byte."""
    borders = {0, *_borders(data), len(data)}
    inner = [at for at in range(1, len(data)) if at not in borders and at - 1 in borders]
    return _spread(inner or range(1, len(data)))


def is_inside_character(data: bytes, cut: int) -> bool:
    """Tell whether a cut falls between two bytes of one character."""
    return 0 < cut < len(data) and cut not in _borders(data)


def _borders(data: bytes) -> list[int]:
    """List the offsets between two characters; a byte that is no UTF-8 counts as one."""
    borders, at = [], 0
    for character in data.decode("utf-8", "surrogateescape"):
        at += len(character.encode("utf-8", "surrogateescape"))
        borders.append(at)
    return borders[:-1]


def _spread(offsets: Sequence[int]) -> tuple[int, ...]:
    """Keep at most `CUTS_MAX` offsets, spread evenly."""
    count = len(offsets)
    if count <= CUTS_MAX:
        return tuple(offsets)
    return tuple(offsets[step * count // CUTS_MAX] for step in range(CUTS_MAX))
