"""Writes half of a surrogate pair into its answer once it is set off."""

from keeper import live


def misbehave(_line, answer):
    return answer.replace(b'"done"', b'"\\ud800"')


live(misbehave)
