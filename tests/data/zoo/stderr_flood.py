"""Writes very much to standard error, and answers well."""

import sys

from keeper import live


def misbehave(_line, answer):
    for _ in range(1000):
        sys.stderr.write("noise " * 10_000)
    sys.stderr.flush()
    return answer


live(misbehave)
