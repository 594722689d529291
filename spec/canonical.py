"""
Canonical JSON over our own models: the same value gives the same bytes.

Leaves of the models are text, integers and booleans, so sorted keys, no white
space and defaults left out are enough.
"""

from __future__ import annotations

import hashlib

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical(value: object) -> bytes:
    """Encode a value of the models (or plain JSON data) canonically."""
    return _ENCODER.encode(value)


def digest(*parts: bytes) -> str:
    """Give the SHA-256 of parts in hexadecimal, each part preceded by its length."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()
