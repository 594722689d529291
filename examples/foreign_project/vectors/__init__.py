"""Embeddings, as far as this project needs them; nothing to do with toolassay."""

OWNER = "foreign-project"


def dot(left, right):
    return sum(a * b for a, b in zip(left, right, strict=True))
